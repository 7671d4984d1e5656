/* SPDX-License-Identifier: Apache-2.0
 * From a described figure to a file. */
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/fail.h"
#include "core/new_file.h"
#include "core/text.h"
#include "plot/draw.h"
#include "plot/svg_compact.h"

typedef enum file_format {
    FORMAT_NONE,
    FORMAT_PNG,
    FORMAT_SVG,
    FORMAT_PDF
} file_format;

static file_format format_of(const char *path)
{
    const char *ending = strrchr(path, '.');

    if (!ending)
        return FORMAT_NONE;
    return !strcasecmp(ending, ".png")   ? FORMAT_PNG
           : !strcasecmp(ending, ".svg") ? FORMAT_SVG
           : !strcasecmp(ending, ".pdf") ? FORMAT_PDF
                                         : FORMAT_NONE;
}

static zm_status draw_layer(const canvas *c, const panel *p, const layer *l,
                            arena *scratch, zm_error *err)
{
    static void (*const simple[])(const canvas *, const panel *, const layer *) = {
        [LAYER_WALLS] = draw_walls,       [LAYER_ARROWS] = draw_arrows,
        [LAYER_ELLIPSES] = draw_ellipses, [LAYER_POINTS] = draw_points,
        [LAYER_LINE] = draw_line,         [LAYER_GUIDE] = draw_guide,
        [LAYER_BAND] = draw_band,         [LAYER_BARS] = draw_bars,
        [LAYER_BINS] = draw_bins,         [LAYER_STEPS] = draw_steps,
        [LAYER_TEXT] = draw_text,
    };

    if (l->kind == LAYER_CONTOURS)
        return draw_contours(c, p, l, scratch, err);
    if (l->kind == LAYER_IMAGE)
        draw_image(c, p, &l->image);
    else
        simple[l->kind](c, p, l);
    return ZM_OK;
}

static zm_status draw_panel(const canvas *c, const panel *p, arena *scratch,
                            zm_error *err)
{
    zm_status st = ZM_OK;

    if (!p->has_field)
        draw_grid_lines(c, p);
    for (const layer *l = p->plot->first; l && st == ZM_OK; l = l->next)
        st = draw_layer(c, p, l, scratch, err);
    draw_axes(c, p);
    draw_bar(c, p);
    draw_legend(c, p);
    return st;
}

static zm_status draw_page(const canvas *c, const zm_figure *figure, const page *pg,
                           arena *scratch, zm_error *err)
{
    const text_style title = figure_title_text(c, pg->width);
    zm_status st = ZM_OK;

    set_color(c, c->theme->paper);
    cairo_paint(c->cr);
    text_draw(c, figure->opts.title, 0.5 * pg->width, space.margin * c->em, &title);
    for (int32_t i = 0; i < figure->opts.rows * figure->opts.cols && st == ZM_OK; i++)
        if (pg->panels[i].is_used)
            st = draw_panel(c, &pg->panels[i], scratch, err);
    return st;
}

/* The size of the page, found on a surface that records and shows nothing. */
static zm_status lay_out(const zm_figure *figure, arena *scratch, page *out,
                         zm_error *err)
{
    cairo_surface_t *nowhere =
        cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
    cairo_t *cr = cairo_create(nowhere);
    canvas c;
    zm_status st = canvas_open(&c, cr, &figure->opts)
                       ? layout_make(&c, figure, scratch, out, err)
                       : zm_fail(err, ZM_E_NOMEM, -1, "page");

    canvas_close(&c);
    cairo_destroy(cr);
    cairo_surface_destroy(nowhere);
    return st;
}

static cairo_status_t add_bytes(void *text, const unsigned char *bytes, unsigned int n)
{
    zm_text *t = text;

    zm_text_add_bytes(t, bytes, n);
    return t->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static cairo_status_t write_bytes(void *stream, const unsigned char *bytes,
                                  unsigned int n)
{
    return fwrite(bytes, 1, n, stream) == n ? CAIRO_STATUS_SUCCESS
                                            : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_status_t write_svg(const zm_text *svg, FILE *stream)
{
    const size_t size = svg_compact(svg->bytes, svg->n);

    return fwrite(svg->bytes, 1, size, stream) == size ? CAIRO_STATUS_SUCCESS
                                                       : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *make_surface(file_format format, const page *pg, double scale,
                                     FILE *stream, zm_text *svg)
{
    if (format == FORMAT_SVG)
        return cairo_svg_surface_create_for_stream(add_bytes, svg, pg->width,
                                                   pg->height);
    if (format == FORMAT_PDF)
        return cairo_pdf_surface_create_for_stream(write_bytes, stream, pg->width,
                                                   pg->height);
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(pg->width * scale),
                                      (int)ceil(pg->height * scale));
}

static zm_status surface_status(cairo_status_t status, const char *path, zm_error *err)
{
    if (status == CAIRO_STATUS_SUCCESS)
        return ZM_OK;
    return zm_fail(err, status == CAIRO_STATUS_NO_MEMORY ? ZM_E_NOMEM : ZM_E_IO, -1,
                   "%s: %s", path, cairo_status_to_string(status));
}

static zm_status render(const zm_figure *figure, const page *pg, arena *scratch,
                        file_format format, FILE *stream, const char *path,
                        zm_error *err)
{
    const double scale = format == FORMAT_PNG ? figure->opts.pixels_per_point : 1;
    zm_text svg = { 0 };
    cairo_surface_t *surface = make_surface(format, pg, scale, stream, &svg);
    cairo_t *cr = cairo_create(surface);
    canvas c;
    zm_status st;

    cairo_scale(cr, scale, scale);
    st = canvas_open(&c, cr, &figure->opts)
             ? draw_page(&c, figure, pg, scratch, err)
             : surface_status(cairo_status(cr), path, err);
    canvas_close(&c);
    if (st == ZM_OK)
        st = surface_status(cairo_status(cr), path, err);
    cairo_destroy(cr);
    if (st == ZM_OK && format == FORMAT_PNG)
        st = surface_status(
            cairo_surface_write_to_png_stream(surface, write_bytes, stream), path, err);
    cairo_surface_finish(surface);
    if (st == ZM_OK)
        st = surface_status(cairo_surface_status(surface), path, err);
    cairo_surface_destroy(surface);
    if (st == ZM_OK && format == FORMAT_SVG)
        st = surface_status(write_svg(&svg, stream), path, err);
    zm_text_free(&svg);
    return st;
}

zm_status zm_figure_save(zm_figure *figure, const char *path, zm_error *err)
{
    const file_format format = path ? format_of(path) : FORMAT_NONE;
    arena scratch = { figure->memory.mem, NULL };
    zm_new_file file;
    page pg = { 0 };
    zm_status st;

    if (figure->failure.code != ZM_OK)
        return zm_fail(err, figure->failure.code, figure->failure.cell, "%s",
                       figure->failure.text);
    if (format == FORMAT_NONE)
        return zm_fail(err, ZM_E_ARG, -1,
                       "%s: a figure's name ends in .png, .svg or .pdf",
                       path ? path : "(no path)");
    ZM_GO(lay_out(figure, &scratch, &pg, err));
    ZM_GO(zm_new_file_open(&file, path, err));
    st = render(figure, &pg, &scratch, format, file.stream, path, err);
    st = zm_new_file_close(&file, st, err);
done:
    arena_free(&scratch);
    return st;
}
