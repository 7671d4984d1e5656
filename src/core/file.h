/* SPDX-License-Identifier: Apache-2.0
 * Whole files, and what their names tell. */
#ifndef ZM_CORE_FILE_H
#define ZM_CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/shown_name.h"
#include "zermelo/status.h"

/** More bytes than any table or description has: a mistaken name must not fill the memory. */
#define ZM_FILE_TEXT ((size_t)1 << 28)

/** Number of what is open already under names such as /dev/stdin, /dev/stdout and /dev/fd/N; -1
 *  for other names. */
int zm_file_descriptor(const char *path);

/** Of what is no regular file, the size is not known beforehand. */
#define ZM_FILE_SIZE_UNKNOWN SIZE_MAX

/**
 * Opens a file to be read, without ever waiting for somebody to write it: a regular file, or,
 * under the names of what is open already (/dev/stdin, /dev/fd/N), whatever that is.
 *
 * @param file out  to be closed; NULL after a failure
 * @param size out  its bytes, or ZM_FILE_SIZE_UNKNOWN
 * @return ZM_OK, ZM_E_IO
 */
zm_status zm_file_open(const char *path, FILE **file, size_t *size, zm_error *err);

/** ZM_OK if the values of this file may take so many bytes (zermelo/limit.h); else ZM_E_IO,
 *  with what to do about it.  The second for files that may be compressed or sparse. */
zm_status zm_file_within_limit(const char *path, size_t bytes, zm_error *err);
zm_status zm_file_expands_within_limit(const char *path, size_t bytes, zm_error *err);

/**
 * All bytes of a file.
 *
 * @param most  in   most bytes it may have unless zm_read_limit_set has said otherwise
 * @param bytes out  *n bytes with a zero behind them, to be freed; NULL after a failure
 * @return ZM_OK, ZM_E_IO (cannot be read, or longer), ZM_E_NOMEM
 */
zm_status zm_file_read(const char *path, size_t most, char **bytes, size_t *n,
                       zm_error *err);

/** Whether there is a file or a folder of that name. */
bool zm_file_exists(const char *path);

/** Last part of a path, and whether it ends so (case does not matter). */
const char *zm_file_name(const char *path);
bool zm_file_ends(const char *path, const char *ending);
/** Whether the name holds the word, in any case. */
bool zm_file_name_has(const char *name, const char *word);

#endif
