/* SPDX-License-Identifier: Apache-2.0
 * A calibration while it is under way: its fires, its unknowns, and the sums over cells that
 * its steps need. */
#ifndef ZM_PHYSICS_CALIBRATION_H
#define ZM_PHYSICS_CALIBRATION_H

#include "core/memory.h"
#include "core/parallel.h"
#include "zermelo/fire/calibrate.h"

/** Sums over the cells of one fire. */
typedef struct zm_fire_sums {
    double *A, *g;             /* J'WJ (n x n), J'Wr (n) */
    double objective, squares; /* sum of rho; sum of r^2 */
    size_t cells;
    double
        *blocks; /* J'Wr (n) and then J'VJ (n x n) of every block that has cells, with
                       V = 1 where |r| < delta, else 0: the derivative of rho' */
    size_t n_blocks, room_blocks;
} zm_fire_sums;

typedef struct zm_calibration_run {
    const zm_landscape *land;
    const zm_physics_opts *physics;
    const zm_fire_evidence *fires;
    size_t n_fires, n_cells, n; /* fires, cells of the landscape, unknowns */
    zm_calibrate_opts opts;
    zm_alloc mem;
    zm_calibrated items[ZM_MOST_CALIBRATED];
    double x[ZM_MOST_CALIBRATED]; /* where the fires are burned */
    double spread[ZM_MOST_CALIBRATED];
    zm_fire_sums *per_fire;
    double *memory;      /* of all sums but those of blocks */
    int32_t iterations;  /* so far, of all searches */
    bool in_blocks;      /* sums of blocks are wanted */
    bool only_objective; /* no derivatives */
    atomic_size_t next;
    zm_spinlock lock;
    zm_status status;
    zm_error *err;
} zm_calibration_run;

/** Sums over all fires, and the prior. */
typedef struct zm_normal_equations {
    double A[ZM_MOST_CALIBRATED * ZM_MOST_CALIBRATED]; /* lower triangle */
    double g[ZM_MOST_CALIBRATED];
    double objective, squares;
    size_t cells;
} zm_normal_equations;

/** Factors and offset of the unknowns at c->x. */
void zm_calibration_params(const zm_calibration_run *c, double factor[ZM_FUEL_NUMBERS],
                           zm_physics_params *params);

/** Weight of the prior of an unknown: delta^2/s^2. */
double zm_calibration_prior(const zm_calibration_run *c, size_t k);

/** Burns all fires at c->x; sums into *e and c->per_fire. */
zm_status zm_calibration_evaluate(zm_calibration_run *c, zm_normal_equations *e);

#endif
