/* SPDX-License-Identifier: Apache-2.0
 * How a fire behaves in one direction: rate, heat, intensity, flames, crowns. */
#ifndef ZM_FIRE_BEHAVIOUR_LAW_H
#define ZM_FIRE_BEHAVIOUR_LAW_H

#include "fire/science/cell_fire.h"

typedef struct zm_behaviour {
    double rate;      /* m/min in the plane of the slope */
    double heat;      /* kJ/m^2 */
    double intensity; /* kW/m, Byram's */
    double flame;     /* m */
    double share;     /* of the crowns that burn */
    zm_crown_activity activity;
} zm_behaviour;

/** Speed of an ellipse whose focus is where the fire starts, `angle` radians off its heading. */
double zm_ellipse_rate(double head, double back, double flank, double angle);

/** Of a cell whose shape.head is above 0, `angle` radians off its heading in the plane of the
 *  slope. */
zm_behaviour zm_behaviour_of(const zm_site *site, const zm_fire_rules *rules,
                             const zm_shape *shape, double angle);

/** Length of flames in m of a fireline intensity in kW/m: Byram (1959), or, where the front runs in
 *  crowns, Thomas (1963). */
double zm_flame_length(double intensity, bool crowns);

#endif
