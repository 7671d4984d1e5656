/* SPDX-License-Identifier: Apache-2.0
 * Fires and options of the model, from the tuples of the package. */
#include "fire.h"

#include <math.h>

/* Doubles, or bytes of whole ones. */
static bool has_doubles(const Py_buffer *view)
{
    const char *format = view->format ? view->format : "B";

    return view->len % (Py_ssize_t)sizeof(double) == 0 &&
           (*format == 'd' ? view->itemsize == sizeof(double)
                           : *format == 'B' && view->itemsize == 1);
}

bool doubles_take(PyObject *array, double **values, size_t *n, const char *name)
{
    Py_buffer view;

    *values = NULL;
    *n = 0;
    if (PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT))
        return false;
    if (!has_doubles(&view)) {
        PyErr_Format(PyExc_TypeError, "%s are not doubles", name);
    } else {
        *n = (size_t)view.len / sizeof(double);
        *values = PyMem_Calloc(*n + 1, sizeof(double));
        if (*values)
            memcpy(*values, view.buf, *n * sizeof(double));
        else
            PyErr_NoMemory();
    }
    PyBuffer_Release(&view);
    return *values != NULL;
}

/* Copies that are looked at once they are ours. */
static bool all_finite(const double *values, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i])) {
            PyErr_Format(PyExc_ValueError, "%s: value %zu is not finite", name, i);
            return false;
        }
    return true;
}

enum { OF_HOUR = sizeof(zm_weather_hour) / sizeof(double), OF_SOURCE = 3 };
_Static_assert(OF_HOUR == 6 && sizeof(zm_source) == OF_SOURCE * sizeof(double),
               "rows of arrays");

/* Structs of doubles alone. */
static bool records_take(PyObject *array, void *records, size_t *n, size_t of_one,
                         const char *name)
{
    double **values = records;
    size_t count;

    if (!doubles_take(array, values, &count, name) || !all_finite(*values, count, name))
        return false;
    *n = count / of_one;
    if (*n > 0 && count % of_one == 0)
        return true;
    PyErr_Format(PyExc_ValueError, "%s: %zu values, expected rows of %zu", name, count,
                 of_one);
    return false;
}

bool fire_input_take(fire_input *in, const ground_object *g, PyObject *tuple,
                     PyObject *sources)
{
    zm_fuel_moisture *m;
    PyObject *weather;
    int row, col, month, day, observed;
    Py_ssize_t earlier;

    *in = (fire_input){ .fire = ZM_FIRE_INIT };
    m = &in->fire.moisture;
    if (!PyArg_ParseTuple(tuple, "siidiid(ddddd)Ondp", &in->fire.name, &row, &col,
                          &in->fire.duration, &month, &day, &in->fire.start_hour,
                          &m->dead_1h, &m->dead_10h, &m->dead_100h, &m->live_herb,
                          &m->live_woody, &weather, &earlier, &in->fire.sun_ahead,
                          &observed))
        return false;
    in->fire.row = row;
    in->fire.col = col;
    in->fire.start_month = month;
    in->fire.start_day = day;
    in->observed = observed ? g->observed : NULL;
    if (!records_take(weather, &in->weather, &in->fire.hours, OF_HOUR, "weather"))
        return false;
    if (earlier < 0 || (size_t)earlier >= in->fire.hours) {
        PyErr_Format(PyExc_ValueError, "weather: %zd of %zu hours before the fire", earlier,
                     in->fire.hours);
        return false;
    }
    in->fire.hours -= (size_t)earlier;
    in->fire.weather = in->weather + earlier;
    in->fire.earlier = earlier ? in->weather : NULL;
    in->fire.earlier_hours = (size_t)earlier;
    return sources == Py_None ||
           records_take(sources, &in->sources, &in->n_sources, OF_SOURCE, "sources");
}

void fire_input_free(fire_input *in)
{
    PyMem_Free(in->weather);
    PyMem_Free(in->sources);
}

PyObject *hours_bytes(const zm_weather_hour *earlier, size_t n_earlier,
                      const zm_weather_hour *hours, size_t n)
{
    PyObject *bytes = PyBytes_FromStringAndSize(
        NULL, (Py_ssize_t)((n_earlier + n) * sizeof *hours));

    if (!bytes)
        return NULL;
    char *to = PyBytes_AsString(bytes);

    if (n_earlier)
        memcpy(to, earlier, n_earlier * sizeof *earlier);
    memcpy(to + n_earlier * sizeof *hours, hours, n * sizeof *hours);
    return bytes;
}

PyObject *fire_tuple(const zm_fire *f)
{
    const zm_fuel_moisture *m = &f->moisture;

    return Py_BuildValue(
        "(siidiid(ddddd)Nnd)", f->name ? f->name : "", (int)f->row, (int)f->col,
        f->duration, (int)f->start_month, (int)f->start_day, f->start_hour, m->dead_1h,
        m->dead_10h, m->dead_100h, m->live_herb, m->live_woody,
        hours_bytes(f->earlier, f->earlier_hours, f->weather, f->hours),
        (Py_ssize_t)f->earlier_hours, f->sun_ahead);
}

PyObject *sources_bytes(const zm_source *sources, size_t n)
{
    return PyBytes_FromStringAndSize((const char *)sources,
                                     (Py_ssize_t)(n * sizeof *sources));
}

/* (probability, from, embers, species, diameter, trees, delay, seed) */
static bool spotting_take(zm_spotting_opts *o, PyObject *tuple)
{
    int from, species;
    unsigned long long seed;

    *o = (zm_spotting_opts)ZM_SPOTTING_OPTS_INIT;
    if (!PyTuple_Check(tuple)) {
        PyErr_SetString(PyExc_TypeError, "spotting is no tuple");
        return false;
    }
    if (!PyArg_ParseTuple(tuple, "dididddK", &o->probability, &from, &o->embers, &species,
                          &o->diameter, &o->trees, &o->delay, &seed))
        return false;
    o->from = (zm_ember_source)from;
    o->species = (zm_tree_species)species;
    o->seed = seed;
    return true;
}

bool physics_opts_take(zm_physics_opts *o, zm_spotting_opts *embers, PyObject *tuple)
{
    int crown, conditioning, cells, front, emulate;
    PyObject *spotting;

    *o = (zm_physics_opts)ZM_PHYSICS_OPTS_INIT;
    if (!PyArg_ParseTuple(tuple, "ipdpiiO", &crown, &conditioning, &o->foliar_moisture,
                          &cells, &front, &emulate, &spotting) ||
        (spotting != Py_None && !spotting_take(embers, spotting)))
        return false;
    o->spotting = spotting == Py_None ? NULL : embers;
    (void)zm_physics_emulate(o, (zm_emulation)emulate, NULL); /* it is one of the two */
    o->crown = (zm_crown_model)crown;
    o->conditioning = conditioning;
    if (cells)
        o->moisture_classes = 0;
    o->front = (zm_front_kind)front;
    return true;
}
