/* SPDX-License-Identifier: Apache-2.0
 * A temporary folder for the files that a test writes. */
#define _XOPEN_SOURCE 700
#include "support/folders.h"

#include <dirent.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

folder folder_make(void)
{
    folder f = { "/tmp/zm_test_XXXXXX" };

    if (!mkdtemp(f.path))
        exit(2);
    return f;
}

const char *folder_path(const folder *f, const char *name)
{
    static char paths[4][400];
    static int next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof *paths, "%s/%s", f->path, name);
    return path;
}

static bool is_file(const struct dirent *e)
{
    return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

int folder_count(const folder *f)
{
    DIR *dir = opendir(f->path);
    int n = 0;

    for (struct dirent *e; (e = readdir(dir));)
        n += is_file(e);
    closedir(dir);
    return n;
}

char *folder_read(const folder *f, const char *name, size_t *size)
{
    FILE *file = fopen(folder_path(f, name), "rb");
    char *bytes = NULL;
    long length;

    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0 &&
        (bytes = calloc(1, (size_t)length + 1))) {
        rewind(file);
        *size = fread(bytes, 1, (size_t)length, file);
    }
    fclose(file);
    return bytes;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

int folder_remove(const folder *f)
{
    const int n = folder_count(f);

    nftw(f->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return n;
}
