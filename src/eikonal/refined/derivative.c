/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of second and third order.  With T = t_s + T_s(x) + tau(x), the donor point
 * p = w m_diagonal + (1-w) m_axis, the donors' coefficients c_k (4/3, -1/3 and so on) and their
 * factor c = 1, 2/3 or 6/11,
 *
 *     dtau = sum of w_i c_k dtau_ik + c (p' dG p / (2 |p|_G) + p.db + p.dgrad T_s),
 *
 * and cells beside the source have tau = (F_x(d) - F_s(d))/2.  The sequence of the solve has
 * donors first. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "eikonal/blocks/graph.h"
#include "eikonal/local/triangle.h"
#include "eikonal/refined/engine.h"

static size_t source_cell(const zm_refined_part *r, size_t i)
{
    const zm_refined_source *s = &r->sources[i];

    return (size_t)s->row * (size_t)r->g.cols + (size_t)s->col;
}

zm_status zm_refined_prepare(const zm_engine_view *v, bool derivatives, zm_error *err)
{
    zm_refined_part *r = zm_refined_part_of(v->record);
    const zm_refined_work *work =
        zm_engine_workspace_part(v->workspaces, &zm_refined_engine);
    zm_refined_grid *g = &r->g;

    (void)derivatives;
    (void)err;
    if (r->has_codes)
        return ZM_OK;
    const zm_blocks_record *first = zm_engine_record_part(v->record, &zm_blocks_engine);
    const zm_blocks_grid b =
        zm_blocks_grid_of(v->s, zm_blocks_work_of(v->workspaces), first, v->problem, v->T,
                          first->time_unit);

    for (int k = 0; k < 5; k++) {
        g->plane[k] = b.plane[k];
        g->plane_stride[k] = b.stride[k];
    }
    memset(r->code, ZM_REFINED_UNREACHED, v->s->cells);
    for (size_t i = 0; i < g->n_sequence; i++)
        r->code[g->sequence[i]] = ZM_REFINED_START;
    for (size_t i = 0; i < r->n_sources; i++) {
        const size_t cell = source_cell(r, i);

        if (zm_refined_source_of(g, cell) == i && r->code[cell] == ZM_REFINED_START)
            r->code[cell] = ZM_REFINED_SOURCE;
    }
    for (int32_t i = 0; i < g->blocks_down * g->blocks_across; i++)
        zm_refined_kernel_of(v->s->kernel)->record(g, work->scratch, i, r->code, r->weight);
    r->has_codes = true;
    return ZM_OK;
}

/* What a derivative needs of the problem. */
typedef struct graph {
    const zm_refined_part *r;
    const zm_problem *problem;
    zm_grid grid;
    zm_dtype dtype;
} graph;

static graph graph_of(const zm_engine_view *v)
{
    return (graph){ zm_refined_part_of(v->record), v->problem, v->s->grid, v->s->dtype };
}

/* A cell, its metric and that of its source, folded, in the caller's unit of time. */
typedef struct place {
    size_t cell, source;
    zm_cell_metric own, there;
    zm_refined_away d;
} place;

static inline zm_cell_metric folded(const graph *g, size_t cell)
{
    return zm_local_fold(zm_metric_at(&g->problem->metric, cell), g->grid);
}

static inline place place_of(const graph *g, size_t cell, const zm_cell_metric *sources)
{
    const size_t i = zm_refined_source_of(&g->r->g, cell);

    return (place){ cell, i, folded(g, cell), sources[i], zm_refined_away_of(&g->r->g, cell) };
}

/* of += scale dF(d), F(d) = |d|_G - b.d */
static void distance_change(const zm_cell_metric *g, zm_refined_away d, double scale,
                            zm_cell_metric *of)
{
    const double length =
        sqrt(g->g11 * d.x * d.x + 2 * g->g12 * d.x * d.y + g->g22 * d.y * d.y);
    const double s = length > 0 ? scale / length : 0;

    of->g11 += s * d.x * d.x / 2;
    of->g12 += s * d.x * d.y;
    of->g22 += s * d.y * d.y / 2;
    of->b1 -= scale * d.x;
    of->b2 -= scale * d.y;
}

/* of += scale d<grad T_s, p>, <grad T_s, p> = d'Gp/|d| - bs.p */
static void slope_change(const zm_cell_metric *g, zm_refined_away d, double px, double py,
                         double scale, zm_cell_metric *of)
{
    const double x = g->g11 * d.x + g->g12 * d.y, y = g->g12 * d.x + g->g22 * d.y;
    const double length2 = x * d.x + y * d.y, s = scale / sqrt(length2);
    const double along = (x * px + y * py) / (2 * length2);

    of->g11 += s * (px * d.x - along * d.x * d.x);
    of->g12 += s * (px * d.y + py * d.x - 2 * along * d.x * d.y);
    of->g22 += s * (py * d.y - along * d.y * d.y);
    of->b1 -= scale * px;
    of->b2 -= scale * py;
}

/* of += scale dkappa(m), kappa(m) = |d + m| - |d| - d'Gm/|d| */
static void kappa_change(const zm_cell_metric *g, zm_refined_away d, zm_local_offset m,
                         double scale, zm_cell_metric *of)
{
    zm_cell_metric part = { 0 };

    distance_change(g, (zm_refined_away){ d.x + m.x, d.y + m.y }, scale, &part);
    distance_change(g, d, -scale, &part);
    slope_change(g, d, m.x, m.y, -scale, &part);
    of->g11 += part.g11;
    of->g12 += part.g12;
    of->g22 += part.g22; /* the drift drops out */
}

/* of += scale d(|p|_G + p.b) */
static void step_change(const zm_cell_metric *g, double x, double y, double scale,
                        zm_cell_metric *of)
{
    const double s =
        scale / sqrt(g->g11 * x * x + 2 * g->g12 * x * y + g->g22 * y * y);

    of->g11 += s * x * x / 2;
    of->g12 += s * x * y;
    of->g22 += s * y * y / 2;
    of->b1 += scale * x;
    of->b2 += scale * y;
}

enum { MOST_DONORS = 6 };

/* What tau of one cell is made of. */
typedef struct parts {
    size_t donor[MOST_DONORS];
    double weight[MOST_DONORS];
    int n;
    double x, y, factor; /* donor point, c */
    zm_blocks_donors m;
    double w;
    bool bare;
} parts;

static void donors_add(parts *p, size_t cell, ptrdiff_t step, double w, unsigned orders)
{
    static const double coefficients[3][3] = { { 1, 0, 0 },
                                               { 4.0 / 3, -1.0 / 3, 0 },
                                               { 18.0 / 11, -9.0 / 11, 2.0 / 11 } };

    for (unsigned k = 0; w != 0 && k <= orders; k++) {
        p->donor[p->n] = (size_t)((ptrdiff_t)cell + (ptrdiff_t)(k + 1) * step);
        p->weight[p->n++] = w * coefficients[orders][k];
    }
}

static inline parts parts_of(const graph *g, size_t cell)
{
    static const double factor[3] = { 1, 2.0 / 3, 6.0 / 11 };
    const uint8_t code = g->r->code[cell];
    const bool second = code & ZM_REFINED_SECOND, third = code & ZM_REFINED_THIRD;
    const unsigned orders = second ? 1u + third : 0;
    const double w = g->r->weight[cell];
    const ptrdiff_t cols = g->grid.cols;
    parts p = { .m = zm_blocks_donors_of(code & 7), .w = w, .bare = third && !second };

    donors_add(&p, cell, p.m.axis.y * cols + p.m.axis.x,
               code & ZM_REFINED_DIAGONAL ? 0 : 1 - w, orders);
    donors_add(&p, cell, p.m.diagonal.y * cols + p.m.diagonal.x,
               code & ZM_REFINED_AXIS ? 0 : w, orders);
    p.x = w * p.m.diagonal.x + (1 - w) * p.m.axis.x;
    p.y = w * p.m.diagonal.y + (1 - w) * p.m.axis.y;
    p.factor = factor[orders];
    return p;
}

/* Derivatives of tau with respect to the cell's own metric and to the source's, times l. */
static inline void tau_change(const graph *g, const place *at, double l, zm_cell_metric *own,
                              zm_cell_metric *source)
{
    if (g->r->code[at->cell] == ZM_REFINED_START) {
        distance_change(&at->own, at->d, l / 2, own);
        distance_change(&at->there, at->d, -l / 2, source);
        return;
    }
    const parts p = parts_of(g, at->cell);

    step_change(&at->own, p.x, p.y, l * p.factor, own);
    slope_change(&at->there, at->d, p.x, p.y, l * p.factor, source);
    if (!p.bare)
        return;
    kappa_change(&at->there, at->d, p.m.axis, l * (1 - p.w), source);
    kappa_change(&at->there, at->d, p.m.diagonal, l * p.w, source);
}

/* Derivatives with respect to the folded metric of a cell into the planes, or added to them. */
static inline void planes_put(const graph *g, const zm_gradient *out, size_t cell,
                              const zm_cell_metric *by, bool add)
{
    const double dx = g->grid.dx, dy = g->grid.dy, g22 = by->g22 * dy * dy;
    const double value[5] = { by->g11 * dx * dx + (g->problem->metric.g22 ? 0 : g22),
                              by->g12 * dx * dy, g22, by->b1 * dx, by->b2 * dy };
    void *const plane[5] = { out->g11, out->g12, out->g22, out->b1, out->b2 };

    for (int k = 0; k < 5; k++)
        if (plane[k])
            zm_plane_store(plane[k], g->dtype, cell,
                           add ? value[k] + zm_plane_value(plane[k], g->dtype, cell)
                               : value[k]);
}

/* The metrics of the sources, as `place` has them, and their derivatives, which are 0. */
static void sources_open(const graph *g, zm_cell_metric *metrics, zm_cell_metric *changes)
{
    for (size_t i = 0; i < g->r->n_sources; i++) {
        metrics[i] = folded(g, source_cell(g->r, i));
        changes[i] = (zm_cell_metric){ 0 };
    }
}

/* dL/dT to dL/dtau of every cell: each hands on to its donors. */
static void push(const graph *g, double *lambda)
{
    const zm_refined_grid *rg = &g->r->g;

    for (size_t i = rg->n_sequence; i-- > 0;) {
        const size_t cell = rg->sequence[i];
        const double l = lambda[cell];

        if (l == 0 || g->r->code[cell] & ZM_REFINED_NONE)
            continue;
        const parts p = parts_of(g, cell);

        for (int k = 0; k < p.n; k++)
            lambda[p.donor[k]] += p.weight[k] * l;
    }
}

zm_status zm_refined_adjoint(const zm_engine_view *v, double *lambda,
                             const zm_gradient *out, zm_error *err)
{
    const graph g = graph_of(v);
    zm_refined_part *r = zm_refined_part_of(v->record);
    zm_cell_metric *by_source = r->changes, *metrics = r->metrics;

    (void)err;
    sources_open(&g, metrics, by_source);
    for (size_t i = 0; i < r->n_sources; i++) {
        if (out->source_times)
            out->source_times[i] = 0;
        if (out->source_rows)
            out->source_rows[i] = 0;
        if (out->source_cols)
            out->source_cols[i] = 0;
    }
    for (size_t cell = 0; cell < v->s->cells; cell++) {
        const size_t i = zm_refined_source_of(&r->g, cell);

        if (lambda[cell] == 0 || r->code[cell] == ZM_REFINED_UNREACHED)
            continue;
        distance_change(&metrics[i], zm_refined_away_of(&r->g, cell), lambda[cell],
                        &by_source[i]);
        if (out->source_times)
            out->source_times[i] += lambda[cell];
    }
    push(&g, lambda);
    for (size_t cell = 0; cell < v->s->cells; cell++) {
        zm_cell_metric own = { 0 };

        if (lambda[cell] != 0 && r->code[cell] < ZM_REFINED_SOURCE) {
            const place at = place_of(&g, cell, metrics);

            tau_change(&g, &at, lambda[cell], &own, &by_source[at.source]);
        }
        planes_put(&g, out, cell, &own, false);
    }
    for (size_t i = 0; i < r->n_sources; i++)
        planes_put(&g, out, source_cell(r, i), &by_source[i], true);
    return ZM_OK;
}

/* The folded change of a cell's metric and drift. */
static zm_cell_metric change_at(const graph *g, const zm_direction *d, size_t cell)
{
    const double dx = g->grid.dx, dy = g->grid.dy;
    const double g11 = zm_plane_value_or(d->g11, g->dtype, cell, 0.0);
    const double g22 =
        g->problem->metric.g22 ? zm_plane_value_or(d->g22, g->dtype, cell, 0.0) : g11;

    return (zm_cell_metric){ g11 * dx * dx,
                             zm_plane_value_or(d->g12, g->dtype, cell, 0.0) * dx * dy,
                             g22 * dy * dy,
                             zm_plane_value_or(d->b1, g->dtype, cell, 0.0) * dx,
                             zm_plane_value_or(d->b2, g->dtype, cell, 0.0) * dy };
}

/* dtau of one cell, whose donors have theirs in value. */
static double pull(const graph *g, const zm_direction *d, const place *at,
                   const zm_cell_metric *source, const double *value)
{
    const zm_cell_metric change = change_at(g, d, at->cell);
    zm_cell_metric own = { 0 }, by_source = { 0 };
    double sum = 0;

    if (!(g->r->code[at->cell] & ZM_REFINED_NONE)) {
        const parts p = parts_of(g, at->cell);

        for (int k = 0; k < p.n; k++)
            sum += p.weight[k] * value[p.donor[k]];
    }
    tau_change(g, at, 1, &own, &by_source);
    return sum + zm_cell_metric_product(&own, &change) +
           zm_cell_metric_product(&by_source, source);
}

zm_status zm_refined_tangent(const zm_engine_view *v, const zm_direction *d, double *value,
                             zm_error *err)
{
    const graph g = graph_of(v);
    zm_refined_part *r = zm_refined_part_of(v->record);
    zm_cell_metric *changes = r->changes, *metrics = r->metrics;

    (void)err;
    sources_open(&g, metrics, changes);
    for (size_t i = 0; i < r->n_sources; i++)
        changes[i] = change_at(&g, d, source_cell(r, i));
    memset(value, 0, v->s->cells * sizeof *value);
    for (size_t i = 0; i < r->g.n_sequence; i++) {
        const place at = place_of(&g, r->g.sequence[i], metrics);

        if (r->code[at.cell] < ZM_REFINED_SOURCE)
            value[at.cell] = pull(&g, d, &at, &changes[at.source], value);
    }
    for (size_t i = 0; i < r->g.n_sequence; i++) {
        const size_t cell = r->g.sequence[i], from = zm_refined_source_of(&r->g, cell);
        zm_cell_metric by = { 0 };

        distance_change(&metrics[from], zm_refined_away_of(&r->g, cell), 1, &by);
        value[cell] += zm_cell_metric_product(&by, &changes[from]) +
                       (d->source_times ? d->source_times[from] : 0);
    }
    return ZM_OK;
}
