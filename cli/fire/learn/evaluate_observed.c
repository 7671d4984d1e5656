/* SPDX-License-Identifier: Apache-2.0
 * Scores of a model on observed fires: IoU at every date, correlations with the times of the
 * first observation. */
#include "fire/learn/evaluate_observed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/message.h"
#include "common/value.h"
#include "fire/physics_model.h"
#include "zermelo/fire/score.h"

typedef struct table {
    const evaluate_settings *s;
    const zm_model *model;
    bool print;
    json j;
    double sums[3]; /* mean IoU, Pearson, Spearman */
    size_t counts[3];
    size_t unknown; /* fires without a start */
} table;

static void count(table *t, int i, double value)
{
    if (!isfinite(value))
        return;
    t->sums[i] += value;
    t->counts[i]++;
}

static void show(table *t, const char *name, const zm_observed_score *score,
                 const double *iou, const double *hours, size_t n)
{
    if (t->print) {
        printf("%-16s %7.3f %8.3f %9.3f %10.3f  ", printable(name).text,
               score->mean_iou, score->pearson, score->spearman, score->equal_area_iou);
        for (size_t k = 0; k < n; k++)
            if (isfinite(iou[k]))
                printf(" %.2f@%.0fh", iou[k], hours[k]);
        printf("%s%s\n", score->flaw ? "  " : "",
               score->flaw ? zm_score_flaw_text(score->flaw) : "");
    }
    json_open(&t->j, NULL, '{');
    json_text(&t->j, "fire", name);
    json_number(&t->j, "mean_iou", score->mean_iou);
    json_number(&t->j, "pearson", score->pearson);
    json_number(&t->j, "spearman", score->spearman);
    json_number(&t->j, "equal_area_iou", score->equal_area_iou);
    json_open(&t->j, "iou", '[');
    for (size_t k = 0; k < n; k++)
        json_number(&t->j, NULL, iou[k]);
    json_close(&t->j, ']');
    json_open(&t->j, "hours", '[');
    for (size_t k = 0; k < n; k++)
        json_number(&t->j, NULL, hours[k]);
    json_close(&t->j, ']');
    json_text(&t->j, "flaw", score->flaw ? zm_score_flaw_text(score->flaw) : "");
    json_close(&t->j, '}');
    count(t, 0, score->mean_iou);
    count(t, 1, score->pearson);
    count(t, 2, score->spearman);
}

static int score_one(table *t, const char *name, const zm_observed *fire)
{
    const zm_landscape *l = zm_observed_landscape(fire);
    const size_t cells = (size_t)l->rows * (size_t)l->cols;
    const double *hours = zm_observed_hours(fire);
    const size_t n = zm_observed_until(fire, INFINITY);
    double *iou = grow(NULL, n + 1, sizeof *iou);
    float *T = grow(NULL, cells, sizeof *T);
    zm_observed_score score = ZM_OBSERVED_SCORE_INIT;
    zm_predict_opts o = ZM_PREDICT_OPTS_INIT;
    zm_error err;
    int code = DONE;

    o.threads = t->s->threads;
    if (zm_model_predict_observed(t->model, fire, T, &o, &err) < 0 ||
        zm_score_observed(zm_observed_masks(fire), hours, n,
                          zm_observed_has_start(fire), T, cells, iou, &score, &err) < 0)
        code = failure("%s: %s", name, err.text);
    else
        show(t, name, &score, iou, hours, n);
    free(iou);
    free(T);
    return code;
}

/* A fire of which nobody knows where it was at any time: named, not scored. */
static void show_unknown(table *t, const char *name)
{
    if (t->print)
        printf("%-16s not scored: neither an ignition nor a first perimeter\n",
               printable(name).text);
    json_open(&t->j, NULL, '{');
    json_text(&t->j, "fire", name);
    json_text(&t->j, "flaw", "neither an ignition nor a first perimeter");
    json_close(&t->j, '}');
    t->unknown++;
}

static bool has_start(const zm_observed *fire)
{
    const zm_landscape *l = zm_observed_landscape(fire);
    uint8_t *mask = grow(NULL, (size_t)l->rows * (size_t)l->cols, 1);
    const size_t n = zm_observed_start(fire, mask);

    free(mask);
    return n > 0;
}

static int score_named(table *t, const char *name)
{
    zm_observed *fire;
    int code = DONE;

    TRY(observed_open_in(t->s->data, name, &fire));
    if (has_start(fire))
        code = score_one(t, name, fire);
    else
        show_unknown(t, name);
    zm_observed_close(fire);
    return code;
}

int evaluate_observed(const evaluate_settings *settings, const zm_model *model)
{
    table t = { .s = settings,
                .model = model,
                .print = !settings->json || strcmp(settings->json, "-") != 0 };
    names fires = { 0 };
    int code;

    GO(choose_observed(settings->data, settings->observed, &fires));
    json_open(&t.j, NULL, '{');
    json_text(&t.j, "model_file", settings->model);
    json_open(&t.j, "fires", '[');
    if (t.print)
        printf("%-16s %7s %8s %9s %10s   %s\n", "fire", "IoU", "Pearson", "Spearman",
               "equal area", "IoU at each date");
    for (size_t i = 0; i < fires.n; i++)
        GO(score_named(&t, fires.items[i]));
    json_close(&t.j, ']');
    json_close(&t.j, '}');
    if (t.print)
        printf("%-16s %7.3f %8.3f %9.3f\n"
               "%zu fires, %zu with IoU at a date, %zu with correlations, %zu without "
               "a known start\n",
               "mean", t.sums[0] / (double)t.counts[0], t.sums[1] / (double)t.counts[1],
               t.sums[2] / (double)t.counts[2], fires.n, t.counts[0], t.counts[1],
               t.unknown);
    if (settings->json)
        GO(json_save(&t.j, "--json ", settings->json));
    GO(flush_output());
done:
    json_free(&t.j);
    names_free(&fires);
    return code;
}
