/* SPDX-License-Identifier: Apache-2.0
 * Mirrors, transposition, translation and scaling of a problem do the same to its solution. */
#include <stdlib.h>

#include "check.h"
#include "support/cases.h"

/* The same sums are formed in another order: a few ulp a step, and the fixed point adds
 * them up along a path of some hundred steps. */
static const double rounding = 1e-12;

typedef struct turn {
    bool flip_rows, flip_cols, transpose;
} turn;

/* Cell of the turned grid that holds what was at (row, col). */
static size_t turned_cell(const test_case *c, turn u, int32_t row, int32_t col)
{
    const int32_t r = u.flip_rows ? c->grid.rows - 1 - row : row;
    const int32_t q = u.flip_cols ? c->grid.cols - 1 - col : col;

    return u.transpose ? (size_t)q * (size_t)c->grid.rows + (size_t)r
                       : (size_t)r * (size_t)c->grid.cols + (size_t)q;
}

/* x -> -x changes the signs of g12 and b1, y -> -y those of g12 and b2; transposition
 * exchanges the axes. */
static test_case turned(const test_case *c, turn u)
{
    test_case out = u.transpose ? case_create(c->grid.cols, c->grid.rows)
                                : case_create(c->grid.rows, c->grid.cols);
    const double sx = u.flip_cols ? -1 : 1, sy = u.flip_rows ? -1 : 1;

    out.grid.dx = u.transpose ? c->grid.dy : c->grid.dx;
    out.grid.dy = u.transpose ? c->grid.dx : c->grid.dy;
    if (c->walls)
        case_add_walls(&out);
    for (int32_t row = 0; row < c->grid.rows; row++)
        for (int32_t col = 0; col < c->grid.cols; col++) {
            const size_t from = (size_t)row * (size_t)c->grid.cols + (size_t)col;
            const size_t to = turned_cell(c, u, row, col);

            out.g11[to] = u.transpose ? c->g22[from] : c->g11[from];
            out.g22[to] = u.transpose ? c->g11[from] : c->g22[from];
            out.g12[to] = sx * sy * c->g12[from];
            out.b1[to] = u.transpose ? sy * c->b2[from] : sx * c->b1[from];
            out.b2[to] = u.transpose ? sx * c->b1[from] : sy * c->b2[from];
            if (c->walls)
                out.walls[to] = c->walls[from];
        }
    for (size_t i = 0; i < c->n_sources; i++) {
        const size_t to =
            turned_cell(c, u, (int32_t)c->sources[i].row, (int32_t)c->sources[i].col);

        case_add_source(&out, (int32_t)(to / (size_t)out.grid.cols),
                        (int32_t)(to % (size_t)out.grid.cols), c->sources[i].time);
    }
    return out;
}

static void check_turn(test_run *t, turn u)
{
    for (int m = 0; m < N_MEDIA; m++) {
        test_case c = case_make((medium)m, 57, 83, t->seed), d;
        double *T = nan_doubles(c.n), *T_turned = nan_doubles(c.n);
        double *back = nan_doubles(c.n);
        double apart;

        c.grid.dy = 1.25;
        case_add_source(&c, 56, 82, 3);
        d = turned(&c, u);
        CHECK(case_solve(&c, T) == ZM_OK);
        CHECK(case_solve(&d, T_turned) == ZM_OK);
        for (int32_t row = 0; row < c.grid.rows; row++)
            for (int32_t col = 0; col < c.grid.cols; col++)
                back[(size_t)row * (size_t)c.grid.cols + (size_t)col] =
                    T_turned[turned_cell(&c, u, row, col)];
        apart = max_relative_difference(T, back, c.n);
        CHECK_MSG(apart <= rounding, "%s: %.3g", medium_name((medium)m), apart);
        free(back);
        free(T_turned);
        free(T);
        case_free(&d);
        case_free(&c);
    }
}

TEST(mirroring_left_and_right)
{
    check_turn(t, (turn){ .flip_cols = true });
}

TEST(mirroring_up_and_down)
{
    check_turn(t, (turn){ .flip_rows = true });
}

TEST(transposing)
{
    check_turn(t, (turn){ .transpose = true });
}

TEST(turning_by_180_degrees_and_transposing)
{
    check_turn(t, (turn){ true, true, true });
}

/* A problem in a window of a larger grid whose other cells are walls has the solution of
 * the window alone, wherever the window lies with respect to tiles. */
TEST(translation_inside_a_larger_grid)
{
    static const struct {
        int32_t row, col;
    } shifts[] = { { 0, 0 }, { 1, 1 }, { 7, 15 }, { 16, 31 }, { 31, 32 }, { 33, 5 } };
    test_case c = case_make(SMOOTH, 45, 38, t->seed);
    double *T = nan_doubles(c.n);

    CHECK(case_solve(&c, T) == ZM_OK);
    for (size_t s = 0; s < sizeof shifts / sizeof shifts[0]; s++) {
        test_case d = case_create(90, 80);
        double *T_large = nan_doubles(d.n), *window = nan_doubles(c.n);

        case_add_walls(&d);
        for (size_t i = 0; i < d.n; i++)
            d.walls[i] = 1;
        for (size_t i = 0; i < c.n; i++) {
            const size_t row = i / 38 + (size_t)shifts[s].row;
            const size_t to = row * 80 + i % 38 + (size_t)shifts[s].col;

            d.walls[to] = 0;
            for (int p = 0; p < N_PLANES; p++)
                case_plane(&d, p)[to] = case_plane(&c, p)[i];
        }
        case_add_source(&d, (int32_t)c.sources[0].row + shifts[s].row,
                        (int32_t)c.sources[0].col + shifts[s].col, 0);
        CHECK(case_solve(&d, T_large) == ZM_OK);
        for (size_t i = 0; i < c.n; i++)
            window[i] = T_large[(i / 38 + (size_t)shifts[s].row) * 80 + i % 38 +
                                (size_t)shifts[s].col];
        CHECK_AT_MOST(max_relative_difference(T, window, c.n), rounding);
        free(window);
        free(T_large);
        case_free(&d);
    }
    free(T);
    case_free(&c);
}

/* G -> 4^k G, b -> 2^k b multiplies the length of every curve, hence every T, by 2^k.
 * Powers of two are exact in binary, so the bits must match. */
static void check_scaling(test_run *t, double factor)
{
    for (int m = 0; m < N_MEDIA; m++) {
        test_case c = case_make((medium)m, 51, 70, t->seed), scaled;
        double *T = nan_doubles(c.n), *T_scaled = nan_doubles(c.n);

        case_add_source(&c, 50, 3, 2.5);
        scaled = case_copy(&c);
        scaled.sources[1].time *= factor;
        for (size_t i = 0; i < c.n; i++) {
            scaled.g11[i] *= factor * factor;
            scaled.g12[i] *= factor * factor;
            scaled.g22[i] *= factor * factor;
            scaled.b1[i] *= factor;
            scaled.b2[i] *= factor;
        }
        CHECK(case_solve(&c, T) == ZM_OK);
        CHECK(case_solve(&scaled, T_scaled) == ZM_OK);
        for (size_t i = 0; i < c.n; i++)
            T[i] *= factor;
        CHECK_MSG(same_bits(T, T_scaled, c.n), "%s: %.3g apart", medium_name((medium)m),
                  max_relative_difference(T, T_scaled, c.n));
        free(T_scaled);
        free(T);
        case_free(&scaled);
        case_free(&c);
    }
}

TEST(doubling_all_lengths_doubles_every_arrival_time)
{
    check_scaling(t, 2);
}

/* Slowness of 1e-6 and 1e6 and beyond is as good as 1. */
TEST(metrics_of_1e12_and_1e_minus_12_scale_exactly)
{
    check_scaling(t, 0x1p20);
    check_scaling(t, 0x1p-20);
}

/* The same in float32, where 1e12 is near the middle of the range of squares. */
TEST(float32_metrics_scale_exactly)
{
    const double factors[] = { 2, 0x1p20, 0x1p-20 };

    for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++) {
        test_case c = case_make(SMOOTH, 51, 70, t->seed), scaled = case_copy(&c);
        zm_solver *solver = case_solver(&c, ZM_F32, NULL);
        float *T = nan_floats(c.n), *T_scaled = nan_floats(c.n);
        case_f32 one = case_to_f32(&c), other;

        for (size_t i = 0; i < N_PLANES * c.n; i++)
            scaled.g11[i] *= i < 3 * c.n ? factors[f] * factors[f] : factors[f];
        other = case_to_f32(&scaled);
        CHECK(zm_forward(solver, &one.problem, T, NULL, NULL, NULL) == ZM_OK);
        CHECK(zm_forward(solver, &other.problem, T_scaled, NULL, NULL, NULL) == ZM_OK);
        for (size_t i = 0; i < c.n; i++)
            CHECK(T_scaled[i] == (float)factors[f] * T[i]);
        case_f32_free(&other);
        case_f32_free(&one);
        free(T_scaled);
        free(T);
        zm_solver_destroy(solver);
        case_free(&scaled);
        case_free(&c);
    }
}

/* A change of spacing by a power of two is exact as well. */
TEST(doubling_the_spacing_doubles_every_arrival_time)
{
    test_case c = case_make(SMOOTH, 51, 70, t->seed), wide = case_copy(&c);
    double *T = nan_doubles(c.n), *T_wide = nan_doubles(c.n);

    wide.grid.dx *= 2;
    wide.grid.dy *= 2;
    CHECK(case_solve(&c, T) == ZM_OK);
    CHECK(case_solve(&wide, T_wide) == ZM_OK);
    for (size_t i = 0; i < c.n; i++)
        T[i] *= 2;
    CHECK(same_bits(T, T_wide, c.n));
    free(T_wide);
    free(T);
    case_free(&wide);
    case_free(&c);
}
