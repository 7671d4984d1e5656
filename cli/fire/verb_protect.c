/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire protect: where to put a fuel break. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/json.h"
#include "common/message.h"
#include "common/stopwatch.h"
#include "common/value.h"
#include "fire/assets.h"
#include "fire/folders.h"
#include "fire/rows.h"
#include "fire/uncertain.h"
#include "fire/verbs.h"
#include "zermelo/fire/protect.h"

typedef struct protect_settings {
    uncertain_settings of;
    const char *assets, *allowed, *out, *json;
    zm_protect_opts search;
    bool least_likely, no_markers;
} protect_settings;

#define FIELD(name) offsetof(protect_settings, name)

static const option protect_list[] = {
    UNCERTAIN_ROWS,
    NEEDED_TEXT_ROW("assets", "ASSETS", assets, ASSETS_EXPECTS,
                    "what is to be protected"),
    { "cells", "N", OPTION_VALUE, FIELD(search.cells), .required = true,
      .parse = parse_cells, .expects = "a whole number >= 1", .help = "of fuel break" },
    NEEDED_TEXT_ROW(
        "out", "DIR", out, "a folder",
        "folder for break.tif, with a band for each break that is compared"),
    POSITIVE_ROW("t-max", "H", of.t_max,
                 "hours that fires are looked at; assets that are not reached count so "
                 "much; default the duration of the fire, else the hours of weather"),
    FLAG_ROW("least-likely", least_likely,
             "assets are reached least probably by --t-max, instead of latest"),
    NOT_NEGATIVE_ROW("ready", "H", search.ready,
                     "hours until the break is made: no cells that any member reaches "
                     "before; default a quarter of the mean time at the assets"),
    TEXT_ROW("allowed", "AREA", allowed, ASSETS_EXPECTS,
             "where a break may be; default everywhere"),
    COUNT_ROW("rounds", search.rounds, "of the search; default 40"),
    COUNT_ROW("batch", search.batch, "members that a round looks at; default 6"),
    FLAG_ROW("no-markers", no_markers, "do not confirm with the marker front"),
    JSON_ROW("outcomes as JSON; - is standard output, instead of the table"),
    { 0 }
};
static const option_table protect_options = { "Options", protect_list };

static const char *const names_of[ZM_BREAKS] = { "none", "plan", "ring", "line",
                                                 "random" };

static void print_table(const zm_protect_report *r, bool markers)
{
    printf("%-8s %6s %12s %8s %8s%s\n", "break", "cells", "assets at", "delay",
           "reached", markers ? "   by markers: at    delay  reached" : "");
    for (int k = 0; k < ZM_BREAKS; k++) {
        const zm_protect_outcome *a = &r->travel_time[k], *b = &r->markers[k];

        printf("%-8s %6lld %10.2f h %6.2f h %6.1f %%", names_of[k],
               (long long)r->cells[k], a->time, a->time - r->travel_time[0].time,
               100 * a->probability);
        if (markers)
            printf("   %14.2f h %6.2f h %6.1f %%", b->time,
                   b->time - r->markers[0].time, 100 * b->probability);
        printf("\n");
    }
}

static int save_json(const protect_settings *s, const origin *o,
                     const zm_protect_report *r, double seconds)
{
    json j = { 0 };

    json_open(&j, NULL, '{');
    json_text(&j, "fire", o->fire->name);
    json_int(&j, "members", s->of.spread.members);
    json_int(&j, "cells", s->search.cells);
    json_int(&j, "candidates", r->candidates);
    json_number(&j, "t_max_h", o->t_max);
    json_number(&j, "ready_h", r->ready);
    json_open(&j, "breaks", '[');
    for (int k = 0; k < ZM_BREAKS; k++) {
        json_open(&j, NULL, '{');
        json_text(&j, "break", names_of[k]);
        json_int(&j, "cells", r->cells[k]);
        json_number(&j, "arrival_h", r->travel_time[k].time);
        json_number(&j, "probability", r->travel_time[k].probability);
        json_number(&j, "markers_arrival_h", r->markers[k].time);
        json_number(&j, "markers_probability", r->markers[k].probability);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_number(&j, "seconds", seconds);
    json_close(&j, '}');
    return json_save(&j, "--json ", s->json);
}

static int save_breaks(const protect_settings *s, const origin *o, size_t n,
                       uint8_t *const *breaks)
{
    float *memory = grow(NULL, (ZM_BREAKS - 1) * n, sizeof *memory);
    const float *planes[ZM_BREAKS - 1];
    int code;

    for (size_t k = 0; k + 1 < ZM_BREAKS; k++) {
        planes[k] = memory + k * n;
        for (size_t i = 0; i < n; i++)
            memory[k * n + i] = breaks[k + 1][i];
    }
    code = planes_save(s->out, "break.tif", o->land, o->where, ZM_BREAKS - 1, planes,
                       names_of + 1);
    free(memory);
    return code;
}

static int protect(const protect_settings *s, const origin *o,
                   const zm_protect_problem *problem)
{
    const size_t n = (size_t)o->land->rows * (size_t)o->land->cols;
    uint8_t *memory = grow(NULL, ZM_BREAKS * n, 1), *breaks[ZM_BREAKS];
    zm_protect_report report = ZM_PROTECT_REPORT_INIT;
    zm_protect_opts opts = s->search;
    progress bar = progress_begin(s->of.quiet);
    const double started = seconds_now();
    zm_error err;
    zm_status st;
    int code;

    for (int k = 0; k < ZM_BREAKS; k++)
        breaks[k] = memory + (size_t)k * n;
    opts.aim = s->least_likely ? ZM_PROTECT_LEAST_LIKELY : ZM_PROTECT_LATEST;
    opts.markers = !s->no_markers;
    bar.of = "the rounds";
    opts.progress = progress_step;
    opts.progress_ctx = &bar;
    st = zm_protect(problem, breaks, &report, &opts, &err);
    progress_end(&bar);
    if (st == ZM_E_CANCELLED)
        GO(interrupt_status("stopped; nothing is written"));
    GO(checked(st, &err));
    GO(save_breaks(s, o, n, breaks));
    note("break ready at %.2f h, %lld cells could be used, %.1f s", report.ready,
         (long long)report.candidates, seconds_now() - started);
    if (!s->json || strcmp(s->json, "-") != 0)
        print_table(&report, opts.markers);
    if (s->json)
        GO(save_json(s, o, &report, seconds_now() - started));
done:
    free(memory);
    return code;
}

static int run(const void *settings, char **operands, int n_operands)
{
    const protect_settings *s = settings;
    uint8_t *assets = NULL, *allowed = NULL;
    zm_protect_problem problem = ZM_PROTECT_PROBLEM_INIT;
    origin o = { 0 };
    int code;

    (void)operands, (void)n_operands;
    message_quiet(s->of.quiet);
    if (s->of.model.front != ZM_FRONT_TRAVEL_TIME)
        return usage_error(
            "the search goes with --front travel-time; markers confirm it");
    GO(origin_open(&s->of, &o));
    GO(assets_read(s->assets, o.land, o.where, &assets));
    if (s->allowed)
        GO(assets_read(s->allowed, o.land, o.where, &allowed));
    GO(make_folder(s->out));
    problem.landscape = &o.model.land;
    problem.fire = o.fire;
    problem.params = &o.model.params;
    problem.sources = o.sources;
    problem.n_sources = o.n_sources;
    problem.t_max = o.t_max;
    problem.assets = assets;
    problem.allowed = allowed;
    problem.physics = &o.model.opts;
    problem.ensemble = &s->of.spread;
    GO(protect(s, &o, &problem));
done:
    free(assets);
    free(allowed);
    origin_close(&o);
    return code;
}

static const protect_settings defaults = { .of = UNCERTAIN_DEFAULT,
                                           .search = ZM_PROTECT_OPTS_INIT };

const verb verb_fire_protect = {
    .name = "fire protect",
    .summary = "where to put a fuel break, over an ensemble of fires",
    .usage = "--scene DIR --fire NAME --assets ASSETS --cells N --out DIR [options]",
    .description =
        "Finds N cells of fuel break that delay a fire on its way to assets most, or "
        "make it least probable that it gets there, over an ensemble of weather, "
        "moisture, rates and ignitions as of zermelo fire ensemble. The search follows "
        "exact derivatives; what it finds is solved again, with the marker front too, "
        "and compared with the best of several rings, lines and random breaks of as "
        "many cells. docs/fire-decisions.md says how it is done.",
    .example =
        "  zermelo fire protect --scene valley --fire f0003 --assets 60,35 --cells "
        "12 --members 20 --out break\n",
    .tables = { &protect_options, &spread_options, &factor_options, &model_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
};
