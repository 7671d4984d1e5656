/* SPDX-License-Identifier: Apache-2.0
 * A text that grows, to be written as a file at once. */
#ifndef ZM_FIRE_GROWING_TEXT_H
#define ZM_FIRE_GROWING_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "zermelo/status.h"

/** Start with { 0 }. */
typedef struct zm_text {
    char *bytes;
    size_t n, room;
    bool failed; /**< no memory: what came later is missing, and saving fails */
} zm_text;

__attribute__((format(printf, 2, 3))) void zm_text_add(zm_text *text,
                                                       const char *format, ...);

/** Writes it to folder/name as zm_file_write does, and frees it. */
zm_status zm_text_save(zm_text *text, const char *folder, const char *name,
                       zm_error *err);

/** Makes a folder with those above it; ZM_OK also where it is there. */
zm_status zm_folder_make(const char *path, zm_error *err);

#endif
