/* SPDX-License-Identifier: Apache-2.0
 * One problem with time intervals being solved, and what it leaves for its derivatives.
 *
 * The front marches from cell to cell in order of time.  A cell that has its time hands it on
 * along its stencil (local/stencil.h) for the metric of the interval it is in, and as long as
 * cells around it are not reached once more at the start of every later interval, along the
 * stencil of that interval.  Metrics are read in square blocks of cells, one interval at a
 * time, when the front comes near them. */
#ifndef ZM_TIMED_TIMED_H
#define ZM_TIMED_TIMED_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/heap.h"
#include "eikonal/engine.h"
#include "eikonal/problem/intervals.h"

enum {
    ZM_TIMED_SIDE = 8,                              /* of a block, in cells */
    ZM_TIMED_BLOCK = ZM_TIMED_SIDE * ZM_TIMED_SIDE, /* its cells */
    ZM_TIMED_REACH = 127,                           /* longest offset */
    ZM_TIMED_CROSSED = 2 * ZM_TIMED_REACH + 2,      /* cells one way can cross */
};

/** The metric of one interval in one block, spacing folded in. */
typedef struct zm_timed_block {
    zm_cell_metric metric[ZM_TIMED_BLOCK];
    uint8_t stopped[ZM_TIMED_BLOCK]; /* walls too */
    struct zm_timed_block *next;     /* of the free ones */
} zm_timed_block;

/** Blocks by interval and number. */
typedef struct zm_timed_store {
    zm_timed_block ***table;  /* NULL: not there */
    size_t n_intervals, room; /* of the table */
    size_t n_blocks;
} zm_timed_store;

/** A cell that the straight way to a donor crosses, seen from the cell the way leads to. */
typedef struct zm_timed_crossed {
    int16_t x, y;
    uint8_t corner; /* entered exactly through the corner of four cells */
    double share;   /* of the way */
} zm_timed_crossed;

/** A cell of a way with its share of the ways to either donor. */
typedef struct zm_timed_share {
    uint32_t cell;
    double share[2];
} zm_timed_share;

/** The way to a cell from one donor or from between two, through the intervals it takes. */
typedef struct zm_timed_step {
    double x[2], y[2]; /* offsets of the donors, in cells */
    double T[2];
    bool pair;         /* else both are the same */
    bool closed;       /* by walls, in all intervals */
    double bound;      /* arrivals after it do not matter */
    size_t first;      /* interval that the earlier donor's time is in: segment 0 */
    size_t n_segments; /* that have been looked up */
    size_t n_cells, n_checks, n_corners;
    zm_timed_share cells[2 * ZM_TIMED_CROSSED]; /* whose metrics count */
    /* others: stop the way if they are stopped */
    uint32_t checks[2 * ZM_TIMED_CROSSED];
    uint32_t corners[2 * ZM_TIMED_CROSSED][2]; /* stop it if both are */
} zm_timed_step;

/** How a cell got its time. */
typedef struct zm_timed_donors {
    double w;             /* of donor m[0]; that of m[1] is 1 - w */
    zm_local_offset m[2]; /* equal: one donor */
    uint8_t kind;         /* a zm_node_kind */
    /* its stencil of the interval it was last passed on in was the base */
    uint8_t base;
    uint32_t source; /* which one, of a source cell */
} zm_timed_donors;

/** What the derivatives need besides. */
typedef struct zm_timed_weight {
    double w;       /* of donor m[0] on the way; that of m[1] is 1 - w */
    double rate[2]; /* dT with respect to the times of the donors */
} zm_timed_weight;

/** A triangle of which one donor, `from`, has been passed on: the other waits for it. */
typedef struct zm_timed_waiting {
    uint32_t cell;            /* that the triangle is of */
    zm_local_offset from, to; /* of the donors, seen from it */
    uint32_t next;
} zm_timed_waiting;

typedef struct zm_timed {
    zm_engine_part part;
    zm_grid spacing; /* the caller's */
    zm_grid grid;    /* with the spacing over the unit */
    double unit;     /* of all times inside; 0: not found so far */
    uint32_t unit_cell; /* whose metric it is found by */
    zm_dtype dtype;  /* of planes */
    zm_step_cost cost;
    size_t metric_bytes;
    zm_alloc mem;
    size_t cells;
    int32_t blocks_x, blocks_y;

    /* the problem under way */
    const zm_problem *problem;
    double *starts; /* copies, in the unit, so that what was solved stays what it was */
    size_t n_starts, room_starts;
    size_t last_interval; /* the one t_max is in: counts for ever */
    bool solved;          /* metrics that are looked up again must be as they were */
    zm_status status;     /* the first failure of a look-up, with its message */
    zm_error error;

    /* metrics */
    zm_timed_store metrics;
    zm_timed_store changes; /* of the metrics, or derivatives with respect to them */
    zm_timed_block *idle;
    int64_t n_filled;
    double *values; /* of a window, for zm_interval_fill */
    uint8_t *value_stopped;

    /* ways */
    /* by |x|, |y| of the offset, in `crossed`; UINT32_MAX: not made */
    uint32_t *crossed_first;
    uint16_t *crossed_count;
    zm_timed_crossed *crossed;
    size_t n_crossed, room_crossed;
    zm_timed_step step;
    /* n_cells a segment; the first NULL: stopped in this interval */
    const zm_cell_metric **segments;
    size_t room_segments;
    int reach; /* all offsets up to it are in every stencil */
    zm_local_offset *stencil;
    zm_local_offset *base; /* these */
    int n_base;

    /* the march */
    double *T; /* in the unit */
    zm_heap heap;
    zm_timed_donors *donors;
    /* cells passed on, with those that were passed on again; 2 * cells */
    uint32_t *order;
    size_t n_order;
    int32_t *rank;   /* by cell: its last place in `order`, or -1 */
    uint32_t *alive; /* cells that some neighbours of are not reached */
    size_t n_alive;
    /* by cell: the triangles it is waited for in, or UINT32_MAX */
    uint32_t *waiting_first;
    zm_timed_waiting *waiting;
    size_t n_waiting, room_waiting;
    size_t interval; /* that the front is in */
    int64_t n_updates, n_reopened;

    /* the record */
    bool converged;
    bool has_arrivals; /* `arrivals` is filled */
    /* by cell: metric in the interval that it is reached in */
    zm_cell_metric *arrivals;
    bool is_weighed;          /* `weights` is filled */
    zm_timed_weight *weights; /* by cell */
    double *shares;           /* by segment of the step: dT / dN */
    size_t room_shares;
    /* by interval: first place in `order` of a cell that it counts for */
    size_t *first_use;
    size_t room_first_use;
    bool has_back; /* some donors come after their cell in `order` */
} zm_timed;

/** Functions of zm_engine. */
zm_engine_part *zm_timed_create(const zm_solver *solver);
void zm_timed_destroy(const zm_solver *solver, zm_engine_part *part);
zm_outcome zm_timed_solve(zm_engine_run *run, zm_error *err);

/** zm_array_reserve_in, what is new zeroed; false: out of memory, which s->status tells. */
bool zm_timed_grow_more(zm_timed *s, void *pointer_to_array, size_t *room,
                        size_t wanted, size_t size);

static inline bool zm_timed_grow(zm_timed *s, void *pointer_to_array, size_t *room,
                                 size_t wanted, size_t size)
{
    return wanted <= *room ||
           zm_timed_grow_more(s, pointer_to_array, room, wanted, size);
}

/** Works out how each time depends on those of its donors. */
zm_status zm_timed_weigh(zm_timed *s, zm_error *err);

/** Reverse mode: lambda is dL/dT by cell, replaced by the adjoint; `pending` has room for as
 *  many. */
zm_status zm_timed_push(zm_timed *s, double *lambda, double *pending,
                        const zm_gradient *out, zm_error *err);

/** Forward mode: dT by cell, 0 where nothing came. */
zm_status zm_timed_pull(zm_timed *s, double *dT, double *pending,
                        const zm_direction *direction, zm_error *err);

/** First failure of a look-up, or ZM_OK. */
static inline zm_status zm_timed_status(const zm_timed *s, zm_error *err)
{
    if (s->status != ZM_OK && err)
        *err = s->error;
    return s->status;
}

/** The interval that a time is in. */
static inline size_t zm_timed_interval_at(const zm_timed *s, double time)
{
    return zm_intervals_at(s->starts, s->last_interval + 1, time);
}

static inline double zm_timed_interval_end(const zm_timed *s, size_t interval)
{
    return interval < s->last_interval ? s->starts[interval + 1] : (double)INFINITY;
}

/* metrics.c: metrics by interval and block. */

/** Makes a store empty, for the intervals of the problem. */
zm_status zm_timed_store_begin(zm_timed *s, zm_timed_store *store, zm_error *err);

/** Gives the blocks of one interval back. */
void zm_timed_store_drop(zm_timed *s, zm_timed_store *store, size_t interval);

/** A block with all cells stopped in its place of a store; NULL: s->status tells why. */
zm_timed_block *zm_timed_store_add(zm_timed *s, zm_timed_store *store, size_t interval,
                                   size_t block);

/** Gives metrics of all intervals before `interval` and after `last` back if there are too many. */
void zm_timed_metrics_trim(zm_timed *s, size_t interval, size_t last);

/** Looks up metrics that are not there yet; NULL: s->status tells why. */
zm_timed_block *zm_timed_metrics_fill(zm_timed *s, size_t interval, size_t block);

/** Cells of a block that are inside the grid. */
zm_window zm_timed_block_window(const zm_timed *s, size_t block);

/** Values of a window in s->values, all 0. */
zm_window_values zm_timed_values(zm_timed *s);

/** Where a cell is. */
typedef struct zm_timed_place {
    size_t block, at;
} zm_timed_place;

static inline zm_timed_place zm_timed_place_of(const zm_timed *s, uint32_t cell)
{
    const uint32_t row = cell / (uint32_t)s->grid.cols;
    const uint32_t col = cell % (uint32_t)s->grid.cols;

    return (zm_timed_place){
        (size_t)(row / ZM_TIMED_SIDE) * (size_t)s->blocks_x + col / ZM_TIMED_SIDE,
        row % ZM_TIMED_SIDE * ZM_TIMED_SIDE + col % ZM_TIMED_SIDE
    };
}

static inline zm_timed_block *zm_timed_store_at(const zm_timed_store *store,
                                                size_t interval, size_t block)
{
    return store->table[interval] ? store->table[interval][block] : NULL;
}

/** Metric of a cell in an interval; NULL: stopped there, or s->status is not ZM_OK. */
static inline const zm_cell_metric *zm_timed_metric(zm_timed *s, size_t interval,
                                                    uint32_t cell)
{
    const zm_timed_place p = zm_timed_place_of(s, cell);
    zm_timed_block *b = zm_timed_store_at(&s->metrics, interval, p.block);

    if (!b && !(b = zm_timed_metrics_fill(s, interval, p.block)))
        return NULL;
    return b->stopped[p.at] ? NULL : &b->metric[p.at];
}

static inline bool zm_timed_is_wall(const zm_timed *s, uint32_t cell)
{
    return s->problem->walls && s->problem->walls[cell];
}

/** Cell at an offset; false outside of the grid. */
static inline bool zm_timed_neighbour(const zm_timed *s, uint32_t cell, int32_t dx,
                                      int32_t dy, uint32_t *at)
{
    const int32_t row = (int32_t)(cell / (uint32_t)s->grid.cols) + dy;
    const int32_t col = (int32_t)(cell % (uint32_t)s->grid.cols) + dx;

    *at = (uint32_t)row * (uint32_t)s->grid.cols + (uint32_t)col;
    return row >= 0 && row < s->grid.rows && col >= 0 && col < s->grid.cols;
}

/** Donor i of a cell that has donors. */
static inline uint32_t zm_timed_donor_cell(const zm_timed *s, uint32_t cell, int i)
{
    uint32_t at;

    zm_timed_neighbour(s, cell, s->donors[cell].m[i].x, s->donors[cell].m[i].y, &at);
    return at;
}

/** Gives metrics but those of the interval that a cell is reached in back, if there are too
 *  many. */
static inline void zm_timed_metrics_trim_to(zm_timed *s, uint32_t cell)
{
    const size_t interval = zm_timed_interval_at(s, s->T[cell]);

    zm_timed_metrics_trim(s, interval, interval);
}

#endif
