/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of the fire model against finite differences, from the weather to the arrival
 * times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "core/random.h"
#include "support/landscapes.h"
#include "zermelo/fire/physics.h"

/** A fire on hills with every correction in use, and a random direction to move all in. */
typedef struct chain {
    test_land land;
    size_t n;
    zm_weather_hour weather[TEST_HOURS], d_weather[TEST_HOURS];
    zm_fire fire;
    double factor[ZM_FUEL_NUMBERS],
        *planes; /* PLANES of corrections, as many of changes */
    zm_physics_params params;
    zm_physics_change change;
    zm_physics *physics;
} chain;

enum { SIDE = 41, PLANES = 5 };
static const double HORIZON = 6;

static chain chain_make(uint64_t seed)
{
    chain c = { .land = test_land_hills(SIDE, SIDE, seed), .n = SIDE * SIDE };
    uint64_t state = seed;

    c.planes = calloc(2 * PLANES * c.n, sizeof *c.planes);
    for (size_t i = 0; i < 2 * PLANES * c.n; i++)
        c.planes[i] = 0.1 * zm_random_normal(&state);
    for (int k = 0; k < ZM_FUEL_NUMBERS; k++) {
        c.factor[k] = zm_random_between(&state, 0.6, 1.5);
        c.change.fuel_factor[k] = 0.3 * zm_random_normal(&state);
    }
    c.change.size = sizeof c.change;
    c.change.wind_factor = 0.2;
    c.change.moisture_offset = -0.3;
    c.change.moisture = (zm_fuel_moisture){ 0.4, -0.5, 0.3, 2, -3 };
    return c;
}

static void chain_bind(chain *c, uint64_t seed)
{
    uint64_t state = seed + 1;

    c->fire = test_fire(&c->land, c->weather);
    for (int k = 0; k < TEST_HOURS; k++) {
        c->d_weather[k] =
            (zm_weather_hour){ zm_random_normal(&state), zm_random_normal(&state),
                               zm_random_normal(&state), 3 * zm_random_normal(&state),
                               zm_random_normal(&state), zm_random_normal(&state) };
        /* above 0.5 mm it counts; the fire goes on */
        c->weather[k].rain = k >= 1 && k <= 3 ? 0.52 + 0.02 * k : 0.1;
    }
    c->params = (zm_physics_params)ZM_PHYSICS_PARAMS_INIT;
    c->params.wind_factor = 1.1;
    c->params.moisture_offset = 0.5;
    c->params.fuel_factor = c->factor;
    c->params.log_rate = c->planes;
    c->params.rotation = c->planes + c->n;
    c->params.elongation = c->planes + 2 * c->n;
    c->params.log_wind = c->planes + 3 * c->n;
    c->params.wetness = c->planes + 4 * c->n;
    c->change.weather = c->d_weather;
    c->change.log_rate = c->planes + 5 * c->n;
    c->change.rotation = c->planes + 6 * c->n;
    c->change.elongation = c->planes + 7 * c->n;
    c->change.log_wind = c->planes + 8 * c->n;
    c->change.wetness = c->planes + 9 * c->n;
}

static void chain_free(chain *c)
{
    zm_physics_destroy(c->physics);
    test_land_free(&c->land);
    free(c->planes);
}

static void moved(double *x, double h, double d)
{
    *x += h * d;
}

/* Times, or the planes of hour 3, with all inputs moved by h along the change. */
static zm_status times_at(const chain *c, double h, double *T, double *const metric[5])
{
    chain m = *c;
    double *planes = malloc(PLANES * c->n * sizeof *planes);
    zm_status st;

    for (size_t i = 0; i < PLANES * c->n; i++)
        planes[i] = c->planes[i] + h * c->planes[PLANES * c->n + i];
    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        moved(&m.factor[k], h, c->change.fuel_factor[k]);
    for (int k = 0; k < TEST_HOURS; k++) {
        const zm_weather_hour *d = &c->d_weather[k];

        moved(&m.weather[k].temperature, h, d->temperature);
        moved(&m.weather[k].humidity, h, d->humidity);
        moved(&m.weather[k].wind_speed, h, d->wind_speed);
        moved(&m.weather[k].wind_dir, h, d->wind_dir);
        moved(&m.weather[k].cloud, h, d->cloud);
        moved(&m.weather[k].rain, h, d->rain);
    }
    moved(&m.fire.moisture.dead_1h, h, c->change.moisture.dead_1h);
    moved(&m.fire.moisture.dead_10h, h, c->change.moisture.dead_10h);
    moved(&m.fire.moisture.dead_100h, h, c->change.moisture.dead_100h);
    moved(&m.fire.moisture.live_herb, h, c->change.moisture.live_herb);
    moved(&m.fire.moisture.live_woody, h, c->change.moisture.live_woody);
    moved(&m.params.wind_factor, h, c->change.wind_factor);
    moved(&m.params.moisture_offset, h, c->change.moisture_offset);
    m.fire.weather = m.weather;
    m.params.fuel_factor = m.factor;
    m.params.log_rate = planes;
    m.params.rotation = planes + c->n;
    m.params.elongation = planes + 2 * c->n;
    m.params.log_wind = planes + 3 * c->n;
    m.params.wetness = planes + 4 * c->n;
    st = zm_physics_set_fire(c->physics, &m.fire, &m.params, HORIZON, NULL);
    if (st == ZM_OK && T)
        st = zm_physics_arrival(c->physics, NULL, 0, HORIZON, T, NULL);
    if (st == ZM_OK && metric)
        st = zm_physics_metric(c->physics, 3, metric, NULL, NULL);
    free(planes);
    return st;
}

/* Times at the fire itself, at both ends of a difference of width 2 h, and their tangent. */
static void times_about(test_run *t, chain *c, double h, double *T, double *more,
                        double *less, double *dT)
{
    CHECK(zm_physics_create(&c->physics, &c->land.land, NULL, NULL) == ZM_OK);
    CHECK(times_at(c, h, more, NULL) == ZM_OK);
    CHECK(times_at(c, -h, less, NULL) == ZM_OK);
    CHECK(zm_physics_set_fire(c->physics, &c->fire, &c->params, HORIZON, NULL) ==
          ZM_OK);
    CHECK(zm_physics_arrival(c->physics, NULL, 0, HORIZON, T, NULL) == ZM_OK);
    CHECK(zm_physics_tangent(c->physics, &c->change, dT, NULL) == ZM_OK);
}

/* Weather -> moisture -> spread -> ellipse -> metric -> smoothing -> hourly front: the whole
 * chain moves along a random direction.  Where a cell changes its donors or the hour of
 * arrival between the two ends of the difference both sides differ: such cells are few, and
 * the rest agrees to 1e-5. */
TEST(arrival_times_have_exact_derivatives_by_everything)
{
    const double h = 1e-6;
    chain c = chain_make(5);
    double *T = malloc(c.n * sizeof *T), *more = malloc(c.n * sizeof *T),
           *less = malloc(c.n * sizeof *T), *dT = malloc(c.n * sizeof *T), largest = 0;
    size_t reached = 0, wrong = 0;

    chain_bind(&c, 5);
    times_about(t, &c, h, T, more, less, dT);
    for (size_t i = 0; i < c.n; i++)
        if (T[i] < INFINITY && more[i] < INFINITY && less[i] < INFINITY)
            largest = fmax(largest, fabs(dT[i]));
    for (size_t i = 0; i < c.n; i++)
        if (T[i] < INFINITY && more[i] < INFINITY && less[i] < INFINITY) {
            const double fd = (more[i] - less[i]) / (2 * h);

            reached++;
            wrong += !(fabs(fd - dT[i]) <= 1e-5 * (fabs(fd) + 0.1 * largest));
        }
    CHECK_MSG(reached > 300, "%zu cells reached", reached);
    CHECK_MSG(wrong * 200 <= reached, "%zu of %zu cells differ", wrong, reached);
    chain_free(&c);
    free(T);
    free(more);
    free(less);
    free(dT);
}

static double dot(const zm_physics_change *a, const zm_physics_change *b, size_t n)
{
    double sum =
        a->wind_factor * b->wind_factor + a->moisture_offset * b->moisture_offset;

    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        sum += a->fuel_factor[k] * b->fuel_factor[k];
    sum += a->moisture.dead_1h * b->moisture.dead_1h +
           a->moisture.dead_10h * b->moisture.dead_10h +
           a->moisture.dead_100h * b->moisture.dead_100h +
           a->moisture.live_herb * b->moisture.live_herb +
           a->moisture.live_woody * b->moisture.live_woody;
    for (int k = 0; k < TEST_HOURS; k++)
        sum += a->weather[k].temperature * b->weather[k].temperature +
               a->weather[k].humidity * b->weather[k].humidity +
               a->weather[k].wind_speed * b->weather[k].wind_speed +
               a->weather[k].wind_dir * b->weather[k].wind_dir +
               a->weather[k].cloud * b->weather[k].cloud +
               a->weather[k].rain * b->weather[k].rain;
    for (size_t i = 0; i < n; i++)
        sum += a->log_rate[i] * b->log_rate[i] + a->rotation[i] * b->rotation[i] +
               a->elongation[i] * b->elongation[i] + a->log_wind[i] * b->log_wind[i] +
               a->wetness[i] * b->wetness[i];
    return sum;
}

/* <w, J dx> = <J' w, dx>, with and without hourly moisture. */
TEST(adjoint_of_arrival_times_is_the_transpose_of_the_tangent)
{
    for (int conditioning = 0; conditioning < 2; conditioning++) {
        zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
        chain c = chain_make(7);
        double *T = malloc(c.n * sizeof *T), *dT = malloc(c.n * sizeof *T),
               *w = malloc(c.n * sizeof *T),
               *planes = calloc(PLANES * c.n, sizeof *planes);
        double left = 0, size = 0;
        zm_weather_hour weather[TEST_HOURS] = { 0 };
        zm_physics_change grad = { .size = sizeof grad,
                                   .weather = weather,
                                   .log_rate = planes,
                                   .rotation = planes + c.n,
                                   .elongation = planes + 2 * c.n,
                                   .log_wind = planes + 3 * c.n,
                                   .wetness = planes + 4 * c.n };
        uint64_t state = t->seed;

        opts.conditioning = conditioning;
        chain_bind(&c, 7);
        CHECK(zm_physics_create(&c.physics, &c.land.land, &opts, NULL) == ZM_OK);
        CHECK(zm_physics_set_fire(c.physics, &c.fire, &c.params, HORIZON, NULL) ==
              ZM_OK);
        CHECK(zm_physics_arrival(c.physics, NULL, 0, HORIZON, T, NULL) == ZM_OK);
        CHECK(zm_physics_tangent(c.physics, &c.change, dT, NULL) == ZM_OK);
        for (size_t i = 0; i < c.n; i++) {
            w[i] = zm_random_normal(&state);
            left += w[i] * dT[i];
            size += fabs(w[i] * dT[i]);
        }
        CHECK(zm_physics_adjoint(c.physics, w, &grad, NULL) == ZM_OK);
        CHECK(size > 1);
        CHECK_NEAR(left, dot(&grad, &c.change, c.n), 1e-10 * size);
        chain_free(&c);
        free(T);
        free(dT);
        free(w);
        free(planes);
    }
}

/* The planes of an hour, for those who solve by themselves. */
TEST(planes_of_an_hour_have_exact_derivatives)
{
    const double h = 1e-6;
    chain c = chain_make(9);
    double *memory = malloc(20 * c.n * sizeof *memory);
    double *at[4][5], left = 0, size = 0;
    zm_weather_hour weather[TEST_HOURS] = { 0 };
    double *planes = calloc(PLANES * c.n, sizeof *planes);
    zm_physics_change grad = { .size = sizeof grad,
                               .weather = weather,
                               .log_rate = planes,
                               .rotation = planes + c.n,
                               .elongation = planes + 2 * c.n,
                               .log_wind = planes + 3 * c.n,
                               .wetness = planes + 4 * c.n };

    for (int i = 0; i < 20; i++)
        at[i / 5][i % 5] = memory + (size_t)i * c.n;
    chain_bind(&c, 9);
    CHECK(zm_physics_create(&c.physics, &c.land.land, NULL, NULL) == ZM_OK);
    CHECK(times_at(&c, h, NULL, at[0]) == ZM_OK);
    CHECK(times_at(&c, -h, NULL, at[1]) == ZM_OK);
    CHECK(zm_physics_set_fire(c.physics, &c.fire, &c.params, HORIZON, NULL) == ZM_OK);
    CHECK(zm_physics_metric_tangent(c.physics, 3, &c.change, at[2], NULL) == ZM_OK);
    CHECK(zm_physics_metric(c.physics, 3, at[3], NULL, NULL) == ZM_OK);
    for (size_t i = 0; i < 5 * c.n; i++) {
        const size_t p = i / c.n, k = i % c.n;
        const double trace = at[3][0][k] + at[3][2][k];
        const double fd = (at[0][p][k] - at[1][p][k]) / (2 * h);

        CHECK_NEAR(fd, at[2][p][k], 1e-5 * (fabs(fd) + (p < 3 ? trace : sqrt(trace))));
        /* weights of one size for slow and fast cells */
        at[0][p][k] = p < 3 ? 1 / trace : 1 / sqrt(trace);
        left += at[0][p][k] * at[2][p][k];
        size += fabs(at[0][p][k] * at[2][p][k]);
    }
    CHECK(zm_physics_metric_adjoint(c.physics, 3, (const double *const *)at[0], &grad,
                                    NULL) == ZM_OK);
    CHECK_NEAR(left, dot(&grad, &c.change, c.n), 1e-10 * size);
    chain_free(&c);
    free(memory);
    free(planes);
}

/* A factor of one fuel alone: the way that calibrations go.  Cells that do not see that fuel
 * must not move, and the others as differences say. */
TEST(times_have_exact_derivatives_by_the_factor_of_one_fuel)
{
    const double h = 1e-6;
    chain c = chain_make(5);
    double *T = malloc(c.n * sizeof *T), *more = malloc(c.n * sizeof *T),
           *less = malloc(c.n * sizeof *T), *dT = malloc(c.n * sizeof *T);
    size_t reached = 0, wrong = 0, moving = 0;

    chain_bind(&c, 5);
    c.change = (zm_physics_change)ZM_PHYSICS_CHANGE_INIT;
    memset(c.d_weather, 0, sizeof c.d_weather);
    memset(c.planes + PLANES * c.n, 0, PLANES * c.n * sizeof *c.planes);
    c.change.fuel_factor[102] = 1;
    times_about(t, &c, h, T, more, less, dT);
    for (size_t i = 0; i < c.n; i++)
        if (T[i] < INFINITY && more[i] < INFINITY && less[i] < INFINITY) {
            const double fd = (more[i] - less[i]) / (2 * h);

            reached++;
            moving += dT[i] != 0;
            wrong += !(fabs(fd - dT[i]) <= 1e-5 * (fabs(fd) + 0.1));
        }
    CHECK(reached > 300 && moving > 50);
    CHECK_MSG(wrong * 200 <= reached, "%zu of %zu cells differ", wrong, reached);
    chain_free(&c);
    free(T);
    free(more);
    free(less);
    free(dT);
}
