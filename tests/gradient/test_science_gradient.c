/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of the laws of fire against finite differences: the metric of a cell, and the
 * moisture of dead fuel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "core/random.h"
#include "fire/science/cell_fire.h"
#include "fire/science/moisture.h"
#include "zermelo/fire/physics.h"

static const double PI = 3.14159265358979323846;

static const double step_of[ZM_CELL_INPUTS] = { 1e-6, 1e-6, 1e-6, 1e-5, 1e-5,
                                                1e-4, 1e-5, 1e-5, 1e-5, 1e-5 };

static void metric_of(const zm_site *site, const zm_fire_rules *rules,
                      const double *input, int n, zm_dual metric[5])
{
    zm_shape shape;

    zm_spread_cell_shape(site, rules, input, n, &shape);
    zm_spread_shape_metric(site, &shape, n, metric);
}

/* Central differences of fourth order leave 1e-9; rounding of the small steps more. */
static double difference(const zm_site *site, const zm_fire_rules *rules,
                         const double *at, int k, int plane)
{
    static const double weight[4] = { 1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12 };
    static const double place[4] = { -2, -1, 1, 2 };
    double input[ZM_CELL_INPUTS], sum = 0;
    zm_dual metric[5];

    for (int i = 0; i < 4; i++) {
        memcpy(input, at, sizeof input);
        input[k] += place[i] * step_of[k];
        metric_of(site, rules, input, 0, metric);
        sum += weight[i] * metric[plane].v;
    }
    return sum / step_of[k];
}

/* Dry and damp, cured and green, gentle and steep, surface and crown, in random wind. */
TEST(metric_of_a_cell_has_exact_derivatives_by_all_inputs)
{
    static const int32_t fuels[] = { 1, 2, 4, 10, 102, 122, 124, 145, 147, 165, 183 };
    uint64_t state = t->seed;
    zm_bed crown_bed;
    int crowned[2] = { 0, 0 };

    zm_bed_make(zm_fuel_published(10), &crown_bed);
    for (int i = 0; i < 200; i++) {
        const bool finney = i % 4 < 2;
        const zm_fire_rules rules = { finney ? ZM_CROWN_FINNEY
                                             : ZM_CROWN_SCOTT_REINHARDT,
                                      100, &crown_bed };
        const double slope = zm_random_between(&state, 0, 0.7);
        const double aspect = zm_random_between(&state, 0, 2 * PI);
        zm_bed bed;
        zm_site site = { .bed = &bed,
                         .wind_reduction = zm_random_between(&state, 0.1, 0.45),
                         .aspect = aspect,
                         .cos_slope = cos(slope),
                         .sin_aspect = sin(aspect),
                         .cos_aspect = cos(aspect),
                         .crown_base = i % 2 ? 0.3 : 0,
                         .crown_density = 0.2 };
        const double input[ZM_CELL_INPUTS] = { zm_random_between(&state, 0.02, 0.11),
                                               zm_random_between(&state, 0.03, 0.12),
                                               zm_random_between(&state, 0.04, 0.13),
                                               zm_random_between(&state, 0.32, 1.1),
                                               zm_random_between(&state, 0.6, 1.2),
                                               zm_random_between(&state, 1, 30),
                                               zm_random_between(&state, 0, 2 * PI),
                                               zm_random_between(&state, -0.5, 0.5),
                                               zm_random_between(&state, -0.5, 0.5),
                                               zm_random_between(&state, -0.5, 0.5) };
        zm_dual metric[5];
        zm_shape shape;

        zm_bed_make(zm_fuel_published(fuels[zm_random_below(&state, 11)]), &bed);
        site.push = zm_slope_push_of(&bed, tan(slope));
        site.crown_push = zm_slope_push_of(&crown_bed, tan(slope));
        zm_spread_cell_shape(&site, &rules, input, 0, &shape);
        if (!(shape.head.v > 0))
            continue;
        crowned[finney] += shape.crowns;
        metric_of(&site, &rules, input, ZM_CELL_INPUTS, metric);
        for (int p = 0; p < 5; p++) {
            const double scale =
                p < 3 ? metric[0].v + metric[2].v : sqrt(metric[0].v + metric[2].v);

            for (int k = 0; k < ZM_CELL_INPUTS; k++) {
                const double fd = difference(&site, &rules, input, k, p);

                /* m1 .. m100 change G by several times itself per unit */
                CHECK_MSG(fabs(metric[p].d[k] - fd) <= 1e-5 * (fabs(fd) + scale),
                          "case %d, plane %d by input %d: %g, differences give %g", i,
                          p, k, metric[p].d[k], fd);
            }
        }
    }
    CHECK(crowned[0] > 4 && crowned[1] > 4);
}

static double *field(zm_weather_hour *w, int k)
{
    double *const all[4] = { &w->temperature, &w->humidity, &w->cloud, &w->rain };

    return all[k];
}

static zm_climate climate_of(const zm_weather_hour *weather, size_t hours, zm_sun *sun)
{
    for (size_t k = 0; k < hours; k++)
        sun[k] = zm_sun_at(196, fmod(14.0 + (double)k, 24), 40);
    return (zm_climate){ weather, hours, (int32_t)hours, sun, 500, { .05, .06, .08 } };
}

/* The moisture at all marks, asked for a few hours at a time. */
static zm_moisture_series *series_of(const zm_climate *climate, const zm_ground *ground)
{
    zm_moisture_series *series =
        malloc(sizeof *series + zm_moisture_marks(climate) * sizeof(double));

    zm_moisture_begin(climate, ground, series);
    zm_moisture_extend(climate, climate->intervals / 2, series);
    zm_moisture_extend(climate, climate->intervals, series);
    return series;
}

/* Through all hours; the last hours see rain and night. */
TEST(moisture_has_exact_derivatives_by_the_weather)
{
    enum { HOURS = 9, MARKS = (HOURS + 1) * ZM_DEAD };
    const zm_ground ground = { 640, 0.3, 2.1, 20 };
    zm_weather_hour weather[HOURS], d_weather[HOURS];
    zm_sun sun[HOURS];
    double tangent[MARKS];

    for (int k = 0; k < HOURS; k++)
        weather[k] =
            (zm_weather_hour){ 27 - k, 25 + 6 * k, 10, 200, 5 * k, k > 6 ? 2 : 0 };
    for (int hour = 0; hour < HOURS; hour++)
        for (int k = 0; k < 4; k++) {
            const double h = 1e-3, kept = *field(&weather[hour], k);
            const zm_climate climate = climate_of(weather, HOURS, sun);
            const zm_climate_change change = { d_weather, { 0, 0, 0 } };
            zm_moisture_series *base, *more, *less;

            if (k == 3 && hour <= 6)
                continue; /* rain starts to count at 0.5 mm */
            memset(d_weather, 0, sizeof d_weather);
            *field(&d_weather[hour], k) = 1;
            base = series_of(&climate, &ground);
            zm_moisture_tangent(&climate, base, &change, tangent);
            *field(&weather[hour], k) = kept + h;
            more = series_of(&climate, &ground);
            *field(&weather[hour], k) = kept - h;
            less = series_of(&climate, &ground);
            *field(&weather[hour], k) = kept;
            for (int i = 0; i < MARKS; i++)
                CHECK_NEAR((more->mark[i] - less->mark[i]) / (2 * h), tangent[i], 1e-7);
            free(base);
            free(more);
            free(less);
        }
}

/* <J dx, w> = <dx, J' w> to rounding, while a stick dries and while it wets; every sixth hour
 * has rain that counts. */
TEST(moisture_adjoint_is_the_transpose_of_its_tangent)
{
    enum { HOURS = 20, MARKS = (HOURS + 1) * ZM_DEAD };
    const zm_ground ground = { 300, 0.2, 4.0, 0 };
    zm_weather_hour weather[HOURS], dx[HOURS], grad[HOURS] = { 0 };
    const zm_climate_change change = { dx, { 0.1, 0.3, -0.2 } };
    zm_climate_change back = { grad, { 0, 0, 0 } };
    zm_sun sun[HOURS];
    double tangent[MARKS], w[MARKS], left = 0, right;
    uint64_t state = t->seed;
    zm_moisture_series *series;
    int wetting = 0;
    zm_climate climate;

    for (int k = 0; k < HOURS; k++) {
        weather[k] =
            (zm_weather_hour){ 30 - k, 20 + 3 * k, 10, 200, 5, k % 6 == 2 ? 1.5 : 0.2 };
        for (int i = 0; i < 4; i++)
            *field(&dx[k], i) = zm_random_normal(&state);
    }
    climate = climate_of(weather, HOURS, sun);
    series = series_of(&climate, &ground);
    for (int k = 0; k < HOURS; k++)
        wetting += series->mark[(k + 1) * ZM_DEAD + 1] > series->mark[k * ZM_DEAD + 1];
    CHECK(wetting > 2 && wetting < HOURS - 2);
    zm_moisture_tangent(&climate, series, &change, tangent);
    for (int i = 0; i < MARKS; i++) {
        w[i] = zm_random_normal(&state);
        left += w[i] * tangent[i];
    }
    zm_moisture_adjoint(&climate, series, w, &back);
    right = 0.1 * back.initial[0] + 0.3 * back.initial[1] - 0.2 * back.initial[2];
    for (int k = 0; k < HOURS; k++)
        for (int i = 0; i < 4; i++)
            right += *field(&dx[k], i) * *field(&grad[k], i);
    CHECK_NEAR(left, right, 1e-12 * (1 + fabs(left)));
    free(series);
}
