/* SPDX-License-Identifier: Apache-2.0
 * L-curve: misfit and regulariser over a range of lambdas. */
#include <math.h>

#include "core/fail.h"
#include "inverse/invert/inversion.h"

/* Lambdas that are not given span this factor above and below the automatic one. */
#define REACH 30.0

/* The three points' circle: twice the signed area over the product of the sides. */
static double curvature(const double x[3], const double y[3])
{
    const double ax = x[1] - x[0], ay = y[1] - y[0], bx = x[2] - x[1], by = y[2] - y[1];
    const double cx = x[2] - x[0], cy = y[2] - y[0];
    const double sides = hypot(ax, ay) * hypot(bx, by) * hypot(cx, cy);

    return sides > 0 ? 2 * (ax * by - ay * bx) / sides : 0;
}

/* Along falling lambda the curve goes left, then turns up at its corner: to the right. */
static size_t corner_of(const zm_lcurve_point *curve, size_t n)
{
    double best = 0;
    size_t corner = 0;

    for (size_t i = 1; i + 1 < n; i++) {
        double x[3], y[3], k;

        for (size_t j = 0; j < 3; j++) {
            x[j] = log(fmax(curve[i - 1 + j].misfit, 1e-300));
            y[j] = log(fmax(curve[i - 1 + j].regulariser, 1e-300));
        }
        k = -curvature(x, y);
        if (k > best) {
            best = k;
            corner = i;
        }
    }
    return corner;
}

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
    for (size_t i = 0; lambdas && i < n; i++)
        if (!(lambdas[i] > 0 && isfinite(lambdas[i])) ||
            (i > 0 && lambdas[i] >= lambdas[i - 1]))
            return zm_fail(err, ZM_E_ARG, -1,
                           "lambda %zu is %g, must be > 0 and falling", i, lambdas[i]);
    return ZM_OK;
}

/* Around the lambda that is known once a run has begun. */
static zm_status choose_lambdas(zm_inversion *v, size_t n, zm_lcurve_point *curve,
                                zm_error *err)
{
    if (v->o.lambda_rule == ZM_LAMBDA_FIXED) {
        v->o.lambda_rule = ZM_LAMBDA_AUTO;
        v->o.lambda = 1.0;
    }
    zm_inversion_forget_run(v);
    ZM_TRY(zm_inversion_begin(v, err));
    for (size_t i = 0; i < n; i++)
        curve[i].lambda =
            v->run.lambda * pow(REACH, 1 - 2.0 * (double)i / (double)(n - 1));
    return ZM_OK;
}

zm_status zm_invert_lcurve(zm_inversion *v, const double *lambdas, size_t n,
                           zm_lcurve_point *curve, size_t *corner, zm_error *err)
{
    int64_t solves = 0;

    ZM_TRY(check(v, n, lambdas, err));
    if (!lambdas)
        ZM_TRY(choose_lambdas(v, n, curve, err));
    v->o.lambda_rule = ZM_LAMBDA_FIXED;
    for (size_t i = 0; i < n; i++) {
        zm_inversion_forget_run(v);
        v->o.lambda = lambdas ? lambdas[i] : curve[i].lambda;
        ZM_TRY(zm_invert_run(v, err));
        if (v->run.method == ZM_INVERT_NEWTON)
            return zm_fail(
                err, ZM_E_STATE, -1,
                "every cell is observed without noise: no regulariser, no L-curve");
        solves += v->model.solves;
        curve[i] = (zm_lcurve_point){ .lambda = v->o.lambda,
                                      .chi2 = v->model.at->misfit.chi2 /
                                              (double)v->model.n_data,
                                      .misfit = v->model.at->misfit.value,
                                      .regulariser = v->run.R,
                                      .solves = solves };
    }
    if (corner)
        *corner = corner_of(curve, n);
    return ZM_OK;
}

size_t zm_lcurve_nearest(const zm_lcurve_point *curve, size_t n)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++)
        if (fabs(log(curve[i].chi2)) < fabs(log(curve[best].chi2)))
            best = i;
    return best;
}
