/* SPDX-License-Identifier: Apache-2.0
 * Media to solve in: a grid, the five planes of its metric, sources and walls. */
#ifndef ZM_EXPERIMENTS_MEDIUM_H
#define ZM_EXPERIMENTS_MEDIUM_H

#include "experiment.h"

typedef struct medium {
    zm_grid grid;
    size_t cells;
    double *g11, *g12, *g22, *b1,
        *b2; /**< all there; the identity and no drift at first */
    zm_source *sources;
    size_t n_sources;
    uint8_t *walls; /**< or NULL */
} medium;

/** Memory from the run. */
medium medium_new(experiment_run *run, int32_t rows, int32_t cols, double spacing);

/** The metric of one cell. */
typedef struct cell_metric {
    double g11, g12, g22, b1, b2;
} cell_metric;

/** Eigenvalues l1, l2 of G, the axis of l1 turned by `angle` (radians) from x towards y. */
cell_metric metric_of(double l1, double l2, double angle, double b1, double b2);

/** |b|_{G^-1} */
double drift_norm(cell_metric m);

/** Cost F(v) = sqrt(v' G v) - b.v of moving by v: in a constant medium the arrival time. */
double metric_cost(cell_metric m, double vx, double vy);

cell_metric medium_at(const medium *m, size_t cell);
void medium_set(medium *m, size_t cell, cell_metric value);
void medium_fill(medium *m, cell_metric value);

/** One source more. */
void medium_source(experiment_run *run, medium *m, int32_t row, int32_t col,
                   double time);

zm_problem medium_problem(const medium *m);

/** T = min over the sources of start time + F(x - x_source) of the metric in cell 0: exact
 *  in constant media. */
void medium_exact(const medium *m, double *T);

/** Solves with a solver of its own; the report is for those who want iterations. */
zm_report medium_solve(experiment_run *run, const medium *m, double *T);

/** A solver that can solve `batch` media of this grid; freed by the caller. */
zm_solver *medium_solver(experiment_run *run, const medium *m, int32_t batch);

#endif
