/* SPDX-License-Identifier: Apache-2.0
 * landscape.tif: the layers, their units and what may stand in them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/shown_name.h"
#include "fire/data/scene.h"
#include "fire/data/scene_write.h"

/* Non-burnable: where the map has no data. */
#define NO_DATA_FUEL 99.0F
/* Latitude where neither scene.json nor the map tells. */
#define LATITUDE_DEFAULT 45.0
enum { NEEDED_LAYERS = ZM_LAYER_COVER + 1 };

/* Names of bands, and the values they may have; `hint` says what larger ones may be. */
static const struct layer_rule {
    const char *band;
    float least, most;
    const char *hint;
} layer_rules[ZM_LAYERS] = {
    { "elevation_m", -500, 9000, "metres" },
    { "slope_deg", 0, 89, "degrees, not percent" },
    { "aspect_deg", 0, 360, "degrees down the slope, 0 on flat ground" },
    { "fuel_model", 0, 999, "whole numbers of fuel models" },
    { "canopy_cover_pct", 0, 100, "percent" },
    { "canopy_height_m", 0, 120, "metres, not tenths of them" },
    { "canopy_base_height_m", 0, 120, "metres, not tenths of them" },
    { "canopy_bulk_density_kgm3", 0, 5, "kg/m3, not hundredths of them" },
};

const char *zm_scene_layer_band(zm_layer layer)
{
    return layer_rules[layer].band;
}

const zm_fuel zm_scene_usual_fuels[ZM_USUAL_FUELS] = {
    { 19, 0, { 2.25, 1.5, 3.71, 0, 1 }, { 2000, 1800, 1500 }, 0.6, 25, { 8000, 8000 } },
    { 21, 0, { 0.74, 0, 0, 0, 0 }, { 3500, 1800, 1500 }, 1, 11, { 8000, 8000 } },
    { 22, 0, { 2, 1, 0.5, 0, 0.5 }, { 3000, 1800, 1500 }, 1, 14, { 8000, 8000 } },
};

void zm_scene_ground_free(zm_scene_ground *ground)
{
    zm_raster_free(&ground->raster);
    free(ground->fuels);
    *ground = (zm_scene_ground){ 0 };
}

static zm_status fail_cell(const zm_landscape *land, size_t i, const char *tif,
                           int layer, zm_error *err)
{
    const size_t cols = (size_t)land->cols;

    return zm_fail(err, ZM_E_FORMAT, (int64_t)i,
                   "%s: %s is %g at row %zu, column %zu; must be %g to %g, %s",
                   zm_shown_name(tif), layer_rules[layer].band,
                   (double)land->layers[layer][i], i / cols, i % cols,
                   (double)layer_rules[layer].least, (double)layer_rules[layer].most,
                   layer_rules[layer].hint);
}

zm_status zm_scene_place_check(const zm_georeference *where, double unit, const char *tif,
                               double *cell, zm_error *err)
{
    const double *t = where->transform;
    /* Rounding of cell sizes in files of other programs. */
    const double tolerance = 1e-4 * fabs(t[1]);

    for (int i = 0; i < 6; i++)
        if (!isfinite(t[i]))
            return zm_fail(err, ZM_E_FORMAT, -1, "%s: number %d of its georeference is %g",
                           zm_shown_name(tif), i + 1, t[i]);
    if (t[1] == 0 && t[5] == 0)
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: has no georeference",
                       zm_shown_name(tif));
    if (isnan(unit))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: is in degrees, must be in a projected system (metres)",
                       zm_shown_name(tif));
    if (fabs(t[2]) > tolerance || fabs(t[4]) > tolerance || !(t[1] > 0) || !(t[5] < 0))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: is rotated or upside down, must have north up",
                       zm_shown_name(tif));
    if (fabs(t[1] + t[5]) > tolerance)
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: cells of %g by %g, must be square",
                       zm_shown_name(tif), t[1], -t[5]);
    *cell = t[1] * unit;
    if (!(*cell >= 0.01 && *cell <= 1e5))
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: cells of %g m, must be 0.01 to 100000",
                       zm_shown_name(tif), *cell);
    return ZM_OK;
}

static zm_status find_layers(zm_scene_ground *g, const char *tif, zm_error *err)
{
    const zm_raster *r = &g->raster;
    const size_t n = (size_t)r->rows * (size_t)r->cols;

    for (int layer = 0; layer < ZM_LAYERS; layer++) {
        for (int32_t b = 0; b < r->bands; b++) {
            if (strcmp(r->names[b], layer_rules[layer].band) != 0)
                continue;
            if (g->landscape.layers[layer])
                return zm_fail(err, ZM_E_FORMAT, -1, "%s: band %s is there twice",
                               zm_shown_name(tif), layer_rules[layer].band);
            g->landscape.layers[layer] = r->data + (size_t)b * n;
        }
        if (!g->landscape.layers[layer] && layer < NEEDED_LAYERS)
            return zm_fail(err, ZM_E_FORMAT, -1,
                           "%s: no band named %s (band 1 of %d is '%s'); "
                           "`zermelo fire import` makes such files",
                           zm_shown_name(tif), layer_rules[layer].band, r->bands,
                           zm_word_shown(r->names[0]).text);
    }
    return ZM_OK;
}

static bool has_data(const zm_landscape *land, size_t i)
{
    for (int layer = 0; layer < NEEDED_LAYERS; layer++)
        if (isnan(land->layers[layer][i]))
            return false;
    return true;
}

/* The number of cells where there is none. */
static size_t first_with_data(const zm_landscape *land)
{
    const size_t n = (size_t)land->rows * (size_t)land->cols;
    size_t first = 0;

    while (first < n && !has_data(land, first))
        first++;
    return first;
}

zm_status zm_scene_some_data_check(const zm_landscape *land, const char *tif,
                                   zm_error *err)
{
    return first_with_data(land) < (size_t)land->rows * (size_t)land->cols
               ? ZM_OK
               : zm_fail(err, ZM_E_FORMAT, -1, "%s: no cell has data",
                         zm_shown_name(tif));
}

/* A cell without data burns nothing and stands at the elevation of the last one with data;
 * single missing canopy values mean no canopy. */
static zm_status fill_missing(zm_scene_ground *g, const char *tif, zm_error *err)
{
    const size_t n = (size_t)g->raster.rows * (size_t)g->raster.cols;
    float *layers[ZM_LAYERS], elevation = 0;

    for (int layer = 0; layer < ZM_LAYERS; layer++) /* they are our raster's */
        layers[layer] = (float *)(uintptr_t)g->landscape.layers[layer];
    ZM_TRY(zm_scene_some_data_check(&g->landscape, tif, err));
    elevation = layers[ZM_LAYER_ELEVATION][first_with_data(&g->landscape)];
    for (size_t i = 0; i < n; i++) {
        if (has_data(&g->landscape, i)) {
            elevation = layers[ZM_LAYER_ELEVATION][i];
        } else {
            g->without_data++;
            for (int layer = 0; layer < NEEDED_LAYERS; layer++)
                layers[layer][i] = 0;
            layers[ZM_LAYER_ELEVATION][i] = elevation;
            layers[ZM_LAYER_FUEL][i] = NO_DATA_FUEL;
        }
        for (int layer = NEEDED_LAYERS; layer < ZM_LAYERS; layer++)
            if (layers[layer] && isnan(layers[layer][i]))
                layers[layer][i] = 0;
    }
    return ZM_OK;
}

zm_status zm_scene_layers_check(const zm_landscape *land, const char *tif,
                                zm_error *err)
{
    const size_t n = (size_t)land->rows * (size_t)land->cols;

    for (int layer = 0; layer < ZM_LAYERS; layer++) {
        const struct layer_rule *rule = &layer_rules[layer];
        const float *values = land->layers[layer];

        for (size_t i = 0; values && i < n; i++)
            if (values[i] < rule->least || values[i] > rule->most ||
                (layer == ZM_LAYER_FUEL && values[i] != floorf(values[i]) &&
                 !isnan(values[i])))
                return fail_cell(land, i, tif, layer, err);
    }
    return ZM_OK;
}

bool zm_scene_fuel_is_barren(float fuel)
{
    return fuel == 0 || fuel == 91 || fuel == 92 || fuel == 93 || fuel == 98 ||
           fuel == 99;
}

static zm_status check_fuels(const zm_scene_ground *g, const char *tif, zm_error *err)
{
    const size_t n = (size_t)g->raster.rows * (size_t)g->raster.cols;
    const float *fuel = g->landscape.layers[ZM_LAYER_FUEL];

    for (size_t i = 0; i < n; i++)
        if (!zm_scene_fuel_is_barren(fuel[i]) && (i == 0 || fuel[i] != fuel[i - 1]) &&
            !zm_fuel_burnable(&g->landscape, (int32_t)fuel[i]))
            return zm_fail(
                err, ZM_E_FORMAT, (int64_t)i,
                "%s: fuel model %d at row %zu, column %zu is neither "
                "published nor 91-93, 98, 99 nor custom, in scene.json or given",
                zm_shown_name(tif), (int)fuel[i], i / (size_t)g->raster.cols,
                i % (size_t)g->raster.cols);
    return ZM_OK;
}

static double mean_elevation(const zm_landscape *land)
{
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < (size_t)land->rows * (size_t)land->cols; i++)
        if (!isnan(land->layers[ZM_LAYER_ELEVATION][i])) {
            sum += (double)land->layers[ZM_LAYER_ELEVATION][i];
            n++;
        }
    return n ? sum / (double)n : 0;
}

zm_status zm_scene_place_by_map(zm_landscape *land, const zm_georeference *where,
                                zm_error *err)
{
    double longitude;

    if (isnan(land->latitude))
        ZM_TRY(zm_georeference_place(where, 0.5 * land->rows, 0.5 * land->cols,
                                     &land->latitude, &longitude, err));
    if (isnan(land->latitude))
        land->latitude = LATITUDE_DEFAULT;
    if (isnan(land->station_elevation))
        land->station_elevation = mean_elevation(land);
    return ZM_OK;
}

static zm_status read_facts(zm_scene_ground *g, const char *json, const zm_fuel *fuels,
                            size_t n_fuels, zm_error *err)
{
    zm_scene_facts facts = { NAN, NAN, NULL, 0 };
    zm_status st =
        json && zm_file_exists(json)
            ? zm_scene_facts_read(json, &facts, err)
            : zm_scene_facts_add(&facts, zm_scene_usual_fuels, ZM_USUAL_FUELS, err);

    if (st >= 0)
        st = zm_scene_facts_add(&facts, fuels, n_fuels, err);
    g->fuels = facts.fuels;
    g->landscape.latitude = facts.latitude;
    g->landscape.station_elevation = facts.station_elevation;
    g->landscape.custom_fuels = g->fuels;
    g->landscape.n_custom_fuels = facts.n_fuels;
    return st < 0 ? st : zm_scene_place_by_map(&g->landscape, &g->raster.where, err);
}

zm_status zm_scene_ground_read(const char *tif, const char *json, const zm_fuel *fuels,
                               size_t n_fuels, zm_scene_ground *out, zm_error *err)
{
    zm_scene_ground g = { .landscape = ZM_LANDSCAPE_INIT };
    zm_status st;

    ZM_GO(zm_raster_read(tif, &g.raster, err));
    g.landscape.rows = g.raster.rows;
    g.landscape.cols = g.raster.cols;
    ZM_GO(zm_scene_place_check(&g.raster.where, g.raster.unit, tif, &g.landscape.cell, err));
    ZM_GO(find_layers(&g, tif, err));
    ZM_GO(fill_missing(&g, tif, err));
    ZM_GO(zm_scene_layers_check(&g.landscape, tif, err));
    ZM_GO(read_facts(&g, json, fuels, n_fuels, err));
    ZM_GO(check_fuels(&g, tif, err));
done:
    if (st < 0)
        zm_scene_ground_free(&g);
    *out = g;
    return st;
}
