/* SPDX-License-Identifier: Apache-2.0
 * Burn probability of a landscape: many fires that begin anywhere, how often each cell burns, and
 * with which flames. */
#ifndef ZM_RISK_H
#define ZM_RISK_H

#include "ensemble.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One of the fires.  This struct is frozen. */
typedef struct zm_risk_fire {
    int32_t row, col; /**< where it began */
    double area;      /**< ha that it burned */
} zm_risk_fire;

typedef struct zm_risk_out {
    size_t size; /**< sizeof(zm_risk_out): lets the struct grow later */
    float
        *probability; /**< rows*cols: share of the fires that burn the cell; or NULL */
    float *
        flame_length; /**< rows*cols: m, mean over the fires that burn the cell, which is the
                              conditional flame length; NAN where none does; or NULL */
    size_t n_edges;
    const double
        *edges; /**< m, above 0 and rising: lengths between classes of flames */
    float *const
        *classes; /**< n_edges + 1 planes: share, of the fires that burn the cell, whose
                                flames are below the first edge, from there on below the second,
                                ...; 0 where none burns it; or NULL */
    zm_risk_fire *fires; /**< as many as there are fires, in their order; or NULL */
} zm_risk_out;
#define ZM_RISK_OUT_INIT                                                               \
    {                                                                                  \
        sizeof(zm_risk_out), NULL, NULL, 0, NULL, NULL, NULL                           \
    }

/**
 * Burns `opts->members` fires, each from an ignition of its own, by minimum travel time.
 *
 * Flames are those of the front where it comes to the cell, in the direction in which it goes on
 * (heads, flanks and backs of fires have different ones), to the millimetre: Byram (1959), and
 * Thomas (1963) where it runs in crowns.  Cells that cannot burn but that fire encloses count as
 * burned, and have no flames.
 *
 * @param fire    in  its weather, moisture and start; its ignition and sources are not used
 * @param params  in  or NULL
 * @param density in  rows*cols: how likely fires are to begin in each cell, in any unit; NULL: each
 *                    cell whose fuel burns is as likely as another
 * @param t_max   in  h that each fire burns, > 0 and finite
 * @param out     in  what is wanted
 * @param physics in  or NULL; the front is that of travel times; its `mem` must serve several threads
 * @param opts    in  or NULL: members, threads, seed, and how uncertain weather, moisture and rates
 *                    are, drawn for each fire; `ignition` is not used.  Where nothing is uncertain all
 *                    fires share their metrics, which is faster
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM, ZM_E_CANCELLED, what the model says.  The same for any
 *         number of threads
 */
ZM_API zm_status zm_risk_run(const zm_landscape *landscape, const zm_fire *fire,
                             const zm_physics_params *params, const float *density,
                             double t_max, const zm_risk_out *out,
                             const zm_physics_opts *physics,
                             const zm_ensemble_opts *opts, zm_error *err);

#ifdef __cplusplus
}
#endif

#endif
