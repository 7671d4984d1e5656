/* SPDX-License-Identifier: Apache-2.0
 * Outlines of {T <= level}. */
#include "core.h"

/* The rings of an outline as a list of (begin, n, area, shell). */
static PyObject *rings_of(const zm_outline *outline)
{
    size_t n;
    const zm_outline_ring *rings = zm_outline_rings(outline, &n);
    PyObject *list = PyList_New((Py_ssize_t)n);

    for (size_t i = 0; list && i < n; i++) {
        PyObject *ring =
            Py_BuildValue("(nndn)", (Py_ssize_t)rings[i].begin, (Py_ssize_t)rings[i].n,
                          rings[i].area, (Py_ssize_t)rings[i].shell);

        if (!ring || PyList_SetItem(list, (Py_ssize_t)i, ring)) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

/* (points as row, col; rings) */
static PyObject *result_of(const zm_outline *outline)
{
    size_t n;
    const zm_outline_point *points = zm_outline_points(outline, &n);
    PyObject *rings = rings_of(outline);
    PyObject *bytes =
        !rings ? NULL
               : PyByteArray_FromStringAndSize((const char *)points,
                                               (Py_ssize_t)(n * sizeof *points));

    if (bytes)
        return Py_BuildValue("(NN)", bytes, rings);
    Py_XDECREF(rings);
    return NULL;
}

/* outline(T, rows, cols, float32, level) -> (bytearray of (row, col), [(begin, n, area, shell)]) */
static PyObject *outline(PyObject *module, PyObject *args)
{
    PyObject *times, *result = NULL;
    zm_outline *found = NULL;
    zm_grid grid = { 0, 0, 1, 1 };
    Py_buffer T;
    double level;
    int single;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "Oiipd", &times, &grid.rows, &grid.cols, &single,
                          &level) ||
        !array_open(times, &T, single ? 'f' : 'd',
                    (size_t)grid.rows * (size_t)grid.cols, false, "T"))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = zm_outline_create(&found, NULL, &err);
    if (status >= 0)
        status =
            zm_outline_find(found, grid, single ? ZM_F32 : ZM_F64, T.buf, level, &err);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&T);
    if (status_passes(PyModule_GetState(module), status, &err, grid.cols))
        result = result_of(found);
    zm_outline_destroy(found);
    return result;
}

PyMethodDef outline_methods[] = {
    { "outline", outline, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
