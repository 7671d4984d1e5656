/* SPDX-License-Identifier: Apache-2.0
 * Posterior standard deviation: with A = H + P, the Gauss-Newton Hessian of misfit and
 * regulariser at the result, theta has covariance A^-1 in Laplace's approximation.
 * e1, e2 being white noise,
 *
 *     A x = H^(1/2)' e1 + P^(1/2)' e2
 *
 * has a right-hand side of covariance A, so x is a sample.  Covariances within each cell are
 * summed up over samples and mapped to the planes. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/options.h"
#include "inverse/invert/inversion.h"

enum { CG_MOST = 2000 };
#define TV_EPS 0.002 /* as of the last stage of Gauss-Newton */

/* rhs = J' H^(1/2) e1 + P^(1/2) e2 */
static zm_status draw_rhs(zm_inversion *v, uint64_t *random, zm_error *err)
{
    zm_invert_model *m = &v->model;
    zm_gauss_newton *g = &v->gauss_newton;

    for (size_t e = 0; e < m->n_experiments; e++)
        zm_misfit_noise(&v->observed[e], m->huber, m->at->T[e], v->n, random,
                        m->slope[e]);
    ZM_TRY(zm_invert_model_adjoint(m, g->rhs, err));
    zm_penalty_add_noise(&v->penalty, random, g->rhs);
    return ZM_OK;
}

/* covariance += x x' in each cell, the upper triangle row by row. */
static void add_sample(const zm_inversion *v, const double *x, double *covariance)
{
    const size_t K = v->model.n_fields;

    for (size_t a = 0; a < K; a++)
        for (size_t b = a; b < K; b++, covariance += v->n)
            for (size_t i = 0; i < v->n; i++)
                covariance[i] += x[a * v->n + i] * x[b * v->n + i];
}

static zm_status sample(zm_inversion *v, const zm_invert_std_opts *o,
                        double *covariance, zm_error *err)
{
    zm_gauss_newton *g = &v->gauss_newton;
    const size_t K = v->model.n_fields, size = K * (K + 1) / 2 * v->n;
    uint64_t random = o->seed;

    g->lagged = true;
    if (v->penalty.eps == 0.0 && v->penalty.kind == ZM_REG_TV) /* ADMM has none */
        v->penalty.eps = TV_EPS / sqrt(v->grid.dx * v->grid.dy);
    ZM_TRY(zm_gauss_newton_linearise(g, err));
    ZM_TRY(zm_penalty_freeze(&v->penalty, v->model.at->theta, 1e-5 * g->diagonal, err));
    for (int32_t i = 0; i < o->samples; i++) {
        zm_step step = { 0 };

        ZM_TRY(draw_rhs(v, &random, err));
        ZM_TRY(zm_gauss_newton_solve(g, o->tolerance, CG_MOST, g->step, &step, err));
        add_sample(v, g->step, covariance);
        if (o->progress && o->progress(o->progress_ctx, (i + 1.0) / o->samples))
            return zm_fail(err, ZM_E_CANCELLED, -1,
                           "stopped by the callback after %d samples", (int)i + 1);
    }
    for (size_t i = 0; i < size; i++)
        covariance[i] /= o->samples;
    return ZM_OK;
}

static void write_out(zm_inversion *v, const double *covariance,
                      const zm_metric_out *out)
{
    const zm_parameters *p = &v->model.parameters;
    double *const to[ZM_PLANES] = { out->g11, out->g12, out->g22, out->b1, out->b2 };

    zm_parameters_variance(p, v->model.at->theta, covariance, v->model.d_planes);
    for (int k = 0; k < ZM_PLANES; k++) {
        const bool shared = k == 2 && p->metric_fields == 1; /* g22 is g11 */
        const double *variance = v->model.d_planes[shared ? 0 : k];

        for (size_t i = 0; to[k] && i < v->n; i++)
            to[k][i] = variance ? sqrt(variance[i]) : 0.0;
    }
}

static zm_status check(const zm_inversion *v, const zm_metric_out *out,
                       const zm_invert_std_opts *o, zm_error *err)
{
    ZM_TRY(zm_inversion_check_begun(v, err));
    if (v->run.method == ZM_INVERT_NEWTON)
        return zm_fail(
            err, ZM_E_STATE, -1,
            "times without noise, every cell observed: no deviation to speak of");
    if (v->run.lambda == 0.0)
        return zm_fail(err, ZM_E_STATE, -1,
                       "without a regulariser (lambda = 0) the data leave some fields "
                       "open: no deviation");
    if (!out)
        return zm_fail(err, ZM_E_ARG, -1, "out is NULL");
    if (o->samples < 2)
        return zm_fail(err, ZM_E_ARG, -1, "samples is %d, must be >= 2",
                       (int)o->samples);
    if (!(o->tolerance > 0))
        return zm_fail(err, ZM_E_ARG, -1, "tolerance is %g, must be > 0", o->tolerance);
    return ZM_OK;
}

zm_status zm_invert_std(zm_inversion *v, const zm_metric_out *out,
                        const zm_invert_std_opts *opts, zm_error *err)
{
    zm_invert_std_opts o = ZM_INVERT_STD_OPTS_INIT;
    const size_t K = v->model.n_fields;
    zm_gauss_newton *g = &v->gauss_newton;
    double *covariance;
    zm_status st;

    ZM_TRY(zm_options_read(&o, sizeof o, opts, "zm_invert_std_opts", err));
    ZM_TRY(check(v, out, &o, err));
    if (!(covariance = zm_inversion_doubles(v, K * (K + 1) / 2 * v->n, err)))
        return ZM_E_NOMEM;
    const int64_t products = v->model.products;
    const double damping = g->damping, eps = v->penalty.eps;

    g->damping = 0.0;
    st = sample(v, &o, covariance, err);
    g->damping = damping;
    v->penalty.eps = eps;
    g->lagged = false;
    v->model.products = products;
    if (st >= 0)
        write_out(v, covariance, out);
    zm_release(&v->mem, covariance);
    return st < 0 ? st : ZM_OK;
}
