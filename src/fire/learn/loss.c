/* SPDX-License-Identifier: Apache-2.0
 * Losses of arrival times.
 *
 *     L = sum_i weight_i h(r_i),    r_i = t(T_i) - t(nearest end of interval i),
 *     t(T) = T/D  or  log(T + offset D),   h(r) = r^2/2 up to the bound of Huber, then a line. */
#include <math.h>

#include "zermelo/fire/learn.h"

static double residual(const zm_loss_opts *o, double T, double end, double duration,
                       double *slope)
{
    if (o->time == ZM_TIME_LINEAR) {
        *slope = 1 / duration;
        return (T - end) / duration;
    }
    *slope = 1 / (T + o->offset * duration);
    return log((T + o->offset * duration) / (end + o->offset * duration));
}

void zm_loss_opts_for(zm_loss_kind kind, zm_loss_opts *opts)
{
    static const double bounds[] = { [ZM_LOSS_LOG] = 0.5,
                                     [ZM_LOSS_HUBER] = 0.1,
                                     [ZM_LOSS_MSE] = HUGE_VAL,
                                     [ZM_LOSS_AREA] = 0.01 };

    opts->time = kind == ZM_LOSS_LOG ? ZM_TIME_LOG : ZM_TIME_LINEAR;
    opts->huber = bounds[kind];
}

double zm_loss(size_t n, const double *T, const double *low, const double *high,
               const double *weight, double duration, double *dL_dT,
               const zm_loss_opts *opts)
{
    const zm_loss_opts usual = ZM_LOSS_OPTS_INIT, *o = opts ? opts : &usual;
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        const double end = T[i] < low[i] ? low[i] : high[i];
        double slope, r, over;

        if (dL_dT)
            dL_dT[i] = 0;
        if (!(weight[i] > 0) || !isfinite(T[i]) || (T[i] >= low[i] && T[i] <= high[i]))
            continue;
        r = residual(o, T[i], end, duration, &slope);
        over = fabs(r) - o->huber;
        sum += weight[i] * (over > 0 ? o->huber * (fabs(r) - o->huber / 2) : r * r / 2);
        if (dL_dT)
            dL_dT[i] = weight[i] * slope * (over > 0 ? copysign(o->huber, r) : r);
    }
    return sum;
}
