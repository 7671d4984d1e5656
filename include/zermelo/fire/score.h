/* SPDX-License-Identifier: Apache-2.0
 * How good predicted arrival times are: the measures of the paper's tables, per fire and
 * over many. */
#ifndef ZM_SCORE_H
#define ZM_SCORE_H

#include <stddef.h>
#include <stdint.h>

#include "../export.h"
#include "../status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Shares of the duration at which burned areas are compared: 25, 50, 75 and 100 %. */
enum { ZM_SCORE_SHARES = 4 };

/** Why a correlation does not exist. */
typedef enum zm_score_flaw {
    ZM_SCORE_FINE = 0,
    ZM_SCORE_FEW_CELLS,         /**< fewer than two cells to compare */
    ZM_SCORE_TRUTH_FLAT,        /**< they all burned at one time */
    ZM_SCORE_PREDICTION_FLAT,   /**< they are all predicted at one time */
    ZM_SCORE_NOTHING_PREDICTED, /**< the prediction reaches none of them */
    ZM_SCORE_FLAWS
} zm_score_flaw;

/** A few words, e.g. "all cells predicted at one time". */
ZM_API const char *zm_score_flaw_text(zm_score_flaw flaw);

/** Scores of one fire.  Compared are the cells that burned, without the 3 x 3 block about the
 *  ignition; of those that the prediction does not reach it is taken to say the latest of its
 *  own times in the burned area and the duration. */
typedef struct zm_score {
    size_t size;          /**< sizeof(zm_score), set by the caller */
    double pearson;       /**< correlation of true and predicted times; NAN: see flaw */
    double spearman;      /**< of their ranks, equal values sharing a rank */
    double relative_rmse; /**< root mean square error over the latest true time */
    double mae;           /**< mean absolute error, h */
    double bias;          /**< mean of predicted - true, h */
    double iou[ZM_SCORE_SHARES]; /**< of {T <= share * duration}, over the whole domain;
                                      NAN where neither has a cell */
    double duration;             /**< h, as used for the IoU */
    double latest;               /**< latest true time, h */
    int64_t burned;              /**< cells with a true time */
    int64_t compared;            /**< of them, without the ignition block */
    int64_t unreached;           /**< of them, those without a predicted time */
    zm_score_flaw flaw;
} zm_score;
#define ZM_SCORE_INIT                                                                  \
    {                                                                                  \
        sizeof(zm_score), 0.0, 0.0, 0.0, 0.0, 0.0, { 0.0, 0.0, 0.0, 0.0 }, 0.0, 0.0,   \
            0, 0, 0, ZM_SCORE_FINE                                                     \
    }

/**
 * Scores a prediction.
 *
 * @param truth, predicted in  rows*cols, h; not finite: not burned, not reached
 * @param row, col  in  ignition, whose block is left out; row < 0: no block
 * @param duration  in  h; not finite or <= 0: the latest true time
 * @param out       out untouched after a failure
 * @return ZM_OK, ZM_E_ARG (sizes, no cell burned, a time < 0), ZM_E_NOMEM
 */
ZM_API zm_status zm_score_fire(const float *truth, const float *predicted, int32_t rows,
                               int32_t cols, int32_t row, int32_t col, double duration,
                               zm_score *out, zm_error *err);

/** |A and B| / |A or B| of the cells with T <= time; NAN where both are empty. */
ZM_API double zm_score_iou(const float *truth, const float *predicted, size_t n,
                           double time);

/** The latest of n times that is finite; 0 where none is. */
ZM_API double zm_score_latest(const float *T, size_t n);

/** Scores of an observed fire.  The first mask is where the prediction starts, at time 0; the
 *  time of a cell is that of the earliest mask it is in. */
typedef struct zm_observed_score {
    size_t size;              /**< sizeof(zm_observed_score), set by the caller */
    double mean_iou;          /**< over the later dates; NAN where there is none */
    double pearson, spearman; /**< over cells that burned after the first mask */
    double pearson_all, spearman_all; /**< the same with the cells of the first mask */
    double
        equal_area_iou; /**< IoU of the last mask and the earliest predicted cells, as
                                    many as it has: shape without speed; NAN where the
                                    prediction does not reach as many */
    int64_t burned, unreached; /**< cells after the first mask; those not predicted */
    zm_score_flaw flaw;        /**< of pearson and spearman */
} zm_observed_score;
#define ZM_OBSERVED_SCORE_INIT                                                         \
    {                                                                                  \
        sizeof(zm_observed_score), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, ZM_SCORE_FINE   \
    }

/**
 * Scores a prediction against dated burned areas.
 *
 * @param masks     in  n masks of n_cells bytes, in order of time
 * @param hours     in  n times since the first mask, rising from 0
 * @param has_start in  1: masks[0] is the start; 0: the start is not among the masks, all of
 *                      them count (hours since the start; NAN: not known, no IoU there)
 * @param predicted in  n_cells, h since the start
 * @param iou       out n values, NAN for the start; or NULL
 * @param out       out untouched after a failure
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM
 */
ZM_API zm_status zm_score_observed(const uint8_t *const *masks, const double *hours,
                                   size_t n, int has_start, const float *predicted,
                                   size_t n_cells, double *iou, zm_observed_score *out,
                                   zm_error *err);

/** Bins of a reliability diagram: forecasts of 0 to 10 %, ..., 90 to 100 %. */
enum { ZM_RELIABILITY_BINS = 10 };

/** How good a forecast of growth is, over the cells that had not burned before.  Persistence, that
 *  nothing grows, has skill, IoU and fraction skill 0. */
typedef struct zm_growth_score {
    size_t size;    /**< sizeof(zm_growth_score), set by the caller */
    int64_t before; /**< cells burned before */
    int64_t grown;  /**< cells burned after and not before */
    int64_t
        lost; /**< burned before and not after: perimeters are not exact; not scored */
    double expected; /**< cells: sum of the probabilities */
    double brier; /**< sum of squared errors, cells; that of persistence is `grown` */
    double
        skill; /**< 1 - brier/grown: Brier skill against persistence; NAN where nothing
                          has grown */
    double
        iou; /**< of the growth and the cells with at least `threshold`; NAN where nothing has
                     grown */
    double threshold; /**< the probability above which the IoU that the forecast itself
                                  expects is largest; 0 where it forecasts nothing */
    double fractions; /**< fractions skill score (Roberts and Lean 2008); NAN where
                                  nothing has grown and none was forecast */
    double window;    /**< m: side of its squares, an odd number of cells */
    int64_t bin_cells[ZM_RELIABILITY_BINS]; /**< with such a probability */
    double
        bin_forecast[ZM_RELIABILITY_BINS]; /**< their mean probability; 0 where none */
    double bin_observed[ZM_RELIABILITY_BINS]; /**< the share of them that burned */
    double
        ceiling; /**< skill of the best forecast that ranks the cells as this one does: isotonic
                         regression of what burned on p (Dimitriadis et al. 2021).  What lacks to 1 is
                         that it does not know where */
} zm_growth_score;
#define ZM_GROWTH_SCORE_INIT                                                           \
    {                                                                                  \
        .size = sizeof(zm_growth_score)                                                \
    }

/** Side of the squares of zm_score_growth, m, where nothing else is said. */
#define ZM_GROWTH_WINDOW 500.0

/**
 * Scores the probabilities with which cells burn until the next perimeter.
 *
 *     skill = 1 - sum (p - o)^2 / sum o,    fractions = 1 - sum (P - O)^2 / (sum P^2 + sum O^2)
 *
 * o is 1 where the fire has grown; sums run over the cells outside `before`; P and O are means of p
 * and o over squares, which are cut off at the edge of the grid.
 *
 * @param before, after in  rows*cols; not 0: burned
 * @param probability   in  rows*cols, 0 to 1; what it says of cells in `before` does not matter
 * @param cell          in  m
 * @param window        in  m, > 0: side of the squares, which becomes the nearest odd number of cells
 * @param out           out untouched after a failure
 * @return ZM_OK, ZM_E_ARG (err->cell: a probability that is none), ZM_E_NOMEM
 */
ZM_API zm_status zm_score_growth(const uint8_t *before, const uint8_t *after,
                                 const float *probability, int32_t rows, int32_t cols,
                                 double cell, double window, zm_growth_score *out,
                                 zm_error *err);

/** Many values.  This struct is frozen. */
typedef struct zm_summary {
    size_t n;       /**< values that are finite */
    size_t missing; /**< those that are not */
    double mean, median, sd;
    double low, high; /**< 95 % interval of the mean, by bootstrap */
} zm_summary;

/**
 * Mean, median, standard deviation (n - 1) and interval of the values that are finite; NAN
 * where there are too few.  The interval is that of the means of 2000 resamples, drawn from
 * `seed`: the same values and seed give the same bits.
 *
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM
 */
ZM_API zm_status zm_summarise(const double *values, size_t n, uint64_t seed,
                              zm_summary *out, zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
