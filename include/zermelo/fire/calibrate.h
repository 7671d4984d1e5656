/* SPDX-License-Identifier: Apache-2.0
 * Calibration of the fire model: factors of fuel models, of the wind, and an offset of the
 * moisture, from a handful of fires whose arrival times or dated perimeters are known. */
#ifndef ZM_CALIBRATE_H
#define ZM_CALIBRATE_H

#include "physics.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A fire that was observed.  A cell burned between `earliest` and `latest`, h after the
 * fire's hour 0: equal where the time is known, latest INFINITY where it had not burned by
 * `earliest`, both NAN where nothing is known.  This struct is frozen.
 */
typedef struct zm_fire_evidence {
    const zm_fire *fire;
    const zm_source *sources; /**< as of zm_physics_arrival; NULL: the ignition */
    size_t n_sources;
    const float *earliest, *latest; /**< rows*cols */
    double duration;                /**< h: the end of the observation */
    double begin; /**< h, < duration: its beginning; errors are in units of the time
                          between.  0 but where sources start later */
} zm_fire_evidence;

/** Fills earliest and latest from arrival times: INFINITY in T means not by `duration`, NAN not
 *  known.  T may be `earliest`. */
ZM_API void zm_observe_times(const float *T, size_t n, double duration, float *earliest,
                             float *latest);

/**
 * The same from burned areas at given times: what is in mask k and in none before it burned
 * between hours[k-1] and hours[k].
 *
 * @param masks in  n_masks of n bytes
 * @param hours in  rising; a first mask at or before time 0 is where the fire started, and
 *                  its cells are not observed
 */
ZM_API zm_status zm_observe_masks(const uint8_t *const *masks, const double *hours,
                                  size_t n_masks, size_t n, float *earliest,
                                  float *latest, zm_error *err);

/** What the monitor is told.  The library makes it, and may add to it at the end. */
typedef struct zm_calibrate_iteration {
    int32_t iteration; /**< of all searches, from 0 */
    double objective;  /**< at the end of it */
} zm_calibrate_iteration;

/** Called after each step of a fit; a non-zero answer cancels. */
typedef int zm_calibrate_monitor_fn(void *ctx, const zm_calibrate_iteration *iteration);

/** Share of the observed cells below which fuels stay as they are where nothing else is said:
 *  errors of a few cells are mostly their neighbours'. */
#define ZM_CALIBRATE_LEAST_SHARE 0.04

typedef struct zm_calibrate_opts {
    size_t size;
    int32_t threads;        /**< >= 1: fires are shared among them */
    int32_t max_iterations; /**< >= 1, of each of up to three searches */
    int32_t fit_fuels, fit_wind, fit_moisture; /**< 0: stays as it is */
    int64_t least_cells; /**< fuels with fewer observed cells stay as they are */
    double
        fuel_spread; /**< standard deviation of the logarithm of a factor that is taken
                                 for granted beforehand, > 0 */
    double wind_spread;     /**< the same of the wind factor */
    double moisture_spread; /**< percent */
    double outlier; /**< errors above this share of the duration count less (Huber) */
    zm_calibrate_monitor_fn *monitor; /**< NULL: none */
    void *monitor_ctx;
    zm_progress_fn
        *progress; /**< of calls that fit several times, before each fit; NULL */
    void *progress_ctx;
    int32_t fit_rate;   /**< 1: a factor on the rates of all fuels, besides theirs */
    double rate_spread; /**< of its logarithm, as fuel_spread */
    /** Fuels with a lower share of the observed cells stay as they are, below 1.  Negative:
     *  ZM_CALIBRATE_LEAST_SHARE, but 0 where errors are drawn by zm_recovery_trial. */
    double least_share;
} zm_calibrate_opts;
#define ZM_CALIBRATE_OPTS_INIT                                                         \
    {                                                                                  \
        sizeof(zm_calibrate_opts), 1, 30, 1, 1, 1, 50, 1.0, 0.5, 3.0, 0.05, NULL,      \
            NULL, NULL, NULL, 0, 1.0, -1.0                                             \
    }

typedef enum zm_calibrated_kind {
    ZM_CALIBRATED_WIND = 0, /**< factor */
    ZM_CALIBRATED_MOISTURE, /**< offset, percent */
    ZM_CALIBRATED_FUEL,     /**< factor */
    ZM_CALIBRATED_RATE      /**< factor, of all fuels */
} zm_calibrated_kind;

/** Bounds of the search: of the logarithm of a factor, and of the offset in percent. */
#define ZM_CALIBRATED_LOG_BOUND    4.0
#define ZM_CALIBRATED_OFFSET_BOUND 30.0

/** One parameter: its value and the 95 % interval.  This struct is frozen. */
typedef struct zm_calibrated {
    zm_calibrated_kind kind;
    int32_t fuel;  /**< number, of ZM_CALIBRATED_FUEL */
    int64_t cells; /**< observed cells of this fuel, of all fuels for the others */
    double value, low, high;
} zm_calibrated;

/** 1: the value is at a bound of the search: the fires do not tell of it, or of more. */
ZM_API int zm_calibrated_at_bound(const zm_calibrated *parameter);

enum { ZM_MOST_CALIBRATED = 96 /**< more fuels than that stay as they are */ };

/** What was found.  In an array all elements have the size of the first. */
typedef struct zm_calibration {
    size_t size; /**< sizeof(zm_calibration), set by the caller */
    size_t n;
    zm_calibrated items[ZM_MOST_CALIBRATED];
    double wind_factor, moisture_offset;
    double fuel_factor
        [ZM_FUEL_NUMBERS]; /**< with that of all fuels: for zm_physics_params */
    double error_before, error_after; /**< root mean square over the durations, of all
                                              observed cells; what is not reached counts up to
                                              the horizon */
    int32_t iterations;               /**< of all searches */
    int32_t converged;                /**< of the one that was taken */
    double rate_factor;               /**< of all fuels: is in fuel_factor already */
} zm_calibration;
#define ZM_CALIBRATION_INIT                                                            \
    {                                                                                  \
        sizeof(zm_calibration), 0, { { ZM_CALIBRATED_WIND, 0, 0, 0.0, 0.0, 0.0 } },    \
            1.0, 0.0, { 0.0 }, 0.0, 0.0, 0, 0, 1.0                                     \
    }

/** How many parameters of a fit are at a bound. */
ZM_API size_t zm_calibration_at_bound(const zm_calibration *calibration);

/**
 * Fits the parameters by Gauss-Newton steps with exact tangents.
 *
 * What is minimised is the sum over cells of Huber's function of the distance of the time from
 * [earliest, latest], in units of the duration, and the squared distances of the parameters
 * from "no change" in units of their spread.  Where the moisture is among them there are
 * several minima: the search starts from three offsets, each with the best of a few rates, and
 * the lowest minimum is taken; intervals are of that one.  Errors of neighbouring cells go
 * together: the intervals come from leaving out blocks of 16 x 16 cells or, for what two fires
 * or more tell of, fires, whichever are wider.
 *
 * @param physics in  or NULL; its `mem` must serve several threads at once
 * @return ZM_OK; ZM_NOT_CONVERGED (usable); ZM_E_ARG; ZM_E_NOMEM; ZM_E_CANCELLED; what the
 *         model says of a fire
 */
ZM_API zm_status zm_calibrate(const zm_landscape *landscape,
                              const zm_fire_evidence *fires, size_t n,
                              zm_calibration *out, const zm_physics_opts *physics,
                              const zm_calibrate_opts *opts, zm_error *err);

/** Burned areas of one fire at some dates.  This struct is frozen. */
typedef struct zm_dated_fire {
    const zm_fire *fire;
    const uint8_t *const *masks; /**< n of rows*cols bytes, in order of time */
    const double *hours;         /**< n, rising, after the fire's hour 0 */
    size_t n;
} zm_dated_fire;

/** IoU at a date: of the model as it is, of the fitted one, and of no growth at all since the
 *  last perimeter that was known.  This struct is frozen. */
typedef struct zm_forecast {
    double model, fitted, no_growth;
} zm_forecast;

/** Forecasts of a date: from the first perimeter, and from the one before it.  This struct is
 *  frozen. */
typedef struct zm_date_forecast {
    zm_forecast first, restart;
} zm_date_forecast;

/** Means of n >= 1 forecasts: over the dates of a fire, or over the means of fires. */
ZM_API zm_date_forecast zm_forecast_mean(const zm_date_forecast *forecasts, size_t n);

/**
 * Tests calibration on dates that it has not seen.  The intervals between the first `known` dates
 * are fitted, each as a fire that goes on from the perimeter before it; the later dates are
 * forecast from the first perimeter.  With `restart` each later date is also forecast from the
 * date before it, fitted to all intervals up to there.
 *
 * @param known in  dates, 2 <= known < fire->n
 * @param out   out fire->n; 0 for dates that are known, and `restart` 0 where not asked for
 * @param fits  out fire->n, or NULL: fits[k] from the intervals before date k, for k = known and, with
 *                  `restart`, all later ones; the others are not written, nor is one that failed
 * @return ZM_OK; ZM_E_ARG; as zm_calibrate, whose ZM_NOT_CONVERGED is told by the fits alone
 */
ZM_API zm_status zm_forecast_dates(const zm_landscape *landscape,
                                   const zm_dated_fire *fire, size_t known, int restart,
                                   zm_date_forecast *out, zm_calibration *fits,
                                   const zm_physics_opts *physics,
                                   const zm_calibrate_opts *opts, zm_error *err);

/**
 * Draws factors of all fuels between 1/2 and 2 by the seed, burns the fires with them to their
 * ends, gives the times errors of 2 % of the duration that blocks of 4 x 4 cells share, and
 * calibrates with these.
 *
 * @param n     in   fires, >= 1
 * @param truth out  ZM_FUEL_NUMBERS factors
 * @return as zm_calibrate
 */
ZM_API zm_status zm_recovery_trial(const zm_landscape *landscape,
                                   const zm_fire *const *fires, size_t n, uint64_t seed,
                                   double *truth, zm_calibration *fit,
                                   const zm_physics_opts *physics,
                                   const zm_calibrate_opts *opts, zm_error *err);

/** How well known factors of fuels come back.  Error and shares are NAN where there are no
 *  factors. */
typedef struct zm_recovery_report {
    size_t size;         /**< sizeof(zm_recovery_report), set by the caller */
    size_t factors;      /**< fitted factors of fuels, of all draws */
    double median_error; /**< of |log(fitted/true)| */
    double within;       /**< share of them that are within 10 % of the truth */
    double covered;      /**< share of them whose 95 % interval holds the truth */
    size_t fits, not_converged,
        at_bound; /**< fits; those with a parameter at its bound */
} zm_recovery_report;
#define ZM_RECOVERY_REPORT_INIT                                                        \
    {                                                                                  \
        sizeof(zm_recovery_report), 0, 0.0, 0.0, 0.0, 0, 0, 0                          \
    }

/**
 * Trials with the seeds 1 to `draws`, summed up.
 *
 * @param report out  untouched after a failure
 * @return as zm_calibrate
 */
ZM_API zm_status zm_recovery_run(const zm_landscape *landscape,
                                 const zm_fire *const *fires, size_t n, int32_t draws,
                                 const zm_physics_opts *physics,
                                 const zm_calibrate_opts *opts,
                                 zm_recovery_report *report, zm_error *err);

#ifdef __cplusplus
}
#endif

#endif
