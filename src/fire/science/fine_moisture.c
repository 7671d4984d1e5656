/* SPDX-License-Identifier: Apache-2.0
 * Dead fuel follows the equilibrium of the air, slower the thicker it is. */
#include "fire/science/fine_moisture.h"

#include <math.h>

#include "fire/science/units.h"

/* By full sun at the surface, C; saturation pressure rises by about 6 % a degree. */
static const double SUN_WARMS = 14, DRIER_A_DEGREE = 0.943;

double zm_moisture_equilibrium(double celsius, double humidity, double d[2])
{
    const double t = zm_fahrenheit(celsius), h = fmin(fmax(humidity, 0), 100);
    double value, by_t, by_h;

    if (h < 10) {
        value = 0.03229 + 0.281073 * h - 0.000578 * h * t;
        by_t = -0.000578 * h;
        by_h = 0.281073 - 0.000578 * t;
    } else if (h < 50) {
        value = 2.22749 + 0.160107 * h - 0.014784 * t;
        by_t = -0.014784;
        by_h = 0.160107;
    } else {
        value = 21.0606 + 0.005565 * h * h - 0.00035 * h * t - 0.483199 * h;
        by_t = -0.00035 * h;
        by_h = 2 * 0.005565 * h - 0.00035 * t - 0.483199;
    }
    if (d) {
        d[0] = 1.8 * by_t;
        d[1] = h == humidity ? by_h : 0;
    }
    return value;
}

void zm_moisture_step(zm_fine_moisture *m, const zm_weather_hour *w,
                      double sin_altitude)
{
    const double warmer = SUN_WARMS * fmax(sin_altitude, 0) * (1 - w->cloud / 100);
    const double shade = zm_moisture_equilibrium(w->temperature, w->humidity, NULL);
    const double sun = zm_moisture_equilibrium(
        w->temperature + warmer, w->humidity * pow(DRIER_A_DEGREE, warmer), NULL);
    const double one_hour = 1 - exp(-1.0), ten_hours = 1 - exp(-0.1);

    m->shade_1h += one_hour * (shade - m->shade_1h);
    m->sun_1h += one_hour * (sun - m->sun_1h);
    m->shade_10h += ten_hours * (shade - m->shade_10h);
}
