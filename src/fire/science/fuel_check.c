/* SPDX-License-Identifier: Apache-2.0
 * Checks of fuel models. */
#include "fire/science/fuel_check.h"

#include "core/fail.h"

const zm_value_rule zm_fuel_rules[ZM_FUEL_VALUES] = {
    { "1 h load", 0, 200 },
    { "10 h load", 0, 200 },
    { "100 h load", 0, 200 },
    { "live herb load", 0, 200 },
    { "live woody load", 0, 200 },
    { "1 h surface to volume", 16, 20000 },
    { "live herb surface to volume", 16, 20000 },
    { "live woody surface to volume", 16, 20000 },
    { "depth", 0.001, 100 },
    { "moisture of extinction", 1, 300 },
    { "heat of dead fuel", 1, 50000 },
    { "heat of live fuel", 1, 50000 },
};

zm_status zm_fuel_check(const zm_fuel *f, zm_error *err)
{
    const double value[ZM_FUEL_VALUES] = { f->load[0],
                                           f->load[1],
                                           f->load[2],
                                           f->load[3],
                                           f->load[4],
                                           f->surface_to_volume[0],
                                           f->surface_to_volume[1],
                                           f->surface_to_volume[2],
                                           f->depth,
                                           f->extinction,
                                           f->heat[0],
                                           f->heat[1] };

    if (f->load[0] == 0 && f->load[1] == 0 && f->load[2] == 0)
        return ZM_OK;
    for (int i = 0; i < ZM_FUEL_VALUES; i++) {
        const zm_value_rule *rule = &zm_fuel_rules[i];

        if (!(value[i] >= rule->least && value[i] <= rule->most))
            return zm_fail(err, ZM_E_ARG, -1,
                           "fuel model %d: %s is %g, must be %g to %g", (int)f->number,
                           rule->name, value[i], rule->least, rule->most);
    }
    return ZM_OK;
}
