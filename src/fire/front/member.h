/* SPDX-License-Identifier: Apache-2.0
 * Members of an ensemble: what each of many fires is given. */
#ifndef ZM_FRONT_MEMBER_H
#define ZM_FRONT_MEMBER_H

#include <stdbool.h>

#include "zermelo/fire/ensemble.h"

/** What all members share. */
typedef struct zm_draws {
    const zm_landscape *land;
    const zm_fire *fire;
    zm_physics_params params;
    bool placed; /* the fire starts from sources: the ignition stays */
    zm_ensemble_opts opts;
    zm_alloc mem;
    size_t *places; /* cells where the ignition may be; none: it stays */
    size_t n_places;
    double *
        weights; /* of the places up to each, summed up; NULL: each as likely as another */
} zm_draws;

/** Checks the ignition and what is uncertain.  ZM_OK, ZM_E_ARG, ZM_E_SOURCE, ZM_E_NOMEM; free
 *  with zm_front_draws_close. */
zm_status zm_front_draws_open(zm_draws *draws, const zm_landscape *land,
                              const zm_fire *fire, const zm_physics_params *params,
                              bool placed, const zm_ensemble_opts *opts,
                              const zm_alloc *mem, zm_error *err);

/** Lets ignitions be anywhere that fire can be lit, as likely as `density` says for each cell (NULL:
 *  each as likely as another).  ZM_OK, ZM_E_ARG (nowhere, or a density that is none), ZM_E_NOMEM. */
zm_status zm_front_draws_anywhere(zm_draws *draws, const float *density, zm_error *err);

void zm_front_draws_close(zm_draws *draws);

/** One member: what it was given. */
typedef struct zm_member {
    zm_weather_hour *weather;
    double factor[ZM_FUEL_NUMBERS];
    zm_fire fire;
    zm_physics_params params;
} zm_member;

zm_status zm_front_member_open(const zm_draws *draws, zm_member *member, zm_error *err);
void zm_front_member_close(const zm_draws *draws, zm_member *member);

/** The member with this number, from 0; the same whatever else is drawn. */
void zm_front_member_draw(const zm_draws *draws, int32_t number, zm_member *member);

#endif
