/* SPDX-License-Identifier: Apache-2.0
 * Headings as unit vectors: x along columns, y along rows downwards. */
#ifndef ZM_CONVERT_HEADING_H
#define ZM_CONVERT_HEADING_H

#include <math.h>

#include "zermelo/convert.h"

#define ZM_DEGREES_PER_RADIAN 57.29577951308232087680

/** u = (c, s) is the heading, n = (-s, c) is across. */
typedef struct zm_frame {
    double c, s;
    double per_radian; /* units of the heading: d(angle of u) = d(heading)/per_radian */
} zm_frame;

/* Degrees clockwise from north: u = (sin, -cos).  Whole quarters are taken off first, so that
 * multiples of 90 degrees are exact. */
static inline zm_frame zm_frame_of_compass(double degrees)
{
    const double turn = remainder(degrees, 360), quarter = nearbyint(turn / 90);
    const double rest = (turn - 90 * quarter) / ZM_DEGREES_PER_RADIAN;
    const double s = sin(rest), c = cos(rest);
    const double u[4][2] = { { s, -c }, { c, s }, { -s, c }, { -c, -s } };
    const int k = ((int)quarter + 4) % 4;

    return (zm_frame){ u[k][0], u[k][1], ZM_DEGREES_PER_RADIAN };
}

static inline zm_frame zm_frame_of(double heading, zm_heading convention)
{
    if (convention == ZM_HEADING_MATH)
        return (zm_frame){ cos(heading), sin(heading), 1 };
    return zm_frame_of_compass(heading);
}

/** Heading of a vector that is not zero. */
static inline double zm_heading_of(double x, double y, zm_heading convention)
{
    double degrees;

    if (convention == ZM_HEADING_MATH)
        return atan2(y, x);
    degrees = atan2(x, -y) * ZM_DEGREES_PER_RADIAN;
    degrees += degrees < 0 ? 360 : 0;
    return degrees < 360 ? degrees : 0; /* a tiny negative one rounds up to 360 */
}

#endif
