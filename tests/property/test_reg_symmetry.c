/* SPDX-License-Identifier: Apache-2.0
 * What regularisers must not depend on, and what they must refuse. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "zermelo/reg.h"

enum { ROWS = 11, COLS = 8, N = ROWS * COLS, KINDS = 6 };

static void fill_metric(double (*g)[N], uint64_t *state)
{
    for (size_t i = 0; i < N; i++) {
        g[0][i] = 2 + zm_random_unit(state);
        g[1][i] = 2 * zm_random_unit(state) - 1;
        g[2][i] = 1 + zm_random_unit(state);
    }
}

static double value_of(test_run *t, zm_grid grid, int kind, double eps, double (*g)[N])
{
    const double *const planes[3] = { g[0], g[1], g[2] };
    zm_reg r = ZM_REG_INIT;
    double value = NAN;

    r.kind = (zm_reg_kind)kind;
    r.eps = eps;
    CHECK(zm_reg_value(grid, planes, 3, NULL, &value, NULL, &r, NULL) == ZM_OK);
    return value;
}

/* Forward differences along x and y change places, and so do dx and dy: the sum over
 * cells is the same but for its order. */
TEST(transposing_fields_and_grid_changes_nothing)
{
    for (int kind = 0; kind < KINDS; kind++) {
        uint64_t state = t->seed;
        double g[3][N], h[3][N];
        double value;

        fill_metric(g, &state);
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; i < N; i++)
                h[k][i % COLS * ROWS + i / COLS] = g[k][i];
        value = value_of(t, (zm_grid){ ROWS, COLS, 0.7, 1.3 }, kind, 0.2, g);
        CHECK_NEAR(value_of(t, (zm_grid){ COLS, ROWS, 1.3, 0.7 }, kind, 0.2, h), value,
                   1e-13 * value);
    }
}

/* G -> Q G Q' with one rotation Q in all cells keeps Frobenius norms, of G and of log G. */
TEST(rotating_all_tensors_alike_changes_neither_tv_of_G)
{
    static const int kinds[] = { ZM_REG_FROBENIUS_TV, ZM_REG_LOG_EUCLIDEAN_TV };
    const zm_grid grid = { ROWS, COLS, 1, 1 };
    uint64_t state = t->seed;
    const double angle = 6 * zm_random_unit(&state), c = cos(angle), s = sin(angle);
    double g[3][N], h[3][N];

    fill_metric(g, &state);
    for (size_t i = 0; i < N; i++) {
        const double a = g[0][i], b = g[1][i], d = g[2][i];

        h[0][i] = c * c * a - 2 * c * s * b + s * s * d;
        h[1][i] = c * s * (a - d) + (c * c - s * s) * b;
        h[2][i] = s * s * a + 2 * c * s * b + c * c * d;
    }
    for (size_t k = 0; k < 2; k++) {
        const double value = value_of(t, grid, kinds[k], 0.1, g);

        CHECK_NEAR(value_of(t, grid, kinds[k], 0.1, h), value, 1e-12 * value);
    }
}

/* log(a G) = log(a) I + log G and log(G^-1) = -log G. */
TEST(log_euclidean_tv_is_the_same_in_other_units_and_for_the_inverse)
{
    const zm_grid grid = { ROWS, COLS, 1, 1 };
    uint64_t state = t->seed;
    double g[3][N], scaled[3][N], inverse[3][N], value;

    fill_metric(g, &state);
    for (size_t i = 0; i < N; i++) {
        const double det = g[0][i] * g[2][i] - g[1][i] * g[1][i];

        for (size_t k = 0; k < 3; k++)
            scaled[k][i] = 1e-3 * g[k][i];
        inverse[0][i] = g[2][i] / det;
        inverse[1][i] = -g[1][i] / det;
        inverse[2][i] = g[0][i] / det;
    }
    value = value_of(t, grid, ZM_REG_LOG_EUCLIDEAN_TV, 0.1, g);
    CHECK_NEAR(value_of(t, grid, ZM_REG_LOG_EUCLIDEAN_TV, 0.1, scaled), value,
               1e-12 * value);
    CHECK_NEAR(value_of(t, grid, ZM_REG_LOG_EUCLIDEAN_TV, 0.1, inverse), value,
               1e-12 * value);
}

TEST(constant_fields_cost_nothing_and_have_no_gradient)
{
    for (int kind = 0; kind < KINDS; kind++) {
        double g[3][N], gradient[3][N], value;
        const double *const planes[3] = { g[0], g[1], g[2] };
        const double *const reference[3] = { g[0], g[1], g[2] };
        double *const out[3] = { gradient[0], gradient[1], gradient[2] };
        zm_reg r = ZM_REG_INIT;

        for (size_t i = 0; i < N; i++) {
            g[0][i] = 2.1;
            g[1][i] = 0.3;
            g[2][i] = 0.7;
        }
        r.kind = (zm_reg_kind)kind;
        r.reference = kind == ZM_REG_TIKHONOV ? reference : NULL;
        CHECK(zm_reg_value((zm_grid){ ROWS, COLS, 0.1, 3 }, planes, 3, NULL, &value,
                           out, &r, NULL) == ZM_OK);
        CHECK(value == 0);
        for (size_t i = 0; i < N; i++)
            CHECK(gradient[0][i] == 0 && gradient[1][i] == 0 && gradient[2][i] == 0);
    }
}

/* An edge along a column, on a grid twice and four times as fine: jump times length. */
TEST(total_variation_of_an_edge_does_not_depend_on_the_spacing)
{
    for (int32_t fine = 1; fine <= 4; fine *= 2) {
        const zm_grid grid = { 10 * fine, 10 * fine, 1.0 / fine, 1.0 / fine };
        const size_t n = (size_t)(grid.rows * grid.cols);
        double *u = malloc(n * sizeof *u), value;
        const double *plane = u;
        zm_reg r = ZM_REG_INIT;

        for (size_t i = 0; i < n; i++)
            u[i] = i % (size_t)grid.cols < (size_t)grid.cols / 2 ? 1 : 2.5;
        r.eps = 0;
        CHECK(zm_reg_value(grid, &plane, 1, NULL, &value, NULL, &r, NULL) == ZM_OK);
        CHECK_NEAR(value, 1.5 * 10, 1e-12);
        free(u);
    }
}

/* A line of cells, and a single one. */
TEST(thin_grids_are_served)
{
    const double u[3] = { 1, 4, 2 }, *plane = u;
    double gradient[3], value, *out = gradient, w[3];
    zm_reg r = ZM_REG_INIT;

    r.kind = ZM_REG_H1;
    CHECK(zm_reg_value((zm_grid){ 1, 3, 1, 1 }, &plane, 1, NULL, &value, &out, &r,
                       NULL) == ZM_OK);
    CHECK_NEAR(value, 0.5 * (9 + 4), 1e-15);
    CHECK(gradient[0] == -3 && gradient[1] == 5 && gradient[2] == -2);
    CHECK(zm_reg_value((zm_grid){ 3, 1, 1, 1 }, &plane, 1, NULL, &value, &out, &r,
                       NULL) == ZM_OK);
    CHECK_NEAR(value, 0.5 * (9 + 4), 1e-15);
    CHECK(zm_reg_value((zm_grid){ 1, 1, 1, 1 }, &plane, 1, NULL, &value, &out, &r,
                       NULL) == ZM_OK);
    CHECK(value == 0 && gradient[0] == 0);
    CHECK(zm_reg_lagged((zm_grid){ 1, 3, 1, 1 }, &plane, 1, NULL, w, &r, NULL) ==
          ZM_OK);
}

TEST(bad_arguments_of_regularisers_are_named)
{
    const zm_grid grid = { ROWS, COLS, 1, 1 };
    uint64_t state = t->seed;
    double g[3][N], value, w[N];
    const double *planes[3] = { g[0], g[1], g[2] };
    const double bad_weights[3] = { 1, -1, 1 }, weights[3] = { 1, 1, 1 };
    zm_error err;

    fill_metric(g, &state);
#define EXPECT(status, n_fields, change)                                               \
    do {                                                                               \
        zm_reg r = ZM_REG_INIT;                                                        \
        err.text[0] = 0;                                                               \
        change;                                                                        \
        CHECK(zm_reg_value(grid, planes, n_fields, NULL, &value, NULL, &r, &err) ==    \
              (status));                                                               \
        CHECK(err.text[0]);                                                            \
    } while (0)
    EXPECT(ZM_E_ARG, 3, r.kind = (zm_reg_kind)9);
    EXPECT(ZM_E_ARG, 3, r.eps = -1);
    EXPECT(ZM_E_ARG, 3, r.eps = NAN);
    EXPECT(ZM_E_ARG, 3, (r.kind = ZM_REG_LOG, r.eps = 0));
    EXPECT(ZM_E_ARG, 3, r.weights = bad_weights);
    EXPECT(ZM_E_ARG, 3, r.reference = planes);
    EXPECT(ZM_E_ARG, 0, (void)0);
    EXPECT(ZM_E_ARG, 9, (void)0);
    EXPECT(ZM_E_ARG, 2, r.kind = ZM_REG_FROBENIUS_TV);
    EXPECT(ZM_E_ARG, 3, (r.kind = ZM_REG_FROBENIUS_TV, r.weights = weights));
    EXPECT(ZM_E_ARG, 3, r.size = sizeof(size_t) - 1);
    g[1][5] = NAN;
    EXPECT(ZM_E_ARG, 3, (void)0);
    CHECK(err.cell == 5);
    g[1][5] = 100; /* finite, but not positive definite */
    EXPECT(ZM_E_METRIC, 3, r.kind = ZM_REG_LOG_EUCLIDEAN_TV);
    CHECK(err.cell == 5);
    planes[2] = NULL;
    EXPECT(ZM_E_ARG, 3, (void)0);
#undef EXPECT
    planes[2] = g[2];
    CHECK(zm_reg_value(grid, planes, 3, NULL, NULL, NULL, NULL, &err) == ZM_E_ARG);
    {
        zm_reg r = ZM_REG_INIT;

        r.eps = 0;
        CHECK(zm_reg_lagged(grid, planes, 1, NULL, w, &r, &err) == ZM_E_ARG);
    }
}
