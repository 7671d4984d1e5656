/* SPDX-License-Identifier: Apache-2.0
 * What an experiment of `zermelo reproduce` is, and what it may use.
 *
 *     static void drift(experiment_run *run)
 *     {
 *         medium m = medium_new(run, 201, 201, 1.0);
 *         double *T = field_new(run, m.cells);
 *
 *         medium_fill(&m, metric_of(1.0, 1.0, 0.0, 0.3, 0.0));
 *         medium_source(run, &m, 100, 100, 0.0);
 *         medium_solve(run, &m, T);
 *         RESULT(run, .reference = "Figure A4", .quantity = "T(+30, 0)", .paper = "21",
 *                .ours = T[...], .better = BETTER_EQUAL);
 *     }
 *     const experiment experiment_drift = { "drift", "Forward solver", ..., drift };
 *
 * Then declare it in table.h and list it in table.c.
 *
 * A failure is remembered in the run: what follows does nothing, and the tool reports it.
 * So nothing in between needs to be checked; loops that take long ask run_goes_on.  All
 * memory an experiment takes from its run is freed when it ends; the program ends when
 * there is none left. */
#ifndef ZM_EXPERIMENT_H
#define ZM_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zermelo/forward.h"
#include "zermelo/plot/plot.h"

typedef struct experiment_run experiment_run;

typedef struct experiment {
    const char *name;  /**< for the command line and the directory of its files */
    const char *group; /**< heading it stands under in the report */
    const char *title; /**< a line */
    const char
        *paper; /**< section, table and figures of the paper, or "beyond the paper" */
    /** What it shows, and what the paper leaves open and how it is chosen here; paragraphs
     *  separated by "\n\n". */
    const char *about;
    void (*run)(experiment_run *run);
} experiment;

/* The run. */

/** --quick: smaller grids and fewer repetitions, the same quantities. */
bool run_quick(const experiment_run *run);
int32_t run_threads(const experiment_run *run);

/** Start of a sequence of random numbers for this experiment and purpose, from --seed; see
 *  random.h. */
uint64_t run_seed(const experiment_run *run, uint64_t purpose);

/** False after a failure or when the user wants to stop. */
bool run_goes_on(experiment_run *run);

/** Shows what is being done; `share` of the experiment, 0..1, is behind us. */
__attribute__((format(printf, 3, 4))) void run_step(experiment_run *run, double share,
                                                    const char *format, ...);

/** Remembers a failure of the library; a caveat (not converged) too. */
void run_check(experiment_run *run, zm_status status, const zm_error *err);

/** Remembers a failure of the experiment itself. */
__attribute__((format(printf, 2, 3))) void run_fail(experiment_run *run,
                                                    const char *format, ...);

/* Memory: zeroed, freed with the run. */

void *run_memory(experiment_run *run, size_t n, size_t size);
double *field_new(experiment_run *run, size_t n);

/** Text as printf makes it. */
__attribute__((format(printf, 2, 3))) const char *run_text(experiment_run *run,
                                                           const char *format, ...);

/* What comes out. */

typedef enum better_is {
    BETTER_NONE = 0, /**< a finding, neither good nor bad */
    BETTER_LOWER,
    BETTER_HIGHER,
    BETTER_EQUAL /**< the paper's value is what it must be */
} better_is;

/** One number, and the paper's beside it.  Strings are copied. */
typedef struct result {
    const char
        *reference; /**< what of the paper it belongs to: "Table 1", "Figure A4" */
    const char *quantity; /**< what it is, and of what: "relative L2, N = 25" */
    const char *unit;     /**< "%", "ms", ...; NULL: a pure number */
    const char *paper;    /**< as printed there: "0.84", "<1e-6"; NULL: none */
    double ours;
    better_is better;
} result;

/** Adds a row to the experiment's table; `seconds` of the row is the time since the row
 *  before. */
void run_result(experiment_run *run, const result *r);
#define RESULT(run, ...) run_result((run), &(result){ __VA_ARGS__ })

/** The number in what the paper prints: "0.84", "<1e-6", "≈5"; NaN where it is not one
 *  number, as "2–3". */
double paper_number(const char *text);

/** A paragraph below the table. */
__attribute__((format(printf, 2, 3))) void run_remark(experiment_run *run,
                                                      const char *format, ...);

/** Saves rows x cols values as NAME.npy in the directory of the experiment. */
void run_save(experiment_run *run, const char *name, const double *values, size_t rows,
              size_t cols);

/** Curves over the same n points, saved as the rows of NAME.npy; a paragraph in the report
 *  tells which is which. */
typedef struct saved_curve {
    const char *name;
    const double *values;
} saved_curve;
void run_save_curves(experiment_run *run, const char *name, size_t n,
                     const saved_curve *curves); /**< the last has no name */
#define SAVE_CURVES(run, name, n, ...)                                                 \
    run_save_curves((run), (name), (n), (const saved_curve[]){ __VA_ARGS__, { 0 } })

/** A figure to draw on; rows x cols plots. */
zm_figure *figure_new(experiment_run *run, int32_t rows, int32_t cols,
                      const char *title);

/** Saves the figure as NAME.png, NAME.svg and NAME-dark.svg, puts it into the report and
 *  frees it.  The caption says what is to be seen; the reference which figure of the paper
 *  it is. */
void figure_save(experiment_run *run, zm_figure *figure, const char *name,
                 const char *reference, const char *caption);

#endif
