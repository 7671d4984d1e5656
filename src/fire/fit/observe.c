/* SPDX-License-Identifier: Apache-2.0
 * What is known of when cells burned, as intervals. */
#include <math.h>
#include <stdbool.h>

#include "core/fail.h"
#include "zermelo/fire/calibrate.h"

void zm_observe_times(const float *T, size_t n, double duration, float *earliest,
                      float *latest)
{
    for (size_t i = 0; i < n; i++) {
        const bool burned = T[i] <= duration; /* false for NAN */

        earliest[i] = burned ? T[i] : isnan(T[i]) ? NAN : (float)duration;
        latest[i] = burned ? T[i] : isnan(T[i]) ? NAN : INFINITY;
    }
}

zm_status zm_observe_masks(const uint8_t *const *masks, const double *hours,
                           size_t n_masks, size_t n, float *earliest, float *latest,
                           zm_error *err)
{
    if (n_masks < 1)
        return zm_fail(err, ZM_E_ARG, -1, "no burned areas");
    for (size_t k = 0; k < n_masks; k++)
        if (!(hours[k] < HUGE_VAL) || (k > 0 && !(hours[k] > hours[k - 1])))
            return zm_fail(
                err, ZM_E_ARG, -1,
                "burned area %zu is of hour %g, must be later than that before", k,
                hours[k]);
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        while (k < n_masks && !masks[k][i])
            k++;
        earliest[i] = k > 0 ? (float)hours[k - 1] : 0;
        latest[i] = k < n_masks ? (float)hours[k] : INFINITY;
        if (latest[i] <= 0)
            earliest[i] = latest[i] = NAN; /* where it started */
    }
    return ZM_OK;
}
