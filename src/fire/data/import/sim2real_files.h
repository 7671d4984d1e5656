/* SPDX-License-Identifier: Apache-2.0
 * What lies where in a scene of Sim2Real-Fire. */
#ifndef ZM_FIRE_SIM2REAL_FILES_H
#define ZM_FIRE_SIM2REAL_FILES_H

#include <stdbool.h>

#include "core/folder.h"
#include "fire/data/geo/date.h"
#include "fire/data/import/import_layers.h"

typedef struct zm_sim2real_files {
    zm_layers layers;        /**< read from the LANDFIRE rasters */
    zm_folder_names masks;   /**< folders of masks */
    zm_folder_names weather; /**< files */
    size_t root;             /**< characters of the scene's own path */
} zm_sim2real_files;

zm_status zm_sim2real_find(const char *scene, zm_sim2real_files *out, zm_error *err);
void zm_sim2real_free(zm_sim2real_files *files);

enum { ZM_MOST_MASKS = 5000 };

/** Number of an hourly mask, out12.jpg, below ZM_MOST_MASKS; -1 where it is none. */
int zm_sim2real_mask_number(const char *path);

/** The date in the name of a mask: eight digits, or four, two and two with one character
 *  between; false where it is none. */
bool zm_sim2real_mask_date(const char *path, zm_date *date);

/** The word of the published split that a folder or file is of: train, val or test, where a folder on
 *  its way from the scene is called so or ends so (wxs_train); NULL where none is. */
const char *zm_sim2real_split(const zm_sim2real_files *files, const char *path);

/** The weather file of a folder of masks: that whose name, or the name of whose folder within that of
 *  weather, is the longest that stands in the name of the folder of masks, of the same split where
 *  both are of one; else the only one; NULL where there is none. */
const char *zm_sim2real_weather(const zm_sim2real_files *files, const char *masks);

/** Whether folders of LANDFIRE rasters lie in it. */
zm_status zm_sim2real_is_scene(const char *folder, bool *is, zm_error *err);

#endif
