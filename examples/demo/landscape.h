/* SPDX-License-Identifier: Apache-2.0
 * A made-up landscape to travel through: hills, woods, a river with one bridge, wind. */
#ifndef ZM_DEMO_LANDSCAPE_H
#define ZM_DEMO_LANDSCAPE_H

#include <stdbool.h>
#include "zermelo/zermelo.h"

/** All planes have rows*cols values; lengths in km, times in hours. */
typedef struct landscape {
    zm_grid grid;
    size_t n;
    double *height;                    /**< km */
    double *slowness;                  /**< hours a km, without wind, on level ground */
    double *g11, *g12, *g22, *b1, *b2; /**< the metric and the drift */
    double *wind_x, *wind_y; /**< direction of b; its length is |b|_{G^-1}, below 1 */
    uint8_t *walls;          /**< the river */
    zm_source camp;          /**< where the traveller starts */
    int32_t village_row, village_col; /**< where she wants to go */
} landscape;

/** Makes the landscape of a seed; false when out of memory.  Free it in either case. */
bool landscape_make(landscape *land, int32_t rows, int32_t cols, uint64_t seed);
void landscape_free(landscape *land);

/** The problem to solve; borrows the landscape's planes. */
zm_problem landscape_problem(const landscape *land);

#endif
