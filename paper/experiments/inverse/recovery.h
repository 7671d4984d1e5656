/* SPDX-License-Identifier: Apache-2.0
 * How well an inversion finds a known medium again: one run, and the worst of several. */
#ifndef ZM_EXPERIMENTS_RECOVERY_H
#define ZM_EXPERIMENTS_RECOVERY_H

#include "problem.h"

/** The way of a run. */
typedef struct trace {
    size_t n, capacity;
    double *solves, *chi2, *lambda, *error; /**< after each iteration; error in % */
} trace;

/** What was found.  Errors in %, see problem.h; 0 for what is not sought. */
typedef struct recovery {
    medium found;
    double error_g, error_b, errors[METRIC_PLANES];
    double error;    /**< of G, or of b where only that is sought */
    double largest;  /**< see largest_error */
    double residual; /**< RMS of T - observed over all observations, in units of time */
    zm_invert_report report;
    trace steps;
    double seconds;
} recovery;

/** An inversion under way, for what needs its handle. */
typedef struct attempt {
    experiment_run *run;
    const problem *p;
    zm_inversion *inversion; /**< NULL after a failure */
    recovery r;
} attempt;

/** @param opts in  NULL: the library's own; unknown, threads and progress are set here */
attempt *attempt_new(experiment_run *run, const problem *p, const zm_invert_opts *opts);
void attempt_run(attempt *a);
/** Remembers a failure, unless the user wanted to stop. */
void attempt_check(attempt *a, zm_status status, const zm_error *err);
recovery attempt_recovery(attempt *a);
/** NULL is allowed. */
void attempt_free(attempt *a);

/** All of that. */
recovery recover(experiment_run *run, const problem *p, const zm_invert_opts *opts);

/** Solves until the error was at most `percent` for the first time; NAN: never. */
double solves_until(const recovery *r, double percent);

/** The same with other observations and other noise: three seeds, or one with --quick and
 *  where nothing is random. */
enum { SEEDS = 3 };
typedef struct series {
    int n;
    problem problems[SEEDS];
    recovery all[SEEDS];
    int worst; /**< the one with the largest error */
    double error, error_g, error_b, errors[METRIC_PLANES]; /**< largest of each */
    double solves;                                         /**< largest of all */
} series;
series *recover_series(experiment_run *run, const design *d,
                       const zm_invert_opts *opts);

/** Rows: error of what is sought beside the paper's (or NULL); solves. */
void report_series(experiment_run *run, const series *s, const char *reference,
                   const char *paper);
/** Row: error of one plane. */
void report_plane(experiment_run *run, const series *s, int plane,
                  const char *reference, const char *paper);
void report_solves(experiment_run *run, const series *s, const char *reference,
                   const char *paper);
/** Row: best_constant. */
void report_constant(experiment_run *run, const problem *p, const char *reference,
                     const char *of);

/** What to add to the name of a quantity: ", worst of 3 seeds" or what --quick has. */
const char *series_suffix(experiment_run *run, const series *s);

#endif
