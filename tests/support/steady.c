/* SPDX-License-Identifier: Apache-2.0
 * Fires of points in a steady wind, and the ellipses that they should be. */
#include "support/steady.h"

#include <math.h>

static const zm_weather_hour WIND = {
    25, 30, 12, 270, 0, 0
}; /* towards more columns */

zm_status steady_burn(const test_land *land, const zm_source *sources, size_t n,
                      const zm_marker_opts *opts, double t_max, double *T)
{
    zm_weather_hour unused[TEST_HOURS];
    zm_fire fire = test_fire(land, unused);
    zm_physics_opts steady = ZM_PHYSICS_OPTS_INIT;
    zm_physics *physics;
    zm_status st;

    fire.weather = &WIND;
    fire.hours = 1;
    steady.conditioning = 0;
    st = zm_physics_create(&physics, &land->land, &steady, NULL);
    if (st == ZM_OK)
        st = zm_physics_set_fire(physics, &fire, NULL, 1, NULL);
    if (st == ZM_OK)
        st = zm_physics_markers(physics, sources, n, t_max, T, opts, NULL);
    zm_physics_destroy(physics);
    return st;
}

zm_surface_fire steady_grass(const test_land *land)
{
    zm_weather_hour unused[TEST_HOURS];
    const zm_fire fire = test_fire(land, unused);
    zm_surface_fire one;

    /* 10 m wind in km/h to mph at 20 ft to the flames in 1 ft of grass */
    zm_surface_fire_of(zm_fuel_published(2), &fire.moisture,
                       WIND.wind_speed * 0.5402 * 0.362674 * 1.609344, WIND.wind_dir, 0,
                       0, &one, NULL);
    return one;
}

double ellipse_time(const zm_surface_fire *one, double x, double y)
{
    const double e = sqrt(1 - 1 / (one->length_to_breadth * one->length_to_breadth));

    return (hypot(x, y) - e * x) / (one->rate * 60 * (1 - e));
}
