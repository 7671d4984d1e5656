/* SPDX-License-Identifier: Apache-2.0
 * Figures of inverse problems: fields true and found, profiles, the way of a run, errors. */
#ifndef ZM_EXPERIMENTS_DRAW_H
#define ZM_EXPERIMENTS_DRAW_H

#include "recovery.h"

/** One field: true, found, error with observations; observed times, the way of the run,
 *  profile along the middle row. */
void draw_field(experiment_run *run, const problem *p, const recovery *r,
                const char *name, const char *reference, const char *caption);

/** Several planes, a row each: true, found, error, profile. */
void draw_planes(experiment_run *run, const problem *p, const recovery *r,
                 const int *planes, int n, const char *name, const char *reference,
                 const char *caption);

/** Parts of these, for figures of another kind. */
void plot_true(zm_plot *plot, const problem *p, int plane, const char *title);
void plot_found(zm_plot *plot, const problem *p, const medium *found, int plane,
                const char *title);

/** Errors in % over something: axes, both logarithmic unless x_linear. */
typedef struct error_axes {
    const char *title, *x_label;
    double y_min, y_max; /**< 0: from the curves */
    bool x_linear;
    const double *x_ticks;
    size_t n_x_ticks;
} error_axes;
void plot_error_axes(zm_plot *plot, const error_axes *axes);

/** Worst of a number of series as a line, with a band down to the best. */
void plot_series(zm_plot *plot, const double *x, series *const *s, size_t n,
                 zm_plot_marker marker, const char *label);

#endif
