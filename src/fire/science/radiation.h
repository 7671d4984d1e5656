/* SPDX-License-Identifier: Apache-2.0
 * Radiation of a clear sky on a slope. */
#ifndef ZM_PHYSICS_RADIATION_H
#define ZM_PHYSICS_RADIATION_H

#include "fire/science/moisture.h"

/** W/m^2, 0 at night and on slopes turned away from the sun. */
double zm_sun_clear_sky_radiation(const zm_ground *ground, const zm_sun *sun);

#endif
