/* SPDX-License-Identifier: Apache-2.0
 * Options of the fire model, and the maps that its verbs write. */
#include "fire/physics_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/value.h"
#include "fire/folders.h"
#include "fire/import_options.h"
#include "fire/rows.h"
#include "fire/spotting_options.h"

bool parse_front(const char *text, void *field)
{
    const bool markers = !strcmp(text, "markers");

    *(zm_front_kind *)field = markers ? ZM_FRONT_MARKERS : ZM_FRONT_TRAVEL_TIME;
    return markers || !strcmp(text, "travel-time");
}

static bool parse_crown(const char *text, void *field)
{
    static const char *const models[] = { "none", "finney", "scott-reinhardt" };

    for (int k = 0; k < 3; k++)
        if (!strcmp(text, models[k])) {
            *(zm_crown_model *)field = (zm_crown_model)k;
            return true;
        }
    return false;
}

static bool parse_emulation(const char *text, void *field)
{
    const bool farsite = !strcmp(text, "farsite");

    *(zm_emulation *)field = farsite ? ZM_EMULATE_FARSITE : ZM_EMULATE_NONE;
    return farsite || !strcmp(text, "none");
}

#define FIELD(name) offsetof(model_settings, name)

static const option factor_list[] = {
    INPUT_ROW("calibration", calibration, "made by zermelo fire calibrate"), { 0 }
};
const option_table factor_options = { "Factors", factor_list };

static const option model_list[] = {
    INPUT_ROW("fuels", fuels,
              "custom fuel models, a FARSITE fuel line each; they come before those of "
              "scene.json and the published ones"),
    VALUE_ROW(
        "crown", "MODEL", crown, parse_crown, "finney, scott-reinhardt or none",
        "crown fire; finney, the default: the front runs in the crowns where they can "
        "carry it, else on the ground (Finney 1998, as FARSITE); scott-reinhardt: it "
        "also has the rate of crowns where only some burn (Scott and Reinhardt "
        "2001); none: surface fire only"),
    FLAG_ROW("constant-moisture", constant_moisture,
             "fuel moisture stays as at the ignition"),
    FLAG_ROW("cell-moisture", cell_moisture,
             "fuel moisture of each cell's own ground, not of FARSITE's classes"),
    VALUE_ROW("front", "KIND", front, parse_front, FRONT_EXPECTS,
              "how the front moves; travel-time, the default: minimum travel time, "
              "which is exact and has derivatives; markers: a perimeter of marker "
              "points as in FARSITE, whose times it matches better"),
    VALUE_ROW(
        "emulate", "PROGRAM", emulate, parse_emulation, "farsite or none",
        "what of a program is repeated beyond the published laws; farsite, the "
        "default: slowness smoothed and raised beside ground that does not burn, "
        "such ground burned once fire is around it, moisture of classes of ground; "
        "none: the laws alone"),
    MOISTURE_OPTION(FIELD(moisture),
                    "of fires that are not of a scene; default 6,7,8,60,90"),
    POSITIVE_ROW("foliar-moisture", "PERCENT", foliar_moisture,
                 "of the canopy, for crown fire; default 100"),
    { 0 }
};
const option_table model_options = { "Model", model_list };

int fuels_read(const char *path, zm_fuel **out, size_t *n)
{
    zm_error err;

    return checked(zm_fuels_read(path, out, n, &err), &err);
}

/* What the files are opened with; *fuels to be freed. */
static int open_options(const model_settings *s, zm_fuel **fuels, zm_open_opts *o)
{
    *o = (zm_open_opts)ZM_OPEN_OPTS_INIT;
    *fuels = NULL;
    if (!s)
        return DONE;
    if (moisture_given(&s->moisture))
        o->moisture = &s->moisture;
    if (s->fuels)
        TRY(fuels_read(s->fuels, fuels, &o->n_fuels));
    o->fuels = *fuels;
    return DONE;
}

int scene_open(const model_settings *s, const char *folder, zm_scene **out)
{
    zm_fuel *fuels;
    zm_open_opts o;
    zm_error err;
    int code;

    GO(open_options(s, &fuels, &o));
    GO(checked(zm_scene_open(folder, out, &o, &err), &err));
done:
    free(fuels);
    return code;
}

int observed_open(const model_settings *s, const char *folder, zm_observed **out)
{
    zm_fuel *fuels;
    zm_open_opts o;
    zm_error err;
    int code;

    GO(open_options(s, &fuels, &o));
    GO(checked(zm_observed_open(folder, out, &o, &err), &err));
done:
    free(fuels);
    return code;
}

int scene_open_in(const char *data, const char *name, zm_scene **out)
{
    char *folder = path_in(data, name);
    const int code = scene_open(NULL, folder, out);

    free(folder);
    return code;
}

int observed_open_in(const char *data, const char *name, zm_observed **out)
{
    char *folder = path_in(data, name);
    const int code = observed_open(NULL, folder, out);

    free(folder);
    return code;
}

int refuse_moisture_of_scenes(const model_settings *s)
{
    return moisture_given(&s->moisture)
               ? usage_error("--fuel-moisture goes with observed fires and landscapes "
                             "of their own; fires.csv has that of a scene")
               : DONE;
}

int model_prepare(fire_model *m, const zm_landscape *land, const model_settings *s)
{
    zm_error err;

    *m = (fire_model){ .land = *land,
                       .opts = ZM_PHYSICS_OPTS_INIT,
                       .params = ZM_PHYSICS_PARAMS_INIT };
    m->opts.crown = s->crown;
    m->opts.conditioning = !s->constant_moisture;
    m->opts.foliar_moisture = s->foliar_moisture;
    TRY(checked(zm_physics_emulate(&m->opts, s->emulate, &err), &err));
    if (s->cell_moisture)
        m->opts.moisture_classes = 0;
    m->opts.front = s->front;
    TRY(spotting_check(s));
    m->opts.spotting = s->embers.probability > 0 ? &s->embers : NULL;
    if (s->calibration) {
        m->calibration = grow(NULL, 1, sizeof *m->calibration);
        m->calibration->size = sizeof *m->calibration;
        TRY(checked(zm_calibration_read(s->calibration, m->calibration, &err), &err));
        m->params.wind_factor = m->calibration->wind_factor;
        m->params.moisture_offset = m->calibration->moisture_offset;
        m->params.fuel_factor = m->calibration->fuel_factor;
    }
    return DONE;
}

void model_free(fire_model *m)
{
    free(m->calibration);
}

int planes_save_units(const char *folder, const char *file, const zm_landscape *land,
                const zm_georeference *where, int32_t bands, const float *const *planes,
                const char *const *bands_named, const char *const *units)
{
    const zm_raster_planes raster = { land->rows, land->cols,  bands,
                                      planes,     bands_named, where };
    char *path = path_in(folder, file);
    zm_error err;
    const int code = checked(zm_raster_write_units(path, &raster, units, &err), &err);

    free(path);
    return code;
}

int planes_save(const char *folder, const char *file, const zm_landscape *land,
                const zm_georeference *where, int32_t bands, const float *const *planes,
                const char *const *bands_named)
{
    return planes_save_units(folder, file, land, where, bands, planes, bands_named, NULL);
}

int times_save(const char *folder, const char *fire, const zm_landscape *land,
               const zm_georeference *where, const float *T)
{
    static const char *const band = "arrival_h", *const unit = "h";
    const size_t room = strlen(fire) + 8;
    char *file = grow(NULL, room, 1);
    int code;

    snprintf(file, room, "%s.tif", fire);
    code = planes_save_units(folder, file, land, where, 1, &T, &band, &unit);
    free(file);
    return code;
}

/* Multiples of a step up to the first that is not before `until`. */
static size_t times_of_steps(double until, double step, double *times, size_t most)
{
    size_t n = 0;

    while (n < most && (n == 0 || (double)n * step < until * (1 - 1e-9))) {
        times[n] = (double)(n + 1) * step;
        n++;
    }
    return n;
}

int isochrones_save(const char *path, const zm_landscape *land,
                    const zm_georeference *where, const zm_fire *fire, const float *T,
                    double until, double step)
{
    enum { MOST = 1000 };
    zm_isochrone_opts o = ZM_ISOCHRONE_OPTS_INIT;
    double times[MOST];
    const size_t n = step > 0 ? times_of_steps(until, step, times, MOST)
                              : zm_isochrone_times(until, times);
    zm_error err;

    if (step > 0 && n == MOST)
        return failure("--step %g: more than %d isochrones", step, MOST);
    o.start = (zm_time){ fire->start_year, fire->start_month, fire->start_day,
                         fire->start_hour, fire->clock_ahead };
    return checked(zm_isochrones_write(path, T, land->rows, land->cols, where, times, n,
                                       &o, &err),
                   &err);
}

int isochrones_check(const char *path)
{
    zm_error err;

    if (path && zm_isochrones_path_check(path, &err) < 0)
        return usage_error("--isochrones %s", err.text);
    return DONE;
}

int maps_interrupted(size_t written, size_t wanted)
{
    return interrupt_pending()
               ? interrupt_status("interrupted; %zu of %zu maps are written", written,
                                  wanted)
               : DONE;
}

int observed_sources(const zm_observed *observed, zm_source **sources, size_t *n)
{
    const zm_landscape *land = zm_observed_landscape(observed);
    zm_error err;

    *sources = grow(NULL, (size_t)land->rows * (size_t)land->cols, sizeof **sources);
    TRY(checked(zm_observed_sources(observed, *sources, n, &err), &err));
    if (*n == 0) {
        free(*sources);
        *sources = NULL;
    }
    return DONE;
}
