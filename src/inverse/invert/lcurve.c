/* SPDX-License-Identifier: Apache-2.0
 * L-curve: misfit and regulariser over a range of lambdas. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "inverse/invert/inversion.h"

/* Lambdas that are not given are around the automatic one, two to a power of ten, and closer where
 * they are so many that they would reach farther than this factor. */
#define PER_DECADE 2.0
#define REACH      1000.0
/* log R rises by more than this behind a corner.  Where the noise is fitted already, misfit and R
 * stay where they are and turn at random. */
#define RISE 0.7

/* The three points' circle: twice the signed area over the product of the sides. */
static double curvature(const double x[3], const double y[3])
{
    const double ax = x[1] - x[0], ay = y[1] - y[0], bx = x[2] - x[1], by = y[2] - y[1];
    const double cx = x[2] - x[0], cy = y[2] - y[0];
    const double sides = hypot(ax, ay) * hypot(bx, by) * hypot(cx, cy);

    return sides > 0 ? 2 * (ax * by - ay * bx) / sides : 0;
}

static double log_of(double x)
{
    return log(fmax(x, 1e-300));
}

/* Along falling lambda the curve goes left, then turns up at its corner: to the right. */
static size_t corner_of(const zm_lcurve_point *curve, size_t n)
{
    if (n < 3)
        return 0;
    double best = 0, highest = log_of(curve[n - 1].regulariser);
    size_t corner = 0;

    for (size_t i = n - 1; i-- > 1;) {
        double x[3], y[3], k;

        for (size_t j = 0; j < 3; j++) {
            x[j] = log_of(curve[i - 1 + j].misfit);
            y[j] = log_of(curve[i - 1 + j].regulariser);
        }
        k = -curvature(x, y);
        if (k > best && highest - y[1] > RISE) {
            best = k;
            corner = i;
        }
        highest = fmax(highest, y[1]);
    }
    return corner;
}

static zm_status check_strengths(const double *lambdas, size_t n, zm_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (!(lambdas[i] > 0 && isfinite(lambdas[i])) ||
            (i > 0 && lambdas[i] >= lambdas[i - 1]))
            return zm_fail(err, ZM_E_ARG, -1,
                           "lambda %zu is %g, must be > 0 and falling", i, lambdas[i]);
    return ZM_OK;
}

/* ---- one point after the other ------------------------------------------------------ */

/* Around the lambda that is known once a run has begun by the automatic rule. */
static void spread_strengths(const zm_inversion *v, size_t n, double *lambdas)
{
    const double last = (double)(n - 1);
    const double reach = fmin(pow(10, last / (2 * PER_DECADE)), REACH);

    for (size_t i = 0; i < n; i++)
        lambdas[i] = v->run.lambda * pow(reach, 1 - 2.0 * (double)i / last);
}

/* Makes, or ends, the run of one strength; then the handle is free for the next. */
static zm_status run_point(zm_inversion *v, double lambda, int64_t solves_before,
                           zm_lcurve_point *point, zm_error *err)
{
    v->rule = ZM_LAMBDA_FIXED;
    v->factor = lambda;
    ZM_TRY(zm_inversion_run_once(v, err));
    *point = (zm_lcurve_point){ .lambda = lambda,
                                .chi2 = v->model.at->misfit.chi2 /
                                        (double)v->model.n_data,
                                .misfit = v->model.at->misfit.value,
                                .regulariser = v->run.R,
                                .solves = solves_before + v->model.solves };
    return ZM_OK;
}

/* ---- as a rule of a run ------------------------------------------------------------- */

zm_status zm_inversion_strengths(zm_inversion *v, const double *lambdas, size_t n,
                                 zm_error *err)
{
    double *copy;

    if (v->begun || v->n_curve)
        return zm_fail(err, ZM_E_STATE, -1, "the run has begun: the problem is fixed");
    if (!lambdas || n < 3)
        return zm_fail(err, ZM_E_ARG, -1, "an L-curve of %zu strengths, must be >= 3",
                       lambdas ? n : 0);
    ZM_TRY(check_strengths(lambdas, n, err));
    if (!(copy = zm_inversion_doubles(v, n, err)))
        return ZM_E_NOMEM;
    memcpy(copy, lambdas, n * sizeof *copy);
    zm_release(&v->mem, v->strengths);
    v->strengths = copy;
    v->n_strengths = n;
    v->strengths_given = true;
    return ZM_OK;
}

/* Those that were given, or others around the automatic one; and room for the curve. */
static zm_status choose_strengths(zm_inversion *v, zm_error *err)
{
    const size_t n = v->strengths ? v->n_strengths : (size_t)v->o.lcurve_points;

    v->parts = n + 1;
    if (!v->strengths) {
        double *lambdas;

        v->rule = ZM_LAMBDA_AUTO;
        v->factor = v->o.lambda;
        if (!v->begun)
            ZM_TRY(zm_inversion_begin(v, err));
        if (v->run.method == ZM_INVERT_NEWTON) /* no regulariser, no curve */
            return ZM_OK;
        if (!(lambdas = zm_inversion_doubles(v, n, err)))
            return ZM_E_NOMEM;
        spread_strengths(v, n, lambdas);
        v->strengths = lambdas;
        v->n_strengths = n;
        zm_inversion_forget_run(v);
    }
    if (!v->curve && !(v->curve = zm_zalloc(&v->mem, n, sizeof *v->curve)))
        return zm_fail(err, ZM_E_NOMEM, -1, "L-curve of %zu points", n);
    v->chosen = n;
    return ZM_OK;
}

static zm_status draw_curve(zm_inversion *v, zm_error *err)
{
    while (v->n_curve < v->n_strengths) {
        v->part = v->n_curve;
        ZM_TRY(run_point(v, v->strengths[v->n_curve],
                         v->n_curve ? v->curve[v->n_curve - 1].solves : 0,
                         &v->curve[v->n_curve], err));
        if (v->run.method == ZM_INVERT_NEWTON)
            return ZM_OK;
        v->n_curve++;
        zm_inversion_forget_run(v);
    }
    return ZM_OK;
}

zm_status zm_inversion_run_lcurve(zm_inversion *v, zm_error *err)
{
    if (!v->begun && v->loaded)
        ZM_TRY(zm_inversion_begin(v, err));
    if (!v->curve)
        ZM_TRY(choose_strengths(v, err));
    if (v->curve)
        ZM_TRY(draw_curve(v, err));
    if (v->n_curve > 0 && v->chosen >= v->n_curve) {
        v->chosen = corner_of(v->curve, v->n_curve);
        v->corner = v->chosen > 0;
        if (!v->corner)
            v->chosen = zm_lcurve_nearest(v->curve, v->n_curve);
        v->factor = v->curve[v->chosen].lambda;
        v->part = v->n_curve;
    }
    return zm_inversion_run_once(v, err);
}

const zm_lcurve_point *zm_inversion_lcurve(const zm_inversion *v, size_t *count,
                                           size_t *chosen)
{
    *count = v->n_curve;
    if (chosen)
        *chosen = v->chosen < v->n_curve ? v->chosen : v->n_curve;
    return v->curve;
}

/* ---- as a call ---------------------------------------------------------------------- */

static zm_status check(const zm_inversion *v, size_t n, const double *lambdas,
                       zm_error *err)
{
    if (v->loaded)
        return zm_fail(err, ZM_E_STATE, -1,
                       "a state was loaded, and an L-curve is several runs");
    if (n < (lambdas ? 1 : 2))
        return zm_fail(err, ZM_E_ARG, -1, "an L-curve of %zu lambdas", n);
    if (v->o.method >= ZM_INVERT_NEWTON)
        return zm_fail(err, ZM_E_ARG, -1,
                       "an L-curve needs a Gauss-Newton method, ZM_INVERT_GNC or "
                       "ZM_INVERT_ADMM");
    return lambdas ? check_strengths(lambdas, n, err) : ZM_OK;
}

/* Strengths around the automatic one, into the points of the curve. */
static zm_status choose_lambdas(zm_inversion *v, size_t n, double *lambdas,
                                zm_error *err)
{
    const bool is_factor =
        v->o.lambda_rule == ZM_LAMBDA_AUTO || v->o.lambda_rule == ZM_LAMBDA_DISCREPANCY;

    v->rule = ZM_LAMBDA_AUTO;
    v->factor = is_factor ? v->o.lambda : 1.0;
    zm_inversion_forget_run(v);
    ZM_TRY(zm_inversion_begin(v, err));
    spread_strengths(v, n, lambdas);
    return ZM_OK;
}

zm_status zm_invert_lcurve(zm_inversion *v, const double *lambdas, size_t n,
                           zm_lcurve_point *curve, size_t *corner, zm_error *err)
{
    double *own = NULL;
    zm_status st = ZM_OK;

    ZM_TRY(check(v, n, lambdas, err));
    v->told = 0.0;
    v->part = 0;
    v->parts = n;
    if (!lambdas) {
        if (!(own = zm_inversion_doubles(v, n, err)))
            return ZM_E_NOMEM;
        ZM_GO(choose_lambdas(v, n, own, err));
    }
    v->o.lambda_rule = ZM_LAMBDA_FIXED;
    for (size_t i = 0; i < n; i++) {
        zm_inversion_forget_run(v);
        v->part = i;
        v->o.lambda = lambdas ? lambdas[i] : own[i];
        ZM_GO(run_point(v, v->o.lambda, i ? curve[i - 1].solves : 0, &curve[i], err));
        if (v->run.method == ZM_INVERT_NEWTON) {
            st = zm_fail(
                err, ZM_E_STATE, -1,
                "every cell is observed without noise: no regulariser, no L-curve");
            goto done;
        }
    }
    if (corner)
        *corner = corner_of(curve, n);
done:
    zm_release(&v->mem, own);
    return st;
}

size_t zm_lcurve_nearest(const zm_lcurve_point *curve, size_t n)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++)
        if (fabs(log(curve[i].chi2)) < fabs(log(curve[best].chi2)))
            best = i;
    return best;
}
