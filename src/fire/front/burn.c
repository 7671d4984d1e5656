/* SPDX-License-Identifier: Apache-2.0
 * A fire from its weather to maps of its times. */
#include <math.h>

#include "core/fail.h"
#include "fire/front/model.h"

zm_status zm_physics_burn(zm_physics *p, const zm_fire *fire,
                          const zm_physics_params *params, const zm_source *sources,
                          size_t n_sources, double horizon, double t_max, float *whole,
                          float *T, zm_error *err)
{
    const size_t n = (size_t)p->land.rows * (size_t)p->land.cols;
    double *times;
    zm_status st;

    if (!(t_max <= horizon))
        return zm_fail(err, ZM_E_ARG, -1,
                       "t_max %g h, must be at most the horizon %g h", t_max, horizon);
    if (!(times = zm_block(&p->mem, n, sizeof *times)))
        return zm_fail(err, ZM_E_NOMEM, -1, "times of %zu cells", n);
    ZM_GO(zm_physics_set_fire(p, fire, params, horizon, err));
    ZM_GO(zm_physics_arrival(p, sources, n_sources, horizon, times, err));
    for (size_t i = 0; i < n; i++) {
        if (whole)
            whole[i] = (float)times[i];
        if (T)
            T[i] = times[i] > t_max ? INFINITY : (float)times[i];
    }
done:
    zm_release(&p->mem, times);
    return st;
}
