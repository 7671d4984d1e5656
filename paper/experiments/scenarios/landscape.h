/* SPDX-License-Identifier: Apache-2.0
 * Landscapes for the propagation scenarios: elevation, fuel and drift as functions of the
 * position, so that one landscape can be sampled on any grid. */
#ifndef ZM_EXPERIMENTS_LANDSCAPE_H
#define ZM_EXPERIMENTS_LANDSCAPE_H

#include "medium.h"

enum { SIDE = 100, MOST_WAVES = 8, MOST_PATCHES = 32 };

/** Ridges and valleys: height sin(kx x + ky y + phase). */
typedef struct wave {
    double kx, ky, phase, height;
} wave;

/** Where fuel resists `factor` times as much as elsewhere, with a soft edge. */
typedef struct patch {
    double x, y, radius, factor;
} patch;

/** In the square [0, SIDE]^2.  All zero: even ground, G = I and no drift. */
typedef struct landscape {
    double hill_height, hill_width; /**< z = height exp(-r^2 / (2 width^2)) about the
                                         middle; width 0: no hill */
    wave waves[MOST_WAVES];
    size_t n_waves;
    double slope_cost; /**< alpha in g = 1 + alpha |grad z| */
    patch patches[MOST_PATCHES];
    size_t n_patches;
    double b1, b2; /**< uniform drift */
} landscape;

/** A Gaussian hill. */
landscape landscape_hill(void);

/** Adds waves in random directions; patches that do not overlap, `dense` of which resist 2
 *  to 5 times as much as the rest and the others half as much, none at the middle. */
void landscape_add_waves(landscape *l, uint64_t *random, size_t n);
void landscape_add_patches(landscape *l, uint64_t *random, size_t n, size_t dense);

/** Elevation; resistance of the fuel. */
typedef double landscape_property(const landscape *l, double x, double y);
landscape_property landscape_elevation, landscape_resistance;

/** Exact arrival time where the metric depends on the distance from the middle alone. */
landscape_property landscape_radial_time;

/** G = g I and the drift on (n + 1) x (n + 1) cells; the front starts in the middle. */
medium landscape_medium(experiment_run *run, const landscape *l, int32_t n);

/** A property in every cell. */
double *landscape_field(experiment_run *run, const landscape *l, const medium *m,
                        landscape_property *property);

/** Arrival times in the cells of m, which are m.grid.cols, found on a grid `finer` times
 *  finer. */
double *landscape_fine_times(experiment_run *run, const landscape *l, const medium *m,
                             int32_t finer);

/** Rows that tell how good T is: residual of the discrete equation, difference from the
 *  paper's Algorithm 1, and from a grid four times finer. */
void landscape_check(experiment_run *run, const landscape *l, const medium *m,
                     const double *T, const char *reference);

/** Cells along a side: 100, or 200 in a full run. */
int32_t landscape_cells(const experiment_run *run);

#endif
