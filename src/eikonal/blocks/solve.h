/* SPDX-License-Identifier: Apache-2.0
 * One problem being solved, from its start to its report. */
#ifndef ZM_FORWARD_SOLVE_H
#define ZM_FORWARD_SOLVE_H

#include <stdatomic.h>

#include "core/options.h"
#include "core/parallel.h"
#include "eikonal/problem/problem.h"
#include "eikonal/solver.h"

typedef struct zm_solve {
    zm_solver *s;
    const zm_problem *problem;
    const zm_forward_opts *opts;
    zm_lane *lead; /* owns tile states and queue */
    zm_record *record;
    zm_tiling g;
    zm_dtype dtype;
    double start, unit; /* internal time = (T - start) / unit */
    double t_max;       /* internal */
    double late;        /* news this much later than t_max may still matter */
    bool shared;        /* several threads */
    zm_spinlock lock;
    int32_t n_busy, n_reached;
    atomic_int stop; /* a zm_status: not ZM_OK ends the run */
    bool stalled;
    atomic_bool strong; /* a tile needs adaptive stencils: the solve ended there */
    zm_error error;
    zm_lane *lanes;
} zm_solve;

/** Everything but the visits: times, units, queue, sources.  The fields from `s` to `lanes`
 *  but for `g` are set by the caller. */
zm_status zm_solve_start(zm_solve *run, void *T, int32_t threads, zm_error *err);

/** Visits tiles until no one has news, or run->stop is set: a zm_parallel_fn. */
void zm_solve_thread(void *solve, int32_t thread);

/** How it ended; checks cells that no sweep looked at. */
zm_status zm_solve_status(zm_solve *run, zm_error *err);

/** Brings T into the caller's unit, and cuts it at t_max. */
void zm_solve_finish(const zm_solve *run, int32_t threads);

void zm_solve_report(const zm_solve *run, int32_t threads, zm_report *report);

/** Exact check of the cells of one tile. */
zm_status zm_solve_check_tile(const zm_solve *run, int32_t tile, zm_error *err);

#endif
