/* SPDX-License-Identifier: Apache-2.0
 * One cell of an inversion: from its unknowns to its metric and drift. */
#ifndef ZM_INVERT_PARAMETER_CELL_H
#define ZM_INVERT_PARAMETER_CELL_H

#include <math.h>

#include "inverse/invert/parameter.h"

/** Its five planes, and their derivatives with respect to the unknowns of the cell. */
typedef struct zm_parameters_cell {
    double value[ZM_PLANES];
    double jacobian[ZM_PLANES][ZM_MOST_FIELDS];
} zm_parameters_cell;

static inline bool zm_parameters_is_wall(const zm_parameters *p, size_t i)
{
    return p->walls && p->walls[i];
}

/** g and dg/ds of one scalar. */
static inline void zm_parameters_scalar(zm_metric_map map, double s, double *g,
                                        double *dg)
{
    switch (map) {
    case ZM_METRIC_FACTOR:
        *g = s * s;
        *dg = 2.0 * s;
        break;
    case ZM_METRIC_LOG:
        *g = *dg = exp(s);
        break;
    default:
        *g = s;
        *dg = 1.0;
    }
}

/** The unknowns of one cell with their units. */
static inline void zm_parameters_load(const zm_parameters *p, const double *theta,
                                      size_t i, double *th)
{
    for (int k = 0; k < zm_parameters_fields(p); k++)
        th[k] = p->scale[k] * theta[(size_t)k * p->n + i];
}

static inline void zm_parameters_store(const zm_parameters *p, const double *th,
                                       size_t i, double *theta)
{
    for (int k = 0; k < zm_parameters_fields(p); k++)
        theta[(size_t)k * p->n + i] = th[k] / p->scale[k];
}

/** The metric of cell i; its derivatives must be 0 before. */
void zm_parameters_map_metric(const zm_parameters *p, const double *th, size_t i,
                              zm_parameters_cell *m);

/** The drift, y being the unknowns after those of the metric, which m has. */
void zm_parameters_map_drift(const zm_parameters *p, const double *y, size_t i,
                             zm_parameters_cell *m);

#endif
