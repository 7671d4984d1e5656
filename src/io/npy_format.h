/* SPDX-License-Identifier: Apache-2.0
 * What the parts of the NPY reader share: the decoded header and the conversions. */
#ifndef ZM_IO_NPY_FORMAT_H
#define ZM_IO_NPY_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zermelo/npy.h"

#define ZM_NPY_MAGIC "\x93NUMPY"
enum { ZM_NPY_MAGIC_LENGTH = 6 };

/** How a file stores its array. */
typedef struct zm_npy_head {
    char kind;    /**< 'f', 'i', 'u' or 'b' */
    uint8_t size; /**< bytes of one value */
    bool swapped; /**< not in the byte order of this machine */
    bool fortran; /**< first index runs fastest */
    int32_t ndim;
    size_t shape[ZM_NPY_MAX_DIMS]; /**< unused ones are 1 */
    size_t count; /**< product of the shape; count*size fits a size_t */
} zm_npy_head;

/** Decodes the dictionary of a header.  text: n bytes, not terminated; name: of the
 * file, for messages.  head is untouched after a failure. */
zm_status zm_npy_head_parse(const char *text, size_t n, const char *name,
                            zm_npy_head *head, zm_error *err);

/** Nearest of our three types, as zm_npy_peek promises. */
zm_npy_type zm_npy_nearest_type(const zm_npy_head *head);

/** Bytes of one value. */
size_t zm_npy_type_size(zm_npy_type type);

/** '<' or '>': the byte order of this machine. */
char zm_npy_native_order(void);

/** Whether stored values are already values of `type`, byte for byte. */
bool zm_npy_is_stored_as(const zm_npy_head *head, zm_npy_type type);

/** Converts n stored values at raw (overwritten when byte order differs) to `want`. */
void zm_npy_convert(const zm_npy_head *head, unsigned char *raw, size_t n,
                    zm_npy_type want, void *out);

/** Copies values of `size` bytes from Fortran order to C order. */
void zm_npy_to_c_order(const zm_npy_head *head, size_t size, const void *fortran,
                       void *c_order);

#endif
