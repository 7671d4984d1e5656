/* SPDX-License-Identifier: Apache-2.0
 * Made-up weather of a fire. */
#include <math.h>

#include "core/pi.h"
#include "core/random.h"
#include "fire/data/synthetic/world.h"

/* A day with its coldest hour at 4 and its hottest at 16. */
static double of_day(double hour)
{
    return cos(2 * ZM_PI * (fmod(hour, 24) - 16) / 24);
}

void zm_world_weather_draw(zm_weather_hour *weather, size_t hours, double start_hour,
                           bool constant, uint64_t *state)
{
    const double speed = exp(zm_random_between(state, log(6), log(50)));
    const double warmth = zm_random_between(state, 17, 30);
    const double swing = zm_random_between(state, 4, 9);
    const double humid = zm_random_between(state, 18, 55);
    double direction = zm_random_between(state, 0, 360);
    double turn = zm_random_normal(state) * 4; /* degrees an hour */
    double gust = 0;

    for (size_t k = 0; k < hours; k++) {
        const double hour = constant ? start_hour : start_hour + (double)k;
        const double day = of_day(hour);
        zm_weather_hour *w = &weather[k];

        if (k == 0 || !constant) {
            gust = 0.8 * gust + 0.12 * zm_random_normal(state);
            turn = 0.9 * turn + 2.5 * zm_random_normal(state);
            direction += turn;
        }
        w->temperature = round(10 * (warmth + swing * day)) / 10;
        w->humidity = round(fmin(95, fmax(8, humid * (1 - 0.45 * day))));
        w->wind_speed =
            round(10 * fmin(60, speed * exp(gust) * (0.8 + 0.2 * day))) / 10;
        w->wind_dir = fmod(round(fmod(direction, 360) + 360), 360);
        w->cloud =
            constant && k ? weather[0].cloud : round(zm_random_between(state, 0, 50));
        w->rain = 0;
    }
}
