/* SPDX-License-Identifier: Apache-2.0
 * Which unknowns of an inversion are feasible, and which ones stand for a given metric. */
#include "eikonal/problem/problem.h"
#include "inverse/invert/parameter_cell.h"
#include "inverse/regularise/symmetric_log.h"
#include "zermelo/project.h"

static double scalar_inverse(zm_metric_map map, double g)
{
    return map == ZM_METRIC_FACTOR ? sqrt(g) : map == ZM_METRIC_LOG ? log(g) : g;
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
    const zm_project_opts opts = { sizeof opts,         p->eig_min, p->eig_max, 0.0,
                                   ZM_NONFINITE_REFUSE, 1 };
    zm_parameters_cell m = { 0 };
    double *G = m.value;
    const zm_metric in = { ZM_F64, &G[0], &G[1], &G[2], NULL, NULL };
    const zm_metric_out out = { &G[0], &G[1], &G[2], NULL, NULL };

    zm_parameters_map_metric(p, th, 0, &m);
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

static void project_drift(const zm_parameters *p, const zm_parameters_cell *m,
                          double *y)
{
    const zm_project_opts opts = { sizeof opts,         1e-300, HUGE_VAL, p->rho,
                                   ZM_NONFINITE_REFUSE, 1 };
    double G[3] = { m->value[0], m->value[1], m->value[2] };
    const zm_metric in = { ZM_F64, &G[0], &G[1], &G[2], &y[0], &y[1] };
    const zm_metric_out out = { &G[0], &G[1], &G[2], &y[0], &y[1] };

    (void)zm_project(&in, 1, &out, &opts, NULL);
}

/* G -> f^2 G, with the smallest f >= 1 that makes a known drift feasible. */
static void project_for_drift(const zm_parameters *p, const zm_parameters_cell *m,
                              double *th)
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
    zm_parameters_cell m = { 0 };

    project_metric(p, th);
    if (p->drift_fields ? p->drift_map == ZM_DRIFT_BALL : !p->known[3])
        return;
    zm_parameters_map_metric(p, th, i, &m);
    zm_parameters_map_drift(p, th + p->metric_fields, i, &m);
    if (p->drift_fields)
        project_drift(p, &m, th + p->metric_fields);
    else
        project_for_drift(p, &m, th);
}

void zm_parameters_project(const zm_parameters *p, double *theta)
{
    double th[ZM_MOST_FIELDS] = { 0 };

    for (size_t i = 0; i < p->n; i++) {
        zm_parameters_load(p, theta, i, th);
        project_cell(p, i, th);
        zm_parameters_store(p, th, i, theta);
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
static void invert_drift(const zm_parameters *p, const zm_parameters_cell *m,
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

/* I where no metric is given; I without drift in walls, which may hold anything. */
static zm_cell_metric given_at(const zm_parameters *p, const zm_metric *metric,
                               size_t i)
{
    if (zm_parameters_is_wall(p, i))
        return (zm_cell_metric){ 1.0, 0.0, 1.0, 0.0, 0.0 };
    if (!metric->g11)
        return (zm_cell_metric){ 1.0, 0.0, 1.0,
                                 zm_plane_value_or(metric->b1, metric->dtype, i, 0.0),
                                 zm_plane_value_or(metric->b2, metric->dtype, i, 0.0) };
    return zm_metric_at(metric, i);
}

void zm_parameters_from_metric(const zm_parameters *p, const zm_metric *metric,
                               double *theta)
{
    double th[ZM_MOST_FIELDS] = { 0 };

    for (size_t i = 0; i < p->n; i++) {
        const zm_cell_metric g = given_at(p, metric, i);
        zm_parameters_cell m = { 0 };

        invert_metric(p, &g, th);
        project_metric(p, th);
        zm_parameters_map_metric(p, th, i, &m);
        if (p->drift_fields)
            invert_drift(p, &m, &g, th + p->metric_fields);
        project_cell(p, i, th);
        zm_parameters_store(p, th, i, theta);
    }
}
