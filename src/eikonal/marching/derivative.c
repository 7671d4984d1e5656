/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of a march.  With the winning donors i of a cell, their weights w_i, and
 * m = sum of w_i m_i (second differences: w_i 2/3 m_i),
 *
 *     dT0 = sum of w_i (dT_i - dkappa_i) + (m' dG m) / (2 |m|_G) + m.db ;
 *
 * a donor seen through second differences counts as 4/3 of itself less 1/3 of its own. */
#include <math.h>
#include <string.h>

#include "eikonal/marching/engine.h"
#include "eikonal/marching/march.h"
#include "eikonal/marching/origin.h"

/* What the time of one cell is made of. */
typedef struct parts {
    size_t cell[4]; /* donors */
    double weight[4];
    double mx[4], my[4]; /* where they are */
    int n;
    double x, y; /* the point they come to */
} parts;

static void part_add(const zm_march *m, parts *p, size_t cell, int32_t mx, int32_t my,
                     double weight)
{
    zm_march_donor(m, cell, mx, my, &p->cell[p->n]);
    p->mx[p->n] = mx;
    p->my[p->n] = my;
    p->weight[p->n++] = weight;
}

static parts parts_of(const zm_march *m, size_t cell)
{
    const zm_march_step *s = &m->steps[cell];
    const double w[2] = { s->w, 1 - s->w };
    parts p = { .n = 0 };

    for (int i = 0; i < 2; i++) {
        const double share = s->second[i] ? w[i] * (2.0 / 3) : w[i];

        if (w[i] == 0)
            continue;
        p.x += share * s->m[i].x;
        p.y += share * s->m[i].y;
        if (s->second[i]) {
            part_add(m, &p, cell, s->m[i].x, s->m[i].y, w[i] * (4.0 / 3));
            part_add(m, &p, cell, 2 * s->m[i].x, 2 * s->m[i].y, w[i] * (-1.0 / 3));
        } else {
            part_add(m, &p, cell, s->m[i].x, s->m[i].y, w[i]);
        }
    }
    return p;
}

/* Derivative of |m|_G + m.b with respect to the (folded) metric of the cell. */
static zm_cell_metric step_change(const zm_cell_metric *g, double x, double y)
{
    const double norm = sqrt(g->g11 * x * x + 2 * g->g12 * x * y + g->g22 * y * y);

    return (zm_cell_metric){ x * x / (2 * norm), x * y / norm, y * y / (2 * norm), x,
                             y };
}

/* Derivative of the start time of a cell near its source, time + (F_s(d) + F_x(d)) / 2: with
 * respect to the metric at the source and its position into *source, to the cell's own metric
 * into *own. */
static void start_change(const zm_march *m, size_t cell, double scale,
                         zm_march_origin_change *source, zm_cell_metric *own)
{
    const zm_march_origin *o = &m->origins[zm_march_source(m, cell)];
    const zm_march_away d =
        zm_march_origin_away(m, o, zm_march_row(m, cell), zm_march_col(m, cell));
    zm_march_origin_change by_own = { .x = 0 };

    zm_march_origin_distance_change(&o->metric, d, scale / 2, source);
    zm_march_origin_distance_change(&m->metric[cell], d, scale / 2, &by_own);
    source->x += by_own.x;
    source->y += by_own.y;
    *own = by_own.metric;
}

/* of += scale times the derivative of -sum of w_i kappa_i. */
static void kappa_change(const zm_march *m, size_t cell, const parts *p, double scale,
                         zm_march_origin_change *of)
{
    const zm_march_sight sight = zm_march_sight_of(m, cell, m->label[cell]);

    for (int i = 0; i < p->n; i++)
        zm_march_origin_kappa_change(sight.origin, sight.d, p->mx[i], p->my[i],
                                     -scale * p->weight[i], of);
}

static void plane_add(void *plane, zm_dtype dtype, size_t cell, double value)
{
    zm_plane_store(plane, dtype, cell, zm_plane_value(plane, dtype, cell) + value);
}

/* Adds a derivative with respect to the folded metric of a cell to the planes.  Times are wanted
 * in the caller's unit u, and the spacing h/u was folded in: dT/dG = u (h/u)^2 dT'/dG'. */
static void gradient_add(const zm_march *m, const zm_problem *p, const zm_gradient *out,
                         size_t cell, const zm_cell_metric *by)
{
    const zm_dtype type = p->metric.dtype;
    const double x = m->grid.dx, y = m->grid.dy, dx = x * m->unit, dy = y * m->unit;
    const double g22 = by->g22 * y * dy;

    if (out->g11)
        plane_add(out->g11, type, cell, by->g11 * x * dx + (p->metric.g22 ? 0 : g22));
    if (out->g12)
        plane_add(out->g12, type, cell, by->g12 * x * dy);
    if (out->g22)
        plane_add(out->g22, type, cell, g22);
    if (out->b1)
        plane_add(out->b1, type, cell, by->b1 * dx);
    if (out->b2)
        plane_add(out->b2, type, cell, by->b2 * dy);
}

static zm_cell_metric scaled(zm_cell_metric a, double s)
{
    return (zm_cell_metric){ a.g11 * s, a.g12 * s, a.g22 * s, a.b1 * s, a.b2 * s };
}

/* One cell hands its lambda on. */
static void cell_push(zm_march *m, const zm_problem *problem, size_t cell,
                      double *lambda, const zm_gradient *out)
{
    const double l = lambda[cell];
    zm_march_origin_change *source = &m->changes[zm_march_source(m, cell)];
    zm_cell_metric own;

    if (l == 0)
        return;
    if (m->steps[cell].kind == ZM_NODE_SOURCE) {
        start_change(m, cell, l, source, &own);
        if (out->source_times)
            out->source_times[zm_march_source(m, cell)] += l;
    } else {
        const parts p = parts_of(m, cell);

        for (int i = 0; i < p.n; i++)
            lambda[p.cell[i]] += p.weight[i] * l;
        own = scaled(step_change(&m->metric[cell], p.x, p.y), l);
        if (m->steps[cell].factored)
            kappa_change(m, cell, &p, l, source);
    }
    gradient_add(m, problem, out, cell, &own);
}

/* Between cells other cells start than in the middle of one: T jumps there. */
static bool in_the_middle(const zm_march_origin *o)
{
    return o->x == floor(o->x) && o->y == floor(o->y);
}

/* What came together at a source goes to the cells around it. */
static void origin_push(const zm_march *m, const zm_problem *problem, size_t i,
                        const zm_gradient *out)
{
    const zm_march_origin *o = &m->origins[i];
    const zm_march_origin_change *by = &m->changes[i];
    const zm_march_place_change place = zm_march_origin_place_change(m, o, by);
    const bool fixed = in_the_middle(o);

    for (int k = 0; k < o->n; k++) {
        const zm_cell_metric share = scaled(by->metric, o->weight[k]);

        gradient_add(m, problem, out, o->cell[k], &share);
    }
    if (out->source_rows)
        out->source_rows[i] = fixed ? 0.0 : place.y * m->unit;
    if (out->source_cols)
        out->source_cols[i] = fixed ? 0.0 : place.x * m->unit;
}

zm_status zm_march_adjoint(const zm_engine_view *v, double *lambda,
                           const zm_gradient *out, zm_error *err)
{
    zm_march *m = zm_engine_record_part(v->record, &zm_march_engine);
    const zm_problem *problem = v->problem;
    void *const planes[5] = { out->g11, out->g12, out->g22, out->b1, out->b2 };
    const size_t plane_bytes = m->cells * zm_dtype_size(problem->metric.dtype);

    (void)err;
    for (int k = 0; k < 5; k++)
        if (planes[k])
            memset(planes[k], 0, plane_bytes);
    memset(m->changes, 0, m->n_origins * sizeof *m->changes);
    if (out->source_times)
        memset(out->source_times, 0, m->n_origins * sizeof *out->source_times);
    for (size_t i = m->n_order; i-- > 0;)
        cell_push(m, problem, m->order[i], lambda, out);
    for (size_t i = 0; i < m->n_origins; i++)
        origin_push(m, problem, i, out);
    return ZM_OK;
}

/* The folded change of a cell's metric and drift, times the unit: for times in the caller's. */
static zm_cell_metric change_at(const zm_march *m, const zm_problem *p,
                                const zm_direction *d, size_t cell)
{
    const zm_dtype type = p->metric.dtype;
    const double x = m->grid.dx, y = m->grid.dy, dx = x * m->unit, dy = y * m->unit;
    const double g11 = zm_plane_value_or(d->g11, type, cell, 0.0);
    const double g22 = p->metric.g22 ? zm_plane_value_or(d->g22, type, cell, 0.0) : g11;

    return (zm_cell_metric){ g11 * x * dx,
                             zm_plane_value_or(d->g12, type, cell, 0.0) * x * dy,
                             g22 * y * dy,
                             zm_plane_value_or(d->b1, type, cell, 0.0) * dx,
                             zm_plane_value_or(d->b2, type, cell, 0.0) * dy };
}

/* The change at a source: its metric by those of the cells around it; its position. */
static void origin_pull(const zm_march *m, const zm_problem *p, const zm_direction *d,
                        size_t i, zm_march_origin_change *out)
{
    const zm_march_origin *o = &m->origins[i];
    const bool fixed = in_the_middle(o);

    *out =
        (zm_march_origin_change){
            .x = d->source_cols && !fixed ? d->source_cols[i] * m->unit : 0,
            .y = d->source_rows && !fixed ? d->source_rows[i] * m->unit : 0
        };
    for (int k = 0; k < o->n; k++) {
        const zm_cell_metric c = scaled(change_at(m, p, d, o->cell[k]), o->weight[k]);

        zm_cell_metric_add(&out->metric, &c);
    }
}

/* <derivative, change> at a source. */
static double origin_product(const zm_march *m, size_t i,
                             const zm_march_origin_change *by)
{
    const zm_march_origin_change *c = &m->changes[i];
    const zm_march_place_change place =
        zm_march_origin_place_change(m, &m->origins[i], by);

    return zm_cell_metric_product(&by->metric, &c->metric) + place.x * c->x +
           place.y * c->y;
}

static double cell_pull(const zm_march *m, const zm_problem *problem,
                        const zm_direction *d, size_t cell, const double *value)
{
    const uint32_t label = zm_march_source(m, cell);
    const zm_cell_metric change = change_at(m, problem, d, cell);
    zm_march_origin_change by = { .x = 0 };
    zm_cell_metric own;
    double sum = 0;

    if (m->steps[cell].kind == ZM_NODE_SOURCE) {
        start_change(m, cell, 1, &by, &own);
        sum = d->source_times ? d->source_times[label] : 0;
    } else {
        const parts p = parts_of(m, cell);

        for (int i = 0; i < p.n; i++)
            sum += p.weight[i] * value[p.cell[i]];
        own = step_change(&m->metric[cell], p.x, p.y);
        if (m->steps[cell].factored)
            kappa_change(m, cell, &p, 1, &by);
    }
    sum += zm_cell_metric_product(&own, &change);
    if (m->steps[cell].kind == ZM_NODE_SOURCE || m->steps[cell].factored)
        sum += origin_product(m, label, &by);
    return sum;
}

zm_status zm_march_tangent(const zm_engine_view *v, const zm_direction *direction,
                           double *value, zm_error *err)
{
    zm_march *m = zm_engine_record_part(v->record, &zm_march_engine);

    (void)err;
    memset(value, 0, m->cells * sizeof *value);
    for (size_t i = 0; i < m->n_origins; i++)
        origin_pull(m, v->problem, direction, i, &m->changes[i]);
    for (size_t i = 0; i < m->n_order; i++)
        value[m->order[i]] = cell_pull(m, v->problem, direction, m->order[i], value);
    return ZM_OK;
}
