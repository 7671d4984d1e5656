/* SPDX-License-Identifier: Apache-2.0
 * zermelo._core.Inversion: metric and drift from observed times. */
#include "core.h"

typedef struct inversion_object {
    PyObject ob_base;
    const core_state *state;
    zm_inversion *handle;
    PyThread_type_lock lock; /* one thread at a time */
    zm_grid grid;
    callback watch;
    PyObject *monitor; /* owned; what `watch` calls */
} inversion_object;

static size_t cells_of(const inversion_object *v)
{
    return (size_t)v->grid.rows * (size_t)v->grid.cols;
}

static PyObject *none_if(const inversion_object *v, bool ok, zm_status status,
                         const zm_error *err)
{
    if (!ok || !status_passes(v->state, status, err, v->grid.cols))
        return NULL;
    Py_RETURN_NONE;
}

/* ---- making one ------------------------------------------------------------------- */

static bool parse(PyObject *args, inversion_object *v, zm_invert_opts *o)
{
    int rows, cols, threads, choice[7], max_iterations;
    long long max_solves;

    if (!PyArg_ParseTuple(args, "iiddi(iiiiiii)(ddddddddd)iLpO", &rows, &cols,
                          &v->grid.dy, &v->grid.dx, &threads, &choice[0], &choice[1],
                          &choice[2], &choice[3], &choice[4], &choice[5], &choice[6],
                          &o->eig_min, &o->eig_max, &o->rho, &o->huber, &o->eps,
                          &o->lambda, &o->chi2, &o->rate, &o->clip, &max_iterations,
                          &max_solves, &o->line_search, &v->monitor)) {
        v->monitor = NULL;
        return false;
    }
    Py_INCREF(v->monitor);
    v->grid.rows = rows;
    v->grid.cols = cols;
    v->watch = callback_of(v->monitor);
    o->threads = threads;
    o->unknown = (zm_unknown)choice[0];
    o->metric_map = (zm_metric_map)choice[1];
    o->drift_map = (zm_drift_map)choice[2];
    o->misfit = (zm_misfit_kind)choice[3];
    o->regulariser = (zm_reg_kind)choice[4];
    o->lambda_rule = (zm_lambda_rule)choice[5];
    o->method = (zm_invert_method)choice[6];
    o->max_iterations = max_iterations;
    o->max_solves = max_solves;
    o->monitor = callback_invert;
    o->monitor_ctx = &v->watch;
    return true;
}

/* Inversion(rows, cols, dy, dx, threads,
 *           (unknown, metric_map, drift_map, misfit, regulariser, lambda_rule, method),
 *           (eig_min, eig_max, rho, huber, eps, lambda, chi2, rate, clip),
 *           max_iterations, max_solves, line_search, monitor) */
static PyObject *inversion_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    inversion_object *v = (inversion_object *)allocate(type, 0);
    zm_invert_opts options = ZM_INVERT_OPTS_INIT;
    zm_error err;

    (void)keywords;
    if (!v)
        return NULL;
    v->state = PyType_GetModuleState(type);
    v->lock = PyThread_allocate_lock();
    if (!v->lock)
        PyErr_NoMemory();
    if (v->lock && parse(args, v, &options) &&
        status_passes(v->state,
                      zm_inversion_create(&v->handle, v->grid, &options, &err), &err,
                      v->grid.cols))
        return (PyObject *)v;
    Py_DECREF(v);
    return NULL;
}

static void inversion_dealloc(PyObject *self)
{
    inversion_object *v = (inversion_object *)self;
    PyTypeObject *type = Py_TYPE(self);

    zm_inversion_destroy(v->handle);
    Py_XDECREF(v->monitor);
    if (v->lock)
        PyThread_free_lock(v->lock);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* ---- data ------------------------------------------------------------------------- */

/* Opens an array of doubles unless it is None, which leaves *data NULL. */
static bool optional(PyObject *array, Py_buffer *view, size_t n, const double **data)
{
    *data = NULL;
    if (array == Py_None)
        return true;
    if (!array_open(array, view, 'd', n, false, "observations"))
        return false;
    *data = view->buf;
    return true;
}

/* add(sources, cells, times, upper, sigmas, sigma): (k, 3) doubles; n int64; n doubles each */
static PyObject *inversion_add(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    zm_experiment seen = ZM_EXPERIMENT_INIT;
    enum { SOURCES, CELLS, TIMES, UPPER, SIGMAS, ARRAYS };
    PyObject *o[ARRAYS];
    Py_buffer views[ARRAYS] = { { .obj = NULL } };
    zm_status status = ZM_OK;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "OOOOOnd", &o[0], &o[1], &o[2], &o[3], &o[4], &seen.n,
                          &seen.sigma))
        return NULL;
    ok = !PyObject_GetBuffer(o[SOURCES], &views[SOURCES], PyBUF_C_CONTIGUOUS) &&
         array_open(o[CELLS], &views[CELLS], 'q', seen.n, false, "cells") &&
         optional(o[TIMES], &views[TIMES], seen.n, &seen.times) &&
         optional(o[UPPER], &views[UPPER], seen.n, &seen.upper) &&
         optional(o[SIGMAS], &views[SIGMAS], seen.n, &seen.sigmas);
    if (ok) {
        PyThreadState *thread = lock_enter(v->lock);

        seen.sources = views[SOURCES].buf;
        seen.n_sources = (size_t)views[SOURCES].len / sizeof(zm_source);
        seen.cells = views[CELLS].buf;
        status = zm_inversion_add(v->handle, &seen, &err);
        lock_leave(v->lock, thread);
    }
    for (int i = 0; i < ARRAYS; i++)
        PyBuffer_Release(&views[i]);
    return none_if(v, ok, status, &err);
}

static PyObject *inversion_walls(PyObject *self, PyObject *walls)
{
    inversion_object *v = (inversion_object *)self;
    PyThreadState *thread;
    zm_status status;
    Py_buffer view;
    zm_error err;

    if (!array_open(walls, &view, 'B', cells_of(v), false, "walls"))
        return NULL;
    thread = lock_enter(v->lock);
    status = zm_inversion_walls(v->handle, view.buf, &err);
    lock_leave(v->lock, thread);
    PyBuffer_Release(&view);
    return none_if(v, true, status, &err);
}

/* field(start, G, b): what is known (0) or where to start (1) */
static PyObject *inversion_field(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    planes G = { .count = 0 }, b = { .count = 0 };
    PyObject *o[2];
    zm_status status = ZM_OK;
    zm_error err;
    int start;
    bool ok;

    if (!PyArg_ParseTuple(args, "pOO", &start, &o[0], &o[1]))
        return NULL;
    ok = planes_open(o[0], &G, &v->grid, ZM_F64, 1, false, "G") &&
         planes_open(o[1], &b, &v->grid, ZM_F64, 1, false, "b");
    if (ok) {
        const metric_planes m = planes_metric(&G, 0);
        const zm_metric metric = {
            ZM_F64, m.g11, m.g12, m.g22, planes_at(&b, 0, 0), planes_at(&b, 0, 1)
        };
        PyThreadState *thread = lock_enter(v->lock);

        status = start ? zm_inversion_start(v->handle, &metric, &err)
                       : zm_inversion_known(v->handle, &metric, &err);
        lock_leave(v->lock, thread);
    }
    planes_close(&b);
    planes_close(&G);
    return none_if(v, ok, status, &err);
}

/* ---- run and results -------------------------------------------------------------- */

static PyObject *inversion_run(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    PyThreadState *thread = lock_enter(v->lock);
    zm_error err;
    const zm_status status = zm_invert_run(v->handle, &err);

    (void)args;
    lock_leave(v->lock, thread);
    return none_if(v, true, status, &err);
}

/* report() -> method, stop, experiments, observations, iterations, solves, products,
 * coarse_solves, chi2, misfit, lambda, regulariser, slowness */
static PyObject *inversion_report(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    PyThreadState *thread = lock_enter(v->lock);
    zm_invert_report r = ZM_INVERT_REPORT_INIT;

    (void)args;
    (void)zm_inversion_report(v->handle, &r, NULL); /* cannot fail */
    lock_leave(v->lock, thread);
    return Py_BuildValue("(iinniLLLddddd)", (int)r.method, (int)r.stop,
                         (Py_ssize_t)r.experiments, (Py_ssize_t)r.observations,
                         (int)r.iterations, (long long)r.solves, (long long)r.products,
                         (long long)r.coarse_solves, r.chi2, r.misfit, r.lambda,
                         r.regulariser, r.slowness);
}

/* history() -> list of (iteration, stage, solves, products, chi2, misfit, lambda, eps,
 * objective, step) */
static PyObject *inversion_history(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    size_t count;
    const zm_invert_iteration *h = zm_inversion_history(v->handle, &count);
    PyObject *list = PyList_New((Py_ssize_t)count);

    (void)args;
    for (size_t i = 0; list && i < count; i++) {
        PyObject *row = Py_BuildValue("(iiLLdddddd)", (int)h[i].iteration,
                                      (int)h[i].stage, (long long)h[i].solves,
                                      (long long)h[i].products, h[i].chi2, h[i].misfit,
                                      h[i].lambda, h[i].eps, h[i].objective, h[i].step);

        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row))
            Py_CLEAR(list);
    }
    return list;
}

/* Five planes to write, of arrays (3, rows, cols) and (2, rows, cols). */
static bool open_result(const inversion_object *v, PyObject *const o[2], planes *G,
                        planes *b, zm_metric_out *out)
{
    metric_planes m;

    if (!planes_open(o[0], G, &v->grid, ZM_F64, 1, true, "G") ||
        !planes_open(o[1], b, &v->grid, ZM_F64, 1, true, "b"))
        return false;
    m = planes_metric(G, 0);
    *out =
        (zm_metric_out){ m.g11, m.g12, m.g22, planes_at(b, 0, 0), planes_at(b, 0, 1) };
    return true;
}

/* metric(G, b): writes both */
static PyObject *inversion_metric(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    planes G = { .count = 0 }, b = { .count = 0 };
    zm_metric_out out;
    PyObject *o[2];
    zm_status status = ZM_OK;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "OO", &o[0], &o[1]))
        return NULL;
    ok = open_result(v, o, &G, &b, &out);
    if (ok) {
        PyThreadState *thread = lock_enter(v->lock);

        status = zm_inversion_metric(v->handle, &out, &err);
        lock_leave(v->lock, thread);
    }
    planes_close(&b);
    planes_close(&G);
    return none_if(v, ok, status, &err);
}

/* std(G, b, samples, seed, tolerance): writes the first two */
static PyObject *inversion_std(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    zm_invert_std_opts options = ZM_INVERT_STD_OPTS_INIT;
    planes G = { .count = 0 }, b = { .count = 0 };
    zm_metric_out out;
    PyObject *o[2];
    unsigned long long seed;
    zm_status status = ZM_OK;
    zm_error err;
    int samples;
    bool ok;

    if (!PyArg_ParseTuple(args, "OOiKd", &o[0], &o[1], &samples, &seed,
                          &options.tolerance))
        return NULL;
    options.samples = samples;
    options.seed = seed;
    ok = open_result(v, o, &G, &b, &out);
    if (ok) {
        PyThreadState *thread = lock_enter(v->lock);

        status = zm_invert_std(v->handle, &out, &options, &err);
        lock_leave(v->lock, thread);
    }
    planes_close(&b);
    planes_close(&G);
    return none_if(v, ok, status, &err);
}

/* times(experiment, T): writes T */
static PyObject *inversion_times(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    PyObject *array;
    PyThreadState *thread;
    Py_ssize_t experiment;
    zm_status status;
    Py_buffer T;
    zm_error err;

    if (!PyArg_ParseTuple(args, "nO", &experiment, &array) ||
        !array_open(array, &T, 'd', cells_of(v), true, "T"))
        return NULL;
    thread = lock_enter(v->lock);
    status = zm_inversion_times(v->handle, (size_t)experiment, T.buf, &err);
    lock_leave(v->lock, thread);
    PyBuffer_Release(&T);
    return none_if(v, true, status, &err);
}

/* lcurve(lambdas) -> (list of (lambda, chi2, misfit, regulariser, solves), corner) */
static PyObject *inversion_lcurve(PyObject *self, PyObject *lambdas)
{
    inversion_object *v = (inversion_object *)self;
    zm_lcurve_point *curve;
    PyObject *list = NULL;
    PyThreadState *thread;
    size_t n, corner = 0;
    zm_status status;
    Py_buffer view;
    zm_error err;

    if (PyObject_GetBuffer(lambdas, &view, PyBUF_C_CONTIGUOUS))
        return NULL;
    n = (size_t)view.len / sizeof(double);
    curve = PyMem_Calloc(n + 1, sizeof *curve);
    if (!curve) {
        PyBuffer_Release(&view);
        return PyErr_NoMemory();
    }
    thread = lock_enter(v->lock);
    status = zm_invert_lcurve(v->handle, view.buf, n, curve, &corner, &err);
    lock_leave(v->lock, thread);
    PyBuffer_Release(&view);
    if (status_passes(v->state, status, &err, v->grid.cols))
        list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *row =
            Py_BuildValue("(ddddL)", curve[i].lambda, curve[i].chi2, curve[i].misfit,
                          curve[i].regulariser, (long long)curve[i].solves);

        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row))
            Py_CLEAR(list);
    }
    PyMem_Free(curve);
    return list ? Py_BuildValue("(Nn)", list, (Py_ssize_t)corner) : NULL;
}

/* save() -> bytearray of doubles */
static PyObject *inversion_save(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    const size_t n = zm_inversion_state_size(v->handle);
    double *state = PyMem_Calloc(n + 1, sizeof *state);
    PyObject *result = NULL;
    zm_error err;

    (void)args;
    if (!state)
        return PyErr_NoMemory();
    if (status_passes(v->state, zm_inversion_save(v->handle, state, &err), &err, 0))
        result = PyByteArray_FromStringAndSize((const char *)state,
                                               (Py_ssize_t)(n * sizeof *state));
    PyMem_Free(state);
    return result;
}

static PyObject *inversion_load(PyObject *self, PyObject *state)
{
    inversion_object *v = (inversion_object *)self;
    zm_status status;
    Py_buffer view;
    zm_error err;

    if (PyObject_GetBuffer(state, &view, PyBUF_C_CONTIGUOUS))
        return NULL;
    status =
        zm_inversion_load(v->handle, view.buf, (size_t)view.len / sizeof(double), &err);
    PyBuffer_Release(&view);
    return none_if(v, true, status, &err);
}

static PyMethodDef methods[] = {
    { "add", inversion_add, METH_VARARGS, NULL },
    { "walls", inversion_walls, METH_O, NULL },
    { "field", inversion_field, METH_VARARGS, NULL },
    { "run", inversion_run, METH_NOARGS, NULL },
    { "report", inversion_report, METH_NOARGS, NULL },
    { "history", inversion_history, METH_NOARGS, NULL },
    { "metric", inversion_metric, METH_VARARGS, NULL },
    { "std", inversion_std, METH_VARARGS, NULL },
    { "times", inversion_times, METH_VARARGS, NULL },
    { "lcurve", inversion_lcurve, METH_O, NULL },
    { "save", inversion_save, METH_NOARGS, NULL },
    { "load", inversion_load, METH_O, NULL },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, "An inverse problem and how far it has been solved." },
    { Py_tp_new, (void *)inversion_new },
    { Py_tp_dealloc, (void *)inversion_dealloc },
    { Py_tp_methods, methods },
    { 0, NULL },
};

PyType_Spec inversion_spec = { .name = "zermelo._core.Inversion",
                               .basicsize = sizeof(inversion_object),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                               .slots = slots };
