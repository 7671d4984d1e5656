/* SPDX-License-Identifier: Apache-2.0
 * Facts of a page as JSON. */
#include <string.h>

#include "core/fail.h"
#include "core/options.h"
#include "view/page.h"

void zm_view_key(zm_text *text, const char *key)
{
    const char last = text->n ? text->bytes[text->n - 1] : '{';

    if (!strchr("{[:", last))
        zm_text_add(text, ",");
    if (key)
        zm_text_print(text, "\"%s\":", key);
}

void zm_view_number(zm_text *text, const char *key, double value)
{
    zm_view_key(text, key);
    if (isfinite(value))
        zm_text_add_number(text, value);
    else
        zm_text_add(text, "null");
}

void zm_view_string(zm_text *text, const char *key, const char *value)
{
    if (!value)
        return;
    zm_view_key(text, key);
    zm_text_add_quoted(text, value);
}

void zm_view_sources(zm_text *text, const zm_source *sources, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        zm_view_key(text, NULL);
        zm_text_add(text, "[");
        zm_view_number(text, NULL, sources[i].row);
        zm_view_number(text, NULL, sources[i].col);
        zm_view_number(text, NULL, sources[i].time);
        zm_text_add(text, "]");
    }
}

zm_status zm_view_settle(zm_text *text, size_t length, zm_error *err)
{
    if (!text->failed)
        return ZM_OK;
    text->n = length;
    text->failed = false;
    return zm_fail(err, ZM_E_NOMEM, -1, "facts of a page");
}

static void numbers(zm_text *text, const char *key, const double *values, size_t n)
{
    zm_view_key(text, key);
    zm_text_add(text, "[");
    for (size_t i = 0; i < n; i++)
        zm_view_number(text, NULL, values[i]);
    zm_text_add(text, "]");
}

/* Takes the place of what was told before. */
static zm_status replace(zm_text *old, zm_text *text, zm_error *err)
{
    const zm_status st = zm_view_settle(text, 0, err);

    if (st < 0) {
        zm_text_free(text);
    } else {
        zm_text_free(old);
        *old = *text;
    }
    return st;
}

static bool all_finite(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

zm_status zm_view_set_place(zm_view *page, const zm_view_place *given, zm_error *err)
{
    zm_view_place p = ZM_VIEW_PLACE_INIT;
    zm_text text = { 0 };
    size_t n;

    if (!page || !given)
        return zm_fail(err, ZM_E_ARG, -1, "page or place is NULL");
    ZM_TRY(zm_options_read(&p, sizeof p, given, "zm_view_place", err));
    if (!all_finite(p.transform, 6))
        return zm_fail(err, ZM_E_ARG, -1, "the transform of a place must be finite");
    if ((p.lonlat_rows > 0) != (p.lonlat_cols > 0) || p.lonlat_rows < 0 ||
        p.lonlat_cols < 0 || (p.lonlat_rows && (!p.lon || !p.lat)))
        return zm_fail(err, ZM_E_ARG, -1,
                       "%d x %d points of longitude and latitude: both sides must be 0, or "
                       "above 0 with lon and lat",
                       (int)p.lonlat_rows, (int)p.lonlat_cols);
    n = (size_t)p.lonlat_rows * (size_t)p.lonlat_cols;
    zm_text_add(&text, "{");
    zm_view_string(&text, "crs", p.crs);
    if (p.epsg > 0)
        zm_view_number(&text, "epsg", p.epsg);
    zm_view_string(&text, "wkt", p.wkt);
    numbers(&text, "transform", p.transform, 6);
    if (isfinite(p.north))
        zm_view_number(&text, "north", p.north);
    if (n) {
        zm_view_key(&text, "lonlat");
        zm_text_print(&text, "{\"rows\":%d,\"cols\":%d", (int)p.lonlat_rows,
                      (int)p.lonlat_cols);
        numbers(&text, "lon", p.lon, n);
        numbers(&text, "lat", p.lat, n);
        zm_text_add(&text, "}");
    }
    zm_text_add(&text, "}");
    return replace(&page->place, &text, err);
}

zm_status zm_view_check_sources(const zm_view *page, const zm_source *sources, size_t n,
                                zm_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const zm_source *s = &sources[i];

        if (!(s->row >= 0 && s->row <= page->rows - 1 && s->col >= 0 &&
              s->col <= page->cols - 1))
            return zm_fail(err, ZM_E_SOURCE, -1,
                           "source %zu at %g,%g is outside of the grid, must be in 0..%d and 0..%d",
                           i, s->row, s->col, (int)page->rows - 1, (int)page->cols - 1);
        if (!isfinite(s->time))
            return zm_fail(err, ZM_E_SOURCE, -1, "source %zu has the time %g, must be finite", i,
                           s->time);
    }
    return ZM_OK;
}

static void factored(zm_text *text, double radius)
{
    if (radius > 0 && isfinite(radius))
        zm_view_number(text, "factored", radius);
    else
        zm_view_string(text, "factored", radius == 0  ? "none"
                                         : radius > 0 ? "all"
                                                      : "auto");
}

zm_status zm_view_set_solve(zm_view *page, const zm_source *sources, size_t n,
                            zm_dtype dtype, const zm_solver_opts *solver,
                            const zm_forward_opts *forward, zm_error *err)
{
    static const char *const closed[] = { NULL, "x", "y", "xy" };
    zm_solver_opts s = ZM_SOLVER_OPTS_INIT;
    zm_forward_opts f = ZM_FORWARD_OPTS_INIT;
    zm_text text = { 0 };

    if (!page || (!sources && n))
        return zm_fail(err, ZM_E_ARG, -1, "page or sources is NULL");
    ZM_TRY(zm_options_read(&s, sizeof s, solver, "zm_solver_opts", err));
    ZM_TRY(zm_options_read(&f, sizeof f, forward, "zm_forward_opts", err));
    if (s.periodic < 0 || s.periodic > 3)
        return zm_fail(err, ZM_E_ARG, -1, "periodic is %d, must be 0 to 3", (int)s.periodic);
    ZM_TRY(zm_view_check_sources(page, sources, n, err));
    zm_text_add(&text, "{\"sources\":[");
    zm_view_sources(&text, sources, n);
    zm_text_print(&text, "],\"order\":%d", (int)s.order);
    zm_view_string(&text, "stencil", s.stencils == ZM_STENCILS_FIXED ? "fixed" : "adaptive");
    factored(&text, s.factor_radius);
    zm_view_string(&text, "periodic", closed[s.periodic]);
    if (isfinite(f.t_max))
        zm_view_number(&text, "t_max", f.t_max);
    zm_view_string(&text, "precision", dtype == ZM_F32 ? "f4" : "f8");
    zm_text_add(&text, "}");
    return replace(&page->solve, &text, err);
}

zm_status zm_view_add_table(zm_view *page, const char *title, const char *const *columns,
                            size_t n_columns, const double *values, size_t n_rows,
                            zm_error *err)
{
    zm_text *t = page ? &page->tables : NULL;
    const size_t before = t ? t->n : 0;

    if (!page || !title || !columns || !n_columns || (!values && n_rows))
        return zm_fail(err, ZM_E_ARG, -1, "page, title, columns or values is missing");
    zm_view_key(t, NULL);
    zm_text_add(t, "{");
    zm_view_string(t, "title", title);
    zm_view_key(t, "columns");
    zm_text_add(t, "[");
    for (size_t c = 0; c < n_columns; c++)
        zm_view_string(t, NULL, columns[c] ? columns[c] : "");
    zm_text_add(t, "],\"rows\":[");
    for (size_t r = 0; r < n_rows; r++)
        numbers(t, NULL, values + r * n_columns, n_columns);
    zm_text_add(t, "]}");
    return zm_view_settle(t, before, err);
}
