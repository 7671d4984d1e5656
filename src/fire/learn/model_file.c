/* SPDX-License-Identifier: Apache-2.0
 * Model files: parameters as safetensors, the table that describes them as metadata. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/shown_name.h"
#include "fire/learn/model.h"
#include "fire/learn/net/tensors.h"

#define FORMAT "zermelo fire model 1"

static json_t *channels_json(const zm_channel *list, int32_t n)
{
    json_t *array = json_array();

    for (int32_t i = 0; i < n; i++) {
        const zm_channel_facts *f = zm_learn_channel_facts_of(list[i]);

        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:f, s:f}", "name", f->name, "unit",
                                        f->unit, "shift", f->shift, "scale", f->scale));
    }
    return array;
}

/* By zm_model_form. */
static const char *const FORMS[3] = { "paper", "multiplicative", "physics" };

static json_t *sizes_json(const int32_t *sizes, int32_t n)
{
    json_t *array = json_array();

    for (int32_t i = 0; i < n; i++)
        json_array_append_new(array, json_integer(sizes[i]));
    return array;
}

/* The table: everything but the parameters. */
static char *table_text(const zm_model *m)
{
    json_t *table = json_pack(
        "{s:s, s:i, s:i, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o, "
        "s:o}",
        "form", FORMS[m->form], "hourly", (int)m->hourly, "prior", (int)m->prior,
        "stencils", m->stencils == ZM_STENCILS_FIXED ? "fixed" : "adaptive", "front",
        m->front == ZM_FRONT_MARKERS ? "points" : "wave", "rate", m->rate, "alpha",
        m->alpha, "drift", m->drift, "contrast", m->contrast, "rim", m->rim,
        "trunk_channels", channels_json(m->trunk_channels, m->n_trunk),
        "ground_channels", channels_json(m->ground, m->n_ground), "hour_channels",
        channels_json(m->hour, m->n_hour), "joint_channels",
        channels_json(m->joint, m->n_joint), "trunk",
        sizes_json(m->trunk.channels, m->trunk.layers ? m->trunk.layers + 1 : 0),
        "head", sizes_json(m->head.widths, m->head.layers + 1));
    char *text =
        table ? json_dumps(table, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;

    json_decref(table);
    return text;
}

zm_status zm_model_save(const zm_model *model, const char *path, const char *note,
                        zm_error *err)
{
    const size_t head = zm_model_head_at(model), extra = zm_model_extra_at(model);
    const size_t starts[4] = { 0, head, extra, model->n_parameters };
    static const char *const names[3] = { "trunk", "head", "extra" };
    char *table = table_text(model);
    const zm_tensor_note notes[] = { { "format", FORMAT },
                                     { "table", table },
                                     { "note", note ? note : "" } };
    zm_tensor items[3];
    size_t n = 0;
    zm_status st;

    if (!table)
        return zm_fail(err, ZM_E_NOMEM, -1, "table of the model");
    for (int i = 0; i < 3; i++)
        if (starts[i + 1] > starts[i])
            items[n++] = (zm_tensor){ .name = names[i],
                                      .ndim = 1,
                                      .shape = { starts[i + 1] - starts[i] },
                                      .values = model->parameters + starts[i] };
    st = zm_tensors_write(path, items, n, notes, 3, err);
    free(table);
    return st;
}

typedef struct reading {
    const char *name; /* of the file */
    const json_t *table;
    zm_model *model;
    zm_error *err;
} reading;

/* A list of channels: each must be one we know, normalised as we do, of the kind wanted. */
static zm_status read_channels(const reading *r, const char *key, int first, int end,
                               zm_channel *list, int32_t *n)
{
    const json_t *array = json_object_get(r->table, key);

    if (!json_is_array(array) || json_array_size(array) > (size_t)(end - first))
        return zm_fail(r->err, ZM_E_FORMAT, -1,
                       "%s: %s is no list of at most %d channels",
                       zm_shown_name(r->name), key, end - first);
    *n = (int32_t)json_array_size(array);
    for (int32_t i = 0; i < *n; i++) {
        const json_t *item = json_array_get(array, (size_t)i);
        const char *name = json_string_value(json_object_get(item, "name"));
        const double shift = json_number_value(json_object_get(item, "shift"));
        const double scale = json_number_value(json_object_get(item, "scale"));
        const int channel = name ? (int)zm_learn_channel_named(name) : ZM_CH_END;

        if (channel < first || channel >= end)
            return zm_fail(r->err, ZM_E_FORMAT, -1,
                           "%s: %s: channel %.60s is not known", zm_shown_name(r->name),
                           key, name ? name : "without a name");
        list[i] = (zm_channel)channel;
        if (shift != zm_learn_channel_facts_of(list[i])->shift ||
            scale != zm_learn_channel_facts_of(list[i])->scale)
            return zm_fail(r->err, ZM_E_FORMAT, -1,
                           "%s: channel %s normalised by %g and %g, here by %g and %g",
                           zm_shown_name(r->name), name, shift, scale,
                           zm_learn_channel_facts_of(list[i])->shift,
                           zm_learn_channel_facts_of(list[i])->scale);
    }
    return ZM_OK;
}

/* Sizes of layers; the number of layers is one less. */
static zm_status read_sizes(const reading *r, const char *key, int most, int32_t *sizes,
                            int32_t *layers)
{
    enum { MOST_SIZE = 4096 };
    const json_t *array = json_object_get(r->table, key);
    const size_t n = json_array_size(array);

    if (!json_is_array(array) || n > (size_t)most + 1 || n == 1)
        return zm_fail(r->err, ZM_E_FORMAT, -1, "%s: %s is no list of at most %d sizes",
                       zm_shown_name(r->name), key, most + 1);
    *layers = n ? (int32_t)n - 1 : 0;
    for (size_t i = 0; i < n; i++) {
        const json_int_t size = json_integer_value(json_array_get(array, i));

        if (size < 1 || size > MOST_SIZE)
            return zm_fail(r->err, ZM_E_FORMAT, -1,
                           "%s: %s has size %lld, must be 1 to %d",
                           zm_shown_name(r->name), key, (long long)size, MOST_SIZE);
        sizes[i] = (int32_t)size;
    }
    return ZM_OK;
}

static zm_status read_numbers(const reading *r)
{
    zm_model *m = r->model;
    const char *form = json_string_value(json_object_get(r->table, "form"));
    const char *stencils = json_string_value(json_object_get(r->table, "stencils"));
    const char *front = json_string_value(json_object_get(r->table, "front"));
    int i = 0;

    while (form && i < 3 && strcmp(form, FORMS[i]))
        i++;
    if (!form || i == 3)
        return zm_fail(r->err, ZM_E_FORMAT, -1, "%s: form %.40s is not known",
                       zm_shown_name(r->name), form ? form : "(none)");
    m->form = (zm_model_form)i;
    m->stencils = stencils && !strcmp(stencils, "adaptive") ? ZM_STENCILS_ADAPTIVE
                                                            : ZM_STENCILS_FIXED;
    if (front && strcmp(front, "points") && strcmp(front, "wave"))
        return zm_fail(r->err, ZM_E_FORMAT, -1, "%s: front %.40s is not known",
                       zm_shown_name(r->name), front);
    m->front =
        front && !strcmp(front, "points") ? ZM_FRONT_MARKERS : ZM_FRONT_TRAVEL_TIME;
    m->prior = json_integer_value(json_object_get(r->table, "prior")) != 0;
    m->hourly = json_integer_value(json_object_get(r->table, "hourly")) != 0;
    m->rate = json_number_value(json_object_get(r->table, "rate"));
    m->alpha = json_number_value(json_object_get(r->table, "alpha"));
    m->drift = json_number_value(json_object_get(r->table, "drift"));
    m->contrast = json_number_value(json_object_get(r->table, "contrast"));
    m->rim = json_number_value(json_object_get(r->table, "rim"));
    if (!(m->rate > 1e-6 && m->rate < 1e9) || !(m->drift >= 0 && m->drift < 1) ||
        !(fabs(m->alpha) < 1e9) || !(m->rim >= 0 && m->rim < 1e9) ||
        (m->form == ZM_MODEL_PAPER && !(m->contrast >= 1 && m->contrast < 1e6)))
        return zm_fail(r->err, ZM_E_FORMAT, -1,
                       "%s: rate %g, drift %g, alpha %g or contrast %g out of range",
                       zm_shown_name(r->name), m->rate, m->drift, m->alpha,
                       m->contrast);
    return ZM_OK;
}

/* Networks and channels must fit together. */
static zm_status check_fit(const reading *r)
{
    zm_model *m = r->model;
    const bool paper = m->form == ZM_MODEL_PAPER;
    const int32_t ins =
        paper ? m->n_hour : m->n_ground + m->n_hour + m->n_joint + zm_model_features(m);
    const int32_t outs = paper ? ZM_OUT_PAPER : ZM_OUT_MULTIPLICATIVE;

    if (m->head.layers < 1 || m->head.widths[0] != ins ||
        m->head.widths[m->head.layers] != outs)
        return zm_fail(r->err, ZM_E_FORMAT, -1,
                       "%s: the head must take %d numbers and give %d",
                       zm_shown_name(r->name), (int)ins, (int)outs);
    if ((m->trunk.layers && m->trunk.channels[0] != m->n_trunk) ||
        (paper && zm_model_features(m) != ZM_OUT_PAPER) ||
        (m->form != ZM_MODEL_MULTIPLICATIVE && m->hourly))
        return zm_fail(r->err, ZM_E_FORMAT, -1,
                       "%s: the convolutions do not fit the channels or the form",
                       zm_shown_name(r->name));
    return ZM_OK;
}

static zm_status read_table(const reading *r)
{
    zm_model *m = r->model;

    ZM_TRY(read_numbers(r));
    ZM_TRY(read_channels(r, "trunk_channels", 0, ZM_CH_GROUND_END, m->trunk_channels,
                         &m->n_trunk));
    ZM_TRY(read_channels(r, "ground_channels", 0, ZM_CH_GROUND_END, m->ground,
                         &m->n_ground));
    ZM_TRY(read_channels(r, "hour_channels", ZM_CH_GROUND_END, ZM_CH_HOUR_END, m->hour,
                         &m->n_hour));
    ZM_TRY(read_channels(r, "joint_channels", ZM_CH_HOUR_END, ZM_CH_END, m->joint,
                         &m->n_joint));
    ZM_TRY(read_sizes(r, "trunk", ZM_CONV_MOST_LAYERS, m->trunk.channels,
                      &m->trunk.layers));
    ZM_TRY(read_sizes(r, "head", ZM_MLP_MOST_LAYERS, m->head.widths, &m->head.layers));
    return check_fit(r);
}

static zm_status read_parameters(const reading *r, const zm_tensors *file)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    static const char *const names[3] = { "trunk", "head", "extra" };
    zm_model *m = r->model;
    const size_t extra = zm_model_extra_at(m) + zm_model_extras(m->form);
    const size_t starts[4] = { 0, zm_model_head_at(m), zm_model_extra_at(m), extra };

    m->n_parameters = extra;
    if (!(m->parameters = zm_zalloc(&mem, extra, sizeof(double))))
        return zm_fail(r->err, ZM_E_NOMEM, -1, "%s: %zu parameters",
                       zm_shown_name(r->name), extra);
    for (int i = 0; i < 3; i++) {
        const zm_tensor *t = zm_tensors_find(file, names[i]);
        const size_t n = starts[i + 1] - starts[i];

        if (n && (!t || t->count != n))
            return zm_fail(r->err, ZM_E_FORMAT, -1,
                           "%s: %s has %zu parameters, must be %zu",
                           zm_shown_name(r->name), names[i], t ? t->count : 0, n);
        for (size_t k = 0; k < n; k++) {
            if (!isfinite(t->values[k]))
                return zm_fail(r->err, ZM_E_FORMAT, -1, "%s: parameter %zu of %s is %g",
                               zm_shown_name(r->name), k, names[i], t->values[k]);
            m->parameters[starts[i] + k] = t->values[k];
        }
    }
    return ZM_OK;
}

static zm_status from_tensors(const zm_tensors *file, const char *name, zm_model **out,
                              zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const char *format = zm_tensors_note(file, "format");
    const char *text = zm_tensors_note(file, "table");
    json_t *table = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const reading r = { name, table, zm_zalloc(&mem, 1, sizeof(zm_model)), err };
    zm_status st = ZM_OK;

    if (!r.model)
        st = zm_fail(err, ZM_E_NOMEM, -1, "model");
    else if (!format || strcmp(format, FORMAT) || !json_is_object(table))
        st = zm_fail(err, ZM_E_FORMAT, -1, "%s: no %s (format %.40s)",
                     zm_shown_name(name), FORMAT, format ? format : "not given");
    if (st >= 0)
        st = read_table(&r);
    if (st >= 0)
        st = read_parameters(&r, file);
    json_decref(table);
    if (st < 0)
        zm_model_destroy(r.model);
    else
        *out = r.model;
    return st;
}

zm_status zm_model_parse(const void *bytes, size_t n, const char *name, zm_model **out,
                         zm_error *err)
{
    zm_tensors file;
    zm_status st = zm_tensors_parse(bytes, n, name, &file, err);

    *out = NULL;
    if (st < 0)
        return st;
    st = from_tensors(&file, name, out, err);
    zm_tensors_free(&file);
    return st;
}

zm_status zm_model_load(const char *path, zm_model **out, zm_error *err)
{
    zm_tensors file;
    zm_status st = zm_tensors_read(path, &file, err);

    *out = NULL;
    if (st < 0)
        return st;
    st = from_tensors(&file, path, out, err);
    zm_tensors_free(&file);
    return st;
}
