/* SPDX-License-Identifier: Apache-2.0
 * Layers of other formats, brought to our names and units. */
#define _POSIX_C_SOURCE 200809L /* strdup, strcasecmp */
#include "fire/data/import/import_layers.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/fail.h"
#include "core/shown_name.h"
#include "fire/data/geo/gdal_scope.h"
#include "fire/data/geo/raster_utm.h"
#include "fire/data/scene_write.h"
#include "fire/data/synthetic/world.h"
#include "fire/science/units.h"

void zm_layers_free(zm_layers *layers)
{
    for (int layer = 0; layer < ZM_LAYERS; layer++)
        free(layers->planes[layer]);
    free((char *)(uintptr_t)layers->where.wkt);
    free(layers->facts.fuels);
    *layers = (zm_layers)ZM_LAYERS_NONE;
}

/* ---- names ------------------------------------------------------------------------ */

/* Whether a word of the name (letters and digits between other characters, years and version
 * numbers in front or behind it aside) is the product. */
static bool names(const char *name, const char *product)
{
    const size_t n = strlen(product);

    for (const char *at = name; *at;) {
        size_t length = 0, digits = 0;

        while (isalnum((unsigned char)at[length]))
            length++;
        while (digits < length && isdigit((unsigned char)at[digits]))
            digits++;
        if (length - digits >= n && !strncasecmp(at + digits, product, n)) {
            size_t rest = digits + n;

            while (rest < length && isdigit((unsigned char)at[rest]))
                rest++;
            if (rest == length)
                return true;
        }
        at += length ? length : 1;
    }
    return false;
}

/* The letters of a name in lower case: "Stand Height" and STAND_HEIGHT are one. */
static void letters_of(const char *name, char *out, size_t room)
{
    size_t n = 0;

    for (; *name && n + 1 < room; name++)
        if (isalpha((unsigned char)*name))
            out[n++] = (char)tolower((unsigned char)*name);
    out[n] = '\0';
}

/* LANDFIRE's SLPP, and FARSITE's name for it. */
static bool is_percent(const char *name)
{
    char letters[64];

    letters_of(name, letters, sizeof letters);
    return names(name, "slpp") || strstr(letters, "slopepercent") ||
           strstr(letters, "percentslope");
}

int zm_layers_landfire_layer(const char *name)
{
    static const struct {
        const char *product;
        zm_layer layer;
    } products[] = {
        { "slpp", ZM_LAYER_SLOPE },     { "aspd", ZM_LAYER_ASPECT },
        { "elev", ZM_LAYER_ELEVATION }, { "elevation", ZM_LAYER_ELEVATION },
        { "dem", ZM_LAYER_ELEVATION },  { "slpd", ZM_LAYER_SLOPE },
        { "slope", ZM_LAYER_SLOPE },    { "slp", ZM_LAYER_SLOPE },
        { "asp", ZM_LAYER_ASPECT },     { "aspect", ZM_LAYER_ASPECT },
        { "fbfm", ZM_LAYER_FUEL },      { "f40", ZM_LAYER_FUEL },
        { "f13", ZM_LAYER_FUEL },       { "fuel", ZM_LAYER_FUEL },
        { "cc", ZM_LAYER_COVER },       { "ch", ZM_LAYER_HEIGHT },
        { "cbh", ZM_LAYER_BASE },       { "cbd", ZM_LAYER_DENSITY },
    };

    static const struct {
        const char *letters;
        zm_layer layer;
    } phrases[] = {
        { "standheight", ZM_LAYER_HEIGHT },       { "canopybaseheight", ZM_LAYER_BASE },
        { "crownbaseheight", ZM_LAYER_BASE },     { "canopyheight", ZM_LAYER_HEIGHT },
        { "forestheight", ZM_LAYER_HEIGHT },      { "canopybulkdensity", ZM_LAYER_DENSITY },
        { "crownbulkdensity", ZM_LAYER_DENSITY }, { "canopycover", ZM_LAYER_COVER },
        { "crowncover", ZM_LAYER_COVER },         { "fuelmodel", ZM_LAYER_FUEL },
    };
    char letters[64];

    letters_of(name, letters, sizeof letters);
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (strstr(letters, phrases[i].letters))
            return (int)phrases[i].layer;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (names(name, products[i].product))
            return (int)products[i].layer;
    return -1;
}

/* ---- reading ---------------------------------------------------------------------- */

static zm_status set_grid(zm_layers *l, const zm_raster *r, const char *file,
                          zm_error *err)
{
    const double *a = l->where.transform, *b = r->where.transform;

    if (l->rows == 0) {
        l->rows = r->rows;
        l->cols = r->cols;
        l->unit = r->unit;
        l->where = r->where;
        l->where.wkt = strdup(r->where.wkt);
        return l->where.wkt ? ZM_OK : zm_fail(err, ZM_E_NOMEM, -1, "no memory");
    }
    if (r->rows != l->rows || r->cols != l->cols ||
        fabs(a[1] - b[1]) > 1e-3 * fabs(a[1]) || fabs(a[0] - b[0]) > 0.5 * fabs(a[1]) ||
        fabs(a[3] - b[3]) > 0.5 * fabs(a[1]))
        return zm_fail(
            err, ZM_E_FORMAT, -1,
            "%s: %d x %d cells that are not those of the other layers, %d x %d",
            zm_shown_name(file), r->rows, r->cols, l->rows, l->cols);
    return ZM_OK;
}

static zm_status take(zm_layers *l, zm_layer layer, const float *values, double factor,
                      const char *file, zm_error *err)
{
    const size_t n = (size_t)l->rows * (size_t)l->cols;

    if (l->planes[layer])
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: %s is there twice",
                       zm_shown_name(file), zm_scene_layer_band(layer));
    if (!(l->planes[layer] = malloc(n * sizeof(float))))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu cells", n);
    for (size_t i = 0; i < n; i++)
        l->planes[layer][i] = (float)(factor * (double)values[i]);
    return ZM_OK;
}

/* LANDFIRE: canopy in tenths of metres and hundredths of kg/m^3. */
static double landfire_factor(zm_layer layer)
{
    return layer == ZM_LAYER_HEIGHT || layer == ZM_LAYER_BASE ? 0.1
           : layer == ZM_LAYER_DENSITY                        ? 0.01
                                                              : 1;
}

/* FARSITE: what the band says about itself.  0: units that a factor cannot bring to ours. */
static double farsite_factor(const char *file, zm_layer layer)
{
    static const char *const items[ZM_LAYERS] = { "ELEVATION_UNIT",  "SLOPE_UNIT",
                                                  "ASPECT_UNIT",     "",
                                                  "CANOPY_COV_UNIT", "CANOPY_HT_UNIT",
                                                  "CBH_UNIT",        "CBD_UNIT" };
    static const double lengths[5] = { 0, 1, ZM_METRES_PER_FOOT, 0.1,
                                       0.1 * ZM_METRES_PER_FOOT };
    static const double densities[5] = { 0, 1, ZM_KG_PER_M3_OF_LB_FT3, 0.01,
                                         0.001 * ZM_KG_PER_M3_OF_LB_FT3 };
    const int unit = zm_gdal_band_metadata(file, (int)layer + 1, items[layer]);

    switch (layer) {
    case ZM_LAYER_ELEVATION:
        return unit == 1 ? ZM_METRES_PER_FOOT : 1;
    case ZM_LAYER_SLOPE:
        return unit == 1 ? -1 : 1; /* -1: percent */
    case ZM_LAYER_ASPECT:
        return unit == 0 ? 0 : unit == 1 ? -1 : 1; /* -1: counter-clockwise from east */
    case ZM_LAYER_COVER:
        return unit == 0 ? 0 : 1;
    case ZM_LAYER_HEIGHT:
    case ZM_LAYER_BASE:
        return unit >= 1 && unit <= 4 ? lengths[unit] : 0.1;
    case ZM_LAYER_DENSITY:
        return unit >= 1 && unit <= 4 ? densities[unit] : 0.01;
    default:
        return 1;
    }
}

static void from_percent(float *slope, size_t n)
{
    for (size_t i = 0; i < n; i++)
        slope[i] = (float)(atan((double)slope[i] / 100) * 180 / ZM_PI);
}

/* GRASS counts counter-clockwise from east. */
static void from_grass(float *aspect, size_t n)
{
    for (size_t i = 0; i < n; i++)
        aspect[i] = (float)fmod(450 - (double)aspect[i], 360);
}

static zm_status take_farsite(zm_layers *l, const zm_raster *r, const char *file,
                              zm_error *err)
{
    const size_t n = (size_t)r->rows * (size_t)r->cols;
    zm_status st = ZM_OK;

    for (int layer = 0; st >= 0 && layer < ZM_LAYERS && layer < r->bands; layer++) {
        const double factor = farsite_factor(file, (zm_layer)layer);

        if (factor == 0)
            return zm_fail(err, ZM_E_FORMAT, -1,
                           "%s: %s is in categories, must be in degrees or percent",
                           zm_shown_name(file), zm_scene_layer_band((zm_layer)layer));
        st = take(l, (zm_layer)layer, r->data + (size_t)layer * n, fabs(factor), file,
                  err);
        if (st >= 0 && factor < 0)
            (layer == ZM_LAYER_SLOPE ? from_percent : from_grass)(l->planes[layer], n);
    }
    return st;
}

/* Our own names, or LANDFIRE's; how many bands had one. */
static zm_status take_named(zm_layers *l, const zm_raster *r, const char *file,
                            int *found, zm_error *err)
{
    const size_t n = (size_t)r->rows * (size_t)r->cols;
    zm_status st = ZM_OK;

    for (int32_t b = 0; st >= 0 && b < r->bands; b++) {
        int layer = zm_layers_landfire_layer(r->names[b]);
        double factor = layer < 0 ? 1 : landfire_factor((zm_layer)layer);

        for (int ours = 0; ours < ZM_LAYERS; ours++)
            if (!strcmp(r->names[b], zm_scene_layer_band((zm_layer)ours))) {
                layer = ours;
                factor = 1;
            }
        if (layer < 0)
            continue;
        st = take(l, (zm_layer)layer, r->data + (size_t)b * n, factor, file, err);
        if (st >= 0 && layer == ZM_LAYER_SLOPE && is_percent(r->names[b])) {
            from_percent(l->planes[ZM_LAYER_SLOPE], n);
            l->slope_percent = true;
        }
        ++*found;
    }
    return st;
}

static zm_status take_in_order(zm_layers *l, const zm_raster *r, const char *file,
                               zm_error *err)
{
    const size_t n = (size_t)r->rows * (size_t)r->cols;
    zm_status st = ZM_OK;

    if (r->bands < 5)
        return zm_fail(
            err, ZM_E_FORMAT, -1,
            "%s: %d bands whose names are no layers ('%s'); without names 5 or "
            "8 are needed: elevation, slope, aspect, fuel, cover, ...",
            zm_shown_name(file), r->bands, r->names[0]);
    for (int layer = 0; st >= 0 && layer < ZM_LAYERS && layer < r->bands; layer++)
        st = take(l, (zm_layer)layer, r->data + (size_t)layer * n,
                  landfire_factor((zm_layer)layer), file, err);
    return st;
}

zm_status zm_layers_read(zm_layers *l, const char *file, zm_error *err)
{
    const char *ending = strrchr(file, '.');
    zm_raster r;
    int found = 0;
    zm_status st;

    ZM_TRY(zm_raster_read(file, &r, err));
    st = r.where.transform[1] != 0 && isnan(r.unit)
             ? zm_raster_to_utm(&r, file, &l->utm_zone, err)
             : ZM_OK;
    if (st >= 0)
        st = set_grid(l, &r, file, err);
    if (st >= 0 && ending && !strcasecmp(ending, ".lcp")) {
        st = take_farsite(l, &r, file, err);
    } else if (st >= 0) {
        st = take_named(l, &r, file, &found, err);
        if (st >= 0 && found == 0)
            st = take_in_order(l, &r, file, err);
    }
    zm_raster_free(&r);
    return st;
}

zm_status zm_layers_add(zm_layers *l, const char *file, zm_layer layer, zm_error *err)
{
    zm_raster r;
    zm_status st;

    ZM_TRY(zm_raster_read(file, &r, err));
    st = set_grid(l, &r, file, err);
    if (st >= 0)
        st = take(l, layer, r.data, landfire_factor(layer), file, err);
    zm_raster_free(&r);
    return st;
}

/* ---- writing ---------------------------------------------------------------------- */

static float *new_plane(zm_layers *l, zm_layer layer, zm_error *err)
{
    if (!(l->planes[layer] = calloc((size_t)l->rows * (size_t)l->cols, sizeof(float))))
        zm_fail(err, ZM_E_NOMEM, -1, "no memory for a layer");
    return l->planes[layer];
}

/* Slope and aspect from the elevation, cover as none. */
static zm_status complete(zm_layers *l, zm_import_report *report, zm_error *err)
{
    if (!l->planes[ZM_LAYER_ELEVATION] || !l->planes[ZM_LAYER_FUEL])
        return zm_fail(err, ZM_E_FORMAT, -1, "no %s among the layers",
                       l->planes[ZM_LAYER_FUEL] ? "elevation" : "fuel model");
    for (int layer = 0; layer < ZM_LAYERS; layer++)
        if (!l->planes[layer])
            report->layers_missing |= 1U << layer;
    report->slope_percent = l->slope_percent;
    report->utm_zone = l->utm_zone;
    if (!l->planes[ZM_LAYER_COVER]) {
        report->cover_missing = 1;
        if (!new_plane(l, ZM_LAYER_COVER, err))
            return ZM_E_NOMEM;
    }
    if (!l->planes[ZM_LAYER_SLOPE] || !l->planes[ZM_LAYER_ASPECT]) {
        free(l->planes[ZM_LAYER_SLOPE]);
        free(l->planes[ZM_LAYER_ASPECT]);
        report->slope_computed = 1;
        if (!new_plane(l, ZM_LAYER_SLOPE, err) || !new_plane(l, ZM_LAYER_ASPECT, err))
            return ZM_E_NOMEM;
        zm_world_slope_aspect(l->planes[ZM_LAYER_ELEVATION], l->rows, l->cols,
                              l->where.transform[1] * l->unit,
                              l->planes[ZM_LAYER_SLOPE], l->planes[ZM_LAYER_ASPECT]);
    }
    return ZM_OK;
}

static bool is_known(const zm_landscape *land, float fuel)
{
    return zm_scene_fuel_is_barren(fuel) || fuel != floorf(fuel) ||
           !(fabsf(fuel) < 1e6f) ||
           zm_fuel_burnable(land, (int32_t)fuel); /* no number: left to be refused */
}

/* Usual custom models that the map has and nothing defines. */
static zm_status add_usual_fuels(zm_layers *l, zm_landscape *land,
                                 zm_import_report *report, zm_error *err)
{
    const size_t n = (size_t)l->rows * (size_t)l->cols;
    zm_status st = ZM_OK;

    for (int k = 0; st >= 0 && k < ZM_USUAL_FUELS; k++) {
        const zm_fuel *usual = &zm_scene_usual_fuels[k];
        int64_t cells = 0;

        for (size_t i = 0; i < n; i++)
            cells += l->planes[ZM_LAYER_FUEL][i] == (float)usual->number;
        if (cells == 0 || zm_fuel_burnable(land, usual->number))
            continue;
        st = zm_scene_facts_add(&l->facts, usual, 1, err);
        land->custom_fuels = l->facts.fuels;
        land->n_custom_fuels = l->facts.n_fuels;
        report->usual_fuel_cells += cells;
    }
    return st;
}

static void clean(zm_layers *l, const zm_landscape *land, zm_import_report *report)
{
    const size_t n = (size_t)l->rows * (size_t)l->cols;
    float *fuel = l->planes[ZM_LAYER_FUEL], *aspect = l->planes[ZM_LAYER_ASPECT];

    for (size_t i = 0; i < n; i++) {
        if (aspect[i] < 0)
            aspect[i] = 0;
        if (isnan(fuel[i]) || isnan(l->planes[ZM_LAYER_ELEVATION][i])) {
            report->cells_without_data++;
        } else if (!is_known(land, fuel[i])) {
            report->unknown_fuel_cells++;
            fuel[i] = 99;
        }
    }
}

zm_status zm_layers_finish(zm_layers *l, const char *name, zm_landscape *land,
                           zm_import_report *report, zm_error *err)
{
    double cell;
    zm_status st = zm_scene_place_check(&l->where, l->unit, name, &cell, err);

    *land = (zm_landscape){ .size = sizeof(zm_landscape),
                            .rows = l->rows,
                            .cols = l->cols,
                            .latitude = l->facts.latitude,
                            .station_elevation = l->facts.station_elevation,
                            .custom_fuels = l->facts.fuels,
                            .n_custom_fuels = l->facts.n_fuels };
    if (st >= 0)
        st = complete(l, report, err);
    if (st >= 0)
        st = add_usual_fuels(l, land, report, err);
    if (st < 0)
        return st;
    clean(l, land, report);
    for (int layer = 0; layer < ZM_LAYERS; layer++)
        land->layers[layer] = l->planes[layer];
    ZM_TRY(zm_scene_some_data_check(land, name, err));
    ZM_TRY(zm_scene_place_by_map(land, &l->where, err));
    return zm_scene_layers_check(land, name, err);
}

zm_status zm_layers_write(const zm_layers *l, const zm_landscape *land,
                          const char *folder, zm_error *err)
{
    const char *slash = strrchr(folder, '/');

    return zm_scene_ground_write(folder, slash && slash[1] ? slash + 1 : folder, land,
                                 &l->where, err);
}
