/* SPDX-License-Identifier: Apache-2.0
 * Solver.adjoint and Solver.tangent.
 *
 * Derivatives with respect to sources are arrays (3, k) of doubles, one a problem: rows,
 * columns, times. */
#include "core.h"

#include <math.h>

/* ---- derivatives with respect to sources ------------------------------------------ */

typedef struct source_arrays {
    Py_buffer *views; /* n of them; NULL: none */
    Py_ssize_t n;
} source_arrays;

static void sources_close(source_arrays *s)
{
    for (Py_ssize_t i = 0; s->views && i < s->n; i++)
        PyBuffer_Release(&s->views[i]);
    PyMem_Free(s->views);
    *s = (source_arrays){ NULL, 0 };
}

/* arrays: None or a tuple with one for each problem. */
static bool sources_open(source_arrays *s, PyObject *arrays, const problem_object *p,
                         bool writable)
{
    *s = (source_arrays){ NULL, 0 };
    if (arrays == Py_None)
        return true;
    if (PyTuple_Size(arrays) != p->n) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "sources: not one array a problem");
        return false;
    }
    s->views = PyMem_Calloc((size_t)p->n, sizeof *s->views);
    if (!s->views) {
        PyErr_NoMemory();
        return false;
    }
    for (; s->n < p->n; s->n++) {
        if (!array_open(PyTuple_GetItem(arrays, s->n), &s->views[s->n], 'd',
                        3 * p->problems[s->n].n_sources, writable, "sources")) {
            sources_close(s);
            return false;
        }
    }
    return true;
}

enum { ROWS, COLS, TIMES };

/* Rows, columns or times of a problem's sources; NULL: none. */
static double *sources_at(const source_arrays *s, const problem_object *p,
                          Py_ssize_t problem, size_t which)
{
    if (!s->views)
        return NULL;
    return (double *)s->views[problem].buf + which * p->problems[problem].n_sources;
}

/* ---- adjoint and tangent ---------------------------------------------------------- */

/* What a derivative reads and writes, opened from (problem, T, dL_dT or dT, dG, db, dsources). */
typedef struct derivative {
    solver_object *solver;
    problem_object *problem;
    Py_buffer T, of_T; /* of_T: dL_dT or dT */
    planes dG, db;
    source_arrays sources;
    void **times, **of_times; /* of each problem of the batch */
    /* One for each set of planes, and at the end one of all time intervals. */
    zm_gradient *parts;
    zm_nonfinite nonfinite; /* what is done with derivatives that are given */
} derivative;

/* Whether T has derivatives with respect to the place of a source: only where it is between
 * cells. */
static bool has_places(const zm_problem *problem)
{
    for (size_t i = 0; i < problem->n_sources; i++)
        if (problem->sources[i].row != floor(problem->sources[i].row) ||
            problem->sources[i].col != floor(problem->sources[i].col))
            return true;
    return false;
}

/* Fills d->parts but for the sources; else an exception is set. */
static bool parts_fill(derivative *d)
{
    const Py_ssize_t sets = d->problem->sets;
    zm_gradient *parts = PyMem_Calloc((size_t)sets + 1, sizeof *parts);

    d->parts = parts;
    if (!parts) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < sets; i++) {
        const metric_planes m = planes_metric(&d->dG, i);

        parts[i] = (zm_gradient){ .size = sizeof *parts,
                                  .g11 = m.g11,
                                  .g12 = m.g12,
                                  .g22 = m.g22,
                                  .b1 = planes_at(&d->db, i, 0),
                                  .b2 = planes_at(&d->db, i, 1) };
    }
    parts[sets] = (zm_gradient){ .size = sizeof *parts, .intervals = parts };
    return true;
}

/* The first of the parts that the library is given: one for each problem. */
static zm_gradient *parts_of_problems(const derivative *d)
{
    return d->problem->intervals ? d->parts + d->problem->sets : d->parts;
}

/* reverse: what is with respect to the metric and the sources is written, else what is of T.
 * On failure an exception is set; derivative_close is to be called either way. */
static bool derivative_open(derivative *d, PyObject *self, PyObject *args, bool reverse)
{
    solver_object *s = (solver_object *)self;
    problem_object *p;
    PyObject *o[5];
    int propagate = 0;

    *d = (derivative){ .solver = s };
    if (!PyArg_ParseTuple(args, "O!OOOOO|p", s->state->problem_type, &p, &o[0], &o[1],
                          &o[2], &o[3], &o[4], &propagate) ||
        !solver_accepts(s, p))
        return false;
    d->problem = p;
    d->nonfinite = propagate ? ZM_NONFINITE_PROPAGATE : ZM_NONFINITE_REFUSE;
    const char type = dtype_type(p->dtype);
    const size_t count = (size_t)p->n * problem_cells(p);

    return array_open(o[0], &d->T, type, count, false, "T") &&
           array_open(o[1], &d->of_T, type, count, !reverse, reverse ? "g" : "dT") &&
           planes_open(o[2], &d->dG, &p->grid, p->dtype, p->sets, reverse, "dG") &&
           planes_open(o[3], &d->db, &p->grid, p->dtype, p->sets, reverse, "db") &&
           sources_open(&d->sources, o[4], p, reverse) && parts_fill(d) &&
           (d->times = times_of(p, &d->T)) && (d->of_times = times_of(p, &d->of_T));
}

/* None, or NULL with an exception set. */
static PyObject *derivative_close(derivative *d, bool ok, zm_status status,
                                  const zm_error *err)
{
    PyMem_Free(d->of_times);
    PyMem_Free(d->times);
    PyMem_Free(d->parts);
    sources_close(&d->sources);
    planes_close(&d->db);
    planes_close(&d->dG);
    PyBuffer_Release(&d->of_T);
    PyBuffer_Release(&d->T);
    if (!ok || !status_passes(d->problem->state, status, err, d->problem->grid.cols))
        return NULL;
    Py_RETURN_NONE;
}

/* adjoint(problem, T, dL_dT, dG, db, dsources, propagate): writes dG to dsources, None: not wanted;
 * of dsources not the rows and columns where there are no such derivatives */
PyObject *solver_adjoint(PyObject *self, PyObject *args)
{
    derivative d;
    PyThreadState *thread;
    bool ok = derivative_open(&d, self, args, true);
    zm_status status = ZM_OK;
    zm_error err;

    if (ok && (ok = lock_enter(&d.solver->lock, d.solver->state, &thread))) {
        const problem_object *p = d.problem;
        zm_gradient *out = parts_of_problems(&d);

        for (Py_ssize_t i = 0; i < p->n; i++) {
            out[i].source_times = sources_at(&d.sources, p, i, TIMES);
            out[i].nonfinite = d.nonfinite;
            if (has_places(&p->problems[i])) {
                out[i].source_rows = sources_at(&d.sources, p, i, ROWS);
                out[i].source_cols = sources_at(&d.sources, p, i, COLS);
            }
        }
        status = zm_adjoint_batch(d.solver->solver, p->problems, (size_t)p->n,
                                  (const void *const *)d.times,
                                  (const void *const *)d.of_times, out, &err);
        lock_leave(&d.solver->lock, thread);
    }
    return derivative_close(&d, ok, status, &err);
}

/* A direction that moves nothing is none. */
static const double *moves(const double *direction, size_t n)
{
    for (size_t i = 0; direction && i < n; i++)
        if (direction[i] != 0.0)
            return direction;
    return NULL;
}

/* The parts as directions, to be freed; NULL with an exception set. */
static zm_direction *directions_of(const derivative *d)
{
    const problem_object *p = d->problem;
    zm_direction *all = PyMem_Calloc((size_t)p->sets + 1, sizeof *all);
    zm_direction *by = p->intervals ? all + p->sets : all;

    if (!all)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; all && i <= p->sets; i++) {
        const zm_gradient *g = &d->parts[i];

        all[i] = (zm_direction){ .size = sizeof *all,
                                 .g11 = g->g11,
                                 .g12 = g->g12,
                                 .g22 = g->g22,
                                 .b1 = g->b1,
                                 .b2 = g->b2,
                                 .intervals = g->intervals ? all : NULL };
    }
    for (Py_ssize_t i = 0; all && i < p->n; i++) {
        const size_t n = p->problems[i].n_sources;

        by[i].source_times = sources_at(&d->sources, p, i, TIMES);
        by[i].nonfinite = d->nonfinite;
        by[i].source_rows = moves(sources_at(&d->sources, p, i, ROWS), n);
        by[i].source_cols = moves(sources_at(&d->sources, p, i, COLS), n);
    }
    return all;
}

/* tangent(problem, T, dT, dG, db, dsources, propagate): writes dT; None among dG to dsources: 0 */
PyObject *solver_tangent(PyObject *self, PyObject *args)
{
    derivative d;
    zm_direction *directions = NULL;
    PyThreadState *thread;
    bool ok = derivative_open(&d, self, args, false) && (directions = directions_of(&d));
    zm_status status = ZM_OK;
    zm_error err;

    if (ok && (ok = lock_enter(&d.solver->lock, d.solver->state, &thread))) {
        const problem_object *p = d.problem;

        status = zm_tangent_batch(d.solver->solver, p->problems, (size_t)p->n,
                                  (const void *const *)d.times,
                                  p->intervals ? directions + p->sets : directions,
                                  d.of_times, &err);
        lock_leave(&d.solver->lock, thread);
    }
    PyMem_Free(directions);
    return derivative_close(&d, ok, status, &err);
}
