/* SPDX-License-Identifier: Apache-2.0
 * Files that refer to other files or to addresses, under names of formats that are read: nothing
 * they refer to is opened or asked. */
#define _POSIX_C_SOURCE 200809L /* mkfifo, sockets */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "support/folders.h"
#include "zermelo/file.h"
#include "zermelo/fire/geo.h"
#include "zermelo/limit.h"

enum { ROWS = 4, COLS = 5 };

static const zm_georeference nowhere = { { 1000, 30, 0, 5000, 0, -30 }, "" };

static void put(const folder *f, const char *name, const char *text)
{
    FILE *file = fopen(folder_path(f, name), "w");

    fputs(text, file);
    fclose(file);
}

/* A raster beside it would answer if the text were followed. */
TEST(a_virtual_raster_under_another_name_is_refused)
{
    const folder f = folder_make();
    const char *const names[1] = { "elevation_m" };
    float a[ROWS * COLS] = { 0 };
    const float *const planes[1] = { a };
    const zm_raster_planes map = { ROWS, COLS, 1, planes, names, &nowhere };
    char vrt[512];
    zm_raster r;
    zm_error err = { 0 };

    CHECK(zm_raster_write(folder_path(&f, "secret.tif"), &map, NULL) == ZM_OK);
    snprintf(
        vrt, sizeof vrt,
        "<VRTDataset rasterXSize=\"5\" rasterYSize=\"4\"><VRTRasterBand "
        "dataType=\"Float32\" "
        "band=\"1\"><SimpleSource><SourceFilename>%s</SourceFilename></SimpleSource>"
        "</VRTRasterBand></VRTDataset>",
        folder_path(&f, "secret.tif"));
    put(&f, "landscape.tif", vrt);
    CHECK(zm_raster_read(folder_path(&f, "landscape.tif"), &r, &err) == ZM_E_IO);
    CHECK(strstr(err.text, "GeoTIFF"));
    put(&f, "landscape.tif",
        "<GDAL_WMS><Service name=\"TMS\"><ServerUrl>http://127.0.0.1:9/${z}/${x}/${y}"
        "</ServerUrl></Service></GDAL_WMS>");
    CHECK(zm_raster_read(folder_path(&f, "landscape.tif"), &r, &err) == ZM_E_IO);
    folder_remove(&f);
}

TEST(a_virtual_layer_under_another_name_is_refused)
{
    const folder f = folder_make();
    zm_perimeters p;
    zm_error err = { 0 };

    put(&f, "perimeters.geojson",
        "<OGRVRTDataSource><OGRVRTLayer "
        "name=\"a\"><SrcDataSource>/vsicurl/http://127.0.0.1:9/a"
        "</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>");
    CHECK(zm_perimeters_read(folder_path(&f, "perimeters.geojson"), ROWS, COLS,
                             &nowhere, &p, &err) == ZM_E_IO);
    CHECK(strstr(err.text, "GeoPackage"));
    folder_remove(&f);
}

/* A GeoJSON whose coordinate system is a link: the listener is not called. */
TEST(an_address_inside_a_file_is_not_asked)
{
    const folder f = folder_make();
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t room = sizeof at;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct pollfd caller = { .fd = listener, .events = POLLIN };
    char text[512];
    zm_perimeters p;

    CHECK(bind(listener, (struct sockaddr *)&at, sizeof at) == 0 &&
          listen(listener, 4) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&at, &room) == 0);
    snprintf(
        text, sizeof text,
        "{\"type\": \"FeatureCollection\", \"crs\": {\"type\": \"link\", "
        "\"properties\": "
        "{\"href\": \"http://127.0.0.1:%d/crs\", \"type\": \"ogcwkt\"}}, \"features\": "
        "[{\"type\": \"Feature\", \"properties\": {\"date\": \"2020-08-01\"}, "
        "\"geometry\": "
        "{\"type\": \"Polygon\", \"coordinates\": "
        "[[[1030,4970],[1090,4970],[1090,4910],"
        "[1030,4970]]]}}]}",
        (int)ntohs(at.sin_port));
    put(&f, "p.geojson", text);
    if (zm_perimeters_read(folder_path(&f, "p.geojson"), ROWS, COLS, &nowhere, &p,
                           NULL) == ZM_OK)
        zm_perimeters_free(&p);
    CHECK(poll(&caller, 1, 0) == 0);
    close(listener);
    folder_remove(&f);
}

/* Names that are no files of this machine, and files that would block for ever. */
TEST(only_files_and_folders_are_opened)
{
    const folder f = folder_make();
    zm_raster r;
    zm_error err = { 0 };

    CHECK(zm_raster_read("/vsicurl/http://127.0.0.1:9/a.tif", &r, &err) == ZM_E_IO);
    CHECK(zm_raster_read("<VRTDataset rasterXSize=\"1\" rasterYSize=\"1\"/>", &r,
                         &err) == ZM_E_IO);
    CHECK(mkfifo(folder_path(&f, "pipe.tif"), 0600) == 0);
    CHECK(zm_raster_read(folder_path(&f, "pipe.tif"), &r, &err) == ZM_E_IO);
    CHECK(strstr(err.text, "neither a file nor a folder"));
    folder_remove(&f);
}

/* GDAL opens the table beside a Shapefile, and would wait for whoever writes into the pipe. */
TEST(what_lies_beside_a_file_has_to_be_a_file_too)
{
    const folder f = folder_make();
    zm_perimeters p;
    zm_raster r;
    zm_error err = { 0 };

    put(&f, "a.shp", "x");
    put(&f, "b.tif", "x");
    CHECK(!mkfifo(folder_path(&f, "a.dbf"), 0600));
    CHECK(!mkfifo(folder_path(&f, "b.tfw"), 0600));
    CHECK(!mkfifo(folder_path(&f, "b2.tfw"), 0600)); /* another file's */
    CHECK(zm_perimeters_read(folder_path(&f, "a.shp"), ROWS, COLS, &nowhere, &p, &err) ==
          ZM_E_IO);
    CHECK_MSG(strstr(err.text, "a.dbf beside it"), "%s", err.text);
    CHECK(zm_raster_read(folder_path(&f, "b.tif"), &r, &err) == ZM_E_IO);
    CHECK_MSG(strstr(err.text, "b.tfw beside it"), "%s", err.text);
    CHECK(zm_perimeters_read(f.path, ROWS, COLS, &nowhere, &p, &err) == ZM_E_IO);
    CHECK_MSG(strstr(err.text, "beside it"), "%s", err.text);
    CHECK(folder_remove(&f) == 5);
}

/* An image of 50000 x 50000 bytes whose only strip was never written: 122 bytes that ask for
 * 10 GB. */
TEST(a_small_file_cannot_ask_for_much_memory)
{
    static const unsigned long fields[9][3] = { { 256, 4, 50000 }, { 257, 4, 50000 },
                                                { 258, 3, 8 },     { 259, 3, 1 },
                                                { 262, 3, 1 },     { 273, 4, 0 },
                                                { 277, 3, 1 },     { 278, 4, 50000 },
                                                { 279, 4, 0 } };
    const folder f = folder_make();
    unsigned char tiff[122] = { 'I', 'I', 42, 0, 8, 0, 0, 0, 9 };
    zm_raster r;
    zm_error err = { 0 };

    for (size_t i = 0; i < 9; i++) {
        unsigned char *at = tiff + 10 + 12 * i;

        at[0] = (unsigned char)(fields[i][0] & 255);
        at[1] = (unsigned char)(fields[i][0] >> 8);
        at[2] = (unsigned char)fields[i][1];
        at[4] = 1;
        at[8] = (unsigned char)(fields[i][2] & 255);
        at[9] = (unsigned char)(fields[i][2] >> 8);
    }
    CHECK(zm_file_write(folder_path(&f, "a.tif"), tiff, sizeof tiff, NULL) == ZM_OK);
    CHECK(zm_raster_read(folder_path(&f, "a.tif"), &r, &err) == ZM_E_IO);
    CHECK_MSG(strstr(err.text, "announces 10 GB in a file of 122 bytes"), "%s", err.text);
    zm_read_limit_set(1 << 30);
    CHECK(zm_raster_read(folder_path(&f, "a.tif"), &r, &err) == ZM_E_IO);
    CHECK_MSG(strstr(err.text, "the limit is 1.074 GB"), "%s", err.text);
    zm_read_limit_set(0);
    CHECK(folder_remove(&f) == 1);
}

/* The header of a classic netCDF file with one dimension, no attributes and 2^27 variables: the
 * library would take 5 GB for their names before it reads the first. */
TEST(a_netcdf_header_cannot_announce_more_than_its_file_has)
{
    static const uint8_t header[] = { 'C', 'D', 'F', 1, 0, 0, 0, 0, /* records */
                                      0, 0, 0, 10, 0, 0, 0, 1,      /* a dimension */
                                      0, 0, 0, 1, 'x', 0, 0, 0, 0, 0, 0, 4,
                                      0, 0, 0, 0, 0, 0, 0, 0, /* no attributes */
                                      0, 0, 0, 11, 8, 0, 0, 0 };
    const folder f = folder_make();
    const char *path = folder_path(&f, "many.nc");
    FILE *file = fopen(path, "wb");
    zm_raster raster;
    zm_error err = { 0 };

    CHECK(file && fwrite(header, 1, sizeof header, file) == sizeof header && !fclose(file));
    CHECK(zm_raster_read(path, &raster, &err) == ZM_E_FORMAT);
    CHECK_MSG(strstr(err.text, "netCDF header"), "%s", err.text);
    folder_remove(&f);
}

/* Polygons of many dates, of which the middle of the file is lost: not the first few of them. */
TEST(perimeters_that_are_damaged_are_refused)
{
    enum { N = 60, PAGE = 4096 };
    static uint8_t mask[ROWS * COLS] = { 1, 1, 0, 0, 0, 1, 1 };
    static zm_perimeter items[N];
    const zm_perimeters all = { items, N };
    const folder f = folder_make();
    char zeros[PAGE] = { 0 };
    zm_perimeters p;
    zm_error err = { 0 };
    size_t read = 0, whole = 0;
    FILE *file;
    long size;

    for (int i = 0; i < N; i++)
        items[i] = (zm_perimeter){ .sequence = i + 1, .mask = mask, .area = 1 };
    CHECK(zm_perimeters_write(folder_path(&f, "p.gpkg"), &all, ROWS, COLS, &nowhere, &err) ==
          ZM_OK);
    file = fopen(folder_path(&f, "p.gpkg"), "r+b");
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    for (long at = PAGE; at + PAGE <= size; at += PAGE) {
        char page[PAGE];

        fseek(file, at, SEEK_SET);
        CHECK(fread(page, 1, PAGE, file) == PAGE);
        fseek(file, at, SEEK_SET);
        CHECK(fwrite(zeros, 1, PAGE, file) == PAGE && !fflush(file));
        if (zm_perimeters_read(folder_path(&f, "p.gpkg"), ROWS, COLS, &nowhere, &p, &err) ==
            ZM_OK) {
            read++;
            whole += p.n == N;
            zm_perimeters_free(&p);
        }
        fseek(file, at, SEEK_SET);
        CHECK(fwrite(page, 1, PAGE, file) == PAGE && !fflush(file));
    }
    fclose(file);
    CHECK_MSG(read == whole, "%zu damaged files were read, %zu of them whole", read, whole);
    zm_read_limit_set(30 * ROWS * COLS); /* half of the masks */
    CHECK(zm_perimeters_read(folder_path(&f, "p.gpkg"), ROWS, COLS, &nowhere, &p, &err) ==
          ZM_E_IO);
    CHECK_MSG(strstr(err.text, "the limit is"), "%s", err.text);
    zm_read_limit_set(0);
    folder_remove(&f);
}

/* A map of a place that is nowhere on the globe keeps its own coordinates. */
TEST(isochrones_of_a_local_system_have_its_coordinates)
{
    const zm_georeference local = { { 1000, 30, 0, 5000, 0, -30 },
                                    "LOCAL_CS[\"here\",UNIT[\"metre\",1]]" };
    const double times[1] = { 2 };
    const folder f = folder_make();
    float T[ROWS * COLS];
    zm_error err = { 0 };

    for (size_t i = 0; i < ROWS * COLS; i++)
        T[i] = (float)(i % COLS);
    CHECK_MSG(zm_isochrones_write(folder_path(&f, "i.geojson"), T, ROWS, COLS, &local, times,
                                  1, NULL, &err) == ZM_OK,
              "%s", err.text);
    folder_remove(&f);
}
