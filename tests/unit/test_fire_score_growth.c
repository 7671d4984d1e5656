/* SPDX-License-Identifier: Apache-2.0
 * Scores of forecasts of growth. */
#include <string.h>

#include "check.h"
#include "zermelo/fire/score.h"

enum { ROWS = 30, COLS = 40, CELLS = ROWS * COLS };

/** A fire that grows from a disc of radius 5 to a disc of radius 9, and what is forecast. */
typedef struct grown {
    uint8_t before[CELLS], after[CELLS];
    float p[CELLS];
    zm_growth_score s;
} grown;

static double radius(int i)
{
    return hypot(i / COLS - 15, i % COLS - 20);
}

static void discs(grown *g)
{
    memset(g, 0, sizeof *g);
    g->s.size = sizeof g->s;
    for (int i = 0; i < CELLS; i++) {
        g->before[i] = radius(i) <= 5;
        g->after[i] = radius(i) <= 9;
    }
}

static zm_status score(grown *g)
{
    return zm_score_growth(g->before, g->after, g->p, ROWS, COLS, 100, ZM_GROWTH_WINDOW,
                           &g->s, NULL);
}

TEST(a_perfect_forecast_scores_one_and_persistence_zero)
{
    grown g;

    discs(&g);
    for (int i = 0; i < CELLS; i++)
        g.p[i] = g.after[i];
    CHECK(score(&g) == ZM_OK);
    CHECK(g.s.skill == 1 && g.s.iou == 1 && g.s.fractions == 1 && g.s.brier == 0);
    CHECK(g.s.expected == (double)g.s.grown && g.s.window == 500 && g.s.lost == 0);
    memset(g.p, 0, sizeof g.p);
    CHECK(score(&g) == ZM_OK);
    CHECK(g.s.skill == 0 && g.s.iou == 0 && g.s.fractions == 0);
    CHECK(g.s.brier == (double)g.s.grown && g.s.threshold == 0);
}

/* With probability p on n cells of which m burn, the skill is 1 - (m (1-p)^2 + (n-m) p^2)/m when they
 * are all that burn: 2 p - n p^2/m.  Only the cells with at least the threshold count in the IoU. */
TEST(skill_is_that_of_the_closed_form)
{
    grown g;
    int n = 0, m = 0;

    discs(&g);
    for (int i = 0; i < CELLS; i++)
        if (!g.before[i] && radius(i) <= 12) {
            g.p[i] = 0.4F;
            n++;
            m += g.after[i];
        }
    CHECK(score(&g) == ZM_OK);
    CHECK_NEAR(g.s.skill, 2 * 0.4 - n * 0.16 / m, 1e-6);
    CHECK_NEAR(g.s.iou, (double)m / n, 1e-12);
    CHECK_NEAR(g.s.threshold, 0.4, 1e-6);
    CHECK(g.s.bin_cells[4] == n);
    CHECK_NEAR(g.s.bin_forecast[4], 0.4, 1e-6);
    CHECK_NEAR(g.s.bin_observed[4], (double)m / n, 1e-12);
}

/* Two probabilities that are wrong but in the right order: the best forecast of that order says the shares
 * that burned, a of n and b of m cells, whose skill is (a^2/n + b^2/m)/(a + b); in the wrong order it says
 * the same of all.  Squares of the probabilities keep their order, and so the ceiling. */
TEST(the_ceiling_is_the_skill_of_the_best_forecast_in_that_order)
{
    grown g;
    double n[2] = { 0, 0 }, burned[2] = { 0, 0 }, of_all;

    discs(&g);
    for (int i = 0; i < CELLS; i++) {
        const int near = radius(i) <= 11;

        g.p[i] = near ? 0.01F : 0;
        if (!g.before[i]) {
            n[near]++;
            burned[near] += g.after[i];
        }
    }
    CHECK(score(&g) == ZM_OK);
    CHECK(burned[0] == 0);
    CHECK_NEAR(g.s.ceiling, burned[1] / n[1], 1e-12);
    CHECK(g.s.ceiling > g.s.skill);
    for (int i = 0; i < CELLS; i++)
        g.p[i] = 1 - g.p[i];
    CHECK(score(&g) == ZM_OK);
    of_all = (burned[0] + burned[1]) / (n[0] + n[1]);
    CHECK_NEAR(g.s.ceiling, of_all, 1e-12);
    for (int i = 0; i < CELLS; i++)
        g.p[i] = radius(i) > 20 ? 0 : 1 / (1 + (float)radius(i));
    CHECK(score(&g) == ZM_OK);
    of_all = g.s.ceiling;
    for (int i = 0; i < CELLS; i++)
        g.p[i] *= g.p[i];
    CHECK(score(&g) == ZM_OK);
    CHECK(g.s.ceiling == of_all);
}

/* What is said of cells that had burned does not matter, nor do cells that are no longer in the
 * perimeter, which are told. */
TEST(cells_that_had_burned_are_not_scored)
{
    grown g;
    zm_growth_score first;

    discs(&g);
    for (int i = 0; i < CELLS; i++)
        g.p[i] = radius(i) <= 8 ? 0.5F : 0;
    CHECK(score(&g) == ZM_OK);
    first = g.s;
    for (int i = 0; i < CELLS; i++)
        if (g.before[i])
            g.p[i] = 7;
    g.after[15 * COLS + 20] = 0;
    CHECK(score(&g) == ZM_OK);
    CHECK(g.s.lost == 1);
    CHECK(g.s.skill == first.skill);
    CHECK(g.s.fractions == first.fractions);
}

/* A forecast that is two cells off has no IoU with a line of growth, but lies in its squares. */
TEST(fractions_forgive_what_is_near)
{
    grown g;

    memset(&g, 0, sizeof g);
    g.s.size = sizeof g.s;
    for (int c = 5; c < 35; c++) {
        g.after[10 * COLS + c] = 1;
        g.p[12 * COLS + c] = 1;
    }
    CHECK(score(&g) == ZM_OK);
    CHECK(g.s.iou == 0 && g.s.skill < 0);
    CHECK(g.s.fractions > 0.5);
    memset(g.p, 0, sizeof g.p);
    for (int c = 5; c < 35; c++)
        g.p[20 * COLS + c] = 1;
    CHECK(score(&g) == ZM_OK);
    CHECK(g.s.fractions == 0);
}

TEST(no_growth_has_no_skill_and_bad_probabilities_are_named)
{
    grown g;
    zm_error err;

    discs(&g);
    memcpy(g.after, g.before, sizeof g.after);
    CHECK(score(&g) == ZM_OK);
    CHECK(isnan(g.s.skill) && isnan(g.s.iou) && isnan(g.s.fractions));
    g.p[7] = NAN;
    CHECK(zm_score_growth(g.before, g.after, g.p, ROWS, COLS, 100, 500, &g.s, &err) ==
              ZM_E_ARG &&
          err.cell == 7);
    CHECK(zm_score_growth(g.before, g.after, g.p, ROWS, COLS, 0, 500, &g.s, &err) ==
          ZM_E_ARG);
}
