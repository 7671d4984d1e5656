/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire capacity: how well one fire can be fitted, by a metric per cell and by networks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/value.h"
#include "fire/choose_fires.h"
#include "fire/folders.h"
#include "fire/learn/words.h"
#include "fire/physics_model.h"
#include "fire/results.h"
#include "fire/rows.h"
#include "fire/verbs.h"
#include "zermelo/fire/learn.h"

typedef struct capacity_settings {
    const char *data, *scenes, *split, *json;
    int32_t fires, iterations, epochs, threads;
    double rate;
    uint64_t seed;
    bool quiet, each, uniform;
} capacity_settings;

#define FIELD(name) offsetof(capacity_settings, name)

static const option capacity_list[] = {
    DATA_ROW,
    SCENES_ROW("scenes; default: all"),
    SPLIT_ROW("fires to fit; default test"),
    COUNT_ROW("fires", fires, "of each scene, the first ones; default 3"),
    COUNT_ROW("iterations", iterations,
              "of L-BFGS on the metric of each cell; default 100"),
    FLAG_ROW("uniform", uniform,
             "start it from the fire's mean rate everywhere, not from the slowness "
             "that the times of neighbours ask for"),
    COUNT_ROW("epochs", epochs, "steps of Adam on the paper's encoder; default 300"),
    VALUE_ROW("rate", "X", rate, parse_positive, "a number > 0",
              "its learning rate; default 0.003"),
    VALUE_ROW("seed", "N", seed, parse_seed, "a whole number",
              "of its weights; default 1"),
    EACH_ROW,
    JSON_ROW("the same as JSON; - is standard output, instead of the tables"),
    THREADS_ROW(threads, "of the convolutions where they only predict; default 1"),
    QUIET_ROW("no progress"),
    { 0 }
};
static const option_table capacity_options = { "Options", capacity_list };

enum { STRATEGIES = 2 };
static const char *const strategy_names[STRATEGIES] = { "per cell", "network" };
static const char *const strategy_keys[STRATEGIES] = { "per_cell", "network" };

typedef struct study {
    const capacity_settings *s;
    fire_results results[STRATEGIES];
    progress bar;
} study;

static int stop_when_asked(void *ctx, double fraction)
{
    (void)ctx, (void)fraction;
    return interrupt_pending();
}

static int study_fire(study *c, const char *name, const zm_scene *scene, size_t i,
                      float *truth, float *T)
{
    const zm_landscape *l = zm_scene_landscape(scene);
    const zm_fire *fire = zm_scene_fire(scene, i);
    zm_capacity_opts o = ZM_CAPACITY_OPTS_INIT;
    zm_error err;

    o.iterations = c->s->iterations;
    o.progress = stop_when_asked;
    o.from_times = !c->s->uniform;
    o.epochs = c->s->epochs;
    o.learning_rate = c->s->rate;
    o.seed = c->s->seed;
    o.threads = c->s->threads;
    TRY(checked(zm_scene_arrival(scene, i, truth, &err), &err));
    for (int k = 0; k < STRATEGIES; k++) {
        const zm_status st = k == 0 ? zm_capacity_fit(scene, i, T, NULL, &o, &err)
                                    : zm_capacity_network(scene, i, T, &o, &err);
        zm_score score = ZM_SCORE_INIT;

        if (interrupt_pending())
            return interrupt_check();
        if (st < 0 || zm_score_fire(truth, T, l->rows, l->cols, fire->row, fire->col,
                                    fire->duration, &score, &err) < 0)
            return library_failure(&err);
        fire_results_add(&c->results[k], name, fire->name, &score);
    }
    return DONE;
}

static int study_scene(study *c, const char *name, double fraction)
{
    zm_scene *scene;
    float *truth, *T;
    size_t n;
    int32_t taken = 0;
    int code = DONE;

    TRY(scene_open_in(c->s->data, name, &scene));
    n = (size_t)zm_scene_landscape(scene)->rows *
        (size_t)zm_scene_landscape(scene)->cols;
    truth = grow(NULL, n, sizeof *truth);
    T = grow(NULL, n, sizeof *T);
    for (size_t i = 0; i < zm_scene_count(scene); i++)
        if (taken < c->s->fires && fire_is_chosen(scene, i, c->s->split, NULL)) {
            taken++;
            progress_show(&c->bar, fraction, "%s %s", name,
                          zm_scene_fire(scene, i)->name);
            GO(study_fire(c, name, scene, i, truth, T));
        }
done:
    free(truth);
    free(T);
    zm_scene_close(scene);
    return code;
}

static int save(study *c)
{
    json j = { 0 };

    for (int k = 0; k < STRATEGIES && (!c->s->json || strcmp(c->s->json, "-") != 0);
         k++) {
        printf("%s%s\n", k ? "\n" : "", strategy_names[k]);
        fire_results_print(&c->results[k], c->s->each);
    }
    if (!c->s->json)
        return flush_output();
    json_open(&j, NULL, '{');
    for (int k = 0; k < STRATEGIES; k++) {
        json_open(&j, strategy_keys[k], '{');
        fire_results_json(&c->results[k], &j);
        json_close(&j, '}');
    }
    json_close(&j, '}');
    return json_save(&j, "--json ", c->s->json);
}

static int run(const void *settings, char **operands, int n_operands)
{
    study c = { .s = settings };
    names scenes = { 0 };
    int code;

    (void)operands, (void)n_operands;
    GO(choose_scenes(c.s->data, c.s->scenes, &scenes));
    c.bar = progress_begin(c.s->quiet);
    for (size_t i = 0; code == DONE && i < scenes.n; i++)
        code = study_scene(&c, scenes.items[i], (double)i / (double)scenes.n);
    progress_end(&c.bar);
    GO(code);
    if (c.results[0].n == 0)
        GO(failure("no fire has '%s' in the column split", c.s->split));
    GO(save(&c));
done:
    for (int k = 0; k < STRATEGIES; k++)
        fire_results_free(&c.results[k]);
    names_free(&scenes);
    return code;
}

static const capacity_settings defaults = { .split = "test",
                                            .fires = 3,
                                            .iterations = 100,
                                            .epochs = 300,
                                            .threads = 1,
                                            .rate = 3e-3,
                                            .seed = 1 };

const verb verb_fire_capacity = {
    .name = "fire capacity",
    .summary = "how well single fires can be fitted",
    .usage = "--data DIR [options]",
    .description = "Fits single fires without regularisation and scores the fit on the "
                   "same fire, as in the paper's analysis of capacity: a metric and a "
                   "drift for every cell of the fire's window (L-BFGS), and the "
                   "paper's encoder (Adam). The errors are what the form of the metric "
                   "and the optimisation leave, not what a prediction would.",
    .example = "  zermelo fire simulate --out demo/valley --fires 12 --shape 120,120\n"
               "  zermelo fire capacity --data demo --fires 1 --epochs 20\n",
    .tables = { &capacity_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
};
