/* SPDX-License-Identifier: Apache-2.0
 * The isotropic slowness that explains given arrival times. */
#ifndef ZM_LEARN_SLOWNESS_H
#define ZM_LEARN_SLOWNESS_H

#include <stdint.h>

/**
 * The slowness with which the eight triangles around a cell, from the times of its neighbours
 * as they are, give the time of the cell.  Where all cells have theirs, the times given are
 * the solver's.
 *
 * @param T          in  rows*cols, INFINITY: no time
 * @param cell_size  in  m
 * @return h/m; 0 where no neighbour is earlier
 */
double zm_field_slowness_at(const float *T, int32_t rows, int32_t cols,
                            double cell_size, int32_t row, int32_t col);

#endif
