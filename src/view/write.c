/* SPDX-License-Identifier: Apache-2.0
 * Writes a page: the template, with facts, fields and solver in it. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/new_file.h"
#include "view/page.h"
#include "web/embedded.h"

/* ---- where it goes ---------------------------------------------------------------------------- */

/* Without a sink bytes are only counted. */
typedef struct output {
    zm_view_sink *sink;
    void *ctx;
    size_t n;
} output;

static zm_status give(output *out, const void *bytes, size_t n, zm_error *err)
{
    out->n += n;
    return n && out->sink && out->sink(out->ctx, bytes, n)
               ? zm_fail(err, ZM_E_CANCELLED, -1, "the sink of a page ended it")
               : ZM_OK;
}

static zm_status say(output *out, const char *string, zm_error *err)
{
    return give(out, string, strlen(string), err);
}

/* Base64 of bytes that come in pieces. */
typedef struct base64 {
    output *out;
    unsigned char left[3]; /* bytes that are no whole group yet */
    size_t n_left, n;
    char text[1 << 12];
} base64;

static void encode(const unsigned char from[3], char to[4])
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned group = (unsigned)from[0] << 16 | (unsigned)from[1] << 8 | from[2];

    for (int k = 0; k < 4; k++)
        to[k] = letters[group >> (18 - 6 * k) & 63];
}

static zm_status base64_flush(base64 *b, zm_error *err)
{
    const size_t n = b->n;

    b->n = 0;
    return give(b->out, b->text, n, err);
}

static zm_status base64_add(base64 *b, const unsigned char *bytes, size_t n, zm_error *err)
{
    if (!b->out->sink) { /* counted as a whole at the end */
        b->n_left += n;
        return ZM_OK;
    }
    for (size_t i = 0; i < n; i++) {
        b->left[b->n_left++] = bytes[i];
        if (b->n_left < 3)
            continue;
        encode(b->left, b->text + b->n);
        b->n_left = 0;
        b->n += 4;
        if (b->n == sizeof b->text)
            ZM_TRY(base64_flush(b, err));
    }
    return ZM_OK;
}

static zm_status base64_end(base64 *b, zm_error *err)
{
    if (!b->out->sink) {
        b->out->n += zm_view_base64_length(b->n_left);
        return ZM_OK;
    }
    if (b->n_left) {
        memset(b->left + b->n_left, 0, 3 - b->n_left);
        encode(b->left, b->text + b->n);
        memset(b->text + b->n + b->n_left + 1, '=', 3 - b->n_left);
        b->n += 4;
    }
    return base64_flush(b, err);
}

/* ---- facts ------------------------------------------------------------------------------------ */

/* What a script element or an old engine might take for more than text: "<", and the two ends of
 * lines that JSON allows in strings.  Outside of strings none of them occurs. */
static zm_status say_facts(output *out, const zm_text *t, zm_error *err)
{
    size_t from = 0;

    for (size_t i = 0; i < t->n; i++) {
        const unsigned char *c = (const unsigned char *)t->bytes + i;
        const bool line = t->n - i >= 3 && c[0] == 0xe2 && c[1] == 0x80 && (c[2] | 1) == 0xa9;

        if (*c != '<' && !line)
            continue;
        ZM_TRY(give(out, t->bytes + from, i - from, err));
        ZM_TRY(say(out, *c == '<' ? "\\u003c" : c[2] == 0xa8 ? "\\u2028" : "\\u2029", err));
        from = i + (line ? 3 : 1);
        i = from - 1;
    }
    return give(out, t->bytes + from, t->n - from, err);
}

/* "key":open text close, where there is a text. */
static zm_status say_part(output *out, const char *key, const char *open, const zm_text *t,
                          const char *close, zm_error *err)
{
    if (!t->n)
        return ZM_OK;
    ZM_TRY(say(out, ",\"", err));
    ZM_TRY(say(out, key, err));
    ZM_TRY(say(out, "\":", err));
    ZM_TRY(say(out, open, err));
    ZM_TRY(say_facts(out, t, err));
    return say(out, close, err);
}

static zm_status say_all_facts(output *out, const zm_view *page, zm_error *err)
{
    const bool fire = page->model.n > 0;

    ZM_TRY(say(out, "<script type=\"application/json\" id=\"facts\">{\"format\":1,\"kind\":", err));
    ZM_TRY(say(out, fire ? "\"fire\"," : "\"grid\",", err));
    ZM_TRY(say_facts(out, &page->head, err));
    ZM_TRY(say_part(out, "place", "", &page->place, "", err));
    ZM_TRY(say(out, ",\"fields\":[", err));
    ZM_TRY(say_facts(out, &page->fields, err));
    ZM_TRY(say(out, "]", err));
    ZM_TRY(say_part(out, "solve", "", &page->solve, "", err));
    ZM_TRY(say_part(out, "command", fire ? "{\"fire\":" : "{\"solve\":", &page->command, "}", err));
    if (fire) {
        ZM_TRY(say_part(out, "fire", "{", &page->model, ",\"fires\":[", err));
        ZM_TRY(say_facts(out, &page->fires, err));
        ZM_TRY(say(out, "]}", err));
    }
    ZM_TRY(say_part(out, "tables", "[", &page->tables, "]", err));
    return say(out, "}</script>\n", err);
}

/* ---- data ------------------------------------------------------------------------------------- */

static zm_status say_field(output *out, const zm_view_stream *s, size_t i, zm_error *err)
{
    base64 b = { .out = out };
    char tag[80];

    (void)snprintf(tag, sizeof tag, "<script type=\"text/plain\" id=\"data-%zu\">", i);
    ZM_TRY(say(out, tag, err));
    for (const zm_view_piece *p = s->first; p; p = p->next)
        ZM_TRY(base64_add(&b, p->bytes, p->n, err));
    ZM_TRY(base64_end(&b, err));
    return say(out, "</script>\n", err);
}

static zm_status say_solver(output *out, const zm_view *page, zm_error *err)
{
    const zm_embedded *wasm = page->model.n ? &zm_embedded_fire_wasm : &zm_embedded_grid_wasm;
    base64 b = { .out = out };

    ZM_TRY(say(out, "<script type=\"text/plain\" id=\"wasm\">", err));
    ZM_TRY(base64_add(&b, wasm->bytes, wasm->n, err));
    ZM_TRY(base64_end(&b, err));
    return say(out, "</script>\n", err);
}

static zm_status say_data(output *out, const zm_view *page, zm_error *err)
{
    ZM_TRY(say_all_facts(out, page, err));
    for (size_t i = 0; i < page->n_data; i++)
        ZM_TRY(say_field(out, &page->data[i], i, err));
    return say_solver(out, page, err);
}

/* ---- the page --------------------------------------------------------------------------------- */

/* The template as text that ends with a zero, to be released. */
static zm_status open_template(const zm_alloc *mem, char **out, zm_error *err)
{
    const zm_embedded *page = &zm_embedded_page;
    uLongf length = (uLongf)page->length;
    char *text = zm_block(mem, page->length + 1, 1);

    *out = NULL;
    if (!text || uncompress((Bytef *)text, &length, page->bytes, (uLong)page->n) != Z_OK ||
        length != page->length) {
        zm_release(mem, text);
        return zm_fail(err, ZM_E_NOMEM, -1, "template of a page");
    }
    text[length] = '\0';
    *out = text;
    return ZM_OK;
}

static zm_status say_template(output *out, const zm_view *page, const char *text, zm_error *err)
{
    static const char title_mark[] = "<!--zermelo:title-->", data_mark[] = "<!--zermelo:data-->";
    const char *title = strstr(text, title_mark), *data = strstr(text, data_mark);
    const char *after_title = title ? title + strlen(title_mark) : NULL;

    if (!title || !data || data < title)
        return zm_fail(err, ZM_E_STATE, -1, "the template of pages lacks its marks");
    ZM_TRY(give(out, text, (size_t)(title - text), err));
    ZM_TRY(give(out, page->title.bytes, page->title.n, err));
    ZM_TRY(give(out, after_title, (size_t)(data - after_title), err));
    ZM_TRY(say_data(out, page, err));
    return say(out, data + strlen(data_mark), err);
}

static zm_status say_page(output *out, const zm_view *page, zm_error *err)
{
    char *text;
    zm_status st;

    ZM_TRY(open_template(&page->mem, &text, err));
    st = say_template(out, page, text, err);
    zm_release(&page->mem, text);
    return st;
}

zm_status zm_view_length(const zm_view *page, size_t *bytes, zm_error *err)
{
    output out = { 0 };

    if (!page || !bytes)
        return zm_fail(err, ZM_E_ARG, -1, "page or bytes is NULL");
    ZM_TRY(say_page(&out, page, err));
    *bytes = out.n;
    return ZM_OK;
}

static zm_status check_length(const zm_view *page, zm_error *err)
{
    size_t bytes;

    ZM_TRY(zm_view_length(page, &bytes, err));
    return bytes <= page->most
               ? ZM_OK
               : zm_fail(err, ZM_E_ARG, -1,
                         "the page has %zu bytes, more than its limit of %zu: take fewer or "
                         "smaller fields, or raise the limit",
                         bytes, page->most);
}

zm_status zm_view_write_to(const zm_view *page, zm_view_sink *sink, void *ctx,
                           zm_error *err)
{
    output out = { sink, ctx, 0 };

    if (!page || !sink)
        return zm_fail(err, ZM_E_ARG, -1, "page or sink is NULL");
    ZM_TRY(check_length(page, err));
    return say_page(&out, page, err);
}

/* A sink that keeps what went wrong. */
typedef struct to_file {
    zm_new_file file;
    zm_status st;
    zm_error why;
} to_file;

static int append(void *ctx, const void *bytes, size_t n)
{
    to_file *to = ctx;

    to->st = zm_new_file_append(&to->file, bytes, n, &to->why);
    return to->st < 0;
}

zm_status zm_view_write(const zm_view *page, const char *path, zm_error *err)
{
    to_file to = { .st = ZM_OK };
    output out = { append, &to, 0 };
    zm_status st;

    if (!page || !path)
        return zm_fail(err, ZM_E_ARG, -1, "page or path is NULL");
    ZM_TRY(check_length(page, err));
    ZM_TRY(zm_new_file_open(&to.file, path, err));
    st = say_page(&out, page, err);
    if (to.st < 0 && err)
        *err = to.why;
    return zm_new_file_close(&to.file, to.st < 0 ? to.st : st, err);
}
