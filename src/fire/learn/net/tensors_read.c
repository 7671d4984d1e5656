/* SPDX-License-Identifier: Apache-2.0
 * Reads safetensors; trusts nothing in the file. */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/shown_name.h"
#include "fire/learn/net/tensors.h"

/* Far more than any model needs; keeps sums of sizes from overflowing. */
enum { MOST_BYTES = 1 << 30, MOST_HEADER = 1 << 24 };

static char *copy_text(const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = malloc(n);

    return copy ? memcpy(copy, text, n) : NULL;
}

void zm_tensors_free(zm_tensors *tensors)
{
    for (size_t i = 0; i < tensors->n; i++) {
        free((void *)tensors->items[i].name);
        free(tensors->items[i].values);
    }
    for (size_t i = 0; i < tensors->n_notes; i++) {
        free((void *)tensors->notes[i].key);
        free((void *)tensors->notes[i].text);
    }
    free(tensors->items);
    free(tensors->notes);
    *tensors = (zm_tensors){ 0 };
}

typedef struct source {
    const unsigned char *data; /* behind the header */
    size_t n;
    const char *name; /* of the file */
} source;

/* Shape and number of values; false where they are no sizes. */
static int read_shape(const json_t *shape, zm_tensor *t)
{
    if (!json_is_array(shape) || json_array_size(shape) > ZM_TENSOR_MOST_DIMS)
        return 0;
    t->ndim = (int)json_array_size(shape);
    t->count = 1;
    for (int d = 0; d < t->ndim; d++) {
        const json_t *side = json_array_get(shape, (size_t)d);
        const json_int_t length = json_is_integer(side) ? json_integer_value(side) : -1;

        if (length < 0 || length > MOST_BYTES)
            return 0;
        t->shape[d] = (size_t)length;
        if (length && t->count > MOST_BYTES / (size_t)length)
            return 0;
        t->count *= (size_t)length;
    }
    return 1;
}

static void widen(const unsigned char *from, zm_tensor *t)
{
    for (size_t i = 0; i < t->count; i++) {
        if (t->is_f64) {
            memcpy(&t->values[i], from + 8 * i, 8);
        } else {
            float value;

            memcpy(&value, from + 4 * i, 4);
            t->values[i] = (double)value;
        }
    }
}

static zm_status read_tensor(const source *s, const char *name, const json_t *facts,
                             zm_tensor *t, zm_error *err)
{
    const char *dtype = json_string_value(json_object_get(facts, "dtype"));
    const json_t *offsets = json_object_get(facts, "data_offsets");
    const json_int_t begin = json_integer_value(json_array_get(offsets, 0));
    const json_int_t end = json_integer_value(json_array_get(offsets, 1));
    size_t size;

    if (!dtype || (strcmp(dtype, "F32") && strcmp(dtype, "F64")))
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: %s has type %s, must be F32 or F64",
                       zm_shown_name(s->name), zm_shown_name(name),
                       dtype ? zm_shown_name(dtype) : "none");
    t->is_f64 = !strcmp(dtype, "F64");
    size = t->is_f64 ? 8 : 4;
    if (!read_shape(json_object_get(facts, "shape"), t))
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: %s has no valid shape",
                       zm_shown_name(s->name), zm_shown_name(name));
    if (json_array_size(offsets) != 2 || begin < 0 || end < begin ||
        (uint64_t)end > s->n || (uint64_t)(end - begin) != t->count * size)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: %s: data_offsets do not fit %zu values in %zu bytes",
                       zm_shown_name(s->name), zm_shown_name(name), t->count, s->n);
    t->name = copy_text(name);
    t->values = malloc(t->count ? t->count * sizeof(double) : 1);
    if (!t->name || !t->values) {
        free((void *)t->name);
        free(t->values);
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: %zu values", zm_shown_name(s->name),
                       t->count);
    }
    widen(s->data + begin, t);
    return ZM_OK;
}

static zm_status read_notes(const source *s, json_t *metadata, zm_tensors *out,
                            zm_error *err)
{
    const char *key;
    json_t *value;

    if (!json_is_object(metadata))
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: __metadata__ is no dictionary",
                       zm_shown_name(s->name));
    out->notes = calloc(json_object_size(metadata) + 1, sizeof *out->notes);
    if (!out->notes)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: metadata", zm_shown_name(s->name));
    json_object_foreach(metadata, key, value)
    {
        zm_tensor_note *note = &out->notes[out->n_notes];

        if (!json_is_string(value))
            return zm_fail(err, ZM_E_FORMAT, -1, "%s: metadata %s is no text",
                           zm_shown_name(s->name), zm_shown_name(key));
        note->key = copy_text(key);
        note->text = copy_text(json_string_value(value));
        out->n_notes++;
        if (!note->key || !note->text)
            return zm_fail(err, ZM_E_NOMEM, -1, "%s: metadata", zm_shown_name(s->name));
    }
    return ZM_OK;
}

/* Where the bytes of an array stand in the file. */
typedef struct span {
    json_int_t begin, end;
} span;

static int compare_spans(const void *a, const void *b)
{
    const span *x = a, *y = b;

    return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1)
                                : (x->end > y->end) - (x->end < y->end);
}

/* No byte belongs to two arrays, or a small file could ask for any amount of memory.  Checked
 * before any of them is read. */
static zm_status check_spans(const source *s, json_t *header, zm_error *err)
{
    span *spans = calloc(json_object_size(header) + 1, sizeof *spans);
    zm_status st = ZM_OK;
    const char *key;
    json_t *value;
    size_t n = 0;

    if (!spans)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: list of arrays", zm_shown_name(s->name));
    json_object_foreach(header, key, value)
    {
        const json_t *offsets = json_object_get(value, "data_offsets");

        if (json_array_size(offsets) == 2)
            spans[n++] = (span){ json_integer_value(json_array_get(offsets, 0)),
                                 json_integer_value(json_array_get(offsets, 1)) };
    }
    qsort(spans, n, sizeof *spans, compare_spans);
    for (size_t i = 1; i < n && st >= 0; i++)
        if (spans[i].begin < spans[i - 1].end)
            st = zm_fail(err, ZM_E_FORMAT, -1, "%s: two arrays overlap at byte %lld",
                         zm_shown_name(s->name), (long long)spans[i].begin);
    free(spans);
    return st;
}

static zm_status read_all(const source *s, json_t *header, zm_tensors *out,
                          zm_error *err)
{
    const char *key;
    json_t *value;

    ZM_TRY(check_spans(s, header, err));
    out->items = calloc(json_object_size(header) + 1, sizeof *out->items);
    if (!out->items)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: list of arrays",
                       zm_shown_name(s->name));
    json_object_foreach(header, key, value)
    {
        const zm_status st = strcmp(key, "__metadata__")
                                 ? read_tensor(s, key, value, &out->items[out->n], err)
                                 : read_notes(s, value, out, err);

        if (st < 0)
            return st;
        out->n += strcmp(key, "__metadata__") != 0;
    }
    return ZM_OK;
}

zm_status zm_tensors_parse(const void *bytes, size_t n, const char *name,
                           zm_tensors *out, zm_error *err)
{
    const unsigned char *at = bytes;
    uint64_t length = 0;
    json_error_t why;
    json_t *header;
    source s;
    zm_status st;

    *out = (zm_tensors){ 0 };
    for (int i = 0; i < 8 && n >= 8; i++)
        length |= (uint64_t)at[i] << (8 * i);
    if (n < 8 || n > MOST_BYTES || length > MOST_HEADER || length > n - 8)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: no safetensors file: %zu bytes, header of %llu",
                       zm_shown_name(name), n, (unsigned long long)length);
    header =
        json_loadb((const char *)at + 8, (size_t)length, JSON_REJECT_DUPLICATES, &why);
    if (!json_is_object(header)) {
        json_decref(header);
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: header: %.100s", zm_shown_name(name),
                       header ? "no dictionary" : why.text);
    }
    s = (source){ at + 8 + length, n - 8 - (size_t)length, name };
    st = read_all(&s, header, out, err);
    json_decref(header);
    if (st < 0)
        zm_tensors_free(out);
    return st;
}

zm_status zm_tensors_read(const char *path, zm_tensors *out, zm_error *err)
{
    char *bytes;
    size_t n;
    zm_status st = zm_file_read(path, MOST_BYTES, &bytes, &n, err);

    *out = (zm_tensors){ 0 };
    if (st >= 0)
        st = zm_tensors_parse(bytes, n, path, out, err);
    free(bytes);
    return st;
}

const zm_tensor *zm_tensors_find(const zm_tensors *tensors, const char *name)
{
    for (size_t i = 0; i < tensors->n; i++)
        if (!strcmp(tensors->items[i].name, name))
            return &tensors->items[i];
    return NULL;
}

const char *zm_tensors_note(const zm_tensors *tensors, const char *key)
{
    for (size_t i = 0; i < tensors->n_notes; i++)
        if (!strcmp(tensors->notes[i].key, key))
            return tensors->notes[i].text;
    return NULL;
}
