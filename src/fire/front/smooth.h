/* SPDX-License-Identifier: Apache-2.0
 * The metric that a front of finite thickness feels: averaged over a cell or so. */
#ifndef ZM_PHYSICS_SMOOTH_H
#define ZM_PHYSICS_SMOOTH_H

#include "fire/front/lazy.h"
#include "fire/science/cell_metric.h"

enum { ZM_SMOOTH_RADIUS = 1, ZM_SMOOTH_SIDE = 2 * ZM_SMOOTH_RADIUS + 1 };

typedef struct zm_smoother {
    zm_lazy *raw;                                  /* of zm_cell_metric */
    double kernel[ZM_SMOOTH_SIDE][ZM_SMOOTH_SIDE]; /* sums to 1 */
    double hindrance;
    zm_lazy *change; /* 5 doubles a value: of the raw metric, for tangent and adjoint */
} zm_smoother;

/** Gaussian kernel of this standard deviation in cells; 0: none. */
void zm_smooth_init(zm_smoother *s, double sigma, double hindrance, zm_lazy *raw);

/** Row and column of neighbour i of ZM_SMOOTH_SIDE^2. */
void zm_smooth_neighbour(const zm_smoother *s, int32_t row, int32_t col, int i,
                         int32_t at[2]);

/** Mean of values of the neighbours by their share in the square root of the slowness: the
 *  change of log s~ for changes of log s_j.  The cell must burn. */
double zm_smooth_rate(const zm_smoother *s, int32_t interval, int32_t row, int32_t col,
                      const double value[ZM_SMOOTH_SIDE * ZM_SMOOTH_SIDE]);

/** zm_lazy_fill of the smoothed zm_cell_metric; ctx is a zm_smoother. */
void zm_smooth_fill(void *ctx, int32_t interval, int32_t row, int32_t col, void *value);

/** zm_lazy_fill of its change, 5 doubles, for the change of the raw metric. */
void zm_smooth_tangent(void *ctx, int32_t interval, int32_t row, int32_t col,
                       void *value);

/** Visits 5 derivatives with respect to a smoothed metric; adds to those of the raw one. */
void zm_smooth_adjoint(void *ctx, int32_t interval, int32_t row, int32_t col,
                       void *value);

#endif
