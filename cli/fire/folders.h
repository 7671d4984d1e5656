/* SPDX-License-Identifier: Apache-2.0
 * Folders of scenes and of results. */
#ifndef ZM_CLI_FIRE_FOLDERS_H
#define ZM_CLI_FIRE_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

/** "folder/name", to be freed. */
char *path_in(const char *folder, const char *name);

/** The last part of a path, without a slash at its end; to be freed. */
char *last_name(const char *path);

/** Whether there is a file or folder of that name in the folder. */
bool has_file(const char *folder, const char *name);

/** Makes the folder, and those it is in; DONE also where it is there. */
int make_folder(const char *path);

/** Names, to be freed with names_free. */
typedef struct names {
    char **items;
    size_t n;
} names;
void names_add(names *list, const char *name);
void names_free(names *list);

/** Folders in `folder`, also two levels down (coarse_100m/arkadia), that hold a file `name`;
 *  relative to it, sorted. */
names folders_with(const char *folder, const char *name);

/** The scenes of a dataset: those between the commas of `wanted` (a last * stands for any
 *  ending), all where it is NULL.  DONE, or FAILED after a message. */
int choose_scenes(const char *data, const char *wanted, names *out);

/** The observed fires of a folder whose names are between the commas; "all": all of them.  DONE,
 *  or FAILED after a message. */
int choose_observed(const char *data, const char *wanted, names *out);

/** Whether the folder has the perimeters of an observed fire. */
bool is_observed(const char *folder);

#endif
