/* SPDX-License-Identifier: Apache-2.0
 * A text that grows. */
#ifndef ZM_CLI_BUFFER_H
#define ZM_CLI_BUFFER_H

#include <stddef.h>

/** Start with { 0 }; not terminated by a zero. */
typedef struct buffer {
    char *bytes;
    size_t length, room;
} buffer;

void buffer_add_bytes(buffer *t, const void *bytes, size_t n);
void buffer_add(buffer *t, const char *string);
__attribute__((format(printf, 2, 3))) void buffer_print(buffer *t, const char *format,
                                                        ...);

/** The string with <, >, & and quotes as HTML wants them. */
void buffer_add_html(buffer *t, const char *string);

/** n bytes in base 64, for data: addresses. */
void buffer_add_base64(buffer *t, const void *bytes, size_t n);

void buffer_free(buffer *t);

#endif
