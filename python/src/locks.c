/* SPDX-License-Identifier: Apache-2.0
 * One thread at a time on a handle, also after a fork.
 *
 * A child has only the thread that forked.  Locks that others held would stay so for ever: in the
 * child every handle gets a new lock when it is next used, and one that another thread was
 * working on, whose memory is in whatever state it was, is refused. */
#include "core.h"

enum { MICROSECONDS_BETWEEN = 50000 }; /* to look for Ctrl-C while another thread works */

bool lock_is_mine(const handle_lock *l)
{
    return atomic_load(&l->owner) == PyThread_get_thread_ident();
}

bool lock_open(handle_lock *l, const core_state *state)
{
    l->forks = state->forks;
    l->lock = PyThread_allocate_lock();
    if (!l->lock)
        PyErr_NoMemory();
    return l->lock != NULL;
}

void lock_close(handle_lock *l)
{
    if (l->lock)
        PyThread_free_lock(l->lock);
    l->lock = NULL;
}

/* After a fork; the old lock is not freed, as somebody may have waited for it. */
static bool lock_renew(handle_lock *l, const core_state *state)
{
    PyThread_type_lock fresh = PyThread_allocate_lock();

    if (!fresh) {
        PyErr_NoMemory();
        return false;
    }
    l->lost = l->lost || atomic_exchange(&l->owner, 0) != 0;
    l->lock = fresh;
    l->forks = state->forks;
    return true;
}

bool lock_is_lost(handle_lock *l, const core_state *state)
{
    return l->lost || (l->forks != state->forks && atomic_load(&l->owner) != 0);
}

bool lock_enter(handle_lock *l, const core_state *state, PyThreadState **thread)
{
    if (lock_is_mine(l)) {
        PyErr_SetString(state->state_error, "this is at work: its callback cannot use it");
        return false;
    }
    if (l->forks != state->forks && !lock_renew(l, state))
        return false;
    if (l->lost) {
        PyErr_SetString(state->state_error,
                        "another thread was at work on this when the process was forked: "
                        "solve again in the child");
        return false;
    }
    *thread = PyEval_SaveThread();
    while (PyThread_acquire_lock_timed(l->lock, MICROSECONDS_BETWEEN, 0) != PY_LOCK_ACQUIRED) {
        PyEval_RestoreThread(*thread);
        if (PyErr_CheckSignals())
            return false;
        *thread = PyEval_SaveThread();
    }
    atomic_store(&l->owner, PyThread_get_thread_ident());
    return true;
}

void lock_leave(handle_lock *l, PyThreadState *thread)
{
    atomic_store(&l->owner, 0);
    PyThread_release_lock(l->lock);
    PyEval_RestoreThread(thread);
}

/* ---- forks ------------------------------------------------------------------------ */

/* forked(): called in every child */
static PyObject *forked(PyObject *module, PyObject *args)
{
    core_state *state = PyModule_GetState(module);

    (void)args;
    state->forks++;
    Py_RETURN_NONE;
}

PyMethodDef fork_methods[] = { { "forked", forked, METH_NOARGS, NULL },
                               { NULL, NULL, 0, NULL } };

bool forks_watch(PyObject *module)
{
    PyObject *os = PyImport_ImportModule("os");
    PyObject *watch = os ? PyObject_GetAttrString(os, "register_at_fork") : NULL;
    PyObject *nothing = PyTuple_New(0);
    PyObject *hook = PyObject_GetAttrString(module, "forked");
    PyObject *keywords = hook ? Py_BuildValue("{sO}", "after_in_child", hook) : NULL;
    PyObject *done = NULL;

    if (os && !watch && PyErr_ExceptionMatches(PyExc_AttributeError)) { /* no forks here */
        PyErr_Clear();
        done = Py_NewRef(Py_None);
    } else if (watch && nothing && keywords) {
        done = PyObject_Call(watch, nothing, keywords);
    }
    Py_XDECREF(keywords);
    Py_XDECREF(hook);
    Py_XDECREF(nothing);
    Py_XDECREF(watch);
    Py_XDECREF(os);
    Py_XDECREF(done);
    return done != NULL;
}
