/* SPDX-License-Identifier: Apache-2.0
 * Fire datasets: scenes, which are a landscape with fires on it, and observed fires.  The
 * layout of the files is in docs/fire-data.md. */
#ifndef ZM_DATASET_H
#define ZM_DATASET_H

#include <stddef.h>
#include <stdint.h>

#include "../export.h"
#include "../problem.h"
#include "../status.h"
#include "geo.h"
#include "landscape.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Weather of the hours from an ignition on.  Free with zm_weather_free.  This struct is frozen. */
typedef struct zm_weather {
    zm_weather_hour *hours;
    size_t n;
    int32_t start_month, start_day; /**< of the first hour; month 0: not told */
    double start_hour;
    uint32_t assumed; /**< bit k: nothing tells member k of zm_weather_hour, it is as a scene
                           without that column has it */
} zm_weather;

/**
 * Reads weather of any form of zermelo/fire/weather.h, told by its contents, by the hour from its
 * first record, or from the start that it tells, on.
 *
 * @param out out  zeroed after a failure
 * @return ZM_OK, ZM_E_IO, ZM_E_FORMAT (names line, column and range), ZM_E_NOMEM, ZM_E_ARG
 */
ZM_API zm_status zm_weather_read(const char *path, zm_weather *out, zm_error *err);

/** The same from the text of a table, n bytes; `name` is for messages. */
ZM_API zm_status zm_weather_read_text(const char *text, size_t n, const char *name,
                                      zm_weather *out, zm_error *err);

/** Frees what the functions above gave; zeroes it. */
ZM_API void zm_weather_free(zm_weather *weather);

/**
 * Fuel models of a file, as of zm_fuels_parse.
 *
 * @param fuels out  *n of them, at least one, to be freed with free(); NULL after a failure
 * @return ZM_OK, ZM_E_IO, ZM_E_FORMAT, ZM_E_NOMEM, ZM_E_ARG
 */
ZM_API zm_status zm_fuels_read(const char *path, zm_fuel **fuels, size_t *n,
                               zm_error *err);

/** A scene in memory: the landscape and the list of fires with their weather; arrival times
 *  are read when asked for.  Any number of threads may read one scene. */
typedef struct zm_scene zm_scene;

typedef enum zm_split {
    ZM_SPLIT_TRAIN = 0,
    ZM_SPLIT_VAL,
    ZM_SPLIT_TEST,
    ZM_SPLIT_OTHER, /**< another word in fires.csv, or none */
    ZM_SPLITS
} zm_split;

/** What the files do not tell. */
typedef struct zm_open_opts {
    size_t size;
    const zm_fuel
        *fuels; /**< they come before those of scene.json and the published ones */
    size_t n_fuels;
    const zm_fuel_moisture
        *moisture; /**< of an observed fire; NULL: ZM_MOISTURE_DEFAULT */
} zm_open_opts;
#define ZM_OPEN_OPTS_INIT                                                              \
    {                                                                                  \
        sizeof(zm_open_opts), NULL, 0, NULL                                            \
    }

/**
 * Opens the scene in a folder: landscape.tif, scene.json (may be missing), fires.csv and
 * weather/, but nothing of arrival/.  Sizes, units, georeference, ranges of all values, fuels
 * and ignitions are checked.
 *
 * Of fires.csv the columns fire, ignition_row and ignition_col are needed.  Where others are
 * missing or blank: weather is weather/FIRE.csv, split ZM_SPLIT_OTHER, duration INFINITY,
 * start 1 July, 12 h, moistures ZM_MOISTURE_DEFAULT.  Of weather files wind_speed_kmh and
 * wind_dir_deg are needed; else 25 C, 30 %, no cloud, no rain.  Without scene.json the
 * latitude is that of the map (45 where the coordinate system is unknown), the station
 * stands at mean elevation, and fuels 19 (FARSITE's Ashley example), 21 and 22 (Joint Research
 * Centre) are known.
 *
 * Cells without data in a needed layer become non-burnable (fuel 99); see
 * zm_scene_cells_without_data.
 *
 * @param folder in   path of the scene
 * @param out    out  to be closed with zm_scene_close; NULL after a failure
 * @param opts   in   its fuels count; NULL means ZM_OPEN_OPTS_INIT
 * @return ZM_OK, ZM_E_IO, ZM_E_FORMAT (names file, line or cell, and what would be right),
 *         ZM_E_NOMEM, ZM_E_ARG
 */
ZM_API zm_status zm_scene_open(const char *folder, zm_scene **out,
                               const zm_open_opts *opts, zm_error *err);

/** A scene without fires: a landscape of its own.  `json` is a scene.json, or NULL. */
ZM_API zm_status zm_scene_open_landscape(const char *tif, const char *json,
                                         zm_scene **out, zm_error *err);

/** NULL is allowed. */
ZM_API void zm_scene_close(zm_scene *scene);

/** All below belong to the scene and live as long as it does. */
ZM_API const zm_landscape *zm_scene_landscape(const zm_scene *scene);
ZM_API const zm_georeference *zm_scene_georeference(const zm_scene *scene);
ZM_API const char *zm_scene_folder(const zm_scene *scene); /**< as given to open */
ZM_API const char *zm_scene_name(const zm_scene *scene); /**< last part of the folder */
ZM_API int64_t zm_scene_cells_without_data(const zm_scene *scene);

/** Number of fires; index i below is from 0, in the order of fires.csv. */
ZM_API size_t zm_scene_count(const zm_scene *scene);
ZM_API const zm_fire *zm_scene_fire(const zm_scene *scene, size_t i);
ZM_API zm_split zm_scene_split(const zm_scene *scene, size_t i);
/** The word in fires.csv; "" where there is none. */
ZM_API const char *zm_scene_split_word(const zm_scene *scene, size_t i);
/** Cells burned according to fires.csv; -1 where it does not tell. */
ZM_API int64_t zm_scene_burned_cells(const zm_scene *scene, size_t i);
/** Index of the fire of that name; zm_scene_count where there is none. */
ZM_API size_t zm_scene_find(const zm_scene *scene, const char *fire);

/** 1: arrival/FIRE.tif is there. */
ZM_API int zm_scene_has_arrival(const zm_scene *scene, size_t i);

/**
 * Arrival times of a fire, hours since ignition, from arrival/FIRE.tif, which may be cropped
 * and must align with the landscape cell by cell.
 *
 * @param T out  rows*cols of the landscape; INFINITY where not burned
 * @return ZM_OK, ZM_E_IO, ZM_E_FORMAT, ZM_E_NOMEM, ZM_E_ARG; then T is unspecified
 */
ZM_API zm_status zm_scene_arrival(const zm_scene *scene, size_t i, float *T,
                                  zm_error *err);

/** The same from any raster, a prediction for instance, whatever its times. */
ZM_API zm_status zm_scene_times(const zm_scene *scene, const char *path, float *T,
                                zm_error *err);

/** A real fire: its landscape, the weather and burned areas at some dates.  Any number of
 *  threads may read one. */
typedef struct zm_observed zm_observed;

/**
 * Opens an observed fire in a folder: landscape.tif, scene.json (may be missing),
 * perimeters.gpkg (or .geojson, .shp), ignition.json (may be missing) and the weather, the
 * first there is of: weather.csv (as of a scene); wind_study.csv (wind at 20 ft in mph at
 * given times) with daily_study.csv (range of temperature and humidity a day); wind.csv (km/h;
 * its spacing is not told and taken as an hour).
 *
 * Time 0 is the first perimeter where there are several.  A date without a time of day is
 * taken as noon.
 *
 * @param out  out  to be closed with zm_observed_close; NULL after a failure
 * @param opts in   NULL means ZM_OPEN_OPTS_INIT
 * @return as zm_scene_open
 */
ZM_API zm_status zm_observed_open(const char *folder, zm_observed **out,
                                  const zm_open_opts *opts, zm_error *err);

/** NULL is allowed. */
ZM_API void zm_observed_close(zm_observed *observed);

/** All below belong to the observed fire and live as long as it does. */
ZM_API const zm_landscape *zm_observed_landscape(const zm_observed *observed);
ZM_API const zm_georeference *zm_observed_georeference(const zm_observed *observed);
/** Weather from time 0 on; row and col are -1 where the ignition is not known. */
ZM_API const zm_fire *zm_observed_fire(const zm_observed *observed);
/** The perimeters, n of them, in order of time. */
ZM_API const zm_perimeter *zm_observed_perimeters(const zm_observed *observed,
                                                  size_t *n);
/** Their masks, as zm_score_observed, zm_observe_masks and zm_dated_fire take them. */
ZM_API const uint8_t *const *zm_observed_masks(const zm_observed *observed);
/** Hours of the perimeters since time 0; NAN where they are not known. */
ZM_API const double *zm_observed_hours(const zm_observed *observed);
/** 1: the first perimeter is the start at time 0, as there are later ones. */
ZM_API int zm_observed_has_start(const zm_observed *observed);
/** Lines of wind_study.csv and daily_study.csv left out, whose day does not exist or which are
 *  later than the line after them. */
ZM_API size_t zm_observed_skipped_lines(const zm_observed *observed);

/**
 * Where the fire is at time 0: the first perimeter if there are several, else the 3 x 3 block
 * about the ignition.
 *
 * @param mask out  rows*cols of the landscape, 1: burning
 * @return number of cells; 0: neither is known
 */
ZM_API size_t zm_observed_start(const zm_observed *observed, uint8_t *mask);

/**
 * The same as sources of zm_physics_arrival: the cells of the first perimeter at time 0.
 *
 * @param sources out  room for rows*cols
 * @param n       out  0: the ignition is all that is known, which the model lights by itself
 * @return ZM_OK; ZM_E_SOURCE: there is neither, or no cell in the first perimeter
 */
ZM_API zm_status zm_observed_sources(const zm_observed *observed, zm_source *sources,
                                     size_t *n, zm_error *err);

/** Hour of perimeter k; where it is not known, k. */
ZM_API double zm_observed_hour(const zm_observed *observed, size_t k);

/** When each cell was first seen burned, by zm_observed_hour; rows*cols, INFINITY: never. */
ZM_API void zm_observed_times(const zm_observed *observed, float *T);

/** Hours to which the fire is known: the latest of a perimeter after time 0, else those of its
 *  weather. */
ZM_API double zm_observed_end(const zm_observed *observed);

/** Hours for which the model of an observed fire has weather of their own when its times are wanted
 *  to t_max: to the end of its weather where that is later, as areas are also compared apart from
 *  dates. */
ZM_API double zm_observed_horizon(const zm_observed *observed, double t_max);

/** Perimeters up to a time; those whose hour is not known count. */
ZM_API size_t zm_observed_until(const zm_observed *observed, double t_max);

/* Importers: files of others become scenes and observed fires of ours. */

/** What an importer found and changed. */
typedef struct zm_import_report {
    size_t size;                /**< sizeof(zm_import_report), set by the caller */
    int64_t cells_without_data; /**< made non-burnable */
    int64_t
        unknown_fuel_cells; /**< fuel neither published nor custom: made non-burnable */
    int32_t
        slope_computed;    /**< 1: slope and aspect were missing, made from elevation */
    int32_t cover_missing; /**< 1: no canopy cover, taken as 0 */
    int64_t
        usual_fuel_cells; /**< fuel 19, 21 or 22 that nothing defines: as zm_scene_open
                                   has them without scene.json */
    size_t fires, perimeters; /**< written */
    size_t fires_skipped; /**< without masks, weather or burnable ignition; the first is
                                      named in `note` */
    char note[160];
    uint32_t layers_missing;  /**< bit k: layer k of zm_layer was not there */
    uint32_t weather_assumed; /**< as of zm_weather */
    int32_t earlier_hours;    /**< of weather before the ignition, which condition the fuel */
    int32_t weather_hours;    /**< from the ignition on; 0: no weather was taken */
    double station_elevation; /**< m, as the weather tells it; 0 where station_told is 0 */
    int32_t station_told;
    int32_t moisture_told; /**< 1: fuel moistures are those of an .input */
    double sun_ahead;      /**< of zm_fire */
    char unused[160];      /**< settings of an .input that this model has no use for */
    int32_t start_year;    /**< of the ignition, on the clock of the start; 0: not told */
    int32_t start_month, start_day;
    double start_hour;
    int32_t slope_percent; /**< 1: the slope was in percent (SLPP) */
    int32_t utm_zone;      /**< the landscape was in degrees and was brought into this UTM zone,
                                negative: south; 0: it was not */
    int64_t ignition_cells;       /**< of ignitions in words: that burn at their times */
    int64_t ignition_unburnable;  /**< cells of lines that cannot burn, left out */
    int64_t ignition_outside;     /**< shapes cut off at the edge of the landscape */
    double ignition_latest;       /**< h after the start */
    int32_t ignition_clock_assumed; /**< of zm_ignition_report */
} zm_import_report;
#define ZM_IMPORT_REPORT_INIT                                                          \
    {                                                                                  \
        .size = sizeof(zm_import_report)                                               \
    }

/** What files of others do not tell. */
typedef struct zm_import_opts {
    size_t size;
    const zm_fuel
        *fuels; /**< custom models of the landscape: they go into scene.json */
    size_t n_fuels;
    zm_fuel_moisture moisture; /**< at the ignition */
    int32_t start_month, start_day;
    double
        start_hour; /**< of the ignition; month 0: that of a weather stream, else 1 July,
                            12 h */
    int32_t start_year;   /**< 0: the first year in which the weather has the day */
    double start_ahead;   /**< h that the clock of the start is ahead of UTC, for the sun and for
                               weather in another zone; NAN: it is that of the weather */
    double weather_ahead; /**< the same of the times of the weather, where it does not tell */
    double hours;         /**< of weather with dates that must be there; 0: as many as it has */
    double earlier;       /**< h: at most so much of it before the ignition conditions the fuel */
    int32_t moisture_given; /**< 1: `moisture` comes before that of an .input */
    const char *const *ignition; /**< n_ignition words of zermelo/fire/ignition.h: instead of row and
                                      column.  Where nothing else tells the start it is the
                                      earliest of their dates */
    size_t n_ignition;
} zm_import_opts;
#define ZM_IMPORT_OPTS_INIT                                                            \
    {                                                                                  \
        sizeof(zm_import_opts), NULL, 0, ZM_MOISTURE_DEFAULT, 0, 0, 0.0, 0,            \
            (double)NAN, (double)NAN, 0.0, HUGE_VAL, 0, NULL, 0                        \
    }

/** Reads month-dayThour[:minute], like 07-03T17:00; 0 where it is none. */
ZM_API int zm_start_parse(const char *text, int32_t *month, int32_t *day, double *hour);

/**
 * A landscape to folder/landscape.tif and folder/scene.json, from a FARSITE .lcp file (units as
 * it declares them), or a GeoTIFF with several bands: ours, LANDFIRE's by the names of its
 * products (ELEV, SLPD, ASP, FBFM40 or F40, CC, CH, CBH, CBD; canopy in its units, tenths of
 * metres and hundredths of kg/m^3), or without names in that order.  Missing slope and aspect
 * are computed; an aspect of -1 becomes 0; fuels that are not known become 99.  A scene.json
 * beside the file tells latitude, station and further custom fuels.
 *
 * @param opts   in   NULL means ZM_IMPORT_OPTS_INIT
 * @param report out  or NULL
 * @return ZM_OK, ZM_E_IO, ZM_E_FORMAT, ZM_E_NOMEM, ZM_E_ARG
 */
ZM_API zm_status zm_import_landscape(const char *file, const char *folder,
                                     const zm_import_opts *opts,
                                     zm_import_report *report, zm_error *err);

/** Polygons (see zm_perimeters_read) to folder/perimeters.gpkg, in the coordinate system of
 *  folder/landscape.tif, which must be there. */
ZM_API zm_status zm_import_perimeters(const char *file, const char *folder,
                                      zm_import_report *report, zm_error *err);

/** One fire f0001 to folder/fires.csv and folder/weather/: its ignition on
 *  folder/landscape.tif, and the weather from a file of any form (zermelo/fire/weather.h), by
 *  its dates from the start on; hours before condition the fuel.  A station elevation that the
 *  weather tells goes into scene.json. */
ZM_API zm_status zm_import_ignition(const char *weather, int32_t row, int32_t col,
                                    const char *folder, const zm_import_opts *opts,
                                    zm_import_report *report, zm_error *err);

/** Both of these: a landscape with one fire.  Nothing is written unless landscape, weather and
 *  ignition are right. */
ZM_API zm_status zm_import_scene(const char *landscape, const char *weather,
                                 int32_t row, int32_t col, const char *folder,
                                 const zm_import_opts *opts, zm_import_report *report,
                                 zm_error *err);

/**
 * A scene of Sim2Real-Fire, in either of its published layouts.
 *
 * LANDFIRE rasters lie in folders with Topography, Vegetation, Fuel or landfire in their names, or in
 * folders in these that are named after layers (1.1 Topography_Map/elevation/); weather streams in
 * folders with Weather or wxs in their names, or in folders of each fire in these (1.4
 * Weather_Data/FIRE/); hourly masks out1.jpg, out2.jpg, ... (or .png) in a folder for each fire.  Weather
 * goes with the fire whose folder's name holds its name or that of its folder.  Fires below folders train,
 * val and test keep this split, and take weather of it (wxs_train); without such folders one is drawn.
 *
 * A pixel is burned where it is above 0, as the loader of the data set has it.  A cell burns in the
 * first hour whose mask shows it, counted from the first mask that shows anything, and line k of the
 * weather is that of mask k; the ignition is the cell of that mask nearest to its centre.  Masks with a
 * date in their name, as of real fires, become perimeters of an observed fire; of several fires each is
 * in a folder of its name.
 */
ZM_API zm_status zm_import_sim2real(const char *scene, const char *folder,
                                    zm_import_report *report, zm_error *err);

/** Whether a folder is one scene of Sim2Real-Fire: has folders of LANDFIRE rasters. */
ZM_API int zm_sim2real_scene_here(const char *folder);

/** Called after each scene with its name, what zm_import_sim2real said, and its report or its error; a
 *  non-zero answer cancels. */
typedef int zm_import_scene_told(void *ctx, const char *scene, zm_status status,
                                 const zm_import_report *report, const zm_error *err);

/**
 * All scenes of Sim2Real-Fire in a folder, or in folders up to two levels down, each into a folder of
 * its name: a dataset.  Scenes that cannot be imported are told, and the others still are.
 *
 * @param told in  or NULL
 * @return ZM_OK, also where some scenes failed; ZM_E_FORMAT (there are none, or all failed); ZM_E_ARG
 *         (the folder is one scene itself); ZM_E_IO; ZM_E_NOMEM; ZM_E_CANCELLED
 */
ZM_API zm_status zm_import_sim2real_scenes(const char *root, const char *folder,
                                           zm_import_scene_told *told, void *ctx,
                                           zm_error *err);

/* Synthetic scenes. */

typedef struct zm_simulate_opts {
    size_t size;
    uint64_t seed;      /**< the same seed gives the same scene */
    int32_t rows, cols; /**< 40 to 4000 */
    double cell;        /**< m, 5 to 500 */
    int32_t fires;      /**< 1 to 9999 */
    int32_t finer;      /**< fires are grown on a grid so many times finer, 1 to 4 */
    /** Called after each fire with the share that is done; a non-zero answer cancels. */
    zm_progress_fn *progress;
    void *progress_ctx;
} zm_simulate_opts;
#define ZM_SIMULATE_OPTS_INIT                                                          \
    {                                                                                  \
        sizeof(zm_simulate_opts), 1, 200, 200, 30.0, 6, 2, NULL, NULL                  \
    }

/**
 * Writes a scene of its own making: fractal terrain with rivers, fuel patches, hourly weather
 * and fires with the arrival times of a simple law of spread (docs/fire-data.md), split 70/15/15.
 *
 * @param folder in  made if needed; files of the same names are replaced
 * @return ZM_OK, ZM_E_ARG, ZM_E_IO, ZM_E_NOMEM, ZM_E_CANCELLED
 */
ZM_API zm_status zm_simulate_scene(const char *folder, const zm_simulate_opts *opts,
                                   zm_error *err);

/* Patches: windows of one size for training. */

typedef struct zm_patch_opts {
    size_t size;
    int32_t side; /**< cells; smaller where the landscape is */
    int32_t
        stride; /**< cells from one window to the next; the last one ends at the edge */
    int64_t min_burned; /**< windows with fewer burned cells are left out */
} zm_patch_opts;
#define ZM_PATCH_OPTS_INIT                                                             \
    {                                                                                  \
        sizeof(zm_patch_opts), 256, 128, 100                                           \
    }

/** This struct is frozen. */
typedef struct zm_patch {
    int32_t row, col; /**< its north-west cell */
    int32_t rows, cols;
    int64_t burned; /**< cells */
} zm_patch;

/**
 * Windows of a fire with enough burned cells, in order of rows and columns.
 *
 * @param T    in   rows*cols, INFINITY where not burned
 * @param out  out  *n patches, to be freed with free(); NULL where there is none
 * @param opts in   NULL means ZM_PATCH_OPTS_INIT
 */
ZM_API zm_status zm_patches_find(const float *T, int32_t rows, int32_t cols,
                                 zm_patch **out, size_t *n, const zm_patch_opts *opts,
                                 zm_error *err);

/**
 * Times and sources of one window.  Every connected part of the burned area in it (neighbours
 * also across corners) gets a source where it burned first, the burned cells of the 3 x 3
 * block there, and its times count from then: 0 in the source.
 *
 * @param T       in   rows*cols of the landscape; cols is needed alone
 * @param times   out  rows*cols of the patch; INFINITY where not burned
 * @param sources out  the same number of bytes, 1: source
 * @param parts   out  number of connected parts, or NULL
 */
ZM_API zm_status zm_patch_extract(const float *T, int32_t cols, const zm_patch *patch,
                                  float *times, uint8_t *sources, size_t *parts,
                                  zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
