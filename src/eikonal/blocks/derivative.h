/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of a solve on blocks: functions of zm_engine. */
#ifndef ZM_BLOCKS_DERIVATIVE_H
#define ZM_BLOCKS_DERIVATIVE_H

#include "eikonal/engine.h"

zm_status zm_blocks_adjoint(const zm_engine_view *view, double *lambda,
                            const zm_gradient *out, zm_error *err);
zm_status zm_blocks_tangent(const zm_engine_view *view, const zm_direction *direction,
                            double *value, zm_error *err);

#endif
