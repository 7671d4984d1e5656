/* SPDX-License-Identifier: Apache-2.0
 * Assets: cells that matter, from a file or as ROW,COL. */
#ifndef ZM_CLI_FIRE_ASSETS_H
#define ZM_CLI_FIRE_ASSETS_H

#include <stdint.h>

#include "zermelo/fire/geo.h"
#include "zermelo/fire/landscape.h"

#define ASSETS_EXPECTS "a file of points, lines or polygons, or a cell ROW,COL"

/** 1 in the cells of the assets; to be freed.  DONE, or FAILED after a message. */
int assets_read(const char *text, const zm_landscape *land,
                const zm_georeference *where, uint8_t **out);

#endif
