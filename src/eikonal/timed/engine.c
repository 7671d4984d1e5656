/* SPDX-License-Identifier: Apache-2.0
 * The engine for metrics that change with time. */
#include "eikonal/timed/engine.h"

#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "eikonal/problem/intervals.h"
#include "eikonal/timed/timed.h"

static const char *cannot(const zm_solver *s, const zm_problem *problem)
{
    if (s->scheme.order > 1)
        return "solves with order 1 only";
    if (s->scheme.factor_radius > 0)
        return "has no factoring";
    if (s->scheme.periodic_x || s->scheme.periodic_y)
        return "has no periodic grids";
    if (problem && problem->n_intervals == 0)
        return "is for metrics that change with time";
    if (problem && zm_problem_check_whole(problem, NULL) != ZM_OK)
        return "needs sources in the middle of cells";
    return NULL;
}

/* The interval in which a cell is reached: at the very moment when one begins, the one
 * before. */
static size_t interval_of(const zm_timed *t, uint32_t cell)
{
    const size_t k = zm_timed_interval_at(t, t->T[cell]);

    return k > 0 && t->donors[cell].kind == ZM_NODE_DONORS && t->T[cell] == t->starts[k]
               ? k - 1
               : k;
}

/* The metric that the front came to a cell through.  Where nothing moves (a source that starts
 * then), or after a failure, a metric like any other. */
static zm_cell_metric arrival_of(zm_timed *t, uint32_t cell)
{
    const zm_cell_metric *g = zm_timed_metric(t, interval_of(t, cell), cell);

    if (g)
        return *g;
    if (t->donors[cell].kind == ZM_NODE_DONORS && t->status == ZM_OK)
        t->status = zm_record_changed(&t->error);
    return (zm_cell_metric){ 1, 0, 1, 0, 0 };
}

/* Those of all cells. */
static zm_status arrivals_find(zm_timed *t, zm_error *err)
{
    if (t->has_arrivals)
        return ZM_OK;
    if (!zm_timed_grow(t, &t->arrivals, &(size_t){ t->arrivals ? t->cells : 0 },
                       t->cells, sizeof *t->arrivals))
        return zm_timed_status(t, err);
    for (size_t i = 0; i < t->n_order && t->status == ZM_OK; i++) {
        const uint32_t cell = t->order[i];

        zm_timed_metrics_trim_to(t, cell);
        t->arrivals[cell] = arrival_of(t, cell);
    }
    t->has_arrivals = t->status == ZM_OK;
    return zm_timed_status(t, err);
}

static zm_status prepare(const zm_engine_view *view, bool derivatives, zm_error *err)
{
    zm_timed *t = zm_engine_record_part(view->record, &zm_timed_engine);
    const zm_problem *p = view->problem;

    t->problem = p;
    t->status = ZM_OK;
    for (size_t k = 0; k < t->n_starts; k++)
        if (!(t->starts[k] == p->starts[k] / t->unit))
            return zm_record_changed(err);
    return derivatives ? zm_timed_weigh(t, err) : arrivals_find(t, err);
}

static zm_node node(const zm_engine_view *view, size_t cell)
{
    zm_timed *t = zm_engine_record_part(view->record, &zm_timed_engine);
    const zm_timed_donors *from = &t->donors[cell];
    const double w = from->w;
    zm_node out = { .kind = (zm_node_kind)from->kind,
                    .time = t->T[cell],
                    .rank = t->rank[cell],
                    .source = ZM_SOURCE_OF_CELL };

    if (out.kind == ZM_NODE_UNREACHED)
        return out;
    /* prepared for derivatives alone, it looks the metric up */
    out.metric = t->has_arrivals ? t->arrivals[cell] : arrival_of(t, (uint32_t)cell);
    if (out.kind == ZM_NODE_SOURCE) {
        out.source = (int32_t)from->source;
        out.source_metric = out.metric;
        return out;
    }
    out.m[0] = w > 0 ? from->m[0] : from->m[1];
    out.m[1] = w < 1 ? from->m[1] : from->m[0];
    out.w = w > 0 && w < 1 ? w : 1;
    out.heavier = out.w < 0.5;
    out.x = -(w * from->m[0].x + (1 - w) * from->m[1].x);
    out.y = -(w * from->m[0].y + (1 - w) * from->m[1].y);
    return out;
}

static void clear(const zm_engine_view *view, double *values)
{
    const zm_timed *t = zm_engine_record_part(view->record, &zm_timed_engine);

    for (size_t i = 0; i < t->cells; i++)
        if (t->donors[i].kind == ZM_NODE_UNREACHED)
            values[i] = 0;
}

/* Planes of the whole time, of derivatives or of a direction. */
static zm_status check_whole(bool planes, const char *what, zm_error *err)
{
    if (planes)
        return zm_fail(
            err, ZM_E_ARG, -1,
            "the metric changes with time: leave the planes of the %s NULL and "
            "give those of its intervals",
            what);
    return ZM_OK;
}

static zm_status check_one(const zm_problem *p, size_t k, bool g22, bool sources,
                           const char *what, zm_error *err)
{
    if (zm_intervals_is_scalar(p, k) && g22)
        return zm_fail(
            err, ZM_E_ARG, -1,
            "interval %zu has no g22 of its own, it goes with g11: leave that of "
            "the %s NULL",
            k, what);
    if (sources)
        return zm_fail(err, ZM_E_ARG, -1,
                       "interval %zu: sources do not belong to an interval, leave "
                       "source_times, source_rows and source_cols of its %s NULL",
                       k, what);
    return ZM_OK;
}

static zm_status check_gradient(const zm_problem *p, const zm_gradient *out,
                                zm_error *err)
{
    zm_status st = check_whole(out->g11 || out->g12 || out->g22 || out->b1 || out->b2,
                               "gradient", err);

    for (size_t k = 0; st == ZM_OK && out->intervals && k < p->n_intervals; k++) {
        zm_gradient g = ZM_GRADIENT_INIT;

        ZM_TRY(zm_options_read_at(&g, sizeof g, out->intervals, k, "zm_gradient", err));
        st = check_one(p, k, g.g22, g.source_times || g.source_rows || g.source_cols,
                       "gradient", err);
    }
    return st;
}

static zm_status check_direction(const zm_problem *p, const zm_direction *d,
                                 zm_error *err)
{
    zm_status st =
        check_whole(d->g11 || d->g12 || d->g22 || d->b1 || d->b2, "direction", err);

    if (d->intervals && d->fill)
        return zm_fail(err, ZM_E_ARG, -1, "direction: give either intervals or fill");
    for (size_t k = 0; st == ZM_OK && d->intervals && k < p->n_intervals; k++) {
        zm_direction g = ZM_DIRECTION_INIT;

        ZM_TRY(zm_options_read_at(&g, sizeof g, d->intervals, k, "zm_direction", err));
        st = check_one(p, k, g.g22, g.source_times || g.source_rows || g.source_cols,
                       "direction", err);
    }
    return st;
}

static zm_status adjoint(const zm_engine_view *view, double *lambda,
                         const zm_gradient *out, zm_error *err)
{
    const zm_status st = check_gradient(view->problem, out, err);

    return st != ZM_OK
               ? st
               : zm_timed_push(zm_engine_record_part(view->record, &zm_timed_engine),
                               lambda, view->workspaces->scratch, out, err);
}

static zm_status tangent(const zm_engine_view *view, const zm_direction *direction,
                         double *value, zm_error *err)
{
    const zm_status st = check_direction(view->problem, direction, err);

    return st != ZM_OK
               ? st
               : zm_timed_pull(zm_engine_record_part(view->record, &zm_timed_engine),
                               value, view->workspaces->scratch, direction, err);
}

const zm_engine zm_timed_engine = { .name = "timed",
                                    .method = ZM_SOLVED_BY_TIMED,
                                    .stops = true,
                                    .cannot = cannot,
                                    .record_create = zm_timed_create,
                                    .record_destroy = zm_timed_destroy,
                                    .solve = zm_timed_solve,
                                    .prepare = prepare,
                                    .node = node,
                                    .clear = clear,
                                    .adjoint = adjoint,
                                    .tangent = tangent };
