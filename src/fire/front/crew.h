/* SPDX-License-Identifier: Apache-2.0
 * Many fires over the threads, each thread with a model of its own. */
#ifndef ZM_FRONT_CREW_H
#define ZM_FRONT_CREW_H

#include "fire/front/member.h"

/** One fire: what it is given has been drawn; T has room for its times. */
typedef zm_status zm_crew_fn(void *ctx, zm_physics *model, const zm_member *given,
                             int32_t number, double *T, zm_error *err);

/** Work for all members of the draws. */
typedef struct zm_crew {
    const zm_draws *draws;
    const zm_physics_opts *physics; /* or NULL */
    const char *what;               /* for messages: "ensemble" */
    zm_crew_fn *solve;              /* on several threads at once, in any order */
    void *ctx;
} zm_crew;

/** ZM_OK, ZM_E_CANCELLED, ZM_E_NOMEM, or what failed first. */
zm_status zm_front_crew_run(const zm_crew *crew, zm_error *err);

#endif
