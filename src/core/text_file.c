/* SPDX-License-Identifier: Apache-2.0
 * Text files, paths and what of them goes into messages. */
#define _POSIX_C_SOURCE 200809L /* access */
#include "core/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/fail.h"
#include "core/shown_name.h"

/* More than any table of ours: a mistaken name must not fill the memory. */
#define MOST_BYTES ((size_t)1 << 28)

static zm_status read_stream(FILE *file, const char *path, char **bytes, size_t *n,
                             zm_error *err)
{
    size_t room = 0, got;

    do {
        if (*n + 1 >= room) {
            char *more =
                room > MOST_BYTES ? NULL : realloc(*bytes, room = 2 * room + 8192);

            if (!more)
                return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for %zu bytes",
                               zm_shown_name(path), room);
            *bytes = more;
        }
        got = fread(*bytes + *n, 1, room - *n - 1, file);
        *n += got;
    } while (got);
    (*bytes)[*n] = '\0';
    return ferror(file) ? zm_fail_errno(err, ZM_E_IO, zm_shown_name(path)) : ZM_OK;
}

zm_status zm_text_read(const char *path, char **bytes, size_t *n, zm_error *err)
{
    FILE *file = fopen(path, "rb");
    zm_status st;

    *bytes = NULL;
    *n = 0;
    if (!file)
        return zm_fail_errno(err, ZM_E_IO, zm_shown_name(path));
    st = read_stream(file, path, bytes, n, err);
    fclose(file);
    if (st < 0) {
        free(*bytes);
        *bytes = NULL;
    }
    return st;
}

char *zm_path_join(const char *folder, const char *name)
{
    const size_t room = strlen(folder) + strlen(name) + 2;
    char *path = malloc(room);

    if (path)
        snprintf(path, room, "%s/%s", folder, name);
    return path;
}

bool zm_path_exists(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}
