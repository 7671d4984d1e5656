/* SPDX-License-Identifier: Apache-2.0
 * The module zermelo._core: exceptions, types, functions. */
#include "core.h"

#include <string.h>

/* ---- statuses --------------------------------------------------------------------- */

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

/* The exception of a failure; cols (0: not known) makes a row and a column of the cell. */
static void raise_status(const core_state *state, zm_status status, const zm_error *err,
                         int32_t cols)
{
    PyObject *type = exception_of(state, status), *text = message_of(err);
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
    enum { CALLER = 3 }; /* of the package's function that called us */
    PyObject *text = message_of(err);
    const bool ok = text && !PyErr_WarnFormat(state->not_converged, CALLER, "%U", text);

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

static PyMethodDef status_methods[] = { { "tell", tell, METH_VARARGS, NULL },
                                        { NULL, NULL, 0, NULL } };

/* ---- exceptions ------------------------------------------------------------------- */

typedef struct exception {
    size_t offset; /* in core_state */
    const char *name, *doc;
    PyObject *also; /* second base */
} exception;

static bool add_exception(PyObject *module, core_state *state, const exception *e)
{
    PyObject **slot = (PyObject **)(void *)((char *)state + e->offset);
    PyObject *bases = Py_BuildValue("(OO)", state->error, e->also);
    char full[64] = "zermelo.";

    if (!bases)
        return false;
    PyOS_snprintf(full, sizeof full, "zermelo.%s", e->name);
    *slot = PyErr_NewExceptionWithDoc(full, e->doc, bases, NULL);
    Py_DECREF(bases);
    return *slot && !PyModule_AddObjectRef(module, e->name, *slot);
}

static bool add_base(PyObject *module, core_state *state)
{
    PyObject *dict = Py_BuildValue("{sO}", "cell", Py_None);

    if (!dict)
        return false;
    state->error = PyErr_NewExceptionWithDoc(
        "zermelo.Error",
        "What the library refuses.  `cell` is (row, col) where one cell is to blame, "
        "else None.",
        NULL, dict);
    Py_DECREF(dict);
    return state->error && !PyModule_AddObjectRef(module, "Error", state->error);
}

static bool add_exceptions(PyObject *module, core_state *state)
{
    const exception list[] = {
        { offsetof(core_state, argument_error), "ArgumentError",
          "An argument is missing, out of range or of the wrong shape.",
          PyExc_ValueError },
        { offsetof(core_state, metric_error), "MetricError",
          "Metric or drift is not admissible; `cell` tells where.", PyExc_ValueError },
        { offsetof(core_state, source_error), "SourceError",
          "No source, or one outside the grid, in a wall, or at no finite time.",
          PyExc_ValueError },
        { offsetof(core_state, state_error), "StateError",
          "A call out of order, such as results before a run.", PyExc_RuntimeError },
        { offsetof(core_state, cancelled), "Cancelled",
          "The progress function asked to stop.", PyExc_RuntimeError },
        { offsetof(core_state, unsupported), "UnsupportedError",
          "Not in this build or on this machine.", PyExc_NotImplementedError },
    };

    if (!add_base(module, state))
        return false;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!add_exception(module, state, &list[i]))
            return false;
    state->not_converged = PyErr_NewExceptionWithDoc(
        "zermelo.NotConvergedWarning",
        "The limit of iterations was reached; times are upper bounds.",
        PyExc_RuntimeWarning, NULL);
    return state->not_converged &&
           !PyModule_AddObjectRef(module, "NotConvergedWarning", state->not_converged);
}

/* ---- module ----------------------------------------------------------------------- */

static bool add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **slot)
{
    *slot = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    return *slot && !PyModule_AddType(module, *slot);
}

static bool add_pool(core_state *state)
{
    state->pool = pool_new();
    if (!state->pool)
        PyErr_NoMemory();
    return state->pool != NULL;
}

static int core_exec(PyObject *module)
{
    core_state *state = PyModule_GetState(module);

    return add_exceptions(module, state) &&
                   add_type(module, &problem_spec, &state->problem_type) &&
                   add_type(module, &solver_spec, &state->solver_type) &&
                   add_type(module, &inversion_spec, &state->inversion_type) &&
                   add_pool(state) && !PyModule_AddFunctions(module, pool_methods) &&
                   !PyModule_AddFunctions(module, status_methods) &&
                   !PyModule_AddStringConstant(module, "__version__", zm_version())
               ? 0
               : -1;
}

/* Members of core_state are objects up to the pool. */
enum { OBJECTS = offsetof(core_state, pool) / sizeof(PyObject *) };

static int core_traverse(PyObject *module, visitproc visit, void *arg)
{
    PyObject **objects = PyModule_GetState(module);

    for (size_t i = 0; objects && i < OBJECTS; i++)
        Py_VISIT(objects[i]);
    return 0;
}

static int core_clear(PyObject *module)
{
    PyObject **objects = PyModule_GetState(module);

    for (size_t i = 0; objects && i < OBJECTS; i++)
        Py_CLEAR(objects[i]);
    return 0;
}

static void core_free(void *module)
{
    core_state *state = PyModule_GetState(module);

    core_clear(module);
    if (state && state->pool)
        pool_clear(state->pool);
    if (state)
        PyMem_Free(state->pool);
}

static PyModuleDef_Slot core_slots[] = { { Py_mod_exec, (void *)core_exec },
                                         { 0, NULL } };

static PyModuleDef core_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zermelo._core",
    .m_doc = "The C library behind zermelo; use the package's functions.",
    .m_size = sizeof(core_state),
    .m_methods = convert_methods,
    .m_slots = core_slots,
    .m_traverse = core_traverse,
    .m_clear = core_clear,
    .m_free = core_free,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&core_module);
}
