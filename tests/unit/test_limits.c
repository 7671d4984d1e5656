/* SPDX-License-Identifier: Apache-2.0
 * What a file may ask for is checked before it gets it (zermelo/limit.h), and nothing that is
 * opened makes the caller wait. */
#define _POSIX_C_SOURCE 200809L /* mkfifo, truncate */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "core/file.h"
#include "support/folders.h"
#include "zermelo/file.h"
#include "zermelo/limit.h"
#include "zermelo/npy.h"
#include "zermelo/observations.h"

TEST(an_array_beyond_the_limit_is_refused)
{
    const folder d = folder_make();
    const char *path = folder_path(&d, "a.npy");
    const size_t shape[1] = { 100 };
    const double values[100] = { 0 };
    zm_error err = { 0 };
    zm_npy a = { 0 };

    CHECK(zm_npy_write(path, ZM_NPY_F64, 1, shape, values, NULL) == ZM_OK);
    zm_read_limit_set(799);
    CHECK(zm_read_limit() == 799);
    CHECK(zm_npy_read(path, ZM_NPY_F64, &a, &err) == ZM_E_IO);
    CHECK_MSG(strstr(err.text, "zm_read_limit_set"), "%s", err.text);
    CHECK(zm_npy_read(path, ZM_NPY_F32, &a, NULL) == ZM_OK); /* half as much */
    zm_npy_free(&a);
    zm_read_limit_set(800);
    CHECK(zm_npy_read(path, ZM_NPY_F64, &a, NULL) == ZM_OK);
    zm_npy_free(&a);
    zm_read_limit_set(0);
    CHECK(zm_read_limit() == 0);
    CHECK(folder_remove(&d) == 1);
}

/* A sparse file of 2^50 bytes has a header that fits it: only the limit speaks against it. */
TEST(an_array_larger_than_the_machine_is_refused)
{
    const folder d = folder_make();
    const char *path = folder_path(&d, "a.npy");
    const char head[] = "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, "
                        "'shape': (140737488355328,), }";
    char text[128];
    zm_error err = { 0 };
    zm_npy a = { 0 };

    memset(text, ' ', sizeof text);
    memcpy(text, head, sizeof head - 1);
    text[127] = '\n';
    CHECK(zm_file_write(path, text, sizeof text, NULL) == ZM_OK);
    /* on a machine of 32 bits, and on a file system that holds no such file, the size does not
     * fit the header */
    if (sizeof(off_t) > 4 && truncate(path, (off_t)(128 + (INT64_C(1) << 50))) == 0) {
        CHECK(zm_npy_read(path, ZM_NPY_F64, &a, &err) == ZM_E_IO);
        CHECK_MSG(strstr(err.text, "the limit is"), "%s", err.text);
    } else {
        CHECK(zm_npy_read(path, ZM_NPY_F64, &a, &err) == ZM_E_FORMAT);
    }
    CHECK(folder_remove(&d) == 1);
}

TEST(a_text_beyond_the_limit_is_refused_by_its_length)
{
    const folder d = folder_make();
    const char *path = folder_path(&d, "a.csv");
    const char text[] = "row,col,time\n1,2,3\n";
    zm_observations table;
    zm_error err = { 0 };

    CHECK(zm_file_write(path, text, sizeof text - 1, NULL) == ZM_OK);
    CHECK(zm_observations_read(path, &table, &err) == ZM_OK);
    zm_observations_free(&table);
    zm_read_limit_set(sizeof text - 2);
    CHECK(zm_observations_read(path, &table, &err) == ZM_E_IO);
    CHECK_MSG(strstr(err.text, "more than 18 bytes"), "%s", err.text);
    zm_read_limit_set(0);
    CHECK(truncate(path, (off_t)1 << 29) == 0); /* 512 MiB of which none is on the disk */
    CHECK(zm_observations_read(path, &table, &err) == ZM_E_IO);
    CHECK_MSG(strstr(err.text, "more than 268435456 bytes"), "%s", err.text);
    CHECK(folder_remove(&d) == 1);
}

/* The open of a pipe without a writer would wait for ever, a device never ends. */
TEST(only_regular_files_are_opened_unless_they_are_open_already)
{
    const folder d = folder_make();
    const char *path = folder_path(&d, "pipe");
    size_t size = 0;
    FILE *file;
    zm_error err = { 0 };
    int ends[2];
    char given[32];

    CHECK(mkfifo(path, 0600) == 0);
    CHECK(zm_file_open(path, &file, &size, &err) == ZM_E_IO && !file);
    CHECK_MSG(strstr(err.text, "a pipe, must be a regular file"), "%s", err.text);
    CHECK(zm_file_open("/dev/zero", &file, &size, &err) == ZM_E_IO && !file);
    CHECK_MSG(strstr(err.text, "a device"), "%s", err.text);
    CHECK(zm_file_open(d.path, &file, &size, &err) == ZM_E_IO && !file);
    CHECK_MSG(strstr(err.text, "Is a directory"), "%s", err.text);
    CHECK(pipe(ends) == 0);
    snprintf(given, sizeof given, "/dev/fd/%d", ends[0]);
    CHECK(zm_file_open(given, &file, &size, &err) == ZM_OK);
    CHECK(size == ZM_FILE_SIZE_UNKNOWN);
    CHECK(write(ends[1], "x", 1) == 1 && fgetc(file) == 'x');
    fclose(file);
    close(ends[0]);
    close(ends[1]);
    CHECK(folder_remove(&d) == 1);
}

/* What has come through a named pipe is there when its writer has gone. */
TEST(a_pipe_that_is_open_is_read_without_its_writer)
{
    const folder d = folder_make();
    const char *path = folder_path(&d, "pipe");
    size_t size = 0;
    FILE *file;
    char given[32];
    int reader, writer;

    CHECK(mkfifo(path, 0600) == 0);
    reader = open(path, O_RDONLY | O_NONBLOCK);
    writer = open(path, O_WRONLY);
    CHECK(write(writer, "x", 1) == 1);
    close(writer);
    snprintf(given, sizeof given, "/dev/fd/%d", reader);
    CHECK(zm_file_open(given, &file, &size, NULL) == ZM_OK);
    CHECK(fgetc(file) == 'x' && fgetc(file) == EOF);
    fclose(file);
    close(reader);
    CHECK(folder_remove(&d) == 1);
}

/* The names of files may hold what a terminal obeys. */
TEST(messages_have_no_control_characters)
{
    zm_error err = { 0 };
    size_t size;
    FILE *file;

    CHECK(zm_file_open("/nowhere/a\033[2J\nb\xc2\x9b\x7f\xc3\xa9", &file, &size, &err) ==
          ZM_E_IO);
    CHECK_MSG(strstr(err.text, "/nowhere/a?[2J?b???\xc3\xa9: No such file"), "%s", err.text);
}
