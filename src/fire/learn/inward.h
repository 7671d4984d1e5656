/* SPDX-License-Identifier: Apache-2.0
 * Derivatives that lead back from where a projection clamps.
 *
 * Beyond its bounds a clamp has derivative 0: what has once got there would stay there, and
 * with it a cell that burns a hundred times too fast.  As in projected descent, the derivative
 * by the projected value counts there as well, where following it leads back inside; where it
 * leads further out it is 0, as the clamp says. */
#ifndef ZM_LEARN_INWARD_H
#define ZM_LEARN_INWARD_H

#include "zermelo/project.h"

/**
 * What is to be added to dL/d(unprojected) of one cell.
 *
 * @param raw  in      g11, g12, g22, b1, b2 before projection
 * @param d    in      dL/d(projected), in the same order
 * @param d_in in,out  dL/d(unprojected)
 */
void zm_field_inward_derivative(const double raw[5], const double d[5],
                                const zm_project_opts *bounds, double d_in[5]);

#endif
