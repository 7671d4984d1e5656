/* SPDX-License-Identifier: Apache-2.0
 * Writes NPY files of version 1.0. */
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/new_file.h"
#include "io/npy_format.h"

enum { ALIGNMENT = 64, HEADER_ROOM = 256, PREFIX = ZM_NPY_MAGIC_LENGTH + 4 };

static zm_status check_array(zm_npy_type type, int32_t ndim, const size_t *shape,
                             const void *data, size_t *bytes, zm_error *err)
{
    size_t n = zm_npy_type_size(type);

    if (ndim < 1 || ndim > ZM_NPY_MAX_DIMS || !shape)
        return zm_fail(err, ZM_E_ARG, -1, "array of %d dimensions, must be 1..%d",
                       (int)ndim, ZM_NPY_MAX_DIMS);
    for (int32_t d = 0; d < ndim; d++) {
        if (shape[d] != 0 && n > PTRDIFF_MAX / shape[d])
            return zm_fail(err, ZM_E_ARG, -1, "array shape whose size overflows");
        n *= shape[d];
    }
    if (!data && n)
        return zm_fail(err, ZM_E_ARG, -1, "array of %zu bytes without data", n);
    *bytes = n;
    return ZM_OK;
}

/* Magic, version 1.0, length, dictionary, blanks up to the alignment, newline. */
static size_t make_header(char header[HEADER_ROOM], zm_npy_type type, int32_t ndim,
                          const size_t *shape)
{
    const char *code = type == ZM_NPY_F64 ? "f8" : type == ZM_NPY_F32 ? "f4" : "u1";
    const char order = type == ZM_NPY_U8 ? '|' : zm_npy_native_order();
    size_t n = PREFIX, total;

    n += (size_t)snprintf(header + n, HEADER_ROOM - n,
                          "{'descr': '%c%s', 'fortran_order': False, 'shape': (", order,
                          code);
    for (int32_t d = 0; d < ndim; d++)
        n += (size_t)snprintf(header + n, HEADER_ROOM - n, "%zu%s", shape[d],
                              ndim == 1      ? ","
                              : d + 1 < ndim ? ", "
                                             : "");
    n += (size_t)snprintf(header + n, HEADER_ROOM - n, "), }");
    total = (n + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(header + n, ' ', total - n);
    header[total - 1] = '\n';
    memcpy(header, ZM_NPY_MAGIC "\x01\x00", ZM_NPY_MAGIC_LENGTH + 2);
    header[PREFIX - 2] = (char)((total - PREFIX) & 0xFF);
    header[PREFIX - 1] = (char)((total - PREFIX) >> 8);
    return total;
}

zm_status zm_npy_write(const char *path, zm_npy_type type, int32_t ndim,
                       const size_t *shape, const void *data, zm_error *err)
{
    char header[HEADER_ROOM];
    size_t bytes = 0, n_header;
    zm_new_file file;
    zm_status st;

    if (!path || (type != ZM_NPY_F64 && type != ZM_NPY_F32 && type != ZM_NPY_U8))
        return zm_fail(err, ZM_E_ARG, -1, "zm_npy_write needs a path and a type");
    ZM_TRY(check_array(type, ndim, shape, data, &bytes, err));
    n_header = make_header(header, type, ndim, shape);
    ZM_TRY(zm_new_file_open(&file, path, err));
    st = zm_new_file_append(&file, header, n_header, err);
    if (st >= 0 && bytes)
        st = zm_new_file_append(&file, data, bytes, err);
    return zm_new_file_close(&file, st, err);
}
