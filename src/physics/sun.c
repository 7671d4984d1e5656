/* SPDX-License-Identifier: Apache-2.0
 * Position of the sun and radiation on a slope. */
#include <math.h>

#include "physics/moisture.h"
#include "physics/radiation.h"

static const double PI = 3.14159265358979323846;

static double radians(double degrees)
{
    return degrees * (PI / 180);
}

/* Declination 23.45 sin(2 pi (284 + day)/365) (Cooper 1969); with hour angle H = 15 (t - 12)
 * sin A = sin lat sin dec + cos lat cos dec cos H, and the azimuth from the components of
 * the sun's direction along east and north (Iqbal 1983). */
zm_sun zm_sun_at(int32_t day_of_year, double hour, double latitude_degrees)
{
    const double dec = radians(23.45) * sin(2 * PI * (284 + day_of_year) / 365.0);
    const double H = radians(15 * (hour - 12)), lat = radians(latitude_degrees);
    const double east = -cos(dec) * sin(H);
    const double north = sin(dec) * cos(lat) - cos(dec) * sin(lat) * cos(H);

    return (zm_sun){ sin(lat) * sin(dec) + cos(lat) * cos(dec) * cos(H),
                     atan2(east, north) };
}

/* Direct radiation (W/m^2) under a clear sky on a slope without canopy, Frandsen and Andrews
 * (1979), INT-220, as in Rothermel et al. (1986), INT-359:
 *
 *     1370 tau^M cos(incidence),   tau = 0.7,  M = exp(-0.0448 z/1000 ft)/sin A,
 *     cos(incidence) = sin A cos slope + cos A sin slope cos(azimuth - aspect). */
double zm_clear_sky(const zm_ground *ground, const zm_sun *sun)
{
    const double feet = ground->elevation / 0.3048, sin_A = sun->sin_altitude;
    double incidence, air;

    if (sin_A <= 0)
        return 0;
    incidence = sin_A * cos(ground->slope) + sqrt(fmax(0, 1 - sin_A * sin_A)) *
                                                 sin(ground->slope) *
                                                 cos(sun->azimuth - ground->aspect);
    air = exp(-0.0448 * feet / 1000) / sin_A;
    return 1370 * pow(0.7, air) * fmax(0, incidence);
}
