/* SPDX-License-Identifier: Apache-2.0
 * Scenes of Sim2Real-Fire become ours, and what they tell of when cells burned. */
#include <gdal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/scenes.h"
#include "zermelo/fire/evidence.h"

enum { ROWS = SCENE_RASTER_ROWS, COLS = SCENE_RASTER_COLS, CELLS = ROWS * COLS };

/* A picture with discs of some radius about (12, 15), and of some grey. */
static void put_grey(const folder *f, const char *name, double radius, uint8_t grey)
{
    GDALDatasetH memory, file;
    uint8_t pixels[CELLS];

    GDALAllRegister();
    memory = GDALCreate(GDALGetDriverByName("MEM"), "", COLS, ROWS, 1, GDT_Byte, NULL);
    for (int i = 0; i < CELLS; i++)
        pixels[i] = hypot(i / COLS - 12, i % COLS - 15) <= radius ? grey : 0;
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

/* White ones. */
static void put_mask(const folder *f, const char *name, double radius)
{
    put_grey(f, name, radius, 255);
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
        scene_put_raster(f, layers[i].name, NULL, &layers[i].value, 1);
}

/* Times of the fire as they are, to its end. */
static void check_times(test_run *t, const zm_scene *scene, const float *T)
{
    const size_t first = 0;
    zm_evidence *evidence = NULL;
    const zm_fire_evidence *e;
    size_t n = 0;

    CHECK(zm_scene_evidence(scene, &first, 1, &evidence, NULL) == ZM_OK);
    e = zm_evidence_fires(evidence, &n);
    CHECK(n == 1 && e->fire == zm_scene_fire(scene, 0) && !e->sources);
    CHECK(e->begin == 0 && e->duration == 3);
    for (int i = 0; i < CELLS; i++) {
        CHECK(e->earliest[i] == (isfinite(T[i]) ? T[i] : 3));
        CHECK(e->latest[i] == T[i]);
    }
    zm_evidence_destroy(evidence);
}

TEST(a_sim2real_scene_becomes_ours)
{
    const folder f = folder_make();
    zm_import_report r = ZM_IMPORT_REPORT_INIT;
    zm_error err = { 0 };
    zm_scene *scene = NULL;
    const zm_landscape *land;
    const zm_fire *fire;
    char from[200], to[200];
    float T[CELLS];

    put_landfire(&f);
    scene_put(&f, "r/1.4_Weather_Data/7.wxs", scene_weather_stream);
    scene_put(&f, "r/1.4_Weather_Data/17.wxs", "2020 8 17 1300 70 20 0 1 5 15\n");
    for (int k = 1; k <= 4; k++) {
        char name[80];

        snprintf(name, sizeof name, "r/fires/scr7_20200817/out%d.png", k);
        put_mask(&f, name, 2.0 * k);
        snprintf(name, sizeof name, "r/fires/empty9/out%d.png", k);
        put_mask(&f, name, -1);
    }
    snprintf(from, sizeof from, "%s", folder_path(&f, "r"));
    snprintf(to, sizeof to, "%s", folder_path(&f, "ours"));
    CHECK_MSG(zm_import_sim2real(from, to, &r, &err) == ZM_OK, "%s", err.text);
    CHECK(r.fires == 1 && r.fires_skipped == 1 && strstr(r.note, "empty9"));
    CHECK(!r.slope_computed && !r.cover_missing && r.unknown_fuel_cells == 0);
    CHECK_MSG(zm_scene_open(to, &scene, NULL, &err) == ZM_OK, "%s", err.text);
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
    check_times(t, scene, T);
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

/* Each cell burned between two dates; those of the first are where the fire starts. */
static void check_intervals(test_run *t, const zm_observed *fire)
{
    zm_evidence *evidence = NULL;

    CHECK(zm_observed_intervals(fire) == 2);
    CHECK(zm_observed_evidence(fire, 0, &evidence, NULL) == ZM_E_ARG);
    CHECK(zm_observed_evidence(fire, 3, &evidence, NULL) == ZM_E_ARG && !evidence);
    for (size_t used = 1; used <= 2; used++) {
        const zm_fire_evidence *e;
        size_t n = 0;

        CHECK(zm_observed_evidence(fire, used, &evidence, NULL) == ZM_OK);
        e = zm_evidence_fires(evidence, &n);
        CHECK(n == 1 && e->n_sources == 29 && e->duration == 24 * (double)used);
        for (int i = 0; i < CELLS; i++) {
            const double r = hypot(i / COLS - 12, i % COLS - 15);

            if (r <= 3)
                CHECK(isnan(e->earliest[i]) && isnan(e->latest[i]));
            else if (r <= 5)
                CHECK(e->earliest[i] == 0 && e->latest[i] == 24);
            else
                CHECK(e->earliest[i] == 24 * (used == 2 && r > 8 ? 2 : 1) &&
                      e->latest[i] == (used == 2 && r <= 8 ? 48 : INFINITY));
        }
        zm_evidence_destroy(evidence);
    }
    zm_evidence_destroy(NULL);
}

TEST(dated_masks_become_an_observed_fire)
{
    const folder f = folder_make();
    zm_observed *fire = NULL;
    zm_import_report r = ZM_IMPORT_REPORT_INIT;
    zm_error err = { 0 };
    const zm_perimeter *p;
    char from[200], to[200];
    size_t n = 0;

    put_landfire(&f);
    scene_put(&f, "r/Weather/only.wxs", scene_weather_stream);
    put_mask(&f, "r/masks/fire_2020-08-19.png", 8);
    put_mask(&f, "r/masks/fire_20200817.png", 3);
    put_mask(&f, "r/masks/fire_2020_08_18.png", 5);
    snprintf(from, sizeof from, "%s", folder_path(&f, "r"));
    snprintf(to, sizeof to, "%s", folder_path(&f, "ours"));
    CHECK_MSG(zm_import_sim2real(from, to, &r, &err) == ZM_OK, "%s", err.text);
    CHECK(r.perimeters == 3 && r.fires == 0);
    CHECK_MSG(zm_observed_open(to, &fire, NULL, &err) == ZM_OK, "%s", err.text);
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
    check_intervals(t, fire);
    zm_observed_close(fire);
    scene_remove(&f);
}

/* Four hours of weather, whose winds are `first` mph and one more in each hour. */
static void put_hours(const folder *f, const char *name, int first)
{
    char text[400] = "";

    for (int k = 0; k < 4; k++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text),
                       "2020 8 17 %d 70 20 0 %d 180 15\n",
                       2200 + 100 * k - 2400 * (k > 1), first + k);
    /* dates go on at midnight */
    for (char *line = strstr(text, "17 0 "); line; line = strstr(line + 1, "17 100 "))
        line[1] = '8';
    scene_put(f, name, text);
}

static void put_layer(const folder *f, const char *name, float value)
{
    scene_put_raster(f, name, NULL, &value, 1);
}

/* The layout with a folder for each layer and for each fire's weather: files there have names that tell
 * nothing. */
TEST(layers_and_weather_may_lie_in_folders_of_their_own)
{
    const folder f = folder_make();
    zm_import_report r = ZM_IMPORT_REPORT_INIT;
    zm_error err = { 0 };
    zm_scene *scene = NULL;
    char from[200], to[200];

    put_layer(&f, "r/1.1 Topography_Map/elevation/a.tif", 800);
    put_layer(&f, "r/1.1 Topography_Map/slope/a.tif", 7);
    put_layer(&f, "r/1.1 Topography_Map/aspect/a.tif", 90);
    put_layer(&f, "r/1.3 Fuel_Map/FBFM40/a.tif", 102);
    put_layer(&f, "r/1.2 Vegetation_Map/canopy_cover/a.tif", 35);
    put_hours(&f, "r/1.4 Weather_Data/a7/hours.wxs", 10);
    put_hours(&f, "r/1.4 Weather_Data/b8/hours.wxs", 20);
    for (int k = 1; k <= 3; k++) {
        char name[80];

        (void)snprintf(name, sizeof name, "r/1.5 Fires/a7/out%d.png", k);
        put_grey(&f, name, 2.0 * k, 1);
        (void)snprintf(name, sizeof name, "r/1.5 Fires/b8/out%d.png", k);
        put_mask(&f, name, k < 2 ? -1 : 2.0 * k);
    }
    (void)snprintf(from, sizeof from, "%s", folder_path(&f, "r"));
    (void)snprintf(to, sizeof to, "%s", folder_path(&f, "ours"));
    CHECK_MSG(zm_import_sim2real(from, to, &r, &err) == ZM_OK, "%s", err.text);
    CHECK(r.fires == 2 && !r.slope_computed && !r.cover_missing);
    CHECK_MSG(zm_scene_open(to, &scene, NULL, &err) == ZM_OK, "%s", err.text);
    if (scene) {
        const zm_landscape *land = zm_scene_landscape(scene);
        const zm_fire *a = zm_scene_fire(scene, zm_scene_find(scene, "a7")),
                      *b = zm_scene_fire(scene, zm_scene_find(scene, "b8"));

        CHECK(land->layers[ZM_LAYER_ELEVATION][5] == 800 &&
              land->layers[ZM_LAYER_ASPECT][5] == 90 &&
              land->layers[ZM_LAYER_FUEL][5] == 102 &&
              land->layers[ZM_LAYER_COVER][5] == 35);
        /* grey 1 is burned; weather of its own folder */
        CHECK(a->duration == 2 && a->start_hour == 22 && a->start_day == 17);
        CHECK_NEAR(a->weather[0].wind_speed, 10 / 0.5402, 1e-6);
        /* the first mask that shows anything is the second: so is the first line, an hour later */
        CHECK(b->duration == 1 && b->start_hour == 23 && b->start_day == 17);
        CHECK_NEAR(b->weather[0].wind_speed, 21 / 0.5402, 1e-6);
        zm_scene_close(scene);
    }
    scene_remove(&f);
}

static void put_split_scene(const folder *f, const char *root)
{
    static const char *const splits[] = { "train", "val", "test" };
    char name[160];

    (void)snprintf(name, sizeof name, "%s/landfire/LC20_Elev_220.tif", root);
    put_layer(f, name, 800);
    (void)snprintf(name, sizeof name, "%s/landfire/LC22_F40_230.tif", root);
    put_layer(f, name, 102);
    for (int s = 0; s < 3; s++) {
        (void)snprintf(name, sizeof name, "%s/wxs_%s/7.wxs", root, splits[s]);
        put_hours(f, name, 10 * (s + 1));
        for (int k = 1; k <= 3; k++) {
            (void)snprintf(name, sizeof name, "%s/%s/scr7_20200817/out%d.jpg", root,
                           splits[s], k);
            put_mask(f, name, 2.0 * k);
        }
    }
}

static int tell(void *ctx, const char *name, zm_status status,
                const zm_import_report *report, const zm_error *err)
{
    char *text = ctx;

    (void)snprintf(text + strlen(text), 200 - strlen(text), "%s:%d:%zu:%s ", name,
                   status >= 0, report->fires,
                   status < 0 && strstr(err->text, "masks") ? "masks" : "");
    return 0;
}

/* The layout with train, val and test: the split is kept, weather is that of the split, fires of one
 * name in several splits stay apart.  Many scenes in one call: each in a folder of its name, also where
 * one cannot be imported; the folder of one scene is refused. */
TEST(scenes_with_a_published_split_are_imported_together)
{
    static const char *const splits[] = { "test", "train", "val" };
    const folder f = folder_make();
    zm_error err = { 0 };
    zm_scene *scene = NULL;
    char from[200], to[200], told[200] = "";

    put_split_scene(&f, "all/0001_00003");
    put_split_scene(&f, "all/more/0002_00003");
    put_layer(&f, "all/0003_00000/landfire/LC20_Elev_220.tif", 800);
    put_layer(&f, "all/0003_00000/landfire/LC22_F40_230.tif", 102);
    (void)snprintf(from, sizeof from, "%s", folder_path(&f, "all"));
    (void)snprintf(to, sizeof to, "%s", folder_path(&f, "ours"));
    CHECK(!zm_sim2real_scene_here(from));
    CHECK_MSG(zm_import_sim2real_scenes(from, to, tell, told, &err) == ZM_OK, "%s",
              err.text);
    CHECK_MSG(!strcmp(told, "0001_00003:1:3: 0003_00000:0:0:masks 0002_00003:1:3: "),
              "%s", told);
    (void)snprintf(to, sizeof to, "%s", folder_path(&f, "ours/0002_00003"));
    CHECK_MSG(zm_scene_open(to, &scene, NULL, &err) == ZM_OK, "%s", err.text);
    for (size_t i = 0; scene && i < 3; i++) {
        const zm_fire *fire = zm_scene_fire(scene, i);
        const int wind = !strcmp(splits[i], "train") ? 10
                         : !strcmp(splits[i], "val") ? 20
                                                     : 30;

        CHECK_MSG(!strcmp(zm_scene_split_word(scene, i), splits[i]), "%s",
                  zm_scene_split_word(scene, i));
        CHECK_NEAR(fire->weather[0].wind_speed, wind / 0.5402, 1e-6);
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(fire->name, zm_scene_fire(scene, k)->name) != 0);
    }
    zm_scene_close(scene);
    (void)snprintf(from, sizeof from, "%s", folder_path(&f, "all/0001_00003"));
    CHECK(zm_sim2real_scene_here(from));
    CHECK(zm_import_sim2real_scenes(from, to, NULL, NULL, &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "one scene"));
    (void)snprintf(from, sizeof from, "%s", folder_path(&f, "ours"));
    CHECK(zm_import_sim2real_scenes(from, to, NULL, NULL, &err) == ZM_E_FORMAT);
    scene_remove(&f);
}

/* Dated masks of several fires: an observed fire each, in a folder of its name. */
TEST(several_real_fires_of_a_scene_stay_apart)
{
    const folder f = folder_make();
    zm_import_report r = ZM_IMPORT_REPORT_INIT;
    zm_error err = { 0 };
    char from[200], to[200];

    put_layer(&f, "r/landfire/LC20_Elev_220.tif", 800);
    put_layer(&f, "r/landfire/LC22_F40_230.tif", 102);
    put_hours(&f, "r/wxs_test/carr", 10);
    put_hours(&f, "r/wxs_test/mati", 20);
    put_mask(&f, "r/test/carr/f_20200817_1.png", 3);
    put_mask(&f, "r/test/carr/f_20200818_1.png", 5);
    put_mask(&f, "r/test/mati/f_20200817_1.png", 4);
    put_mask(&f, "r/test/mati/f_20200819_1.png", 8);
    (void)snprintf(from, sizeof from, "%s", folder_path(&f, "r"));
    (void)snprintf(to, sizeof to, "%s", folder_path(&f, "ours"));
    CHECK_MSG(zm_import_sim2real(from, to, &r, &err) == ZM_OK, "%s", err.text);
    CHECK(r.perimeters == 4);
    for (int k = 0; k < 2; k++) {
        zm_observed *fire = NULL;

        (void)snprintf(to, sizeof to, "%s",
                       folder_path(&f, k ? "ours/mati" : "ours/carr"));
        CHECK_MSG(zm_observed_open(to, &fire, NULL, &err) == ZM_OK, "%s", err.text);
        if (fire) {
            CHECK(zm_observed_end(fire) == 24 * (k + 1));
            CHECK_NEAR(zm_observed_fire(fire)->weather[0].wind_speed,
                       10 * (k + 1) / 0.5402, 1e-6);
        }
        zm_observed_close(fire);
    }
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
