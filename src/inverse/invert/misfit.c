/* SPDX-License-Identifier: Apache-2.0
 * Observed times, and how far computed ones are from them. */
#include "inverse/invert/misfit.h"

#include <math.h>
#include <string.h>

double zm_misfit_at(const zm_observed *o, size_t i, const double *T)
{
    double t = 0.0;

    if (!o->right)
        return T[o->cell[i]];
    for (int k = 0; k < 4; k++) {
        size_t cell;
        const double share = zm_misfit_share(o, i, k, &cell);

        if (share > 0.0)
            t += share * T[cell];
    }
    return t;
}

void zm_misfit_spread(const zm_observed *o, size_t i, double value, double *out)
{
    if (!o->right) {
        out[o->cell[i]] += value;
        return;
    }
    for (int k = 0; k < 4; k++) {
        size_t cell;
        const double share = zm_misfit_share(o, i, k, &cell);

        if (share > 0.0)
            out[cell] += share * value;
    }
}

static double residual(const zm_observed *o, size_t i, const double *T)
{
    const double t = zm_misfit_at(o, i, T);

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

        zm_misfit_spread(o, i, weight(o, i, huber, r) * r / o->sigma[i], out);
    }
}

void zm_misfit_curve(const zm_observed *o, double huber, const double *T, size_t cells,
                     const double *dT, double *out)
{
    memset(out, 0, cells * sizeof *out);
    for (size_t i = 0; i < o->n; i++) {
        const double r = residual(o, i, T), s = o->sigma[i];

        zm_misfit_spread(
            o, i, weight(o, i, huber, r) / (s * s) * zm_misfit_at(o, i, dT), out);
    }
}

void zm_misfit_noise(const zm_observed *o, double huber, const double *T, size_t cells,
                     uint64_t *random, double *out)
{
    memset(out, 0, cells * sizeof *out);
    for (size_t i = 0; i < o->n; i++) {
        const double r = residual(o, i, T);

        zm_misfit_spread(
            o, i, sqrt(weight(o, i, huber, r)) / o->sigma[i] * zm_misfit_draw(random),
            out);
    }
}
