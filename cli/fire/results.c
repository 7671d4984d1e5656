/* SPDX-License-Identifier: Apache-2.0
 * Scores of many fires, as tables and JSON. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "fire/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "common/save_text.h"
#include "common/value.h"

/* The intervals are the same in every run. */
enum { BOOTSTRAP_SEED = 20240 };

#define AT(member) offsetof(zm_score, member)
const result_column result_columns[RESULT_COLUMNS] = {
    { "corr", "correlation", 3, AT(pearson) },
    { "rel.RMSE", "relative_rmse", 3, AT(relative_rmse) },
    { "MAE h", "mae_h", 2, AT(mae) },
    { "IoU@25", "iou_25", 3, AT(iou[0]) },
    { "IoU@50", "iou_50", 3, AT(iou[1]) },
    { "IoU@75", "iou_75", 3, AT(iou[2]) },
    { "IoU@100", "iou_100", 3, AT(iou[3]) },
    { "rank corr", "spearman", 3, AT(spearman) },
};

/* Of a fire that has no scores NAN. */
static double value_of(const fire_result *f, int column)
{
    double value = NAN;

    if (!f->missing)
        memcpy(&value, (const char *)&f->score + result_columns[column].at,
               sizeof value);
    return value;
}

int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* ---- the list --------------------------------------------------------------------- */

static char *copy_of(const char *text)
{
    char *copy = strdup(text);

    return copy ? copy : grow(NULL, SIZE_MAX, 2); /* ends the program */
}

static fire_result *add(fire_results *r, const char *scene, const char *fire)
{
    if (r->n == r->room) {
        r->room = 2 * r->room + 64;
        r->items = grow(r->items, r->room, sizeof *r->items);
    }
    r->items[r->n] = (fire_result){ .scene = copy_of(scene), .fire = copy_of(fire) };
    return &r->items[r->n++];
}

void fire_results_add(fire_results *r, const char *scene, const char *fire,
                      const zm_score *score)
{
    add(r, scene, fire)->score = *score;
}

void fire_results_add_missing(fire_results *r, const char *scene, const char *fire,
                              const char *why)
{
    add(r, scene, fire)->missing = why;
}

void fire_results_free(fire_results *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->items[i].scene);
        free(r->items[i].fire);
    }
    free(r->items);
    *r = (fire_results){ 0 };
}

zm_summary fire_results_summary(const fire_results *r, int column, const char *scene)
{
    double *values = grow(NULL, r->n + 1, sizeof *values);
    zm_summary s = { 0 };
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++)
        if (!scene || !strcmp(scene, r->items[i].scene))
            values[n++] = value_of(&r->items[i], column);
    if (zm_summarise(values, n, BOOTSTRAP_SEED, &s, NULL) < 0)
        s = (zm_summary){ 0, n, NAN, NAN, NAN, NAN, NAN };
    free(values);
    return s;
}

/* Whether result i is the first of its scene. */
static bool first_of_scene(const fire_results *r, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!strcmp(r->items[k].scene, r->items[i].scene))
            return false;
    return true;
}

static size_t count_scenes(const fire_results *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++)
        n += first_of_scene(r, i);
    return n;
}

static size_t count_missing(const fire_results *r, const char *scene)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++)
        n += r->items[i].missing && (!scene || !strcmp(scene, r->items[i].scene));
    return n;
}

static size_t count_fires(const fire_results *r, const char *scene)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++)
        n += !scene || !strcmp(scene, r->items[i].scene);
    return n;
}

/* ---- table ------------------------------------------------------------------------ */

static void print_value(double value, int digits)
{
    if (isfinite(value))
        printf(" %9.*f", digits, value);
    else
        printf(" %9s", "-");
}

static void print_header(void)
{
    printf("%-28s %6s", "", "fires");
    for (int c = 0; c < RESULT_COLUMNS; c++)
        printf(" %9s", result_columns[c].name);
    printf("\n");
}

static void print_fire(const fire_result *f)
{
    char name[96];

    snprintf(name, sizeof name, "%s/%s", f->scene, f->fire);
    printf("%-28s %6s", printable(name).text, "");
    for (int c = 0; c < RESULT_COLUMNS; c++)
        print_value(value_of(f, c), result_columns[c].digits);
    printf("\n");
}

typedef enum statistic { MEAN, MEDIAN, LOW, HIGH } statistic;

static void print_summary(const fire_results *r, const char *scene, const char *name,
                          statistic what)
{
    printf("%-28s", printable(name).text);
    if (what == MEAN)
        printf(" %6zu", count_fires(r, scene));
    else
        printf(" %6s", "");
    for (int c = 0; c < RESULT_COLUMNS; c++) {
        const zm_summary s = fire_results_summary(r, c, scene);

        print_value(what == MEAN     ? s.mean
                    : what == MEDIAN ? s.median
                    : what == LOW    ? s.low
                                     : s.high,
                    result_columns[c].digits);
    }
    printf("\n");
}

static void print_flaws(const fire_results *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const fire_result *f = &r->items[i];

        if (f->missing)
            printf("%s/%s: %s\n", printable(f->scene).text, printable(f->fire).text,
                   printable(f->missing).text);
        else if (f->score.flaw != ZM_SCORE_FINE)
            printf("%s/%s: degenerate, no correlation: %s\n", printable(f->scene).text,
                   printable(f->fire).text, zm_score_flaw_text(f->score.flaw));
    }
}

void fire_results_print(const fire_results *r, bool each)
{
    const size_t scenes = count_scenes(r);

    if (count_missing(r, NULL) == r->n) {
        print_flaws(r);
        return;
    }
    print_header();
    for (size_t i = 0; each && i < r->n; i++)
        print_fire(&r->items[i]);
    for (size_t i = 0; scenes > 1 && i < r->n; i++)
        if (first_of_scene(r, i))
            print_summary(r, r->items[i].scene, r->items[i].scene, MEAN);
    print_summary(r, NULL, "mean", MEAN);
    print_summary(r, NULL, "  95 % of the mean from", LOW);
    print_summary(r, NULL, "  to", HIGH);
    print_summary(r, NULL, "median", MEDIAN);
    print_flaws(r);
}

/* ---- JSON and CSV ----------------------------------------------------------------- */

static void json_fire(const fire_result *f, json *j)
{
    json_open(j, NULL, '{');
    json_text(j, "scene", f->scene);
    json_text(j, "fire", f->fire);
    json_bool(j, "missing", f->missing != NULL);
    if (f->missing) {
        json_text(j, "why", f->missing);
    } else {
        for (int c = 0; c < RESULT_COLUMNS; c++)
            json_number(j, result_columns[c].key, value_of(f, c));
        json_number(j, "bias_h", f->score.bias);
        json_number(j, "duration_h", f->score.duration);
        json_int(j, "burned_cells", f->score.burned);
        json_int(j, "compared_cells", f->score.compared);
        json_int(j, "unreached_cells", f->score.unreached);
        if (f->score.flaw != ZM_SCORE_FINE)
            json_text(j, "degenerate", zm_score_flaw_text(f->score.flaw));
    }
    json_close(j, '}');
}

static void json_group(const fire_results *r, const char *scene, const char *key,
                       json *j)
{
    size_t degenerate = 0;

    for (size_t i = 0; i < r->n; i++)
        if (!scene || !strcmp(scene, r->items[i].scene))
            degenerate +=
                !r->items[i].missing && r->items[i].score.flaw != ZM_SCORE_FINE;
    json_open(j, key, '{');
    if (scene)
        json_text(j, "scene", scene);
    json_int(j, "fires", (int64_t)count_fires(r, scene));
    json_int(j, "missing", (int64_t)count_missing(r, scene));
    json_int(j, "degenerate", (int64_t)degenerate);
    for (int c = 0; c < RESULT_COLUMNS; c++) {
        const zm_summary s = fire_results_summary(r, c, scene);

        json_open(j, result_columns[c].key, '{');
        json_int(j, "n", (int64_t)s.n);
        json_number(j, "mean", s.mean);
        json_number(j, "median", s.median);
        json_number(j, "sd", s.sd);
        json_number(j, "low", s.low);
        json_number(j, "high", s.high);
        json_close(j, '}');
    }
    json_close(j, '}');
}

void fire_results_json(const fire_results *r, json *j)
{
    json_open(j, "fires", '[');
    for (size_t i = 0; i < r->n; i++)
        json_fire(&r->items[i], j);
    json_close(j, ']');
    json_open(j, "scenes", '[');
    for (size_t i = 0; i < r->n; i++)
        if (first_of_scene(r, i))
            json_group(r, r->items[i].scene, NULL, j);
    json_close(j, ']');
    json_group(r, NULL, "all", j);
}

int fire_results_csv(const fire_results *r, const char *path)
{
    zm_text text = { 0 };

    zm_text_add(&text, "scene,fire,burned_cells,unreached_cells");
    for (int c = 0; c < RESULT_COLUMNS; c++)
        zm_text_print(&text, ",%s", result_columns[c].key);
    zm_text_add(&text, ",note\n");
    for (size_t i = 0; i < r->n; i++) {
        const fire_result *f = &r->items[i];

        zm_text_print(&text, "%s,%s,%lld,%lld", f->scene, f->fire,
                      (long long)f->score.burned, (long long)f->score.unreached);
        for (int c = 0; c < RESULT_COLUMNS; c++) {
            const double value = value_of(f, c);

            if (isfinite(value))
                zm_text_print(&text, ",%.6g", value);
            else
                zm_text_add(&text, ",");
        }
        zm_text_print(&text, ",%s\n",
                      f->missing ? f->missing
                      : f->score.flaw != ZM_SCORE_FINE
                          ? zm_score_flaw_text(f->score.flaw)
                          : "");
    }
    return save_text(&text, "", path);
}
