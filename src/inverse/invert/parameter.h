/* SPDX-License-Identifier: Apache-2.0
 * How the unknown fields make a metric and a drift: maps, derivatives, feasibility.
 *
 * The unknowns theta are K planes of n values, one after the other: those of the metric
 * first, then two of the drift.  Each times its scale, so that theta has no unit and a
 * change by 0.1 matters about as much in every field, gives (factor, log, plain):
 *
 *     isotropic   s:        g = s^2        g = exp(s)                g = s
 *     diagonal    s, t:     s^2, t^2       exp(s), exp(t)            s, t
 *     full        a, c, d:  G = L L',      G = exp [[a, c], [c, d]]  g11, g12, g22
 *                           L = [[a, 0], [c, d]]
 *
 * Of the drift (project, ball):  b = y,  or  b = rho L y / sqrt(1 + |y|^2), L L' = G, so that
 * |b|_{G^-1} < rho whatever y is. */
#ifndef ZM_INVERT_PARAMETER_H
#define ZM_INVERT_PARAMETER_H

#include <stdbool.h>

#include "zermelo/invert.h"

enum { ZM_PLANES = 5, ZM_MOST_FIELDS = 5 };

typedef struct zm_parameters {
    size_t n;          /* cells */
    int metric_fields; /* 0 known, 1 isotropic, 2 diagonal, 3 full */
    int drift_fields;  /* 0 known, 2 unknown */
    zm_metric_map metric_map;
    zm_drift_map drift_map;
    double eig_min, eig_max, rho;
    double scale[ZM_MOST_FIELDS];
    const uint8_t *walls;           /* or NULL */
    const double *known[ZM_PLANES]; /* g11, g12, g22, b1, b2; NULL as in zm_metric */
} zm_parameters;

static inline int zm_parameters_fields(const zm_parameters *p)
{
    return p->metric_fields + p->drift_fields;
}

/** Which of the five planes depend on the unknowns; for one isotropic g only plane 0. */
static inline bool zm_parameters_varies(const zm_parameters *p, int plane)
{
    return plane < 3 ? plane == 0   ? p->metric_fields > 0
                       : plane == 1 ? p->metric_fields == 3
                                    : p->metric_fields > 1
                     : p->drift_fields > 0;
}

/** Sets the scales: changes of theta by d mean relative changes of a slowness `slowness` by
 *  about d, and of a drift by d times that slowness; the off-diagonal field of a symmetric
 *  matrix counts twice in sums of squares over theta. */
void zm_parameters_rescale(zm_parameters *p, double slowness);

/** planes[k] = plane k at theta, for every plane that varies. */
void zm_parameters_planes(const zm_parameters *p, const double *theta,
                          double *const planes[ZM_PLANES]);

/** Change of the planes that vary for a change of theta. */
void zm_parameters_tangent(const zm_parameters *p, const double *theta,
                           const double *d_theta, double *const d_planes[ZM_PLANES]);

/** Its transpose. */
void zm_parameters_adjoint(const zm_parameters *p, const double *theta,
                           const double *const d_planes[ZM_PLANES], double *d_theta);

/** Bounds of one field of theta, as far as they are bounds of its own; else -+INFINITY. */
void zm_parameters_bounds(const zm_parameters *p, int field, double *lower,
                          double *upper);

/** Brings theta into the feasible set, in place. */
void zm_parameters_project(const zm_parameters *p, double *theta);

/** theta of given planes (NULL: g11 I, g12, b1 and b2 0, g22 as g11), made feasible. */
void zm_parameters_from_metric(const zm_parameters *p, const zm_metric *metric,
                               double *theta);

/**
 * Variances of the planes from covariances of theta in each cell: diagonal of J C J'.
 *
 * @param covariance in   K*(K+1)/2 planes of the upper triangle, row by row
 * @param variance   out  for each plane that varies
 */
void zm_parameters_variance(const zm_parameters *p, const double *theta,
                            const double *covariance,
                            double *const variance[ZM_PLANES]);

#endif
