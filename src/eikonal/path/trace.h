/* SPDX-License-Identifier: Apache-2.0
 * Tracing a path back from a point to the source of the front that came there. */
#ifndef ZM_PATH_TRACE_H
#define ZM_PATH_TRACE_H

#include "eikonal/path/trail.h"
#include "zermelo/path.h"

/** Points one after the other; memory from the solver's allocator. */
typedef struct zm_path_places {
    zm_path_place *at;
    size_t n, room;
} zm_path_places;

void zm_path_places_free(zm_path_places *p, const zm_alloc *mem);

/** How the front passes a point, after the cells around it. */
typedef struct zm_path_passing {
    double x, y; /* unit vector along which it runs; 0 at a source */
    double time;
} zm_path_passing;

/** What the cell at (row, col) knows about p; false if it was not reached. */
bool zm_path_passing_by(const zm_path_trail *trail, int32_t row, int32_t col,
                        zm_path_place p, zm_path_passing *out);

/** False if the cell that the point is in was not reached. */
bool zm_path_passing_at(const zm_path_trail *trail, zm_path_place p,
                        zm_path_passing *out);

/**
 * From a point back to its source.
 *
 * @param start  in      in a cell that was reached
 * @param places out     from start to the source
 * @param source out     index of the source
 * @return ZM_OK, ZM_E_NOMEM, ZM_NOT_CONVERGED (no donors lead to a source), ZM_E_STATE (it
 *         finds no end: times are not those of the solve)
 */
zm_status zm_path_trace(const zm_path_trail *trail, zm_path_place start,
                        zm_path_places *places, int32_t *source, zm_error *err);

/** Replaces pieces by straight ones, of as many points, where these cost less.  cost[i] is
 *  that of moving to point i from point i + 1, when[i] the time there; both are kept up to
 *  date, times roughly. */
void zm_path_straighten(const zm_path_ground *t, zm_path_places *places, double *cost,
                        double *when);

/** A path; points are the solver's memory, NULL where there is none, and then source is -1. */
typedef struct zm_path_found {
    zm_path_point *points;
    size_t n;
    int32_t source;
} zm_path_found;

/** The minimal path to a point, as of zm_path; out->points is to be released. */
zm_status zm_path_find(const zm_path_trail *trail, double row, double col,
                       const zm_path_opts *opts, zm_path_found *out, zm_error *err);

#endif
