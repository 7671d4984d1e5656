/* SPDX-License-Identifier: Apache-2.0
 * Functions of the module: weather, landscapes and scenes from files and to them. */
#include "fire.h"

#include <stdlib.h>

/* ---- weather ---------------------------------------------------------------------- */

/* (hours as bytes, month, day, hour, assumed) where the status is good; frees the weather. */
static PyObject *weather_if(const fire_state *state, zm_weather *w, zm_status status,
                            const zm_error *err)
{
    PyObject *result = NULL;

    if (status_passes(&state->core, status, err, 0))
        result = Py_BuildValue(
            "(y#iidi)", (const char *)w->hours, (Py_ssize_t)(w->n * sizeof *w->hours),
            (int)w->start_month, (int)w->start_day, w->start_hour, (int)w->assumed);
    zm_weather_free(w);
    return result;
}

/* weather_read(path) */
static PyObject *weather_read(PyObject *module, PyObject *args)
{
    zm_weather w = { .hours = NULL };
    const char *path;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "s", &path))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = zm_weather_read(path, &w, &err);
    Py_END_ALLOW_THREADS;
    return weather_if(fire_state_of(module), &w, status, &err);
}

/* weather_text(bytes, name): a table in memory */
static PyObject *weather_text(PyObject *module, PyObject *args)
{
    zm_weather w = { .hours = NULL };
    const char *text, *name;
    Py_ssize_t n;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "y#s", &text, &n, &name))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = zm_weather_read_text(text, (size_t)n, name, &w, &err);
    Py_END_ALLOW_THREADS;
    return weather_if(fire_state_of(module), &w, status, &err);
}

/* ---- landscapes ------------------------------------------------------------------- */

/* import_landscape(file, folder, fuels or None) -> (cells_without_data, unknown_fuel_cells,
 * usual_fuel_cells, slope_computed, cover_missing) */
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
    return Py_BuildValue("(LLLii)", (long long)r.cells_without_data,
                         (long long)r.unknown_fuel_cells, (long long)r.usual_fuel_cells,
                         (int)r.slope_computed, (int)r.cover_missing);
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
