/* SPDX-License-Identifier: Apache-2.0
 * Observations to invert, made from a case whose metric is known. */
#ifndef ZM_TESTS_SEEN_H
#define ZM_TESTS_SEEN_H

#include "support/cases.h"
#include "zermelo/invert.h"

/** What was seen of the front from the sources of a case, which must outlive this. */
typedef struct seen {
    zm_experiment experiment; /* points to the following */
    int64_t *cells;
    double *times;
} seen;

/**
 * A random cell of every `every` in turn (1: all), sources and walls left out, with normal errors of
 * `noise` times the standard deviation of T; the end of the program if that fails.
 */
seen seen_make(const test_case *c, size_t every, double noise, uint64_t seed);
void seen_free(seen *s);

/** An inversion of these, or the end of the program. */
zm_inversion *seen_inversion(zm_grid grid, const zm_invert_opts *opts, const seen *list,
                             size_t count);

/** How the run went. */
zm_invert_report report_of(const zm_inversion *inversion);

/** Metric and drift found, as a case without sources, or the end of the program. */
test_case found_case(const zm_inversion *inversion, zm_grid grid);

/** Relative L2 distance of G (g12 counted twice), of b. */
double metric_error(const test_case *found, const test_case *truth);
double drift_error(const test_case *found, const test_case *truth);

/** g = left in the left half of the columns, right in the others. */
void fill_halves(test_case *c, double left, double right);

#endif
