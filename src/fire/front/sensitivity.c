/* SPDX-License-Identifier: Apache-2.0
 * What decides when a fire comes to assets. */
#include <math.h>

#include "core/fail.h"
#include "fire/front/model.h"

zm_asset_arrival zm_assets_arrival(const double *T, const uint8_t *assets, size_t n)
{
    zm_asset_arrival a = { 0, 0, 0, INFINITY };

    for (size_t i = 0; i < n; i++) {
        a.cells += assets[i] != 0;
        if (!assets[i] || !(T[i] < INFINITY))
            continue;
        a.reached++;
        a.mean += T[i];
        a.first = fmin(a.first, T[i]);
    }
    a.mean = a.reached > 0 ? a.mean / (double)a.reached : (double)NAN;
    return a;
}

zm_status zm_physics_sensitivity(zm_physics *p, const double *T, const uint8_t *assets,
                                 zm_physics_change *change, zm_asset_arrival *arrival,
                                 zm_error *err)
{
    const size_t n = (size_t)p->land.rows * (size_t)p->land.cols;
    const zm_asset_arrival a = zm_assets_arrival(T, assets, n);
    double *weight;
    zm_status st;

    if (arrival)
        *arrival = a;
    if (a.reached == 0)
        return zm_fail(err, ZM_E_ARG, -1,
                       "none of the %lld asset cells is reached: there is no time to "
                       "derive; a later t_max may reach them",
                       (long long)a.cells);
    weight = zm_zalloc(&p->mem, n, sizeof *weight);
    if (!weight)
        return zm_fail(err, ZM_E_NOMEM, -1, "weights of %zu cells", n);
    for (size_t i = 0; i < n; i++)
        if (assets[i] && T[i] < INFINITY)
            weight[i] = 1 / (double)a.reached;
    st = zm_physics_adjoint(p, weight, change, err);
    zm_release(&p->mem, weight);
    return st;
}
