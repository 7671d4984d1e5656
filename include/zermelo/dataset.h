/* SPDX-License-Identifier: Apache-2.0
 * Fire datasets: scenes, which are a landscape with fires on it, and observed fires.  The
 * layout of the files is in docs/fire-data.md. */
#ifndef ZM_DATASET_H
#define ZM_DATASET_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "geo.h"
#include "landscape.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * stands at mean elevation, and fuels 21 and 22 are those of the Joint Research Centre.
 *
 * Cells without data in a needed layer become non-burnable (fuel 99); see
 * zm_scene_cells_without_data.
 *
 * @param folder in   path of the scene
 * @param out    out  to be closed with zm_scene_close; NULL after a failure
 * @return ZM_OK, ZM_E_IO, ZM_E_FORMAT (names file, line or cell, and what would be right),
 *         ZM_E_NOMEM, ZM_E_ARG
 */
ZM_API zm_status zm_scene_open(const char *folder, zm_scene **out, zm_error *err);

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

/** Fuel moisture where fires.csv does not tell: dry. */
#define ZM_MOISTURE_DEFAULT                                                            \
    {                                                                                  \
        6.0, 7.0, 8.0, 60.0, 90.0                                                      \
    }

/** 1: a fire can run in this fuel: published (1-13, Scott and Burgan) or custom. */
ZM_API int zm_fuel_burnable(const zm_landscape *landscape, int32_t number);

/** rows*cols bytes: 1 where the fuel can burn. */
ZM_API void zm_landscape_burnable(const zm_landscape *landscape, uint8_t *mask);

#ifdef __cplusplus
}
#endif
#endif
