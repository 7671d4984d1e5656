/* SPDX-License-Identifier: Apache-2.0
 * Small scenes for tests, and the shared data set where it is there. */
#ifndef ZM_TESTS_SCENES_H
#define ZM_TESTS_SCENES_H

#include "support/folders.h"

/** Writes text to folder/name, making folders as needed. */
void scene_put(const folder *f, const char *name, const char *text);

/** Writes folder/name/landscape.tif with constant layers: 20 x 30 cells of 30 m, fuel 102 and
 *  two columns of water (98), 10 and 11, and fires.csv, weather/a.csv with one fire `a`. */
void scene_make(const folder *f, const char *name);

/** Writes a raster of SCENE_RASTER_ROWS x SCENE_RASTER_COLS cells of 30 m with so many constant
 *  bands (up to 8); names NULL: none. */
enum { SCENE_RASTER_ROWS = 24, SCENE_RASTER_COLS = 30 };
void scene_put_raster(const folder *f, const char *name, const char *const *names,
                      const float *values, int bands);

/** A FARSITE weather stream of three hours in English units, from 17 August, 13 h, on. */
extern const char scene_weather_stream[];

/** Removes the folder with all that is in it. */
void scene_remove(const folder *f);

/** The data set: ZM_FARSITE_DATA, else beside the source tree; NULL where there is none. */
const char *farsite_data(void);

#endif
