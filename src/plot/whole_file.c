/* SPDX-License-Identifier: Apache-2.0
 * A file that appears under its name only when it is complete. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "plot/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/fail.h"

static char *resolved(arena *memory, const char *path)
{
    char *real = realpath(path, NULL);
    const char *name = real ? real : path;
    char *copy = arena_copy(memory, name, strlen(name) + 1, 1);

    free(real);
    return copy;
}

/* open, and not mkstemp, because it applies the umask. */
static int open_temporary(whole_file *file, size_t room)
{
    enum { TRIES = 1000 };

    for (int i = 0; i < TRIES; i++) {
        int descriptor;

        snprintf(file->temporary, room, "%s.%ld-%d.tmp", file->target, (long)getpid(),
                 i);
        descriptor =
            open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

zm_status whole_file_open(whole_file *file, arena *memory, const char *path,
                          zm_error *err)
{
    size_t room;
    int descriptor;

    *file = (whole_file){ .target = resolved(memory, path) };
    room = file->target ? strlen(file->target) + 40 : 0;
    file->temporary = arena_alloc(memory, room, 1);
    if (!file->target || !file->temporary)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: its name", path);
    descriptor = open_temporary(file, room);
    if (descriptor < 0)
        return zm_fail_errno(err, ZM_E_IO, path);
    file->stream = fdopen(descriptor, "wb");
    if (!file->stream) {
        const zm_status st = zm_fail_errno(err, ZM_E_IO, path);

        close(descriptor);
        unlink(file->temporary);
        return st;
    }
    return ZM_OK;
}

zm_status whole_file_close(whole_file *file, zm_status st, zm_error *err)
{
    if (fclose(file->stream) && st == ZM_OK)
        st = zm_fail_errno(err, ZM_E_IO, file->target);
    if (st == ZM_OK && rename(file->temporary, file->target))
        st = zm_fail_errno(err, ZM_E_IO, file->target);
    if (st != ZM_OK)
        unlink(file->temporary);
    return st;
}
