/* SPDX-License-Identifier: Apache-2.0
 * A text that grows. */
#ifndef ZM_CORE_TEXT_H
#define ZM_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "zermelo/status.h"

/** Start with { 0 }.  Not terminated by a zero. */
typedef struct zm_text {
    char *bytes;
    size_t n, room;
    bool failed; /**< no memory: what came later is missing */
} zm_text;

void zm_text_add(zm_text *text, const char *string);
void zm_text_add_bytes(zm_text *text, const void *bytes, size_t n);
__attribute__((format(printf, 2, 3))) void zm_text_print(zm_text *text,
                                                         const char *format, ...);

/** Adds a string of JSON.  Bytes that are no UTF-8, as names of files may have, become U+FFFD. */
void zm_text_add_quoted(zm_text *text, const char *string);

/** Adds a finite number with as few digits as read back the same. */
void zm_text_add_number(zm_text *text, double value);

/** Writes the text to a file as zm_file_write does; ZM_E_NOMEM where some of it is missing. */
zm_status zm_text_write(const zm_text *text, const char *path, zm_error *err);

/** The same to folder/name; frees the text. */
zm_status zm_text_save(zm_text *text, const char *folder, const char *name,
                       zm_error *err);

void zm_text_free(zm_text *text);

#endif
