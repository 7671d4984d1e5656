/* SPDX-License-Identifier: Apache-2.0
 * A text that grows. */
#include "buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value.h"

static char *room_for(buffer *t, size_t n)
{
    if (t->length + n > t->room) {
        t->room = 2 * (t->length + n);
        t->bytes = grow(t->bytes, t->room, 1);
    }
    return t->bytes + t->length;
}

void buffer_add_bytes(buffer *t, const void *bytes, size_t n)
{
    if (n)
        memcpy(room_for(t, n), bytes, n);
    t->length += n;
}

void buffer_add(buffer *t, const char *string)
{
    buffer_add_bytes(t, string, strlen(string));
}

void buffer_print(buffer *t, const char *format, ...)
{
    va_list arguments, again;
    int n;

    va_start(arguments, format);
    va_copy(again, arguments);
    n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    vsnprintf(room_for(t, (size_t)n + 1), (size_t)n + 1, format, arguments);
    va_end(arguments);
    t->length += (size_t)n;
}

void buffer_add_html(buffer *t, const char *string)
{
    for (; *string; string++) {
        switch (*string) {
        case '<':
            buffer_add(t, "&lt;");
            break;
        case '>':
            buffer_add(t, "&gt;");
            break;
        case '&':
            buffer_add(t, "&amp;");
            break;
        case '"':
            buffer_add(t, "&quot;");
            break;
        default:
            buffer_add_bytes(t, string, 1);
        }
    }
}

void buffer_add_base64(buffer *t, const void *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                 "0123456789+/";
    const unsigned char *in = bytes;

    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i < 3 ? n - i : 3;
        uint32_t group = 0;
        char out[4];

        for (size_t k = 0; k < 3; k++)
            group = group << 8 | (k < left ? in[i + k] : 0u);
        for (size_t k = 0; k < 4; k++)
            out[k] = k <= left ? digits[group >> (18 - 6 * k) & 63] : '=';
        buffer_add_bytes(t, out, sizeof out);
    }
}

void buffer_free(buffer *t)
{
    free(t->bytes);
    *t = (buffer){ 0 };
}
