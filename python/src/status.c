/* SPDX-License-Identifier: Apache-2.0
 * From statuses of the library to exceptions and warnings. */
#include "core.h"

#include <stdio.h>
#include <string.h>

static PyObject *exception_of(const core_state *state, zm_status status)
{
    switch (status) {
    case ZM_E_NOMEM:
        return PyExc_MemoryError;
    case ZM_E_METRIC:
        return state->metric_error;
    case ZM_E_SOURCE:
        return state->source_error;
    case ZM_E_CANCELLED:
        return state->cancelled;
    case ZM_E_STATE:
        return state->state_error;
    case ZM_E_UNSUPPORTED:
        return state->unsupported;
    case ZM_E_ARG:
        return state->argument_error;
    default:
        return state->error;
    }
}

/* (row, col), or None where no cell is to blame. */
static PyObject *cell_of(const zm_error *err, int32_t cols)
{
    if (err->cell < 0 || cols <= 0) {
        Py_INCREF(Py_None);
        return Py_None;
    }
    return Py_BuildValue("(LL)", (long long)(err->cell / cols),
                         (long long)(err->cell % cols));
}

/* What the library calls by its C name, as the package calls it. */
static const char *const words[][2] = {
    { "ZM_STENCILS_FIXED", "stencils 'fixed'" },
    { "ZM_STENCILS_ADAPTIVE", "stencils 'adaptive'" },
    { "ZM_REG_FROBENIUS_TV", "regulariser 'frobenius-tv'" },
    { "ZM_REG_LOG_EUCLIDEAN_TV", "regulariser 'log-euclidean-tv'" },
    { "ZM_REG_TV", "'tv'" },
    { "ZM_UNKNOWN_METRIC", "unknown 'metric' or 'all'" },
    { "ZM_UNKNOWN_ISOTROPIC", "unknown 'isotropic'" },
    { "ZM_METRIC_PLAIN", "metric_map 'plain'" },
    { "ZM_METRIC_LOG", "metric_map 'log'" },
    { "ZM_LAMBDA_FIXED", "a fixed one" },
    { "ZM_INVERT_GAUSS_NEWTON", "'gauss-newton'" },
    { "ZM_INVERT_GNC", "'gnc'" },
    { "ZM_INVERT_ADMM", "'admm'" },
    { "ZM_INVERT_NEWTON", "method 'newton'" },
    { "ZM_RESIDUAL_EIKONAL", "'eikonal'" },
    { "ZM_FACTOR_BY_ORDER", "None" },
    { "zm_inversion_save", "Inversion.save" },
    { "zm_invert_run", "Inversion.run" },
    { "zm_forward", "solve" },
    { "dL_dT", "g" },
    { "lambda", "lam" },
    { "lambdas", "lams" },
};

/* How the package calls the n characters; NULL: no other way. */
static const char *word_of(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i][0]) == n && !memcmp(words[i][0], name, n))
            return words[i][1];
    return NULL;
}

/* The message in words of the package; NULL with an exception set.  Only whole names are
 * replaced: not the beginning of zm_forward_opts, nor a member. */
static PyObject *message_of(const zm_error *err)
{
    static const char of_names[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.";
    PyObject *text = PyUnicode_FromString("");

    for (const char *at = err->text; text && *at;) {
        const size_t name = strspn(at, of_names);
        const size_t n = name ? name : strcspn(at, of_names);
        const char *word = name ? word_of(at, n) : NULL;

        PyUnicode_AppendAndDel(
            &text,
            PyUnicode_DecodeUTF8(word ? word : at,
                                 (Py_ssize_t)(word ? strlen(word) : n), "replace"));
        at += n;
    }
    return text;
}

/* The message, which it takes, with the row and the column of the cell instead of its number.
 * NULL with an exception set. */
static PyObject *with_place(PyObject *text, const zm_error *err, int32_t cols)
{
    char number[48], place[64];
    PyObject *placed;

    if (!text || err->cell < 0 || cols <= 0)
        return text;
    snprintf(number, sizeof number, "at cell %lld", (long long)err->cell);
    snprintf(place, sizeof place, "at row %lld, col %lld", (long long)(err->cell / cols),
             (long long)(err->cell % cols));
    placed = PyObject_CallMethod(text, "replace", "ss", number, place);
    Py_DECREF(text);
    return placed;
}

/* The exception of a failure; cols (0: not known) makes a row and a column of the cell. */
static void raise_status(const core_state *state, zm_status status, const zm_error *err,
                         int32_t cols)
{
    PyObject *type = exception_of(state, status);
    PyObject *text = with_place(message_of(err), err, cols);
    PyObject *value = text ? PyObject_CallFunctionObjArgs(type, text, NULL) : NULL;
    PyObject *cell = cell_of(err, cols);

    if (value && cell &&
        (type == PyExc_MemoryError || !PyObject_SetAttrString(value, "cell", cell)))
        PyErr_SetObject(type, value);
    Py_XDECREF(cell);
    Py_XDECREF(value);
    Py_XDECREF(text);
}

/* The warning of a caveat; false: it became an exception. */
static bool warn_of(const core_state *state, const zm_error *err)
{
    PyObject *text = message_of(err);
    const bool ok =
        text && !PyErr_WarnFormat(state->not_converged, state->caller, "%U", text);

    Py_XDECREF(text);
    return ok;
}

bool status_passes(const core_state *state, zm_status status, const zm_error *err,
                   int32_t cols)
{
    if (PyErr_Occurred()) /* left by a callback */
        return false;
    if (status < 0) {
        raise_status(state, status, err, cols);
        return false;
    }
    return status == ZM_OK || warn_of(state, err);
}

/* tell(status, text): raises or warns as after a call that ended so; for tests, as few messages
 * can be had at will */
static PyObject *tell(PyObject *module, PyObject *args)
{
    zm_error err = { .cell = -1 };
    const char *text;
    int status;

    if (!PyArg_ParseTuple(args, "is:tell", &status, &text))
        return NULL;
    err.code = (zm_status)status;
    PyOS_snprintf(err.text, sizeof err.text, "%s", text);
    if (!status_passes(PyModule_GetState(module), err.code, &err, 0))
        return NULL;
    Py_RETURN_NONE;
}

PyMethodDef status_methods[] = { { "tell", tell, METH_VARARGS, NULL },
                                        { NULL, NULL, 0, NULL } };
