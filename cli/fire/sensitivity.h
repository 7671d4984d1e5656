/* SPDX-License-Identifier: Apache-2.0
 * What decides when a fire comes to assets: maps and a table beside its times. */
#ifndef ZM_CLI_FIRE_SENSITIVITY_H
#define ZM_CLI_FIRE_SENSITIVITY_H

#include "fire/burning.h"

/** FIRE.sensitivity.tif and FIRE.sensitivity.csv of the times that b has just solved, and the
 *  first of them in words.  DONE, or FAILED after a message. */
int sensitivity_save(burning *b, const zm_fire *fire, const char *name);

#endif
