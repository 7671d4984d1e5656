/* SPDX-License-Identifier: Apache-2.0
 * Long calls without the GIL: Ctrl-C and progress functions. */
#include "core.h"

#include <time.h>

/* Seldom enough not to compete for the GIL with the other threads. */
#define SECONDS_BETWEEN 0.05

static double seconds_now(void)
{
    struct timespec t;

    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

callback callback_of(PyObject *function)
{
    return (callback){ .function = function == Py_None ? NULL : function,
                       .next = seconds_now() + SECONDS_BETWEEN };
}

/* Takes the reference to `answer`; non-zero: stop, for what it says or for an exception. */
static int wants_stop(PyObject *answer)
{
    const int stop = answer ? PyObject_IsTrue(answer) : -1;

    Py_XDECREF(answer);
    return stop != 0;
}

/* The thread state of the call is restored and not one that the interpreter finds for the
 * thread: that would be another one in a subinterpreter. */
int callback_progress(void *ctx, double fraction)
{
    callback *c = ctx;
    int stop;

    if (seconds_now() < c->next)
        return 0;
    PyEval_RestoreThread(c->thread);
    stop = PyErr_CheckSignals();
    if (!stop && c->function)
        stop = wants_stop(PyObject_CallFunction(c->function, "d", fraction));
    c->thread = PyEval_SaveThread();
    c->next = seconds_now() + SECONDS_BETWEEN;
    return stop;
}

int callback_invert(void *ctx, const zm_invert_iteration *p)
{
    callback *c = ctx;
    int stop;

    PyEval_RestoreThread(c->thread);
    stop = PyErr_CheckSignals();
    c->readable = p->level == 0;
    if (!stop && c->function)
        stop = wants_stop(PyObject_CallFunction(
            c->function, "iiLLdddd", (int)p->iteration, (int)p->level,
            (long long)p->solves, (long long)p->products, p->chi2, p->misfit, p->lambda,
            p->objective));
    c->readable = false;
    c->thread = PyEval_SaveThread();
    return stop;
}
