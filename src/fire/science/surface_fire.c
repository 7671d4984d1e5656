/* SPDX-License-Identifier: Apache-2.0
 * One point of the surface fire model. */
#include <math.h>

#include "core/fail.h"
#include "fire/science/behaviour.h"
#include "fire/science/fuel_check.h"
#include "fire/science/units.h"

static zm_status check(const zm_fuel *fuel, const zm_fuel_moisture *m, double wind,
                       double wind_dir, double slope, double aspect, zm_error *err)
{
    const double moisture[5] = { m->dead_1h, m->dead_10h, m->dead_100h, m->live_herb,
                                 m->live_woody };

    for (int i = 0; i < 5; i++)
        if (!(moisture[i] >= 0 && moisture[i] <= 1000))
            return zm_fail(err, ZM_E_ARG, -1, "fuel moisture %g %%, must be 0 to 1000",
                           moisture[i]);
    if (!(wind >= 0 && wind < 1000))
        return zm_fail(err, ZM_E_ARG, -1, "wind %g km/h, must be 0 to 1000", wind);
    if (!(slope >= 0 && slope < 90))
        return zm_fail(err, ZM_E_ARG, -1, "slope %g degrees, must be 0 to below 90",
                       slope);
    if (!(fabs(wind_dir) <= 720 && fabs(aspect) <= 720))
        return zm_fail(err, ZM_E_ARG, -1,
                       "wind from %g and aspect %g degrees, must be within 720",
                       wind_dir, aspect);
    return zm_fuel_check(fuel, err);
}

zm_status zm_surface_fire_of(const zm_fuel *fuel, const zm_fuel_moisture *moisture,
                             double wind, double wind_dir, double slope, double aspect,
                             zm_surface_fire *out, zm_error *err)
{
    const double angle = slope * ZM_RADIANS;
    const double turn = slope > 0 ? aspect * ZM_RADIANS : 0;
    const zm_fire_rules rules = { ZM_CROWN_NONE, 100, NULL };
    const zm_status st = check(fuel, moisture, wind, wind_dir, slope, aspect, err);
    const double input[ZM_CELL_INPUTS] = {
        moisture->dead_1h / 100,    moisture->dead_10h / 100,
        moisture->dead_100h / 100,  moisture->live_herb / 100,
        moisture->live_woody / 100, wind / ZM_KM_PER_MILE,
        wind_dir * ZM_RADIANS
    };
    zm_dual dead[5], rate, intensity;
    zm_shape shape;
    zm_bed bed;
    double uphill, across;

    *out = (zm_surface_fire){ .length_to_breadth = 1 };
    if (st != ZM_OK)
        return st;
    zm_bed_make(fuel, &bed);
    if (!bed.burns)
        return ZM_OK;
    for (int i = 0; i < 5; i++)
        zm_dual_constant(0, &dead[i], input[i]);
    zm_bed_spread(&bed, dead, 0, &rate, &intensity);
    out->reaction_intensity = intensity.v * ZM_KW_PER_M2_OF_BTU;
    if (!(rate.v > 0))
        return ZM_OK;
    {
        const zm_site site = { .bed = &bed,
                               .wind_reduction = 1,
                               .aspect = turn,
                               .cos_slope = cos(angle),
                               .sin_aspect = sin(turn),
                               .cos_aspect = cos(turn),
                               .push = zm_slope_push_of(&bed, tan(angle)) };

        zm_spread_cell_shape(&site, &rules, input, 0, &shape);
    }
    out->rate_no_wind = rate.v * ZM_METRES_PER_FOOT;
    out->rate = shape.head.v;
    out->length_to_breadth = 0.5 * (shape.head.v + shape.back.v) / shape.flank.v;
    /* from the plane of the slope to the map: what runs along the aspect shrinks */
    uphill = cos(shape.from.v - turn) * cos(angle);
    across = sin(shape.from.v - turn);
    out->heading = fmod((turn + atan2(across, uphill)) / ZM_RADIANS + 180 + 1080, 360);
    /* Byram's intensity: I_R R 384/sigma (Anderson 1969) */
    out->fireline_intensity = out->reaction_intensity * 384 / bed.sigma * shape.head.v;
    out->flame_length = zm_flame_length(out->fireline_intensity, false);
    return ZM_OK;
}
