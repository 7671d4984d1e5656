/* SPDX-License-Identifier: Apache-2.0
 * From times by cell to sources. */
#ifndef ZM_FIRE_IGNITION_CELLS_H
#define ZM_FIRE_IGNITION_CELLS_H

#include "fire/data/geo/date.h"
#include "zermelo/fire/landscape.h"
#include "zermelo/fire/moment.h"
#include "zermelo/status.h"

/** Cells whose time is finite, by rows, as sources to be freed with free().
 *  @return ZM_OK, ZM_E_NOMEM */
zm_status zm_data_ignition_sources(const double *times, const zm_landscape *land,
                                 zm_source **out, size_t *n, zm_error *err);

/** Hours of a date after a start, also negative; a date alone is noon.  `word` is for messages.
 *  @param assumed in,out  becomes 1 where the date has no time zone and the start has one
 *  @return ZM_OK, ZM_E_ARG */
zm_status zm_data_hours_after(const char *word, const zm_time *start, const zm_date *date,
                              double *hours, int32_t *assumed, zm_error *err);

#endif
