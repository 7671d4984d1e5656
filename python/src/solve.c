/* SPDX-License-Identifier: Apache-2.0
 * zermelo._core.Solver: a solver of the library, one thread at a time. */
#include "core.h"

bool solver_accepts(const solver_object *s, const problem_object *p)
{
    if (s->grid.rows == p->grid.rows && s->grid.cols == p->grid.cols &&
        s->dtype == p->dtype && p->n <= s->batch)
        return problem_stays(p);
    PyErr_SetString(PyExc_ValueError, "problem of another grid, type or batch");
    return false;
}

void **times_of(const problem_object *p, const Py_buffer *view)
{
    void **times = PyMem_Malloc((size_t)p->n * sizeof *times);

    if (!times)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; times && i < p->n; i++)
        times[i] =
            (char *)view->buf + (size_t)i * problem_cells(p) * (size_t)view->itemsize;
    return times;
}

/* ---- making one ------------------------------------------------------------------- */

static bool fits_batch(const problem_object *p)
{
    if (p->n <= INT32_MAX)
        return true;
    PyErr_Format(PyExc_ValueError, "batch of %zd problems, must be at most %d", p->n,
                 INT32_MAX);
    return false;
}

/* Solver(problem, threads, adaptive, order, factor, periodic, mean): one from the pool, or a new
 * one, that the problem belongs on */
static PyObject *solver_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    solver_object *s = (solver_object *)allocate(type, 0);
    zm_solver_opts options = ZM_SOLVER_OPTS_INIT;
    core_state *state = PyType_GetModuleState(type);
    int threads, adaptive, order, periodic, mean;
    const problem_object *p;
    zm_status status;
    zm_error err;

    (void)keywords;
    if (!s)
        return NULL;
    s->state = state;
    if (!PyArg_ParseTuple(args, "O!ipidip", state->problem_type, &p, &threads, &adaptive,
                          &order, &options.factor_radius, &periodic, &mean) ||
        !fits_batch(p) || !lock_open(&s->lock, state))
        goto failed;
    s->grid = p->grid;
    s->dtype = p->dtype;
    s->batch = p->n;
    s->key = (solver_key){ { p->grid.rows, p->grid.cols, p->grid.dy, p->grid.dx, p->dtype,
                             threads, (double)p->n, adaptive, order,
                             options.factor_radius, periodic, mean } };
    s->solver = pool_take(s->state->pool, &s->key);
    if (s->solver)
        return (PyObject *)s;
    options.threads = threads;
    options.batch = (int32_t)p->n;
    options.stencils = adaptive ? ZM_STENCILS_ADAPTIVE : ZM_STENCILS_FIXED;
    options.order = order;
    options.periodic = periodic;
    options.cost = mean ? ZM_COST_MEAN : ZM_COST_OWN;
    Py_BEGIN_ALLOW_THREADS;
    status = zm_solver_create(&s->solver, s->grid, s->dtype, &options, &err);
    Py_END_ALLOW_THREADS;
    if (status_passes(state, status, &err, s->grid.cols))
        return (PyObject *)s;
failed:
    Py_DECREF(s);
    return NULL;
}

static void solver_dealloc(PyObject *self)
{
    solver_object *s = (solver_object *)self;
    PyTypeObject *type = Py_TYPE(self);

    if (s->solver && !lock_is_lost(&s->lock, s->state))
        pool_give(s->state->pool, &s->key, s->solver);
    lock_close(&s->lock);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* ---- forward ---------------------------------------------------------------------- */

/* To be freed; NULL with an exception set. */
static zm_report *reports_new(Py_ssize_t n)
{
    zm_report *reports = PyMem_Calloc((size_t)n, sizeof *reports);

    if (!reports)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; reports && i < n; i++)
        reports[i] = (zm_report)ZM_REPORT_INIT;
    return reports;
}

static zm_report reports_together(const zm_report *reports, Py_ssize_t n)
{
    zm_report all = reports[0];

    for (Py_ssize_t i = 1; i < n; i++) {
        all.iterations = Py_MAX(all.iterations, reports[i].iterations);
        all.updates += reports[i].updates;
        all.converged &= reports[i].converged;
        all.method = Py_MAX(all.method, reports[i].method);
        all.threads = Py_MAX(all.threads, reports[i].threads);
        all.cells += reports[i].cells;
        all.last = Py_MAX(all.last, reports[i].last);
        all.reopened += reports[i].reopened;
        all.windows += reports[i].windows;
        all.last_interval = Py_MAX(all.last_interval, reports[i].last_interval);
    }
    return all;
}

/* report() -> (iterations, updates, converged, threads, method, cells, last, reopened, windows,
 * last_interval) of the last forward */
static PyObject *solver_report(PyObject *self, PyObject *args)
{
    const zm_report *r = &((solver_object *)self)->report;

    (void)args;
    return Py_BuildValue("(LLiiiLdLLi)", (long long)r->iterations, (long long)r->updates,
                         (int)r->converged, (int)r->threads, (int)r->method,
                         (long long)r->cells, r->last, (long long)r->reopened,
                         (long long)r->windows, (int)r->last_interval);
}

/* forward(problem, T, t_max, tol, max_iterations, targets, max_cells, progress): writes T */
static PyObject *solver_forward(PyObject *self, PyObject *args)
{
    solver_object *s = (solver_object *)self;
    zm_forward_opts options = ZM_FORWARD_OPTS_INIT;
    Py_buffer T = { .obj = NULL }, targets = { .obj = NULL };
    zm_report *reports = NULL;
    void **times = NULL;
    problem_object *p;
    PyObject *array, *aims, *progress, *result = NULL;
    PyThreadState *thread;
    long long max_cells;
    int max_iterations;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "O!OddiOLO", s->state->problem_type, &p, &array,
                          &options.t_max, &options.tol, &max_iterations, &aims,
                          &max_cells, &progress) ||
        !solver_accepts(s, p) ||
        !array_open(array, &T, dtype_type(p->dtype), (size_t)p->n * problem_cells(p),
                    true, "out") ||
        (aims != Py_None &&
         !array_open(aims, &targets, 'B', problem_cells(p), false, "targets")) ||
        !(times = times_of(p, &T)) || !(reports = reports_new(p->n)))
        goto done;
    callback watch = callback_of(progress);

    options.max_iterations = max_iterations;
    options.max_cells = max_cells;
    options.targets = targets.obj ? targets.buf : NULL;
    options.progress = callback_progress;
    options.progress_ctx = &watch;
    if (!lock_enter(&s->lock, s->state, &thread))
        goto done;
    watch.thread = thread;
    status = p->n == 1 ? zm_forward(s->solver, p->problems, times[0], &options, reports,
                                    &err)
                       : zm_forward_batch(s->solver, p->problems, (size_t)p->n, times,
                                          &options, reports, &err);
    s->report = reports_together(reports, p->n);
    lock_leave(&s->lock, thread);
    if (status_passes(p->state, status, &err, p->grid.cols))
        result = Py_NewRef(Py_None);
done:
    PyMem_Free(reports);
    PyMem_Free(times);
    PyBuffer_Release(&targets);
    PyBuffer_Release(&T);
    return result;
}

static PyMethodDef methods[] = {
    { "forward", solver_forward, METH_VARARGS, NULL },
    { "report", solver_report, METH_NOARGS, NULL },
    { "adjoint", solver_adjoint, METH_VARARGS, NULL },
    { "tangent", solver_tangent, METH_VARARGS, NULL },
    { "stencils", solver_stencils, METH_VARARGS, NULL },
    { "flow", solver_flow, METH_VARARGS, NULL },
    { "labels", solver_labels, METH_VARARGS, NULL },
    { "path", solver_path, METH_VARARGS, NULL },
    { "paths", solver_paths, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc,
      "Work memory for one grid and type, and the record of its last solve." },
    { Py_tp_new, (void *)solver_new },
    { Py_tp_dealloc, (void *)solver_dealloc },
    { Py_tp_methods, methods },
    { 0, NULL },
};

PyType_Spec solver_spec = { .name = "zermelo._core.Solver",
                            .basicsize = sizeof(solver_object),
                            .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                            .slots = slots };
