/* SPDX-License-Identifier: Apache-2.0
 * Channels of the hours of a fire: weather, fuel moisture and sun, normalised; and those that
 * join an hour with a cell. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/month.h"
#include "fire/learn/channels.h"
#include "fire/science/moisture.h"
#include "fire/science/units.h"
#include "zermelo/fire/physics.h"

static void set(zm_hour *h, zm_channel c, double value)
{
    const zm_channel_facts *f = zm_learn_channel_facts_of(c);

    h->channels[c] = (float)((value - f->shift) / f->scale);
}

static void set_weather(zm_hour *h, const zm_weather_hour *w)
{
    const double from = w->wind_dir * ZM_RADIANS;

    h->wind[0] = -w->wind_speed * sin(from);
    h->wind[1] = w->wind_speed * cos(from); /* from north: blows south, +y */
    set(h, ZM_CH_TEMPERATURE, w->temperature);
    set(h, ZM_CH_HUMIDITY, w->humidity);
    set(h, ZM_CH_CLOUD, w->cloud);
    set(h, ZM_CH_WIND, log(1 + w->wind_speed));
    set(h, ZM_CH_WIND_X, h->wind[0]);
    set(h, ZM_CH_WIND_Y, h->wind[1]);
}

static void set_moisture(zm_hour *h, const zm_fuel_moisture *m,
                         const zm_fine_moisture *s)
{
    set(h, ZM_CH_MOISTURE_1H, m->dead_1h);
    set(h, ZM_CH_MOISTURE_10H, m->dead_10h);
    set(h, ZM_CH_MOISTURE_100H, m->dead_100h);
    set(h, ZM_CH_MOISTURE_HERB, m->live_herb);
    set(h, ZM_CH_MOISTURE_WOODY, m->live_woody);
    set(h, ZM_CH_SHADE_1H, s->shade_1h);
    set(h, ZM_CH_SUN_1H, s->sun_1h);
    set(h, ZM_CH_SHADE_10H, s->shade_10h);
}

/* Spread of each fuel without wind and slope, at the moisture of shade and sun. */
static void set_rates(zm_hour *h, const zm_terrain *ground,
                      const zm_fuel_moisture *initial, const zm_fine_moisture *s)
{
    const double slowest = 0.5; /* m/h: too wet to burn, as good as */
    const double fine[2] = { s->shade_1h, s->sun_1h };

    for (int side = 0; side < 2; side++) {
        const zm_channel_facts *f =
            zm_learn_channel_facts_of(side ? ZM_CH_RATE_SUN : ZM_CH_RATE_SHADE);
        zm_fuel_moisture m = *initial;

        m.dead_1h = fmax(fine[side], 1);
        m.dead_10h = fmax(s->shade_10h, 1);
        for (int32_t i = 0; i < ground->n_fuels; i++) {
            zm_surface_fire fire = { .rate_no_wind = 0 };

            if (zm_surface_fire_of(ground->fuels[i], &m, 0, 0, 0, 0, &fire, NULL) < 0)
                fire.rate_no_wind = 0;
            h->rate[side][i] =
                (float)((log(fmax(60 * fire.rate_no_wind, slowest)) - f->shift) /
                        f->scale);
        }
        h->rate[side][ZM_MOST_FUELS] = 0;
    }
}

/* The mean of all hours in the place of the first; of the sun, the first remains. */
static void average(zm_hour *hours, size_t n)
{
    zm_hour *mean = &hours[0];
    double speed;

    for (int c = ZM_CH_GROUND_END; c < ZM_CH_HOUR_END; c++) {
        double sum = 0;

        for (size_t k = 0; k < n; k++)
            sum += (double)hours[k].channels[c];
        mean->channels[c] = (float)(sum / (double)n);
    }
    for (size_t k = 1; k < n; k++)
        for (int d = 0; d < 2; d++)
            mean->wind[d] += hours[k].wind[d];
    for (int d = 0; d < 2; d++)
        mean->wind[d] /= (double)n;
    speed = hypot(mean->wind[0], mean->wind[1]);
    set(mean, ZM_CH_WIND, log(1 + speed));
}

zm_status zm_learn_hours_create(zm_hour **out, size_t *n, const zm_terrain *ground,
                                const zm_fire *fire, int mean, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const int32_t day = zm_day_of_year(fire->start_month, fire->start_day);
    zm_fine_moisture m = { fire->moisture.dead_10h, fire->moisture.dead_10h,
                           fire->moisture.dead_10h }; /* FARSITE starts 1 h at 10 h */

    *out = NULL;
    if (fire->hours < 1)
        return zm_fail(err, ZM_E_ARG, -1, "fire %s has no weather", fire->name);
    if (!(*out = zm_zalloc(&mem, fire->hours, sizeof **out)))
        return zm_fail(err, ZM_E_NOMEM, -1, "%zu hours of weather", fire->hours);
    for (size_t k = 0; k < fire->hours; k++) {
        zm_hour *h = &(*out)[k];
        const double hour = fire->start_hour + (double)k + 0.5;

        zm_sun_vector(day, hour, ground->latitude, h->sun);
        zm_moisture_step(&m, &fire->weather[k], h->sun[2]);
        set_weather(h, &fire->weather[k]);
        set_moisture(h, &fire->moisture, &m);
        set_rates(h, ground, &fire->moisture, &m);
        set(h, ZM_CH_SUN_ELEVATION, fmax(h->sun[2], 0));
        set(h, ZM_CH_START, exp(-(double)k));
    }
    if (mean)
        average(*out, fire->hours);
    *n = mean ? 1 : fire->hours;
    return ZM_OK;
}

void zm_learn_hours_destroy(zm_hour *hours)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    zm_release(&mem, hours);
}

void zm_learn_joint_channels(const zm_terrain *ground, size_t cell, const zm_hour *hour,
                             double out[ZM_CH_END - ZM_CH_HOUR_END])
{
    const double sx = (double)ground->upslope[0][cell],
                 sy = (double)ground->upslope[1][cell];
    const double wx = hour->wind[0], wy = hour->wind[1];
    const double wind = sqrt(wx * wx + wy * wy), slope2 = sx * sx + sy * sy;
    const double both = sqrt((wx * wx + wy * wy) * slope2);
    const double normal =
        1 / sqrt(1 + slope2); /* z of the unit normal; x: -sx normal */
    const double incidence =
        normal * (hour->sun[2] - sx * hour->sun[0] - sy * hour->sun[1]);
    const double value[] = { log(1 + wind * (double)ground->shelter[cell]),
                             both > 0 ? (wx * sx + wy * sy) / both : 0,
                             hour->sun[2] > 0 && incidence > 0 ? incidence : 0 };

    out[ZM_CH_RATE_SHADE - ZM_CH_HOUR_END] = (double)hour->rate[0][ground->fuel[cell]];
    out[ZM_CH_RATE_SUN - ZM_CH_HOUR_END] = (double)hour->rate[1][ground->fuel[cell]];
    for (int c = ZM_CH_HOUR_END; c < ZM_CH_RATE_SHADE; c++) {
        const zm_channel_facts *f = zm_learn_channel_facts_of((zm_channel)c);

        out[c - ZM_CH_HOUR_END] = (value[c - ZM_CH_HOUR_END] - f->shift) / f->scale;
    }
}
