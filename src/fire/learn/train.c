/* SPDX-License-Identifier: Apache-2.0
 * Training: epochs of Adam over batches, learning rate halved on plateaus, early stopping,
 * the best model kept, exact resume.
 *
 * Adam is zm_minimise, one batch an evaluation: it is run to the end of each epoch and
 * resumed with its own state, so a training that was interrupted goes on to the same bits. */
#define _POSIX_C_SOURCE 200809L /* stat */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/parallel.h"
#include "core/shown_name.h"
#include "fire/learn/trainer.h"

/* Settled enough to learn from: a thousandth or so of what it takes to cross a cell. */
static const double TOL = 1e-5;

typedef struct training {
    zm_trainer *trainer;
    zm_train_opts o;
    zm_batch_task task;
    zm_train_state state;
    zm_sample_list bands; /* of the fires, with temporal bands */
    const zm_sample_list *fires;
    zm_epoch_plan plan;
    size_t batches, next; /* of the epoch at hand */
    double loss;          /* sum over the batches done */
    int64_t failed;
    clock_t began;
    bool cancelled;
    double *minimiser, *best; /* state of zm_minimise; best parameters */
    size_t n_minimiser;
    int32_t followed; /* last step that is in the mean */
    double *x;
    double *mean; /* running mean of x */
} training;

void zm_train_opts_for(zm_model_form form, zm_train_opts *opts)
{
    const bool paper = form == ZM_MODEL_PAPER, physics = form == ZM_MODEL_PHYSICS;

    opts->rate = paper ? 3e-3 : physics ? 1e-3 : 2e-3;
    opts->batch = paper ? 4 : 8;
    opts->plateau = paper ? 6 : 4;
    opts->average = paper ? 0.95 : 0.99;
    opts->warm_up = paper ? 3 : 0;
    opts->shrink = physics ? 5e-4 : 0;
}

static double seconds_since(clock_t began)
{
    return (double)(clock() - began) / CLOCKS_PER_SEC;
}

/* Within an epoch there is no validation and no score yet: v is NULL and the score NAN. */
static bool report(training *t, const zm_validation *v, double score)
{
    const zm_train_iteration p = {
        .epoch = (int32_t)t->state.epoch + !v,
        .batch = (int32_t)t->next,
        .batches = (int32_t)t->batches,
        .loss = t->loss / (double)(t->next ? t->next : 1),
        .rate = t->state.rate,
        .seconds = seconds_since(t->began),
        .correlation = v ? v->correlation : NAN,
        .iou50 = v ? v->iou50 : NAN,
        .iou100 = v ? v->iou100 : NAN,
        .relative_rmse = v ? v->relative_rmse : NAN,
        .score = score,
        .best = t->state.best,
        .best_epoch = (int32_t)t->state.best_epoch,
        .failed = t->failed,
    };

    return t->o.monitor && t->o.monitor(t->o.monitor_ctx, &p);
}

static bool all_finite(double value, const double *gradient, size_t n)
{
    bool finite = isfinite(value) != 0;

    for (size_t i = 0; i < n; i++)
        finite &= isfinite(gradient[i]) != 0;
    return finite;
}

/* zm_objective_fn: the next batch, mean over its fires. */
static zm_status evaluate(void *ctx, const double *x, double *value, double *gradient)
{
    training *t = ctx;
    const size_t b = t->next;
    const size_t first = b < t->plan.batches ? t->plan.first[b] : 0;
    const size_t n = b < t->plan.batches ? t->plan.first[b + 1] - first : 0;
    const size_t parameters = t->trainer->model->n_parameters;
    zm_batch_result result;

    if (n ==
        0) /* the minimiser asks for more than an epoch has: its state is another's */
        return ZM_E_STATE;
    memset(gradient, 0, parameters * sizeof *gradient);
    t->task.parameters = x;
    zm_mlp_load(t->task.head, x + zm_model_head_at(t->trainer->model));
    ZM_TRY(zm_train_batch_loss(&t->task, t->plan.order + first, n, gradient, NULL,
                               &result, NULL));
    for (size_t i = 0; i < parameters; i++)
        gradient[i] /= (double)n;
    *value = result.loss / (double)n;
    if (!all_finite(*value, gradient, parameters))
        return ZM_E_ARG; /* the same batch again, with a shorter step */
    t->loss += *value;
    t->failed += result.failed;
    t->next++;
    if (t->next < t->batches && report(t, NULL, NAN)) {
        t->next--;
        t->cancelled = true;
        return ZM_E_CANCELLED;
    }
    return ZM_OK;
}

/* zm_minimise_monitor_fn: the running mean follows; at first it forgets faster. */
static int follow(void *ctx, const zm_minimise_iteration *p)
{
    training *t = ctx;
    const double steps = p->iteration,
                 decay = fmin(t->o.average, (1 + steps) / (10 + steps));

    if (p->iteration <= t->followed) /* a resumed run reports where it stands */
        return 0;
    t->followed = p->iteration;
    for (size_t i = 0; i < t->trainer->model->n_parameters; i++)
        t->mean[i] += (1 - decay) * (p->x[i] - t->mean[i]);
    return 0;
}

/* Of the epoch that begins: in the first ones it rises evenly. */
static double rate_now(const training *t)
{
    return t->state.rate * fmin(1, (t->state.epoch + 1) / (t->o.warm_up + 1.0));
}

static zm_minimise_opts adam(training *t)
{
    zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;
    const double done = t->state.epoch * (double)t->batches;

    o.method = ZM_METHOD_ADAM;
    o.rate = rate_now(t);
    o.clip = t->o.clip;
    o.max_evaluations = INT32_MAX;
    o.max_iterations =
        (int32_t)(done + (double)t->batches) - 1; /* the start counts one */
    o.state = t->minimiser;
    o.monitor = follow;
    o.resume = t->state.epoch > 0;
    return o;
}

static zm_status run_epoch(training *t, zm_error *err)
{
    zm_minimise_opts o = adam(t);
    zm_status st;

    ZM_TRY(zm_epoch_plan_make(&t->plan, t->fires, (size_t)t->o.batch, t->o.seed,
                              (uint64_t)t->state.epoch, err));
    t->next = 0;
    t->loss = 0;
    t->failed = 0;
    t->began = clock();
    st = zm_minimise(t->trainer->model->n_parameters, evaluate, t, t->x, &o, NULL, err);
    zm_epoch_plan_free(&t->plan);
    if (st >= 0 && t->next < t->batches)
        return zm_fail(
            err, ZM_E_STATE, -1,
            "the training diverges: in epoch %g, batch %zu of %zu, no step gives a "
            "loss "
            "that is finite, at rate %g; train with a smaller rate.  The best model so "
            "far is kept",
            t->state.epoch + 1, t->next + 1, t->batches, o.rate);
    t->state.epoch += st >= 0;
    return st;
}

static double score_of(const training *t, const zm_validation *v)
{
    switch (t->o.score) {
    case ZM_TRAIN_CORRELATION:
        return v->correlation;
    case ZM_TRAIN_IOU:
        return v->iou50;
    case ZM_TRAIN_RMSE:
        return -v->relative_rmse;
    case ZM_TRAIN_END:
        return 0.5 * (v->correlation + v->iou100);
    default:
        return 0.5 * (v->correlation + v->iou50);
    }
}

/* Without validation fires the lowest loss is the best. */
static zm_status judge(training *t, zm_validation *v, double *score, zm_error *err)
{
    const zm_sample_list *fires = &t->trainer->validate;

    *v = (zm_validation){ NAN, NAN, NAN, NAN };
    *score = -t->loss / (double)t->batches;
    if (!fires->n)
        return ZM_OK;
    t->task.parameters = t->mean;
    zm_mlp_load(t->task.head, t->mean + zm_model_head_at(t->trainer->model));
    ZM_TRY(zm_train_validate(&t->task, fires, v, err));
    *score = score_of(t, v);
    return ZM_OK;
}

static zm_status keep_best(training *t, double score, zm_error *err)
{
    zm_model *m = t->trainer->model;

    t->state.best = score;
    t->state.best_epoch = t->state.epoch;
    t->state.waited = 0;
    memcpy(t->best, t->mean, m->n_parameters * sizeof *t->best);
    memcpy(m->parameters, t->mean, m->n_parameters * sizeof *t->best);
    return t->o.model_path ? zm_model_save(m, t->o.model_path, t->o.note, err) : ZM_OK;
}

static zm_status after_epoch(training *t, bool *stop, zm_error *err)
{
    zm_validation v;
    double score;
    zm_status st;

    ZM_TRY(judge(t, &v, &score, err));
    if (score > t->state.best) {
        if ((st = keep_best(t, score, err)) < 0)
            return st;
    } else if (++t->state.waited >= t->o.plateau) {
        t->state.rate *= 0.5;
        t->state.waited = 0;
    }
    if (t->o.state_path &&
        (st = zm_train_state_save(t->o.state_path, &t->state, t->minimiser,
                                  t->n_minimiser, t->best, t->mean,
                                  t->trainer->model->n_parameters, err)) < 0)
        return st;
    t->next = t->batches;
    t->cancelled = report(t, &v, score);
    *stop = t->state.epoch - t->state.best_epoch >= t->o.patience;
    return ZM_OK;
}

static zm_status check(const zm_trainer *trainer, const zm_train_opts *o, zm_error *err)
{
    if (!trainer->train.n && trainer->in_patches)
        return zm_fail(
            err, ZM_E_ARG, -1,
            "no fire has a patch of %d cells a side with %lld or more burned",
            (int)trainer->patches.side, (long long)trainer->patches.min_burned);
    if (!trainer->train.n)
        return zm_fail(err, ZM_E_ARG, -1, "no fires to train with");
    if (trainer->in_patches && o->band_width > 0)
        return zm_fail(err, ZM_E_ARG, -1,
                       "bands of patches: band_width = %g, must be 0 with patches",
                       o->band_width);
    if (!(o->rate > 0 && isfinite(o->rate)) || !(o->clip > 0))
        return zm_fail(err, ZM_E_ARG, -1, "rate = %g, clip = %g, must be > 0", o->rate,
                       o->clip);
    if (o->threads < 1)
        return zm_fail(err, ZM_E_ARG, -1, "threads = %d, must be >= 1",
                       (int)o->threads);
    if (o->batch < 1 || o->epochs < 0 || o->patience < 1 || o->plateau < 1 ||
        o->warm_up < 0)
        return zm_fail(err, ZM_E_ARG, -1,
                       "batch %d, patience %d, plateau %d must be >= 1, epochs %d and "
                       "warm-up %d >= 0",
                       (int)o->batch, (int)o->patience, (int)o->plateau, (int)o->epochs,
                       (int)o->warm_up);
    if (!(o->average >= 0 && o->average < 1))
        return zm_fail(err, ZM_E_ARG, -1, "average = %g, must be in [0, 1)",
                       o->average);
    if (!(o->loss.huber > 0 && o->loss.offset > 0 && o->loss.censored >= 0))
        return zm_fail(
            err, ZM_E_ARG, -1,
            "loss: huber = %g and offset = %g must be > 0, censored = %g >= 0",
            o->loss.huber, o->loss.offset, o->loss.censored);
    if (!(o->tv_metric >= 0 && o->tv_drift >= 0))
        return zm_fail(err, ZM_E_ARG, -1,
                       "weights of total variation %g, %g: must be >= 0", o->tv_metric,
                       o->tv_drift);
    if (!(o->shrink >= 0) ||
        (trainer->model->form != ZM_MODEL_PHYSICS && o->shrink > 0))
        return zm_fail(err, ZM_E_ARG, -1,
                       "shrink = %g, must be >= 0, and 0 for forms other than physics",
                       o->shrink);
    if (trainer->model->form == ZM_MODEL_PHYSICS &&
        (o->tv_metric > 0 || o->tv_drift > 0))
        return zm_fail(
            err, ZM_E_ARG, -1,
            "total variation %g, %g: must be 0 for physics, which has shrink",
            o->tv_metric, o->tv_drift);
    if (!(o->band_width >= 0 && o->band_width <= 1) ||
        (o->band_width > 0 && !(o->band_stride >= 0.001 && o->band_stride <= 1)))
        return zm_fail(
            err, ZM_E_ARG, -1,
            "bands of %g every %g, must be in (0, 1], the second 0.001 or more",
            o->band_width, o->band_stride);
    return ZM_OK;
}

static void set_censored(const zm_sample_list *fires, double censored)
{
    for (size_t i = 0; i < fires->n; i++) {
        zm_sample *s = fires->items[i];
        const double cell2 = s->place->ground->cell * s->place->ground->cell;

        for (size_t c = 0; c < zm_area_cells(s->window); c++)
            if (!isfinite(s->high[c]) && s->weight[c] > 0)
                s->weight[c] = censored * cell2 / s->area;
    }
}

/* Bands [t_k, t_k + width T_max], t_k every stride T_max, of each fire. */
static zm_status make_bands(training *t, zm_error *err)
{
    const zm_sample_list *fires = &t->trainer->train;

    for (size_t i = 0; i < fires->n; i++) {
        const zm_sample *s = fires->items[i];
        double latest = 0;

        for (size_t c = 0; c < zm_area_cells(s->window); c++)
            if (isfinite(s->truth[c]))
                latest = fmax(latest, (double)s->truth[c]);
        for (double from = 0; from + t->o.band_width <= 1 + 1e-9;
             from += t->o.band_stride) {
            zm_sample *band;
            zm_status st = zm_sample_band(&band, s, from * latest,
                                          (from + t->o.band_width) * latest, err);

            if (st == ZM_E_ARG) /* nothing burns then */
                continue;
            if (st < 0 || (st = zm_sample_list_add(&t->bands, band, err)) < 0)
                return st;
        }
    }
    return t->bands.n ? ZM_OK
                      : zm_fail(err, ZM_E_ARG, -1, "no band in which fires burn");
}

static bool allocate(training *t)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const size_t n = t->trainer->model->n_parameters;
    const zm_minimise_opts o = adam(t);

    t->n_minimiser = zm_minimise_state_size(n, &o);
    t->minimiser = zm_zalloc(&mem, t->n_minimiser, sizeof(double));
    t->best = zm_zalloc(&mem, n, sizeof(double));
    t->x = zm_zalloc(&mem, n, sizeof(double));
    t->mean = zm_zalloc(&mem, n, sizeof(double));
    return t->minimiser && t->best && t->x && t->mean;
}

/* From the model as it is, or from where a training before has stopped. */
static zm_status begin(training *t, zm_error *err)
{
    zm_model *m = t->trainer->model;
    const zm_train_state task = zm_train_task(t->trainer, t->fires, &t->o);
    const bool old =
        t->o.resume && t->o.state_path && zm_file_exists(t->o.state_path);
    zm_status st;

    t->state = task;
    memcpy(t->x, m->parameters, m->n_parameters * sizeof *t->x);
    memcpy(t->best, m->parameters, m->n_parameters * sizeof *t->x);
    memcpy(t->mean, m->parameters, m->n_parameters * sizeof *t->x);
    if (!old)
        return ZM_OK;
    st = zm_train_state_load(t->o.state_path, &t->state, t->minimiser, t->n_minimiser,
                             t->best, t->mean, m->n_parameters, err);
    if (st >= 0)
        st = zm_train_task_check(t->o.state_path, &t->state, &task, err);
    if (st >= 0 && (t->state.epoch + 1) * (double)t->batches > INT32_MAX)
        st = zm_fail(err, ZM_E_FORMAT, -1, "%s: %g epochs of %zu batches: no training is so long",
                     zm_shown_name(t->o.state_path), t->state.epoch, t->batches);
    if (st >= 0)
        t->followed = (int32_t)(t->state.epoch * (double)t->batches) - 1;
    return st;
}

static zm_status run(training *t, zm_error *err)
{
    bool stop = false;
    zm_status st = ZM_OK;

    while (st >= 0 && !stop && !t->cancelled && t->state.epoch < t->o.epochs) {
        st = run_epoch(t, err);
        if (st >= 0)
            st = after_epoch(t, &stop, err);
    }
    if (st >= 0 && t->cancelled)
        st = zm_fail(err, ZM_E_CANCELLED, -1, "stopped after epoch %d",
                     (int)t->state.epoch);
    return st;
}

/* The best model is written again and again: a pipe would wait for a reader each time. */
static zm_status check_model_path(const char *path, zm_error *err)
{
    struct stat info;

    if (path && stat(path, &info) == 0 && S_ISFIFO(info.st_mode))
        return zm_fail(
            err, ZM_E_IO, -1,
            "%s: a pipe, must be a regular file, as the best model is written "
            "to it again and again",
            zm_shown_name(path));
    return ZM_OK;
}

zm_status zm_trainer_run(zm_trainer *trainer, const zm_train_opts *opts, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    training t = { .trainer = trainer, .o = ZM_TRAIN_OPTS_INIT };
    zm_model *m = trainer->model;
    zm_status st = ZM_OK;

    ZM_GO(zm_options_read(&t.o, sizeof t.o, opts, "zm_train_opts", err));
    ZM_GO(check(trainer, &t.o, err));
    ZM_GO(check_model_path(t.o.model_path, err));
    t.task = (zm_batch_task){ .model = m,
                              .make = ZM_NET_FAST,
                              .loss = t.o.loss,
                              .tv_metric = t.o.tv_metric,
                              .tv_drift = t.o.tv_drift,
                              .tol = TOL,
                              .threads = t.o.threads,
                              .shrink = t.o.shrink };
    set_censored(&trainer->train, t.o.loss.censored);
    t.fires = t.o.band_width > 0 ? &t.bands : &trainer->train;
    if (t.o.band_width > 0)
        ZM_GO(make_bands(&t, err));
    t.batches = zm_epoch_batches(t.fires, (size_t)t.o.batch);
    t.state.rate = t.o.rate;
    if (!allocate(&t)) {
        st =
            zm_fail(err, ZM_E_NOMEM, -1, "training of %zu parameters", m->n_parameters);
        goto done;
    }
    ZM_GO(zm_field_head_create(&t.task.head, m, ZM_NET_FAST, err));
    ZM_GO(begin(&t, err));
    {
        const int32_t before = zm_parallel_limit(t.o.threads);

        st = run(&t, err);
        zm_parallel_limit(before);
    }
    memcpy(m->parameters, t.best, m->n_parameters * sizeof *t.best);
done:
    zm_mlp_destroy(t.task.head);
    zm_sample_list_free(&t.bands);
    zm_release(&mem, t.minimiser);
    zm_release(&mem, t.best);
    zm_release(&mem, t.x);
    zm_release(&mem, t.mean);
    return st;
}
