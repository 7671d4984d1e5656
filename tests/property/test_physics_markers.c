/* SPDX-License-Identifier: Apache-2.0
 * Fronts of points on landscapes where the answer is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/counted.h"
#include "support/landscapes.h"
#include "support/steady.h"
#include "zermelo/fire/physics.h"

enum { SIDE = 81, MIDDLE = 40, CELLS = SIDE * SIDE };

/* From its own ignition in the middle. */
static zm_status burn(const test_land *land, const zm_marker_opts *opts, double t_max,
                      double *T)
{
    return steady_burn(land, NULL, 0, opts, t_max, T);
}

static size_t count_reached(const double *T)
{
    size_t n = 0;

    for (int i = 0; i < CELLS; i++)
        n += T[i] < INFINITY;
    return n;
}

/* Least time from the corners of the octagon, and those between them on its sides. */
static double time_from_octagon(const zm_surface_fire *one, double x, double y)
{
    const double pi = 3.14159265358979323846;
    double first = HUGE_VAL;

    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 10; k++) {
            const double a = pi / 4 * i, b = pi / 4 * (i + 1), s = k / 10.0;
            const double from_x = (1 - s) * cos(a) + s * cos(b);
            const double from_y = (1 - s) * sin(a) + s * sin(b);

            first =
                fmin(first, ellipse_time(one, 30 * (x - from_x), 30 * (y - from_y)));
        }
    return first;
}

/* Level ground, one fuel, steady wind, full rate at once: the points carry the front of
 * ellipses from all of the octagon.  Chords cut across where it bends, most where it is young;
 * the error is of first order in spacing and reach. */
TEST(steady_fires_are_ellipses_from_the_octagon)
{
    static const double spacing[2] = { 2, 0.5 }, worst[2] = { 0.06, 0.015 },
                        mean[2] = { 0.02, 0.004 };
    test_land land = test_land_level(SIDE, SIDE, 2);
    zm_marker_opts opts = ZM_MARKER_OPTS_INIT;
    double *T = malloc(CELLS * sizeof *T);
    const zm_surface_fire one = steady_grass(&land);

    opts.acceleration = HUGE_VAL;
    for (int k = 0; k < 2; k++) {
        double sum = 0;
        int n = 0;

        opts.spacing = spacing[k];
        opts.reach = spacing[k] / 2;
        CHECK(burn(&land, &opts, 4, T) == ZM_OK);
        for (int i = 0; i < CELLS; i++) {
            const double x = i % SIDE - MIDDLE, y = i / SIDE - MIDDLE;
            const double exact = time_from_octagon(&one, x, y);

            if (hypot(x, y) > 5 && T[i] < INFINITY) {
                CHECK_NEAR(T[i] / exact, 1, worst[k]);
                sum += T[i] / exact - 1;
                n++;
            }
        }
        CHECK(n > 500);
        CHECK_AT_MOST(fabs(sum / n), mean[k]);
    }
    free(T);
    test_land_free(&land);
}

/* A point that nears its rate never is ahead of one that has it at once.  The two fronts have
 * their points, hence chords, in different places: 2 % are left for that, also at the end. */
TEST(acceleration_never_makes_a_fire_faster)
{
    test_land land = test_land_level(SIDE, SIDE, 2);
    float *fuel = test_land_layer(&land, ZM_LAYER_FUEL);
    zm_marker_opts opts = ZM_MARKER_OPTS_INIT;
    double *at_once = malloc(CELLS * sizeof *at_once),
           *slowly = malloc(CELLS * sizeof *slowly);
    int later = 0;

    for (int i = 0; i < CELLS; i++) /* faster grass 10 cells on */
        fuel[i] = i % SIDE < MIDDLE + 10 ? 2 : 1;
    opts.acceleration = HUGE_VAL;
    CHECK(burn(&land, &opts, 3, at_once) == ZM_OK);
    opts.acceleration = 0.3;
    CHECK(burn(&land, &opts, 3, slowly) == ZM_OK);
    for (int i = 0; i < CELLS; i++)
        if (slowly[i] < 0.98 * 3) {
            CHECK_AT_MOST(at_once[i], 1.02 * slowly[i]);
            later += slowly[i] > at_once[i] + 0.01;
        }
    CHECK_MSG(later > 50, "%d cells are later", later);
    free(at_once);
    free(slowly);
    test_land_free(&land);
}

/* A wall of two cells without fuel, ten cells downwind. */
static void build_wall(test_land *land, int gap)
{
    float *fuel = test_land_layer(land, ZM_LAYER_FUEL);

    for (int row = 0; row < SIDE; row++)
        for (int col = MIDDLE + 10; col < MIDDLE + 12; col++)
            if (abs(row - (MIDDLE + 8)) > gap)
                fuel[row * SIDE + col] = 99;
}

TEST(a_wall_stops_the_front_and_a_gap_lets_it_pass_later)
{
    test_land open = test_land_level(SIDE, SIDE, 2),
              closed = test_land_level(SIDE, SIDE, 2),
              gapped = test_land_level(SIDE, SIDE, 2);
    double *a = malloc(CELLS * sizeof *a), *b = malloc(CELLS * sizeof *b),
           *c = malloc(CELLS * sizeof *c);
    int passed = 0;

    build_wall(&closed, -1);
    build_wall(&gapped, 2);
    CHECK(burn(&open, NULL, 8, a) == ZM_OK);
    CHECK(burn(&closed, NULL, 8, b) == ZM_OK);
    CHECK(burn(&gapped, NULL, 8, c) == ZM_OK);
    for (int i = 0; i < CELLS; i++)
        if (i % SIDE >= MIDDLE + 12) {
            CHECK(!(b[i] < INFINITY));
            if (c[i] < INFINITY) {
                CHECK_AT_MOST(a[i], 1.01 * c[i]); /* points are elsewhere */
                passed += c[i] > 1.05 * a[i];
            }
        }
    CHECK_MSG(passed > 100, "%d cells behind the gap are later", passed);
    CHECK(count_reached(b) > 300);
    free(a);
    free(b);
    free(c);
    test_land_free(&open);
    test_land_free(&closed);
    test_land_free(&gapped);
}

/* The front goes around an island of 9 x 9 cells without fuel and closes behind it; points
 * stop in its outer cells. */
TEST(an_island_without_fuel_stays_and_the_ground_behind_it_burns)
{
    test_land land = test_land_level(SIDE, SIDE, 2);
    float *fuel = test_land_layer(&land, ZM_LAYER_FUEL);
    double *T = malloc(CELLS * sizeof *T);

    for (int row = MIDDLE - 4; row <= MIDDLE + 4; row++)
        for (int col = MIDDLE + 8; col <= MIDDLE + 16; col++)
            fuel[row * SIDE + col] = 99;
    CHECK(burn(&land, NULL, 8, T) == ZM_OK);
    for (int row = MIDDLE - 3; row <= MIDDLE + 3; row++)
        for (int col = MIDDLE + 9; col <= MIDDLE + 15; col++)
            CHECK(!(T[row * SIDE + col] < INFINITY));
    for (int col = MIDDLE + 17; col < MIDDLE + 30; col++)
        CHECK(T[MIDDLE * SIDE + col] < INFINITY);
    free(T);
    test_land_free(&land);
}

/* Without end time a fire goes on until all that can burn has. */
TEST(without_end_all_connected_fuel_burns)
{
    test_land land = test_land_level(SIDE, SIDE, 2);
    double *T = malloc(CELLS * sizeof *T);

    CHECK(burn(&land, NULL, INFINITY, T) == ZM_OK);
    CHECK(count_reached(T) == CELLS);
    CHECK(burn(&land, NULL, 0, T) == ZM_OK);
    CHECK(count_reached(T) == 9);
    free(T);
    test_land_free(&land);
}

/* Enclaves of whatever size close and are gone, also those smaller than a point's way: else
 * they would turn inside out, grow again and part, without end and with ever more memory. */
TEST(enclaves_close_for_good)
{
    enum { ROWS = 49, COLS = 13 };
    test_land land = test_land_hills(ROWS, COLS, 6);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    zm_physics_opts counting = ZM_PHYSICS_OPTS_INIT;
    zm_marker_opts opts = ZM_MARKER_OPTS_INIT;
    counter c = { 0 };
    zm_physics *physics;
    double T[ROWS * COLS];

    land.land.cell = 1;
    counting.mem = counted(&c);
    opts.spacing = 0.5;
    opts.reach = 100;
    CHECK(zm_physics_create(&physics, &land.land, &counting, NULL) == ZM_OK);
    CHECK(zm_physics_set_fire(physics, &fire, NULL, 10, NULL) == ZM_OK);
    CHECK(zm_physics_markers(physics, NULL, 0, 10, T, &opts, NULL) == ZM_OK);
    CHECK_MSG(c.requests < 1000, "%zu requests for memory", c.requests);
    zm_physics_destroy(physics);
    test_land_free(&land);
}

/* On hills, in weather that changes: the same times again, also with other calls between,
 * and derivatives of the last zm_physics_arrival as if the points had not run. */
TEST(points_repeat_and_leave_derivatives_alone)
{
    test_land land = test_land_hills(SIDE, SIDE, 5);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    zm_physics_change before = ZM_PHYSICS_CHANGE_INIT, after = before;
    double *a = malloc(CELLS * sizeof *a), *b = malloc(CELLS * sizeof *b),
           *dL = malloc(CELLS * sizeof *dL);
    zm_physics *physics;

    for (int i = 0; i < CELLS; i++)
        dL[i] = 1 + i % 7;
    CHECK(zm_physics_create(&physics, &land.land, NULL, NULL) == ZM_OK);
    CHECK(zm_physics_set_fire(physics, &fire, NULL, 6, NULL) == ZM_OK);
    CHECK(zm_physics_markers(physics, NULL, 0, 6, a, NULL, NULL) == ZM_OK);
    CHECK(zm_physics_adjoint(physics, dL, &before, NULL) == ZM_E_STATE);
    CHECK(zm_physics_arrival(physics, NULL, 0, 6, b, NULL) == ZM_OK);
    CHECK(zm_physics_adjoint(physics, dL, &before, NULL) == ZM_OK);
    CHECK(zm_physics_markers(physics, NULL, 0, 6, b, NULL, NULL) == ZM_OK);
    CHECK(memcmp(a, b, CELLS * sizeof *a) == 0);
    CHECK(zm_physics_adjoint(physics, dL, &after, NULL) == ZM_OK);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    CHECK(before.wind_factor != 0 && count_reached(a) > 300);
    zm_physics_destroy(physics);
    free(a);
    free(b);
    free(dL);
    test_land_free(&land);
}

/* Wrong options are refused with a message that names them. */
TEST(bad_options_and_unknown_ignitions_are_refused)
{
    static const struct {
        double step, reach, spacing, acceleration, t_max;
        const char *word;
    } bad[] = { { -1, 1, 2, 0.3, 1, "step" },      { NAN, 1, 2, 0.3, 1, "step" },
                { 0, 0, 2, 0.3, 1, "reach" },      { 0, INFINITY, 2, 0.3, 1, "reach" },
                { 0, 1, 0, 0.3, 1, "spacing" },    { 0, 1, NAN, 0.3, 1, "spacing" },
                { 0, 1, 2, 0, 1, "acceleration" }, { 0, 1, 2, NAN, 1, "acceleration" },
                { 0, 1, 2, 0.3, -1, "t_max" },     { 0, 1, 2, 0.3, NAN, "t_max" } };
    test_land land = test_land_level(9, 9, 1);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather);
    zm_marker_opts opts = ZM_MARKER_OPTS_INIT;
    zm_error err = { 0 };
    zm_physics *physics;
    double T[81];

    CHECK(zm_physics_create(&physics, &land.land, NULL, NULL) == ZM_OK);
    CHECK(zm_physics_markers(physics, NULL, 0, 1, T, NULL, &err) == ZM_E_STATE);
    CHECK(zm_physics_set_fire(physics, &fire, NULL, 5, NULL) == ZM_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        opts.step = bad[i].step;
        opts.reach = bad[i].reach;
        opts.spacing = bad[i].spacing;
        opts.acceleration = bad[i].acceleration;
        CHECK(zm_physics_markers(physics, NULL, 0, bad[i].t_max, T, &opts, &err) ==
              ZM_E_ARG);
        CHECK_MSG(strstr(err.text, bad[i].word), "%s: %s", bad[i].word, err.text);
    }
    opts = (zm_marker_opts)ZM_MARKER_OPTS_INIT;
    for (int32_t k = -1; k < 40; k++)
        if (k < 1 || k > 31 || k % 2 == 0) {
            opts.fronts = k;
            CHECK(zm_physics_markers(physics, NULL, 0, 1, T, &opts, &err) == ZM_E_ARG);
            CHECK(strstr(err.text, "fronts"));
        }
    opts.size = 1000;
    CHECK(zm_physics_markers(physics, NULL, 0, 1, T, &opts, &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "zm_marker_opts"));
    fire.row = fire.col = -1;
    CHECK(zm_physics_set_fire(physics, &fire, NULL, 5, NULL) == ZM_OK);
    CHECK(zm_physics_markers(physics, NULL, 0, 1, T, NULL, &err) == ZM_E_SOURCE);
    CHECK(strstr(err.text, "ignition"));
    zm_physics_destroy(physics);
    test_land_free(&land);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Rates of one front 0.03 % and 0.06 % lower and higher are as good as five fronts: times are
 * the medians of theirs, in cells without fuel the second of the five, but where rounding makes
 * points part. */
TEST(several_fronts_give_their_medians)
{
    enum { SMALL = 40, ALL = SMALL * SMALL };
    test_land land = test_land_hills(SMALL, SMALL, 4);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    zm_marker_opts opts = ZM_MARKER_OPTS_INIT;
    static double one[5][ALL], five[ALL], log_rate[ALL];
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    zm_physics *physics;
    int exact = 0, apart = 0, reached = 0, bare = 0;

    CHECK(opts.fronts == 5);
    for (int i = 0; i < ALL; i += 11) /* single cells that do not burn */
        test_land_layer(&land, ZM_LAYER_FUEL)[i] = 99;
    CHECK(zm_physics_create(&physics, &land.land, NULL, NULL) == ZM_OK);
    CHECK(zm_physics_set_fire(physics, &fire, NULL, 5, NULL) == ZM_OK);
    CHECK(zm_physics_markers(physics, NULL, 0, 4, five, &opts, NULL) == ZM_OK);
    opts.fronts = 1;
    params.log_rate = log_rate;
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < ALL; i++)
            log_rate[i] = log(1 + 3e-4 * (k - 2));
        CHECK(zm_physics_set_fire(physics, &fire, &params, 5, NULL) == ZM_OK);
        CHECK(zm_physics_markers(physics, NULL, 0, 4, one[k], &opts, NULL) == ZM_OK);
    }
    for (int i = 0; i < ALL; i++) {
        double time[5] = { one[0][i], one[1][i], one[2][i], one[3][i], one[4][i] };
        bool is_bare;

        if (!(five[i] > 0 && five[i] < INFINITY))
            continue;
        qsort(time, 5, sizeof *time, by_size);
        reached++;
        is_bare = land.land.layers[ZM_LAYER_FUEL][i] == 99;
        bare += is_bare;
        exact += fabs(time[is_bare ? 1 : 2] - five[i]) < 1e-6 * five[i];
        apart += fabs(time[0] - five[i]) > 1e-6 * five[i] &&
                 fabs(time[4] - five[i]) > 1e-6 * five[i];
    }
    CHECK_MSG(reached > 100 && exact > 0.95 * reached && apart > 0.5 * reached,
              "%d exact and %d apart of %d cells", exact, apart, reached);
    CHECK_MSG(bare > 10, "%d cells without fuel", bare);
    zm_physics_destroy(physics);
    test_land_free(&land);
}

/* zm_physics_arrival with ZM_FRONT_MARKERS: the times of the points, the derivatives of the
 * wave; also from sources. */
TEST(a_model_with_points_has_their_times_and_derivatives_of_the_wave)
{
    enum { SMALL = 24, ALL = SMALL * SMALL };
    test_land land = test_land_hills(SMALL, SMALL, 4);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    const zm_source source = { 5, 6, 0 };
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    zm_physics_change change = { .size = sizeof change, .wind_factor = 1 };
    double T[2][ALL], dT[2][ALL], points[ALL], from[2][ALL], d_from[2][ALL];

    for (int k = 0; k < 2; k++) {
        zm_physics *physics;

        opts.front = k ? ZM_FRONT_MARKERS : ZM_FRONT_TRAVEL_TIME;
        CHECK(zm_physics_create(&physics, &land.land, &opts, NULL) == ZM_OK);
        CHECK(zm_physics_set_fire(physics, &fire, NULL, 5, NULL) == ZM_OK);
        CHECK(zm_physics_arrival(physics, NULL, 0, 3, T[k], NULL) == ZM_OK);
        CHECK(zm_physics_tangent(physics, &change, dT[k], NULL) == ZM_OK);
        CHECK(zm_physics_markers(physics, NULL, 0, 3, points, NULL, NULL) == ZM_OK);
        CHECK(zm_physics_arrival(physics, &source, 1, 3, from[k], NULL) == ZM_OK);
        CHECK(zm_physics_tangent(physics, &change, d_from[k], NULL) == ZM_OK);
        zm_physics_destroy(physics);
    }
    CHECK(!memcmp(T[1], points, sizeof points));
    CHECK(memcmp(T[0], T[1], sizeof points));
    CHECK(!memcmp(dT[0], dT[1], sizeof dT[0]));
    CHECK(memcmp(from[0], from[1], sizeof from[0]));
    CHECK(!memcmp(d_from[0], d_from[1], sizeof d_from[0]));
    opts.front = (zm_front_kind)7;
    {
        zm_physics *none;
        zm_error err;

        CHECK(zm_physics_create(&none, &land.land, &opts, &err) == ZM_E_ARG);
        CHECK(strstr(err.text, "front"));
    }
    test_land_free(&land);
}

/* Each request for memory in turn is refused: the call says so and keeps nothing. */
static void refuse_each_request(test_run *t, const zm_source *sources, size_t n)
{
    enum { SMALL = 24 };
    test_land land = test_land_hills(SMALL, SMALL, 4);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    double T[SMALL * SMALL];
    size_t refuse = 0, before;
    zm_status st = ZM_E_NOMEM;

    while (st != ZM_OK) {
        counter c = { 0 };
        zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
        zm_physics *physics;

        opts.mem = counted(&c);
        CHECK(zm_physics_create(&physics, &land.land, &opts, NULL) == ZM_OK);
        CHECK(zm_physics_set_fire(physics, &fire, NULL, 2, NULL) == ZM_OK);
        before = c.requests;
        c.refuse = before + ++refuse;
        st = zm_physics_markers(physics, sources, n, 1, T, NULL, NULL);
        CHECK_MSG(st == ZM_E_NOMEM || c.requests < c.refuse, "request %zu: status %d",
                  refuse, st);
        zm_physics_destroy(physics);
        CHECK_MSG(c.live == 0, "request %zu: %zu blocks kept", refuse, c.live);
        if (st != ZM_OK && st != ZM_E_NOMEM)
            break;
    }
    CHECK_MSG(refuse > 20, "%zu requests", refuse);
    test_land_free(&land);
}

TEST(every_lack_of_memory_is_told_and_nothing_is_kept)
{
    static const zm_source sources[3] = { { 5, 6, 0 }, { 5, 7, 0 }, { 15, 12, 0.5 } };

    refuse_each_request(t, NULL, 0);
    refuse_each_request(t, sources, 3);
}
