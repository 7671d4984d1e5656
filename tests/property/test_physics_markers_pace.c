/* SPDX-License-Identifier: Apache-2.0
 * How fast the points of a front go, where to, and when they look at the weather. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fire/front/markers.h"
#include "support/landscapes.h"
#include "zermelo/fire/physics.h"

enum { SIDE = 81, MIDDLE = 40, CELLS = SIDE * SIDE };

/** A wind of 12 km/h towards more columns, at 10 m; in the flames of 1 ft of grass. */
static const double WIND = 12, IN_FLAMES = 12 * 0.5402 * 0.362674 * 1.609344;
static const double REACH = 0.1; /* cells, of fronts whose rates are compared */

static zm_status burn(const test_land *land, const zm_fire *fire, bool conditioning,
                      const zm_marker_opts *opts, double t_max, double *T)
{
    zm_physics_opts model = ZM_PHYSICS_OPTS_INIT;
    zm_physics *physics;
    zm_status st;

    model.conditioning = conditioning;
    st = zm_physics_create(&physics, &land->land, &model, NULL);
    if (st == ZM_OK)
        st = zm_physics_set_fire(physics, fire, NULL, t_max, NULL);
    if (st == ZM_OK)
        st = zm_physics_markers(physics, NULL, 0, t_max, T, opts, NULL);
    zm_physics_destroy(physics);
    return st;
}

/* The metric at a time within the hour gives the rate of the moisture at that time, which runs
 * on a line from the beginning of the hour to its end: towards the head a metre takes
 * sqrt(u'Gu) - b.u hours.  Metrics are exact 16 times an hour and on lines between.  In 1/16 h
 * rates change by up to 2 %, G by 4 %: the line is off by an eighth of the square of that, and
 * the difference of two numbers that nearly cancel by some times as much. */
TEST(rates_follow_the_moisture_within_the_hour)
{
    enum { HOURS = 4 };
    test_land land = test_land_level(3, 3, 2);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather);
    zm_physics *physics;
    double before = NAN;
    int quick = 0;

    for (int k = 0; k < HOURS; k++)
        weather[k] = (zm_weather_hour){ 15 + 3 * k, 70 - 10 * k, WIND, 270, 0, 0 };
    fire.start_hour = 9;
    fire.moisture.dead_1h = 12;
    CHECK(zm_physics_create(&physics, &land.land, NULL, NULL) == ZM_OK);
    CHECK(zm_physics_set_fire(physics, &fire, NULL, HOURS, NULL) == ZM_OK);
    for (int i = 0; i < 32 * HOURS; i++) {
        const double time = (i + 0.5) / 32, share = time - floor(time);
        zm_moisture_series *series = zm_lazy_get(&physics->moisture, 0, 0, 0);
        const double *mark = series->mark + i / 32 * ZM_DEAD;
        zm_fuel_moisture now = fire.moisture;
        double *const dead[3] = { &now.dead_1h, &now.dead_10h, &now.dead_100h }, m[5];
        zm_surface_fire one;

        zm_moisture_extend(&physics->climate, HOURS, series);
        for (int c = 0; c < 3; c++)
            *dead[c] = 100 * ((1 - share) * mark[c] + share * mark[ZM_DEAD + c]);
        CHECK(zm_surface_fire_of(zm_fuel_published(2), &now, IN_FLAMES, 270, 0, 0, &one,
                                 NULL) == ZM_OK);
        CHECK(zm_front_metric_at(physics, time, 1, 1, m));
        CHECK_NEAR((sqrt(m[0]) - m[3]) * 60 * one.rate, 1, 5e-4);
        quick += fabs(one.rate / before - 1) > 0.005;
        before = one.rate;
    }
    CHECK_MSG(quick > 5, "rates change by 0.5 %% %d times", quick);
    zm_physics_destroy(physics);
    test_land_free(&land);
}

/* All points meet every 15 minutes in fires of up to 2 h, every 30 in those of up to 16 h, else
 * every hour: the same bits as with that step, and other ones than with the next. */
TEST(fronts_meet_as_often_as_the_fire_is_short)
{
    static const struct {
        double duration, step, other;
    } known[] = { { 1, 0.25, 0.5 }, { 2, 0.25, 0.5 }, { 2.5, 0.5, 0.25 },
                  { 16, 0.5, 1 },   { 16.5, 1, 0.5 }, { INFINITY, 0.5, 0.25 } };
    test_land land = test_land_level(41, 41, 2);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather); /* of 12 hours of weather */
    double T[3][41 * 41];

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        zm_marker_opts opts = ZM_MARKER_OPTS_INIT;

        opts.fronts = 1;
        fire.duration = known[i].duration;
        CHECK(burn(&land, &fire, true, &opts, 2, T[0]) == ZM_OK);
        opts.step = known[i].step;
        CHECK(burn(&land, &fire, true, &opts, 2, T[1]) == ZM_OK);
        opts.step = known[i].other;
        CHECK(burn(&land, &fire, true, &opts, 2, T[2]) == ZM_OK);
        CHECK_MSG(!memcmp(T[0], T[1], sizeof T[0]), "%g h", fire.duration);
        CHECK_MSG(memcmp(T[0], T[2], sizeof T[0]), "%g h", fire.duration);
    }
    test_land_free(&land);
}

/* Times along the row of the head, at full rate at once and with an acceleration (1/min). */
static zm_status head_times(const test_land *land, const zm_fire *fire,
                            bool conditioning, double acceleration, double t_max,
                            double head[2][SIDE - MIDDLE])
{
    double *T = malloc(CELLS * sizeof *T);
    zm_status st = ZM_OK;

    for (int k = 0; st == ZM_OK && k < 2; k++) {
        zm_marker_opts opts = ZM_MARKER_OPTS_INIT;

        opts.fronts = 1;
        opts.step = 0.125;
        opts.reach = REACH;
        opts.acceleration = k ? acceleration : HUGE_VAL;
        st = burn(land, fire, conditioning, &opts, t_max, T);
        memcpy(head[k], T + MIDDLE * SIDE + MIDDLE, sizeof head[k]);
    }
    free(T);
    return st;
}

/* A point whose rate r nears the full one R with dr/dt = a (R - r) falls behind by the integral
 * of R - r, which is (R - r_0)/a at last.  From fuel with rate R_1 into fuel with R_2 it is late
 * by (1 - R_1/R_2)/a.  A point goes a tenth of a cell before it looks at its ground: either
 * fire may be that late to notice; and after seven lags 0.1 % are left to come. */
TEST(a_front_that_enters_faster_fuel_is_late_by_what_it_gains)
{
    enum { BORDER = 4, END = SIDE - MIDDLE - 2 };
    const double a = 0.06 * 60; /* 1/h */
    const zm_weather_hour wind = { 25, 30, WIND, 270, 0, 0 };
    test_land land = test_land_level(SIDE, SIDE, 2);
    float *fuel = test_land_layer(&land, ZM_LAYER_FUEL);
    zm_fire fire = test_fire(&land, (zm_weather_hour[TEST_HOURS]){ { 0 } });
    double head[2][SIDE - MIDDLE], late, look;
    zm_surface_fire slow, fast;

    for (int i = 0; i < CELLS; i++) /* both 1 ft deep */
        fuel[i] = i % SIDE < MIDDLE + BORDER ? 2 : 1;
    fire.weather = &wind;
    fire.hours = 1;
    CHECK(zm_surface_fire_of(zm_fuel_published(2), &fire.moisture, IN_FLAMES, 270, 0, 0,
                             &slow, NULL) == ZM_OK);
    CHECK(zm_surface_fire_of(zm_fuel_published(1), &fire.moisture, IN_FLAMES, 270, 0, 0,
                             &fast, NULL) == ZM_OK);
    late = (1 - slow.rate / fast.rate) / a;
    look = REACH * 30 * (1 / slow.rate - 1 / fast.rate) / 60;
    CHECK(head_times(&land, &fire, false, a / 60, 4, head) == ZM_OK);
    CHECK_NEAR(head[1][BORDER - 1], head[0][BORDER - 1], 1e-3);
    CHECK_AT_MOST(7 / a, head[1][END] - head[1][BORDER]);
    CHECK_NEAR(head[1][END] - head[0][END], late, look + 1e-2 * late);
    CHECK_AT_MOST(10 * look, late);
    test_land_free(&land);
}

/* Rain stops all points; dry again, they begin at rest and so, with r_0 = 0, are late by 1/a
 * once at their rate, however this came back.  Clouds keep the sun out: the rate is steady then
 * but for slow drying, by which r stays behind R a little. */
TEST(a_front_that_was_stopped_begins_anew)
{
    const double a = 0.05 * 60; /* 1/h */
    test_land land = test_land_level(SIDE, SIDE, 2);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather);
    double head[2][SIDE - MIDDLE];
    int before = 0, after = 0;

    for (int k = 0; k < TEST_HOURS; k++)
        weather[k] = (zm_weather_hour){ 25, 30, WIND, 270, 100, k == 1 ? 8 : 0 };
    CHECK(head_times(&land, &fire, true, a / 60, 6, head) == ZM_OK);
    for (int i = 2; i < SIDE - MIDDLE; i++)
        if (head[1][i] < 1) {
            CHECK_NEAR(head[1][i], head[0][i], 0.01);
            before++;
        } else if (head[1][i] > 5 && head[1][i] < INFINITY) {
            CHECK_NEAR(head[1][i] - head[0][i], 1 / a, 0.02 / a);
            after++;
        }
    CHECK_MSG(before > 2 && after > 2, "%d cells before, %d after", before, after);
    test_land_free(&land);
}

/** An enclave that one move is made with: a ring around unburned ground. */
static zm_front enclave(zm_markers *w, const zm_marker *corner, size_t n)
{
    zm_front f = { .inward = true };

    for (size_t i = 0; i < n; i++)
        zm_marker_ring_push(w, &f.ring, corner[i]);
    return f;
}

/* In an enclave a sharp corner goes along its bisector, however long its two sides are: the
 * fire closes in from both at the same rate.  (The normal of the chord between its neighbours
 * would lean towards the shorter side.)  Still air and level ground: the rate is the same in
 * all directions. */
TEST(sharp_corners_of_enclaves_go_along_their_bisector)
{
    static const zm_weather_hour still = { 25, 30, 0, 0, 0, 0 };
    /* the corner is at (20, 20), its sides of 4 and 1.5 cells at 15 degrees to the x axis */
    const double c = cos(0.2617993877991494), s = sin(0.2617993877991494);
    const zm_marker corner = { 20, 20, HUGE_VAL };
    const double side[2][2] = { { 4, 1.5 }, { 1.5, 4 } }, moved = 0.01; /* cells */
    test_land land = test_land_level(41, 41, 2);
    zm_fire fire = test_fire(&land, (zm_weather_hour[TEST_HOURS]){ { 0 } });
    zm_physics_opts model = ZM_PHYSICS_OPTS_INIT;
    double *T = malloc(41 * 41 * sizeof *T);
    zm_surface_fire one;
    zm_physics *physics;

    for (int i = 0; i < 41 * 41; i++)
        T[i] = INFINITY;
    fire.weather = &still;
    fire.hours = 1;
    model.conditioning = 0;
    CHECK(zm_surface_fire_of(zm_fuel_published(2), &fire.moisture, 0, 0, 0, 0, &one,
                             NULL) == ZM_OK);
    CHECK(zm_physics_create(&physics, &land.land, &model, NULL) == ZM_OK);
    CHECK(zm_physics_set_fire(physics, &fire, NULL, 1, NULL) == ZM_OK);
    for (int k = 0; k < 2; k++) {
        const zm_marker ring[3] = {
            corner,
            { 20 + side[k][0] * c, 20 + side[k][0] * s, HUGE_VAL },
            { 20 + side[k][1] * c, 20 - side[k][1] * s, HUGE_VAL },
        };
        zm_markers w = {
            .p = physics, .opts = ZM_MARKER_OPTS_INIT, .T = T, .scale = 1, .margin = 2
        };
        zm_front f = enclave(&w, ring, 3);
        zm_marker nearest = { 0 };

        CHECK(zm_marker_ring_area(&f.ring) < 0);
        CHECK(zm_marker_slots_open(&w, NULL) == ZM_OK);
        CHECK(zm_marker_advance(&w, &f, moved * 30 / (60 * one.rate), NULL) == ZM_OK);
        for (size_t i = 0; i < f.ring.n; i++)
            if (hypot(f.ring.v[i].x - 20, f.ring.v[i].y - 20) <
                hypot(nearest.x - 20, nearest.y - 20))
                nearest = f.ring.v[i];
        CHECK_NEAR(nearest.x, 20 + moved, 1e-6);
        CHECK_NEAR(nearest.y, 20, 1e-6);
        zm_marker_ring_give(&w, f.ring);
        zm_marker_rings_free(&w, &w.loops);
        zm_marker_rings_free(&w, &w.todo);
        zm_marker_rings_free(&w, &w.spare);
        zm_release(&physics->mem, w.motion);
        zm_release(&physics->mem, w.fronts.v);
        zm_marker_slots_close(&w);
    }
    zm_physics_destroy(physics);
    free(T);
    test_land_free(&land);
}

/* On level grass with the moisture of the ignition every cell has the one surface fire: its rate at
 * the head, towards the east where the wind blows, its breadth by its length, and no crowns. */
TEST(ellipses_and_moisture_of_an_hour_are_those_of_one_surface_fire)
{
    test_land land = test_land_level(3, 3, 2);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather);
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    double head[9], flank[9], back[9], heading[9], dead[3][9];
    double *const planes[3] = { dead[0], dead[1], dead[2] };
    const zm_ellipse_planes none = { NULL, NULL, NULL, NULL, NULL };
    uint8_t crowns[9];
    const zm_ellipse_planes out = { head, flank, back, heading, crowns };
    zm_physics *physics;
    zm_surface_fire one;

    weather[0] = (zm_weather_hour){ 25, 30, WIND, 270, 0, 0 };
    opts.conditioning = 0;
    CHECK(zm_physics_create(&physics, &land.land, &opts, NULL) == ZM_OK);
    CHECK(zm_physics_ellipses(physics, 0, &out, NULL) == ZM_E_STATE);
    CHECK(zm_physics_set_fire(physics, &fire, NULL, 1, NULL) == ZM_OK);
    CHECK(zm_physics_ellipses(physics, 0, &out, NULL) == ZM_OK);
    CHECK(zm_physics_ellipses(physics, 0, &none, NULL) == ZM_OK);
    CHECK(zm_physics_ellipses(physics, 1, &out, NULL) == ZM_E_ARG);
    CHECK(zm_physics_moisture(physics, 0, planes, NULL) == ZM_OK);
    CHECK(zm_surface_fire_of(zm_fuel_published(2), &fire.moisture, IN_FLAMES, 270, 0, 0,
                             &one, NULL) == ZM_OK);
    for (int i = 0; i < 9; i++) {
        CHECK_NEAR(head[i] / one.rate, 1, 1e-4);
        CHECK_NEAR((head[i] + back[i]) / (2 * flank[i]) / one.length_to_breadth, 1,
                   1e-4);
        CHECK_NEAR(heading[i], 90, 1e-9);
        CHECK(crowns[i] == 0);
        CHECK_NEAR(dead[0][i], fire.moisture.dead_1h, 1e-12);
        CHECK_NEAR(dead[1][i], fire.moisture.dead_10h, 1e-12);
        CHECK_NEAR(dead[2][i], fire.moisture.dead_100h, 1e-12);
    }
    zm_physics_destroy(physics);
    test_land_free(&land);
}
