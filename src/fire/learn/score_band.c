/* SPDX-License-Identifier: Apache-2.0
 * Scores of a model on a temporal band of a fire. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "fire/science/ignition.h"
#include "zermelo/fire/learn.h"

static const double ROUNDING = 1e-9; /* of shares that end with the fire */

int zm_band_times(double latest, double width, double stride, int32_t k, double *from,
                  double *to)
{
    const double begin = k * stride;

    *from = begin * latest;
    *to = (begin + width) * latest * (1 + ROUNDING);
    return begin + width <= 1 + ROUNDING;
}

/* Start: all that had burned by `from`, at that time; inside: times since then.  Returns how many
 * cells burn inside. */
static size_t cut(const float *truth, size_t n, double from, double to, float *start,
                  float *inside)
{
    size_t burned = 0;

    for (size_t i = 0; i < n; i++) {
        const double t = isfinite(truth[i]) ? (double)truth[i] : HUGE_VAL;
        const bool in_band = t > from && t <= to;

        start[i] = t <= from ? (float)from : INFINITY;
        inside[i] = in_band ? (float)(t - from) : INFINITY;
        burned += in_band;
    }
    return burned;
}

/* Where nothing has burned before the fire starts from the block of its ignition. */
static void light(const zm_landscape *l, const zm_fire *fire, float *start,
                  float *inside)
{
    int32_t block[9];
    const int n = zm_ignition_block(l->rows, l->cols, fire->row, fire->col, block);

    for (int i = 0; i < n; i++) {
        start[block[i]] = 0;
        inside[block[i]] = INFINITY;
    }
}

zm_status zm_model_score_band(const zm_model *model, const zm_landscape *landscape,
                              const zm_fire *fire, const float *truth, double from,
                              double to, zm_score *out, const zm_predict_opts *opts,
                              zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const size_t n = (size_t)landscape->rows * (size_t)landscape->cols;
    float *start = zm_block(&mem, 3 * n, sizeof *start);
    float *inside = start + n, *predicted = inside + n;
    const zm_score none = { .size = sizeof none };
    zm_status st = ZM_OK;

    if (!start)
        return zm_fail(err, ZM_E_NOMEM, -1, "times of %zu cells", n);
    ZM_GO(zm_options_check_report(out, "zm_score", err));
    zm_options_write_report(out, &none, sizeof none);
    if (cut(truth, n, from, to, start, inside) == 0)
        goto done;
    if (!(from > 0))
        light(landscape, fire, start, inside);
    ZM_GO(zm_model_predict_from(model, landscape, fire, start, predicted, opts, err));
    for (size_t i = 0; i < n; i++)
        predicted[i] =
            isfinite(start[i]) ? INFINITY : fmaxf(predicted[i] - (float)from, 0);
    ZM_GO(zm_score_fire(inside, predicted, landscape->rows, landscape->cols, -1, -1,
                        to - from, out, err));
done:
    zm_release(&mem, start);
    return st;
}
