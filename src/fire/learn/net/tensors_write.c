/* SPDX-License-Identifier: Apache-2.0
 * Writes safetensors. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/new_file.h"
#include "fire/learn/net/tensors.h"

static size_t bytes_of(const zm_tensor *t)
{
    size_t count = 1;

    for (int d = 0; d < t->ndim; d++)
        count *= t->shape[d];
    return count * (t->is_f64 ? 8 : 4);
}

static json_t *shape_of(const zm_tensor *t)
{
    json_t *shape = json_array();

    for (int d = 0; d < t->ndim; d++)
        json_array_append_new(shape, json_integer((json_int_t)t->shape[d]));
    return shape;
}

/* The header, padded with blanks to a multiple of 8 bytes; NULL: out of memory. */
static char *make_header(const zm_tensor *items, size_t n, const zm_tensor_note *notes,
                         size_t n_notes, size_t *length)
{
    json_t *header = json_object(), *metadata = json_object();
    size_t at = 0;
    char *text, *padded = NULL;

    for (size_t i = 0; i < n_notes; i++)
        json_object_set_new(metadata, notes[i].key, json_string(notes[i].text));
    json_object_set_new(header, "__metadata__", metadata);
    for (size_t i = 0; i < n; i++) {
        const size_t end = at + bytes_of(&items[i]);

        json_object_set_new(header, items[i].name,
                            json_pack("{s:s, s:o, s:[I, I]}", "dtype",
                                      items[i].is_f64 ? "F64" : "F32", "shape",
                                      shape_of(&items[i]), "data_offsets",
                                      (json_int_t)at, (json_int_t)end));
        at = end;
    }
    text = json_dumps(header, JSON_COMPACT);
    json_decref(header);
    if (text) {
        *length = (strlen(text) + 7) / 8 * 8;
        padded = malloc(*length + 1);
    }
    if (padded) {
        memset(padded, ' ', *length);
        memcpy(padded, text, strlen(text));
    }
    free(text);
    return padded;
}

static zm_status append_values(zm_new_file *file, const zm_tensor *t, zm_error *err)
{
    const size_t count = bytes_of(t) / (t->is_f64 ? 8 : 4);
    zm_status st = ZM_OK;

    if (t->is_f64)
        return zm_new_file_append(file, t->values, count * 8, err);
    for (size_t i = 0; i < count && st >= 0; i++) {
        const float value = (float)t->values[i];

        st = zm_new_file_append(file, &value, sizeof value, err);
    }
    return st;
}

zm_status zm_tensors_write(const char *path, const zm_tensor *items, size_t n,
                           const zm_tensor_note *notes, size_t n_notes, zm_error *err)
{
    size_t length = 0;
    char *header = make_header(items, n, notes, n_notes, &length);
    unsigned char prefix[8];
    zm_new_file file;
    zm_status st;

    if (!header)
        return zm_fail(err, ZM_E_NOMEM, -1, "header of %s", path);
    for (int i = 0; i < 8; i++)
        prefix[i] = (unsigned char)((uint64_t)length >> (8 * i));
    if ((st = zm_new_file_open(&file, path, err)) >= 0) {
        st = zm_new_file_append(&file, prefix, sizeof prefix, err);
        if (st >= 0)
            st = zm_new_file_append(&file, header, length, err);
        for (size_t i = 0; i < n && st >= 0; i++)
            st = append_values(&file, &items[i], err);
        st = zm_new_file_close(&file, st, err);
    }
    free(header);
    return st;
}
