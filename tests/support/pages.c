/* SPDX-License-Identifier: Apache-2.0
 * Pages taken apart again. */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include "support/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct text {
    char *bytes;
    size_t n;
} text;

static int take(void *ctx, const void *bytes, size_t n)
{
    text *t = ctx;
    char *grown = realloc(t->bytes, t->n + n + 1);

    if (!grown)
        return 1;
    memcpy(grown + t->n, bytes, n);
    t->bytes = grown;
    t->n += n;
    t->bytes[t->n] = '\0';
    return 0;
}

char *page_text(const zm_view *page, size_t *n)
{
    text t = { 0 };

    if (zm_view_write_to(page, take, &t, NULL) != ZM_OK) {
        free(t.bytes);
        return NULL;
    }
    *n = t.n;
    return t.bytes;
}

char *page_element(const char *html, const char *id)
{
    char mark[64];
    const char *from, *to;

    snprintf(mark, sizeof mark, " id=\"%s\">", id);
    from = strstr(html, mark);
    to = from ? strstr(from, "</script>") : NULL;
    return to ? strndup(from + strlen(mark), (size_t)(to - from) - strlen(mark)) : NULL;
}

static int letter(char c)
{
    static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(all, c) : NULL;

    return at ? (int)(at - all) : -1;
}

/* In place; how many bytes. */
static size_t from_base64(char *s)
{
    unsigned char *to = (unsigned char *)s;
    size_t n = 0;
    unsigned bits = 0, have = 0;

    for (; letter(*s) >= 0; s++) {
        bits = bits << 6 | (unsigned)letter(*s);
        have += 6;
        if (have >= 8) {
            have -= 8;
            to[n++] = (unsigned char)(bits >> have);
        }
    }
    return n;
}

unsigned char *page_bytes(const char *html, const char *id, size_t *n)
{
    char *packed = page_element(html, id);
    size_t room = 1 << 12;
    unsigned char *out = NULL;
    int answer = Z_BUF_ERROR;
    size_t length;

    if (!packed)
        return NULL;
    length = from_base64(packed);
    while (answer == Z_BUF_ERROR) {
        uLongf got = (uLongf)(room *= 2);

        free(out);
        out = malloc(room);
        answer = uncompress(out, &got, (const Bytef *)packed, (uLong)length);
        *n = got;
    }
    free(packed);
    if (answer != Z_OK) {
        free(out);
        out = NULL;
    }
    return out;
}

unsigned char *page_values(const char *html, const char *id, size_t width, size_t *n)
{
    unsigned char *planes = page_bytes(html, id, n), *out = planes ? malloc(*n + 1) : NULL;

    for (size_t k = 0, count = *n / width; out && k < width; k++)
        for (size_t i = 0; i < count; i++)
            out[i * width + k] = planes[k * count + i]; /* little-endian, as this machine */
    free(planes);
    return out;
}
