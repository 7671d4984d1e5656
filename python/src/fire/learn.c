/* SPDX-License-Identifier: Apache-2.0
 * zermelo._fire.Model: a learned model, and its predictions. */
#include "learn.h"

#include <math.h>

#if defined(ZM_WITH_LEARN)

static PyObject *model_new(const fire_state *state, zm_model *model)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(state->model_type, Py_tp_alloc);
    model_object *m = (model_object *)allocate(state->model_type, 0);

    if (m) {
        m->state = state;
        m->model = model;
    } else {
        zm_model_destroy(model);
    }
    return (PyObject *)m;
}

/* model_load(path) -> Model */
static PyObject *model_load(PyObject *module, PyObject *args)
{
    const fire_state *state = fire_state_of(module);
    zm_model *model = NULL;
    const char *path;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "s", &path))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = zm_model_load(path, &model, &err);
    Py_END_ALLOW_THREADS;
    return status_passes(&state->core, status, &err, 0) ? model_new(state, model)
                                                        : NULL;
}

static void model_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    zm_model_destroy(((model_object *)self)->model);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* facts() -> (form, parameters) */
static PyObject *model_facts(PyObject *self, PyObject *args)
{
    const model_object *m = (const model_object *)self;

    (void)args;
    return Py_BuildValue("(in)", (int)zm_model_form_of(m->model),
                         (Py_ssize_t)zm_model_parameters(m->model));
}

/* save(path, note or None) */
static PyObject *model_save(PyObject *self, PyObject *args)
{
    const model_object *m = (const model_object *)self;
    const char *path, *note;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "sz", &path, &note))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = zm_model_save(m->model, path, note, &err);
    Py_END_ALLOW_THREADS;
    return fire_none_if(m->state, status, &err, 0);
}

/* From the cells of `start` where there are any. */
static zm_status run(const model_object *m, const ground_object *g,
                     const fire_input *in, const float *start, float *T,
                     const zm_predict_opts *opts, zm_error *err)
{
    if (in->observed)
        return zm_model_predict_observed(m->model, in->observed, T, opts, err);
    return start ? zm_model_predict_from(m->model, g->land, &in->fire, start, T, opts,
                                         err)
                 : zm_model_predict(m->model, g->land, &in->fire, T, opts, err);
}

/* Hours in the cells of the sources, INFINITY elsewhere; to be freed. */
static bool start_plane(const ground_object *g, const fire_input *in, float **out)
{
    const size_t cells = ground_cells(g);

    *out = NULL;
    if (!in->sources)
        return true;
    if (!(*out = PyMem_Calloc(cells, sizeof **out))) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < cells; i++)
        (*out)[i] = INFINITY;
    for (size_t i = 0; i < in->n_sources; i++) {
        const zm_source *s = &in->sources[i];

        if (!(s->row >= 0 && s->row < g->land->rows && s->col >= 0 &&
              s->col < g->land->cols)) {
            PyErr_SetString(PyExc_ValueError, "a source is outside the landscape");
            return false;
        }
        (*out)[(size_t)s->row * (size_t)g->land->cols + (size_t)s->col] =
            (float)s->time;
    }
    return true;
}

/* predict(ground, fire, sources, t_max, threads, T) -> t_max: writes T.  t_max <= 0: as far as maps
 * of this fire go */
static PyObject *model_predict(PyObject *self, PyObject *args)
{
    const model_object *m = (const model_object *)self;
    zm_predict_opts opts = ZM_PREDICT_OPTS_INIT;
    const ground_object *g;
    PyObject *o[4];
    fire_input in;
    float *start = NULL;
    int threads;
    Py_buffer T;
    zm_status status;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "OO!OdiO", &o[0], &PyTuple_Type, &o[1], &o[2],
                          &opts.t_max, &threads, &o[3]) ||
        !(g = ground_of(m->state, o[0])) || !ground_plane_open(g, o[3], &T, true, "T"))
        return NULL;
    opts.threads = threads;
    ok = fire_input_take(&in, g, o[1], o[2]) && start_plane(g, &in, &start);
    if (ok) {
        if (!(opts.t_max > 0))
            opts.t_max = in.observed ? INFINITY : zm_model_map_end(m->model, &in.fire);
        Py_BEGIN_ALLOW_THREADS;
        status = run(m, g, &in, start, T.buf, &opts, &err);
        Py_END_ALLOW_THREADS;
        ok = status_passes(&m->state->core, status, &err, g->land->cols);
    }
    PyMem_Free(start);
    fire_input_free(&in);
    PyBuffer_Release(&T);
    return ok ? PyFloat_FromDouble(opts.t_max) : NULL;
}

static PyMethodDef methods[] = {
    { "facts", model_facts, METH_NOARGS, NULL },
    { "save", model_save, METH_VARARGS, NULL },
    { "predict", model_predict, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, "A learned model of fire spread." },
    { Py_tp_dealloc, (void *)model_dealloc },
    { Py_tp_methods, methods },
    { 0, NULL },
};

PyType_Spec model_spec = { .name = "zermelo._fire.Model",
                           .basicsize = sizeof(model_object),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
                                    Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           .slots = slots };

PyMethodDef learn_functions[] = {
    { "model_load", model_load, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

#endif
