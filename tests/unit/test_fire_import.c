/* SPDX-License-Identifier: Apache-2.0
 * Importers, on files of other formats that the tests write with GDAL. */
#include <gdal.h>
#include <ogr_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fire/data/import/import_layers.h"
#include "fire/data/weather_stream.h"
#include "support/scenes.h"
#include "zermelo/fire/dataset.h"
#include "zermelo/fire/physics.h"

enum { ROWS = 24, COLS = 30, CELLS = ROWS * COLS };
static const zm_georeference place = { { 2000, 30, 0, 9000, 0, -30 }, "" };

static void put_raster(const folder *f, const char *name, const char *const *names,
                       const float *values, int bands)
{
    float layers[8][CELLS];
    const float *planes[8];
    const zm_raster_planes map = { ROWS, COLS, bands, planes, names, &place };

    for (int b = 0; b < bands; b++) {
        planes[b] = layers[b];
        for (int i = 0; i < CELLS; i++)
            layers[b][i] = values[b];
    }
    scene_put(f, name, "");
    if (zm_raster_write(folder_path(f, name), &map, NULL) != ZM_OK)
        exit(2);
}

/* A picture with white discs of some radius about (12, 15). */
static void put_mask(const folder *f, const char *name, double radius)
{
    GDALDatasetH memory, file;
    uint8_t pixels[CELLS];

    GDALAllRegister();
    memory = GDALCreate(GDALGetDriverByName("MEM"), "", COLS, ROWS, 1, GDT_Byte, NULL);
    for (int i = 0; i < CELLS; i++)
        pixels[i] = hypot(i / COLS - 12, i % COLS - 15) <= radius ? 255 : 0;
    scene_put(f, name, "");
    if (GDALRasterIO(GDALGetRasterBand(memory, 1), GF_Write, 0, 0, COLS, ROWS, pixels,
                     COLS, ROWS, GDT_Byte, 0, 0) != CE_None)
        exit(2);
    file = GDALCreateCopy(GDALGetDriverByName(strstr(name, ".jpg") ? "JPEG" : "PNG"),
                          folder_path(f, name), memory, 0, NULL, NULL, NULL);
    if (!file)
        exit(2);
    GDALClose(file);
    GDALClose(memory);
}

static void put_landfire(const folder *f)
{
    static const struct {
        const char *name;
        float value;
    } layers[] = { { "r/1.1_Topography_Map/LC20_Elev_220.tif", 800 },
                   { "r/1.1_Topography_Map/LC20_SlpD_220.tif", 7 },
                   { "r/1.1_Topography_Map/LC20_Asp_220.tif", -1 },
                   { "r/1.2_Vegetation_Map/LC22_EVT_230.tif", 7011 },
                   { "r/1.3_Fuel_Map/LC22_F40_230.tif", 102 },
                   { "r/1.3_Fuel_Map/LC22_CC_230.tif", 35 },
                   { "r/1.3_Fuel_Map/LC22_CBH_230.tif", 12 },
                   { "r/1.3_Fuel_Map/LC22_CH_230.tif", 90 },
                   { "r/1.3_Fuel_Map/LC22_CBD_230.tif", 11 } };

    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        put_raster(f, layers[i].name, NULL, &layers[i].value, 1);
}

static const char stream[] = "RAWS_ELEVATION: 4000\nRAWS_UNITS: English\nRAWS: 3\n"
                             "2020 8 17 1300 86 20 0.00 10 225 15\n"
                             "2020 8 17 1400 88 18 0.00 12 230 10\n"
                             "2020 8 17 1500 88 18 0.10 12 230 10\n";

TEST(a_sim2real_scene_becomes_ours)
{
    const folder f = folder_make();
    zm_import_report r = { 0 };
    zm_error err = { 0 };
    zm_scene *scene = NULL;
    const zm_landscape *land;
    const zm_fire *fire;
    char from[200], to[200];
    float T[CELLS];

    put_landfire(&f);
    scene_put(&f, "r/1.4_Weather_Data/7.wxs", stream);
    scene_put(&f, "r/1.4_Weather_Data/17.wxs", "2020 8 17 1300 70 20 0 1 5 15\n");
    for (int k = 1; k <= 4; k++) {
        char name[80];

        snprintf(name, sizeof name, "r/fires/scr7_20200817/out%d.jpg", k);
        put_mask(&f, name, 2.0 * k);
        snprintf(name, sizeof name, "r/fires/empty9/out%d.png", k);
        put_mask(&f, name, -1);
    }
    snprintf(from, sizeof from, "%s", folder_path(&f, "r"));
    snprintf(to, sizeof to, "%s", folder_path(&f, "ours"));
    CHECK_MSG(zm_import_sim2real(from, to, &r, &err) == ZM_OK, "%s", err.text);
    CHECK(r.fires == 1 && r.fires_skipped == 1 && strstr(r.note, "empty9"));
    CHECK(!r.slope_computed && !r.cover_missing && r.unknown_fuel_cells == 0);
    CHECK_MSG(zm_scene_open(to, &scene, &err) == ZM_OK, "%s", err.text);
    if (!scene)
        return;
    land = zm_scene_landscape(scene);
    CHECK(land->rows == ROWS && land->layers[ZM_LAYER_ASPECT][5] == 0);
    CHECK_NEAR((double)land->layers[ZM_LAYER_HEIGHT][5], 9, 1e-6);
    CHECK_NEAR((double)land->layers[ZM_LAYER_DENSITY][5], 0.11, 1e-6);
    fire = zm_scene_fire(scene, 0);
    CHECK(fire->row == 12 && fire->col == 15 && fire->duration == 3);
    CHECK(fire->hours == 3 && fire->start_month == 8 && fire->start_hour == 13);
    CHECK_NEAR(fire->weather[0].temperature, 30, 1e-9);
    CHECK_NEAR(fire->weather[0].wind_speed, 10 / 0.5402,
               1e-8); /* ten digits in the file */
    CHECK_NEAR(fire->weather[2].rain, 2.54, 1e-9);
    CHECK(zm_scene_arrival(scene, 0, T, &err) == ZM_OK);
    CHECK(T[12 * COLS + 15] == 0 && T[12 * COLS + 18] == 1 && T[12 * COLS + 22] == 3);
    CHECK(isinf(T[12 * COLS + 25]));
    zm_scene_close(scene);
    scene_remove(&f);
}

/* Circles of 3, 5 and 8 cells, a day apart: sources from the first, times from all. */
static void check_dates(test_run *t, const zm_observed *fire)
{
    float T[CELLS];
    zm_source lit[CELLS];
    size_t n = 0;

    CHECK(zm_observed_sources(fire, lit, &n, NULL) == ZM_OK && n == 29);
    for (size_t i = 0; i < n; i++)
        CHECK(lit[i].time == 0 && hypot(lit[i].row - 12, lit[i].col - 15) <= 3);
    zm_observed_times(fire, T);
    for (int i = 0; i < CELLS; i++) {
        const double r = hypot(i / COLS - 12, i % COLS - 15);

        CHECK(T[i] == (r <= 3 ? 0 : r <= 5 ? 24 : r <= 8 ? 48 : INFINITY));
    }
    CHECK(zm_observed_end(fire) == 48 && zm_observed_hour(fire, 1) == 24);
    CHECK(zm_observed_until(fire, 47) == 2 && zm_observed_until(fire, 48) == 3);
}

TEST(dated_masks_become_an_observed_fire)
{
    const folder f = folder_make();
    zm_observed *fire = NULL;
    zm_import_report r = { 0 };
    zm_error err = { 0 };
    const zm_perimeter *p;
    char from[200], to[200];
    size_t n = 0;

    put_landfire(&f);
    scene_put(&f, "r/Weather/only.wxs", stream);
    put_mask(&f, "r/masks/fire_2020-08-19.png", 8);
    put_mask(&f, "r/masks/fire_20200817.png", 3);
    put_mask(&f, "r/masks/fire_2020_08_18.png", 5);
    snprintf(from, sizeof from, "%s", folder_path(&f, "r"));
    snprintf(to, sizeof to, "%s", folder_path(&f, "ours"));
    CHECK_MSG(zm_import_sim2real(from, to, &r, &err) == ZM_OK, "%s", err.text);
    CHECK(r.perimeters == 3 && r.fires == 0);
    CHECK_MSG(zm_observed_open(to, &fire, &err) == ZM_OK, "%s", err.text);
    if (!fire)
        return;
    p = zm_observed_perimeters(fire, &n);
    CHECK(n == 3 && !strcmp(p[0].observed, "2020-08-17"));
    CHECK(zm_observed_hours(fire)[2] == 48 && zm_observed_has_start(fire));
    for (int i = 0; i < CELLS; i++)
        for (size_t k = 0; k < n; k++)
            CHECK(p[k].mask[i] ==
                  (hypot(i / COLS - 12, i % COLS - 15) <= (k == 0   ? 3
                                                           : k == 1 ? 5
                                                                    : 8)));
    check_dates(t, fire);
    zm_observed_close(fire);
    scene_remove(&f);
}

TEST(a_sim2real_scene_without_its_parts_is_refused)
{
    const folder f = folder_make();
    zm_error err = { 0 };
    char from[200], to[200];

    snprintf(from, sizeof from, "%s", folder_path(&f, "r"));
    snprintf(to, sizeof to, "%s", folder_path(&f, "ours"));
    CHECK(zm_import_sim2real(from, to, NULL, &err) == ZM_E_FORMAT);
    CHECK(strstr(err.text, "LANDFIRE"));
    put_landfire(&f);
    CHECK(zm_import_sim2real(from, to, NULL, &err) == ZM_E_FORMAT);
    CHECK(strstr(err.text, "masks"));
    put_mask(&f, "r/fires/a1/out1.png", 2);
    put_mask(&f, "r/fires/a1/out2.png", 4);
    CHECK(zm_import_sim2real(from, to, NULL, &err) == ZM_E_FORMAT);
    CHECK(strstr(err.text, "no weather file"));
    scene_remove(&f);
}

/* FARSITE's file says in which units it is: feet times ten, pounds per cubic foot. */
TEST(a_farsite_landscape_is_read_in_its_units)
{
    static const float values[8] = { 1000, 50, 180, 102, 60, 300, 100, 20 };
    static const char *const units[] = { "ELEVATION_UNIT=FEET",
                                         "SLOPE_UNIT=PERCENT",
                                         "ASPECT_UNIT=AZIMUTH_DEGREES",
                                         "CANOPY_COV_UNIT=PERCENT",
                                         "CANOPY_HT_UNIT=FEET_X_10",
                                         "CBH_UNIT=FEET_X_10",
                                         "CBD_UNIT=POUND_PER_CUBIC_FOOT_X_1000",
                                         "LINEAR_UNIT=METER",
                                         "LATITUDE=40",
                                         NULL };
    const folder f = folder_make();
    GDALDatasetH memory, file;
    zm_import_report r = { 0 };
    zm_error err = { 0 };
    zm_scene *scene = NULL;
    double transform[6] = { 2000, 30, 0, 9000, 0, -30 };
    char lcp[200], to[200];

    GDALAllRegister();
    memory = GDALCreate(GDALGetDriverByName("MEM"), "", COLS, ROWS, 8, GDT_Int16, NULL);
    GDALSetGeoTransform(memory, transform);
    for (int b = 0; b < 8; b++)
        GDALFillRaster(GDALGetRasterBand(memory, b + 1), (double)values[b], 0);
    snprintf(lcp, sizeof lcp, "%s", folder_path(&f, "a.lcp"));
    snprintf(to, sizeof to, "%s", folder_path(&f, "ours"));
    file = GDALCreateCopy(GDALGetDriverByName("LCP"), lcp, memory, 0,
                          (char **)(uintptr_t)units, NULL, NULL);
    CHECK(file != NULL);
    GDALClose(file);
    GDALClose(memory);
    CHECK_MSG(zm_import_landscape(lcp, to, NULL, &r, &err) == ZM_OK, "%s", err.text);
    snprintf(lcp, sizeof lcp, "%s", folder_path(&f, "ours/landscape.tif"));
    CHECK_MSG(zm_scene_open_landscape(lcp, NULL, &scene, &err) == ZM_OK, "%s",
              err.text);
    if (scene) {
        const float *const *layers = zm_scene_landscape(scene)->layers;

        CHECK_NEAR((double)layers[ZM_LAYER_ELEVATION][3], 304.8, 1e-3);
        CHECK_NEAR((double)layers[ZM_LAYER_SLOPE][3], 26.565, 1e-3);
        CHECK(layers[ZM_LAYER_ASPECT][3] == 180 && layers[ZM_LAYER_FUEL][3] == 102);
        CHECK_NEAR((double)layers[ZM_LAYER_HEIGHT][3], 30 * 0.3048, 1e-4);
        CHECK_NEAR((double)layers[ZM_LAYER_DENSITY][3], 0.02 * 16.018463, 1e-5);
    }
    zm_scene_close(scene);
    scene_remove(&f);
}

TEST(landfire_bands_are_known_by_name_or_by_order)
{
    static const char *const names[6] = { "US_ELEV2020", "US_ASP2020",   "US_SLPD2020",
                                          "US_240CC",    "US_240FBFM40", "US_240CH" };
    static const float values[8] = { 500, 90, 12, 40, 145, 120, 30, 8 };
    static const float in_order[8] = { 500, 12, 90, 145, 40, 120, 30, 8 };
    const folder f = folder_make();
    zm_error err = { 0 };
    char from[200], to[200];

    put_raster(&f, "named.tif", names, values, 6);
    put_raster(&f, "order.tif", NULL, in_order, 8);
    for (int k = 0; k < 2; k++) {
        zm_scene *scene = NULL;

        snprintf(from, sizeof from, "%s",
                 folder_path(&f, k ? "order.tif" : "named.tif"));
        snprintf(to, sizeof to, "%s", folder_path(&f, "ours"));
        CHECK_MSG(zm_import_landscape(from, to, NULL, NULL, &err) == ZM_OK, "%s",
                  err.text);
        snprintf(to, sizeof to, "%s", folder_path(&f, "ours/landscape.tif"));
        CHECK(zm_scene_open_landscape(to, NULL, &scene, &err) == ZM_OK);
        if (scene) {
            const float *const *layers = zm_scene_landscape(scene)->layers;

            CHECK(layers[ZM_LAYER_SLOPE][0] == 12 && layers[ZM_LAYER_ASPECT][0] == 90);
            CHECK(layers[ZM_LAYER_FUEL][0] == 145 && layers[ZM_LAYER_COVER][0] == 40);
            CHECK_NEAR((double)layers[ZM_LAYER_HEIGHT][0], 12, 1e-5);
        }
        zm_scene_close(scene);
    }
    scene_remove(&f);
}

TEST(what_is_missing_or_unknown_is_filled_and_told)
{
    static const char *const names[2] = { "elevation", "fuel" };
    static const float values[2] = { 500, 77 };
    const folder f = folder_make();
    zm_import_report r = { 0 };
    zm_error err = { 0 };
    char from[200], to[200];

    put_raster(&f, "a.tif", names, values, 2);
    snprintf(from, sizeof from, "%s", folder_path(&f, "a.tif"));
    snprintf(to, sizeof to, "%s", folder_path(&f, "ours"));
    CHECK_MSG(zm_import_landscape(from, to, NULL, &r, &err) == ZM_OK, "%s", err.text);
    CHECK(r.slope_computed && r.cover_missing && r.unknown_fuel_cells == CELLS);
    put_raster(&f, "a.tif", names, values, 1);
    CHECK(zm_import_landscape(from, to, NULL, &r, &err) == ZM_E_FORMAT);
    CHECK(strstr(err.text, "fuel"));
    scene_remove(&f);
}

static void path_to(const folder *f, const char *name, char out[200])
{
    snprintf(out, 200, "%s", folder_path(f, name));
}

/* Fuel 14 is known where the caller defines it, 19 always, 77 never; scene.json beside the
 * file tells latitude and station.  The scene that is made stands on its own feet. */
TEST(custom_fuels_and_facts_come_along)
{
    static const char *const names[2] = { "elevation", "fuel" };
    static const float fuel[3] = { 14, 19, 77 };
    static const char facts[] =
        "{\"latitude_deg\": 47.5, \"weather_station_elevation_m\": 811, "
        "\"custom_fuels\": "
        "{\"14\": \"14 X 9 1 0 0 0 static 2000 1800 1500 1 25 8000 8000\"}}";
    const folder f = folder_make();
    zm_import_opts o = ZM_IMPORT_OPTS_INIT;
    zm_fuel custom[2] = { *zm_fuel_published(2), *zm_fuel_published(2) };
    char from[200], to[200];

    custom[0].number = custom[1].number = 14; /* the first counts */
    custom[0].load[0] = 0.0004;
    custom[1].depth = 3;
    o.fuels = custom;
    o.n_fuels = 2;
    path_to(&f, "a.tif", from);
    path_to(&f, "ours", to);
    scene_put(&f, "scene.json", facts);
    for (int k = 0; k < 3; k++) {
        const float values[2] = { 500, fuel[k] };
        zm_import_report r = { 0 };
        zm_error err = { 0 };
        char tif[200], json[200];
        zm_scene *scene = NULL;

        put_raster(&f, "a.tif", names, values, 2);
        CHECK_MSG(zm_import_landscape(from, to, &o, &r, &err) == ZM_OK, "%s", err.text);
        CHECK(r.unknown_fuel_cells == (k == 2 ? CELLS : 0));
        CHECK(r.usual_fuel_cells == (k == 1 ? CELLS : 0));
        path_to(&f, "ours/landscape.tif", tif);
        path_to(&f, "ours/scene.json", json);
        CHECK_MSG(zm_scene_open_landscape(tif, json, &scene, &err) == ZM_OK, "%s",
                  err.text);
        if (scene) {
            const zm_landscape *land = zm_scene_landscape(scene);

            CHECK(land->layers[ZM_LAYER_FUEL][5] == (k == 2 ? 99 : fuel[k]));
            CHECK(zm_fuel_burnable(land, (int32_t)fuel[k]) == (k < 2));
            CHECK(land->latitude == 47.5 && land->station_elevation == 811);
            CHECK(zm_landscape_fuel(land, 14)->load[0] == 0.0004);
            CHECK(zm_landscape_fuel(land, 14)->depth == 1);
        }
        zm_scene_close(scene);
    }
    scene_remove(&f);
}

/* Landscape, weather and ignition are all right, or nothing is written. */
TEST(a_scene_is_imported_whole_or_not_at_all)
{
    static const char *const names[2] = { "elevation", "fuel" };
    static const float values[2] = { 500, 102 }, barren[2] = { 500, 98 },
                       halved[2] = { 500, 102.5f }, hole[2] = { 500, NAN };
    const folder f = folder_make();
    zm_import_opts o = ZM_IMPORT_OPTS_INIT;
    zm_import_report r = { 0 };
    zm_error err = { 0 };
    zm_scene *scene = NULL;
    char from[200], weather[200], bad[200], to[200], tif[200];

    path_to(&f, "a.tif", from);
    path_to(&f, "w.csv", weather);
    path_to(&f, "bad.csv", bad);
    path_to(&f, "ours", to);
    path_to(&f, "ours/landscape.tif", tif);
    scene_put(&f, "w.csv", "wind_speed_kmh,wind_dir_deg\n12,270\n");
    scene_put(&f, "bad.csv", "wind_speed_kmh\n12\n");
    put_raster(&f, "a.tif", names, barren, 2);
    CHECK(zm_import_scene(from, weather, 3, 4, to, NULL, &r, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "cannot burn"), "%s", err.text);
    put_raster(&f, "a.tif", names, values, 2);
    CHECK(zm_import_scene(from, weather, ROWS, 4, to, NULL, &r, &err) == ZM_E_ARG);
    CHECK(zm_import_scene(from, bad, 3, 4, to, NULL, &r, &err) == ZM_E_FORMAT);
    o.moisture.dead_10h = 150;
    CHECK(zm_import_scene(from, weather, 3, 4, to, &o, &r, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "moisture"), "%s", err.text);
    o = (zm_import_opts)ZM_IMPORT_OPTS_INIT;
    o.start_month = 13;
    CHECK(zm_import_scene(from, weather, 3, 4, to, &o, &r, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "month 13"), "%s", err.text);
    put_raster(&f, "a.tif", names, halved, 2);
    CHECK(zm_import_scene(from, weather, 3, 4, to, NULL, &r, &err) == ZM_E_FORMAT);
    CHECK_MSG(strstr(err.text, "fuel_model is 102.5"), "%s", err.text);
    put_raster(&f, "a.tif", names, hole, 2);
    CHECK(zm_import_scene(from, weather, 3, 4, to, NULL, &r, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "no data"), "%s", err.text);
    put_raster(&f, "a.tif", names, values, 2);
    CHECK(fopen(tif, "rb") == NULL);
    CHECK(zm_start_parse("02-30T10:00", &o.start_month, &o.start_day, &o.start_hour) ==
          0);
    CHECK(zm_start_parse("08-21T14:30", &o.start_month, &o.start_day, &o.start_hour));
    o.moisture = (zm_fuel_moisture){ 3, 4, 5, 70, 80 };
    CHECK_MSG(zm_import_scene(from, weather, 3, 4, to, &o, &r, &err) == ZM_OK, "%s",
              err.text);
    CHECK_MSG(zm_scene_open(to, &scene, &err) == ZM_OK, "%s", err.text);
    if (scene) {
        const zm_fire *fire = zm_scene_fire(scene, 0);

        CHECK(zm_scene_count(scene) == 1 && fire->row == 3 && fire->col == 4);
        CHECK(fire->start_month == 8 && fire->start_day == 21);
        CHECK(fire->start_hour == 14.5);
        CHECK(fire->moisture.dead_1h == 3 && fire->moisture.live_woody == 80);
    }
    zm_scene_close(scene);
    scene_remove(&f);
}

/* Names of folders may have quotes in them. */
TEST(a_scene_with_quotes_in_its_name_is_read_back)
{
    static const char *const names[2] = { "elevation", "fuel" };
    static const float values[2] = { 500, 102 };
    const folder f = folder_make();
    zm_error err = { 0 };
    zm_scene *scene = NULL;
    char from[200], to[200], tif[200], json[200];

    path_to(&f, "a.tif", from);
    path_to(&f, "q\"\\q", to);
    path_to(&f, "q\"\\q/landscape.tif", tif);
    path_to(&f, "q\"\\q/scene.json", json);
    put_raster(&f, "a.tif", names, values, 2);
    CHECK(zm_import_landscape(from, to, NULL, NULL, &err) == ZM_OK);
    CHECK_MSG(zm_scene_open_landscape(tif, json, &scene, &err) == ZM_OK, "%s",
              err.text);
    zm_scene_close(scene);
    scene_remove(&f);
}

TEST(perimeters_and_an_ignition_join_a_landscape)
{
    static const char *const names[2] = { "elevation", "fuel" };
    static const float values[2] = { 500, 102 };
    static const char polygon[] =
        "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\","
        "\"properties\":{\"timestamp\":\"2021-07-05 18:00\"},\"geometry\":{\"type\":"
        "\"Polygon\",\"coordinates\":[[[2300,8900],[2600,8900],[2600,8600],[2300,8600],"
        "[2300,8900]]]}}]}";
    const folder f = folder_make();
    zm_import_report r = { 0 };
    zm_error err = { 0 };
    zm_observed *fire = NULL;
    zm_scene *scene = NULL;
    size_t n = 0;
    char from[200], to[200];

    put_raster(&f, "a.tif", names, values, 2);
    snprintf(from, sizeof from, "%s", folder_path(&f, "a.tif"));
    snprintf(to, sizeof to, "%s", folder_path(&f, "ours"));
    CHECK(zm_import_landscape(from, to, NULL, NULL, &err) == ZM_OK);
    scene_put(&f, "p.geojson", polygon);
    snprintf(from, sizeof from, "%s", folder_path(&f, "p.geojson"));
    CHECK_MSG(zm_import_perimeters(from, to, &r, &err) == ZM_OK, "%s", err.text);
    CHECK(r.perimeters == 1);
    scene_put(&f, "ours/weather.csv", "wind_speed_kmh,wind_dir_deg\n12,270\n");
    CHECK_MSG(zm_observed_open(to, &fire, &err) == ZM_OK, "%s", err.text);
    if (fire) { /* a single area without a date: neither start nor end */
        zm_source lit[CELLS];

        CHECK(zm_observed_perimeters(fire, &n)->cells == 100);
        CHECK(zm_observed_sources(fire, lit, &n, &err) == ZM_E_SOURCE);
        CHECK(zm_observed_hour(fire, 0) == 0 && zm_observed_end(fire) == 0);
        CHECK(zm_observed_until(fire, 1) == 1);
    }
    zm_observed_close(fire);
    scene_put(&f, "w.wxs", stream);
    snprintf(from, sizeof from, "%s", folder_path(&f, "w.wxs"));
    CHECK_MSG(zm_import_ignition(from, 3, 4, to, NULL, &r, &err) == ZM_OK, "%s",
              err.text);
    CHECK_MSG(zm_scene_open(to, &scene, &err) == ZM_OK, "%s", err.text);
    if (scene)
        CHECK(zm_scene_fire(scene, 0)->hours == 3);
    zm_scene_close(scene);
    CHECK(zm_import_ignition(from, 99, 4, to, NULL, &r, &err) == ZM_E_ARG);
    scene_remove(&f);
}

TEST(weather_streams_are_checked)
{
    zm_weather_stream w;
    zm_error err = { 0 };

    CHECK(
        zm_weather_stream_parse("RAWS_UNITS: Metric\n2020 8 17 13 30 20 0 12 225 15\n",
                                "w", &w, &err) == ZM_OK);
    CHECK(w.n == 1 && w.hours[0].wind_speed == 12 && w.hour == 13);
    free(w.hours);
    CHECK(zm_weather_stream_parse("# no header\n86 20 0 10 225 15\n", "w", &w, &err) ==
          ZM_OK);
    CHECK(w.n == 1 && w.month == 0);
    free(w.hours);
    CHECK(zm_weather_stream_parse("1 2 3\n", "w", &w, &err) == ZM_E_FORMAT);
    CHECK(strstr(err.text, "line 1"));
    CHECK(zm_weather_stream_parse("86 20 0 10 999 15\n", "w", &w, &err) == ZM_E_FORMAT);
    CHECK(zm_weather_stream_parse("", "w", &w, &err) == ZM_E_FORMAT);
    CHECK(!w.hours);
}

TEST(names_of_landfire_products_are_known)
{
    CHECK(zm_layers_landfire_layer("LC20_Elev_220.tif") == ZM_LAYER_ELEVATION);
    CHECK(zm_layers_landfire_layer("US_200FBFM13") == ZM_LAYER_FUEL);
    CHECK(zm_layers_landfire_layer("LC22_F40_230") == ZM_LAYER_FUEL);
    CHECK(zm_layers_landfire_layer("US_240CBH") == ZM_LAYER_BASE);
    CHECK(zm_layers_landfire_layer("LC22_EVC_230") == -1);
    CHECK(zm_layers_landfire_layer("LC22_CCX_230") == -1);
    CHECK(zm_layers_landfire_layer("") == -1);
}
