/* SPDX-License-Identifier: Apache-2.0
 * Landscape, weather and a fire: what spread models are given.  Plain data, owned by whoever
 * made it; zermelo/fire/dataset.h reads them from files.  Structs that may grow begin with their own
 * size: start from their _INIT macro, or write .size = sizeof(zm_fire).
 *
 * Units: metres, hours, degrees Celsius, km/h, percent.  Rasters are row-major with row 0 at
 * the north edge; x runs east along columns, y south along rows.  Directions are degrees
 * clockwise from grid north; wind_dir is where the wind comes FROM, aspect points down the
 * slope. */
#ifndef ZM_LANDSCAPE_H
#define ZM_LANDSCAPE_H

#include <math.h> /* HUGE_VAL in ZM_FIRE_INIT */
#include <stddef.h>
#include <stdint.h>

#include "../export.h"
#include "../problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum zm_layer {
    ZM_LAYER_ELEVATION = 0, /**< m */
    ZM_LAYER_SLOPE,         /**< degrees */
    ZM_LAYER_ASPECT,        /**< degrees, down the slope; 0 on flat ground */
    ZM_LAYER_FUEL,          /**< number of the fuel model */
    ZM_LAYER_COVER,         /**< canopy cover, percent */
    ZM_LAYER_HEIGHT,        /**< canopy height, m */
    ZM_LAYER_BASE,          /**< canopy base height, m */
    ZM_LAYER_DENSITY,       /**< canopy bulk density, kg/m^3 */
    ZM_LAYERS
} zm_layer;

/** A fuel model in the units of the published tables (Scott and Burgan 2005).  This struct is
 *  frozen. */
typedef struct zm_fuel {
    int32_t number;
    int32_t dynamic;             /**< non-zero: herbs cure into dead fuel */
    double load[5];              /**< t/acre: 1 h, 10 h, 100 h, live herb, live woody */
    double surface_to_volume[3]; /**< 1/ft: 1 h, live herb, live woody */
    double depth;                /**< ft */
    double extinction;           /**< dead moisture of extinction, percent */
    double heat[2];              /**< BTU/lb: dead, live */
} zm_fuel;

typedef struct zm_landscape {
    size_t size; /**< sizeof(zm_landscape): lets the struct grow later */
    int32_t rows, cols;
    double cell; /**< m, square cells */
    const float
        *layers[ZM_LAYERS];   /**< rows*cols each; NULL: not known.  The first five are
                                         always there */
    double latitude;          /**< degrees north, for the sun */
    double station_elevation; /**< m: where the weather was measured */
    const zm_fuel
        *custom_fuels; /**< beside the published ones, or instead of those of the
                                         same number */
    size_t n_custom_fuels;
} zm_landscape;
#define ZM_LANDSCAPE_INIT                                                              \
    {                                                                                  \
        sizeof(zm_landscape), 0, 0, 0.0,                                               \
            { NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL }, 0.0, 0.0, NULL, 0      \
    }

/** This struct is frozen. */
typedef struct zm_weather_hour {
    double temperature; /**< C */
    double humidity;    /**< percent */
    double wind_speed;  /**< km/h, 10 m above open ground */
    double wind_dir;    /**< degrees, FROM */
    double cloud;       /**< percent */
    double rain;        /**< mm in the hour */
} zm_weather_hour;

/** Initial moisture of fuels, percent.  This struct is frozen. */
typedef struct zm_fuel_moisture {
    double dead_1h, dead_10h, dead_100h, live_herb, live_woody;
} zm_fuel_moisture;

/** Where nothing else is known: dry. */
#define ZM_MOISTURE_DEFAULT                                                            \
    {                                                                                  \
        6.0, 7.0, 8.0, 60.0, 90.0                                                      \
    }

/** An ignition with its weather: record k holds from hour k to k+1 after the ignition, the
 *  last one for ever. */
typedef struct zm_fire {
    size_t size; /**< sizeof(zm_fire): lets the struct grow later */
    const char *name;
    int32_t row, col;               /**< cell of the ignition */
    double duration;                /**< h; INFINITY: not known */
    int32_t start_month, start_day; /**< from 1 */
    double start_hour;              /**< local time of the ignition, 0 <= hour < 24 */
    zm_fuel_moisture moisture;
    const zm_weather_hour *weather;
    size_t hours; /**< >= 1 */
    const zm_weather_hour *earlier; /**< of the hours before the ignition, the last of them just
                                         before it: dead fuel follows them from the moisture
                                         above on (a conditioning period); NULL: none */
    size_t earlier_hours;           /**< at most ZM_MOST_EARLIER_HOURS */
    double sun_ahead; /**< h that mean solar time is ahead of the clock of start_hour, -24 to 24 */
    int32_t start_year; /**< 0: not told */
    double clock_ahead; /**< h that the clock of start_hour is ahead of UTC; NAN: not told; counts
                             where the year is told */
    const zm_source *sources; /**< cells that burn at times >= 0: lines, polygons, several points; what
                                   is given sources of its own takes those.  NULL: row and col alone */
    size_t n_sources;
} zm_fire;
/** Nowhere, on 1 July at 12 h, and without weather. */
#define ZM_FIRE_INIT                                                                   \
    {                                                                                  \
        sizeof(zm_fire), "", -1, -1, HUGE_VAL, 7, 1, 12.0, ZM_MOISTURE_DEFAULT, NULL,  \
            0, NULL, 0, 0.0, 0, (double)NAN, NULL, 0                                   \
    }

enum { ZM_MOST_EARLIER_HOURS = 2400 /**< that condition the fuel of a fire */ };

/** 1: a fire can run in this fuel, custom or published (1-13, Scott and Burgan): it has dead
 *  fuel, and depth. */
ZM_API int zm_fuel_burnable(const zm_landscape *landscape, int32_t number);

/** rows*cols bytes: 1 where the fuel can burn. */
ZM_API void zm_landscape_burnable(const zm_landscape *landscape, uint8_t *mask);

/** Hours to which a fire is known: its duration, else those of its weather. */
ZM_API double zm_fire_end(const zm_fire *fire);

/** Hours to which maps of a fire go: a quarter of its duration after its end, which tells cells
 *  that are late from those that never burn; to the end of its weather where it has none. */
ZM_API double zm_fire_map_end(const zm_fire *fire);

#ifdef __cplusplus
}
#endif

#endif
