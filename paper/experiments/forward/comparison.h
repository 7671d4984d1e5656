/* SPDX-License-Identifier: Apache-2.0
 * Arrival times of a medium beside those that should come out. */
#ifndef ZM_EXPERIMENTS_COMPARISON_H
#define ZM_EXPERIMENTS_COMPARISON_H

#include "measure.h"
#include "medium.h"

typedef struct comparison {
    const medium *m;
    double *T, *exact;
    double *error; /**< T - exact in percent of the largest exact value */
    size_t border; /**< rows and columns left out of the norms at each edge */
    error_norms norms;
} comparison;

/** Solves and compares with the times given; saves both as T.npy and exact.npy. */
comparison compare_with(experiment_run *run, const medium *m, double *exact,
                        size_t border);

/** The same with the closed form of a constant medium. */
comparison compare_with_closed_form(experiment_run *run, const medium *m,
                                    size_t border);

/** Rows: the paper's norm beside its value, and the true relative L2 without and with the
 *  edges; the largest error. */
void comparison_report(experiment_run *run, const comparison *c, const char *reference,
                       const char *paper);
void comparison_report_largest(experiment_run *run, const comparison *c,
                               const char *reference, const char *paper);

/** Three panels: computed (with metric ellipses and drift arrows where wanted), exact,
 *  error. */
typedef struct comparison_look {
    const char *exact_title;
    bool ellipses, arrows;
} comparison_look;
zm_figure *comparison_draw(experiment_run *run, const comparison *c,
                           const comparison_look *look);

#endif
