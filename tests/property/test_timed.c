/* SPDX-License-Identifier: Apache-2.0
 * Time intervals: what a front does where the metric changes with time. */
#include <stdlib.h>

#include "check.h"
#include "support/timed.h"

/* One interval is a static problem.  Where the eight neighbours are causal, or fans of one metric
 * everywhere, the stencils are those of the accurate solver, and so is the fixed point. */
TEST(one_interval_is_the_accurate_solver)
{
    const zm_solver_opts adaptive = adaptive_opts(1, 0);
    const struct {
        double ratio, drift;
    } media[] = { { 1, 0 }, { 1, 0.1 }, { 8, 0.3 }, { 1, 0.93 }, { 3, 0.85 } };

    for (size_t i = 0; i < sizeof media / sizeof *media; i++) {
        timed_case b = timed_create(45, 51, 1);
        double *T = nan_doubles(b.n), *R = nan_doubles(b.n);

        b.interval[0].grid.dx = 1.5;
        b.interval[0].grid.dy = 0.7;
        fill_oriented(&b.interval[0], 1, media[i].ratio * media[i].ratio, 0.4,
                      media[i].drift, 2);
        case_add_source(&b.interval[0], 20, 30, -1);
        CHECK(case_solve_with(&b.interval[0], R, &adaptive) == ZM_OK);
        for (int cost = ZM_COST_OWN; cost <= ZM_COST_MEAN; cost++) {
            CHECK(timed_solve(&b, (zm_step_cost)cost, T) == ZM_OK);
            CHECK_AT_MOST(max_relative_difference(T, R, b.n), 1e-10);
        }
        free(R);
        free(T);
        timed_free(&b);
    }
}

/* In a row of cells the front goes straight on: with speed v_k in interval k it is where the
 * integral of v is.  Cells end anywhere between the intervals. */
TEST(along_a_row_the_front_goes_the_integral_of_its_speed)
{
    const double speed[6] = { 2.3, 0.7, 0, 0.11, 0.05, 5 };
    timed_case b = timed_create(1, 40, 6);
    double T[40];

    for (size_t k = 0; k < 6; k++) {
        if (speed[k] > 0)
            fill_constant(&b.interval[k], 1 / (speed[k] * speed[k]), 0, 1, 0, 0);
        else
            timed_stop(&b, k, -1);
    }
    case_add_source(&b.interval[0], 0, 0, 0.25);
    CHECK(timed_solve(&b, ZM_COST_OWN, T) == ZM_OK);
    for (size_t i = 0; i < 40; i++) {
        double gone = 0, to;

        for (size_t k = 0; k < 6; k++) { /* integral of the speed up to T[i] */
            const double from = fmax((double)k, 0.25);

            to = k < 5 ? fmin((double)k + 1, T[i]) : T[i];
            gone += speed[k] * fmax(0, to - from);
        }
        CHECK_NEAR(gone, (double)i, 1e-9);
    }
    timed_free(&b);
}

/* A stop of all cells for a while in the midst of an interval changes nothing but the clock. */
TEST(a_night_only_moves_the_clock)
{
    enum { SIDE = 41, NIGHT = 8 };
    timed_case day = timed_random(SIDE, 1, t->seed, 4, 2, 0.5, true);
    timed_case night = timed_create(SIDE, SIDE, 3);
    double *T = nan_doubles(day.n), *R = nan_doubles(day.n);

    for (size_t k = 0; k < 3; k++) {
        case_free(&night.interval[k]);
        night.interval[k] = case_copy(&day.interval[0]);
    }
    night.starts[1] = 7;
    night.starts[2] = 7 + NIGHT;
    timed_stop(&night, 1, -1);
    for (int cost = ZM_COST_OWN; cost <= ZM_COST_MEAN; cost++) {
        size_t after = 0;

        CHECK(timed_solve(&day, (zm_step_cost)cost, R) == ZM_OK);
        CHECK(timed_solve(&night, (zm_step_cost)cost, T) == ZM_OK);
        for (size_t i = 0; i < day.n; i++) {
            CHECK_NEAR(T[i], R[i] > 7 ? R[i] + NIGHT : R[i], 1e-9 * R[i]);
            after += R[i] > 7;
        }
        CHECK(after > day.n / 4 && after < day.n);
    }
    free(R);
    free(T);
    timed_free(&night);
    timed_free(&day);
}

/* Where all intervals have one metric but for its speed, time can be counted by the speed: the
 * times are those of the static problem on another clock, exactly, because progress and not
 * time is what is averaged between donors. */
TEST(a_change_of_speed_is_a_change_of_the_clock)
{
    enum { SIDE = 37, INTERVALS = 12 };
    const double speed[INTERVALS] = { 1, 0.2, 3, 0.7, 0.05, 2, 1, 0.4, 0.3, 6, 0.1, 1 };

    for (int cost = ZM_COST_OWN; cost <= ZM_COST_MEAN; cost++) {
        timed_case still =
            timed_random(SIDE, 1, t->seed, 3, 2, 0.9, cost == ZM_COST_OWN);
        timed_case b = timed_create(SIDE, SIDE, INTERVALS);
        double *T = nan_doubles(b.n), *R = nan_doubles(b.n);

        for (size_t k = 0; k < INTERVALS; k++) {
            case_free(&b.interval[k]);
            b.interval[k] = case_copy(&still.interval[0]);
            for (int j = 0; j < N_PLANES; j++)
                for (size_t i = 0; i < b.n; i++)
                    case_plane(&b.interval[k], j)[i] /=
                        j < 3 ? speed[k] * speed[k] : speed[k];
        }
        CHECK(timed_solve(&still, (zm_step_cost)cost, R) == ZM_OK);
        CHECK(timed_solve(&b, (zm_step_cost)cost, T) == ZM_OK);
        for (size_t i = 0; i < b.n; i++) {
            double clock =
                0.3; /* of the static problem, at T[i]; sources start at 0.3 */

            for (size_t k = 0; k < INTERVALS; k++) {
                const double to = k + 1 < INTERVALS ? fmin((double)k + 1, T[i]) : T[i];

                clock += speed[k] * fmax(0, to - fmax((double)k, 0.3));
            }
            CHECK_NEAR(clock, R[i], 1e-9 * R[i]);
        }
        free(R);
        free(T);
        timed_free(&b);
        timed_free(&still);
    }
}

/* A ring of walls one cell thick, straight and diagonal, with a drift that makes steps of many
 * cells: nothing gets over it.  If the ring is only stopped for a while, nothing gets over it
 * before it opens, and then it does. */
TEST(no_step_leads_over_a_thin_wall)
{
    enum { SIDE = 33, INTERVALS = 4 };
    const int64_t middle = SIDE / 2;

    for (int kind = 0; kind < 4; kind++) {
        const zm_step_cost cost = kind & 1 ? ZM_COST_MEAN : ZM_COST_OWN;
        timed_case b = timed_create(SIDE, SIDE, INTERVALS);
        double *T = nan_doubles(b.n);
        size_t beyond = 0;

        for (size_t k = 0; k < INTERVALS; k++)
            fill_oriented(&b.interval[k], 0.01, 0.04, 0.5 + (double)k, 0.97,
                          1.2 * (double)k);
        case_add_walls(&b.interval[0]);
        for (int64_t i = 0; i < SIDE * SIDE; i++) {
            const int64_t x = llabs(i % SIDE - middle), y = llabs(i / SIDE - middle);

            if (kind & 2 ? x + y == 9 : x + y > 0 && (x > y ? x : y) == 7) {
                b.interval[0].walls[i] = kind == 0 || kind == 3;
                if (!b.interval[0].walls[i])
                    for (size_t k = 0; k < 3; k++)
                        timed_stop(&b, k, i);
            }
        }
        case_add_source(&b.interval[0], (int32_t)middle, (int32_t)middle, 0);
        CHECK(timed_solve(&b, cost, T) == ZM_OK);
        for (int64_t i = 0; i < SIDE * SIDE; i++) {
            const int64_t x = llabs(i % SIDE - middle), y = llabs(i / SIDE - middle);

            if (kind & 2 ? x + y < 9 : (x > y ? x : y) < 7)
                continue;
            beyond += isfinite(T[i]) ? 1 : 0;
            CHECK(T[i] >= 3);
        }
        CHECK_MSG((kind == 0 || kind == 3) == (beyond == 0), "kind %d: %zu beyond",
                  kind, beyond);
        free(T);
        timed_free(&b);
    }
}

/* Whoever starts earlier is never later, one more source makes nothing later, and a slower
 * metric nothing earlier: the update grows with the donors' times and with the metric.  Where
 * the eight neighbours are causal that holds to rounding. */
TEST(nothing_is_overtaken)
{
    for (int cost = ZM_COST_OWN; cost <= ZM_COST_MEAN; cost++) {
        timed_case b =
            timed_random(31, 7, t->seed + (uint64_t)cost, 5, 1.2, 0.5, false);
        double *T = nan_doubles(b.n), *later = nan_doubles(b.n),
               *more = nan_doubles(b.n), *slower = nan_doubles(b.n);
        uint64_t state = t->seed;

        for (size_t i = 0; i < b.n; i += 2)
            timed_stop(&b, 3, (int64_t)i);
        CHECK(timed_solve(&b, (zm_step_cost)cost, T) == ZM_OK);
        b.interval[0].sources[0].time += 0.9;
        CHECK(timed_solve(&b, (zm_step_cost)cost, later) == ZM_OK);
        b.interval[0].sources[0].time -= 0.9;
        case_add_source(&b.interval[0], 3, 4, 5);
        CHECK(timed_solve(&b, (zm_step_cost)cost, more) == ZM_OK);
        b.interval[0].n_sources = 1;
        for (size_t k = 0; k < b.n_intervals; k++)
            for (size_t i = 0; i < b.n; i++) {
                const double by = zm_random_unit(&state);

                b.interval[k].g11[i] *= 1 + by;
                b.interval[k].g12[i] *= 1 + by;
                b.interval[k].g22[i] *= 1 + by;
            }
        CHECK(timed_solve(&b, (zm_step_cost)cost, slower) == ZM_OK);
        for (size_t i = 0; i < b.n; i++) {
            CHECK(later[i] >= T[i] * (1 - 1e-12));
            CHECK(more[i] <= T[i] * (1 + 1e-12));
            CHECK(slower[i] >= T[i] * (1 - 1e-12));
        }
        free(slower);
        free(more);
        free(later);
        free(T);
        timed_free(&b);
    }
}

/* Cells up to t_max, to the last target, or so many as asked for, have the times of a full
 * solve; the others none. */
TEST(stops_cut_a_full_solve_short)
{
    timed_case b = timed_random(35, 6, t->seed, 4, 2, 0.8, true);
    zm_solver *h = timed_solver(&b, ZM_COST_MEAN);
    const zm_problem p = timed_problem(&b);
    double *T = nan_doubles(b.n), *R = nan_doubles(b.n), last = 0;
    uint8_t *targets = calloc(b.n, 1);
    zm_report report = ZM_REPORT_INIT;

    if (!targets)
        exit(1);
    CHECK(zm_forward(h, &p, R, NULL, &report, NULL) == ZM_OK);
    CHECK(report.cells == (int64_t)b.n && report.last_interval == 5);
    for (size_t i = 0; i < b.n; i += 400) {
        targets[i] = 1;
        last = fmax(last, R[i]);
    }
    for (int kind = 0; kind < 4; kind++) {
        zm_forward_opts o = ZM_FORWARD_OPTS_INIT;
        size_t reached = 0;
        double latest = 0;

        if (kind == 0)
            o.t_max = 3.5;
        else if (kind == 1)
            o.t_max = 2; /* just where an interval begins */
        else if (kind == 2)
            o.targets = targets;
        else
            o.max_cells = 123;
        CHECK(zm_forward(h, &p, T, &o, &report, NULL) == ZM_OK);
        for (size_t i = 0; i < b.n; i++) {
            const bool in = isfinite(T[i]);

            reached += in;
            if (in) {
                CHECK_NEAR(T[i], R[i], 1e-12 * R[i]);
                latest = fmax(latest, T[i]);
            }
            if (kind < 2)
                CHECK(in == (R[i] <= o.t_max));
            if (kind == 2)
                CHECK(in == (R[i] <= last));
        }
        CHECK(report.cells == (int64_t)reached && report.last == latest);
        CHECK(kind != 3 || reached == 123);
    }
    free(targets);
    free(R);
    free(T);
    zm_solver_destroy(h);
    timed_free(&b);
}

/* The metric of an interval window by window, from planes that the test has. */
typedef struct filler {
    const timed_case *b;
    int calls;
} filler;

static zm_status fill_from_planes(void *ctx, size_t interval, zm_window w,
                                  zm_window_values *v, zm_error *err)
{
    filler *f = ctx;
    const test_case *c = &f->b->interval[interval];
    size_t i = 0;

    (void)err;
    f->calls++;
    for (int32_t row = w.row; row < w.row + w.rows; row++)
        for (int32_t col = w.col; col < w.col + w.cols; col++, i++) {
            const size_t cell = (size_t)row * (size_t)c->grid.cols + (size_t)col;

            v->g11[i] = c->g11[cell];
            v->g12[i] = c->g12[cell];
            v->g22[i] = c->g22[cell];
            v->b1[i] = c->b1[cell];
            v->b2[i] = c->b2[cell];
            v->stopped[i] = f->b->stopped[interval] ? f->b->stopped[interval][cell] : 0;
        }
    return ZM_OK;
}

/* Where the metric comes from, how much of it is kept and in how many threads problems are
 * solved changes no bit. */
TEST(windows_planes_memory_and_threads_give_the_same_bits)
{
    enum { N = 5 };
    timed_case b = timed_random(50, 9, t->seed, 4, 2, 0.9, false);
    zm_solver *h = timed_solver(&b, ZM_COST_MEAN), *little, *many;
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_problem p, filled, all[N];
    double *R = nan_doubles(b.n), *T[N];
    filler f = { &b, 0 };
    zm_report report[N];

    for (int i = 0; i < N; i++)
        report[i] = (zm_report)ZM_REPORT_INIT;

    for (size_t i = 0; i < b.n; i += 3)
        timed_stop(&b, 4, (int64_t)i);
    p = timed_problem(&b);
    filled = p;
    filled.intervals = NULL;
    filled.fill = fill_from_planes;
    filled.fill_ctx = &f;
    CHECK(zm_forward(h, &p, R, NULL, &report[0], NULL) == ZM_OK);
    o.reach = 1;
    o.metric_bytes = 1;
    CHECK(zm_solver_create(&little, b.interval[0].grid, ZM_F64, &o, NULL) == ZM_OK);
    o.metric_bytes = 0;
    o.threads = 3;
    o.batch = N - 1; /* one more than that: no records, but times */
    CHECK(zm_solver_create(&many, b.interval[0].grid, ZM_F64, &o, NULL) == ZM_OK);
    for (int i = 0; i < N; i++) {
        T[i] = nan_doubles(b.n);
        all[i] = i % 2 ? p : filled;
    }
    CHECK(zm_forward(h, &filled, T[0], NULL, &report[1], NULL) == ZM_OK);
    CHECK(same_bits(T[0], R, b.n));
    CHECK(f.calls == report[1].windows && report[0].windows == report[1].windows);
    CHECK(zm_forward(little, &filled, T[0], NULL, &report[2], NULL) == ZM_OK);
    CHECK(same_bits(T[0], R, b.n));
    CHECK(report[2].windows > report[1].windows);
    all[0] = p; /* `f` counts, on one thread only */
    all[2] = all[4] = p;
    for (size_t n = N - 1; n <= N; n++) {
        for (size_t i = 0; i < n; i++)
            T[i][0] = 0;
        CHECK(zm_forward_batch(many, all, n, (void *const *)T, NULL, report, NULL) ==
              ZM_OK);
        for (size_t i = 0; i < n; i++)
            CHECK(same_bits(T[i], R, b.n));
    }
    for (int i = 0; i < N; i++)
        free(T[i]);
    free(R);
    zm_solver_destroy(many);
    zm_solver_destroy(little);
    zm_solver_destroy(h);
    timed_free(&b);
}

/* All inside is double: in float32 the times are those of the planes, rounded. */
TEST(float32_rounds_the_times)
{
    enum { INTERVALS = 4 };
    timed_case b = timed_random(29, INTERVALS, t->seed, 4, 2, 0.8, true);
    zm_interval views[INTERVALS];
    case_f32 planes[INTERVALS];
    zm_solver *h;
    double *R = nan_doubles(b.n);
    float *T = nan_floats(b.n);
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_problem p;

    for (size_t k = 0; k < INTERVALS; k++) {
        case_round_to_f32(&b.interval[k]);
        if (k > 0) /* a view has sources */
            case_add_source(&b.interval[k], 0, 0, 0);
        planes[k] = case_to_f32(&b.interval[k]);
        views[k] = (zm_interval){ planes[k].problem.metric, NULL };
    }
    p = timed_problem(&b);
    CHECK(timed_solve(&b, ZM_COST_MEAN, R) == ZM_OK);
    p.intervals = views;
    o.reach = 1; /* as timed_solve */
    CHECK(zm_solver_create(&h, b.interval[0].grid, ZM_F32, &o, NULL) == ZM_OK);
    CHECK(zm_forward(h, &p, T, NULL, NULL, NULL) == ZM_OK);
    for (size_t i = 0; i < b.n; i++)
        CHECK(T[i] == (float)R[i]);
    for (size_t k = 0; k < INTERVALS; k++)
        case_f32_free(&planes[k]);
    zm_solver_destroy(h);
    free(T);
    free(R);
    timed_free(&b);
}
