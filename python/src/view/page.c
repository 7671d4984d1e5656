/* SPDX-License-Identifier: Apache-2.0
 * zermelo._core.page: pages without a fire, and files that are replaced at once. */
#include "../view.h"
#include "zermelo/file.h"

/* (sources, n, float32, adaptive, order, factor, periodic, t_max), or None */
static bool set_solve(const core_state *state, zm_view *page, PyObject *tuple)
{
    zm_solver_opts s = ZM_SOLVER_OPTS_INIT;
    zm_forward_opts f = ZM_FORWARD_OPTS_INIT;
    int single, adaptive, order, periodic;
    PyObject *array;
    Py_buffer sources;
    Py_ssize_t n;
    zm_error err;
    bool done;

    if (tuple == Py_None)
        return true;
    if (!PyArg_ParseTuple(tuple, "Onppidid", &array, &n, &single, &adaptive, &order,
                          &s.factor_radius, &periodic, &f.t_max) ||
        !array_open(array, &sources, 'd', (size_t)n * 3, false, "sources"))
        return false;
    s.stencils = adaptive ? ZM_STENCILS_ADAPTIVE : ZM_STENCILS_FIXED;
    s.order = order;
    s.periodic = periodic;
    done = status_passes(state,
                         zm_view_set_solve(page, sources.buf, (size_t)n, single ? ZM_F32 : ZM_F64,
                                           &s, &f, &err),
                         &err, 0);
    PyBuffer_Release(&sources);
    return done;
}

/* page(head, fields, place, tables, solve) -> bytes */
static PyObject *page(PyObject *module, PyObject *args)
{
    const core_state *state = PyModule_GetState(module);
    PyObject *head, *fields, *place, *tables, *solve;
    zm_view *made;

    if (!PyArg_ParseTuple(args, "O!O!OO!O", &PyTuple_Type, &head, &PyList_Type, &fields, &place,
                          &PyList_Type, &tables, &solve) ||
        !(made = view_new(state, head, fields, place, tables)))
        return NULL;
    if (!set_solve(state, made, solve)) {
        zm_view_destroy(made);
        return NULL;
    }
    return view_bytes(state, made);
}

/* page_save(path, bytes) */
static PyObject *page_save(PyObject *module, PyObject *args)
{
    const core_state *state = PyModule_GetState(module);
    PyObject *path = NULL;
    Py_buffer bytes;
    zm_status st;
    zm_error err;
    bool done;

    if (!PyArg_ParseTuple(args, "O&y*", PyUnicode_FSConverter, &path, &bytes))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    st = zm_file_write(PyBytes_AsString(path), bytes.buf, (size_t)bytes.len, &err);
    Py_END_ALLOW_THREADS;
    Py_DECREF(path);
    PyBuffer_Release(&bytes);
    done = status_passes(state, st, &err, 0);
    return done ? Py_NewRef(Py_None) : NULL;
}

PyMethodDef view_methods[] = {
    { "page", page, METH_VARARGS, NULL },
    { "page_save", page_save, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
