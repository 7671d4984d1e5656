/* SPDX-License-Identifier: Apache-2.0
 * Whole files, and what their names tell. */
#ifndef ZM_CORE_FILE_H
#define ZM_CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/shown_name.h"
#include "zermelo/status.h"

/** More bytes than any table or description has: a mistaken name must not fill the memory. */
#define ZM_FILE_TEXT ((size_t)1 << 28)

/**
 * All bytes of a file or a pipe.
 *
 * @param most  in   most bytes it may have
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
