/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire risk: burn probability and flame lengths of a landscape. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/json.h"
#include "common/message.h"
#include "common/picture.h"
#include "common/save_text.h"
#include "common/stopwatch.h"
#include "common/value.h"
#include "fire/fire_picture.h"
#include "fire/folders.h"
#include "fire/rows.h"
#include "fire/spotting_options.h"
#include "fire/uncertain.h"
#include "fire/verbs.h"
#include "zermelo/fire/risk.h"

typedef struct risk_settings {
    uncertain_settings of;
    const char *out, *json, *plot, *density;
    number_list edges;
    bool same_weather;
} risk_settings;

#define FIELD(name) offsetof(risk_settings, name)

static bool parse_edges(const char *text, void *field)
{
    number_list *list = field;

    if (!parse_positive_list(text, list))
        return false;
    for (size_t i = 1; i < list->count; i++)
        if (!(list->items[i] > list->items[i - 1]))
            return false;
    return true;
}

static const option risk_list[] = {
    TEXT_ROW("scene", "DIR", of.scene, "the folder of a scene", "scene; with --fire"),
    TEXT_ROW("fire", "NAME", of.fire, "the name of a fire",
             "fire of the scene whose weather, moisture and start all fires have"),
    TEXT_ROW("observed", "DIR", of.observed, "the folder of an observed fire",
             "instead: the landscape and weather of an observed fire"),
    NEEDED_TEXT_ROW(
        "out", "DIR", out, "a folder",
        "folder for burn_probability.tif, flame_length.tif (m, mean over the "
        "fires that burn a cell), flame_classes.tif (shares of them) and "
        "fires.csv (where each began and what it burned)"),
    VALUE_ROW("fires", "N", of.spread.members, parse_count, "a whole number >= 1",
              "how many; default 100"),
    POSITIVE_ROW(
        "t-max", "H", of.t_max,
        "hours that each burns; default the duration of the fire, else the hours "
        "of weather"),
    INPUT_ROW(
        "density", density,
        "raster on the landscape's grid: how likely fires are to begin in each cell, "
        "in any unit; default: each cell whose fuel burns alike"),
    VALUE_ROW(
        "flame-classes", "LIST", edges, parse_edges,
        "rising numbers above 0 with commas, e.g. 0.6,1.2,2.4",
        "metres between classes of flame lengths; default 0.6,1.2,1.8,2.4,3.7 (2, 4, "
        "6, 8 and 12 ft)"),
    FLAG_ROW("same-weather", same_weather,
             "nothing is uncertain: all fires have the weather as it is"),
    VALUE_ROW("seed", "N", of.spread.seed, parse_seed, "a whole number from 0 on",
              "of the draws; default 1"),
    THREADS_ROW(of.spread.threads, "default 1; does not change the result"),
    JSON_ROW("what burned, and how long it took, as JSON; - is standard output"),
    PLOT_OPTION(FIELD(plot), "picture of the burn probability")
        FLAG_ROW("quiet", of.quiet, "no progress, no notes"),
    { 0 }
};
static const option_table risk_options = { "Options", risk_list };

/* Maps of a run, in one piece of memory. */
typedef struct risk_maps {
    float *probability, *flame, *density;
    float **classes;
    const double *edges;
    size_t n_edges;
    zm_risk_fire *fires;
} risk_maps;

static void maps_open(risk_maps *m, const risk_settings *s, size_t n)
{
    static const double usual[] = { 0.6, 1.2, 1.8, 2.4, 3.7 };

    m->n_edges = s->edges.count ? s->edges.count : sizeof usual / sizeof *usual;
    m->edges = s->edges.count ? s->edges.items : usual;
    m->probability = grow(NULL, n * (m->n_edges + 3), sizeof *m->probability);
    m->flame = m->probability + n;
    m->classes = grow(NULL, m->n_edges + 1, sizeof *m->classes);
    for (size_t k = 0; k <= m->n_edges; k++)
        m->classes[k] = m->probability + (k + 2) * n;
    m->fires = grow(NULL, (size_t)s->of.spread.members, sizeof *m->fires);
}

static void maps_free(risk_maps *m)
{
    free(m->probability);
    free(m->classes);
    free(m->density);
    free(m->fires);
}

/* No data counts as 0. */
static int density_read(const risk_settings *s, const origin *o, float **out)
{
    const size_t n = (size_t)o->land->rows * (size_t)o->land->cols;
    zm_raster raster;
    zm_error err;
    int code = DONE;

    TRY(checked(zm_raster_read(s->density, &raster, &err), &err));
    if (raster.rows != o->land->rows || raster.cols != o->land->cols)
        GO(failure("--density %s has %d x %d cells, the landscape %d x %d", s->density,
                   (int)raster.rows, (int)raster.cols, (int)o->land->rows,
                   (int)o->land->cols));
    *out = grow(NULL, n, sizeof **out);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = isnan(raster.data[i]) ? 0 : raster.data[i];
done:
    zm_raster_free(&raster);
    return code;
}

static int classes_save(const risk_settings *s, const origin *o, const risk_maps *m)
{
    char(*texts)[48] = grow(NULL, m->n_edges + 1, sizeof *texts);
    const char **name = grow(NULL, m->n_edges + 1, sizeof *name);
    int code;

    for (size_t k = 0; k <= m->n_edges; k++) {
        if (k < m->n_edges)
            snprintf(texts[k], sizeof texts[k], "share_%g_to_%g_m",
                     k > 0 ? m->edges[k - 1] : 0, m->edges[k]);
        else
            snprintf(texts[k], sizeof texts[k], "share_from_%g_m", m->edges[k - 1]);
        name[k] = texts[k];
    }
    code = planes_save(s->out, "flame_classes.tif", o->land, o->where,
                       (int32_t)m->n_edges + 1, (const float *const *)m->classes, name);
    free(texts);
    free(name);
    return code;
}

static int fires_save(const risk_settings *s, const risk_maps *m)
{
    char *path = path_in(s->out, "fires.csv");
    zm_text text = { 0 };
    int code;

    zm_text_add(&text, "fire,row,col,area_ha\n");
    for (int32_t k = 0; k < s->of.spread.members; k++)
        zm_text_print(&text, "%d,%d,%d,%.2f\n", (int)k + 1, (int)m->fires[k].row,
                      (int)m->fires[k].col, m->fires[k].area);
    code = save_text(&text, "", path);
    free(path);
    return code;
}

static int save(const risk_settings *s, const origin *o, const risk_maps *m)
{
    static const char *const bands[] = { "burn_probability", "flame_length_m" };
    const float *probability = m->probability, *flame = m->flame;

    TRY(planes_save(s->out, "burn_probability.tif", o->land, o->where, 1, &probability,
                    &bands[0]));
    TRY(planes_save(s->out, "flame_length.tif", o->land, o->where, 1, &flame,
                    &bands[1]));
    TRY(classes_save(s, o, m));
    return fires_save(s, m);
}

/* What the fires burned in the mean, and the most. */
typedef struct sizes {
    double mean, most, cells;
} sizes;

static sizes sizes_of(const risk_settings *s, const origin *o, const risk_maps *m)
{
    const size_t n = (size_t)o->land->rows * (size_t)o->land->cols;
    sizes a = { 0, 0, 0 };

    for (int32_t k = 0; k < s->of.spread.members; k++) {
        a.mean += m->fires[k].area / s->of.spread.members;
        a.most = fmax(a.most, m->fires[k].area);
    }
    for (size_t i = 0; i < n; i++)
        a.cells += m->probability[i] > 0;
    return a;
}

static int save_json(const risk_settings *s, const origin *o, const sizes *a,
                     double seconds)
{
    json j = { 0 };

    json_open(&j, NULL, '{');
    json_text(&j, "weather_of", o->fire->name);
    json_int(&j, "fires", s->of.spread.members);
    json_int(&j, "seed", (int64_t)s->of.spread.seed);
    json_number(&j, "t_max_h", o->t_max);
    json_number(&j, "mean_ha", a->mean);
    json_number(&j, "largest_ha", a->most);
    json_int(&j, "cells_burned", (int64_t)a->cells);
    json_number(&j, "seconds", seconds);
    json_close(&j, '}');
    return json_save(&j, "--json ", s->json);
}

#if defined(ZM_WITH_CAIRO)
static int save_picture(const risk_settings *s, const origin *o, const risk_maps *m)
{
    const fire_view view = { .land = o->land,
                             .title = o->fire->name,
                             .row = -1,
                             .predicted = m->probability,
                             .t_max = INFINITY };
    char bar[96];

    snprintf(bar, sizeof bar, "share of %d fires of %g hours that burn a cell",
             (int)s->of.spread.members, o->t_max);
    return risk_picture_save(s->plot, &view, bar);
}
#endif

static int tell(const risk_settings *s, const origin *o, const risk_maps *m,
                double seconds)
{
    const sizes a = sizes_of(s, o, m);

    note("%d fires of %g h in %.1f s: %.1f ha in the mean, %.1f ha at most, %.0f cells "
         "burned by any",
         (int)s->of.spread.members, o->t_max, seconds, a.mean, a.most, a.cells);
#if defined(ZM_WITH_CAIRO)
    if (s->plot)
        TRY(save_picture(s, o, m));
#endif
    return s->json ? save_json(s, o, &a, seconds) : DONE;
}

static zm_ensemble_opts draws_of(const risk_settings *s)
{
    const zm_ensemble_opts o = s->of.spread;

    if (!s->same_weather)
        return o;
    return (zm_ensemble_opts){ .size = sizeof(zm_ensemble_opts),
                               .members = o.members,
                               .threads = o.threads,
                               .seed = o.seed };
}

static int burn(const risk_settings *s, const origin *o)
{
    const size_t n = (size_t)o->land->rows * (size_t)o->land->cols;
    zm_ensemble_opts opts = draws_of(s);
    progress bar = progress_begin(s->of.quiet);
    const double started = seconds_now();
    risk_maps m = { 0 };
    zm_risk_out out = ZM_RISK_OUT_INIT;
    zm_error err;
    zm_status st;
    int code;

    maps_open(&m, s, n);
    out.probability = m.probability;
    out.flame_length = m.flame;
    out.n_edges = m.n_edges;
    out.edges = m.edges;
    out.classes = m.classes;
    out.fires = m.fires;
    if (s->density)
        GO(density_read(s, o, &m.density));
    bar.of = "the fires";
    opts.progress = progress_step;
    opts.progress_ctx = &bar;
    st = zm_risk_run(&o->model.land, o->fire, &o->model.params, m.density, o->t_max,
                     &out, &o->model.opts, &opts, &err);
    progress_end(&bar);
    if (st == ZM_E_CANCELLED)
        GO(interrupt_status("stopped; nothing is written"));
    GO(checked(st, &err));
    GO(save(s, o, &m));
    GO(tell(s, o, &m, seconds_now() - started));
done:
    maps_free(&m);
    return code;
}

static int run(const void *settings, char **operands, int n_operands)
{
    const risk_settings *s = settings;
    origin o = { 0 };
    int code;

    (void)operands, (void)n_operands;
    message_quiet(s->of.quiet);
    if (s->of.spread.ignition > 0)
        return usage_error(
            "--ignition goes with fire ensemble; here fires begin anywhere, or as "
            "--density says");
    if (s->of.model.front != ZM_FRONT_TRAVEL_TIME)
        return usage_error("burn probability goes with --front travel-time");
    GO(origin_open(&s->of, &o));
    GO(make_folder(s->out));
    GO(burn(s, &o));
done:
    origin_close(&o);
    return code;
}

static void release(void *settings)
{
    free(((risk_settings *)settings)->edges.items);
}

static const risk_settings defaults = { .of = UNCERTAIN_DEFAULT };

const verb verb_fire_risk = {
    .name = "fire risk",
    .summary = "burn probability and flame lengths of a landscape",
    .usage = "--scene DIR --fire NAME --out DIR [options]",
    .description =
        "Burns many fires that begin anywhere on a landscape, in the weather of one "
        "fire "
        "and in what is uncertain about it, drawn anew for each, and writes how often "
        "each cell burns, how long the flames are there in the mean (conditional flame "
        "length) and by classes. Flames are those of the direction in which the front "
        "comes: heads, flanks and backs. The same seed gives the same maps.",
    .example =
        "  zermelo fire risk --scene valley --fire f0001 --fires 40 --t-max 3 --out "
        "risk\n",
    .tables = { &risk_options, &spread_options, &factor_options, &model_options,
                &spotting_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
    .release = release,
};
