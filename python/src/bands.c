/* SPDX-License-Identifier: Apache-2.0
 * zermelo._core.Bands: metrics that change with time.  The bands are the problems of a
 * Problem, which share sources and walls. */
#include "core.h"

typedef struct bands_object {
    PyObject ob_base;
    const core_state *state;
    zm_bands *handle;
    PyThread_type_lock lock; /* one thread at a time */
} bands_object;

/* Bands(problem, mean): for the grid and type of the problem */
static PyObject *bands_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    bands_object *v = (bands_object *)allocate(type, 0);
    zm_bands_opts options = ZM_BANDS_OPTS_INIT;
    const problem_object *p;
    zm_error err;
    int mean;

    (void)keywords;
    if (!v)
        return NULL;
    v->state = PyType_GetModuleState(type);
    v->lock = PyThread_allocate_lock();
    if (!v->lock)
        PyErr_NoMemory();
    if (v->lock && PyArg_ParseTuple(args, "O!p", v->state->problem_type, &p, &mean)) {
        options.cost = mean ? ZM_BANDS_MEAN : ZM_BANDS_OWN;
        if (status_passes(
                v->state,
                zm_bands_create(&v->handle, p->grid, p->dtype, &options, &err), &err,
                p->grid.cols))
            return (PyObject *)v;
    }
    Py_DECREF(v);
    return NULL;
}

static void bands_dealloc(PyObject *self)
{
    bands_object *v = (bands_object *)self;
    PyTypeObject *type = Py_TYPE(self);

    zm_bands_destroy(v->handle);
    if (v->lock)
        PyThread_free_lock(v->lock);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* ---- a problem of bands ----------------------------------------------------------- */

typedef struct bands_input {
    zm_bands_problem problem;
    zm_band *bands;
    Py_buffer starts, stopped;
} bands_input;

static void input_close(bands_input *in)
{
    PyMem_Free(in->bands);
    PyBuffer_Release(&in->starts);
    PyBuffer_Release(&in->stopped);
}

/* starts: n doubles; stopped: None or (n, rows, cols) bytes. */
static bool input_open(bands_input *in, const problem_object *p, PyObject *starts,
                       PyObject *stopped)
{
    const size_t n = (size_t)p->n, cells = problem_cells(p);
    const uint8_t *still;

    *in = (bands_input){ .bands = PyMem_Calloc(n, sizeof *in->bands) };
    if (!in->bands)
        PyErr_NoMemory();
    if (!in->bands || !array_open(starts, &in->starts, 'd', n, false, "starts") ||
        (stopped != Py_None &&
         !array_open(stopped, &in->stopped, 'B', n * cells, false, "stopped"))) {
        input_close(in);
        return false;
    }
    still = in->stopped.obj ? in->stopped.buf : NULL;
    for (size_t k = 0; k < n; k++)
        in->bands[k] =
            (zm_band){ p->problems[k].metric, still ? still + k * cells : NULL };
    in->problem = (zm_bands_problem){ .n_bands = n,
                                      .starts = in->starts.buf,
                                      .bands = in->bands,
                                      .sources = p->problems[0].sources,
                                      .n_sources = p->problems[0].n_sources,
                                      .walls = p->problems[0].walls };
    return true;
}

/* ---- solve ------------------------------------------------------------------------ */

static PyObject *solve(bands_object *v, const problem_object *p, const bands_input *in,
                       void *T, zm_bands_solve_opts *options, PyObject *progress)
{
    callback watch = callback_of(progress);
    PyThreadState *thread;
    zm_bands_report r;
    zm_status status;
    zm_error err;

    options->progress = callback_forward;
    options->progress_ctx = &watch;
    thread = lock_enter(v->lock);
    status = zm_bands_solve(v->handle, &in->problem, T, options, &r, &err);
    lock_leave(v->lock, thread);
    if (!status_passes(v->state, status, &err, p->grid.cols))
        return NULL;
    return Py_BuildValue("(LLLLdii)", (long long)r.cells, (long long)r.updates,
                         (long long)r.reopened, (long long)r.windows, r.last,
                         (int)r.last_band, status == ZM_OK);
}

/* solve(problem, starts, stopped, T, t_max, targets, max_cells, progress)
 * -> (cells, updates, reopened, windows, last, last_band, converged) */
static PyObject *bands_solve(PyObject *self, PyObject *args)
{
    bands_object *v = (bands_object *)self;
    zm_bands_solve_opts options = ZM_BANDS_SOLVE_OPTS_INIT;
    Py_buffer T = { .obj = NULL }, targets = { .obj = NULL };
    PyObject *o[5], *result = NULL;
    problem_object *p;
    bands_input in;
    long long max_cells;

    if (!PyArg_ParseTuple(args, "O!OOOdOLO", v->state->problem_type, &p, &o[0], &o[1],
                          &o[2], &options.t_max, &o[3], &max_cells, &o[4]) ||
        !input_open(&in, p, o[0], o[1]))
        return NULL;
    if (array_open(o[2], &T, dtype_type(p->dtype), problem_cells(p), true, "out") &&
        (o[3] == Py_None ||
         array_open(o[3], &targets, 'B', problem_cells(p), false, "targets"))) {
        options.targets = targets.obj ? targets.buf : NULL;
        options.max_cells = max_cells;
        result = solve(v, p, &in, T.buf, &options, o[4]);
    }
    PyBuffer_Release(&targets);
    PyBuffer_Release(&T);
    input_close(&in);
    return result;
}

/* ---- derivatives ------------------------------------------------------------------ */

/* adjoint(problem, starts, stopped, dL_dT, dG, db, dtimes): writes the last three; db None:
 * not wanted */
static PyObject *bands_adjoint(PyObject *self, PyObject *args)
{
    bands_object *v = (bands_object *)self;
    planes dG = { .count = 0 }, db = { .count = 0 };
    Py_buffer g = { .obj = NULL }, times = { .obj = NULL };
    zm_gradient *gradients = NULL;
    problem_object *p;
    bands_input in;
    PyObject *o[6];
    zm_status status = ZM_OK;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "O!OOOOOO", v->state->problem_type, &p, &o[0], &o[1],
                          &o[2], &o[3], &o[4], &o[5]) ||
        !input_open(&in, p, o[0], o[1]))
        return NULL;
    ok = array_open(o[2], &g, dtype_type(p->dtype), problem_cells(p), false, "g") &&
         planes_open(o[3], &dG, &p->grid, p->dtype, p->n, true, "dG") &&
         planes_open(o[4], &db, &p->grid, p->dtype, p->n, true, "db") &&
         array_open(o[5], &times, 'd', in.problem.n_sources, true, "dtimes") &&
         (gradients = gradients_of(p, &dG, &db));
    if (ok) {
        const zm_bands_gradient out = { .bands = gradients, .source_times = times.buf };
        PyThreadState *thread = lock_enter(v->lock);

        status = zm_bands_adjoint(v->handle, &in.problem, g.buf, &out, &err);
        lock_leave(v->lock, thread);
    }
    PyMem_Free(gradients);
    PyBuffer_Release(&times);
    planes_close(&db);
    planes_close(&dG);
    PyBuffer_Release(&g);
    input_close(&in);
    if (!ok || !status_passes(v->state, status, &err, p->grid.cols))
        return NULL;
    Py_RETURN_NONE;
}

/* tangent(problem, starts, stopped, dG, db, dtimes, dT): writes dT; None among the others: 0 */
static PyObject *bands_tangent(PyObject *self, PyObject *args)
{
    bands_object *v = (bands_object *)self;
    planes dG = { .count = 0 }, db = { .count = 0 };
    Py_buffer dT = { .obj = NULL }, times = { .obj = NULL };
    zm_direction *directions = NULL;
    problem_object *p;
    bands_input in;
    PyObject *o[6];
    zm_status status = ZM_OK;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "O!OOOOOO", v->state->problem_type, &p, &o[0], &o[1],
                          &o[2], &o[3], &o[4], &o[5]) ||
        !input_open(&in, p, o[0], o[1]))
        return NULL;
    ok = planes_open(o[2], &dG, &p->grid, p->dtype, p->n, false, "dG") &&
         planes_open(o[3], &db, &p->grid, p->dtype, p->n, false, "db") &&
         (o[4] == Py_None ||
          array_open(o[4], &times, 'd', in.problem.n_sources, false, "dtimes")) &&
         array_open(o[5], &dT, dtype_type(p->dtype), problem_cells(p), true, "dT") &&
         (directions = directions_of(p, &dG, &db));
    if (ok) {
        const zm_bands_direction given = { .bands = directions,
                                           .source_times =
                                               times.obj ? times.buf : NULL };
        PyThreadState *thread = lock_enter(v->lock);

        status = zm_bands_tangent(v->handle, &in.problem, &given, dT.buf, &err);
        lock_leave(v->lock, thread);
    }
    PyMem_Free(directions);
    PyBuffer_Release(&dT);
    PyBuffer_Release(&times);
    planes_close(&db);
    planes_close(&dG);
    input_close(&in);
    if (!ok || !status_passes(v->state, status, &err, p->grid.cols))
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    { "solve", bands_solve, METH_VARARGS, NULL },
    { "adjoint", bands_adjoint, METH_VARARGS, NULL },
    { "tangent", bands_tangent, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc,
      "Work memory for metrics that change with time, and the record of a solve." },
    { Py_tp_new, (void *)bands_new },
    { Py_tp_dealloc, (void *)bands_dealloc },
    { Py_tp_methods, methods },
    { 0, NULL },
};

PyType_Spec bands_spec = { .name = "zermelo._core.Bands",
                           .basicsize = sizeof(bands_object),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                           .slots = slots };
