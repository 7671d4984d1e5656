/* SPDX-License-Identifier: Apache-2.0
 * Training of models on the fires of scenes. */
#include "learn.h"

#include <math.h>

#if defined(ZM_WITH_LEARN)

/* What a training was asked for. */
typedef struct request {
    PyObject *grounds; /* a list of Ground */
    const char *from, *model_path, *state_path;
    zm_model_opts model;
    zm_train_opts train;
    zm_patch_opts patch; /* side 0: no patches */
    Py_ssize_t most;
    callback watch;
} request;

/* (form, seed, rate, layers, channels, hidden, hourly, prior, stencils, front); rate <= 0: the mean
 * of the fires */
static bool model_opts_take(zm_model_opts *o, PyObject *tuple)
{
    int form, layers, channels, hidden, hourly, prior, stencils, front;
    unsigned long long seed;

    *o = (zm_model_opts)ZM_MODEL_OPTS_INIT;
    if (!PyArg_ParseTuple(tuple, "iKdiiippii", &form, &seed, &o->rate, &layers,
                          &channels, &hidden, &hourly, &prior, &stencils, &front))
        return false;
    o->form = (zm_model_form)form;
    o->seed = seed;
    o->layers = layers;
    o->channels = channels;
    o->hidden = hidden;
    o->hourly = hourly;
    o->prior = prior;
    o->stencils = (zm_stencil_choice)stencils;
    o->front = (zm_front_kind)front;
    return true;
}

/* What is chosen; below 0: as suits the form. */
typedef struct by_form {
    double rate, average, shrink;
    int batch, plateau, warm_up;
} by_form;

static void choose(zm_train_opts *o, const by_form *c)
{
    if (c->rate >= 0)
        o->rate = c->rate;
    if (c->average >= 0)
        o->average = c->average;
    if (c->shrink >= 0)
        o->shrink = c->shrink;
    if (c->batch >= 0)
        o->batch = c->batch;
    if (c->plateau >= 0)
        o->plateau = c->plateau;
    if (c->warm_up >= 0)
        o->warm_up = c->warm_up;
}

/* (loss, censored, tv_metric, tv_drift, shrink, rate, clip, average, batch, epochs, patience,
 * plateau, warm_up, score, seed, band_width, band_stride, resume, threads) */
static bool train_opts_take(zm_train_opts *o, zm_model_form form, PyObject *tuple)
{
    int loss, epochs, patience, score, resume, threads;
    unsigned long long seed;
    by_form chosen;
    double censored;

    *o = (zm_train_opts)ZM_TRAIN_OPTS_INIT;
    zm_train_opts_for(form, o);
    if (!PyArg_ParseTuple(tuple,
                          "iddddddd"
                          "iiiiiiK"
                          "ddpi",
                          &loss, &censored, &o->tv_metric, &o->tv_drift, &chosen.shrink,
                          &chosen.rate, &o->clip, &chosen.average, &chosen.batch,
                          &epochs, &patience, &chosen.plateau, &chosen.warm_up, &score,
                          &seed, &o->band_width, &o->band_stride, &resume, &threads))
        return false;
    zm_loss_opts_for((zm_loss_kind)loss, &o->loss);
    if (censored >= 0)
        o->loss.censored = censored;
    choose(o, &chosen);
    o->epochs = epochs;
    o->patience = patience;
    o->score = (zm_train_score)score;
    o->seed = seed;
    o->resume = resume;
    o->threads = threads;
    return true;
}

static int on_iteration(void *ctx, const zm_train_iteration *i)
{
    return callback_call(ctx, "(iiidddddddddiL)", (int)i->epoch, (int)i->batch,
                         (int)i->batches, i->loss, i->rate, i->seconds, i->correlation,
                         i->iou50, i->iou100, i->relative_rmse, i->score, i->best,
                         (int)i->best_epoch, (long long)i->failed);
}

/* ---- the training ----------------------------------------------------------------- */

static zm_status add_fires(zm_trainer *trainer, const request *r,
                           const ground_object *const *grounds, size_t n, zm_error *err)
{
    zm_status st = ZM_OK;

    if (r->patch.side)
        st = zm_trainer_set_patches(trainer, &r->patch, err);
    for (size_t i = 0; st >= 0 && i < n; i++)
        st = grounds[i]->observed
                 ? zm_trainer_add_observed(trainer, grounds[i]->observed, err)
                 : zm_trainer_add(trainer, grounds[i]->scene, ZM_SPLIT_TRAIN,
                                  ZM_SPLIT_VAL, (size_t)r->most, err);
    return st;
}

/* Without the GIL: the model, trained, or NULL. */
static zm_status run(const request *r, const ground_object *const *grounds, size_t n,
                     size_t counts[2], zm_error *err)
{
    const bool mean_rate = !r->from && !(r->model.rate > 0);
    zm_model_opts model_opts = r->model;
    zm_model *model = NULL;
    zm_trainer *trainer = NULL;
    zm_status st;

    if (mean_rate) /* known when the fires are */
        model_opts.rate = ((zm_model_opts)ZM_MODEL_OPTS_INIT).rate;
    st = r->from ? zm_model_load(r->from, &model, err)
                 : zm_model_create(&model, &model_opts, err);
    if (st >= 0)
        st = zm_trainer_create(&trainer, model, err);
    if (st >= 0)
        st = add_fires(trainer, r, grounds, n, err);
    if (st >= 0 && mean_rate)
        st = zm_trainer_set_mean_rate(trainer, err);
    if (st >= 0) {
        counts[0] = zm_trainer_fires(trainer);
        counts[1] = zm_trainer_samples(trainer);
        st = zm_trainer_run(trainer, &r->train, err);
    }
    zm_trainer_destroy(trainer);
    zm_model_destroy(model);
    return st;
}

static const ground_object **grounds_take(const fire_state *state, PyObject *list,
                                          size_t *n)
{
    const ground_object **grounds;

    *n = (size_t)PyList_Size(list);
    grounds = PyMem_Calloc(*n + 1, sizeof *grounds);
    if (!grounds)
        PyErr_NoMemory();
    for (size_t i = 0; grounds && i < *n; i++)
        if (!(grounds[i] = ground_of(state, PyList_GetItem(list, (Py_ssize_t)i)))) {
            PyMem_Free(grounds);
            return NULL;
        }
    return grounds;
}

/* The form that the options go by: of the model to start from, or of the new one. */
static bool form_of(const fire_state *state, const request *r, zm_model_form *form)
{
    zm_model *model = NULL;
    zm_status status;
    zm_error err;

    *form = r->model.form;
    if (!r->from)
        return true;
    Py_BEGIN_ALLOW_THREADS;
    status = zm_model_load(r->from, &model, &err);
    Py_END_ALLOW_THREADS;
    if (model)
        *form = zm_model_form_of(model);
    zm_model_destroy(model);
    return status_passes(&state->core, status, &err, 0);
}

/* train([ground, ...], from or None, model_path, state_path or None, most, model, train, (side,
 * stride), monitor) -> (fires, samples) */
static PyObject *train(PyObject *module, PyObject *args)
{
    const fire_state *state = fire_state_of(module);
    request r = { .patch = ZM_PATCH_OPTS_INIT };
    const ground_object **grounds;
    PyObject *of_model, *of_training, *monitor, *list;
    size_t n, counts[2] = { 0, 0 };
    zm_model_form form;
    int side, stride;
    zm_status status;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args,
                          "O!zszn"
                          "O!O!(ii)O",
                          &PyList_Type, &r.grounds, &r.from, &r.model_path,
                          &r.state_path, &r.most, &PyTuple_Type, &of_model,
                          &PyTuple_Type, &of_training, &side, &stride, &monitor) ||
        !model_opts_take(&r.model, of_model) || !form_of(state, &r, &form) ||
        !train_opts_take(&r.train, form, of_training))
        return NULL;
    r.patch.side = side;
    r.patch.stride = stride;
    r.watch = callback_of(monitor);
    r.train.model_path = r.model_path;
    r.train.state_path = r.state_path;
    r.train.monitor = on_iteration;
    r.train.monitor_ctx = &r.watch;
    /* a list of our own: nobody can take a landscape out of it while it is at work */
    if (!(list = PySequence_List(r.grounds)))
        return NULL;
    ok = (grounds = grounds_take(state, list, &n)) != NULL;
    if (ok) {
        callback_begin(&r.watch);
        status = run(&r, grounds, n, counts, &err);
        callback_end(&r.watch);
        ok = status_passes(&state->core, status, &err, 0);
    }
    PyMem_Free(grounds);
    Py_DECREF(list);
    return ok ? Py_BuildValue("(nn)", (Py_ssize_t)counts[0], (Py_ssize_t)counts[1])
              : NULL;
}

PyMethodDef train_functions[] = {
    { "train", train, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

#endif
