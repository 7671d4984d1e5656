/* SPDX-License-Identifier: Apache-2.0
 * NPY files (versions 1.0 to 3.0) of float32, float64, bool and integers, C or Fortran order. */
#ifndef ZM_NPY_H
#define ZM_NPY_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "problem.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ZM_NPY_MAX_DIMS 4

typedef enum zm_npy_type { ZM_NPY_F64, ZM_NPY_F32, ZM_NPY_U8 } zm_npy_type;

/** An array in memory, C order.  Free `data`, which comes from malloc, with zm_npy_free.
 *  Frozen. */
typedef struct zm_npy {
    zm_npy_type type;
    int32_t ndim;                  /**< 1 .. ZM_NPY_MAX_DIMS */
    size_t shape[ZM_NPY_MAX_DIMS]; /**< unused ones are 1 */
    size_t count;                  /**< product of the shape; 0 when a side is 0 */
    void *data;                    /**< not NULL after zm_npy_read, also when count is 0 */
    char descr[4];                 /**< type as stored, e.g. "<f8", "|u1" */
    int32_t fortran_order;         /**< 1: stored in Fortran order */
} zm_npy;

/**
 * Reads a file.  Stored bool and integer types, any byte order and Fortran order are
 * accepted and converted; `want` is the type of the result (any stored number converts to
 * F64 or F32; to U8 unsigned bytes and bool stay as they are and others become 0 or 1 for
 * zero or not, for masks).  A single number, shape (), becomes shape (1).  With the wanted
 * type in the machine's byte order and C order the data are read straight into place.
 *
 * @param path  in   the file
 * @param want  in   type of the result
 * @param out   out  the array; untouched after a failure
 * @return ZM_OK, ZM_E_IO, ZM_E_FORMAT (header, truncated or trailing data, size overflow),
 *         ZM_E_UNSUPPORTED (structured, object, complex, string; more than ZM_NPY_MAX_DIMS
 *         dimensions), ZM_E_NOMEM, ZM_E_ARG (NULL)
 */
ZM_API zm_status zm_npy_read(const char *path, zm_npy_type want, zm_npy *out, zm_error *err);

/** The same from memory; `name` stands in messages where a path would. */
ZM_API zm_status zm_npy_parse(const void *bytes, size_t n_bytes, const char *name,
                              zm_npy_type want, zm_npy *out, zm_error *err);

/** Type and shape without the data (data is NULL); `type` is the nearest of the three:
 *  F32 for float32, U8 for bool and unsigned bytes, else F64. */
ZM_API zm_status zm_npy_peek(const char *path, zm_npy *out, zm_error *err);

/**
 * Writes an array in C order as zm_file_write does: the file is replaced at once, or left
 * as it was.
 *
 * @param shape in  ndim sides, 1 <= ndim <= ZM_NPY_MAX_DIMS
 * @param data  in  product of the sides values of `type`
 * @return ZM_OK, ZM_E_IO, ZM_E_NOMEM, ZM_E_ARG
 */
ZM_API zm_status zm_npy_write(const char *path, zm_npy_type type, int32_t ndim,
                              const size_t *shape, const void *data, zm_error *err);

/** Frees the data of an array that zm_npy_read filled; sets data to NULL. */
ZM_API void zm_npy_free(zm_npy *array);

#ifdef __cplusplus
}
#endif
#endif
