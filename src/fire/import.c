/* SPDX-License-Identifier: Apache-2.0
 * Importers of landscapes, perimeters and single fires. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/shown_name.h"
#include "fire/folder_list.h"
#include "fire/import_layers.h"
#include "fire/scene.h"
#include "fire/scene_write.h"
#include "fire/text_file.h"
#include "fire/weather_stream.h"

zm_status zm_import_landscape(const char *file, const char *folder,
                              zm_import_report *report, zm_error *err)
{
    zm_import_report own = { 0 };
    zm_layers layers = { 0 };
    zm_status st;

    if (!file || !folder || !*folder)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_import_landscape needs a file and a folder");
    st = zm_layers_read(&layers, file, err);
    if (st >= 0 && layers.where.transform[1] == 0)
        st = zm_fail(err, ZM_E_FORMAT, -1, "%s: has no georeference",
                     zm_shown_name(file));
    if (st >= 0 && isnan(layers.unit))
        st =
            zm_fail(err, ZM_E_FORMAT, -1,
                    "%s: is in degrees; bring it into metres first, e.g. with gdalwarp "
                    "-t_srs EPSG:32629",
                    zm_shown_name(file));
    if (st >= 0)
        st = zm_layers_write(&layers, folder, &own, err);
    zm_layers_free(&layers);
    if (report)
        *report = own;
    return st;
}

/* The landscape that an earlier import has put into the folder. */
static zm_status open_ground(const char *folder, zm_ground *ground, zm_error *err)
{
    char *tif = zm_path_join(folder, "landscape.tif");
    char *json = zm_path_join(folder, "scene.json");
    zm_status st = tif && json ? zm_ground_read(tif, json, ground, err)
                               : zm_fail(err, ZM_E_NOMEM, -1, "no memory");

    free(tif);
    free(json);
    return st;
}

zm_status zm_import_perimeters(const char *file, const char *folder,
                               zm_import_report *report, zm_error *err)
{
    zm_import_report own = { 0 };
    zm_ground ground = { 0 };
    zm_perimeters found = { 0 };
    char *path = NULL;
    zm_status st;

    if (!file || !folder || !*folder)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_import_perimeters needs a file and a folder");
    ZM_GO(open_ground(folder, &ground, err));
    ZM_GO(zm_perimeters_read(file, ground.raster.rows, ground.raster.cols,
                             &ground.raster.where, &found, err));
    path = zm_path_join(folder, "perimeters.gpkg");
    ZM_GO(path ? ZM_OK : zm_fail(err, ZM_E_NOMEM, -1, "no memory"));
    ZM_GO(zm_perimeters_write(path, &found, ground.raster.rows, ground.raster.cols,
                              &ground.raster.where, err));
    own.perimeters = found.n;
    if (report)
        *report = own;
done:
    free(path);
    zm_perimeters_free(&found);
    zm_ground_free(&ground);
    return st;
}

static zm_status read_weather(const char *path, zm_weather_stream *out, zm_error *err)
{
    char *bytes;
    size_t n;
    zm_status st;

    if (!zm_path_ends(path, ".csv"))
        return zm_weather_stream_read(path, out, err);
    *out = (zm_weather_stream){ 0 };
    st = zm_text_read(path, &bytes, &n, err);
    if (st >= 0)
        st = zm_weather_parse(bytes, n, path, &out->hours, &out->n, err);
    free(bytes);
    return st;
}

zm_status zm_import_ignition(const char *weather, int32_t row, int32_t col,
                             const char *folder, zm_import_report *report,
                             zm_error *err)
{
    const zm_fuel_moisture moisture = ZM_MOISTURE_DEFAULT;
    zm_fire_record record = { { .name = "f0001",
                                .row = row,
                                .col = col,
                                .duration = INFINITY,
                                .start_month = 7,
                                .start_day = 1,
                                .start_hour = 12,
                                .moisture = moisture },
                              "test",
                              -1 };
    zm_weather_stream stream = { 0 };
    zm_ground ground = { 0 };
    zm_status st;

    if (!weather || !folder || !*folder)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_import_ignition needs weather and a folder");
    ZM_GO(open_ground(folder, &ground, err));
    if (row < 0 || col < 0 || row >= ground.raster.rows || col >= ground.raster.cols) {
        st = zm_fail(err, ZM_E_ARG, -1,
                     "ignition at row %d, column %d, outside the landscape of %d x %d",
                     row, col, ground.raster.rows, ground.raster.cols);
        goto done;
    }
    ZM_GO(read_weather(weather, &stream, err));
    record.fire.weather = stream.hours;
    record.fire.hours = stream.n;
    if (stream.month) {
        record.fire.start_month = stream.month;
        record.fire.start_day = stream.day;
        record.fire.start_hour = stream.hour;
    }
    ZM_GO(zm_fires_write(folder, &record, 1, err));
    if (report)
        *report = (zm_import_report){ .fires = 1 };
done:
    free(stream.hours);
    zm_ground_free(&ground);
    return st;
}
