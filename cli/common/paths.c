/* SPDX-License-Identifier: Apache-2.0
 * Looks at the files of a command line before any work is done. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "value.h"
#include "verb.h"

/* The directory of a path, to be freed. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 0;
    char *directory = grow(NULL, length + 2, 1);

    if (slash) /* "/file" lies in "/" */
        memcpy(directory, path, length ? length : 1);
    else
        strcpy(directory, ".");
    directory[length ? length : 1] = '\0';
    return directory;
}

/* Two names of one file that does not exist yet: same directory, same last part. */
static bool same_place(const char *a, const char *b)
{
    const char *last_a = strrchr(a, '/'), *last_b = strrchr(b, '/');
    char *directory_a, *directory_b;
    struct stat in_a, in_b;
    bool same;

    if (strcmp(last_a ? last_a + 1 : a, last_b ? last_b + 1 : b) != 0)
        return false;
    directory_a = directory_of(a);
    directory_b = directory_of(b);
    same = !stat(directory_a, &in_a) && !stat(directory_b, &in_b) &&
           in_a.st_dev == in_b.st_dev && in_a.st_ino == in_b.st_ino;
    free(directory_a);
    free(directory_b);
    return same;
}

static bool same_resolved(const char *a, const char *b)
{
    char *real_a = realpath(a, NULL), *real_b = realpath(b, NULL);
    const bool same = real_a && real_b ? !strcmp(real_a, real_b) : same_place(a, b);

    free(real_a);
    free(real_b);
    return same;
}

/* Devices and pipes may be named twice, regular files not.  Equal file numbers alone do not
 * tell: when another run replaces a between the two calls, b may get the number that a had.
 * One file under two names has two links, or one of the names is a symbolic link. */
static bool same_file(const char *a, const char *b)
{
    struct stat info_a, info_b;

    if (!strcmp(a, "-") || !strcmp(b, "-"))
        return !strcmp(a, b);
    if (stat(a, &info_a) || stat(b, &info_b))
        return same_place(a, b);
    if (!S_ISREG(info_a.st_mode) || info_a.st_dev != info_b.st_dev ||
        info_a.st_ino != info_b.st_ino)
        return false;
    return info_b.st_nlink > 1 || same_resolved(a, b);
}

/* Why no file can be made in a directory, or NULL. */
static const char *obstacle_in(const char *directory)
{
    struct stat info;

    if (stat(directory, &info))
        return strerror(errno);
    if (!S_ISDIR(info.st_mode))
        return strerror(ENOTDIR);
    return access(directory, W_OK | X_OK) ? strerror(errno) : NULL;
}

static int check_writable(const option *o, const char *path)
{
    const char *obstacle;
    struct stat info;
    char *directory;
    int code = DONE;

    if (!strcmp(path, "-"))
        return DONE;
    if (!stat(path, &info) && !S_ISREG(info.st_mode))
        return S_ISDIR(info.st_mode)
                   ? failure("--%s %s is a directory; name a file in it", o->name, path)
                   : DONE;
    directory = directory_of(path);
    obstacle = obstacle_in(directory);
    if (obstacle)
        code = failure("--%s %s cannot be written: directory %s: %s", o->name, path,
                       directory, obstacle);
    free(directory);
    return code;
}

/* File number i of an option, or NULL. */
static const char *path_of(const option *o, const void *settings, size_t i)
{
    const void *field = (const char *)settings + o->offset;

    if (o->kind == OPTION_INPUTS) {
        const file_list *files = field;

        return i < files->count ? files->items[i] : NULL;
    }
    if ((o->kind != OPTION_INPUT && o->kind != OPTION_OUTPUT) || i > 0)
        return NULL;
    return *(const char *const *)field;
}

static bool has_file(const option *o, const void *settings, const char *path)
{
    const char *other;

    for (size_t i = 0; (other = path_of(o, settings, i)); i++)
        if (same_file(path, other))
            return true;
    return false;
}

/* Compares one output with all other files. */
static int check_output(const verb *v, const void *settings, const option *output)
{
    const char *path = path_of(output, settings, 0);

    for (int i = 0; i < MOST_OPTION_TABLES && v->tables[i]; i++) {
        for (const option *o = v->tables[i]->options; o->name; o++) {
            if (o != output && has_file(o, settings, path))
                return usage_error("--%s and --%s name the same file %s; give each "
                                   "its own",
                                   output->name, o->name, path);
        }
    }
    return check_writable(output, path);
}

int options_check_operands(const verb *v, const void *settings, char **operands, int n)
{
    for (int i = 0; i < MOST_OPTION_TABLES && v->tables[i]; i++)
        for (const option *o = v->tables[i]->options; o->name; o++)
            for (int k = 0; o->kind == OPTION_OUTPUT && k < n; k++)
                if (has_file(o, settings, operands[k]))
                    return usage_error("--%s names the input %s; give it a name of its own",
                                       o->name, operands[k]);
    return DONE;
}

int options_check_paths(const verb *v, const void *settings)
{
    for (int i = 0; i < MOST_OPTION_TABLES && v->tables[i]; i++) {
        for (const option *o = v->tables[i]->options; o->name; o++) {
            if (o->kind == OPTION_OUTPUT && path_of(o, settings, 0))
                TRY(check_output(v, settings, o));
        }
    }
    return DONE;
}
