/* SPDX-License-Identifier: Apache-2.0
 * Moisture of dead fuel by hour, from sun, temperature, humidity, cloud and rain: two models.
 *
 * That of the physical model follows Nelson (2000) and depends on the ground of a cell: zm_climate
 * and what comes after it.  zm_fine_moisture goes by the air alone.  Networks have been trained on
 * inputs from it, and synthetic fires burn by its equilibrium: the two stay side by side as long
 * as there are such models. */
#ifndef ZM_PHYSICS_MOISTURE_H
#define ZM_PHYSICS_MOISTURE_H

#include "fire/science/dual.h"
#include "fire/science/sun.h"
#include "zermelo/fire/landscape.h"

/** Weather of a fire by hour; hours beyond the last record repeat it. */
typedef struct zm_climate {
    const zm_weather_hour *weather;
    size_t hours;
    int32_t intervals; /* hours wanted */
    const zm_sun *sun; /* intervals of them */
    double station;    /* elevation of the station, m */
    double initial[3]; /* fractions: 1 h, 10 h, 100 h */
} zm_climate;

/** Derivatives with respect to the weather and the initial moisture, or a direction of change. */
typedef struct zm_climate_change {
    zm_weather_hour *weather; /* climate.hours records */
    double initial[3];
} zm_climate_change;

/** Moisture at the surface of a fine fuel particle in balance with the air and sun when
 *  an hour begins, as a fraction, given that of the outermost wood.  n = 5: derivatives
 *  with respect to temperature, humidity, radiation and rain at that time, and to the wood. */
void zm_moisture_at_surface(const zm_climate *climate, const zm_ground *ground,
                            int32_t hour, double wood, int n, zm_dual *out);

enum { ZM_DEAD = 3 }; /* 1 h, 10 h, 100 h */

/** Moisture of a place when each hour begins, as far as it has been asked for. */
typedef struct zm_moisture_series {
    zm_ground ground;
    int32_t known; /* hours at whose end it is known */
    double mark
        []; /* at the beginning of hour k at k*ZM_DEAD + class, and at the end of the
                      last: climate->intervals + 1 of them */
} zm_moisture_series;

/** Values in a series. */
static inline size_t zm_moisture_marks(const zm_climate *climate)
{
    return ((size_t)climate->intervals + 1) * ZM_DEAD;
}

/** No hour is known yet. */
void zm_moisture_begin(const zm_climate *climate, const zm_ground *ground,
                       zm_moisture_series *series);

/** Goes on until so many hours are known. */
void zm_moisture_extend(const zm_climate *climate, int32_t hours,
                        zm_moisture_series *series);

/** Change of the moisture at all marks for a change of climate; extends the series to all hours. */
void zm_moisture_tangent(const zm_climate *climate, zm_moisture_series *series,
                         const zm_climate_change *change, double *d_mark);

/** Adds the derivatives of sum(weight*mark) with respect to the climate. */
void zm_moisture_adjoint(const zm_climate *climate, zm_moisture_series *series,
                         const double *weight, zm_climate_change *change);

/* The model from the air alone. */

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
