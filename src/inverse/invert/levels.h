/* SPDX-License-Identifier: Apache-2.0
 * A start from coarser grids. */
#ifndef ZM_INVERT_LEVELS_H
#define ZM_INVERT_LEVELS_H

#include "inverse/invert/inversion.h"

/** Whether the grid is large enough, and nothing speaks against it. */
bool zm_inversion_levels_wanted(const zm_inversion *v);

/** From a solve at the start to a better start, solved as well. */
zm_status zm_inversion_levels_start(zm_inversion *v, zm_error *err);

#endif
