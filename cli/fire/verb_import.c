/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire import: landscapes, perimeters and datasets of others. */
#include <stdlib.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/value.h"
#include "fire/import_options.h"
#include "fire/physics_model.h"
#include "fire/rows.h"
#include "fire/verbs.h"
#include "zermelo/fire/dataset.h"

typedef struct import_settings {
    const char *landscape, *perimeters, *weather, *sim2real, *out, *fuels;
    file_list ignition;
    weather_times times;
    zm_fuel_moisture moisture;
} import_settings;

#define FIELD(name) offsetof(import_settings, name)

static const option import_list[] = {
    NEEDED_TEXT_ROW("out", "DIR", out, "the name of a folder",
                    "folder of the scene or observed fire"),
    INPUT_ROW("landscape", landscape,
              "FARSITE .lcp, or GeoTIFF with LANDFIRE's bands (by name: ELEV, SLPD, "
              "ASP, FBFM40, CC, CH, CBH, CBD; without names in this order)"),
    INPUT_ROW("perimeters", perimeters,
              "burned areas with dates: GeoPackage, GeoJSON, shapefile; makes an "
              "observed fire of the folder"),
    IGNITION_OPTION(FIELD(ignition), "a fire f0001 that starts there; needs --weather"),
    INPUT_ROW("weather", weather,
              "its weather: FARSITE .wxs or .input, a station's .csv (RAWS, MesoWest), or "
              ".csv of ours"),
    INPUT_ROW("fuels", fuels,
              "custom fuel models of the landscape, a FARSITE fuel line each; they go "
              "into scene.json"),
    START_OPTION(FIELD(times.start)),
    ZONE_OPTION(FIELD(times.zone)),
    CONDITIONING_OPTION(FIELD(times.conditioning)),
    MOISTURE_OPTION(FIELD(moisture), "default 6,7,8,60,90"),
    TEXT_ROW("sim2real", "DIR", sim2real, "the name of a folder",
             "a scene of Sim2Real-Fire in either published layout: LANDFIRE rasters, weather "
             "and folders of hourly masks out1.jpg, ..., or of dated masks of real fires; or a "
             "folder of such scenes, each of which goes into a folder of its name"),
    { 0 }
};
static const option_table import_options = { "Options", import_list };

static int check_settings(const import_settings *s)
{
    if (s->sim2real &&
        (s->landscape || s->perimeters || s->weather || s->ignition.count))
        return usage_error("--sim2real brings everything with it");
    if (!s->sim2real && !s->landscape && !s->perimeters && !s->ignition.count)
        return usage_error("nothing to import; give --landscape, --perimeters, "
                           "--ignition or --sim2real");
    if (s->fuels && !s->landscape)
        return usage_error("--fuels goes with --landscape");
    if ((times_given(&s->times) || moisture_given(&s->moisture)) && !s->ignition.count)
        return usage_error("--start, --time-zone, --conditioning and --fuel-moisture go with "
                           "--ignition");
    if (!s->weather != !s->ignition.count)
        return usage_error("--ignition and --weather go together");
    return check_ignition(&s->ignition);
}

/* The landscape, or the ignition, or both at once, so that all is written or nothing. */
static int import_own(const import_settings *s, const zm_fuel *fuels, size_t n_fuels)
{
    const bool lit = s->ignition.count > 0;
    zm_import_report r = ZM_IMPORT_REPORT_INIT;
    zm_import_opts o;
    zm_error err;
    zm_status st = ZM_OK;

    TRY(import_opts(&s->times, &s->moisture, &s->ignition, fuels, n_fuels, &o));
    if (s->landscape && lit)
        st = zm_import_scene(s->landscape, s->weather, -1, -1, s->out, &o, &r, &err);
    else if (s->landscape)
        st = zm_import_landscape(s->landscape, s->out, &o, &r, &err);
    else if (lit)
        st = zm_import_ignition(s->weather, -1, -1, s->out, &o, &r, &err);
    TRY(checked(st, &err));
    tell_import(&r);
    return DONE;
}

/* Scenes of a dataset, as they are told of. */
typedef struct scenes {
    size_t done, failed;
} scenes;

static int tell_scene(void *ctx, const char *scene, zm_status status,
                      const zm_import_report *report, const zm_error *err)
{
    scenes *all = ctx;

    if (status < 0) {
        warning("%s: %s", scene, err->text);
        all->failed++;
    } else {
        note("%s:", scene);
        tell_import(report);
        all->done++;
    }
    return interrupt_pending();
}

static int import_sim2real(const import_settings *s)
{
    zm_import_report r = ZM_IMPORT_REPORT_INIT;
    scenes all = { 0, 0 };
    zm_error err;
    zm_status st;

    if (zm_sim2real_scene_here(s->sim2real)) {
        TRY(checked(zm_import_sim2real(s->sim2real, s->out, &r, &err), &err));
        tell_import(&r);
        return DONE;
    }
    st = zm_import_sim2real_scenes(s->sim2real, s->out, tell_scene, &all, &err);
    if (st == ZM_E_CANCELLED)
        return interrupt_status("stopped after %zu scenes", all.done);
    TRY(checked(st, &err));
    note("%zu scenes imported", all.done);
    return all.failed > 0 ? failure("%zu of %zu scenes could not be imported", all.failed,
                                    all.done + all.failed)
                          : DONE;
}

static int run(const void *settings, char **operands, int n_operands)
{
    const import_settings *s = settings;
    zm_import_report r = ZM_IMPORT_REPORT_INIT;
    zm_fuel *fuels = NULL;
    size_t n_fuels = 0;
    zm_error err;
    int code;

    (void)operands, (void)n_operands;
    TRY(check_settings(s));
    if (s->fuels)
        TRY(fuels_read(s->fuels, &fuels, &n_fuels));
    if (s->sim2real)
        GO(import_sim2real(s));
    GO(import_own(s, fuels, n_fuels));
    if (s->perimeters) {
        if (zm_import_perimeters(s->perimeters, s->out, &r, &err) < 0)
            GO(failure("--perimeters %s", err.text));
        tell_import(&r);
    }
done:
    free(fuels);
    return code;
}

static void release(void *settings)
{
    import_settings *s = settings;

    free(s->ignition.items);
}

static const import_settings defaults = { .times = WEATHER_TIMES_DEFAULT };

const verb verb_fire_import = {
    .name = "fire import",
    .summary = "landscapes, perimeters and datasets of others",
    .usage = "--out DIR --landscape FILE [options]",
    .description = "Makes a folder in the layout of zermelo from files of others. With "
                   "a landscape, an ignition and weather it is a scene that can be "
                   "predicted; with a landscape and perimeters an observed fire (put "
                   "weather.csv beside them). Several runs may fill one folder: the "
                   "landscape comes first. Units are brought to metres, degrees, "
                   "percent and kg/m3; the tool says what it had to change.",
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
