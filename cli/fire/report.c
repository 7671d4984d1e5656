/* SPDX-License-Identifier: Apache-2.0
 * Report of scores: a page, tables and figures in a folder. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "common/picture.h"
#include "common/save_text.h"
#include "common/value.h"
#include "fire/fire_picture.h"
#include "fire/folders.h"
#include "fire/results.h"

/* ---- figures ---------------------------------------------------------------------- */

#if defined(ZM_WITH_CAIRO)

enum { EXAMPLES = 3 };

typedef struct candidate {
    double correlation;
    size_t i;
} candidate;

static int best_first(const void *a, const void *b)
{
    const double x = ((const candidate *)a)->correlation;
    const double y = ((const candidate *)b)->correlation;

    return (x < y) - (x > y);
}

/* Best, median and the one at the tenth percentile from below: not the single worst, which is
 * an accident. */
static size_t choose_examples(const fire_results *r, size_t chosen[EXAMPLES])
{
    candidate *order = grow(NULL, r->n + 1, sizeof *order);
    size_t n = 0, k = 0;

    for (size_t i = 0; i < r->n; i++)
        if (!r->items[i].missing && r->items[i].score.flaw == ZM_SCORE_FINE)
            order[n++] = (candidate){ r->items[i].score.pearson, i };
    qsort(order, n, sizeof *order, best_first);
    if (n > 0)
        chosen[k++] = order[0].i;
    if (n > 2)
        chosen[k++] = order[n / 2].i;
    if (n > 1)
        chosen[k++] = order[n > 10 ? n - 1 - n / 10 : n - 1].i;
    free(order);
    return k;
}

static int draw_examples(const fire_results *r, const char *path, const fire_maps *maps)
{
    static const char *const kinds[EXAMPLES] = { "best", "typical", "challenging" };
    size_t chosen[EXAMPLES], n = choose_examples(r, chosen), drawn = 0;
    fire_view views[EXAMPLES];
    char titles[EXAMPLES][160];

    for (size_t k = 0; k < n; k++) {
        const fire_result *f = &r->items[chosen[k]];
        fire_view *v = &views[drawn];

        *v = (fire_view){ .title = titles[drawn], .t_max = INFINITY };
        snprintf(titles[drawn], sizeof titles[drawn],
                 "%s: %s/%s, correlation %.2f, IoU@50 %.2f",
                 kinds[n < 3 && k == 1 ? 2 : k], f->scene, f->fire, f->score.pearson,
                 f->score.iou[1]);
        if (maps->get(maps->ctx, chosen[k], (int)drawn, &v->land, &v->row, &v->col,
                      &v->truth, &v->predicted))
            drawn++;
    }
    return fire_triples_save(path, views, drawn);
}

/* Mean IoU with its interval against the share of the duration. */
static void plot_iou(zm_plot *plot, const fire_results *r)
{
    const double x[ZM_SCORE_SHARES] = { 25, 50, 75, 100 };
    double mean[ZM_SCORE_SHARES], low[ZM_SCORE_SHARES], high[ZM_SCORE_SHARES];
    double median[ZM_SCORE_SHARES];

    for (int k = 0; k < ZM_SCORE_SHARES; k++) {
        const zm_summary s = fire_results_summary(r, 3 + k, NULL);

        mean[k] = s.mean;
        median[k] = s.median;
        low[k] = s.low;
        high[k] = s.high;
    }
    ZM_PLOT_AXES(plot, .title = "burned area, predicted and true",
                 .x.label = "share of the duration, %", .y.label = "IoU", .y.min = 0,
                 .y.max = 1, .x_ticks = x, .n_x_ticks = ZM_SCORE_SHARES);
    ZM_PLOT_BAND(plot, .x = x, .low = low, .high = high, .n = ZM_SCORE_SHARES);
    ZM_PLOT_LINE(plot, .x = x, .y = mean, .n = ZM_SCORE_SHARES, .marker = ZM_MARKER_DOT,
                 .label = "mean, 95 % interval");
    ZM_PLOT_LINE(plot, .x = x, .y = median, .n = ZM_SCORE_SHARES,
                 .dash = ZM_DASH_DASHED, .label = "median");
}

static void plot_size(zm_plot *plot, const fire_results *r)
{
    double *x = grow(NULL, 3 * r->n + 1, sizeof *x), *y = x + r->n, *c = y + r->n;
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++)
        if (!r->items[i].missing && isfinite(r->items[i].score.pearson)) {
            x[n] = (double)r->items[i].score.burned;
            y[n] = r->items[i].score.pearson;
            c[n++] = r->items[i].score.relative_rmse;
        }
    ZM_PLOT_AXES(plot, .title = "correlation and size", .x.label = "burned cells",
                 .x.scale = ZM_SCALE_LOG, .y.label = "correlation");
    if (n)
        ZM_PLOT_POINTS(plot, .x = x, .y = y, .n = n, .values = c,
                       .colors.label = "relative RMSE", .colors.clip = 0.02);
    free(x);
}

static int draw_curves(const fire_results *r, const char *path)
{
    zm_figure *figure;

    TRY(picture_start(&figure, ZM_FIGURE_OPTS(.cols = 2)));
    plot_iou(zm_figure_plot(figure, 0, 0), r);
    plot_size(zm_figure_plot(figure, 0, 1), r);
    return picture_finish(figure, "", path);
}

static int draw_figures(const fire_results *r, const char *folder,
                        const fire_maps *maps)
{
    char *examples = path_in(folder, "examples.png");
    char *curves = path_in(folder, "curves.png");
    int code;

    GO(draw_curves(r, curves));
    if (maps)
        GO(draw_examples(r, examples, maps));
done:
    free(examples);
    free(curves);
    return code;
}

#endif

/* ---- page ------------------------------------------------------------------------- */

static void add_number(zm_text *page, double value, int digits)
{
    if (isfinite(value))
        zm_text_print(page, " %.*f |", digits, value);
    else
        zm_text_add(page, " - |");
}

static void add_line(zm_text *page, const fire_results *r, const char *scene,
                     const char *name)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++)
        n += !scene || !strcmp(scene, r->items[i].scene);
    zm_text_print(page, "| %s | %zu |", name, n);
    for (int c = 0; c < RESULT_COLUMNS; c++) {
        const zm_summary s = fire_results_summary(r, c, scene);

        if (isfinite(s.sd))
            zm_text_print(page, " %.*f ± %.*f |", result_columns[c].digits, s.mean,
                          result_columns[c].digits, s.sd);
        else
            add_number(page, s.mean, result_columns[c].digits);
    }
    zm_text_add(page, "\n");
}

static void add_interval(zm_text *page, const fire_results *r)
{
    zm_text_add(page, "| median | |");
    for (int c = 0; c < RESULT_COLUMNS; c++)
        add_number(page, fire_results_summary(r, c, NULL).median,
                   result_columns[c].digits);
    zm_text_add(page, "\n| 95 % of the mean | |");
    for (int c = 0; c < RESULT_COLUMNS; c++) {
        const zm_summary s = fire_results_summary(r, c, NULL);

        if (isfinite(s.low))
            zm_text_print(page, " %.*f to %.*f |", result_columns[c].digits, s.low,
                          result_columns[c].digits, s.high);
        else
            zm_text_add(page, " - |");
    }
    zm_text_add(page, "\n\n");
}

static void add_flaws(zm_text *page, const fire_results *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++) {
        const fire_result *f = &r->items[i];

        if (!f->missing && f->score.flaw == ZM_SCORE_FINE)
            continue;
        if (n++ == 0)
            zm_text_add(page, "Without a correlation, and not in its mean:\n\n");
        zm_text_print(page, "- %s/%s: %s\n", f->scene, f->fire,
                      f->missing ? f->missing : zm_score_flaw_text(f->score.flaw));
    }
    zm_text_add(page, n ? "\n" : "");
}

static int write_page(const fire_results *r, const char *folder, const char *title,
                      bool has_examples)
{
    zm_text page = { 0 };
    char *path = path_in(folder, "report.md");
    int code;

    zm_text_print(&page, "# %s\n\n| | fires |", title);
    for (int c = 0; c < RESULT_COLUMNS; c++)
        zm_text_print(&page, " %s |", result_columns[c].name);
    zm_text_add(&page, "\n|---|---|");
    for (int c = 0; c < RESULT_COLUMNS; c++)
        zm_text_add(&page, "---|");
    zm_text_add(&page, "\n");
    for (size_t i = 0; i < r->n; i++)
        if (i == 0 || strcmp(r->items[i].scene, r->items[i - 1].scene) != 0)
            add_line(&page, r, r->items[i].scene, r->items[i].scene);
    add_line(&page, r, NULL, "all");
    add_interval(&page, r);
    add_flaws(&page, r);
#if defined(ZM_WITH_CAIRO)
    zm_text_add(&page, "![IoU over time; correlation against size](curves.png)\n\n");
    if (has_examples)
        zm_text_add(&page, "![best, typical, challenging: truth, prediction, "
                           "error](examples.png)\n\n");
#else
    (void)has_examples;
#endif
    zm_text_add(&page,
                "Mean ± standard deviation over fires. Times are compared in the cells "
                "that burned, without the 3 x 3 block of the ignition; areas over the "
                "whole landscape. scores.csv has every fire.\n");
    code = save_text(&page, "", path);
    free(path);
    return code;
}

static int write_scores(const fire_results *r, const char *folder, const char *title)
{
    char *csv = path_in(folder, "scores.csv"), *path = path_in(folder, "scores.json");
    json j = { 0 };
    int code;

    GO(fire_results_csv(r, csv));
    json_open(&j, NULL, '{');
    json_text(&j, "title", title);
    fire_results_json(r, &j);
    json_close(&j, '}');
    GO(json_save(&j, "", path));
done:
    free(csv);
    free(path);
    return code;
}

int fire_results_report(const fire_results *r, const char *folder, const char *title,
                        const fire_maps *maps)
{
    TRY(make_folder(folder));
    TRY(write_scores(r, folder, title));
#if defined(ZM_WITH_CAIRO)
    TRY(draw_figures(r, folder, maps));
#endif
    return write_page(r, folder, title, maps != NULL);
}
