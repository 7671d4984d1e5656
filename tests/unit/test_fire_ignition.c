/* SPDX-License-Identifier: Apache-2.0
 * Ignitions of map shapes, and other parts of data sets that need no file. */
#include "zermelo/fire/ignition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/folders.h"
#include "support/landscapes.h"
#include "zermelo/fire/dataset.h"
#include "zermelo/fire/evidence.h"
#include "zermelo/fire/score.h"

enum { ROWS = 12, COLS = 15, WATER = 98 };

/* 30 m cells; the first row ends at y = 5000. */
static const zm_georeference where = { { 1000, 30, 0, 5000, 0, -30 }, "" };

/* Shapes as GeoJSON. */
static zm_shape shape_of(const char *json, double time)
{
    return (zm_shape){ json, strlen(json), time };
}

static bool lit(const zm_source *s, size_t n, int row, int col, double time)
{
    for (size_t i = 0; i < n; i++)
        if (s[i].row == row && s[i].col == col)
            return s[i].time == time;
    return false;
}

/* Of shape number 0. */
static zm_status light(const test_land *land, zm_shape shape, zm_source **s, size_t *n,
                       zm_ignition_report *report, zm_error *err)
{
    return zm_ignition_cells(&shape, 1, "", &land->land, &where, s, n, report, err);
}

/* The middle of cell (2, 3) is at (1105, 4925). */
TEST(a_point_is_the_cell_it_lies_in)
{
    test_land land = test_land_level(ROWS, COLS, 1);
    zm_ignition_report report = ZM_IGNITION_REPORT_INIT;
    zm_source *s;
    size_t n;

    CHECK(light(&land, shape_of("{\"type\":\"Point\",\"coordinates\":[1091,4911]}", 0),
                &s, &n, &report, NULL) == ZM_OK);
    CHECK(n == 1 && lit(s, n, 2, 3, 0) && report.one_point && report.cells == 1);
    free(s);
    CHECK(light(&land, shape_of("{\"type\":\"Point\",\"coordinates\":[1091,4911]}", 2),
                &s, &n, &report, NULL) == ZM_OK);
    CHECK(n == 1 && lit(s, n, 2, 3, 2) && !report.one_point);
    free(s);
    test_land_free(&land);
}

/* Well-known binary is the same geometry as GeoJSON. */
TEST(binary_shapes_are_read_as_texts_are)
{
    test_land land = test_land_level(ROWS, COLS, 1);
    const double at[2] = { 1105, 4925 };
    unsigned char wkb[21] = { 1, 1, 0, 0, 0 };
    zm_source *s;
    size_t n;

    memcpy(wkb + 5, at, sizeof at);
    CHECK(light(&land, (zm_shape){ wkb, sizeof wkb, 0 }, &s, &n, NULL, NULL) == ZM_OK);
    CHECK(n == 1 && lit(s, n, 2, 3, 0));
    free(s);
    for (size_t cut = 0; cut < sizeof wkb; cut++) /* never beyond its end */
        CHECK(light(&land, (zm_shape){ wkb, cut, 0 }, &s, &n, NULL, NULL) == ZM_E_ARG &&
              !s);
    test_land_free(&land);
}

/* A line lights what it touches and can burn; a polygon what it holds the centre of. */
TEST(lines_and_polygons_have_their_cells)
{
    test_land land = test_land_level(ROWS, COLS, 1);
    zm_ignition_report report = ZM_IGNITION_REPORT_INIT;
    zm_shape both[2];
    zm_source *s;
    size_t n;

    test_land_layer(&land, ZM_LAYER_FUEL)[2 * COLS + 4] = WATER;
    CHECK(light(&land,
                shape_of("{\"type\":\"LineString\",\"coordinates\":"
                         "[[1100,4920],[1160,4920]]}",
                         1),
                &s, &n, &report, NULL) == ZM_OK);
    CHECK(n == 2 && lit(s, n, 2, 3, 1) && lit(s, n, 2, 5, 1));
    CHECK(report.not_burnable == 1 && report.outside == 0);
    free(s);
    both[0] =
        shape_of("{\"type\":\"Polygon\",\"coordinates\":[[[1100,4930],[1160,4930],"
                 "[1160,4890],[1100,4890],[1100,4930]]]}",
                 3);
    both[1] = shape_of("{\"type\":\"Point\",\"coordinates\":[1105,4895]}", 1);
    CHECK(zm_ignition_cells(both, 2, NULL, &land.land, &where, &s, &n, &report, NULL) ==
          ZM_OK);
    CHECK(n == 4 && report.cells == 4); /* rows 2 and 3, columns 3 and 4 */
    CHECK(lit(s, n, 2, 3, 3) && lit(s, n, 2, 4, 3) && lit(s, n, 3, 4, 3));
    CHECK(lit(s, n, 3, 3, 1)); /* the earliest */
    for (size_t i = 1; i < n; i++)
        CHECK(s[i - 1].row < s[i].row ||
              (s[i - 1].row == s[i].row && s[i - 1].col < s[i].col));
    free(s);
    test_land_free(&land);
}

TEST(shapes_that_cannot_be_lit_are_refused_with_a_reason)
{
    static const struct {
        const char *json;
        double time;
        zm_status status;
        const char *says;
    } bad[] = {
        { "{\"type\":\"Point\",\"coordinates\":[0,0]}", 0, ZM_E_SOURCE,
          "x 1000 to 1450" },
        { "{\"type\":\"Point\",\"coordinates\":[1135,4925]}", 0, ZM_E_SOURCE,
          "fuel 98" },
        { "{\"type\":\"Point\",\"coordinates\":[1105,4925]}", -1, ZM_E_ARG, "time -1" },
        { "{\"type\":\"Point\",\"coordinates\":[1105,4925]}", INFINITY, ZM_E_ARG,
          "time" },
        { "{\"type\":\"LineString\",\"coordinates\":[[1130,4925],[1140,4925]]}", 0,
          ZM_E_SOURCE, "only cells that cannot burn" },
        { "{\"type\":\"Polygon\",\"coordinates\":[[[1100,4920],[1101,4920],[1101,4921],"
          "[1100,4920]]]}",
          0, ZM_E_SOURCE, "the centre of no cell" },
        { "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[9,0],[9,9],[0,0]]]}", 0,
          ZM_E_SOURCE, "outside" },
        { "{\"type\":\"LineString\",\"coordinates\":[]}", 0, ZM_E_ARG, "empty" },
        { "{\"type\":\"GeometryCollection\",\"geometries\":[{\"type\":\"Point\","
          "\"coordinates\":[1105,4925]}]}",
          0, ZM_E_ARG, "collection" },
        { "{\"type\":\"LineString\",\"coordinates\":[[-1e300,4920],[1e300,4925]]}", 0,
          ZM_E_ARG, "beyond the landscape" }, /* and at once */
        { "{\"type\":\"Something\"}", 0, ZM_E_ARG, "neither" },
        { "\1nothing", 0, ZM_E_ARG, "neither" },
    };
    test_land land = test_land_level(ROWS, COLS, 1);
    zm_source *s;
    size_t n;
    zm_error err;

    test_land_layer(&land, ZM_LAYER_FUEL)[2 * COLS + 4] = WATER;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const zm_status st =
            light(&land, shape_of(bad[i].json, bad[i].time), &s, &n, NULL, &err);

        CHECK_MSG(st == bad[i].status && !s && n == 0, "%s: %d", bad[i].json, (int)st);
        CHECK_MSG(strstr(err.text, bad[i].says) && strstr(err.text, "ignition 0"), "%s",
                  err.text);
    }
    CHECK(zm_ignition_cells(NULL, 0, "", &land.land, &where, &s, &n, NULL, &err) ==
          ZM_E_SOURCE);
    test_land_free(&land);
}

TEST(what_reaches_beyond_the_landscape_is_cut_off_and_counted)
{
    test_land land = test_land_level(ROWS, COLS, 1);
    zm_ignition_report report = ZM_IGNITION_REPORT_INIT;
    zm_source *s;
    size_t n;

    CHECK(
        light(&land,
              shape_of("{\"type\":\"Polygon\",\"coordinates\":[[[900,5100],[1060,5100],"
                       "[1060,4970],[900,4970],[900,5100]]]}",
                       0),
              &s, &n, &report, NULL) == ZM_OK);
    CHECK(n == 2 && lit(s, n, 0, 0, 0) && lit(s, n, 0, 1, 0) && report.outside == 1);
    free(s);
    test_land_free(&land);
}

/* Each shape is drawn in its own window of the grid: the cells are those of all at once. */
TEST(many_shapes_light_what_each_of_them_lights)
{
    enum { SHAPES = 40 };
    test_land land = test_land_level(ROWS, COLS, 1);
    uint64_t seed = t->seed;
    char json[SHAPES][128];
    zm_shape shapes[SHAPES];
    double earliest[ROWS * COLS];
    zm_source *s;
    size_t n, lit_cells = 0;

    for (int i = 0; i < ROWS * COLS; i++)
        earliest[i] = INFINITY;
    for (int k = 0; k < SHAPES; k++) {
        const double x = 1000.5 + floor(449 * zm_random_unit(&seed)),
                     y = 4999.5 - floor(359 * zm_random_unit(&seed));

        snprintf(json[k], sizeof json[k],
                 k % 2 ? "{\"type\":\"Point\",\"coordinates\":[%.3f,%.3f]}"
                       : "{\"type\":\"LineString\",\"coordinates\":[[%.3f,%.3f],[1200,"
                         "4800]]}",
                 x, y);
        shapes[k] = shape_of(json[k], k % 5);
        CHECK(light(&land, shapes[k], &s, &n, NULL, NULL) == ZM_OK);
        for (size_t i = 0; i < n; i++) {
            double *at = &earliest[(int)s[i].row * COLS + (int)s[i].col];

            *at = fmin(*at, s[i].time);
        }
        if (k % 2)
            CHECK(n == 1 && s[0].row == floor((5000 - y) / 30) &&
                  s[0].col == floor((x - 1000) / 30));
        free(s);
    }
    CHECK(zm_ignition_cells(shapes, SHAPES, "", &land.land, &where, &s, &n, NULL,
                            NULL) == ZM_OK);
    for (int i = 0; i < ROWS * COLS; i++)
        lit_cells += isfinite(earliest[i]) ? 1 : 0;
    CHECK(n == lit_cells);
    for (size_t i = 0; i < n; i++)
        CHECK(earliest[(int)s[i].row * COLS + (int)s[i].col] == s[i].time);
    free(s);
    test_land_free(&land);
}

/* Known numbers keep every bit through the text of a table, and what is assumed is told. */
TEST(weather_of_a_text_says_what_it_assumes)
{
    static const char text[] = "wind_dir_deg,wind_speed_kmh,cloud_pct\n"
                               "200,0.30000000000000004,7\n210,5e-9,9\n";
    zm_weather w;
    zm_error err;

    CHECK(zm_weather_read_text(text, strlen(text), "w", &w, NULL) == ZM_OK);
    CHECK(w.n == 2 && w.start_month == 0 && w.assumed == (1 | 2 | 32));
    CHECK(w.hours[0].wind_speed == 0.1 + 0.2 && w.hours[1].wind_speed == 5e-9);
    CHECK(w.hours[1].temperature == 25 && w.hours[1].humidity == 30);
    zm_weather_free(&w);
    CHECK(!w.hours && w.n == 0);
    CHECK(zm_weather_read_text("wind_dir_deg\n1\n", 15, "w", &w, &err) == ZM_E_FORMAT);
    CHECK(!w.hours && strstr(err.text, "wind_speed_kmh"));
}

/* An imported weather stream has numbers without end; its scene has them to the last bit. */
TEST(files_of_scenes_keep_every_bit)
{
    const folder f = folder_make();
    const zm_simulate_opts opts = { .size = sizeof opts,
                                    .seed = 3,
                                    .rows = 40,
                                    .cols = 40,
                                    .cell = 30,
                                    .fires = 1,
                                    .finer = 1 };
    char given[100], copy[100];
    FILE *stream;
    zm_weather w;
    zm_scene *first, *second;
    const zm_fire *fire;

    snprintf(given, sizeof given, "%s", folder_path(&f, "given"));
    snprintf(copy, sizeof copy, "%s", folder_path(&f, "copy"));
    CHECK(zm_simulate_scene(given, &opts, NULL) == ZM_OK);
    CHECK(zm_scene_open(given, &first, NULL, NULL) == ZM_OK);
    fire = zm_scene_fire(first, 0);
    stream = fopen(folder_path(&f, "w.wxs"), "w");
    CHECK(stream != NULL);
    fprintf(stream, "2020 8 17 1330 83 21 0.01 7 225 15\n");
    fclose(stream);
    CHECK(zm_weather_read(folder_path(&f, "w.wxs"), &w, NULL) == ZM_OK);
    CHECK(w.start_month == 8 && w.start_hour == 13.5 && w.assumed == 0);
    remove(folder_path(&f, "given/scene.json"));
    CHECK(zm_import_scene(folder_path(&f, "given/landscape.tif"),
                          folder_path(&f, "w.wxs"), fire->row, fire->col, copy, NULL,
                          NULL, NULL) == ZM_OK);
    CHECK(zm_scene_open(copy, &second, NULL, NULL) == ZM_OK);
    CHECK(!memcmp(zm_scene_fire(second, 0)->weather, w.hours, sizeof *w.hours));
    zm_scene_close(first);
    CHECK(zm_scene_open(given, &first, NULL, NULL) == ZM_OK);
    CHECK(zm_scene_landscape(first)->latitude == zm_scene_landscape(second)->latitude);
    CHECK(zm_scene_landscape(first)->station_elevation ==
          zm_scene_landscape(second)->station_elevation);
    zm_weather_free(&w);
    zm_scene_close(first);
    zm_scene_close(second);
    folder_remove(&f);
}

/* Polygons in memory have the area that the file of isochrones tells: a disc of known radius. */
TEST(isochrones_in_memory_enclose_what_has_burned)
{
    enum { SIDE = 81 };
    const double times[3] = { 5, 20, 0 - 1.0 };
    float *T = malloc(sizeof *T * SIDE * SIDE);
    zm_isochrone found[3];

    for (int i = 0; i < SIDE * SIDE; i++)
        T[i] = (float)hypot(i / SIDE - 40, i % SIDE - 40);
    CHECK(zm_isochrones_find(T, SIDE, SIDE, &where, times, 3, found, NULL) == ZM_OK);
    for (int k = 0; k < 2; k++) {
        const double exact = 3.14159265358979 * times[k] * times[k] * 0.09;

        CHECK_NEAR(found[k].area, exact, 0.01 * exact); /* chords of a grid */
        CHECK(found[k].time == times[k] && found[k].bytes > 100 &&
              found[k].shape[0] == 1);
    }
    CHECK(found[2].area == 0 && found[2].bytes == 9); /* a multipolygon without parts */
    for (int k = 0; k < 3; k++)
        zm_isochrone_free(&found[k]);
    CHECK(!found[0].shape);
    CHECK(zm_isochrones_find(T, SIDE, SIDE, &where, times, 0, found, NULL) == ZM_E_ARG);
    free(T);
}

/* Evidence of times that a caller has is that of the same times in a scene. */
TEST(evidence_of_times_is_a_copy_with_its_sources)
{
    test_land land = test_land_level(ROWS, COLS, 1);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather);
    const zm_source at = { 2, 3, 0.5 };
    float T[ROWS * COLS];
    const zm_fire_times times[2] = { { &fire, &at, 1, T }, { &fire, NULL, 0, T } };
    const zm_fire_evidence *known;
    zm_evidence *e;
    size_t n;

    for (int i = 0; i < ROWS * COLS; i++)
        T[i] = i % 7 ? (float)i / 10 : INFINITY;
    fire.duration = INFINITY;
    CHECK(zm_times_evidence(times, 2, ROWS * COLS, &e, NULL) == ZM_OK);
    known = zm_evidence_fires(e, &n);
    CHECK(n == 2 && known[0].n_sources == 1 && known[0].sources != &at);
    CHECK(known[0].sources[0].time == 0.5 && !known[1].sources);
    CHECK(known[0].duration == zm_score_latest(T, ROWS * COLS));
    CHECK(known[0].earliest != T && known[0].earliest[8] == T[8]);
    CHECK(isinf(known[1].latest[7]) && !isinf(known[1].earliest[7]));
    zm_evidence_destroy(e);
    CHECK(zm_times_evidence(times, 0, ROWS * COLS, &e, NULL) == ZM_E_ARG);
    CHECK(zm_times_evidence(&(zm_fire_times){ &fire, &at, 0, T }, 1, ROWS * COLS, &e,
                            NULL) == ZM_E_ARG);
    test_land_free(&land);
}
