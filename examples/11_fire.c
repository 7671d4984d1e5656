/* SPDX-License-Identifier: Apache-2.0
 * Fire: Rothermel's physics on a landscape of one's own, and what a village's hour depends on.
 *
 * A hill with grass below and brush above, a river with a ford, an afternoon whose wind turns.
 * The physics gives the metric of every hour, the solver the arrival times, the adjoint the
 * derivatives of one of them by wind, moisture and fuels; a finite difference checks it.
 *
 *     cc 11_fire.c $(pkg-config --cflags --libs zermelo-fire) -lm */
#include <math.h>
#include <stdio.h>
#include "zermelo/fire/physics.h"

enum { SIDE = 120, N = SIDE * SIDE, HOURS = 10, GRASS = 102, BRUSH = 122, WATER = 98 };
static float layer[ZM_LAYERS][N];
static double T[N], dL_dT[N];

/* A hill of 150 m in the middle; the aspect points down its slope. */
static zm_landscape make_landscape(void)
{
    zm_landscape land = { .size = sizeof land,
                          .rows = SIDE,
                          .cols = SIDE,
                          .cell = 30,
                          .latitude = 40,
                          .station_elevation = 300 };
    const double degrees = 180 / 3.14159265358979323846;

    for (int i = 0; i < N; i++) {
        const double east = 30.0 * (i % SIDE - SIDE / 2),
                     south = 30.0 * (i / SIDE - SIDE / 2);
        const double height = 150 * exp(-(east * east + south * south) / 1e6);
        const double to_east = 2 * east / 1e6 * height,
                     to_south = 2 * south / 1e6 * height;

        layer[ZM_LAYER_ELEVATION][i] = (float)(300 + height);
        layer[ZM_LAYER_SLOPE][i] = (float)(degrees * atan(hypot(to_east, to_south)));
        layer[ZM_LAYER_ASPECT][i] =
            (float)fmod(degrees * atan2(to_east, -to_south) + 360, 360);
        layer[ZM_LAYER_FUEL][i] = height > 40 ? BRUSH : GRASS;
        if (i % SIDE / 2 == 45 &&
            (i / SIDE < 64 || i / SIDE > 72)) /* but for the ford */
            layer[ZM_LAYER_FUEL][i] = WATER;
    }
    for (int k = 0; k <= ZM_LAYER_COVER; k++)
        land.layers[k] = layer[k];
    return land;
}

/* Hours of the fire with so much wind. */
static zm_status burn(zm_physics *physics, const zm_fire *fire, double wind_factor,
                      zm_error *err)
{
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    zm_status st;

    params.wind_factor = wind_factor;
    st = zm_physics_set_fire(physics, fire, &params, HOURS, err);
    return st < 0 ? st : zm_physics_arrival(physics, NULL, 0, HOURS, T, err);
}

static void show_growth(void)
{
    for (int hour = 1; hour <= HOURS; hour += 3) {
        int cells = 0;

        for (int i = 0; i < N; i++)
            cells += T[i] <= hour;
        printf("after %2d h %7.1f ha\n", hour, cells * 0.09);
    }
}

int main(void)
{
    const zm_landscape land = make_landscape();
    const int village = 45 * SIDE + 105;
    const double small = 1e-4;
    zm_weather_hour weather[HOURS];
    zm_fire fire = { .size = sizeof fire,
                     .row = 60,
                     .col = 20,
                     .duration = HOURS,
                     .start_month = 8,
                     .start_day = 20,
                     .start_hour = 12,
                     .moisture = { 5, 6, 8, 60, 90 },
                     .weather = weather,
                     .hours = HOURS };
    zm_physics_change by = ZM_PHYSICS_CHANGE_INIT;
    zm_physics *physics = NULL;
    double arrival, later;
    zm_error err;

    for (int k = 0; k < HOURS;
         k++) /* from west to south-west, strongest at four o'clock */
        weather[k] = (zm_weather_hour){ .temperature = 31 - 0.5 * k,
                                        .humidity = 25 + 2 * k,
                                        .wind_speed = 22 - 1.5 * fabs(k - 4.0),
                                        .wind_dir = 270 - 4 * k };
    dL_dT[village] = 1;
    if (zm_physics_create(&physics, &land, NULL, &err) < 0 ||
        burn(physics, &fire, 1, &err) < 0 ||
        zm_physics_adjoint(physics, dL_dT, &by, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    show_growth();
    arrival = T[village];
    printf("the village burns after %.3f h\n", arrival);
    printf("10 %% more wind: %+.1f min; 1 %% moister: %+.1f min; brush 10 %% faster: "
           "%+.1f min\n",
           60 * 0.1 * by.wind_factor, 60 * by.moisture_offset,
           60 * 0.1 * by.fuel_factor[BRUSH]);
    if (burn(physics, &fire, 1 + small, &err) < 0)
        return 1;
    later = T[village];
    zm_physics_destroy(physics);
    printf("wind by differences %.5f h, by the adjoint %.5f h\n",
           (later - arrival) / small, by.wind_factor);
    return !(arrival < HOURS && fabs((later - arrival) / small - by.wind_factor) <
                                    1e-2 * fabs(by.wind_factor));
}
