/* SPDX-License-Identifier: Apache-2.0
 * How far isochrones of two fields are apart. */
#ifndef ZM_EXPERIMENTS_ISOCHRONES_H
#define ZM_EXPERIMENTS_ISOCHRONES_H

#include "medium.h"

/** Mean and largest distance from points of the isochrone T = level of one field to that of
 *  the other, both ways. */
typedef struct isochrone_gap {
    double mean, largest;
} isochrone_gap;
isochrone_gap isochrone_distance(experiment_run *run, const medium *m,
                                 const double *one, const double *other, double level);

#endif
