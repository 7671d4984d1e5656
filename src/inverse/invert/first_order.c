/* SPDX-License-Identifier: Apache-2.0
 * Methods that see value and gradient only: L-BFGS, Adam, gradient descent. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "inverse/invert/inversion.h"
#include "zermelo/optimise.h"

/* Of a TV, where none is given: sharper ones are too stiff for a gradient. */
#define EPS 0.01

typedef struct first_order {
    zm_inversion *v;
    zm_error *err;
    zm_status status; /* of the last evaluation or iteration */
    zm_error failure; /* its message, which zm_minimise may replace by its own */
    double *lower, *upper;
} first_order;

static zm_status note(first_order *f, zm_status st)
{
    f->status = st;
    if (st < 0 && f->err)
        f->failure = *f->err;
    return st;
}

/* misfit + lambda R */
static zm_status evaluate(const first_order *f, const double *x, double *value,
                          double *gradient)
{
    zm_inversion *v = f->v;
    zm_invert_model *m = &v->model;

    memcpy(m->at->theta, x, m->n_theta * sizeof *x);
    ZM_TRY(zm_invert_model_solve(m, m->at, f->err));
    ZM_TRY(zm_invert_model_gradient(m, gradient, f->err));
    ZM_TRY(zm_penalty_value(&v->penalty, x, &v->run.R, f->err));
    ZM_TRY(zm_penalty_weigh(&v->penalty, x, f->err));
    zm_penalty_add_gradient(&v->penalty, x, gradient);
    *value = m->at->misfit.value + v->penalty.lambda * v->run.R;
    return ZM_OK;
}

static zm_status objective(void *ctx, const double *x, double *value, double *gradient)
{
    const zm_status st = evaluate(ctx, x, value, gradient);

    return st < 0 ? note(ctx, st) : ZM_OK;
}

static void feasible(void *ctx, size_t n, double *x)
{
    const first_order *f = ctx;

    (void)n;
    zm_parameters_project(&f->v->model.parameters, x);
}

/* The last evaluation need not have been at the point that was taken. */
static zm_status come_back(first_order *f, const double *x)
{
    zm_invert_model *m = &f->v->model;

    if (memcmp(m->at->theta, x, m->n_theta * sizeof *x) == 0)
        return ZM_OK;
    memcpy(m->at->theta, x, m->n_theta * sizeof *x);
    m->solves--; /* known already */
    return zm_invert_model_solve(m, m->at, f->err);
}

static int monitor(void *ctx, const zm_minimise_iteration *p)
{
    first_order *f = ctx;
    zm_status st;

    if (p->iteration == 0 || p->iteration <= f->v->run.iteration)
        return 0; /* the start, which has been told */
    f->v->run.iteration = p->iteration;
    st = come_back(f, p->x);
    if (st == ZM_OK)
        st = zm_inversion_tell(f->v, 0, p->step, f->err);
    return note(f, st) < 0;
}

/* Bounds of each unknown, for L-BFGS. */
static zm_status make_bounds(first_order *f)
{
    zm_inversion *v = f->v;
    const zm_parameters *p = &v->model.parameters;
    const size_t n = v->model.n_theta;

    if (!(f->lower = zm_inversion_doubles(v, n, f->err)) ||
        !(f->upper = zm_inversion_doubles(v, n, f->err)))
        return ZM_E_NOMEM;
    for (size_t i = 0; i < n; i++)
        zm_parameters_bounds(p, (int)(i / v->n), &f->lower[i], &f->upper[i]);
    return ZM_OK;
}

static zm_minimise_opts options(const first_order *f)
{
    zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;
    const zm_inversion *v = f->v;
    const bool lbfgs = v->run.method == ZM_INVERT_LBFGS;

    o.method = lbfgs                             ? ZM_METHOD_LBFGS
               : v->run.method == ZM_INVERT_ADAM ? ZM_METHOD_ADAM
                                                 : ZM_METHOD_GRADIENT;
    o.lower = lbfgs ? f->lower : NULL;
    o.upper = lbfgs ? f->upper : NULL;
    o.feasible = lbfgs ? NULL : feasible;
    o.monitor = monitor;
    o.max_iterations = v->o.max_iterations > 0 ? v->o.max_iterations : ZM_FIRST_ORDER_ITERATIONS;
    o.rate = v->o.rate;
    o.line_search = v->o.line_search;
    o.clip = v->o.clip;
    if (v->run.method == ZM_INVERT_ADAM) {
        o.schedule = ZM_RATE_COSINE;
        o.rate_period = o.max_iterations;
    }
    if (v->o.max_solves > 0)
        o.max_evaluations = (int32_t)fmin((double)v->o.max_solves, 1e9);
    o.mem = v->mem;
    return o;
}

static zm_status minimise(first_order *f, zm_minimise_report *report)
{
    zm_inversion *v = f->v;
    zm_minimise_opts o = options(f);
    const size_t size = zm_minimise_state_size(v->model.n_theta, &o);

    o.resume = v->optimiser != NULL;
    if (v->optimiser && v->optimiser_size != size) /* from a file */
        return zm_fail(f->err, ZM_E_STATE, -1,
                       "the state of the method has %zu numbers, must be %zu",
                       v->optimiser_size, size);
    if (!v->optimiser) {
        v->optimiser_size = size;
        if (!(v->optimiser = zm_inversion_doubles(v, v->optimiser_size, f->err)))
            return ZM_E_NOMEM;
    }
    o.state = v->optimiser;
    /* x: a copy, since the objective moves the current point. */
    memcpy(v->gauss_newton.step, v->model.at->theta,
           v->model.n_theta * sizeof *v->gauss_newton.step);
    const zm_status st = zm_minimise(v->model.n_theta, objective, f,
                                     v->gauss_newton.step, &o, report, f->err);

    if (st < 0 && st != ZM_E_CANCELLED) { /* the state need not be one to go on from */
        zm_release(&v->mem, v->optimiser);
        v->optimiser = NULL;
        v->optimiser_size = 0;
    }
    return st;
}

zm_status zm_inversion_first_order(zm_inversion *v, zm_error *err)
{
    first_order f = { .v = v, .err = err };
    zm_minimise_report report = ZM_MINIMISE_REPORT_INIT;
    zm_status st;

    zm_inversion_set_penalty(v, zm_inversion_reg_kind(v),
                             v->o.eps > 0.0 ? v->o.eps : EPS, 1.0);
    if (v->run.stop != ZM_INVERT_NOT_RUN)
        return ZM_OK;
    st = v->run.method == ZM_INVERT_LBFGS ? make_bounds(&f) : ZM_OK;
    if (st == ZM_OK)
        st = minimise(&f, &report);
    if (st == ZM_E_CANCELLED) { /* told at its very end, or for a reason of its own */
        st = f.status;
        if (st < 0 && err)
            *err = f.failure;
    }
    if (st == ZM_OK) {
        feasible(&f, 0, v->gauss_newton.step); /* L-BFGS knows bounds of entries only */
        st = come_back(&f, v->gauss_newton.step);
        v->run.stop = report.stop == ZM_STOP_ITERATIONS    ? ZM_INVERT_ITERATIONS
                      : report.stop == ZM_STOP_EVALUATIONS ? ZM_INVERT_SOLVES
                                                           : ZM_INVERT_DONE;
    }
    zm_release(&v->mem, f.upper);
    zm_release(&v->mem, f.lower);
    return st;
}
