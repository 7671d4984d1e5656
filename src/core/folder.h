/* SPDX-License-Identifier: Apache-2.0
 * Folders and what is in them. */
#ifndef ZM_CORE_FOLDER_H
#define ZM_CORE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "zermelo/status.h"

/** Start with { 0 }. */
typedef struct zm_folder_names {
    char **items; /**< paths, each to be freed */
    size_t n, room;
} zm_folder_names;

/** Sorted paths of files (or of folders) in a folder, without hidden ones; empty where there is no
 *  such folder.  @return ZM_OK, ZM_E_IO (it cannot be read), ZM_E_NOMEM */
zm_status zm_folder_list(const char *folder, bool folders, zm_folder_names *out,
                         zm_error *err);

/** Adds a path, which is freed with the names, or at once where there is no room. */
zm_status zm_folder_names_add(zm_folder_names *names, char *path, zm_error *err);

/** Moves the names of `from` behind those of `to`; `from` is empty then, also after a
 *  failure. */
zm_status zm_folder_names_append(zm_folder_names *to, zm_folder_names *from,
                                 zm_error *err);
void zm_folder_names_free(zm_folder_names *names);

/** Makes a folder with those above it; ZM_OK also where it is there. */
zm_status zm_folder_make(const char *path, zm_error *err);

/** "folder/name", to be freed; NULL when out of memory. */
char *zm_folder_join(const char *folder, const char *name);

#endif
