/* SPDX-License-Identifier: Apache-2.0
 * The solve that all verbs start with, its report, and files of results. */
#ifndef ZM_CLI_SOLUTION_H
#define ZM_CLI_SOLUTION_H

#include "inputs.h"
#include "json.h"

typedef struct solution {
    zm_solver *solver;
    zm_solver_opts opts; /**< the solver was made with */
    void *T;
    zm_report report;
    double seconds; /**< of the fastest zm_forward */
} solution;

/** Makes the solver and solves.  DONE also when the iteration limit was reached (after a
 *  warning); else an exit status after a message. */
int solution_find(solution *s, const inputs *in, const problem_settings *settings);

/** Solves once more, untimed, so that the next derivative is the first after a solve and
 *  finds nothing prepared by the one before. */
int solution_again(solution *s, const inputs *in, const problem_settings *settings);

void solution_free(solution *s);

/** Opens a report with what every verb tells about its solve. */
void report_begin(json *j, const char *verb, const inputs *in, const solution *s);

/** Writes `planes` fields (1: shape (rows, cols)) of the grid; no path: does nothing. */
int save_fields(const char *option_name, const char *path, const inputs *in,
                zm_npy_type type, size_t planes, const void *data);

/** "2.9 ms" */
typedef struct time_text {
    char text[32];
} time_text;
time_text time_of(double seconds);

#endif
