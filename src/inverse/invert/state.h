/* SPDX-License-Identifier: Apache-2.0
 * Going on with a run from its saved state. */
#ifndef ZM_INVERT_STATE_H
#define ZM_INVERT_STATE_H

#include "inverse/invert/inversion.h"

/** Takes v->loaded; the run's memory is there.  Solves at the point, uncounted. */
zm_status zm_inversion_restore(zm_inversion *v, zm_error *err);

#endif
