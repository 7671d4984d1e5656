/* SPDX-License-Identifier: Apache-2.0
 * Reads NPY files, from disk or from memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "io/npy_format.h"

/* Where the bytes come from: a file, or memory when file is NULL. */
typedef struct source {
    const char *name;
    FILE *file;
    const unsigned char *bytes;
    size_t left; /* bytes not yet taken; ZM_FILE_SIZE_UNKNOWN for a pipe */
} source;

enum { MOST_HEADER = 65535, BLOCK_BYTES = 1 << 16 };

static zm_status fail_truncated(const source *s, const char *what, zm_error *err)
{
    return zm_fail(err, ZM_E_FORMAT, -1,
                   "%s: file ends inside the %s; it was not written to the end",
                   zm_shown_name(s->name), what);
}

/* Exactly n bytes. */
static zm_status take(source *s, void *to, size_t n, const char *what, zm_error *err)
{
    if (n > s->left)
        return fail_truncated(s, what, err);
    if (s->file) {
        if (fread(to, 1, n, s->file) != n)
            return ferror(s->file) ? zm_fail_errno(err, ZM_E_IO, zm_shown_name(s->name))
                                   : fail_truncated(s, what, err);
    } else if (n) {
        memcpy(to, s->bytes, n);
        s->bytes += n;
    }
    if (s->left != ZM_FILE_SIZE_UNKNOWN)
        s->left -= n;
    return ZM_OK;
}

/* Magic, version and length of the dictionary that follows. */
static zm_status read_prefix(source *s, size_t *length, zm_error *err)
{
    unsigned char start[ZM_NPY_MAGIC_LENGTH + 2], size[4];
    const size_t magic = ZM_NPY_MAGIC_LENGTH;
    size_t n_size;

    ZM_TRY(take(s, start, sizeof start, "first 8 bytes", err));
    if (memcmp(start, ZM_NPY_MAGIC, magic) != 0)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: not an NPY file; write one with numpy.save",
                       zm_shown_name(s->name));
    if (start[magic] < 1 || start[magic] > 3 || start[magic + 1] != 0)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: NPY version %d.%d, only 1.0, 2.0 and 3.0 are read",
                       zm_shown_name(s->name), start[magic], start[magic + 1]);
    n_size = start[magic] == 1 ? 2 : 4;
    ZM_TRY(take(s, size, n_size, "length of the header", err));
    *length = 0;
    for (size_t i = n_size; i-- > 0;)
        *length = *length << 8 | size[i];
    if (*length > MOST_HEADER)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: NPY header of %zu bytes, at most %d are read",
                       zm_shown_name(s->name), *length, (int)MOST_HEADER);
    return ZM_OK;
}

static zm_status read_head(source *s, zm_npy_head *head, zm_error *err)
{
    size_t length = 0;
    char *text = NULL;
    zm_status st;

    ZM_TRY(read_prefix(s, &length, err));
    if (!(text = malloc(length + 1)))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for the header of %zu bytes",
                       zm_shown_name(s->name), length);
    ZM_GO(take(s, text, length, "header", err));
    ZM_GO(zm_npy_head_parse(text, length, s->name, head, err));
done:
    free(text);
    return st;
}

/* What is left must be the data, all of it and nothing else. */
static zm_status check_size(const source *s, const zm_npy_head *head, zm_error *err)
{
    const size_t bytes = head->count * head->size;

    if (s->left == ZM_FILE_SIZE_UNKNOWN || s->left == bytes)
        return ZM_OK;
    return zm_fail(err, ZM_E_FORMAT, -1,
                   "%s: header announces %zu bytes of data, the file has %zu; it is %s",
                   zm_shown_name(s->name), bytes, s->left,
                   s->left < bytes ? "truncated" : "followed by something else");
}

static zm_status check_end(source *s, zm_error *err)
{
    if (s->left == ZM_FILE_SIZE_UNKNOWN && fgetc(s->file) != EOF)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: header announces less data than there is",
                       zm_shown_name(s->name));
    return ZM_OK;
}

/* The values in stored order, converted block by block where need be. */
static zm_status read_values(source *s, const zm_npy_head *head, zm_npy_type want,
                             unsigned char *out, zm_error *err)
{
    const size_t block = BLOCK_BYTES / head->size;
    unsigned char *raw;
    zm_status st = ZM_OK;

    if (zm_npy_is_stored_as(head, want))
        return take(s, out, head->count * head->size, "data", err);
    if (!(raw = malloc(BLOCK_BYTES)))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for a buffer of %d bytes",
                       zm_shown_name(s->name), (int)BLOCK_BYTES);
    for (size_t done = 0; done < head->count; done += block) {
        const size_t n = head->count - done < block ? head->count - done : block;

        ZM_GO(take(s, raw, n * head->size, "data", err));
        zm_npy_convert(head, raw, n, want, out + done * zm_npy_type_size(want));
    }
done:
    free(raw);
    return st;
}

/* Room for the values, never NULL for an empty array. */
static zm_status allocate(const source *s, size_t count, size_t size, void **out,
                          zm_error *err)
{
    *out = NULL;
    if (count > SIZE_MAX / size)
        return zm_file_within_limit(s->name, SIZE_MAX, err);
    ZM_TRY(zm_file_within_limit(s->name, count * size, err));
    *out = malloc(count ? count * size : 1);
    if (!*out)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for %zu values of %zu bytes",
                       zm_shown_name(s->name), count, size);
    return ZM_OK;
}

static zm_status reorder(const source *s, const zm_npy_head *head, size_t size,
                         void **data, zm_error *err)
{
    void *sorted;

    ZM_TRY(allocate(s, head->count, size, &sorted, err));
    zm_npy_to_c_order(head, size, *data, sorted);
    free(*data);
    *data = sorted;
    return ZM_OK;
}

static zm_npy describe(const zm_npy_head *head, zm_npy_type type)
{
    zm_npy a = { .type = type,
                 .ndim = head->ndim,
                 .count = head->count,
                 .fortran_order = head->fortran };

    memcpy(a.shape, head->shape, sizeof a.shape);
    a.descr[0] = head->size == 1                ? '|'
                 : !head->swapped               ? zm_npy_native_order()
                 : zm_npy_native_order() == '<' ? '>'
                                                : '<';
    a.descr[1] = head->kind;
    a.descr[2] = (char)('0' + head->size);
    return a;
}

static zm_status read_source(source *s, zm_npy_type want, zm_npy *out, zm_error *err)
{
    const size_t size = zm_npy_type_size(want);
    zm_npy_head head;
    void *data = NULL;
    zm_status st;

    ZM_GO(read_head(s, &head, err));
    ZM_GO(check_size(s, &head, err));
    ZM_GO(allocate(s, head.count, size, &data, err));
    ZM_GO(read_values(s, &head, want, data, err));
    ZM_GO(check_end(s, err));
    if (head.fortran && head.ndim > 1)
        ZM_GO(reorder(s, &head, size, &data, err));
    *out = describe(&head, want);
    out->data = data;
    data = NULL;
done:
    free(data);
    return st;
}

static zm_status open_source(source *s, const char *path, zm_error *err)
{
    *s = (source){ .name = path };
    return zm_file_open(path, &s->file, &s->left, err);
}

static bool is_type(zm_npy_type type)
{
    return type == ZM_NPY_F64 || type == ZM_NPY_F32 || type == ZM_NPY_U8;
}

zm_status zm_npy_read(const char *path, zm_npy_type want, zm_npy *out, zm_error *err)
{
    source s;
    zm_status st;

    if (!path || !out || !is_type(want))
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_npy_read needs a path, a type and a result");
    ZM_TRY(open_source(&s, path, err));
    st = read_source(&s, want, out, err);
    (void)fclose(s.file); /* was only read */
    return st;
}

zm_status zm_npy_parse(const void *bytes, size_t n_bytes, const char *name,
                       zm_npy_type want, zm_npy *out, zm_error *err)
{
    source s = { .name = name ? name : "array", .bytes = bytes, .left = n_bytes };

    if ((!bytes && n_bytes) || !out || !is_type(want))
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_npy_parse needs bytes, a type and a result");
    return read_source(&s, want, out, err);
}

zm_status zm_npy_peek(const char *path, zm_npy *out, zm_error *err)
{
    zm_npy_head head;
    source s;
    zm_status st;

    if (!path || !out)
        return zm_fail(err, ZM_E_ARG, -1, "zm_npy_peek needs a path and a result");
    ZM_TRY(open_source(&s, path, err));
    ZM_GO(read_head(&s, &head, err));
    ZM_GO(check_size(&s, &head, err));
    *out = describe(&head, zm_npy_nearest_type(&head));
done:
    fclose(s.file);
    return st;
}

void zm_npy_free(zm_npy *array)
{
    if (!array)
        return;
    free(array->data);
    array->data = NULL;
}
