/* SPDX-License-Identifier: Apache-2.0
 * Compressed bytes of a field, in pieces, so that none of them is ever moved. */
#ifndef ZM_VIEW_STREAM_H
#define ZM_VIEW_STREAM_H

#include <stdbool.h>

#include "zermelo/view.h"

enum { ZM_VIEW_PIECE = 1 << 16 };

typedef struct zm_view_piece {
    struct zm_view_piece *next;
    size_t n;
    unsigned char bytes[ZM_VIEW_PIECE];
} zm_view_piece;

/** Start with { 0 }. */
typedef struct zm_view_stream {
    zm_view_piece *first, *last;
    size_t n;
} zm_view_stream;

/** What is compressed: planes of one type, n values each, in the order of bytes that a page has. */
typedef struct zm_view_values {
    zm_view_type type;
    bool as_int16; /**< float32 that are whole numbers, to be kept as int16 */
    size_t n, n_planes;
    const void *const *planes;
} zm_view_values;

/** Bytes of a number as a page keeps it. */
size_t zm_view_bytes_of(const zm_view_values *values);

/** Bytes of n as base64. */
static inline size_t zm_view_base64_length(size_t n)
{
    return (n + 2) / 3 * 4;
}

/**
 * A zlib stream of the values: the lowest byte of all of them, then the next.
 *
 * @param most in  bytes it may have at most
 * @return ZM_OK; ZM_E_NOMEM; ZM_E_ARG (more than that; without a message).  Free in any case
 */
zm_status zm_view_compress(zm_view_stream *out, const zm_view_values *values, size_t most,
                           const zm_alloc *mem, zm_error *err);
void zm_view_stream_free(zm_view_stream *stream, const zm_alloc *mem);

#endif
