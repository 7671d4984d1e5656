/* SPDX-License-Identifier: Apache-2.0
 * An engine for grids of one row: a front runs to the left and one to the right. */
#include "dummy/engine.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "eikonal/local/triangle.h"

/* Where the time of a cell came from: the donor's offset, or one of these. */
enum { NOTHING = 5, SOURCE = 6 };

typedef struct dummy {
    zm_engine_part part;
    double *T;
    int8_t *from;
} dummy;

/* Nothing is kept for a thread, but that it is there can be seen. */
static zm_engine_part *workspace_create(const zm_solver *s)
{
    return zm_zalloc(&s->mem, 1, sizeof(zm_engine_part));
}

static void workspace_destroy(const zm_solver *s, zm_engine_part *part)
{
    zm_release(&s->mem, part);
}

/* It is not likely to solve, so that create makes nothing for it. */
static const char *cannot(const zm_solver *s, const zm_problem *problem)
{
    if (!problem)
        return "has to see the problem";
    if (s->grid.rows > 1)
        return "takes grids of one row";
    if (s->dtype != ZM_F64 || s->scheme.order > 1 || s->scheme.factor_radius > 0 ||
        s->scheme.periodic_x)
        return "is a simple one";
    if (problem->walls || problem->n_intervals > 0 ||
        zm_problem_check_whole(problem, NULL) != ZM_OK)
        return "takes simple problems";
    return NULL;
}

static void record_destroy(const zm_solver *s, zm_engine_part *part)
{
    dummy *d = (dummy *)part;

    zm_release(&s->mem, d->from);
    zm_release(&s->mem, d->T);
    zm_release(&s->mem, d);
}

static zm_engine_part *record_create(const zm_solver *s)
{
    dummy *d = zm_zalloc(&s->mem, 1, sizeof *d);

    if (!d)
        return NULL;
    if (!zm_take(&s->mem, &d->part.bytes, &d->T, s->cells, sizeof *d->T) ||
        !zm_take(&s->mem, &d->part.bytes, &d->from, s->cells, sizeof *d->from)) {
        record_destroy(s, &d->part);
        return NULL;
    }
    return &d->part;
}

static zm_cell_metric metric_of(const zm_solver *s, const zm_problem *p, size_t cell)
{
    return zm_local_fold(zm_metric_at(&p->metric, cell), s->grid);
}

/* The front comes to a cell from its neighbour at offset m. */
static void come(zm_engine_run *run, dummy *d, size_t cell, int m)
{
    const zm_cell_metric g = metric_of(run->s, run->problem, cell);
    const double time = d->T[cell + (size_t)(ptrdiff_t)m] + sqrt(g.g11) + m * g.b1;

    if (time < d->T[cell] && time <= run->opts->t_max) {
        d->T[cell] = time;
        d->from[cell] = (int8_t)m;
    }
}

static zm_outcome solve(zm_engine_run *run, zm_error *err)
{
    const size_t n = run->s->cells;
    dummy *d = zm_engine_record_part(run->record, &dummy_engine);

    for (size_t i = 0; i < n; i++) {
        const zm_cell_metric m = zm_metric_at(&run->problem->metric, i);

        run->status = zm_cell_check(run->s->grid, m, i, err);
        if (run->status != ZM_OK)
            return ZM_OUTCOME_FAILED;
        if (m.g11 > DUMMY_LARGEST)
            return ZM_OUTCOME_HAND_OVER;
        d->T[i] = (double)INFINITY;
        d->from[i] = NOTHING;
    }
    for (size_t k = 0; k < run->problem->n_sources; k++) {
        const zm_source *s = &run->problem->sources[k];
        const size_t cell = zm_source_cell(run->s->grid, s);

        if (s->time < d->T[cell] && s->time <= run->opts->t_max) {
            d->T[cell] = s->time;
            d->from[cell] = SOURCE;
        }
    }
    for (size_t i = 1; i < n; i++)
        come(run, d, i, -1);
    for (size_t i = n - 1; i-- > 0;)
        come(run, d, i, 1);
    memcpy(run->T, d->T, n * sizeof *d->T);
    run->report->iterations = run->report->converged = run->report->threads = 1;
    return ZM_OUTCOME_DONE;
}

/* The solve left all there is; every thread that may look has its workspace. */
static zm_status prepare(const zm_engine_view *v, bool derivatives, zm_error *err)
{
    (void)derivatives;
    for (int32_t i = 0; i < v->threads; i++)
        if (!zm_engine_workspace_part(&v->workspaces[i], &dummy_engine))
            return zm_record_changed(err);
    return ZM_OK;
}

static zm_node node(const zm_engine_view *v, size_t cell)
{
    const dummy *d = zm_engine_record_part(v->record, &dummy_engine);
    zm_node n = { .kind = ZM_NODE_UNREACHED,
                  .time = d->T[cell],
                  .rank = d->T[cell],
                  .source = ZM_SOURCE_OF_CELL,
                  .metric = metric_of(v->s, v->problem, cell) };

    if (d->from[cell] == SOURCE) {
        n.kind = ZM_NODE_SOURCE;
        n.source_metric = n.metric;
    } else if (d->from[cell] != NOTHING) {
        n.kind = ZM_NODE_DONORS;
        n.m[0] = n.m[1] = (zm_local_offset){ d->from[cell], 0 };
        n.w = 1;
        n.x = -d->from[cell];
    }
    return n;
}

static void clear(const zm_engine_view *v, double *values)
{
    const dummy *d = zm_engine_record_part(v->record, &dummy_engine);

    for (size_t i = 0; i < v->s->cells; i++)
        if (d->from[i] == NOTHING)
            values[i] = 0;
}

/* dT of a cell by its own g11 and b1, as the caller counts them. */
static void own_change(const zm_engine_view *v, const dummy *d, size_t cell,
                       double *g11, double *b1)
{
    const zm_cell_metric g = metric_of(v->s, v->problem, cell);
    const double dx = v->s->grid.dx;

    *g11 = dx * dx / (2 * sqrt(g.g11));
    *b1 = d->from[cell] * dx;
}

static zm_status adjoint(const zm_engine_view *v, double *lambda,
                         const zm_gradient *out, zm_error *err)
{
    const dummy *d = zm_engine_record_part(v->record, &dummy_engine);
    const size_t n = v->s->cells;
    void *const planes[5] = { out->g11, out->g12, out->g22, out->b1, out->b2 };

    (void)err;
    for (int k = 0; k < 5; k++)
        if (planes[k])
            memset(planes[k], 0, n * sizeof(double));
    for (size_t i = n; i-- > 1;)
        if (d->from[i] == -1)
            lambda[i - 1] += lambda[i];
    for (size_t i = 0; i + 1 < n; i++)
        if (d->from[i] == 1)
            lambda[i + 1] += lambda[i];
    for (size_t i = 0; i < n; i++)
        if (d->from[i] == -1 || d->from[i] == 1) {
            double g11, b1;

            own_change(v, d, i, &g11, &b1);
            if (out->g11)
                ((double *)out->g11)[i] = lambda[i] * g11;
            if (out->b1)
                ((double *)out->b1)[i] = lambda[i] * b1;
        }
    for (size_t k = 0; out->source_times && k < v->problem->n_sources; k++) {
        const size_t cell = zm_source_cell(v->s->grid, &v->problem->sources[k]);

        out->source_times[k] = d->from[cell] == SOURCE ? lambda[cell] : 0;
    }
    return ZM_OK;
}

static zm_status tangent(const zm_engine_view *v, const zm_direction *by, double *value,
                         zm_error *err)
{
    const dummy *d = zm_engine_record_part(v->record, &dummy_engine);
    const size_t n = v->s->cells;

    (void)err;
    for (size_t i = 0; i < n; i++) {
        double g11, b1;

        own_change(v, d, i, &g11, &b1);
        value[i] = d->from[i] == -1 || d->from[i] == 1
                       ? g11 * zm_plane_value_or(by->g11, ZM_F64, i, 0) +
                             b1 * zm_plane_value_or(by->b1, ZM_F64, i, 0)
                       : 0;
    }
    for (size_t k = 0; by->source_times && k < v->problem->n_sources; k++)
        value[zm_source_cell(v->s->grid, &v->problem->sources[k])] =
            by->source_times[k];
    for (size_t i = 1; i < n; i++)
        if (d->from[i] == -1)
            value[i] += value[i - 1];
    for (size_t i = n - 1; i-- > 0;)
        if (d->from[i] == 1)
            value[i] += value[i + 1];
    return ZM_OK;
}

const zm_engine dummy_engine = {
    .name = "dummy",
    .method = DUMMY_METHOD,
    .cannot = cannot,
    .workspace_create = workspace_create,
    .workspace_destroy = workspace_destroy,
    .record_create = record_create,
    .record_destroy = record_destroy,
    .solve = solve,
    .prepare = prepare,
    .node = node,
    .clear = clear,
    .adjoint = adjoint,
    .tangent = tangent,
};
