/* SPDX-License-Identifier: Apache-2.0
 * Tables of observed arrival times: text with a header and comma-separated values,
 *
 *     experiment,row,col,time,sigma,time_upper
 *     0,12,40,3.25,0.1,
 *     0,13,52,6.00,0.1,6.5
 *
 * Columns come in any order; row, col and time are needed.  Case does not matter, nor do
 * blanks around values, double quotes around a whole value, empty lines, lines that begin
 * with #, a byte order mark and \r before \n.  The decimal point is a point, whatever the
 * locale. */
#ifndef ZM_OBSERVATIONS_H
#define ZM_OBSERVATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One line of a table.  Frozen. */
typedef struct zm_observation {
    int32_t experiment; /**< from 0; 0 if the table has no such column */
    double row, col;    /**< >= 0 and finite; whole numbers are the middles of cells.  The reader
                             does not know the grid */
    double time;        /**< finite */
    double upper;       /**< >= time: the front came between the two; INFINITY: not before
                             time.  = time where the table has no time_upper or leaves it blank */
    double sigma;       /**< > 0, standard deviation; NAN where there is none or it is blank */
    int64_t line;       /**< of the table, from 1 */
} zm_observation;

/** A table in memory, which comes from malloc.  Free with zm_observations_free.  Frozen. */
typedef struct zm_observations {
    zm_observation *items; /**< in the order of the lines */
    size_t n;              /**< >= 1 after zm_observations_read */
    int32_t has_experiment, has_upper, has_sigma; /**< 1: the table has the column */
} zm_observations;

/**
 * Reads a table.
 *
 * @param path in   the file; a pipe will do
 * @param out  out  untouched after a failure
 * @return ZM_OK; ZM_E_FORMAT (names file, line and column); ZM_E_IO, ZM_E_NOMEM, ZM_E_ARG
 */
ZM_API zm_status zm_observations_read(const char *path, zm_observations *out,
                                      zm_error *err);

/** The same from memory; `name` stands in messages where a path would. */
ZM_API zm_status zm_observations_parse(const void *bytes, size_t n_bytes, const char *name,
                                       zm_observations *out, zm_error *err);

/** Frees the items; sets them to NULL. */
ZM_API void zm_observations_free(zm_observations *table);

#ifdef __cplusplus
}
#endif
#endif
