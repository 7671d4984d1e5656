/* SPDX-License-Identifier: Apache-2.0
 * Sources of a march. */
#include "eikonal/marching/origin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/marching/visible.h"

/* x modulo n, nearest to zero. */
static double nearest(double x, int32_t n)
{
    return x - n * round(x / n);
}

zm_march_away zm_march_origin_away(const zm_march *m, const zm_march_origin *o,
                                   int32_t row, int32_t col)
{
    zm_march_away d = { col - o->x, row - o->y };

    if (m->scheme.periodic_x)
        d.x = nearest(d.x, m->grid.cols);
    if (m->scheme.periodic_y)
        d.y = nearest(d.y, m->grid.rows);
    return d;
}

static double norm(const zm_cell_metric *g, double x, double y)
{
    return sqrt(g->g11 * x * x + 2 * g->g12 * x * y + g->g22 * y * y);
}

double zm_march_origin_distance(const zm_cell_metric *g, zm_march_away d)
{
    return norm(g, d.x, d.y) - g->b1 * d.x - g->b2 * d.y;
}

double zm_march_origin_kappa(const zm_march_origin *o, zm_march_away d, double mx,
                             double my)
{
    const zm_cell_metric *g = &o->metric;
    const double length = norm(g, d.x, d.y);
    const double product =
        (g->g11 * d.x + g->g12 * d.y) * mx + (g->g12 * d.x + g->g22 * d.y) * my;

    return norm(g, d.x + mx, d.y + my) - length - product / length;
}

/* kappa(m) is |m|_Gs^2 / (2 |d|_Gs) at most.  A front that had come all the way in the metric
 * G of the cell would have the same with G; the first can be tr(G^-1 Gs) |d|_G / |d|_Gs times
 * the second.  If both metrics are the same, this bound is 2. */
static bool curved_alike(const zm_cell_metric *s, const zm_cell_metric *g,
                         zm_march_away d)
{
    static const double most = 4;
    const double det = g->g11 * g->g22 - g->g12 * g->g12;
    const double trace = g->g22 * s->g11 - 2 * g->g12 * s->g12 + g->g11 * s->g22;
    const double here =
        g->g11 * d.x * d.x + 2 * g->g12 * d.x * d.y + g->g22 * d.y * d.y;
    const double there =
        s->g11 * d.x * d.x + 2 * s->g12 * d.x * d.y + s->g22 * d.y * d.y;

    return trace * trace * here <= most * most * det * det * there;
}

bool zm_march_origin_near(const zm_march *m, const zm_march_origin *o, size_t cell,
                          zm_march_away d)
{
    const double x = d.x * m->factor_x, y = d.y * m->factor_y;

    if ((m->scheme.periodic_x && fabs(d.x) > 0.25 * m->grid.cols) ||
        (m->scheme.periodic_y && fabs(d.y) > 0.25 * m->grid.rows))
        return false;
    return x * x + y * y <= m->factor_radius * m->factor_radius &&
           curved_alike(&o->metric, &m->metric[cell], d);
}

/* of += scale * d |d|_G: by G it is d d' / (2 |d|), by the source's position -G d / |d|. */
static void norm_change(const zm_cell_metric *g, double x, double y, double scale,
                        zm_march_origin_change *of)
{
    const double length = norm(g, x, y);
    const double s = length > 0 ? scale / length : 0;

    of->metric.g11 += s * x * x / 2;
    of->metric.g12 += s * x * y;
    of->metric.g22 += s * y * y / 2;
    of->x -= s * (g->g11 * x + g->g12 * y);
    of->y -= s * (g->g12 * x + g->g22 * y);
}

void zm_march_origin_distance_change(const zm_cell_metric *g, zm_march_away d,
                                     double scale, zm_march_origin_change *of)
{
    norm_change(g, d.x, d.y, scale, of);
    of->metric.b1 -= scale * d.x;
    of->metric.b2 -= scale * d.y;
    of->x += scale * g->b1;
    of->y += scale * g->b2;
}

void zm_march_origin_kappa_change(const zm_march_origin *o, zm_march_away d, double mx,
                                  double my, double scale, zm_march_origin_change *of)
{
    const zm_cell_metric *g = &o->metric;
    const double length = norm(g, d.x, d.y);
    const double gx = g->g11 * mx + g->g12 * my, gy = g->g12 * mx + g->g22 * my;
    const double slope = (gx * d.x + gy * d.y) / length; /* d'Gm / |d| */
    const double s = scale / length;

    norm_change(g, d.x + mx, d.y + my, scale, of);
    /* -|d| - d'Gm/|d|, whose second term has a factor 1/|d| of its own */
    norm_change(g, d.x, d.y, -scale + s * slope, of);
    of->metric.g11 -= s * d.x * mx;
    of->metric.g12 -= s * (d.x * my + d.y * mx);
    of->metric.g22 -= s * d.y * my;
    of->x += s * gx;
    of->y += s * gy;
}

/* Bilinear shares of the cells (0, 0), (1, 0), (0, 1), (1, 1) around a source, and their
 * derivatives with respect to its position. */
typedef struct shares {
    double of[4], by_x[4], by_y[4];
} shares;

static shares shares_at(const zm_march_origin *o)
{
    const double x = o->x - floor(o->x), y = o->y - floor(o->y);

    return (shares){ { (1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y },
                     { y - 1, 1 - y, -y, y },
                     { x - 1, -x, 1 - x, x } };
}

/* Whether no wall stands between a source and the cell at (dx, dy) from the upper left of
 * the four around it.  The cell that the source is in stands for it. */
static bool seen_from(const zm_march *m, const zm_march_origin *o, int32_t dx,
                      int32_t dy)
{
    const int32_t col = (int32_t)floor(o->x) + dx, row = (int32_t)floor(o->y) + dy;
    const zm_local_offset to = { (int16_t)((int32_t)floor(o->x + 0.5) - col),
                                 (int16_t)((int32_t)floor(o->y + 0.5) - row) };

    return !m->has_walls || zm_march_visible(m, row, col, to);
}

/* The cells around a source that see it, and their share in the metric there. */
static void origin_place(const zm_march *m, zm_march_origin *o)
{
    const double col = floor(o->x), row = floor(o->y);
    const shares s = shares_at(o);
    double sum = 0;

    o->n = 0;
    o->metric = (zm_cell_metric){ 0 };
    for (int i = 0; i < 4; i++) {
        size_t cell;

        if (s.of[i] > 0 &&
            zm_march_neighbour(m, (int32_t)row, (int32_t)col, i & 1, i >> 1, &cell) &&
            !(m->kind[cell] & ZM_MARCH_WALL) && seen_from(m, o, i & 1, i >> 1)) {
            o->cell[o->n] = (uint32_t)cell;
            o->corner[o->n] = (uint8_t)i;
            o->weight[o->n++] = s.of[i];
            sum += s.of[i];
        }
    }
    for (int i = 0; i < o->n; i++) {
        const zm_cell_metric *g = &m->metric[o->cell[i]];

        o->weight[i] /= sum;
        o->metric.g11 += o->weight[i] * g->g11;
        o->metric.g12 += o->weight[i] * g->g12;
        o->metric.g22 += o->weight[i] * g->g22;
        o->metric.b1 += o->weight[i] * g->b1;
        o->metric.b2 += o->weight[i] * g->b2;
    }
}

static void start_cell(zm_march *m, uint32_t label, size_t cell)
{
    const zm_march_origin *o = &m->origins[label];
    const zm_march_away d =
        zm_march_origin_away(m, o, zm_march_row(m, cell), zm_march_col(m, cell));
    const double time = o->time + (zm_march_origin_distance(&o->metric, d) +
                                   zm_march_origin_distance(&m->metric[cell], d)) /
                                      2;

    if (time < m->T[cell]) {
        m->kind[cell] |= ZM_MARCH_STARTS;
        m->T[cell] = time;
        m->steps[cell] = (zm_march_step){ .kind = ZM_NODE_SOURCE, .label = label };
        m->label[cell] = label;
        zm_heap_push(&m->heap, (uint32_t)cell, time);
    }
}

/* Whether the way to a cell at d costs about the same with the metric at the source and with
 * its own, so that their mean is good. */
static bool alike(const zm_march *m, const zm_march_origin *source, size_t cell,
                  zm_march_away d)
{
    const double there = zm_march_origin_distance(&source->metric, d),
                 here = zm_march_origin_distance(&m->metric[cell], d);

    return fabs(there - here) <= 0.1 * (there + here);
}

/* Whether donor o of a cell at d from the source is in the grid, and earlier than the
 * cell. */
static bool donor_earlier(const zm_march *m, const zm_march_origin *source, size_t cell,
                          zm_march_away d, zm_local_offset o)
{
    const zm_march_away donor = { d.x + o.x, d.y + o.y };
    size_t there;

    return zm_march_donor(m, cell, o.x, o.y, &there) &&
           zm_march_origin_distance(&source->metric, donor) <
               zm_march_origin_distance(&source->metric, d);
}

/* Whether a cell must start: the source lies inside its stencil, so that there is no front for
 * it to see before it has passed; or, if factored, one of the donors that the exact
 * solution comes from is later than the cell or outside of the grid.  d is the cell's
 * place seen from the source; the source is in the triangle (p, q) where -d = u p + v q
 * with u, v >= 0. */
static bool must_start(const zm_march *m, const zm_march_origin *source, size_t cell,
                       zm_march_away d)
{
    const zm_stencil_view stencil = zm_march_stencil(m, cell);

    for (int k = 0; k < stencil.n; k++) {
        const zm_local_offset p = stencil.m[k],
                              q = stencil.m[k + 1 < stencil.n ? k + 1 : 0];
        const double u = d.y * q.x - d.x * q.y, v = p.y * d.x - p.x * d.y;

        if (zm_march_blocked(p) || zm_march_blocked(q) || u < 0 || v < 0)
            continue;
        if (u + v <= 1)
            return true;
        return zm_march_origin_near(m, source, cell, d) && alike(m, source, cell, d) &&
               ((u > 0 && !donor_earlier(m, source, cell, d, p)) ||
                (v > 0 && !donor_earlier(m, source, cell, d, q)));
    }
    return false;
}

/* Starts those of the cells (dx, dy), from <= dx <= to, that must. */
static void start_row(zm_march *m, uint32_t label, int32_t dy, double from, double to)
{
    enum { FARTHEST = 1 << 14 }; /* offsets are 16 bits */
    const zm_march_origin *o = &m->origins[label];
    const int32_t row = (int32_t)floor(o->y), col = (int32_t)floor(o->x);
    const double first = m->scheme.periodic_x ? -m->grid.cols / 2 : -col;
    const double last = first + m->grid.cols - 1;
    size_t cell;

    if (abs(dy) > FARTHEST ||
        (m->scheme.periodic_y && abs(2 * dy) > m->grid.rows)) /* nearer to an image */
        return;
    from = fmax(fmax(from, first), -FARTHEST);
    to = fmin(fmin(to, last), FARTHEST);
    for (int32_t dx = (int32_t)ceil(from); dx <= to; dx++) {
        const zm_march_away d = { col + dx - o->x, row + dy - o->y };

        if (zm_march_neighbour(m, row, col, dx, dy, &cell) &&
            !(m->kind[cell] & ZM_MARCH_WALL) && must_start(m, o, cell, d) &&
            seen_from(m, o, dx, dy))
            start_cell(m, label, cell);
    }
}

/* Longest |m|_G of the stencil at a source. */
static double longest_step(const zm_march *m, const zm_march_origin *o)
{
    const zm_stencil_view stencil = zm_march_stencil(m, o->cell[0]);
    double longest = 0;

    for (int k = 0; k < stencil.n; k++)
        longest = fmax(longest, norm(&o->metric, stencil.m[k].x, stencil.m[k].y));
    return longest;
}

/* Beyond this many times the longest step a factored cell sees its donors come first: kappa
 * is about |m|^2 / (2 |d|) there, and the margin of the stencils 0.1 |m|. */
static const double NEAR_STEPS = 6;

/* Starts cells in the ellipse |d|_G <= radius. */
static void start_ellipse(zm_march *m, uint32_t label, double radius)
{
    const zm_march_origin *o = &m->origins[label];
    const zm_cell_metric *g = &o->metric;
    const double det = g->g11 * g->g22 - g->g12 * g->g12, y0 = o->y - floor(o->y),
                 x0 = o->x - floor(o->x);
    const double down =
        fmin(radius * sqrt(g->g11 / det), (double)m->grid.rows); /* half its height */

    for (int32_t dy = (int32_t)ceil(y0 - down); dy <= y0 + down; dy++) {
        const double y = dy - y0, r2 = g->g11 * radius * radius - det * y * y;
        const double half = sqrt(r2 > 0 ? r2 : 0) / g->g11,
                     middle = x0 - g->g12 / g->g11 * y;

        start_row(m, label, dy, middle - half, middle + half);
    }
}

static void origin_begin(zm_march *m, uint32_t label)
{
    const zm_march_origin *o = &m->origins[label];
    const bool middle = o->x == floor(o->x) && o->y == floor(o->y),
               factored = m->scheme.factor_radius > 0;

    for (int i = 0; i < o->n; i++)
        start_cell(m, label, o->cell[i]);
    if (!middle || factored)
        for (int32_t dy = -m->reach; dy <= m->reach + 1; dy++)
            start_row(m, label, dy, -m->reach, m->reach + 1);
    if (factored)
        start_ellipse(m, label, NEAR_STEPS * longest_step(m, o));
}

static bool origins_grow(zm_march *m, size_t n)
{
    const size_t size = sizeof *m->origins + sizeof *m->changes;

    if (n <= m->room_origins)
        return true;
    m->part.bytes -= m->room_origins * size;
    zm_release(&m->mem, m->origins);
    zm_release(&m->mem, m->changes);
    m->origins = zm_block(&m->mem, n, sizeof *m->origins);
    m->changes = zm_block(&m->mem, n, sizeof *m->changes);
    m->room_origins = m->origins && m->changes ? n : 0;
    m->part.bytes += m->room_origins * size;
    return m->room_origins == n;
}

zm_status zm_march_start(zm_march *m, const zm_problem *problem, zm_error *err)
{
    const size_t n = problem->n_sources;

    if (!origins_grow(m, n))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu sources", n);
    m->n_origins = n;
    m->start = zm_problem_start(problem) / m->unit;
    for (size_t i = 0; i < n; i++) {
        const zm_source source = problem->sources[i];
        const zm_status st = zm_source_check(m->grid, &source, i, NULL, err);

        if (st != ZM_OK) /* another thread has moved it since it was checked first */
            return st;
        m->origins[i] = (zm_march_origin){ .x = source.col,
                                           .y = source.row,
                                           .time = source.time / m->unit - m->start,
                                           .start = source.time / m->unit };
        origin_place(m, &m->origins[i]);
        if (m->origins[i].n == 0) /* no cell around it is open: it was moved there */
            return zm_source_in_wall(m->grid, &source, i, err);
        origin_begin(m, (uint32_t)i);
    }
    return ZM_OK;
}

static double metric_product(const zm_cell_metric *a, const zm_cell_metric *b)
{
    return a->g11 * b->g11 + a->g12 * b->g12 + a->g22 * b->g22 + a->b1 * b->b1 +
           a->b2 * b->b2;
}

zm_march_place_change zm_march_origin_place_change(const zm_march *m,
                                                   const zm_march_origin *o,
                                                   const zm_march_origin_change *of)
{
    const shares s = shares_at(o);
    const double mean = metric_product(&of->metric, &o->metric);
    zm_march_place_change by = { of->x, of->y };
    double sum = 0;

    /* metric = sum of share_i metric_i / sum of share_i, over the cells that see the source */
    for (int i = 0; i < o->n; i++)
        sum += s.of[o->corner[i]];
    for (int i = 0; i < o->n; i++) {
        const double more =
            (metric_product(&of->metric, &m->metric[o->cell[i]]) - mean) / sum;

        by.x += s.by_x[o->corner[i]] * more;
        by.y += s.by_y[o->corner[i]] * more;
    }
    return by;
}
