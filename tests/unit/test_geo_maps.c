/* SPDX-License-Identifier: Apache-2.0
 * Maps: rasters, isochrones and perimeters through files. */
#include <gdal.h>
#include <ogr_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fire/data/geo/date.h"
#include "support/folders.h"
#include "zermelo/fire/geo.h"

enum { ROWS = 37, COLS = 45, CELLS = ROWS * COLS };

/* 30 m cells in UTM zone 11 north. */
static const char utm[] =
    "PROJCS[\"WGS 84 / UTM zone 11N\",GEOGCS[\"WGS "
    "84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS "
    "84\",6378137,298.257223563]],PRIMEM[\"Greenwich\",0],UNIT[\"degree\","
    "0.0174532925199433]],PROJECTION[\"Transverse_Mercator\"],PARAMETER[\"latitude_of_"
    "origin\",0],PARAMETER[\"central_meridian\",-117],PARAMETER[\"scale_factor\",0."
    "9996],"
    "PARAMETER[\"false_easting\",500000],PARAMETER[\"false_northing\",0],UNIT["
    "\"metre\",1]"
    ",AXIS[\"Easting\",EAST],AXIS[\"Northing\",NORTH],AUTHORITY[\"EPSG\",\"32611\"]]";
static const zm_georeference somewhere = { { 459717.9, 30, 0, 3756893, 0, -30 }, utm };
static const zm_georeference nowhere = { { 1000, 30, 0, 5000, 0, -30 }, "" };

/* Smooth hills with cells that never burn, and some values repeated to the last bit. */
static void fill_times(float *T, uint64_t seed)
{
    const double a = zm_random_unit(&seed), b = zm_random_unit(&seed);

    for (int i = 0; i < CELLS; i++) {
        const double x = i % COLS / 9.0, y = i / COLS / 7.0;

        T[i] = (float)(5 + 3 * sin(x + 6 * a) * cos(y + 6 * b) + 0.5 * sin(3 * x - y));
        if (zm_random_unit(&seed) < 0.1)
            T[i] = INFINITY;
        if (zm_random_unit(&seed) < 0.1)
            T[i] = 5;
    }
}

TEST(a_raster_comes_back_to_the_last_bit)
{
    const folder f = folder_make();
    const char *const names[2] = { "elevation_m", "slope_deg" };
    float a[CELLS], b[CELLS];
    const float *const planes[2] = { a, b };
    const zm_raster_planes map = { ROWS, COLS, 2, planes, names, &somewhere };
    zm_raster back;

    fill_times(a, t->seed);
    fill_times(b, t->seed + 1);
    CHECK(zm_raster_write(folder_path(&f, "a.tif"), &map, NULL) == ZM_OK);
    CHECK(folder_count(&f) == 1); /* nothing temporary stays */
    CHECK(zm_raster_read(folder_path(&f, "a.tif"), &back, NULL) == ZM_OK);
    CHECK(back.rows == ROWS && back.cols == COLS && back.bands == 2);
    CHECK(!strcmp(back.names[1], "slope_deg") && back.unit == 1);
    CHECK(
        !memcmp(back.where.transform, somewhere.transform, sizeof somewhere.transform));
    CHECK(strstr(back.where.wkt, "UTM zone 11N") != NULL);
    for (int i = 0; i < CELLS; i++) {
        CHECK(isinf(a[i]) ? isnan(back.data[i]) : back.data[i] == a[i]);
        CHECK(isinf(b[i]) ? isnan(back.data[CELLS + i]) : back.data[CELLS + i] == b[i]);
    }
    zm_raster_free(&back);
    folder_remove(&f);
}

TEST(files_that_are_no_rasters_are_refused_with_a_reason)
{
    const folder f = folder_make();
    float a[CELLS];
    const float *const planes[1] = { a };
    const zm_raster_planes map = { ROWS, COLS, 1, planes, NULL, &nowhere };
    zm_raster back;
    zm_error err = { 0 };
    size_t size;
    char *bytes;
    FILE *file;

    CHECK(zm_raster_read(folder_path(&f, "none.tif"), &back, &err) == ZM_E_IO);
    CHECK(strstr(err.text, "none.tif") && !back.data);
    fill_times(a, t->seed);
    CHECK(zm_raster_write(folder_path(&f, "a.tif"), &map, NULL) == ZM_OK);
    bytes = folder_read(&f, "a.tif", &size);
    for (size_t n = 0; n < size; n += size / 9) { /* cut short */
        file = fopen(folder_path(&f, "cut.tif"), "wb");
        fwrite(bytes, 1, n, file);
        fclose(file);
        CHECK(zm_raster_read(folder_path(&f, "cut.tif"), &back, &err) < 0);
        CHECK(strstr(err.text, "cut.tif") && !back.data);
    }
    free(bytes);
    CHECK(zm_raster_write("/no/such/folder/a.tif", &map, &err) == ZM_E_IO);
    folder_remove(&f);
}

/* Rings leave every centre on its own side, so the cells whose centres lie in the polygons
 * are those with T <= t, exactly; and OGR (GEOS) finds the polygons valid. */
static void check_isochrones(test_run *t, const zm_georeference *where, uint64_t seed)
{
    const folder f = folder_make();
    const double times[3] = { 3, 5, 7 };
    float T[CELLS];
    zm_perimeters back;
    GDALDatasetH file;
    OGRLayerH layer;
    OGRFeatureH feature;
    int features = 0;

    fill_times(T, seed);
    CHECK(zm_isochrones_write(folder_path(&f, "i.geojson"), T, ROWS, COLS, where, times,
                              3, NULL, NULL) == ZM_OK);
    GDALAllRegister();
    file = GDALOpenEx(folder_path(&f, "i.geojson"), GDAL_OF_VECTOR, NULL, NULL, NULL);
    CHECK(file != NULL);
    layer = GDALDatasetGetLayer(file, 0);
    while ((feature = OGR_L_GetNextFeature(layer))) {
        OGRGeometryH area = OGR_F_GetGeometryRef(feature);
        OGREnvelope box;

        CHECK(OGR_G_IsValid(area));
        OGR_G_GetEnvelope(area, &box);
        if (*where->wkt) /* degrees */
            CHECK(box.MinX > -118 && box.MaxX < -117 && box.MinY > 33 && box.MaxY < 35);
        CHECK(OGR_F_GetFieldAsDouble(feature, OGR_F_GetFieldIndex(feature, "time_h")) ==
              times[features++]);
        OGR_F_Destroy(feature);
    }
    CHECK(features == 3);
    GDALClose(file);
    CHECK(zm_perimeters_read(folder_path(&f, "i.geojson"), ROWS, COLS, where, &back,
                             NULL) == ZM_OK);
    CHECK(back.n == 1); /* no dates: one perimeter, the union */
    for (int i = 0; i < CELLS; i++)
        CHECK(back.items[0].mask[i] == ((double)T[i] <= times[2]));
    zm_perimeters_free(&back);
    folder_remove(&f);
}

TEST(isochrones_are_valid_polygons_of_exactly_the_burned_cells)
{
    for (uint64_t k = 0; k < 6; k++) {
        check_isochrones(t, &somewhere, t->seed + 10 * k);
        check_isochrones(t, &nowhere, t->seed + 10 * k);
    }
}

static const char *const squares = "{\"type\":\"FeatureCollection\",\"features\":["
                                   "{\"type\":\"Feature\",\"properties\":{\"date\":"
                                   "\"2020-08-02T10:30\"},\"geometry\":{"
                                   "\"type\":\"Polygon\",\"coordinates\":[[[1090,4850],"
                                   "[1300,4850],[1300,4700],[1090,4700],"
                                   "[1090,4850]]]}},"
                                   "{\"type\":\"Feature\",\"properties\":{\"date\":"
                                   "\"2020-08-01\"},\"geometry\":{\"type\":"
                                   "\"Polygon\",\"coordinates\":[[[1090,4850],[1150,"
                                   "4850],[1150,4790],[1090,4790],[1090,"
                                   "4850]]]}}]}";

static void write_text(const folder *f, const char *name, const char *text)
{
    FILE *file = fopen(folder_path(f, name), "wb");

    fputs(text, file);
    fclose(file);
}

TEST(perimeters_come_in_order_of_their_dates)
{
    const folder f = folder_make();
    const zm_georeference grid = { { 1000, 30, 0, 5000, 0, -30 }, "" };
    zm_perimeters p;
    zm_error err;

    write_text(&f, "p.geojson", squares);
    CHECK(zm_perimeters_read(folder_path(&f, "p.geojson"), ROWS, COLS, &grid, &p,
                             &err) == ZM_OK);
    CHECK(p.n == 2);
    CHECK(!strcmp(p.items[0].observed, "2020-08-01") && p.items[0].cells == 4);
    CHECK(!strcmp(p.items[1].observed, "2020-08-02T10:30") && p.items[1].cells == 35);
    CHECK(p.items[0].mask[5 * COLS + 3] && !p.items[0].mask[5 * COLS + 2]);
    CHECK_NEAR(p.items[1].area, 210. * 150, 1e-6);
    zm_perimeters_free(&p);
    folder_remove(&f);
}

/* A shapefile, whose fields are short and whose dates are a type of their own. */
TEST(perimeters_come_from_shapefiles)
{
    const folder f = folder_make();
    zm_perimeters p;
    zm_error err = { 0 };
    GDALDatasetH file;
    OGRLayerH layer;
    OGRFieldDefnH field;

    GDALAllRegister();
    file = GDALCreate(GDALGetDriverByName("ESRI Shapefile"), folder_path(&f, "p.shp"),
                      0, 0, 0, GDT_Unknown, NULL);
    layer = GDALDatasetCreateLayer(file, "p", NULL, wkbPolygon, NULL);
    field = OGR_Fld_Create("DATE_CUR", OFTDate);
    OGR_L_CreateField(layer, field, 1);
    OGR_Fld_Destroy(field);
    for (int k = 2; k >= 1; k--) {
        OGRFeatureH feature = OGR_F_Create(OGR_L_GetLayerDefn(layer));
        OGRGeometryH polygon = OGR_G_CreateGeometry(wkbPolygon);
        OGRGeometryH ring = OGR_G_CreateGeometry(wkbLinearRing);
        const double side = 60.0 * k;

        OGR_F_SetFieldDateTime(feature, 0, 2021, 8, 10 + k, 0, 0, 0, 0);
        OGR_G_AddPoint_2D(ring, 1090, 4850);
        OGR_G_AddPoint_2D(ring, 1090 + side, 4850);
        OGR_G_AddPoint_2D(ring, 1090 + side, 4850 - side);
        OGR_G_AddPoint_2D(ring, 1090, 4850 - side);
        OGR_G_AddPoint_2D(ring, 1090, 4850);
        OGR_G_AddGeometryDirectly(polygon, ring);
        OGR_F_SetGeometryDirectly(feature, polygon);
        CHECK(OGR_L_CreateFeature(layer, feature) == OGRERR_NONE);
        OGR_F_Destroy(feature);
    }
    GDALClose(file);
    CHECK_MSG(zm_perimeters_read(folder_path(&f, "p.shp"), ROWS, COLS, &nowhere, &p,
                                 &err) == ZM_OK,
              "%s", err.text);
    CHECK(p.n == 2 && !strcmp(p.items[0].observed, "2021-08-11") &&
          p.items[0].cells == 4);
    CHECK(p.n == 2 && p.items[1].cells == 16);
    zm_perimeters_free(&p);
    folder_remove(&f);
}

TEST(perimeters_that_cannot_be_meant_are_refused)
{
    const folder f = folder_make();
    const zm_georeference far = { { 90000, 30, 0, 5000, 0, -30 }, "" };
    zm_perimeters p;
    zm_error err = { 0 };

    write_text(&f, "p.geojson", squares);
    CHECK(zm_perimeters_read(folder_path(&f, "p.geojson"), 9, 9, &far, &p, &err) ==
          ZM_E_FORMAT);
    CHECK(strstr(err.text, "outside"));
    write_text(
        &f, "d.geojson",
        "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\","
        "\"properties\":{\"date\":\"last week\"},\"geometry\":{\"type\":\"Polygon\","
        "\"coordinates\":[[[1,1],[2,1],[2,2],[1,1]]]}}]}");
    CHECK(zm_perimeters_read(folder_path(&f, "d.geojson"), 9, 9, &nowhere, &p, &err) ==
          ZM_E_FORMAT);
    CHECK(strstr(err.text, "last week"));
    write_text(
        &f, "e.geojson",
        "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\","
        "\"properties\":{},\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,1]}}]}");
    CHECK(zm_perimeters_read(folder_path(&f, "e.geojson"), 9, 9, &nowhere, &p, &err) ==
          ZM_E_FORMAT);
    CHECK(strstr(err.text, "no polygons"));
    CHECK(zm_perimeters_read(folder_path(&f, "no.gpkg"), 9, 9, &nowhere, &p, &err) ==
          ZM_E_IO);
    folder_remove(&f);
}

/* A feature of a square at a date, perhaps one of a second square. */
static void write_dated(const folder *f, const char *a, const char *b)
{
    static const char *const head = "{\"type\":\"FeatureCollection\",\"features\":[";
    static const char *const square =
        "\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[1030,4850],[1130,4850],"
        "[1130,4970],[1030,4970],[1030,4850]]]}}";
    char text[1200];

    if (b)
        snprintf(text, sizeof text,
                 "%s{\"type\":\"Feature\",\"properties\":{\"date\":%s},%s,"
                 "{\"type\":\"Feature\",\"properties\":{\"date\":%s},%s]}",
                 head, a, square, b, square);
    else
        snprintf(text, sizeof text,
                 "%s{\"type\":\"Feature\",\"properties\":{\"date\":%s},%s]}", head, a,
                 square);
    write_text(f, "d.geojson", text);
}

/* 2013-09-02 is day 15950 since 1970.  Midnight of a clock that is told is midnight; of one that nobody
 * tells it may be a mere date. */
TEST(perimeters_are_dated_by_zone_and_by_milliseconds)
{
    static const struct {
        const char *date, *read;
    } cases[] = {
        { "\"2013-09-02T00:00:00Z\"", "2013-09-02T00:00Z" },
        { "\"2013-09-02T00:00:00-06:00\"", "2013-09-02T06:00Z" },
        { "\"2013-09-02 14:30:00+02\"", "2013-09-02T12:30Z" },
        { "\"2013-09-02\"", "2013-09-02" },
        { "\"2013-09-02T14:30:00\"", "2013-09-02T14:30" },
        { "1378080000000", "2013-09-02T00:00Z" },
        { "\"1378116000000\"", "2013-09-02T10:00Z" },
        { "20130902", "2013-09-02" },
    };
    zm_perimeters p;
    zm_error err;
    const folder f = folder_make();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_dated(&f, cases[i].date, NULL);
        CHECK_MSG(zm_perimeters_read(folder_path(&f, "d.geojson"), 9, 9, &nowhere, &p,
                                     &err) == ZM_OK,
                  "%s: %s", cases[i].date, err.text);
        CHECK_MSG(p.n == 1 && !strcmp(p.items[0].observed, cases[i].read), "%s: %s",
                  cases[i].date, p.n ? p.items[0].observed : "");
        zm_perimeters_free(&p);
    }
    write_dated(&f, "1378080000", NULL);
    CHECK(zm_perimeters_read(folder_path(&f, "d.geojson"), 9, 9, &nowhere, &p, &err) ==
          ZM_E_FORMAT);
    CHECK(strstr(err.text, "2013-09-02T00:00 UTC in seconds"));
    write_dated(&f, "\"2013-09-02T10:00Z\"", "\"2013-09-03T10:00\"");
    CHECK(zm_perimeters_read(folder_path(&f, "d.geojson"), 9, 9, &nowhere, &p, &err) ==
          ZM_E_FORMAT);
    CHECK(strstr(err.text, "some have none"));
    folder_remove(&f);
}

TEST(dates_are_read_in_their_usual_forms)
{
    static const struct {
        const char *text, *same;
        double hours; /* since 1970 */
    } cases[] = {
        { "1970-01-01T00:00", "1970-01-01T00:00", 0 },
        { "2013-09-02", "2013-09-02", 24 * 15950.0 + 12 },
        { "2013/9/2 15:30:12", "2013-09-02T15:30", 24 * 15950.0 + 15.5 },
        { "20130902", "2013-09-02", 24 * 15950.0 + 12 },
        { "2012-02-29T23:59", "2012-02-29T23:59", 24 * 15399.0 + 23 + 59. / 60 },
        { "2013-09-02T00:00:00Z", "2013-09-02T00:00Z", 24 * 15950.0 },
        { "2013-09-02 15:30:12.5 -06:00", "2013-09-02T15:30-06:00", 24 * 15950.0 + 15.5 },
        { "2013-09-02T15:30+0530", "2013-09-02T15:30+05:30", 24 * 15950.0 + 15.5 },
    };
    zm_date date;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_MSG(zm_date_parse(cases[i].text, &date), "%s", cases[i].text);
        CHECK(!strcmp(zm_date_print(&date).text, cases[i].same));
        CHECK_NEAR(zm_date_hours(&date), cases[i].hours, 1e-9);
        date = zm_date_of(cases[i].hours);
        CHECK_NEAR(zm_date_hours(&date), cases[i].hours, 1e-9);
    }
    CHECK(!zm_date_parse("2011-04-31", &date));
    CHECK(!zm_date_parse("2011-13-01", &date) && !zm_date_parse("", &date));
    CHECK(!zm_date_parse("yesterday", &date) && !zm_date_parse("2011-01-01x", &date));
    CHECK(!zm_date_parse("2011-01-01T10:00 PM", &date));
    CHECK(zm_date_parse("2011-01-01T23:30-06:00", &date));
    date = zm_date_in_utc(&date);
    CHECK(!strcmp(zm_date_print(&date).text, "2011-01-02T05:30Z"));
    CHECK(zm_date_parse_short("18/03/25 11:15", &date) && date.year == 2025);
}

/* The false origin of UTM zone 11 lies on its middle meridian, 117 W, 500 km east of it. */
TEST(a_map_tells_where_on_the_globe_it_lies)
{
    const zm_georeference on_the_equator = { { 500000, 30, 0, 0, 0, -30 }, utm };
    double latitude, longitude;

    CHECK(zm_georeference_place(&on_the_equator, 0, 0, &latitude, &longitude, NULL) ==
          ZM_OK);
    CHECK_NEAR(latitude, 0, 1e-9);
    CHECK_NEAR(longitude, -117, 1e-9);
    CHECK(zm_georeference_place(&somewhere, ROWS, 0, &latitude, &longitude, NULL) ==
          ZM_OK);
    CHECK(latitude > 33.9 && latitude < 34 && longitude > -117.5 && longitude < -117.4);
    CHECK(zm_georeference_place(&nowhere, 0, 0, &latitude, &longitude, NULL) == ZM_OK);
    CHECK(isnan(latitude) && isnan(longitude));
}

/* Some ten times a round step apart, and one where even a step is too late. */
TEST(isochrones_are_a_round_step_apart)
{
    double times[ZM_MOST_ISOCHRONES];

    CHECK(zm_isochrone_times(11, times) == 11 && times[0] == 1 && times[10] == 11);
    CHECK(zm_isochrone_times(0.01, times) == 1 && times[0] == 0.01);
    for (double latest = 0.1; latest < 5000; latest *= 1.7) {
        const size_t n = zm_isochrone_times(latest, times);

        CHECK(n >= 1 && n <= 12 && times[n - 1] <= latest * (1 + 1e-9));
    }
}

/* A point, a line and a square in the coordinates of the grid cover the cells they are in, touch,
 * or hold; shapes beyond the grid, and files without any, are refused. */
TEST(shapes_of_a_file_become_cells)
{
    static const char head[] = "{\"type\":\"FeatureCollection\",\"features\":[",
                      feature[] =
                          "{\"type\":\"Feature\",\"properties\":{},\"geometry\":";
    const zm_georeference degrees = { { 7, 0.01, 0, 50, 0, -0.01 },
                                      "GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID["
                                      "\"WGS 84\",6378137,298.257223563]],PRIMEM["
                                      "\"Greenwich\",0],UNIT[\"degree\",0."
                                      "0174532925199433]]" };
    const folder f = folder_make();
    char text[1024];
    uint8_t mask[CELLS];
    zm_error err;
    int n = 0;

    snprintf(
        text, sizeof text,
        "%s%s{\"type\":\"Point\",\"coordinates\":[7.035,49.975]}},"
        "%s{\"type\":\"LineString\",\"coordinates\":[[7.105,49.905],[7.125,49.905]]}},"
        "%s{\"type\":\"Polygon\",\"coordinates\":[[[7.2,49.8],[7.22,49.8],[7.22,49.82],"
        "[7.2,49.82],[7.2,49.8]]]}}]}",
        head, feature, feature, feature);
    write_text(&f, "a.geojson", text);
    CHECK(zm_cells_read(folder_path(&f, "a.geojson"), ROWS, COLS, &degrees, mask,
                        &err) == ZM_OK);
    for (int i = 0; i < CELLS; i++)
        n += mask[i];
    CHECK(mask[2 * COLS + 3] && mask[9 * COLS + 10] && mask[9 * COLS + 11] &&
          mask[9 * COLS + 12] && mask[18 * COLS + 20] && mask[19 * COLS + 21]);
    CHECK_MSG(n == 1 + 3 + 4, "%d cells", n);
    snprintf(text, sizeof text,
             "%s%s{\"type\":\"Point\",\"coordinates\":[8,49.975]}}]}", head, feature);
    write_text(&f, "b.geojson", text);
    CHECK(zm_cells_read(folder_path(&f, "b.geojson"), ROWS, COLS, &degrees, mask,
                        &err) == ZM_E_FORMAT);
    CHECK(strstr(err.text, "outside") != NULL);
    snprintf(text, sizeof text, "%s]}", head);
    write_text(&f, "c.geojson", text);
    CHECK(zm_cells_read(folder_path(&f, "c.geojson"), ROWS, COLS, &degrees, mask,
                        &err) == ZM_E_FORMAT);
    CHECK(zm_cells_read(folder_path(&f, "d.geojson"), ROWS, COLS, &degrees, mask,
                        &err) == ZM_E_IO);
    folder_remove(&f);
}
