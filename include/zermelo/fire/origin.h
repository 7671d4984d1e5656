/* SPDX-License-Identifier: Apache-2.0
 * Where and when a fire began, from perimeters or from places where it was seen to burn. */
#ifndef ZM_ORIGIN_H
#define ZM_ORIGIN_H

#include "physics.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The front was in a cell at an hour of the fire's clock.  This struct is frozen. */
typedef struct zm_sighting {
    int32_t row, col;
    double hour;
} zm_sighting;

/**
 * What a perimeter tells of its front: its cells with a neighbour outside that can burn.  Where the
 * perimeter lies along ground that cannot burn, the front may have arrived long before.
 *
 * @param mask in   rows*cols; not 0: burned
 * @param out  out  room for rows*cols, or NULL to count
 * @return how many
 */
ZM_API size_t zm_perimeter_sightings(const zm_landscape *landscape, const uint8_t *mask,
                                     double hour, zm_sighting *out);

typedef struct zm_origin_opts {
    size_t size;        /**< sizeof(zm_origin_opts) */
    int32_t threads;    /**< >= 1; never changes the result */
    int32_t candidates; /**< >= 9: places that are tried before the best are refined */
    double since;       /**< h, >= 0: the fire did not begin before */
    double
        rate_spread; /**< standard deviation of what all its times may be multiplied with */
    double
        together; /**< sightings that tell as much as one: errors of neighbours go together */
    zm_progress_fn *progress; /**< NULL: none */
    void *progress_ctx;
} zm_origin_opts;
#define ZM_ORIGIN_OPTS_INIT                                                            \
    {                                                                                  \
        sizeof(zm_origin_opts), 1, 64, 0.0, 0.2, 10.0, NULL, NULL                      \
    }

typedef struct zm_origin_estimate {
    size_t size;               /**< sizeof(zm_origin_estimate), set by the caller */
    int32_t row, col;          /**< the most likely cell */
    double mean_row, mean_col; /**< over the places that are likely */
    double
        radius_90; /**< cells about the mean that hold the origin with 90 %: at least 1 */
    double hour;   /**< when the fire began */
    double hour_deviation;        /**< standard deviation */
    double rate_factor;           /**< of the fire against the model */
    double error;                 /**< h: of the times of the sightings, robust */
    int64_t sightings, unreached; /**< those that the fire from there does not reach */
    int32_t solves;               /**< fires that were burned */
} zm_origin_estimate;
#define ZM_ORIGIN_ESTIMATE_INIT                                                        \
    {                                                                                  \
        .size = sizeof(zm_origin_estimate)                                             \
    }

/**
 * Finds the origin.  From a place the model burns a fire, which reaches sighting i after tau_i hours;
 * start s and factor q on its times are those that minimise
 *
 *     sum rho(s + q tau_i - t_i) n/sigma^2 + ((q - 1)/rate_spread)^2,   sigma: the spread of the errors,
 *
 * by reweighted least squares, with n = sightings/together; -n log(sigma) - ((q - 1)/rate_spread)^2/2 is
 * the logarithm of the likelihood of the place.  Places on a coarse lattice of those allowed are
 * tried, then finer ones about the best, and at last a lattice that is as wide as what is likely.
 *
 * @param fire     in   its weather and hour 0; row and col do not matter
 * @param allowed  in   rows*cols, not 0: the fire may have begun there, the first perimeter say; NULL:
 *                      anywhere
 * @param physics  in   or NULL; its `mem` must serve several threads at once
 * @param likely   out  rows*cols: probability of each cell, as far as lattices tell, sum 1; or NULL
 * @return ZM_OK; ZM_E_ARG (no sightings, none later than `since`); ZM_E_SOURCE (no place that can
 *         burn); ZM_E_NOMEM; ZM_E_CANCELLED; what the model says
 */
ZM_API zm_status zm_origin_find(const zm_landscape *landscape, const zm_fire *fire,
                                const zm_sighting *sightings, size_t n,
                                const uint8_t *allowed, const zm_physics_opts *physics,
                                const zm_origin_opts *opts, float *likely,
                                zm_origin_estimate *out, zm_error *err);

#ifdef __cplusplus
}
#endif

#endif
