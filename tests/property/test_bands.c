/* SPDX-License-Identifier: Apache-2.0
 * Bands: what a front does where the metric changes with time. */
#include <stdlib.h>

#include "check.h"
#include "support/banded.h"

/* One band is a static problem.  Where the eight neighbours are causal, or fans of one metric
 * everywhere, the stencils are those of the accurate solver, and so is the fixed point. */
TEST(one_band_is_the_accurate_solver)
{
    const zm_solver_opts adaptive = adaptive_opts(1, 0);
    const struct {
        double ratio, drift;
    } media[] = { { 1, 0 }, { 1, 0.1 }, { 8, 0.3 }, { 1, 0.93 }, { 3, 0.85 } };

    for (size_t i = 0; i < sizeof media / sizeof *media; i++) {
        banded b = banded_create(45, 51, 1);
        double *T = nan_doubles(b.n), *R = nan_doubles(b.n);

        b.band[0].grid.dx = 1.5;
        b.band[0].grid.dy = 0.7;
        fill_oriented(&b.band[0], 1, media[i].ratio * media[i].ratio, 0.4,
                      media[i].drift, 2);
        case_add_source(&b.band[0], 20, 30, -1);
        CHECK(case_solve_with(&b.band[0], R, &adaptive) == ZM_OK);
        for (int cost = ZM_BANDS_OWN; cost <= ZM_BANDS_MEAN; cost++) {
            CHECK(banded_solve(&b, (zm_bands_cost)cost, T) == ZM_OK);
            CHECK_AT_MOST(max_relative_difference(T, R, b.n), 1e-10);
        }
        free(R);
        free(T);
        banded_free(&b);
    }
}

/* In a row of cells the front goes straight on: with speed v_k in band k it is where the
 * integral of v is.  Cells end anywhere between the bands. */
TEST(along_a_row_the_front_goes_the_integral_of_its_speed)
{
    const double speed[6] = { 2.3, 0.7, 0, 0.11, 0.05, 5 };
    banded b = banded_create(1, 40, 6);
    double T[40];

    for (size_t k = 0; k < 6; k++) {
        if (speed[k] > 0)
            fill_constant(&b.band[k], 1 / (speed[k] * speed[k]), 0, 1, 0, 0);
        else
            banded_stop(&b, k, -1);
    }
    case_add_source(&b.band[0], 0, 0, 0.25);
    CHECK(banded_solve(&b, ZM_BANDS_OWN, T) == ZM_OK);
    for (size_t i = 0; i < 40; i++) {
        double gone = 0, to;

        for (size_t k = 0; k < 6; k++) { /* integral of the speed up to T[i] */
            const double from = fmax((double)k, 0.25);

            to = k < 5 ? fmin((double)k + 1, T[i]) : T[i];
            gone += speed[k] * fmax(0, to - from);
        }
        CHECK_NEAR(gone, (double)i, 1e-9);
    }
    banded_free(&b);
}

/* A stop of all cells for a while in the midst of a band changes nothing but the clock. */
TEST(a_night_only_moves_the_clock)
{
    enum { SIDE = 41, NIGHT = 8 };
    banded day = banded_random(SIDE, 1, t->seed, 4, 2, 0.5, true);
    banded night = banded_create(SIDE, SIDE, 3);
    double *T = nan_doubles(day.n), *R = nan_doubles(day.n);

    for (size_t k = 0; k < 3; k++) {
        case_free(&night.band[k]);
        night.band[k] = case_copy(&day.band[0]);
    }
    night.starts[1] = 7;
    night.starts[2] = 7 + NIGHT;
    banded_stop(&night, 1, -1);
    for (int cost = ZM_BANDS_OWN; cost <= ZM_BANDS_MEAN; cost++) {
        size_t after = 0;

        CHECK(banded_solve(&day, (zm_bands_cost)cost, R) == ZM_OK);
        CHECK(banded_solve(&night, (zm_bands_cost)cost, T) == ZM_OK);
        for (size_t i = 0; i < day.n; i++) {
            CHECK_NEAR(T[i], R[i] > 7 ? R[i] + NIGHT : R[i], 1e-9 * R[i]);
            after += R[i] > 7;
        }
        CHECK(after > day.n / 4 && after < day.n);
    }
    free(R);
    free(T);
    banded_free(&night);
    banded_free(&day);
}

/* Where all bands have one metric but for its speed, time can be counted by the speed: the
 * times are those of the static problem on another clock, exactly, because progress and not
 * time is what is averaged between donors. */
TEST(a_change_of_speed_is_a_change_of_the_clock)
{
    enum { SIDE = 37, BANDS = 12 };
    const double speed[BANDS] = { 1, 0.2, 3, 0.7, 0.05, 2, 1, 0.4, 0.3, 6, 0.1, 1 };

    for (int cost = ZM_BANDS_OWN; cost <= ZM_BANDS_MEAN; cost++) {
        banded still = banded_random(SIDE, 1, t->seed, 3, 2, 0.9, cost == ZM_BANDS_OWN);
        banded b = banded_create(SIDE, SIDE, BANDS);
        double *T = nan_doubles(b.n), *R = nan_doubles(b.n);

        for (size_t k = 0; k < BANDS; k++) {
            case_free(&b.band[k]);
            b.band[k] = case_copy(&still.band[0]);
            for (int j = 0; j < N_PLANES; j++)
                for (size_t i = 0; i < b.n; i++)
                    case_plane(&b.band[k], j)[i] /=
                        j < 3 ? speed[k] * speed[k] : speed[k];
        }
        CHECK(banded_solve(&still, (zm_bands_cost)cost, R) == ZM_OK);
        CHECK(banded_solve(&b, (zm_bands_cost)cost, T) == ZM_OK);
        for (size_t i = 0; i < b.n; i++) {
            double clock =
                0.3; /* of the static problem, at T[i]; sources start at 0.3 */

            for (size_t k = 0; k < BANDS; k++) {
                const double to = k + 1 < BANDS ? fmin((double)k + 1, T[i]) : T[i];

                clock += speed[k] * fmax(0, to - fmax((double)k, 0.3));
            }
            CHECK_NEAR(clock, R[i], 1e-9 * R[i]);
        }
        free(R);
        free(T);
        banded_free(&b);
        banded_free(&still);
    }
}

/* A ring of walls one cell thick, straight and diagonal, with a drift that makes steps of many
 * cells: nothing gets over it.  If the ring is only stopped for a while, nothing gets over it
 * before it opens, and then it does. */
TEST(no_step_leads_over_a_thin_wall)
{
    enum { SIDE = 33, BANDS = 4 };
    const int64_t middle = SIDE / 2;

    for (int kind = 0; kind < 4; kind++) {
        const zm_bands_cost cost = kind & 1 ? ZM_BANDS_MEAN : ZM_BANDS_OWN;
        banded b = banded_create(SIDE, SIDE, BANDS);
        double *T = nan_doubles(b.n);
        size_t beyond = 0;

        for (size_t k = 0; k < BANDS; k++)
            fill_oriented(&b.band[k], 0.01, 0.04, 0.5 + (double)k, 0.97,
                          1.2 * (double)k);
        case_add_walls(&b.band[0]);
        for (int64_t i = 0; i < SIDE * SIDE; i++) {
            const int64_t x = llabs(i % SIDE - middle), y = llabs(i / SIDE - middle);

            if (kind & 2 ? x + y == 9 : x + y > 0 && (x > y ? x : y) == 7) {
                b.band[0].walls[i] = kind == 0 || kind == 3;
                if (!b.band[0].walls[i])
                    for (size_t k = 0; k < 3; k++)
                        banded_stop(&b, k, i);
            }
        }
        case_add_source(&b.band[0], (int32_t)middle, (int32_t)middle, 0);
        CHECK(banded_solve(&b, cost, T) == ZM_OK);
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
        banded_free(&b);
    }
}

/* Whoever starts earlier is never later, one more source makes nothing later, and a slower
 * metric nothing earlier: the update grows with the donors' times and with the metric.  Where
 * the eight neighbours are causal that holds to rounding. */
TEST(nothing_is_overtaken)
{
    for (int cost = ZM_BANDS_OWN; cost <= ZM_BANDS_MEAN; cost++) {
        banded b = banded_random(31, 7, t->seed + (uint64_t)cost, 5, 1.2, 0.5, false);
        double *T = nan_doubles(b.n), *later = nan_doubles(b.n),
               *more = nan_doubles(b.n), *slower = nan_doubles(b.n);
        uint64_t state = t->seed;

        for (size_t i = 0; i < b.n; i += 2)
            banded_stop(&b, 3, (int64_t)i);
        CHECK(banded_solve(&b, (zm_bands_cost)cost, T) == ZM_OK);
        b.band[0].sources[0].time += 0.9;
        CHECK(banded_solve(&b, (zm_bands_cost)cost, later) == ZM_OK);
        b.band[0].sources[0].time -= 0.9;
        case_add_source(&b.band[0], 3, 4, 5);
        CHECK(banded_solve(&b, (zm_bands_cost)cost, more) == ZM_OK);
        b.band[0].n_sources = 1;
        for (size_t k = 0; k < b.n_bands; k++)
            for (size_t i = 0; i < b.n; i++) {
                const double by = zm_random_unit(&state);

                b.band[k].g11[i] *= 1 + by;
                b.band[k].g12[i] *= 1 + by;
                b.band[k].g22[i] *= 1 + by;
            }
        CHECK(banded_solve(&b, (zm_bands_cost)cost, slower) == ZM_OK);
        for (size_t i = 0; i < b.n; i++) {
            CHECK(later[i] >= T[i] * (1 - 1e-12));
            CHECK(more[i] <= T[i] * (1 + 1e-12));
            CHECK(slower[i] >= T[i] * (1 - 1e-12));
        }
        free(slower);
        free(more);
        free(later);
        free(T);
        banded_free(&b);
    }
}

/* Cells up to t_max, to the last target, or so many as asked for, have the times of a full
 * solve; the others none. */
TEST(stops_cut_a_full_solve_short)
{
    banded b = banded_random(35, 6, t->seed, 4, 2, 0.8, true);
    zm_bands *h = banded_handle(&b, ZM_BANDS_MEAN);
    const zm_bands_problem p = banded_problem(&b);
    double *T = nan_doubles(b.n), *R = nan_doubles(b.n), last = 0;
    uint8_t *targets = calloc(b.n, 1);
    zm_bands_report report;

    if (!targets)
        exit(1);
    CHECK(zm_bands_solve(h, &p, R, NULL, &report, NULL) == ZM_OK);
    CHECK(report.cells == (int64_t)b.n && report.last_band == 5);
    for (size_t i = 0; i < b.n; i += 400) {
        targets[i] = 1;
        last = fmax(last, R[i]);
    }
    for (int kind = 0; kind < 4; kind++) {
        zm_bands_solve_opts o = ZM_BANDS_SOLVE_OPTS_INIT;
        size_t reached = 0;
        double latest = 0;

        if (kind == 0)
            o.t_max = 3.5;
        else if (kind == 1)
            o.t_max = 2; /* just where a band begins */
        else if (kind == 2)
            o.targets = targets;
        else
            o.max_cells = 123;
        CHECK(zm_bands_solve(h, &p, T, &o, &report, NULL) == ZM_OK);
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
    zm_bands_destroy(h);
    banded_free(&b);
}

/* The metric of a band window by window, from planes that the test has. */
typedef struct filler {
    const banded *b;
    int calls;
} filler;

static zm_status fill_from_planes(void *ctx, size_t band, zm_band_window w,
                                  zm_band_values *v, zm_error *err)
{
    filler *f = ctx;
    const test_case *c = &f->b->band[band];
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
            v->stopped[i] = f->b->stopped[band] ? f->b->stopped[band][cell] : 0;
        }
    return ZM_OK;
}

/* Where the metric comes from, how much of it is kept and in how many threads problems are
 * solved changes no bit. */
TEST(windows_planes_memory_and_threads_give_the_same_bits)
{
    enum { N = 5 };
    banded b = banded_random(50, 9, t->seed, 4, 2, 0.9, false);
    zm_bands *h = banded_handle(&b, ZM_BANDS_MEAN), *little, *many;
    zm_bands_opts o = ZM_BANDS_OPTS_INIT;
    zm_bands_problem p, filled, all[N];
    double *R = nan_doubles(b.n), *T[N];
    filler f = { &b, 0 };
    zm_bands_report report[N];

    for (size_t i = 0; i < b.n; i += 3)
        banded_stop(&b, 4, (int64_t)i);
    p = banded_problem(&b);
    filled = p;
    filled.bands = NULL;
    filled.fill = fill_from_planes;
    filled.fill_ctx = &f;
    CHECK(zm_bands_solve(h, &p, R, NULL, &report[0], NULL) == ZM_OK);
    o.reach = 1;
    o.metric_bytes = 1;
    CHECK(zm_bands_create(&little, b.band[0].grid, ZM_F64, &o, NULL) == ZM_OK);
    o.metric_bytes = 0;
    o.threads = 3;
    o.batch = N - 1; /* one more than that: no records, but times */
    CHECK(zm_bands_create(&many, b.band[0].grid, ZM_F64, &o, NULL) == ZM_OK);
    for (int i = 0; i < N; i++) {
        T[i] = nan_doubles(b.n);
        all[i] = i % 2 ? p : filled;
    }
    CHECK(zm_bands_solve(h, &filled, T[0], NULL, &report[1], NULL) == ZM_OK);
    CHECK(same_bits(T[0], R, b.n));
    CHECK(f.calls == report[1].windows && report[0].windows == report[1].windows);
    CHECK(zm_bands_solve(little, &filled, T[0], NULL, &report[2], NULL) == ZM_OK);
    CHECK(same_bits(T[0], R, b.n));
    CHECK(report[2].windows > report[1].windows);
    all[0] = p; /* `f` counts, on one thread only */
    all[2] = all[4] = p;
    for (size_t n = N - 1; n <= N; n++) {
        for (size_t i = 0; i < n; i++)
            T[i][0] = 0;
        CHECK(zm_bands_solve_batch(many, all, n, (void *const *)T, NULL, report,
                                   NULL) == ZM_OK);
        for (size_t i = 0; i < n; i++)
            CHECK(same_bits(T[i], R, b.n));
    }
    for (int i = 0; i < N; i++)
        free(T[i]);
    free(R);
    zm_bands_destroy(many);
    zm_bands_destroy(little);
    zm_bands_destroy(h);
    banded_free(&b);
}

/* All inside is double: in float32 the times are those of the planes, rounded. */
TEST(float32_rounds_the_times)
{
    enum { BANDS = 4 };
    banded b = banded_random(29, BANDS, t->seed, 4, 2, 0.8, true);
    zm_band views[BANDS];
    case_f32 planes[BANDS];
    zm_bands *h;
    double *R = nan_doubles(b.n);
    float *T = nan_floats(b.n);
    zm_bands_opts o = ZM_BANDS_OPTS_INIT;
    zm_bands_problem p;

    for (size_t k = 0; k < BANDS; k++) {
        case_round_to_f32(&b.band[k]);
        if (k > 0) /* a view has sources */
            case_add_source(&b.band[k], 0, 0, 0);
        planes[k] = case_to_f32(&b.band[k]);
        views[k] = (zm_band){ planes[k].problem.metric, NULL };
    }
    p = banded_problem(&b);
    CHECK(banded_solve(&b, ZM_BANDS_MEAN, R) == ZM_OK);
    p.bands = views;
    o.reach = 1; /* as banded_solve */
    CHECK(zm_bands_create(&h, b.band[0].grid, ZM_F32, &o, NULL) == ZM_OK);
    CHECK(zm_bands_solve(h, &p, T, NULL, NULL, NULL) == ZM_OK);
    for (size_t i = 0; i < b.n; i++)
        CHECK(T[i] == (float)R[i]);
    for (size_t k = 0; k < BANDS; k++)
        case_f32_free(&planes[k]);
    zm_bands_destroy(h);
    free(T);
    free(R);
    banded_free(&b);
}
