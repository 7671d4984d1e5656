/* SPDX-License-Identifier: Apache-2.0
 * Magnitudes of gradients: maps on a logarithmic scale, means over circles. */
#ifndef ZM_EXPERIMENTS_PROFILE_H
#define ZM_EXPERIMENTS_PROFILE_H

#include "measure.h"
#include "medium.h"

/** Rings around a cell, of a width of at least one cell and a sixth of their radius. */
enum { PROFILE_RINGS = 64 };
typedef struct profile {
    size_t n;
    double distance[PROFILE_RINGS]; /**< mean of the ring's cells */
    double mean[PROFILE_RINGS], largest[PROFILE_RINGS];
    double sum[PROFILE_RINGS]; /**< over its cells, for a width of one cell */
} profile;

/** Rings that end at `farthest` or before. */
profile profile_of(const medium *m, const double *values, double row, double col,
                   double farthest);

/** Sum of the values farther than that from a cell. */
double profile_sum_beyond(const medium *m, const double *values, double row, double col,
                          double distance);

/** A map of magnitudes over the topmost decades; zeros are grey. */
void panel_magnitude(experiment_run *run, zm_plot *plot, const medium *m,
                     const double *values, double decades, const char *title);

/** A circle on a field of spacing 1. */
void panel_circle(zm_plot *plot, double row, double col, double radius,
                  const char *label);

#endif
