/* SPDX-License-Identifier: Apache-2.0
 * How well any metric can explain one fire: G and b of each cell, by L-BFGS from the isotropic
 * slowness that the times themselves ask for.  The metric is projected to what is admissible,
 * as a network's is. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/pi.h"
#include "fire/learn/objective.h"
#include "fire/learn/sample.h"
#include "fire/learn/slowness.h"
#include "zermelo/optimise.h"
#include "zermelo/project.h"

enum { PLANES = 5 };

typedef struct fit {
    const zm_sample *sample;
    zm_burn *front;
    zm_loss_opts loss;
    double slowness;  /* h/m, of the start */
    const double *u;  /* PLANES planes */
    uint8_t *targets; /* cells that burned */
    zm_capacity_opts o;
    int64_t evaluations; /* so far */
    double *raw[PLANES], *projected[PLANES], *d_raw[PLANES], *d_T;
    size_t n;
} fit;

/* The metric of a cell before projection: G = s^2 [[1 + u1, u2], [u2, 1 - u1]] e^{2 u0},
 * b = s e^{u0} (u3, u4). */
static void raw_metric(const fit *f, const double *u)
{
    const size_t n = f->n;

    for (size_t i = 0; i < n; i++) {
        const double s = f->slowness * exp(u[i]), g = s * s;

        f->raw[0][i] = g * (1 + u[n + i]);
        f->raw[1][i] = g * u[2 * n + i];
        f->raw[2][i] = g * (1 - u[n + i]);
        f->raw[3][i] = s * u[3 * n + i];
        f->raw[4][i] = s * u[4 * n + i];
    }
}

static void raw_backward(const fit *f, const double *u, double *d_u)
{
    const size_t n = f->n;

    for (size_t i = 0; i < n; i++) {
        const double s = f->slowness * exp(u[i]), g = s * s;
        const double d0 = f->d_raw[0][i], d1 = f->d_raw[1][i], d2 = f->d_raw[2][i];
        const double d3 = f->d_raw[3][i], d4 = f->d_raw[4][i];

        d_u[i] = 2 * (d0 * f->raw[0][i] + d1 * f->raw[1][i] + d2 * f->raw[2][i]) +
                 d3 * f->raw[3][i] + d4 * f->raw[4][i];
        d_u[n + i] = g * (d0 - d2);
        d_u[2 * n + i] = g * d1;
        d_u[3 * n + i] = s * d3;
        d_u[4 * n + i] = s * d4;
    }
}

static zm_project_opts bounds(const fit *f)
{
    const double contrast = 1e3;
    zm_project_opts o = ZM_PROJECT_OPTS_INIT;

    o.eig_min = f->slowness * f->slowness / (contrast * contrast);
    o.eig_max = f->slowness * f->slowness * contrast * contrast;
    o.rho = 0.95;
    return o;
}

static zm_status project(const fit *f, zm_error *err)
{
    const zm_metric in = {
        ZM_F64, f->raw[0], f->raw[1], f->raw[2], f->raw[3], f->raw[4]
    };
    const zm_metric_out out = { f->projected[0], f->projected[1], f->projected[2],
                                f->projected[3], f->projected[4] };
    const zm_project_opts o = bounds(f);

    return zm_project(&in, f->n, &out, &o, err);
}

/* zm_burn_fill: the one hour there is. */
static zm_status fill(void *ctx, size_t hour, const int32_t *cells, size_t n,
                      const zm_burn_planes *planes, zm_error *err)
{
    const fit *f = ctx;
    double *to[PLANES] = { planes->g11, planes->g12, planes->g22, planes->b1,
                           planes->b2 };

    (void)hour;
    (void)err;
    for (int p = 0; p < PLANES; p++)
        for (size_t i = 0; i < n; i++)
            to[p][cells[i]] = f->projected[p][cells[i]];
    return ZM_OK;
}

static zm_status solve(fit *f, const double *u, zm_error *err)
{
    const zm_burn_task task = { .sources = f->sample->sources,
                                .n_sources = f->sample->n_sources,
                                .hours = 1,
                                .t_max = f->sample->duration,
                                .targets = f->targets,
                                .fill = fill,
                                .ctx = f,
                                .tol = 1e-7 * f->sample->duration };

    raw_metric(f, u);
    ZM_TRY(project(f, err));
    return zm_burn_solve(f->front, &task, err);
}

static zm_status evaluate(void *ctx, const double *u, double *value, double *gradient)
{
    fit *f = ctx;
    const zm_sample *s = f->sample;
    const zm_burn_planes *d = &f->front->d_metric;
    const zm_metric in = {
        ZM_F64, f->raw[0], f->raw[1], f->raw[2], f->raw[3], f->raw[4]
    };
    const zm_metric d_out = { ZM_F64, d->g11, d->g12, d->g22, d->b1, d->b2 };
    const zm_metric_out d_in = { f->d_raw[0], f->d_raw[1], f->d_raw[2], f->d_raw[3],
                                 f->d_raw[4] };
    const zm_project_opts o = bounds(f);

    if (f->o.progress &&
        f->o.progress(f->o.progress_ctx,
                      fmin(1, (double)f->evaluations / f->o.iterations)))
        return ZM_E_CANCELLED;
    f->evaluations++;
    ZM_TRY(solve(f, u, NULL));
    *value = zm_loss(f->n, f->front->T, s->low, s->high, s->weight, s->duration, f->d_T,
                     &f->loss);
    ZM_TRY(zm_burn_adjoint(f->front, f->d_T, NULL));
    ZM_TRY(zm_project_vjp(&in, &d_out, f->n, &d_in, &o, NULL));
    raw_backward(f, u, gradient);
    return ZM_OK;
}

static bool allocate(fit *f)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    for (int p = 0; p < PLANES; p++)
        if (!(f->raw[p] = zm_block(&mem, f->n, sizeof(double))) ||
            !(f->projected[p] = zm_block(&mem, f->n, sizeof(double))) ||
            !(f->d_raw[p] = zm_block(&mem, f->n, sizeof(double))))
            return false;
    return (f->targets = zm_zalloc(&mem, f->n, 1)) &&
           (f->d_T = zm_block(&mem, f->n, sizeof(double)));
}

static void release(fit *f)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    for (int p = 0; p < PLANES; p++) {
        zm_release(&mem, f->raw[p]);
        zm_release(&mem, f->projected[p]);
        zm_release(&mem, f->d_raw[p]);
    }
    zm_release(&mem, f->d_T);
    zm_release(&mem, f->targets);
    zm_burn_destroy(f->front);
}

/* Slowness of each cell: what the times ask for; where nothing burned, what keeps the front
 * out until the fire is over.  Cells that are earlier than all around them cannot be
 * explained; they are fast. */
static zm_status start_from_times(const fit *f, double *u, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const zm_sample *s = f->sample;
    const double cell = s->place->ground->cell, most = log(100.0);
    const int32_t rows = s->window.rows, cols = s->window.cols;
    float *T = zm_block(&mem, f->n, sizeof(float));

    if (!T)
        return zm_fail(err, ZM_E_NOMEM, -1, "times of %zu cells", f->n);
    memcpy(T, s->truth, f->n * sizeof *T);
    for (size_t i = 0; i < s->n_sources; i++)
        T[(size_t)s->sources[i].row * (size_t)cols + (size_t)s->sources[i].col] = 0;
    for (int32_t row = 0; row < rows; row++)
        for (int32_t col = 0; col < cols; col++) {
            const size_t i = (size_t)(row * cols + col);
            const double slowness =
                isfinite(T[i]) ? zm_field_slowness_at(T, rows, cols, cell, row, col)
                               : s->duration / cell;

            u[i] = fmin(fmax(log(slowness / f->slowness), -most), most);
        }
    zm_release(&mem, T);
    return ZM_OK;
}

/* From a slowness that is nowhere right, first in log time, which brings the whole fire to
 * its speed; then in hours, which is what is judged. */
static zm_status minimise(fit *f, double *u, zm_error *err)
{
    const int32_t first = f->o.from_times ? 0 : f->o.iterations / 3;
    zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;
    zm_status st;

    o.max_iterations = first;
    o.memory = 20;
    f->loss.huber = HUGE_VAL;
    if (first && (st = zm_minimise(PLANES * f->n, evaluate, f, u, &o, NULL, err)) < 0)
        return st;
    f->loss.time = ZM_TIME_LINEAR;
    o.max_iterations = f->o.iterations - first;
    return zm_minimise(PLANES * f->n, evaluate, f, u, &o, NULL, err);
}

static void paste(const zm_sample *s, const double *T, int32_t cols, size_t n,
                  float *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = INFINITY;
    for (int32_t row = 0; row < s->window.rows; row++)
        for (int32_t col = 0; col < s->window.cols; col++)
            out[(size_t)(s->window.row + row) * (size_t)cols +
                (size_t)(s->window.col + col)] =
                (float)T[(size_t)row * (size_t)s->window.cols + (size_t)col];
}

zm_status zm_capacity_fit(const zm_scene *scene, size_t i, float *T, size_t *parameters,
                          const zm_capacity_opts *opts, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const zm_landscape *l = zm_scene_landscape(scene);
    const size_t n = (size_t)l->rows * (size_t)l->cols;
    zm_place place = { l, NULL };
    zm_sample *sample = NULL;
    fit f = { .loss = ZM_LOSS_OPTS_INIT, .o = ZM_CAPACITY_OPTS_INIT };
    double *u = NULL;
    zm_status st = ZM_OK;

    ZM_GO(zm_options_read(&f.o, sizeof f.o, opts, "zm_capacity_opts", err));
    if (i >= zm_scene_count(scene) || f.o.iterations < 1) {
        st = zm_fail(err, ZM_E_ARG, -1, "fire %zu of %zu, %d iterations (must be >= 1)",
                     i, zm_scene_count(scene), (int)f.o.iterations);
        goto done;
    }
    ZM_GO(zm_learn_terrain_create(&place.ground, l, err));
    ZM_GO(zm_scene_arrival(scene, i, T, err));
    ZM_GO(zm_sample_create(&sample, &place, zm_scene_fire(scene, i), T, 1, 1, err));
    for (size_t c = 0; c < zm_area_cells(sample->window);
         c++) /* rims too: each cell is free */
        if (isfinite(sample->high[c]) && sample->high[c] > 0)
            sample->weight[c] = l->cell * l->cell / sample->area;
    f.sample = sample;
    f.n = zm_area_cells(sample->window);
    f.slowness =
        1 / (f.o.rate > 0 ? f.o.rate : sqrt(sample->area / ZM_PI) / sample->duration);
    {
        const zm_grid grid = { sample->window.rows, sample->window.cols, l->cell,
                               l->cell };

        ZM_GO(zm_burn_create(&f.front, grid, false, ZM_STENCILS_FIXED, err));
    }
    if (!allocate(&f) || !(u = zm_zalloc(&mem, PLANES * f.n, sizeof(double)))) {
        st = zm_fail(err, ZM_E_NOMEM, -1, "parameters of %zu cells", f.n);
        goto done;
    }
    for (size_t c = 0; c < f.n; c++)
        f.targets[c] = isfinite(sample->truth[c]) != 0;
    if (f.o.from_times)
        ZM_GO(start_from_times(&f, u, err));
    ZM_GO(minimise(&f, u, err));
    ZM_GO(solve(&f, u, err));
    paste(sample, f.front->T, l->cols, n, T);
    if (parameters)
        *parameters = PLANES * f.n;
done:
    zm_release(&mem, u);
    release(&f);
    zm_sample_destroy(sample);
    zm_learn_terrain_destroy(place.ground);
    return st;
}

/* zm_train_monitor_fn, with the options as its context. */
static int tell_epoch(void *ctx, const zm_train_iteration *p)
{
    const zm_capacity_opts *o = ctx;

    return o->progress && o->progress(o->progress_ctx, (double)p->epoch / o->epochs);
}

/* What suits a single fire: the error in hours decides, nothing is held back for other fires. */
static zm_train_opts single_fire(zm_capacity_opts *o)
{
    zm_train_opts t = ZM_TRAIN_OPTS_INIT;

    t.loss.huber = 0.2;
    t.loss.time = ZM_TIME_LINEAR;
    t.score = ZM_TRAIN_RMSE;
    t.rate = o->learning_rate;
    t.average = 0.9;
    t.warm_up = 10;
    t.epochs = t.patience = o->epochs;
    t.plateau = o->epochs / 10 + 1;
    t.threads = o->threads;
    t.monitor = tell_epoch;
    t.monitor_ctx = o;
    return t;
}

zm_status zm_capacity_network(const zm_scene *scene, size_t i, float *T,
                              const zm_capacity_opts *opts, zm_error *err)
{
    zm_capacity_opts o = ZM_CAPACITY_OPTS_INIT;
    zm_model_opts m = ZM_MODEL_OPTS_INIT;
    zm_predict_opts p = ZM_PREDICT_OPTS_INIT;
    zm_model *model = NULL;
    zm_trainer *trainer = NULL;
    zm_train_opts t;
    zm_status st;

    ZM_GO(zm_options_read(&o, sizeof o, opts, "zm_capacity_opts", err));
    t = single_fire(&o);
    m.form = ZM_MODEL_PAPER;
    m.seed = o.seed;
    p.threads = o.threads;
    ZM_GO(zm_model_create(&model, &m, err));
    ZM_GO(zm_trainer_create(&trainer, model, err));
    ZM_GO(zm_trainer_add_one(trainer, scene, i, err));
    ZM_GO(zm_model_set_rate(model, zm_trainer_mean_rate(trainer), err));
    ZM_GO(zm_trainer_run(trainer, &t, err));
    ZM_GO(zm_model_predict(model, zm_scene_landscape(scene), zm_scene_fire(scene, i), T,
                           &p, err));
done:
    zm_trainer_destroy(trainer);
    zm_model_destroy(model);
    return st;
}
