/* SPDX-License-Identifier: Apache-2.0
 * The module zermelo._core: exceptions, types, functions. */
#include "core.h"

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

    state->caller = 3;
    return add_exceptions(module, state) &&
                   add_type(module, &problem_spec, &state->problem_type) &&
                   add_type(module, &solver_spec, &state->solver_type) &&
                   add_type(module, &inversion_spec, &state->inversion_type) &&
                   add_pool(state) && !PyModule_AddFunctions(module, pool_methods) &&
                   !PyModule_AddFunctions(module, outline_methods) &&
                   !PyModule_AddFunctions(module, colors_methods) &&
                   !PyModule_AddFunctions(module, status_methods) &&
                   !PyModule_AddFunctions(module, cells_methods) &&
                   !PyModule_AddFunctions(module, fork_methods) &&
#if defined(ZM_WITH_VIEW)
                   !PyModule_AddFunctions(module, view_methods) &&
#endif
                   forks_watch(module) &&
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
