/* SPDX-License-Identifier: Apache-2.0
 * How a fire behaves in one direction.
 *
 * Byram's intensity is I = H R/60 (kW/m) with the heat H in kJ/m^2 and the rate R in m/min.  Where
 * crowns burn they add 18000 kJ for each kg, the share of them that burns (Finney 1998). */
#include "fire/science/behaviour.h"

#include <math.h>

#include "fire/science/units.h"

static const double CROWN_HEAT = 18000; /* kJ/kg */

/* The ellipse has half axes a = (head + back)/2 and flank about a middle c = (head - back)/2
 * ahead: r with ((r cos - c)/a)^2 + (r sin/flank)^2 = 1. */
double zm_ellipse_rate(double head, double back, double flank, double angle)
{
    const double a = 0.5 * (head + back), c = 0.5 * (head - back);
    const double x = cos(angle) / a, y = sin(angle) / flank, m = c / a;
    const double A = x * x + y * y, B = x * m;

    return (B + sqrt(fmax(0, B * B + A * (1 - m * m)))) / A;
}

double zm_flame_length(double intensity, bool crowns)
{
    if (crowns) /* 0.2 I^(2/3) ft, I in BTU/ft/s */
        return 0.2 * pow(intensity / ZM_KW_PER_M_OF_BTU, 2.0 / 3.0) *
               ZM_METRES_PER_FOOT;
    return 0.0775 * pow(intensity, 0.46);
}

zm_behaviour zm_behaviour_of(const zm_site *site, const zm_fire_rules *rules,
                             const zm_shape *shape, double angle)
{
    const double ground = zm_ellipse_rate(shape->surface_head, shape->surface_back,
                                          shape->surface_flank, angle);
    const double crown = shape->crown_head > 0
                             ? zm_ellipse_rate(shape->crown_head, shape->crown_back,
                                               shape->crown_flank, angle)
                             : 0;
    zm_behaviour b = {
        .rate = zm_ellipse_rate(shape->head.v, shape->back.v, shape->flank.v, angle),
        .heat = shape->heat,
        .activity = ZM_ACTIVITY_SURFACE,
    };

    if (shape->crown_head > 0 && ground >= shape->onset) {
        const zm_crown_state state =
            zm_spread_crown_state(site, rules, shape, ground, crown);

        b.share = state.share;
        b.heat += CROWN_HEAT * site->crown_load * b.share;
        b.activity = state.carried ? ZM_ACTIVITY_ACTIVE : ZM_ACTIVITY_PASSIVE;
    }
    b.intensity = b.heat * b.rate * ZM_HOURS_PER_MINUTE;
    b.flame = zm_flame_length(b.intensity, b.activity == ZM_ACTIVITY_ACTIVE);
    return b;
}
