/* SPDX-License-Identifier: Apache-2.0
 * Whole files: written at once, or left as they were. */
#define _DEFAULT_SOURCE /* symlink, flock */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "support/folders.h"
#include "zermelo/file.h"
#include "zermelo/npy.h"

TEST(a_full_device_is_an_error_and_stays_a_device)
{
    const size_t shape[1] = { 1 };
    const double one = 1;
    struct stat info;
    zm_error err = { 0 };

    if (stat("/dev/full", &info) || !S_ISCHR(info.st_mode)) {
        test_skip(t, "no /dev/full");
        return;
    }
    CHECK(zm_npy_write("/dev/full", ZM_NPY_F64, 1, shape, &one, &err) == ZM_E_IO);
    CHECK(zm_file_write("/dev/full", "x", 1, &err) == ZM_E_IO);
    CHECK(!stat("/dev/full", &info) && S_ISCHR(info.st_mode));
}

TEST(new_files_get_the_permissions_any_new_file_gets)
{
    const folder d = folder_make();
    const char *path = folder_path(&d, "a.txt");
    const mode_t old = umask(027);
    struct stat info;

    CHECK(zm_file_write(path, "x", 1, NULL) == ZM_OK);
    umask(old);
    CHECK(!stat(path, &info) && (info.st_mode & 0777) == 0640);
    folder_remove(&d);
}

TEST(a_symbolic_link_is_followed_and_stays_a_link)
{
    const folder d = folder_make();
    const char *path = folder_path(&d, "a.txt"), *link = folder_path(&d, "link.txt");
    struct stat info;

    CHECK(zm_file_write(path, "old", 3, NULL) == ZM_OK);
    CHECK(!symlink("a.txt", link));
    CHECK(zm_file_write(link, "fresh", 5, NULL) == ZM_OK);
    CHECK(!lstat(link, &info) && S_ISLNK(info.st_mode));
    CHECK(!stat(path, &info) && info.st_size == 5);
    CHECK(folder_remove(&d) == 2);
}

static void put_locked(const char *path, bool locked, int *descriptor)
{
    *descriptor = open(path, O_WRONLY | O_CREAT, 0666);
    if (locked)
        flock(*descriptor, LOCK_EX);
    else
        close(*descriptor);
}

/* What a killed program leaves is removed by the next that writes beside it; what a living one
 * is at, and what only looks alike, stays. */
TEST(temporary_files_without_a_writer_are_collected)
{
    static const char *const names[] = { "b.npy.zermelo-77-0.tmp", /* left over */
                                         "a.txt.zermelo-1-12.tmp",
                                         "b.npy.zermelo-78-0.tmp", /* being written */
                                         "b.npy.78-0.tmp",         /* somebody else's */
                                         "x.zermelo-7.tmp", "y.zermelo-7-.tmp",
                                         ".zermelo-7-1.tmp", "z.zermelo-7-1.tmp.gz" };
    enum { N = sizeof names / sizeof *names, LEFT = 2, LIVING = 2 };
    const folder d = folder_make();
    struct stat info;
    int descriptor, living = -1;

    for (int i = 0; i < N; i++) {
        put_locked(folder_path(&d, names[i]), i == LIVING, &descriptor);
        if (i == LIVING)
            living = descriptor;
    }
    CHECK(!symlink("target", folder_path(&d, "l.zermelo-7-1.tmp")));
    CHECK(zm_file_write(folder_path(&d, "a.txt"), "x", 1, NULL) == ZM_OK);
    for (int i = 0; i < N; i++)
        CHECK_MSG((lstat(folder_path(&d, names[i]), &info) != 0) == (i < LEFT), "%s",
                  names[i]);
    CHECK(!lstat(folder_path(&d, "l.zermelo-7-1.tmp"), &info));
    close(living);
    CHECK(zm_file_write(folder_path(&d, "a.txt"), "x", 1, NULL) == ZM_OK);
    CHECK(lstat(folder_path(&d, names[LIVING]), &info) != 0);
    folder_remove(&d);
}

/* A reader that holds the old file open goes on seeing it; no bytes make an empty file. */
TEST(a_file_is_replaced_under_a_reader)
{
    const folder d = folder_make();
    char *now, old[4] = "";
    size_t n = 9;
    int reader;

    CHECK(zm_file_write(folder_path(&d, "a"), "old", 3, NULL) == ZM_OK);
    reader = open(folder_path(&d, "a"), O_RDONLY);
    CHECK(zm_file_write(folder_path(&d, "a"), NULL, 0, NULL) == ZM_OK);
    CHECK(read(reader, old, 3) == 3 && !strcmp(old, "old"));
    close(reader);
    now = folder_read(&d, "a", &n);
    CHECK(now && n == 0);
    free(now);
    CHECK(folder_remove(&d) == 1);
}

/* A link to a file that is not there yet makes that file, and stays a link. */
TEST(links_are_followed_where_they_lead_nowhere_yet)
{
    const folder d = folder_make();
    char link[700];
    struct stat info;
    size_t n = 0;
    char *text;

    snprintf(link, sizeof link, "%s", folder_path(&d, "link"));
    CHECK(symlink("new", link) == 0);
    CHECK(zm_file_write(link, "abc", 3, NULL) == ZM_OK);
    CHECK(!lstat(link, &info) && S_ISLNK(info.st_mode));
    text = folder_read(&d, "new", &n);
    CHECK(text && n == 3);
    free(text);
    CHECK(zm_file_write(link, "de", 2, NULL) == ZM_OK); /* now there is one */
    CHECK(!lstat(link, &info) && S_ISLNK(info.st_mode));
    CHECK(unlink(link) == 0 && symlink("no/new", link) == 0);
    CHECK(zm_file_write(link, "abc", 3, NULL) == ZM_E_IO);
    CHECK(unlink(link) == 0 && symlink("link", link) == 0); /* round in a circle */
    CHECK(zm_file_write(link, "abc", 3, NULL) == ZM_E_IO);
    CHECK(folder_remove(&d) == 2);
}

/* As in `(echo before; tool; echo after) > file`: all three are in it. */
TEST(what_is_open_already_goes_on_where_it_is)
{
    const folder d = folder_make();
    const int file = open(folder_path(&d, "a"), O_RDWR | O_CREAT, 0600);
    char given[32], *text;
    size_t n = 0;

    CHECK(write(file, "before ", 7) == 7);
    snprintf(given, sizeof given, "/dev/fd/%d", file);
    CHECK(zm_file_write(given, "here ", 5, NULL) == ZM_OK);
    CHECK(write(file, "after", 5) == 5);
    text = folder_read(&d, "a", &n);
    CHECK(text && n == 17 && !memcmp(text, "before here after", 17));
    free(text);
    CHECK(unlink(folder_path(&d, "a")) == 0); /* a file without a name will do */
    CHECK(zm_file_write(given, "more", 4, NULL) == ZM_OK);
    CHECK(lseek(file, 0, SEEK_END) == 21);
    close(file);
    CHECK(folder_remove(&d) == 0);
}

TEST(what_is_no_regular_file_is_written_to_directly)
{
    const folder d = folder_make();
    const char *path = folder_path(&d, "pipe");
    struct stat info;
    char text[4] = "";
    int reader;

    CHECK(!mkfifo(path, 0600));
    reader = open(path, O_RDONLY | O_NONBLOCK);
    CHECK(zm_file_write(path, "abc", 3, NULL) == ZM_OK);
    CHECK(read(reader, text, 3) == 3 && !strcmp(text, "abc"));
    CHECK(!stat(path, &info) && S_ISFIFO(info.st_mode));
    close(reader);
    CHECK(folder_remove(&d) == 1);
}

TEST(a_file_needs_a_path_and_bytes)
{
    const folder d = folder_make();
    zm_error err = { 0 };

    CHECK(zm_file_write(NULL, "x", 1, &err) == ZM_E_ARG);
    CHECK(zm_file_write(folder_path(&d, "a"), NULL, 1, &err) == ZM_E_ARG);
    CHECK(zm_file_write(folder_path(&d, "no/a"), "x", 1, &err) == ZM_E_IO);
    CHECK_MSG(strstr(err.text, "no/a: No such file"), "%s", err.text);
    CHECK(folder_remove(&d) == 0);
}
