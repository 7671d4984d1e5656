/* SPDX-License-Identifier: Apache-2.0
 * Importers of landscapes, perimeters and single fires. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/month.h"
#include "core/options.h"
#include "core/shown_name.h"
#include "fire/data/import/import_layers.h"
#include "fire/data/scene.h"
#include "fire/data/scene_write.h"
#include "zermelo/fire/ignition.h"
#include "zermelo/fire/weather.h"

/* What stands in scene.json beside a landscape, and the caller's fuels. */
static zm_status read_facts(const char *file, const zm_import_opts *o, zm_layers *l,
                            zm_error *err)
{
    const char *slash = strrchr(file, '/');
    const size_t n = slash ? (size_t)(slash + 1 - file) : 0;
    char *json = malloc(n + sizeof "scene.json");
    zm_status st = ZM_OK;

    if (!json)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for a path");
    memcpy(json, file, n);
    strcpy(json + n, "scene.json");
    if (zm_file_exists(json))
        st = zm_scene_facts_read(json, &l->facts, err);
    free(json);
    return st < 0 ? st : zm_scene_facts_add(&l->facts, o->fuels, o->n_fuels, err);
}

static zm_status read_landscape(const char *file, const zm_import_opts *o, zm_layers *l,
                                zm_landscape *land, zm_import_report *report,
                                zm_error *err)
{
    zm_status st = zm_layers_read(l, file, err);

    if (st >= 0 && l->where.transform[1] == 0)
        st = zm_fail(err, ZM_E_FORMAT, -1, "%s: has no georeference",
                     zm_shown_name(file));
    if (st >= 0 && isnan(l->unit))
        st =
            zm_fail(err, ZM_E_FORMAT, -1,
                    "%s: is in degrees; bring it into metres first, e.g. with gdalwarp "
                    "-t_srs EPSG:32629",
                    zm_shown_name(file));
    if (st >= 0)
        st = read_facts(file, o, l, err);
    if (st >= 0)
        st = zm_layers_finish(l, file, land, report, err);
    return st;
}

zm_status zm_import_landscape(const char *file, const char *folder,
                              const zm_import_opts *opts, zm_import_report *report,
                              zm_error *err)
{
    zm_import_opts o = ZM_IMPORT_OPTS_INIT;
    zm_import_report own = ZM_IMPORT_REPORT_INIT;
    zm_layers layers = ZM_LAYERS_NONE;
    zm_landscape land;
    zm_status st;

    if (!file || !folder || !*folder)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_import_landscape needs a file and a folder");
    if ((st = zm_options_check_report(report, "zm_import_report", err)) < 0)
        return st;
    ZM_GO(zm_options_read(&o, sizeof o, opts, "zm_import_opts", err));
    ZM_GO(read_landscape(file, &o, &layers, &land, &own, err));
    ZM_GO(zm_layers_write(&layers, &land, folder, err));
done:
    zm_layers_free(&layers);
    zm_options_write_report(report, &own, sizeof own);
    return st;
}

/* The landscape that an earlier import has put into the folder. */
static zm_status open_ground(const char *folder, zm_scene_ground *ground, zm_error *err)
{
    char *tif = zm_folder_join(folder, "landscape.tif");
    char *json = zm_folder_join(folder, "scene.json");
    zm_status st = tif && json ? zm_scene_ground_read(tif, json, NULL, 0, ground, err)
                               : zm_fail(err, ZM_E_NOMEM, -1, "no memory");

    free(tif);
    free(json);
    return st;
}

zm_status zm_import_perimeters(const char *file, const char *folder,
                               zm_import_report *report, zm_error *err)
{
    zm_import_report own = ZM_IMPORT_REPORT_INIT;
    zm_scene_ground ground = { 0 };
    zm_perimeters found = { 0 };
    char *path = NULL;
    zm_status st;

    if (!file || !folder || !*folder)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_import_perimeters needs a file and a folder");
    if ((st = zm_options_check_report(report, "zm_import_report", err)) < 0)
        return st;
    ZM_GO(open_ground(folder, &ground, err));
    ZM_GO(zm_perimeters_read(file, ground.raster.rows, ground.raster.cols,
                             &ground.raster.where, &found, err));
    path = zm_folder_join(folder, "perimeters.gpkg");
    ZM_GO(path ? ZM_OK : zm_fail(err, ZM_E_NOMEM, -1, "no memory"));
    ZM_GO(zm_perimeters_write(path, &found, ground.raster.rows, ground.raster.cols,
                              &ground.raster.where, err));
    own.perimeters = found.n;
    zm_options_write_report(report, &own, sizeof own);
done:
    free(path);
    zm_perimeters_free(&found);
    zm_scene_ground_free(&ground);
    return st;
}

static const char *last_part(const char *folder)
{
    const char *slash = strrchr(folder, '/');

    return slash && slash[1] ? slash + 1 : folder;
}

/* What fires.csv may hold. */
static zm_status check_fire(const zm_fire *f, zm_error *err)
{
    const zm_fuel_moisture *m = &f->moisture;
    const double moisture[5] = { m->dead_1h, m->dead_10h, m->dead_100h, m->live_herb,
                                 m->live_woody };

    for (int i = 0; i < 5; i++) {
        const double most = i < 3 ? 100 : 400;

        if (!(moisture[i] >= 0.1 && moisture[i] <= most))
            return zm_fail(err, ZM_E_ARG, -1,
                           "moisture of %s fuel %g %%, must be 0.1 to %g",
                           i < 3 ? "dead" : "live", moisture[i], most);
    }
    if (!zm_start_exists(f->start_month, f->start_day, f->start_hour))
        return zm_fail(err, ZM_E_ARG, -1,
                       "fire starts in month %d, on day %d at hour %g: no such time",
                       (int)f->start_month, (int)f->start_day, f->start_hour);
    return ZM_OK;
}

static zm_status check_place(int32_t row, int32_t col, const zm_landscape *land,
                             zm_error *err)
{
    float fuel;

    if (row < 0 || col < 0 || row >= land->rows || col >= land->cols)
        return zm_fail(
            err, ZM_E_ARG, -1,
            "ignition at row %d, column %d, outside the landscape of %d x %d", row, col,
            land->rows, land->cols);
    fuel = land->layers[ZM_LAYER_FUEL][(size_t)row * (size_t)land->cols + (size_t)col];
    if (isnan(fuel))
        return zm_fail(err, ZM_E_ARG, -1,
                       "ignition at row %d, column %d, where the landscape has no data",
                       row, col);
    if (!zm_fuel_burnable(land, (int32_t)fuel))
        return zm_fail(err, ZM_E_ARG, -1,
                       "ignition at row %d, column %d, where fuel %d cannot burn", row,
                       col, (int)fuel);
    return ZM_OK;
}

static void tell_weather(const zm_weather_series *s, const zm_fire_weather *w,
                         const zm_fire *fire, zm_import_report *r)
{
    r->weather_assumed = s->assumed;
    r->earlier_hours = (int32_t)w->earlier;
    r->weather_hours = (int32_t)w->n;
    r->station_told = isfinite(s->elevation) != 0;
    r->station_elevation = r->station_told ? s->elevation : 0;
    r->sun_ahead = fire->sun_ahead;
    r->start_year = w->start.year;
    r->start_month = fire->start_month;
    r->start_day = fire->start_day;
    r->start_hour = fire->start_hour;
    memcpy(r->unused, s->unused, sizeof r->unused);
}

/* The sun by the longitude of the map's middle, where the distance from UTC is told. */
static double sun_ahead(const zm_landscape *land, const zm_georeference *where,
                        double clock_ahead)
{
    double latitude, longitude;

    if (isnan(clock_ahead) || zm_georeference_place(where, land->rows / 2.0, land->cols / 2.0,
                                                    &latitude, &longitude, NULL) < 0)
        return 0;
    return zm_sun_ahead(longitude, clock_ahead);
}

/** The one fire of a scene, with what it owns. */
typedef struct single_fire {
    zm_fire_record record;
    zm_fire_weather given;
    zm_source *sources;
} single_fire;

static void single_fire_free(single_fire *s)
{
    zm_fire_weather_free(&s->given);
    free(s->sources);
}

static double far_from(const zm_source *s, double row, double col)
{
    return hypot(s->row - row, s->col - col);
}

/* The cell that stands for all: of the earliest that can burn the one in their middle. */
static zm_status main_cell(const zm_landscape *land, const zm_source *s, size_t n,
                           zm_fire *f, zm_error *err)
{
    double first = INFINITY, row = 0, col = 0, count = 0;
    const zm_source *best = NULL;

    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < n; i++) {
            const size_t cell =
                (size_t)s[i].row * (size_t)land->cols + (size_t)s[i].col;
            const float fuel = land->layers[ZM_LAYER_FUEL][cell];

            if (!(fuel >= 0) || !zm_fuel_burnable(land, (int32_t)fuel) ||
                s[i].time > first)
                continue;
            if (pass == 0) {
                first = s[i].time;
            } else if (pass == 1) {
                row += s[i].row;
                col += s[i].col;
                count++;
            } else if (!best || far_from(&s[i], row / count, col / count) <
                                    far_from(best, row / count, col / count)) {
                best = &s[i];
            }
        }
    if (!best)
        return zm_fail(err, ZM_E_SOURCE, -1, "no cell of the ignition can burn");
    f->row = (int32_t)best->row;
    f->col = (int32_t)best->col;
    return ZM_OK;
}

static zm_status take_ignition(const zm_import_opts *o, const zm_landscape *land,
                               const zm_georeference *where, const zm_time *start,
                               single_fire *single, zm_import_report *report,
                               zm_error *err)
{
    zm_ignition_report r = ZM_IGNITION_REPORT_INIT;
    zm_fire *f = &single->record.fire;
    size_t n;

    ZM_TRY(zm_ignition_words_cells(o->ignition, o->n_ignition, start, land, where,
                                   &single->sources, &n, &r, err));
    report->ignition_cells = r.cells;
    report->ignition_unburnable = r.not_burnable;
    report->ignition_outside = r.outside;
    report->ignition_clock_assumed = r.clock_assumed;
    for (size_t i = 0; i < n; i++)
        report->ignition_latest = fmax(report->ignition_latest, single->sources[i].time);
    if (!r.one_point) {
        f->sources = single->sources;
        f->n_sources = n;
    }
    return main_cell(land, single->sources, n, f, err);
}

static void take_start(const zm_time *start, const zm_landscape *land,
                       const zm_georeference *where, zm_fire *f)
{
    if (!start->month)
        return;
    f->start_year = start->year;
    f->start_month = start->month;
    f->start_day = start->day;
    f->start_hour = start->hour;
    f->clock_ahead = start->ahead;
    f->sun_ahead = sun_ahead(land, where, start->ahead);
}

static zm_status read_fire(const char *weather, int32_t row, int32_t col,
                           zm_landscape *land, const zm_georeference *where,
                           const zm_import_opts *o, single_fire *single,
                           zm_import_report *report, zm_error *err)
{
    zm_time start = { o->start_year, o->start_month, o->start_day, o->start_hour,
                      o->start_ahead };
    zm_weather_series s = ZM_WEATHER_SERIES_INIT;
    zm_fire_weather *given = &single->given;
    zm_fire *f = &single->record.fire;
    zm_status st;

    *single = (single_fire){ .record = { ZM_FIRE_INIT, "test", -1 } };
    if (o->n_ignition == 0)
        ZM_GO(check_place(row, col, land, err));
    if (!start.month && o->n_ignition > 0) {
        ZM_GO(zm_ignition_words_start(o->ignition, o->n_ignition, &start, err));
        if (isnan(start.ahead))
            start.ahead = o->start_ahead;
    }
    ZM_GO(zm_fire_weather_read(weather, &start, o->weather_ahead, o->hours, o->earlier, &s,
                               given, err));
    f->name = "f0001";
    f->row = row;
    f->col = col;
    if (o->n_ignition > 0)
        ZM_GO(take_ignition(o, land, where, &given->start, single, report, err));
    f->moisture = o->moisture;
    f->weather = given->hours + given->earlier;
    f->hours = given->n;
    f->earlier = given->earlier ? given->hours : NULL;
    f->earlier_hours = given->earlier;
    if (s.moisture.dead_1h > 0 && !o->moisture_given) {
        f->moisture = s.moisture;
        report->moisture_told = 1;
    }
    take_start(&given->start, land, where, f);
    if (isfinite(s.elevation))
        land->station_elevation = s.elevation;
    tell_weather(&s, given, f, report);
    ZM_GO(check_fire(f, err));
done:
    zm_weather_series_free(&s);
    return st;
}

zm_status zm_import_ignition(const char *weather, int32_t row, int32_t col,
                             const char *folder, const zm_import_opts *opts,
                             zm_import_report *report, zm_error *err)
{
    zm_import_opts o = ZM_IMPORT_OPTS_INIT;
    single_fire fire = { 0 };
    zm_import_report own = ZM_IMPORT_REPORT_INIT;
    zm_scene_ground ground = { 0 };
    double station;
    zm_status st;

    if (!weather || !folder || !*folder)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_import_ignition needs weather and a folder");
    if ((st = zm_options_check_report(report, "zm_import_report", err)) < 0)
        return st;
    ZM_GO(zm_options_read(&o, sizeof o, opts, "zm_import_opts", err));
    ZM_GO(open_ground(folder, &ground, err));
    station = ground.landscape.station_elevation;
    ZM_GO(read_fire(weather, row, col, &ground.landscape, &ground.raster.where, &o, &fire,
                    &own, err));
    if (ground.landscape.station_elevation != station)
        ZM_GO(zm_scene_facts_write(folder, last_part(folder), &ground.landscape, err));
    ZM_GO(zm_fires_write(folder, &fire.record, 1, err));
    own.fires = 1;
    zm_options_write_report(report, &own, sizeof own);
done:
    single_fire_free(&fire);
    zm_scene_ground_free(&ground);
    return st;
}

zm_status zm_import_scene(const char *landscape, const char *weather, int32_t row,
                          int32_t col, const char *folder, const zm_import_opts *opts,
                          zm_import_report *report, zm_error *err)
{
    zm_import_opts o = ZM_IMPORT_OPTS_INIT;
    zm_import_report own = ZM_IMPORT_REPORT_INIT;
    zm_layers layers = ZM_LAYERS_NONE;
    single_fire fire = { 0 };
    zm_landscape land;
    zm_status st;

    if (!landscape || !weather || !folder || !*folder)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_import_scene needs a landscape, weather and a folder");
    if ((st = zm_options_check_report(report, "zm_import_report", err)) < 0)
        return st;
    ZM_GO(zm_options_read(&o, sizeof o, opts, "zm_import_opts", err));
    ZM_GO(read_landscape(landscape, &o, &layers, &land, &own, err));
    ZM_GO(read_fire(weather, row, col, &land, &layers.where, &o, &fire, &own, err));
    ZM_GO(zm_layers_write(&layers, &land, folder, err));
    ZM_GO(zm_fires_write(folder, &fire.record, 1, err));
    own.fires = 1;
done:
    single_fire_free(&fire);
    zm_layers_free(&layers);
    zm_options_write_report(report, &own, sizeof own);
    return st;
}
