/* SPDX-License-Identifier: Apache-2.0
 * One cell of an inversion: from its unknowns to its metric and drift. */
#include "inverse/invert/parameter_cell.h"

#include "inverse/regularise/symmetric_log.h"

/* A plane that is known; G = I and b = 0 where nothing is, and in walls, which may hold
 * anything. */
static double known(const zm_parameters *p, int plane, size_t i)
{
    const double *values = p->known[plane];

    if (plane == 2 && !values)
        values = p->known[0];
    if (values && !zm_parameters_is_wall(p, i))
        return values[i];
    return plane == 0 || plane == 2 ? 1.0 : 0.0;
}

/* G = L L' with L = [[a, 0], [c, d]]. */
static void cholesky_map(const double *th, zm_parameters_cell *m)
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
static void exponential_map(const double *th, zm_parameters_cell *m)
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

void zm_parameters_map_metric(const zm_parameters *p, const double *th, size_t i,
                              zm_parameters_cell *m)
{
    switch (p->metric_fields) {
    case 0:
        for (int k = 0; k < 3; k++)
            m->value[k] = known(p, k, i);
        break;
    case 1:
        zm_parameters_scalar(p->metric_map, th[0], &m->value[0], &m->jacobian[0][0]);
        m->value[2] = m->value[0];
        m->jacobian[2][0] = m->jacobian[0][0];
        break;
    case 2:
        zm_parameters_scalar(p->metric_map, th[0], &m->value[0], &m->jacobian[0][0]);
        zm_parameters_scalar(p->metric_map, th[1], &m->value[2], &m->jacobian[2][1]);
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
static void ball_map(const zm_parameters *p, const double *y, zm_parameters_cell *m)
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

void zm_parameters_map_drift(const zm_parameters *p, const double *y, size_t i,
                             zm_parameters_cell *m)
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
