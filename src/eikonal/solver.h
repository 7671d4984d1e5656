/* SPDX-License-Identifier: Apache-2.0
 * What a solver is made of. */
#ifndef ZM_FORWARD_SOLVER_H
#define ZM_FORWARD_SOLVER_H

#include "eikonal/blocks/tile_queue.h"
#include "eikonal/blocks/tile.h"
#include "eikonal/marching/march.h"
#include "zermelo/forward.h"

/** How far the record of a problem has been worked out. */
typedef enum zm_record_state {
    ZM_RECORD_NONE,
    ZM_RECORD_SOLVED,   /* `tiles` is filled */
    ZM_RECORD_STENCILS, /* ... and `code`, `offset` */
    ZM_RECORD_ORDERED   /* ... and `order` */
} zm_record_state;

/** What the solve of one problem leaves for its derivatives. */
typedef struct zm_record {
    zm_record_state state;
    double time_unit; /* the solve counted times in this unit, a power of two */
    bool has_late;    /* some cells are donors only: their T was cut at t_max */
    zm_tile_record *tiles;
    uint8_t *code;   /* cells: winning stencil, ZM_CODE_* */
    void *offset;    /* cells: where on the donor line, reals */
    uint32_t *order; /* cells that have donors, every one before its donors */
    size_t n_order;
    size_t n_cyclic; /* how many of them lie on cycles */
    zm_march *march; /* made when first needed; NULL before */
    bool marched;    /* the last solve was a march: nothing above is filled */
    bool adopt;      /* ... but on tiles: the march has yet to take over its times */
} zm_record;

/** Work memory of one thread. */
typedef struct zm_lane {
    zm_worker worker;
    zm_tile *tiles;   /* state of each tile of the problem this lane leads */
    uint8_t *busy;    /* by tile: some thread is at it */
    zm_tile_queue queue;
    double *lambda;   /* cells */
    double *scratch;  /* cells; also two stacks of as many uint32_t */
    uint8_t *users;   /* cells */
    struct zm_fan_work *fan; /* made when first needed; NULL before */
} zm_lane;

struct zm_solver {
    zm_grid grid;
    size_t cells;
    zm_dtype dtype;
    zm_alloc mem; /* destroy frees with what create allocated with */
    const zm_kernel *kernel;
    zm_isa isa; /* as asked for */
    int32_t threads, batch;
    zm_stencil_choice stencils;
    zm_scheme scheme; /* of marches */
    int32_t tiles_y, tiles_x;
    void *zero_row;     /* stands for planes that are left out */
    zm_lane *lanes;     /* threads */
    zm_record *records; /* batch */
    size_t bytes;
};

static inline int32_t zm_solver_tiles(const zm_solver *s)
{
    return s->tiles_y * s->tiles_x;
}

/** Solves with adaptive stencils, on tiles where these can, else by marching, which knows
 *  all kinds of stencils and orders; the problem is checked. */
zm_status zm_solve_march(zm_solver *s, zm_lane *lane, zm_record *record, const zm_problem *problem, void *T,
                         const zm_forward_opts *opts, zm_report *report, zm_error *err);

/** When a solve with targets or max_cells would stop, given the times of the full solve. */
double zm_stop_time(const zm_solver *s, zm_lane *lane, const zm_problem *problem,
                    const zm_forward_opts *opts, const void *T);

/** Makes record->march ready for derivatives and paths; the last solve was `marched`. */
zm_status zm_march_ready(zm_solver *s, zm_record *record, const zm_problem *problem,
                         const void *T, zm_error *err);

/** Whether only a march can solve this problem as asked, whatever its metric is. */
bool zm_solve_must_march(const zm_solver *s, const zm_problem *problem);

/**
 * Fills code and offset of a record, from times and planes as g has them.
 *
 * @param lanes in,out  threads of them, for scratch
 * @param tiles in      states of a solve that has just ended: tiles it did not visit have
 *                      nothing reached; NULL if not known
 */
void zm_record_stencils(const zm_solver *s, zm_lane *lanes, int32_t threads, zm_record *record,
                        const zm_tiling *g, const zm_tile *tiles);

/** ZM_E_ARG unless the metric is of the solver's number type. */
zm_status zm_solver_check_dtype(const zm_solver *s, const zm_problem *problem, zm_error *err);

/** The problem as the kernels see it, with planes and T in `time_unit`; T is written to by
 *  visits only.  problem must have passed zm_problem_check_shape. */
zm_tiling zm_solver_tiling(const zm_solver *s, const zm_lane *lane, const zm_record *record,
                           const zm_problem *problem, const void *T, double time_unit);

#endif
