/* SPDX-License-Identifier: Apache-2.0
 * What a model is told: the table of channels, and their values on a landscape and in a fire.
 *
 * A channel is a number with a unit, a shift and a scale; a network gets (value - shift) /
 * scale.  Channels of the ground belong to a cell, channels of the hour to a fire, and joint
 * channels to both.  A model file names the channels it was made with. */
#ifndef ZM_LEARN_CHANNELS_H
#define ZM_LEARN_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zermelo/fire/landscape.h"
#include "zermelo/status.h"

typedef enum zm_channel {
    /* of the ground */
    ZM_CH_BURNABLE,
    ZM_CH_LOAD_1H,
    ZM_CH_LOAD_10H,
    ZM_CH_LOAD_100H,
    ZM_CH_LOAD_HERB,
    ZM_CH_LOAD_WOODY,
    ZM_CH_SAV_1H,
    ZM_CH_SAV_HERB,
    ZM_CH_SAV_WOODY,
    ZM_CH_DEPTH,
    ZM_CH_EXTINCTION,
    ZM_CH_PACKING,
    ZM_CH_DYNAMIC,
    ZM_CH_WIND_GAIN_5,
    ZM_CH_WIND_GAIN_15,
    ZM_CH_SLOPE_GAIN,
    ZM_CH_SLOPE,
    ZM_CH_COVER,
    ZM_CH_HEIGHT,
    ZM_CH_BASE,
    ZM_CH_DENSITY,
    ZM_CH_SHELTER,
    ZM_CH_ELEVATION,
    ZM_CH_UPSLOPE_X,
    ZM_CH_UPSLOPE_Y,
    ZM_CH_RATE_USUAL,
    ZM_CH_GROUND_END,
    /* of the hour */
    ZM_CH_TEMPERATURE = ZM_CH_GROUND_END,
    ZM_CH_HUMIDITY,
    ZM_CH_CLOUD,
    ZM_CH_WIND,
    ZM_CH_WIND_X,
    ZM_CH_WIND_Y,
    ZM_CH_MOISTURE_1H,
    ZM_CH_MOISTURE_10H,
    ZM_CH_MOISTURE_100H,
    ZM_CH_MOISTURE_HERB,
    ZM_CH_MOISTURE_WOODY,
    ZM_CH_SHADE_1H,
    ZM_CH_SUN_1H,
    ZM_CH_SHADE_10H,
    ZM_CH_SUN_ELEVATION,
    ZM_CH_START,
    ZM_CH_HOUR_END,
    /* joint */
    ZM_CH_MIDFLAME = ZM_CH_HOUR_END,
    ZM_CH_WIND_UP,
    ZM_CH_SUN_INCIDENCE,
    ZM_CH_RATE_SHADE,
    ZM_CH_RATE_SUN,
    ZM_CH_END
} zm_channel;

typedef struct zm_channel_facts {
    const char *name, *unit;
    double shift, scale;
} zm_channel_facts;

/** Name, unit and normalisation of a channel. */
const zm_channel_facts *zm_learn_channel_facts_of(zm_channel channel);

/** The channel of that name, or ZM_CH_END. */
zm_channel zm_learn_channel_named(const char *name);

/** Most fuel models on one landscape. */
enum { ZM_MOST_FUELS = 96 };

/** A landscape as models see it: normalised planes of all channels of the ground, and what
 *  joint channels need. */
typedef struct zm_terrain {
    int32_t rows, cols;
    double cell;                     /**< m */
    float *planes[ZM_CH_GROUND_END]; /**< normalised */
    float *upslope[2];               /**< tan(slope) along x and y, up the slope */
    float *shelter;                  /**< midflame wind over open wind */
    float *burnable;                 /**< 1 or 0 */
    uint8_t *fuel; /**< place in `fuels`; where nothing burns: ZM_MOST_FUELS */
    const zm_fuel *fuels[ZM_MOST_FUELS];
    double wind_coef[ZM_MOST_FUELS], wind_power[ZM_MOST_FUELS],
        slope_coef[ZM_MOST_FUELS];
    int32_t n_fuels;
    double latitude;
} zm_terrain;

/** @return ZM_OK, ZM_E_NOMEM, ZM_E_ARG (a fuel that is not known: err->cell) */
zm_status zm_learn_terrain_create(zm_terrain **out, const zm_landscape *landscape,
                                  zm_error *err);
void zm_learn_terrain_destroy(zm_terrain *ground);

/** One hour of a fire as models see it. */
typedef struct zm_hour {
    float channels[ZM_CH_HOUR_END]; /**< normalised; those of the ground are not used */
    double wind[2];                 /**< blows to, km/h along x and y */
    float rate[2][ZM_MOST_FUELS +
                  1]; /**< normalised spread of each fuel without wind and slope:
                                           in the shade, in the sun */
    double sun[3];    /**< unit vector to the sun: x east, y south, z up; z <= 0:
                                         night */
} zm_hour;

/** All hours of a fire; `mean` non-zero: one, of means over the records. */
zm_status zm_learn_hours_create(zm_hour **out, size_t *n, const zm_terrain *ground,
                                const zm_fire *fire, int mean, zm_error *err);
void zm_learn_hours_destroy(zm_hour *hours);

/** Values of joint channels (normalised) in one cell and hour: out[c - ZM_CH_HOUR_END]. */
void zm_learn_joint_channels(const zm_terrain *ground, size_t cell, const zm_hour *hour,
                             double out[ZM_CH_END - ZM_CH_HOUR_END]);

#endif
