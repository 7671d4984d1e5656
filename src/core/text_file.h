/* SPDX-License-Identifier: Apache-2.0
 * Text files, paths and what of them goes into messages. */
#ifndef ZM_FIRE_TEXT_FILE_H
#define ZM_FIRE_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/shown_name.h"
#include "zermelo/status.h"

/** All bytes of a file with a NUL behind them; to be freed. */
zm_status zm_text_read(const char *path, char **bytes, size_t *n, zm_error *err);

/** "folder/name", to be freed; NULL when out of memory. */
char *zm_path_join(const char *folder, const char *name);

/** 1: there is a file (or folder) of that name. */
bool zm_path_exists(const char *path);

#endif
