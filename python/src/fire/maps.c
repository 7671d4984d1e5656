/* SPDX-License-Identifier: Apache-2.0
 * Functions of the module: ignitions, perimeters, scores. */
#include "fire.h"

#include <stdlib.h>

/* ---- ignitions -------------------------------------------------------------------- */

/* A list of (bytes, time), whose bytes stay open. */
typedef struct shapes {
    Py_buffer *views;
    zm_shape *items;
    size_t n;
} shapes;

static bool shapes_open(shapes *s, PyObject *list)
{
    const Py_ssize_t n = PyList_Size(list);

    *s = (shapes){ .n = n > 0 ? (size_t)n : 0 };
    s->views = PyMem_Calloc(s->n + 1, sizeof *s->views);
    s->items = PyMem_Calloc(s->n + 1, sizeof *s->items);
    if (!s->views || !s->items) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < s->n; i++) {
        PyObject *bytes;

        if (!PyArg_ParseTuple(PyList_GetItem(list, (Py_ssize_t)i), "Sd", &bytes,
                              &s->items[i].time) ||
            PyObject_GetBuffer(bytes, &s->views[i], PyBUF_SIMPLE))
            return false;
        s->items[i].bytes = s->views[i].buf;
        s->items[i].n = (size_t)s->views[i].len;
    }
    return true;
}

static void shapes_close(shapes *s)
{
    for (size_t i = 0; s->views && i < s->n; i++)
        PyBuffer_Release(&s->views[i]);
    PyMem_Free(s->views);
    PyMem_Free(s->items);
}

/* ignition(ground, [(bytes, time), ...], wkt) -> (sources, cells, not_burnable, outside,
 * one_point) */
static PyObject *ignition(PyObject *module, PyObject *args)
{
    const fire_state *state = fire_state_of(module);
    const ground_object *g;
    zm_ignition_report report = ZM_IGNITION_REPORT_INIT;
    zm_source *sources = NULL;
    PyObject *object, *list, *result = NULL;
    const char *wkt;
    size_t n = 0;
    shapes s;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "OO!s", &object, &PyList_Type, &list, &wkt) ||
        !(g = ground_of(state, object)))
        return NULL;
    if (shapes_open(&s, list)) {
        Py_BEGIN_ALLOW_THREADS;
        status = zm_ignition_cells(s.items, s.n, wkt, g->land, g->where, &sources, &n,
                                   &report, &err);
        Py_END_ALLOW_THREADS;
        if (status_passes(&state->core, status, &err, g->land->cols))
            result =
                Py_BuildValue("(NLLLi)", sources_bytes(sources, n),
                              (long long)report.cells, (long long)report.not_burnable,
                              (long long)report.outside, (int)report.one_point);
        free(sources);
    }
    shapes_close(&s);
    return result;
}

/* ---- perimeters ------------------------------------------------------------------- */

/* isochrone_times(latest) -> list of hours */
static PyObject *isochrone_times(PyObject *module, PyObject *args)
{
    double times[ZM_MOST_ISOCHRONES], latest;
    PyObject *list;
    size_t n;

    (void)module;
    if (!PyArg_ParseTuple(args, "d", &latest))
        return NULL;
    n = zm_isochrone_times(latest, times);
    list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *time = PyFloat_FromDouble(times[i]);

        if (!time || PyList_SetItem(list, (Py_ssize_t)i, time))
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *isochrone_list(zm_isochrone *found, size_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);

    for (size_t i = 0; list && i < n; i++) {
        PyObject *row =
            Py_BuildValue("(ddy#)", found[i].time, found[i].area,
                          (const char *)found[i].shape, (Py_ssize_t)found[i].bytes);

        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row))
            Py_CLEAR(list);
    }
    return list;
}

/* isochrones(T, rows, cols, transform, wkt, times) -> list of (hours, hectares, well-known binary).
 * T is floats that nobody else has. */
static PyObject *isochrones(PyObject *module, PyObject *args)
{
    const fire_state *state = fire_state_of(module);
    zm_georeference where;
    double *t = where.transform, *times = NULL;
    zm_isochrone *found = NULL;
    PyObject *array, *of_times, *list = NULL;
    int rows, cols;
    size_t n;
    Py_buffer T;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "Oii(dddddd)sO", &array, &rows, &cols, &t[0], &t[1],
                          &t[2], &t[3], &t[4], &t[5], &where.wkt, &of_times) ||
        !array_open(array, &T, 'f', (size_t)rows * (size_t)cols, false, "T"))
        return NULL;
    if (doubles_take(of_times, &times, &n, "times") &&
        !(found = PyMem_Calloc(n + 1, sizeof *found)))
        PyErr_NoMemory();
    if (found) {
        Py_BEGIN_ALLOW_THREADS;
        status = zm_isochrones_find(T.buf, rows, cols, &where, times, n, found, &err);
        Py_END_ALLOW_THREADS;
        if (status_passes(&state->core, status, &err, cols))
            list = isochrone_list(found, n);
        for (size_t i = 0; i < n; i++)
            zm_isochrone_free(&found[i]);
    }
    PyMem_Free(found);
    PyMem_Free(times);
    PyBuffer_Release(&T);
    return list;
}

/* ---- scores ----------------------------------------------------------------------- */

/* score(truth, predicted, rows, cols, row, col, duration) -> (pearson, spearman, relative_rmse,
 * mae, bias, (iou), duration, latest, burned, compared, unreached, flaw or None) */
static PyObject *score(PyObject *module, PyObject *args)
{
    const fire_state *state = fire_state_of(module);
    zm_score s = ZM_SCORE_INIT;
    PyObject *o[2];
    int rows, cols, row, col;
    double duration;
    Py_buffer truth, predicted = { .obj = NULL };
    zm_status status;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "OOiiiid", &o[0], &o[1], &rows, &cols, &row, &col,
                          &duration) ||
        !array_open(o[0], &truth, 'f', (size_t)rows * (size_t)cols, false, "truth"))
        return NULL;
    ok = array_open(o[1], &predicted, 'f', (size_t)rows * (size_t)cols, false,
                    "predicted");
    if (ok) {
        Py_BEGIN_ALLOW_THREADS;
        status = zm_score_fire(truth.buf, predicted.buf, rows, cols, row, col, duration,
                               &s, &err);
        Py_END_ALLOW_THREADS;
        ok = status_passes(&state->core, status, &err, cols);
    }
    PyBuffer_Release(&predicted);
    PyBuffer_Release(&truth);
    if (!ok)
        return NULL;
    return Py_BuildValue("(ddddd(dddd)ddLLLz)", s.pearson, s.spearman, s.relative_rmse,
                         s.mae, s.bias, s.iou[0], s.iou[1], s.iou[2], s.iou[3],
                         s.duration, s.latest, (long long)s.burned,
                         (long long)s.compared, (long long)s.unreached,
                         s.flaw == ZM_SCORE_FINE ? NULL : zm_score_flaw_text(s.flaw));
}

/* ---- places ----------------------------------------------------------------------- */

/* describe(rows, cols, transform, wkt) -> (name, epsg, north, rows, cols, longitudes, latitudes),
 * the last two bytes of rows*cols doubles */
static PyObject *describe(PyObject *module, PyObject *args)
{
    const fire_state *state = fire_state_of(module);
    zm_georeference where;
    zm_georeference_facts *f = PyMem_Calloc(1, sizeof *f);
    double *t = where.transform;
    PyObject *result = NULL;
    int rows, cols;
    zm_status status;
    zm_error err;

    if (!f)
        return PyErr_NoMemory();
    f->size = sizeof *f;
    if (PyArg_ParseTuple(args, "ii(dddddd)s", &rows, &cols, &t[0], &t[1], &t[2], &t[3], &t[4],
                         &t[5], &where.wkt)) {
        Py_BEGIN_ALLOW_THREADS;
        status = zm_georeference_describe(&where, rows, cols, f, &err);
        Py_END_ALLOW_THREADS;
        if (status_passes(&state->core, status, &err, 0)) {
            const Py_ssize_t bytes =
                (Py_ssize_t)f->lonlat_rows * f->lonlat_cols * (Py_ssize_t)sizeof *f->lon;

            result = Py_BuildValue("(sidiiy#y#)", f->crs, (int)f->epsg, f->north,
                                   (int)f->lonlat_rows, (int)f->lonlat_cols, (const char *)f->lon,
                                   bytes, (const char *)f->lat, bytes);
        }
    }
    PyMem_Free(f);
    return result;
}

PyMethodDef map_functions[] = {
    { "describe", describe, METH_VARARGS, NULL },
    { "ignition", ignition, METH_VARARGS, NULL },
    { "isochrone_times", isochrone_times, METH_VARARGS, NULL },
    { "isochrones", isochrones, METH_VARARGS, NULL },
    { "score", score, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
