/* SPDX-License-Identifier: Apache-2.0
 * A file under construction, which takes the place of the old one when it is complete. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "core/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/temporary.h"

static zm_status fail_system(const zm_new_file *file, zm_error *err)
{
    return zm_fail_errno(err, ZM_E_IO, zm_shown_name(file->path));
}

/* Renaming over a device or a pipe would replace it: those are written to directly. */
static bool replaceable(const char *target)
{
    struct stat info;

    return stat(target, &info) != 0 || S_ISREG(info.st_mode);
}

/* Where the last of a chain of links leads that ends at nothing, to be freed; NULL and errno
 * without memory or where the links go round in a circle. */
static char *follow(const char *path)
{
    enum { MOST_LINKS = 40 };
    char *at = strdup(path);

    for (int i = 0; at; i++) {
        char link[PATH_MAX], *next;
        const char *slash = strrchr(at, '/');
        const ssize_t n = readlink(at, link, sizeof link - 1);
        size_t folder;

        if (n < 0)
            break; /* nothing there */
        if (i == MOST_LINKS) {
            free(at);
            errno = ELOOP;
            return NULL;
        }
        link[n] = '\0';
        folder = slash && link[0] != '/' ? (size_t)(slash - at) + 1 : 0;
        if ((next = malloc(folder + (size_t)n + 1))) {
            memcpy(next, at, folder);
            memcpy(next + folder, link, (size_t)n + 1);
        }
        free(at);
        at = next;
    }
    return at;
}

/* The file that a path leads to, also where it is not there yet, into file->target.  Its
 * descriptor, or that of a temporary file in its place; -1 and errno. */
static int open_target(zm_new_file *file)
{
    if (!(file->target = realpath(file->path, NULL)) &&
        !(file->target = follow(file->path)))
        return -1;
    return replaceable(file->target) ? zm_temporary_open(file->target, &file->temporary)
                                     : open(file->target, O_WRONLY | O_CLOEXEC);
}

static void forget(zm_new_file *file)
{
    if (file->lock >= 0)
        close(file->lock);
    free(file->temporary);
    free(file->target);
    *file = (zm_new_file){ .lock = -1 };
}

zm_status zm_new_file_open(zm_new_file *file, const char *path, zm_error *err)
{
    const int given = zm_file_descriptor(path);
    zm_status st = ZM_OK;
    int descriptor;

    *file = (zm_new_file){ .path = path, .lock = -1 };
    /* what is open already (/dev/stdout) goes on where it is, whatever it is */
    descriptor = given >= 0 ? fcntl(given, F_DUPFD_CLOEXEC, 0) : open_target(file);
    if (descriptor < 0) {
        st = zm_fail_errno(err, errno == ENOMEM ? ZM_E_NOMEM : ZM_E_IO, zm_shown_name(path));
    } else if (!(file->stream = fdopen(descriptor, "wb"))) {
        st = fail_system(file, err);
        close(descriptor);
        if (file->temporary)
            unlink(file->temporary);
    }
    if (st < 0)
        forget(file);
    else if (file->temporary)
        file->lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return st;
}

zm_status zm_new_file_append(zm_new_file *file, const void *bytes, size_t n,
                             zm_error *err)
{
    return fwrite(bytes, 1, n, file->stream) == n ? ZM_OK : fail_system(file, err);
}

/* The folder is written to the disk, so that the new name is there after a power cut.  Where
 * folders cannot be synchronised, nothing is lost but that. */
static void sync_folder(const char *target)
{
    const char *slash = strrchr(target, '/');
    char *folder = slash == target ? strdup("/")
                   : slash         ? strndup(target, (size_t)(slash - target))
                                   : strdup(".");
    const int descriptor = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    free(folder);
    if (descriptor < 0)
        return;
    (void)fsync(descriptor);
    close(descriptor);
}

/* All bytes are on the disk before the name changes: after a power cut the file is the old one
 * or the new one.  What is written to directly may be unable to synchronise. */
static zm_status finish(zm_new_file *file, zm_status st, zm_error *err)
{
    if (st >= 0 &&
        (fflush(file->stream) || (file->temporary && fsync(fileno(file->stream)))))
        st = fail_system(file, err);
    if (fclose(file->stream) && st >= 0)
        st = fail_system(file, err);
    if (st >= 0 && file->temporary) {
        if (rename(file->temporary, file->target))
            st = fail_system(file, err);
        else
            sync_folder(file->target);
    }
    return st;
}

zm_status zm_new_file_close(zm_new_file *file, zm_status st, zm_error *err)
{
    st = finish(file, st, err);
    if (st < 0 && file->temporary)
        unlink(file->temporary);
    forget(file);
    return st;
}

zm_status zm_new_file_write(const char *path, const void *bytes, size_t n,
                            zm_error *err)
{
    zm_new_file file;
    zm_status st;

    ZM_TRY(zm_new_file_open(&file, path, err));
    st = n ? zm_new_file_append(&file, bytes, n, err) : ZM_OK;
    return zm_new_file_close(&file, st, err);
}
