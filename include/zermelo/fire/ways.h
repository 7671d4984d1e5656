/* SPDX-License-Identifier: Apache-2.0
 * Major flow paths of a fire: the ways of minimum travel time by which most of it burns (Finney
 * 2006). */
#ifndef ZM_WAYS_H
#define ZM_WAYS_H

#include "../path.h"
#include "physics.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zm_ways_opts {
    size_t size;
    int32_t
        interval; /**< cells from one burned cell whose way is followed to the next, along rows
                           and columns, >= 1 */
    double
        least; /**< share of these cells, 0 to 1: ways are shown as far as at least so many of them
                       burn by them */
} zm_ways_opts;
#define ZM_WAYS_OPTS_INIT                                                              \
    {                                                                                  \
        sizeof(zm_ways_opts), 3, 0.02                                                  \
    }

/** A way, from where it sets out or leaves another one to where too few cells burn by it.  This
 *  struct is frozen. */
typedef struct zm_way {
    size_t begin, n; /**< of its points, >= 2 */
    double flow;     /**< share of the cells that burn by its beginning */
    int32_t
        from; /**< the way that it leaves, which comes before it; -1: it sets out where fire was
                          lit */
} zm_way;

/** Free with zm_ways_free.  This struct is frozen. */
typedef struct zm_ways {
    zm_way *ways; /**< those whose cells burn last come first */
    size_t n;
    zm_path_point
        *points; /**< in rows, columns and hours; whole numbers are middles of cells */
    size_t n_points;
    int64_t followed; /**< cells whose ways were followed */
} zm_ways;

/**
 * The ways by which a fire came to its cells: paths of minimum travel time to burned cells on a
 * lattice, and to the last of all, joined where they run through the same cells.
 *
 * @param T    in   the last arrival times, rows*cols
 * @param flow out  rows*cols: share of the ways that run through each cell; or NULL
 * @param ways out  or NULL; zeroed after a failure
 * @return as zm_physics_adjoint: ways are those of minimum travel times, also where markers carried
 *         the fire; ZM_E_ARG; where no cell burned that has a way, ways are none
 */
ZM_API zm_status zm_physics_ways(zm_physics *physics, const double *T, float *flow,
                                 zm_ways *ways, const zm_ways_opts *opts,
                                 zm_error *err);

/** Frees what zm_physics_ways gave; zeroes it.  NULL is allowed. */
ZM_API void zm_ways_free(zm_ways *ways);

#ifdef __cplusplus
}
#endif

#endif
