/* SPDX-License-Identifier: Apache-2.0
 * A stack of convolutions in oneDNN 2, float32: its memories and primitives.
 *
 * oneDNN chooses the blocked layout of the first activation; each following layer takes its
 * input in the layout in which the layer before left its output, so nothing is reordered
 * between layers, forward or backward.  Bias and ReLU are fused into the forward pass; the
 * backward ReLU is a mask over activations and derivatives, which share a layout.
 *
 * The input is filled up with planes of zeros to a multiple of 16: for fewer oneDNN keeps it in
 * plain planes, and then has only loops in plain C for the derivative with respect to the weights. */
#include "fire/learn/net/conv_dnnl.h"

#include <stdbool.h>

static void step_destroy(zm_conv_step *s)
{
    if (s->primitive)
        dnnl_primitive_destroy(s->primitive);
}

static void memory_destroy(dnnl_memory_t memory)
{
    if (memory)
        dnnl_memory_destroy(memory);
}

static void layer_destroy(zm_conv_layer *l)
{
    zm_conv_step *steps[] = {
        &l->pack_forward, &l->pack_backward, &l->unpack,
        &l->forward,      &l->backward_data, &l->backward_weights
    };
    dnnl_memory_t memories[] = {
        l->weights,         l->d_weights,       l->bias,
        l->d_bias,          l->weights_forward, l->weights_backward,
        l->d_weights_inner, l->d_above
    };

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        step_destroy(steps[i]);
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        memory_destroy(memories[i]);
}

void zm_conv_dnnl_destroy(zm_conv_dnnl *s)
{
    for (int l = 0; l < ZM_CONV_MOST_LAYERS; l++)
        layer_destroy(&s->layers[l]);
    for (int l = 0; l <= ZM_CONV_MOST_LAYERS; l++)
        memory_destroy(s->activation[l]);
    step_destroy(&s->load);
    step_destroy(&s->save);
    step_destroy(&s->load_d);
    step_destroy(&s->save_d);
    memory_destroy(s->in);
    memory_destroy(s->out);
    memory_destroy(s->d_in);
    memory_destroy(s->d_first);
    if (s->stream)
        dnnl_stream_destroy(s->stream);
    if (s->engine)
        dnnl_engine_destroy(s->engine);
}

static dnnl_status_t memory_create(const zm_conv_dnnl *s, const dnnl_memory_desc_t *md,
                                   dnnl_memory_t *out)
{
    return dnnl_memory_create(out, md, s->engine, DNNL_MEMORY_ALLOCATE);
}

/* Planes of the grid in a layout: dnnl_nchw, or dnnl_format_tag_any. */
static dnnl_status_t planes_desc(const zm_conv_dnnl *s, int32_t channels,
                                 dnnl_format_tag_t tag, dnnl_memory_desc_t *md)
{
    const dnnl_dims_t dims = { 1, channels, s->shape.rows, s->shape.cols };

    return dnnl_memory_desc_init_by_tag(md, 4, dims, dnnl_f32, tag);
}

static dnnl_status_t weights_desc(const zm_conv_dnnl *s, int32_t l,
                                  dnnl_format_tag_t tag, dnnl_memory_desc_t *md)
{
    const dnnl_dims_t dims = { s->shape.channels[l + 1], zm_conv_dnnl_ins(s, l), 3, 3 };

    return dnnl_memory_desc_init_by_tag(md, 4, dims, dnnl_f32, tag);
}

static dnnl_status_t bias_desc(const zm_conv_dnnl *s, int32_t l, dnnl_memory_desc_t *md)
{
    const dnnl_dims_t dims = { s->shape.channels[l + 1] };

    return dnnl_memory_desc_init_by_tag(md, 1, dims, dnnl_f32, dnnl_x);
}

static const dnnl_memory_desc_t *desc_of(dnnl_memory_t memory)
{
    const dnnl_memory_desc_t *md = NULL;

    return dnnl_memory_get_memory_desc(memory, &md) == dnnl_success ? md : NULL;
}

/* A step that copies one memory to another of a different layout. */
static dnnl_status_t reorder_create(const zm_conv_dnnl *s, dnnl_memory_t from,
                                    dnnl_memory_t to, zm_conv_step *out)
{
    dnnl_primitive_desc_t pd;
    dnnl_status_t st;

    ZM_DNNL_TRY(dnnl_reorder_primitive_desc_create(&pd, desc_of(from), s->engine,
                                                   desc_of(to), s->engine, NULL));
    st = dnnl_primitive_create(&out->primitive, pd);
    dnnl_primitive_desc_destroy(pd);
    out->args[0] = (dnnl_exec_arg_t){ DNNL_ARG_FROM, from };
    out->args[1] = (dnnl_exec_arg_t){ DNNL_ARG_TO, to };
    out->n_args = 2;
    return st;
}

static const dnnl_dims_t ONE = { 1, 1 }; /* stride and padding of 3 x 3 kernels */

/* Between many channels Winograd's algorithm, where oneDNN has it: less than half the
 * multiplications, rounding about ten times that of the sums as they stand. */
static dnnl_status_t describe(const zm_conv_dnnl *s, int32_t l,
                              dnnl_convolution_desc_t *cd, dnnl_primitive_attr_t attr,
                              dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *pd)
{
    enum { MANY = 32 };

    if (s->shape.channels[l] >= MANY && s->shape.channels[l + 1] >= MANY) {
        cd->alg_kind = dnnl_convolution_winograd;
        if (dnnl_primitive_desc_create(pd, cd, attr, s->engine, hint) == dnnl_success)
            return dnnl_success;
        cd->alg_kind = dnnl_convolution_direct;
    }
    return dnnl_primitive_desc_create(pd, cd, attr, s->engine, hint);
}

/* Fuses a ReLU into a primitive. */
static dnnl_status_t relu_attributes(dnnl_primitive_attr_t *attr)
{
    dnnl_post_ops_t ops;
    dnnl_status_t st;

    ZM_DNNL_TRY(dnnl_primitive_attr_create(attr));
    ZM_DNNL_TRY(dnnl_post_ops_create(&ops));
    st = dnnl_post_ops_append_eltwise(ops, 1.0F, dnnl_eltwise_relu, 0.0F, 0.0F);
    if (st == dnnl_success)
        st = dnnl_primitive_attr_set_post_ops(*attr, ops);
    dnnl_post_ops_destroy(ops);
    return st;
}

/* Forward primitive of layer l, and the activations below and above it. */
static dnnl_status_t forward_desc(zm_conv_dnnl *s, int32_t l, dnnl_primitive_desc_t *pd)
{
    const bool relu = l + 1 < s->shape.layers;
    dnnl_memory_desc_t src, w, b, dst;
    dnnl_convolution_desc_t cd;
    dnnl_primitive_attr_t attr = NULL;
    dnnl_status_t st;

    ZM_DNNL_TRY(planes_desc(s, zm_conv_dnnl_ins(s, l), dnnl_format_tag_any, &src));
    if (l > 0)
        src = *desc_of(s->activation[l]);
    ZM_DNNL_TRY(planes_desc(s, s->shape.channels[l + 1], dnnl_format_tag_any, &dst));
    ZM_DNNL_TRY(weights_desc(s, l, dnnl_format_tag_any, &w));
    ZM_DNNL_TRY(bias_desc(s, l, &b));
    ZM_DNNL_TRY(dnnl_convolution_forward_desc_init(&cd, dnnl_forward_training,
                                                   dnnl_convolution_direct, &src, &w,
                                                   &b, &dst, ONE, ONE, ONE));
    if (relu)
        ZM_DNNL_TRY(relu_attributes(&attr));
    st = describe(s, l, &cd, attr, NULL, pd);
    if (attr)
        dnnl_primitive_attr_destroy(attr);
    return st;
}

static const dnnl_memory_desc_t *queried(dnnl_primitive_desc_t pd, dnnl_query_t what)
{
    return dnnl_primitive_desc_query_md(pd, what, 0);
}

static dnnl_status_t create_forward(zm_conv_dnnl *s, int32_t l)
{
    zm_conv_layer *y = &s->layers[l];
    dnnl_primitive_desc_t pd;
    dnnl_status_t st = forward_desc(s, l, &pd);

    if (st != dnnl_success)
        return st;
    if (l == 0)
        st = memory_create(s, queried(pd, dnnl_query_src_md), &s->activation[0]);
    if (st == dnnl_success)
        st = memory_create(s, queried(pd, dnnl_query_dst_md), &s->activation[l + 1]);
    if (st == dnnl_success)
        st = memory_create(s, queried(pd, dnnl_query_weights_md), &y->weights_forward);
    if (st == dnnl_success)
        st = dnnl_primitive_create(&y->forward.primitive, pd);
    dnnl_primitive_desc_destroy(pd);
    y->forward.args[0] = (dnnl_exec_arg_t){ DNNL_ARG_SRC, s->activation[l] };
    y->forward.args[1] = (dnnl_exec_arg_t){ DNNL_ARG_WEIGHTS, y->weights_forward };
    y->forward.args[2] = (dnnl_exec_arg_t){ DNNL_ARG_BIAS, y->bias };
    y->forward.args[3] = (dnnl_exec_arg_t){ DNNL_ARG_DST, s->activation[l + 1] };
    y->forward.n_args = 4;
    return st;
}

/* Backward primitives want a forward one as a hint. */
static dnnl_status_t create_backward_data(zm_conv_dnnl *s, int32_t l,
                                          dnnl_primitive_desc_t hint)
{
    zm_conv_layer *y = &s->layers[l];
    const dnnl_memory_desc_t *src = desc_of(s->activation[l]);
    const dnnl_memory_desc_t *dst = desc_of(s->activation[l + 1]);
    dnnl_memory_t below = l > 0 ? s->layers[l - 1].d_above : s->d_first;
    dnnl_memory_desc_t w;
    dnnl_convolution_desc_t cd;
    dnnl_primitive_desc_t pd;
    dnnl_status_t st;

    ZM_DNNL_TRY(weights_desc(s, l, dnnl_format_tag_any, &w));
    ZM_DNNL_TRY(dnnl_convolution_backward_data_desc_init(&cd, dnnl_convolution_direct,
                                                         src, &w, dst, ONE, ONE, ONE));
    ZM_DNNL_TRY(describe(s, l, &cd, NULL, hint, &pd));
    st = memory_create(s, queried(pd, dnnl_query_weights_md), &y->weights_backward);
    if (st == dnnl_success)
        st = dnnl_primitive_create(&y->backward_data.primitive, pd);
    dnnl_primitive_desc_destroy(pd);
    y->backward_data.args[0] = (dnnl_exec_arg_t){ DNNL_ARG_DIFF_DST, y->d_above };
    y->backward_data.args[1] =
        (dnnl_exec_arg_t){ DNNL_ARG_WEIGHTS, y->weights_backward };
    y->backward_data.args[2] = (dnnl_exec_arg_t){ DNNL_ARG_DIFF_SRC, below };
    y->backward_data.n_args = 3;
    return st;
}

static dnnl_status_t create_backward_weights(zm_conv_dnnl *s, int32_t l,
                                             dnnl_primitive_desc_t hint)
{
    zm_conv_layer *y = &s->layers[l];
    dnnl_memory_desc_t w, b;
    dnnl_convolution_desc_t cd;
    dnnl_primitive_desc_t pd;
    dnnl_status_t st;

    ZM_DNNL_TRY(weights_desc(s, l, dnnl_format_tag_any, &w));
    ZM_DNNL_TRY(bias_desc(s, l, &b));
    ZM_DNNL_TRY(dnnl_convolution_backward_weights_desc_init(
        &cd, dnnl_convolution_direct, desc_of(s->activation[l]), &w, &b,
        desc_of(s->activation[l + 1]), ONE, ONE, ONE));
    ZM_DNNL_TRY(describe(s, l, &cd, NULL, hint, &pd));
    st = memory_create(s, queried(pd, dnnl_query_diff_weights_md), &y->d_weights_inner);
    if (st == dnnl_success)
        st = dnnl_primitive_create(&y->backward_weights.primitive, pd);
    dnnl_primitive_desc_destroy(pd);
    y->backward_weights.args[0] = (dnnl_exec_arg_t){ DNNL_ARG_SRC, s->activation[l] };
    y->backward_weights.args[1] = (dnnl_exec_arg_t){ DNNL_ARG_DIFF_DST, y->d_above };
    y->backward_weights.args[2] =
        (dnnl_exec_arg_t){ DNNL_ARG_DIFF_WEIGHTS, y->d_weights_inner };
    y->backward_weights.args[3] = (dnnl_exec_arg_t){ DNNL_ARG_DIFF_BIAS, y->d_bias };
    y->backward_weights.n_args = 4;
    return st;
}

static dnnl_status_t create_backward(zm_conv_dnnl *s, int32_t l)
{
    zm_conv_layer *y = &s->layers[l];
    dnnl_primitive_desc_t hint;
    dnnl_status_t st;

    ZM_DNNL_TRY(memory_create(s, desc_of(s->activation[l + 1]), &y->d_above));
    y->d_above_bytes = dnnl_memory_desc_get_size(desc_of(y->d_above));
    ZM_DNNL_TRY(forward_desc(s, l, &hint));
    st = create_backward_data(s, l, hint);
    if (st == dnnl_success)
        st = create_backward_weights(s, l, hint);
    dnnl_primitive_desc_destroy(hint);
    ZM_DNNL_TRY(st);
    ZM_DNNL_TRY(reorder_create(s, y->weights, y->weights_forward, &y->pack_forward));
    ZM_DNNL_TRY(reorder_create(s, y->weights, y->weights_backward, &y->pack_backward));
    return reorder_create(s, y->d_weights_inner, y->d_weights, &y->unpack);
}

static dnnl_status_t create_layer_memory(zm_conv_dnnl *s, int32_t l)
{
    zm_conv_layer *y = &s->layers[l];
    dnnl_memory_desc_t w, b;

    ZM_DNNL_TRY(weights_desc(s, l, dnnl_oihw, &w));
    ZM_DNNL_TRY(bias_desc(s, l, &b));
    ZM_DNNL_TRY(memory_create(s, &w, &y->weights));
    ZM_DNNL_TRY(memory_create(s, &w, &y->d_weights));
    ZM_DNNL_TRY(memory_create(s, &b, &y->bias));
    return memory_create(s, &b, &y->d_bias);
}

dnnl_status_t zm_conv_dnnl_create(zm_conv_dnnl *s)
{
    const zm_conv_shape *shape = &s->shape;
    zm_conv_layer *last = &s->layers[shape->layers - 1];
    dnnl_memory_desc_t in, out;

    ZM_DNNL_TRY(dnnl_engine_create(&s->engine, dnnl_cpu, 0));
    ZM_DNNL_TRY(dnnl_stream_create(&s->stream, s->engine, dnnl_stream_default_flags));
    for (int32_t l = 0; l < shape->layers; l++) {
        ZM_DNNL_TRY(create_layer_memory(s, l));
        ZM_DNNL_TRY(create_forward(s, l));
    }
    ZM_DNNL_TRY(memory_create(s, desc_of(s->activation[0]), &s->d_first));
    for (int32_t l = 0; l < shape->layers; l++)
        ZM_DNNL_TRY(create_backward(s, l));
    ZM_DNNL_TRY(planes_desc(s, zm_conv_dnnl_ins(s, 0), dnnl_nchw, &in));
    ZM_DNNL_TRY(planes_desc(s, shape->channels[shape->layers], dnnl_nchw, &out));
    ZM_DNNL_TRY(memory_create(s, &in, &s->in));
    ZM_DNNL_TRY(memory_create(s, &in, &s->d_in));
    ZM_DNNL_TRY(memory_create(s, &out, &s->out));
    ZM_DNNL_TRY(reorder_create(s, s->in, s->activation[0], &s->load));
    ZM_DNNL_TRY(reorder_create(s, s->activation[shape->layers], s->out, &s->save));
    ZM_DNNL_TRY(reorder_create(s, s->out, last->d_above, &s->load_d));
    return reorder_create(s, s->d_first, s->d_in, &s->save_d);
}
