/* SPDX-License-Identifier: Apache-2.0
 * A stack of convolutions of either make: checks, and the way to the make. */
#include "core/fail.h"
#include "core/memory.h"
#include "fire/learn/net/conv.h"

struct zm_conv {
    const zm_conv_make *make;
    void *stack;
};

size_t zm_conv_parameters(const zm_conv_shape *shape)
{
    size_t sum = 0;

    for (int32_t l = 0; l < shape->layers; l++)
        sum += (size_t)shape->channels[l + 1] *
               (ZM_CONV_TAPS * (size_t)shape->channels[l] + 1);
    return sum;
}

static zm_status check_shape(const zm_conv_shape *s, zm_error *err)
{
    enum { MOST_CHANNELS = 4096, MOST_SIDE = 1 << 15 };

    if (s->rows < 1 || s->cols < 1 || s->rows > MOST_SIDE || s->cols > MOST_SIDE)
        return zm_fail(err, ZM_E_ARG, -1,
                       "convolutions on %d x %d cells, must be 1 to %d", (int)s->rows,
                       (int)s->cols, MOST_SIDE);
    if (s->layers < 1 || s->layers > ZM_CONV_MOST_LAYERS)
        return zm_fail(err, ZM_E_ARG, -1, "%d layers of convolutions, must be 1 to %d",
                       (int)s->layers, ZM_CONV_MOST_LAYERS);
    for (int32_t l = 0; l <= s->layers; l++)
        if (s->channels[l] < 1 || s->channels[l] > MOST_CHANNELS)
            return zm_fail(err, ZM_E_ARG, -1,
                           "%d channels after layer %d, must be 1 to %d",
                           (int)s->channels[l], (int)l, MOST_CHANNELS);
    return ZM_OK;
}

zm_status zm_conv_create(zm_conv **out, const zm_conv_shape *shape, zm_net_make make,
                         zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    zm_conv *conv;
    zm_status st;

    *out = NULL;
    ZM_TRY(check_shape(shape, err));
    if (!(conv = zm_zalloc(&mem, 1, sizeof *conv)))
        return zm_fail(err, ZM_E_NOMEM, -1, "convolutions");
    conv->make = make == ZM_NET_REFERENCE ? &zm_conv_reference : &zm_conv_fast;
    if ((st = conv->make->create(&conv->stack, shape, err)) < 0) {
        zm_release(&mem, conv);
        return st;
    }
    *out = conv;
    return ZM_OK;
}

void zm_conv_destroy(zm_conv *conv)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    if (!conv)
        return;
    conv->make->destroy(conv->stack);
    zm_release(&mem, conv);
}

zm_status zm_conv_forward(zm_conv *conv, const double *parameters, const double *in,
                          double *out, zm_error *err)
{
    return conv->make->forward(conv->stack, parameters, in, out, err);
}

zm_status zm_conv_backward(zm_conv *conv, const double *parameters, const double *d_out,
                           double *d_parameters, double *d_in, zm_error *err)
{
    return conv->make->backward(conv->stack, parameters, d_out, d_parameters, d_in,
                                err);
}
