/* SPDX-License-Identifier: Apache-2.0
 * Feasibility projections of (G, b) and their exact vector-Jacobian products.
 *
 * G: eigenvalues l+- = (g11 + g22)/2 +- sqrt(((g11 - g22)/2)^2 + g12^2) are clamped to
 * [eig_min, eig_max], eigenvectors kept.  Then b is scaled by rho / |b|_{G^-1} where that
 * norm, taken with the projected G, exceeds rho.  Both maps are finite and have finite
 * derivatives everywhere, equal eigenvalues and zero drift included; where they have a
 * kink the derivative of the inactive side (the identity) is taken. */
#ifndef ZM_PROJECT_H
#define ZM_PROJECT_H

#include <math.h> /* HUGE_VAL in ZM_PROJECT_OPTS_INIT */

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zm_project_opts {
    size_t size;
    double eig_min; /**< > 0 */
    double eig_max; /**< >= eig_min; HUGE_VAL: no upper bound */
    double rho;     /**< in [0, 1): largest |b|_{G^-1} */
    zm_nonfinite nonfinite; /**< values of d_out that are not finite */
    int32_t threads;        /**< >= 1: most threads to use */
} zm_project_opts;
#define ZM_PROJECT_OPTS_INIT                                                           \
    {                                                                                  \
        sizeof(zm_project_opts), 1e-6, HUGE_VAL, 0.99, ZM_NONFINITE_REFUSE, 1          \
    }

/** Five planes of n values to be written, b1 and b2 both NULL where there is no drift.
 *  Frozen. */
typedef struct zm_metric_out {
    void *g11, *g12, *g22, *b1, *b2;
} zm_metric_out;

/**
 * Projects n cells.
 *
 * @param in   in   all of g11, g12, g22; b1 and b2 both or neither
 * @param n    in   cells in each plane
 * @param out  out  planes of in->dtype; may be the same arrays as in
 * @return ZM_OK, ZM_E_ARG (options, missing planes; a value that is not finite: err->cell)
 */
ZM_API zm_status zm_project(const zm_metric *in, size_t n, const zm_metric_out *out,
                            const zm_project_opts *opts, zm_error *err);

/**
 * From dL/d(projected) to dL/d(unprojected).
 *
 * @param in    in   the unprojected values, as given to zm_project
 * @param d_out in   dL/d(projected planes), of the same dtype
 * @param d_in  out  dL/d(unprojected planes); may be the same arrays as d_out
 */
ZM_API zm_status zm_project_vjp(const zm_metric *in, const zm_metric *d_out, size_t n,
                                const zm_metric_out *d_in, const zm_project_opts *opts,
                                zm_error *err);

/** The same for `items` fields of n cells each: arrays of structs.  Cells are shared among
 *  opts->threads. */
ZM_API zm_status zm_project_batch(const zm_metric *in, size_t items, size_t n,
                                  const zm_metric_out *out, const zm_project_opts *opts,
                                  zm_error *err);
ZM_API zm_status zm_project_vjp_batch(const zm_metric *in, const zm_metric *d_out,
                                      size_t items, size_t n, const zm_metric_out *d_in,
                                      const zm_project_opts *opts, zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
