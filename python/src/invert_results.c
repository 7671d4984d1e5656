/* SPDX-License-Identifier: Apache-2.0
 * zermelo._core.Inversion: its runs and what comes out of them. */
#include "invert.h"

#include <stdlib.h>
#include <string.h>

PyObject *inversion_run(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    turn t;
    zm_status status;
    zm_error err;

    (void)args;
    if (!turn_begin(&t, v, TO_CHANGE))
        return NULL;
    status = zm_invert_run(v->handle, &err);
    turn_end(&t);
    return none_if(v, true, status, &err);
}

/* report() -> method, stop, experiments, observations, iterations, solves, products,
 * coarse_solves, chi2, misfit, lambda, regulariser, slowness, lcurve_solves, lcurve_corner */
PyObject *inversion_report(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    turn t;
    zm_invert_report r = ZM_INVERT_REPORT_INIT;

    (void)args;
    if (!turn_begin(&t, v, TO_READ))
        return NULL;
    (void)zm_inversion_report(v->handle, &r, NULL); /* cannot fail */
    turn_end(&t);
    return Py_BuildValue("(iinniLLLdddddLN)", (int)r.method, (int)r.stop,
                         (Py_ssize_t)r.experiments, (Py_ssize_t)r.observations,
                         (int)r.iterations, (long long)r.solves, (long long)r.products,
                         (long long)r.coarse_solves, r.chi2, r.misfit, r.lambda,
                         r.regulariser, r.slowness, (long long)r.lcurve_solves,
                         PyBool_FromLong(r.lcurve_corner));
}

/* history() -> list of (iteration, stage, solves, products, chi2, misfit, lambda, eps,
 * objective, step) */
PyObject *inversion_history(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    turn t;
    zm_invert_iteration *h; /* a copy: another thread may go on with the run */
    PyObject *list = NULL;
    size_t count;

    (void)args;
    if (!turn_begin(&t, v, TO_READ))
        return NULL;
    const zm_invert_iteration *kept = zm_inversion_history(v->handle, &count);

    h = malloc((count + 1) * sizeof *h);
    if (h && count)
        memcpy(h, kept, count * sizeof *h);
    turn_end(&t);
    list = h ? PyList_New((Py_ssize_t)count) : PyErr_NoMemory();
    for (size_t i = 0; list && i < count; i++) {
        PyObject *row = Py_BuildValue("(iiLLdddddd)", (int)h[i].iteration,
                                      (int)h[i].stage, (long long)h[i].solves,
                                      (long long)h[i].products, h[i].chi2, h[i].misfit,
                                      h[i].lambda, h[i].eps, h[i].objective, h[i].step);

        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row))
            Py_CLEAR(list);
    }
    free(h);
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
PyObject *inversion_metric(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    planes G = { .count = 0 }, b = { .count = 0 };
    zm_metric_out out;
    PyObject *o[2];
    turn t;
    zm_status status = ZM_OK;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "OO", &o[0], &o[1]))
        return NULL;
    ok = open_result(v, o, &G, &b, &out);
    if (ok && (ok = turn_begin(&t, v, TO_READ))) {
        status = zm_inversion_metric(v->handle, &out, &err);
        turn_end(&t);
    }
    planes_close(&b);
    planes_close(&G);
    return none_if(v, ok, status, &err);
}

/* std(G, b, samples, seed, tolerance, progress): writes the first two */
PyObject *inversion_std(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    zm_invert_std_opts options = ZM_INVERT_STD_OPTS_INIT;
    planes G = { .count = 0 }, b = { .count = 0 };
    zm_metric_out out;
    PyObject *o[2], *progress;
    unsigned long long seed;
    turn t;
    zm_status status = ZM_OK;
    zm_error err;
    int samples;
    bool ok;

    if (!PyArg_ParseTuple(args, "OOiKdO", &o[0], &o[1], &samples, &seed,
                          &options.tolerance, &progress))
        return NULL;
    callback watch = callback_of(progress);

    options.samples = samples;
    options.seed = seed;
    options.progress = callback_progress;
    options.progress_ctx = &watch;
    ok = open_result(v, o, &G, &b, &out);
    if (ok && (ok = turn_begin(&t, v, TO_CHANGE))) {
        watch.thread = t.thread;
        status = zm_invert_std(v->handle, &out, &options, &err);
        turn_end(&t);
    }
    planes_close(&b);
    planes_close(&G);
    return none_if(v, ok, status, &err);
}

/* times(experiment, T): writes T */
PyObject *inversion_times(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    PyObject *array;
    turn t;
    Py_ssize_t experiment;
    zm_status status = ZM_OK;
    Py_buffer T;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "nO", &experiment, &array) ||
        !array_open(array, &T, 'd', inversion_cells(v), true, "T"))
        return NULL;
    if ((ok = turn_begin(&t, v, TO_READ))) {
        status = zm_inversion_times(v->handle, (size_t)experiment, T.buf, &err);
        turn_end(&t);
    }
    PyBuffer_Release(&T);
    return none_if(v, ok, status, &err);
}

/* predicted(experiment, times): writes one for each observation */
PyObject *inversion_predicted(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    PyObject *array;
    turn t;
    Py_ssize_t experiment, n;
    zm_status status = ZM_OK;
    Py_buffer times;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "nnO", &experiment, &n, &array) ||
        !array_open(array, &times, 'd', (size_t)n, true, "times"))
        return NULL;
    if ((ok = turn_begin(&t, v, TO_READ))) {
        status = zm_inversion_predicted(v->handle, (size_t)experiment, times.buf, &err);
        turn_end(&t);
    }
    PyBuffer_Release(&times);
    return none_if(v, ok, status, &err);
}

/* A list of (lambda, chi2, misfit, regulariser, solves). */
static PyObject *points_of(const zm_lcurve_point *curve, size_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);

    for (size_t i = 0; list && i < n; i++) {
        PyObject *row =
            Py_BuildValue("(ddddL)", curve[i].lambda, curve[i].chi2, curve[i].misfit,
                          curve[i].regulariser, (long long)curve[i].solves);

        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row))
            Py_CLEAR(list);
    }
    return list;
}

/* curve() -> (list of points, chosen): of an inversion that chooses its strength by it */
PyObject *inversion_curve(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    zm_lcurve_point *curve; /* a copy: another thread may go on with the run */
    PyObject *list;
    size_t n, chosen;
    turn t;

    (void)args;
    if (!turn_begin(&t, v, TO_READ))
        return NULL;
    const zm_lcurve_point *kept = zm_inversion_lcurve(v->handle, &n, &chosen);

    curve = malloc((n + 1) * sizeof *curve);
    if (curve && n)
        memcpy(curve, kept, n * sizeof *curve);
    turn_end(&t);
    list = curve ? points_of(curve, n) : PyErr_NoMemory();
    free(curve);
    return list ? Py_BuildValue("(Nn)", list, (Py_ssize_t)chosen) : NULL;
}

/* lcurve(lambdas) -> (list of (lambda, chi2, misfit, regulariser, solves), corner) */
PyObject *inversion_lcurve(PyObject *self, PyObject *lambdas)
{
    inversion_object *v = (inversion_object *)self;
    zm_lcurve_point *curve;
    PyObject *list = NULL;
    turn t;
    size_t n, corner = 0;
    zm_status status = ZM_OK;
    bool ok;
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
    if ((ok = turn_begin(&t, v, TO_CHANGE))) {
        status = zm_invert_lcurve(v->handle, view.buf, n, curve, &corner, &err);
        turn_end(&t);
    }
    PyBuffer_Release(&view);
    if (ok && status_passes(v->state, status, &err, v->grid.cols))
        list = points_of(curve, n);
    PyMem_Free(curve);
    return list ? Py_BuildValue("(Nn)", list, (Py_ssize_t)corner) : NULL;
}

/* save() -> bytearray of doubles */
PyObject *inversion_save(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    PyObject *result = NULL;
    zm_status status = ZM_E_NOMEM;
    zm_error err = { .text = "" };
    double *state;
    size_t n;
    turn t;

    (void)args;
    if (!turn_begin(&t, v, TO_READ))
        return NULL;
    n = zm_inversion_state_size(v->handle);
    state = malloc((n + 1) * sizeof *state);
    if (state)
        status = zm_inversion_save(v->handle, state, &err);
    turn_end(&t);
    if (status_passes(v->state, status, &err, 0))
        result = PyByteArray_FromStringAndSize((const char *)state,
                                               (Py_ssize_t)(n * sizeof *state));
    free(state);
    return result;
}
