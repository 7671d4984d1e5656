/* SPDX-License-Identifier: Apache-2.0
 * Random start of a network's weights, by seed. */
#include "fire/learn/net/init.h"

#include <math.h>

uint64_t zm_random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15U);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

double zm_random_unit(uint64_t *state)
{
    return (double)(zm_random_next(state) >> 11) * 0x1p-53;
}

/* Standard normal number (Box and Muller). */
static double random_normal(uint64_t *state)
{
    const double pi = 3.14159265358979323846;
    const double radius = sqrt(-2 * log(1 - zm_random_unit(state)));

    return radius * cos(2 * pi * zm_random_unit(state));
}

/* outs x ins weights, then outs biases; returns where the next layer begins. */
static double *init_layer(size_t outs, size_t ins, double scale, uint64_t *state,
                          double *at)
{
    const double deviation = scale * sqrt(2 / (double)ins);

    for (size_t i = 0; i < outs * ins; i++)
        *at++ = deviation * random_normal(state);
    for (size_t i = 0; i < outs; i++)
        *at++ = 0;
    return at;
}

void zm_init_conv(const zm_conv_shape *shape, double last, uint64_t *state,
                  double *parameters)
{
    for (int32_t l = 0; l < shape->layers; l++)
        parameters = init_layer((size_t)shape->channels[l + 1],
                                ZM_CONV_TAPS * (size_t)shape->channels[l],
                                l + 1 < shape->layers ? 1 : last, state, parameters);
}

void zm_init_mlp(const zm_mlp_shape *shape, double last, uint64_t *state,
                 double *parameters)
{
    for (int32_t l = 0; l < shape->layers; l++)
        parameters = init_layer((size_t)shape->widths[l + 1], (size_t)shape->widths[l],
                                l + 1 < shape->layers ? 1 : last, state, parameters);
}
