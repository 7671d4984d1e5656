/* SPDX-License-Identifier: Apache-2.0
 * Moments on the clocks of people and of the sun. */
#ifndef ZM_FIRE_MOMENT_H
#define ZM_FIRE_MOMENT_H

#include <stdint.h>

#include "../export.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A moment on somebody's clock.  This struct is frozen. */
typedef struct zm_time {
    int32_t year; /**< 0: not told */
    int32_t month, day;
    double hour;  /**< 0 <= hour < 24 */
    double ahead; /**< h that the clock is ahead of UTC; NAN: not told */
} zm_time;

/** Reads 2013-08-17T14:30, without year or minutes too, and with Z or +02:00 behind it; 0 where
 *  it is none. */
ZM_API int zm_time_parse(const char *text, zm_time *out);

/** Hours since 1970 on the clock of the moment; NAN without a year or where there is no such day. */
ZM_API double zm_time_hours(const zm_time *time);

/** The moment so many hours after another one on the same clock, to the minute; without a year its month
 *  is 0. */
ZM_API zm_time zm_time_after(const zm_time *time, double hours);

/** How far mean solar time is ahead of a clock at a longitude (degrees east), h; 0 where the
 *  clock's distance from UTC is not told: it is taken as the sun's. */
ZM_API double zm_sun_ahead(double longitude, double clock_ahead);

#ifdef __cplusplus
}
#endif

#endif
