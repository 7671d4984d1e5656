/* SPDX-License-Identifier: Apache-2.0
 * Whether a wall stands between two cells. */
#ifndef ZM_MARCH_VISIBLE_H
#define ZM_MARCH_VISIBLE_H

#include "eikonal/marching/march.h"

/** Whether the straight way from the middle of a cell to that of its neighbour at offset o
 *  crosses no wall.  Where it passes exactly through the corner of four cells it is free
 *  unless both cells beside it are walls.  Outside of the grid counts as free: there is no
 *  donor either.  Walls are the cells of kind ZM_MARCH_WALL. */
bool zm_march_visible(const zm_march *m, int32_t row, int32_t col, zm_local_offset o);

/** Whether walls stand on both sides of one of the four diagonal steps. */
bool zm_march_corner_blocked(const zm_march *m, int32_t row, int32_t col);

#endif
