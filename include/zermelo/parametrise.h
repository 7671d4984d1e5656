/* SPDX-License-Identifier: Apache-2.0
 * Smooth maps from free numbers, such as a network puts out, to admissible metrics and drifts,
 * and their exact derivatives.
 *
 * Free are five planes p1, p2, p3, q1, q2 without any bounds, given in the place of g11, g12,
 * g22, b1, b2.  The first three make a symmetric positive definite matrix,
 *
 *     log-Cholesky:    P = k L L',  L = [[exp(p1), 0], [p2, exp(p3)]]
 *     log-Euclidean:   P = k exp([[p1, p2], [p2, p3]])
 *     bounds:          M = eig_min I + (P^-1 + I/(eig_max - eig_min))^-1,
 *
 * whose eigenvalues are between eig_min and eig_max, and k is such that M = start I where all
 * are 0.  With C the Cholesky factor of M, or its square root in the log-Euclidean chart, and
 * u = rho tanh(|q|)/|q| q, which is shorter than rho,
 *
 *     ZM_FORM_RANDERS:   G = M,                   b = C u        |b|_{G^-1} = |u|
 *     ZM_FORM_ZERMELO:   h = M,                   hW = C u       |W|_h = |u|
 *                        G = h/mu + b b',         b = hW/mu,     mu = 1 - |u|^2.
 *
 * Where free values are 0 nothing is anisotropic and nothing drifts.  Planes may be left out as
 * in zm_metric: with p1 alone M is isotropic, and p1, q1, q2 are the logarithm of slowness,
 * eccentricity and heading of a fire lit at the focus of its ellipse (ZM_FORM_FOCUS, slowness
 * 1/p). */
#ifndef ZM_PARAMETRISE_H
#define ZM_PARAMETRISE_H

#include "convert.h"
#include "project.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How free numbers make a matrix. */
typedef enum zm_chart { ZM_LOG_CHOLESKY = 0, ZM_LOG_EUCLIDEAN = 1 } zm_chart;

typedef struct zm_parametrise_opts {
    size_t size;
    zm_chart chart;
    zm_form form;    /**< ZM_FORM_RANDERS or ZM_FORM_ZERMELO: what the free numbers stand for */
    double start;    /**< between eig_min and eig_max: M = start I where free values are 0 */
    double eig_min;  /**< >= 0 */
    double eig_max;  /**< > eig_min; HUGE_VAL: no upper bound */
    double rho;      /**< in (0, 1): bound of |b|_{G^-1} */
    zm_nonfinite nonfinite; /**< directions and cotangents that are not finite */
    int32_t threads;        /**< >= 1: most threads to use */
} zm_parametrise_opts;
#define ZM_PARAMETRISE_OPTS_INIT                                                       \
    {                                                                                  \
        sizeof(zm_parametrise_opts), ZM_LOG_CHOLESKY, ZM_FORM_RANDERS, 1.0, 1e-6, 1e6,  \
            0.99, ZM_NONFINITE_REFUSE, 1                                               \
    }

/**
 * Metric and drift of free numbers, for `items` fields of n cells each.
 *
 * @param in    in   `items` sets of free planes, all with the same ones left out; b1 and b2 both
 *                   or neither
 * @param n     in   cells in each plane
 * @param out   out  `items` sets of planes of in->dtype, in float32 rounded so that they stay
 *                   admissible; planes that must be zero, or the same as g11, may be left out;
 *                   may be the same arrays as in
 * @return ZM_OK; ZM_E_ARG (options, missing planes; a free value that is not finite: err->cell);
 *         ZM_E_METRIC (a result that the type cannot hold)
 */
ZM_API zm_status zm_parametrise(const zm_metric *in, size_t items, size_t n,
                                const zm_metric_out *out,
                                const zm_parametrise_opts *opts, zm_error *err);

/**
 * From a change of the free numbers to that of metric and drift: d_out = J d_in.
 *
 * @param in    in  the free values, as given to zm_parametrise
 * @param d_in  in  `items` sets of planes, those that `in` has
 */
ZM_API zm_status zm_parametrise_jvp(const zm_metric *in, const zm_metric *d_in,
                                    size_t items, size_t n, const zm_metric_out *d_out,
                                    const zm_parametrise_opts *opts, zm_error *err);

/**
 * From dL/d(metric and drift) to dL/d(free numbers): d_in = J' d_out, the transpose of
 * zm_parametrise_jvp.
 *
 * @param in    in   the free values, as given to zm_parametrise
 * @param d_out in   `items` sets of planes; those left out are 0
 * @param d_in  out  `items` sets of planes, those that `in` has; may be the same arrays as d_out
 */
ZM_API zm_status zm_parametrise_vjp(const zm_metric *in, const zm_metric *d_out,
                                    size_t items, size_t n, const zm_metric_out *d_in,
                                    const zm_parametrise_opts *opts, zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
