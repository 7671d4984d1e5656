/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire simulate: a synthetic scene. */
#include <stdio.h>
#include <stdlib.h>

#include "fire/fire_picture.h"
#include "fire/verbs.h"
#include "common/interrupt.h"
#include "common/message.h"
#include "common/picture.h"
#include "common/value.h"

typedef struct simulate_settings {
    const char *out, *plot;
    grid_shape shape;
    double cell;
    int32_t fires, finer;
    uint64_t seed;
    bool quiet;
} simulate_settings;

#define FIELD(name) offsetof(simulate_settings, name)

static const option simulate_list[] = {
    { "out", "DIR", OPTION_VALUE, FIELD(out), .required = true, .parse = parse_text,
      .expects = "the name of a folder", .help = "folder of the new scene" },
    { "seed", "N", OPTION_VALUE, FIELD(seed), .parse = parse_seed,
      .expects = "a whole number from 0 on",
      .help = "another number makes another scene; default 1" },
    { "shape", "ROWS,COLS", OPTION_VALUE, FIELD(shape), .parse = parse_shape,
      .expects = "ROWS,COLS, e.g. 200,300", .help = "size in cells; default 200,200" },
    { "cell", "METRES", OPTION_VALUE, FIELD(cell), .parse = parse_positive,
      .expects = "a number above 0", .help = "size of a cell; default 30" },
    { "fires", "N", OPTION_VALUE, FIELD(fires), .parse = parse_count,
      .expects = "a whole number from 1 on", .help = "number of fires; default 6" },
    { "finer", "N", OPTION_VALUE, FIELD(finer), .parse = parse_count,
      .expects = "a whole number from 1 on",
      .help = "fires are grown on a grid N times finer and then sampled; default 2" },
    PLOT_OPTION(FIELD(plot), "picture of fuels, relief and ignitions")
    { "quiet", NULL, OPTION_FLAG, FIELD(quiet), .help = "print errors only" },
    { 0 }
};
static const option_table simulate_options = { "Options", simulate_list };

static int report_scene(const simulate_settings *s)
{
    zm_scene *scene;
    zm_error err;
    int64_t burned = 0;
    int code = DONE;

    if (zm_scene_open(s->out, &scene, &err) < 0)
        return library_failure(&err);
    for (size_t i = 0; i < zm_scene_count(scene); i++)
        burned += zm_scene_burned_cells(scene, i);
    note("%s: %zu fires, %lld cells burned on average", s->out, zm_scene_count(scene),
         (long long)(burned / (int64_t)zm_scene_count(scene)));
#if defined(ZM_WITH_CAIRO)
    code = scene_picture_save(s->plot, scene);
#endif
    zm_scene_close(scene);
    return code;
}

static int run(const void *settings, char **operands, int n_operands)
{
    const simulate_settings *s = settings;
    progress bar = progress_begin(s->quiet);
    zm_simulate_opts opts = ZM_SIMULATE_OPTS_INIT;
    zm_error err;
    zm_status st;

    (void)operands, (void)n_operands;
    message_quiet(s->quiet);
    opts.seed = s->seed;
    opts.rows = s->shape.rows;
    opts.cols = s->shape.cols;
    opts.cell = s->cell;
    opts.fires = s->fires;
    opts.finer = s->finer;
    bar.of = "the fires";
    opts.progress = progress_step;
    opts.progress_ctx = &bar;
    st = zm_simulate_scene(s->out, &opts, &err);
    progress_end(&bar);
    if (st == ZM_E_CANCELLED)
        return interrupt_status("stopped; %s is not complete", s->out);
    return st < 0 ? library_failure(&err) : report_scene(s);
}

static const simulate_settings defaults = {
    .shape = { 200, 200 }, .cell = 30, .fires = 6, .finer = 2, .seed = 1
};

const verb verb_fire_simulate = {
    .name = "fire simulate",
    .summary = "a synthetic scene to try things on",
    .usage = "--out DIR [options]",
    .description = "Makes up a scene: fractal terrain, rivers where its "
                   "water gathers, "
                   "fuels by moisture and aspect, hourly weather, and fires that grow "
                   "through it by a "
                   "simple law of spread (wind, slope, fuel, moisture; "
                   "docs/fire-data.md), hour by "
                   "hour on a finer grid. It has the layout of every other scene, so "
                   "all verbs take "
                   "it. The same seed gives the same scene.",
    .example = "  zermelo fire simulate --out valley --fires 4 --shape 120,120\n"
               "  zermelo fire info valley\n",
    .tables = { &simulate_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
};
