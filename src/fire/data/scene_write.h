/* SPDX-License-Identifier: Apache-2.0
 * Scenes to files. */
#ifndef ZM_FIRE_SCENE_WRITE_H
#define ZM_FIRE_SCENE_WRITE_H

#include "zermelo/fire/dataset.h"

/** A line of fires.csv to be written. */
typedef struct zm_fire_record {
    zm_fire fire; /**< borrowed name and weather */
    const char *split;
    int64_t burned; /**< < 0: left blank */
} zm_fire_record;

/** landscape.tif with all layers there are, and scene.json. */
zm_status zm_scene_ground_write(const char *folder, const char *scene,
                                const zm_landscape *land, const zm_georeference *where,
                                zm_error *err);

/** scene.json alone. */
zm_status zm_scene_facts_write(const char *folder, const char *scene,
                               const zm_landscape *land, zm_error *err);

/** Hourly weather to folder/name; of the n hours so many are before the ignition. */
zm_status zm_weather_write(const char *folder, const char *name,
                           const zm_weather_hour *hours, size_t n, size_t earlier,
                           zm_error *err);

/** fires.csv and weather/FIRE.csv. */
zm_status zm_fires_write(const char *folder, const zm_fire_record *fires, size_t n,
                         zm_error *err);

/** arrival/FIRE.tif, cropped to what burned and 8 cells more. */
zm_status zm_scene_arrival_write(const char *folder, const char *fire, const float *T,
                                 const zm_landscape *land, const zm_georeference *where,
                                 zm_error *err);

/** Band of a layer in landscape.tif. */
const char *zm_scene_layer_band(zm_layer layer);

/** train, val and test, 70/15/15 as nearly as n fires allow, shuffled by the seed; n words. */
void zm_scene_splits_draw(size_t n, uint64_t seed, const char **words);

#endif
