/* SPDX-License-Identifier: Apache-2.0
 * How the unknown fields make a metric and a drift: maps, derivatives, feasibility. */
#include "inverse/invert/parameter.h"

#include <math.h>

#include "eikonal/problem/problem.h"
#include "inverse/regularise/symmetric_log.h"
#include "zermelo/project.h"

/* One cell: its five planes, and their derivatives by the unknowns of the cell. */
typedef struct cell_map {
    double value[ZM_PLANES];
    double jacobian[ZM_PLANES][ZM_MOST_FIELDS];
} cell_map;

static bool is_wall(const zm_parameters *p, size_t i)
{
    return p->walls && p->walls[i];
}

/* A plane that is known; G = I and b = 0 where nothing is, and in walls, which may hold
 * anything. */
static double known(const zm_parameters *p, int plane, size_t i)
{
    const double *values = p->known[plane];

    if (plane == 2 && !values)
        values = p->known[0];
    if (values && !is_wall(p, i))
        return values[i];
    return plane == 0 || plane == 2 ? 1.0 : 0.0;
}

/* g and dg/ds of one scalar. */
static inline void scalar_map(zm_metric_map map, double s, double *g, double *dg)
{
    switch (map) {
    case ZM_METRIC_FACTOR:
        *g = s * s;
        *dg = 2.0 * s;
        break;
    case ZM_METRIC_LOG:
        *g = *dg = exp(s);
        break;
    default:
        *g = s;
        *dg = 1.0;
    }
}

static double scalar_inverse(zm_metric_map map, double g)
{
    return map == ZM_METRIC_FACTOR ? sqrt(g) : map == ZM_METRIC_LOG ? log(g) : g;
}

/* G = L L' with L = [[a, 0], [c, d]]. */
static void cholesky_map(const double *th, cell_map *m)
{
    const double a = th[0], c = th[1], d = th[2];

    m->value[0] = a * a;
    m->value[1] = a * c;
    m->value[2] = c * c + d * d;
    m->jacobian[0][0] = 2 * a;
    m->jacobian[1][0] = c;
    m->jacobian[1][1] = a;
    m->jacobian[2][1] = 2 * c;
    m->jacobian[2][2] = 2 * d;
}

/* G = exp S, S = [[th0, th1], [th1, th2]]. */
static void exponential_map(const double *th, cell_map *m)
{
    static const zm_sym2 unit[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    const zm_sym2_map f = zm_sym2_exp((zm_sym2){ th[0], th[1], th[2] });

    m->value[0] = f.value.a11;
    m->value[1] = f.value.a12;
    m->value[2] = f.value.a22;
    for (int k = 0; k < 3; k++) {
        const zm_sym2 d = zm_sym2_derivative(&f, unit[k]);

        m->jacobian[0][k] = d.a11;
        m->jacobian[1][k] = d.a12;
        m->jacobian[2][k] = d.a22;
    }
}

static void metric_map(const zm_parameters *p, const double *th, size_t i, cell_map *m)
{
    switch (p->metric_fields) {
    case 0:
        for (int k = 0; k < 3; k++)
            m->value[k] = known(p, k, i);
        break;
    case 1:
        scalar_map(p->metric_map, th[0], &m->value[0], &m->jacobian[0][0]);
        m->value[2] = m->value[0];
        m->jacobian[2][0] = m->jacobian[0][0];
        break;
    case 2:
        scalar_map(p->metric_map, th[0], &m->value[0], &m->jacobian[0][0]);
        scalar_map(p->metric_map, th[1], &m->value[2], &m->jacobian[2][1]);
        break;
    default:
        if (p->metric_map == ZM_METRIC_FACTOR) {
            cholesky_map(th, m);
        } else if (p->metric_map == ZM_METRIC_LOG) {
            exponential_map(th, m);
        } else {
            for (int k = 0; k < 3; k++) {
                m->value[k] = th[k];
                m->jacobian[k][k] = 1.0;
            }
        }
    }
}

/* b = f L y with f = rho / sqrt(1 + |y|^2), L = [[a, 0], [c, d]], a = sqrt(g11), c = g12/a,
 * d = sqrt(g22 - c^2).  By the metric: da = dg11 / 2a, dc = (dg12 - c da) / a,
 * dd = (dg22 - 2 c dc) / 2d. */
static void ball_map(const zm_parameters *p, const double *y, cell_map *m)
{
    const int K = p->metric_fields;
    const double a = sqrt(m->value[0]), c = m->value[1] / a;
    const double d = sqrt(m->value[2] - c * c);
    const double u = 1 + y[0] * y[0] + y[1] * y[1], f = p->rho / sqrt(u);
    const double b1 = f * a * y[0], b2 = f * (c * y[0] + d * y[1]);

    m->value[3] = b1;
    m->value[4] = b2;
    for (int k = 0; k < K; k++) {
        const double da = m->jacobian[0][k] / (2 * a);
        const double dc = (m->jacobian[1][k] - c * da) / a;
        const double dd = (m->jacobian[2][k] - 2 * c * dc) / (2 * d);

        m->jacobian[3][k] = f * da * y[0];
        m->jacobian[4][k] = f * (dc * y[0] + dd * y[1]);
    }
    m->jacobian[3][K] = f * a - b1 * y[0] / u;
    m->jacobian[3][K + 1] = -b1 * y[1] / u;
    m->jacobian[4][K] = f * c - b2 * y[0] / u;
    m->jacobian[4][K + 1] = f * d - b2 * y[1] / u;
}

static void drift_map(const zm_parameters *p, const double *y, size_t i, cell_map *m)
{
    const int K = p->metric_fields;

    if (p->drift_fields == 0) {
        m->value[3] = known(p, 3, i);
        m->value[4] = known(p, 4, i);
    } else if (p->drift_map == ZM_DRIFT_BALL) {
        ball_map(p, y, m);
    } else {
        m->value[3] = y[0];
        m->value[4] = y[1];
        m->jacobian[3][K] = m->jacobian[4][K + 1] = 1.0;
    }
}

/* The unknowns of one cell with their units. */
static void load_cell(const zm_parameters *p, const double *theta, size_t i, double *th)
{
    for (int k = 0; k < zm_parameters_fields(p); k++)
        th[k] = p->scale[k] * theta[(size_t)k * p->n + i];
}

static void store_cell(const zm_parameters *p, const double *th, size_t i,
                       double *theta)
{
    for (int k = 0; k < zm_parameters_fields(p); k++)
        theta[(size_t)k * p->n + i] = th[k] / p->scale[k];
}

/* A relative change d of the slowness s = sqrt(g) is s d in s, 2 d in log g, 2 g d in g. */
void zm_parameters_rescale(zm_parameters *p, double slowness)
{
    const double s = slowness, metric = p->metric_map == ZM_METRIC_FACTOR ? s
                                        : p->metric_map == ZM_METRIC_LOG  ? 2.0
                                                                          : 2.0 * s * s;

    for (int k = 0; k < p->metric_fields; k++)
        p->scale[k] = metric;
    if (p->metric_fields == 3 && p->metric_map != ZM_METRIC_FACTOR)
        p->scale[1] /= sqrt(2.0);
    for (int k = 0; k < p->drift_fields; k++)
        p->scale[p->metric_fields + k] = p->drift_map == ZM_DRIFT_BALL ? 1.0 : s;
}

static cell_map map_cell(const zm_parameters *p, const double *theta, size_t i)
{
    const int K = zm_parameters_fields(p);
    double th[ZM_MOST_FIELDS] = { 0 };
    cell_map m = { 0 };

    load_cell(p, theta, i, th);
    metric_map(p, th, i, &m);
    drift_map(p, th + p->metric_fields, i, &m);
    for (int plane = 0; plane < ZM_PLANES; plane++)
        for (int k = 0; k < K; k++)
            m.jacobian[plane][k] *= p->scale[k];
    return m;
}

/* The isotropic case has a path of its own: it is the common one on large grids. */
static bool is_scalar(const zm_parameters *p)
{
    return p->metric_fields == 1 && p->drift_fields == 0;
}

void zm_parameters_planes(const zm_parameters *p, const double *theta,
                          double *const planes[ZM_PLANES])
{
    double unused;

    if (is_scalar(p)) {
        for (size_t i = 0; i < p->n; i++)
            scalar_map(p->metric_map, p->scale[0] * theta[i], &planes[0][i], &unused);
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        const cell_map m = map_cell(p, theta, i);

        for (int k = 0; k < ZM_PLANES; k++)
            if (zm_parameters_varies(p, k))
                planes[k][i] = m.value[k];
    }
}

void zm_parameters_tangent(const zm_parameters *p, const double *theta,
                           const double *d_theta, double *const d_planes[ZM_PLANES])
{
    const int K = zm_parameters_fields(p);
    double g, dg;

    if (is_scalar(p)) {
        for (size_t i = 0; i < p->n; i++) {
            scalar_map(p->metric_map, p->scale[0] * theta[i], &g, &dg);
            d_planes[0][i] = p->scale[0] * dg * d_theta[i];
        }
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        const cell_map m = map_cell(p, theta, i);

        for (int k = 0; k < ZM_PLANES; k++) {
            double sum = 0.0;

            if (!zm_parameters_varies(p, k))
                continue;
            for (int j = 0; j < K; j++)
                sum += m.jacobian[k][j] * d_theta[(size_t)j * p->n + i];
            d_planes[k][i] = sum;
        }
    }
}

void zm_parameters_adjoint(const zm_parameters *p, const double *theta,
                           const double *const d_planes[ZM_PLANES], double *d_theta)
{
    const int K = zm_parameters_fields(p);
    double g, dg;

    if (is_scalar(p)) {
        for (size_t i = 0; i < p->n; i++) {
            scalar_map(p->metric_map, p->scale[0] * theta[i], &g, &dg);
            d_theta[i] = p->scale[0] * dg * d_planes[0][i];
        }
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        const cell_map m = map_cell(p, theta, i);

        for (int j = 0; j < K; j++) {
            double sum = 0.0;

            for (int k = 0; k < ZM_PLANES; k++)
                if (zm_parameters_varies(p, k))
                    sum += m.jacobian[k][j] * d_planes[k][i];
            d_theta[(size_t)j * p->n + i] = sum;
        }
    }
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static bool is_off_diagonal(const zm_parameters *p, int field)
{
    return p->metric_fields == 3 && field == 1;
}

/* Of a field of the metric, with its unit. */
static void metric_bounds(const zm_parameters *p, int field, double *low, double *high)
{
    *low = scalar_inverse(p->metric_map, p->eig_min);
    *high = scalar_inverse(p->metric_map, p->eig_max);
    if (is_off_diagonal(p, field)) {
        *high = fmax(fabs(*low), fabs(*high));
        *low = -*high;
    }
}

void zm_parameters_bounds(const zm_parameters *p, int field, double *lower,
                          double *upper)
{
    *lower = -INFINITY;
    *upper = INFINITY;
    if (field >= p->metric_fields)
        return;
    metric_bounds(p, field, lower, upper);
    *lower /= p->scale[field];
    *upper /= p->scale[field];
}

static void invert_full_metric(zm_metric_map map, const double G[3], double *th)
{
    if (map == ZM_METRIC_LOG) {
        const zm_sym2 S = zm_sym2_log((zm_sym2){ G[0], G[1], G[2] }).value;

        th[0] = S.a11;
        th[1] = S.a12;
        th[2] = S.a22;
    } else if (map == ZM_METRIC_FACTOR) {
        th[0] = sqrt(G[0]);
        th[1] = G[1] / th[0];
        th[2] = sqrt(G[2] - th[1] * th[1]);
    } else {
        for (int k = 0; k < 3; k++)
            th[k] = G[k];
    }
}

static bool is_within(const zm_parameters *p, const double G[3])
{
    const double mean = 0.5 * (G[0] + G[2]), spread = hypot(0.5 * (G[0] - G[2]), G[1]);

    return mean - spread >= p->eig_min && mean + spread <= p->eig_max;
}

/* Eigenvalues of the full G into their bounds. */
static void project_full_metric(const zm_parameters *p, double *th)
{
    const zm_project_opts opts = { sizeof opts, p->eig_min, p->eig_max, 0.0 };
    cell_map m = { 0 };
    double *G = m.value;
    const zm_metric in = { ZM_F64, &G[0], &G[1], &G[2], NULL, NULL };
    const zm_metric_out out = { &G[0], &G[1], &G[2], NULL, NULL };

    metric_map(p, th, 0, &m);
    if (!is_within(p, G) && zm_project(&in, 1, &out, &opts, NULL) == ZM_OK)
        invert_full_metric(p->metric_map, G, th); /* else not finite: left as it is */
}

static void project_metric(const zm_parameters *p, double *th)
{
    const bool full = p->metric_fields == 3;

    /* Entries of a factor or a logarithm first: it must not overflow. */
    for (int k = 0; k < p->metric_fields; k++) {
        double low, high;

        metric_bounds(p, k, &low, &high);
        if (!full || p->metric_map != ZM_METRIC_PLAIN)
            th[k] = clamp(th[k], low, high);
    }
    if (full)
        project_full_metric(p, th);
}

static void project_drift(const zm_parameters *p, const cell_map *m, double *y)
{
    const zm_project_opts opts = { sizeof opts, 1e-300, HUGE_VAL, p->rho };
    double G[3] = { m->value[0], m->value[1], m->value[2] };
    const zm_metric in = { ZM_F64, &G[0], &G[1], &G[2], &y[0], &y[1] };
    const zm_metric_out out = { &G[0], &G[1], &G[2], &y[0], &y[1] };

    (void)zm_project(&in, 1, &out, &opts, NULL);
}

/* G -> f^2 G, with the smallest f >= 1 that makes a known drift feasible. */
static void project_for_drift(const zm_parameters *p, const cell_map *m, double *th)
{
    const double *g = m->value, b1 = g[3], b2 = g[4];
    const double norm = sqrt((b1 * b1 * g[2] - 2 * b1 * b2 * g[1] + b2 * b2 * g[0]) /
                             (g[0] * g[2] - g[1] * g[1]));
    const double f = norm / p->rho;

    for (int k = 0; k < p->metric_fields && f > 1.0; k++) {
        if (p->metric_map != ZM_METRIC_LOG)
            th[k] *= p->metric_map == ZM_METRIC_FACTOR ? f : f * f;
        else if (!is_off_diagonal(p, k))
            th[k] += 2 * log(f);
    }
}

static void project_cell(const zm_parameters *p, size_t i, double *th)
{
    cell_map m = { 0 };

    project_metric(p, th);
    if (p->drift_fields ? p->drift_map == ZM_DRIFT_BALL : !p->known[3])
        return;
    metric_map(p, th, i, &m);
    drift_map(p, th + p->metric_fields, i, &m);
    if (p->drift_fields)
        project_drift(p, &m, th + p->metric_fields);
    else
        project_for_drift(p, &m, th);
}

void zm_parameters_project(const zm_parameters *p, double *theta)
{
    double th[ZM_MOST_FIELDS] = { 0 };

    for (size_t i = 0; i < p->n; i++) {
        load_cell(p, theta, i, th);
        project_cell(p, i, th);
        store_cell(p, th, i, theta);
    }
}

static void invert_metric(const zm_parameters *p, const zm_cell_metric *g, double *th)
{
    switch (p->metric_fields) {
    case 0:
        break;
    case 1: /* the isotropic metric of the same area of the unit ball */
        th[0] = scalar_inverse(p->metric_map, sqrt(g->g11 * g->g22 - g->g12 * g->g12));
        break;
    case 2:
        th[0] = scalar_inverse(p->metric_map, g->g11);
        th[1] = scalar_inverse(p->metric_map, g->g22);
        break;
    default:
        invert_full_metric(p->metric_map, (const double[]){ g->g11, g->g12, g->g22 },
                           th);
    }
}

/* y = z / sqrt(1 - |z|^2) with z = L^-1 b / rho, at most 0.999 long. */
static void invert_drift(const zm_parameters *p, const cell_map *m,
                         const zm_cell_metric *g, double *y)
{
    const double a = sqrt(m->value[0]), c = m->value[1] / a;
    const double d = sqrt(m->value[2] - c * c);
    double z1 = g->b1 / a / p->rho, z2 = (g->b2 - c * (g->b1 / a)) / d / p->rho;
    const double length = hypot(z1, z2),
                 shorten = length > 0.999 ? 0.999 / length : 1.0;

    y[0] = g->b1;
    y[1] = g->b2;
    if (p->drift_map != ZM_DRIFT_BALL)
        return;
    z1 *= shorten;
    z2 *= shorten;
    y[0] = z1 / sqrt(1 - z1 * z1 - z2 * z2);
    y[1] = z2 / sqrt(1 - z1 * z1 - z2 * z2);
}

void zm_parameters_from_metric(const zm_parameters *p, const zm_metric *metric,
                               double *theta)
{
    const zm_cell_metric one = { 1.0, 0.0, 1.0, 0.0, 0.0 };
    double th[ZM_MOST_FIELDS] = { 0 };

    for (size_t i = 0; i < p->n; i++) {
        const zm_cell_metric g = is_wall(p, i) ? one : zm_metric_at(metric, i);
        cell_map m = { 0 };

        invert_metric(p, &g, th);
        project_metric(p, th);
        metric_map(p, th, i, &m);
        if (p->drift_fields)
            invert_drift(p, &m, &g, th + p->metric_fields);
        project_cell(p, i, th);
        store_cell(p, th, i, theta);
    }
}

void zm_parameters_variance(const zm_parameters *p, const double *theta,
                            const double *covariance, double *const variance[ZM_PLANES])
{
    const int K = zm_parameters_fields(p);

    for (size_t i = 0; i < p->n; i++) {
        const cell_map m = map_cell(p, theta, i);

        for (int k = 0; k < ZM_PLANES; k++) {
            const double *c = covariance + i;
            double sum = 0.0;

            if (!zm_parameters_varies(p, k))
                continue;
            for (int a = 0; a < K; a++)
                for (int b = a; b < K; b++, c += p->n)
                    sum += (a == b ? 1 : 2) * m.jacobian[k][a] * m.jacobian[k][b] * *c;
            variance[k][i] = sum;
        }
    }
}
