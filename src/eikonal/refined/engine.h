/* SPDX-License-Identifier: Apache-2.0
 * Second and third order on blocks: what its files share. */
#ifndef ZM_REFINED_ENGINE_H
#define ZM_REFINED_ENGINE_H

#include <math.h>

#include "eikonal/refined/refined.h"

extern const zm_engine zm_refined_engine;

/** Work memory of one thread. */
typedef struct zm_refined_work {
    zm_engine_part part;
    void *scratch;
} zm_refined_work;

/** What the solve of one problem leaves. */
typedef struct zm_refined_part {
    zm_engine_part part;
    zm_refined_grid g; /* what it points to, but for planes, belongs to the record */
    bool has_codes;    /* `code` and `weight` are filled */
    bool has_bare;     /* some cells are not factored */
    uint8_t *code;     /* by cell */
    double *weight;    /* by cell: of the diagonal donor */
    double start;      /* time of the earliest source */
    double *label;     /* room for g.label, which is NULL where there is one source */
    zm_refined_source *sources;
    zm_cell_metric *changes; /* by source: scratch of the derivatives */
    size_t n_sources, room_sources;
} zm_refined_part;

static inline zm_refined_part *zm_refined_part_of(const zm_record *r)
{
    return zm_engine_record_part(r, &zm_refined_engine);
}

/** d = x - s in cells. */
typedef struct zm_refined_away {
    double x, y;
} zm_refined_away;

/** Number of the source whose front came to a cell. */
static inline size_t zm_refined_source_of(const zm_refined_grid *g, size_t cell)
{
    const int64_t cols = g->cols, at = (int64_t)cell;

    /* NaN where nothing came */
    return g->label ? (size_t)fmax(0, g->label[zm_refined_at(g, at / cols, at % cols)])
                    : 0;
}

/** d of a cell from its source. */
static inline zm_refined_away zm_refined_away_of(const zm_refined_grid *g, size_t cell)
{
    const zm_refined_source *s = &g->sources[zm_refined_source_of(g, cell)];
    const size_t cols = (size_t)g->cols;

    return (zm_refined_away){ (double)(cell % cols) - s->col,
                              (double)(cell / cols) - s->row };
}

/** |d|_G - b.d */
static inline double zm_refined_distance(const zm_cell_metric *g, zm_refined_away d)
{
    return sqrt(g->g11 * d.x * d.x + 2 * g->g12 * d.x * d.y + g->g22 * d.y * d.y) -
           g->b1 * d.x - g->b2 * d.y;
}

/** Fills g.label after phase one: each cell has that of its heavier donor there. */
zm_status zm_refined_labels(zm_engine_run *run, zm_refined_part *part, zm_error *err);

/** Functions of zm_engine. */
zm_outcome zm_refined_solve(zm_engine_run *run, zm_error *err);
zm_status zm_refined_prepare(const zm_engine_view *view, bool derivatives,
                             zm_error *err);
zm_status zm_refined_adjoint(const zm_engine_view *view, double *lambda,
                             const zm_gradient *out, zm_error *err);
zm_status zm_refined_tangent(const zm_engine_view *view, const zm_direction *direction,
                             double *value, zm_error *err);

#endif
