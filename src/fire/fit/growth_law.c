/* SPDX-License-Identifier: Apache-2.0
 * Probability with which a cell burns until the next perimeter (zm_growth_law). */
#include <math.h>

#include "core/pi.h"
#include "fire/fit/growth.h"

double *zm_fit_law_parameters(zm_growth_law *law)
{
    return &law->distance;
}

static double normal_share(double u)
{
    return 0.5 * erfc(-u / sqrt(2.0));
}

static double normal_density(double u)
{
    return exp(-0.5 * u * u) / sqrt(2 * ZM_PI);
}

/* With z = spread^2 + (w V)^2, u = (m - l)/sqrt(z):
 * dp/dm = s phi/sqrt(z), dp/dw = -s phi ((lP - lD)/sqrt(z) + u w v/z),
 * dp/dlog(spread) = -s phi u spread^2/z, dp/dopen = s (1 - s) Phi. */
double zm_fit_law_probability(const zm_growth_case *c, size_t i,
                              const zm_growth_law *law, double *d)
{
    const double w = law->physics, spread = exp(law->log_spread);
    const double z = spread * spread + w * w * c->variance[i], root = sqrt(z);
    const double more = c->log_model[i] - c->log_distance[i];
    const double l = c->log_distance[i] + w * more;
    const double m = law->distance + law->area * c->log_radius +
                     law->time * c->log_time + law->memory * c->memory +
                     law->edge * c->edge[i] + law->barren * c->barren[i];
    const double u = (m - l) / root, share = normal_share(u);
    const double s = 1 / (1 + exp(-law->open - law->moved * c->moved[i]));

    if (d) {
        const double slope = s * normal_density(u), by_m = slope / root;
        const double by_open = s * (1 - s) * share;

        d[0] = by_m;
        d[1] = by_m * c->log_radius;
        d[2] = by_m * c->log_time;
        d[3] = by_m * c->memory;
        d[4] = by_m * c->edge[i];
        d[5] = by_m * c->barren[i];
        d[6] = -slope * u * spread * spread / z;
        d[7] = by_open;
        d[8] = by_open * c->moved[i];
        d[9] = -slope * (more / root + u * w * c->variance[i] / z);
    }
    return s * share;
}
