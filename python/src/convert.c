/* SPDX-License-Identifier: Apache-2.0
 * Conversions between the forms of a front.
 *
 * Planes are tuples of five arrays of the same size and type; None: left out. */
#include "core.h"

enum { PLANES = ZM_FORM_PLANES };

typedef struct five {
    Py_buffer views[PLANES];
    void *plane[PLANES];
} five;

/* What the planes of one call have in common; found out from the first. */
typedef struct common {
    char type; /* 0: not known yet */
    size_t n;
} common;

static bool common_from(common *c, const Py_buffer *view)
{
    const char *format = view->format ? view->format : "B";

    c->type = *format;
    c->n = (size_t)(view->len / view->itemsize);
    if (c->type == 'd' || c->type == 'f')
        return true;
    PyErr_Format(PyExc_TypeError, "planes of type '%s', expected 'd' or 'f'", format);
    return false;
}

static void five_close(five *f)
{
    for (int i = 0; i < PLANES; i++)
        PyBuffer_Release(&f->views[i]); /* no harm where it is not open */
}

static bool five_open(five *f, PyObject *tuple, common *c, bool writable)
{
    *f = (five){ .plane = { NULL } };
    for (int i = 0; i < PLANES; i++) {
        PyObject *array = PyTuple_GetItem(tuple, i);

        if (!array)
            return false;
        if (array == Py_None)
            continue;
        if (!c->type) {
            if (PyObject_GetBuffer(array, &f->views[i],
                                   PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) ||
                !common_from(c, &f->views[i]))
                return false;
            PyBuffer_Release(&f->views[i]);
        }
        if (!array_open(array, &f->views[i], c->type, c->n, writable, "plane"))
            return false;
        f->plane[i] = f->views[i].buf;
    }
    return true;
}

static zm_dtype common_dtype(const common *c)
{
    return c->type == 'f' ? ZM_F32 : ZM_F64;
}

static PyObject *finish(PyObject *module, bool ok, zm_status status,
                        const zm_error *err, int cols)
{
    if (!ok || !status_passes(PyModule_GetState(module), status, err, cols))
        return NULL;
    Py_RETURN_NONE;
}

/* ---- conversions ------------------------------------------------------------------ */

static zm_form_in form_in_of(const five *f, const common *c)
{
    zm_form_in in = { .dtype = common_dtype(c) };

    for (int i = 0; i < PLANES; i++)
        in.plane[i] = f->plane[i];
    return in;
}

static zm_form_out form_out_of(const five *f)
{
    zm_form_out out;

    for (int i = 0; i < PLANES; i++)
        out.plane[i] = f->plane[i];
    return out;
}

typedef enum which { VALUE, JVP, VJP } which;

static zm_status run(which what, zm_form from, zm_form to, const zm_form_in *at,
                     const zm_form_in *in, const zm_form_out *out, size_t n,
                     const zm_convert_opts *options, zm_error *err)
{
    switch (what) {
    case JVP:
        return zm_convert_jvp(from, at, to, in, n, out, options, err);
    case VJP:
        return zm_convert_vjp(from, at, to, in, n, out, options, err);
    default:
        return zm_convert(from, at, to, n, out, options, err);
    }
}

/* convert(what, from, to, at, in, out, math, tilt, walls, propagate, cols): what 0 value, 1 jvp,
 * 2 vjp; `in` is the direction or cotangent, or None */
static PyObject *convert(PyObject *module, PyObject *args)
{
    zm_convert_opts options = ZM_CONVERT_OPTS_INIT;
    five at = { .plane = { NULL } }, in = at, out = at;
    Py_buffer walls = { .obj = NULL };
    common c = { 0, 0 };
    PyObject *o[4];
    zm_status status = ZM_OK;
    zm_error err;
    int what, from, to, math, propagate, cols;
    bool ok;

    if (!PyArg_ParseTuple(args, "iiiO!OO!pdOpi", &what, &from, &to, &PyTuple_Type, &o[0],
                          &o[1], &PyTuple_Type, &o[2], &math, &options.tilt, &o[3],
                          &propagate, &cols))
        return NULL;
    ok = five_open(&at, o[0], &c, false) &&
         (o[1] == Py_None || five_open(&in, o[1], &c, false)) &&
         five_open(&out, o[2], &c, true) &&
         (o[3] == Py_None || array_open(o[3], &walls, 'B', c.n, false, "walls"));
    if (ok) {
        const zm_form_in values = form_in_of(&at, &c), given = form_in_of(&in, &c);
        const zm_form_out result = form_out_of(&out);

        options.convention = math ? ZM_HEADING_MATH : ZM_HEADING_COMPASS;
        options.nonfinite = propagate ? ZM_NONFINITE_PROPAGATE : ZM_NONFINITE_REFUSE;
        options.walls = walls.obj ? walls.buf : NULL;
        Py_BEGIN_ALLOW_THREADS;
        status = run((which)what, (zm_form)from, (zm_form)to, &values, &given, &result,
                     c.n, &options, &err);
        Py_END_ALLOW_THREADS;
    }
    PyBuffer_Release(&walls);
    five_close(&out);
    five_close(&in);
    five_close(&at);
    return finish(module, ok, status, &err, cols);
}

PyMethodDef convert_methods[] = {
    { "convert", convert, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
