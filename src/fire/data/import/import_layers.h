/* SPDX-License-Identifier: Apache-2.0
 * Layers of other formats, brought to our names and units. */
#ifndef ZM_FIRE_IMPORT_LAYERS_H
#define ZM_FIRE_IMPORT_LAYERS_H

#include <math.h>
#include <stdbool.h>

#include "fire/data/scene.h"

/** Layers under collection; start with ZM_LAYERS_NONE, free with zm_layers_free. */
typedef struct zm_layers {
    int32_t rows, cols;
    float *planes[ZM_LAYERS];
    zm_georeference where; /**< owned text */
    double unit;           /**< metres in a unit of the map */
    bool slope_percent;    /**< the slope came in percent */
    int utm_zone;          /**< of zm_import_report */
    zm_scene_facts facts;  /**< owned fuels; latitude and station NAN: by the map */
} zm_layers;
#define ZM_LAYERS_NONE                                                                 \
    {                                                                                  \
        .facts = { NAN, NAN, NULL, 0 }                                                 \
    }

void zm_layers_free(zm_layers *layers);

/** The layer that a LANDFIRE product or file is, by its name; -1: none of ours. */
int zm_layers_landfire_layer(const char *name);

/** All bands of a file: ours, FARSITE's or LANDFIRE's. */
zm_status zm_layers_read(zm_layers *layers, const char *file, zm_error *err);

/** One band of a LANDFIRE raster as the given layer; must fit those that are there. */
zm_status zm_layers_add(zm_layers *layers, const char *file, zm_layer layer,
                        zm_error *err);

/** Fills what is missing, makes fuels that are unknown non-burnable, and checks place and values as
 *  zm_scene_open will.  *land points into the layers; `name` is for messages. */
zm_status zm_layers_finish(zm_layers *layers, const char *name, zm_landscape *land,
                           zm_import_report *report, zm_error *err);

/** To landscape.tif and scene.json. */
zm_status zm_layers_write(const zm_layers *layers, const zm_landscape *land,
                          const char *folder, zm_error *err);

#endif
