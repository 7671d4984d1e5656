/* SPDX-License-Identifier: Apache-2.0
 * How the front came: stencils, flow, labels and paths of a Solver; cost of a path and
 * residual of a Problem.  All are about the first problem of a batch. */
#include "core.h"

#include <stdlib.h>

/* Opens T of the first problem; p from the arguments. */
static bool open_times(const solver_object *s, const problem_object *p, PyObject *times,
                       Py_buffer *T)
{
    return solver_accepts(s, p) &&
           array_open(times, T, dtype_type(p->dtype), problem_cells(p), false, "T");
}

/* stencils(problem, T, codes, weights): writes the last two */
PyObject *solver_stencils(PyObject *self, PyObject *args)
{
    solver_object *s = (solver_object *)self;
    Py_buffer T = { .obj = NULL }, codes = { .obj = NULL }, weights = { .obj = NULL };
    problem_object *p;
    PyObject *o[3];
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "O!OOO", s->state->problem_type, &p, &o[0], &o[1],
                          &o[2]))
        return NULL;
    ok = open_times(s, p, o[0], &T) &&
         array_open(o[1], &codes, 'B', problem_cells(p), true, "codes") &&
         array_open(o[2], &weights, 'd', problem_cells(p), true, "weights");
    if (ok) {
        PyThreadState *thread = lock_enter(s->lock);
        const zm_status status =
            zm_stencils(s->solver, 0, p->problems, T.buf, codes.buf, weights.buf, &err);

        lock_leave(s->lock, thread);
        ok = status_passes(p->state, status, &err, p->grid.cols);
    }
    PyBuffer_Release(&weights);
    PyBuffer_Release(&codes);
    PyBuffer_Release(&T);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}

/* flow(problem, T, v): writes v (2, rows, cols), x first */
PyObject *solver_flow(PyObject *self, PyObject *args)
{
    solver_object *s = (solver_object *)self;
    Py_buffer T = { .obj = NULL };
    planes v = { .count = 0 };
    problem_object *p;
    PyObject *o[2];
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "O!OO", s->state->problem_type, &p, &o[0], &o[1]))
        return NULL;
    ok = open_times(s, p, o[0], &T) &&
         planes_open(o[1], &v, &p->grid, p->dtype, 1, true, "v");
    if (ok) {
        PyThreadState *thread = lock_enter(s->lock);
        const zm_status status =
            zm_flow(s->solver, 0, p->problems, T.buf, planes_at(&v, 0, 0),
                    planes_at(&v, 0, 1), &err);

        lock_leave(s->lock, thread);
        ok = status_passes(p->state, status, &err, p->grid.cols);
    }
    planes_close(&v);
    PyBuffer_Release(&T);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}

/* labels(problem, T, labels): writes the last */
PyObject *solver_labels(PyObject *self, PyObject *args)
{
    solver_object *s = (solver_object *)self;
    Py_buffer T = { .obj = NULL }, labels = { .obj = NULL };
    problem_object *p;
    PyObject *o[2];
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "O!OO", s->state->problem_type, &p, &o[0], &o[1]))
        return NULL;
    ok = open_times(s, p, o[0], &T) &&
         array_open(o[1], &labels, 'i', problem_cells(p), true, "labels");
    if (ok) {
        PyThreadState *thread = lock_enter(s->lock);
        const zm_status status =
            zm_labels(s->solver, 0, p->problems, T.buf, labels.buf, &err);

        lock_leave(s->lock, thread);
        ok = status_passes(p->state, status, &err, p->grid.cols);
    }
    PyBuffer_Release(&labels);
    PyBuffer_Release(&T);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}

/* ---- paths ------------------------------------------------------------------------ */

/* Traces with more and more room; *points is to be freed. */
static zm_status trace(solver_object *s, const problem_object *p, const void *T,
                       const double at[2], const zm_path_opts *options,
                       zm_path_point **points, size_t *count, zm_error *err)
{
    size_t room = 4 * ((size_t)p->grid.rows + (size_t)p->grid.cols);
    zm_status status;

    for (;;) {
        *points = malloc(room * sizeof **points);
        if (!*points)
            return ZM_E_NOMEM;
        *count = 0;
        status = zm_path(s->solver, 0, p->problems, T, at[0], at[1], *points, room, count,
                         NULL, options, err);
        if (*count <= room)
            return status;
        room = *count;
        free(*points);
    }
}

/* path(problem, T, row, col, straighten) -> bytearray of (row, col, time) */
PyObject *solver_path(PyObject *self, PyObject *args)
{
    solver_object *s = (solver_object *)self;
    zm_path_opts options = ZM_PATH_OPTS_INIT;
    problem_object *p;
    PyObject *times, *result = NULL;
    PyThreadState *thread;
    Py_buffer T;
    zm_path_point *points = NULL;
    double at[2];
    size_t count = 0;
    int straighten;
    zm_status status;
    zm_error err = { .text = "" };

    if (!PyArg_ParseTuple(args, "O!Oddp", s->state->problem_type, &p, &times, &at[0],
                          &at[1], &straighten) ||
        !open_times(s, p, times, &T))
        return NULL;
    options.straighten = straighten;
    thread = lock_enter(s->lock);
    status = trace(s, p, T.buf, at, &options, &points, &count, &err);
    lock_leave(s->lock, thread);
    PyBuffer_Release(&T);
    if (status_passes(p->state, status, &err, p->grid.cols))
        result = PyByteArray_FromStringAndSize((const char *)points,
                                               (Py_ssize_t)(count * sizeof *points));
    free(points);
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

    if (!PyArg_ParseTuple(args, "iO", &periodic, &array) ||
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

/* residual(T, kind, out): writes out */
PyObject *problem_residual(PyObject *self, PyObject *args)
{
    const problem_object *p = (problem_object *)self;
    Py_buffer T = { .obj = NULL }, out = { .obj = NULL };
    PyObject *o[2];
    int kind;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "OiO", &o[0], &kind, &o[1]))
        return NULL;
    ok = array_open(o[0], &T, dtype_type(p->dtype), problem_cells(p), false, "T") &&
         array_open(o[1], &out, 'd', problem_cells(p), true, "residual");
    if (ok) {
        zm_status status;

        Py_BEGIN_ALLOW_THREADS;
        status = zm_residual(p->grid, p->problems, T.buf, (zm_residual_kind)kind,
                             out.buf, &err);
        Py_END_ALLOW_THREADS;
        ok = status_passes(p->state, status, &err, p->grid.cols);
    }
    PyBuffer_Release(&out);
    PyBuffer_Release(&T);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}
