/* SPDX-License-Identifier: Apache-2.0
 * The engine of fast marching. */
#include "eikonal/marching/engine.h"

#include "eikonal/marching/march.h"
#include "eikonal/marching/origin.h"
#include "eikonal/problem/unit.h"

static const char *cannot(const zm_solver *s, const zm_problem *problem)
{
    if (s->scheme.order > 2)
        return "is of first and second order";
    return problem && problem->n_intervals > 0
               ? "takes metrics that do not change with time"
               : NULL;
}

static zm_outcome solve(zm_engine_run *run, zm_error *err)
{
    zm_march *m = zm_engine_record_part(run->record, &zm_march_engine);

    zm_march_count_in(m, run->s->grid, run->record->unit);
    run->status = zm_march_solve(m, run->problem, run->opts, err);
    for (size_t i = 0; i < m->cells && run->status == ZM_OK; i++)
        if (!zm_unit_store(run->T, run->s->dtype, i, m->T[i], m->unit))
            run->status = zm_unit_fail_store(run->s->dtype, err);
    if (run->status != ZM_OK)
        return ZM_OUTCOME_FAILED;
    run->report->iterations = run->report->converged = run->report->threads = 1;
    run->report->updates = (int64_t)m->n_updates;
    return ZM_OUTCOME_DONE;
}

/* Times that blocks found are taken over first. */
static zm_status prepare(const zm_engine_view *v, bool derivatives, zm_error *err)
{
    zm_march *m = zm_engine_record_part(v->record, &zm_march_engine);

    (void)derivatives;
    if (!m->has_times) {
        zm_status st;

        zm_march_count_in(m, v->s->grid, v->record->unit);
        st = zm_march_from_times(m, v->problem, v->T, err);
        return st == ZM_E_METRIC ? zm_record_changed(err) : st;
    }
    zm_march_steps(m);
    return ZM_OK;
}

/* Second differences see their donor at 2/3 of its offset. */
static zm_node node(const zm_engine_view *v, size_t cell)
{
    const zm_march *m = zm_engine_record_part(v->record, &zm_march_engine);
    const zm_march_step *s = &m->steps[cell];
    const double first = s->second[0] ? s->w * (2.0 / 3) : s->w;
    const double other = s->second[1] ? (1 - s->w) * (2.0 / 3) : 1 - s->w;
    zm_node n = { .kind = s->kind,
                  .time = m->T[cell],
                  .rank = m->heap.place[cell],
                  .source = ZM_SOURCE_OF_CELL,
                  .metric = m->metric[cell] };

    if (s->kind == ZM_NODE_UNREACHED)
        return n;
    n.source = (int32_t)zm_march_source(m, cell);
    if (s->kind == ZM_NODE_SOURCE) {
        const zm_march_origin *o = &m->origins[n.source];
        const zm_march_away d =
            zm_march_origin_away(m, o, zm_march_row(m, cell), zm_march_col(m, cell));

        n.x = d.x;
        n.y = d.y;
        n.source_metric = o->metric;
        return n;
    }
    n.m[0] = s->m[s->w == 0];
    n.m[1] = s->m[s->w != 1];
    n.w = s->w == 0 ? 1 : s->w;
    n.heavier = n.w < 0.5;
    n.x = -(first * s->m[0].x + other * s->m[1].x);
    n.y = -(first * s->m[0].y + other * s->m[1].y);
    return n;
}

static void clear(const zm_engine_view *v, double *values)
{
    const zm_march *m = zm_engine_record_part(v->record, &zm_march_engine);

    for (size_t i = 0; i < m->cells; i++)
        if (m->steps[i].kind == ZM_NODE_UNREACHED)
            values[i] = 0.0;
}

const zm_engine zm_march_engine = {
    .name = "marching",
    .method = ZM_SOLVED_BY_MARCHING,
    .stops = true,
    .cannot = cannot,
    .record_create = zm_march_create,
    .record_destroy = zm_march_destroy,
    .solve = solve,
    .prepare = prepare,
    .node = node,
    .clear = clear,
    .adjoint = zm_march_adjoint,
    .tangent = zm_march_tangent,
};
