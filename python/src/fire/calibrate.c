/* SPDX-License-Identifier: Apache-2.0
 * zermelo._fire.Calibration, and the function that makes one from fires with known times. */
#include "fire.h"

#include <stdlib.h>

bool physics_params_take(const fire_state *state, PyObject *object,
                         zm_physics_params *params)
{
    const zm_calibration *c;

    *params = (zm_physics_params)ZM_PHYSICS_PARAMS_INIT;
    if (object == Py_None)
        return true;
    if (!fire_is(object, state->calibration_type, "a calibration"))
        return false;
    c = &((const calibration_object *)object)->calibration;
    params->wind_factor = c->wind_factor;
    params->moisture_offset = c->moisture_offset;
    params->fuel_factor = c->fuel_factor;
    return true;
}

static calibration_object *calibration_new(const fire_state *state)
{
    allocfunc allocate =
        (allocfunc)PyType_GetSlot(state->calibration_type, Py_tp_alloc);
    calibration_object *c = (calibration_object *)allocate(state->calibration_type, 0);

    if (c) {
        c->state = state;
        c->calibration = (zm_calibration)ZM_CALIBRATION_INIT;
    }
    return c;
}

static void calibration_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* The object where the status is good; else it is given up. */
static PyObject *calibration_if(calibration_object *c, zm_status status,
                                const zm_error *err, int32_t cols)
{
    if (status_passes(&c->state->core, status, err, cols))
        return (PyObject *)c;
    Py_DECREF(c);
    return NULL;
}

/* calibration_read(path) -> Calibration */
static PyObject *calibration_read(PyObject *module, PyObject *args)
{
    calibration_object *c;
    const char *path;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "s", &path) ||
        !(c = calibration_new(fire_state_of(module))))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = zm_calibration_read(path, &c->calibration, &err);
    Py_END_ALLOW_THREADS;
    return calibration_if(c, status, &err, 0);
}

/* ---- what a calibration says ------------------------------------------------------ */

/* facts() -> (wind_factor, moisture_offset, rate_factor, error_before, error_after, iterations,
 * converged, list of (kind, fuel, cells, value, low, high, at_bound)) */
static PyObject *calibration_facts(PyObject *self, PyObject *args)
{
    const zm_calibration *c = &((const calibration_object *)self)->calibration;
    PyObject *list = PyList_New((Py_ssize_t)c->n);

    (void)args;
    for (size_t i = 0; list && i < c->n; i++) {
        const zm_calibrated *p = &c->items[i];
        PyObject *row = Py_BuildValue("(iiLdddN)", (int)p->kind, (int)p->fuel,
                                      (long long)p->cells, p->value, p->low, p->high,
                                      PyBool_FromLong(zm_calibrated_at_bound(p)));

        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row))
            Py_CLEAR(list);
    }
    if (!list)
        return NULL;
    return Py_BuildValue("(dddddiNN)", c->wind_factor, c->moisture_offset,
                         c->rate_factor, c->error_before, c->error_after,
                         (int)c->iterations, PyBool_FromLong(c->converged), list);
}

/* fuel_factors() -> bytes of ZM_FUEL_NUMBERS doubles */
static PyObject *calibration_fuel_factors(PyObject *self, PyObject *args)
{
    const zm_calibration *c = &((const calibration_object *)self)->calibration;

    (void)args;
    return PyBytes_FromStringAndSize((const char *)c->fuel_factor,
                                     sizeof c->fuel_factor);
}

/* write(path) */
static PyObject *calibration_write(PyObject *self, PyObject *args)
{
    const calibration_object *c = (const calibration_object *)self;
    const char *path;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "s", &path))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = zm_calibration_write(path, &c->calibration, &err);
    Py_END_ALLOW_THREADS;
    return fire_none_if(c->state, status, &err, 0);
}

static PyMethodDef methods[] = {
    { "facts", calibration_facts, METH_NOARGS, NULL },
    { "fuel_factors", calibration_fuel_factors, METH_NOARGS, NULL },
    { "write", calibration_write, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, "Factors of the fire model." },
    { Py_tp_dealloc, (void *)calibration_dealloc },
    { Py_tp_methods, methods },
    { 0, NULL },
};

PyType_Spec calibration_spec = { .name = "zermelo._fire.Calibration",
                                 .basicsize = sizeof(calibration_object),
                                 .flags = Py_TPFLAGS_DEFAULT |
                                          Py_TPFLAGS_IMMUTABLETYPE |
                                          Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 .slots = slots };

/* ---- fires with known times ------------------------------------------------------- */

typedef struct known_fires {
    fire_input *inputs;
    Py_buffer *views;
    zm_fire_times *times;
    size_t n;
} known_fires;

/* One (fire, sources, T). */
static bool known_fire_take(known_fires *k, size_t i, PyObject *entry,
                            const ground_object *g)
{
    PyObject *fire, *sources, *T;

    if (!PyArg_ParseTuple(entry, "O!OO", &PyTuple_Type, &fire, &sources, &T) ||
        !fire_input_take(&k->inputs[i], g, fire, sources) ||
        !ground_plane_open(g, T, &k->views[i], false, "T"))
        return false;
    k->times[i] = (zm_fire_times){ &k->inputs[i].fire, k->inputs[i].sources,
                                   k->inputs[i].n_sources, k->views[i].buf };
    return true;
}

static bool known_fires_take(known_fires *k, PyObject *list, const ground_object *g)
{
    const Py_ssize_t n = PyList_Size(list);

    *k = (known_fires){ .n = n > 0 ? (size_t)n : 0 };
    k->inputs = PyMem_Calloc(k->n + 1, sizeof *k->inputs);
    k->views = PyMem_Calloc(k->n + 1, sizeof *k->views);
    k->times = PyMem_Calloc(k->n + 1, sizeof *k->times);
    if (!k->inputs || !k->views || !k->times) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < k->n; i++)
        if (!known_fire_take(k, i, PyList_GetItem(list, (Py_ssize_t)i), g))
            return false;
    return true;
}

static void known_fires_free(known_fires *k)
{
    for (size_t i = 0; k->inputs && k->views && i < k->n; i++) {
        fire_input_free(&k->inputs[i]);
        PyBuffer_Release(&k->views[i]);
    }
    PyMem_Free(k->inputs);
    PyMem_Free(k->views);
    PyMem_Free(k->times);
}

/* ---- the fit ---------------------------------------------------------------------- */

/* (threads, max_iterations, fit_fuels, fit_wind, fit_moisture, fit_rate, least_cells, fuel_spread,
 * wind_spread, moisture_spread, rate_spread, outlier, least_share) */
static bool calibrate_opts_take(zm_calibrate_opts *o, PyObject *tuple)
{
    int threads, iterations, fuels, wind, moisture, rate;
    long long cells;

    *o = (zm_calibrate_opts)ZM_CALIBRATE_OPTS_INIT;
    if (!PyArg_ParseTuple(tuple, "iippppLdddddd", &threads, &iterations, &fuels, &wind,
                          &moisture, &rate, &cells, &o->fuel_spread, &o->wind_spread,
                          &o->moisture_spread, &o->rate_spread, &o->outlier,
                          &o->least_share))
        return false;
    o->threads = threads;
    o->max_iterations = iterations;
    o->fit_fuels = fuels;
    o->fit_wind = wind;
    o->fit_moisture = moisture;
    o->fit_rate = rate;
    o->least_cells = cells;
    return true;
}

static int on_iteration(void *ctx, const zm_calibrate_iteration *i)
{
    return callback_call(ctx, "(id)", (int)i->iteration, i->objective);
}

/* calibrate(ground, [(fire, sources, T), ...], intervals, options, settings, monitor) ->
 * Calibration.  Without fires, the first `intervals` of an observed fire; 0: all. */
static PyObject *calibrate(PyObject *module, PyObject *args)
{
    const fire_state *state = fire_state_of(module);
    const ground_object *g;
    zm_physics_opts opts;
    zm_spotting_opts embers;
    zm_calibrate_opts fit;
    calibration_object *c = NULL;
    zm_evidence *evidence = NULL;
    known_fires known = { .n = 0 };
    PyObject *o[5], *result = NULL;
    Py_ssize_t intervals;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "OO!nO!O!O", &o[0], &PyList_Type, &o[1], &intervals,
                          &PyTuple_Type, &o[2], &PyTuple_Type, &o[3], &o[4]) ||
        !(g = ground_of(state, o[0])) || !physics_opts_take(&opts, &embers, o[2]) ||
        !calibrate_opts_take(&fit, o[3]))
        return NULL;
    if (known_fires_take(&known, o[1], g) && (c = calibration_new(state))) {
        callback watch = callback_of(o[4]);

        fit.monitor = on_iteration;
        fit.monitor_ctx = &watch;
        callback_begin(&watch);
        status = known.n == 0 && g->observed
                     ? zm_observed_evidence(g->observed,
                                            intervals > 0
                                                ? (size_t)intervals
                                                : zm_observed_intervals(g->observed),
                                            &evidence, &err)
                     : zm_times_evidence(known.times, known.n, ground_cells(g),
                                         &evidence, &err);
        if (status >= 0) {
            size_t n;
            const zm_fire_evidence *fires = zm_evidence_fires(evidence, &n);

            status =
                zm_calibrate(g->land, fires, n, &c->calibration, &opts, &fit, &err);
        }
        zm_evidence_destroy(evidence);
        callback_end(&watch);
        result = calibration_if(c, status, &err, g->land->cols);
    }
    known_fires_free(&known);
    return result;
}

PyMethodDef calibrate_functions[] = {
    { "calibration_read", calibration_read, METH_VARARGS, NULL },
    { "calibrate", calibrate, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
