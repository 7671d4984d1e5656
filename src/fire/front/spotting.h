/* SPDX-License-Identifier: Apache-2.0
 * Spotting in a model of a fire. */
#ifndef ZM_FIRE_FRONT_SPOTTING_H
#define ZM_FIRE_FRONT_SPOTTING_H

#include "fire/front/model.h"

/** ZM_E_ARG: what options of spotting are wrong. */
zm_status zm_front_spotting_check(const zm_spotting_opts *o, zm_error *err);

/** Minimum travel times with the fires that embers light: solves until embers and times agree.
 *  The problem is set, without spots. */
zm_status zm_front_solve_spotting(zm_physics *p, double *T, zm_error *err);

#endif
