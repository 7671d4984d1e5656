/* SPDX-License-Identifier: Apache-2.0
 * Second and third order on blocks: what its files share. */
#ifndef ZM_REFINED_ENGINE_H
#define ZM_REFINED_ENGINE_H

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
    zm_refined_grid g;     /* its fields, blocks and sequence belong to the record */
    bool has_codes;        /* `code` and `weight` are filled */
    uint8_t *code;         /* by cell */
    double *weight;        /* by cell: of the diagonal donor */
    double start;          /* time of the source */
} zm_refined_part;

static inline zm_refined_part *zm_refined_part_of(const zm_record *r)
{
    return zm_engine_record_part(r, &zm_refined_engine);
}

/** d = x - s in cells. */
typedef struct zm_refined_away {
    double x, y;
} zm_refined_away;

/** |d|_G - b.d */
double zm_refined_distance(const zm_cell_metric *g, zm_refined_away d);

/** Functions of zm_engine. */
zm_outcome zm_refined_solve(zm_engine_run *run, zm_error *err);
zm_status zm_refined_prepare(const zm_engine_view *view, bool derivatives, zm_error *err);
zm_status zm_refined_adjoint(const zm_engine_view *view, double *lambda,
                             const zm_gradient *out, zm_error *err);
zm_status zm_refined_tangent(const zm_engine_view *view, const zm_direction *direction,
                             double *value, zm_error *err);

#endif
