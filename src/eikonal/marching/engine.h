/* SPDX-License-Identifier: Apache-2.0
 * Fast marching. */
#ifndef ZM_MARCH_ENGINE_H
#define ZM_MARCH_ENGINE_H

#include "eikonal/engine.h"

extern const zm_engine zm_march_engine;

#endif
