/* SPDX-License-Identifier: Apache-2.0
 * scene.json: latitude, weather station, custom fuels. */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/shown_name.h"
#include "fire/data/scene.h"
#include "zermelo/fire/physics.h"

static zm_status fail_fuel(const char *name, const char *key, const char *why,
                           zm_error *err)
{
    return zm_fail(err, ZM_E_FORMAT, -1, "%s: custom fuel '%s': %s",
                   zm_shown_name(name), zm_word_shown(key).text, why);
}

/* The one line of a fuel; its reader names the line, which here has no number. */
static zm_status read_fuel(const char *name, const char *key, const char *text,
                           zm_fuel *fuel, zm_error *err)
{
    static const char first[] = "fuel models, line 1: ";
    size_t count;
    zm_error why;

    if (strchr(text, '\n'))
        return fail_fuel(name, key, "must be one line", err);
    if (zm_fuels_parse(text, strlen(text), fuel, 1, &count, &why) < 0)
        return fail_fuel(name, key,
                         why.text + (strncmp(why.text, first, sizeof first - 1)
                                         ? 0
                                         : sizeof first - 1),
                         err);
    if (count != 1)
        return fail_fuel(name, key, "must be a FARSITE fuel line, this has none", err);
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

zm_status zm_scene_facts_read(const char *path, zm_scene_facts *out, zm_error *err)
{
    char *bytes;
    size_t n;
    zm_status st = zm_file_read(path, ZM_FILE_TEXT, &bytes, &n, err);

    if (st >= 0)
        st = zm_scene_facts_parse(bytes, n, path, out, err);
    free(bytes);
    return st;
}

static bool has_number(const zm_fuel *fuels, size_t n, int32_t number)
{
    for (size_t i = 0; i < n; i++)
        if (fuels[i].number == number)
            return true;
    return false;
}

zm_status zm_scene_facts_add(zm_scene_facts *facts, const zm_fuel *fuels, size_t n,
                             zm_error *err)
{
    const size_t most = n + facts->n_fuels;
    zm_fuel *all;
    size_t kept = 0;

    if (n == 0)
        return ZM_OK;
    if (!(all = malloc(most * sizeof *all)))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu fuels", n);
    for (size_t i = 0; i < most; i++) {
        const zm_fuel *fuel = i < n ? &fuels[i] : &facts->fuels[i - n];

        if (!has_number(all, kept, fuel->number))
            all[kept++] = *fuel;
    }
    free(facts->fuels);
    facts->fuels = all;
    facts->n_fuels = kept;
    return ZM_OK;
}
