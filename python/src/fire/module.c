/* SPDX-License-Identifier: Apache-2.0
 * The module zermelo._fire: state, types, functions. */
#include "fire.h"

const fire_state *fire_state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

PyObject *fire_none_if(const fire_state *state, zm_status status, const zm_error *err,
                       int32_t cols)
{
    if (!status_passes(&state->core, status, err, cols))
        return NULL;
    Py_RETURN_NONE;
}

bool fire_is(PyObject *object, PyTypeObject *type, const char *name)
{
    if (PyObject_TypeCheck(object, type))
        return true;
    PyErr_Format(PyExc_TypeError, "expected %s", name);
    return false;
}

/* ---- exceptions of zermelo._core -------------------------------------------------- */

static bool take_exceptions(core_state *core)
{
    const struct {
        PyObject **slot;
        const char *name;
    } all[] = {
        { &core->error, "Error" },
        { &core->argument_error, "ArgumentError" },
        { &core->metric_error, "MetricError" },
        { &core->source_error, "SourceError" },
        { &core->state_error, "StateError" },
        { &core->cancelled, "Cancelled" },
        { &core->unsupported, "UnsupportedError" },
        { &core->not_converged, "NotConvergedWarning" },
    };
    PyObject *module = PyImport_ImportModule("zermelo._core");

    for (size_t i = 0; module && i < sizeof all / sizeof *all; i++)
        if (!(*all[i].slot = PyObject_GetAttrString(module, all[i].name))) {
            Py_DECREF(module);
            return false;
        }
    Py_XDECREF(module);
    return module != NULL;
}

/* ---- module ----------------------------------------------------------------------- */

static bool add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **slot)
{
    *slot = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    return *slot && !PyModule_AddType(module, *slot);
}

static bool add_learning(PyObject *module, fire_state *state)
{
#if defined(ZM_WITH_LEARN)
    return add_type(module, &model_spec, &state->model_type) &&
           !PyModule_AddFunctions(module, learn_functions) &&
           !PyModule_AddFunctions(module, train_functions);
#else
    (void)module, (void)state;
    return true;
#endif
}

static int fire_exec(PyObject *module)
{
    fire_state *state = PyModule_GetState(module);

    state->core.caller = 2;
    return take_exceptions(&state->core) &&
                   add_type(module, &ground_spec, &state->ground_type) &&
                   add_type(module, &calibration_spec, &state->calibration_type) &&
                   !PyModule_AddFunctions(module, ground_functions) &&
                   !PyModule_AddFunctions(module, file_functions) &&
                   !PyModule_AddFunctions(module, physics_functions) &&
                   !PyModule_AddFunctions(module, calibrate_functions) &&
                   !PyModule_AddFunctions(module, map_functions) &&
                   add_learning(module, state)
               ? 0
               : -1;
}

static int fire_traverse(PyObject *module, visitproc visit, void *arg)
{
    const fire_state *s = PyModule_GetState(module);

    if (!s)
        return 0;
    Py_VISIT(s->core.error);
    Py_VISIT(s->core.argument_error);
    Py_VISIT(s->core.metric_error);
    Py_VISIT(s->core.source_error);
    Py_VISIT(s->core.state_error);
    Py_VISIT(s->core.cancelled);
    Py_VISIT(s->core.unsupported);
    Py_VISIT(s->core.not_converged);
    Py_VISIT(s->ground_type);
    Py_VISIT(s->calibration_type);
    Py_VISIT(s->model_type);
    return 0;
}

static int fire_clear(PyObject *module)
{
    fire_state *s = PyModule_GetState(module);

    if (!s)
        return 0;
    Py_CLEAR(s->core.error);
    Py_CLEAR(s->core.argument_error);
    Py_CLEAR(s->core.metric_error);
    Py_CLEAR(s->core.source_error);
    Py_CLEAR(s->core.state_error);
    Py_CLEAR(s->core.cancelled);
    Py_CLEAR(s->core.unsupported);
    Py_CLEAR(s->core.not_converged);
    Py_CLEAR(s->ground_type);
    Py_CLEAR(s->calibration_type);
    Py_CLEAR(s->model_type);
    return 0;
}

static void fire_free(void *module)
{
    fire_clear(module);
}

static PyModuleDef_Slot fire_slots[] = { { Py_mod_exec, (void *)fire_exec },
                                         { 0, NULL } };

static PyModuleDef fire_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zermelo._fire",
    .m_doc = "The C library behind zermelo.fire; use the package's functions.",
    .m_size = sizeof(fire_state),
    .m_slots = fire_slots,
    .m_traverse = fire_traverse,
    .m_clear = fire_clear,
    .m_free = fire_free,
};

PyMODINIT_FUNC PyInit__fire(void);
PyMODINIT_FUNC PyInit__fire(void)
{
    return PyModuleDef_Init(&fire_module);
}
