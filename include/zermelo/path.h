/* SPDX-License-Identifier: Apache-2.0
 * How a front came: its velocity, the source it set out from, minimal paths.
 *
 * The front runs along characteristics, the geodesics of F(v) = sqrt(v' G v) - b.v.  With a
 * drift they are not at right angles to the isochrones: the velocity of the front is
 *
 *     dx/dT = v / F(v),    v = -(w m1 + (1-w) m2),
 *
 * with the donors m1, m2 and the weight w that gave a cell its time (docs/paths.md).
 *
 * All functions read the record of the last solve in `slot`: 0 after zm_forward, i for problem
 * i of zm_forward_batch.  They work after every engine.  Pass the same problem and the T it
 * returned, unchanged.  One thread at a time per solver. */
#ifndef ZM_PATH_H
#define ZM_PATH_H

#include "forward.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Velocity of the front when it came to each cell: the step of x (along columns) and y
 * (along rows, downwards) in a unit of time, in the unit of the spacing.  NaN where nothing
 * came, 0 at a source.
 *
 * @param solver  in,out  after zm_forward on the same problem
 * @param slot    in      0, or the number of the problem in its batch
 * @param problem in      as given to zm_forward
 * @param T       in      as returned by zm_forward
 * @param vx, vy  out     rows*cols values of the solver's dtype each
 * @param err     out     or NULL
 * @return ZM_OK; ZM_E_STATE (no solve, it failed, or the problem or T is seen to have changed
 *         since); ZM_E_ARG; ZM_E_SOURCE; ZM_E_NOMEM (the first look after a solve may allocate);
 *         what problem->fill said
 */
ZM_API zm_status zm_flow(zm_solver *solver, size_t slot, const zm_problem *problem,
                         const void *T,
                         void *vx, void *vy, zm_error *err);

/**
 * Which source the front that came first to each cell set out from: its index in
 * problem->sources, -1 where nothing came.  Where a cell has its time from fronts of two
 * sources, ties go to the source whose front alone arrives first.
 *
 * @param labels out  rows*cols numbers
 * Otherwise as zm_flow.
 */
ZM_API zm_status zm_labels(zm_solver *solver, size_t slot, const zm_problem *problem,
                           const void *T,
                           int32_t *labels, zm_error *err);

/** A point of a path: its place in rows and columns (whole numbers are the middles of
 *  cells), and when the front was there.  This struct is frozen. */
typedef struct zm_path_point {
    double row, col, time;
} zm_path_point;

typedef struct zm_path_opts {
    size_t size;
    /** 1: pieces of the path are replaced by straight ones where these cost less (by 0.03 %
     *  at least) and cross no wall: it takes corners tautly.  0: the path as traced. */
    int32_t straighten;
    /** Called by zm_paths on the calling thread between points, with the share of them that is
     *  done, 0..1; a non-zero answer cancels.  NULL: never. */
    zm_progress_fn *progress;
    void *progress_ctx;
} zm_path_opts;
#define ZM_PATH_OPTS_INIT                                                              \
    {                                                                                  \
        sizeof(zm_path_opts), 1, NULL, NULL                                            \
    }

/**
 * The minimal path from the source to a point: a polyline with points at most about
 * half a cell apart in open country, from the source to the point, in order of time.
 *
 * It always begins at the source.  It crosses no wall; where it goes exactly through the
 * corner of four cells it is free unless both cells beside it are walls.  Times begin with
 * that of the source, increase strictly, and end with T at the point, interpolated from the
 * cells around it; in between they are shared out by the cost of the way.
 *
 * On a closed grid the path is unwound: it ends at the point as it was given and goes on
 * beyond the border without a jump, so that its beginning is a source up to multiples of
 * rows and columns.
 *
 * @param row, col in   where the path ends: in 0..rows-1 and 0..cols-1, fractions allowed
 * @param points   out  room for `capacity` points, or NULL to count only
 * @param capacity in
 * @param count    out  number of points, also when it exceeds `capacity`; 0 if the cell the
 *                      point is in was not reached or is a wall; 1 if it is a source
 * @param source   out  index of the source it comes from, -1 if there is no path; or NULL
 * @param opts     in   NULL means ZM_PATH_OPTS_INIT
 * @return as zm_flow; ZM_E_ARG also for a point outside of the grid or too little capacity (then
 *         nothing is written to points); ZM_NOT_CONVERGED (the solve did not settle and the
 *         donors of the cell lead to no source; count is 0)
 */
ZM_API zm_status zm_path(zm_solver *solver, size_t slot, const zm_problem *problem,
                         const void *T,
                         double row, double col, zm_path_point *points, size_t capacity,
                         size_t *count, int32_t *source, const zm_path_opts *opts,
                         zm_error *err);

/**
 * The minimal paths to many points, each as of zm_path, found on the solver's threads.
 *
 * @param to       in   n places; their times are not used
 * @param points   out  room for `capacity` points, or NULL to count only: the paths, one after
 *                      the other
 * @param begins   out  n + 1 numbers: path i has the points begins[i] to begins[i + 1] - 1; none
 *                      where nothing arrives.  Also when begins[n] exceeds `capacity`
 * @param sources  out  n, index of the source that each comes from, -1 if there is no path; or
 *                      NULL
 * @return as zm_path, what the first point said that failed, else the first with a caveat; the
 *         message names it.  After a failure begins and sources are unspecified, unless it is
 *         that `capacity` is too little.  ZM_E_CANCELLED by progress.  Where problem->fill gives the metric, one thread
 *         works.  Memory is taken from the solver's zm_alloc, on all threads
 */
ZM_API zm_status zm_paths(zm_solver *solver, size_t slot, const zm_problem *problem,
                          const void *T, const zm_path_point *to, size_t n,
                          zm_path_point *points, size_t capacity, size_t *begins,
                          int32_t *sources, const zm_path_opts *opts, zm_error *err);

/**
 * The cost of moving along any polyline from its first point to its last: the integral of F
 * along it, with metric and drift interpolated between the cells (walls left out).
 * Where the metric changes with time, the motion begins at points[0].time, each piece has the
 * metric of the interval in which it is travelled, and it waits where nothing moves; otherwise
 * the times of the points are not used.
 *
 * @param grid     in   size and spacing
 * @param periodic in   ZM_PERIODIC_X, ZM_PERIODIC_Y or both: points may lie beyond the border
 * @param points   in   n >= 1 of them
 * @param cost     out  INFINITY if it crosses a wall or the border, or comes to a halt for ever
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM, what problem->fill said
 */
ZM_API zm_status zm_path_cost(zm_grid grid, const zm_problem *problem, int32_t periodic,
                              const zm_path_point *points, size_t n, double *cost,
                              zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
