/* SPDX-License-Identifier: Apache-2.0
 * Fires of an ensemble with a break in their way. */
#ifndef ZM_FRONT_PROTECT_H
#define ZM_FRONT_PROTECT_H

#include "fire/front/member.h"
#include "zermelo/fire/protect.h"

/** What all rounds share. */
typedef struct zm_guard {
    zm_protect_problem problem;
    zm_draws draws;
    zm_physics_opts physics;
    zm_alloc mem;
    zm_landscape land; /* with a fuel layer of its own, where breaks are written */
    float *fuel, no_fuel;
    size_t cells, n_assets;
    size_t *asset;   /* cells, n_assets of them */
    double softness; /* h, of the probability's edge at t_max */
} zm_guard;

zm_status zm_front_guard_open(zm_guard *guard, const zm_protect_problem *problem,
                              zm_error *err);
void zm_front_guard_close(zm_guard *guard);

/** Members first, first + 1, ... modulo the number there is, with a break and softer ground. */
typedef struct zm_guard_run {
    const uint8_t *hard;    /* break; NULL: none */
    const double *log_rate; /* corrections of cells; NULL: none */
    zm_front_kind front;
    zm_protect_aim aim;
    int32_t first, n;
    /* out; any may be NULL */
    zm_protect_outcome *outcome; /* means over the members */
    double *spent;    /* cells: hours that ways to assets take there, over all */
    double *earliest; /* cells: the first arrival of any member */
    double *mean;     /* cells: of the arrivals, t_max where there is none */
} zm_guard_run;

zm_status zm_front_guard_solve(zm_guard *guard, const zm_guard_run *run, zm_error *err);

/** Breaks to compare with: number i of the kind, into `cells`; false where there is none. */
bool zm_front_guard_rival(const zm_guard *guard, zm_protect_break kind, int32_t i,
                          int64_t cells, const uint8_t *candidates, const double *mean,
                          uint8_t *out);

#endif
