/* SPDX-License-Identifier: Apache-2.0
 * Derivatives that lead back from where a projection clamps. */
#include "fire/learn/inward.h"

#include <math.h>

/* Along the eigenvector (c, s) of the eigenvalue l. */
static void add_eigenvalue(double l, double c, double s, const double d[3],
                           const zm_project_opts *bounds, double d_in[3])
{
    const double along = c * c * d[0] + c * s * d[1] + s * s * d[2]; /* dL/dl */

    if ((l < bounds->eig_min && along < 0) || (l > bounds->eig_max && along > 0)) {
        d_in[0] += along * c * c;
        d_in[1] += along * 2 * c * s;
        d_in[2] += along * s * s;
    }
}

static double clamped(double l, const zm_project_opts *bounds)
{
    return fmin(fmax(l, bounds->eig_min), bounds->eig_max);
}

void zm_field_inward_derivative(const double raw[5], const double d[5],
                                const zm_project_opts *bounds, double d_in[5])
{
    const double mean = (raw[0] + raw[2]) / 2, half = (raw[0] - raw[2]) / 2;
    const double radius = hypot(half, raw[1]), angle = atan2(raw[1], half) / 2;
    const double c = cos(angle), s = sin(angle); /* of the larger eigenvalue */
    const double large = clamped(mean + radius, bounds),
                 small = clamped(mean - radius, bounds);
    const double u = c * raw[3] + s * raw[4], v = c * raw[4] - s * raw[3];
    const double norm = sqrt(u * u / large + v * v / small); /* |b|_{G^-1} */
    const double along = raw[3] * d[3] + raw[4] * d[4];

    add_eigenvalue(mean + radius, c, s, d, bounds, d_in);
    add_eigenvalue(mean - radius, -s, c, d, bounds, d_in);
    if (norm > bounds->rho && along > 0) {
        const double scale =
            bounds->rho / norm * along / (raw[3] * raw[3] + raw[4] * raw[4]);

        d_in[3] += scale * raw[3];
        d_in[4] += scale * raw[4];
    }
}
