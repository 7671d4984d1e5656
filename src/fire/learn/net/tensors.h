/* SPDX-License-Identifier: Apache-2.0
 * Safetensors files: named arrays and a dictionary of texts.
 *
 * Eight bytes little-endian length of the header, the header in JSON ({"name": {"dtype", "shape",
 * "data_offsets"}, "__metadata__": {...}}), the data.  Read here: F32 and F64. */
#ifndef ZM_NET_TENSORS_H
#define ZM_NET_TENSORS_H

#include <stddef.h>

#include "zermelo/status.h"

enum { ZM_TENSOR_MOST_DIMS = 4 };

typedef struct zm_tensor {
    const char *name;
    int is_f64;
    int ndim;
    size_t shape[ZM_TENSOR_MOST_DIMS];
    size_t count;
    double *values; /**< widened when read */
} zm_tensor;

typedef struct zm_tensor_note {
    const char *key, *text;
} zm_tensor_note;

typedef struct zm_tensors {
    zm_tensor *items;
    size_t n;
    zm_tensor_note *notes;
    size_t n_notes;
} zm_tensors;

/** @return ZM_OK, ZM_E_FORMAT (what is wrong), ZM_E_NOMEM; `out` is all zero after a failure */
zm_status zm_tensors_parse(const void *bytes, size_t n, const char *name,
                           zm_tensors *out, zm_error *err);
zm_status zm_tensors_read(const char *path, zm_tensors *out, zm_error *err);
void zm_tensors_free(zm_tensors *tensors);

/** Writes a file, at once or not at all.  Only name, is_f64, ndim, shape and values are used. */
zm_status zm_tensors_write(const char *path, const zm_tensor *items, size_t n,
                           const zm_tensor_note *notes, size_t n_notes, zm_error *err);

/** The array of that name, or NULL. */
const zm_tensor *zm_tensors_find(const zm_tensors *tensors, const char *name);
/** The text under that key, or NULL. */
const char *zm_tensors_note(const zm_tensors *tensors, const char *key);

#endif
