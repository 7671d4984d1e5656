/* SPDX-License-Identifier: Apache-2.0
 * How far embers fly and whether they light what they fall on (Albini 1979, 1983; Schroeder 1969). */
#ifndef ZM_FIRE_SPOTTING_LAW_H
#define ZM_FIRE_SPOTTING_LAW_H

#include "zermelo/fire/spotting.h"

/** The steady flame of torching trees. */
typedef struct zm_torch {
    double height;   /* m */
    double duration; /* as the formulas have it, without a unit */
} zm_torch;

/** Of so many trees that torch together, with a diameter at breast height in cm. */
zm_torch zm_torch_of(zm_tree_species species, double diameter, double trees);

/** Height in m to which it lifts embers from trees of a height in m. */
double zm_torch_lift(const zm_torch *torch, double tree_height);

/** Height in m to which a surface fire with this head intensity (kW/m) lifts embers in a wind (mph
 *  at 20 ft), and how far (m) they drift with the plume on the way up. */
double zm_ember_lift(double intensity, double mph);
double zm_ember_drift(double lift, double mph);

/** How far, in m, the ember flies over level ground that still burns when it lands, from a height,
 *  over vegetation of a height (m), in a wind (mph at 20 ft); 0 or less where it falls at once. */
double zm_ember_distance(double height, double cover, double mph);

/** h that it takes to fall. */
double zm_ember_flight(double height);

/** Probability that fine dead fuel of a moisture (fraction) catches fire at a temperature (C). */
double zm_ember_lights(double celsius, double moisture);

#endif
