/* SPDX-License-Identifier: Apache-2.0
 * zermelo._core.Problem: metric, drift, sources and walls of a batch on one grid, or of a problem
 * whose metric changes with time. */
#include "core.h"

#include <stdlib.h>

size_t problem_cells(const problem_object *p)
{
    return (size_t)p->grid.rows * (size_t)p->grid.cols;
}

/* ---- making one ------------------------------------------------------------------- */

static bool open_walls(problem_object *p, PyObject *walls, Py_ssize_t *stride)
{
    const Py_ssize_t cells = (Py_ssize_t)problem_cells(p);

    *stride = 0;
    if (walls == Py_None)
        return true;
    if (PyObject_GetBuffer(walls, &p->walls, PyBUF_C_CONTIGUOUS))
        return false;
    if (p->walls.itemsize != 1 ||
        (p->walls.len != cells && p->walls.len != p->n * cells)) {
        PyErr_SetString(PyExc_ValueError, "walls: not one byte a cell");
        return false;
    }
    if (p->walls.len != cells)
        *stride = cells;
    return true;
}

/* Sources are a tuple of n arrays (k, 3) of doubles, or of one for all. */
static bool open_sources(problem_object *p, PyObject *sources)
{
    const Py_ssize_t count = PyTuple_Size(sources);

    if (count != 1 && count != p->n) {
        PyErr_SetString(PyExc_ValueError,
                        "sources: neither one list nor one a problem");
        return false;
    }
    p->sources = PyMem_Calloc((size_t)count, sizeof *p->sources);
    if (!p->sources) {
        PyErr_NoMemory();
        return false;
    }
    for (; p->n_sources_views < count; p->n_sources_views++) {
        Py_buffer *view = &p->sources[p->n_sources_views];
        PyObject *array = PyTuple_GetItem(sources, p->n_sources_views);

        if (!array || PyObject_GetBuffer(array, view, PyBUF_C_CONTIGUOUS))
            return false;
        if (view->len % (Py_ssize_t)sizeof(zm_source) ||
            (uintptr_t)view->buf % sizeof(double)) {
            PyErr_SetString(PyExc_ValueError, "sources: not three doubles each");
            p->n_sources_views++; /* to be closed */
            return false;
        }
    }
    return true;
}

static zm_metric metric_of(const problem_object *p, Py_ssize_t set)
{
    const metric_planes m = planes_metric(&p->metric, set);

    return (zm_metric){ p->dtype,
                        m.g11,
                        m.g12,
                        m.g22,
                        planes_at(&p->drift, set, 0),
                        planes_at(&p->drift, set, 1) };
}

/* starts: a double for each interval, or None: the metric does not change with time.  stopped:
 * bytes (intervals, rows, cols), or None. */
static bool open_intervals(problem_object *p, PyObject *starts, PyObject *stopped)
{
    const size_t sets = (size_t)p->sets, cells = problem_cells(p);
    const uint8_t *still;

    if (starts == Py_None)
        return true;
    p->intervals = PyMem_Calloc(sets, sizeof *p->intervals);
    if (!p->intervals) {
        PyErr_NoMemory();
        return false;
    }
    if (!array_open(starts, &p->starts, 'd', sets, false, "starts") ||
        (stopped != Py_None &&
         !array_open(stopped, &p->stopped, 'B', sets * cells, false, "stopped")))
        return false;
    still = p->stopped.obj ? p->stopped.buf : NULL;
    for (size_t k = 0; k < sets; k++)
        p->intervals[k] = (zm_interval){ metric_of(p, (Py_ssize_t)k),
                                         still ? still + k * cells : NULL };
    return true;
}

static bool fill_problems(problem_object *p, Py_ssize_t wall_stride)
{
    p->problems = PyMem_Calloc((size_t)p->n, sizeof *p->problems);
    if (!p->problems) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < p->n; i++) {
        const Py_buffer *sources = &p->sources[p->n_sources_views > 1 ? i : 0];
        const uint8_t *walls = p->walls.obj ? p->walls.buf : NULL;

        p->problems[i] = (zm_problem){
            .size = sizeof(zm_problem),
            .sources = sources->buf,
            .n_sources = (size_t)sources->len / sizeof(zm_source),
            .walls = walls ? walls + i * wall_stride : NULL,
        };
        if (!p->intervals) {
            p->problems[i].metric = metric_of(p, i);
            continue;
        }
        p->problems[i].n_intervals = (size_t)p->sets;
        p->problems[i].starts = p->starts.buf;
        p->problems[i].intervals = p->intervals;
    }
    return true;
}

/* Problem(rows, cols, dy, dx, float32, n, G, b, walls, sources, starts, stopped): n problems, or
 * one of n intervals */
static PyObject *problem_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    problem_object *p = (problem_object *)allocate(type, 0);
    PyObject *G, *b, *walls, *sources, *starts, *stopped;
    Py_ssize_t stride = 0;
    int rows, cols, single;

    (void)keywords;
    if (!p)
        return NULL;
    p->state = PyType_GetModuleState(type);
    if (!PyArg_ParseTuple(args, "iiddpnOOOO!OO", &rows, &cols, &p->grid.dy, &p->grid.dx,
                          &single, &p->sets, &G, &b, &walls, &PyTuple_Type, &sources,
                          &starts, &stopped))
        goto failed;
    p->n = starts == Py_None ? p->sets : 1;
    p->grid.rows = rows;
    p->grid.cols = cols;
    p->dtype = single ? ZM_F32 : ZM_F64;
    if (p->sets < 1 || rows < 1 || cols < 1) {
        PyErr_SetString(PyExc_ValueError, "no problem, or one without cells");
        goto failed;
    }
    if (planes_open(G, &p->metric, &p->grid, p->dtype, p->sets, false, "G") &&
        planes_open(b, &p->drift, &p->grid, p->dtype, p->sets, false, "b") &&
        open_walls(p, walls, &stride) && open_sources(p, sources) &&
        open_intervals(p, starts, stopped) && fill_problems(p, stride))
        return (PyObject *)p;
failed:
    Py_DECREF(p);
    return NULL;
}

static void problem_dealloc(PyObject *self)
{
    problem_object *p = (problem_object *)self;
    PyTypeObject *type = Py_TYPE(self);

    planes_close(&p->metric);
    planes_close(&p->drift);
    if (p->walls.obj)
        PyBuffer_Release(&p->walls);
    for (Py_ssize_t i = 0; i < p->n_sources_views; i++)
        PyBuffer_Release(&p->sources[i]);
    PyMem_Free(p->sources);
    PyMem_Free(p->problems);
    PyMem_Free(p->intervals);
    PyBuffer_Release(&p->stopped);
    PyBuffer_Release(&p->starts);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* ---- arrays that moved ------------------------------------------------------------ */

static bool stays(const Py_buffer *view)
{
    Py_buffer now;
    bool same;

    if (!view->obj)
        return true;
    if (PyObject_GetBuffer(view->obj, &now, PyBUF_STRIDES)) {
        PyErr_Clear();
        return false;
    }
    same = now.buf == view->buf && now.len == view->len;
    PyBuffer_Release(&now);
    return same;
}

/* NumPy's resize(refcheck=False) moves an array in spite of its open buffer. */
bool problem_stays(const problem_object *p)
{
    if (stays(&p->metric.view) && stays(&p->drift.view) && stays(&p->walls) &&
        stays(&p->starts) && stays(&p->stopped))
        return true;
    PyErr_SetString(p->state->state_error,
                    "G, b, walls or stopped was resized in place, expected the arrays "
                    "that were given: solve again");
    return false;
}

/* ---- methods ---------------------------------------------------------------------- */

/* check(): the first cell that is not admissible is an exception. */
static PyObject *problem_check(PyObject *self, PyObject *args)
{
    const problem_object *p = (problem_object *)self;
    zm_error err;

    (void)args;
    if (!problem_stays(p))
        return NULL;
    for (Py_ssize_t i = 0; i < p->n; i++) {
        zm_status status;

        Py_BEGIN_ALLOW_THREADS;
        status = zm_problem_check(p->grid, &p->problems[i], &err);
        Py_END_ALLOW_THREADS;
        if (!status_passes(p->state, status, &err, p->grid.cols))
            return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    { "check", problem_check, METH_NOARGS, NULL },
    { "path_cost", problem_path_cost, METH_VARARGS, NULL },
    { "residual", problem_residual, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, "Arrays of a batch of problems, kept open." },
    { Py_tp_new, (void *)problem_new },
    { Py_tp_dealloc, (void *)problem_dealloc },
    { Py_tp_methods, methods },
    { 0, NULL },
};

PyType_Spec problem_spec = { .name = "zermelo._core.Problem",
                             .basicsize = sizeof(problem_object),
                             .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                             .slots = slots };
