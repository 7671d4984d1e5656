/* SPDX-License-Identifier: Apache-2.0
 * What can be said about an array file. */
#ifndef ZM_CLI_ARRAY_INFO_H
#define ZM_CLI_ARRAY_INFO_H

#include <stdbool.h>
#include <stddef.h>

#include "json.h"
#include "zermelo/npy.h"

typedef struct range {
    double min, max;
} range;

typedef struct metric_info {
    size_t cells;
    size_t bad_cells;  /**< not finite or not positive definite */
    range eigenvalues; /**< over the good cells; likewise below */
    range anisotropy;  /**< largest over smallest eigenvalue */
    const char *drift; /**< file of the drift, or NULL */
    range drift_norm;  /**< |b|_{G^-1} */
    char first_bad[sizeof((zm_error *)0)->text]; /**< message, or "" */
} metric_info;

typedef struct array_info {
    const char *path;
    zm_npy head; /**< without data */
    size_t finite;
    double min, max, mean; /**< of the finite values; NaN if there is none */
    bool is_metric;        /**< shape (3, rows, cols), or (rows, cols) with a drift */
    metric_info metric;
} array_info;

/** Reads a file and looks at it.  drift (float64) or NULL: what goes with a metric. */
int array_info_read(array_info *info, const char *path, const char *drift_path,
                    const zm_npy *drift);

void array_info_print(const array_info *info);
void array_info_json(const array_info *info, json *j);

#endif
