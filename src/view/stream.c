/* SPDX-License-Identifier: Apache-2.0
 * Compresses fields as a page keeps them: shuffled, then deflated. */
#include "view/stream.h"

#include <zlib.h>

#include "core/fail.h"
#include "core/memory.h"

enum { LEVEL = 6, GATHERED = 1 << 14 };

size_t zm_view_bytes_of(const zm_view_values *v)
{
    static const size_t bytes[] = { 8, 4, 2, 1 };

    return v->as_int16 ? 2 : bytes[v->type];
}

static bool little_endian(void)
{
    const uint16_t one = 1;

    return *(const unsigned char *)&one == 1;
}

/* Byte k, counted from the lowest, of the values from `from` on. */
static void gather(unsigned char *to, const zm_view_values *v, size_t plane, size_t k,
                   size_t from, size_t n)
{
    const size_t width = zm_view_bytes_of(v), at = little_endian() ? k : width - 1 - k;
    const unsigned char *bytes = v->planes[plane];
    const float *whole = v->planes[plane];

    if (v->as_int16)
        for (size_t i = 0; i < n; i++)
            to[i] = (unsigned char)((uint16_t)(int16_t)whole[from + i] >> 8 * k);
    else
        for (size_t i = 0; i < n; i++)
            to[i] = bytes[(from + i) * width + at];
}

static zm_status add_piece(zm_view_stream *s, const zm_alloc *mem, zm_error *err)
{
    zm_view_piece *piece = zm_block(mem, 1, sizeof *piece);

    if (!piece)
        return zm_fail(err, ZM_E_NOMEM, -1, "%zu bytes of a field", s->n);
    piece->next = NULL;
    piece->n = 0;
    if (s->last)
        s->last->next = piece;
    else
        s->first = piece;
    s->last = piece;
    return ZM_OK;
}

/* Hands what is in z to zlib; `flush` is Z_FINISH at the end. */
static zm_status push(z_stream *z, int flush, zm_view_stream *s, size_t most,
                      const zm_alloc *mem, zm_error *err)
{
    int answer = Z_OK;

    while (z->avail_in > 0 || (flush == Z_FINISH && answer != Z_STREAM_END)) {
        size_t before;

        if (!s->last || s->last->n == ZM_VIEW_PIECE)
            ZM_TRY(add_piece(s, mem, err));
        before = ZM_VIEW_PIECE - s->last->n;
        z->next_out = s->last->bytes + s->last->n;
        z->avail_out = (uInt)before;
        answer = deflate(z, flush);
        s->last->n += before - z->avail_out;
        s->n += before - z->avail_out;
        if (answer != Z_OK && answer != Z_STREAM_END && answer != Z_BUF_ERROR)
            return zm_fail(err, ZM_E_NOMEM, -1, "zlib: %s", z->msg ? z->msg : "no memory");
        if (s->n > most)
            return ZM_E_ARG;
    }
    return ZM_OK;
}

static void *zlib_allocate(void *mem, uInt count, uInt size)
{
    return zm_block(mem, count, size);
}

static void zlib_release(void *mem, void *block)
{
    zm_release(mem, block);
}

static zm_status push_all(z_stream *z, zm_view_stream *out, const zm_view_values *v,
                          size_t most, const zm_alloc *mem, zm_error *err)
{
    unsigned char bytes[GATHERED];

    for (size_t k = 0; k < zm_view_bytes_of(v); k++)
        for (size_t p = 0; p < v->n_planes; p++)
            for (size_t from = 0; from < v->n; from += GATHERED) {
                const size_t n = v->n - from < GATHERED ? v->n - from : GATHERED;

                gather(bytes, v, p, k, from, n);
                z->next_in = bytes;
                z->avail_in = (uInt)n;
                ZM_TRY(push(z, Z_NO_FLUSH, out, most, mem, err));
            }
    return push(z, Z_FINISH, out, most, mem, err);
}

zm_status zm_view_compress(zm_view_stream *out, const zm_view_values *v, size_t most,
                           const zm_alloc *mem, zm_error *err)
{
    zm_alloc source = *mem;
    z_stream z = { .zalloc = zlib_allocate, .zfree = zlib_release, .opaque = &source };
    zm_status st;

    if (deflateInit(&z, LEVEL) != Z_OK)
        return zm_fail(err, ZM_E_NOMEM, -1, "zlib cannot begin");
    st = push_all(&z, out, v, most, mem, err);
    deflateEnd(&z);
    return st;
}

void zm_view_stream_free(zm_view_stream *stream, const zm_alloc *mem)
{
    while (stream->first) {
        zm_view_piece *next = stream->first->next;

        zm_release(mem, stream->first);
        stream->first = next;
    }
    *stream = (zm_view_stream){ 0 };
}
