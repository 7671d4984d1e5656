/* SPDX-License-Identifier: Apache-2.0
 * What the files of the extension module zermelo._core share.
 *
 * The module is private to the package: zermelo/_*.py bring arguments into the shapes that
 * are asked for here, so messages of this layer are for its authors; those of the library
 * go through to the user.  Arrays come and go through the buffer protocol. */
#ifndef ZM_PYTHON_CORE_H
#define ZM_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "zermelo/zermelo.h"

/* ---- module ----------------------------------------------------------------------- */

typedef struct solver_pool solver_pool;

typedef struct core_state {
    PyObject *error; /* zermelo.Error; the others derive from it */
    PyObject *argument_error, *metric_error, *source_error, *state_error;
    PyObject *cancelled, *unsupported;
    PyObject *not_converged; /* a warning */
    PyTypeObject *problem_type, *solver_type, *inversion_type;
    solver_pool *pool;   /* after all that are objects */
    unsigned long forks; /* that this process is away from where the module was loaded */
    int caller; /* frames from us to whom warnings concern: the caller of the package */
} core_state;

extern PyType_Spec problem_spec, solver_spec, inversion_spec;
/* functions of the module */
extern PyMethodDef cells_methods[], colors_methods[], convert_methods[], outline_methods[],
    pool_methods[], fork_methods[];
#if defined(ZM_WITH_VIEW)
extern PyMethodDef view_methods[];
#endif

/* ---- status.c --------------------------------------------------------------------- */

extern PyMethodDef status_methods[]; /* functions of the module */

/* An exception for failures, a warning for caveats; true: go on.  cols makes a row and a
 * column of err->cell.  An exception that a callback has left takes precedence. */
bool status_passes(const core_state *state, zm_status status, const zm_error *err,
                   int32_t cols);

/* ---- arrays.c --------------------------------------------------------------------- */

/* Opens a C-contiguous buffer of `count` items of a type: d f B i q (as in struct, and ? for
 * B).  On failure an exception is set and view->obj is NULL. */
bool array_open(PyObject *object, Py_buffer *view, char type, size_t count,
                bool writable, const char *name);

/* Planes of rows*cols values: an array (rows, cols), (planes, rows, cols) or (batch, planes,
 * rows, cols) whose planes are contiguous; the leading axes may have any strides. */
typedef struct planes {
    Py_buffer view; /* view.obj NULL: there are none */
    int count;      /* planes of one problem; 0: there are none */
    Py_ssize_t batch;
    Py_ssize_t plane_stride,
        batch_stride; /* bytes; batch_stride 0: shared by the batch */
} planes;

/* None opens as no planes.  Checks the type and that there are at least `batch` of them
 * unless shared. */
bool planes_open(PyObject *object, planes *p, const zm_grid *grid, zm_dtype dtype,
                 Py_ssize_t batch, bool writable, const char *name);
void planes_close(planes *p);

/* Plane k of a problem, NULL where there are none. */
void *planes_at(const planes *p, Py_ssize_t problem, int k);

/* g11, g12, g22 of the array's one (isotropic), two (diagonal) or three planes. */
typedef struct metric_planes {
    void *g11, *g12, *g22;
} metric_planes;
metric_planes planes_metric(const planes *p, Py_ssize_t problem);

/* ---- problem.c -------------------------------------------------------------------- */

/* The problems of a batch on one grid, or one whose metric changes with time, with the arrays
 * they borrow kept open. */
typedef struct problem_object {
    PyObject ob_base;
    const core_state *state;
    zm_grid grid;
    zm_dtype dtype;
    Py_ssize_t n;
    Py_ssize_t sets;        /* of planes: n, or one a time interval */
    zm_problem *problems;   /* n */
    zm_interval *intervals; /* sets; NULL: the metric does not change */
    Py_buffer starts, stopped;
    planes metric, drift;
    Py_buffer walls;            /* obj NULL: none */
    Py_buffer *sources;         /* n_sources_views of them, (k, 3) doubles */
    Py_ssize_t n_sources_views; /* 1: shared */
} problem_object;

size_t problem_cells(const problem_object *p);

/* Whether its arrays are where they were when it was made; else an exception is set. */
bool problem_stays(const problem_object *p);

/* ---- pool.c ----------------------------------------------------------------------- */

/* What a solver was made with: two with the same numbers are the same. */
typedef struct solver_key {
    double numbers[12];
} solver_key;

solver_pool *pool_new(void); /* NULL: no memory */

/* A solver that was given with this key; NULL: there is none. */
zm_solver *pool_take(solver_pool *pool, const solver_key *key);

/* Keeps the solver for the next call; drops the oldest where they become too many. */
void pool_give(solver_pool *pool, const solver_key *key, zm_solver *solver);
void pool_clear(solver_pool *pool);

/* ---- locks.c ---------------------------------------------------------------------- */

/* Of a handle that one thread at a time may use. */
typedef struct handle_lock {
    PyThread_type_lock lock;
    atomic_ulong owner;  /* the thread that has it; 0: none */
    unsigned long forks; /* of the process in which the lock was made */
    bool lost;           /* a thread that a fork left behind was using the handle */
} handle_lock;

bool lock_open(handle_lock *l, const core_state *state); /* else an exception is set */
void lock_close(handle_lock *l);

/* Waits for the handle and releases the GIL, which lock_leave takes again.  False with an
 * exception set where waiting would never end: the caller is a callback of a call that has
 * the handle, or the handle is lost. */
bool lock_enter(handle_lock *l, const core_state *state, PyThreadState **thread);
void lock_leave(handle_lock *l, PyThreadState *thread);

/* Has the interpreter tell the module of forks; false with an exception set. */
bool forks_watch(PyObject *module);

/* Whether the calling thread has the handle: it is in a callback. */
bool lock_is_mine(const handle_lock *l);

/* Whether the handle was left behind by a fork in the middle of a call. */
bool lock_is_lost(handle_lock *l, const core_state *state);

/* ---- derivatives.c, path.c: methods of Solver ------------------------------------- */

typedef struct solver_object {
    PyObject ob_base;
    const core_state *state;
    zm_solver *solver; /* goes back to the pool with the object */
    solver_key key;
    handle_lock lock;
    zm_grid grid;
    zm_dtype dtype;
    Py_ssize_t batch;
    zm_report report; /* of the last solve; of a batch the sums and maxima */
} solver_object;

/* Whether the problem belongs on this solver and its arrays have not moved; else an exception is
 * set. */
bool solver_accepts(const solver_object *s, const problem_object *p);

/* The times of all problems of a batch as an array of pointers, to be freed; NULL with an
 * exception set. */
void **times_of(const problem_object *p, const Py_buffer *view);
char dtype_type(zm_dtype dtype);

PyObject *solver_adjoint(PyObject *self, PyObject *args);
PyObject *solver_tangent(PyObject *self, PyObject *args);
PyObject *solver_stencils(PyObject *self, PyObject *args);
PyObject *solver_flow(PyObject *self, PyObject *args);
PyObject *solver_labels(PyObject *self, PyObject *args);
PyObject *solver_path(PyObject *self, PyObject *args);
PyObject *solver_paths(PyObject *self, PyObject *args);
PyObject *problem_path_cost(PyObject *self, PyObject *args);
PyObject *problem_residual(PyObject *self, PyObject *args);

/* ---- callbacks.c ------------------------------------------------------------------ */

/* A long computation without the GIL that now and then looks for Ctrl-C and calls back, always
 * on the thread that made the call. */
typedef struct callback {
    PyObject *function;    /* borrowed; NULL: none */
    PyThreadState *thread; /* of the call, which has released the GIL */
    double next;           /* when to look again, seconds */
    bool readable;         /* an inversion may be read from the call in progress */
} callback;

callback callback_of(PyObject *function); /* None: none */

/* Around a call that reports to it: the GIL is released, and taken again.  The state of the thread
 * is kept for the callback, as the interpreter might find another in a subinterpreter. */
void callback_begin(callback *c);
void callback_end(callback *c);
int callback_progress(void *ctx, double fraction);

/* Calls the function with values as of Py_BuildValue, "(id)"; non-zero: stop. */
int callback_call(callback *c, const char *format, ...);
int callback_invert(void *ctx, const zm_invert_iteration *iteration);

#endif
