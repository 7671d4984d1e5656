/* SPDX-License-Identifier: Apache-2.0
 * Media to solve in: a grid, the five planes of its metric, sources and walls. */
#ifndef ZM_EXPERIMENTS_MEDIUM_H
#define ZM_EXPERIMENTS_MEDIUM_H

#include "experiment.h"

typedef struct medium {
    zm_grid grid;
    size_t cells;
    double *g11, *g12, *g22, *b1,
        *b2; /**< all there, one after the other; the identity and no drift at first */
    zm_source *sources;
    size_t n_sources;
    uint8_t *walls; /**< or NULL */
} medium;

/** In the caller's METRIC_PLANES * cells doubles; in memory of the run. */
medium medium_on(zm_grid grid, double *planes);
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

/** All parameters of the medium, METRIC_PLANES * cells of them: g11, g12, g22, b1, b2. */
enum { METRIC_PLANES = 5, G_PLANES = 3 };
double *medium_parameters(const medium *m);
extern const char *const plane_names[METRIC_PLANES];

cell_metric medium_at(const medium *m, size_t cell);
void medium_set(medium *m, size_t cell, cell_metric value);
void medium_fill(medium *m, cell_metric value);

/** A medium in which everything varies smoothly, with a correlation length of `length`
 *  cells: both eigenvalues of G are exp(0.2 u), so that most lie in [0.7, 1.5], its axes
 *  turn by 0.5 u radians, and the components of b are 0.1 u, each with a random field u of
 *  its own, of variance 1. */
void medium_fill_smooth(experiment_run *run, medium *m, uint64_t seed, double length);

/** The medium of the paper's timings, "realistic wildfire configurations": axes of G at
 *  angles from 0 to pi/2, speeds along them in the ratio 1.5 to 2, |b| = 0.02.  How these
 *  vary it leaves open; here as waves over the grid with random phases. */
void medium_fill_wildfire(medium *m, uint64_t *random);
#define WILDFIRE_DRIFT 0.02

/** One source more. */
void medium_source(experiment_run *run, medium *m, int32_t row, int32_t col,
                   double time);

/** Nine sources more: 3 x 3 cells in the centre, all at time 0. */
void medium_source_block(experiment_run *run, medium *m);

zm_problem medium_problem(const medium *m);

/** T = min over the sources of start time + F(x - x_source) of the metric in cell 0: exact
 *  in constant media. */
void medium_exact(const medium *m, double *T);

/** Solves with a solver of its own; the report is for those who want iterations. */
zm_report medium_solve(experiment_run *run, const medium *m, double *T);

/** A solver that can solve `batch` media of this grid; one with options of its own and as
 *  many threads as the run has.  Freed by the caller. */
zm_solver *medium_solver(experiment_run *run, const medium *m, int32_t batch);
zm_solver *medium_solver_with(experiment_run *run, const medium *m,
                              zm_solver_opts opts);

#endif
