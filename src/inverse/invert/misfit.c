/* SPDX-License-Identifier: Apache-2.0
 * Observed times, and how far computed ones are from them. */
#include "inverse/invert/misfit.h"

#include <math.h>
#include <string.h>

static double residual(const zm_observed *o, size_t i, const double *T)
{
    const double t = T[o->cell[i]];

    if (t < o->time[i])
        return (t - o->time[i]) / o->sigma[i];
    return t > o->upper[i] ? (t - o->upper[i]) / o->sigma[i] : 0.0;
}

/* rho'(r) / r, and 0 inside an interval, where a small change costs nothing. */
static double weight(const zm_observed *o, size_t i, double huber, double r)
{
    if (r == 0.0 && o->upper[i] > o->time[i])
        return 0.0;
    return fabs(r) > huber ? huber / fabs(r) : 1.0;
}

zm_misfit_sum zm_misfit(const zm_observed *o, double huber, const double *T)
{
    zm_misfit_sum sum = { 0.0, 0.0 };

    for (size_t i = 0; i < o->n; i++) {
        const double r = residual(o, i, T), size = fabs(r);

        sum.value += size > huber ? huber * (size - 0.5 * huber) : 0.5 * r * r;
        sum.chi2 += r * r;
    }
    return sum;
}

/* Several observations of one cell add up. */
void zm_misfit_slope(const zm_observed *o, double huber, const double *T, size_t cells,
                     double *out)
{
    memset(out, 0, cells * sizeof *out);
    for (size_t i = 0; i < o->n; i++) {
        const double r = residual(o, i, T);

        out[o->cell[i]] += weight(o, i, huber, r) * r / o->sigma[i];
    }
}

void zm_misfit_curve(const zm_observed *o, double huber, const double *T, size_t cells,
                     const double *dT, double *out)
{
    memset(out, 0, cells * sizeof *out);
    for (size_t i = 0; i < o->n; i++) {
        const double r = residual(o, i, T), s = o->sigma[i];
        const size_t k = o->cell[i];

        out[k] += weight(o, i, huber, r) / (s * s) * dT[k];
    }
}

void zm_misfit_noise(const zm_observed *o, double huber, const double *T, size_t cells,
                     uint64_t *random, double *out)
{
    memset(out, 0, cells * sizeof *out);
    for (size_t i = 0; i < o->n; i++) {
        const double r = residual(o, i, T);

        out[o->cell[i]] +=
            sqrt(weight(o, i, huber, r)) / o->sigma[i] * zm_misfit_draw(random);
    }
}
