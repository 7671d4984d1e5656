/* SPDX-License-Identifier: Apache-2.0
 * Position of the sun, by two laws, and its radiation on a slope.
 *
 * The physical model is to meet FARSITE's moisture on slopes and takes its law, zm_sun_at.
 * Networks have been trained on inputs from the simpler law of zm_sun_vector and would see others
 * with the first one: the two stay side by side as long as there are such models. */
#ifndef ZM_FIRE_SUN_H
#define ZM_FIRE_SUN_H

#include <stdint.h>

/** What the sun and the moisture of a cell depend on besides the weather. */
typedef struct zm_ground {
    double elevation;     /* m */
    double slope, aspect; /* radians */
    double cover;         /* percent */
} zm_ground;

/** Where the sun stands. */
typedef struct zm_sun {
    double sin_altitude, azimuth; /* azimuth in radians clockwise from north */
} zm_sun;

/** Of the physical model: sun at an hour of local mean solar time on a day of the year (1..365). */
zm_sun zm_sun_at(int32_t day_of_year, double hour, double latitude_degrees);

/** Of inputs of networks: unit vector to the sun (x east, y south, z up) with the true azimuth.
 *  hour: local time; day_of_year: from 1, beyond 365 as well. */
void zm_sun_vector(int32_t day_of_year, double hour, double latitude_degrees,
                   double sun[3]);

/** Direct radiation of a clear sky, W/m^2; 0 at night and on slopes turned away from the sun. */
double zm_sun_clear_sky_radiation(const zm_ground *ground, const zm_sun *sun);

#endif
