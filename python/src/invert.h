/* SPDX-License-Identifier: Apache-2.0
 * zermelo._core.Inversion, shared by invert.c and invert_results.c. */
#ifndef ZM_PYTHON_INVERT_H
#define ZM_PYTHON_INVERT_H

#include "core.h"

typedef struct inversion_object {
    PyObject ob_base;
    const core_state *state;
    zm_inversion *handle;
    handle_lock lock;
    zm_grid grid;
    callback watch;
    callback bar;
    PyObject *monitor, *progress; /* owned; what `watch` and `bar` call */
} inversion_object;

size_t inversion_cells(const inversion_object *v);

/* None where all is well, else NULL with an exception set; ok false: it is set already. */
PyObject *none_if(const inversion_object *v, bool ok, zm_status status,
                  const zm_error *err);

typedef enum purpose { TO_READ, TO_CHANGE } purpose;

/* A call on the handle: the thread without the GIL, or NULL in a call from the monitor. */
typedef struct turn {
    inversion_object *of;
    PyThreadState *thread;
} turn;

/* Waits for the handle and releases the GIL.  From its own callback, where waiting would never
 * end, the monitor may read, and all else is refused: false with an exception set. */
bool turn_begin(turn *t, inversion_object *v, purpose what);
void turn_end(turn *t);

PyObject *inversion_run(PyObject *self, PyObject *args);
PyObject *inversion_report(PyObject *self, PyObject *args);
PyObject *inversion_history(PyObject *self, PyObject *args);
PyObject *inversion_metric(PyObject *self, PyObject *args);
PyObject *inversion_std(PyObject *self, PyObject *args);
PyObject *inversion_times(PyObject *self, PyObject *args);
PyObject *inversion_predicted(PyObject *self, PyObject *args);
PyObject *inversion_curve(PyObject *self, PyObject *args);
PyObject *inversion_lcurve(PyObject *self, PyObject *lambdas);
PyObject *inversion_save(PyObject *self, PyObject *args);

#endif
