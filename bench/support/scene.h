/* SPDX-License-Identifier: Apache-2.0
 * Problems to measure on, what is run on them, and the rows that come out. */
#ifndef ZM_BENCH_SCENE_H
#define ZM_BENCH_SCENE_H

#include "support/cases.h"
#include "support/contest.h"
#include "reference/reference.h"

/** A medium of tests/support with a 3 x 3 source in the centre; its numbers are float32
 *  numbers, so that both types solve the same problem. */
typedef struct scene {
    medium medium;
    test_case c;
    case_f32 single;
    zm_problem problem[2]; /* by zm_dtype */
    double *exact;         /* converged times of scene_converge, or NULL */
} scene;

/** To be filled in place, since `problem` points into it. */
void scene_init(scene *s, medium m, int32_t side, uint64_t seed);
void scene_free(scene *s);
/** Computes `exact`: Algorithm 1 without rejection, until nothing changes. */
void scene_converge(scene *s);

/** A solver and its results for one problem, as the context of a contestant. */
typedef struct job {
    const scene *scene;
    zm_dtype dtype;
    int32_t threads;
    zm_isa isa;
    zm_solver *solver;
    void *T;
} job;

void job_init(job *j, const scene *s, zm_dtype dtype, int32_t threads, zm_isa isa);
void job_free(job *j);
/** zm_forward; ends the program if that fails. */
void job_forward(void *j);
/** Largest relative difference of the job's times from the exact ones. */
double job_error(const job *j);

/** Algorithm 1 of the paper as the context of a contestant. */
typedef struct sweeps {
    const scene *scene;
    zm_reference_opts opts;
    double *T;
} sweeps;

/** Opponents: with the paper's formula and rejection, as it prints them, and with the
 *  closed form and no rejection, which is faster.  Tolerance 1e-6 as in the paper. */
void sweeps_init(sweeps *a, const scene *s, int closed_form);
void sweeps_free(sweeps *a);
void sweeps_run(void *a);
double sweeps_error(const sweeps *a);

/** Name of an instruction set; the one that ZM_ISA_BEST stands for here. */
const char *isa_name(zm_isa isa);
bool isa_here(zm_isa isa);

/** Prints one row as a line of JSON.  `problems` is how many one run solves. */
typedef struct bench_row {
    const char *bench; /* name of the table */
    const scene *scene;
    zm_dtype dtype;
    int32_t threads, problems;
    zm_isa isa;
    bench_clock clock;
    double error;
} bench_row;
void row_print(const bench_row *r, const contestant *ours, const contestant *opponent);

/** Whole number >= 1 of the command line, or the end of the program. */
int32_t positive(const char *text);
void *or_out_of_memory(void *memory);
/** Ends the program with the message unless the status is ZM_OK. */
void expect_ok(zm_status status, const char *what, const zm_error *err);

#endif
