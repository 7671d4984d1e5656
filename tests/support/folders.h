/* SPDX-License-Identifier: Apache-2.0
 * A temporary folder for the files that a test writes. */
#ifndef ZM_TESTS_FOLDERS_H
#define ZM_TESTS_FOLDERS_H

#include <stddef.h>

typedef struct folder {
    char path[64];
} folder;

folder folder_make(void);

/** Path of a file in it; good until the fourth call after this one. */
const char *folder_path(const folder *f, const char *name);

/** Number of files, hidden ones too. */
int folder_count(const folder *f);

/** What a file holds, with a NUL behind it; to be freed; NULL where there is none. */
char *folder_read(const folder *f, const char *name, size_t *size);

/** Removes the folder with all that is in it; how many files there were. */
int folder_remove(const folder *f);

#endif
