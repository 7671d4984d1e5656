/* SPDX-License-Identifier: Apache-2.0
 * zermelo._core.Inversion: metric and drift from observed times.  Here its making and its data. */
#include "invert.h"

size_t inversion_cells(const inversion_object *v)
{
    return (size_t)v->grid.rows * (size_t)v->grid.cols;
}

/* ---- one thread at a time --------------------------------------------------------- */

bool turn_begin(turn *t, inversion_object *v, purpose what)
{
    *t = (turn){ v, NULL };
    if (!lock_is_mine(&v->lock)) {
        if (!lock_enter(&v->lock, v->state, &t->thread))
            return false;
        v->watch.thread = v->bar.thread = t->thread;
        return true;
    }
    if (what == TO_READ && v->watch.readable)
        return true;
    PyErr_SetString(v->state->state_error,
                    what == TO_CHANGE
                        ? "the inversion is at work: its callback cannot change it"
                        : "the inversion is at work: there is nothing to read from this "
                          "callback");
    return false;
}

void turn_end(turn *t)
{
    if (t->thread)
        lock_leave(&t->of->lock, t->thread);
}

PyObject *none_if(const inversion_object *v, bool ok, zm_status status,
                  const zm_error *err)
{
    if (!ok || !status_passes(v->state, status, err, v->grid.cols))
        return NULL;
    Py_RETURN_NONE;
}

/* ---- making one ------------------------------------------------------------------- */

static bool parse(PyObject *args, inversion_object *v, zm_invert_opts *o)
{
    int rows, cols, threads, choice[8], max_iterations, lcurve_points;
    long long max_solves;

    if (!PyArg_ParseTuple(args, "iiddi(iiiiiiii)(ddddddddd)iLpiOO", &rows, &cols,
                          &v->grid.dy, &v->grid.dx, &threads, &choice[0], &choice[1],
                          &choice[2], &choice[3], &choice[4], &choice[5], &choice[6], &choice[7],
                          &o->eig_min, &o->eig_max, &o->rho, &o->huber, &o->eps,
                          &o->lambda, &o->chi2, &o->rate, &o->clip, &max_iterations,
                          &max_solves, &o->line_search, &lcurve_points, &v->monitor,
                          &v->progress)) {
        v->monitor = v->progress = NULL;
        return false;
    }
    Py_INCREF(v->monitor);
    Py_INCREF(v->progress);
    v->grid.rows = rows;
    v->grid.cols = cols;
    v->watch = callback_of(v->monitor);
    v->bar = callback_of(v->progress);
    o->threads = threads;
    o->unknown = (zm_unknown)choice[0];
    o->metric_map = (zm_metric_map)choice[1];
    o->drift_map = (zm_drift_map)choice[2];
    o->misfit = (zm_misfit_kind)choice[3];
    o->regulariser = (zm_reg_kind)choice[4];
    o->lambda_rule = (zm_lambda_rule)choice[5];
    o->method = (zm_invert_method)choice[6];
    o->stencils = (zm_stencil_choice)choice[7];
    o->max_iterations = max_iterations;
    o->max_solves = max_solves;
    o->monitor = callback_invert;
    o->monitor_ctx = &v->watch;
    o->lcurve_points = lcurve_points;
    o->progress = callback_progress;
    o->progress_ctx = &v->bar;
    return true;
}

/* Inversion(rows, cols, dy, dx, threads,
 *           (unknown, metric_map, drift_map, misfit, regulariser, lambda_rule, method,
 *            stencils),
 *           (eig_min, eig_max, rho, huber, eps, lambda, chi2, rate, clip),
 *           max_iterations, max_solves, line_search, lcurve_points, monitor, progress) */
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
    if (lock_open(&v->lock, v->state) && parse(args, v, &options) &&
        status_passes(v->state,
                      zm_inversion_create(&v->handle, v->grid, &options, &err), &err,
                      v->grid.cols))
        return (PyObject *)v;
    Py_DECREF(v);
    return NULL;
}

/* Functions that report may refer to the inversion they report on. */
static int inversion_traverse(PyObject *self, visitproc visit, void *arg)
{
    inversion_object *v = (inversion_object *)self;

    Py_VISIT(Py_TYPE(self));
    Py_VISIT(v->monitor);
    Py_VISIT(v->progress);
    return 0;
}

static int inversion_clear(PyObject *self)
{
    inversion_object *v = (inversion_object *)self;

    v->watch.function = v->bar.function = NULL;
    Py_CLEAR(v->monitor);
    Py_CLEAR(v->progress);
    return 0;
}

static void inversion_dealloc(PyObject *self)
{
    inversion_object *v = (inversion_object *)self;
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    if (!lock_is_lost(&v->lock, v->state)) /* else its memory is in no state to be freed */
        zm_inversion_destroy(v->handle);
    inversion_clear(self);
    lock_close(&v->lock);
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

/* add(sources, rows, cols, times, upper, sigmas, n, sigma): (k, 3) doubles; n doubles each */
static PyObject *inversion_add(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    zm_experiment seen = ZM_EXPERIMENT_INIT;
    enum { SOURCES, ROWS, COLS, TIMES, UPPER, SIGMAS, ARRAYS };
    PyObject *o[ARRAYS];
    Py_buffer views[ARRAYS] = { { .obj = NULL } };
    turn t;
    zm_status status = ZM_OK;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "OOOOOOnd", &o[0], &o[1], &o[2], &o[3], &o[4], &o[5],
                          &seen.n, &seen.sigma))
        return NULL;
    ok = !PyObject_GetBuffer(o[SOURCES], &views[SOURCES], PyBUF_C_CONTIGUOUS) &&
         optional(o[ROWS], &views[ROWS], seen.n, &seen.rows) &&
         optional(o[COLS], &views[COLS], seen.n, &seen.cols) &&
         optional(o[TIMES], &views[TIMES], seen.n, &seen.times) &&
         optional(o[UPPER], &views[UPPER], seen.n, &seen.upper) &&
         optional(o[SIGMAS], &views[SIGMAS], seen.n, &seen.sigmas);
    if (ok && (ok = turn_begin(&t, v, TO_CHANGE))) {
        seen.sources = views[SOURCES].buf;
        seen.n_sources = (size_t)views[SOURCES].len / sizeof(zm_source);
        status = zm_inversion_add(v->handle, &seen, &err);
        turn_end(&t);
    }
    for (int i = 0; i < ARRAYS; i++)
        PyBuffer_Release(&views[i]);
    return none_if(v, ok, status, &err);
}

static PyObject *inversion_walls(PyObject *self, PyObject *walls)
{
    inversion_object *v = (inversion_object *)self;
    turn t;
    zm_status status = ZM_OK;
    Py_buffer view;
    zm_error err;
    bool ok;

    if (!array_open(walls, &view, 'B', inversion_cells(v), false, "walls"))
        return NULL;
    if ((ok = turn_begin(&t, v, TO_CHANGE))) {
        status = zm_inversion_walls(v->handle, view.buf, &err);
        turn_end(&t);
    }
    PyBuffer_Release(&view);
    return none_if(v, ok, status, &err);
}

/* field(start, G, b): what is known (0) or where to start (1) */
static PyObject *inversion_field(PyObject *self, PyObject *args)
{
    inversion_object *v = (inversion_object *)self;
    planes G = { .count = 0 }, b = { .count = 0 };
    PyObject *o[2];
    turn t;
    zm_status status = ZM_OK;
    zm_error err;
    int start;
    bool ok;

    if (!PyArg_ParseTuple(args, "pOO", &start, &o[0], &o[1]))
        return NULL;
    ok = planes_open(o[0], &G, &v->grid, ZM_F64, 1, false, "G") &&
         planes_open(o[1], &b, &v->grid, ZM_F64, 1, false, "b");
    if (ok && (ok = turn_begin(&t, v, TO_CHANGE))) {
        const metric_planes m = planes_metric(&G, 0);
        const zm_metric metric = {
            ZM_F64, m.g11, m.g12, m.g22, planes_at(&b, 0, 0), planes_at(&b, 0, 1)
        };

        status = start ? zm_inversion_start(v->handle, &metric, &err)
                       : zm_inversion_known(v->handle, &metric, &err);
        turn_end(&t);
    }
    planes_close(&b);
    planes_close(&G);
    return none_if(v, ok, status, &err);
}

/* strengths(lambdas): of the L-curve */
static PyObject *inversion_strengths(PyObject *self, PyObject *lambdas)
{
    inversion_object *v = (inversion_object *)self;
    zm_status status = ZM_OK;
    Py_buffer view;
    zm_error err;
    turn t;
    bool ok;

    if (PyObject_GetBuffer(lambdas, &view, PyBUF_C_CONTIGUOUS))
        return NULL;
    if ((ok = turn_begin(&t, v, TO_CHANGE))) {
        status = zm_inversion_strengths(v->handle, view.buf,
                                        (size_t)view.len / sizeof(double), &err);
        turn_end(&t);
    }
    PyBuffer_Release(&view);
    return none_if(v, ok, status, &err);
}

static PyObject *inversion_load(PyObject *self, PyObject *state)
{
    inversion_object *v = (inversion_object *)self;
    zm_status status = ZM_OK;
    Py_buffer view;
    zm_error err;
    turn t;
    bool ok;

    if (PyObject_GetBuffer(state, &view, PyBUF_C_CONTIGUOUS))
        return NULL;
    if ((ok = turn_begin(&t, v, TO_CHANGE))) {
        status = zm_inversion_load(v->handle, view.buf,
                                   (size_t)view.len / sizeof(double), &err);
        turn_end(&t);
    }
    PyBuffer_Release(&view);
    return none_if(v, ok, status, &err);
}

static PyMethodDef methods[] = {
    { "add", inversion_add, METH_VARARGS, NULL },
    { "walls", inversion_walls, METH_O, NULL },
    { "field", inversion_field, METH_VARARGS, NULL },
    { "strengths", inversion_strengths, METH_O, NULL },
    { "run", inversion_run, METH_NOARGS, NULL },
    { "report", inversion_report, METH_NOARGS, NULL },
    { "history", inversion_history, METH_NOARGS, NULL },
    { "metric", inversion_metric, METH_VARARGS, NULL },
    { "std", inversion_std, METH_VARARGS, NULL },
    { "times", inversion_times, METH_VARARGS, NULL },
    { "predicted", inversion_predicted, METH_VARARGS, NULL },
    { "curve", inversion_curve, METH_NOARGS, NULL },
    { "lcurve", inversion_lcurve, METH_O, NULL },
    { "save", inversion_save, METH_NOARGS, NULL },
    { "load", inversion_load, METH_O, NULL },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, "An inverse problem and how far it has been solved." },
    { Py_tp_new, (void *)inversion_new },
    { Py_tp_dealloc, (void *)inversion_dealloc },
    { Py_tp_traverse, (void *)inversion_traverse },
    { Py_tp_clear, (void *)inversion_clear },
    { Py_tp_methods, methods },
    { 0, NULL },
};

PyType_Spec inversion_spec = { .name = "zermelo._core.Inversion",
                               .basicsize = sizeof(inversion_object),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                        Py_TPFLAGS_IMMUTABLETYPE,
                               .slots = slots };
