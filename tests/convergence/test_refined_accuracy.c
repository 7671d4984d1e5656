/* SPDX-License-Identifier: Apache-2.0
 * How near second and third order on blocks come to known solutions, and that no medium makes them
 * worse than what they build on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "reference/manufactured.h"
#include "support/cases.h"

/* The problem on side x side points of the unit square; T is the solution. */
static test_case manufactured_case(int32_t side, double *T)
{
    const zm_reference_manufactured m = zm_reference_manufactured_make(2, 1, 0.3, 0.4);
    const double h = 1.0 / (side - 1);
    test_case c = case_create(side, side);

    c.grid.dx = c.grid.dy = h;
    for (size_t i = 0; i < c.n; i++) {
        const double x = h * (double)(i % (size_t)side),
                     y = h * (double)(i / (size_t)side);
        double metric[N_PLANES];

        zm_reference_manufactured_metric(&m, x, y, metric);
        for (int k = 0; k < N_PLANES; k++)
            case_plane(&c, k)[i] = metric[k];
        T[i] = zm_reference_manufactured_time(&m, x, y);
    }
    case_add_source(&c, (int32_t)(m.sy / h + 0.5), (int32_t)(m.sx / h + 0.5), 0);
    return c;
}

static void solve(test_run *t, const test_case *c, int32_t order, zm_isa isa, double *T)
{
    zm_solver_opts o = adaptive_opts(order, ZM_FACTOR_BY_ORDER);
    zm_problem p = case_problem(c);
    zm_report report = ZM_REPORT_INIT;
    zm_error err = { .text = "" };
    zm_solver *s;
    zm_status st;

    o.isa = isa;
    s = case_solver(c, ZM_F64, &o);
    st = zm_forward(s, &p, T, NULL, &report, &err);
    CHECK_MSG(st == ZM_OK, "%s", err.text);
    CHECK(order == 1 || report.method == ZM_SOLVED_BY_REFINED_BLOCKS);
    zm_solver_destroy(s);
}

/* The rates of the differences, and errors at most those of fast marching with the same order. */
TEST(errors_fall_with_the_second_and_third_power_of_the_spacing)
{
    static const int32_t sides[] = { 101, 201, 401 };
    static const double most[2][3] = { { 0.018e-2, 0.0043e-2, 0.00108e-2 },
                                       { 0.010e-2, 0.0016e-2, 0.00030e-2 } };
    static const double rate[2] = { 1.95, 2.5 };

    for (int32_t order = 2; order <= 3; order++) {
        double error[3];

        for (int i = 0; i < 3; i++) {
            const size_t n = (size_t)sides[i] * (size_t)sides[i];
            double *T = nan_doubles(n), *exact = nan_doubles(n);
            test_case c = manufactured_case(sides[i], exact);

            solve(t, &c, order, ZM_ISA_BEST, T);
            error[i] = relative_l2(T, exact, n);
            CHECK_AT_MOST(error[i], most[order - 2][i]);
            case_free(&c);
            free(exact);
            free(T);
        }
        printf("    order %d: %.5f %.5f %.5f %%, rate %.2f\n", (int)order,
               100 * error[0], 100 * error[1], 100 * error[2],
               log2(error[1] / error[2]));
        CHECK(log2(error[1] / error[2]) >= rate[order - 2]);
    }
}

/* T = T_s in a constant medium: tau is 0, and all that is left is rounding. */
TEST(constant_media_are_exact)
{
    for (int32_t order = 2; order <= 3; order++)
        for (int k = 0; k < 10; k++) {
            test_case c = case_create(70, 93);
            double *T = nan_doubles(c.n), *exact = nan_doubles(c.n);

            c.grid.dx = k < 6 ? 1.25 : 1;
            if (k < 6)
                fill_oriented(&c, 2.5, 1.0, 0.4 * k, 0.3, 0.9 * k);
            else /* the eight neighbours suffice up to a drift of 0.7 */
                fill_oriented(&c, 1.44, 1.44, 0, k < 8 ? 0.45 : 0.68, 0.9 * k);
            case_add_source(&c, 31 + k, 40 - 3 * k, 0.5);
            closed_form(&c, exact);
            solve(t, &c, order, ZM_ISA_BEST, T);
            CHECK_AT_MOST(max_relative_difference(T, exact, c.n), 1e-13);
            case_free(&c);
            free(exact);
            free(T);
        }
}

/* Which front comes first is decided by first order, so that cells where fronts meet may have the
 * time of the later one: the difference is small there, but larger than what marching leaves. */
TEST(where_fronts_of_several_sources_meet_errors_stay_far_below_first_order)
{
    enum { SIDE = 101 };
    static const double drifts[] = { 0, 0.3, 0.55, 0.68 };

    for (int k = 0; k < 8; k++) {
        const double drift = drifts[k / 2], heading = 0.7 * (k % 2);
        test_case c = case_create(SIDE, SIDE);
        double *T = nan_doubles(c.n), *exact = nan_doubles(c.n), first;

        fill_oriented(&c, 1, 1, 0, drift, heading);
        case_add_source(&c, 50, 50, 0);
        case_add_source(&c, 20, 70, 5);
        case_add_source(&c, 80, 10, 10);
        case_add_source(&c, 0, 0, 0);
        for (size_t i = 0; i < c.n; i++) {
            exact[i] = (double)INFINITY;
            for (size_t j = 0; j < c.n_sources; j++) {
                const double x = (double)(i % SIDE) - c.sources[j].col,
                             y = (double)(i / SIDE) - c.sources[j].row;

                exact[i] = fmin(exact[i], c.sources[j].time + hypot(x, y) -
                                              c.b1[i] * x - c.b2[i] * y);
            }
        }
        solve(t, &c, 1, ZM_ISA_BEST, T);
        first = relative_l2(T, exact, c.n);
        solve(t, &c, 2, ZM_ISA_BEST, T);
        CHECK_AT_MOST(relative_l2(T, exact, c.n), first / 15);
        case_free(&c);
        free(exact);
        free(T);
    }
}

/* All instruction sets evaluate the same expressions; 1/sqrt of thresholds differs in its last
 * bits, to which the minimum is stationary. */
TEST(instruction_sets_agree)
{
    static const zm_isa isas[] = { ZM_ISA_AVX2, ZM_ISA_AVX512 };

    for (int m = 0; m < 2; m++)
        for (int32_t order = 2; order <= 3; order++) {
            test_case c = case_make(m ? CONTRAST : SMOOTH, 101, 77, t->seed);
            double *scalar = nan_doubles(c.n), *T = nan_doubles(c.n);

            case_add_source(&c, 90, 9, 3);
            solve(t, &c, order, ZM_ISA_SCALAR, scalar);
            for (int i = 0; i < 2; i++) {
                zm_solver_opts o = adaptive_opts(order, HUGE_VAL);
                zm_solver *s = NULL;

                o.isa = isas[i];
                if (zm_solver_create(&s, c.grid, ZM_F64, &o, NULL) != ZM_OK)
                    continue; /* not on this machine */
                zm_solver_destroy(s);
                solve(t, &c, order, isas[i], T);
                CHECK_AT_MOST(max_relative_difference(T, scalar, c.n), 1e-11);
            }
            case_free(&c);
            free(T);
            free(scalar);
        }
}

/* Slowness that jumps by a factor of 3 along a line of cells, the last that have the lower one (a
 * step counts the metric of the cell that it leads to): T is known to the left of it and by Fermat's
 * principle to the right, with the crossing found by bisection. */
static double time_across(double x, double y, double sx, double sy, double edge,
                          double right)
{
    double low = fmin(y, sy), high = fmax(y, sy);

    if (x <= edge)
        return hypot(x - sx, y - sy);
    for (int i = 0; i < 100; i++) {
        const double at = (low + high) / 2;
        const double slope = (at - sy) / hypot(edge - sx, at - sy) +
                             right * (at - y) / hypot(x - edge, at - y);

        if (slope > 0)
            high = at;
        else
            low = at;
    }
    return hypot(edge - sx, low - sy) + right * hypot(x - edge, low - y);
}

TEST(a_jump_of_the_slowness_leaves_second_order_better_than_first)
{
    enum { SIDE = 401 };
    const double h = 1.0 / (SIDE - 1), edge = 0.5, right = 3;
    test_case c = case_create(SIDE, SIDE);
    double *T = nan_doubles(c.n), *exact = nan_doubles(c.n), error[4];

    c.grid.dx = c.grid.dy = h;
    for (size_t i = 0; i < c.n; i++) {
        const double x = h * (double)(i % SIDE), y = h * (double)(i / SIDE);
        const double slowness = x > edge + h / 4 ? right : 1;

        c.g11[i] = c.g22[i] = slowness * slowness;
        exact[i] = time_across(x, y, 0.2, 0.4, edge, right);
    }
    case_add_source(&c, 160, 80, 0);
    for (int32_t order = 1; order <= 3; order++) {
        solve(t, &c, order, ZM_ISA_BEST, T);
        error[order] = relative_l2(T, exact, c.n);
    }
    printf("    orders 1 to 3: %.4f %.4f %.4f %%\n", 100 * error[1], 100 * error[2],
           100 * error[3]);
    CHECK_AT_MOST(error[2], 0.07e-2);
    CHECK(error[2] <= error[1] && error[3] <= error[1]);
    case_free(&c);
    free(exact);
    free(T);
}

/* A jump that crosses the grid at an angle is a staircase, whose corners are of first order.  What they
 * leave must not grow: neither order is worse than first order, nor third much worse than second. */
TEST(jumps_at_an_angle_leave_higher_orders_better_than_first)
{
    enum { SIDE = 201 };
    static const double jumps[] = { 1.2, 2, 3, 8 };
    const double h = 1.0 / (SIDE - 1), sx = 0.2, sy = 0.4;
    double worst[4] = { 0 };

    for (int k = 0; k < 16; k++) {
        const double right = jumps[k % 4], angle = -0.7 + 0.45 * (k / 4);
        const double u = cos(angle), v = sin(angle);
        test_case c = case_create(SIDE, SIDE);
        double *T = nan_doubles(c.n), *exact = nan_doubles(c.n), error[4];

        c.grid.dx = c.grid.dy = h;
        for (size_t i = 0; i < c.n; i++) {
            const double x = h * (double)(i % SIDE) - 0.5,
                         y = h * (double)(i / SIDE) - 0.5;
            const double slowness = u * x + v * y > 0 ? right : 1;

            c.g11[i] = c.g22[i] = slowness * slowness;
            exact[i] = time_across(u * x + v * y, u * y - v * x,
                                   u * (sx - 0.5) + v * (sy - 0.5),
                                   u * (sy - 0.5) - v * (sx - 0.5), 0, right);
        }
        case_add_source(&c, 80, 40, 0);
        for (int32_t order = 1; order <= 3; order++) {
            solve(t, &c, order, ZM_ISA_BEST, T);
            error[order] = relative_l2(T, exact, c.n);
            worst[order] = fmax(worst[order], error[order]);
        }
        CHECK_MSG(error[2] <= error[1] && error[3] <= error[1] &&
                      error[3] <= 1.5 * error[2],
                  "jump %g, angle %g: %.4f %.4f %.4f %%", right, angle, 100 * error[1],
                  100 * error[2], 100 * error[3]);
        case_free(&c);
        free(exact);
        free(T);
    }
    printf("    orders 1 to 3: at most %.4f %.4f %.4f %%\n", 100 * worst[1],
           100 * worst[2], 100 * worst[3]);
}

/* The time of a source is the one it was given, to the last bit, and nothing is earlier than the first. */
TEST(sources_keep_their_times)
{
    for (int m = 0; m < 2; m++)
        for (int32_t order = 2; order <= 3; order++) {
            test_case c =
                case_make(m ? CONTRAST : SMOOTH, 64, 50, t->seed + (uint64_t)m);
            double *T = nan_doubles(c.n);

            case_clear_sources(&c);
            case_add_source(&c, 3, 4, 1.0 / 3);
            case_add_source(&c, 60, 40, 0.1 + 1.0 / 3);
            solve(t, &c, order, ZM_ISA_BEST, T);
            for (size_t i = 0; i < c.n_sources; i++)
                CHECK(T[(size_t)c.sources[i].row * 50 + (size_t)c.sources[i].col] ==
                      c.sources[i].time);
            for (size_t i = 0; i < c.n; i++)
                CHECK(T[i] >= 1.0 / 3);
            case_free(&c);
            free(T);
        }
}

/* Where the smoothest part of a medium is a cell, higher orders fall back on first differences:
 * times stay near those of the first order, whose scheme is monotone. */
TEST(rough_media_are_near_first_order)
{
    static const medium media[] = { SMOOTH, CONTRAST, MAZE };

    for (int m = 0; m < 3; m++)
        for (int32_t order = 2; order <= 3; order++) {
            test_case c = case_make(media[m], 120, 130, t->seed + (uint64_t)m);
            double *first = nan_doubles(c.n), *T = nan_doubles(c.n);

            solve(t, &c, 1, ZM_ISA_BEST, first);
            solve(t, &c, order, ZM_ISA_BEST, T);
            for (size_t i = 0; i < c.n; i++) {
                CHECK(isinf(T[i]) == isinf(first[i]));
                CHECK(isinf(T[i]) || first[i] < 5 ||
                      fabs(T[i] - first[i]) <= 0.15 * first[i]);
            }
            case_free(&c);
            free(T);
            free(first);
        }
}

/* A source beside the border of a block, in a medium so rough that only its own cell starts: that has
 * neighbours that wait for cells of the next block. */
TEST(fronts_leave_the_block_of_the_source)
{
    for (unsigned seed = 0; seed < 150; seed++) {
        test_case c = case_make(CONTRAST, 9 + (int32_t)(seed * 7 % 40),
                                33 + (int32_t)(seed % 9), t->seed + seed);
        double *T = nan_doubles(c.n);

        case_clear_sources(&c);
        case_add_source(&c, (int32_t)(seed % 9), seed % 2 ? 31 : 32, 0);
        solve(t, &c, 3, seed % 3 ? ZM_ISA_BEST : ZM_ISA_SCALAR, T);
        case_free(&c);
        free(T);
    }
}

/* In strong metrics the eight neighbours are not causal.  Either all cells have a time, or the message
 * says what would be right. */
TEST(third_order_in_strong_metrics_says_what_to_use)
{
    int refused = 0;

    for (unsigned seed = 0; seed < 6; seed++) {
        test_case c = case_make(STRONG, 120, 130, t->seed + seed);
        zm_solver_opts o = fixed_opts();
        const zm_problem p = case_problem(&c);
        double *T = nan_doubles(c.n);
        zm_error err = { .text = "" };
        zm_solver *s;

        o.order = 3;
        o.factor_radius = HUGE_VAL;
        s = case_solver(&c, ZM_F64, &o);
        if (zm_forward(s, &p, T, NULL, NULL, &err) != ZM_OK) {
            CHECK_MSG(strstr(err.text, "use order 2"), "%s", err.text);
            refused++;
        } else {
            for (size_t i = 0; i < c.n; i++)
                CHECK(T[i] >= 0);
        }
        zm_solver_destroy(s);
        case_free(&c);
        free(T);
    }
    CHECK(refused > 0);
}

/* float32 planes hold the problem and the times; all between is double. */
TEST(float32_agrees_with_float64)
{
    for (int32_t order = 2; order <= 3; order++) {
        test_case c = case_make(SMOOTH, 90, 110, t->seed);
        zm_solver_opts o = adaptive_opts(order, HUGE_VAL);
        float *single = nan_floats(c.n);
        double *T = nan_doubles(c.n), *wide = nan_doubles(c.n);
        zm_report report = ZM_REPORT_INIT;
        zm_solver *s;
        case_f32 f;

        case_round_to_f32(&c);
        f = case_to_f32(&c);
        s = case_solver(&c, ZM_F32, &o);
        CHECK(zm_forward(s, &f.problem, single, NULL, &report, NULL) == ZM_OK);
        CHECK(report.method == ZM_SOLVED_BY_REFINED_BLOCKS);
        solve(t, &c, order, ZM_ISA_BEST, T);
        for (size_t i = 0; i < c.n; i++)
            wide[i] = (double)single[i];
        /* T1 of float32 differs in the last bits, and with it the order of a few cells */
        CHECK_AT_MOST(relative_l2(wide, T, c.n), 2e-5);
        zm_solver_destroy(s);
        case_f32_free(&f);
        case_free(&c);
        free(wide);
        free(T);
        free(single);
    }
}
