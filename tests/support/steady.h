/* SPDX-License-Identifier: Apache-2.0
 * Fires of points in a steady wind, and the ellipses that they should be. */
#ifndef ZM_TESTS_SUPPORT_STEADY_H
#define ZM_TESTS_SUPPORT_STEADY_H

#include "support/landscapes.h"
#include "zermelo/fire/physics.h"

/** Times of a fire from these cells (NULL: its ignition), with moisture as at ignition. */
zm_status steady_burn(const test_land *land, const zm_source *sources, size_t n,
                      const zm_marker_opts *opts, double t_max, double *T);

/** The fire of that wind in grass (2) of 1 ft. */
zm_surface_fire steady_grass(const test_land *land);

/** Hours to a place (m, from the ignition; x with the wind) by Rothermel's rate and Anderson's
 *  ellipse with the fire at its focus: r = p/(1 - e cos(angle)) per unit of time. */
double ellipse_time(const zm_surface_fire *one, double x, double y);

#endif
