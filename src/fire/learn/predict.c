/* SPDX-License-Identifier: Apache-2.0
 * Predictions over whole landscapes. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/parallel.h"
#include "fire/learn/residual.h"

typedef struct prediction {
    const zm_model *model;
    zm_terrain *ground;
    zm_hour *hours;
    size_t n_hours;
    zm_region *region;
    zm_mlp *head;
    zm_field *field;
    zm_burn *front; /* or, of physics: */
    zm_residual *residual;
    zm_source *sources;
    size_t n_sources;
} prediction;

static void finish(prediction *p)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    zm_burn_destroy(p->front);
    zm_residual_destroy(p->residual);
    zm_field_destroy(p->field);
    zm_mlp_destroy(p->head);
    zm_region_destroy(p->region);
    zm_learn_hours_destroy(p->hours);
    zm_learn_terrain_destroy(p->ground);
    zm_release(&mem, p->sources);
}

static zm_status prepare(prediction *p, const zm_landscape *landscape,
                         const zm_fire *fire, zm_error *err)
{
    const zm_model *m = p->model;
    const zm_area whole = { 0, 0, landscape->rows, landscape->cols };
    const zm_grid grid = { landscape->rows, landscape->cols, landscape->cell,
                           landscape->cell };
    zm_status st;

    if ((st = zm_learn_terrain_create(&p->ground, landscape, err)) < 0 ||
        (st = zm_learn_hours_create(&p->hours, &p->n_hours, p->ground, fire, !m->hourly,
                                    err)) < 0 ||
        (st = zm_region_create(&p->region, m, p->ground, whole, ZM_NET_FAST, err)) <
            0 ||
        (st = zm_region_forward(p->region, m->parameters, err)) < 0 ||
        (st = zm_field_head_create(&p->head, m, ZM_NET_FAST, err)) < 0)
        return st;
    zm_mlp_load(p->head, m->parameters + zm_model_head_at(m));
    ZM_TRY(zm_field_create(&p->field, p->region, whole, p->hours, m->parameters,
                           p->head, err));
    if (m->form == ZM_MODEL_PHYSICS)
        return zm_residual_create(&p->residual, p->field, landscape, err);
    return zm_burn_create(&p->front, grid, m->form == ZM_MODEL_MULTIPLICATIVE,
                          m->stencils, err);
}

/* Sources from times, or the block about the ignition. */
static zm_status find_sources(prediction *p, const zm_landscape *l, const zm_fire *fire,
                              const float *start, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const size_t n = (size_t)l->rows * (size_t)l->cols;
    const zm_area whole = { 0, 0, l->rows, l->cols };

    if (!start && fire->n_sources > 0) {
        if (!(p->sources = zm_block(&mem, fire->n_sources, sizeof *p->sources)))
            return zm_fail(err, ZM_E_NOMEM, -1, "sources");
        memcpy(p->sources, fire->sources, fire->n_sources * sizeof *p->sources);
        p->n_sources = fire->n_sources;
        return ZM_OK;
    }
    if (!start && (fire->row < 0 || fire->row >= l->rows || fire->col < 0 ||
                   fire->col >= l->cols))
        return zm_fail(err, ZM_E_ARG, -1,
                       "fire %s: ignition (%d, %d) is outside %d x %d", fire->name,
                       (int)fire->row, (int)fire->col, (int)l->rows, (int)l->cols);
    if (!(p->sources = zm_block(&mem, start ? n : 9, sizeof *p->sources)))
        return zm_fail(err, ZM_E_NOMEM, -1, "sources");
    if (!start)
        p->n_sources =
            zm_sample_ignition_block(whole, fire->row, fire->col, 0, p->sources);
    for (size_t i = 0; start && i < n; i++)
        if (isfinite(start[i]))
            p->sources[p->n_sources++] =
                (zm_source){ (double)(i / (size_t)l->cols),
                             (double)(i % (size_t)l->cols), (double)start[i] };
    return p->n_sources ? ZM_OK
                        : zm_fail(err, ZM_E_ARG, -1, "no cell from which to start");
}

static zm_status solve(prediction *p, const zm_fire *fire, bool lit, double t_max,
                       zm_error *err)
{
    const zm_burn_task task = { .sources = p->sources,
                                .n_sources = p->n_sources,
                                .hours = p->n_hours,
                                .t_max = t_max,
                                .fill = zm_field_fill,
                                .ctx = p->field,
                                .tol = ZM_BURN_TOL };

    if (p->residual) /* it knows how fires are lit, and goes by the weather */
        return zm_residual_solve(p->residual, fire, lit ? NULL : p->sources,
                                 p->n_sources,
                                 t_max < INFINITY ? t_max : zm_fire_end(fire), err);
    return zm_burn_solve(p->front, &task, err);
}

static zm_status read_out(const prediction *p, float *T, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const zm_area whole = { 0, 0, p->ground->rows, p->ground->cols };
    const double *times = p->residual ? p->residual->T : p->front->T;
    const size_t n = zm_area_cells(whole);
    float *raw = zm_block(&mem, n, sizeof(float));

    if (!raw)
        return zm_fail(err, ZM_E_NOMEM, -1, "times of %zu cells", n);
    for (size_t i = 0; i < n; i++)
        raw[i] = (float)times[i];
    zm_model_readout(p->model, p->ground, whole, raw, T);
    zm_release(&mem, raw);
    return ZM_OK;
}

zm_status zm_model_predict_from(const zm_model *model, const zm_landscape *landscape,
                                const zm_fire *fire, const float *start, float *T,
                                const zm_predict_opts *opts, zm_error *err)
{
    zm_predict_opts o = ZM_PREDICT_OPTS_INIT;
    zm_landscape land = ZM_LANDSCAPE_INIT;
    zm_fire f = ZM_FIRE_INIT;
    prediction p = { .model = model };
    int32_t threads = 0;
    zm_status st;

    ZM_GO(zm_options_read(&o, sizeof o, opts, "zm_predict_opts", err));
    ZM_GO(zm_options_read(&land, sizeof land, landscape, "zm_landscape", err));
    ZM_GO(zm_options_read(&f, sizeof f, fire, "zm_fire", err));
    if (!(o.t_max >= 0) || o.threads < 1) {
        st = zm_fail(err, ZM_E_ARG, -1, "t_max = %g must be >= 0, threads = %d >= 1",
                     o.t_max, (int)o.threads);
        goto done;
    }
    threads = zm_parallel_limit(o.threads);
    ZM_GO(find_sources(&p, &land, &f, start, err));
    ZM_GO(prepare(&p, &land, &f, err));
    ZM_GO(solve(&p, &f, !start, o.t_max, err));
    ZM_GO(read_out(&p, T, err));
done:
    if (threads)
        zm_parallel_limit(threads);
    finish(&p);
    return st;
}

zm_status zm_model_predict(const zm_model *model, const zm_landscape *landscape,
                           const zm_fire *fire, float *T, const zm_predict_opts *opts,
                           zm_error *err)
{
    return zm_model_predict_from(model, landscape, fire, NULL, T, opts, err);
}

zm_status zm_model_predict_observed(const zm_model *model, const zm_observed *observed,
                                    float *T, const zm_predict_opts *opts,
                                    zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const zm_landscape *l = zm_observed_landscape(observed);
    const zm_fire *fire = zm_observed_fire(observed);
    const size_t n = (size_t)l->rows * (size_t)l->cols;
    zm_predict_opts o = ZM_PREDICT_OPTS_INIT;
    uint8_t *mask = zm_block(&mem, n, 1);
    float *start = zm_block(&mem, n, sizeof *start);
    zm_status st;

    ZM_GO(zm_options_read(&o, sizeof o, opts, "zm_predict_opts", err));
    if (!mask || !start)
        ZM_GO(zm_fail(err, ZM_E_NOMEM, -1, "start of %zu cells", n));
    if (zm_observed_start(observed, mask) == 0)
        ZM_GO(zm_fail(err, ZM_E_ARG, -1, "neither an ignition nor a first perimeter"));
    if (isinf(o.t_max) && model->form == ZM_MODEL_PHYSICS)
        o.t_max = fmax((double)fire->hours, zm_fire_end(fire));
    for (size_t i = 0; i < n; i++)
        start[i] = mask[i] ? 0 : INFINITY;
    /* an ignition that is all that is known the model lights by itself */
    st = zm_model_predict_from(
        model, l, fire, zm_observed_has_start(observed) ? start : NULL, T, &o, err);
done:
    zm_release(&mem, mask);
    zm_release(&mem, start);
    return st;
}

double zm_model_map_end(const zm_model *model, const zm_fire *fire)
{
    return model->form == ZM_MODEL_PHYSICS ? zm_fire_map_end(fire) : INFINITY;
}
