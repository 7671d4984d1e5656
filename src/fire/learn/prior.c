/* SPDX-License-Identifier: Apache-2.0
 * What the physics says of a cell in an hour. */
#include "fire/learn/prior.h"

#include <math.h>

#include "eikonal/problem/ellipse.h"
#include "fire/science/cell_fire.h"
#include "fire/science/units.h"

/* Wind 20 ft above the vegetation, in ft/min, of a km/h at 10 m. */
static const double FEET_A_MINUTE = ZM_MPH_20FT_OF_KMH_10M * ZM_FT_PER_MIN_OF_MPH;

/* R0 in m/h: between shade and sun by how much of the sun reaches the ground. */
static double still_rate(const zm_terrain *ground, size_t cell, const zm_hour *hour)
{
    const zm_channel_facts *f = zm_learn_channel_facts_of(ZM_CH_RATE_SHADE);
    const zm_channel_facts *c = zm_learn_channel_facts_of(ZM_CH_COVER);
    const double shade = (double)hour->rate[0][ground->fuel[cell]];
    const double sun = (double)hour->rate[1][ground->fuel[cell]];
    const double cover =
        0.01 * ((double)ground->planes[ZM_CH_COVER][cell] * c->scale + c->shift);
    const double open = hour->sun[2] > 0 ? fmax(0, 1 - cover) : 0;

    return exp(f->shift + f->scale * (shade + open * (sun - shade)));
}

/* Eccentricity of a fire in a midflame wind of so many ft/min. */
static double eccentricity(double wind)
{
    double unused;
    const double lb = zm_wind_length_to_breadth(wind / ZM_FT_PER_MIN_OF_MPH, &unused);

    return zm_focus_metric_of(1, fmax(lb, 1)).e;
}

zm_prior zm_field_prior_of(const zm_terrain *ground, size_t cell, const zm_hour *hour,
                           double drift, double missing)
{
    const uint8_t fuel = ground->fuel[cell];
    const double s[2] = { (double)ground->upslope[0][cell],
                          (double)ground->upslope[1][cell] };
    const double tangent = sqrt(s[0] * s[0] + s[1] * s[1]);
    const double open =
        sqrt(hour->wind[0] * hour->wind[0] + hour->wind[1] * hour->wind[1]);
    const double wind = FEET_A_MINUTE * open * (double)ground->shelter[cell];
    zm_prior p = { missing, { 0, 0 }, { 0, 0 } };
    double phi_w, phi_s, v[2], length, e, k;

    if (fuel >= ZM_MOST_FUELS)
        return p;
    phi_w =
        wind > 0 ? ground->wind_coef[fuel] * pow(wind, ground->wind_power[fuel]) : 0;
    phi_s = ground->slope_coef[fuel] * tangent * tangent;
    for (int d = 0; d < 2; d++) {
        p.wind[d] = open > 0 ? phi_w * hour->wind[d] / open : 0;
        p.slope[d] = tangent > 0 ? phi_s * s[d] / tangent : 0;
        v[d] = p.wind[d] + p.slope[d];
    }
    length = sqrt(v[0] * v[0] + v[1] * v[1]);
    e = length > 0 ? eccentricity(pow(length / ground->wind_coef[fuel],
                                      1 / ground->wind_power[fuel]))
                   : 0;
    e = fmin(e, 0.98 * drift);
    k = length > 0 ? e / sqrt(drift * drift - e * e) / length : 0;
    for (int d = 0; d < 2; d++) {
        p.wind[d] *= k;
        p.slope[d] *= k;
    }
    p.rate = still_rate(ground, cell, hour) * (1 + length) * (1 - e);
    return p;
}
