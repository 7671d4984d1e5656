/* SPDX-License-Identifier: Apache-2.0
 * How the unknown fields make planes of metric and drift, and the derivatives of these. */
#include "inverse/invert/parameter_cell.h"

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

static zm_parameters_cell map_cell(const zm_parameters *p, const double *theta,
                                   size_t i)
{
    const int K = zm_parameters_fields(p);
    double th[ZM_MOST_FIELDS] = { 0 };
    zm_parameters_cell m = { 0 };

    zm_parameters_load(p, theta, i, th);
    zm_parameters_map_metric(p, th, i, &m);
    zm_parameters_map_drift(p, th + p->metric_fields, i, &m);
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
            zm_parameters_scalar(p->metric_map, p->scale[0] * theta[i], &planes[0][i],
                                 &unused);
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        const zm_parameters_cell m = map_cell(p, theta, i);

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
            zm_parameters_scalar(p->metric_map, p->scale[0] * theta[i], &g, &dg);
            d_planes[0][i] = p->scale[0] * dg * d_theta[i];
        }
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        const zm_parameters_cell m = map_cell(p, theta, i);

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
            zm_parameters_scalar(p->metric_map, p->scale[0] * theta[i], &g, &dg);
            d_theta[i] = p->scale[0] * dg * d_planes[0][i];
        }
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        const zm_parameters_cell m = map_cell(p, theta, i);

        for (int j = 0; j < K; j++) {
            double sum = 0.0;

            for (int k = 0; k < ZM_PLANES; k++)
                if (zm_parameters_varies(p, k))
                    sum += m.jacobian[k][j] * d_planes[k][i];
            d_theta[(size_t)j * p->n + i] = sum;
        }
    }
}

void zm_parameters_variance(const zm_parameters *p, const double *theta,
                            const double *covariance, double *const variance[ZM_PLANES])
{
    const int K = zm_parameters_fields(p);

    for (size_t i = 0; i < p->n; i++) {
        const zm_parameters_cell m = map_cell(p, theta, i);

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
