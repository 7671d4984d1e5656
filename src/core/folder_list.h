/* SPDX-License-Identifier: Apache-2.0
 * What is in a folder. */
#ifndef ZM_FIRE_FOLDER_LIST_H
#define ZM_FIRE_FOLDER_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "zermelo/status.h"

typedef struct zm_names {
    char **items; /**< sorted paths */
    size_t n;
} zm_names;

/** Paths of files (or of folders) in a folder, without hidden ones; empty where it cannot be
 *  read. */
zm_status zm_folder_list(const char *folder, bool folders, zm_names *out,
                         zm_error *err);
void zm_names_free(zm_names *names);

/** Last part of a path, and whether it ends so (case does not matter). */
const char *zm_path_name(const char *path);
bool zm_path_ends(const char *path, const char *ending);
/** Whether the name holds the word, in any case. */
bool zm_name_has(const char *name, const char *word);

#endif
