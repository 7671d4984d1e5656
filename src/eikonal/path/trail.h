/* SPDX-License-Identifier: Apache-2.0
 * What the last solve, of either kind, says about how the front came to each cell. */
#ifndef ZM_PATH_TRAIL_H
#define ZM_PATH_TRAIL_H

#include "eikonal/record/graph.h"
#include "eikonal/path/way.h"

typedef struct zm_trail {
    zm_terrain ground;
    zm_solver *s;
    const zm_record *record;
    const void *T;
} zm_trail;

/** Checks the arguments and works out the donors. */
zm_status zm_trail_open(zm_trail *trail, zm_solver *s, const zm_problem *problem,
                        const void *T, zm_error *err);

/** How the front came to a cell; offsets and direction in cells. */
typedef struct zm_arrival {
    uint8_t
        kind; /* ZM_STEP_NONE, ZM_STEP_DONORS, ZM_STEP_SOURCE: straight from there */
    zm_offset
        m[2];    /* donors with weight, the heavier one first; equal if there is one */
    double x, y; /* the way it came: minus the mean of the donors, or x - x_source */
} zm_arrival;

zm_arrival zm_trail_arrival(const zm_trail *trail, size_t cell);

/** Arrival time; INFINITY where nothing came. */
double zm_trail_time(const zm_trail *trail, size_t cell);

/** Donor i of a cell, which lies inside the grid. */
size_t zm_trail_donor(const zm_trail *trail, size_t cell, const zm_arrival *a, int i);

/** Whether a donor came before a cell: following such donors leads to a source. */
bool zm_trail_earlier(const zm_trail *trail, size_t donor, size_t cell);

/** Index of the source that a cell of kind ZM_STEP_SOURCE starts from. */
int32_t zm_trail_source(const zm_trail *trail, size_t cell);

/** Metric that a cell of kind ZM_STEP_SOURCE sees its source through. */
zm_cell_metric zm_trail_source_metric(const zm_trail *trail, size_t cell);

#endif
