/* SPDX-License-Identifier: Apache-2.0
 * NPY files: everything that is well-formed reads to the same numbers, everything else
 * gives its own message, and a file is replaced at once or not at all. */
#define _XOPEN_SOURCE 700 /* mkdtemp, symlink */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "support/folders.h"
#include "zermelo/npy.h"

enum { ROOM = 4096 };

typedef struct image { /* an NPY file in memory */
    unsigned char bytes[ROOM];
    size_t n;
} image;

static image image_of(int version, const char *header, const void *data, size_t n_data)
{
    const size_t length = strlen(header), n_size = version == 1 ? 2 : 4;
    image f = { .bytes = "\x93NUMPY" };

    f.bytes[6] = (unsigned char)version;
    for (size_t i = 0; i < n_size; i++)
        f.bytes[8 + i] = (unsigned char)(length >> 8 * i);
    f.n = 8 + n_size;
    memcpy(f.bytes + f.n, header, length);
    f.n += length;
    memcpy(f.bytes + f.n, data, n_data);
    f.n += n_data;
    return f;
}

/* One value as NumPy stores it. */
static void encode(unsigned char *out, const char *descr, double value)
{
    const size_t size = (size_t)(descr[2] - '0');
    const int64_t whole = (int64_t)value;
    const float single = (float)value;
    unsigned char native[8];
    const uint16_t probe = 1;
    const bool little = *(const unsigned char *)&probe == 1;

    if (descr[1] == 'f')
        memcpy(native, size == 8 ? (const void *)&value : (const void *)&single, size);
    else if (little)
        memcpy(native, &whole, size);
    else
        memcpy(native, (const unsigned char *)&whole + 8 - size, size);
    for (size_t i = 0; i < size; i++)
        out[i] = native[(descr[0] == '>') == little ? size - 1 - i : i];
}

static double value_at(const zm_npy *a, size_t i)
{
    return a->type == ZM_NPY_F64   ? ((const double *)a->data)[i]
           : a->type == ZM_NPY_F32 ? (double)((const float *)a->data)[i]
                                   : (double)((const uint8_t *)a->data)[i];
}

static const zm_npy_type wanted[] = { ZM_NPY_F64, ZM_NPY_F32, ZM_NPY_U8 };

/* Small whole numbers are exact in every type, so all conversions must give them back.
 */
TEST(every_type_byte_order_and_axis_order_reads_to_the_same_numbers)
{
    static const char *const descr[] = { "<f4", ">f4", "<f8", ">f8", "|i1",
                                         "<i2", ">i2", "<i4", ">i4", "<i8",
                                         ">i8", "|u1", "<u2", ">u2", "<u4",
                                         ">u4", "<u8", ">u8", "|b1" };
    enum { D0 = 2, D1 = 3, D2 = 4, N = D0 * D1 * D2 };

    for (size_t k = 0; k < 3 * 2 * sizeof descr / sizeof *descr; k++) {
        const char *type = descr[k / 6];
        const bool fortran = k % 2, flags = type[1] == 'b';
        const zm_npy_type want = wanted[k / 2 % 3];
        const size_t size = (size_t)(type[2] - '0');
        unsigned char data[N * 8];
        char header[128];
        zm_npy a = { 0 };
        zm_error err = { 0 };
        image f;

        for (size_t i = 0; i < N; i++) {
            const size_t at =
                fortran ? i / (D1 * D2) + i / D2 % D1 * D0 + i % D2 * D0 * D1 : i;
            const double v = (double)(flags ? i % 2 : i);

            encode(data + at * size, type, type[1] == 'i' || type[1] == 'f' ? -v : v);
        }
        snprintf(header, sizeof header,
                 "{'descr': '%s', 'fortran_order': %s, 'shape': (2, 3, 4), }\n", type,
                 fortran ? "True" : "False");
        f = image_of(1, header, data, N * size);
        CHECK_MSG(zm_npy_parse(f.bytes, f.n, "x", want, &a, &err) == ZM_OK, "%s: %s",
                  type, err.text);
        CHECK(a.ndim == 3 && a.shape[0] == 2 && a.shape[1] == 3 && a.shape[2] == 4);
        CHECK(a.shape[3] == 1 && a.count == N && a.type == want);
        CHECK(a.fortran_order == fortran && !strcmp(a.descr, type));
        for (size_t i = 0; a.data && i < N; i++) {
            const bool negative = type[1] == 'i' || type[1] == 'f';
            const double v = (double)(flags ? i % 2 : i);
            const bool as_is = flags || !strcmp(type, "|u1");
            const double expected = want != ZM_NPY_U8 ? (negative ? -v : v)
                                    : as_is           ? v
                                                      : v != 0;

            CHECK_MSG(value_at(&a, i) == expected, "%s to %d: [%zu] = %g, not %g", type,
                      (int)want, i, value_at(&a, i), expected);
        }
        zm_npy_free(&a);
        CHECK(a.data == NULL);
    }
}

TEST(half_precision_numbers_are_exact)
{
    static const struct {
        uint16_t bits;
        double value;
    } cases[] = { { 0x0000, 0 },        { 0x3C00, 1 },
                  { 0xC000, -2 },       { 0x3555, 0x1.554p-2 },
                  { 0x0001, 0x1p-24 },  { 0x83FF, -0x1.ff8p-15 },
                  { 0x7BFF, 65504 },    { 0x7C00, HUGE_VAL },
                  { 0xFC00, -HUGE_VAL } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const unsigned char data[2] = { (unsigned char)(cases[i].bits >> 8),
                                        (unsigned char)cases[i].bits };
        const image f = image_of(
            1, "{'descr': '>f2', 'fortran_order': False, 'shape': (1,)}", data, 2);
        zm_npy a = { 0 };

        CHECK(zm_npy_parse(f.bytes, f.n, "x", ZM_NPY_F64, &a, NULL) == ZM_OK);
        CHECK(a.data && *(double *)a.data == cases[i].value);
        zm_npy_free(&a);
    }
}

TEST(headers_may_be_laid_out_in_any_way_python_allows)
{
    static const char *const headers[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }\n",
        "{'shape': (1, 2), 'fortran_order': False, 'descr': '<f8'}",
        "{\"fortran_order\":False,\"shape\":(1,2,),\"descr\":\"<f8\"}   \n\n",
        " \t{ 'shape' : ( 1L , 2L ) ,\n'descr' : '<f8' , 'fortran_order' : True , } ",
        "{'descr': '=f8', 'fortran_order': False, 'shape': (1, 2), }\n",
        "{'descr': '|f8', 'fortran_order': False, 'shape': (1, 2), }\n",
        "{'descr': 'f8', 'fortran_order': False, 'shape': (1, 2), }\n",
    };
    const double data[2] = { 1.5, -2.5 };

    for (size_t i = 0; i < 3 * sizeof headers / sizeof *headers; i++) {
        const image f = image_of((int)(i % 3) + 1, headers[i / 3], data, sizeof data);
        zm_npy a = { 0 };
        zm_error err = { 0 };

        CHECK_MSG(zm_npy_parse(f.bytes, f.n, "x", ZM_NPY_F64, &a, &err) == ZM_OK,
                  "%s: %s", headers[i / 3], err.text);
        CHECK(a.ndim == 2 && a.shape[0] == 1 && a.shape[1] == 2 && a.count == 2);
        CHECK(a.data && !memcmp(a.data, data, sizeof data));
        zm_npy_free(&a);
    }
}

#define HEAD(descr, order, shape)                                                      \
    "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"

TEST(every_malformed_header_has_its_own_message)
{
    static const struct {
        const char *header;
        zm_status status;
        const char *says;
    } cases[] = {
        { "", ZM_E_FORMAT, "the end where '{'" },
        { "[1, 2]", ZM_E_FORMAT, "[1, 2] where '{'" },
        { "{", ZM_E_FORMAT, "the end where a key" },
        { "{}", ZM_E_FORMAT, "lacks 'descr'" },
        { "{'descr': '<f8'}", ZM_E_FORMAT, "lacks 'fortran_order'" },
        { "{'descr': '<f8', 'fortran_order': False}", ZM_E_FORMAT, "lacks 'shape'" },
        { "{'descr'", ZM_E_FORMAT, "where ':'" },
        { "{'descr: <f8}", ZM_E_FORMAT, "where a closed string" },
        { "{'color': 'red'}", ZM_E_FORMAT, "an unknown key 'color'" },
        { "{'descr': '<f8', 'descr': '<f8'}", ZM_E_FORMAT, "twice the key 'descr'" },
        { HEAD("'<f8' 1", "False", "(1,)"), ZM_E_FORMAT, "where ',' or '}'" },
        { HEAD("'<f8'", "0", "(1,)"), ZM_E_FORMAT, "where True or False" },
        { HEAD("'<f8'", "Fal", "(1,)"), ZM_E_FORMAT, "where True or False" },
        { HEAD("'<f8'", "False", "1"), ZM_E_FORMAT, "where a shape" },
        { HEAD("'<f8'", "False", "(-1,)"), ZM_E_FORMAT, "where a size" },
        { HEAD("'<f8'", "False", "(,)"), ZM_E_FORMAT, "where a size" },
        { HEAD("'<f8'", "False", "(1.5,)"), ZM_E_FORMAT, "where ',' or ')'" },
        { HEAD("'<f8'", "False", "(1 1)"), ZM_E_FORMAT, "where ',' or ')'" },
        { HEAD("'<f8'", "False", "(1,"), ZM_E_FORMAT, "where a size" },
        { HEAD("'<f8'", "False", "(1, 1, 1, 1, 1)"), ZM_E_UNSUPPORTED, "more than 4" },
        { HEAD("'<f8'", "False", "(99999999999999999999,)"), ZM_E_FORMAT, "too large" },
        { HEAD("'<f8'", "False", "(4294967296, 4294967296)"), ZM_E_FORMAT,
          sizeof(size_t) > 4 ? "overflows" : "too large" },
        { HEAD("'<f8'", "False", "(0, 4294967296, 4294967296)"), ZM_E_FORMAT,
          sizeof(size_t) > 4 ? "overflows" : "too large" },
        { HEAD("'<f8'", "False", "(1,)") " x", ZM_E_FORMAT, "x where the end" },
        { HEAD("'<f8'", "False", "(2,)"), ZM_E_FORMAT, "truncated" },
        { HEAD("'<f4'", "False", "(1,)"), ZM_E_FORMAT, "followed by something else" },
        { HEAD("8", "False", "(1,)"), ZM_E_FORMAT, "where a type string" },
        { HEAD("[('a', '<f8')]", "False", "(1,)"), ZM_E_UNSUPPORTED, "structured" },
        { HEAD("'|O'", "False", "(1,)"), ZM_E_UNSUPPORTED, "type '|O'" },
        { HEAD("'<c16'", "False", "(1,)"), ZM_E_UNSUPPORTED, "type '<c16'" },
        { HEAD("'<U3'", "False", "(1,)"), ZM_E_UNSUPPORTED, "type '<U3'" },
        { HEAD("'<f16'", "False", "(1,)"), ZM_E_UNSUPPORTED, "type '<f16'" },
        { HEAD("'<M8[s]'", "False", "(1,)"), ZM_E_UNSUPPORTED, "type '<M8[s]'" },
        { HEAD("''", "False", "(1,)"), ZM_E_UNSUPPORTED, "type ''" },
    };
    const double one = 1;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const image f = image_of(1, cases[i].header, &one, sizeof one);
        zm_npy a = { .count = 7 };
        zm_error err = { 0 };
        const zm_status st =
            zm_npy_parse(f.bytes, f.n, "some.npy", ZM_NPY_F64, &a, &err);

        CHECK_MSG(st == cases[i].status && err.code == st, "%s: status %d: %s",
                  cases[i].header, (int)st, err.text);
        CHECK_MSG(strstr(err.text, cases[i].says), "%s: says \"%s\", not \"%s\"",
                  cases[i].header, err.text, cases[i].says);
        CHECK(!strncmp(err.text, "some.npy: ", 10));
        CHECK(a.count == 7 && a.data == NULL); /* untouched */
    }
}

TEST(a_file_that_is_no_npy_file_says_so)
{
    const double one = 1;
    image f = image_of(1, HEAD("'<f8'", "False", "(1,)"), &one, sizeof one);
    zm_npy a;
    zm_error err;

    f.bytes[6] = 4;
    CHECK(zm_npy_parse(f.bytes, f.n, "x", ZM_NPY_F64, &a, &err) == ZM_E_FORMAT);
    CHECK(strstr(err.text, "version 4.0"));
    f.bytes[6] = 2; /* reads two bytes of the dictionary as length */
    CHECK(zm_npy_parse(f.bytes, f.n, "x", ZM_NPY_F64, &a, &err) == ZM_E_FORMAT);
    CHECK(strstr(err.text, "at most 65535"));
    f.bytes[0] = 'P';
    CHECK(zm_npy_parse(f.bytes, f.n, "x", ZM_NPY_F64, &a, &err) == ZM_E_FORMAT);
    CHECK(strstr(err.text, "not an NPY file"));
    CHECK(zm_npy_parse(NULL, 0, NULL, ZM_NPY_F64, &a, &err) == ZM_E_FORMAT);
}

/* Every proper prefix of a file lacks something, and so has every longer one too much.
 */
TEST(a_file_cut_anywhere_or_continued_is_refused)
{
    const double data[3] = { 1, 2, 3 };
    image f = image_of(1, HEAD("'<f8'", "False", "(3,)"), data, sizeof data);
    zm_npy a;

    for (size_t n = 0; n < f.n; n++)
        for (size_t k = 0; k < 3; k++)
            CHECK_MSG(zm_npy_parse(f.bytes, n, "x", wanted[k], &a, NULL) == ZM_E_FORMAT,
                      "cut to %zu bytes", n);
    CHECK(zm_npy_parse(f.bytes, f.n + 1, "x", ZM_NPY_F64, &a, NULL) == ZM_E_FORMAT);
}

TEST(empty_arrays_have_no_values_and_single_numbers_have_one)
{
    const double one = 1.25;
    const image none = image_of(1, HEAD("'<f8'", "True", "(3, 0)"), &one, 0);
    const image single = image_of(1, HEAD("'<f8'", "False", "()"), &one, sizeof one);
    zm_npy a;

    CHECK(zm_npy_parse(none.bytes, none.n, "x", ZM_NPY_F32, &a, NULL) == ZM_OK);
    CHECK(a.count == 0 && a.ndim == 2 && a.shape[1] == 0 && a.data);
    zm_npy_free(&a);
    CHECK(zm_npy_parse(single.bytes, single.n, "x", ZM_NPY_F64, &a, NULL) == ZM_OK);
    CHECK(a.count == 1 && a.ndim == 1 && a.shape[0] == 1 && *(double *)a.data == one);
    zm_npy_free(&a);
    zm_npy_free(NULL);
}

TEST(what_is_written_reads_back_bit_for_bit)
{
    static const size_t shapes[][4] = {
        { 24, 1, 1, 1 }, { 4, 6, 1, 1 }, { 2, 3, 4, 1 }, { 2, 1, 3, 4 }, { 0, 5, 1, 1 }
    };
    static const int32_t ndims[] = { 1, 2, 3, 4, 2 };
    const folder d = folder_make();
    const char *path = folder_path(&d, "a.npy");
    uint64_t state = t->seed;
    unsigned char data[24 * 8];

    for (size_t i = 0; i < sizeof data; i++) /* any bits: NaNs and infinities too */
        data[i] = (unsigned char)zm_random_bits(&state);
    for (size_t k = 0; k < 15; k++) {
        const zm_npy_type type = wanted[k % 3];
        const size_t size = type == ZM_NPY_F64 ? 8 : type == ZM_NPY_F32 ? 4 : 1;
        zm_npy a = { 0 }, head = { 0 };
        zm_error err = { 0 };

        CHECK_MSG(zm_npy_write(path, type, ndims[k / 3], shapes[k / 3], data, &err) ==
                      ZM_OK,
                  "%s", err.text);
        CHECK_MSG(zm_npy_read(path, type, &a, &err) == ZM_OK, "%s", err.text);
        CHECK(zm_npy_peek(path, &head, &err) == ZM_OK);
        CHECK(a.ndim == ndims[k / 3] &&
              !memcmp(a.shape, shapes[k / 3], sizeof a.shape));
        CHECK(head.type == type && head.ndim == a.ndim && head.count == a.count);
        CHECK(!memcmp(head.shape, a.shape, sizeof a.shape) && head.data == NULL);
        CHECK(a.data && !memcmp(a.data, data, a.count * size));
        zm_npy_free(&a);
    }
    CHECK(folder_remove(&d) == 1); /* no temporary is left */
}

/* NumPy maps files straight into memory when the data are aligned. */
TEST(data_in_written_files_start_at_a_multiple_of_64)
{
    const size_t shape[4] = { 1, 1, 1, 1 };
    const folder d = folder_make();
    const char *path = folder_path(&d, "a.npy");
    const double one = 1;

    for (int32_t ndim = 1; ndim <= 4; ndim++) {
        struct stat info;

        CHECK(zm_npy_write(path, ZM_NPY_F64, ndim, shape, &one, NULL) == ZM_OK);
        CHECK(!stat(path, &info) && info.st_size % 64 == 8);
    }
    folder_remove(&d);
}

TEST(a_failed_write_leaves_the_old_file_and_no_temporary)
{
    const size_t shape[1] = { 2 }, huge[2] = { SIZE_MAX / 4, 8 };
    const double old[2] = { 1, 2 }, fresh[2] = { 3, 4 };
    const folder d = folder_make();
    const char *path = folder_path(&d, "a.npy");
    zm_npy a = { 0 };
    zm_error err = { 0 };

    CHECK(zm_npy_write(path, ZM_NPY_F64, 1, shape, old, &err) == ZM_OK);
    CHECK(zm_npy_write(path, ZM_NPY_F64, 0, shape, fresh, &err) == ZM_E_ARG);
    CHECK(zm_npy_write(path, ZM_NPY_F64, 5, shape, fresh, &err) == ZM_E_ARG);
    CHECK(zm_npy_write(path, ZM_NPY_F64, 2, huge, fresh, &err) == ZM_E_ARG);
    CHECK(zm_npy_write(path, ZM_NPY_F64, 1, shape, NULL, &err) == ZM_E_ARG);
    CHECK(zm_npy_write(NULL, ZM_NPY_F64, 1, shape, fresh, &err) == ZM_E_ARG);
    CHECK(zm_npy_write(d.path, ZM_NPY_F64, 1, shape, fresh, &err) == ZM_E_IO);
    CHECK(strstr(err.text, d.path));
    CHECK(zm_npy_write(folder_path(&d, "no/a.npy"), ZM_NPY_F64, 1, shape, fresh,
                       &err) == ZM_E_IO);
    CHECK(zm_npy_write(folder_path(&d, "a.npy/a"), ZM_NPY_F64, 1, shape, fresh, &err) ==
          ZM_E_IO);
    CHECK(zm_npy_read(path, ZM_NPY_F64, &a, &err) == ZM_OK);
    CHECK(a.data && !memcmp(a.data, old, sizeof old));
    zm_npy_free(&a);
    CHECK(folder_remove(&d) == 1);
}

/* The size of a pipe is not known beforehand: too little and too much show at the end.
 */
TEST(pipes_are_read_to_their_end)
{
    const double data[2] = { 1, 2 };
    const image f = image_of(1, HEAD("'<f8'", "False", "(2,)"), data, sizeof data);
    static const int change[] = { 0, -1, 1 };

    for (int i = 0; i < 3; i++) {
        const size_t n = (size_t)((int)f.n + change[i]);
        char path[32];
        int ends[2];
        zm_npy a = { 0 };

        CHECK(!pipe(ends));
        CHECK(write(ends[1], f.bytes, n) == (ssize_t)n);
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        CHECK(zm_npy_read(path, ZM_NPY_F64, &a, NULL) ==
              (change[i] ? ZM_E_FORMAT : ZM_OK));
        if (!change[i])
            CHECK(a.data && !memcmp(a.data, data, sizeof data));
        zm_npy_free(&a);
        close(ends[0]);
    }
}

/* Files larger than one block of the converter. */
TEST(large_files_convert_without_a_seam)
{
    enum { ROWS = 300, COLS = 401 };
    const size_t n = ROWS * COLS, shape[2] = { ROWS, COLS };
    const folder d = folder_make();
    const char *path = folder_path(&d, "a.npy");
    double *data = malloc(n * sizeof *data);
    zm_npy a = { 0 };
    size_t wrong = 0;

    for (size_t i = 0; data && i < n; i++)
        data[i] = (double)i;
    CHECK(data && zm_npy_write(path, ZM_NPY_F64, 2, shape, data, NULL) == ZM_OK);
    CHECK(zm_npy_read(path, ZM_NPY_F32, &a, NULL) == ZM_OK);
    for (size_t i = 0; a.data && i < n; i++)
        wrong += ((float *)a.data)[i] != (float)i;
    CHECK(wrong == 0);
    zm_npy_free(&a);
    free(data);
    folder_remove(&d);
}

TEST(reading_what_is_not_there_names_the_file_and_the_reason)
{
    char path[700];
    zm_error err = { 0 };
    zm_npy a;

    CHECK(zm_npy_read("/nowhere/a.npy", ZM_NPY_F64, &a, &err) == ZM_E_IO);
    CHECK(strstr(err.text, "/nowhere/a.npy: No such file"));
    CHECK(zm_npy_peek("/tmp", &a, &err) == ZM_E_IO); /* a directory */
    CHECK(zm_npy_read(NULL, ZM_NPY_F64, &a, &err) == ZM_E_ARG);
    CHECK(zm_npy_read("a", (zm_npy_type)9, &a, &err) == ZM_E_ARG);
    memset(path, 'a', sizeof path);
    path[0] = '/';
    path[sizeof path - 1] = '\0';
    CHECK(zm_npy_read(path, ZM_NPY_F64, &a, &err) == ZM_E_IO);
    CHECK_MSG(strstr(err.text, "too long"), "%s", err.text); /* not crowded out */
}
