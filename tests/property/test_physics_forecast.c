/* SPDX-License-Identifier: Apache-2.0
 * States of fires learn from perimeters what made them, forecasts of growth are what their law says,
 * and steps that are kept in files go on to the same bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fire/fit/growth.h"
#include "support/folders.h"
#include "support/landscapes.h"
#include "zermelo/fire/forecast_file.h"
#include "zermelo/fire/score.h"

enum { SIDE = 61, CELLS = SIDE * SIDE, DATES = 4 };

/** A fire seen at some dates, with rates that the model does not know. */
typedef struct seen_fire {
    test_land land;
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire;
    uint8_t masks[DATES][CELLS];
    const uint8_t *rows[DATES];
    double hours[DATES];
    zm_dated_fire dated;
    double factor[ZM_FUEL_NUMBERS], log_rate[CELLS], T[CELLS];
} seen_fire;

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Level grass in a breeze, dry and always alike; rates times `rate`, and times `south` south of the middle.  Perimeters are
 * those of 100, 300, 700 and 1200 cells. */
static seen_fire *fire_make(double rate, double south)
{
    static const int burned[DATES] = { 100, 300, 700, 1200 };
    seen_fire *s = calloc(1, sizeof *s);
    double sorted[CELLS];
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    zm_physics *model;

    s->land = test_land_level(SIDE, SIDE, 1);
    s->fire = test_fire(&s->land, s->weather);
    for (int k = 0; k < TEST_HOURS; k++)
        s->weather[k] = (zm_weather_hour){ .temperature = 30,
                                           .humidity = 25,
                                           .wind_speed = 4,
                                           .wind_dir = s->weather[k].wind_dir };
    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        s->factor[k] = rate;
    for (int i = 0; i < CELLS; i++)
        s->log_rate[i] = i / SIDE > SIDE / 2 ? log(south) : 0;
    params.fuel_factor = s->factor;
    params.log_rate = s->log_rate;
    if (zm_physics_create(&model, &s->land.land, NULL, NULL) != ZM_OK ||
        zm_physics_set_fire(model, &s->fire, &params, TEST_HOURS, NULL) != ZM_OK ||
        zm_physics_arrival(model, NULL, 0, HUGE_VAL, s->T, NULL) != ZM_OK)
        abort();
    zm_physics_destroy(model);
    memcpy(sorted, s->T, sizeof sorted);
    qsort(sorted, CELLS, sizeof *sorted, by_value);
    for (int k = 0; k < DATES; k++) {
        s->hours[k] = sorted[burned[k]];
        for (int i = 0; i < CELLS; i++)
            s->masks[k][i] = s->T[i] <= s->hours[k];
        s->rows[k] = s->masks[k];
    }
    s->dated = (zm_dated_fire){ &s->fire, s->rows, s->hours, DATES };
    return s;
}

static void fire_free(seen_fire *s)
{
    test_land_free(&s->land);
    free(s);
}

/* Little is believed beforehand, and perimeters tell much. */
static zm_growth_prior open_mind(void)
{
    zm_growth_prior p = ZM_GROWTH_PRIOR_INIT;

    p.rate_spread = 1.5;
    p.sector_spread = 1;
    p.fuel_spread = 0.01; /* there is one fuel: it would share in the common rate */
    p.wind_spread = 0.01;
    p.moisture_spread = 0.01;
    p.cells = 2000;
    p.kept = 1;
    return p;
}

static zm_status follow(const seen_fire *s, size_t dates, const zm_growth_prior *prior,
                        zm_fire_state *state)
{
    zm_forecast_opts opts = ZM_FORECAST_OPTS_INIT;
    zm_status st;

    opts.max_iterations = 20;
    *state = (zm_fire_state)ZM_FIRE_STATE_INIT;
    st = zm_fire_state_begin(state, &s->land.land, s->masks[0], prior, NULL);
    for (size_t k = 1; st >= 0 && k < dates; k++)
        st = zm_fire_state_update(state, &s->land.land, &s->dated, k, prior, NULL,
                                  &opts, NULL);
    return st;
}

/* Perimeters of a fire of 0.4 of the rates tell 0.4: within 15 %, as a perimeter is known to a cell and
 * a fire grows by some six of them between two.  The objective falls, and so does what is not known. */
TEST(perimeters_tell_the_rate_of_a_fire)
{
    const zm_growth_prior prior = open_mind();
    seen_fire *s = fire_make(0.4, 1);
    zm_fire_state state;

    CHECK(follow(s, DATES, &prior, &state) >= 0);
    CHECK_MSG(fabs(state.mean[0] - log(0.4)) < 0.15, "factor %g", exp(state.mean[0]));
    CHECK(state.objective < state.objective_before);
    CHECK(state.covariance[0] < prior.rate_spread * prior.rate_spread);
    CHECK(state.intervals == DATES - 1);
    fire_free(s);
}

/* South of the middle the fire is held to a fifth of its rates: sectors there are slower than all
 * those of the north. */
TEST(perimeters_tell_where_a_fire_is_held)
{
    const zm_growth_prior prior = open_mind();
    seen_fire *s = fire_make(1, 0.2);
    double slowest = HUGE_VAL, fastest = -HUGE_VAL;
    zm_fire_state state;

    CHECK(follow(s, DATES, &prior, &state) >= 0);
    for (int k = 0; k < state.n; k++) {
        if (state.kind[k] != ZM_STATE_SECTOR)
            continue;
        if (state.number[k] >= 3 && state.number[k] <= 5) /* south-east to south-west */
            fastest = fmax(fastest, state.mean[k]);
        if (state.number[k] == 7 || state.number[k] <= 1)
            slowest = fmin(slowest, state.mean[k]);
    }
    CHECK_MSG(fastest < slowest - 0.3, "south at most %g, north at least %g", fastest,
              slowest);
    fire_free(s);
}

/* A state that was written and read goes on to the same bits as one that was not; other perimeters,
 * priors and steps are other inputs. */
TEST(steps_go_on_from_files_to_the_same_bits)
{
    const zm_growth_prior prior = ZM_GROWTH_PRIOR_INIT;
    zm_growth_prior other = ZM_GROWTH_PRIOR_INIT, read = ZM_GROWTH_PRIOR_INIT;
    seen_fire *s = fire_make(0.7, 1);
    const folder f = folder_make();
    const zm_landscape *land = &s->land.land;
    zm_fire_state whole, half, again = ZM_FIRE_STATE_INIT;
    zm_forecast_opts opts = ZM_FORECAST_OPTS_INIT;
    uint64_t inputs = 0, given;

    opts.max_iterations = 20;
    CHECK(follow(s, 3, &prior, &whole) >= 0 && follow(s, 2, &prior, &half) >= 0);
    given = zm_fire_state_inputs(land, &s->dated, 1, &prior, NULL, &opts);
    CHECK(zm_fire_state_write(folder_path(&f, "state.json"), &half, given, NULL) ==
          ZM_OK);
    CHECK(zm_fire_state_read(folder_path(&f, "state.json"), &again, &inputs, NULL) ==
          ZM_OK);
    CHECK(inputs == given);
    CHECK(zm_fire_state_update(&again, land, &s->dated, 2, &prior, NULL, &opts, NULL) >=
          0);
    CHECK(!memcmp(again.mean, whole.mean, sizeof whole.mean));
    CHECK(!memcmp(again.covariance, whole.covariance, sizeof whole.covariance));
    other.rate = 0.1;
    CHECK(zm_fire_state_inputs(land, &s->dated, 1, &other, NULL, &opts) != given);
    CHECK(zm_fire_state_inputs(land, &s->dated, 2, &prior, NULL, &opts) != given);
    s->masks[1][5] ^= 1;
    CHECK(zm_fire_state_inputs(land, &s->dated, 1, &prior, NULL, &opts) != given);
    other.law.memory = 1.0 / 3;
    CHECK(zm_growth_prior_write(folder_path(&f, "prior.json"), &other, NULL) == ZM_OK);
    CHECK(zm_growth_prior_read(folder_path(&f, "prior.json"), &read, NULL) == ZM_OK);
    CHECK(read.rate == 0.1 && read.law.memory == 1.0 / 3 &&
          read.law.area == other.law.area);
    folder_remove(&f);
    fire_free(s);
}

static double nearest_distance(const uint8_t *mask, int i)
{
    double best = HUGE_VAL;

    for (int j = 0; j < CELLS; j++)
        if (mask[j])
            best = fmin(best, hypot(i / SIDE - j / SIDE, i % SIDE - j % SIDE));
    return best;
}

/* The buffer knows the distance from the perimeter alone: its probabilities are those of the closed
 * form with distances found by comparing all cells. */
TEST(buffers_are_the_closed_form_of_the_distance)
{
    const zm_growth_prior p = ZM_GROWTH_PRIOR_INIT;
    const zm_growth_law *b = &p.buffer;
    seen_fire *s = fire_make(1, 1);
    zm_forecast_opts opts = ZM_FORECAST_OPTS_INIT;
    zm_growth_case *c = NULL;
    zm_fire_state state;
    float *probability = malloc(2 * CELLS * sizeof *probability);
    double m;
    int burned = 0;

    opts.draws = 2;
    CHECK(follow(s, 1, &p, &state) >= 0);
    CHECK(zm_growth_case_create(&s->land.land, &s->dated, 1, s->hours[1] + 24, NULL,
                                &state, &p, NULL, &opts, &c, NULL) >= 0);
    CHECK(zm_growth_forecast(c, &p, probability, probability + CELLS, NULL, NULL) ==
          ZM_OK);
    for (int i = 0; i < CELLS; i++)
        burned += s->masks[1][i];
    m = b->distance + b->area * log(sqrt(burned / 3.14159265358979) * 0.3 / 30);
    for (int i = 0; i < CELLS; i += 7) {
        const double d = 0.3 * nearest_distance(s->masks[1], i);
        const double u = (m - log(d)) / exp(b->log_spread);
        const double expected =
            s->masks[1][i] ? 1 : 0.5 * erfc(-u / sqrt(2)) / (1 + exp(-b->open));

        CHECK_NEAR(probability[CELLS + i], expected, 1e-6);
        CHECK(probability[i] >= 0 && probability[i] <= 1);
    }
    CHECK(zm_growth_buffer(&s->land.land, s->masks[1], 24, NULL, probability, NULL) ==
          ZM_OK);
    CHECK(!memcmp(probability, probability + CELLS, CELLS * sizeof *probability));
    CHECK(zm_growth_buffer(&s->land.land, s->masks[1], 0, NULL, probability, NULL) ==
          ZM_E_ARG);
    zm_growth_case_destroy(c);
    free(probability);
    fire_free(s);
}

enum { FIRES = 3, CASES = FIRES * (DATES - 1) };

/* Cases of fires of several rates, each interval with its outcome. */
static void make_cases(test_run *t, seen_fire *fires[FIRES],
                       zm_growth_case *cases[CASES])
{
    const zm_growth_prior p = ZM_GROWTH_PRIOR_INIT;
    zm_forecast_opts opts = ZM_FORECAST_OPTS_INIT;

    opts.draws = 2;
    opts.max_iterations = 3;
    for (int f = 0; f < FIRES; f++) {
        zm_fire_state state = ZM_FIRE_STATE_INIT;
        const zm_landscape *land;

        fires[f] = fire_make(0.5 + 0.25 * f, 1);
        land = &fires[f]->land.land;
        CHECK(zm_fire_state_begin(&state, land, fires[f]->masks[0], &p, NULL) == ZM_OK);
        for (size_t k = 0; k + 1 < DATES; k++) {
            if (k > 0)
                CHECK(zm_fire_state_update(&state, land, &fires[f]->dated, k, &p, NULL,
                                           &opts, NULL) >= 0);
            CHECK(zm_growth_case_create(land, &fires[f]->dated, k,
                                        fires[f]->hours[k + 1], fires[f]->masks[k + 1],
                                        &state, &p, NULL, &opts,
                                        &cases[f * (DATES - 1) + (int)k], NULL) >= 0);
        }
    }
}

static double mean_skill(test_run *t, seen_fire *const fires[FIRES],
                         zm_growth_case *const cases[CASES], const zm_growth_prior *p)
{
    float *probability = malloc(CELLS * sizeof *probability);
    double sum = 0;

    for (int i = 0; i < CASES; i++) {
        const seen_fire *f = fires[i / (DATES - 1)];
        const int k = i % (DATES - 1);
        zm_growth_score s = ZM_GROWTH_SCORE_INIT;

        CHECK(zm_growth_forecast(cases[i], p, probability, NULL, NULL, NULL) == ZM_OK);
        CHECK(zm_score_growth(f->masks[k], f->masks[k + 1], probability, SIDE, SIDE, 30,
                              500, &s, NULL) == ZM_OK);
        sum += s.skill;
    }
    free(probability);
    return sum / CASES;
}

/* Fires of the model's own making: with what they tell, forecasts have more skill than with what is said
 * beforehand.  Half of the errors that intervals of the area
 * were learned from are within their median, and intervals are wider than that. */
TEST(laws_are_learned_from_fires)
{
    seen_fire *fires[FIRES];
    zm_growth_case *cases[CASES];
    const zm_growth_prior before = ZM_GROWTH_PRIOR_INIT;
    zm_growth_prior p = ZM_GROWTH_PRIOR_INIT;
    double was, is;
    int held = 0;

    make_cases(t, fires, cases);
    CHECK(zm_growth_learn((const zm_growth_case *const *)cases, CASES, &p, NULL) ==
          ZM_OK);
    was = mean_skill(t, fires, cases, &before);
    is = mean_skill(t, fires, cases, &p);
    CHECK_MSG(is > was + 0.1, "skill %g before, %g after", was, is);
    CHECK(p.area_count == CASES);
    for (int i = 0; i < CASES; i++) {
        zm_growth_area a = ZM_GROWTH_AREA_INIT;

        CHECK(zm_growth_forecast(cases[i], &p, NULL, NULL, &a, NULL) == ZM_OK);
        held += a.observed >= a.low && a.observed <= a.high;
        zm_growth_case_destroy(cases[i]);
    }
    CHECK_MSG(held >= (CASES + 1) / 2, "%d of %d", held, CASES);
    for (int f = 0; f < FIRES; f++)
        fire_free(fires[f]);
}

/* Derivatives of the probability with respect to the law agree with central differences, whose error is
 * of the order of the step squared: 1e-10 and the rounding of 1e-16/1e-5. */
TEST(derivatives_of_the_law_are_exact)
{
    double log_distance = 1.1, log_model = 0.4, variance = 0.3, edge = 0.7,
           moved = -0.2;
    uint8_t barren = 1;
    const zm_growth_case c = { .n = 1,
                               .log_distance = &log_distance,
                               .log_model = &log_model,
                               .variance = &variance,
                               .edge = &edge,
                               .moved = &moved,
                               .barren = &barren,
                               .log_radius = 0.3,
                               .log_time = 0.6,
                               .memory = -0.8 };
    zm_growth_law law = { 1.0, -0.5, 0.3, 0.4, 0.3, -0.4, 0.1, 0.2, 0.7, 0.35 };
    double d[ZM_LAW_PARAMETERS], *x = zm_fit_law_parameters(&law);

    zm_fit_law_probability(&c, 0, &law, d);
    for (int k = 0; k < ZM_LAW_PARAMETERS; k++) {
        const double h = 1e-5, at = x[k];
        double more, less;

        x[k] = at + h;
        more = zm_fit_law_probability(&c, 0, &law, NULL);
        x[k] = at - h;
        less = zm_fit_law_probability(&c, 0, &law, NULL);
        x[k] = at;
        CHECK_NEAR(d[k], (more - less) / (2 * h), 1e-9);
    }
}

TEST(what_cannot_be_meant_is_refused)
{
    seen_fire *s = fire_make(1, 1);
    zm_growth_prior p = ZM_GROWTH_PRIOR_INIT;
    zm_growth_case *c = NULL;
    zm_fire_state state;
    zm_error err;

    CHECK(follow(s, 1, &p, &state) >= 0);
    CHECK(zm_growth_case_create(&s->land.land, &s->dated, 1, s->hours[1], NULL, &state,
                                &p, NULL, NULL, &c, &err) == ZM_E_ARG &&
          !c);
    CHECK(zm_fire_state_update(&state, &s->land.land, &s->dated, 0, &p, NULL, NULL,
                               &err) == ZM_E_ARG);
    p.kept = 2;
    CHECK(zm_fire_state_update(&state, &s->land.land, &s->dated, 1, &p, NULL, NULL,
                               &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "kept"));
    CHECK(zm_growth_learn(NULL, 0, &p, &err) == ZM_E_ARG);
    memset(s->masks[0], 0, sizeof s->masks[0]);
    state.size = sizeof state;
    CHECK(zm_fire_state_begin(&state, &s->land.land, s->masks[0], NULL, &err) ==
          ZM_E_ARG);
    fire_free(s);
}
