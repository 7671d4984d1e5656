/* SPDX-License-Identifier: Apache-2.0
 * The way from donors to a cell, through as many intervals as it takes.
 *
 * From the point p = w m_1 + (1-w) m_2 between two donors the whole way costs, in interval k,
 *
 *     N_k = sum over the cells i it counts of s_i N_ki(p),   N_ki(p) = |p|_G + p.b,
 *
 * with shares s_i = w s_i1 + (1-w) s_i2 of the ways to either donor (the cell alone, with
 * share 1, for ZM_COST_OWN), or INFINITY where a cell of it is stopped.  The front has gone
 *
 *     P(t) = w P_1(t) + (1-w) P_2(t),   P_i(t) = integral from T_i to t of dt / N_k
 *
 * of it at time t; it arrives when that is 1, and w minimises the arrival.  In one interval that
 * is the update of a triangle (local/triangle.h).  Progress is averaged and not the times
 * at which it begins, so that an interval in which nothing moves does nothing but wait. */
#ifndef ZM_TIMED_SEGMENTS_H
#define ZM_TIMED_SEGMENTS_H

#include "eikonal/timed/timed.h"

/** Donors of a way: offset and time. */
typedef struct zm_timed_donor {
    zm_local_offset m;
    double T;
} zm_timed_donor;

/** Sets s->step up: to `cell`, by the time it has, from one donor or from between two.  False:
 *  out of memory. */
bool zm_timed_step_from_one(zm_timed *s, uint32_t cell, zm_timed_donor a);
bool zm_timed_step_from_two(zm_timed *s, uint32_t cell, zm_timed_donor a,
                            zm_timed_donor b);

/** The same as the one that gave a cell its time, with the donors' times of now. */
bool zm_timed_step_again(zm_timed *s, uint32_t cell);

/** An arrival with weight w of donor 1. */
typedef struct zm_timed_arrival {
    bool ends; /* else it is too late, and `time` is what is left of the way */
    double time;
    double slope;   /* with respect to w */
    double bend;    /* second derivative with respect to w */
    size_t segment; /* it arrives in */
    double N;       /* of that segment */
} zm_timed_arrival;
zm_timed_arrival zm_timed_arrive(zm_timed *s, double w);

/** A minimum over w. */
typedef struct zm_timed_best {
    double time; /* INFINITY: does not arrive */
    double w;
} zm_timed_best;

/** From one donor. */
zm_timed_best zm_timed_best_of_one(zm_timed *s);

/** From between two. */
zm_timed_best zm_timed_best_of_two(zm_timed *s);

/** The minimum that lies downhill from a weight, where there may be several. */
zm_timed_best zm_timed_best_near(zm_timed *s, double w);

/** A weight that zm_timed_best_of_two found, as close to the minimum as can be. */
double zm_timed_polish(zm_timed *s, double w);

/** Row of metrics of a segment, one for each of step.cells; NULL: stopped, or s->status. */
const zm_cell_metric *const *zm_timed_segment(zm_timed *s, size_t segment);

/** N and its derivatives with respect to w in a segment that is not stopped. */
typedef struct zm_timed_cost {
    double N, slope, bend;
} zm_timed_cost;
zm_timed_cost zm_timed_cost_of(const zm_timed_step *step,
                               const zm_cell_metric *const *metric, double w);

#endif
