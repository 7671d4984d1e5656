/* SPDX-License-Identifier: Apache-2.0
 * What the values of a fuel model may be, given by a file or by a caller. */
#ifndef ZM_PHYSICS_FUEL_CHECK_H
#define ZM_PHYSICS_FUEL_CHECK_H

#include "zermelo/fire/physics.h"

enum { ZM_FUEL_VALUES = 12 }; /* loads, surface to volume, depth, extinction, heat */

typedef struct zm_value_rule {
    const char *name;
    double least, most;
} zm_value_rule;

extern const zm_value_rule zm_fuel_rules[ZM_FUEL_VALUES];

/** ZM_E_ARG: a value that is out of range.  A model without dead fuel never burns, whatever
 *  else it has. */
zm_status zm_fuel_check(const zm_fuel *fuel, zm_error *err);

#endif
