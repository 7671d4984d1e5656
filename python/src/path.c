/* SPDX-License-Identifier: Apache-2.0
 * How the front came: stencils, flow, labels and paths of a Solver; cost of a path and
 * residual of a Problem.  `item` is the number of the problem in its batch. */
#include "core.h"

#include <stdlib.h>

/* Problem `item`; NULL with an exception set where there is none. */
static const zm_problem *problem_at(const problem_object *p, Py_ssize_t item)
{
    if (item >= 0 && item < p->n)
        return &p->problems[item];
    PyErr_Format(PyExc_IndexError, "item %zd of a batch of %zd", item, p->n);
    return NULL;
}

/* Opens T of one problem. */
static bool open_times(const problem_object *p, PyObject *times, Py_buffer *T)
{
    return array_open(times, T, dtype_type(p->dtype), problem_cells(p), false, "T");
}

/* ---- fields ----------------------------------------------------------------------- */

/* A field of the last solve, and the one or two arrays that it is written into. */
typedef struct field {
    zm_solver *solver;
    size_t item;
    const zm_problem *problem;
    const void *T;
    Py_buffer out[2];
} field;

typedef zm_status field_function(const field *f, zm_error *err);

/* (problem, item, T, out[, out]): calls `fill` with arrays of these items a cell and types open. */
static PyObject *field_of(PyObject *self, PyObject *args, field_function *fill,
                          size_t items, const char *types)
{
    solver_object *s = (solver_object *)self;
    Py_buffer T = { .obj = NULL };
    PyObject *o[3] = { NULL };
    PyThreadState *thread;
    problem_object *p;
    Py_ssize_t item;
    bool ok;

    if (!PyArg_ParseTuple(args, types[1] ? "O!nOOO" : "O!nOO", s->state->problem_type,
                          &p, &item, &o[0], &o[1], &o[2]))
        return NULL;
    field f = { s->solver, (size_t)item, problem_at(p, item), NULL, { { NULL } } };

    ok = f.problem && solver_accepts(s, p) && open_times(p, o[0], &T);
    for (int i = 0; ok && types[i]; i++)
        ok = array_open(o[1 + i], &f.out[i], types[i], items * problem_cells(p), true,
                        "a field");
    if (ok && (ok = lock_enter(&s->lock, s->state, &thread))) {
        zm_error err;
        zm_status status;

        f.T = T.buf;
        status = fill(&f, &err);
        lock_leave(&s->lock, thread);
        ok = status_passes(p->state, status, &err, p->grid.cols);
    }
    PyBuffer_Release(&f.out[1]);
    PyBuffer_Release(&f.out[0]);
    PyBuffer_Release(&T);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}

static zm_status stencils(const field *f, zm_error *err)
{
    return zm_stencils(f->solver, f->item, f->problem, f->T, f->out[0].buf,
                       f->out[1].buf, err);
}

/* stencils(problem, item, T, codes, weights): writes the last two */
PyObject *solver_stencils(PyObject *self, PyObject *args)
{
    return field_of(self, args, stencils, 1, "Bd");
}

static zm_status flow(const field *f, zm_error *err)
{
    char *v = f->out[0].buf;

    return zm_flow(f->solver, f->item, f->problem, f->T, v, v + f->out[0].len / 2, err);
}

/* flow(problem, item, T, v): writes v (2, rows, cols), x first */
PyObject *solver_flow(PyObject *self, PyObject *args)
{
    const char type[] = { dtype_type(((solver_object *)self)->dtype), '\0' };

    return field_of(self, args, flow, 2, type);
}

static zm_status labels(const field *f, zm_error *err)
{
    return zm_labels(f->solver, f->item, f->problem, f->T, f->out[0].buf, err);
}

/* labels(problem, item, T, labels): writes the last */
PyObject *solver_labels(PyObject *self, PyObject *args)
{
    return field_of(self, args, labels, 1, "i");
}

/* ---- paths ------------------------------------------------------------------------ */

/* Traces with more and more room; *points is to be freed. */
static zm_status trace(solver_object *s, size_t item, const zm_problem *problem,
                       const void *T, const double at[2], const zm_path_opts *options,
                       zm_path_point **points, size_t *count, zm_error *err)
{
    size_t room = 4 * ((size_t)s->grid.rows + (size_t)s->grid.cols);
    zm_status status;

    for (;;) {
        *points = malloc(room * sizeof **points);
        if (!*points)
            return ZM_E_NOMEM;
        *count = 0;
        status = zm_path(s->solver, item, problem, T, at[0], at[1], *points, room,
                         count, NULL, options, err);
        if (*count <= room)
            return status;
        room = *count;
        free(*points);
    }
}

/* path(problem, item, T, row, col, straighten) -> bytearray of (row, col, time) */
PyObject *solver_path(PyObject *self, PyObject *args)
{
    solver_object *s = (solver_object *)self;
    zm_path_opts options = ZM_PATH_OPTS_INIT;
    problem_object *p;
    const zm_problem *problem;
    Py_ssize_t item;
    PyObject *times, *result = NULL;
    PyThreadState *thread;
    Py_buffer T;
    zm_path_point *points = NULL;
    double at[2];
    size_t count = 0;
    int straighten;
    bool entered;
    zm_status status = ZM_OK;
    zm_error err = { .text = "" };

    if (!PyArg_ParseTuple(args, "O!nOddp", s->state->problem_type, &p, &item, &times,
                          &at[0], &at[1], &straighten) ||
        !(problem = problem_at(p, item)) || !solver_accepts(s, p) ||
        !open_times(p, times, &T))
        return NULL;
    options.straighten = straighten;
    entered = lock_enter(&s->lock, s->state, &thread);
    if (entered) {
        status =
            trace(s, (size_t)item, problem, T.buf, at, &options, &points, &count, &err);
        lock_leave(&s->lock, thread);
    }
    PyBuffer_Release(&T);
    if (entered && status_passes(p->state, status, &err, p->grid.cols))
        result = PyByteArray_FromStringAndSize((const char *)points,
                                               (Py_ssize_t)(count * sizeof *points));
    free(points);
    return result;
}

/* Points that are made room for at first, at most: 400 MB, of which only those that are
 * written to are taken. */
enum { MOST_ROOM = 1 << 24 };

/* All paths, in room for as many points as most have and then for as many as there are;
 * *points is to be freed. */
static zm_status trace_all(solver_object *s, size_t item, const zm_problem *problem,
                           const void *T, const Py_buffer *to,
                           const zm_path_opts *options, zm_path_point **points,
                           size_t *begins, zm_error *err)
{
    const size_t n = (size_t)to->len / sizeof(zm_path_point);
    const size_t each = (size_t)s->grid.rows + (size_t)s->grid.cols;
    size_t room = n < MOST_ROOM / each ? n * each + 1 : MOST_ROOM;
    zm_status status;

    for (;;) {
        *points = malloc(room * sizeof **points);
        if (!*points)
            return ZM_E_NOMEM;
        begins[n] = 0;
        status = zm_paths(s->solver, item, problem, T, to->buf, n, *points, room,
                          begins, NULL, options, err);
        if (status != ZM_E_ARG || begins[n] <= room)
            return status;
        room = begins[n];
        free(*points);
    }
}

/* paths(problem, item, T, to, straighten, progress) -> bytearrays of all (row, col, time) and of where
 * each path begins among them; `to` (n, 3) doubles */
PyObject *solver_paths(PyObject *self, PyObject *args)
{
    solver_object *s = (solver_object *)self;
    zm_path_opts options = ZM_PATH_OPTS_INIT;
    problem_object *p;
    const zm_problem *problem;
    Py_ssize_t item;
    PyObject *o[3], *result = NULL;
    PyThreadState *thread;
    Py_buffer T = { .obj = NULL }, to = { .obj = NULL };
    zm_path_point *points = NULL;
    size_t *begins = NULL, n;
    int straighten;
    zm_status status;
    zm_error err = { .text = "" };

    if (!PyArg_ParseTuple(args, "O!nOOpO", s->state->problem_type, &p, &item, &o[0],
                          &o[1], &straighten, &o[2]) ||
        !(problem = problem_at(p, item)) || !solver_accepts(s, p) ||
        !open_times(p, o[0], &T))
        return NULL;
    callback watch = callback_of(o[2]);

    options.straighten = straighten;
    options.progress = callback_progress;
    options.progress_ctx = &watch;
    if (PyObject_GetBuffer(o[1], &to, PyBUF_C_CONTIGUOUS))
        goto done;
    n = (size_t)to.len / sizeof(zm_path_point);
    begins = malloc((n + 1) * sizeof *begins);
    if (!begins) {
        PyErr_NoMemory();
        goto done;
    }
    if (!lock_enter(&s->lock, s->state, &thread))
        goto done;
    watch.thread = thread;
    status = trace_all(s, (size_t)item, problem, T.buf, &to, &options, &points, begins,
                       &err);
    lock_leave(&s->lock, thread);
    if (status_passes(p->state, status, &err, p->grid.cols))
        result = Py_BuildValue(
            "(NN)",
            PyByteArray_FromStringAndSize((const char *)points,
                                          (Py_ssize_t)(begins[n] * sizeof *points)),
            PyByteArray_FromStringAndSize((const char *)begins,
                                          (Py_ssize_t)((n + 1) * sizeof *begins)));
done:
    free(points);
    free(begins);
    PyBuffer_Release(&to);
    PyBuffer_Release(&T);
    return result;
}

/* path_cost(periodic, points) -> float; points (n, 3) doubles */
PyObject *problem_path_cost(PyObject *self, PyObject *args)
{
    const problem_object *p = (problem_object *)self;
    PyObject *array;
    Py_buffer points;
    double cost;
    int periodic;
    zm_status status;
    zm_error err;

    if (!problem_stays(p) || !PyArg_ParseTuple(args, "iO", &periodic, &array) ||
        PyObject_GetBuffer(array, &points, PyBUF_C_CONTIGUOUS))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = zm_path_cost(p->grid, p->problems, periodic, points.buf,
                          (size_t)points.len / sizeof(zm_path_point), &cost, &err);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&points);
    return status_passes(p->state, status, &err, p->grid.cols)
               ? PyFloat_FromDouble(cost)
               : NULL;
}

/* residual(item, T, out, kind): writes out */
PyObject *problem_residual(PyObject *self, PyObject *args)
{
    const problem_object *p = (problem_object *)self;
    Py_buffer T = { .obj = NULL }, out = { .obj = NULL };
    const zm_problem *problem;
    PyObject *o[2];
    Py_ssize_t item;
    int kind;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "nOOi", &item, &o[0], &o[1], &kind))
        return NULL;
    ok = problem_stays(p) && (problem = problem_at(p, item)) && open_times(p, o[0], &T) &&
         array_open(o[1], &out, 'd', problem_cells(p), true, "residual");
    if (ok) {
        zm_status status;

        Py_BEGIN_ALLOW_THREADS;
        status = zm_residual(p->grid, problem, T.buf, (zm_residual_kind)kind, out.buf,
                             &err);
        Py_END_ALLOW_THREADS;
        ok = status_passes(p->state, status, &err, p->grid.cols);
    }
    PyBuffer_Release(&out);
    PyBuffer_Release(&T);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}
