/* SPDX-License-Identifier: Apache-2.0
 * Whole files, and what their names tell. */
#define _POSIX_C_SOURCE 200809L /* strcasecmp, stat */
#include "core/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "core/array.h"
#include "core/fail.h"

static zm_status read_stream(FILE *file, const char *path, size_t most, char **bytes,
                             size_t *n, zm_error *err)
{
    enum { BLOCK = 1 << 16 };
    size_t room = 0, got;

    do {
        if (!zm_array_reserve(bytes, &room, *n + BLOCK + 1, 1))
            return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for its bytes",
                           zm_shown_name(path));
        got = fread(*bytes + *n, 1, room - *n - 1, file);
        *n += got;
        if (*n > most)
            return zm_fail(err, ZM_E_IO, -1, "%s: more than %zu bytes",
                           zm_shown_name(path), most);
    } while (got);
    (*bytes)[*n] = '\0';
    return ferror(file) ? zm_fail_errno(err, ZM_E_IO, zm_shown_name(path)) : ZM_OK;
}

zm_status zm_file_read(const char *path, size_t most, char **bytes, size_t *n,
                       zm_error *err)
{
    FILE *file = fopen(path, "rb");
    zm_status st;

    *bytes = NULL;
    *n = 0;
    if (!file)
        return zm_fail_errno(err, ZM_E_IO, zm_shown_name(path));
    st = read_stream(file, path, most, bytes, n, err);
    fclose(file);
    if (st < 0) {
        free(*bytes);
        *bytes = NULL;
        *n = 0;
    }
    return st;
}

bool zm_file_exists(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}

const char *zm_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool zm_file_ends(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);

    return n >= m && !strcasecmp(path + n - m, ending);
}

bool zm_file_name_has(const char *name, const char *word)
{
    const size_t m = strlen(word);

    for (; strlen(name) >= m; name++)
        if (!strncasecmp(name, word, m))
            return true;
    return false;
}
