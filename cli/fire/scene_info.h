/* SPDX-License-Identifier: Apache-2.0
 * What is in landscapes and fires, as text and as JSON. */
#ifndef ZM_CLI_FIRE_SCENE_INFO_H
#define ZM_CLI_FIRE_SCENE_INFO_H

#include "common/json.h"
#include "zermelo/fire/dataset.h"

/** A description under way: members are added to the object that is open. */
typedef struct description {
    json j;
    bool print; /**< the text goes to standard output */
} description;

void describe_landscape(description *d, const zm_landscape *land,
                        const zm_georeference *where);
/** How many fires, of which split, how long. */
void describe_fires(description *d, const zm_scene *scene);
/** Ignition and fuel moisture. */
void describe_start(description *d, const zm_fire *fire);
/** Hourly weather, of `most` hours. */
void describe_weather(description *d, const zm_fire *fire, size_t most);
/** Area burned at quarters of the duration. */
void describe_growth(description *d, const zm_landscape *land, const float *T);

/** Share of the cells that can burn. */
double burnable_share(const zm_landscape *land);
/** How many fires each split has. */
void count_splits(const zm_scene *scene, size_t counts[ZM_SPLITS]);

#endif
