/* SPDX-License-Identifier: Apache-2.0
 * Scores of a model on validation fires, each in its window. */
#include <math.h>

#include "core/fail.h"
#include "core/memory.h"
#include "fire/learn/trainer.h"
#include "zermelo/fire/score.h"

/* Bands have no block to leave out: their sources are no prediction. */
static zm_status score_one(const zm_sample *s, const zm_model *model, const double *T,
                           zm_score *score, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const size_t n = zm_area_cells(s->window);
    float *predicted = zm_block(&mem, 2 * n, sizeof(float)), *raw = predicted + n;
    zm_status st;

    if (!predicted)
        return zm_fail(err, ZM_E_NOMEM, -1, "times of a fire");
    for (size_t i = 0; i < n; i++)
        raw[i] = (float)T[i];
    zm_model_readout(model, s->place->ground, s->window, raw, predicted);
    st = zm_score_fire(s->truth, predicted, s->window.rows, s->window.cols,
                       s->fire->row - s->window.row, s->fire->col - s->window.col,
                       s->duration, score, err);
    zm_release(&mem, predicted);
    return st;
}

zm_status zm_train_validate(const zm_batch_task *task, const zm_sample_list *fires,
                            zm_validation *out, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    zm_validation sum = { 0 };
    zm_status st = ZM_OK;

    for (size_t i = 0; i < fires->n && st >= 0; i++) {
        zm_sample *s = fires->items[i];
        double *T = zm_block(&mem, zm_area_cells(s->window), sizeof(double));
        zm_batch_result result;
        zm_score score = ZM_SCORE_INIT;

        st = T ? zm_train_batch_loss(task, &s, 1, NULL, &T, &result, err)
               : zm_fail(err, ZM_E_NOMEM, -1, "times of a fire");
        if (st >= 0)
            st = score_one(s, task->model, T, &score, err);
        zm_release(&mem, T);
        sum.correlation += isfinite(score.pearson) ? score.pearson : 0;
        sum.iou50 += isfinite(score.iou[1]) ? score.iou[1] : 0;
        sum.iou100 += isfinite(score.iou[3]) ? score.iou[3] : 0;
        sum.relative_rmse += isfinite(score.relative_rmse) ? score.relative_rmse : 1;
    }
    out->correlation = sum.correlation / (double)fires->n;
    out->iou50 = sum.iou50 / (double)fires->n;
    out->iou100 = sum.iou100 / (double)fires->n;
    out->relative_rmse = sum.relative_rmse / (double)fires->n;
    return st;
}
