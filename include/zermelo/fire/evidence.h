/* SPDX-License-Identifier: Apache-2.0
 * What datasets tell of when cells burned, as zm_calibrate takes it. */
#ifndef ZM_EVIDENCE_H
#define ZM_EVIDENCE_H

#include "calibrate.h"
#include "dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Evidence with its memory; it refers to the scene or observed fire that it was made from. */
typedef struct zm_evidence zm_evidence;

/** Times of a fire.  This struct is frozen. */
typedef struct zm_fire_times {
    const zm_fire *fire;      /**< must outlive the evidence */
    const zm_source *sources; /**< as of zm_physics_arrival, copied; NULL: the ignition */
    size_t n_sources;
    const float *T; /**< cells of the landscape, h: INFINITY not by its end, NAN not known; copied */
} zm_fire_times;

/**
 * Known times of fires (zm_observe_times), each to the end of the fire; where the duration is not
 * told, to its latest time.
 *
 * @param times in   n >= 1 of them, of so many cells
 * @param out   out  to be given to zm_evidence_destroy; NULL after a failure
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM
 */
ZM_API zm_status zm_times_evidence(const zm_fire_times *times, size_t n, size_t cells,
                                   zm_evidence **out, zm_error *err);

/**
 * The true times of fires of a scene (zm_observe_times), each known to the end of the fire; where
 * the duration is not told, to its latest time.
 *
 * @param fires in   n indices of fires that have true times (zm_scene_has_arrival)
 * @param out   out  to be given to zm_evidence_destroy; NULL after a failure
 * @return ZM_OK, ZM_E_NOMEM, as zm_scene_arrival
 */
ZM_API zm_status zm_scene_evidence(const zm_scene *scene, const size_t *fires, size_t n,
                                   zm_evidence **out, zm_error *err);

/** Intervals between the dates of an observed fire, up to the first perimeter whose hour is not
 *  known; where it does not start from a perimeter the first begins with the ignition. */
ZM_API size_t zm_observed_intervals(const zm_observed *observed);

/**
 * The dated perimeters of an observed fire (zm_observe_masks), which starts as
 * zm_observed_sources says.
 *
 * @param intervals in   so many of them, 1 to zm_observed_intervals
 * @param out       out  to be given to zm_evidence_destroy; NULL after a failure
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM, as zm_observed_sources
 */
ZM_API zm_status zm_observed_evidence(const zm_observed *observed, size_t intervals,
                                      zm_evidence **out, zm_error *err);

/** The fires, n of them; they belong to the evidence. */
ZM_API const zm_fire_evidence *zm_evidence_fires(const zm_evidence *evidence,
                                                 size_t *n);

/** NULL is allowed. */
ZM_API void zm_evidence_destroy(zm_evidence *evidence);

#ifdef __cplusplus
}
#endif

#endif
