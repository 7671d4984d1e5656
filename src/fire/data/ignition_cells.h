/* SPDX-License-Identifier: Apache-2.0
 * From times by cell to sources. */
#ifndef ZM_FIRE_IGNITION_CELLS_H
#define ZM_FIRE_IGNITION_CELLS_H

#include "zermelo/fire/landscape.h"
#include "zermelo/status.h"

/** Cells whose time is finite, by rows, as sources to be freed with free().
 *  @return ZM_OK, ZM_E_NOMEM */
zm_status zm_data_ignition_sources(const double *times, const zm_landscape *land,
                                 zm_source **out, size_t *n, zm_error *err);

#endif
