/* SPDX-License-Identifier: Apache-2.0
 * The search for an origin while it is under way. */
#ifndef ZM_FIRE_ORIGIN_SEARCH_H
#define ZM_FIRE_ORIGIN_SEARCH_H

#include <stdatomic.h>

#include "core/parallel.h"
#include "zermelo/fire/origin.h"

/** A place, and what a fire from there says. */
typedef struct zm_origin_place {
    int32_t row, col;
    double log_likelihood, hour, hour_variance, stretch, error;
    int64_t unreached;
    bool done;
    double weight, distance; /* of the last lattice */
} zm_origin_place;

typedef struct zm_origin_search {
    const zm_landscape *land;
    const zm_fire *fire;
    const zm_sighting *sightings;
    size_t n_sightings;
    const uint8_t *allowed;
    const zm_physics_opts *physics;
    zm_origin_opts opts;
    double start; /* h: fires are burned from then on */
    uint8_t *tried;
    zm_origin_place *places;
    size_t n, room;
    atomic_size_t next;
    zm_spinlock lock;
    zm_status status; /* of the first that failed, with its message */
    zm_error error;
} zm_origin_search;

bool zm_origin_burnable(const zm_landscape *land, int32_t row, int32_t col);

/** Burns a fire from each place that has not been done, over the threads. */
zm_status zm_origin_try(zm_origin_search *s, zm_error *err);

#endif
