/* SPDX-License-Identifier: Apache-2.0
 * Which fuels burn: those that a landscape has and zm_fuel_burns says so of. */
#include "fire/science/rothermel.h"
#include "zermelo/fire/physics.h"

int zm_fuel_burnable(const zm_landscape *landscape, int32_t number)
{
    const zm_fuel *fuel = zm_landscape_fuel(landscape, number);

    return fuel && zm_fuel_burns(fuel);
}

void zm_landscape_burnable(const zm_landscape *landscape, uint8_t *mask)
{
    const size_t n = (size_t)landscape->rows * (size_t)landscape->cols;
    const float *fuel = landscape->layers[ZM_LAYER_FUEL];
    int32_t last = -1;
    int burns = 0;

    for (size_t i = 0; i < n; i++) {
        const int32_t number = (int32_t)fuel[i];

        if (number != last) /* neighbours often have the same fuel */
            burns = zm_fuel_burnable(landscape, number);
        last = number;
        mask[i] = (uint8_t)burns;
    }
}
