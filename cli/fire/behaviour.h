/* SPDX-License-Identifier: Apache-2.0
 * Maps of fire behaviour beside the times of a fire. */
#ifndef ZM_CLI_FIRE_BEHAVIOUR_H
#define ZM_CLI_FIRE_BEHAVIOUR_H

#include "fire/burning.h"

/** FIRE.behaviour.tif and FIRE.potential.tif, where they are wanted, of the fire that b->whole has the
 *  times of.  DONE, or FAILED after a message. */
int behaviour_save(burning *b, const char *name);

#endif
