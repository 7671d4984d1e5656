/* SPDX-License-Identifier: Apache-2.0
 * Solver.adjoint and Solver.tangent.
 *
 * Derivatives by sources are arrays (3, k) of doubles, one a problem: rows, columns, times. */
#include "core.h"

#include <math.h>

/* ---- derivatives by sources ------------------------------------------------------- */

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

/* Whether T has derivatives by the place of a source: only where it is between cells. */
static bool has_places(const zm_problem *problem)
{
    for (size_t i = 0; i < problem->n_sources; i++)
        if (problem->sources[i].row != floor(problem->sources[i].row) ||
            problem->sources[i].col != floor(problem->sources[i].col))
            return true;
    return false;
}

/* A direction that moves nothing is none. */
static const double *moves(const double *direction, size_t n)
{
    for (size_t i = 0; direction && i < n; i++)
        if (direction[i] != 0.0)
            return direction;
    return NULL;
}

/* ---- adjoint ---------------------------------------------------------------------- */

/* One for each set of planes, sources left out, and at the end one of all time intervals; to be
 * freed.  NULL with an exception set. */
static zm_gradient *gradients_of(const problem_object *p, const planes *dG, const planes *db)
{
    zm_gradient *g = PyMem_Calloc((size_t)p->sets + 1, sizeof *g);

    if (!g)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; g && i < p->sets; i++) {
        const metric_planes m = planes_metric(dG, i);

        g[i] = (zm_gradient){ .size = sizeof *g,
                              .g11 = m.g11,
                              .g12 = m.g12,
                              .g22 = m.g22,
                              .b1 = planes_at(db, i, 0),
                              .b2 = planes_at(db, i, 1) };
    }
    if (g)
        g[p->sets] = (zm_gradient){ .size = sizeof *g, .intervals = g };
    return g;
}

static void add_sources(zm_gradient *g, const problem_object *p,
                        const source_arrays *ds)
{
    for (Py_ssize_t i = 0; i < p->n; i++) {
        g[i].source_times = sources_at(ds, p, i, TIMES);
        if (has_places(&p->problems[i])) {
            g[i].source_rows = sources_at(ds, p, i, ROWS);
            g[i].source_cols = sources_at(ds, p, i, COLS);
        }
    }
}

static bool adjoint(solver_object *s, const problem_object *p, const Py_buffer *T,
                    const Py_buffer *dL_dT, const zm_gradient *gradients)
{
    void **times = times_of(p, T), **cotangents = times ? times_of(p, dL_dT) : NULL;
    zm_status status = ZM_E_NOMEM;
    zm_error err = { .text = "" };

    if (cotangents) {
        PyThreadState *thread = lock_enter(s->lock);

        status = zm_adjoint_batch(s->solver, p->problems, (size_t)p->n,
                                  (const void *const *)times,
                                  (const void *const *)cotangents, gradients, &err);
        lock_leave(s->lock, thread);
    }
    PyMem_Free(cotangents);
    PyMem_Free(times);
    return status_passes(p->state, status, &err, p->grid.cols);
}

/* adjoint(problem, T, dL_dT, dG, db, dsources): writes the last three, None: not wanted;
 * of dsources not the rows and columns where there are no such derivatives */
PyObject *solver_adjoint(PyObject *self, PyObject *args)
{
    solver_object *s = (solver_object *)self;
    PyObject *o[5];
    problem_object *p;
    Py_buffer T = { .obj = NULL }, dL_dT = { .obj = NULL };
    planes dG = { .count = 0 }, db = { .count = 0 };
    source_arrays ds = { NULL, 0 };
    zm_gradient *gradients = NULL;
    bool ok;

    if (!PyArg_ParseTuple(args, "O!OOOOO", s->state->problem_type, &p, &o[0], &o[1],
                          &o[2], &o[3], &o[4]) ||
        !solver_accepts(s, p))
        return NULL;
    const char type = dtype_type(p->dtype);
    const size_t count = (size_t)p->n * problem_cells(p);

    ok = array_open(o[0], &T, type, count, false, "T") &&
         array_open(o[1], &dL_dT, type, count, false, "g") &&
         planes_open(o[2], &dG, &p->grid, p->dtype, p->sets, true, "dG") &&
         planes_open(o[3], &db, &p->grid, p->dtype, p->sets, true, "db") &&
         sources_open(&ds, o[4], p, true) && (gradients = gradients_of(p, &dG, &db));
    if (ok) {
        zm_gradient *of = p->intervals ? gradients + p->sets : gradients;

        add_sources(of, p, &ds);
        ok = adjoint(s, p, &T, &dL_dT, of);
    }
    PyMem_Free(gradients);
    sources_close(&ds);
    planes_close(&db);
    planes_close(&dG);
    PyBuffer_Release(&dL_dT);
    PyBuffer_Release(&T);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}

/* ---- tangent ---------------------------------------------------------------------- */

/* One for each set of planes, sources left out, and at the end one of all time intervals; to be
 * freed.  NULL with an exception set. */
static zm_direction *directions_of(const problem_object *p, const planes *dG, const planes *db)
{
    zm_direction *d = PyMem_Calloc((size_t)p->sets + 1, sizeof *d);

    if (!d)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; d && i < p->sets; i++) {
        const metric_planes m = planes_metric(dG, i);

        d[i] = (zm_direction){ .size = sizeof *d,
                              .g11 = m.g11,
                              .g12 = m.g12,
                              .g22 = m.g22,
                              .b1 = planes_at(db, i, 0),
                              .b2 = planes_at(db, i, 1) };
    }
    if (d)
        d[p->sets] = (zm_direction){ .size = sizeof *d, .intervals = d };
    return d;
}

static void move_sources(zm_direction *d, const problem_object *p,
                         const source_arrays *ds)
{
    for (Py_ssize_t i = 0; i < p->n; i++) {
        const size_t n = p->problems[i].n_sources;

        d[i].source_times = sources_at(ds, p, i, TIMES);
        d[i].source_rows = moves(sources_at(ds, p, i, ROWS), n);
        d[i].source_cols = moves(sources_at(ds, p, i, COLS), n);
    }
}

static bool tangent(solver_object *s, const problem_object *p, const Py_buffer *T,
                    const Py_buffer *dT, const zm_direction *directions)
{
    void **times = times_of(p, T), **out = times ? times_of(p, dT) : NULL;
    zm_status status = ZM_E_NOMEM;
    zm_error err = { .text = "" };

    if (out) {
        PyThreadState *thread = lock_enter(s->lock);

        status = zm_tangent_batch(s->solver, p->problems, (size_t)p->n,
                                  (const void *const *)times, directions, out, &err);
        lock_leave(s->lock, thread);
    }
    PyMem_Free(out);
    PyMem_Free(times);
    return status_passes(p->state, status, &err, p->grid.cols);
}

/* tangent(problem, T, dG, db, dsources, dT): writes dT; None among the others: 0 */
PyObject *solver_tangent(PyObject *self, PyObject *args)
{
    solver_object *s = (solver_object *)self;
    PyObject *o[5];
    problem_object *p;
    Py_buffer T = { .obj = NULL }, dT = { .obj = NULL };
    planes dG = { .count = 0 }, db = { .count = 0 };
    source_arrays ds = { NULL, 0 };
    zm_direction *directions = NULL;
    bool ok;

    if (!PyArg_ParseTuple(args, "O!OOOOO", s->state->problem_type, &p, &o[0], &o[1],
                          &o[2], &o[3], &o[4]) ||
        !solver_accepts(s, p))
        return NULL;
    const char type = dtype_type(p->dtype);
    const size_t count = (size_t)p->n * problem_cells(p);

    ok = array_open(o[0], &T, type, count, false, "T") &&
         planes_open(o[1], &dG, &p->grid, p->dtype, p->sets, false, "dG") &&
         planes_open(o[2], &db, &p->grid, p->dtype, p->sets, false, "db") &&
         sources_open(&ds, o[3], p, false) &&
         array_open(o[4], &dT, type, count, true, "dT") &&
         (directions = directions_of(p, &dG, &db));
    if (ok) {
        zm_direction *by = p->intervals ? directions + p->sets : directions;

        move_sources(by, p, &ds);
        ok = tangent(s, p, &T, &dT, by);
    }
    PyMem_Free(directions);
    PyBuffer_Release(&dT);
    sources_close(&ds);
    planes_close(&db);
    planes_close(&dG);
    PyBuffer_Release(&T);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}
