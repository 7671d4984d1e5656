/* SPDX-License-Identifier: Apache-2.0
 * Pages are begun, and get fields. */
#include "view/page.h"

#include <string.h>

#include "core/array.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/shown_name.h"
#include "web/embedded.h"
#include "zermelo/version.h"

static const char *const role_names[] = { "times",     "observed", "probability",
                                          "metric",    "drift",    "obstacles",
                                          "map",       "signed" };
enum { ROLES = sizeof role_names / sizeof *role_names };

/* ---- a page ----------------------------------------------------------------------------------- */

/* Text of an element of HTML: nothing in it is markup, controls or other than UTF-8. */
static void add_escaped(zm_text *t, const char *string)
{
    for (const unsigned char *c = (const unsigned char *)string; *c;) {
        const size_t n = zm_utf8_length(c);
        const bool control = n == 0 || *c < ' ' || *c == 0x7f || (*c == 0xc2 && c[1] < 0xa0);

        if (control)
            zm_text_add(t, n == 1 ? " " : "\xef\xbf\xbd"); /* U+FFFD */
        else if (strchr("&<>\"'", *c))
            zm_text_print(t, "&#%d;", *c);
        else
            zm_text_add_bytes(t, c, n);
        c += n ? n : 1;
    }
}

static const char *colormap_of(const char *name)
{
    static const char *const known[] = { "viridis", "magma", "cividis", "fire" };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i]))
            return known[i];
    return NULL;
}

static zm_status check_opts(const zm_view_opts *o, zm_error *err)
{
    if (o->colormap && !colormap_of(o->colormap))
        return zm_fail(err, ZM_E_ARG, -1,
                       "colormap is '%s', must be viridis, magma, cividis or fire",
                       zm_word_shown(o->colormap).text);
    if (!(o->across >= 0 && o->down >= 0 && isfinite(o->across) && isfinite(o->down)))
        return zm_fail(err, ZM_E_ARG, -1, "cells are %g x %g, must be above 0, or 0: not known",
                       o->across, o->down);
    return ZM_OK;
}

static void tell(zm_view *page, const zm_view_opts *o)
{
    zm_text *t = &page->head;

    add_escaped(&page->title, o->title ? o->title : "zermelo");
    zm_view_string(t, "title", o->title ? o->title : "");
    zm_view_string(t, "program", "zermelo " ZM_VERSION);
    zm_text_print(t, ",\"shape\":[%d,%d]", (int)page->rows, (int)page->cols);
    if (o->across > 0 && o->down > 0) {
        zm_view_key(t, "spacing");
        zm_text_add(t, "[");
        zm_view_number(t, NULL, o->down);
        zm_view_number(t, NULL, o->across);
        zm_text_add(t, "]");
    }
    zm_view_key(t, "units");
    zm_text_add(t, "{");
    zm_view_string(t, "time", o->unit_time ? o->unit_time : "");
    zm_view_string(t, "length", o->unit_length ? o->unit_length : "");
    zm_text_add(t, "}");
    zm_view_string(t, "colormap", o->colormap ? o->colormap : "viridis");
    if (o->command)
        zm_text_add_quoted(&page->command, o->command);
}

zm_status zm_view_create(int32_t rows, int32_t cols, zm_view **out,
                         const zm_view_opts *opts, zm_error *err)
{
    zm_view_opts o = ZM_VIEW_OPTS_INIT;
    zm_view *page;
    zm_alloc mem;

    if (!out)
        return zm_fail(err, ZM_E_ARG, -1, "out is NULL");
    *out = NULL;
    ZM_TRY(zm_options_read(&o, sizeof o, opts, "zm_view_opts", err));
    if (rows < 1 || cols < 1 || (int64_t)rows * cols > ZM_MOST_CELLS)
        return zm_fail(err, ZM_E_ARG, -1, "a page of %d x %d cells, must be 1 to %d", (int)rows,
                       (int)cols, ZM_MOST_CELLS);
    ZM_TRY(check_opts(&o, err));
    mem = zm_alloc_or_default(&o.mem);
    if (!(page = zm_zalloc(&mem, 1, sizeof *page)))
        return zm_fail(err, ZM_E_NOMEM, -1, "a page");
    page->mem = mem;
    page->rows = rows;
    page->cols = cols;
    page->cells = (size_t)rows * (size_t)cols;
    page->most = o.most_bytes ? o.most_bytes : ZM_VIEW_MOST_BYTES;
    tell(page, &o);
    if (page->title.failed || page->head.failed || page->command.failed) {
        zm_view_destroy(page);
        return zm_fail(err, ZM_E_NOMEM, -1, "facts of a page");
    }
    *out = page;
    return ZM_OK;
}

void zm_view_drop(zm_view *page, size_t n, size_t text)
{
    while (page->n_data > n)
        zm_view_stream_free(&page->data[--page->n_data], &page->mem);
    page->fields.n = text;
}

static void free_texts(zm_view *page)
{
    zm_text *texts[] = { &page->title, &page->head,  &page->command, &page->fields, &page->place,
                         &page->solve, &page->model, &page->fires,   &page->tables };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        zm_text_free(texts[i]);
}

void zm_view_destroy(zm_view *page)
{
    zm_alloc mem;

    if (!page)
        return;
    mem = page->mem;
    zm_view_drop(page, 0, 0);
    zm_release(&mem, page->data);
    free_texts(page);
    zm_release(&mem, page);
}

/* ---- fields ----------------------------------------------------------------------------------- */

/* What the page has without the field, but for some facts. */
static size_t bytes_so_far(const zm_view *page)
{
    size_t n = zm_embedded_page.length + zm_view_base64_length(zm_embedded_grid_wasm.n);

    for (size_t i = 0; i < page->n_data; i++)
        n += zm_view_base64_length(page->data[i].n);
    return n;
}

static zm_status compress(zm_view *page, const zm_view_values *v, const zm_view_field *words,
                          zm_view_stream *stream, zm_error *err)
{
    const size_t so_far = bytes_so_far(page);
    const size_t left = page->most > so_far ? page->most - so_far : 0;
    zm_error why = { .code = ZM_OK };
    const zm_status st = zm_view_compress(stream, v, left / 4 * 3, &page->mem, &why);

    if (st == ZM_E_ARG)
        return zm_fail(err, ZM_E_ARG, -1,
                       "a page with %s would have more than %zu MB, which browsers may refuse: "
                       "cut a part out, take every second cell or float32, or raise the limit",
                       words->name ? zm_word_shown(words->name).text : "this field",
                       page->most >> 20);
    if (st < 0 && err)
        *err = why;
    return st;
}

static void describe(zm_text *t, const char *role, const zm_view_values *v,
                     const zm_view_field *words)
{
    static const char *const types[] = { "f8", "f4", "i2", "u1" };
    const char *label = words->label ? words->label : words->name;

    zm_view_key(t, NULL);
    zm_text_add(t, "{");
    zm_view_string(t, "role", role);
    zm_view_string(t, "name", words->name ? words->name : "");
    zm_view_string(t, "label", label ? label : role);
    zm_view_string(t, "unit", words->unit ? words->unit : "");
    zm_view_string(t, "type", v->as_int16 ? "i2" : types[v->type]);
    zm_text_print(t, ",\"planes\":%zu}", v->n_planes);
}

zm_status zm_view_add_values(zm_view *page, const char *role, const zm_view_values *v,
                             const zm_view_field *words, zm_error *err)
{
    const size_t before = page->fields.n;
    zm_view_stream stream = { 0 };
    zm_status st;

    if (!zm_array_reserve_in(&page->mem, NULL, &page->data, &page->room, page->n_data + 1,
                             sizeof *page->data))
        return zm_fail(err, ZM_E_NOMEM, -1, "list of fields");
    ZM_GO(compress(page, v, words, &stream, err));
    describe(&page->fields, role, v, words);
    ZM_GO(zm_view_settle(&page->fields, before, err));
    page->data[page->n_data++] = stream;
    return ZM_OK;
done:
    zm_view_stream_free(&stream, &page->mem);
    return st;
}

static bool right_planes(zm_view_role role, int32_t n)
{
    return role == ZM_VIEW_METRIC ? n == 1 || n == 3 : n == (role == ZM_VIEW_DRIFT ? 2 : 1);
}

static zm_status check_field(const zm_view *page, const zm_view_field *f, zm_error *err)
{
    const bool bytes = f->type == ZM_VIEW_U8;

    if ((unsigned)f->role >= ROLES || (unsigned)f->type > ZM_VIEW_U8)
        return zm_fail(err, ZM_E_ARG, -1, "field with role %d and type %d", (int)f->role,
                       (int)f->type);
    if (!right_planes(f->role, f->n_planes))
        return zm_fail(err, ZM_E_ARG, -1, "%s with %d planes, must be %s", role_names[f->role],
                       (int)f->n_planes,
                       f->role == ZM_VIEW_METRIC  ? "1 or 3"
                       : f->role == ZM_VIEW_DRIFT ? "2"
                                                  : "1");
    for (int32_t p = 0; p < f->n_planes; p++)
        if (!f->planes[p])
            return zm_fail(err, ZM_E_ARG, -1, "plane %d of %s is NULL", (int)p,
                           role_names[f->role]);
    if ((f->role == ZM_VIEW_OBSTACLES && !bytes) ||
        ((f->role == ZM_VIEW_METRIC || f->role == ZM_VIEW_DRIFT) && f->type > ZM_VIEW_F32))
        return zm_fail(err, ZM_E_ARG, -1, "type of %s, must be %s", role_names[f->role],
                       f->role == ZM_VIEW_OBSTACLES ? "bytes" : "float64 or float32");
    if (f->role >= ZM_VIEW_METRIC && f->role <= ZM_VIEW_OBSTACLES &&
        (page->roles >> f->role & 1))
        return zm_fail(err, ZM_E_ARG, -1, "a second field of %s", role_names[f->role]);
    return ZM_OK;
}

zm_status zm_view_add(zm_view *page, const zm_view_field *given, int32_t *index,
                      zm_error *err)
{
    zm_view_field f = ZM_VIEW_FIELD_INIT;
    zm_view_values values;

    if (!page || !given)
        return zm_fail(err, ZM_E_ARG, -1, "page or field is NULL");
    ZM_TRY(zm_options_read(&f, sizeof f, given, "zm_view_field", err));
    ZM_TRY(check_field(page, &f, err));
    values = (zm_view_values){ f.type, false, page->cells, (size_t)f.n_planes, f.planes };
    ZM_TRY(zm_view_add_values(page, role_names[f.role], &values, &f, err));
    page->roles |= 1U << f.role;
    if (index)
        *index = (int32_t)page->n_data - 1;
    return ZM_OK;
}
