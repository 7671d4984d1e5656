/* SPDX-License-Identifier: Apache-2.0
 * Random start of a network's weights, by seed. */
#ifndef ZM_NET_INIT_H
#define ZM_NET_INIT_H

#include "fire/learn/net/mlp.h"

/** Weights from a normal distribution of variance gain / inputs (He et al. 2015 with gain 2),
 *  biases 0; those of the last layer times `last`, so that a small `last` starts near 0.
 *  The state is moved on: the same seed gives the same weights on every machine. */
void zm_conv_init(const zm_conv_shape *shape, double last, uint64_t *state,
                  double *parameters);
void zm_mlp_init(const zm_mlp_shape *shape, double last, uint64_t *state,
                 double *parameters);

#endif
