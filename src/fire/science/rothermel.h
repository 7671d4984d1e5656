/* SPDX-License-Identifier: Apache-2.0
 * Rothermel's surface spread: what a fuel bed is, and how fast it burns in still air. */
#ifndef ZM_PHYSICS_ROTHERMEL_H
#define ZM_PHYSICS_ROTHERMEL_H

#include <stdbool.h>

#include "fire/science/dual.h"
#include "zermelo/fire/landscape.h"

/** Classes of particles: dead 1 h, 10 h, 100 h and cured herb; live herb and woody. */
enum { ZM_CURED = 3, ZM_LIVE_HERB = 4, ZM_LIVE_WOODY = 5, ZM_CLASSES = 6 };

/** What of a fuel model does not depend on moisture.  Feet, pounds, minutes, BTU. */
typedef struct zm_bed {
    bool burns, has_live, dynamic;
    double load[ZM_CLASSES];      /* lb/ft^2, before herbs have cured */
    double ratio[ZM_CLASSES];     /* surface to volume, 1/ft */
    double heating[ZM_CLASSES];   /* effective heating number exp(-138/ratio) */
    double fine_live[ZM_CLASSES]; /* exp(-500/ratio) */
    int size[ZM_CLASSES]; /* size class of the net loads, 5: too coarse to count */
    double extinction;    /* moisture of dead fuel, fraction */
    double heat[2];       /* BTU/lb dead, live */
    double area;          /* sum of load*ratio */
    double sigma, beta, bulk_density, depth;
    double reaction;   /* optimum reaction velocity times mineral damping, 1/min */
    double flux_ratio; /* propagating flux ratio xi */
    double wind_coef, wind_power; /* phi_w = wind_coef*(ft/min)^wind_power */
    double slope_coef;            /* phi_s = slope_coef*tan^2 */
} zm_bed;

/** Whether there is dead fuel, and depth. */
static inline bool zm_fuel_burns(const zm_fuel *fuel)
{
    return fuel->load[0] + fuel->load[1] + fuel->load[2] > 0 && fuel->depth > 0;
}

/** Fills the bed of a fuel; of one that does not burn little more than that. */
void zm_bed_make(const zm_fuel *fuel, zm_bed *bed);

/** Spread without wind and slope (ft/min) and reaction intensity (BTU/ft^2/min).
 *  moisture: five fractions, as the first five inputs. */
void zm_bed_spread(const zm_bed *bed, const zm_dual moisture[5], int n, zm_dual *rate,
                   zm_dual *intensity);

#endif
