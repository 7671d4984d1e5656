/* SPDX-License-Identifier: Apache-2.0
 * From the wind at 20 ft to the wind at the flames, and from there to the shape of a fire. */
#include <math.h>

#include "fire/science/cell_fire.h"
#include "fire/science/units.h"

/* Albini and Baughman (1979), INT-221, as FARSITE uses them (Finney 1998, RMRS-RP-4).
 * Unsheltered, over a bed of depth H (ft), flames as high as the bed is deep:
 *
 *     U/U20 = 1.36/ln((20 + 0.36 H)/(0.13 H)) (ln(1.36/0.13) - 1).
 *
 * Sheltered by a canopy of height H (ft) that fills a share f = cover/3 pi/4 of its space:
 *
 *     U/U20 = 0.555/(sqrt(f H) ln((20 + 0.36 H)/(0.13 H))). */
double zm_wind_reduction(double depth, double cover, double height)
{
    const double SHELTERS_ABOVE = 5; /* percent */
    const double H = height / ZM_METRES_PER_FOOT;

    if (cover <= SHELTERS_ABOVE || H <= 0) {
        return fmin(1, 1.36 / log((20 + 0.36 * depth) / (0.13 * depth)) *
                           (log(1.36 / 0.13) - 1));
    } else {
        const double filled = cover / 100 / 3 * ZM_PI / 4;

        return fmin(1, 0.555 / (sqrt(filled * H) * log((20 + 0.36 * H) / (0.13 * H))));
    }
}

/* Anderson (1983), INT-305, in the form of Finney (1998) that gives a circle without wind:
 * LB = 0.936 exp(0.2566 U) + 0.461 exp(-0.1548 U) - 0.397, U in m/s, at most 8. */
double zm_wind_length_to_breadth(double mph, double *derivative)
{
    const double U = ZM_M_PER_S_OF_MPH * mph;
    const double grows = 0.936 * exp(0.2566 * U), falls = 0.461 * exp(-0.1548 * U);
    const double lb = grows + falls - 0.397;

    *derivative = lb < 8 ? ZM_M_PER_S_OF_MPH * (0.2566 * grows - 0.1548 * falls) : 0;
    return fmin(lb, 8);
}
