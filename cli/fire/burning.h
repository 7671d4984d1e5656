/* SPDX-License-Identifier: Apache-2.0
 * A run of zermelo fire physics: fires of a scene, or one that was observed. */
#ifndef ZM_CLI_FIRE_BURNING_H
#define ZM_CLI_FIRE_BURNING_H

#include "common/value.h"
#include "fire/import_options.h"
#include "fire/physics_model.h"
#include "fire/results.h"
#include "zermelo/fire/ways.h"

typedef struct physics_settings {
    model_settings model;
    const char *scene, *observed, *landscape, *weather, *out, *split, *fire;
    const char *isochrones, *plot, *json, *sensitivity, *ways;
    zm_ways_opts along; /* of --ways */
    file_list ignition;
    weather_times times;
    double t_max, step;
    double potential; /* h; negative: not wanted */
    const char *barriers, *treatments;
    bool score, each, quiet, behaviour, until_last;
} physics_settings;

/** One run. */
typedef struct burning {
    const physics_settings *s;
    zm_scene *scene;
    zm_observed *observed;
    fire_model model;
    zm_physics *physics;
    const zm_georeference *where;
    size_t cells, wanted;
    double seconds, slowest; /* processor time: of all fires, of one */
    float *whole, *T, *truth;
    uint8_t *assets; /* of --sensitivity */
    double *barrier; /* of --barriers; NULL: none */
    float *treated;  /* layers of --treatments; NULL: none */
    fire_results results;
} burning;

/** Times of a fire, up to the horizon into b->whole, up to t_max into b->T.  DONE, or FAILED after
 *  a message. */
int burning_solve(burning *b, const zm_fire *fire, const zm_source *sources, size_t n,
                  double horizon, double t_max);

/** The same of the fire's own ignition, with a horizon from at least `horizon` on to which no more
 *  cells come into reach, ZM_MOST_FIRE_HOURS at most: b->whole has all that the fire can reach. */
int burning_solve_all(burning *b, const zm_fire *fire, double horizon, double t_max);

/** The landscape with the treatments of --treatments, before the model is made.  DONE, or FAILED after
 *  a message. */
int burning_treat(burning *b);

/** FIRE.tif with these times, where --out wants it. */
int burning_save_map(const burning *b, const char *name, const float *T);

/** Isochrones and picture, where they are wanted. */
int burning_save_views(burning *b, const zm_fire *fire, const char *name, double t_max);

/** Perimeters up to --t-max; those whose date is not known count. */
size_t burning_dates(const burning *b);

/** The observed fire: times, scores at its dates, map and views. */
int burn_observed(burning *b);

#endif
