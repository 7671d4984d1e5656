/* SPDX-License-Identifier: Apache-2.0
 * Pages from Python's tuples. */
#include "view.h"

#include <string.h>

static bool passes(const core_state *state, zm_status st, const zm_error *err)
{
    return status_passes(state, st, err, 0);
}

static zm_view *begin(const core_state *state, PyObject *head, size_t *cells)
{
    zm_view_opts o = ZM_VIEW_OPTS_INIT;
    zm_view *page = NULL;
    Py_ssize_t limit;
    zm_error err;
    int rows, cols;

    if (!PyArg_ParseTuple(head, "iiddzzzzzn", &rows, &cols, &o.across, &o.down, &o.title,
                          &o.unit_time, &o.unit_length, &o.colormap, &o.command, &limit))
        return NULL;
    o.most_bytes = (size_t)limit;
    *cells = (size_t)rows * (size_t)cols;
    return passes(state, zm_view_create(rows, cols, &page, &o, &err), &err) ? page : NULL;
}

/* ---- fields ----------------------------------------------------------------------- */

static bool open_planes(zm_view_field *f, PyObject *stack, Py_buffer *views, size_t cells)
{
    static const char types[] = { 'd', 'f', 0, 'B' };
    const Py_ssize_t n = PyTuple_Size(stack);

    if (n < 0 || n > ZM_VIEW_MOST_PLANES || (unsigned)f->type > ZM_VIEW_U8 || !types[f->type]) {
        PyErr_SetString(PyExc_ValueError, "planes or type of a field");
        return false;
    }
    for (f->n_planes = 0; f->n_planes < n; f->n_planes++) {
        Py_buffer *view = &views[f->n_planes];

        if (!array_open(PyTuple_GetItem(stack, f->n_planes), view, types[f->type], cells, false,
                        f->name ? f->name : "a field"))
            return false;
        f->planes[f->n_planes] = view->buf;
    }
    return true;
}

static bool add_field(const core_state *state, zm_view *page, PyObject *tuple, size_t cells)
{
    zm_view_field f = ZM_VIEW_FIELD_INIT;
    Py_buffer views[ZM_VIEW_MOST_PLANES] = { { .obj = NULL } };
    zm_status st = ZM_OK;
    zm_error err;
    int role, type;
    PyObject *stack;
    bool done;

    if (!PyArg_ParseTuple(tuple, "iiO!zzz", &role, &type, &PyTuple_Type, &stack, &f.name,
                          &f.label, &f.unit))
        return false;
    f.role = (zm_view_role)role;
    f.type = (zm_view_type)type;
    done = open_planes(&f, stack, views, cells);
    if (done) {
        Py_BEGIN_ALLOW_THREADS;
        st = zm_view_add(page, &f, NULL, &err);
        Py_END_ALLOW_THREADS;
        done = passes(state, st, &err);
    }
    for (int k = 0; k < ZM_VIEW_MOST_PLANES; k++)
        PyBuffer_Release(&views[k]);
    return done;
}

/* ---- place and tables ------------------------------------------------------------- */

static bool set_place(const core_state *state, zm_view *page, PyObject *tuple)
{
    zm_view_place p = ZM_VIEW_PLACE_INIT;
    Py_buffer lon = { .obj = NULL }, lat = { .obj = NULL };
    PyObject *longitudes, *latitudes;
    double *t = p.transform;
    int epsg, rows, cols;
    zm_error err;
    bool done;

    if (tuple == Py_None)
        return true;
    if (!PyArg_ParseTuple(tuple, "ziz(dddddd)diiOO", &p.crs, &epsg, &p.wkt, &t[0], &t[1], &t[2],
                          &t[3], &t[4], &t[5], &p.north, &rows, &cols, &longitudes, &latitudes))
        return false;
    p.epsg = epsg;
    p.lonlat_rows = rows;
    p.lonlat_cols = cols;
    done = !rows || (array_open(longitudes, &lon, 'd', (size_t)rows * (size_t)cols, false, "lon") &&
                     array_open(latitudes, &lat, 'd', (size_t)rows * (size_t)cols, false, "lat"));
    p.lon = lon.buf;
    p.lat = lat.buf;
    done = done && passes(state, zm_view_set_place(page, &p, &err), &err);
    PyBuffer_Release(&lon);
    PyBuffer_Release(&lat);
    return done;
}

enum { MOST_COLUMNS = 16 };

static bool add_table(const core_state *state, zm_view *page, PyObject *tuple)
{
    const char *title, *columns[MOST_COLUMNS];
    PyObject *names, *array;
    Py_buffer values;
    Py_ssize_t rows, n;
    zm_error err;
    bool done;

    if (!PyArg_ParseTuple(tuple, "sO!On", &title, &PyTuple_Type, &names, &array, &rows))
        return false;
    n = PyTuple_Size(names);
    if (n < 1 || n > MOST_COLUMNS || rows < 0) {
        PyErr_SetString(PyExc_ValueError, "columns of a table");
        return false;
    }
    for (Py_ssize_t c = 0; c < n; c++)
        if (!(columns[c] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, c), NULL)))
            return false;
    if (!array_open(array, &values, 'd', (size_t)(n * rows), false, "values"))
        return false;
    done = passes(state,
                  zm_view_add_table(page, title, columns, (size_t)n, values.buf, (size_t)rows, &err),
                  &err);
    PyBuffer_Release(&values);
    return done;
}

/* ---- the page --------------------------------------------------------------------- */

zm_view *view_new(const core_state *state, PyObject *head, PyObject *fields, PyObject *place,
                  PyObject *tables)
{
    size_t cells = 0;
    zm_view *page = begin(state, head, &cells);
    bool done = page && set_place(state, page, place);

    for (Py_ssize_t i = 0; done && i < PyList_Size(fields); i++)
        done = add_field(state, page, PyList_GetItem(fields, i), cells);
    for (Py_ssize_t i = 0; done && i < PyList_Size(tables); i++)
        done = add_table(state, page, PyList_GetItem(tables, i));
    if (!done) {
        zm_view_destroy(page);
        page = NULL;
    }
    return page;
}

static int append(void *ctx, const void *bytes, size_t n)
{
    char **to = ctx;

    memcpy(*to, bytes, n);
    *to += n;
    return 0;
}

PyObject *view_bytes(const core_state *state, zm_view *page)
{
    PyObject *bytes = NULL;
    size_t length = 0;
    zm_error err;
    zm_status st = zm_view_length(page, &length, &err);

    if (passes(state, st, &err) &&
        (bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)length))) {
        char *to = PyBytes_AsString(bytes);

        Py_BEGIN_ALLOW_THREADS;
        st = zm_view_write_to(page, append, &to, &err);
        Py_END_ALLOW_THREADS;
        if (!passes(state, st, &err))
            Py_CLEAR(bytes);
    }
    zm_view_destroy(page);
    return bytes;
}
