/* SPDX-License-Identifier: Apache-2.0
 * Regularisers of fields on a grid, their exact gradients, and proximal maps.
 *
 * With forward differences D (0 in the last column or row, and across an edge that
 * touches a wall), weights c_k of the fields u_k, and s = sum_k c_k |D u_k|^2 in a cell,
 *
 *     R(u) = dx dy sum_cells phi,        phi = sqrt(s + eps^2) - eps      (TV)
 *                                              s / 2                      (H1)
 *                                              log(1 + s / eps^2) / 2     (LOG)
 *                                              sum_k c_k (u_k - ref_k)^2 / 2  (TIKHONOV).
 *
 * R approximates an integral over the domain: a weight lambda in front of it means the
 * same on a finer grid.  eps is in the unit of the weighted gradient.  Cells that are
 * walls have no part in R: their values are ignored and the gradient there is 0. */
#ifndef ZM_REG_H
#define ZM_REG_H

#include "alloc.h"
#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum zm_reg_kind {
    ZM_REG_TV = 0,       /**< total variation, joint over the fields, smoothed by eps */
    ZM_REG_H1 = 1,       /**< squared gradient */
    ZM_REG_TIKHONOV = 2, /**< squared distance from a reference */
    ZM_REG_LOG = 3,      /**< non-convex, keeps edges: log(1 + |grad|^2/eps^2)/2 */
    /** TV of the fields (g11, g12, g22) in the Frobenius norm: weights 1, 2, 1. */
    ZM_REG_FROBENIUS_TV = 4,
    /** The same of the matrix logarithm of G = [[g11, g12], [g12, g22]]: independent of
     *  the unit of G, and the same for G and its inverse. */
    ZM_REG_LOG_EUCLIDEAN_TV = 5
} zm_reg_kind;

typedef struct zm_reg {
    size_t size;
    zm_reg_kind kind;
    double eps; /**< finite; > 0 for LOG, >= 0 for the TVs; not used by H1 and TIKHONOV.
                     With eps = 0 the gradient of a TV is the shortest subgradient. */
    const double *weights; /**< c_k >= 0, one a field; NULL: all 1.  Must be NULL for the
                                two TVs of G, whose weights are fixed */
    const double *const *reference; /**< TIKHONOV: one plane a field (a NULL plane: 0);
                                         NULL: 0 everywhere.  Must be NULL for the others */
} zm_reg;
#define ZM_REG_INIT { sizeof(zm_reg), ZM_REG_TV, 1e-3, NULL, NULL }

/** Most fields in one regulariser. */
#define ZM_REG_MAX_FIELDS 8

/**
 * R(u) and, where wanted, its exact gradient.
 *
 * @param grid     in
 * @param fields   in   n_fields planes of rows*cols doubles
 * @param n_fields in   1 to ZM_REG_MAX_FIELDS; 3 for the TVs of G
 * @param walls    in   rows*cols bytes, non-zero: left out; NULL: no walls
 * @param value    out
 * @param gradient out  n_fields planes, overwritten; overlap no input; NULL: not wanted
 * @param reg      in   NULL: ZM_REG_INIT
 * @return ZM_OK; ZM_E_ARG (options, grid, arrays; a value that is not finite: err->cell);
 *         ZM_E_METRIC (log-Euclidean TV: G not positive definite: err->cell).
 *         After a failure the outputs are unspecified.
 */
ZM_API zm_status zm_reg_value(zm_grid grid, const double *const *fields,
                              size_t n_fields, const uint8_t *walls, double *value,
                              double *const *gradient, const zm_reg *reg,
                              zm_error *err);

/**
 * Lagged weights w >= 0, one a cell, frozen at u: with W = diag(w)
 *
 *     gradient_k = c_k D' W D u_k         (TIKHONOV: c_k W (u_k - ref_k)),
 *
 * and v -> R(u) + sum_k c_k (|W^1/2 D v_k|^2 - |W^1/2 D u_k|^2) / 2 lies above R, touching
 * it at u: one Gauss-Newton or reweighting step minimises it.  dx dy is inside w.  For
 * the log-Euclidean TV u and v stand for the logarithms of G, with c = 1, 2, 1.
 *
 * @param weights out  rows*cols doubles; 0 in walls
 * Otherwise as zm_reg_value; eps must be > 0 where it is used.
 */
ZM_API zm_status zm_reg_lagged(zm_grid grid, const double *const *fields,
                               size_t n_fields, const uint8_t *walls, double *weights,
                               const zm_reg *reg, zm_error *err);

/**
 * Group shrinkage, the proximal map of t sum_i |q_i|, |q_i|^2 = sum_j c_j q_ij^2, in the
 * inner product with the weights c: q_i -> max(0, 1 - t / |q_i|) q_i.  For gradient
 * fields the planes are the two components of each field.
 *
 * @param n         in      groups (cells)
 * @param n_planes  in      members of a group
 * @param weights   in      c_j >= 0, one a plane; NULL: all 1
 * @param threshold in      t >= 0
 * @param planes    in,out  n_planes planes of n doubles; as they were after a failure
 * @return ZM_OK, ZM_E_ARG
 */
ZM_API zm_status zm_reg_shrink(size_t n, size_t n_planes, const double *weights,
                               double threshold, double *const *planes, zm_error *err);

/** Work memory of zm_tv_prox for one grid.  One thread at a time per handle. */
typedef struct zm_tv_prox_work zm_tv_prox_work;

/**
 * @param out      out  NULL after a failure
 * @param n_fields in   1 to ZM_REG_MAX_FIELDS
 * @param mem      in   NULL: malloc and free
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM
 */
ZM_API zm_status zm_tv_prox_create(zm_tv_prox_work **out, zm_grid grid, size_t n_fields,
                                   const zm_alloc *mem, zm_error *err);
/** NULL is allowed. */
ZM_API void zm_tv_prox_destroy(zm_tv_prox_work *work);

typedef struct zm_tv_prox_opts {
    size_t size;
    double gap;             /**< stop when duality gap <= gap * primal value; > 0 */
    int32_t max_iterations; /**< >= 1; then ZM_NOT_CONVERGED */
    int32_t warm;           /**< non-zero: start from the dual of the last call */
    const double *weights;  /**< c_k > 0, one a field; NULL: all 1 */
} zm_tv_prox_opts;
#define ZM_TV_PROX_OPTS_INIT { sizeof(zm_tv_prox_opts), 1e-6, 20000, 0, NULL }

typedef struct zm_tv_prox_report {
    size_t size;
    int32_t iterations;
    double value; /**< the minimum below, at u */
    double gap;   /**< value minus the dual value: u is within
                       sqrt(2 gap) of the minimiser in the norm of the first term */
} zm_tv_prox_report;
#define ZM_TV_PROX_REPORT_INIT { sizeof(zm_tv_prox_report), 0, 0.0, 0.0 }

/**
 * Exact TV denoising, the proximal map of tau R with eps = 0: the minimiser u of
 *
 *     dx dy sum_cells [ sum_k c_k (u_k - f_k)^2 / 2 + tau sqrt(sum_k c_k |D u_k|^2) ]
 *
 * by accelerated projected gradients on the dual (Beck and Teboulle 2009), restarted where
 * momentum points uphill.
 *
 * @param f      in   planes of rows*cols doubles
 * @param tau    in   >= 0
 * @param walls  in   NULL: none.  u = f there
 * @param u      out  may be the same planes as f
 * @param report out  begins as ZM_TV_PROX_REPORT_INIT; NULL: not wanted
 * @return ZM_OK, ZM_NOT_CONVERGED (u usable, report->gap tells), ZM_E_ARG (u and report are
 *         as they were).  Allocates nothing
 */
ZM_API zm_status zm_tv_prox(zm_tv_prox_work *work, const double *const *f, double tau,
                            const uint8_t *walls, double *const *u,
                            const zm_tv_prox_opts *opts, zm_tv_prox_report *report,
                            zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
