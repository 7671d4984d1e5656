/* SPDX-License-Identifier: Apache-2.0
 * Forecasts of a fire whose perimeters come in one by one: what is not known of it is updated by
 * each of them, and the growth until a later time is forecast with probabilities
 * (docs/fire-forecast.md).
 *
 * zm_fire_state has what the model of the fire's physics does not know: rates of all fuels, of single
 * ones and by sector, wind and moisture, as a normal distribution.  zm_growth_prior has what other
 * fires tell: of these unknowns, and of how far fires grow from one perimeter to the next. */
#ifndef ZM_FORECAST_H
#define ZM_FORECAST_H

#include "calibrate.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ZM_STATE_SECTORS = 8, /**< of 45 degrees about the centre of the first perimeter */
    ZM_STATE_FUELS = 8,   /**< at most so many have a rate of their own */
    ZM_STATE_MOST = 3 + ZM_STATE_SECTORS + ZM_STATE_FUELS
};

typedef enum zm_state_kind {
    ZM_STATE_RATE = 0, /**< logarithm of a factor on all rates of spread */
    ZM_STATE_WIND,     /**< logarithm of a factor on the wind speed */
    ZM_STATE_MOISTURE, /**< offset of dead fuel moisture, percent */
    ZM_STATE_SECTOR,   /**< logarithm of a factor on the rates of a sector */
    ZM_STATE_FUEL      /**< logarithm of a factor on the rate of a fuel model */
} zm_state_kind;

/**
 * What is believed of a fire: unknowns with a normal distribution.  Plain data, which can be kept
 * and taken up again.
 */
typedef struct zm_fire_state {
    size_t size;       /**< sizeof(zm_fire_state), set by the caller */
    int32_t n;         /**< unknowns, at most ZM_STATE_MOST */
    int32_t intervals; /**< that it has seen */
    zm_state_kind kind[ZM_STATE_MOST];
    int32_t number
        [ZM_STATE_MOST]; /**< of the sector, clockwise from north, or of the fuel model */
    double mean[ZM_STATE_MOST];
    double covariance[ZM_STATE_MOST * ZM_STATE_MOST]; /**< n x n, row-major */
    double row, col;  /**< centre of the sectors, in cells */
    double objective; /**< of the last update, before and after */
    double objective_before;
    int32_t iterations; /**< Gauss-Newton steps of the last update */
    int32_t converged;
} zm_fire_state;
#define ZM_FIRE_STATE_INIT                                                             \
    {                                                                                  \
        .size = sizeof(zm_fire_state)                                                  \
    }

/** How far fires grow.  With D the distance of a cell from the perimeter and P the distance to
 *  which a buffer of the area that the model burns no later than the cell would reach, both in units of
 *  100 m, the cell burns with probability
 *
 *     p = s Phi((m - l)/sqrt(spread^2 + v)),   l = (1 - physics) log D + physics mean(log P),
 *     m = distance + area log(r/3 km) + time log(t/24 h) + memory M + edge A + barren [cannot burn],
 *     s = 1/(1 + exp(-open - moved (B - 1/2))),
 *
 *  where r is the radius of a disc of the burned area, t the time until then, M the mean of log of the
 *  distances that the fire grew in each of the last two intervals per square root of a day, A and B how
 *  far the nearest edge has come in the last interval and which share of it moved, v the variance of
 *  physics log P over the state.  This struct is frozen. */
typedef struct zm_growth_law {
    double distance, area, time, memory, edge, barren;
    double log_spread; /**< spread = exp of it */
    double open, moved;
    double physics; /**< weight of the model's shape against that of a buffer, 0 to 1 */
} zm_growth_law;

/** What other fires tell. */
typedef struct zm_growth_prior {
    size_t size; /**< sizeof(zm_growth_prior): lets the struct grow later */
    /** Unknowns of the state: means, as in zm_state_kind, and standard deviations between fires. */
    double rate, wind, moisture;
    double rate_spread, wind_spread, moisture_spread, sector_spread, fuel_spread;
    double
        kept; /**< 0 to 1: share of what was learned of a fire that still holds in its next
                      interval */
    double cells; /**< independent observations that a perimeter is worth */
    zm_growth_law law, buffer;     /**< buffer: of what knows the perimeter alone */
    double area_bias, area_spread; /**< median and spread of the logarithm of grown over
                                        expected area */
    int32_t area_count; /**< forecasts that tell of them; 0: no intervals of area */
} zm_growth_prior;

/** Of a fire of which no other tells: where learning starts, and what it is pulled to. */
#define ZM_GROWTH_PRIOR_INIT                                                           \
    {                                                                                  \
        sizeof(zm_growth_prior), 0.0, 0.0, 0.0, 1.0, 0.3, 2.0, 0.7, 0.4, 0.7, 20.0,    \
            { 1.0, -0.5, 0.3, 0.5, 0.3, -0.5, 0.05, -0.2, 0.7, 0.2 },                  \
            { 1.0, -0.5, 0.3, 0.0, 0.0, 0.0, 0.05, -0.2, 0.0, 0.0 }, 0.0, 1.0, 0       \
    }

/** Learned from 24 intervals of nine fires of 2009 to 2013 with daily perimeters of satellites. */
#define ZM_GROWTH_PRIOR_NINE_FIRES                                                     \
    {                                                                                  \
        sizeof(zm_growth_prior), -1.46, -0.0787, 0.322, 0.462, 0.075, 0.5, 0.7, 0.4,   \
            0.7, 20.0, { 0.93,   -0.652, 0.182,  0.462, 0.296,                         \
                         -0.512, 0.0378, -0.234, 0.688, 0.0598 },                      \
            { 0.828, -0.697, 0.295, 0.0, 0.0, 0.0, 0.056, -0.34, 0.0, 0.0 }, 0.0586,   \
            0.788, 24                                                                  \
    }

typedef struct zm_forecast_opts {
    size_t size;            /**< sizeof(zm_forecast_opts) */
    int32_t max_iterations; /**< Gauss-Newton steps of an update, >= 1 */
    int32_t
        draws; /**< fires that are burned to spread what the state leaves open, >= 1 */
    uint64_t seed;            /**< of these */
    zm_progress_fn *progress; /**< NULL: none */
    void *progress_ctx;
} zm_forecast_opts;
#define ZM_FORECAST_OPTS_INIT                                                          \
    {                                                                                  \
        sizeof(zm_forecast_opts), 8, 8, 1, NULL, NULL                                  \
    }

/**
 * The state of a fire of which nothing is known but its first perimeter: the prior.  Fuels that have
 * 5 % or more of the burnable cells have an unknown of their own, the most frequent ones.
 *
 * @param prior in   NULL means ZM_GROWTH_PRIOR_INIT
 * @return ZM_OK, ZM_E_ARG
 */
ZM_API zm_status zm_fire_state_begin(zm_fire_state *state,
                                     const zm_landscape *landscape,
                                     const uint8_t *first, const zm_growth_prior *prior,
                                     zm_error *err);

/**
 * Updates the state by what burned from date k - 1 to date k.  With x the unknowns, x0 and C their mean
 * and covariance beforehand, of which what is `kept` still holds, and T the model's arrival times from
 * perimeter k - 1 on,
 *
 *     F(x) = cells/N sum rho(e_i) + 1/2 (x - x0)' C^-1 (x - x0),   e = log(T/t),
 *
 * is minimised by damped Gauss-Newton steps with exact derivatives of T.  The sum is over cells that
 * burned and are late, and those that did not and are early; N is the number of cells that burned,
 * t the length of the interval and rho Huber's function.  The new covariance is the inverse of the last
 * Gauss-Newton matrix (Laplace).
 *
 * @param fire in   its masks and hours up to k are read
 * @param k    in   1 <= k < fire->n
 * @return ZM_OK; ZM_NOT_CONVERGED (usable); ZM_E_ARG; ZM_E_NOMEM; ZM_E_CANCELLED; what the model says
 */
ZM_API zm_status zm_fire_state_update(zm_fire_state *state,
                                      const zm_landscape *landscape,
                                      const zm_dated_fire *fire, size_t k,
                                      const zm_growth_prior *prior,
                                      const zm_physics_opts *physics,
                                      const zm_forecast_opts *opts, zm_error *err);

/**
 * Corrections of the model for a state: its mean where `offsets` is NULL, else mean + offsets.
 *
 * @param factor   out  ZM_FUEL_NUMBERS
 * @param log_rate out  rows*cols: the sectors
 * @param params   out  refers to both
 */
ZM_API zm_status zm_fire_state_params(const zm_fire_state *state,
                                      const zm_landscape *landscape,
                                      const double *offsets, double *factor,
                                      double *log_rate, zm_physics_params *params,
                                      zm_error *err);

/** A fire at one of its dates, seen by the model: all that a forecast of its growth until a later time
 *  needs but for the law. */
typedef struct zm_growth_case zm_growth_case;

/**
 * Makes a case: burns `draws` fires from perimeter k on until `until`, with unknowns drawn from the
 * state.
 *
 * @param k     in   date of the last perimeter that is known, < fire->n
 * @param until in   h, after it
 * @param after in   rows*cols, what had burned by then, for zm_growth_learn; NULL: not known
 * @param out   out  to be given to zm_growth_case_destroy; NULL after a failure
 */
ZM_API zm_status zm_growth_case_create(
    const zm_landscape *landscape, const zm_dated_fire *fire, size_t k, double until,
    const uint8_t *after, const zm_fire_state *state, const zm_growth_prior *prior,
    const zm_physics_opts *physics, const zm_forecast_opts *opts, zm_growth_case **out,
    zm_error *err);
ZM_API void zm_growth_case_destroy(zm_growth_case *c); /**< NULL is allowed */

/** What a forecast says of the grown area, in cells. */
typedef struct zm_growth_area {
    size_t size;     /**< sizeof(zm_growth_area), set by the caller */
    double expected; /**< sum of the probabilities */
    double low,
        high; /**< between which it is with 90 %; 0 and INFINITY where the prior tells nothing */
    double observed; /**< NAN where it is not known */
} zm_growth_area;
#define ZM_GROWTH_AREA_INIT                                                            \
    {                                                                                  \
        sizeof(zm_growth_area), 0.0, 0.0, 0.0, 0.0                                     \
    }

/**
 * Probabilities with which cells burn until the time of the case.
 *
 * @param probability out  rows*cols; 1 in the perimeter; or NULL
 * @param buffer      out  the same of a buffer about the perimeter that is as uncertain; or NULL
 * @param area        out  or NULL
 */
ZM_API zm_status zm_growth_forecast(const zm_growth_case *c,
                                    const zm_growth_prior *prior, float *probability,
                                    float *buffer, zm_growth_area *area, zm_error *err);

/**
 * The buffer alone, about any perimeter: it needs neither weather nor a state.
 *
 * @param mask        in   rows*cols, not 0: burned; some, not all
 * @param hours       in   until the time of the forecast, > 0
 * @param prior       in   its buffer counts; NULL means ZM_GROWTH_PRIOR_INIT
 * @param probability out  rows*cols; 1 in the perimeter
 */
ZM_API zm_status zm_growth_buffer(const zm_landscape *landscape, const uint8_t *mask,
                                  double hours, const zm_growth_prior *prior,
                                  float *probability, zm_error *err);

/**
 * Learns law, buffer and spread of the area from cases whose outcome is known: the mean over cases of
 * the Brier score over that of persistence is minimised, and a weak pull to the law of
 * ZM_GROWTH_PRIOR_INIT, by Gauss-Newton steps.
 *
 * @param cases in      n >= 2 of them; those without growth are passed over
 * @param prior in,out  what is said of the state stays
 * @return ZM_OK, ZM_E_ARG (too few cases with growth), ZM_E_NOMEM
 */
ZM_API zm_status zm_growth_learn(const zm_growth_case *const *cases, size_t n,
                                 zm_growth_prior *prior, zm_error *err);

/**
 * Learns means and spreads between fires of rate, wind and moisture from states, the last of each
 * fire.  Spreads do not fall below a quarter of those of ZM_GROWTH_PRIOR_INIT.
 *
 * @param states in  n >= 2 of them
 */
ZM_API zm_status zm_growth_prior_of(const zm_fire_state *const *states, size_t n,
                                    zm_growth_prior *prior, zm_error *err);

#ifdef __cplusplus
}
#endif

#endif
