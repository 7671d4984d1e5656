/* SPDX-License-Identifier: Apache-2.0
 * Points, lines and polygons of a vector file as cells of a grid. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/shown_name.h"
#include "fire/data/geo/shape.h"
#include "fire/data/geo/shapes.h"

/* Adds what a shape covers; `window` has room for all cells of the grid. */
static zm_status add_shape(const zm_geo_canvas *canvas, const zm_shapes *s, size_t i,
                           int32_t cols, uint8_t *window, uint8_t *mask, zm_error *err)
{
    zm_geo_drawn drawn;
    char name[96];

    (void)snprintf(name, sizeof name, "%.60s: shape %zu", zm_shown_name(zm_file_name(s->path)), i + 1);
    ZM_TRY(zm_geo_canvas_draw(canvas, s->items[i].bytes, s->items[i].n, name, window,
                              &drawn, err));
    for (int32_t r = 0; r < drawn.rows; r++)
        for (int32_t c = 0; c < drawn.cols; c++)
            mask[(size_t)(drawn.row + r) * (size_t)cols + (size_t)(drawn.col + c)] |=
                window[(size_t)r * (size_t)drawn.cols + (size_t)c] != 0;
    return ZM_OK;
}

static zm_status draw_shapes(const zm_shapes *s, int32_t rows, int32_t cols,
                             const zm_georeference *where, uint8_t *mask, zm_error *err)
{
    const size_t n = (size_t)rows * (size_t)cols;
    zm_geo_canvas *canvas = NULL;
    uint8_t *window = malloc(n);
    size_t covered = 0;
    zm_status st;

    if (!window)
        ZM_GO(zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(s->path)));
    memset(mask, 0, n);
    ZM_GO(zm_geo_canvas_open(&canvas, rows, cols, where, s->wkt, err));
    for (size_t i = 0; i < s->n; i++)
        ZM_GO(add_shape(canvas, s, i, cols, window, mask, err));
    for (size_t i = 0; i < n; i++)
        covered += mask[i];
    if (covered == 0)
        st = zm_fail(err, ZM_E_FORMAT, -1,
                     "%s: covers no cell of the landscape: points and lines lie "
                     "outside of it, or polygons hold no centre of a cell",
                     zm_shown_name(s->path));
done:
    zm_geo_canvas_close(canvas);
    free(window);
    return st;
}

zm_status zm_cells_read(const char *path, int32_t rows, int32_t cols,
                        const zm_georeference *where, uint8_t *mask, zm_error *err)
{
    zm_shapes s;
    zm_status st;
    size_t cells;

    if (!path || !where || !mask || rows < 1 || cols < 1)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_cells_read needs a path, a grid and a mask");
    cells = (size_t)rows * (size_t)cols;
    ZM_TRY(zm_file_within_limit(path, 2 * cells, err)); /* two masks */
    st = zm_geo_shapes_read(path, NULL, &s, err);
    if (st >= 0)
        st = draw_shapes(&s, rows, cols, where, mask, err);
    zm_geo_shapes_free(&s);
    return st;
}
