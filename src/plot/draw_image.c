/* SPDX-License-Identifier: Apache-2.0
 * Fields and masks as pictures of one pixel a cell, stretched over the area. */
#include <math.h>
#include <string.h>

#include "plot/draw.h"
#include "plot/oklab.h"

/* No print shows more cells; larger fields are thinned, or files would grow with them. */
enum { MOST_PIXELS_ALONG = 2400 };

/* The page rectangle of a field: cell (row, col) covers x + col*w .. x + (col+1)*w. */
typedef struct cell_box {
    double x, y, w, h; /* w and h are negative where an axis runs backwards */
} cell_box;

static cell_box first_cell(const panel *p, const placement *f)
{
    const double x0 = f->x0 - 0.5 * f->grid.dx, y0 = f->y0 - 0.5 * f->grid.dy;
    const double x = zm_plot_axis_place(&p->x, x0), y = zm_plot_axis_place(&p->y, y0);

    return (cell_box){
        x, y,
        (zm_plot_axis_place(&p->x, x0 + f->grid.cols * f->grid.dx) - x) / f->grid.cols,
        (zm_plot_axis_place(&p->y, y0 + f->grid.rows * f->grid.dy) - y) / f->grid.rows
    };
}

static int32_t thinning_of(zm_grid g)
{
    const int32_t side = g.rows > g.cols ? g.rows : g.cols;

    return (side - 1) / MOST_PIXELS_ALONG + 1;
}

/* A pixel from straight to premultiplied alpha, as Cairo keeps them. */
static uint32_t pixel_from(zm_plot_rgba color)
{
    const uint32_t alpha = color & 0xff;
    uint32_t pixel = alpha << 24;

    for (int k = 0; k < 3; k++) {
        const uint32_t channel = color >> (8 * (3 - k)) & 0xff;

        pixel |= (channel * alpha + 127) / 255 << (8 * (2 - k));
    }
    return pixel;
}

static zm_plot_rgba image_pixel(const canvas *c, const image_layer *image, size_t cell)
{
    const double *rgb = zm_plot_color_scale_at(&image->scale, image->values[cell]);

    return rgb ? zm_plot_rgba_from(rgb) : image->clear ? 0 : c->theme->missing;
}

/* Fills a picture from an image layer, or where there is none from a mask. */
static void fill_picture(const canvas *c, cairo_surface_t *picture, const placement *f,
                         const image_layer *image, const uint8_t *mask,
                         zm_plot_rgba ink)
{
    const int32_t stride = thinning_of(f->grid);
    const int width = cairo_image_surface_get_width(picture);
    const int height = cairo_image_surface_get_height(picture);
    const int bytes = cairo_image_surface_get_stride(picture);
    unsigned char *data = cairo_image_surface_get_data(picture);

    cairo_surface_flush(picture);
    for (int row = 0; row < height; row++)
        for (int col = 0; col < width; col++) {
            const size_t cell =
                (size_t)(row * stride) * (size_t)f->grid.cols + (size_t)(col * stride);
            const uint32_t pixel = pixel_from(image        ? image_pixel(c, image, cell)
                                              : mask[cell] ? ink
                                                           : 0);

            memcpy(data + (size_t)row * (size_t)bytes + 4 * (size_t)col, &pixel, 4);
        }
    cairo_surface_mark_dirty(picture);
}

/* Cells larger than a device pixel keep sharp edges; smaller ones are averaged. */
static cairo_filter_t filter_for(const canvas *c, double cell_width)
{
    double x = fabs(cell_width), y = 0;

    cairo_user_to_device_distance(c->cr, &x, &y);
    return x > 1 ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD;
}

static void paint_picture(const canvas *c, const panel *p, const placement *f,
                          cairo_surface_t *picture)
{
    const cell_box box = first_cell(p, f);
    const double step = thinning_of(f->grid), w = box.w * step, h = box.h * step;
    cairo_pattern_t *pattern = cairo_pattern_create_for_surface(picture);
    cairo_matrix_t to_picture;

    cairo_matrix_init(&to_picture, 1 / w, 0, 0, 1 / h, -box.x / w, -box.y / h);
    cairo_pattern_set_matrix(pattern, &to_picture);
    cairo_pattern_set_filter(pattern, filter_for(c, w));
    cairo_pattern_set_extend(pattern, CAIRO_EXTEND_PAD); /* no pale rim */
    cairo_save(c->cr);
    zm_plot_clip_to_area(c, p);
    zm_plot_path_rect(
        c, (rect){ box.x, box.y, box.w * f->grid.cols, box.h * f->grid.rows });
    cairo_set_source(c->cr, pattern);
    cairo_fill(c->cr);
    cairo_restore(c->cr);
    cairo_pattern_destroy(pattern);
}

static void draw_picture(const canvas *c, const panel *p, const placement *f,
                         const image_layer *image, const uint8_t *mask,
                         zm_plot_rgba ink)
{
    const int32_t stride = thinning_of(f->grid);
    cairo_surface_t *picture = cairo_image_surface_create(
        image && !image->clear ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32,
        (f->grid.cols - 1) / stride + 1, (f->grid.rows - 1) / stride + 1);

    if (cairo_surface_status(picture) == CAIRO_STATUS_SUCCESS) {
        fill_picture(c, picture, f, image, mask, ink);
        paint_picture(c, p, f, picture);
    }
    cairo_surface_destroy(picture);
}

void zm_plot_draw_image(const canvas *c, const panel *p, const image_layer *image)
{
    draw_picture(c, p, &image->place, image, NULL, 0);
}

void zm_plot_draw_walls(const canvas *c, const panel *p, const layer *l)
{
    draw_picture(c, p, &l->walls.place, NULL, l->walls.mask, zm_plot_layer_color(c, l));
}

void zm_plot_color_below(const canvas *c, const panel *p, double x, double y,
                         double rgb[3])
{
    zm_plot_rgba color = c->theme->paper;

    for (const layer *l = p->plot->first; l; l = l->next) {
        const zm_grid g = l->image.place.grid;
        const cell_box box =
            l->kind == LAYER_IMAGE ? first_cell(p, &l->image.place) : (cell_box){ 0 };
        const double row = floor((y - box.y) / box.h), col = floor((x - box.x) / box.w);

        if (l->kind == LAYER_IMAGE && row >= 0 && row < g.rows && col >= 0 &&
            col < g.cols) {
            const size_t cell = (size_t)row * (size_t)g.cols + (size_t)col;
            const zm_plot_rgba seen = image_pixel(c, &l->image, cell);

            color = seen & 0xff ? seen : color;
        }
    }
    for (int k = 0; k < 3; k++)
        rgb[k] = (color >> (8 * (3 - k)) & 0xff) / 255.0;
}

bool zm_plot_is_dark(const double rgb[3])
{
    static const double middle = 0.60; /* white and ink stand out alike */

    return zm_plot_oklab_from_srgb(rgb).L < middle;
}

zm_plot_rgba zm_plot_contrast_color(const double rgb[3])
{
    return zm_plot_is_dark(rgb) ? 0xffffffe6 : 0x15181ddd;
}

bool zm_plot_looks_like_paper(const canvas *c, zm_plot_rgba color)
{
    static const double distinct = 0.15; /* difference of lightness */
    double paper[3], drawn[3];

    for (int k = 0; k < 3; k++) {
        const double ink = (color >> (8 * (3 - k)) & 0xff) / 255.0;

        paper[k] = (c->theme->paper >> (8 * (3 - k)) & 0xff) / 255.0;
        drawn[k] = paper[k] + (color & 0xff) / 255.0 * (ink - paper[k]);
    }
    return fabs(zm_plot_oklab_from_srgb(drawn).L - zm_plot_oklab_from_srgb(paper).L) <
           distinct;
}
