/* SPDX-License-Identifier: Apache-2.0
 * Functions of the module: weather, landscapes and scenes from files and to them. */
#include "fire.h"

#include <stdlib.h>

/* ---- weather ---------------------------------------------------------------------- */

/* (hours as bytes, how many of them come before the fire, (year, month, day, hour, ahead) of the start,
 * whether the weather has dates, what was assumed, station's elevation, moistures or None, settings
 * that are not used) where the status is good.  NaN: not told; month 0: no start. */
static PyObject *weather_if(const fire_state *state, const zm_weather_series *s,
                            const zm_fire_weather *w, zm_status status,
                            const zm_error *err)
{
    const zm_fuel_moisture *m = &s->moisture;
    const zm_weather_hour *first = w->hours;
    PyObject *moisture;

    if (!status_passes(&state->core, status, err, 0))
        return NULL;
    moisture = m->dead_1h > 0
                   ? Py_BuildValue("(ddddd)", m->dead_1h, m->dead_10h, m->dead_100h,
                                   m->live_herb, m->live_woody)
                   : Py_NewRef(Py_None);
    return Py_BuildValue(
        "(Nn(iiidd)iidNs)", hours_bytes(first, w->earlier, first + w->earlier, w->n),
        (Py_ssize_t)w->earlier, (int)w->start.year, (int)w->start.month,
        (int)w->start.day, w->start.hour, w->start.ahead, (int)s->dated,
        (int)s->assumed, s->elevation, moisture, s->unused);
}

/* weather_read(path, (year, month, day, hour, ahead), clock_ahead, hours, earlier): month 0: no
 * start; NaN: not told */
static PyObject *weather_read(PyObject *module, PyObject *args)
{
    zm_weather_series s = ZM_WEATHER_SERIES_INIT;
    zm_fire_weather w = { 0 };
    zm_time start;
    double clock, hours, earlier;
    int year, month, day;
    const char *path;
    PyObject *result;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "s(iiidd)ddd", &path, &year, &month, &day, &start.hour,
                          &start.ahead, &clock, &hours, &earlier))
        return NULL;
    start.year = year;
    start.month = month;
    start.day = day;
    Py_BEGIN_ALLOW_THREADS;
    status = zm_fire_weather_read(path, &start, clock, hours, earlier, &s, &w, &err);
    Py_END_ALLOW_THREADS;
    result = weather_if(fire_state_of(module), &s, &w, status, &err);
    zm_fire_weather_free(&w);
    zm_weather_series_free(&s);
    return result;
}

/* weather_text(bytes, name) -> hours as bytes, what was assumed: of a table in memory */
static PyObject *weather_text(PyObject *module, PyObject *args)
{
    zm_weather w = { .hours = NULL };
    const char *text, *name;
    PyObject *result = NULL;
    Py_ssize_t n;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "y#s", &text, &n, &name))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = zm_weather_read_text(text, (size_t)n, name, &w, &err);
    Py_END_ALLOW_THREADS;
    if (status_passes(&fire_state_of(module)->core, status, &err, 0))
        result = Py_BuildValue("(Ni)", hours_bytes(NULL, 0, w.hours, w.n), (int)w.assumed);
    zm_weather_free(&w);
    return result;
}

/* ---- landscapes ------------------------------------------------------------------- */

/* import_landscape(file, folder, fuels or None) -> (cells_without_data, unknown_fuel_cells,
 * usual_fuel_cells, slope_computed, cover_missing, utm_zone, slope_percent) */
static PyObject *import_landscape(PyObject *module, PyObject *args)
{
    const fire_state *state = fire_state_of(module);
    zm_import_report r = ZM_IMPORT_REPORT_INIT;
    zm_import_opts opts = ZM_IMPORT_OPTS_INIT;
    const char *file, *folder, *fuels;
    zm_fuel *models = NULL;
    zm_status status = ZM_OK;
    zm_error err;

    if (!PyArg_ParseTuple(args, "ssz", &file, &folder, &fuels))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    if (fuels)
        status = zm_fuels_read(fuels, &models, &opts.n_fuels, &err);
    opts.fuels = models;
    if (status >= 0)
        status = zm_import_landscape(file, folder, &opts, &r, &err);
    free(models);
    Py_END_ALLOW_THREADS;
    if (!status_passes(&state->core, status, &err, 0))
        return NULL;
    return Py_BuildValue("(LLLiiii)", (long long)r.cells_without_data,
                         (long long)r.unknown_fuel_cells, (long long)r.usual_fuel_cells,
                         (int)r.slope_computed, (int)r.cover_missing, (int)r.utm_zone,
                         (int)r.slope_percent);
}

/* Planes and names of a raster. */
typedef struct bands {
    const float **planes;
    const char **names;
} bands;

static bool bands_take(bands *b, const float *values, size_t cells, PyObject *names,
                       Py_ssize_t n)
{
    b->planes = PyMem_Calloc((size_t)n + 1, sizeof *b->planes);
    b->names = PyMem_Calloc((size_t)n + 1, sizeof *b->names);
    if (!b->planes || !b->names) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        b->planes[i] = values + (size_t)i * cells;
        b->names[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
        if (!b->names[i])
            return false;
    }
    return true;
}

/* write_raster(path, values, rows, cols, names, transform, wkt): floats, a plane for each name */
static PyObject *write_raster(PyObject *module, PyObject *args)
{
    const fire_state *state = fire_state_of(module);
    zm_georeference where;
    double *t = where.transform;
    bands b = { NULL, NULL };
    PyObject *array, *names;
    const char *path;
    int rows, cols;
    Py_buffer values;
    zm_status status = ZM_OK;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "sOiiO!(dddddd)s", &path, &array, &rows, &cols,
                          &PyTuple_Type, &names, &t[0], &t[1], &t[2], &t[3], &t[4],
                          &t[5], &where.wkt))
        return NULL;
    const Py_ssize_t n = PyTuple_Size(names);
    const size_t cells = (size_t)rows * (size_t)cols;

    if (!array_open(array, &values, 'f', cells * (size_t)n, false, "values"))
        return NULL;
    ok = bands_take(&b, values.buf, cells, names, n);
    if (ok) {
        const zm_raster_planes raster = { rows,     cols,    (int32_t)n,
                                          b.planes, b.names, &where };

        Py_BEGIN_ALLOW_THREADS;
        status = zm_raster_write(path, &raster, &err);
        Py_END_ALLOW_THREADS;
    }
    PyMem_Free(b.planes);
    PyMem_Free(b.names);
    PyBuffer_Release(&values);
    return ok ? fire_none_if(state, status, &err, cols) : NULL;
}

/* ---- scenes of its own making ----------------------------------------------------- */

/* simulate(folder, seed, rows, cols, cell, fires, finer, progress) */
static PyObject *simulate(PyObject *module, PyObject *args)
{
    zm_simulate_opts opts = ZM_SIMULATE_OPTS_INIT;
    unsigned long long seed;
    int rows, cols, fires, finer;
    const char *folder;
    PyObject *progress;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "sKiidiiO", &folder, &seed, &rows, &cols, &opts.cell,
                          &fires, &finer, &progress))
        return NULL;
    callback watch = callback_of(progress);

    opts.seed = seed;
    opts.rows = rows;
    opts.cols = cols;
    opts.fires = fires;
    opts.finer = finer;
    opts.progress = callback_progress;
    opts.progress_ctx = &watch;
    callback_begin(&watch);
    status = zm_simulate_scene(folder, &opts, &err);
    callback_end(&watch);
    return fire_none_if(fire_state_of(module), status, &err, 0);
}

PyMethodDef file_functions[] = {
    { "weather_read", weather_read, METH_VARARGS, NULL },
    { "weather_text", weather_text, METH_VARARGS, NULL },
    { "import_landscape", import_landscape, METH_VARARGS, NULL },
    { "write_raster", write_raster, METH_VARARGS, NULL },
    { "simulate", simulate, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
