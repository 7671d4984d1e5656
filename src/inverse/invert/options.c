/* SPDX-License-Identifier: Apache-2.0
 * Which options of an inversion go together. */
#include <math.h>

#include "core/fail.h"
#include "inverse/invert/inversion.h"

static zm_status check_maps(const zm_invert_opts *o, zm_error *err)
{
    const int metric = (int)o->unknown & 3;

    if ((int)o->unknown < 1 || (int)o->unknown > 7)
        return zm_fail(err, ZM_E_ARG, -1, "unknown is %d, must be one of zm_unknown",
                       (int)o->unknown);
    if ((int)o->metric_map < 0 || o->metric_map > ZM_METRIC_PLAIN)
        return zm_fail(err, ZM_E_ARG, -1,
                       "metric_map is %d, must be one of zm_metric_map",
                       (int)o->metric_map);
    if ((int)o->drift_map < 0 || o->drift_map > ZM_DRIFT_BALL)
        return zm_fail(err, ZM_E_ARG, -1,
                       "drift_map is %d, must be one of zm_drift_map",
                       (int)o->drift_map);
    if (o->regulariser == ZM_REG_FROBENIUS_TV &&
        (metric != 3 || o->metric_map != ZM_METRIC_PLAIN))
        return zm_fail(err, ZM_E_ARG, -1,
                       "ZM_REG_FROBENIUS_TV is of the entries of G: needs "
                       "ZM_UNKNOWN_METRIC and ZM_METRIC_PLAIN");
    if (o->regulariser == ZM_REG_LOG_EUCLIDEAN_TV &&
        (metric != 3 || o->metric_map != ZM_METRIC_LOG))
        return zm_fail(err, ZM_E_ARG, -1,
                       "ZM_REG_LOG_EUCLIDEAN_TV is of the logarithm of G: needs "
                       "ZM_UNKNOWN_METRIC and ZM_METRIC_LOG");
    return ZM_OK;
}

static zm_status check_numbers(const zm_invert_opts *o, zm_error *err)
{
    const struct {
        const char *name, *bound;
        double value;
        bool right;
    } checks[] = {
        { "threads", ">= 1", o->threads, o->threads >= 1 },
        { "eig_min", ">= 0", o->eig_min, o->eig_min >= 0 && isfinite(o->eig_min) },
        { "eig_max", "0, or above eig_min", o->eig_max,
          o->eig_max == 0 || o->eig_max > o->eig_min },
        { "rho", "in (0, 1)", o->rho, o->rho > 0 && o->rho < 1 },
        { "huber", "> 0", o->huber, o->huber > 0 },
        { "eps", ">= 0", o->eps, o->eps >= 0 && isfinite(o->eps) },
        { "lambda", "> 0 (or 0 and ZM_LAMBDA_FIXED: no regulariser)", o->lambda,
          isfinite(o->lambda) &&
              (o->lambda > 0 ||
               (o->lambda == 0 && o->lambda_rule == ZM_LAMBDA_FIXED)) },
        { "chi2", "> 0", o->chi2, o->chi2 > 0 && isfinite(o->chi2) },
        { "rate", "> 0", o->rate, o->rate > 0 && isfinite(o->rate) },
        { "clip", "> 0", o->clip, o->clip > 0 },
        { "lcurve_points", ">= 3", o->lcurve_points, o->lcurve_points >= 3 },
        { "max_iterations", ">= 0", o->max_iterations, o->max_iterations >= 0 },
        { "max_solves", ">= 0", (double)o->max_solves, o->max_solves >= 0 },
        { "misfit", "one of zm_misfit_kind", o->misfit,
          (int)o->misfit >= 0 && o->misfit <= ZM_MISFIT_HUBER },
        { "regulariser", "one of zm_reg_kind", o->regulariser,
          (int)o->regulariser >= 0 && o->regulariser <= ZM_REG_LOG_EUCLIDEAN_TV },
        { "lambda_rule", "one of zm_lambda_rule", o->lambda_rule,
          (int)o->lambda_rule >= 0 && o->lambda_rule <= ZM_LAMBDA_LCURVE },
        { "stencils", "one of zm_stencil_choice", o->stencils,
          (int)o->stencils >= 0 && o->stencils <= ZM_STENCILS_ADAPTIVE },
        { "method", "one of zm_invert_method", o->method,
          (int)o->method >= 0 && o->method <= ZM_INVERT_GRADIENT },
    };

    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (!checks[i].right)
            return zm_fail(err, ZM_E_ARG, -1, "%s is %g, must be %s", checks[i].name,
                           checks[i].value, checks[i].bound);
    return ZM_OK;
}

static zm_status check_method(const zm_invert_opts *o, zm_error *err)
{
    const bool tv = o->regulariser == ZM_REG_TV ||
                    o->regulariser == ZM_REG_FROBENIUS_TV ||
                    o->regulariser == ZM_REG_LOG_EUCLIDEAN_TV;

    if (!tv && (o->method == ZM_INVERT_ADMM || o->method == ZM_INVERT_GNC))
        return zm_fail(
            err, ZM_E_ARG, -1,
            "this method is for total variation: the regulariser must be ZM_REG_TV");
    if (o->lambda == 0 && (o->method == ZM_INVERT_ADMM || o->method == ZM_INVERT_GNC))
        return zm_fail(err, ZM_E_ARG, -1,
                       "without a regulariser (lambda = 0) this method is none: use "
                       "ZM_INVERT_GAUSS_NEWTON or a first-order one");
    if (o->method == ZM_INVERT_NEWTON && o->unknown != ZM_UNKNOWN_ISOTROPIC)
        return zm_fail(err, ZM_E_ARG, -1,
                       "ZM_INVERT_NEWTON is for ZM_UNKNOWN_ISOTROPIC only");
    if (o->lambda_rule == ZM_LAMBDA_DISCREPANCY && o->method >= ZM_INVERT_NEWTON)
        return zm_fail(err, ZM_E_ARG, -1,
                       "the discrepancy rule changes lambda from step to step: needs a "
                       "Gauss-Newton method, ZM_INVERT_GNC or ZM_INVERT_ADMM");
    if (o->lambda_rule == ZM_LAMBDA_LCURVE && o->method >= ZM_INVERT_NEWTON)
        return zm_fail(err, ZM_E_ARG, -1,
                       "an L-curve needs a Gauss-Newton method, ZM_INVERT_GNC or "
                       "ZM_INVERT_ADMM");
    if (o->lambda_rule == ZM_LAMBDA_LCURVE && o->max_solves > 0)
        return zm_fail(err, ZM_E_ARG, -1,
                       "max_solves is %lld, but an L-curve is several runs: must be 0",
                       (long long)o->max_solves);
    return ZM_OK;
}

zm_status zm_inversion_check_options(const zm_invert_opts *o, zm_error *err)
{
    ZM_TRY(check_numbers(o, err));
    ZM_TRY(check_maps(o, err));
    return check_method(o, err);
}
