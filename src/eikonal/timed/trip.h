/* SPDX-License-Identifier: Apache-2.0
 * The way from donors to a cell, through as many bands as it takes.
 *
 * From the point p = w m_1 + (1-w) m_2 between two donors the whole way costs, in band k,
 *
 *     N_k = sum over the cells i it counts of s_i N_ki(p),   N_ki(p) = |p|_G + p.b,
 *
 * with shares s_i = w s_i1 + (1-w) s_i2 of the ways to either donor (the cell alone, with
 * share 1, for ZM_BANDS_OWN), or INFINITY where a cell of it is stopped.  The front has gone
 *
 *     P(t) = w P_1(t) + (1-w) P_2(t),   P_i(t) = integral from T_i to t of dt / N_k
 *
 * of it at time t; it arrives when that is 1, and w minimises the arrival.  In one band that
 * is the update of a triangle (kernels/triangle.h).  Progress is averaged and not the times
 * at which it begins, so that a band in which nothing moves does nothing but wait. */
#ifndef ZM_BANDS_TRIP_H
#define ZM_BANDS_TRIP_H

#include "eikonal/timed/slot.h"

/** Donors of a way: offset and time. */
typedef struct zm_giver_at {
    zm_local_offset m;
    double T;
} zm_giver_at;

/** Sets s->trip up: to `cell`, by the time it has, from one donor or from between two.  False:
 *  out of memory. */
bool zm_trip_from_one(zm_bands_slot *s, uint32_t cell, zm_giver_at a);
bool zm_trip_from_two(zm_bands_slot *s, uint32_t cell, zm_giver_at a, zm_giver_at b);

/** The same as the one that gave a cell its time, with the donors' times of now. */
bool zm_trip_again(zm_bands_slot *s, uint32_t cell);

/** An arrival with weight w of donor 1. */
typedef struct zm_arrival {
    bool ends; /* else it is too late, and `time` is what is left of the way */
    double time;
    double slope; /* by w */
    double bend;  /* second derivative by w */
    size_t leg;   /* it arrives in */
    double N;     /* of that leg */
} zm_arrival;
zm_arrival zm_trip_arrive(zm_bands_slot *s, double w);

/** A minimum over w. */
typedef struct zm_trip_best {
    double time; /* INFINITY: does not arrive */
    double w;
} zm_trip_best;

/** From one donor. */
zm_trip_best zm_trip_one(zm_bands_slot *s);

/** From between two. */
zm_trip_best zm_trip_two(zm_bands_slot *s);

/** A weight that zm_trip_two found, as close to the minimum as can be. */
double zm_trip_polish(zm_bands_slot *s, double w);

/** Row of metrics of a leg, one for each of trip.cells; NULL: stopped, or s->status. */
const zm_cell_metric *const *zm_trip_leg(zm_bands_slot *s, size_t leg);

/** N and its derivatives by w in a leg that is not stopped. */
typedef struct zm_leg_cost {
    double N, slope, bend;
} zm_leg_cost;
zm_leg_cost zm_trip_cost(const zm_trip *trip, const zm_cell_metric *const *metric,
                         double w);

#endif
