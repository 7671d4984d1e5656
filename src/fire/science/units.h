/* SPDX-License-Identifier: Apache-2.0
 * Units of the published models in ours. */
#ifndef ZM_FIRE_UNITS_H
#define ZM_FIRE_UNITS_H

#include "core/pi.h"

#define ZM_METRES_PER_FOOT     0.3048
#define ZM_KM_PER_MILE         1.609344
#define ZM_MM_PER_INCH         25.4
#define ZM_FT_PER_MIN_OF_MPH   88.0
#define ZM_M_PER_S_OF_MPH      0.44704
#define ZM_KG_PER_M3_OF_LB_FT3 16.018463
#define ZM_KW_PER_M_OF_BTU     3.4613   /* kW/m of a BTU/ft/s */
#define ZM_KW_PER_M2_OF_BTU    0.189275 /* kW/m^2 of a BTU/ft^2/min */
#define ZM_HOURS_PER_MINUTE    (1 / 60.0)

/** Wind 20 ft above the vegetation in mph, of a wind of 1 km/h 10 m above open ground: FARSITE's
 *  conversion (Finney 1998, RMRS-RP-4), 1/1.15 for the height. */
#define ZM_MPH_20FT_OF_KMH_10M 0.5402

static inline double zm_fahrenheit(double celsius)
{
    return 32 + 1.8 * celsius;
}

#endif
