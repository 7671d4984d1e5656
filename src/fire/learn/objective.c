/* SPDX-License-Identifier: Apache-2.0
 * Loss of a model on one fire, with its derivatives. */
#include "fire/learn/objective.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "zermelo/reg.h"

/* Total variation of the metric in the window, in units of the model's rate, a mean over
 * cells; its derivatives are added to those of the metric. */
static zm_status add_variation(const zm_batch_task *task, zm_burn *front, double *value,
                               zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const zm_burn_planes *m = &front->metric, *d = &front->d_metric;
    const bool full = m->g22;
    const double *fields[2][3] = { { m->g11, m->g12, m->g22 }, { m->b1, m->b2, NULL } };
    double *to[2][3] = { { d->g11, d->g12, d->g22 }, { d->b1, d->b2, NULL } };
    const size_t count[2] = { full ? 3 : 1, 2 };
    const double unit[2] = { task->model->rate * task->model->rate, task->model->rate };
    const double lambda[2] = { task->tv_metric, task->tv_drift };
    const zm_grid grid = { front->grid.rows, front->grid.cols, 1, 1 };
    double *scratch = zm_block(&mem, 6 * front->n, sizeof(double));
    zm_status st = ZM_OK;

    if (!scratch)
        return zm_fail(err, ZM_E_NOMEM, -1, "total variation");
    for (int part = 0; part < 2 && st >= 0; part++) {
        zm_reg reg = ZM_REG_INIT;
        const double *scaled[3];
        double *gradient[3], tv;

        if (!(lambda[part] > 0))
            continue;
        reg.kind = part == 0 && full ? ZM_REG_FROBENIUS_TV : ZM_REG_TV;
        for (size_t c = 0; c < count[part]; c++) {
            for (size_t i = 0; i < front->n; i++)
                scratch[c * front->n + i] = unit[part] * fields[part][c][i];
            scaled[c] = scratch + c * front->n;
            gradient[c] = scratch + (3 + c) * front->n;
        }
        st = zm_reg_value(grid, scaled, count[part], NULL, &tv, gradient, &reg, err);
        for (size_t c = 0; st >= 0 && c < count[part]; c++)
            for (size_t i = 0; i < front->n; i++)
                to[part][c][i] +=
                    lambda[part] / (double)front->n * unit[part] * gradient[c][i];
        *value += st >= 0 ? lambda[part] / (double)front->n * tv : 0;
    }
    zm_release(&mem, scratch);
    return st;
}

static bool all_finite(const zm_burn *front)
{
    const zm_burn_planes *d = &front->d_metric;
    double sum = 0;

    for (size_t i = 0; i < front->n; i++) {
        sum += fabs(d->g11[i]) + fabs(d->b1[i]) + fabs(d->b2[i]);
        if (d->g22)
            sum += fabs(d->g12[i]) + fabs(d->g22[i]);
    }
    return isfinite(sum) != 0;
}

/* Solves as far as the loss and the scores look: until the end of the fire, and until all
 * cells that burned are reached.  Total variation looks everywhere. */
static zm_status solve(const zm_batch_task *task, zm_burn *front, zm_field *field,
                       const zm_sample *s, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const bool everywhere = task->tv_metric > 0 || task->tv_drift > 0;
    uint8_t *targets = everywhere ? NULL : zm_zalloc(&mem, front->n, 1);
    zm_burn_task run = { .sources = s->sources,
                         .n_sources = s->n_sources,
                         .hours = s->n_hours,
                         .start = s->start,
                         .t_max = HUGE_VAL,
                         .fill = zm_field_fill,
                         .ctx = field,
                         .tol = task->tol * s->duration };
    zm_status st;

    if (!everywhere && !targets)
        return zm_fail(err, ZM_E_NOMEM, -1, "cells of a fire");
    if (targets) {
        run.t_max = s->duration;
        for (size_t i = 0; i < front->n; i++) {
            targets[i] =
                isfinite(s->truth[i]) || (s->weight[i] > 0 && isfinite(s->high[i]));
            if (s->weight[i] > 0)
                run.t_max = fmax(run.t_max, s->low[i]);
        }
        run.targets = targets;
    }
    st = zm_burn_solve(front, &run, err);
    zm_release(&mem, targets);
    return st;
}

/* One fire: solve, loss, adjoint, head.  Its part of the loss is in *loss. */
static zm_status run_fire(const zm_batch_task *task, zm_region *region,
                          const zm_sample *s, double *d_parameters, double *T,
                          double *loss, bool *failed, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const double cell = s->place->ground->cell;
    const zm_grid grid = { s->window.rows, s->window.cols, cell, cell };
    const size_t n = zm_area_cells(s->window);
    double *d_T = zm_block(&mem, n, sizeof(double));
    zm_field *field = NULL;
    zm_burn *front = NULL;
    zm_status st = ZM_OK;

    if (!d_T)
        return zm_fail(err, ZM_E_NOMEM, -1, "derivatives of %zu times", n);
    ZM_GO(zm_field_create(&field, region, s->window, s->hours, task->parameters,
                          task->head, err));
    ZM_GO(zm_burn_create(&front, grid, task->model->form == ZM_MODEL_MULTIPLICATIVE,
                         task->model->stencils, err));
    ZM_GO(solve(task, front, field, s, err));
    *loss =
        zm_loss(n, front->T, s->low, s->high, s->weight, s->duration, d_T, &task->loss);
    if (T)
        memcpy(T, front->T, n * sizeof *T);
    if (!d_parameters)
        goto done;
    ZM_GO(zm_burn_adjoint(front, d_T, err));
    if (task->tv_metric > 0 || task->tv_drift > 0)
        ZM_GO(add_variation(task, front, loss, err));
    if (!(*failed = !isfinite(*loss) || !all_finite(front)))
        ZM_GO(zm_field_backward(field, front, d_parameters, err));
done:
    zm_burn_destroy(front);
    zm_field_destroy(field);
    zm_release(&mem, d_T);
    return st;
}

zm_status zm_train_fire_loss(const zm_batch_task *task, zm_region *region,
                             const zm_sample *sample, double *d_parameters, double *T,
                             double *loss, bool *failed, zm_error *err)
{
    *loss = 0;
    *failed = false;
    if (task->model->form == ZM_MODEL_PHYSICS)
        return zm_train_physics_fire_loss(task, region, sample, d_parameters, T, loss,
                                          failed, err);
    return run_fire(task, region, sample, d_parameters, T, loss, failed, err);
}
