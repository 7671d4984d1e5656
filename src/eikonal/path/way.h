/* SPDX-License-Identifier: Apache-2.0
 * Straight ways between any two points of the grid: walls in between, and the cost. */
#ifndef ZM_PATH_WAY_H
#define ZM_PATH_WAY_H

#include <stdbool.h>

#include "eikonal/problem/metric_cache.h"

/** A point in cells: x counts columns, y rows; on closed grids of any size. */
typedef struct zm_path_place {
    double x, y;
} zm_path_place;

/** What stands in the way. */
typedef struct zm_path_ground {
    zm_grid grid; /* with the spacing over the unit */
    double unit;  /* of all times: problem/unit.h */
    const zm_problem *problem;
    bool periodic_x, periodic_y;
    /* for zm_path_ground_metric; NULL where the problem needs none */
    zm_metric_cache *cache;
} zm_path_ground;

/** The cell at a row and column, which closed grids repeat; false outside of the grid. */
bool zm_path_ground_cell(const zm_path_ground *t, int32_t row, int32_t col,
                         size_t *cell);

/** Whether it is a cell of the grid and no wall. */
bool zm_path_ground_free(const zm_path_ground *t, int32_t row, int32_t col);

/** Metric and drift of a cell in a time interval (0 where there are none), with the spacing
 *  folded in; false if it is a wall or nothing moves there. */
bool zm_path_ground_metric(const zm_path_ground *t, size_t interval, size_t cell,
                           zm_cell_metric *metric);

/** F(v) = |v|_G - b.v, v in cells. */
double zm_path_cost_of(const zm_cell_metric *g, double x, double y);

/** The column or row that a coordinate is in. */
int32_t zm_path_line_of(double coordinate);

/** What it costs to go straight from a to b, leaving at time `when`: the integral of F, by
 *  the midpoint of each piece inside a cell, with the metric interpolated between the cells
 *  that are no walls; INFINITY if it leaves the grid or crosses a wall.  The rule is that of
 *  marching/visible.h.  Where the metric changes with time each piece is gone with the metric
 *  of the interval it is gone in, and waits where nothing moves. */
double zm_path_way_cost(const zm_path_ground *t, zm_path_place a, zm_path_place b,
                        double when);

/** Whether it crosses no wall; the metric is not looked at. */
bool zm_path_way_clear(const zm_path_ground *t, zm_path_place a, zm_path_place b);

#endif
