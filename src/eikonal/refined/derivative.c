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
    r->code[zm_source_cell(v->s->grid, &v->problem->sources[0])] = ZM_REFINED_SOURCE;
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
    zm_cell_metric source; /* folded, in the caller's unit of time */
} graph;

static graph graph_of(const zm_engine_view *v)
{
    const zm_refined_part *r = zm_refined_part_of(v->record);
    const size_t cell = (size_t)r->g.row * (size_t)r->g.cols + (size_t)r->g.col;

    return (graph){ .r = r,
                    .problem = v->problem,
                    .grid = v->s->grid,
                    .source =
                        zm_local_fold(zm_metric_at(&v->problem->metric, cell), v->s->grid) };
}

static zm_refined_away away(const graph *g, size_t cell)
{
    const size_t cols = (size_t)g->grid.cols;

    return (zm_refined_away){ (double)(cell % cols) - g->r->g.col,
                              (double)(cell / cols) - g->r->g.row };
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
    static const double none[2] = { 0, 0 };
    zm_cell_metric bare = *g;

    bare.b1 = none[0];
    bare.b2 = none[1];
    zm_cell_metric part = { 0 };

    distance_change(&bare, (zm_refined_away){ d.x + m.x, d.y + m.y }, scale, &part);
    distance_change(&bare, d, -scale, &part);
    slope_change(&bare, d, m.x, m.y, -scale, &part);
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
static inline void own_change(const graph *g, size_t cell, const parts *p, double l,
                              zm_cell_metric *own, zm_cell_metric *source)
{
    const zm_cell_metric m =
        zm_local_fold(zm_metric_at(&g->problem->metric, cell), g->grid);
    const zm_refined_away d = away(g, cell);

    step_change(&m, p->x, p->y, l * p->factor, own);
    slope_change(&g->source, d, p->x, p->y, l * p->factor, source);
    if (!p->bare)
        return;
    kappa_change(&g->source, d, p->m.axis, l * (1 - p->w), source);
    kappa_change(&g->source, d, p->m.diagonal, l * p->w, source);
}

static void start_change(const graph *g, size_t cell, double l, zm_cell_metric *own,
                         zm_cell_metric *source)
{
    const zm_cell_metric m =
        zm_local_fold(zm_metric_at(&g->problem->metric, cell), g->grid);
    const zm_refined_away d = away(g, cell);

    distance_change(&m, d, l / 2, own);
    distance_change(&g->source, d, -l / 2, source);
}

/* Adds a derivative with respect to the folded metric of a cell to the planes. */
static inline void planes_add(const graph *g, const zm_gradient *out, size_t cell,
                              const zm_cell_metric *by)
{
    const double dx = g->grid.dx, dy = g->grid.dy, g22 = by->g22 * dy * dy;
    double *const plane[5] = { out->g11, out->g12, out->g22, out->b1, out->b2 };

    if (plane[0])
        plane[0][cell] += by->g11 * dx * dx + (g->problem->metric.g22 ? 0 : g22);
    if (plane[1])
        plane[1][cell] += by->g12 * dx * dy;
    if (plane[2])
        plane[2][cell] += g22;
    if (plane[3])
        plane[3][cell] += by->b1 * dx;
    if (plane[4])
        plane[4][cell] += by->b2 * dy;
}

zm_status zm_refined_adjoint(const zm_engine_view *v, double *lambda,
                             const zm_gradient *out, zm_error *err)
{
    const graph g = graph_of(v);
    const zm_refined_grid *rg = &g.r->g;
    const size_t source_cell = (size_t)rg->row * (size_t)rg->cols + (size_t)rg->col;
    void *const planes[5] = { out->g11, out->g12, out->g22, out->b1, out->b2 };
    zm_cell_metric source = { 0 };
    double sum = 0;

    (void)err;
    for (int k = 0; k < 5; k++)
        if (planes[k])
            memset(planes[k], 0, v->s->cells * sizeof(double));
    for (size_t i = 0; i < rg->n_sequence; i++) {
        const size_t cell = rg->sequence[i];

        if (lambda[cell] != 0) {
            distance_change(&g.source, away(&g, cell), lambda[cell], &source);
            sum += lambda[cell];
        }
    }
    for (size_t i = rg->n_sequence; i-- > 0;) {
        const size_t cell = rg->sequence[i];
        const double l = lambda[cell];
        zm_cell_metric own = { 0 };

        if (l == 0 || g.r->code[cell] >= ZM_REFINED_SOURCE)
            continue;
        if (g.r->code[cell] == ZM_REFINED_START) {
            start_change(&g, cell, l, &own, &source);
        } else {
            const parts p = parts_of(&g, cell);

            for (int k = 0; k < p.n; k++)
                lambda[p.donor[k]] += p.weight[k] * l;
            own_change(&g, cell, &p, l, &own, &source);
        }
        planes_add(&g, out, cell, &own);
    }
    planes_add(&g, out, source_cell, &source);
    if (out->source_times)
        out->source_times[0] = sum;
    if (out->source_rows)
        out->source_rows[0] = 0;
    if (out->source_cols)
        out->source_cols[0] = 0;
    return ZM_OK;
}

/* The folded change of a cell's metric and drift. */
static zm_cell_metric change_at(const graph *g, const zm_direction *d, size_t cell)
{
    const double dx = g->grid.dx, dy = g->grid.dy;
    const double g11 = zm_plane_value_or(d->g11, ZM_F64, cell, 0.0);
    const double g22 =
        g->problem->metric.g22 ? zm_plane_value_or(d->g22, ZM_F64, cell, 0.0) : g11;

    return (zm_cell_metric){ g11 * dx * dx,
                             zm_plane_value_or(d->g12, ZM_F64, cell, 0.0) * dx * dy,
                             g22 * dy * dy, zm_plane_value_or(d->b1, ZM_F64, cell, 0.0) * dx,
                             zm_plane_value_or(d->b2, ZM_F64, cell, 0.0) * dy };
}

zm_status zm_refined_tangent(const zm_engine_view *v, const zm_direction *d, double *value,
                             zm_error *err)
{
    const graph g = graph_of(v);
    const zm_refined_grid *rg = &g.r->g;
    const size_t source_cell = (size_t)rg->row * (size_t)rg->cols + (size_t)rg->col;
    const zm_cell_metric source = change_at(&g, d, source_cell);
    const double later = d->source_times ? d->source_times[0] : 0;

    (void)err;
    memset(value, 0, v->s->cells * sizeof *value);
    for (size_t i = 0; i < rg->n_sequence; i++) {
        const size_t cell = rg->sequence[i];
        zm_cell_metric own = { 0 }, by_source = { 0 };
        double sum = 0;

        if (g.r->code[cell] >= ZM_REFINED_SOURCE)
            continue;
        if (g.r->code[cell] == ZM_REFINED_START) {
            start_change(&g, cell, 1, &own, &by_source);
        } else {
            const parts p = parts_of(&g, cell);

            for (int k = 0; k < p.n; k++)
                sum += p.weight[k] * value[p.donor[k]];
            own_change(&g, cell, &p, 1, &own, &by_source);
        }
        const zm_cell_metric change = change_at(&g, d, cell);

        value[cell] = sum + zm_cell_metric_product(&own, &change) +
                      zm_cell_metric_product(&by_source, &source);
    }
    for (size_t i = 0; i < rg->n_sequence; i++) {
        const size_t cell = rg->sequence[i];
        zm_cell_metric by = { 0 };

        distance_change(&g.source, away(&g, cell), 1, &by);
        value[cell] += zm_cell_metric_product(&by, &source) + later;
    }
    return ZM_OK;
}
