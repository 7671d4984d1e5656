/* SPDX-License-Identifier: Apache-2.0
 * One problem with bands being solved, and what it leaves for its derivatives.
 *
 * The front marches from cell to cell in order of time.  A cell that has its time hands it
 * on along its fan (march/fan.h) for the metric of the band it is in, and as long as cells
 * around it are not reached once more at the start of every later band, along the fan of
 * that band.  Metrics are read in square blocks of cells, one band at a time, when the front
 * comes near them. */
#ifndef ZM_BANDS_SLOT_H
#define ZM_BANDS_SLOT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "eikonal/problem/problem.h"
#include "eikonal/local/stencil.h"
#include "core/heap.h"
#include "zermelo/bands.h"

enum {
    ZM_BANDS_SIDE = 8,                              /* of a block, in cells */
    ZM_BANDS_BLOCK = ZM_BANDS_SIDE * ZM_BANDS_SIDE, /* its cells */
    ZM_BANDS_REACH = 127,                           /* longest offset */
    ZM_BANDS_CROSSED = 2 * ZM_BANDS_REACH + 2,      /* cells one way can cross */
};

/** The metric of one band in one block, spacing folded in. */
typedef struct zm_band_block {
    zm_cell_metric metric[ZM_BANDS_BLOCK];
    uint8_t stopped[ZM_BANDS_BLOCK]; /* walls too */
    struct zm_band_block *next;      /* of the free ones */
} zm_band_block;

/** Blocks by band and number. */
typedef struct zm_band_store {
    zm_band_block ***table; /* NULL: not there */
    size_t n_bands, room;   /* of the table */
    size_t n_blocks;
} zm_band_store;

/** A cell that the straight way to a donor crosses, seen from the cell the way leads to. */
typedef struct zm_crossed {
    int16_t x, y;
    uint8_t corner; /* entered exactly through the corner of four cells */
    double share;   /* of the way */
} zm_crossed;

/** A cell of a way with its share of the ways to either donor. */
typedef struct zm_trip_cell {
    uint32_t cell;
    double share[2];
} zm_trip_cell;

/** The way to a cell from one donor or from between two, through the bands it takes. */
typedef struct zm_trip {
    double x[2], y[2]; /* offsets of the donors, in cells */
    double T[2];
    bool pair;     /* else both are the same */
    bool closed;   /* by walls, in all bands */
    double bound;  /* arrivals after it do not matter */
    size_t first;  /* band that the earlier donor's time is in: leg 0 */
    size_t n_legs; /* that have been looked up */
    size_t n_cells, n_checks, n_corners;
    zm_trip_cell cells[2 * ZM_BANDS_CROSSED]; /* whose metrics count */
    uint32_t
        checks[2 * ZM_BANDS_CROSSED]; /* others: stop the way if they are stopped */
    uint32_t corners[2 * ZM_BANDS_CROSSED][2]; /* stop it if both are */
} zm_trip;

/** How a cell got its time. */
typedef struct zm_band_step {
    double w;        /* of donor m[0]; that of m[1] is 1 - w */
    zm_local_offset m[2];  /* equal: one donor */
    uint8_t kind;    /* a zm_node_kind of march.h */
    uint8_t base;    /* its fan of the band it was last passed on in was the base */
    uint32_t source; /* which one, of a source cell */
} zm_band_step;

/** What the derivatives need besides. */
typedef struct zm_band_weight {
    double w;       /* of donor m[0] on the way; that of m[1] is 1 - w */
    double rate[2]; /* dT by the times of the donors */
} zm_band_weight;

/** A triangle of which one donor, `from`, has been passed on: the other waits for it. */
typedef struct zm_band_waiting {
    uint32_t cell;      /* that the triangle is of */
    zm_local_offset from, to; /* of the donors, seen from it */
    uint32_t next;
} zm_band_waiting;

enum { ZM_BANDS_NO_RECORD = 0, ZM_BANDS_SOLVED, ZM_BANDS_WEIGHED };

typedef struct zm_bands_slot {
    zm_grid grid;
    zm_bands_cost cost;
    size_t metric_bytes;
    zm_alloc mem;
    size_t bytes;
    size_t cells;
    int32_t blocks_x, blocks_y;

    /* the problem under way */
    const zm_bands_problem *problem;
    size_t last_band; /* the one t_max is in: counts for ever */
    zm_status status; /* the first failure of a look-up, with its message */
    zm_error error;

    /* metrics */
    zm_band_store metrics;
    zm_band_store changes; /* of the metrics, or derivatives by them */
    zm_band_block *idle;
    int64_t n_filled;
    double *values; /* of a window, for zm_bands_fill */
    uint8_t *value_stopped;

    /* ways */
    uint32_t *
        crossed_first; /* by |x|, |y| of the offset, in `crossed`; UINT32_MAX: not made */
    uint16_t *crossed_count;
    zm_crossed *crossed;
    size_t n_crossed, room_crossed;
    zm_trip trip;
    const zm_cell_metric *
        *legs; /* n_cells a leg; the first NULL: stopped in this band */
    size_t room_legs;
    int reach; /* all offsets up to it are in every fan */
    zm_local_offset *fan;
    zm_local_offset *fan_base; /* these */
    int n_fan_base;

    /* the march */
    double *T;
    zm_heap heap;
    zm_band_step *steps;
    uint32_t
        *order; /* cells passed on, with those that were passed on again; 2 * cells */
    size_t n_order;
    int32_t *rank;   /* by cell: its last place in `order`, or -1 */
    uint32_t *alive; /* cells that some neighbours of are not reached */
    size_t n_alive;
    uint32_t
        *waiting_first; /* by cell: the triangles it is waited for in, or UINT32_MAX */
    zm_band_waiting *waiting;
    size_t n_waiting, room_waiting;
    size_t band; /* that the front is in */
    int64_t n_updates, n_reopened;

    /* the record */
    int state;               /* ZM_BANDS_NO_RECORD .. */
    zm_band_weight *weights; /* by cell: filled when first asked for */
    double *shares;          /* by leg of the trip: dT / dN */
    size_t room_shares;
    size_t
        *first_use; /* by band: first place in `order` of a cell that it counts for */
    size_t room_first_use;
    double *lambda, *pending;
    bool has_back; /* some donors come after their cell in `order` */
} zm_bands_slot;

zm_status zm_bands_slot_create(zm_bands_slot **out, zm_grid grid,
                               const zm_bands_opts *opts, const zm_alloc *mem,
                               zm_error *err);
void zm_bands_slot_destroy(zm_bands_slot *s);

/** Solves; times are in s->T, INFINITY where nothing came. */
zm_status zm_bands_march(zm_bands_slot *s, const zm_bands_problem *problem,
                         const zm_bands_solve_opts *opts, zm_error *err);

/** Reverse mode: dL/dT by cell in s->lambda, replaced by the adjoint.  `dtype`: of planes. */
zm_status zm_bands_push(zm_bands_slot *s, const zm_bands_problem *problem,
                        zm_dtype dtype, const zm_bands_gradient *out, zm_error *err);

/** Forward mode: dT by cell into s->lambda, 0 where nothing came. */
zm_status zm_bands_pull(zm_bands_slot *s, zm_dtype dtype,
                        const zm_bands_direction *direction, zm_error *err);

/** Work memory of the derivatives, and weights as far as they have not been found. */
zm_status zm_bands_weigh(zm_bands_slot *s, const zm_bands_problem *problem,
                         zm_error *err);

/** First failure of a look-up, or ZM_OK. */
static inline zm_status zm_bands_status(const zm_bands_slot *s, zm_error *err)
{
    if (s->status != ZM_OK && err)
        *err = s->error;
    return s->status;
}

/** The band that a time is in. */
static inline size_t zm_band_at(const zm_bands_slot *s, double time)
{
    const double *starts = s->problem->starts;
    size_t low = 0, high = s->last_band;

    while (low < high) {
        const size_t middle = (low + high + 1) / 2;

        if (starts[middle] <= time)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static inline double zm_band_end(const zm_bands_slot *s, size_t band)
{
    return band < s->last_band ? s->problem->starts[band + 1] : (double)INFINITY;
}

/* blocks.c */

/** Makes a store empty, for the bands of the problem. */
zm_status zm_band_store_begin(zm_bands_slot *s, zm_band_store *store, zm_error *err);

/** Gives the blocks of one band back. */
void zm_band_store_drop(zm_bands_slot *s, zm_band_store *store, size_t band);

/** A block with all cells stopped in its place of a store; NULL: s->status tells why. */
zm_band_block *zm_band_store_add(zm_bands_slot *s, zm_band_store *store, size_t band,
                                 size_t block);

/** Gives metrics of all bands before `band` and after `last` back if there are too many. */
void zm_bands_metrics_trim(zm_bands_slot *s, size_t band, size_t last);

/** Looks up metrics that are not there yet; NULL: s->status tells why. */
zm_band_block *zm_bands_metrics_fill(zm_bands_slot *s, size_t band, size_t block);

/** Cells of a block that are inside the grid. */
zm_band_window zm_bands_block_window(const zm_bands_slot *s, size_t block);

/** Values of a window in s->values, all 0. */
zm_band_values zm_bands_values(zm_bands_slot *s);

/** Where a cell is. */
typedef struct zm_band_place {
    size_t block, at;
} zm_band_place;

static inline zm_band_place zm_bands_place(const zm_bands_slot *s, uint32_t cell)
{
    const uint32_t row = cell / (uint32_t)s->grid.cols;
    const uint32_t col = cell % (uint32_t)s->grid.cols;

    return (zm_band_place){ (size_t)(row / ZM_BANDS_SIDE) * (size_t)s->blocks_x +
                                col / ZM_BANDS_SIDE,
                            row % ZM_BANDS_SIDE * ZM_BANDS_SIDE + col % ZM_BANDS_SIDE };
}

static inline zm_band_block *zm_band_store_at(const zm_band_store *store, size_t band,
                                              size_t block)
{
    return store->table[band] ? store->table[band][block] : NULL;
}

/** Metric of a cell in a band; NULL: stopped there, or s->status is not ZM_OK. */
static inline const zm_cell_metric *zm_bands_metric(zm_bands_slot *s, size_t band,
                                                    uint32_t cell)
{
    const zm_band_place p = zm_bands_place(s, cell);
    zm_band_block *b = zm_band_store_at(&s->metrics, band, p.block);

    if (!b && !(b = zm_bands_metrics_fill(s, band, p.block)))
        return NULL;
    return b->stopped[p.at] ? NULL : &b->metric[p.at];
}

static inline bool zm_bands_is_wall(const zm_bands_slot *s, uint32_t cell)
{
    return s->problem->walls && s->problem->walls[cell];
}

/** Cell at an offset; false outside of the grid. */
static inline bool zm_bands_neighbour(const zm_bands_slot *s, uint32_t cell, int32_t dx,
                                      int32_t dy, uint32_t *at)
{
    const int32_t row = (int32_t)(cell / (uint32_t)s->grid.cols) + dy;
    const int32_t col = (int32_t)(cell % (uint32_t)s->grid.cols) + dx;

    *at = (uint32_t)row * (uint32_t)s->grid.cols + (uint32_t)col;
    return row >= 0 && row < s->grid.rows && col >= 0 && col < s->grid.cols;
}

#endif
