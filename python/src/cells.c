/* SPDX-License-Identifier: Apache-2.0
 * Functions of the module that take fields to fields cell by cell: projections and
 * parametrisations.
 *
 * A pair of arrays is a metric (H, W), (P, H, W) or (B, P, H, W) and a drift (2, H, W) or
 * (B, 2, H, W), or None; an array with a batch of one goes with all problems. */
#include "core.h"

/* What all pairs of a call have in common. */
typedef struct frame {
    zm_grid grid;
    zm_dtype dtype;
    Py_ssize_t n; /* problems */
} frame;

typedef struct pair {
    planes G, b;
    zm_metric *metrics; /* n, of planes to be read or to be written */
} pair;

static void pair_close(pair *p)
{
    PyMem_Free(p->metrics);
    planes_close(&p->b);
    planes_close(&p->G);
    p->metrics = NULL;
}

/* On failure an exception is set; pair_close is to be called either way. */
static bool pair_open(pair *p, PyObject *G, PyObject *b, const frame *f, bool writable,
                      const char *name)
{
    *p = (pair){ .metrics = NULL };
    p->metrics = PyMem_Calloc((size_t)f->n, sizeof *p->metrics);
    if (!p->metrics) {
        PyErr_NoMemory();
        return false;
    }
    if (!planes_open(G, &p->G, &f->grid, f->dtype, f->n, writable, name) ||
        !planes_open(b, &p->b, &f->grid, f->dtype, f->n, writable, name))
        return false;
    for (Py_ssize_t i = 0; i < f->n; i++) {
        const metric_planes m = planes_metric(&p->G, i);

        p->metrics[i] = (zm_metric){
            f->dtype, m.g11, m.g12, m.g22, planes_at(&p->b, i, 0), planes_at(&p->b, i, 1)
        };
    }
    return true;
}

/* The same planes to be written; NULL with an exception set. */
static zm_metric_out *outputs_of(const pair *p, Py_ssize_t n)
{
    zm_metric_out *out = PyMem_Calloc((size_t)n, sizeof *out);

    if (!out)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; out && i < n; i++) {
        const metric_planes m = planes_metric(&p->G, i);

        out[i] = (zm_metric_out){ m.g11, m.g12, m.g22, planes_at(&p->b, i, 0),
                                  planes_at(&p->b, i, 1) };
    }
    return out;
}

static bool frame_of(frame *f, int rows, int cols, int single, Py_ssize_t n)
{
    *f = (frame){ { rows, cols, 1, 1 }, single ? ZM_F32 : ZM_F64, n };
    if (rows > 0 && cols > 0 && n > 0)
        return true;
    PyErr_SetString(PyExc_ValueError, "there are no cells");
    return false;
}

enum { IN, GIVEN, OUT, PAIRS };

/* The arrays of a call: values, directions or cotangents (None: there are none), results. */
typedef struct call {
    frame frame;
    pair pairs[PAIRS];
    zm_metric_out *out;
    bool propagate;
} call;

static bool call_open(call *c, PyObject *const arrays[2 * PAIRS])
{
    static const char *const names[PAIRS] = { "values", "derivatives", "results" };

    for (int k = 0; k < PAIRS; k++)
        if (!pair_open(&c->pairs[k], arrays[2 * k], arrays[2 * k + 1], &c->frame, k == OUT,
                       names[k]))
            return false;
    c->out = outputs_of(&c->pairs[OUT], c->frame.n);
    return c->out != NULL;
}

static PyObject *call_close(call *c, PyObject *module, bool ok, zm_status status,
                            const zm_error *err)
{
    PyMem_Free(c->out);
    for (int k = 0; k < PAIRS; k++)
        pair_close(&c->pairs[k]);
    if (!ok || !status_passes(PyModule_GetState(module), status, err, c->frame.grid.cols))
        return NULL;
    Py_RETURN_NONE;
}

static size_t cells_of(const call *c)
{
    return (size_t)c->frame.grid.rows * (size_t)c->frame.grid.cols;
}

static zm_nonfinite nonfinite_of(int propagate)
{
    return propagate ? ZM_NONFINITE_PROPAGATE : ZM_NONFINITE_REFUSE;
}

/* project(vjp, rows, cols, float32, n, G, b, cG, cb, out_G, out_b, eig_min, eig_max, rho,
 * propagate, threads): out is what projects G and b or, with vjp, dL/dG and dL/db of cG, cb */
static PyObject *project(PyObject *module, PyObject *args)
{
    zm_project_opts o = ZM_PROJECT_OPTS_INIT;
    call c = { .out = NULL };
    PyObject *a[2 * PAIRS];
    zm_status status = ZM_OK;
    zm_error err;
    Py_ssize_t n;
    int vjp, rows, cols, single, propagate, threads;
    bool ok;

    if (!PyArg_ParseTuple(args, "piipnOOOOOOdddpi", &vjp, &rows, &cols, &single, &n, &a[0],
                          &a[1], &a[2], &a[3], &a[4], &a[5], &o.eig_min, &o.eig_max, &o.rho,
                          &propagate, &threads) ||
        !frame_of(&c.frame, rows, cols, single, n))
        return NULL;
    o.nonfinite = nonfinite_of(propagate);
    o.threads = threads;
    ok = call_open(&c, a);
    if (ok) {
        const pair *p = c.pairs;

        Py_BEGIN_ALLOW_THREADS;
        status = vjp ? zm_project_vjp_batch(p[IN].metrics, p[GIVEN].metrics, (size_t)n,
                                            cells_of(&c), c.out, &o, &err)
                     : zm_project_batch(p[IN].metrics, (size_t)n, cells_of(&c), c.out, &o,
                                        &err);
        Py_END_ALLOW_THREADS;
    }
    return call_close(&c, module, ok, status, &err);
}

typedef enum which { VALUE, JVP, VJP } which;

static zm_status parametrise_run(which what, const call *c, const zm_parametrise_opts *o,
                                 zm_error *err)
{
    const zm_metric *in = c->pairs[IN].metrics, *given = c->pairs[GIVEN].metrics;
    const size_t items = (size_t)c->frame.n, n = cells_of(c);

    switch (what) {
    case JVP:
        return zm_parametrise_jvp(in, given, items, n, c->out, o, err);
    case VJP:
        return zm_parametrise_vjp(in, given, items, n, c->out, o, err);
    default:
        return zm_parametrise(in, items, n, c->out, o, err);
    }
}

/* parametrise(what, rows, cols, float32, n, P, q, given_P, given_q, out_P, out_q, chart, form,
 * start, eig_min, eig_max, rho, propagate, threads): what 0 value, 1 jvp, 2 vjp */
static PyObject *parametrise(PyObject *module, PyObject *args)
{
    zm_parametrise_opts o = ZM_PARAMETRISE_OPTS_INIT;
    call c = { .out = NULL };
    PyObject *a[2 * PAIRS];
    zm_status status = ZM_OK;
    zm_error err;
    Py_ssize_t n;
    int what, rows, cols, single, chart, form, propagate, threads;
    bool ok;

    if (!PyArg_ParseTuple(args, "iiipnOOOOOOiiddddpi", &what, &rows, &cols, &single, &n, &a[0],
                          &a[1], &a[2], &a[3], &a[4], &a[5], &chart, &form, &o.start,
                          &o.eig_min, &o.eig_max, &o.rho, &propagate, &threads) ||
        !frame_of(&c.frame, rows, cols, single, n))
        return NULL;
    o.chart = (zm_chart)chart;
    o.form = (zm_form)form;
    o.nonfinite = nonfinite_of(propagate);
    o.threads = threads;
    ok = call_open(&c, a);
    if (ok) {
        Py_BEGIN_ALLOW_THREADS;
        status = parametrise_run((which)what, &c, &o, &err);
        Py_END_ALLOW_THREADS;
    }
    return call_close(&c, module, ok, status, &err);
}

PyMethodDef cells_methods[] = {
    { "project", project, METH_VARARGS, NULL },
    { "parametrise", parametrise, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
