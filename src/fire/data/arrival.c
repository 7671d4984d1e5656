/* SPDX-License-Identifier: Apache-2.0
 * arrival/FIRE.tif: times on the landscape's grid. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/shown_name.h"
#include "fire/data/scene.h"

/* Latest time beyond duration_h that is rounding. */
#define LATE_H 1e-3
/* How far, in cells, corners may lie apart in files that align. */
#define OFF_GRID 0.01

/* Without memory of its own, which might be missing: a fire without a file is not the same as one
 * that nobody could look for. */
typedef struct arrival_name {
    char text[4096]; /* longer ones the system refuses */
} arrival_name;

static arrival_name arrival_path(const zm_scene *scene, size_t i)
{
    arrival_name name;
    const int n = snprintf(name.text, sizeof name.text, "%s/arrival/%s.tif",
                           scene->folder, scene->fires[i].fire.name);

    if (n < 0 || (size_t)n >= sizeof name.text)
        name.text[0] = '\0';
    return name;
}

int zm_scene_has_arrival(const zm_scene *scene, size_t i)
{
    return i < scene->n_fires && zm_file_exists(arrival_path(scene, i).text);
}

/* Row and column of the landscape that cell (0, 0) of the raster is. */
static zm_status place_on_grid(const zm_scene *scene, const zm_raster *r,
                               const char *path, int32_t *row, int32_t *col,
                               zm_error *err)
{
    const zm_landscape *land = &scene->ground.landscape;
    const double *t = scene->ground.raster.where.transform, *a = r->where.transform;
    const double x = (a[0] - t[0]) / t[1], y = (a[3] - t[3]) / t[5];

    if (!(fabs(a[1] - t[1]) * r->cols <= OFF_GRID * t[1]) ||
        !(fabs(a[5] - t[5]) * r->rows <= OFF_GRID * t[1]) || a[2] != t[2] ||
        a[4] != t[4])
        return zm_fail(
            err, ZM_E_FORMAT, -1,
            "%s: cells of %g by %g, must be those of the landscape, %g by %g",
            zm_shown_name(path), a[1], -a[5], t[1], -t[5]);
    if (!(fabs(x - round(x)) <= OFF_GRID) || !(fabs(y - round(y)) <= OFF_GRID))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: does not align with the landscape: its corner is at row "
                       "%.3f, column %.3f",
                       zm_shown_name(path), y, x);
    if (!(x >= -0.5 && y >= -0.5 && round(x) + r->cols <= land->cols &&
          round(y) + r->rows <= land->rows))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: %d x %d cells from row %.0f, column %.0f on, outside the "
                       "landscape of %d x %d",
                       zm_shown_name(path), r->rows, r->cols, y, x, land->rows,
                       land->cols);
    *row = (int32_t)round(y);
    *col = (int32_t)round(x);
    return ZM_OK;
}

static zm_status fail_time(const char *path, double time, double most, int64_t cell,
                           zm_error *err)
{
    return zm_fail(err, ZM_E_FORMAT, cell, "%s: arrival time %g h, must be 0 to %g%s",
                   zm_shown_name(path), time, most, isinf(most) ? "" : " (duration_h)");
}

/* Copies the times to their place; none may be later than `most`. */
static zm_status paste(const zm_scene *scene, double most, const zm_raster *r,
                       const char *path, float *T, zm_error *err)
{
    const zm_landscape *land = &scene->ground.landscape;
    int32_t row = 0, col = 0;
    zm_status st = place_on_grid(scene, r, path, &row, &col, err);
    size_t burned = 0;

    if (st < 0)
        return st;
    for (size_t k = 0; k < (size_t)land->rows * (size_t)land->cols; k++)
        T[k] = INFINITY;
    for (int32_t y = 0; y < r->rows; y++)
        for (int32_t x = 0; x < r->cols; x++) {
            const float time = r->data[(size_t)y * (size_t)r->cols + (size_t)x];
            const int64_t cell = (int64_t)(row + y) * land->cols + col + x;

            if (isnan(time))
                continue;
            if (!(time >= 0 && (double)time <= most + LATE_H) || isinf(time))
                return fail_time(path, (double)time, most, cell, err);
            T[cell] = time;
            burned++;
        }
    if (burned == 0)
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: no cell burned", zm_shown_name(path));
    return ZM_OK;
}

static zm_status read_times(const zm_scene *scene, const char *path, double most,
                            float *T, zm_error *err)
{
    zm_raster r;
    zm_status st = zm_raster_read(path, &r, err);

    if (st >= 0)
        st = paste(scene, most, &r, path, T, err);
    zm_raster_free(&r);
    return st;
}

zm_status zm_scene_times(const zm_scene *scene, const char *path, float *T,
                         zm_error *err)
{
    if (!scene || !path || !T)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_scene_times needs a scene, a file and times");
    return read_times(scene, path, INFINITY, T, err);
}

zm_status zm_scene_arrival(const zm_scene *scene, size_t i, float *T, zm_error *err)
{
    if (!scene || !T || i >= scene->n_fires)
        return zm_fail(err, ZM_E_ARG, -1, "zm_scene_arrival: no fire of index %zu", i);
    return read_times(scene, arrival_path(scene, i).text, scene->fires[i].fire.duration, T,
                      err);
}
