/* SPDX-License-Identifier: Apache-2.0
 * Fire of one cell in one hour: rates of spread, heading, and the metric they make. */
#ifndef ZM_PHYSICS_CELL_FIRE_H
#define ZM_PHYSICS_CELL_FIRE_H

#include "fire/science/rothermel.h"
#include "zermelo/fire/physics.h"

/** How a slope pushes the fire of a bed: phi_s, and the wind (mph) that pushes as it does. */
typedef struct zm_slope_push {
    double phi, mph;
} zm_slope_push;
zm_slope_push zm_slope_push_of(const zm_bed *bed, double tan_slope);

/** What of a cell does not change with the weather. */
typedef struct zm_site {
    const zm_bed *bed;     /* NULL: does not burn */
    double wind_reduction; /* midflame wind over wind at 20 ft */
    double aspect;         /* radians */
    double cos_slope, sin_aspect, cos_aspect;
    zm_slope_push push, crown_push;   /* of its bed and of the bed of crown fires */
    double crown_base, crown_density; /* m, kg/m^3; base 0: no canopy to burn */
    double crown_load;                /* kg/m^2 that crowns can add to the fire */
} zm_site;

/** Rates of spread in the plane of the slope, m/min, and where the fire comes from there,
 *  radians clockwise from north.  flank is half the breadth. */
typedef struct zm_shape {
    zm_dual head, back, flank, from;
    bool crowns;
    /* On the ground, before crowns and corrections; values only.  Set where head is above 0. */
    double surface_head, surface_back, surface_flank;
    double heat; /* kJ/m^2 that the ground gives off */
    double onset,
        carry; /* surface rates at which crowns catch fire (INFINITY: there are none) and,
                            by Scott and Reinhardt, at which they carry it */
    double crown_head, crown_back,
        crown_flank; /* rates in the crowns; 0: not looked at */
} zm_shape;

/** What is common to the cells of a fire. */
typedef struct zm_fire_rules {
    zm_crown_model crown;
    double foliar_moisture;  /* percent */
    const zm_bed *crown_bed; /* fuel model 10 */
} zm_fire_rules;

/** Midflame wind over wind at 20 ft.  depth in ft, cover in percent, height in m. */
double zm_wind_reduction(double depth, double cover, double height);

/** Length over breadth of a fire in a midflame wind of so many mph, and its derivative. */
double zm_wind_length_to_breadth(double mph, double *derivative);

/** The fire of a cell; head.v is 0 where it does not burn.  input: the ZM_CELL_INPUTS. */
void zm_spread_cell_shape(const zm_site *site, const zm_fire_rules *rules,
                          const double input[ZM_CELL_INPUTS], int n, zm_shape *shape);

/** What becomes of crowns where the rate on the ground is `surface` and that of fuel model 10 in the
 *  wind of crowns is `crown`, m/min. */
typedef struct zm_crown_state {
    double share; /* of the crowns that burn, 0 to 1 */
    bool carried; /* the front runs in them */
} zm_crown_state;
zm_crown_state zm_spread_crown_state(const zm_site *site, const zm_fire_rules *rules,
                                     const zm_shape *shape, double surface,
                                     double crown);

/** Metric on the map from a shape: g11, g12, g22 in (h/m)^2, b1, b2 in h/m. */
void zm_spread_shape_metric(const zm_site *site, const zm_shape *shape, int n,
                            zm_dual metric[5]);

#endif
