/* SPDX-License-Identifier: Apache-2.0
 * Straight ways between any two points of the grid: walls in between, and the cost. */
#ifndef ZM_PATH_WAY_H
#define ZM_PATH_WAY_H

#include <stdbool.h>

#include "eikonal/problem/problem.h"

/** A point in cells: x counts columns, y rows; on closed grids of any size. */
typedef struct zm_path_place {
    double x, y;
} zm_path_place;

/** What stands in the way. */
typedef struct zm_path_ground {
    zm_grid grid;
    const zm_problem *problem;
    bool periodic_x, periodic_y;
} zm_path_ground;

/** The cell at a row and column, which closed grids repeat; false outside of the grid. */
bool zm_path_ground_cell(const zm_path_ground *t, int32_t row, int32_t col, size_t *cell);

/** Whether it is a cell of the grid and no wall. */
bool zm_path_ground_free(const zm_path_ground *t, int32_t row, int32_t col);

/** Metric and drift of a cell, with the spacing folded in. */
zm_cell_metric zm_path_ground_metric(const zm_path_ground *t, size_t cell);

/** F(v) = |v|_G - b.v, v in cells. */
double zm_path_cost_of(const zm_cell_metric *g, double x, double y);

/** The column or row that a coordinate is in. */
int32_t zm_path_line_of(double coordinate);

/** Integral of F along the straight way from a to b, by the midpoint of each piece inside a
 *  cell, with the metric interpolated between the cells that are no walls; INFINITY if it
 *  leaves the grid or crosses a wall.  The rule is that of marching/visible.h. */
double zm_path_way_cost(const zm_path_ground *t, zm_path_place a, zm_path_place b);

/** Whether it crosses no wall; the metric is not looked at. */
bool zm_path_way_clear(const zm_path_ground *t, zm_path_place a, zm_path_place b);

#endif
