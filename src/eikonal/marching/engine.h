/* SPDX-License-Identifier: Apache-2.0
 * Fast marching. */
#ifndef ZM_MARCH_ENGINE_H
#define ZM_MARCH_ENGINE_H

#include "eikonal/engine.h"

extern const zm_engine zm_march_engine;

/** Functions of zm_engine for records that the marching engine has solved or taken over. */
zm_node zm_march_node(const zm_engine_view *view, size_t cell);
void zm_march_clear(const zm_engine_view *view, double *values);
zm_status zm_march_adjoint(const zm_engine_view *view, double *lambda,
                           const zm_gradient *out, zm_error *err);
zm_status zm_march_tangent(const zm_engine_view *view, const zm_direction *direction,
                           double *value, zm_error *err);

#endif
