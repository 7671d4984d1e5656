/* SPDX-License-Identifier: Apache-2.0
 * A text that grows, to be written as a file at once. */
#define _POSIX_C_SOURCE 200809L /* mkdir */
#include "core/growing_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/fail.h"
#include "core/new_file.h"
#include "core/shown_name.h"
#include "core/text_file.h"

void zm_text_add(zm_text *text, const char *format, ...)
{
    va_list args, again;
    int n;

    va_start(args, format);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, format, args);
    if (n > 0 && text->n + (size_t)n + 1 > text->room) {
        const size_t room = 2 * text->room + (size_t)n + 1024;
        char *more = realloc(text->bytes, room);

        text->failed |= !more;
        if (more) {
            text->bytes = more;
            text->room = room;
        }
    }
    if (n > 0 && !text->failed) {
        vsnprintf(text->bytes + text->n, (size_t)n + 1, format, again);
        text->n += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

static zm_status write_bytes(const zm_text *text, const char *path, zm_error *err)
{
    zm_new_file file;
    zm_status st = zm_new_file_open(&file, path, err);

    if (st < 0)
        return st;
    st = zm_new_file_append(&file, text->bytes, text->n, err);
    return zm_new_file_close(&file, st, err);
}

zm_status zm_text_save(zm_text *text, const char *folder, const char *name,
                       zm_error *err)
{
    char *path = zm_path_join(folder, name);
    const zm_status st = !path || text->failed
                             ? zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", name)
                             : write_bytes(text, path, err);

    free(path);
    free(text->bytes);
    *text = (zm_text){ 0 };
    return st;
}

zm_status zm_folder_make(const char *path, zm_error *err)
{
    const size_t n = strlen(path);
    char *part = malloc(n + 1);
    struct stat there;
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
        else if (stat(part, &there) || !S_ISDIR(there.st_mode))
            st = zm_fail(err, ZM_E_IO, -1, "cannot make folder %s: it is a file",
                         zm_shown_name(part));
    }
    free(part);
    return st;
}
