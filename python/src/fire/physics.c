/* SPDX-License-Identifier: Apache-2.0
 * Functions of the module: fires by physics, one or many. */
#include "fire.h"

#include <math.h>
#include <stdlib.h>

#include "zermelo/fire/risk.h"
#include "zermelo/fire/ways.h"

/* burn(ground, fire, sources, options, calibration, t_max, T) -> t_max, embers that landed, fires that
 * they lit, m to the farthest: writes T.  t_max <= 0: as far as maps of this fire go. */
static PyObject *burn(PyObject *module, PyObject *args)
{
    const fire_state *state = fire_state_of(module);
    const ground_object *g;
    zm_physics_opts opts;
    zm_spotting_opts embers;
    zm_spotting_report spots = ZM_SPOTTING_REPORT_INIT;
    zm_physics_params params;
    zm_physics *physics = NULL;
    fire_input in;
    PyObject *o[6];
    double t_max, horizon;
    Py_buffer T;
    zm_status status;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "OO!OO!OdO", &o[0], &PyTuple_Type, &o[1], &o[2],
                          &PyTuple_Type, &o[3], &o[4], &t_max, &o[5]) ||
        !(g = ground_of(state, o[0])) || !physics_opts_take(&opts, &embers, o[3]) ||
        !physics_params_take(state, o[4], &params) ||
        !ground_plane_open(g, o[5], &T, true, "T"))
        return NULL;
    ok = fire_input_take(&in, g, o[1], o[2]);
    if (ok) {
        if (!(t_max > 0))
            t_max = in.observed ? zm_observed_end(in.observed)
                                : zm_fire_map_end(&in.fire);
        horizon = in.observed ? zm_observed_horizon(in.observed, t_max) : t_max;
        Py_BEGIN_ALLOW_THREADS;
        status = zm_physics_create(&physics, g->land, &opts, &err);
        if (status >= 0)
            status = zm_physics_burn(physics, &in.fire, &params, in.sources,
                                     in.n_sources, horizon, t_max, NULL, T.buf, &err);
        if (status >= 0)
            (void)zm_physics_spotting(physics, &spots, NULL); /* there are times */
        zm_physics_destroy(physics);
        Py_END_ALLOW_THREADS;
        ok = status_passes(&state->core, status, &err, g->land->cols);
    }
    fire_input_free(&in);
    PyBuffer_Release(&T);
    return ok ? Py_BuildValue("(dLLd)", t_max, (long long)spots.landed,
                              (long long)spots.spots, spots.farthest)
              : NULL;
}

/* ---- ways ------------------------------------------------------------------------- */

static zm_status find_ways(const ground_object *g, const fire_input *in,
                           const zm_physics_opts *opts, const zm_physics_params *params,
                           double t_max, const zm_ways_opts *along, double *T,
                           zm_ways *found, zm_error *err)
{
    zm_physics *physics = NULL;
    zm_status st = zm_physics_create(&physics, g->land, opts, err);

    if (st >= 0)
        st = zm_physics_set_fire(physics, &in->fire, params, t_max, err);
    if (st >= 0)
        st = zm_physics_arrival(physics, in->sources, in->n_sources, t_max, T, err);
    if (st >= 0)
        st = zm_physics_ways(physics, T, NULL, found, along, err);
    zm_physics_destroy(physics);
    return st;
}

/* [(from, flow, bytes of row, col, time as doubles), ...] */
static PyObject *ways_list(const zm_ways *w)
{
    PyObject *list = PyList_New((Py_ssize_t)w->n);

    for (size_t k = 0; list && k < w->n; k++) {
        const zm_way *way = &w->ways[k];
        PyObject *one = Py_BuildValue(
            "(idy#)", (int)way->from, way->flow, (const char *)(w->points + way->begin),
            (Py_ssize_t)(way->n * sizeof *w->points));

        if (!one || PyList_SetItem(list, (Py_ssize_t)k, one))
            Py_CLEAR(list);
    }
    return list;
}

/* ways(ground, fire, sources, options, calibration, t_max, interval, share) -> (t_max, ways) */
static PyObject *ways(PyObject *module, PyObject *args)
{
    const fire_state *state = fire_state_of(module);
    const ground_object *g;
    zm_ways_opts along = ZM_WAYS_OPTS_INIT;
    zm_ways found = { NULL };
    zm_physics_opts opts;
    zm_spotting_opts embers;
    zm_physics_params params;
    fire_input in;
    PyObject *o[5], *list = NULL;
    double t_max, *T;
    int interval;

    if (!PyArg_ParseTuple(args, "OO!OO!Odid", &o[0], &PyTuple_Type, &o[1], &o[2],
                          &PyTuple_Type, &o[3], &o[4], &t_max, &interval,
                          &along.least) ||
        !(g = ground_of(state, o[0])) || !physics_opts_take(&opts, &embers, o[3]) ||
        !physics_params_take(state, o[4], &params))
        return NULL;
    along.interval = interval;
    if (!(T = PyMem_Calloc(ground_cells(g), sizeof *T)))
        return PyErr_NoMemory();
    if (fire_input_take(&in, g, o[1], o[2])) {
        zm_status status;
        zm_error err;

        if (!(t_max > 0))
            t_max = in.observed ? zm_observed_end(in.observed) : zm_fire_end(&in.fire);
        Py_BEGIN_ALLOW_THREADS;
        status = find_ways(g, &in, &opts, &params, t_max, &along, T, &found, &err);
        Py_END_ALLOW_THREADS;
        if (status_passes(&state->core, status, &err, g->land->cols))
            list = ways_list(&found);
    }
    PyMem_Free(T);
    zm_ways_free(&found);
    fire_input_free(&in);
    return list ? Py_BuildValue("(dN)", t_max, list) : NULL;
}

/* ---- ensembles -------------------------------------------------------------------- */

/* (members, threads, seed, wind_speed, wind_dir, temperature, humidity, moisture, live_moisture,
 * rate, ignition) */
static bool ensemble_opts_take(zm_ensemble_opts *o, PyObject *tuple)
{
    int members, threads;
    unsigned long long seed;

    *o = (zm_ensemble_opts)ZM_ENSEMBLE_OPTS_INIT;
    if (!PyArg_ParseTuple(tuple, "iiKdddddddd", &members, &threads, &seed,
                          &o->wind_speed, &o->wind_dir, &o->temperature, &o->humidity,
                          &o->moisture, &o->live_moisture, &o->rate, &o->ignition))
        return false;
    o->members = members;
    o->threads = threads;
    o->seed = seed;
    return true;
}

/* Levels, copied, and the planes of their quantiles, n of them in one array. */
typedef struct quantiles {
    double *levels;
    size_t n;
    Py_buffer view;
    float **planes;
} quantiles;

static bool quantiles_open(quantiles *q, PyObject *levels, PyObject *array,
                           const ground_object *g)
{
    const size_t cells = ground_cells(g);

    *q = (quantiles){ .view.obj = NULL };
    if (!doubles_take(levels, &q->levels, &q->n, "levels") ||
        !array_open(array, &q->view, 'f', q->n * cells, true, "quantiles"))
        return false;
    q->planes = PyMem_Calloc(q->n + 1, sizeof *q->planes);
    if (!q->planes) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t k = 0; k < q->n; k++)
        q->planes[k] = (float *)q->view.buf + k * cells;
    return true;
}

/* Edges of classes, one plane more than there are. */
static bool classes_open(quantiles *q, PyObject *edges, PyObject *array,
                         const ground_object *g)
{
    const size_t cells = ground_cells(g);

    *q = (quantiles){ .view.obj = NULL };
    if (!doubles_take(edges, &q->levels, &q->n, "flame_classes") ||
        !array_open(array, &q->view, 'f', (q->n + 1) * cells, true, "classes"))
        return false;
    q->planes = PyMem_Calloc(q->n + 1, sizeof *q->planes);
    if (!q->planes) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t k = 0; k <= q->n; k++)
        q->planes[k] = (float *)q->view.buf + k * cells;
    return true;
}

static void quantiles_close(quantiles *q)
{
    PyMem_Free(q->planes);
    PyMem_Free(q->levels);
    PyBuffer_Release(&q->view); /* no harm where it is not open */
}

/* ensemble(ground, fire, sources, options, calibration, t_max, spread, levels, probability,
 *          quantiles, progress) -> t_max: writes probability and quantiles.  t_max <= 0: the end of
 * the fire */
static PyObject *ensemble(PyObject *module, PyObject *args)
{
    enum {
        GROUND,
        FIRE,
        SOURCES,
        OPTIONS,
        FACTORS,
        SPREAD,
        LEVELS,
        PROBABILITY,
        PLANES,
        PROGRESS,
        OBJECTS
    };
    const fire_state *state = fire_state_of(module);
    const ground_object *g;
    zm_physics_opts opts;
    zm_spotting_opts embers;
    zm_physics_params params;
    zm_ensemble_opts spread;
    fire_input in = { .weather = NULL };
    quantiles q = { .view.obj = NULL };
    Py_buffer probability = { .obj = NULL };
    PyObject *o[OBJECTS];
    double t_max;
    zm_status status;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "OO!OO!OdO!OOOO", &o[GROUND], &PyTuple_Type, &o[FIRE],
                          &o[SOURCES], &PyTuple_Type, &o[OPTIONS], &o[FACTORS], &t_max,
                          &PyTuple_Type, &o[SPREAD], &o[LEVELS], &o[PROBABILITY],
                          &o[PLANES], &o[PROGRESS]) ||
        !(g = ground_of(state, o[GROUND])) || !physics_opts_take(&opts, &embers, o[OPTIONS]) ||
        !physics_params_take(state, o[FACTORS], &params) ||
        !ensemble_opts_take(&spread, o[SPREAD]))
        return NULL;
    ok = fire_input_take(&in, g, o[FIRE], o[SOURCES]) &&
         quantiles_open(&q, o[LEVELS], o[PLANES], g) &&
         ground_plane_open(g, o[PROBABILITY], &probability, true, "probability");
    if (ok) {
        const zm_ensemble_out out = { sizeof out, probability.buf, q.n, q.levels,
                                      q.planes };
        callback watch = callback_of(o[PROGRESS]);

        spread.progress = callback_progress;
        spread.progress_ctx = &watch;
        if (!(t_max > 0))
            t_max = in.observed ? zm_observed_end(in.observed) : zm_fire_end(&in.fire);
        callback_begin(&watch);
        status = zm_ensemble_run(g->land, &in.fire, &params, in.sources, in.n_sources,
                                 t_max, &out, &opts, &spread, &err);
        callback_end(&watch);
        ok = status_passes(&state->core, status, &err, g->land->cols);
    }
    PyBuffer_Release(&probability);
    quantiles_close(&q);
    fire_input_free(&in);
    return ok ? PyFloat_FromDouble(t_max) : NULL;
}

/* ---- burn probability ------------------------------------------------------------- */

/* Where each fire began and what it burned, as a list of (row, col, hectares). */
static PyObject *fires_list(const zm_risk_fire *fires, int32_t n)
{
    PyObject *list = PyList_New(n);

    for (int32_t k = 0; list && k < n; k++) {
        PyObject *one = Py_BuildValue("(iid)", (int)fires[k].row, (int)fires[k].col,
                                      fires[k].area);

        if (!one || PyList_SetItem(list, k, one))
            Py_CLEAR(list);
    }
    return list;
}

/* risk(ground, fire, options, calibration, t_max, spread, density, edges, probability,
 *      flame_length, classes, progress) -> (t_max, fires): writes the maps.  density None: alike */
static PyObject *risk(PyObject *module, PyObject *args)
{
    enum {
        GROUND,
        FIRE,
        OPTIONS,
        FACTORS,
        SPREAD,
        DENSITY,
        EDGES,
        PROBABILITY,
        FLAME,
        CLASSES,
        PROGRESS,
        OBJECTS
    };
    const fire_state *state = fire_state_of(module);
    const ground_object *g;
    zm_physics_opts opts;
    zm_spotting_opts embers;
    zm_physics_params params;
    zm_ensemble_opts spread;
    fire_input in = { .weather = NULL };
    quantiles edges = { .view.obj = NULL };
    Py_buffer probability = { .obj = NULL }, flame = { .obj = NULL },
              density = { .obj = NULL };
    zm_risk_fire *fires = NULL;
    PyObject *o[OBJECTS], *list = NULL;
    double t_max;
    zm_status status;
    zm_error err;
    bool ok;

    if (!PyArg_ParseTuple(args, "OO!O!OdO!OOOOOO", &o[GROUND], &PyTuple_Type, &o[FIRE],
                          &PyTuple_Type, &o[OPTIONS], &o[FACTORS], &t_max,
                          &PyTuple_Type, &o[SPREAD], &o[DENSITY], &o[EDGES],
                          &o[PROBABILITY], &o[FLAME], &o[CLASSES], &o[PROGRESS]) ||
        !(g = ground_of(state, o[GROUND])) || !physics_opts_take(&opts, &embers, o[OPTIONS]) ||
        !physics_params_take(state, o[FACTORS], &params) ||
        !ensemble_opts_take(&spread, o[SPREAD]))
        return NULL;
    ok = fire_input_take(&in, g, o[FIRE], Py_None) &&
         classes_open(&edges, o[EDGES], o[CLASSES], g) &&
         ground_plane_open(g, o[PROBABILITY], &probability, true, "probability") &&
         ground_plane_open(g, o[FLAME], &flame, true, "flame_length") &&
         (o[DENSITY] == Py_None ||
          ground_plane_open(g, o[DENSITY], &density, false, "density"));
    fires = ok ? PyMem_Calloc((size_t)spread.members, sizeof *fires) : NULL;
    if (ok && !fires)
        PyErr_NoMemory();
    if (fires) {
        const zm_risk_out out = { sizeof out,   probability.buf, flame.buf, edges.n,
                                  edges.levels, edges.planes,    fires };
        callback watch = callback_of(o[PROGRESS]);

        spread.progress = callback_progress;
        spread.progress_ctx = &watch;
        if (!(t_max > 0))
            t_max = in.observed ? zm_observed_end(in.observed) : zm_fire_end(&in.fire);
        callback_begin(&watch);
        status = zm_risk_run(g->land, &in.fire, &params, density.buf, t_max, &out,
                             &opts, &spread, &err);
        callback_end(&watch);
        if (status_passes(&state->core, status, &err, g->land->cols))
            list = fires_list(fires, spread.members);
    }
    PyMem_Free(fires);
    PyBuffer_Release(&density);
    PyBuffer_Release(&probability);
    PyBuffer_Release(&flame);
    quantiles_close(&edges);
    fire_input_free(&in);
    return list ? Py_BuildValue("(dN)", t_max, list) : NULL;
}

/* areas(ground, probability, levels) -> expected hectares, list of those with each probability */
static PyObject *areas(PyObject *module, PyObject *args)
{
    const fire_state *state = fire_state_of(module);
    const ground_object *g;
    PyObject *o[3], *list = NULL;
    Py_buffer probability;
    double *levels, expected = 0;
    size_t n;

    if (!PyArg_ParseTuple(args, "OOO", &o[0], &o[1], &o[2]) ||
        !(g = ground_of(state, o[0])) ||
        !ground_plane_open(g, o[1], &probability, false, "probability"))
        return NULL;
    if (doubles_take(o[2], &levels, &n, "levels")) {
        expected = zm_ensemble_expected_area(g->land, probability.buf);
        list = PyList_New((Py_ssize_t)n);
        for (size_t k = 0; list && k < n; k++) {
            PyObject *ha = PyFloat_FromDouble(
                zm_ensemble_area(g->land, probability.buf, levels[k]));

            if (!ha || PyList_SetItem(list, (Py_ssize_t)k, ha))
                Py_CLEAR(list);
        }
    }
    PyMem_Free(levels);
    PyBuffer_Release(&probability);
    return list ? Py_BuildValue("(dN)", expected, list) : NULL;
}

PyMethodDef physics_functions[] = {
    { "burn", burn, METH_VARARGS, NULL },
    { "ensemble", ensemble, METH_VARARGS, NULL },
    { "areas", areas, METH_VARARGS, NULL },
    { "risk", risk, METH_VARARGS, NULL },
    { "ways", ways, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
