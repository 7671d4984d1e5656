/* SPDX-License-Identifier: Apache-2.0
 * Canopy of a cell. */
#ifndef ZM_FIRE_CANOPY_H
#define ZM_FIRE_CANOPY_H

#include "zermelo/fire/landscape.h"

typedef struct zm_canopy {
    double cover;        /* percent */
    double height, base; /* m */
    double density;      /* kg/m^3 */
} zm_canopy;

/** Where a landscape has no such layer FARSITE's defaults stand: 15 m, 4 m, 0.2 kg/m^3 (Finney
 *  1998, RMRS-RP-4). */
static inline zm_canopy zm_canopy_at(const zm_landscape *land, size_t cell)
{
    const float *const *layer = land->layers;

    return (zm_canopy){
        layer[ZM_LAYER_COVER][cell],
        layer[ZM_LAYER_HEIGHT] ? layer[ZM_LAYER_HEIGHT][cell] : 15,
        layer[ZM_LAYER_BASE] ? layer[ZM_LAYER_BASE][cell] : 4,
        layer[ZM_LAYER_DENSITY] ? (double)layer[ZM_LAYER_DENSITY][cell] : 0.20,
    };
}

#endif
