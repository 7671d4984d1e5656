/* SPDX-License-Identifier: Apache-2.0
 * Scores of predicted fires. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "zermelo/fire/score.h"

enum { ROWS = 40, COLS = 50, CELLS = ROWS * COLS };

/* Distance from the ignition at (20, 25), unburned beyond 15 cells. */
static void round_fire(float *T)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++) {
            const float d = hypotf((float)(r - 20), (float)(c - 25));

            T[r * COLS + c] = d <= 15 ? d / 5 : INFINITY;
        }
}

TEST(a_perfect_prediction_scores_one_everywhere)
{
    float T[CELLS];
    zm_score s = ZM_SCORE_INIT;

    round_fire(T);
    CHECK(zm_score_fire(T, T, ROWS, COLS, 20, 25, 3, &s, NULL) == ZM_OK);
    CHECK_NEAR(s.pearson, 1, 1e-12);
    CHECK_NEAR(s.spearman, 1, 1e-12);
    CHECK(s.relative_rmse == 0 && s.mae == 0 && s.bias == 0);
    for (int k = 0; k < ZM_SCORE_SHARES; k++)
        CHECK(s.iou[k] == 1);
    CHECK(s.compared == s.burned - 9 && s.unreached == 0 && s.flaw == ZM_SCORE_FINE);
}

/* Twice as slow: the correlation does not notice; e = T, so MAE is the mean time, and the
 * true disc of radius 15 k/4 is met by one of half the radius, IoU near 1/4. */
TEST(correlation_is_blind_to_speed_and_iou_is_not)
{
    float T[CELLS], slow[CELLS];
    double sum = 0, squares = 0;
    zm_score s = ZM_SCORE_INIT;

    round_fire(T);
    for (int i = 0; i < CELLS; i++)
        slow[i] = 2 * T[i];
    CHECK(zm_score_fire(T, slow, ROWS, COLS, 20, 25, 3, &s, NULL) == ZM_OK);
    CHECK_NEAR(s.pearson, 1, 1e-12);
    for (int i = 0; i < CELLS; i++) {
        const int r = i / COLS - 20, c = i % COLS - 25;

        if (isfinite(T[i]) && (abs(r) > 1 || abs(c) > 1)) {
            sum += (double)T[i];
            squares += (double)T[i] * (double)T[i];
        }
    }
    CHECK_NEAR(s.mae, sum / (double)s.compared, 1e-9);
    CHECK_NEAR(s.bias, s.mae, 1e-12);
    CHECK_NEAR(s.relative_rmse, sqrt(squares / (double)s.compared) / s.latest, 1e-9);
    CHECK_NEAR(s.iou[3], 0.25, 0.03);
}

/* Cells that burn in the prediction alone, far from the fire, lower the IoU: the domain is
 * compared, not the fire.  Here as many again, so 1/2. */
TEST(false_alarms_anywhere_lower_the_iou)
{
    float T[CELLS], more[CELLS];
    zm_score s = ZM_SCORE_INIT;
    int64_t extra = 0;

    round_fire(T);
    memcpy(more, T, sizeof more);
    CHECK(zm_score_fire(T, T, ROWS, COLS, 20, 25, 3, &s, NULL) == ZM_OK);
    for (int i = 0; i < CELLS && extra < s.burned; i++)
        if (!isfinite(T[i])) {
            more[i] = 0.1F;
            extra++;
        }
    CHECK(zm_score_fire(T, more, ROWS, COLS, 20, 25, 3, &s, NULL) == ZM_OK);
    CHECK_NEAR(s.iou[3], 0.5, 1e-12);
    CHECK_NEAR(s.pearson, 1, 1e-12);
}

/* What the prediction never reaches is not left out: it counts as late. */
TEST(unreached_cells_are_counted_and_cost)
{
    float T[CELLS], half[CELLS];
    zm_score s = ZM_SCORE_INIT;

    round_fire(T);
    for (int i = 0; i < CELLS; i++)
        half[i] = i % COLS < 25 ? INFINITY : T[i];
    CHECK(zm_score_fire(T, half, ROWS, COLS, 20, 25, 3, &s, NULL) == ZM_OK);
    CHECK(s.unreached > 0 && s.unreached < s.compared);
    CHECK(s.pearson < 0.9);
    CHECK(s.mae > 0.1);
    CHECK(s.flaw == ZM_SCORE_FINE);
}

TEST(degenerate_fires_have_no_correlation_but_a_reason)
{
    float T[CELLS], flat[CELLS];
    zm_score s = ZM_SCORE_INIT;

    round_fire(T);
    for (int i = 0; i < CELLS; i++)
        flat[i] = 1;
    CHECK(zm_score_fire(T, flat, ROWS, COLS, 20, 25, 3, &s, NULL) == ZM_OK);
    CHECK(isnan(s.pearson) && isnan(s.spearman));
    CHECK(s.flaw == ZM_SCORE_PREDICTION_FLAT && s.mae > 0);
    for (int i = 0; i < CELLS; i++)
        flat[i] = NAN;
    CHECK(zm_score_fire(T, flat, ROWS, COLS, 20, 25, 3, &s, NULL) == ZM_OK);
    CHECK(s.flaw == ZM_SCORE_NOTHING_PREDICTED && s.unreached == s.compared);
    CHECK(s.iou[3] == 0);
    for (int i = 0; i < CELLS; i++)
        flat[i] = isfinite(T[i]) ? 2 : INFINITY;
    CHECK(zm_score_fire(flat, T, ROWS, COLS, 20, 25, 3, &s, NULL) == ZM_OK);
    CHECK(s.flaw == ZM_SCORE_TRUTH_FLAT);
    for (int i = 0; i < CELLS; i++)
        flat[i] = INFINITY;
    CHECK(zm_score_fire(flat, T, ROWS, COLS, 20, 25, 3, &s, NULL) == ZM_E_ARG);
    flat[20 * COLS + 25] = 0;
    CHECK(zm_score_fire(flat, T, ROWS, COLS, 20, 25, 3, &s, NULL) == ZM_OK);
    CHECK(s.flaw == ZM_SCORE_FEW_CELLS && s.compared == 0 && isnan(s.mae));
}

/* 1, 2, 2, 3 against 1, 3, 2, 4: ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4; by hand 4.5/sqrt(4.5 5)
 * = 0.9487. */
TEST(spearman_shares_ranks_among_equal_times)
{
    const float truth[4] = { 1, 2, 2, 3 }, predicted[4] = { 1, 3, 2, 4 };
    zm_score s = ZM_SCORE_INIT;

    CHECK(zm_score_fire(truth, predicted, 1, 4, -1, -1, 0, &s, NULL) == ZM_OK);
    CHECK_NEAR(s.spearman, 4.5 / sqrt(4.5 * 5), 1e-12);
    CHECK(s.duration == 3 && s.compared == 4);
}

/* Masks of 2, 4 and 6 cells in a row, prediction one cell an hour from the first on. */
TEST(observed_dates_are_compared_one_by_one)
{
    uint8_t masks[3][8] = { { 1, 1 }, { 1, 1, 1, 1 }, { 1, 1, 1, 1, 1, 1 } };
    const uint8_t *pointers[3] = { masks[0], masks[1], masks[2] };
    const double hours[3] = { 0, 2, 6 };
    float T[8] = { 0, 0, 1, 2, 3, 4, 5, 6 };
    zm_observed_score s = ZM_OBSERVED_SCORE_INIT;
    double iou[3];

    CHECK(zm_score_observed(pointers, hours, 3, 1, T, 8, iou, &s, NULL) == ZM_OK);
    CHECK(isnan(iou[0]));
    CHECK_NEAR(iou[1], 1, 1e-12);      /* reached by 2 h: the four */
    CHECK_NEAR(iou[2], 6. / 8, 1e-12); /* by 6 h: all eight */
    CHECK_NEAR(s.mean_iou, (1 + 6. / 8) / 2, 1e-12);
    CHECK_NEAR(s.equal_area_iou, 1, 1e-12);
    CHECK(s.burned == 4 && s.unreached == 0 && s.flaw == ZM_SCORE_FINE);
    /* times 2, 2, 6, 6 against 1, 2, 3, 4 */
    CHECK_NEAR(s.pearson, 8 / sqrt(16. * 5), 1e-12);
    CHECK(s.pearson_all > 0.8);
}

/* A fire seen once: no date to compare at, but its shape still says something. */
TEST(one_observation_gives_a_shape_and_a_flaw)
{
    const uint8_t mask[8] = { 1, 1, 1, 1 }, *pointers[1] = { mask };
    const double hours[1] = { (double)NAN };
    const float T[8] = { 0, 1, 2, 9, 3, 4, 5, 6 };
    zm_observed_score s = ZM_OBSERVED_SCORE_INIT;

    CHECK(zm_score_observed(pointers, hours, 1, 0, T, 8, NULL, &s, NULL) == ZM_OK);
    CHECK(isnan(s.mean_iou) && s.flaw == ZM_SCORE_TRUTH_FLAT);
    CHECK_NEAR(s.equal_area_iou, 3. / 5, 1e-12);
}

/* The interval of a mean of n normal values is about mean +- 1.96 sd/sqrt(n); the bootstrap's
 * own scatter with 2000 resamples is a few percent of that. */
TEST(the_interval_is_that_of_the_mean_and_repeats)
{
    enum { N = 200 };
    double values[N + 1];
    uint64_t state = t->seed;
    zm_summary a, b;

    for (int i = 0; i < N; i++)
        values[i] = 5 + 2 * zm_random_normal(&state);
    values[N] = (double)NAN;
    CHECK(zm_summarise(values, N + 1, 7, &a, NULL) == ZM_OK);
    CHECK(a.n == N && a.missing == 1);
    CHECK_NEAR(a.high - a.low, 2 * 1.96 * a.sd / sqrt(N),
               0.15 * 2 * 1.96 * a.sd / sqrt(N));
    CHECK(a.low < a.mean && a.mean < a.high);
    CHECK(zm_summarise(values, N + 1, 7, &b, NULL) == ZM_OK);
    CHECK(!memcmp(&a, &b, sizeof a));
    CHECK(zm_summarise((double[]){ 3, 1, 2, 10 }, 4, 7, &a, NULL) == ZM_OK);
    CHECK(a.median == 2.5 && a.mean == 4);
    CHECK(zm_summarise(NULL, 0, 7, &a, NULL) == ZM_OK);
    CHECK(a.n == 0 && isnan(a.mean) && isnan(a.low));
}

TEST(the_latest_time_is_the_latest_that_is_finite)
{
    const float T[4] = { 2, INFINITY, 5, NAN };

    CHECK(zm_score_latest(T, 4) == 5 && zm_score_latest(T + 1, 1) == 0);
    CHECK(zm_score_latest(T, 0) == 0);
}
