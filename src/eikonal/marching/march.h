/* SPDX-License-Identifier: Apache-2.0
 * The accurate solver: stencils adapted to the metric, one pass in order of time, then if
 * wanted a second pass of second order or with the source singularity factored out.
 *
 * All inside is double, with the spacing folded into metric and drift (offsets count
 * cells).  A march keeps what its derivatives need: for every cell the two donors of the
 * winning triangle, their weights, and the order in which the cells were accepted. */
#ifndef ZM_MARCH_MARCH_H
#define ZM_MARCH_MARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/heap.h"
#include "eikonal/engine.h"

/** What kind of stencil a cell has; bits. */
enum {
    ZM_MARCH_PLAIN = 1, /* the eight neighbours */
    ZM_MARCH_WIDE = 2,  /* a stencil of its own */
    ZM_MARCH_WALL = 4,
    ZM_MARCH_INSIDE = 8,    /* no donor of any stencil lies beyond the border */
    ZM_MARCH_BY_PLAIN = 16, /* some of the eight neighbours are plain */
    ZM_MARCH_HOPEFUL =
        32, /* may come before the limit, though its first time is later */
    ZM_MARCH_STARTS = 64, /* a source gave it its first time */
};

#define ZM_MARCH_NO_USER UINT32_MAX

/** Bit of a label, in closed grids: the front has come round the grid, so that the shorter
 *  way from its source is not the one it took. */
#define ZM_MARCH_ROUND 0x80000000u

/** An edge seen from the donor: `cell` has it as the `k`-th of its stencil. */
typedef struct zm_march_user {
    uint32_t cell;
    uint32_t next; /* the next edge to the same donor, or ZM_MARCH_NO_USER */
    uint32_t k;
} zm_march_user;

/** How a cell got its time: w times donor m[0] plus (1 - w) times donor m[1], both seen
 *  through second differences where `second` says so. */
typedef struct zm_march_step {
    double w;
    zm_local_offset m[2];
    uint8_t kind;      /* a zm_node_kind */
    uint8_t second[2]; /* the donor's own donor at 2 m was used */
    uint8_t factored;  /* the source singularity was taken out */
    uint32_t label;    /* of second order: as zm_march.label */
} zm_march_step;

/** A source as the march sees it: position in cells, the metric there, and the up to four
 *  cells around it that start with the exact distance. */
typedef struct zm_march_origin {
    double x, y, time;
    double start; /* as `time`, but absolute */
    zm_cell_metric metric; /* bilinear in the four cells */
    uint32_t cell[4];
    uint8_t corner[4]; /* which of the four each is: 1 to the right, 2 below */
    double weight[4];  /* of the four cells in `metric` */
    int32_t n;         /* how many of them see it: no wall is in between */
} zm_march_origin;

/** Derivatives of a number with respect to metric and drift, and to the position of a source
 *  (in cells); or changes of these. */
typedef struct zm_march_origin_change {
    zm_cell_metric metric;
    double x, y;
} zm_march_origin_change;

typedef struct zm_march {
    zm_engine_part part;
    zm_grid grid; /* with the spacing over the unit */
    zm_scheme scheme;
    zm_alloc mem;
    size_t cells;
    double unit; /* of all times inside */
    /* spacing and radius of factoring, all over one power of two near the spacing */
    double factor_x, factor_y, factor_radius;

    bool has_walls;
    zm_cell_metric *metric;  /* folded */
    uint8_t *kind;           /* ZM_MARCH_* */
    uint32_t *stencil_first; /* of wide cells, in `offsets` */
    uint16_t *stencil_length;
    zm_local_offset *stencil; /* ZM_STENCIL_MOST: the one that is being built */
    zm_local_offset *offsets; /* {0, 0}: a wall is in between */
    size_t n_offsets, room_offsets;
    size_t n_edges; /* of all wide cells: equal stencils of neighbours are kept once */
    int32_t reach;  /* largest |x|, |y| of all offsets in use */
    uint32_t *user_first; /* by cell: the first of its `users`, or ZM_MARCH_NO_USER */
    zm_march_user *users; /* n_edges */
    size_t room_users;

    double start;   /* earliest source; times inside are counted from it */
    double limit;   /* the last solve has no times after it, counted from the start */
    double *T;      /* absolute after the solve, in the unit */
    double *second; /* times of second order, while marching; NULL for first order */
    zm_heap heap;   /* `place` becomes the rank in `order` afterwards */
    uint16_t *triangle; /* of the stencil, while marching (solve.c) */
    uint32_t *order;    /* accepted cells, earliest first */
    size_t n_order;
    size_t n_updates; /* donors that were tried */
    zm_march_step *steps;
    bool has_times;  /* it has solved the problem, or taken over the times of another engine */
    bool has_steps;  /* all are filled; else only their kind */
    uint32_t *label; /* which source reached the cell, and ZM_MARCH_ROUND */
    zm_march_origin *origins;
    zm_march_origin_change *changes; /* by origin: scratch of the derivatives */
    size_t n_origins, room_origins;
} zm_march;

/** Functions of zm_engine. */
zm_engine_part *zm_march_create(const zm_solver *s);
void zm_march_destroy(const zm_solver *s, zm_engine_part *part);
zm_status zm_march_adjoint(const zm_engine_view *view, double *lambda,
                           const zm_gradient *out, zm_error *err);
zm_status zm_march_tangent(const zm_engine_view *view, const zm_direction *direction,
                           double *value, zm_error *err);

/** Times inside are to be counted in this unit, on the solver's grid. */
void zm_march_count_in(zm_march *m, zm_grid grid, double unit);

/** Solves; the answer is in m->T, INFINITY where nothing came.  problem has passed
 *  zm_problem_check_shape, and zm_march_count_in has been called.  ZM_OK, ZM_E_METRIC, ZM_E_NOMEM, ZM_E_CANCELLED. */
zm_status zm_march_solve(zm_march *m, const zm_problem *problem,
                         const zm_forward_opts *opts, zm_error *err);

/** Pieces of zm_march_solve.  Stencils, and the sources in the heap: ZM_OK, ZM_E_METRIC,
 *  ZM_E_NOMEM. */
zm_status zm_march_begin(zm_march *m, const zm_problem *problem, zm_error *err);

/** The absolute time of a cell that has been counted from the start so far; sources keep theirs
 *  to the last bit. */
static inline double zm_march_absolute(const zm_march *m, size_t cell)
{
    if (m->steps[cell].kind == ZM_NODE_SOURCE) {
        const zm_march_origin *o = &m->origins[m->label[cell] & ~ZM_MARCH_ROUND];

        if (m->T[cell] == o->time)
            return o->start;
    }
    return m->T[cell] + m->start;
}

/** Cells that were not accepted were not reached; the others get their rank. */
void zm_march_rank_cells(zm_march *m);

/** Times as the caller counts them; what came after t_max or the limit did not come. */
void zm_march_times_finish(zm_march *m, zm_dtype dtype, double t_max);

/** Takes over the times of first order, not factored, that another solver found with the same
 *  stencils: T of the problem's dtype.  Then all is as after zm_march_solve.  ZM_E_STATE: they
 *  are not such times. */
zm_status zm_march_from_times(zm_march *m, const zm_problem *problem, const void *T,
                         zm_error *err);

/** Fills `steps`, which a solve of first order leaves for when they are needed. */
void zm_march_steps(zm_march *m);

/** Reads the metric, finds out which cells need wide stencils, and makes these. */
zm_status zm_march_prepare(zm_march *m, const zm_problem *problem, zm_error *err);

/** Places the sources: fills origins, and T of the cells around each. */
zm_status zm_march_start(zm_march *m, const zm_problem *problem, zm_error *err);

/** Time and step of a cell from those whose place in the heap is below `before`, with the
 *  order of the scheme; T and `label` of the steps have what these got this way. */
double zm_march_refine_cell(zm_march *m, size_t cell, const double *T, int32_t before);

/** Cell at (row + dy, col + dx); false outside of the grid. */
static inline bool zm_march_neighbour(const zm_march *m, int32_t row, int32_t col,
                                      int32_t dx, int32_t dy, size_t *cell)
{
    row += dy;
    col += dx;
    if (row < 0 || row >= m->grid.rows) {
        if (!m->scheme.periodic_y)
            return false;
        row = (row % m->grid.rows + m->grid.rows) % m->grid.rows;
    }
    if (col < 0 || col >= m->grid.cols) {
        if (!m->scheme.periodic_x)
            return false;
        col = (col % m->grid.cols + m->grid.cols) % m->grid.cols;
    }
    *cell = (size_t)row * (size_t)m->grid.cols + (size_t)col;
    return true;
}

static inline int32_t zm_march_row(const zm_march *m, size_t cell)
{
    return (int32_t)((uint32_t)cell / (uint32_t)m->grid.cols);
}

static inline int32_t zm_march_col(const zm_march *m, size_t cell)
{
    return (int32_t)((uint32_t)cell % (uint32_t)m->grid.cols);
}

/** Number of the source that reached a cell. */
static inline uint32_t zm_march_source(const zm_march *m, size_t cell)
{
    return m->label[cell] & ~ZM_MARCH_ROUND;
}

/** The donor of a cell at an offset; false outside of the grid. */
static inline bool zm_march_donor(const zm_march *m, size_t cell, int32_t dx,
                                  int32_t dy, size_t *donor)
{
    if (m->kind[cell] & ZM_MARCH_INSIDE) {
        *donor = cell + (size_t)((ptrdiff_t)dy * m->grid.cols + dx);
        return true;
    }
    return zm_march_neighbour(m, zm_march_row(m, cell), zm_march_col(m, cell), dx, dy,
                              donor);
}

/** The stencil of a cell. */
typedef struct zm_stencil_view {
    const zm_local_offset *m;
    int n;
} zm_stencil_view;

static inline zm_stencil_view zm_march_stencil(const zm_march *m, size_t cell)
{
    if (m->kind[cell] & ZM_MARCH_PLAIN)
        return (zm_stencil_view){ zm_stencil_plain, ZM_STENCIL_PLAIN };
    return (zm_stencil_view){ m->offsets + m->stencil_first[cell],
                              m->stencil_length[cell] };
}

static inline bool zm_march_blocked(zm_local_offset m)
{
    return m.x == 0 && m.y == 0;
}

#endif
