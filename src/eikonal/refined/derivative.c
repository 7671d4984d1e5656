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

static inline bool is_bare(uint8_t code)
{
    return (code & (ZM_REFINED_NONE | ZM_REFINED_SECOND | ZM_REFINED_THIRD)) ==
           ZM_REFINED_THIRD;
}

static size_t source_cell(const zm_refined_part *r, size_t i)
{
    const zm_refined_source *s = &r->sources[i];

    return (size_t)s->row * (size_t)r->g.cols + (size_t)s->col;
}

/* The planes are those of this call: the caller may have others in memory than in the solve, or
 * than in the look before.  Another thread may have solved this slot of a batch. */
static zm_status planes_open(const zm_engine_view *v, zm_refined_grid *g, zm_error *err)
{
    ZM_TRY(zm_engine_equip(v->s, &zm_blocks_engine, v->workspaces, 1, v->record, err));
    const zm_blocks_record *first = zm_engine_record_part(v->record, &zm_blocks_engine);
    const zm_blocks_grid b =
        zm_blocks_grid_of(v->s, zm_blocks_work_of(v->workspaces), first, v->problem,
                          v->T, v->record->unit);

    for (int k = 0; k < 5; k++) {
        g->plane[k] = b.plane[k];
        g->plane_stride[k] = b.stride[k];
    }
    return ZM_OK;
}

zm_status zm_refined_prepare(const zm_engine_view *v, bool derivatives, zm_error *err)
{
    zm_refined_part *r = zm_refined_part_of(v->record);
    const zm_refined_work *work =
        zm_engine_workspace_part(v->workspaces, &zm_refined_engine);
    zm_refined_grid *g = &r->g;

    (void)derivatives;
    ZM_TRY(planes_open(v, g, err));
    if (r->has_codes)
        return ZM_OK;
    memset(r->code, ZM_REFINED_UNREACHED, v->s->cells);
    for (size_t i = 0; i < g->n_sequence; i++)
        r->code[g->sequence[i]] = ZM_REFINED_START;
    for (size_t i = 0; i < r->n_sources; i++) {
        const size_t cell = source_cell(r, i);

        if (zm_refined_source_of(g, cell) == i && r->code[cell] == ZM_REFINED_START)
            r->code[cell] = ZM_REFINED_SOURCE;
    }
    for (int32_t i = 0; i < g->blocks_down * g->blocks_across; i++)
        zm_refined_kernel_of(v->s->kernel)
            ->record(g, work->scratch, i, r->code, r->weight);
    r->has_bare = false;
    for (size_t i = 0; i < g->n_sequence; i++)
        r->has_bare = r->has_bare || is_bare(r->code[g->sequence[i]]);
    r->has_codes = true;
    return ZM_OK;
}

/* What a derivative needs of the problem.  Metrics are folded, in the unit of the solve. */
typedef struct graph {
    const zm_refined_part *r;
    const zm_refined_grid *g;
    const zm_problem *problem;
    zm_dtype dtype;
} graph;

static graph graph_of(const zm_engine_view *v)
{
    const zm_refined_part *r = zm_refined_part_of(v->record);

    return (graph){ r, &r->g, v->problem, v->s->dtype };
}

/* A cell, its metric and that of its source. */
typedef struct place {
    size_t cell, source;
    zm_cell_metric own, there;
    zm_refined_away d;
} place;

static zm_cell_metric folded(zm_cell_metric m, const double scale[5])
{
    return (zm_cell_metric){ m.g11 * scale[0], m.g12 * scale[1], m.g22 * scale[2],
                             m.b1 * scale[3], m.b2 * scale[4] };
}

static inline place place_of(const graph *g, size_t cell)
{
    const size_t i = zm_refined_source_of(g->g, cell);

    return (place){ cell, i,
                    folded(zm_metric_at(&g->problem->metric, cell), g->g->scale),
                    g->g->sources[i].metric, zm_refined_away_of(g->g, cell) };
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
static void slope_change(const zm_cell_metric *g, zm_refined_away d, double px,
                         double py, double scale, zm_cell_metric *of)
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
    const double s = scale / sqrt(g->g11 * x * x + 2 * g->g12 * x * y + g->g22 * y * y);

    of->g11 += s * x * x / 2;
    of->g12 += s * x * y;
    of->g22 += s * y * y / 2;
    of->b1 += scale * x;
    of->b2 += scale * y;
}

/* Steps to the donors of a cell by its code; a donor without weight is replaced by the other, so
 * that both are inside the grid. */
typedef struct donor_steps {
    ptrdiff_t axis[128], diagonal[128];
} donor_steps;

static donor_steps donor_steps_of(const zm_refined_grid *g)
{
    donor_steps s;

    for (unsigned code = 0; code < 128; code++) {
        const zm_blocks_donors d = zm_blocks_donors_of(code & 7);
        const ptrdiff_t axis = (ptrdiff_t)d.axis.y * g->cols + d.axis.x;
        const ptrdiff_t diagonal = (ptrdiff_t)d.diagonal.y * g->cols + d.diagonal.x;

        s.axis[code] = code & ZM_REFINED_DIAGONAL ? diagonal : axis;
        s.diagonal[code] = code & ZM_REFINED_AXIS ? axis : diagonal;
    }
    return s;
}

/* Number of differences less one, and what donors near and far count with. */
static inline unsigned order_of(uint8_t code)
{
    return code & ZM_REFINED_SECOND ? 1u + (code & ZM_REFINED_THIRD ? 1u : 0u) : 0u;
}
static const double factors[3] = { 1, 2.0 / 3, 6.0 / 11 };
static const double coefficients[3][3] = { { 1, 0, 0 },
                                           { 4.0 / 3, -1.0 / 3, 0 },
                                           { 18.0 / 11, -9.0 / 11, 2.0 / 11 } };

/* Donors that are not factored count with kappa. */
static void bare_change(const place *at, const zm_blocks_donors *m, double w, double l,
                        zm_cell_metric *source)
{
    kappa_change(&at->there, at->d, m->axis, l * (1 - w), source);
    kappa_change(&at->there, at->d, m->diagonal, l * w, source);
}

/* Derivatives of tau with respect to the cell's own metric and to the source's, times l. */
static inline void tau_change(const graph *g, const place *at, double l,
                              zm_cell_metric *own, zm_cell_metric *source)
{
    if (g->r->code[at->cell] == ZM_REFINED_START) {
        distance_change(&at->own, at->d, l / 2, own);
        distance_change(&at->there, at->d, -l / 2, source);
        return;
    }
    const uint8_t code = g->r->code[at->cell];
    const zm_blocks_donors m = zm_blocks_donors_of(code & 7);
    const double w = g->r->weight[at->cell], lf = l * factors[order_of(code)];
    const double x = w * m.diagonal.x + (1 - w) * m.axis.x;
    const double y = w * m.diagonal.y + (1 - w) * m.axis.y;

    step_change(&at->own, x, y, lf, own);
    slope_change(&at->there, at->d, x, y, lf, source);
    if (is_bare(code))
        bare_change(at, &m, w, l, source);
}

/* Adds derivatives with respect to the metric of a cell to the planes. */
static void planes_add(const graph *g, const zm_gradient *out, size_t cell,
                       const zm_cell_metric *by)
{
    const zm_cell_metric d = folded(*by, g->g->unscale);
    const double value[5] = { d.g11 + (g->problem->metric.g22 ? 0 : d.g22), d.g12,
                              d.g22, d.b1, d.b2 };
    void *const plane[5] = { out->g11, out->g12, out->g22, out->b1, out->b2 };

    for (int k = 0; k < 5; k++)
        if (plane[k])
            zm_plane_store(plane[k], g->dtype, cell,
                           zm_plane_value(plane[k], g->dtype, cell) + value[k]);
}

/* dL/dT to dL/dtau of every cell: each hands on to its donors. */
static void push(const graph *g, double *lambda)
{
    const donor_steps steps = donor_steps_of(g->g);

    for (size_t i = g->g->n_sequence; i-- > 0;) {
        const size_t cell = g->g->sequence[i];
        const uint8_t code = g->r->code[cell];
        const double w = g->r->weight[cell], l = lambda[cell];

        if (code & ZM_REFINED_NONE)
            continue;
        const unsigned order = order_of(code);
        const double *c = coefficients[order];
        const ptrdiff_t axis = steps.axis[code], diagonal = steps.diagonal[code];
        double *a = lambda + (ptrdiff_t)cell, *d = a;

        for (unsigned k = 0; k <= order; k++) {
            a += axis;
            d += diagonal;
            *a += (1 - w) * c[k] * l;
            *d += w * c[k] * l;
        }
    }
}

static double pulled(const graph *g, const donor_steps *steps, size_t cell,
                     const double *value)
{
    const uint8_t code = g->r->code[cell];
    const double w = g->r->weight[cell], *a = value + cell, *d = a;
    double sum = 0;

    if (code & ZM_REFINED_NONE)
        return 0;
    for (unsigned k = 0; k <= order_of(code); k++) {
        a += steps->axis[code];
        d += steps->diagonal[code];
        sum += coefficients[order_of(code)][k] * ((1 - w) * *a + w * *d);
    }
    return sum;
}

/* Cells that the kernel leaves out or counts as factored. */
static void special_cells(const graph *g, const double *lambda, const zm_gradient *out,
                          zm_cell_metric *by_source)
{
    for (size_t i = 0; i < g->g->n_sequence; i++) {
        const size_t cell = g->g->sequence[i];
        const uint8_t code = g->r->code[cell];
        const double l = lambda[cell];
        zm_cell_metric own = { 0 };

        if (code != ZM_REFINED_START && !(g->r->has_bare && is_bare(code))) {
            if (!g->r->has_bare && !(code & ZM_REFINED_NONE))
                break; /* those that start come first */
            continue;
        }
        const place at = place_of(g, cell);

        if (code == ZM_REFINED_START) {
            tau_change(g, &at, l, &own, &by_source[at.source]);
            planes_add(g, out, cell, &own);
        } else {
            const zm_blocks_donors m = zm_blocks_donors_of(code & 7);

            bare_change(&at, &m, g->r->weight[cell], l, &by_source[at.source]);
        }
    }
}

static void source_times(const graph *g, const double *lambda, const zm_gradient *out)
{
    for (size_t i = 0; i < g->r->n_sources; i++) {
        if (out->source_times)
            out->source_times[i] = 0;
        if (out->source_rows)
            out->source_rows[i] = 0;
        if (out->source_cols)
            out->source_cols[i] = 0;
    }
    for (size_t i = 0; out->source_times && i < g->g->n_sequence; i++) {
        const size_t cell = g->g->sequence[i];

        out->source_times[zm_refined_source_of(g->g, cell)] += lambda[cell];
    }
}

zm_status zm_refined_adjoint(const zm_engine_view *v, double *lambda,
                             const zm_gradient *out, zm_error *err)
{
    const graph g = graph_of(v);
    const zm_refined_kernel *kernel = zm_refined_kernel_of(v->s->kernel);
    const zm_refined_work *work =
        zm_engine_workspace_part(v->workspaces, &zm_refined_engine);
    zm_cell_metric *by_source = g.r->changes;
    void *const planes[5] = { out->g11, out->g12, out->g22, out->b1, out->b2 };
    const int32_t blocks = g.g->blocks_down * g.g->blocks_across;

    (void)err;
    source_times(&g, lambda, out);
    memset(by_source, 0, g.r->n_sources * sizeof *by_source);
    for (int32_t i = 0; i < blocks; i++)
        kernel->distances(g.g, i, lambda, by_source);
    push(&g, lambda);
    for (int32_t i = 0; i < blocks; i++)
        kernel->gradient(g.g, work->scratch, i, g.r->code, g.r->weight, lambda, planes,
                         !v->problem->metric.g22, by_source);
    special_cells(&g, lambda, out, by_source);
    for (size_t i = 0; i < g.r->n_sources; i++)
        planes_add(&g, out, source_cell(g.r, i), &by_source[i]);
    return ZM_OK;
}

/* The folded change of a cell's metric and drift, for times in the caller's unit. */
static zm_cell_metric change_at(const graph *g, const zm_direction *d, size_t cell)
{
    const double g11 = zm_plane_value_or(d->g11, g->dtype, cell, 0.0);
    const double g22 =
        g->problem->metric.g22 ? zm_plane_value_or(d->g22, g->dtype, cell, 0.0) : g11;
    const zm_cell_metric change = { g11, zm_plane_value_or(d->g12, g->dtype, cell, 0.0),
                                    g22, zm_plane_value_or(d->b1, g->dtype, cell, 0.0),
                                    zm_plane_value_or(d->b2, g->dtype, cell, 0.0) };

    return folded(change, g->g->unscale);
}

/* dtau of a cell with respect to metrics. */
static double own_change(const graph *g, const zm_direction *d, const place *at,
                         const zm_cell_metric *source)
{
    const zm_cell_metric change = change_at(g, d, at->cell);
    zm_cell_metric own = { 0 }, by_source = { 0 };

    tau_change(g, at, 1, &own, &by_source);
    return zm_cell_metric_product(&own, &change) +
           zm_cell_metric_product(&by_source, source);
}

zm_status zm_refined_tangent(const zm_engine_view *v, const zm_direction *d,
                             double *value, zm_error *err)
{
    const graph g = graph_of(v);
    const donor_steps steps = donor_steps_of(g.g);
    zm_cell_metric *changes = g.r->changes;

    (void)err;
    for (size_t i = 0; i < g.r->n_sources; i++)
        changes[i] = change_at(&g, d, source_cell(g.r, i));
    memset(value, 0, v->s->cells * sizeof *value);
    for (size_t i = 0; i < g.g->n_sequence; i++) {
        const place at = place_of(&g, g.g->sequence[i]);

        if (g.r->code[at.cell] < ZM_REFINED_SOURCE)
            value[at.cell] = pulled(&g, &steps, at.cell, value) +
                             own_change(&g, d, &at, &changes[at.source]);
    }
    for (size_t i = 0; i < g.g->n_sequence; i++) {
        const size_t cell = g.g->sequence[i], from = zm_refined_source_of(g.g, cell);
        zm_cell_metric by = { 0 };

        distance_change(&g.g->sources[from].metric, zm_refined_away_of(g.g, cell), 1,
                        &by);
        value[cell] += zm_cell_metric_product(&by, &changes[from]) +
                       (d->source_times ? d->source_times[from] : 0);
    }
    return ZM_OK;
}
