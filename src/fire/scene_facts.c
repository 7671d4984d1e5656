/* SPDX-License-Identifier: Apache-2.0
 * scene.json: latitude, weather station, custom fuels. */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/fail.h"
#include "core/shown_name.h"
#include "fire/scene.h"
#include "fire/table.h"
#include "fire/text_file.h"

/* A line of a FARSITE fuel file: number code 1h 10h 100h herb woody type sav1h savherb
 * savwoody depth extinction heat-dead heat-live [name]. */
enum { CODE = 1, TYPE = 7, FUEL_WORDS = 15 };

static zm_status fail_fuel(const char *name, const char *key, const char *why,
                           zm_error *err)
{
    return zm_fail(err, ZM_E_FORMAT, -1, "%s: custom fuel '%s': %s",
                   zm_shown_name(name), zm_word_shown(key).text, why);
}

static const char *read_numbers(char *line, double values[FUEL_WORDS], int *dynamic)
{
    char *rest = line;

    for (int i = 0; i < FUEL_WORDS; i++) {
        const char *word = strtok_r(rest, " \t", &rest);

        if (!word)
            return "too few words, must be: number code 5 loads static|dynamic 3 "
                   "surface-to-volume depth extinction 2 heats";
        if (i == TYPE) {
            *dynamic = !strcasecmp(word, "dynamic");
            if (!*dynamic && strcasecmp(word, "static") != 0)
                return "word 8 must be static or dynamic";
        } else if (i != CODE && !zm_number_parse(word, &values[i])) {
            return "a word that is not a number";
        }
    }
    return NULL;
}

static bool fuel_in_range(const zm_fuel *fuel)
{
    double dead = 0;

    for (int i = 0; i < 5; i++)
        if (!(fuel->load[i] >= 0 && fuel->load[i] <= 200))
            return false;
    for (int i = 0; i < 3; i++) {
        if (!(fuel->surface_to_volume[i] > 0 && fuel->surface_to_volume[i] <= 1e5))
            return false;
        dead += fuel->load[i];
    }
    return dead > 0 && fuel->depth > 0 && fuel->depth <= 100 && fuel->extinction > 0 &&
           fuel->extinction <= 100 && fuel->heat[0] > 0 && fuel->heat[0] <= 1e5 &&
           fuel->heat[1] > 0 && fuel->heat[1] <= 1e5;
}

static zm_status read_fuel(const char *name, const char *key, const char *text,
                           zm_fuel *fuel, zm_error *err)
{
    double v[FUEL_WORDS] = { 0 };
    char line[256];
    const char *why;
    int dynamic = 0;

    if (strlen(text) >= sizeof line)
        return fail_fuel(name, key, "too long", err);
    memcpy(line, text, strlen(text) + 1);
    if ((why = read_numbers(line, v, &dynamic)))
        return fail_fuel(name, key, why, err);
    if (!(v[0] >= 1 && v[0] <= 999 && v[0] == floor(v[0])))
        return fail_fuel(name, key, "its number must be whole, from 1 to 999", err);
    *fuel = (zm_fuel){ (int32_t)v[0],         dynamic, { v[2], v[3], v[4], v[5], v[6] },
                       { v[8], v[9], v[10] }, v[11],   v[12],
                       { v[13], v[14] } };
    if (!fuel_in_range(fuel))
        return fail_fuel(name, key,
                         "loads (t/acre), surface-to-volume (1/ft), depth (ft), "
                         "extinction (percent) and heat (BTU/lb) must be positive",
                         err);
    return ZM_OK;
}

static zm_status read_fuels(const json_t *fuels, const char *name,
                            zm_scene_facts *facts, zm_error *err)
{
    const size_t n = json_object_size(fuels);
    const char *key;
    json_t *value;
    zm_status st = ZM_OK;

    if (!json_is_object(fuels))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: custom_fuels must be an object of FARSITE fuel lines",
                       zm_shown_name(name));
    if (n == 0)
        return ZM_OK;
    if (!(facts->fuels = calloc(n, sizeof *facts->fuels)))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for %zu fuels",
                       zm_shown_name(name), n);
    json_object_foreach((json_t *)(uintptr_t)fuels, key, value)
    {
        const char *line = json_string_value(value);

        st = line ? read_fuel(name, key, line, &facts->fuels[facts->n_fuels], err)
                  : fail_fuel(name, key, "must be a FARSITE fuel line, a string", err);
        if (st < 0)
            return st;
        facts->n_fuels++;
    }
    return st;
}

static zm_status read_number(const json_t *root, const char *key, double least,
                             double most, const char *name, double *out, zm_error *err)
{
    const json_t *value = json_object_get(root, key);

    *out = NAN;
    if (!value)
        return ZM_OK;
    if (!json_is_number(value) || !(json_number_value(value) >= least) ||
        !(json_number_value(value) <= most))
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: %s must be a number from %g to %g",
                       zm_shown_name(name), key, least, most);
    *out = json_number_value(value);
    return ZM_OK;
}

static zm_status read_facts(const json_t *root, const char *name, zm_scene_facts *facts,
                            zm_error *err)
{
    const json_t *fuels = json_object_get(root, "custom_fuels");
    zm_status st;

    if (!json_is_object(root))
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: must be an object",
                       zm_shown_name(name));
    st = read_number(root, "latitude_deg", -90, 90, name, &facts->latitude, err);
    if (st >= 0)
        st = read_number(root, "weather_station_elevation_m", -500, 9000, name,
                         &facts->station_elevation, err);
    if (st >= 0 && fuels)
        st = read_fuels(fuels, name, facts, err);
    return st;
}

zm_status zm_scene_facts_parse(const char *bytes, size_t n, const char *name,
                               zm_scene_facts *out, zm_error *err)
{
    zm_scene_facts facts = { NAN, NAN, NULL, 0 };
    json_error_t why;
    json_t *root = json_loadb(bytes, n, JSON_REJECT_DUPLICATES, &why);
    zm_status st;

    *out = facts;
    if (!root)
        return zm_fail(err, ZM_E_FORMAT, -1, "%s, line %d: %s", zm_shown_name(name),
                       why.line, zm_word_shown(why.text).text);
    st = read_facts(root, name, &facts, err);
    json_decref(root);
    if (st < 0)
        free(facts.fuels);
    else
        *out = facts;
    return st;
}
