/* SPDX-License-Identifier: Apache-2.0
 * One problem being solved on blocks, from its start to its report. */
#ifndef ZM_BLOCKS_SOLVE_H
#define ZM_BLOCKS_SOLVE_H

#include <stdatomic.h>

#include "core/parallel.h"
#include "eikonal/blocks/engine.h"
#include "eikonal/blocks/kernel.h"
#include "eikonal/blocks/queue.h"

/** Work memory of one thread. */
typedef struct zm_blocks_work {
    zm_engine_part part;
    zm_blocks_worker worker;
    zm_blocks_block *blocks; /* state of each block of the problem this thread leads */
    uint8_t *busy;           /* by block: some thread is at it */
    zm_blocks_queue queue;
    void *zero_row; /* stands for planes that are left out */
} zm_blocks_work;

/** How far the record of a problem has been worked out. */
typedef enum zm_blocks_state {
    ZM_BLOCKS_SOLVED,   /* `blocks` is filled */
    ZM_BLOCKS_DONORS, /* ... and `code`, `offset` */
    ZM_BLOCKS_ORDERED   /* ... and `order` */
} zm_blocks_state;

/** What the solve of one problem leaves. */
typedef struct zm_blocks_record {
    zm_engine_part part;
    zm_blocks_state state;
    bool has_late;    /* some cells are donors only: their T was cut at t_max */
    zm_blocks_winners *blocks;
    uint8_t *code;   /* cells: winning stencil, ZM_CODE_* */
    void *offset;    /* cells: where on the donor line, reals */
    uint32_t *order; /* cells that have donors, every one before its donors; room for one more */
    size_t n_order;
    size_t n_cyclic; /* how many of them lie on cycles */
    double *policy_T; /* cells, of policy iteration; NULL: not needed so far */
} zm_blocks_record;

typedef struct zm_blocks_run {
    const zm_engine_run *of;
    const zm_solver *s;
    zm_blocks_work *lead; /* owns block states and queue */
    zm_blocks_record *record;
    zm_blocks_grid g;
    double start, unit; /* internal time = (T - start) / unit */
    double t_max;       /* internal */
    double late;        /* changes this much later than t_max may still matter */
    bool shared;        /* several threads */
    zm_spinlock lock;
    int32_t n_busy, n_reached;
    atomic_int stop; /* a zm_status: not ZM_OK ends the run */
    bool stalled;
    bool settle; /* the sweeps ended roughly: policy iteration has the rest */
    bool unsettled;  /* it did not come to an end */
    int64_t choices; /* of policy iteration, in all cells each */
    atomic_bool slow; /* sweeps have done more work than a solve may need */
    atomic_bool needs_adaptive; /* a block needs adaptive stencils: the solve ended there */
    zm_error error;
} zm_blocks_run;

static inline zm_blocks_work *zm_blocks_work_of(const zm_workspace *w)
{
    return zm_engine_workspace_part(w, &zm_blocks_engine);
}

/** Function of zm_engine. */
zm_outcome zm_blocks_solve(zm_engine_run *run, zm_error *err);

/** Policy iteration from times that are upper bounds to the fixed point, for cells up to the
 *  time `latest`; fills code and offset of the record.  ZM_OK, ZM_NOT_CONVERGED without a message,
 *  ZM_E_NOMEM. */
zm_status zm_blocks_policy(zm_blocks_run *run, double latest, zm_error *err);

/** Exact check of the cells of one block. */
zm_status zm_blocks_check(const zm_blocks_run *run, int32_t block, zm_error *err);

/** The same of the blocks that no sweep looked at in full, unless t_max kept the front away. */
zm_status zm_blocks_check_unseen(const zm_blocks_run *run, zm_error *err);

/** The problem as the kernels see it, with planes and T in `time_unit`; T is written to by
 *  visits only.  problem must have passed zm_problem_check_shape. */
zm_blocks_grid zm_blocks_grid_of(const zm_solver *s, const zm_blocks_work *work,
                                 const zm_blocks_record *record,
                                 const zm_problem *problem, const void *T,
                                 double time_unit);

/**
 * Fills code and offset of a record, from times and planes as g has them.
 *
 * @param workspaces in,out  threads of them, for scratch
 * @param blocks      in      states of a solve that has just ended: blocks it did not visit
 *                           have nothing reached; NULL if not known
 * @return false: the winner of some cell lies outside of the grid, which no solve leaves;
 *         such cells count as not reached
 */
bool zm_blocks_donors_find(const zm_solver *s, const zm_workspace *workspaces,
                           int32_t threads, zm_blocks_record *record,
                           const zm_blocks_grid *g, const zm_blocks_block *blocks);

#endif
