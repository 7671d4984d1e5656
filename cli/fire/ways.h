/* SPDX-License-Identifier: Apache-2.0
 * Major flow paths of a fire, as lines and as a map. */
#ifndef ZM_CLI_FIRE_WAYS_H
#define ZM_CLI_FIRE_WAYS_H

#include "fire/burning.h"

/** DONE, or a usage error: options of ways without --ways, or a file that lines cannot be
 *  written to. */
int ways_check(const physics_settings *s);

/** The ways of the times that b has just solved to --ways.  DONE, or FAILED after a message. */
int ways_save(burning *b);

#endif
