/* SPDX-License-Identifier: Apache-2.0
 * An engine for grids of one row: what a new engine takes is this folder and a line in the
 * table. */
#ifndef ZM_TESTS_DUMMY_ENGINE_H
#define ZM_TESTS_DUMMY_ENGINE_H

#include "eikonal/engine.h"

/** Larger ones it hands over, to show that it can. */
#define DUMMY_LARGEST 1e6

/** zm_report.method of what it solved. */
#define DUMMY_METHOD ((zm_forward_method)99)

extern const zm_engine dummy_engine;

#endif
