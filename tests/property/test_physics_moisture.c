/* SPDX-License-Identifier: Apache-2.0
 * Moisture of dead fuel: height, sun, shade, weather between records, time lags. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "fire/science/moisture.h"

static const double PI = 3.14159265358979323846;
static const zm_sun NIGHT = { -0.5, 0 };
static const double WOOD = 0.08; /* outermost wood, where nothing else is said */

/* Balance at the end of the last of these hours; the sun stands still. */
static double balance_after(const zm_weather_hour *weather, int hours, zm_ground ground,
                            zm_sun sun, double station, double wood)
{
    const zm_sun same[2] = { sun, sun };
    const zm_climate climate = { weather, (size_t)hours, hours,
                                 same,    station,       { 0.05, 0.06, 0.08 } };
    zm_dual out;

    zm_moisture_at_surface(&climate, &ground, hours - 1, wood, 0, &out);
    return out.v;
}

/* In steady weather, with the station at the height of the place. */
static double balance(zm_weather_hour air, zm_ground ground, zm_sun sun)
{
    return balance_after(&air, 1, ground, sun, ground.elevation, WOOD);
}

/* Air at another height is that of the station, colder by 5.5 F and its dew point lower by
 * 1.1 F for 1000 ft of ascent (Rothermel et al. 1986), so the balance is that of a station in
 * such air.  Night: the sun shines through less air higher up.  Both sides are the same
 * formulas but for rounding.  Temperature falls faster than the dew point: heights are damp. */
TEST(air_is_colder_and_damper_higher_up)
{
    const zm_weather_hour air = { 25, 40, 0, 0, 0, 0 };
    const double fahrenheit = 1.8 * air.temperature + 32;
    const double dew = 1 / (1 / (fahrenheit + 398) - log(0.40) / 7469) - 398;
    double before = 0;

    for (int step = -1; step <= 2; step++) {
        const double feet = 2000.0 * step; /* above the station */
        const zm_ground place = { 500 + 0.3048 * feet, 0, 0, 0 };
        const double hot = fahrenheit - 5.5 * feet / 1000,
                     cold = dew - 1.1 * feet / 1000;
        const zm_weather_hour there = {
            (hot - 32) / 1.8,
            100 * exp(7469 * (1 / (hot + 398) - 1 / (cold + 398))),
            0,
            0,
            0,
            0
        };
        const double here = balance_after(&air, 1, place, NIGHT, 500, WOOD);

        CHECK_NEAR(here, balance(there, place, NIGHT), 1e-9);
        CHECK_MSG(here > 1.05 * before, "%g at %g ft, %g below", here, feet, before);
        before = here;
    }
}

/* A slope that faces the sun, as steep as the sun is far from the zenith, has all of its rays:
 * 1370 W/m^2 times 0.7 to the power 1/sin(altitude) by the sea.  Turned about by an angle t the
 * cosine of incidence is sin^2 + cos^2 cos(t) of the altitude; level ground has the sine. */
TEST(slopes_that_face_the_sun_have_all_of_it)
{
    for (double latitude = -60; latitude <= 60; latitude += 30)
        for (double hour = 9; hour <= 15; hour += 1.5) {
            const zm_sun sun = zm_sun_at(80, hour, latitude);
            const double s = sun.sin_altitude, all = 1370 * pow(0.7, 1 / s);
            const zm_ground level = { 0, 0, 1, 0 };

            CHECK_NEAR(zm_sun_clear_sky_radiation(&level, &sun), all * s, 1e-9 * all);
            for (double turn = -3; turn <= 3; turn += 0.5) {
                const zm_ground slope = { 0, PI / 2 - asin(s), sun.azimuth + turn, 0 };
                const double share = s * s + (1 - s * s) * cos(turn);

                CHECK_NEAR(zm_sun_clear_sky_radiation(&slope, &sun),
                           all * fmax(0, share), 1e-9 * all);
            }
        }
}

/* North of the equator slopes to the south are in the sun at noon, and those to the east in the
 * morning; south of the equator those to the north, and to the east as well.  A slope in the sun
 * is drier than level ground, this than a slope in the shade.  Both days are late in winter, the
 * sun less than 50 degrees high.  */
TEST(slopes_in_the_sun_are_drier)
{
    static const struct {
        int32_t day;
        double latitude, hour, sunny, shady; /* aspects, degrees */
    } known[] = {
        { 60, 40, 12, 180, 0 },     { 60, 40, 8.5, 90, 270 },
        { 60, 40, 15.5, 270, 90 },  { 240, -40, 12, 0, 180 },
        { 240, -40, 8.5, 90, 270 }, { 240, -40, 15.5, 270, 90 },
    };
    const zm_weather_hour air = { 15, 55, 0, 0, 0, 0 };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const zm_sun sun = zm_sun_at(known[i].day, known[i].hour, known[i].latitude);
        const zm_ground level = { 200, 0, 0, 0 },
                        sunny = { 200, 0.35, known[i].sunny * PI / 180, 0 },
                        shady = { 200, 0.35, known[i].shady * PI / 180, 0 };
        const double dry = balance(air, sunny, sun), even = balance(air, level, sun),
                     damp = balance(air, shady, sun);

        CHECK_MSG(dry < 0.97 * even && even < 0.97 * damp, "case %zu: %g, %g, %g", i,
                  dry, even, damp);
    }
}

/* A canopy takes its cover of the sun, as clouds do: cover of c % under a clear sky is as good
 * as clouds of c % over open ground, and what either leaves is multiplied.  Full cover is night
 * but for the sky's own radiation, of which the sun's is told apart at 0.001 W/m^2. */
TEST(canopies_shade_as_clouds_do)
{
    const zm_sun noon = zm_sun_at(172, 12, 40);
    const zm_ground open = { 0, 0, 0, 0 };
    double before = 0;

    for (double c = 0; c <= 100; c += 20) {
        const zm_weather_hour clear = { 20, 70, 0, 0, 0, 0 },
                              cloudy = { 20, 70, 0, 0, c, 0 },
                              half = { 20, 70, 0, 0, 50, 0 },
                              both = { 20, 70, 0, 0, 50 + c / 2, 0 };
        const zm_ground covered = { 0, 0, 0, c };
        const double shaded = balance(clear, covered, noon);

        CHECK_NEAR(shaded, balance(cloudy, open, noon), 1e-12);
        CHECK_NEAR(balance(half, covered, noon), balance(both, open, noon), 1e-12);
        CHECK(shaded > before);
        before = shaded;
    }
    CHECK_NEAR(before, balance((zm_weather_hour){ 20, 70, 0, 0, 0, 0 }, open, NIGHT),
               1e-12);
}

/* Weather goes on for a tenth of an hour on the line from the record before: the balance is
 * that of steady weather there.  Of the first hour there is no line. */
TEST(weather_runs_a_tenth_of_an_hour_ahead)
{
    const zm_weather_hour two[2] = { { 18, 60, 0, 0, 30, 0 }, { 24, 44, 0, 0, 50, 0 } };
    const zm_weather_hour ahead = { 24.6, 42.4, 0, 0, 52, 0 };
    const zm_ground ground = { 300, 0.2, 2, 10 };
    const zm_sun low = { 0.3, 2.5 };

    CHECK_NEAR(balance_after(two, 2, ground, low, 300, WOOD),
               balance(ahead, ground, low), 1e-12);
    CHECK_NEAR(balance_after(two, 2, ground, NIGHT, 300, WOOD),
               balance(ahead, ground, NIGHT), 1e-12);
    CHECK_NEAR(balance_after(two, 1, ground, low, 300, WOOD),
               balance(two[0], ground, low), 1e-12);
}

static zm_moisture_series *series_of(const zm_climate *climate, const zm_ground *ground)
{
    zm_moisture_series *series =
        malloc(sizeof *series + zm_moisture_marks(climate) * sizeof(double));

    zm_moisture_begin(climate, ground, series);
    zm_moisture_extend(climate, climate->intervals, series);
    return series;
}

/* At night air of 3 C has the temperature of the sky: wood has that of the air, and its balance
 * is Nelson's isotherm of the air itself, whatever the wood.  In constant weather each stick
 * then nears it exponentially: the 10 h stick with 11 h from above and 20 h from below, the
 * 100 h stick with 40 h; 1 h fuel is 0.8 of the balance and 0.2 of the 10 h stick, and at
 * ignition of what was given.  Rounding is all that is left. */
TEST(sticks_near_the_balance_with_their_lags)
{
    enum { HOURS = 30 };
    const zm_weather_hour air = { 3, 50, 0, 0, 0, 0 };
    const zm_ground ground = { 500, 0, 0, 0 };
    const double target =
        (0.1617 - 0.001419 * 3) * pow(-log(1 - 0.50), 0.4657 + 0.003578 * 3);
    zm_sun sun[HOURS];

    for (int k = 0; k < HOURS; k++)
        sun[k] = NIGHT;
    for (int wet = 0; wet < 2; wet++) {
        const double off = wet ? -0.05 : 0.05, lag = wet ? 20 : 11;
        const zm_climate climate = {
            &air, 1, HOURS, sun, 500, { target, target + off, target + 2 * off }
        };
        zm_moisture_series *series = series_of(&climate, &ground);

        for (int k = 0; k <= HOURS; k++) {
            const double *mark = series->mark + k * ZM_DEAD;

            CHECK_NEAR(mark[0] - target, 0.2 * off * exp(-k / lag), 1e-10);
            CHECK_NEAR(mark[1] - target, off * exp(-k / lag), 1e-10);
            CHECK_NEAR(mark[2] - target, 2 * off * exp(-k / 40.0), 1e-10);
        }
        free(series);
    }
}

/* In the sun wood is warmer than the air, and how firmly it holds water counts: that of the
 * outermost wood, which is 0.7 of 1 h fuel and 0.3 of the 10 h stick when the hour begins, at
 * ignition all of the stick.  The same steps are taken here. */
TEST(outermost_wood_is_mostly_fine_fuel)
{
    enum { HOURS = 5 };
    zm_weather_hour air[HOURS];
    zm_sun sun[HOURS];
    const zm_ground ground = { 500, 0, 0, 0 };
    const zm_climate climate = { air, HOURS, HOURS, sun, 500, { 0.05, 0.16, 0.12 } };
    zm_moisture_series *series;
    int told = 0; /* hours in which the stick alone would give something else */

    for (int k = 0; k < HOURS; k++) {
        air[k] = (zm_weather_hour){ 18 + k, 70 - 3 * k, 0, 0, 40, 0 };
        sun[k] = zm_sun_at(100, 8 + k, 40);
    }
    series = series_of(&climate, &ground);
    for (int k = 0; k < HOURS; k++) {
        const double *mark = series->mark + k * ZM_DEAD, *next = mark + ZM_DEAD;
        const double wood = k ? 0.7 * mark[0] + 0.3 * mark[1] : mark[1];
        zm_dual now, stick;

        zm_moisture_at_surface(&climate, &ground, k, wood, 0, &now);
        CHECK_NEAR(next[0], 0.8 * now.v + 0.2 * next[1], 1e-12);
        zm_moisture_at_surface(&climate, &ground, k, mark[1], 0, &stick);
        told += fabs(stick.v - now.v) > 1e-4;
    }
    CHECK_MSG(told >= HOURS - 2, "%d hours tell", told);
    free(series);
}
