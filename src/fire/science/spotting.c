/* SPDX-License-Identifier: Apache-2.0
 * Embers: how high, how far, how long, and whether they light what they fall on.
 *
 * Albini 1979, INT-56 (torching trees); 1983, INT-309, and Chase 1984, INT-346 (wind-driven surface
 * fires).  These formulas are in feet, inches, miles and miles per hour. */
#include "fire/science/spotting.h"

#include <math.h>

#include "fire/science/units.h"

static const double FEET_PER_MILE = 5280, CM_PER_INCH = 2.54;

/* Flame height a dbh^b n^0.4 (ft, inches), duration c dbh^d n^-0.2, of n trees of a species. */
static const struct {
    double height, height_power, duration, duration_power;
} TREE[ZM_TREE_SPECIES] = {
    [ZM_TREE_ENGELMANN_SPRUCE] = { 15.7, 0.451, 12.6, -0.256 },
    [ZM_TREE_DOUGLAS_FIR] = { 15.7, 0.451, 10.7, -0.278 },
    [ZM_TREE_SUBALPINE_FIR] = { 15.7, 0.451, 10.7, -0.278 },
    [ZM_TREE_WESTERN_HEMLOCK] = { 15.7, 0.451, 6.30, -0.249 },
    [ZM_TREE_PONDEROSA_PINE] = { 12.9, 0.453, 12.6, -0.256 },
    [ZM_TREE_LODGEPOLE_PINE] = { 12.9, 0.453, 12.6, -0.256 },
    [ZM_TREE_WESTERN_WHITE_PINE] = { 12.9, 0.453, 10.7, -0.278 },
    [ZM_TREE_GRAND_FIR] = { 16.5, 0.515, 10.7, -0.278 },
    [ZM_TREE_BALSAM_FIR] = { 16.5, 0.515, 10.7, -0.278 },
    [ZM_TREE_SLASH_PINE] = { 2.71, 1.0, 11.9, -0.389 },
    [ZM_TREE_LONGLEAF_PINE] = { 2.71, 1.0, 11.9, -0.389 },
    [ZM_TREE_POND_PINE] = { 2.71, 1.0, 7.91, -0.344 },
    [ZM_TREE_SHORTLEAF_PINE] = { 2.71, 1.0, 7.91, -0.344 },
    [ZM_TREE_LOBLOLLY_PINE] = { 2.71, 1.0, 13.5, -0.544 },
};

zm_torch zm_torch_of(zm_tree_species species, double diameter, double trees)
{
    const double inches = diameter / CM_PER_INCH;

    return (zm_torch){ TREE[species].height * pow(inches, TREE[species].height_power) *
                           pow(trees, 0.4) * ZM_METRES_PER_FOOT,
                       TREE[species].duration *
                           pow(inches, TREE[species].duration_power) *
                           pow(trees, -0.2) };
}

/* z = a duration^b flame + tree/2, a and b by the height of the tree over that of the flame. */
double zm_torch_lift(const zm_torch *torch, double tree_height)
{
    const double ratio = tree_height / torch->height, d = torch->duration;
    const double factor = ratio >= 1     ? 4.24 * pow(d, 0.332)
                          : ratio >= 0.5 ? 3.64 * pow(d, 0.391)
                          : d < 3.5      ? 2.78 * pow(d, 0.418)
                                         : 4.70;

    return factor * torch->height + 0.5 * tree_height;
}

/* z = 1.055 sqrt(f I) ft with I in BTU/ft/s and f = 322 (0.474 U)^-1.01. */
double zm_ember_lift(double intensity, double mph)
{
    if (!(mph > 0 && intensity > 0))
        return 0;
    return 1.055 *
           sqrt(322 * pow(0.474 * mph, -1.01) * intensity / ZM_KW_PER_M_OF_BTU) *
           ZM_METRES_PER_FOOT;
}

/* 0.000278 U z^0.643 miles. */
double zm_ember_drift(double lift, double mph)
{
    return lift > 0 ? 0.000278 * mph * pow(lift / ZM_METRES_PER_FOOT, 0.643) *
                          FEET_PER_MILE * ZM_METRES_PER_FOOT
                    : 0;
}

/* F = 0.000718 U sqrt(h) (0.362 + sqrt(z/h)/2 ln(z/h)) miles, z in ft; h, of the vegetation, is
 * not below 2.2 z^0.337 - 4. */
double zm_ember_distance(double height, double cover, double mph)
{
    const double z = height / ZM_METRES_PER_FOOT;
    double h, ratio;

    if (!(z > 0))
        return 0;
    h = fmax(cover / ZM_METRES_PER_FOOT, 2.2 * pow(z, 0.337) - 4.0);
    if (!(h > 0))
        return 0;
    ratio = z / h;
    return 0.000718 * mph * sqrt(h) * (0.362 + 0.5 * sqrt(ratio) * log(ratio)) *
           FEET_PER_MILE * ZM_METRES_PER_FOOT;
}

/* A burning ember falls with its terminal speed, v^2 = pi g rho D/(2 C_d rho_a), and burns as
 * d(rho D)/dt = -K rho_a v (Albini 1979): dv/dt = -pi g K/(4 C_d) = -a with K = 0.0064 and C_d =
 * 1.2.  What burns out as it lands has z = v^2/(2 a), t = v/a. */
double zm_ember_flight(double height)
{
    const double a = ZM_PI * 9.81 * 0.0064 / (4 * 1.2); /* m/s^2 */

    return sqrt(2 * fmax(height, 0) / a) / 3600;
}

/* Schroeder 1969: with the heat Q (cal/g) that brings the fuel to ignition,
 * P = 0.000048 ((400 - Q)/10)^4.3/50. */
double zm_ember_lights(double celsius, double moisture)
{
    const double m = moisture, t = celsius;
    const double Q = 144.5 - 0.266 * t - 0.00058 * t * t - t * m +
                     18.54 * (1 - exp(-15.1 * m)) + 640 * m;

    if (!(Q < 400))
        return 0;
    return fmin(0.000048 * pow(0.1 * (400 - Q), 4.3) / 50, 1);
}
