/* SPDX-License-Identifier: Apache-2.0
 * States and priors of forecasts in files. */
#include "zermelo/fire/forecast_file.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/digest.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/new_file.h"
#include "core/options.h"
#include "core/shown_name.h"
#include "fire/fit/state.h"

static const char *const law_name[] = { "distance", "area",   "time",       "memory",
                                        "edge",     "barren", "log_spread", "open",
                                        "moved",    "physics" };
enum { LAW = sizeof law_name / sizeof *law_name };
static const char *const kind_name[] = { "log_rate", "log_wind", "moisture_pct",
                                         "log_rate_of_sector", "log_rate_of_fuel" };
enum { KINDS = sizeof kind_name / sizeof *kind_name };

/** A number of the prior and its name. */
typedef struct named_number {
    const char *name;
    double *at;
} named_number;

enum { PRIOR_NUMBERS = 12 };

static void prior_numbers(zm_growth_prior *p, named_number out[PRIOR_NUMBERS])
{
    const named_number all[PRIOR_NUMBERS] = {
        { "rate", &p->rate },
        { "wind", &p->wind },
        { "moisture", &p->moisture },
        { "rate_spread", &p->rate_spread },
        { "wind_spread", &p->wind_spread },
        { "moisture_spread", &p->moisture_spread },
        { "sector_spread", &p->sector_spread },
        { "fuel_spread", &p->fuel_spread },
        { "kept", &p->kept },
        { "cells", &p->cells },
        { "area_bias", &p->area_bias },
        { "area_spread", &p->area_spread },
    };

    memcpy(out, all, sizeof all);
}

static zm_status save(const char *path, json_t *root, bool complete, zm_error *err)
{
    char *text =
        complete ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) : NULL;
    zm_new_file file;
    zm_status st;

    json_decref(root);
    if (!text)
        return zm_fail(err, ZM_E_NOMEM, -1,
                       "%s: no memory, or a number that is not finite",
                       zm_shown_name(path));
    st = zm_new_file_open(&file, path, err);
    if (st >= 0) {
        st = zm_new_file_append(&file, text, strlen(text), err);
        if (st >= 0)
            st = zm_new_file_append(&file, "\n", 1, err);
        st = zm_new_file_close(&file, st, err);
    }
    free(text);
    return st;
}

static bool set_number(json_t *object, const char *key, double value)
{
    return object && !json_object_set_new(object, key, json_real(value));
}

static bool set_law(json_t *root, const char *key, const zm_growth_law *law)
{
    const double *x = &law->distance;
    json_t *object = json_object();
    bool good = true;

    for (int k = 0; k < LAW; k++)
        good = good && set_number(object, law_name[k], x[k]);
    return !json_object_set_new(root, key, object) && good;
}

zm_status zm_growth_prior_write(const char *path, const zm_growth_prior *prior,
                                zm_error *err)
{
    zm_growth_prior p = ZM_GROWTH_PRIOR_INIT;
    named_number numbers[PRIOR_NUMBERS];
    json_t *root;
    bool good = true;

    ZM_TRY(zm_options_read(&p, sizeof p, prior, "zm_growth_prior", err));
    prior_numbers(&p, numbers);
    root = json_object();
    for (int k = 0; k < PRIOR_NUMBERS; k++)
        good = good && set_number(root, numbers[k].name, *numbers[k].at);
    good = good &&
           !json_object_set_new(root, "area_count", json_integer(p.area_count)) &&
           set_law(root, "law", &p.law) && set_law(root, "buffer", &p.buffer);
    return save(path, root, good, err);
}

static zm_status get_number(const json_t *object, const char *key, const char *name,
                            double *out, zm_error *err)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_number(value))
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: needs a number %s",
                       zm_shown_name(name), key);
    *out = json_number_value(value);
    return ZM_OK;
}

/* A whole number from 0 to `most`. */
static zm_status get_count(const json_t *object, const char *key, const char *name,
                           double most, int32_t *out, zm_error *err)
{
    double value = 0;

    ZM_TRY(get_number(object, key, name, &value, err));
    if (!(value >= 0 && value <= most && value == floor(value)))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: %s is %g, must be a whole number from 0 to %g",
                       zm_shown_name(name), key, value, most);
    *out = (int32_t)value;
    return ZM_OK;
}

static zm_status get_law(const json_t *root, const char *key, const char *name,
                         zm_growth_law *law, zm_error *err)
{
    const json_t *object = json_object_get(root, key);
    double *x = &law->distance;

    if (!json_is_object(object))
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: needs an object %s",
                       zm_shown_name(name), key);
    for (int k = 0; k < LAW; k++)
        ZM_TRY(get_number(object, law_name[k], name, &x[k], err));
    return ZM_OK;
}

static zm_status parse(const char *text, size_t length, const char *name, json_t **root,
                       zm_error *err)
{
    json_error_t why;

    *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
    return *root ? ZM_OK
                 : zm_fail(err, ZM_E_FORMAT, -1, "%s, line %d: %s", zm_shown_name(name),
                           why.line, zm_word_shown(why.text).text);
}

zm_status zm_growth_prior_parse(const char *text, size_t length, const char *name,
                                zm_growth_prior *out, zm_error *err)
{
    zm_growth_prior p = ZM_GROWTH_PRIOR_INIT;
    named_number numbers[PRIOR_NUMBERS];
    json_t *root = NULL;
    zm_error why = { 0 };
    zm_status st;

    ZM_TRY(zm_options_check_report(out, "zm_growth_prior", err));
    ZM_TRY(parse(text, length, name, &root, err));
    prior_numbers(&p, numbers);
    for (int k = 0; k < PRIOR_NUMBERS; k++)
        ZM_GO(get_number(root, numbers[k].name, name, numbers[k].at, err));
    ZM_GO(get_count(root, "area_count", name, 1e9, &p.area_count, err));
    ZM_GO(get_law(root, "law", name, &p.law, err));
    ZM_GO(get_law(root, "buffer", name, &p.buffer, err));
    if (zm_state_prior_check(&p, &why) < 0)
        ZM_GO(zm_fail(err, ZM_E_FORMAT, -1, "%s: %s", zm_shown_name(name), why.text));
    zm_options_write_report(out, &p, sizeof p);
done:
    json_decref(root);
    return st;
}

static json_t *numbers_of(const double *values, size_t n)
{
    json_t *array = json_array();

    for (size_t k = 0; array && k < n; k++)
        if (json_array_append_new(array, json_real(values[k]))) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *unknowns_of(const zm_fire_state *s)
{
    json_t *array = json_array();

    for (int32_t k = 0; array && k < s->n; k++)
        if (json_array_append_new(
                array,
                json_pack("{s:s, s:i, s:f, s:f}", "unknown", kind_name[s->kind[k]],
                          "number", (int)s->number[k], "mean", s->mean[k], "deviation",
                          sqrt(s->covariance[k * s->n + k])))) {
            json_decref(array);
            return NULL;
        }
    return array;
}

zm_status zm_fire_state_write(const char *path, const zm_fire_state *state,
                              uint64_t inputs, zm_error *err)
{
    const size_t n = (size_t)state->n;
    char digest[32];
    json_t *root = json_object();
    bool good;

    (void)snprintf(digest, sizeof digest, "%016" PRIx64, inputs);
    good =
        !json_object_set_new(root, "inputs", json_string(digest)) &&
        !json_object_set_new(root, "intervals", json_integer(state->intervals)) &&
        set_number(root, "row", state->row) && set_number(root, "col", state->col) &&
        set_number(root, "objective_before", state->objective_before) &&
        set_number(root, "objective", state->objective) &&
        !json_object_set_new(root, "iterations", json_integer(state->iterations)) &&
        !json_object_set_new(root, "converged", json_boolean(state->converged)) &&
        !json_object_set_new(root, "unknowns", unknowns_of(state)) &&
        !json_object_set_new(root, "covariance", numbers_of(state->covariance, n * n));
    return save(path, root, good, err);
}

static zm_status read_unknown(const json_t *item, const char *name, int32_t k,
                              zm_fire_state *s, zm_error *err)
{
    const char *kind = json_string_value(json_object_get(item, "unknown"));
    const json_t *given = json_object_get(item, "number");
    const json_int_t number = json_is_integer(given) ? json_integer_value(given) : -1;
    int which = 0;

    while (kind && which < KINDS && strcmp(kind, kind_name[which]) != 0)
        which++;
    if (!kind || which == KINDS || number < 0 ||
        number >= (which == ZM_STATE_SECTOR ? ZM_STATE_SECTORS : ZM_FUEL_NUMBERS) ||
        (k < 3 && which != k))
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: unknown %d is none that a state has",
                       zm_shown_name(name), (int)k);
    s->kind[k] = (zm_state_kind)which;
    s->number[k] = (int32_t)number;
    return get_number(item, "mean", name, &s->mean[k], err);
}

/* Symmetric, with variances of which no covariance is beyond. */
static zm_status read_covariance(const json_t *values, const char *name, zm_fire_state *s,
                                 zm_error *err)
{
    const double rounding = 1e-9;
    const size_t n = (size_t)s->n;
    double *c = s->covariance;
    bool good = true;

    for (size_t k = 0; k < n * n; k++) {
        const json_t *value = json_array_get(values, k);

        good = good && json_is_number(value);
        c[k] = json_number_value(value);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double most = sqrt(c[i * n + i]) * sqrt(c[j * n + j]);

            good = good && c[i * n + i] > 0 &&
                   fabs(c[i * n + j] - c[j * n + i]) <= rounding * most &&
                   fabs(c[i * n + j]) <= (1 + rounding) * most;
        }
    return good ? ZM_OK
                : zm_fail(err, ZM_E_FORMAT, -1,
                          "%s: covariance must be symmetric, with variances above 0",
                          zm_shown_name(name));
}

static zm_status read_state(const json_t *root, const char *name, zm_fire_state *s,
                            uint64_t *inputs, zm_error *err)
{
    const json_t *unknowns = json_object_get(root, "unknowns");
    const json_t *covariance = json_object_get(root, "covariance");
    const char *digest = json_string_value(json_object_get(root, "inputs"));
    const size_t n = json_array_size(unknowns);

    if (!digest || sscanf(digest, "%16" SCNx64, inputs) != 1)
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: needs inputs, a hexadecimal number",
                       zm_shown_name(name));
    if (n < 3 || n > ZM_STATE_MOST || json_array_size(covariance) != n * n)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: needs 3 to %d unknowns, and covariances of them",
                       zm_shown_name(name), ZM_STATE_MOST);
    s->n = (int32_t)n;
    for (int32_t k = 0; k < s->n; k++)
        ZM_TRY(read_unknown(json_array_get(unknowns, (size_t)k), name, k, s, err));
    ZM_TRY(read_covariance(covariance, name, s, err));
    ZM_TRY(get_number(root, "row", name, &s->row, err));
    ZM_TRY(get_number(root, "col", name, &s->col, err));
    ZM_TRY(get_number(root, "objective", name, &s->objective, err));
    ZM_TRY(get_number(root, "objective_before", name, &s->objective_before, err));
    ZM_TRY(get_count(root, "intervals", name, 1e6, &s->intervals, err));
    ZM_TRY(get_count(root, "iterations", name, 1e6, &s->iterations, err));
    s->converged = json_is_true(json_object_get(root, "converged"));
    return ZM_OK;
}

zm_status zm_fire_state_parse(const char *text, size_t length, const char *name,
                              zm_fire_state *out, uint64_t *inputs, zm_error *err)
{
    zm_fire_state s = ZM_FIRE_STATE_INIT;
    uint64_t found = 0;
    json_t *root = NULL;
    zm_status st;

    ZM_TRY(zm_options_check_report(out, "zm_fire_state", err));
    ZM_TRY(parse(text, length, name, &root, err));
    st = read_state(root, name, &s, &found, err);
    json_decref(root);
    if (st >= 0) {
        zm_options_write_report(out, &s, sizeof s);
        if (inputs)
            *inputs = found;
    }
    return st;
}

zm_status zm_growth_prior_read(const char *path, zm_growth_prior *out, zm_error *err)
{
    char *bytes = NULL;
    size_t n = 0;
    zm_status st = zm_file_read(path, ZM_FILE_TEXT, &bytes, &n, err);

    if (st >= 0)
        st = zm_growth_prior_parse(bytes, n, path, out, err);
    free(bytes);
    return st;
}

zm_status zm_fire_state_read(const char *path, zm_fire_state *out, uint64_t *inputs,
                             zm_error *err)
{
    char *bytes = NULL;
    size_t n = 0;
    zm_status st = zm_file_read(path, ZM_FILE_TEXT, &bytes, &n, err);

    if (st >= 0)
        st = zm_fire_state_parse(bytes, n, path, out, inputs, err);
    free(bytes);
    return st;
}

static uint64_t of_model(uint64_t d, const zm_growth_prior *prior,
                         const zm_physics_opts *physics, int32_t iterations)
{
    const zm_physics_opts usual = ZM_PHYSICS_OPTS_INIT;
    const zm_physics_opts *o = physics ? physics : &usual;
    const double numbers[] = { o->foliar_moisture, o->acceleration, o->smoothing,
                               o->hindrance };
    const int32_t choices[] = { (int32_t)o->crown,   o->conditioning,   o->enclosed,
                                o->moisture_classes, (int32_t)o->front, iterations };
    zm_growth_prior p = *prior;
    named_number all[PRIOR_NUMBERS];

    prior_numbers(&p, all);
    for (int k = 0; k < PRIOR_NUMBERS - 2;
         k++) /* the area does not matter to a state */
        d = zm_digest_add(d, all[k].at, sizeof *all[k].at);
    d = zm_digest_add(d, numbers, sizeof numbers);
    return zm_digest_add(d, choices, sizeof choices);
}

uint64_t zm_fire_state_inputs(const zm_landscape *landscape, const zm_dated_fire *fire,
                              size_t k, const zm_growth_prior *prior,
                              const zm_physics_opts *physics,
                              const zm_forecast_opts *opts)
{
    const zm_growth_prior usual = ZM_GROWTH_PRIOR_INIT;
    const zm_forecast_opts usual_opts = ZM_FORECAST_OPTS_INIT;
    const size_t cells = (size_t)landscape->rows * (size_t)landscape->cols;
    const double ground[] = { landscape->cell, landscape->latitude,
                              landscape->station_elevation, fire->fire->start_hour,
                              fire->fire->sun_ahead };
    const int32_t sides[] = { landscape->rows, landscape->cols, fire->fire->start_month,
                              fire->fire->start_day };
    uint64_t d = ZM_DIGEST_INIT;

    d = zm_digest_add(d, ground, sizeof ground);
    d = zm_digest_add(d, sides, sizeof sides);
    for (int layer = 0; layer < ZM_LAYERS; layer++)
        if (landscape->layers[layer])
            d = zm_digest_add(d, landscape->layers[layer], cells * sizeof(float));
    for (size_t i = 0; i < landscape->n_custom_fuels; i++)
        d = zm_digest_add(d, &landscape->custom_fuels[i], sizeof(zm_fuel));
    d = zm_digest_add(d, &fire->fire->moisture, sizeof fire->fire->moisture);
    d = zm_digest_add(d, fire->fire->weather,
                      fire->fire->hours * sizeof *fire->fire->weather);
    if (fire->fire->earlier)
        d = zm_digest_add(d, fire->fire->earlier,
                          fire->fire->earlier_hours * sizeof *fire->fire->earlier);
    for (size_t i = 0; i <= k && i < fire->n; i++)
        d = zm_digest_add(d, fire->masks[i], cells);
    d = zm_digest_add(d, fire->hours, (k + 1) * sizeof *fire->hours);
    return of_model(d, prior ? prior : &usual, physics,
                    opts ? opts->max_iterations : usual_opts.max_iterations);
}
