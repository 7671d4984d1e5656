/* SPDX-License-Identifier: Apache-2.0
 * Points, lines and polygons of a vector file as cells of a grid. */
#include <cpl_conv.h>
#include <gdal.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/shown_name.h"
#include "fire/data/geo/gdal_scope.h"
#include "fire/data/geo/shape.h"

/** A geometry as well-known binary. */
typedef struct blob {
    unsigned char *bytes;
    size_t n;
} blob;

/** What a file has in it. */
typedef struct shapes {
    const char *path;
    char *wkt; /* coordinate system; NULL: unknown */
    blob *items;
    size_t n, room;
    size_t bytes; /* of all of them, and of two masks */
} shapes;

static void shapes_free(shapes *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->items[i].bytes);
    free(s->items);
    free(s->wkt);
}

static zm_status take_shape(shapes *s, OGRGeometryH shape, zm_error *err)
{
    blob *added;

    if (!zm_array_reserve(&s->items, &s->room, s->n + 1, sizeof *added))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(s->path));
    added = &s->items[s->n];
    added->n = (size_t)OGR_G_WkbSize(shape);
    s->bytes += added->n + sizeof *added;
    ZM_TRY(zm_file_within_limit(s->path, s->bytes, err));
    if (!(added->bytes = malloc(added->n + 1)))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(s->path));
    s->n++;
    if (OGR_G_ExportToWkb(shape, wkbNDR, added->bytes) != OGRERR_NONE)
        return zm_gdal_fail(err, ZM_E_FORMAT, s->path,
                            "has a shape that cannot be used");
    return ZM_OK;
}

static zm_status take_system(shapes *s, OGRLayerH layer, zm_error *err)
{
    OGRSpatialReferenceH system = OGR_L_GetSpatialRef(layer);
    char *text = NULL;

    if (!system)
        return ZM_OK;
    if (OSRExportToWkt(system, &text) == OGRERR_NONE && text &&
        (s->wkt = malloc(strlen(text) + 1)))
        memcpy(s->wkt, text, strlen(text) + 1);
    CPLFree(text);
    return s->wkt ? ZM_OK
                  : zm_gdal_fail(err, ZM_E_FORMAT, s->path,
                                 "has a coordinate system that is not understood");
}

static zm_status take_layer(shapes *s, OGRLayerH layer, zm_error *err)
{
    const int before = zm_gdal_failures();
    OGRFeatureH feature;
    zm_status st = take_system(s, layer, err);

    OGR_L_ResetReading(layer);
    while (st >= 0 && (feature = OGR_L_GetNextFeature(layer))) {
        OGRGeometryH shape = OGR_F_GetGeometryRef(feature);

        if (shape && !OGR_G_IsEmpty(shape))
            st = take_shape(s, shape, err);
        OGR_F_Destroy(feature);
    }
    if (st >= 0 && zm_gdal_failures() > before)
        st = zm_gdal_fail(err, ZM_E_FORMAT, s->path, "cannot be read to its end");
    return st;
}

static zm_status read_shapes(shapes *s, zm_error *err)
{
    GDALDatasetH file;
    OGRLayerH layer;
    zm_status st;

    zm_gdal_enter();
    st = zm_gdal_open(&file, s->path, ZM_GDAL_VECTOR, err);
    if (st >= 0) {
        layer = GDALDatasetGetLayer(file, 0);
        st = layer ? take_layer(s, layer, err)
                   : zm_fail(err, ZM_E_FORMAT, -1, "%s: has no layer",
                             zm_shown_name(s->path));
        GDALClose(file);
    }
    zm_gdal_leave();
    if (st >= 0 && s->n == 0)
        st = zm_fail(err, ZM_E_FORMAT, -1, "%s: has no points, lines or polygons",
                     zm_shown_name(s->path));
    return st;
}

/* Adds what a shape covers; `window` has room for all cells of the grid. */
static zm_status add_shape(const zm_geo_canvas *canvas, const shapes *s, size_t i,
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

static zm_status draw_shapes(const shapes *s, int32_t rows, int32_t cols,
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
    shapes s = { .path = path };
    zm_status st;
    size_t cells;

    if (!path || !where || !mask || rows < 1 || cols < 1)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_cells_read needs a path, a grid and a mask");
    cells = (size_t)rows * (size_t)cols;
    s.bytes = 2 * cells;
    st = zm_file_within_limit(path, s.bytes, err);
    if (st >= 0)
        st = read_shapes(&s, err);
    if (st >= 0)
        st = draw_shapes(&s, rows, cols, where, mask, err);
    shapes_free(&s);
    return st;
}
