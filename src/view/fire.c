/* SPDX-License-Identifier: Apache-2.0
 * Pages about fires: landscape, model, weather. */
#include <math.h>

#include "core/fail.h"
#include "core/options.h"
#include "view/page.h"

/* ---- the landscape ---------------------------------------------------------------------------- */

static const struct {
    const char *role, *label, *unit;
} layers[ZM_LAYERS] = {
    { "elevation", "elevation", "m" },      { "slope", "slope", "\xc2\xb0" },
    { "aspect", "aspect", "\xc2\xb0" },     { "fuel", "fuel model", "" },
    { "cover", "canopy cover", "%" },       { "height", "canopy height", "m" },
    { "base", "canopy base height", "m" },  { "density", "canopy bulk density", "kg/m\xc2\xb3" },
};

static bool whole_numbers(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(x[i] >= INT16_MIN && x[i] <= INT16_MAX && x[i] == (float)(int16_t)x[i]) ||
            (x[i] == 0 && signbit(x[i])))
            return false;
    return true;
}

static zm_status add_layer(zm_view *page, const zm_landscape *land, int k, zm_error *err)
{
    const void *plane = land->layers[k];
    const zm_view_field words = { .size = sizeof words,
                                  .name = layers[k].role,
                                  .label = layers[k].label,
                                  .unit = layers[k].unit };
    const zm_view_values values = { ZM_VIEW_F32, whole_numbers(plane, page->cells), page->cells, 1,
                                    &plane };

    return zm_view_add_values(page, layers[k].role, &values, &words, err);
}

static zm_status add_layers(zm_view *page, const zm_landscape *land, zm_error *err)
{
    for (int k = 0; k < ZM_LAYERS; k++)
        if (land->layers[k])
            ZM_TRY(add_layer(page, land, k, err));
    return ZM_OK;
}

/* ---- the model -------------------------------------------------------------------------------- */

static void tell_physics(zm_text *t, const zm_physics_opts *p)
{
    zm_view_key(t, "physics");
    zm_text_add(t, "{");
    zm_view_number(t, "crown", p->crown);
    zm_view_number(t, "conditioning", p->conditioning);
    zm_view_number(t, "foliar_moisture", p->foliar_moisture);
    zm_view_number(t, "acceleration", p->acceleration);
    zm_view_number(t, "smoothing", p->smoothing);
    zm_view_number(t, "hindrance", p->hindrance);
    zm_view_number(t, "enclosed", p->enclosed);
    zm_view_number(t, "moisture_classes", p->moisture_classes);
    zm_view_number(t, "front", p->front);
    zm_text_add(t, "}");
}

static void tell_params(zm_text *t, const zm_physics_params *p)
{
    zm_view_number(t, "wind_factor", p->wind_factor);
    zm_view_number(t, "moisture_offset", p->moisture_offset);
    zm_view_key(t, "fuel_factors");
    zm_text_add(t, "[");
    for (int number = 0; p->fuel_factor && number < ZM_FUEL_NUMBERS; number++)
        if (p->fuel_factor[number] != 1) {
            zm_view_key(t, NULL);
            zm_text_print(t, "[%d", number);
            zm_view_number(t, NULL, p->fuel_factor[number]);
            zm_text_add(t, "]");
        }
    zm_text_add(t, "]");
}

static void tell_fuel(zm_text *t, const zm_fuel *f)
{
    zm_view_key(t, NULL);
    zm_text_print(t, "[%d,%d", (int)f->number, f->dynamic != 0);
    for (int k = 0; k < 5; k++)
        zm_view_number(t, NULL, f->load[k]);
    for (int k = 0; k < 3; k++)
        zm_view_number(t, NULL, f->surface_to_volume[k]);
    zm_view_number(t, NULL, f->depth);
    zm_view_number(t, NULL, f->extinction);
    for (int k = 0; k < 2; k++)
        zm_view_number(t, NULL, f->heat[k]);
    zm_text_add(t, "]");
}

static void tell_ensemble(zm_text *t, const zm_ensemble_opts *e)
{
    zm_view_key(t, "ensemble");
    zm_text_print(t, "{\"members\":%d,\"seed\":%llu", (int)e->members,
                  (unsigned long long)e->seed);
    zm_view_number(t, "wind_speed", e->wind_speed);
    zm_view_number(t, "wind_dir", e->wind_dir);
    zm_view_number(t, "temperature", e->temperature);
    zm_view_number(t, "humidity", e->humidity);
    zm_view_number(t, "moisture", e->moisture);
    zm_view_number(t, "live_moisture", e->live_moisture);
    zm_view_number(t, "rate", e->rate);
    zm_view_number(t, "ignition", e->ignition);
    zm_text_add(t, "}");
}

static zm_status check_model(const zm_view *page, const zm_landscape *land,
                             const zm_physics_opts *o, const zm_physics_params *p, zm_error *err)
{
    if (page->model.n)
        return zm_fail(err, ZM_E_STATE, -1, "the page has a model already");
    if (land->rows != page->rows || land->cols != page->cols)
        return zm_fail(err, ZM_E_ARG, -1, "landscape of %d x %d cells on a page of %d x %d",
                       (int)land->rows, (int)land->cols, (int)page->rows, (int)page->cols);
    for (int k = 0; k <= ZM_LAYER_COVER; k++)
        if (!land->layers[k])
            return zm_fail(err, ZM_E_ARG, -1, "the landscape has no layer %s", layers[k].role);
    if (!(land->cell > 0 && isfinite(land->cell)))
        return zm_fail(err, ZM_E_ARG, -1, "cells of %g m, must be above 0", land->cell);
    if (land->n_custom_fuels && !land->custom_fuels)
        return zm_fail(err, ZM_E_ARG, -1, "custom_fuels is NULL");
    if (p->log_rate || p->rotation || p->elongation || p->log_wind || p->wetness ||
        p->barrier)
        return zm_fail(err, ZM_E_UNSUPPORTED, -1,
                       "a page burns with factors, not with planes of corrections or barriers");
    if (o->spotting)
        return zm_fail(err, ZM_E_UNSUPPORTED, -1, "a page burns without embers (spotting)");
    return ZM_OK;
}

zm_status zm_view_set_model(zm_view *page, const zm_landscape *landscape,
                            const zm_physics_opts *physics,
                            const zm_physics_params *params,
                            const zm_ensemble_opts *ensemble, zm_error *err)
{
    zm_landscape land = ZM_LANDSCAPE_INIT;
    zm_physics_opts o = ZM_PHYSICS_OPTS_INIT;
    zm_physics_params p = ZM_PHYSICS_PARAMS_INIT;
    zm_ensemble_opts e = ZM_ENSEMBLE_OPTS_INIT;
    zm_text *t = page ? &page->model : NULL;
    size_t n, text;
    zm_status st;

    if (!page || !landscape)
        return zm_fail(err, ZM_E_ARG, -1, "page or landscape is NULL");
    ZM_TRY(zm_options_read(&land, sizeof land, landscape, "zm_landscape", err));
    ZM_TRY(zm_options_read(&o, sizeof o, physics, "zm_physics_opts", err));
    ZM_TRY(zm_options_read(&p, sizeof p, params, "zm_physics_params", err));
    ZM_TRY(zm_options_read(&e, sizeof e, ensemble, "zm_ensemble_opts", err));
    ZM_TRY(check_model(page, &land, &o, &p, err));
    n = page->n_data;
    text = page->fields.n;
    ZM_GO(add_layers(page, &land, err));
    tell_physics(t, &o);
    tell_params(t, &p);
    zm_view_number(t, "cell", land.cell);
    zm_view_number(t, "latitude", land.latitude);
    zm_view_number(t, "station_elevation", land.station_elevation);
    zm_view_key(t, "fuels");
    zm_text_add(t, "[");
    for (size_t i = 0; i < land.n_custom_fuels; i++)
        tell_fuel(t, &land.custom_fuels[i]);
    zm_text_add(t, "]");
    tell_ensemble(t, &e);
    ZM_GO(zm_view_settle(t, 0, err));
    return ZM_OK;
done:
    zm_view_drop(page, n, text);
    return st;
}

/* ---- fires ------------------------------------------------------------------------------------ */

static void tell_hours(zm_text *t, const char *key, const zm_weather_hour *hours, size_t n)
{
    zm_view_key(t, key);
    zm_text_add(t, "[");
    for (size_t k = 0; k < n; k++) {
        const zm_weather_hour *h = &hours[k];

        zm_view_key(t, NULL);
        zm_text_add(t, "[");
        zm_view_number(t, NULL, h->temperature);
        zm_view_number(t, NULL, h->humidity);
        zm_view_number(t, NULL, h->wind_speed);
        zm_view_number(t, NULL, h->wind_dir);
        zm_view_number(t, NULL, h->cloud);
        zm_view_number(t, NULL, h->rain);
        zm_text_add(t, "]");
    }
    zm_text_add(t, "]");
}

/* The moment of hour 0 as ISO 8601, where year and zone are told. */
static void tell_begin(zm_text *t, const zm_fire *f)
{
    if (f->start_year <= 0 || f->start_year > 9999 || !(fabs(f->clock_ahead) < 24))
        return;
    const int minute = (int)(f->start_hour * 60 + 1e-6);
    const int ahead = (int)lround(60 * fabs(f->clock_ahead));

    zm_view_key(t, "begin");
    zm_text_print(t, "\"%04d-%02d-%02dT%02d:%02d:00%c%02d:%02d\"", (int)f->start_year,
                  (int)f->start_month, (int)f->start_day, minute / 60, minute % 60,
                  f->clock_ahead < 0 ? '-' : '+', ahead / 60, ahead % 60);
}

static void tell_start(zm_text *t, const zm_fire *f)
{
    const zm_fuel_moisture *m = &f->moisture;
    const double moisture[] = { m->dead_1h, m->dead_10h, m->dead_100h, m->live_herb,
                                m->live_woody };

    zm_view_key(t, "start");
    zm_text_print(t, "[%d,%d", (int)f->start_month, (int)f->start_day);
    zm_view_number(t, NULL, f->start_hour);
    zm_text_add(t, "]");
    tell_begin(t, f);
    zm_view_number(t, "sun_ahead", f->sun_ahead);
    zm_view_key(t, "moisture");
    zm_text_add(t, "[");
    for (int k = 0; k < 5; k++)
        zm_view_number(t, NULL, moisture[k]);
    zm_text_add(t, "]");
}

static zm_status check_fire(const zm_view *page, const zm_view_fire *v, const zm_fire *f,
                            zm_error *err)
{
    const int32_t most = (int32_t)page->n_data - 1;

    if (!v->sources && (f->row < 0 || f->row >= page->rows || f->col < 0 || f->col >= page->cols))
        return zm_fail(err, ZM_E_ARG, -1, "ignition %d,%d is outside of the grid",
                       (int)f->row, (int)f->col);
    if (v->sources && !v->n_sources)
        return zm_fail(err, ZM_E_ARG, -1, "no source; sources NULL: the ignition of the fire");
    if (!f->weather || !f->hours || (f->earlier_hours && !f->earlier))
        return zm_fail(err, ZM_E_ARG, -1, "a fire without weather");
    if (!(v->hours > 0 && isfinite(v->hours)))
        return zm_fail(err, ZM_E_ARG, -1, "a fire of %g hours, must be above 0 and finite", v->hours);
    if (v->times < -1 || v->times > most || v->observed < -1 || v->observed > most)
        return zm_fail(err, ZM_E_ARG, -1, "fields %d and %d of a fire, must be -1 to %d",
                       (int)v->times, (int)v->observed, (int)most);
    return zm_view_check_sources(page, v->sources, v->n_sources, err);
}

zm_status zm_view_add_fire(zm_view *page, const zm_view_fire *given, zm_error *err)
{
    zm_text *t = page ? &page->fires : NULL;
    const size_t before = t ? t->n : 0;
    zm_view_fire v = ZM_VIEW_FIRE_INIT;
    zm_fire f = ZM_FIRE_INIT;

    if (!page || !given)
        return zm_fail(err, ZM_E_ARG, -1, "page or fire is NULL");
    if (!page->model.n)
        return zm_fail(err, ZM_E_STATE, -1, "a fire needs a model: zm_view_set_model");
    ZM_TRY(zm_options_read(&v, sizeof v, given, "zm_view_fire", err));
    if (!v.fire)
        return zm_fail(err, ZM_E_ARG, -1, "fire is NULL");
    ZM_TRY(zm_options_read(&f, sizeof f, v.fire, "zm_fire", err));
    if (!v.sources && f.sources && f.n_sources) {
        v.sources = f.sources;
        v.n_sources = f.n_sources;
    }
    ZM_TRY(check_fire(page, &v, &f, err));
    zm_view_key(t, NULL);
    zm_text_add(t, "{");
    zm_view_string(t, "name", f.name ? f.name : "");
    zm_view_key(t, "ignitions");
    zm_text_add(t, "[");
    if (v.sources)
        zm_view_sources(t, v.sources, v.n_sources);
    else
        zm_text_print(t, "[%d,%d,0]", (int)f.row, (int)f.col);
    zm_text_print(t, "],\"sources\":%d", v.sources ? 1 : 0);
    zm_view_number(t, "hours", v.hours);
    if (isfinite(f.duration))
        zm_view_number(t, "duration", f.duration);
    tell_start(t, &f);
    tell_hours(t, "weather", f.weather, f.hours);
    tell_hours(t, "earlier", f.earlier, f.earlier_hours);
    zm_text_print(t, ",\"times\":%d,\"observed\":%d}", (int)v.times, (int)v.observed);
    return zm_view_settle(t, before, err);
}
