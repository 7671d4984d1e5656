/* SPDX-License-Identifier: Apache-2.0
 * Scores of a model on temporal bands of a fire. */
#include "fire/learn/evaluate_bands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/value.h"

typedef struct band {
    double from, to; /* h */
    float *start, *inside, *predicted;
    size_t burned; /* cells in it */
} band;

/* Sources: all that had burned by then, at that time; inside: times since then. */
static void cut(band *b, const float *truth, size_t n)
{
    b->burned = 0;
    for (size_t i = 0; i < n; i++) {
        const double t = isfinite(truth[i]) ? (double)truth[i] : HUGE_VAL;
        const bool in_band = t > b->from && t <= b->to;

        b->start[i] = t <= b->from ? (float)b->from : INFINITY;
        b->inside[i] = in_band ? (float)(t - b->from) : INFINITY;
        b->burned += in_band;
    }
}

static int score(const evaluate_settings *s, const zm_model *model,
                 const char *scene_name, const zm_scene *scene, const zm_fire *fire,
                 band *b, fire_results *results)
{
    const zm_landscape *l = zm_scene_landscape(scene);
    zm_predict_opts o = ZM_PREDICT_OPTS_INIT;
    char name[128];
    zm_score result = ZM_SCORE_INIT;
    zm_error err;

    o.threads = s->threads;
    if (zm_model_predict_from(model, l, fire, b->start, b->predicted, &o, &err) < 0)
        return library_failure(&err);
    for (size_t i = 0; i < (size_t)l->rows * (size_t)l->cols; i++)
        b->predicted[i] = isfinite(b->start[i])
                              ? INFINITY
                              : fmaxf(b->predicted[i] - (float)b->from, 0);
    if (zm_score_fire(b->inside, b->predicted, l->rows, l->cols, -1, -1,
                      b->to - b->from, &result, &err) < 0)
        return library_failure(&err);
    snprintf(name, sizeof name, "%s %.3g-%.3g h", fire->name, b->from, b->to);
    fire_results_add(results, scene_name, name, &result);
    return interrupt_check();
}

int evaluate_bands(const evaluate_settings *s, const zm_model *model,
                   const char *scene_name, const zm_scene *scene, size_t i,
                   const float *truth, fire_results *results)
{
    const zm_landscape *l = zm_scene_landscape(scene);
    const size_t n = (size_t)l->rows * (size_t)l->cols;
    const double width = s->bands[0], stride = s->bands[1], rounding = 1e-9;
    band b = { .start = grow(NULL, n, sizeof(float)),
               .inside = grow(NULL, n, sizeof(float)),
               .predicted = grow(NULL, n, sizeof(float)) };
    const double latest = zm_score_latest(truth, n);
    int code = DONE;

    for (int k = 0; code == DONE && k * stride + width <= 1 + rounding; k++) {
        b.from = k * stride * latest;
        b.to = (k * stride + width) * latest * (1 + rounding);
        cut(&b, truth, n);
        if (k == 0) { /* nothing has burned before: the ignition */
            const zm_fire *fire = zm_scene_fire(scene, i);

            for (int32_t r = fire->row - 1; r <= fire->row + 1; r++)
                for (int32_t c = fire->col - 1; c <= fire->col + 1; c++)
                    if (r >= 0 && r < l->rows && c >= 0 && c < l->cols) {
                        b.start[(size_t)r * (size_t)l->cols + (size_t)c] = 0;
                        b.inside[(size_t)r * (size_t)l->cols + (size_t)c] = INFINITY;
                    }
        }
        if (b.burned)
            code = score(s, model, scene_name, scene, zm_scene_fire(scene, i), &b,
                         results);
    }
    free(b.start);
    free(b.inside);
    free(b.predicted);
    return code;
}
