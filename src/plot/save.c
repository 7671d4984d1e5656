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
#include "plot/draw.h"

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
        [LAYER_WALLS] = zm_plot_draw_walls,       [LAYER_ARROWS] = zm_plot_draw_arrows,
        [LAYER_ELLIPSES] = zm_plot_draw_ellipses, [LAYER_POINTS] = zm_plot_draw_points,
        [LAYER_LINE] = zm_plot_draw_line,         [LAYER_GUIDE] = zm_plot_draw_guide,
        [LAYER_BAND] = zm_plot_draw_band,         [LAYER_BARS] = zm_plot_draw_bars,
        [LAYER_BINS] = zm_plot_draw_bins,         [LAYER_STEPS] = zm_plot_draw_steps,
        [LAYER_TEXT] = zm_plot_draw_text,
    };

    if (l->kind == LAYER_CONTOURS)
        return zm_plot_draw_contours(c, p, l, scratch, err);
    if (l->kind == LAYER_IMAGE)
        zm_plot_draw_image(c, p, &l->image);
    else
        simple[l->kind](c, p, l);
    return ZM_OK;
}

static zm_status draw_panel(const canvas *c, const panel *p, arena *scratch,
                            zm_error *err)
{
    if (!p->has_field)
        zm_plot_draw_grid_lines(c, p);
    for (const layer *l = p->plot->first; l; l = l->next)
        ZM_TRY(draw_layer(c, p, l, scratch, err));
    zm_plot_draw_axes(c, p);
    zm_plot_draw_bar(c, p);
    zm_plot_draw_legend(c, p);
    return ZM_OK;
}

static zm_status draw_page(const canvas *c, const zm_figure *figure, const page *pg,
                           arena *scratch, zm_error *err)
{
    const text_style title = zm_plot_figure_title_text(c, pg->width);

    zm_plot_set_color(c, c->theme->paper);
    cairo_paint(c->cr);
    zm_plot_text_draw(c, figure->opts.title, 0.5 * pg->width,
                      zm_plot_space.margin * c->em, &title);
    for (int32_t i = 0; i < figure->opts.rows * figure->opts.cols; i++)
        if (pg->panels[i].is_used)
            ZM_TRY(draw_panel(c, &pg->panels[i], scratch, err));
    return ZM_OK;
}

/* The size of the page, found on a surface that records and shows nothing. */
static zm_status lay_out(const zm_figure *figure, arena *scratch, page *out,
                         zm_error *err)
{
    cairo_surface_t *nowhere =
        cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
    cairo_t *cr = cairo_create(nowhere);
    canvas c;
    zm_status st = zm_plot_canvas_open(&c, cr, &figure->opts)
                       ? zm_plot_layout_make(&c, figure, scratch, out, err)
                       : zm_fail(err, ZM_E_NOMEM, -1, "page");

    zm_plot_canvas_close(&c);
    cairo_destroy(cr);
    cairo_surface_destroy(nowhere);
    return st;
}

static cairo_status_t write_bytes(void *stream, const unsigned char *bytes,
                                  unsigned int n)
{
    return fwrite(bytes, 1, n, stream) == n ? CAIRO_STATUS_SUCCESS
                                            : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *make_surface(file_format format, const page *pg, double scale,
                                     FILE *stream)
{
    if (format == FORMAT_SVG)
        return cairo_svg_surface_create_for_stream(write_bytes, stream, pg->width,
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
    cairo_surface_t *surface = make_surface(format, pg, scale, stream);
    cairo_t *cr = cairo_create(surface);
    canvas c;
    zm_status st;

    cairo_scale(cr, scale, scale);
    st = zm_plot_canvas_open(&c, cr, &figure->opts)
             ? draw_page(&c, figure, pg, scratch, err)
             : surface_status(cairo_status(cr), path, err);
    zm_plot_canvas_close(&c);
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
    zm_plot_arena_free(&scratch);
    return st;
}
