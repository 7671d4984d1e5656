/* SPDX-License-Identifier: Apache-2.0
 * Where a front began, and how it moved there, from scattered arrival times. */
#ifndef ZM_EXPERIMENTS_IGNITION_H
#define ZM_EXPERIMENTS_IGNITION_H

#include "scattered.h"

typedef struct ignition {
    double x, y;
    cell_metric metric; /**< T = F(x - x0) near it */
} ignition;

/** Fits the arrival times of the earliest observations. */
ignition ignition_fit(experiment_run *run, const scattered *times);

/** F(x - x0) */
double ignition_time(const ignition *i, double x, double y);

#endif
