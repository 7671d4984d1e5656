/* SPDX-License-Identifier: Apache-2.0
 * A marker perimeter: a fire front as a line of points, as in FARSITE (Finney 1998, RMRS-RP-4).
 *
 * Coordinates are in cells: x along columns, y along rows, from the landscape's first corner,
 * so that the centre of a cell is (col + 1/2, row + 1/2).  A ring around burned ground has
 * positive area, one around unburned ground (an enclave) negative; (dy, -dx) along it points
 * to what is not burned. */
#ifndef ZM_FIRE_MARKERS_H
#define ZM_FIRE_MARKERS_H

#include "fire/front/model.h"

typedef struct zm_marker {
    double x, y;
    double rate; /* m/h across the front, as it came to be so far */
} zm_marker;

/** Closed: the last point is followed by the first. */
typedef struct zm_ring {
    zm_marker *v;
    size_t n, room;
} zm_ring;

typedef struct zm_rings {
    zm_ring *v;
    size_t n, room;
} zm_rings;

typedef struct zm_front {
    zm_ring ring;
    double time;   /* h */
    int32_t steps; /* taken, with those of the front it came from */
    bool inward;   /* around an enclave */
} zm_front;

typedef struct zm_fronts {
    zm_front *v;
    size_t n, room;
} zm_fronts;

/** Velocity of a point: cells per hour, and m/h across the front. */
typedef struct zm_motion {
    double x, y, rate;
} zm_motion;

/** A segment in a list of those that touch a slot. */
typedef struct zm_slot_entry {
    int32_t segment, next, slot;
} zm_slot_entry;

/** Segments of a ring by the square of the map they touch.  Empty between calls. */
typedef struct zm_slots {
    int32_t rows, cols;
    int32_t *head; /* of the list of each slot; -1: empty */
    zm_slot_entry *entry;
    size_t n, room;
} zm_slots;

/** One of the fires of markers that run side by side. */
typedef struct zm_marker_run {
    zm_fronts fronts;
    double scale; /* of all rates */
    double *T;
} zm_marker_run;

/** All that marker perimeters need while they run. */
typedef struct zm_markers {
    zm_physics *p;
    zm_marker_opts opts;
    const zm_source *sources; /* NULL: the fire's own ignition */
    size_t n_sources;
    double *T;        /* of the run that moves */
    double scale;     /* of its rates */
    double margin;    /* cells a point may be outside the landscape */
    bool failed;      /* out of memory: then lists no longer grow */
    zm_fronts fronts; /* all of the run that moves */
    zm_rings loops;   /* of the last split */
    zm_rings todo;    /* loops to be looked at */
    zm_rings spare;   /* rings to be used again */
    zm_motion *motion;
    size_t motion_room;
    zm_slots slots;
} zm_markers;

static inline size_t zm_ring_next(const zm_ring *r, size_t i)
{
    return i + 1 < r->n ? i + 1 : 0;
}

static inline size_t zm_ring_before(const zm_ring *r, size_t i)
{
    return i > 0 ? i - 1 : r->n - 1;
}

/* Lists: an element that finds no memory is dropped, and w->failed set. */

/** Room for `count` elements of `width` bytes in the array behind `pointer_to_array`, whose
 *  first `used` are kept. */
bool zm_marker_room(zm_markers *w, void *pointer_to_array, size_t *room, size_t used,
                    size_t count, size_t width);
void zm_marker_ring_push(zm_markers *w, zm_ring *ring, zm_marker point);
void zm_marker_rings_push(zm_markers *w, zm_rings *rings,
                          zm_ring ring);                   /**< takes the ring */
void zm_marker_fronts_push(zm_markers *w, zm_front front); /**< takes its ring */
zm_ring zm_marker_ring_take(zm_markers *w); /**< an empty ring, perhaps with room */
void zm_marker_ring_give(zm_markers *w, zm_ring ring);     /**< to be taken again */
void zm_marker_rings_free(zm_markers *w, zm_rings *rings); /**< with all rings in it */

/** Half the sum of x y' - x' y. */
double zm_marker_ring_area(const zm_ring *ring);

/** Fronts of the run that moves, around the sources, from their times on. */
zm_status zm_marker_light(zm_markers *w, zm_error *err);

/** Loops of a ring at a time that do not cross themselves, into w->loops.  Takes the ring. */
void zm_marker_split(zm_markers *w, zm_ring ring, double time);
zm_status zm_marker_slots_open(zm_markers *w, zm_error *err);
void zm_marker_slots_close(zm_markers *w);

/** Dates the cells whose centre is swept while `from` becomes `to`, point by point. */
void zm_marker_date(zm_markers *w, const zm_ring *from, const zm_ring *to, double time,
                    double duration);

/* Barriers at a time: what follows answers as if there were none where the fire has none. */

/** The share of a straight way, 0 to 1, that is over before it enters a barrier or slips between
 *  two; the fire has barriers. */
double zm_marker_free_share(const zm_markers *w, zm_marker from, zm_marker to,
                            double time);

/** `to`, or the last place before a barrier on the way there. */
zm_marker zm_marker_stop_at_barrier(const zm_markers *w, zm_marker from, zm_marker to,
                                    double time);

/** Whether a straight way leads from one of the points to the centre of a cell that is none. */
bool zm_marker_sees_centre(const zm_markers *w, const zm_marker corner[4],
                           zm_marker centre, double time);

/** A point between two others, the middle or as far towards it as ways lead; false where they
 *  lead nowhere near. */
bool zm_marker_between(const zm_markers *w, zm_marker a, zm_marker b, double time,
                       zm_marker *out);

/** Moves a front once, until `stop` at most; enclaves it leaves become fronts.  It is gone when
 *  its ring has fewer than three points. */
zm_status zm_marker_advance(zm_markers *w, zm_front *front, double stop, zm_error *err);

#endif
