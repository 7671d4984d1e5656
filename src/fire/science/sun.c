/* SPDX-License-Identifier: Apache-2.0
 * Position of the sun and radiation on a slope. */
#include "fire/science/sun.h"

#include <math.h>

#include "fire/science/units.h"

/* Declination and equation of time (minutes) on a day of the year (Spencer 1971). */
static void of_the_day(int32_t day_of_year, double *declination, double *minutes)
{
    const double g = 2 * ZM_PI * (day_of_year - 1) / 365.0;

    *declination = 0.006918 - 0.399912 * cos(g) + 0.070257 * sin(g) -
                   0.006758 * cos(2 * g) + 0.000907 * sin(2 * g) -
                   0.002697 * cos(3 * g) + 0.00148 * sin(3 * g);
    *minutes = 229.18 * (0.000075 + 0.001868 * cos(g) - 0.032077 * sin(g) -
                         0.014615 * cos(2 * g) - 0.04089 * sin(2 * g));
}

/* sin A = sin lat sin dec + cos lat cos dec cos H with the hour angle H (Iqbal 1983). */
static double sin_altitude(double lat, double dec, double H)
{
    return sin(lat) * sin(dec) + cos(lat) * cos(dec) * cos(H);
}

/* The azimuth is 180 + H, as in FARSITE, whose moisture of slopes this is to meet (the true one
 * is nearer to east and west), and -H south of the equator. */
zm_sun zm_sun_at(int32_t day_of_year, double hour, double latitude_degrees)
{
    const double lat = latitude_degrees * ZM_RADIANS;
    double dec, minutes, H;

    of_the_day(day_of_year, &dec, &minutes);
    H = 15 * (hour - 12 + minutes / 60) * ZM_RADIANS;
    return (zm_sun){ sin_altitude(lat, dec, H),
                     latitude_degrees >= 0 ? ZM_PI + H : -H };
}

/* Declination by Cooper (1969), within 1.4 degrees of Spencer's, and no equation of time, which
 * is at most 17 minutes. */
void zm_sun_vector(int32_t day_of_year, double hour, double latitude_degrees,
                   double sun[3])
{
    const double dec =
        23.45 * ZM_RADIANS * sin(360 * ZM_RADIANS * (284 + (double)day_of_year) / 365);
    const double H = 15 * ZM_RADIANS * (hour - 12), lat = latitude_degrees * ZM_RADIANS;

    sun[0] = -cos(dec) * sin(H);
    sun[1] = -(cos(lat) * sin(dec) - sin(lat) * cos(dec) * cos(H));
    sun[2] = sin_altitude(lat, dec, H);
}

/* Direct radiation (W/m^2) under a clear sky on a slope without canopy, Frandsen and Andrews
 * (1979), INT-220, as in Rothermel et al. (1986), INT-359:
 *
 *     1370 tau^M cos(incidence),   tau = 0.7,  M = exp(-z/22.4 km)/sin A,
 *     cos(incidence) = sin A cos slope + cos A sin slope cos(azimuth - aspect). */
double zm_sun_clear_sky_radiation(const zm_ground *ground, const zm_sun *sun)
{
    const double scale = 22364; /* m, FARSITE's */
    const double sin_A = sun->sin_altitude;
    double incidence, air;

    if (sin_A <= 0)
        return 0;
    incidence = sin_A * cos(ground->slope) + sqrt(fmax(0, 1 - sin_A * sin_A)) *
                                                 sin(ground->slope) *
                                                 cos(sun->azimuth - ground->aspect);
    air = exp(-ground->elevation / scale) / sin_A;
    return 1370 * pow(0.7, air) * fmax(0, incidence);
}
