/* SPDX-License-Identifier: Apache-2.0
 * Folders and what is in them. */
#define _POSIX_C_SOURCE 200809L /* dirent, mkdir */
#include "core/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/array.h"
#include "core/fail.h"
#include "core/shown_name.h"

static int in_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_folder(const char *path)
{
    struct stat info;

    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

/* Room for n names more. */
static zm_status make_room(zm_folder_names *names, size_t n, zm_error *err)
{
    return zm_array_reserve(&names->items, &names->room, names->n + n,
                            sizeof *names->items)
               ? ZM_OK
               : zm_fail(err, ZM_E_NOMEM, -1, "no memory for names");
}

zm_status zm_folder_names_add(zm_folder_names *names, char *path, zm_error *err)
{
    const zm_status st = make_room(names, 1, err);

    if (st >= 0)
        names->items[names->n++] = path;
    else
        free(path);
    return st;
}

zm_status zm_folder_list(const char *folder, bool folders, zm_folder_names *out,
                         zm_error *err)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    zm_status st = ZM_OK;

    *out = (zm_folder_names){ 0 };
    if (!dir && errno != ENOENT && errno != ENOTDIR)
        return zm_fail_errno(err, errno == ENOMEM ? ZM_E_NOMEM : ZM_E_IO,
                             zm_shown_name(folder));
    while (st >= 0 && dir && (errno = 0, entry = readdir(dir))) {
        char *path =
            entry->d_name[0] == '.' ? NULL : zm_folder_join(folder, entry->d_name);

        if (path && is_folder(path) == folders)
            st = zm_folder_names_add(out, path, err);
        else if (!path && entry->d_name[0] != '.')
            st = zm_fail(err, ZM_E_NOMEM, -1, "no memory for names");
        else
            free(path);
    }
    if (st >= 0 && dir && errno) /* not the end of the folder */
        st = zm_fail_errno(err, ZM_E_IO, zm_shown_name(folder));
    if (dir)
        closedir(dir);
    if (st < 0)
        zm_folder_names_free(out);
    else if (out->n)
        qsort(out->items, out->n, sizeof *out->items, in_order);
    return st;
}

zm_status zm_folder_names_append(zm_folder_names *to, zm_folder_names *from,
                                 zm_error *err)
{
    const zm_status st = make_room(to, from->n, err);

    if (st >= 0 && from->n) {
        memcpy(to->items + to->n, from->items, from->n * sizeof *from->items);
        to->n += from->n;
        from->n = 0;
    }
    zm_folder_names_free(from);
    return st;
}

void zm_folder_names_free(zm_folder_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->items[i]);
    free(names->items);
    *names = (zm_folder_names){ 0 };
}

zm_status zm_folder_make(const char *path, zm_error *err)
{
    const size_t n = strlen(path);
    char *part = malloc(n + 1);
    zm_status st = ZM_OK;

    if (!part)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for a path");
    for (size_t i = 1; st >= 0 && i <= n; i++) {
        if (path[i] && path[i] != '/')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) == 0)
            continue;
        if (errno != EEXIST)
            st = zm_fail_errno(err, ZM_E_IO, zm_shown_name(part));
        else if (!is_folder(part))
            st = zm_fail(err, ZM_E_IO, -1, "cannot make folder %s: it is a file",
                         zm_shown_name(part));
    }
    free(part);
    return st;
}

char *zm_folder_join(const char *folder, const char *name)
{
    const size_t room = strlen(folder) + strlen(name) + 2;
    char *path = malloc(room);

    if (path)
        (void)snprintf(path, room, "%s/%s", folder, name);
    return path;
}
