/* SPDX-License-Identifier: Apache-2.0
 * All that can be asked of a problem, for every engine and option: times, derivatives, paths,
 * labels, flow, residuals. */
#ifndef ZM_TESTS_OUTCOME_H
#define ZM_TESTS_OUTCOME_H

#include "support/cases.h"

/** An engine with its options. */
typedef struct variant {
    const char *name;
    zm_dtype dtype;
    zm_isa isa;
    zm_stencil_choice stencils;
    int32_t order;
    bool factored;
    bool timed; /* three intervals, with another metric in the second */
    zm_step_cost cost;
    int32_t periodic, threads;
} variant;

extern const variant variants[];
extern const size_t n_variants;

/** By name; the end of the program if there is none. */
const variant *variant_named(const char *name);

enum { OUTCOME_POINTS = 4096 };

/** What came out; fields of the grid as double, whatever the type was. */
typedef struct outcome {
    zm_status status;
    zm_error err;
    zm_report report;
    double seconds; /* of all threads, in the solve */
    size_t n;
    double *T, *gradient[N_PLANES],
        *dT; /* dL/dT is 1, the direction a share of every value */
    double source_time[8], source_row[8], source_col[8];
    double *vx, *vy, *residual[2];
    int32_t *labels;
    zm_path_point *points; /* OUTCOME_POINTS */
    size_t n_points;
    int32_t path_source;
    double path_cost;
} outcome;

/**
 * Solves, and asks for the rest if `all`.
 *
 * @param scale  in  power of two by which the times of this case are larger than those it was
 *                   made with: intervals begin accordingly
 */
outcome outcome_of(const variant *v, const test_case *c, double scale, bool all);
void outcome_free(outcome *o);

/** The same, with the tangent along N_PLANES planes of n values. */
outcome outcome_along(const variant *v, const test_case *c, double scale, bool all,
                      const double *direction);

/** The case with G times 4^metric, b times 2^metric, all times and the spacing to match. */
test_case case_in_units(const test_case *c, int metric, int spacing);

/** Empty, or what is not the same to the bit: `b` is of the case in other units. */
void outcome_compare_units(const outcome *a, const outcome *b, int metric, int spacing,
                           const variant *v, char *text, size_t size);

#endif
