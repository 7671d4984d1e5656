/* SPDX-License-Identifier: Apache-2.0
 * Reading scenes: what is there, what is missing, what is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/scenes.h"
#include "zermelo/fire/dataset.h"

static zm_scene *open_good(test_run *t, const folder *f)
{
    zm_scene *scene = NULL;
    zm_error err = { 0 };

    CHECK_MSG(zm_scene_open(folder_path(f, "s"), &scene, NULL, &err) == ZM_OK, "%s",
              err.text);
    return scene;
}

/* The scene cannot be opened, and the message says why. */
static void refused(test_run *t, const folder *f, const char *says)
{
    zm_scene *scene = NULL;
    zm_error err = { 0 };
    const zm_status st = zm_scene_open(folder_path(f, "s"), &scene, NULL, &err);

    CHECK(st == ZM_E_FORMAT || st == ZM_E_IO);
    CHECK_MSG(strstr(err.text, says) != NULL, "'%s' does not say '%s'", err.text, says);
    CHECK(!scene);
    zm_scene_close(scene);
}

TEST(a_scene_needs_no_more_than_predictions_do)
{
    const folder f = folder_make();
    const zm_fuel_moisture moisture = ZM_MOISTURE_DEFAULT;
    const zm_fire *fire;
    zm_scene *scene;

    scene_make(&f, "s");
    scene = open_good(t, &f);
    CHECK(zm_scene_count(scene) == 1 && !strcmp(zm_scene_name(scene), "s"));
    CHECK(zm_scene_landscape(scene)->cell == 30 &&
          zm_scene_landscape(scene)->rows == 20);
    CHECK(!zm_scene_landscape(scene)->layers[ZM_LAYER_HEIGHT]);
    fire = zm_scene_fire(scene, 0);
    CHECK(fire->row == 8 && fire->col == 20 && isinf(fire->duration));
    CHECK(fire->hours == 2 && fire->weather[1].wind_dir == 280);
    CHECK(fire->start_month == 7 && fire->start_hour == 12);
    CHECK(!memcmp(&fire->moisture, &moisture, sizeof moisture));
    CHECK(zm_scene_split(scene, 0) == ZM_SPLIT_OTHER);
    CHECK(zm_scene_burned_cells(scene, 0) == -1 && !zm_scene_has_arrival(scene, 0));
    CHECK(zm_scene_find(scene, "a") == 0 && zm_scene_find(scene, "b") == 1);
    CHECK(zm_scene_landscape(scene)->station_elevation == 300);
    zm_scene_close(scene);
    scene_remove(&f);
}

TEST(a_full_table_and_scene_json_are_read)
{
    const folder f = folder_make();
    const zm_fire *fire;
    zm_scene *scene;

    scene_make(&f, "s");
    scene_put(&f, "s/fires.csv",
              "\xEF\xBB\xBF"
              "fire, split ,ignition_row,ignition_col,duration_h,"
              "burned_cells,moisture_1h_pct,start_local,weather\r\n# a comment\r\n"
              "\"a\",test,8,20,6.5,77,4,08-15T16:30,weather/a.csv\r\n\r\n");
    scene_put(
        &f, "s/scene.json",
        "{\"scene\": \"s\", \"latitude_deg\": 47, \"weather_station_elevation_m\": "
        "811, \"custom_fuels\": {\"19\": \"19 FM19 2.25 1.5 3.71 0 1 static 2000 1800 "
        "1500 0.6 25 8000 8000 FM19\"}}");
    scene = open_good(t, &f);
    fire = zm_scene_fire(scene, 0);
    CHECK(fire->duration == 6.5 && zm_scene_burned_cells(scene, 0) == 77);
    CHECK(fire->moisture.dead_1h == 4 && fire->moisture.dead_10h == 7);
    CHECK(fire->start_month == 8 && fire->start_day == 15 && fire->start_hour == 16.5);
    CHECK(zm_scene_split(scene, 0) == ZM_SPLIT_TEST);
    CHECK(zm_scene_landscape(scene)->latitude == 47);
    CHECK(zm_scene_landscape(scene)->n_custom_fuels == 1);
    CHECK(zm_scene_landscape(scene)->custom_fuels[0].load[4] == 1);
    CHECK(zm_scene_landscape(scene)->custom_fuels[0].extinction == 25);
    CHECK(zm_fuel_burnable(zm_scene_landscape(scene), 19));
    CHECK(!zm_fuel_burnable(zm_scene_landscape(scene), 21));
    zm_scene_close(scene);
    scene_remove(&f);
}

TEST(wrong_tables_are_refused_by_line_and_column)
{
    static const struct {
        const char *file, *text, *says;
    } cases[] = {
        { "s/fires.csv", "", "empty" },
        { "s/fires.csv", "fire,ignition_row,ignition_col\n", "no fires" },
        { "s/fires.csv", "fire,ignition_row\na,8\n", "no column ignition_col" },
        { "s/fires.csv", "fire,ignition_row,ignition_col\na,8\n", "line 2: 2 values" },
        { "s/fires.csv", "fire,ignition_row,ignition_col\na,8,x\n",
          "must be a number" },
        { "s/fires.csv", "fire,ignition_row,ignition_col\na,8,nan\n",
          "must be a number" },
        { "s/fires.csv", "fire,ignition_row,ignition_col\na,8.5,20\n", "whole number" },
        { "s/fires.csv", "fire,ignition_row,ignition_col\na,-1,20\n", "from 0" },
        { "s/fires.csv", "fire,ignition_row,ignition_col\na,8,30\n", "outside" },
        { "s/fires.csv", "fire,ignition_row,ignition_col\na,8,10\n", "fuel 98" },
        { "s/fires.csv", "fire,ignition_row,ignition_col\n../a,8,20\n", "letters" },
        { "s/fires.csv", "fire,ignition_row,ignition_col\na,8,20\na,9,20\n", "twice" },
        { "s/fires.csv", "fire,ignition_row,ignition_col,weather\na,8,20,w/../../x\n",
          "inside the scene" },
        { "s/fires.csv", "fire,ignition_row,ignition_col,weather\na,8,20,/etc/x\n",
          "inside the scene" },
        { "s/fires.csv", "fire,ignition_row,ignition_col,start_local\na,8,20,noon\n",
          "07-03T17:00" },
        { "s/fires.csv", "fire,ignition_row,ignition_col,weather\na,8,20,no.csv\n",
          "No such file" },
        { "s/weather/a.csv", "wind_speed_kmh,wind_dir_deg\n", "no hours" },
        { "s/weather/a.csv", "wind_speed_kmh\n3\n", "no column wind_dir_deg" },
        { "s/weather/a.csv", "wind_speed_kmh,wind_dir_deg\n12,361\n", "from 0 to 360" },
        { "s/weather/a.csv", "wind_speed_kmh,wind_dir_deg\n-1,0\n", "from 0 to 400" },
        { "s/weather/a.csv", "hour,wind_speed_kmh,wind_dir_deg\n0,1,0\n2,1,0\n",
          "without gaps" },
        { "s/scene.json", "{\"latitude_deg\": 99}", "from -90 to 90" },
        { "s/scene.json", "{\"latitude_deg\": 4", "line 1" },
        { "s/scene.json", "[]", "object" },
        { "s/scene.json", "{\"custom_fuels\": {\"19\": \"19 FM19 2.25\"}}",
          "custom fuel '19': has 3 fields" },
        { "s/scene.json", "{\"custom_fuels\": {\"19\": 3}}", "a string" },
        { "s/scene.json",
          "{\"custom_fuels\": {\"19\": \"19 a 0 0 0 0 1 static 99 99 99 1 9 9 9\"}}",
          "positive" },
        { "s/scene.json", "{\"custom_fuels\": {\"19\": \"# 19\"}}", "has none" },
        { "s/scene.json",
          "{\"custom_fuels\": {\"19\": \"19 a 1 0 0 0 1 static 99 99 99 1 9 9 "
          "9\\n1\"}}",
          "one line" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const folder f = folder_make();

        scene_make(&f, "s");
        scene_put(&f, cases[i].file, cases[i].text);
        refused(t, &f, cases[i].says);
        scene_remove(&f);
    }
}

/* One band of the good landscape changed. */
static void write_landscape(const folder *f, const char *skip, const char *wrong,
                            float value, const zm_georeference *where)
{
    static const char *const names[6] = { "elevation_m",      "slope_deg",
                                          "aspect_deg",       "fuel_model",
                                          "canopy_cover_pct", "canopy_height_m" };
    static const float values[6] = { 300, 5, 90, 102, 0, 3 };
    float layers[6][600];
    const float *planes[6];
    const char *kept[6];
    zm_raster_planes map = { 20, 30, 0, planes, kept, where };

    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < 600; i++)
            layers[k][i] = values[k];
        if (!strcmp(names[k], wrong))
            layers[k][37] = value;
        if (strcmp(names[k], skip) != 0) {
            planes[map.bands] = layers[k];
            kept[map.bands++] = names[k];
        }
    }
    zm_raster_write(folder_path(f, "s/landscape.tif"), &map, NULL);
}

TEST(wrong_landscapes_are_refused_by_band_and_cell)
{
    static const zm_georeference good = { { 1000, 30, 0, 5000, 0, -30 }, "" };
    static const struct {
        const char *skip, *wrong;
        float value;
        zm_georeference where;
        const char *says;
    } cases[] = {
        { "fuel_model",
          "",
          0,
          { { 1000, 30, 0, 5000, 0, -30 }, "" },
          "no band named fuel_model" },
        { "",
          "elevation_m",
          30000,
          { { 1000, 30, 0, 5000, 0, -30 }, "" },
          "row 1, column 7" },
        { "", "slope_deg", 120, { { 1000, 30, 0, 5000, 0, -30 }, "" }, "not percent" },
        { "", "aspect_deg", -1, { { 1000, 30, 0, 5000, 0, -30 }, "" }, "flat ground" },
        { "",
          "fuel_model",
          101.5F,
          { { 1000, 30, 0, 5000, 0, -30 }, "" },
          "fuel models" },
        { "", "fuel_model", 55, { { 1000, 30, 0, 5000, 0, -30 }, "" }, "neither" },
        { "",
          "canopy_cover_pct",
          101,
          { { 1000, 30, 0, 5000, 0, -30 }, "" },
          "percent" },
        { "", "canopy_height_m", 250, { { 1000, 30, 0, 5000, 0, -30 }, "" }, "tenths" },
        { "", "", 0, { { 1000, 30, 0, 5000, 0, -25 }, "" }, "square" },
        { "", "", 0, { { 1000, 30, 0, 5000, 0, 30 }, "" }, "north up" },
        { "", "", 0, { { 1000, 30, 3, 5000, 3, -30 }, "" }, "north up" },
        { "",
          "",
          0,
          { { -8, 0.001, 0, 40, 0, -0.001 },
            "GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,"
            "298.257223563]],PRIMEM[\"Greenwich\",0],UNIT[\"degree\",0."
            "0174532925199433]]" },
          "degrees" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const folder f = folder_make();

        scene_make(&f, "s");
        write_landscape(&f, cases[i].skip, cases[i].wrong, cases[i].value,
                        &cases[i].where);
        refused(t, &f, cases[i].says);
        if (i == 0) { /* and the good one is taken */
            write_landscape(&f, "", "", 0, &good);
            zm_scene_close(open_good(t, &f));
        }
        scene_remove(&f);
    }
}

TEST(cells_without_data_do_not_burn_and_are_counted)
{
    static const zm_georeference good = { { 1000, 30, 0, 5000, 0, -30 }, "" };
    const folder f = folder_make();
    uint8_t mask[600];
    zm_scene *scene;

    scene_make(&f, "s");
    write_landscape(&f, "", "slope_deg", NAN, &good);
    scene = open_good(t, &f);
    CHECK(zm_scene_cells_without_data(scene) == 1);
    zm_landscape_burnable(zm_scene_landscape(scene), mask);
    CHECK(!mask[37] && mask[36]);
    CHECK(zm_scene_landscape(scene)->layers[ZM_LAYER_ELEVATION][37] == 300);
    zm_scene_close(scene);
    scene_put(&f, "s/fires.csv", "fire,ignition_row,ignition_col\na,1,7\n");
    refused(t, &f, "fuel 99 cannot burn");
    scene_remove(&f);
}

/* ---- arrival ---------------------------------------------------------------------- */

static zm_status read_arrival(const folder *f, int32_t rows, int32_t cols, double east,
                              double north, double cell, float time, float *T,
                              zm_error *err)
{
    const zm_georeference where = { { east, cell, 0, north, 0, -cell }, "" };
    float values[700];
    const float *const planes[1] = { values };
    const zm_raster_planes map = { rows, cols, 1, planes, NULL, &where };
    zm_scene *scene;
    zm_status st;

    for (int i = 0; i < rows * cols; i++)
        values[i] = i % 2 ? time : INFINITY;
    scene_put(f, "s/fires.csv",
              "fire,ignition_row,ignition_col,duration_h\na,8,20,5\n");
    scene_put(f, "s/arrival/a.tif", "");
    if (zm_scene_open(folder_path(f, "s"), &scene, NULL, err) < 0 ||
        zm_raster_write(folder_path(f, "s/arrival/a.tif"), &map, err) < 0)
        return ZM_E_STATE;
    st = zm_scene_arrival(scene, 0, T, err);
    zm_scene_close(scene);
    return st;
}

TEST(cropped_arrival_times_come_to_their_cells)
{
    const folder f = folder_make();
    float T[600];
    zm_error err = { 0 };
    int burned = 0;

    scene_make(&f, "s");
    /* 6 x 7 cells from row 4, column 15 on */
    CHECK(read_arrival(&f, 6, 7, 1000 + 15 * 30, 5000 - 4 * 30, 30, 2, T, &err) ==
          ZM_OK);
    for (int i = 0; i < 600; i++)
        burned += isfinite(T[i]) != 0;
    CHECK(burned == 21 && T[4 * 30 + 16] == 2 && isinf(T[4 * 30 + 15]));
    CHECK(T[9 * 30 + 21] == 2);
    scene_remove(&f);
}

TEST(arrival_times_that_do_not_fit_are_refused)
{
    static const struct {
        int32_t rows, cols;
        double east, north, cell;
        float time;
        const char *says;
    } cases[] = {
        { 6, 7, 1000 + 15 * 30 + 10, 4880, 30, 2, "does not align" },
        { 6, 7, 1000, 5000, 25, 2, "must be those of the landscape" },
        { 6, 7, 1000 + 25 * 30, 5000, 30, 2, "outside the landscape" },
        { 6, 7, 1000 - 30, 5000, 30, 2, "outside the landscape" },
        { 6, 7, 1000, 5000, 30, -1, "must be 0 to" },
        { 6, 7, 1000, 5000, 30, 6, "duration_h" },
        { 6, 7, 1000, 5000, 30, NAN, "no cell burned" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const folder f = folder_make();
        float T[600];
        zm_error err = { 0 };

        scene_make(&f, "s");
        CHECK(read_arrival(&f, cases[i].rows, cases[i].cols, cases[i].east,
                           cases[i].north, cases[i].cell, cases[i].time, T,
                           &err) == ZM_E_FORMAT);
        CHECK_MSG(strstr(err.text, cases[i].says) != NULL, "%s", err.text);
        scene_remove(&f);
    }
}

/* ---- synthetic -------------------------------------------------------------------- */

TEST(a_synthetic_scene_is_a_good_one_and_repeats)
{
    const folder f = folder_make();
    zm_simulate_opts opts = ZM_SIMULATE_OPTS_INIT;
    size_t size[2] = { 0, 0 };
    char *bytes[2];
    zm_scene *scene;
    float *T;

    opts.rows = 70;
    opts.cols = 90;
    opts.fires = 3;
    opts.seed = 1 + t->seed % 50;
    CHECK(zm_simulate_scene(folder_path(&f, "s"), &opts, NULL) == ZM_OK);
    CHECK(zm_simulate_scene(folder_path(&f, "again"), &opts, NULL) == ZM_OK);
    scene = open_good(t, &f);
    T = malloc(70 * 90 * sizeof *T);
    for (size_t i = 0; i < zm_scene_count(scene); i++) {
        const zm_fire *fire = zm_scene_fire(scene, i);
        int64_t burned = 0, barren = 0;

        CHECK(zm_scene_arrival(scene, i, T, NULL) == ZM_OK);
        CHECK(T[fire->row * 90 + fire->col] == 0);
        for (int k = 0; k < 70 * 90; k++)
            if (isfinite(T[k])) {
                burned++;
                barren += !zm_fuel_burnable(
                    zm_scene_landscape(scene),
                    (int32_t)zm_scene_landscape(scene)->layers[ZM_LAYER_FUEL][k]);
            }
        CHECK(burned == zm_scene_burned_cells(scene, i) && burned >= 63 && barren == 0);
        CHECK(fire->duration >= 1 && fire->duration <= 48);
        CHECK((double)fire->hours >= fire->duration);
    }
    free(T);
    zm_scene_close(scene);
    bytes[0] = folder_read(&f, "s/fires.csv", &size[0]);
    bytes[1] = folder_read(&f, "again/fires.csv", &size[1]);
    CHECK(size[0] && size[0] == size[1] && !memcmp(bytes[0], bytes[1], size[0]));
    free(bytes[0]);
    free(bytes[1]);
    opts.cell = 0;
    CHECK(zm_simulate_scene(folder_path(&f, "no"), &opts, NULL) == ZM_E_ARG);
    scene_remove(&f);
}

/* ---- the data set ----------------------------------------------------------------- */

TEST(the_shared_scenes_are_as_their_tables_say)
{
    static const char *const names[] = { "ashley", "coarse_100m/arkadia" };
    const char *data = farsite_data();

    if (!data) {
        test_skip(t, "no data set; set ZM_FARSITE_DATA");
        return;
    }
    for (size_t k = 0; k < 2; k++) {
        char path[1100];
        zm_scene *scene = NULL;
        zm_error err = { 0 };
        size_t n;
        float *T;

        snprintf(path, sizeof path, "%s/%s", data, names[k]);
        CHECK_MSG(zm_scene_open(path, &scene, NULL, &err) == ZM_OK, "%s", err.text);
        if (!scene)
            continue;
        n = (size_t)zm_scene_landscape(scene)->rows *
            (size_t)zm_scene_landscape(scene)->cols;
        T = malloc(n * sizeof *T);
        for (size_t i = 0; i < zm_scene_count(scene); i += 5) {
            int64_t burned = 0;

            CHECK_MSG(zm_scene_arrival(scene, i, T, &err) == ZM_OK, "%s", err.text);
            for (size_t c = 0; c < n; c++)
                burned += isfinite(T[c]) != 0;
            CHECK(burned == zm_scene_burned_cells(scene, i));
        }
        free(T);
        zm_scene_close(scene);
    }
}

TEST(the_observed_fires_open_and_grow)
{
    static const char *const names[] = { "sao_joaninho", "hautes_fagnes", "arlon" };
    const char *data = farsite_data();

    if (!data) {
        test_skip(t, "no data set; set ZM_FARSITE_DATA");
        return;
    }
    for (size_t k = 0; k < 3; k++) {
        char path[1100];
        zm_observed *fire = NULL;
        const zm_perimeter *p;
        zm_error err = { 0 };
        size_t n;

        snprintf(path, sizeof path, "%s/real/%s", data, names[k]);
        CHECK_MSG(zm_observed_open(path, &fire, NULL, &err) == ZM_OK, "%s", err.text);
        if (!fire)
            continue;
        p = zm_observed_perimeters(fire, &n);
        for (size_t i = 1; i < n; i++)
            CHECK(p[i].cells > p[i - 1].cells &&
                  zm_observed_hours(fire)[i] > zm_observed_hours(fire)[i - 1]);
        CHECK(n == 1 ? isnan(zm_observed_hours(fire)[0]) : zm_observed_has_start(fire));
        CHECK(n > 1 || zm_observed_fire(fire)->row >= 0);
        zm_observed_close(fire);
    }
}
