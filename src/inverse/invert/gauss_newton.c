/* SPDX-License-Identifier: Apache-2.0
 * One Gauss-Newton step: conjugate gradients on Jacobian products, then a line search. */
#include "inverse/invert/gauss_newton.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/random.h"

/* Conjugate gradients in the preconditioner's norm find smooth changes first.  They are
 * stopped when WINDOW iterations together gained less than TOLERANCE of what was gained;
 * a stop on the residual took several times as many products for the same result. */
#define CG_TOLERANCE 1e-3
enum { CG_WINDOW = 5, CG_MOST = 200 };
/* Shift of the preconditioner by the mean diagonal of H: it must not hide that constants
 * are free.  With 0.3 instead sparse data were fitted by spikes. */
#define SHIFT 1e-5
/* Line search: factor, number of trials; damping when it fails, and how it fades. */
#define SHORTEN       0.4
#define DAMPING_FIRST 1e-4
#define DAMPING_GROWS 30.0
#define DAMPING_FADES 0.2
/* No trial point is worth a solve for this part of the objective. */
#define NEGLIGIBLE 1e-7
enum { MOST_TRIALS = 5, MOST_DAMPINGS = 2 };

zm_status zm_gauss_newton_create(zm_gauss_newton *g, zm_error *err)
{
    double **const arrays[] = { &g->gradient, &g->step,      &g->rhs,
                                &g->residual, &g->conjugate, &g->image };

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i] =
                  zm_zalloc(&g->model->mem, g->model->n_theta, sizeof **arrays[i])))
            return zm_fail(err, ZM_E_NOMEM, -1, "conjugate gradients for %zu unknowns",
                           g->model->n_theta);
    return ZM_OK;
}

void zm_gauss_newton_destroy(zm_gauss_newton *g)
{
    double *const arrays[] = { g->gradient, g->step,      g->rhs,
                               g->residual, g->conjugate, g->image };

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        zm_release(&g->model->mem, arrays[i]);
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0.0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* y += a x */
static void add(double *y, double a, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* Mean diagonal of H: v'Hv / n for random signs v. */
static zm_status probe_diagonal(zm_gauss_newton *g, zm_error *err)
{
    const size_t n = g->model->n_theta;
    uint64_t random = 1;

    for (size_t i = 0; i < n; i++)
        g->conjugate[i] = zm_random_sign(&random);
    ZM_TRY(zm_invert_model_product(g->model, g->conjugate, g->image, err));
    g->diagonal = fmax(dot(g->conjugate, g->image, n) / (double)n, 1e-100);
    return ZM_OK;
}

zm_status zm_gauss_newton_linearise(zm_gauss_newton *g, zm_error *err)
{
    ZM_TRY(zm_invert_model_gradient(g->model, g->gradient, err));
    return probe_diagonal(g, err);
}

static zm_status apply(zm_gauss_newton *g, const double *v, double *out, zm_error *err)
{
    ZM_TRY(zm_invert_model_product(g->model, v, out, err));
    if (g->lagged)
        zm_penalty_add_lagged(g->penalty, v, out);
    else
        zm_penalty_add_product(g->penalty, v, out);
    add(out, g->damping * g->diagonal, v, g->model->n_theta);
    return ZM_OK;
}

zm_status zm_gauss_newton_solve(zm_gauss_newton *g, double tolerance,
                                int32_t most_iterations, double *x, zm_step *step,
                                zm_error *err)
{
    const size_t n = g->model->n_theta;
    double *r = g->residual, *p = g->conjugate, *q = g->image;
    double gains[CG_WINDOW] = { 0.0 }, gained = 0.0, rz;
    zm_status st = ZM_OK;

    memset(x, 0, n * sizeof *x);
    memcpy(r, g->rhs, n * sizeof *r);
    zm_penalty_precondition(g->penalty, r, p);
    rz = dot(r, p, n);
    for (int32_t k = 0; k < most_iterations && rz > 0.0; k++) {
        double curvature, alpha, next, recent = 0.0;

        ZM_TRY(apply(g, p, q, err));
        curvature = dot(p, q, n);
        if (!(curvature > 0.0)) /* rounding */
            break;
        alpha = rz / curvature;
        add(x, alpha, p, n);
        add(r, -alpha, q, n);
        step->iterations++;
        gains[k % CG_WINDOW] = 0.5 * alpha * rz; /* by which the model fell */
        gained += 0.5 * alpha * rz;
        for (int i = 0; i < CG_WINDOW; i++)
            recent += gains[i];
        if (k > CG_WINDOW && recent < tolerance * gained)
            break;
        zm_penalty_precondition(g->penalty, r, q);
        next = dot(r, q, n);
        if (!(next > 1e-28 * rz))
            break;
        for (size_t i = 0; i < n; i++)
            p[i] = q[i] + next / rz * p[i];
        rz = next;
    }
    step->predicted += gained;
    return st;
}

zm_status zm_gauss_newton_search(zm_gauss_newton *g, zm_cost_fn *cost, void *ctx,
                                 zm_step *step, zm_error *err)
{
    zm_invert_model *m = g->model;

    step->length = g->first_length > 0.0 ? g->first_length : 1.0;
    for (int i = 0; i < MOST_TRIALS; i++, step->length *= SHORTEN) {
        double more;
        zm_status st;

        memcpy(m->trial->theta, m->at->theta, m->n_theta * sizeof *m->trial->theta);
        add(m->trial->theta, step->length, g->step, m->n_theta);
        zm_parameters_project(&m->parameters, m->trial->theta);
        st = zm_invert_model_solve(m, m->trial, err);
        if (st == ZM_E_METRIC) /* overflow: too far */
            continue;
        ZM_TRY(st);
        ZM_TRY(cost(ctx, m->trial->theta, &more, err));
        step->objective = m->trial->misfit.value + more;
        if (step->objective < step->before) {
            /* Short steps come in a row: the next one begins with this length. */
            g->first_length = i > 0 ? step->length : 1.0;
            zm_invert_model_swap(m);
            step->accepted = true;
            return ZM_OK;
        }
    }
    step->objective = step->before;
    step->length = g->first_length = 0.0;
    return ZM_OK;
}

/* g->step = minimiser of the quadratic model, and the dual field along with it. */
static zm_status make_step(zm_gauss_newton *g, zm_step *step, zm_error *err)
{
    const zm_invert_model *m = g->model;
    const double shift = (SHIFT + g->damping) * g->diagonal;
    zm_status st;

    ZM_TRY(zm_penalty_freeze(g->penalty, m->at->theta, shift, err));
    memcpy(g->rhs, g->gradient, m->n_theta * sizeof *g->rhs);
    zm_penalty_add_gradient(g->penalty, m->at->theta, g->rhs);
    for (size_t i = 0; i < m->n_theta; i++)
        g->rhs[i] = -g->rhs[i];
    step->predicted = 0.0;
    st = zm_gauss_newton_solve(g, CG_TOLERANCE, CG_MOST, g->step, step, err);
    zm_penalty_move_dual(g->penalty, g->step);
    return st;
}

static zm_status penalty_cost(void *ctx, const double *theta, double *cost,
                              zm_error *err)
{
    const zm_penalty *p = ctx;

    ZM_TRY(zm_penalty_value(p, theta, cost, err));
    *cost *= p->lambda;
    return ZM_OK;
}

zm_status zm_gauss_newton_step(zm_gauss_newton *g, zm_step *step, zm_error *err)
{
    const zm_invert_model *m = g->model;

    *step = (zm_step){ 0 };
    ZM_TRY(penalty_cost(g->penalty, m->at->theta, &step->cost, err));
    ZM_TRY(zm_gauss_newton_linearise(g, err));
    step->before = m->at->misfit.value + step->cost;
    for (int i = 0; i <= MOST_DAMPINGS && !step->accepted; i++) {
        ZM_TRY(make_step(g, step, err));
        if (!(step->predicted > NEGLIGIBLE * step->before)) {
            step->objective = step->before;
            return ZM_OK;
        }
        ZM_TRY(zm_gauss_newton_search(g, penalty_cost, g->penalty, step, err));
        if (!step->accepted)
            g->damping = fmax(DAMPING_FIRST, DAMPING_GROWS * g->damping);
    }
    if (step->length == 1.0)
        g->damping = g->damping > 1e-8 ? DAMPING_FADES * g->damping : 0.0;
    return ZM_OK;
}
