/* SPDX-License-Identifier: Apache-2.0
 * The metric of any cell in any time interval, wherever it comes from. */
#ifndef ZM_PROBLEM_METRIC_CACHE_H
#define ZM_PROBLEM_METRIC_CACHE_H

#include "eikonal/problem/problem.h"
#include "zermelo/alloc.h"

/** Windows that zm_problem.fill has given. */
typedef struct zm_metric_cache zm_metric_cache;

/** NULL, and ZM_OK, where the problem needs none.  ZM_E_NOMEM. */
zm_status zm_metric_cache_create(zm_metric_cache **out, const zm_problem *problem,
                                 const zm_alloc *mem, zm_error *err);

/** What zm_problem.fill said if it failed, else `st`.  NULL is allowed. */
zm_status zm_metric_cache_destroy(zm_metric_cache *cache, const zm_alloc *mem,
                                  zm_status st, zm_error *err);

/** Metric of a cell in a time interval (0 where there are none); false if it is a wall, or
 *  nothing moves there during the interval.  It is not checked. */
bool zm_metric_in(zm_grid grid, const zm_problem *problem, zm_metric_cache *cache,
                  size_t interval, size_t cell, zm_cell_metric *metric);

#endif
