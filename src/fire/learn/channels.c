/* SPDX-License-Identifier: Apache-2.0
 * The table of channels: names, units, normalisation. */
#include "fire/learn/channels.h"

#include <string.h>

/* Shifts and scales bring the usual range to about -1 ... 2; they are conventions, the same
 * for all models, and written into each model file. */
static const zm_channel_facts TABLE[ZM_CH_END] = {
    [ZM_CH_BURNABLE] = { "burnable", "1", 0, 1 },
    [ZM_CH_LOAD_1H] = { "fuel_load_1h", "log(1 + t/acre)", 0.7, 0.5 },
    [ZM_CH_LOAD_10H] = { "fuel_load_10h", "log(1 + t/acre)", 0.5, 0.6 },
    [ZM_CH_LOAD_100H] = { "fuel_load_100h", "log(1 + t/acre)", 0.4, 0.6 },
    [ZM_CH_LOAD_HERB] = { "fuel_load_herb", "log(1 + t/acre)", 0.2, 0.4 },
    [ZM_CH_LOAD_WOODY] = { "fuel_load_woody", "log(1 + t/acre)", 0.5, 0.6 },
    [ZM_CH_SAV_1H] = { "fuel_surface_to_volume_1h", "1/ft", 1900, 500 },
    [ZM_CH_SAV_HERB] = { "fuel_surface_to_volume_herb", "1/ft", 1700, 500 },
    [ZM_CH_SAV_WOODY] = { "fuel_surface_to_volume_woody", "1/ft", 1500, 400 },
    [ZM_CH_DEPTH] = { "fuel_depth", "log(ft)", 0, 0.8 },
    [ZM_CH_EXTINCTION] = { "fuel_extinction", "percent", 25, 10 },
    [ZM_CH_PACKING] = { "fuel_packing", "log(t/acre/ft)", 1, 1 },
    [ZM_CH_DYNAMIC] = { "fuel_dynamic", "1", 0, 1 },
    [ZM_CH_WIND_GAIN_5] = { "wind_gain_5", "log of spread in 5 km/h over calm", 0.8,
                            0.6 },
    [ZM_CH_WIND_GAIN_15] = { "wind_gain_15", "log of spread in 15 km/h over calm", 2,
                             0.8 },
    [ZM_CH_SLOPE_GAIN] = { "slope_gain", "log of spread at tan 0.5 over level", 1.7,
                           0.6 },
    [ZM_CH_SLOPE] = { "slope", "tan", 0.2, 0.2 },
    [ZM_CH_COVER] = { "canopy_cover", "percent", 25, 25 },
    [ZM_CH_HEIGHT] = { "canopy_height", "m", 8, 8 },
    [ZM_CH_BASE] = { "canopy_base_height", "m", 2, 3 },
    [ZM_CH_DENSITY] = { "canopy_bulk_density", "kg/m^3", 0.1, 0.1 },
    [ZM_CH_SHELTER] = { "wind_reduction", "1", 0.3, 0.15 },
    [ZM_CH_ELEVATION] = { "elevation_above_station", "m", 0, 300 },
    [ZM_CH_UPSLOPE_X] = { "upslope_east", "tan", 0, 0.2 },
    [ZM_CH_UPSLOPE_Y] = { "upslope_south", "tan", 0, 0.2 },
    [ZM_CH_RATE_USUAL] = { "rate_usual", "log(1 + m/h) in 5 km/h", 4, 1 },
    [ZM_CH_TEMPERATURE] = { "temperature", "C", 22, 8 },
    [ZM_CH_HUMIDITY] = { "relative_humidity", "percent", 35, 20 },
    [ZM_CH_CLOUD] = { "cloud", "percent", 30, 30 },
    [ZM_CH_WIND] = { "wind_speed", "log(1 + km/h)", 2.6, 0.8 },
    [ZM_CH_WIND_X] = { "wind_east", "km/h", 0, 15 },
    [ZM_CH_WIND_Y] = { "wind_south", "km/h", 0, 15 },
    [ZM_CH_MOISTURE_1H] = { "moisture_1h", "percent", 6, 3 },
    [ZM_CH_MOISTURE_10H] = { "moisture_10h", "percent", 8, 3 },
    [ZM_CH_MOISTURE_100H] = { "moisture_100h", "percent", 10, 3 },
    [ZM_CH_MOISTURE_HERB] = { "moisture_herb", "percent", 75, 30 },
    [ZM_CH_MOISTURE_WOODY] = { "moisture_woody", "percent", 100, 30 },
    [ZM_CH_SHADE_1H] = { "moisture_1h_shade", "percent", 7, 3 },
    [ZM_CH_SUN_1H] = { "moisture_1h_sun", "percent", 6, 3 },
    [ZM_CH_SHADE_10H] = { "moisture_10h_shade", "percent", 7, 3 },
    [ZM_CH_SUN_ELEVATION] = { "sun_elevation", "sin", 0.3, 0.5 },
    [ZM_CH_START] = { "acceleration", "exp(-h)", 0, 1 },
    [ZM_CH_MIDFLAME] = { "wind_midflame", "log(1 + km/h)", 1.6, 0.8 },
    [ZM_CH_WIND_UP] = { "wind_upslope", "cos", 0, 0.7 },
    [ZM_CH_SUN_INCIDENCE] = { "sun_incidence", "cos", 0.3, 0.5 },
    [ZM_CH_RATE_SHADE] = { "rate_no_wind_shade", "log(m/h)", 3, 1 },
    [ZM_CH_RATE_SUN] = { "rate_no_wind_sun", "log(m/h)", 3, 1 },
};

const zm_channel_facts *zm_learn_channel_facts_of(zm_channel channel)
{
    return &TABLE[channel];
}

zm_channel zm_learn_channel_named(const char *name)
{
    int c = 0;

    while (c < ZM_CH_END && strcmp(TABLE[c].name, name))
        c++;
    return (zm_channel)c;
}
