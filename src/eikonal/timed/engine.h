/* SPDX-License-Identifier: Apache-2.0
 * The engine for metrics that change with time, for the table of engines. */
#ifndef ZM_TIMED_ENGINE_H
#define ZM_TIMED_ENGINE_H

#include "eikonal/engine.h"

extern const zm_engine zm_timed_engine;

#endif
