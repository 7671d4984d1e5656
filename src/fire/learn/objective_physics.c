/* SPDX-License-Identifier: Apache-2.0
 * Loss of physics with a learned residual on one fire. */
#include <math.h>

#include "core/fail.h"
#include "core/memory.h"
#include "fire/learn/objective.h"
#include "fire/learn/residual.h"

/* Times beyond this many durations are not looked for: cells that come later count as little
 * more than late. */
static const double HORIZON = 1.6;

/* Sources of the sample in cells of the landscape; NULL: those of the ignition. */
static zm_status sources_of(const zm_sample *s, zm_source **out, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    *out = NULL;
    if (s->lit)
        return ZM_OK;
    if (!(*out = zm_block(&mem, s->n_sources, sizeof **out)))
        return zm_fail(err, ZM_E_NOMEM, -1, "%zu sources", s->n_sources);
    for (size_t i = 0; i < s->n_sources; i++)
        (*out)[i] =
            (zm_source){ s->sources[i].row + s->window.row,
                         s->sources[i].col + s->window.col, s->sources[i].time };
    return ZM_OK;
}

static size_t landscape_cell(const zm_sample *s, size_t i)
{
    const size_t cols = (size_t)s->window.cols;

    return ((size_t)s->window.row + i / cols) * (size_t)s->place->ground->cols +
           (size_t)s->window.col + i % cols;
}

/* Derivatives of the window's times as those of the landscape's. */
static zm_status backward(const zm_batch_task *task, zm_residual *r, const zm_sample *s,
                          const double *d_T, double *d_parameters, bool *failed,
                          zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    double *whole = zm_zalloc(&mem, r->n, sizeof *whole);
    zm_status st;

    if (!whole)
        return zm_fail(err, ZM_E_NOMEM, -1, "derivatives of %zu times", r->n);
    for (size_t i = 0; i < zm_area_cells(s->window); i++)
        whole[landscape_cell(s, i)] = d_T[i];
    st = zm_residual_backward(r, whole, task->shrink, d_parameters, failed, err);
    zm_release(&mem, whole);
    return st;
}

zm_status zm_train_physics_fire_loss(const zm_batch_task *task, zm_region *region,
                                     const zm_sample *s, double *d_parameters,
                                     double *T, double *loss, bool *failed,
                                     zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const size_t n = zm_area_cells(s->window);
    double *d_T = zm_block(&mem, 2 * n, sizeof(double)), *times = d_T + n;
    zm_source *sources = NULL;
    zm_residual *r = NULL;
    zm_field *field = NULL;
    zm_status st = ZM_OK;

    if (!d_T)
        return zm_fail(err, ZM_E_NOMEM, -1, "derivatives of %zu times", n);
    ZM_GO(sources_of(s, &sources, err));
    ZM_GO(zm_field_create(&field, region, s->window, s->hours, task->parameters,
                          task->head, err));
    ZM_GO(zm_residual_create(&r, field, s->place->landscape, err));
    ZM_GO(zm_residual_solve(r, s->fire, sources, s->n_sources,
                            (d_parameters ? HORIZON : 1) * s->duration, err));
    for (size_t i = 0; i < n; i++)
        times[i] = r->T[landscape_cell(s, i)];
    for (size_t i = 0; T && i < n; i++)
        T[i] = times[i];
    *loss =
        zm_loss(n, times, s->low, s->high, s->weight, s->duration, d_T, &task->loss) +
        task->shrink * zm_residual_square(r);
    *failed = !isfinite(*loss);
    if (d_parameters && !*failed)
        ZM_GO(backward(task, r, s, d_T, d_parameters, failed, err));
done:
    zm_residual_destroy(r);
    zm_field_destroy(field);
    zm_release(&mem, sources);
    zm_release(&mem, d_T);
    return st;
}
