/* SPDX-License-Identifier: Apache-2.0
 * Averages of the metric over neighbours.
 *
 * A front that FARSITE carries by points two cells apart does not follow fast ways one cell
 * wide.  With s = det(G)^(1/4), weights k_j of a narrow kernel and u the weight of the
 * neighbours that burn,
 *
 *     s~ = (sum k_j s_j^(1/2)/u)^2 (1 + hindrance (1 - u)),     e = sum k_j b_j/s_j / u,
 *     G~ = G (s~/s)^2,                                          b~ = e s~.
 *
 * Neighbours that do not burn hinder: the front squeezes through gaps.  Where shapes differ
 * much |e| in the norm of the cell could reach 1; it is cut at DRIFT_LIMIT. */
#include "fire/front/smooth.h"

#include <math.h>

static const double DRIFT_LIMIT = 0.998;

static const double NARROWEST = 1e-3; /* cells: less is none */

void zm_smooth_init(zm_smoother *s, double sigma, double hindrance, zm_lazy *raw)
{
    double sum = 0;

    *s = (zm_smoother){ .raw = raw, .hindrance = hindrance };
    for (int i = 0; i < ZM_SMOOTH_SIDE; i++)
        for (int j = 0; j < ZM_SMOOTH_SIDE; j++) {
            const int r = i - ZM_SMOOTH_RADIUS, c = j - ZM_SMOOTH_RADIUS;

            s->kernel[i][j] = sigma > NARROWEST
                                  ? exp(-(r * r + c * c) / (2 * sigma * sigma))
                                  : (r == 0 && c == 0);
            sum += s->kernel[i][j];
        }
    for (int i = 0; i < ZM_SMOOTH_SIDE; i++)
        for (int j = 0; j < ZM_SMOOTH_SIDE; j++)
            s->kernel[i][j] /= sum;
}

/** A neighbour; those outside the grid repeat its edge. */
typedef struct neighbour {
    int32_t row, col;
    const zm_cell_metric *metric;
    double k; /* 0: does not burn, or has no weight */
} neighbour;

static int32_t clamp(int32_t i, int32_t n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static neighbour neighbour_of(const zm_smoother *s, int32_t interval, int32_t row,
                              int32_t col, int i)
{
    const int r = i / ZM_SMOOTH_SIDE, c = i % ZM_SMOOTH_SIDE;
    neighbour n = { clamp(row + r - ZM_SMOOTH_RADIUS, s->raw->rows),
                    clamp(col + c - ZM_SMOOTH_RADIUS, s->raw->cols), NULL,
                    s->kernel[r][c] };

    if (n.k > 0) {
        n.metric = zm_lazy_get(s->raw, interval, n.row, n.col);
        if (!zm_burns(n.metric))
            n.k = 0;
    }
    return n;
}

enum { NEIGHBOURS = ZM_SMOOTH_SIDE * ZM_SMOOTH_SIDE };

void zm_smooth_neighbour(const zm_smoother *s, int32_t row, int32_t col, int i,
                         int32_t at[2])
{
    at[0] = clamp(row + i / ZM_SMOOTH_SIDE - ZM_SMOOTH_RADIUS, s->raw->rows);
    at[1] = clamp(col + i % ZM_SMOOTH_SIDE - ZM_SMOOTH_RADIUS, s->raw->cols);
}

double zm_smooth_rate(const zm_smoother *s, int32_t interval, int32_t row, int32_t col,
                      const double value[NEIGHBOURS])
{
    double sum = 0, all = 0;

    for (int i = 0; i < NEIGHBOURS; i++) {
        const neighbour n = neighbour_of(s, interval, row, col, i);

        if (n.k > 0) {
            const double root = n.k * sqrt(n.metric->s);

            all += root;
            sum += root * value[i];
        }
    }
    return sum / all;
}

/** The sums of the formulas. */
typedef struct sums {
    double u, root, e[2]; /* root = sum k_j sqrt(s_j)/u */
    double factor;        /* 1 + hindrance (1 - u) */
    double norm, cut;     /* |e| in the cell's norm; what e is multiplied by */
} sums;

/* N^2 = (g22 e1^2 - 2 g12 e1 e2 + g11 e2^2)/s^2, the norm of e for the shape G/s^2. */
static double norm_of(const zm_cell_metric *c, const double e[2])
{
    const double *g = c->m;

    return sqrt(fmax(0, g[2] * e[0] * e[0] - 2 * g[1] * e[0] * e[1] +
                            g[0] * e[1] * e[1])) /
           c->s;
}

static sums sums_at(const zm_smoother *s, int32_t interval, int32_t row, int32_t col,
                    const zm_cell_metric *here)
{
    sums x = { 0 };

    for (int i = 0; i < NEIGHBOURS; i++) {
        const neighbour n = neighbour_of(s, interval, row, col, i);

        if (n.k > 0) {
            x.u += n.k;
            x.root += n.k * sqrt(n.metric->s);
            x.e[0] += n.k * n.metric->m[3] / n.metric->s;
            x.e[1] += n.k * n.metric->m[4] / n.metric->s;
        }
    }
    x.root /= x.u;
    x.e[0] /= x.u;
    x.e[1] /= x.u;
    x.factor = 1 + s->hindrance * fmax(0, 1 - x.u);
    x.norm = norm_of(here, x.e);
    x.cut = x.norm > DRIFT_LIMIT ? DRIFT_LIMIT / x.norm : 1;
    return x;
}

void zm_smooth_fill(void *ctx, int32_t interval, int32_t row, int32_t col, void *value)
{
    const zm_smoother *s = ctx;
    const zm_cell_metric *here = zm_lazy_get(s->raw, interval, row, col);
    zm_cell_metric *out = value;

    if (!zm_burns(here)) {
        *out = (zm_cell_metric){ .s = 0 };
    } else {
        const sums x = sums_at(s, interval, row, col, here);
        const double ratio = x.root * x.root * x.factor / here->s;

        out->s = x.root * x.root * x.factor;
        for (int i = 0; i < 3; i++)
            out->m[i] = here->m[i] * ratio * ratio;
        for (int i = 0; i < 2; i++)
            out->m[3 + i] = x.cut * x.e[i] * out->s;
    }
}

/* Whether the raw metric changes here or next to it. */
static bool anything_changes(const zm_smoother *s, int32_t interval, int32_t row,
                             int32_t col)
{
    for (int i = 0; i < NEIGHBOURS; i++) {
        const neighbour n = neighbour_of(s, interval, row, col, i);
        const double *d =
            n.k > 0 ? zm_lazy_get(s->change, interval, n.row, n.col) : NULL;

        for (int k = 0; d && k < 5; k++)
            if (d[k] != 0)
                return true;
    }
    return false;
}

void zm_smooth_tangent(void *ctx, int32_t interval, int32_t row, int32_t col,
                       void *value)
{
    const zm_smoother *s = ctx;
    const zm_cell_metric *here = zm_lazy_get(s->raw, interval, row, col);
    const double *d_here;
    double *out = value, d_root = 0, de[2] = { 0, 0 }, ds, d_ratio, slow, ratio;
    sums x;

    for (int i = 0; i < 5; i++)
        out[i] = 0;
    if (!zm_burns(here) || !anything_changes(s, interval, row, col))
        return;
    x = sums_at(s, interval, row, col, here);
    for (int i = 0; i < NEIGHBOURS; i++) {
        const neighbour n = neighbour_of(s, interval, row, col, i);

        if (n.k > 0) {
            const double *d = zm_lazy_get(s->change, interval, n.row, n.col);
            const double sn = n.metric->s, dsn = zm_slowness_tangent(n.metric, d);

            d_root += n.k / x.u * dsn / (2 * sqrt(sn));
            for (int k = 0; k < 2; k++)
                de[k] += n.k / x.u * (d[3 + k] - n.metric->m[3 + k] * dsn / sn) / sn;
        }
    }
    d_here = zm_lazy_get(s->change, interval, row, col);
    if (x.cut < 1) { /* e LIMIT/N: d = cut (de - e dN/N) */
        const double *g = here->m, *dg = d_here, *e = x.e;
        const double half =
            (g[2] * e[0] * de[0] - g[1] * (e[0] * de[1] + e[1] * de[0]) +
             g[0] * e[1] * de[1] +
             0.5 * (dg[2] * e[0] * e[0] - 2 * dg[1] * e[0] * e[1] +
                    dg[0] * e[1] * e[1])) /
                (here->s * here->s) -
            x.norm * x.norm * zm_slowness_tangent(here, dg) / here->s;
        const double dN_N = half / (x.norm * x.norm);

        for (int k = 0; k < 2; k++)
            de[k] = x.cut * (de[k] - e[k] * dN_N);
    }
    slow = x.root * x.root * x.factor;
    ratio = slow / here->s;
    ds = 2 * x.root * d_root * x.factor;
    d_ratio = ds / here->s - ratio / here->s * zm_slowness_tangent(here, d_here);
    for (int i = 0; i < 3; i++)
        out[i] = d_here[i] * ratio * ratio + here->m[i] * 2 * ratio * d_ratio;
    for (int i = 0; i < 2; i++)
        out[3 + i] = de[i] * slow + x.cut * x.e[i] * ds;
}

void zm_smooth_adjoint(void *ctx, int32_t interval, int32_t row, int32_t col,
                       void *value)
{
    const zm_smoother *s = ctx;
    const zm_cell_metric *here = zm_lazy_get(s->raw, interval, row, col);
    const double *w = value;
    double *g_here, by_e[2], by_slow, by_ratio, slow, ratio;
    sums x;

    if (!zm_burns(here))
        return;
    x = sums_at(s, interval, row, col, here);
    slow = x.root * x.root * x.factor;
    ratio = slow / here->s;
    g_here = zm_lazy_get(s->change, interval, row, col);
    by_ratio = 0;
    for (int i = 0; i < 3; i++) {
        g_here[i] += w[i] * ratio * ratio;
        by_ratio += w[i] * here->m[i] * 2 * ratio;
    }
    zm_slowness_adjoint(here, -by_ratio * ratio / here->s, g_here);
    by_slow = by_ratio / here->s + x.cut * (w[3] * x.e[0] + w[4] * x.e[1]);
    by_e[0] = w[3] * slow;
    by_e[1] = w[4] * slow;
    if (x.cut < 1) {
        const double *g = here->m, *e = x.e, N2 = x.norm * x.norm;
        /* derivative with respect to half = N dN, divided by N^2 */
        const double by_half = -x.cut * (by_e[0] * e[0] + by_e[1] * e[1]) / N2;
        const double k = by_half / (here->s * here->s);

        by_e[0] = x.cut * by_e[0] + k * (g[2] * e[0] - g[1] * e[1]);
        by_e[1] = x.cut * by_e[1] + k * (g[0] * e[1] - g[1] * e[0]);
        g_here[2] += 0.5 * k * e[0] * e[0];
        g_here[1] -= k * e[0] * e[1];
        g_here[0] += 0.5 * k * e[1] * e[1];
        zm_slowness_adjoint(here, -by_half * N2 / here->s, g_here);
    }
    for (int i = 0; i < NEIGHBOURS; i++) {
        const neighbour n = neighbour_of(s, interval, row, col, i);

        if (n.k > 0) {
            double *g = zm_lazy_get(s->change, interval, n.row, n.col), by_s;
            const double sn = n.metric->s;

            by_s = by_slow * 2 * x.root * x.factor * n.k / x.u / (2 * sqrt(sn));
            for (int k = 0; k < 2; k++) {
                g[3 + k] += by_e[k] * n.k / x.u / sn;
                by_s -= by_e[k] * n.k / x.u * n.metric->m[3 + k] / (sn * sn);
            }
            zm_slowness_adjoint(n.metric, by_s, g);
        }
    }
}
