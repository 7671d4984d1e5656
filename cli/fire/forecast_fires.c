/* SPDX-License-Identifier: Apache-2.0
 * What fires tell of others: priors, and forecasts of each fire with what the others told. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/value.h"
#include "fire/calibrate.h"
#include "fire/folders.h"
#include "fire/forecast.h"
#include "zermelo/fire/forecast_file.h"

/** All fires of a folder with their cases: date k of fire f until date k + 1. */
typedef struct season {
    const forecast_settings *s;
    tracked_fire *fires;
    size_t n, n_cases;
    zm_growth_case **cases;
    size_t *fire_of, *date_of; /* by case */
    scored_forecast *scored;
    size_t n_scored;
} season;

static void season_free(season *a)
{
    for (size_t i = 0; i < a->n_cases; i++)
        zm_growth_case_destroy(a->cases[i]);
    for (size_t f = 0; f < a->n; f++)
        tracked_close(&a->fires[f]);
    free(a->fires);
    free(a->cases);
    free(a->fire_of);
    free(a->date_of);
    free(a->scored);
}

static int add_cases(season *a, size_t f, const zm_growth_prior *prior)
{
    const tracked_fire *t = &a->fires[f];

    for (size_t k = 0; k + 1 < t->dated.n; k++) {
        a->cases = grow(a->cases, a->n_cases + 1, sizeof *a->cases);
        a->fire_of = grow(a->fire_of, a->n_cases + 1, sizeof *a->fire_of);
        a->date_of = grow(a->date_of, a->n_cases + 1, sizeof *a->date_of);
        TRY(tracked_case(t, k, (double)NAN, prior, &a->cases[a->n_cases]));
        a->fire_of[a->n_cases] = f;
        a->date_of[a->n_cases++] = k;
    }
    return DONE;
}

/* Opens a fire and follows it with what is known without any other. */
static int follow(season *a, const char *name)
{
    const zm_growth_prior neutral = ZM_GROWTH_PRIOR_INIT;
    char *folder = path_in(a->s->observed, name);
    char *out = a->s->out ? path_in(a->s->out, name) : NULL;
    tracked_fire *t = &a->fires[a->n];
    int code;

    GO(tracked_open(t, a->s, folder, out));
    if (t->dated.n == 0) {
        note("%s: left out, it has fewer than two dated perimeters", folder);
        tracked_close(t);
        goto done;
    }
    a->n++;
    note("%s: %zu perimeters", t->name, t->dated.n);
    GO(tracked_update(t, &neutral));
    GO(add_cases(a, a->n - 1, &neutral));
done:
    free(folder);
    free(out);
    return code;
}

/* The prior that all fires but one tell; `but` n: all. */
static int learn_without(const season *a, size_t but, zm_growth_prior *out)
{
    const zm_growth_case **cases = grow(NULL, a->n_cases + 1, sizeof *cases);
    const zm_fire_state **states = grow(NULL, a->n + 1, sizeof *states);
    size_t n_cases = 0, n_states = 0;
    zm_error err;
    int code;

    for (size_t i = 0; i < a->n_cases; i++)
        if (a->fire_of[i] != but)
            cases[n_cases++] = a->cases[i];
    for (size_t f = 0; f < a->n; f++)
        if (f != but)
            states[n_states++] = &a->fires[f].states[a->fires[f].dated.n - 1];
    *out = (zm_growth_prior)ZM_GROWTH_PRIOR_INIT;
    GO(checked(zm_growth_prior_of(states, n_states, out, &err), &err));
    GO(checked(zm_growth_learn(cases, n_cases, out, &err), &err));
done:
    free(cases);
    free(states);
    return code;
}

/* Follows fire f once more with what the others tell, and scores its forecasts from the second
 * perimeter on. */
static int forecast_left_out(season *a, size_t f)
{
    char *held = a->fires[f].out ? path_in(a->fires[f].out, "others") : NULL;
    tracked_fire again = a->fires[f];
    zm_growth_prior prior;
    int code;

    again.states = grow(NULL, again.dated.n, sizeof *again.states);
    again.out = held;
    if (held)
        GO(make_folder(held));
    GO(learn_without(a, f, &prior));
    GO(tracked_update(&again, &prior));
    for (size_t k = 1; k + 1 < again.dated.n; k++) {
        zm_growth_case *c = NULL;

        GO(tracked_case(&again, k, (double)NAN, &prior, &c));
        a->scored = grow(a->scored, a->n_scored + 1, sizeof *a->scored);
        code = tracked_score(&again, k, c, &prior, &a->scored[a->n_scored]);
        a->n_scored += code == DONE;
        zm_growth_case_destroy(c);
        if (code != DONE)
            break;
    }
done:
    free(again.states);
    free(held);
    return code;
}

static int tell(const season *a)
{
    const forecast_settings *s = a->s;
    json j = { 0 };

    if (!s->json || strcmp(s->json, "-") != 0)
        forecasts_print(a->scored, a->n_scored);
    if (!s->json)
        return DONE;
    json_open(&j, NULL, '{');
    json_int(&j, "fires", (int64_t)a->n);
    forecasts_json(a->scored, a->n_scored, &j);
    json_close(&j, '}');
    return json_save(&j, "--json ", s->json);
}

static int learn_all(const season *a)
{
    zm_growth_prior prior;
    zm_error err;

    TRY(learn_without(a, a->n, &prior));
    note("learned from %zu intervals of %zu fires", a->n_cases, a->n);
    return checked(zm_growth_prior_write(a->s->learn, &prior, &err), &err);
}

int forecast_fires(const forecast_settings *s)
{
    names list = observed_fires_in(s->observed);
    season a = { .s = s };
    int code = DONE;

    a.fires = grow(NULL, list.n + 1, sizeof *a.fires);
    for (size_t i = 0; i < list.n; i++)
        GO(follow(&a, list.items[i]));
    if (a.n < 3)
        GO(failure(
            "%s: %zu fires with two dated perimeters or more, at least 3 are needed",
            s->observed, a.n));
    for (size_t f = 0; s->leave_one_out && f < a.n; f++)
        GO(forecast_left_out(&a, f));
    if (s->leave_one_out)
        GO(tell(&a));
    if (s->learn)
        GO(learn_all(&a));
done:
    season_free(&a);
    names_free(&list);
    return code;
}
