/* SPDX-License-Identifier: Apache-2.0
 * A surface fire with the installed library: wind makes it faster. */
#include <stdio.h>

#include "zermelo/fire/physics.h"

int main(void)
{
    const zm_fuel_moisture dry = { 6, 7, 8, 60, 90 };
    zm_surface_fire calm, windy;
    zm_error err;

    if (zm_surface_fire_of(zm_fuel_published(2), &dry, 0, 270, 0, 0, &calm, &err) !=
            ZM_OK ||
        zm_surface_fire_of(zm_fuel_published(2), &dry, 8, 270, 0, 0, &windy, &err) !=
            ZM_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("rates of spread: %.2f and %.2f m/min\n", calm.rate, windy.rate);
    return !(calm.rate > 0 && windy.rate > 2 * calm.rate);
}
