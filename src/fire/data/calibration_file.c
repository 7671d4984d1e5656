/* SPDX-License-Identifier: Apache-2.0
 * Calibrations in files. */
#include "zermelo/fire/calibration_file.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/new_file.h"
#include "core/options.h"
#include "core/shown_name.h"

static const char *const kind_name[] = { "wind_factor", "moisture_offset_pct",
                                         "fuel_factor", "rate_factor" };
enum { KINDS = sizeof kind_name / sizeof *kind_name };

static json_t *item_json(const zm_calibrated *c)
{
    json_t *item = json_pack("{s:s, s:f, s:f, s:f, s:I}", "parameter",
                             kind_name[c->kind], "value", c->value, "low", c->low,
                             "high", c->high, "cells", (json_int_t)c->cells);

    if (item && c->kind == ZM_CALIBRATED_FUEL &&
        json_object_set_new(item, "fuel_model", json_integer(c->fuel))) {
        json_decref(item);
        return NULL;
    }
    return item;
}

static char *to_text(const zm_calibration *c)
{
    json_t *items = json_array(), *root = NULL;
    char *text = NULL;
    bool good = items;

    for (size_t k = 0; good && k < c->n; k++)
        good = !json_array_append_new(items, item_json(&c->items[k]));
    if (good)
        root =
            json_pack("{s:O, s:f, s:f, s:i, s:b}", "parameters", items, "error_before",
                      c->error_before, "error_after", c->error_after, "iterations",
                      (int)c->iterations, "converged", (int)c->converged);
    if (root)
        text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(root);
    json_decref(items);
    return text;
}

zm_status zm_calibration_write(const char *path, const zm_calibration *calibration,
                               zm_error *err)
{
    char *text = to_text(calibration);
    zm_new_file file;
    zm_status st;

    if (!text)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(path));
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

static zm_status bad_item(const char *name, size_t k, const char *what, zm_error *err)
{
    return zm_fail(err, ZM_E_FORMAT, -1, "%s: parameter %zu: %s", zm_shown_name(name),
                   k, what);
}

static bool get_number(const json_t *item, const char *key, double *out)
{
    const json_t *value = json_object_get(item, key);

    *out = json_number_value(value);
    return json_is_number(value);
}

static zm_status read_item(const json_t *item, size_t k, const char *name,
                           zm_calibration *out, zm_error *err)
{
    const char *parameter = json_string_value(json_object_get(item, "parameter"));
    zm_calibrated *c = &out->items[k];
    double cells;
    int kind = 0;

    while (parameter && kind < KINDS && strcmp(parameter, kind_name[kind]) != 0)
        kind++;
    if (!parameter || kind == KINDS)
        return bad_item(name, k,
                        "must be wind_factor, moisture_offset_pct, fuel_factor or "
                        "rate_factor",
                        err);
    c->kind = (zm_calibrated_kind)kind;
    if (!get_number(item, "value", &c->value) || !get_number(item, "low", &c->low) ||
        !get_number(item, "high", &c->high))
        return bad_item(name, k, "needs numbers value, low and high", err);
    c->cells = get_number(item, "cells", &cells) && cells >= 0 && cells < 1e15
                   ? (int64_t)cells
                   : 0;
    if (c->kind == ZM_CALIBRATED_MOISTURE) {
        if (!(c->value >= -100 && c->value <= 100))
            return bad_item(name, k, "the moisture offset must be -100 to 100 %", err);
        out->moisture_offset = c->value;
    } else if (!(c->value > 0 && c->value <= 100)) {
        return bad_item(name, k, "a factor must be above 0 and at most 100", err);
    } else if (c->kind == ZM_CALIBRATED_WIND) {
        out->wind_factor = c->value;
    } else if (c->kind == ZM_CALIBRATED_RATE) {
        out->rate_factor = c->value;
    } else {
        const json_int_t fuel = json_integer_value(json_object_get(item, "fuel_model"));

        if (fuel < 1 || fuel >= ZM_FUEL_NUMBERS)
            return bad_item(name, k, "fuel_model must be 1 to 255", err);
        c->fuel = (int32_t)fuel;
        out->fuel_factor[fuel] = c->value;
    }
    return ZM_OK;
}

static zm_status read_root(const json_t *root, const char *name, zm_calibration *out,
                           zm_error *err)
{
    const json_t *items = json_object_get(root, "parameters");

    if (!json_is_array(items) || json_array_size(items) > ZM_MOST_CALIBRATED)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: needs an array parameters of at most %d",
                       zm_shown_name(name), ZM_MOST_CALIBRATED);
    get_number(root, "error_before", &out->error_before);
    get_number(root, "error_after", &out->error_after);
    out->converged = json_is_true(json_object_get(root, "converged"));
    for (size_t k = 0; k < json_array_size(items); k++) {
        const zm_status st = read_item(json_array_get(items, k), k, name, out, err);

        if (st < 0)
            return st;
        out->n++;
    }
    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        out->fuel_factor[k] *= out->rate_factor;
    return ZM_OK;
}

zm_status zm_calibration_parse(const char *text, size_t length, const char *name,
                               zm_calibration *out, zm_error *err)
{
    json_error_t why;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
    zm_calibration found = ZM_CALIBRATION_INIT;
    zm_status st;

    if (zm_options_check_report(out, "zm_calibration", err) < 0) {
        json_decref(root);
        return ZM_E_ARG;
    }
    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        found.fuel_factor[k] = 1;
    if (!root)
        return zm_fail(err, ZM_E_FORMAT, -1, "%s, line %d: %s", zm_shown_name(name),
                       why.line, zm_word_shown(why.text).text);
    st = read_root(root, name, &found, err);
    json_decref(root);
    zm_options_write_report(out, &found, sizeof found);
    return st;
}

zm_status zm_calibration_read(const char *path, zm_calibration *out, zm_error *err)
{
    char *bytes = NULL;
    size_t n = 0;
    zm_status st = zm_file_read(path, ZM_FILE_TEXT, &bytes, &n, err);

    if (st >= 0)
        st = zm_calibration_parse(bytes, n, path, out, err);
    free(bytes);
    return st;
}
