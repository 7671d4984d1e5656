/* SPDX-License-Identifier: Apache-2.0
 * A stack of convolutions as memories and primitives of oneDNN 2: made here, run by conv.c. */
#ifndef ZM_NET_CONV_DNNL_H
#define ZM_NET_CONV_DNNL_H

#include <dnnl.h>

#include "fire/learn/net/conv.h"

/* A primitive whose arguments never change. */
typedef struct zm_conv_step {
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[4];
    int n_args;
} zm_conv_step;

typedef struct zm_conv_layer {
    dnnl_memory_t weights, d_weights; /* oihw, ours */
    dnnl_memory_t bias, d_bias;       /* ours */
    dnnl_memory_t weights_forward;    /* as the primitives want them */
    dnnl_memory_t weights_backward, d_weights_inner;
    dnnl_memory_t d_above; /* dL/da_{l+1}, layout of a_{l+1} */
    zm_conv_step pack_forward, pack_backward, unpack; /* reorders of weights */
    zm_conv_step forward, backward_data, backward_weights;
    size_t d_above_bytes;
} zm_conv_layer;

typedef struct zm_conv_dnnl {
    zm_conv_shape shape;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_t in, out;       /* nchw, ours */
    dnnl_memory_t d_in, d_first; /* dL/d(in): nchw and in the layout of a_0 */
    dnnl_memory_t activation[ZM_CONV_MOST_LAYERS + 1];
    zm_conv_layer layers[ZM_CONV_MOST_LAYERS];
    zm_conv_step load, save, load_d, save_d;
} zm_conv_dnnl;

/** Channels below layer l as oneDNN sees them. */
static inline int32_t zm_conv_dnnl_ins(const zm_conv_dnnl *s, int32_t l)
{
    enum { VECTOR = 16 };
    const int32_t n = s->shape.channels[l];

    return l ? n : (n + VECTOR - 1) / VECTOR * VECTOR;
}

/** Leaves the function with the status of a call that failed. */
#define ZM_DNNL_TRY(call)                                                              \
    do {                                                                               \
        const dnnl_status_t status_ = (call);                                          \
        if (status_ != dnnl_success)                                                   \
            return status_;                                                            \
    } while (0)

/** Everything for s->shape; after a failure the rest is to be destroyed all the same. */
dnnl_status_t zm_conv_dnnl_create(zm_conv_dnnl *s);
/** Also of a stack that is half made, but not the struct itself. */
void zm_conv_dnnl_destroy(zm_conv_dnnl *s);

#endif
