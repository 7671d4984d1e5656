/* SPDX-License-Identifier: Apache-2.0
 * Where to put cells of fuel break so that fire reaches assets latest, or least probably, over an
 * ensemble of fires. */
#ifndef ZM_PROTECT_H
#define ZM_PROTECT_H

#include "ensemble.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is wanted. */
typedef enum zm_protect_aim {
    ZM_PROTECT_LATEST = 0,  /**< the mean time at which fire reaches an asset cell */
    ZM_PROTECT_LEAST_LIKELY /**< the mean share of asset cells that fire reaches */
} zm_protect_aim;

typedef struct zm_protect_opts {
    size_t size;
    int64_t cells; /**< of break, >= 1 */
    zm_protect_aim aim;
    double
        ready; /**< h: fire that comes before finds no break, so cells that any member reaches
                       before are not used; negative: a quarter of the mean time at which
                       assets are reached */
    int32_t rounds; /**< forward and backward passes over a part of the members, >= 1 */
    int32_t batch;  /**< members of such a part, >= 1 */
    int32_t markers;          /**< 1: the report also has times by marker perimeters */
    zm_progress_fn *progress; /**< NULL: none; a non-zero answer cancels */
    void *progress_ctx;
} zm_protect_opts;
#define ZM_PROTECT_OPTS_INIT                                                           \
    {                                                                                  \
        sizeof(zm_protect_opts), 30, ZM_PROTECT_LATEST, -1.0, 40, 6, 0, NULL, NULL     \
    }

/** What became of the assets, over all members and asset cells.  This struct is frozen. */
typedef struct zm_protect_outcome {
    double time;        /**< h: mean arrival; cells that are not reached count t_max */
    double probability; /**< share that is reached by t_max */
} zm_protect_outcome;

/** Breaks that are compared. */
typedef enum zm_protect_break {
    ZM_BREAK_NONE = 0,
    ZM_BREAK_PLAN, /**< the one that is found */
    ZM_BREAK_RING, /**< the best of arcs around the assets, towards the fire */
    ZM_BREAK_LINE, /**< the best of straight lines between fire and assets */
    ZM_BREAK_RANDOM, /**< the best of some that are scattered over the ground that burns first */
    ZM_BREAKS
} zm_protect_break;

typedef struct zm_protect_report {
    size_t size; /**< sizeof(zm_protect_report) */
    zm_protect_outcome travel_time[ZM_BREAKS];
    zm_protect_outcome markers[ZM_BREAKS]; /**< NAN unless they are asked for */
    double ready;                          /**< h, as used */
    int64_t candidates;                    /**< cells that could be used */
    int64_t cells[ZM_BREAKS];              /**< of each break */
} zm_protect_report;
#define ZM_PROTECT_REPORT_INIT                                                         \
    {                                                                                  \
        sizeof(zm_protect_report), { { 0.0, 0.0 } }, { { 0.0, 0.0 } }, 0.0, 0,         \
        {                                                                              \
            0                                                                          \
        }                                                                              \
    }

/** What is to be protected, and from which fires. */
typedef struct zm_protect_problem {
    size_t size;
    const zm_landscape *landscape;
    const zm_fire *fire;             /**< in the middle of the ensemble */
    const zm_physics_params *params; /**< or NULL */
    const zm_source *sources; /**< as of zm_physics_arrival; NULL: the ignition */
    size_t n_sources;
    double t_max;           /**< h, > 0 and finite: fires are looked at until then */
    const uint8_t *assets;  /**< rows*cols; not 0: asset */
    const uint8_t *allowed; /**< rows*cols; 0: no break here; NULL: anywhere */
    const zm_physics_opts *physics; /**< or NULL; the front is that of travel times */
    const zm_ensemble_opts
        *ensemble; /**< or NULL; members, threads, seed and spreads */
} zm_protect_problem;
#define ZM_PROTECT_PROBLEM_INIT                                                        \
    {                                                                                  \
        sizeof(zm_protect_problem), NULL, NULL, NULL, NULL, 0, 0.0, NULL, NULL, NULL,  \
            NULL                                                                       \
    }

/**
 * Finds cells of fuel break: fuel that does not burn, on ground that does.  Each round solves a part
 * of the members and takes the adjoint of their times at the assets: how long the ways to assets
 * take in each cell.  Slowness goes where these ways go, and is concentrated, until a break
 * is left; then all members are solved again with it, and with a ring, a line and a random one of
 * the same number of cells.
 *
 * @param breaks out ZM_BREAKS planes of rows*cols, any of them NULL; 1: break
 * @param report out or NULL
 * @return ZM_OK; ZM_E_ARG (no assets, none is reached within t_max by any member, no cell can be
 *         used); ZM_E_NOMEM; ZM_E_CANCELLED; what the model says.  The same for any number of threads
 */
ZM_API zm_status zm_protect(const zm_protect_problem *problem,
                            uint8_t *const breaks[ZM_BREAKS], zm_protect_report *report,
                            const zm_protect_opts *opts, zm_error *err);

/** What becomes of the assets with a break of the caller's: rows*cols, not 0: break. */
ZM_API zm_status zm_protect_outcome_of(const zm_protect_problem *problem,
                                       const uint8_t *cells, zm_front_kind front,
                                       zm_protect_outcome *out, zm_error *err);

#ifdef __cplusplus
}
#endif

#endif
