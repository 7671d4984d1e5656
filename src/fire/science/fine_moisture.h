/* SPDX-License-Identifier: Apache-2.0
 * Moisture of fine dead fuel from the air alone: a law for what needs no more than that (inputs
 * of networks, synthetic fires).  moisture.h has the one of the physical model. */
#ifndef ZM_FIRE_FINE_MOISTURE_H
#define ZM_FIRE_FINE_MOISTURE_H

#include "zermelo/fire/landscape.h"

/**
 * Moisture in percent that dead fuel takes on in air of a temperature (C) and relative humidity
 * (percent, taken as 0 to 100): Simard (1968), FF-X-14.
 *
 * @param d out  derivatives with respect to temperature and humidity, or NULL
 */
double zm_moisture_equilibrium(double celsius, double humidity, double d[2]);

/** Moisture of dead fuel in percent: 1 h fuel in the shade and in the open sun, 10 h fuel in the
 *  shade. */
typedef struct zm_fine_moisture {
    double shade_1h, sun_1h, shade_10h;
} zm_fine_moisture;

/** An hour later, in the weather of that hour, with the sine of the sun's altitude in it. */
void zm_moisture_step(zm_fine_moisture *m, const zm_weather_hour *w,
                      double sin_altitude);

#endif
