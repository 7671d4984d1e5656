/* SPDX-License-Identifier: Apache-2.0
 * Rasters on a page: arrival times, probabilities, sensitivities, whatever has a place. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "core/file.h"
#include "core/folder.h"
#include "view/view.h"
#include "zermelo/fire/geo.h"

/* ---- where it is ------------------------------------------------------------------------------ */

static bool is_placed(const zm_georeference *where)
{
    const double *t = where->transform;

    return t[1] * t[5] - t[2] * t[4] != 0;
}

int building_place(building *b, const zm_georeference *where)
{
    zm_georeference_facts *f;
    const size_t room = strlen(where->wkt ? where->wkt : "") + 1;
    char *wkt;
    zm_error err;
    int code;

    if (!is_placed(where))
        return DONE;
    wkt = grow(NULL, room, 1);
    memcpy(wkt, where->wkt ? where->wkt : "", room);
    b->where = *where;
    b->where.wkt = wkt;
    f = grow(NULL, 1, sizeof *f);
    f->size = sizeof *f;
    GO(checked(zm_georeference_describe(&b->where, b->rows, b->cols, f, &err), &err));
    {
        zm_view_place place = { .size = sizeof place,
                                .crs = *f->crs ? f->crs : NULL,
                                .epsg = f->epsg,
                                .wkt = *wkt ? wkt : NULL,
                                .north = f->north,
                                .lonlat_rows = f->lonlat_rows,
                                .lonlat_cols = f->lonlat_cols,
                                .lon = f->lon,
                                .lat = f->lat };

        memcpy(place.transform, where->transform, sizeof place.transform);
        GO(checked(zm_view_set_place(b->page, &place, &err), &err));
    }
done:
    free(f);
    return code;
}

static int check_place(const building *b, const char *path, const zm_georeference *where)
{
    if (!b->where.wkt || !is_placed(where) ||
        zm_georeference_same(&b->where, where, b->rows, b->cols))
        return DONE;
    return failure("%s lies elsewhere than %s, or in another coordinate system: its first cell is "
                   "at %.12g, %.12g, that of the page at %.12g, %.12g; warp one to the other "
                   "(gdalwarp)",
                   path, b->first, where->transform[0], where->transform[3], b->where.transform[0],
                   b->where.transform[3]);
}

/* ---- bands ------------------------------------------------------------------------------------ */

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

/* What the tool itself writes has names. */
static bool role_by_name(const char *name, zm_view_field *f)
{
    if (begins(name, "arrival_h")) {
        f->role = ZM_VIEW_TIMES;
        f->unit = "h";
    } else if (!strcmp(name, "burn_probability")) {
        f->role = ZM_VIEW_PROBABILITY;
    } else if (begins(name, "minutes_per_")) {
        f->role = ZM_VIEW_SIGNED;
        f->unit = "min";
    } else {
        return false;
    }
    return true;
}

static int add_band(building *b, const input *in, const char *path, zm_raster *r, int32_t band)
{
    const size_t cells = (size_t)r->rows * (size_t)r->cols;
    float *values = r->data + (size_t)band * cells;
    const char *name = zm_file_name(path);
    char label[400];
    zm_view_field f = ZM_VIEW_FIELD_INIT;

    for (size_t i = 0; i < cells; i++) /* no data: never */
        if (isnan(values[i]))
            values[i] = INFINITY;
    f.type = ZM_VIEW_F32;
    f.planes[0] = values;
    f.name = name;
    f.label = label;
    if (in->role != READ_AS_IT_IS || !role_by_name(r->names[band], &f))
        f.role = plane_role(b, in->role, f.type, values);
    if (*r->names[band])
        snprintf(label, sizeof label, "%.190s: %.190s", name, r->names[band]);
    else if (r->bands > 1)
        snprintf(label, sizeof label, "%.190s [%d]", name, (int)band + 1);
    else
        snprintf(label, sizeof label, "%.190s", name);
    if (f.role == ZM_VIEW_TIMES && !f.unit)
        f.unit = b->s->unit_time ? b->s->unit_time : "h";
    return building_add(b, &f, label, NULL);
}

/* ---- files ------------------------------------------------------------------------------------ */

static int begin(building *b, const char *path, const zm_raster *r)
{
    const double *t = r->where.transform, unit = isfinite(r->unit) ? r->unit : 1;
    const bool placed = is_placed(&r->where), degrees = isnan(r->unit);
    const spacing *own = &b->s->problem.spacing;
    page_facts facts = { .rows = r->rows, .cols = r->cols, .across = own->dx, .down = own->dy,
                         .unit_time = "h" };

    if (placed) {
        facts.across = hypot(t[1], t[4]) * unit;
        facts.down = hypot(t[2], t[5]) * unit;
        facts.unit_length = degrees ? "\xc2\xb0" : *r->where.wkt ? "m" : "";
    }
    b->first = path;
    TRY(building_begin(b, &facts));
    return building_place(b, &r->where);
}

static int add_raster(building *b, const input *in, const char *path)
{
    zm_raster r = { 0 };
    zm_error err;
    int code;

    if (zm_raster_read(path, &r, &err) < 0)
        return failure("%s; a page takes arrays of NumPy, reports of zermelo invert, rasters and "
                       "folders of zermelo fire",
                       err.text);
    if (!b->page)
        GO(begin(b, path, &r));
    GO(building_check_grid(b, path, (size_t)r.rows, (size_t)r.cols));
    GO(check_place(b, path, &r.where));
    for (int32_t k = 0; k < r.bands; k++)
        GO(add_band(b, in, path, &r, k));
done:
    zm_raster_free(&r);
    return code;
}

enum { MOST_RASTERS = 64 };

/* What zermelo fire has written to a folder. */
static int add_folder(building *b, const input *in)
{
    zm_folder_names names = { 0 };
    size_t found = 0;
    zm_error err;
    int code;

    GO(checked(zm_folder_list(in->path, false, &names, &err), &err));
    for (size_t i = 0; i < names.n; i++)
        found += zm_file_ends(names.items[i], ".tif");
    if (!found)
        GO(failure("%s has no rasters (*.tif): a folder must be a scene (landscape.tif, fires.csv), "
                   "an observed fire (perimeters.gpkg) or results of zermelo fire",
                   in->path));
    if (found > MOST_RASTERS)
        GO(failure("%s has %zu rasters, a page takes at most %d: name some of them", in->path,
                   found, MOST_RASTERS));
    for (size_t i = 0; i < names.n; i++)
        if (zm_file_ends(names.items[i], ".tif"))
            GO(add_raster(b, in, names.items[i]));
done:
    zm_folder_names_free(&names);
    return code;
}

int add_maps(building *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const input *in = &b->inputs[i];

        if (in->kind == INPUT_MAP)
            TRY(add_raster(b, in, in->path));
        else if (in->kind == INPUT_RESULTS)
            TRY(add_folder(b, in));
    }
    return DONE;
}

int page_of_maps(building *b)
{
    TRY(add_maps(b));
    return add_arrays(b);
}
