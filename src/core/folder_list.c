/* SPDX-License-Identifier: Apache-2.0
 * What is in a folder. */
#define _POSIX_C_SOURCE 200809L /* strcasecmp, dirent */
#include "core/folder_list.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "core/fail.h"
#include "core/text_file.h"

static int in_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_folder(const char *path)
{
    struct stat info;

    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

static bool add(zm_names *names, char *path)
{
    char **more = realloc(names->items, (names->n + 1) * sizeof *more);

    if (!more)
        return false;
    names->items = more;
    names->items[names->n++] = path;
    return true;
}

zm_status zm_folder_list(const char *folder, bool folders, zm_names *out, zm_error *err)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    zm_status st = ZM_OK;

    *out = (zm_names){ 0 };
    while (st >= 0 && dir && (entry = readdir(dir))) {
        char *path;

        if (entry->d_name[0] == '.')
            continue;
        path = zm_path_join(folder, entry->d_name);
        if (path && is_folder(path) != folders)
            free(path);
        else if (!path || !add(out, path))
            st = zm_fail(err, ZM_E_NOMEM, -1, "no memory for names");
    }
    if (dir)
        closedir(dir);
    if (st < 0)
        zm_names_free(out);
    else if (out->n)
        qsort(out->items, out->n, sizeof *out->items, in_order);
    return st;
}

void zm_names_free(zm_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->items[i]);
    free(names->items);
    *names = (zm_names){ 0 };
}

const char *zm_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool zm_path_ends(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);

    return n >= m && !strcasecmp(path + n - m, ending);
}

bool zm_name_has(const char *name, const char *word)
{
    const size_t m = strlen(word);

    for (; strlen(name) >= m; name++)
        if (!strncasecmp(name, word, m))
            return true;
    return false;
}
