/* SPDX-License-Identifier: Apache-2.0
 * Exact total variation through splitting (ADMM): with d = D theta as a field of its own,
 *
 *     theta  minimises  misfit + lambda rho/2 |D theta - d + u|^2      (one Gauss-Newton step)
 *     d      = shrink(D theta + u, 1/rho)
 *     u      = D theta + u - d,                 norms with dx dy a cell. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "inverse/invert/inversion.h"
#include "inverse/regularise/difference.h"

/* Couples D theta and d: jumps from cell to cell below 1/RHO at first stay in u. */
#define RHO          5.0
#define SHIFT        1e-4 /* of the preconditioner, by the coupling */
#define CG_TOLERANCE 1e-3
enum { CG_MOST = 80 };

typedef struct splitting {
    zm_inversion *v;
    double rho;      /* by length: D theta is by length */
    double coupling; /* lambda rho dx dy */
    size_t planes, n;
} splitting;

/* out = D theta - d + u */
static void gap_of(const splitting *s, const double *theta, double *out)
{
    zm_penalty_difference(&s->v->penalty, theta, out);
    for (size_t i = 0; i < s->planes * s->n; i++)
        out[i] += s->v->dual[i] - s->v->split[i];
}

static zm_status coupling_cost(void *ctx, const double *theta, double *cost,
                               zm_error *err)
{
    const splitting *s = ctx;
    double *gap = s->v->penalty.q, sum = 0.0;

    (void)err;
    gap_of(s, theta, gap);
    for (size_t i = 0; i < s->planes * s->n; i++)
        sum += gap[i] * gap[i];
    *cost = 0.5 * s->coupling * sum;
    return ZM_OK;
}

/* rhs = -(gradient of the misfit + coupling D'(D theta - d + u)) */
static void make_rhs(const splitting *s)
{
    zm_inversion *v = s->v;
    zm_gauss_newton *g = &v->gauss_newton;
    double *gap = v->penalty.q, *one = v->penalty.scratch;

    gap_of(s, v->model.at->theta, gap);
    for (size_t j = 0; j < s->planes; j += 2) {
        const size_t first = j / 2 * s->n;

        zm_regularise_difference_adjoint(v->grid, v->walls, gap + j * s->n,
                                         gap + (j + 1) * s->n, one);
        for (size_t i = 0; i < s->n; i++)
            g->rhs[first + i] = -g->gradient[first + i] - s->coupling * one[i];
    }
}

static zm_status move_split(const splitting *s, zm_error *err)
{
    zm_inversion *v = s->v;
    double *planes[2 * ZM_MOST_FIELDS];
    zm_status st;

    zm_penalty_difference(&v->penalty, v->model.at->theta, v->split);
    for (size_t i = 0; i < s->planes * s->n; i++)
        v->dual[i] = v->split[i] += v->dual[i];
    for (size_t j = 0; j < s->planes; j++)
        planes[j] = v->split + j * s->n;
    st = zm_reg_shrink(s->n, s->planes, NULL, 1.0 / s->rho, planes, err);
    for (size_t i = 0; i < s->planes * s->n; i++)
        v->dual[i] -= v->split[i];
    return st;
}

/* The theta-step, with the penalty standing for the coupling. */
static zm_status move_theta(splitting *s, zm_step *step, zm_error *err)
{
    zm_gauss_newton *g = &s->v->gauss_newton;
    zm_invert_model *m = &s->v->model;
    double cost;

    ZM_TRY(coupling_cost(s, m->at->theta, &cost, err));
    ZM_TRY(zm_gauss_newton_linearise(g, err));
    ZM_TRY(zm_penalty_freeze(g->penalty, m->at->theta, SHIFT * s->coupling, err));
    step->before = m->at->misfit.value + cost;
    make_rhs(s);
    ZM_TRY(zm_gauss_newton_solve(g, CG_TOLERANCE, CG_MOST, g->step, step, err));
    return zm_gauss_newton_search(g, coupling_cost, s, step, err);
}

zm_status zm_inversion_admm_step(zm_inversion *v, zm_step *step, zm_error *err)
{
    const double area = v->grid.dx * v->grid.dy;
    const zm_penalty saved = v->penalty;
    splitting s = {
        .v = v, .rho = RHO * sqrt(area), .planes = 2 * v->model.n_fields, .n = v->n
    };
    zm_status st;

    *step = (zm_step){ 0 };
    s.coupling = saved.lambda * s.rho * area;
    if (v->run.iteration == 0)
        zm_penalty_difference(&v->penalty, v->model.at->theta, v->split);
    v->penalty.kind = ZM_REG_H1; /* lambda rho |D theta|^2 / 2 */
    v->penalty.lambda = saved.lambda * s.rho;
    st = move_theta(&s, step, err);
    v->penalty.kind = saved.kind;
    v->penalty.lambda = saved.lambda;
    ZM_TRY(st);
    return move_split(&s, err);
}
