/* SPDX-License-Identifier: Apache-2.0
 * zermelo._fire.Ground: a landscape, with the fires that its files tell of. */
#include "fire.h"

#include <stdlib.h>

const ground_object *ground_of(const fire_state *state, PyObject *object)
{
    return fire_is(object, state->ground_type, "a landscape")
               ? (const ground_object *)object
               : NULL;
}

size_t ground_cells(const ground_object *g)
{
    return (size_t)g->land->rows * (size_t)g->land->cols;
}

bool ground_plane_open(const ground_object *g, PyObject *array, Py_buffer *view,
                       bool writable, const char *name)
{
    return array_open(array, view, 'f', ground_cells(g), writable, name);
}

/* ---- opening ---------------------------------------------------------------------- */

static PyObject *ground_new(const fire_state *state, zm_scene *scene,
                            zm_observed *observed)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(state->ground_type, Py_tp_alloc);
    ground_object *g = (ground_object *)allocate(state->ground_type, 0);

    if (!g) {
        zm_scene_close(scene);
        zm_observed_close(observed);
        return NULL;
    }
    g->state = state;
    g->scene = scene;
    g->observed = observed;
    g->land = scene ? zm_scene_landscape(scene) : zm_observed_landscape(observed);
    g->where =
        scene ? zm_scene_georeference(scene) : zm_observed_georeference(observed);
    return (PyObject *)g;
}

/* What scenes and observed fires are opened with; the fuels to be freed. */
typedef struct opening {
    const char *path, *fuels;
    zm_fuel *models;
    zm_fuel_moisture moisture;
    zm_open_opts opts;
} opening;

/* (path, fuels, moisture): fuels a path or None, moisture five numbers or None */
static bool opening_take(opening *o, PyObject *args)
{
    PyObject *moisture;
    zm_fuel_moisture *m = &o->moisture;

    *o = (opening){ .opts = ZM_OPEN_OPTS_INIT };
    if (!PyArg_ParseTuple(args, "szO", &o->path, &o->fuels, &moisture))
        return false;
    if (moisture == Py_None)
        return true;
    o->opts.moisture = m;
    return PyArg_ParseTuple(moisture, "ddddd", &m->dead_1h, &m->dead_10h, &m->dead_100h,
                            &m->live_herb, &m->live_woody);
}

/* Without the GIL. */
static zm_status read_fuels(opening *o, zm_error *err)
{
    zm_status st = ZM_OK;

    if (o->fuels)
        st = zm_fuels_read(o->fuels, &o->models, &o->opts.n_fuels, err);
    o->opts.fuels = o->models;
    return st;
}

/* open_scene(folder, fuels, None) */
static PyObject *open_scene(PyObject *module, PyObject *args)
{
    const fire_state *state = fire_state_of(module);
    zm_scene *scene = NULL;
    zm_status status;
    zm_error err;
    opening o;

    if (!opening_take(&o, args))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = read_fuels(&o, &err);
    if (status >= 0)
        status = zm_scene_open(o.path, &scene, &o.opts, &err);
    free(o.models);
    Py_END_ALLOW_THREADS;
    return status_passes(&state->core, status, &err, 0) ? ground_new(state, scene, NULL)
                                                        : NULL;
}

/* open_observed(folder, fuels, moisture) */
static PyObject *open_observed(PyObject *module, PyObject *args)
{
    const fire_state *state = fire_state_of(module);
    zm_observed *observed = NULL;
    zm_status status;
    zm_error err;
    opening o;

    if (!opening_take(&o, args))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = read_fuels(&o, &err);
    if (status >= 0)
        status = zm_observed_open(o.path, &observed, &o.opts, &err);
    free(o.models);
    Py_END_ALLOW_THREADS;
    return status_passes(&state->core, status, &err, 0)
               ? ground_new(state, NULL, observed)
               : NULL;
}

/* open_landscape(tif, json) */
static PyObject *open_landscape(PyObject *module, PyObject *args)
{
    const fire_state *state = fire_state_of(module);
    const char *tif, *json;
    zm_scene *scene = NULL;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "ss", &tif, &json))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = zm_scene_open_landscape(tif, json, &scene, &err);
    Py_END_ALLOW_THREADS;
    return status_passes(&state->core, status, &err, 0) ? ground_new(state, scene, NULL)
                                                        : NULL;
}

static void ground_dealloc(PyObject *self)
{
    ground_object *g = (ground_object *)self;
    PyTypeObject *type = Py_TYPE(self);

    if (!g->base) { /* else they are its */
        zm_scene_close(g->scene);
        zm_observed_close(g->observed);
    }
    Py_XDECREF(g->base);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* at_station(elevation) -> the same ground, with the weather measured there */
static PyObject *ground_at_station(PyObject *self, PyObject *elevation)
{
    ground_object *g = (ground_object *)self, *out;
    const double height = PyFloat_AsDouble(elevation);
    allocfunc allocate =
        (allocfunc)PyType_GetSlot(g->state->ground_type, Py_tp_alloc);

    if (PyErr_Occurred() || !(out = (ground_object *)allocate(g->state->ground_type, 0)))
        return NULL;
    out->state = g->state;
    out->scene = g->scene;
    out->observed = g->observed;
    out->moved = *g->land;
    out->moved.station_elevation = height;
    out->land = &out->moved;
    out->where = g->where;
    out->base = Py_NewRef(self);
    return (PyObject *)out;
}

/* ---- looking ---------------------------------------------------------------------- */

/* facts() -> rows, cols, cell, latitude, longitude, station_elevation, cells_without_data, wkt,
 * transform, which layers are there.  NaN: not known. */
static PyObject *ground_facts(PyObject *self, PyObject *args)
{
    const ground_object *g = (const ground_object *)self;
    const zm_landscape *l = g->land;
    const double *t = g->where->transform;
    double latitude, longitude;
    PyObject *layers = PyTuple_New(ZM_LAYERS);

    (void)args;
    for (int k = 0; layers && k < ZM_LAYERS; k++)
        PyTuple_SetItem(layers, k, PyBool_FromLong(l->layers[k] != NULL));
    if (!layers)
        return NULL;
    /* where the system is not understood the landscape has its latitude from elsewhere */
    (void)zm_georeference_place(g->where, 0.5 * l->rows, 0.5 * l->cols, &latitude,
                                &longitude, NULL);
    return Py_BuildValue(
        "(iiddddLs(dddddd)N)", (int)l->rows, (int)l->cols, l->cell, l->latitude,
        longitude, l->station_elevation,
        g->scene ? (long long)zm_scene_cells_without_data(g->scene) : 0LL,
        g->where->wkt ? g->where->wkt : "", t[0], t[1], t[2], t[3], t[4], t[5], layers);
}

/* layer(k, out): writes the floats of a layer that is there */
static PyObject *ground_layer(PyObject *self, PyObject *args)
{
    const ground_object *g = (const ground_object *)self;
    PyObject *array;
    Py_buffer out;
    int k;

    if (!PyArg_ParseTuple(args, "iO", &k, &array))
        return NULL;
    if (k < 0 || k >= ZM_LAYERS || !g->land->layers[k]) {
        PyErr_SetString(PyExc_KeyError, "no such layer");
        return NULL;
    }
    if (!ground_plane_open(g, array, &out, true, "layer"))
        return NULL;
    memcpy(out.buf, g->land->layers[k], ground_cells(g) * sizeof(float));
    PyBuffer_Release(&out);
    Py_RETURN_NONE;
}

/* fires() -> list of (fire, split, has_arrival, sources): bytes of zm_source, None: the ignition */
static PyObject *ground_fires(PyObject *self, PyObject *args)
{
    const ground_object *g = (const ground_object *)self;
    const size_t n = g->scene ? zm_scene_count(g->scene) : 1;
    PyObject *list = PyList_New((Py_ssize_t)n);

    (void)args;
    for (size_t i = 0; list && i < n; i++) {
        const zm_fire *fire =
            g->scene ? zm_scene_fire(g->scene, i) : zm_observed_fire(g->observed);
        PyObject *row = Py_BuildValue(
            "(NsNy#)", fire_tuple(fire), g->scene ? zm_scene_split_word(g->scene, i) : "",
            PyBool_FromLong(g->scene && zm_scene_has_arrival(g->scene, i)),
            (const char *)fire->sources,
            (Py_ssize_t)(fire->n_sources * sizeof *fire->sources));

        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row))
            Py_CLEAR(list);
    }
    return list;
}

/* arrival(i, T): writes the true times of a fire of a scene */
static PyObject *ground_arrival(PyObject *self, PyObject *args)
{
    const ground_object *g = (const ground_object *)self;
    PyObject *array;
    Py_ssize_t i;
    Py_buffer T;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "nO", &i, &array) ||
        !ground_plane_open(g, array, &T, true, "T"))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = zm_scene_arrival(g->scene, (size_t)i, T.buf, &err);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&T);
    return fire_none_if(g->state, status, &err, g->land->cols);
}

/* times(path, T): writes the times of any raster on the grid of a scene */
static PyObject *ground_times(PyObject *self, PyObject *args)
{
    const ground_object *g = (const ground_object *)self;
    const char *path;
    PyObject *array;
    Py_buffer T;
    zm_status status;
    zm_error err;

    if (!PyArg_ParseTuple(args, "sO", &path, &array) ||
        !ground_plane_open(g, array, &T, true, "T"))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = zm_scene_times(g->scene, path, T.buf, &err);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&T);
    return fire_none_if(g->state, status, &err, g->land->cols);
}

/* ---- observed fires --------------------------------------------------------------- */

/* dates() -> list of (observed, hours, cells); NaN: not known */
static PyObject *ground_dates(PyObject *self, PyObject *args)
{
    const ground_object *g = (const ground_object *)self;
    const double *hours = zm_observed_hours(g->observed);
    size_t n;
    const zm_perimeter *p = zm_observed_perimeters(g->observed, &n);
    PyObject *list = PyList_New((Py_ssize_t)n);

    (void)args;
    for (size_t k = 0; list && k < n; k++) {
        PyObject *row =
            Py_BuildValue("(sdL)", p[k].observed, hours[k], (long long)p[k].cells);

        if (!row || PyList_SetItem(list, (Py_ssize_t)k, row))
            Py_CLEAR(list);
    }
    return list;
}

/* seen(T): writes when each cell was first seen burned */
static PyObject *ground_seen(PyObject *self, PyObject *array)
{
    const ground_object *g = (const ground_object *)self;
    Py_buffer T;

    if (!ground_plane_open(g, array, &T, true, "T"))
        return NULL;
    zm_observed_times(g->observed, T.buf);
    PyBuffer_Release(&T);
    Py_RETURN_NONE;
}

/* start() -> sources as bytes, or None where the ignition is all that is known */
static PyObject *ground_start(PyObject *self, PyObject *args)
{
    const ground_object *g = (const ground_object *)self;
    zm_source *sources = PyMem_Calloc(ground_cells(g), sizeof *sources);
    PyObject *result = NULL;
    zm_status status;
    size_t n = 0;
    zm_error err;

    (void)args;
    if (!sources)
        return PyErr_NoMemory();
    status = zm_observed_sources(g->observed, sources, &n, &err);
    if (status_passes(&g->state->core, status, &err, g->land->cols)) {
        if (n)
            result = sources_bytes(sources, n);
        else
            Py_INCREF(result = Py_None);
    }
    PyMem_Free(sources);
    return result;
}

/* end() -> hours to which the observed fire is known */
static PyObject *ground_end(PyObject *self, PyObject *args)
{
    (void)args;
    return PyFloat_FromDouble(zm_observed_end(((const ground_object *)self)->observed));
}

/* horizon(t_max) -> hours for which its model has weather */
static PyObject *ground_horizon(PyObject *self, PyObject *t_max)
{
    const double t = PyFloat_AsDouble(t_max);

    if (PyErr_Occurred())
        return NULL;
    return PyFloat_FromDouble(
        zm_observed_horizon(((const ground_object *)self)->observed, t));
}

/* Methods of the one kind on the other would find no scene or no observed fire. */
static bool is_observed(PyObject *self)
{
    return ((const ground_object *)self)->observed != NULL;
}

static PyObject *observed_getter(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(is_observed(self));
}

#define ONLY(kind, function)                                                           \
    static PyObject *checked_##function(PyObject *self, PyObject *args)                \
    {                                                                                  \
        if (is_observed(self) == (kind))                                               \
            return function(self, args);                                               \
        PyErr_SetString(PyExc_TypeError, (kind) ? "this is not an observed fire"       \
                                                : "this is not a scene");              \
        return NULL;                                                                   \
    }
ONLY(false, ground_arrival)
ONLY(false, ground_times)
ONLY(true, ground_dates)
ONLY(true, ground_seen)
ONLY(true, ground_start)
ONLY(true, ground_end)
ONLY(true, ground_horizon)

static PyMethodDef methods[] = {
    { "facts", ground_facts, METH_NOARGS, NULL },
    { "at_station", ground_at_station, METH_O, NULL },
    { "layer", ground_layer, METH_VARARGS, NULL },
    { "fires", ground_fires, METH_NOARGS, NULL },
    { "arrival", checked_ground_arrival, METH_VARARGS, NULL },
    { "times", checked_ground_times, METH_VARARGS, NULL },
    { "dates", checked_ground_dates, METH_NOARGS, NULL },
    { "seen", checked_ground_seen, METH_O, NULL },
    { "start", checked_ground_start, METH_NOARGS, NULL },
    { "end", checked_ground_end, METH_NOARGS, NULL },
    { "horizon", checked_ground_horizon, METH_O, NULL },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef getters[] = { { "observed", observed_getter, NULL, NULL, NULL },
                                 { NULL, NULL, NULL, NULL, NULL } };

static PyType_Slot slots[] = {
    { Py_tp_doc, "A landscape, with the fires that its files tell of." },
    { Py_tp_dealloc, (void *)ground_dealloc },
    { Py_tp_methods, methods },
    { Py_tp_getset, getters },
    { 0, NULL },
};

PyType_Spec ground_spec = { .name = "zermelo._fire.Ground",
                            .basicsize = sizeof(ground_object),
                            .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
                                     Py_TPFLAGS_DISALLOW_INSTANTIATION,
                            .slots = slots };

PyMethodDef ground_functions[] = {
    { "open_scene", open_scene, METH_VARARGS, NULL },
    { "open_observed", open_observed, METH_VARARGS, NULL },
    { "open_landscape", open_landscape, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
