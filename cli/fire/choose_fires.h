/* SPDX-License-Identifier: Apache-2.0
 * Which fires of a scene the options --split and --fire choose. */
#ifndef ZM_CLI_FIRE_CHOOSE_FIRES_H
#define ZM_CLI_FIRE_CHOOSE_FIRES_H

#include <stdbool.h>

#include "zermelo/fire/dataset.h"

/** Whether fire i has this word in the column split, and this name; NULL: any. */
bool fire_is_chosen(const zm_scene *scene, size_t i, const char *split,
                    const char *fire);

/** How many are chosen. */
size_t fires_chosen(const zm_scene *scene, const char *split, const char *fire);

/** Where none is: FAILED, after a message that tells why and which splits there are. */
int no_fire_chosen(const zm_scene *scene, const char *split, const char *fire);

#endif
