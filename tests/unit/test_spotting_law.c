/* SPDX-License-Identifier: Apache-2.0
 * Embers and the behaviour of fire at a point, against published values. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "fire/science/behaviour.h"
#include "fire/science/spotting.h"
#include "zermelo/fire/physics.h"

static const double FOOT = 0.3048, KW_PER_M_OF_BTU = 3.4613;

static double relative(double a, double b)
{
    return fabs(a / b - 1);
}

/* BehavePlus 6 for five ponderosa pines, 100 ft high and 40 in thick, in 20 mph: flame, lift and
 * distance over vegetation of 50 and 100 ft. */
TEST(torching_trees_are_those_of_behaveplus)
{
    const zm_torch torch = zm_torch_of(ZM_TREE_PONDEROSA_PINE, 40 * 2.54, 5);
    const double lift = zm_torch_lift(&torch, 100 * FOOT);

    CHECK_AT_MOST(relative(torch.duration, 3.551806), 1e-6);
    CHECK_AT_MOST(relative(torch.height, 130.590291 * FOOT), 1e-6);
    CHECK_AT_MOST(relative(lift, 830.257413 * FOOT), 1e-6);
    CHECK_AT_MOST(relative(zm_ember_distance(lift, 50 * FOOT, 20), 3263.291015 * FOOT),
                  1e-6);
    CHECK_AT_MOST(relative(zm_ember_distance(lift, 100 * FOOT, 20), 2586.517357 * FOOT),
                  1e-6);
}

/* BehavePlus 6 for flames of 10 ft in 20 mph: lift, drift, and both distances together. */
TEST(surface_fires_are_those_of_behaveplus)
{
    const double intensity = pow(10 / 0.45, 1 / 0.46) * KW_PER_M_OF_BTU;
    const double lift = zm_ember_lift(intensity, 20);
    const double drift = zm_ember_drift(lift, 20);

    CHECK_AT_MOST(relative(lift, 176.925987 * FOOT), 1e-6);
    CHECK_AT_MOST(relative(drift, 818.537781 * FOOT), 1e-6);
    CHECK_AT_MOST(
        relative(drift + zm_ember_distance(lift, 50 * FOOT, 20), 1649.855439 * FOOT),
        1e-6);
    CHECK(zm_ember_lift(0, 20) == 0 && zm_ember_lift(intensity, 0) == 0);
}

/* From 100 m an ember falls a minute or so.  The wind that carries it is that of the tree tops and
 * above: 2/3 of that at 20 ft (Albini 1979).  From the distance a drop dz takes, dF = u/v dz, the
 * formulas have 0.68 of it. */
TEST(embers_fall_as_fast_as_their_distance_says)
{
    const double z = 100, h = 20, mph = 20, dz = 1e-3;
    const double v = dz / 3600 / (zm_ember_flight(z + dz) - zm_ember_flight(z));
    const double slope =
        (zm_ember_distance(z + dz, h, mph) - zm_ember_distance(z, h, mph)) / dz;
    /* logarithmic profile above the trees, over roughness 0.1313 h */
    const double top = slope * v / (log(z / (0.1313 * h)) / log(1 / 0.1313));

    CHECK_AT_MOST(relative(zm_ember_flight(z) * 3600, 69.7), 0.01);
    CHECK_AT_MOST(relative(top / (mph * 0.44704), 2.0 / 3), 0.03);
}

/* The table of Schroeder (1969) in Rothermel's guide (INT-143) is in steps of ten percent: at 90 F
 * (32.2 C), unshaded air temperatures aside, dry fuel of 2 % nearly always catches fire, 10 % less
 * than half the time, and more moisture never helps. */
TEST(moisture_decides_whether_embers_light_fuel)
{
    double before = 1;

    CHECK(zm_ember_lights(32.2, 0.02) > 0.85);
    CHECK(zm_ember_lights(32.2, 0.10) < 0.5 && zm_ember_lights(32.2, 0.10) > 0.2);
    CHECK(zm_ember_lights(32.2, 0.40) < 0.05);
    for (int m = 0; m < 60; m++) {
        const double now = zm_ember_lights(20, m / 100.0);

        CHECK(now <= before && now >= 0);
        CHECK(zm_ember_lights(30, m / 100.0) >= now);
        before = now;
    }
}

/* ---- behaviour --------------------------------------------------------------------- */

/* Rates of an ellipse off its heading: head, back, and the flank abeam of its middle; about a rear
 * focus r = a (1 - e^2)/(1 - e cos). */
TEST(rates_off_the_heading_are_those_of_the_ellipse)
{
    const double head = 10, ratio = 3, e = sqrt(1 - 1 / (ratio * ratio));
    const double back = head * (1 - e) / (1 + e), a = 0.5 * (head + back),
                 flank = a / ratio;

    CHECK_NEAR(zm_ellipse_rate(head, back, flank, 0), head, 1e-12);
    CHECK_NEAR(zm_ellipse_rate(head, back, flank, acos(-1.0)), back, 1e-12);
    for (int k = 0; k <= 36; k++) {
        const double angle = k * acos(-1.0) / 18;

        CHECK_NEAR(zm_ellipse_rate(head, back, flank, angle),
                   a * (1 - e * e) / (1 - e * cos(angle)), 1e-12);
    }
}

static zm_behaviour stand_behaviour(zm_crown_model crown, double mph, double angle,
                                    double load)
{
    const double moisture[5] = { .03, .04, .06, .7, .7 };
    double input[ZM_CELL_INPUTS] = { 0 };
    zm_bed ten;
    const zm_fire_rules rules = { crown, 100, &ten };
    zm_site site = { .bed = &ten,
                     .cos_slope = 1,
                     .cos_aspect = 1,
                     .wind_reduction = 0.3,
                     .crown_base = 1,
                     .crown_density = 0.2,
                     .crown_load = load };
    zm_shape shape;

    zm_bed_make(zm_fuel_published(10), &ten);
    memcpy(input, moisture, sizeof moisture);
    input[ZM_IN_WIND] = mph;
    zm_spread_cell_shape(&site, &rules, input, 0, &shape);
    return zm_behaviour_of(&site, &rules, &shape, angle);
}

/* On the ground the head has Byram's intensity and flames of zm_surface_fire_of; off the heading
 * both are less. */
TEST(behaviour_on_the_ground_is_that_of_the_surface_fire)
{
    const zm_fuel_moisture moisture = { 3, 4, 6, 70, 70 };
    const double mph = 10;
    const zm_behaviour head = stand_behaviour(ZM_CROWN_NONE, mph, 0, 1),
                       side = stand_behaviour(ZM_CROWN_NONE, mph, 1.5, 1);
    zm_surface_fire fire;

    CHECK(zm_surface_fire_of(zm_fuel_published(10), &moisture, 0.3 * mph * 1.609344, 0,
                             0, 0, &fire, NULL) == ZM_OK);
    CHECK_AT_MOST(relative(head.rate, fire.rate), 1e-12);
    CHECK_AT_MOST(relative(head.intensity, fire.fireline_intensity), 1e-12);
    CHECK_AT_MOST(relative(head.flame, fire.flame_length), 1e-12);
    CHECK(head.activity == ZM_ACTIVITY_SURFACE && head.share == 0);
    CHECK(side.rate < head.rate && side.flame < head.flame && side.heat == head.heat);
}

/* With more wind trees torch, then the front runs in the crowns, first at the head.  Crowns add
 * 18000 kJ/kg of their load and share; flames in crowns are 0.2 I^(2/3) ft (Thomas 1963). */
TEST(crowns_come_into_it_with_the_wind_and_at_the_head_first)
{
    static const zm_crown_model models[] = { ZM_CROWN_FINNEY,
                                             ZM_CROWN_SCOTT_REINHARDT };

    for (int k = 0; k < 2; k++) {
        zm_crown_activity before = ZM_ACTIVITY_SURFACE;

        for (double mph = 1; mph < 60; mph++) {
            const zm_behaviour bare = stand_behaviour(models[k], mph, 0, 0),
                               head = stand_behaviour(models[k], mph, 0, 1),
                               back = stand_behaviour(models[k], mph, 3, 1);

            CHECK(head.activity >= before && back.activity <= head.activity);
            CHECK(bare.activity == head.activity);
            CHECK_NEAR(head.heat - bare.heat, 18000 * head.share, 1e-6);
            CHECK((head.share > 0) == (head.activity != ZM_ACTIVITY_SURFACE));
            CHECK_NEAR(head.intensity, head.heat * head.rate / 60, 1e-6);
            if (head.activity == ZM_ACTIVITY_ACTIVE)
                CHECK_AT_MOST(
                    relative(head.flame,
                             0.2 * FOOT *
                                 pow(head.intensity / KW_PER_M_OF_BTU, 2.0 / 3)),
                    1e-12);
            before = head.activity;
        }
        CHECK(before == ZM_ACTIVITY_ACTIVE);
    }
}
