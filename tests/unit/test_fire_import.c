/* SPDX-License-Identifier: Apache-2.0
 * Importers, on files of other formats that the tests write with GDAL. */
#include <gdal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fire/data/import/import_layers.h"
#include "fire/data/weather_stream.h"
#include "support/scenes.h"
#include "zermelo/fire/dataset.h"
#include "zermelo/fire/physics.h"

enum { ROWS = SCENE_RASTER_ROWS, COLS = SCENE_RASTER_COLS, CELLS = ROWS * COLS };

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
    zm_import_report r = ZM_IMPORT_REPORT_INIT;
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

    scene_put_raster(&f, "named.tif", names, values, 6);
    scene_put_raster(&f, "order.tif", NULL, in_order, 8);
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
    zm_import_report r = ZM_IMPORT_REPORT_INIT;
    zm_error err = { 0 };
    char from[200], to[200];

    scene_put_raster(&f, "a.tif", names, values, 2);
    snprintf(from, sizeof from, "%s", folder_path(&f, "a.tif"));
    snprintf(to, sizeof to, "%s", folder_path(&f, "ours"));
    CHECK_MSG(zm_import_landscape(from, to, NULL, &r, &err) == ZM_OK, "%s", err.text);
    CHECK(r.slope_computed && r.cover_missing && r.unknown_fuel_cells == CELLS);
    scene_put_raster(&f, "a.tif", names, values, 1);
    CHECK(zm_import_landscape(from, to, NULL, &r, &err) == ZM_E_FORMAT);
    CHECK(strstr(err.text, "fuel"));
    scene_remove(&f);
}

/* What zm_scene_open would refuse is not written in the first place. */
TEST(a_landscape_that_could_not_be_opened_is_not_imported)
{
    static const char *const names[2] = { "elevation", "fuel" };
    static const zm_georeference oblong = { { 500000, 30, 0, 4500000, 0, -20 }, "" };
    static const zm_georeference turned = { { 500000, 30, 5, 4500000, 5, -30 }, "" };
    static const zm_georeference tiny = { { 500000, 1e-3, 0, 4500000, 0, -1e-3 }, "" };
    static const zm_georeference *const places[] = { &oblong, &turned, &tiny, NULL };
    float elevation[9], fuel[9];
    const float *const planes[2] = { elevation, fuel };
    const folder f = folder_make();
    zm_error err = { 0 };
    char from[200], to[200];

    snprintf(from, sizeof from, "%s", folder_path(&f, "a.tif"));
    snprintf(to, sizeof to, "%s", folder_path(&f, "ours"));
    for (int k = 0; k < 5; k++) {
        static const zm_georeference good = { { 500000, 30, 0, 4500000, 0, -30 }, "" };
        const zm_raster_planes raster = { 3, 3, 2, planes, names, k < 4 ? places[k] : &good };

        for (int i = 0; i < 9; i++) {
            elevation[i] = k < 4 ? 500 : NAN; /* at last no data at all */
            fuel[i] = 102;
        }
        CHECK(zm_raster_write(from, &raster, &err) == ZM_OK);
        CHECK(zm_import_landscape(from, to, NULL, NULL, &err) == ZM_E_FORMAT);
        CHECK_MSG(strstr(err.text, k == 4 ? "no cell has data" : "a.tif"), "%s", err.text);
    }
    CHECK(folder_count(&f) == 1); /* a.tif */
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
        zm_import_report r = ZM_IMPORT_REPORT_INIT;
        zm_error err = { 0 };
        char tif[200], json[200];
        zm_scene *scene = NULL;

        scene_put_raster(&f, "a.tif", names, values, 2);
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

/* A landscape without fuel in one cell. */
static void put_with_hole(const char *path, const char *const *names, int row, int col)
{
    static const zm_georeference where = { { 500000, 30, 0, 4500000, 0, -30 }, "" };
    static float elevation[CELLS], fuel[CELLS];
    const float *const planes[2] = { elevation, fuel };
    const zm_raster_planes raster = { ROWS, COLS, 2, planes, names, &where };

    for (int i = 0; i < CELLS; i++)
        fuel[i] = i == row * COLS + col ? NAN : 102;
    zm_raster_write(path, &raster, NULL);
}

/* Landscape, weather and ignition are all right, or nothing is written. */
TEST(a_scene_is_imported_whole_or_not_at_all)
{
    static const char *const names[2] = { "elevation", "fuel" };
    static const float values[2] = { 500, 102 }, barren[2] = { 500, 98 },
                       halved[2] = { 500, 102.5f };
    const folder f = folder_make();
    zm_import_opts o = ZM_IMPORT_OPTS_INIT;
    zm_import_report r = ZM_IMPORT_REPORT_INIT;
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
    scene_put_raster(&f, "a.tif", names, barren, 2);
    CHECK(zm_import_scene(from, weather, 3, 4, to, NULL, &r, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "cannot burn"), "%s", err.text);
    scene_put_raster(&f, "a.tif", names, values, 2);
    CHECK(zm_import_scene(from, weather, ROWS, 4, to, NULL, &r, &err) == ZM_E_ARG);
    CHECK(zm_import_scene(from, bad, 3, 4, to, NULL, &r, &err) == ZM_E_FORMAT);
    o.moisture.dead_10h = 150;
    CHECK(zm_import_scene(from, weather, 3, 4, to, &o, &r, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "moisture"), "%s", err.text);
    o = (zm_import_opts)ZM_IMPORT_OPTS_INIT;
    o.start_month = 13;
    CHECK(zm_import_scene(from, weather, 3, 4, to, &o, &r, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "month 13"), "%s", err.text);
    scene_put_raster(&f, "a.tif", names, halved, 2);
    CHECK(zm_import_scene(from, weather, 3, 4, to, NULL, &r, &err) == ZM_E_FORMAT);
    CHECK_MSG(strstr(err.text, "fuel_model is 102.5"), "%s", err.text);
    put_with_hole(from, names, 3, 4);
    CHECK(zm_import_scene(from, weather, 3, 4, to, NULL, &r, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "no data"), "%s", err.text);
    scene_put_raster(&f, "a.tif", names, values, 2);
    CHECK(fopen(tif, "rb") == NULL);
    CHECK(zm_start_parse("02-30T10:00", &o.start_month, &o.start_day, &o.start_hour) ==
          0);
    CHECK(zm_start_parse("08-21T14:30", &o.start_month, &o.start_day, &o.start_hour));
    o.moisture = (zm_fuel_moisture){ 3, 4, 5, 70, 80 };
    CHECK_MSG(zm_import_scene(from, weather, 3, 4, to, &o, &r, &err) == ZM_OK, "%s",
              err.text);
    CHECK_MSG(zm_scene_open(to, &scene, NULL, &err) == ZM_OK, "%s", err.text);
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
    scene_put_raster(&f, "a.tif", names, values, 2);
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
    zm_import_report r = ZM_IMPORT_REPORT_INIT;
    zm_error err = { 0 };
    zm_observed *fire = NULL;
    zm_scene *scene = NULL;
    size_t n = 0;
    char from[200], to[200];

    scene_put_raster(&f, "a.tif", names, values, 2);
    snprintf(from, sizeof from, "%s", folder_path(&f, "a.tif"));
    snprintf(to, sizeof to, "%s", folder_path(&f, "ours"));
    CHECK(zm_import_landscape(from, to, NULL, NULL, &err) == ZM_OK);
    scene_put(&f, "p.geojson", polygon);
    snprintf(from, sizeof from, "%s", folder_path(&f, "p.geojson"));
    CHECK_MSG(zm_import_perimeters(from, to, &r, &err) == ZM_OK, "%s", err.text);
    CHECK(r.perimeters == 1);
    scene_put(&f, "ours/weather.csv", "wind_speed_kmh,wind_dir_deg\n12,270\n");
    CHECK_MSG(zm_observed_open(to, &fire, NULL, &err) == ZM_OK, "%s", err.text);
    if (fire) { /* a single area without a date: no start, and the weather says the end */
        zm_source lit[CELLS];

        CHECK(zm_observed_perimeters(fire, &n)->cells == 100);
        CHECK(zm_observed_sources(fire, lit, &n, &err) == ZM_E_SOURCE);
        CHECK(zm_observed_hour(fire, 0) == 0 && zm_observed_end(fire) == 1);
        CHECK(zm_observed_until(fire, 1) == 1);
    }
    zm_observed_close(fire);
    scene_put(&f, "w.wxs", scene_weather_stream);
    snprintf(from, sizeof from, "%s", folder_path(&f, "w.wxs"));
    CHECK_MSG(zm_import_ignition(from, 3, 4, to, NULL, &r, &err) == ZM_OK, "%s",
              err.text);
    CHECK_MSG(zm_scene_open(to, &scene, NULL, &err) == ZM_OK, "%s", err.text);
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
