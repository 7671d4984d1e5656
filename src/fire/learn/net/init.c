/* SPDX-License-Identifier: Apache-2.0
 * Random start of a network's weights, by seed. */
#include "fire/learn/net/init.h"

#include <math.h>

#include "core/random.h"

/* outs x ins weights, then outs biases; returns where the next layer begins. */
static double *init_layer(size_t outs, size_t ins, double scale, uint64_t *state,
                          double *at)
{
    const double deviation = scale * sqrt(2 / (double)ins);

    for (size_t i = 0; i < outs * ins; i++)
        *at++ = deviation * zm_random_normal(state);
    for (size_t i = 0; i < outs; i++)
        *at++ = 0;
    return at;
}

void zm_conv_init(const zm_conv_shape *shape, double last, uint64_t *state,
                  double *parameters)
{
    for (int32_t l = 0; l < shape->layers; l++)
        parameters = init_layer((size_t)shape->channels[l + 1],
                                ZM_CONV_TAPS * (size_t)shape->channels[l],
                                l + 1 < shape->layers ? 1 : last, state, parameters);
}

void zm_mlp_init(const zm_mlp_shape *shape, double last, uint64_t *state,
                 double *parameters)
{
    for (int32_t l = 0; l < shape->layers; l++)
        parameters = init_layer((size_t)shape->widths[l + 1], (size_t)shape->widths[l],
                                l + 1 < shape->layers ? 1 : last, state, parameters);
}
