/* SPDX-License-Identifier: Apache-2.0
 * A text that grows. */
#include "core/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/new_file.h"
#include "core/plain_number.h"
#include "core/shown_name.h"

/* Where n bytes more may be written; NULL: nowhere. */
static char *room_for(zm_text *t, size_t n)
{
    if (!t->failed)
        t->failed =
            n > SIZE_MAX - t->n || !zm_array_reserve(&t->bytes, &t->room, t->n + n, 1);
    return t->failed ? NULL : t->bytes + t->n;
}

void zm_text_add_bytes(zm_text *text, const void *bytes, size_t n)
{
    char *to = n ? room_for(text, n) : NULL;

    if (!to)
        return;
    memcpy(to, bytes, n);
    text->n += n;
}

void zm_text_add(zm_text *text, const char *string)
{
    zm_text_add_bytes(text, string, strlen(string));
}

void zm_text_print(zm_text *text, const char *format, ...)
{
    va_list arguments, again;
    char *to;
    int n;

    va_start(arguments, format);
    va_copy(again, arguments);
    n = zm_plain_print(NULL, 0, format, again);
    va_end(again);
    to = n > 0 ? room_for(text, (size_t)n + 1) : NULL;
    if (to) {
        zm_plain_print(to, (size_t)n + 1, format, arguments);
        text->n += (size_t)n;
    }
    va_end(arguments);
}

void zm_text_add_quoted(zm_text *text, const char *string)
{
    zm_text_add(text, "\"");
    for (const unsigned char *c = (const unsigned char *)string; *c;) {
        const size_t n = zm_utf8_length(c);

        if (n == 0)
            zm_text_add(text, "\\ufffd");
        else if (*c == '"' || *c == '\\')
            zm_text_print(text, "\\%c", *c);
        else if (*c < ' ' || *c == 0x7f)
            zm_text_print(text, "\\u%04x", (unsigned)*c);
        else if (*c == 0xc2 && c[1] < 0xa0) /* controls as well */
            zm_text_print(text, "\\u%04x", (unsigned)c[1]);
        else
            zm_text_add_bytes(text, c, n);
        c += n ? n : 1;
    }
    zm_text_add(text, "\"");
}

void zm_text_add_number(zm_text *text, double value)
{
    enum { ALWAYS_ENOUGH = 17 }; /* digits of a double */
    char word[40];
    double back;

    for (int digits = 10; digits <= ALWAYS_ENOUGH; digits++) {
        zm_plain_text(word, sizeof word, "%.*g", digits, value);
        if (zm_plain_number(word, &back) && back == value)
            break;
    }
    zm_text_add(text, word);
}

zm_status zm_text_write(const zm_text *text, const char *path, zm_error *err)
{
    return text->failed ? zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for its text",
                                  zm_shown_name(path))
                        : zm_new_file_write(path, text->bytes, text->n, err);
}

zm_status zm_text_save(zm_text *text, const char *folder, const char *name,
                       zm_error *err)
{
    char *path = zm_folder_join(folder, name);
    const zm_status st = path ? zm_text_write(text, path, err)
                              : zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", name);

    free(path);
    zm_text_free(text);
    return st;
}

void zm_text_free(zm_text *text)
{
    free(text->bytes);
    *text = (zm_text){ 0 };
}
