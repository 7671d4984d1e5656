/* SPDX-License-Identifier: Apache-2.0
 * A file under construction, which takes the place of the old one when it is complete.
 */
#ifndef ZM_CORE_NEW_FILE_H
#define ZM_CORE_NEW_FILE_H

#include <stdio.h>

#include "zermelo/status.h"

typedef struct zm_new_file {
    const char *path; /**< as the caller named it; borrowed */
    FILE *stream;     /**< write here */
    char *target;     /**< path with symbolic links followed */
    char *temporary;  /**< NULL when the target is written to directly */
    int lock;         /**< keeps the lock of the temporary file until it has its name; -1: none */
} zm_new_file;

/** A whole file, n bytes: the old one is replaced at once, or left as it was. */
zm_status zm_new_file_write(const char *path, const void *bytes, size_t n,
                            zm_error *err);

/** Starts a file.  After a failure there is nothing to close. */
zm_status zm_new_file_open(zm_new_file *file, const char *path, zm_error *err);

/** n bytes more. */
zm_status zm_new_file_append(zm_new_file *file, const void *bytes, size_t n,
                             zm_error *err);

/** Ends it: with st >= 0 it replaces the old file, else it is removed and st returned.
 *  Releases everything in either case. */
zm_status zm_new_file_close(zm_new_file *file, zm_status st, zm_error *err);

#endif
