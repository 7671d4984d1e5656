/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire compare: models, physics and baselines side by side on the same fires. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/picture.h"
#include "common/save_text.h"
#include "common/value.h"
#include "fire/folders.h"
#include "fire/learn/methods.h"
#include "fire/learn/words.h"
#include "fire/physics_model.h"
#include "fire/rows.h"
#include "fire/verbs.h"

typedef struct compare_settings {
    const char *data, *scenes, *split, *models, *json, *report;
    bool no_physics, no_baselines, quiet;
} compare_settings;

#define FIELD(name) offsetof(compare_settings, name)

static const option compare_list[] = {
    DATA_ROW,
    SCENES_ROW("scenes; a last * stands for any ending; default: all"),
    SPLIT_ROW("fires with this word in the column split; default test"),
    TEXT_ROW("models", "NAME=FILE,...", models, "names and files of models",
             "models; FILE+FILE: several of one kind (seeds), whose fires count "
             "together; {scene} in a file stands for the name of the scene"),
    FLAG_ROW("no-physics", no_physics, "leave out the physics of zermelo fire physics"),
    FLAG_ROW("no-baselines", no_baselines,
             "leave out distance and the best ellipse of each scene"),
    JSON_ROW("scores as JSON; - is standard output, instead of the table"),
    REPORT_ROW("folder for compare.md and compare.png"),
    QUIET_ROW("no progress"),
    { 0 }
};
static const option_table compare_options = { "Options", compare_list };

static int score_scenes(const compare_settings *s, methods *list)
{
    progress bar = progress_begin(s->quiet);
    zm_scene *scene = NULL;
    names scenes = { 0 };
    int code;

    GO(choose_scenes(s->data, s->scenes, &scenes));
    for (size_t i = 0; i < scenes.n; i++) {
        GO(scene_open_in(s->data, scenes.items[i], &scene));
        for (size_t k = 0; k < list->n; k++) {
            progress_show(&bar,
                          ((double)i + (double)k / (double)list->n) / (double)scenes.n,
                          "%s, %s", scenes.items[i], list->items[k].name);
            GO(method_score(&list->items[k], scenes.items[i], scene, s->split));
        }
        zm_scene_close(scene);
        scene = NULL;
    }
    if (list->items[0].results.n == 0)
        code = failure("no fire has '%s' in the column split", s->split);
done:
    progress_end(&bar);
    zm_scene_close(scene);
    names_free(&scenes);
    return code;
}

static void print_table(const methods *list)
{
    printf("%-24s", "mean over fires");
    for (int c = 0; c < RESULT_COLUMNS; c++)
        printf(" %9s", result_columns[c].name);
    printf("\n");
    for (size_t i = 0; i < list->n; i++) {
        printf("%-24s", printable(list->items[i].name).text);
        for (int c = 0; c < RESULT_COLUMNS; c++)
            printf(" %9.*f", result_columns[c].digits,
                   fire_results_summary(&list->items[i].results, c, NULL).mean);
        printf("\n");
    }
}

static int save_json(const methods *list, const char *path)
{
    json j = { 0 };

    json_open(&j, NULL, '{');
    for (size_t i = 0; i < list->n; i++) {
        json_open(&j, list->items[i].name, '{');
        fire_results_json(&list->items[i].results, &j);
        json_close(&j, '}');
    }
    json_close(&j, '}');
    return json_save(&j, "--json ", path);
}

static int write_page(const methods *list, const char *folder)
{
    char *path = path_in(folder, "compare.md");
    zm_text page = { 0 };
    int code;

    zm_text_add(&page, "| |");
    for (int c = 0; c < RESULT_COLUMNS; c++)
        zm_text_print(&page, " %s |", result_columns[c].name);
    zm_text_add(&page, "\n|---|");
    for (int c = 0; c < RESULT_COLUMNS; c++)
        zm_text_add(&page, "---|");
    for (size_t i = 0; i < list->n; i++) {
        zm_text_print(&page, "\n| %s |", list->items[i].name);
        for (int c = 0; c < RESULT_COLUMNS; c++)
            zm_text_print(&page, " %.*f |", result_columns[c].digits,
                          fire_results_summary(&list->items[i].results, c, NULL).mean);
    }
    zm_text_print(&page,
                  "\n\nMeans over %zu fires, each predicted to its end; what is not "
                  "predicted by then counts as burned then.\n\n![](compare.png)\n",
                  method_fires(&list->items[list->n - 1]));
    code = save_text(&page, "", path);
    free(path);
    return code;
}

#if defined(ZM_WITH_CAIRO)

/* Mean IoU against the share of the duration, a line a method. */
static void plot_iou(zm_plot *plot, const methods *list)
{
    const double x[ZM_SCORE_SHARES] = { 25, 50, 75, 100 };

    ZM_PLOT_AXES(plot, .title = "burned area, predicted and true",
                 .x.label = "share of the duration, %", .y.label = "mean IoU",
                 .y.min = 0, .y.max = 1, .x_ticks = x, .n_x_ticks = ZM_SCORE_SHARES);
    for (size_t i = 0; i < list->n; i++) {
        double mean[ZM_SCORE_SHARES];

        for (int k = 0; k < ZM_SCORE_SHARES; k++)
            mean[k] = fire_results_summary(&list->items[i].results, 3 + k, NULL).mean;
        ZM_PLOT_LINE(plot, .x = x, .y = mean, .n = ZM_SCORE_SHARES,
                     .marker = ZM_MARKER_DOT, .label = list->items[i].name);
    }
}

/* Widens least to most by the errors that a logarithmic axis can show. */
static void include_errors(const fire_results *r, double *least, double *most)
{
    for (size_t k = 0; k < r->n; k++) {
        const double error = r->items[k].score.relative_rmse;

        if (isfinite(error) && error > 0) {
            *least = fmin(*least, error);
            *most = fmax(*most, error);
        }
    }
}

/* Share of fires whose error is at most so much. */
static void plot_errors(zm_plot *plot, const methods *list)
{
    double least = HUGE_VAL, most = 1;

    for (size_t i = 0; i < list->n; i++)
        include_errors(&list->items[i].results, &least, &most);
    ZM_PLOT_AXES(plot, .title = "fires within an error", .x.label = "relative RMSE",
                 .x.scale = ZM_SCALE_LOG, .x.min = 0.9 * fmin(least, most),
                 .x.max = most, .y.label = "share of fires", .y.min = 0, .y.max = 1);
    for (size_t i = 0; i < list->n; i++) {
        const fire_results *r = &list->items[i].results;
        double *x = grow(NULL, 2 * r->n + 1, sizeof *x), *y = x + r->n;
        size_t n = 0;

        for (size_t k = 0; k < r->n; k++)
            if (isfinite(r->items[k].score.relative_rmse))
                x[n++] = r->items[k].score.relative_rmse;
        qsort(x, n, sizeof *x, ascending);
        for (size_t k = 0; k < n; k++)
            y[k] = (double)(k + 1) / (double)n;
        if (n)
            ZM_PLOT_LINE(plot, .x = x, .y = y, .n = n, .label = list->items[i].name);
        free(x);
    }
}

static int draw(const methods *list, const char *folder)
{
    char *path = path_in(folder, "compare.png");
    zm_figure *figure;
    int code;

    GO(picture_start(&figure, ZM_FIGURE_OPTS(.cols = 2)));
    plot_iou(zm_figure_plot(figure, 0, 0), list);
    plot_errors(zm_figure_plot(figure, 0, 1), list);
    code = picture_finish(figure, "", path);
done:
    free(path);
    return code;
}

#endif

static int save(const compare_settings *s, const methods *list)
{
    if (!s->json || strcmp(s->json, "-") != 0)
        print_table(list);
    if (s->json)
        TRY(save_json(list, s->json));
    if (s->report) {
        TRY(make_folder(s->report));
        TRY(write_page(list, s->report));
#if defined(ZM_WITH_CAIRO)
        TRY(draw(list, s->report));
#endif
    }
    return flush_output();
}

static int run(const void *settings, char **operands, int n_operands)
{
    const compare_settings *s = settings;
    methods list = { 0 };
    int code;

    (void)operands, (void)n_operands;
    if (!s->no_baselines) {
        methods_add(&list, METHOD_BASELINE, "distance", ZM_BASELINE_DISTANCE);
        methods_add(&list, METHOD_BASELINE, "ellipse", ZM_BASELINE_ELLIPSE);
    }
    if (s->models)
        GO(methods_add_models(&list, s->models));
    if (!s->no_physics) {
        methods_add(&list, METHOD_PHYSICS, "physics", ZM_BASELINE_DISTANCE);
        methods_add(&list, METHOD_MARKERS, "physics, markers", ZM_BASELINE_DISTANCE);
    }
    if (list.n == 0)
        GO(usage_error("nothing to compare: give --models"));
    GO(score_scenes(s, &list));
    GO(save(s, &list));
done:
    methods_free(&list);
    return code;
}

static const compare_settings defaults = { .split = "test" };

const verb verb_fire_compare = {
    .name = "fire compare",
    .summary = "models, physics and baselines side by side",
    .usage = "--data DIR [--models NAME=FILE,...] [options]",
    .description =
        "Predicts the same fires with every model, the physics and the baselines, each "
        "to the end of the fire, and shows their scores in one table and one figure. "
        "Cells that are not reached by the end count as burned at the end, for all "
        "alike; zermelo fire evaluate lets models go on.",
    .example = "  zermelo fire simulate --out demo/valley --fires 12 --shape 120,120\n"
               "  zermelo fire train --data demo --model fire.safetensors --epochs 5\n"
               "  zermelo fire compare --data demo --models learned=fire.safetensors\n",
    .tables = { &compare_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
};
