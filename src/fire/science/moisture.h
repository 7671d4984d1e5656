/* SPDX-License-Identifier: Apache-2.0
 * Moisture of dead fuel by hour, from sun, temperature, humidity, cloud and rain. */
#ifndef ZM_PHYSICS_MOISTURE_H
#define ZM_PHYSICS_MOISTURE_H

#include "fire/science/dual.h"
#include "zermelo/fire/landscape.h"

/** What the moisture of a cell depends on besides the weather. */
typedef struct zm_ground {
    double elevation;     /* m */
    double slope, aspect; /* radians */
    double cover;         /* percent */
} zm_ground;

/** Where the sun stands. */
typedef struct zm_sun {
    double sin_altitude, azimuth; /* azimuth in radians clockwise from north */
} zm_sun;

/** Weather of a fire by hour; hours beyond the last record repeat it. */
typedef struct zm_climate {
    const zm_weather_hour *weather;
    size_t hours;
    int32_t bands;     /* hours wanted */
    const zm_sun *sun; /* bands of them */
    double station;    /* elevation of the station, m */
    double initial[3]; /* fractions: 1 h, 10 h, 100 h */
} zm_climate;

/** Derivatives by the weather and the initial moisture, or a direction of change. */
typedef struct zm_climate_change {
    zm_weather_hour *weather; /* climate.hours records */
    double initial[3];
} zm_climate_change;

/** Sun at an hour of local mean solar time on a day of the year (1..365). */
zm_sun zm_sun_at(int32_t day_of_year, double hour, double latitude_degrees);

/** Unit vector to the sun (x east, y south, z up) with the true azimuth, by a simpler law that
 *  trained networks have seen.  hour: local time; day_of_year: from 1, beyond 365 as well. */
void zm_sun_vector(int32_t day_of_year, double hour, double latitude_degrees,
                   double sun[3]);

/** Moisture at the surface of a fine fuel particle in balance with the air and sun when
 *  an hour begins, as a fraction, given that of the outermost wood.  n = 5: derivatives by
 *  temperature, humidity, radiation and rain at that time, and by the wood. */
void zm_moisture_at_surface(const zm_climate *climate, const zm_ground *ground,
                            int32_t hour, double wood, int n, zm_dual *out);

enum { ZM_DEAD = 3 }; /* 1 h, 10 h, 100 h */

/** Moisture of a place when each hour begins, as far as it has been asked for. */
typedef struct zm_moisture_series {
    int32_t known; /* hours at whose end it is known */
    double mark
        []; /* at the beginning of hour k at k*ZM_DEAD + class, and at the end of the
                      last: climate->bands + 1 of them */
} zm_moisture_series;

/** Values in a series. */
static inline size_t zm_moisture_marks(const zm_climate *climate)
{
    return ((size_t)climate->bands + 1) * ZM_DEAD;
}

/** No hour is known yet. */
void zm_moisture_begin(const zm_climate *climate, zm_moisture_series *series);

/** Goes on until so many hours are known. */
void zm_moisture_extend(const zm_climate *climate, const zm_ground *ground,
                        int32_t hours, zm_moisture_series *series);

/** Change of the moisture at all marks for a change of climate; all hours of the series are
 *  known. */
void zm_moisture_tangent(const zm_climate *climate, const zm_ground *ground,
                         const zm_moisture_series *series,
                         const zm_climate_change *change, double *d_mark);

/** Adds the derivatives by the climate of sum(weight*mark). */
void zm_moisture_adjoint(const zm_climate *climate, const zm_ground *ground,
                         const zm_moisture_series *series, const double *weight,
                         zm_climate_change *change);

#endif
