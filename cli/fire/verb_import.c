/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire import: landscapes, perimeters and datasets of others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fire/verbs.h"
#include "message.h"
#include "value.h"
#include "zermelo/dataset.h"

typedef struct import_settings {
    const char *landscape, *perimeters, *weather, *sim2real, *out;
    source_list ignition;
} import_settings;

#define FIELD(name) offsetof(import_settings, name)

static const option import_list[] = {
    { "out", "DIR", OPTION_VALUE, FIELD(out), .required = true, .parse = parse_text,
      .expects = "the name of a folder",
      .help = "folder of the scene or observed fire" },
    { "landscape", "FILE", OPTION_INPUT, FIELD(landscape),
      .help =
          "FARSITE .lcp, or GeoTIFF with LANDFIRE's bands (by name: ELEV, SLPD, ASP, "
          "FBFM40, CC, CH, CBH, CBD; without names in this order)" },
    { "perimeters", "FILE", OPTION_INPUT, FIELD(perimeters),
      .help =
          "burned areas with dates: GeoPackage, GeoJSON, shapefile; makes an observed "
          "fire of the folder" },
    { "ignition", "ROW,COL", OPTION_VALUE, FIELD(ignition), .parse = parse_cell,
      .expects = "ROW,COL with whole numbers, e.g. 120,44",
      .help = "a fire f0001 that starts in this cell; needs --weather" },
    { "weather", "FILE", OPTION_INPUT, FIELD(weather),
      .help = "its weather: FARSITE stream .wxs, or .csv of ours" },
    { "sim2real", "DIR", OPTION_VALUE, FIELD(sim2real), .parse = parse_text,
      .expects = "the name of a folder",
      .help =
          "a scene of Sim2Real-Fire: LANDFIRE rasters, weather and folders of hourly "
          "masks out1.jpg, ...; or of dated masks of a real fire" },
    { 0 }
};
static const option_table import_options = { "Options", import_list };

static void tell(const zm_import_report *r)
{
    if (r->cells_without_data)
        note("%lld cells have no data: taken as non-burnable",
             (long long)r->cells_without_data);
    if (r->unknown_fuel_cells)
        warning(
            "%lld cells have a fuel that is not known: taken as non-burnable; custom "
            "fuels go into scene.json",
            (long long)r->unknown_fuel_cells);
    if (r->slope_computed)
        note("slope and aspect were computed from the elevation");
    if (r->cover_missing)
        warning("no canopy cover: taken as 0");
    if (r->fires_skipped)
        warning("%zu fire%s could not be taken; the first: %s", r->fires_skipped,
                r->fires_skipped == 1 ? "" : "s", r->note);
    if (r->fires)
        note("%zu fire%s", r->fires, r->fires == 1 ? "" : "s");
    if (r->perimeters)
        note("%zu perimeter%s", r->perimeters, r->perimeters == 1 ? "" : "s");
}

static int check_settings(const import_settings *s)
{
    if (s->sim2real &&
        (s->landscape || s->perimeters || s->weather || s->ignition.count))
        return usage_error("--sim2real brings everything with it");
    if (!s->sim2real && !s->landscape && !s->perimeters && !s->ignition.count)
        return usage_error(
            "nothing to import; give --landscape, --perimeters, --ignition "
            "or --sim2real");
    if (s->ignition.count > 1)
        return usage_error("one --ignition");
    if (!s->weather != !s->ignition.count)
        return usage_error("--ignition and --weather go together");
    return DONE;
}

static int run(const void *settings, char **operands, int n_operands)
{
    const import_settings *s = settings;
    zm_import_report r = { 0 };
    zm_error err;
    int code = check_settings(s);

    (void)operands, (void)n_operands;
    if (code != DONE)
        return code;
    if (s->sim2real) {
        if (zm_import_sim2real(s->sim2real, s->out, &r, &err) < 0)
            return library_failure(&err);
        tell(&r);
    }
    if (s->landscape) {
        if (zm_import_landscape(s->landscape, s->out, &r, &err) < 0)
            return failure("--landscape %s", err.text);
        tell(&r);
    }
    if (s->perimeters) {
        if (zm_import_perimeters(s->perimeters, s->out, &r, &err) < 0)
            return failure("--perimeters %s", err.text);
        tell(&r);
    }
    if (s->ignition.count) {
        const zm_source *at = &s->ignition.items[0];

        if (zm_import_ignition(s->weather, (int32_t)at->row, (int32_t)at->col, s->out,
                               &r, &err) < 0)
            return failure("--ignition: %s", err.text);
        tell(&r);
    }
    return DONE;
}

static void release(void *settings)
{
    import_settings *s = settings;

    free(s->ignition.items);
}

static const import_settings defaults = { 0 };

const verb verb_fire_import = {
    .name = "fire import",
    .summary = "landscapes, perimeters and datasets of others",
    .usage = "--out DIR --landscape FILE [options]",
    .description =
        "Makes a folder in the layout of zermelo from files of others. With a "
        "landscape, an "
        "ignition and weather it is a scene that can be predicted; with a landscape "
        "and "
        "perimeters an observed fire (put weather.csv beside them). Several runs may "
        "fill "
        "one folder: the landscape comes first. Units are brought to metres, degrees, "
        "percent and kg/m3; what had to be changed is told.",
    .example = "  zermelo fire simulate --out valley --fires 1 --shape 60,60 --quiet\n"
               "  zermelo fire import --landscape valley/landscape.tif --out mine \\\n"
               "      --ignition 30,30 --weather valley/weather/f0001.csv\n"
               "  zermelo fire info mine\n",
    .tables = { &import_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
    .release = release,
};
