/* SPDX-License-Identifier: Apache-2.0
 * Long calls without the GIL: Ctrl-C and progress functions. */
#include "core.h"

#include <stdarg.h>
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

void callback_begin(callback *c)
{
    c->thread = PyEval_SaveThread();
}

void callback_end(callback *c)
{
    PyEval_RestoreThread(c->thread);
}

int callback_progress(void *ctx, double fraction)
{
    callback *c = ctx;
    int stop;

    if (seconds_now() < c->next)
        return 0;
    callback_end(c);
    stop = PyErr_CheckSignals();
    if (!stop && c->function)
        stop = wants_stop(PyObject_CallFunction(c->function, "d", fraction));
    callback_begin(c);
    c->next = seconds_now() + SECONDS_BETWEEN;
    return stop;
}

int callback_call(callback *c, const char *format, ...)
{
    int stop;
    va_list values;

    callback_end(c);
    stop = PyErr_CheckSignals();
    if (!stop && c->function) {
        PyObject *arguments;

        va_start(values, format);
        arguments = Py_VaBuildValue(format, values);
        va_end(values);
        stop = wants_stop(arguments ? PyObject_CallObject(c->function, arguments) : NULL);
        Py_XDECREF(arguments);
    }
    callback_begin(c);
    return stop;
}

int callback_invert(void *ctx, const zm_invert_iteration *p)
{
    callback *c = ctx;
    int stop;

    c->readable = p->level == 0;
    stop = callback_call(c, "(iiLLdddd)", (int)p->iteration, (int)p->level,
                         (long long)p->solves, (long long)p->products, p->chi2,
                         p->misfit, p->lambda, p->objective);
    c->readable = false;
    return stop;
}
