/* SPDX-License-Identifier: Apache-2.0
 * What the physics says of a cell in an hour, for a network to correct: Rothermel's spread as an
 * ellipse lit at its focus. */
#ifndef ZM_LEARN_PRIOR_H
#define ZM_LEARN_PRIOR_H

#include "fire/learn/channels.h"

typedef struct zm_prior {
    double rate;              /**< p, m/h: slowest direction times 1 + eccentricity */
    double wind[2], slope[2]; /**< their sum is the drift's q (field.c) */
} zm_prior;

/**
 * With R0 the spread without wind and slope, phi_w and phi_s the factors of wind and slope
 * (Rothermel 1972), v = phi_w w/|w| + phi_s s/|s|, U the midflame wind for which phi_w = |v|:
 *
 *     head = R0 (1 + |v|),  e = sqrt(1 - 1/LB(U)^2),  p = head (1 - e),
 *     q = e/sqrt(drift^2 - e^2) v/|v|, split into its parts along wind and slope.
 *
 * Cells without fuel get `missing` as their rate and no drift.
 */
zm_prior zm_field_prior_of(const zm_terrain *ground, size_t cell, const zm_hour *hour,
                           double drift, double missing);

#endif
