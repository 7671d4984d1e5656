/* SPDX-License-Identifier: Apache-2.0
 * What a scene is made of, and who reads which part. */
#ifndef ZM_FIRE_SCENE_H
#define ZM_FIRE_SCENE_H

#include <stdbool.h>

#include "zermelo/fire/dataset.h"

/** A landscape that owns its planes and fuels. */
typedef struct zm_scene_ground {
    zm_raster raster;
    zm_landscape landscape; /**< points into raster and fuels */
    zm_fuel *fuels;
    int64_t without_data; /**< cells */
} zm_scene_ground;

/** `json` may be NULL, or name a file that is not there: see zm_scene_open. */
zm_status zm_scene_ground_read(const char *tif, const char *json, const zm_fuel *fuels,
                               size_t n_fuels, zm_scene_ground *out, zm_error *err);
void zm_scene_ground_free(zm_scene_ground *ground);

/** Square cells of some metres, rows from north to south; *cell is their side in metres.  `unit` is
 *  that of zm_raster. */
zm_status zm_scene_place_check(const zm_georeference *where, double unit, const char *tif,
                               double *cell, zm_error *err);

/** ZM_E_FORMAT where no cell has data in all the layers that are needed. */
zm_status zm_scene_some_data_check(const zm_landscape *land, const char *tif,
                                   zm_error *err);

/** Latitude and station that nothing tells (NAN): those of the map, the mean elevation.
 *  ZM_OK, ZM_E_FORMAT (the map's coordinate system is not understood) */
zm_status zm_scene_place_by_map(zm_landscape *land, const zm_georeference *where,
                                zm_error *err);

/** ZM_E_FORMAT unless the values of all layers are in their ranges, or missing (NAN). */
zm_status zm_scene_layers_check(const zm_landscape *land, const char *tif,
                                zm_error *err);

/** Custom fuels, latitude and station of a scene.json; NAN where it does not tell. */
typedef struct zm_scene_facts {
    double latitude, station_elevation;
    zm_fuel *fuels; /**< to be freed */
    size_t n_fuels;
} zm_scene_facts;
zm_status zm_scene_facts_parse(const char *bytes, size_t n, const char *name,
                               zm_scene_facts *out, zm_error *err);
zm_status zm_scene_facts_read(const char *path, zm_scene_facts *out, zm_error *err);

/** Fuels to the front of those that the facts have; of one number the first stays. */
zm_status zm_scene_facts_add(zm_scene_facts *facts, const zm_fuel *fuels, size_t n,
                             zm_error *err);

/** Custom models of well-known landscapes: that of FARSITE's Ashley example (19), and the two
 *  of the Joint Research Centre for Europe (21, 22). */
enum { ZM_USUAL_FUELS = 3 };
extern const zm_fuel zm_scene_usual_fuels[ZM_USUAL_FUELS];

/** Numbers of maps that say what does not burn: urban, snow, agriculture, water, bare. */
bool zm_scene_fuel_is_barren(float fuel);

/** A line of fires.csv. */
typedef struct zm_fire_line {
    zm_fire fire; /**< name and weather belong to this */
    char *split, *weather_file;
    char *sources_file; /**< "": the ignition alone */
    double burned_cells; /**< -1: not told */
} zm_fire_line;

/** Lines of fires.csv without weather. */
zm_status zm_fires_parse(const void *bytes, size_t n, const char *name,
                         zm_fire_line **out, size_t *n_fires, zm_error *err);
void zm_fires_free(zm_fire_line *fires, size_t n);

/** Hourly weather of one fire; *hours to be freed.  assumed: as in zm_weather, or NULL.
 *  earlier: how many of the hours are before the ignition (numbered -1, -2 ... backwards); NULL:
 *  none may be. */
zm_status zm_weather_parse(const void *bytes, size_t n, const char *name,
                           zm_weather_hour **hours, size_t *n_hours, size_t *earlier,
                           uint32_t *assumed, zm_error *err);

struct zm_scene {
    char *folder;
    const char *name; /* its end */
    zm_scene_ground ground;
    zm_fire_line *fires;
    size_t n_fires;
};

#endif
