/* SPDX-License-Identifier: Apache-2.0
 * Where and when fires start: points, lines and polygons of a map as cells of a landscape. */
#ifndef ZM_IGNITION_H
#define ZM_IGNITION_H

#include <stddef.h>
#include <stdint.h>

#include "../export.h"
#include "../problem.h"
#include "../status.h"
#include "geo.h"
#include "landscape.h"
#include "moment.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A geometry that burns at a time.  This struct is frozen. */
typedef struct zm_shape {
    const void *bytes; /**< well-known binary, or the text of a GeoJSON geometry */
    size_t n;          /**< of the bytes */
    double time;       /**< h after the fire's hour 0, >= 0 and finite */
} zm_shape;

/** How shapes became cells. */
typedef struct zm_ignition_report {
    size_t size;          /**< sizeof(zm_ignition_report), set by the caller */
    int64_t cells;        /**< that burn */
    int64_t not_burnable; /**< cells of lines that cannot burn, left out */
    int64_t
        outside; /**< shapes that reach beyond the landscape, and are cut off there */
    int32_t
        one_point; /**< 1: all of it is one point that burns at time 0, the ignition of a
                               fire (row and col of zm_fire) */
    int32_t clock_assumed; /**< 1: dates without a time zone were taken on the clock of the
                               start, which has one */
} zm_ignition_report;
#define ZM_IGNITION_REPORT_INIT                                                        \
    {                                                                                  \
        sizeof(zm_ignition_report), 0, 0, 0, 0, 0                                         \
    }

/**
 * Cells of a landscape that shapes set on fire, each at the earliest of its times.
 *
 * A point is the cell it lies in, which must be able to burn.  Of a line these are all cells that
 * it touches and that can burn, of a polygon those whose centres it holds, whatever their fuel, as
 * of zm_perimeters_read: it says what has burned.
 *
 * @param shapes  in   n of them, points, lines and polygons or several of a kind; no collections
 * @param wkt     in   coordinate system of the shapes, which are brought into that of the grid;
 *                     NULL or "", or where the grid has none: it is taken as the same
 * @param sources out  *n_sources of them, by rows, as zm_physics_arrival takes them; to be freed
 *                     with free(); NULL after a failure
 * @param report  out  or NULL
 * @return ZM_OK; ZM_E_ARG (times, shapes that are none); ZM_E_SOURCE (a shape outside the
 *         landscape, one without cells, a point where nothing burns); ZM_E_FORMAT (coordinate
 *         systems); ZM_E_NOMEM.  Messages count shapes from 0
 */
ZM_API zm_status zm_ignition_cells(const zm_shape *shapes, size_t n, const char *wkt,
                                   const zm_landscape *landscape,
                                   const zm_georeference *where, zm_source **sources,
                                   size_t *n_sources, zm_ignition_report *report,
                                   zm_error *err);

/* Ignitions in words, as `zermelo fire --ignition` takes them: a place, and perhaps @ and its time.
 *
 *     120,44                row and column of the landscape, whole numbers from 0
 *     44.71N,110.32W        degrees of latitude and longitude (WGS 84)
 *     lat=44.71,lon=-110.32 the same
 *     x=512340,y=4951220    coordinates of the landscape
 *     FILE                  points, lines and polygons: GeoJSON, GeoPackage, Shapefile, KML; each
 *                           with its time in a field time_h (hours after the start) or date, observed,
 *                           datetime, poly_DateCurrent, ... (a date alone is noon)
 *     ...@2.5               hours after the start; of a file for those without a time
 *     ...@2021-08-17T15:30-06:00    its date */

/** Whether a word is one of these.  Two numbers that could be several of them are refused with
 *  their readings.  @return ZM_OK, ZM_E_ARG */
ZM_API zm_status zm_ignition_word_check(const char *word, zm_error *err);

/**
 * The earliest date that ignitions tell.
 *
 * @param words in  n of them
 * @param out   out month 0 where they tell none
 * @return ZM_OK, ZM_E_ARG, ZM_E_IO, ZM_E_FORMAT (some dates have a time zone and some have none),
 *         ZM_E_NOMEM
 */
ZM_API zm_status zm_ignition_words_start(const char *const *words, size_t n, zm_time *out,
                                         zm_error *err);

/**
 * Cells that ignitions set on fire, as of zm_ignition_cells, each at the earliest of its times.
 *
 * @param words   in  n of them
 * @param start   in  of the fire, on whose clock dates count; NULL or month 0: dates are refused
 * @param sources out *n_sources of them, by rows; to be freed with free(); NULL after a failure
 * @param report  out or NULL
 * @return as zm_ignition_cells; ZM_E_IO; ZM_E_ARG also for a date before the start, and for one
 *         with a time zone where the start has none
 */
ZM_API zm_status zm_ignition_words_cells(const char *const *words, size_t n,
                                         const zm_time *start,
                                         const zm_landscape *landscape,
                                         const zm_georeference *where,
                                         zm_source **sources, size_t *n_sources,
                                         zm_ignition_report *report, zm_error *err);

#ifdef __cplusplus
}
#endif

#endif
