/* SPDX-License-Identifier: Apache-2.0
 * Many fires in weather, moisture and ignitions that are not known for sure: probability to
 * burn and quantiles of the arrival time. */
#ifndef ZM_ENSEMBLE_H
#define ZM_ENSEMBLE_H

#include "physics.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How uncertain things are.  Draws are per member, the same for all its hours; factors are
 *  exp of a normal number, sums a normal number. */
typedef struct zm_ensemble_opts {
    size_t size;
    int32_t members; /**< >= 1 */
    int32_t threads; /**< >= 1; never changes the result */
    uint64_t seed;
    double wind_speed;  /**< standard deviation of the logarithm of the wind speed */
    double wind_dir;    /**< degrees */
    double temperature; /**< C */
    double humidity;    /**< percent; kept within 1 to 100 */
    double moisture;    /**< of dead fuel, percent */
    double
        live_moisture; /**< standard deviation of the logarithm of live fuel moisture */
    double rate; /**< standard deviation of the logarithm of all rates of spread */
    double
        ignition; /**< m: the ignition is anywhere within this distance where fuel burns, each
                          cell as likely as another; where there is none it stays */
    zm_progress_fn *progress; /**< NULL: none */
    void *progress_ctx;
} zm_ensemble_opts;
#define ZM_ENSEMBLE_OPTS_INIT                                                          \
    {                                                                                  \
        sizeof(zm_ensemble_opts), 100, 1, 1, 0.2, 15.0, 2.0, 5.0, 1.0, 0.1, 0.2, 0.0,  \
            NULL, NULL                                                                 \
    }

typedef struct zm_ensemble_out {
    size_t size; /**< sizeof(zm_ensemble_out): lets the struct grow later */
    float *
        probability; /**< rows*cols: share of members that reach the cell by t_max; or NULL */
    size_t n_quantiles;
    const double *levels; /**< n_quantiles in (0, 1), of all members */
    float *const
        *quantiles; /**< h; INFINITY where so many members do not reach the cell */
} zm_ensemble_out;
#define ZM_ENSEMBLE_OUT_INIT                                                           \
    {                                                                                  \
        sizeof(zm_ensemble_out), NULL, 0, NULL, NULL                                   \
    }

/**
 * Runs the members.
 *
 * @param fire    in  the fire in the middle of all
 * @param params  in  or NULL
 * @param sources in  as of zm_physics_arrival; with sources the ignition is not moved
 * @param t_max   in  h, > 0 and finite
 * @param out     out times are kept to t_max/65534
 * @param physics in  or NULL; its `mem` must serve several threads at once
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM, ZM_E_CANCELLED, what the model says
 */
ZM_API zm_status zm_ensemble_run(const zm_landscape *landscape, const zm_fire *fire,
                                 const zm_physics_params *params,
                                 const zm_source *sources, size_t n_sources,
                                 double t_max, const zm_ensemble_out *out,
                                 const zm_physics_opts *physics,
                                 const zm_ensemble_opts *opts, zm_error *err);

/** Area in ha of the cells whose probability to burn is at least `least`. */
ZM_API double zm_ensemble_area(const zm_landscape *landscape, const float *probability,
                               double least);

/** Area in ha that is expected to burn: the sum of the probabilities. */
ZM_API double zm_ensemble_expected_area(const zm_landscape *landscape,
                                        const float *probability);

#ifdef __cplusplus
}
#endif

#endif
