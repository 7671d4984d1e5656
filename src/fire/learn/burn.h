/* SPDX-License-Identifier: Apache-2.0
 * A front through hours of weather on active blocks, and its derivatives.
 *
 * Each cell burns with the metric of the hour in which it is reached.  Hour by hour the
 * problem is solved with that metric in all cells not reached before; cells reached keep
 * theirs.  The last solve is then the whole: its fixed point is unique, so the adjoint of that
 * one solve is the adjoint of all hours, and the derivatives with respect to the metric of a cell
 * belong to its hour.
 *
 * The price: the last step to a cell is taken with one metric, that of the hour in which the
 * cell is found reached, and not split where the hour changes as zermelo/interval.h does; its
 * time is wrong by at most a part of that step.  What is gained is half of the time, and models
 * have been trained with it (docs/adr/0017-hours-of-learned-fires-on-active-blocks.md). */
#ifndef ZM_LEARN_BURN_H
#define ZM_LEARN_BURN_H

#include <stdbool.h>

#include "zermelo/adjoint.h"
#include "zermelo/forward.h"

/** Settled enough for prediction: 4 ms. */
#define ZM_BURN_TOL 1e-6

/** Planes of the whole grid; g12 and g22 NULL where the metric is isotropic. */
typedef struct zm_burn_planes {
    double *g11, *g12, *g22, *b1, *b2;
} zm_burn_planes;

/** Puts the metric of an hour into these cells of the planes. */
typedef zm_status zm_burn_fill(void *ctx, size_t hour, const int32_t *cells, size_t n,
                               const zm_burn_planes *planes, zm_error *err);

/** One thread at a time. */
typedef struct zm_burn {
    zm_grid grid;
    size_t n;
    zm_solver *solver;
    zm_burn_planes metric, d_metric; /**< d_metric: after zm_burn_adjoint */
    double *T;
    int32_t *hour; /**< in which each cell burns; -1: not reached */
    int32_t *filled, *cells;
    uint8_t *walls;
    zm_problem problem; /**< of the last solve */
} zm_burn;

typedef struct zm_burn_task {
    const zm_source *sources; /**< kept until zm_burn_adjoint */
    size_t n_sources;
    size_t hours; /**< >= 1; the last holds for ever */
    double
        start; /**< time of the first hour's beginning, for fires picked up under way */
    double t_max; /**< cells later than this stay INFINITY ... */
    /** ... n, or NULL.  Where there is one that has no time by t_max, it goes on until all have
     *  that can have one; only times up to some later one are then there. */
    const uint8_t *targets;
    zm_burn_fill *fill;
    void *ctx;
    double
        tol; /**< h, zm_forward_opts.tol: strong metrics on eight neighbours settle slowly */
} zm_burn_task;

zm_status zm_burn_create(zm_burn **out, zm_grid grid, bool isotropic,
                         zm_stencil_choice stencils, zm_error *err);
void zm_burn_destroy(zm_burn *front);

/** Fills front->T and front->hour. */
zm_status zm_burn_solve(zm_burn *front, const zm_burn_task *task, zm_error *err);

/** From dL/dT (n values) to front->d_metric, after zm_burn_solve. */
zm_status zm_burn_adjoint(zm_burn *front, const double *dL_dT, zm_error *err);

#endif
