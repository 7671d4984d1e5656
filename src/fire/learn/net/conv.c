/* SPDX-License-Identifier: Apache-2.0
 * Convolutions and products by oneDNN 2, float32: the only file that knows it.
 *
 * oneDNN chooses the blocked layout of the first activation; each following layer takes its
 * input in the layout in which the layer before left its output, so nothing is reordered
 * between layers, forward or backward.  Bias and ReLU are fused into the forward pass; the
 * backward ReLU is a mask over activations and derivatives, which share a layout.
 *
 * The input is filled up with planes of zeros to a multiple of 16: for fewer oneDNN keeps it in
 * plain planes, and then has only loops in plain C for the derivative by the weights. */
#include "fire/learn/net/conv.h"

#include <dnnl.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/parallel.h"

/* A primitive whose arguments never change. */
typedef struct step {
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[4];
    int n_args;
} step;

typedef struct layer {
    dnnl_memory_t weights, d_weights; /* oihw, ours */
    dnnl_memory_t bias, d_bias;       /* ours */
    dnnl_memory_t weights_forward;    /* as the primitives want them */
    dnnl_memory_t weights_backward, d_weights_inner;
    dnnl_memory_t d_above;                    /* dL/da_{l+1}, layout of a_{l+1} */
    step pack_forward, pack_backward, unpack; /* reorders of weights */
    step forward, backward_data, backward_weights;
    size_t d_above_bytes;
} layer;

typedef struct stack {
    zm_conv_shape shape;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_t in, out;       /* nchw, ours */
    dnnl_memory_t d_in, d_first; /* dL/d(in): nchw and in the layout of a_0 */
    dnnl_memory_t activation[ZM_CONV_MOST_LAYERS + 1];
    layer layers[ZM_CONV_MOST_LAYERS];
    step load, save, load_d, save_d;
} stack;

/* Channels below layer l as oneDNN sees them. */
static int32_t ins_of(const stack *s, int32_t l)
{
    enum { VECTOR = 16 };
    const int32_t n = s->shape.channels[l];

    return l ? n : (n + VECTOR - 1) / VECTOR * VECTOR;
}

#define TRY(call)                                                                      \
    do {                                                                               \
        const dnnl_status_t status_ = (call);                                          \
        if (status_ != dnnl_success)                                                   \
            return status_;                                                            \
    } while (0)

static void step_destroy(step *s)
{
    if (s->primitive)
        dnnl_primitive_destroy(s->primitive);
}

static dnnl_status_t step_run(const stack *s, const step *p)
{
    return dnnl_primitive_execute(p->primitive, s->stream, p->n_args, p->args);
}

static void memory_destroy(dnnl_memory_t memory)
{
    if (memory)
        dnnl_memory_destroy(memory);
}

static void layer_destroy(layer *l)
{
    step *steps[] = { &l->pack_forward, &l->pack_backward, &l->unpack,
                      &l->forward,      &l->backward_data, &l->backward_weights };
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

static void destroy(void *opaque)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    stack *s = opaque;

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
    zm_release(&mem, s);
}

static dnnl_status_t memory_create(const stack *s, const dnnl_memory_desc_t *md,
                                   dnnl_memory_t *out)
{
    return dnnl_memory_create(out, md, s->engine, DNNL_MEMORY_ALLOCATE);
}

/* Planes of the grid in a layout: dnnl_nchw, or dnnl_format_tag_any. */
static dnnl_status_t planes_desc(const stack *s, int32_t channels,
                                 dnnl_format_tag_t tag, dnnl_memory_desc_t *md)
{
    const dnnl_dims_t dims = { 1, channels, s->shape.rows, s->shape.cols };

    return dnnl_memory_desc_init_by_tag(md, 4, dims, dnnl_f32, tag);
}

static dnnl_status_t weights_desc(const stack *s, int32_t l, dnnl_format_tag_t tag,
                                  dnnl_memory_desc_t *md)
{
    const dnnl_dims_t dims = { s->shape.channels[l + 1], ins_of(s, l), 3, 3 };

    return dnnl_memory_desc_init_by_tag(md, 4, dims, dnnl_f32, tag);
}

static dnnl_status_t bias_desc(const stack *s, int32_t l, dnnl_memory_desc_t *md)
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
static dnnl_status_t reorder_create(const stack *s, dnnl_memory_t from,
                                    dnnl_memory_t to, step *out)
{
    dnnl_primitive_desc_t pd;
    dnnl_status_t st;

    TRY(dnnl_reorder_primitive_desc_create(&pd, desc_of(from), s->engine, desc_of(to),
                                           s->engine, NULL));
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
static dnnl_status_t describe(const stack *s, int32_t l, dnnl_convolution_desc_t *cd,
                              dnnl_primitive_attr_t attr, dnnl_primitive_desc_t hint,
                              dnnl_primitive_desc_t *pd)
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

    TRY(dnnl_primitive_attr_create(attr));
    TRY(dnnl_post_ops_create(&ops));
    st = dnnl_post_ops_append_eltwise(ops, 1.0F, dnnl_eltwise_relu, 0.0F, 0.0F);
    if (st == dnnl_success)
        st = dnnl_primitive_attr_set_post_ops(*attr, ops);
    dnnl_post_ops_destroy(ops);
    return st;
}

/* Forward primitive of layer l, and the activations below and above it. */
static dnnl_status_t forward_desc(stack *s, int32_t l, dnnl_primitive_desc_t *pd)
{
    const bool relu = l + 1 < s->shape.layers;
    dnnl_memory_desc_t src, w, b, dst;
    dnnl_convolution_desc_t cd;
    dnnl_primitive_attr_t attr = NULL;
    dnnl_status_t st;

    TRY(planes_desc(s, ins_of(s, l), dnnl_format_tag_any, &src));
    if (l > 0)
        src = *desc_of(s->activation[l]);
    TRY(planes_desc(s, s->shape.channels[l + 1], dnnl_format_tag_any, &dst));
    TRY(weights_desc(s, l, dnnl_format_tag_any, &w));
    TRY(bias_desc(s, l, &b));
    TRY(dnnl_convolution_forward_desc_init(&cd, dnnl_forward_training,
                                           dnnl_convolution_direct, &src, &w, &b, &dst,
                                           ONE, ONE, ONE));
    if (relu)
        TRY(relu_attributes(&attr));
    st = describe(s, l, &cd, attr, NULL, pd);
    if (attr)
        dnnl_primitive_attr_destroy(attr);
    return st;
}

static const dnnl_memory_desc_t *queried(dnnl_primitive_desc_t pd, dnnl_query_t what)
{
    return dnnl_primitive_desc_query_md(pd, what, 0);
}

static dnnl_status_t create_forward(stack *s, int32_t l)
{
    layer *y = &s->layers[l];
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
static dnnl_status_t create_backward_data(stack *s, int32_t l,
                                          dnnl_primitive_desc_t hint)
{
    layer *y = &s->layers[l];
    const dnnl_memory_desc_t *src = desc_of(s->activation[l]);
    const dnnl_memory_desc_t *dst = desc_of(s->activation[l + 1]);
    dnnl_memory_t below = l > 0 ? s->layers[l - 1].d_above : s->d_first;
    dnnl_memory_desc_t w;
    dnnl_convolution_desc_t cd;
    dnnl_primitive_desc_t pd;
    dnnl_status_t st;

    TRY(weights_desc(s, l, dnnl_format_tag_any, &w));
    TRY(dnnl_convolution_backward_data_desc_init(&cd, dnnl_convolution_direct, src, &w,
                                                 dst, ONE, ONE, ONE));
    TRY(describe(s, l, &cd, NULL, hint, &pd));
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

static dnnl_status_t create_backward_weights(stack *s, int32_t l,
                                             dnnl_primitive_desc_t hint)
{
    layer *y = &s->layers[l];
    dnnl_memory_desc_t w, b;
    dnnl_convolution_desc_t cd;
    dnnl_primitive_desc_t pd;
    dnnl_status_t st;

    TRY(weights_desc(s, l, dnnl_format_tag_any, &w));
    TRY(bias_desc(s, l, &b));
    TRY(dnnl_convolution_backward_weights_desc_init(
        &cd, dnnl_convolution_direct, desc_of(s->activation[l]), &w, &b,
        desc_of(s->activation[l + 1]), ONE, ONE, ONE));
    TRY(describe(s, l, &cd, NULL, hint, &pd));
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

static dnnl_status_t create_backward(stack *s, int32_t l)
{
    layer *y = &s->layers[l];
    dnnl_primitive_desc_t hint;
    dnnl_status_t st;

    TRY(memory_create(s, desc_of(s->activation[l + 1]), &y->d_above));
    y->d_above_bytes = dnnl_memory_desc_get_size(desc_of(y->d_above));
    TRY(forward_desc(s, l, &hint));
    st = create_backward_data(s, l, hint);
    if (st == dnnl_success)
        st = create_backward_weights(s, l, hint);
    dnnl_primitive_desc_destroy(hint);
    TRY(st);
    TRY(reorder_create(s, y->weights, y->weights_forward, &y->pack_forward));
    TRY(reorder_create(s, y->weights, y->weights_backward, &y->pack_backward));
    return reorder_create(s, y->d_weights_inner, y->d_weights, &y->unpack);
}

static dnnl_status_t create_layer_memory(stack *s, int32_t l)
{
    layer *y = &s->layers[l];
    dnnl_memory_desc_t w, b;

    TRY(weights_desc(s, l, dnnl_oihw, &w));
    TRY(bias_desc(s, l, &b));
    TRY(memory_create(s, &w, &y->weights));
    TRY(memory_create(s, &w, &y->d_weights));
    TRY(memory_create(s, &b, &y->bias));
    return memory_create(s, &b, &y->d_bias);
}

static dnnl_status_t create_all(stack *s)
{
    const zm_conv_shape *shape = &s->shape;
    layer *last = &s->layers[shape->layers - 1];
    dnnl_memory_desc_t in, out;

    TRY(dnnl_engine_create(&s->engine, dnnl_cpu, 0));
    TRY(dnnl_stream_create(&s->stream, s->engine, dnnl_stream_default_flags));
    for (int32_t l = 0; l < shape->layers; l++) {
        TRY(create_layer_memory(s, l));
        TRY(create_forward(s, l));
    }
    TRY(memory_create(s, desc_of(s->activation[0]), &s->d_first));
    for (int32_t l = 0; l < shape->layers; l++)
        TRY(create_backward(s, l));
    TRY(planes_desc(s, ins_of(s, 0), dnnl_nchw, &in));
    TRY(planes_desc(s, shape->channels[shape->layers], dnnl_nchw, &out));
    TRY(memory_create(s, &in, &s->in));
    TRY(memory_create(s, &in, &s->d_in));
    TRY(memory_create(s, &out, &s->out));
    TRY(reorder_create(s, s->in, s->activation[0], &s->load));
    TRY(reorder_create(s, s->activation[shape->layers], s->out, &s->save));
    TRY(reorder_create(s, s->out, last->d_above, &s->load_d));
    return reorder_create(s, s->d_first, s->d_in, &s->save_d);
}

static zm_status answer(dnnl_status_t st, zm_error *err)
{
    if (st == dnnl_success)
        return ZM_OK;
    if (st == dnnl_out_of_memory)
        return zm_fail(err, ZM_E_NOMEM, -1, "convolutions");
    return zm_fail(err, ZM_E_UNSUPPORTED, -1, "oneDNN status %d in convolutions",
                   (int)st);
}

static zm_status create(void **out, const zm_conv_shape *shape, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    stack *s = zm_zalloc(&mem, 1, sizeof *s);
    dnnl_status_t st;

    if (!s)
        return zm_fail(err, ZM_E_NOMEM, -1, "convolutions");
    s->shape = *shape;
    if ((st = create_all(s)) != dnnl_success) {
        destroy(s);
        return answer(st, err);
    }
    *out = s;
    return ZM_OK;
}

static float *floats_of(dnnl_memory_t memory)
{
    void *handle = NULL;

    return dnnl_memory_get_data_handle(memory, &handle) == dnnl_success ? handle : NULL;
}

static void narrow(size_t n, const double *from, float *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (float)from[i];
}

static void widen(size_t n, const float *from, double *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (double)from[i];
}

static size_t plane_values(const stack *s, int32_t channels)
{
    return (size_t)channels * (size_t)s->shape.rows * (size_t)s->shape.cols;
}

static size_t layer_weights(const stack *s, int32_t l)
{
    return ZM_CONV_TAPS * (size_t)s->shape.channels[l] *
           (size_t)s->shape.channels[l + 1];
}

/* W[out][in][3][3], the inputs filled up with zeros. */
static void pack_weights(const stack *s, int32_t l, const double *from)
{
    const size_t row = ZM_CONV_TAPS * (size_t)s->shape.channels[l];
    const size_t inner = ZM_CONV_TAPS * (size_t)ins_of(s, l);
    float *to = floats_of(s->layers[l].weights);

    for (int32_t o = 0; o < s->shape.channels[l + 1]; o++, from += row, to += inner) {
        narrow(row, from, to);
        memset(to + row, 0, (inner - row) * sizeof *to);
    }
}

static dnnl_status_t run_forward(stack *s, const double *parameters, const double *in,
                                 double *out)
{
    const zm_conv_shape *shape = &s->shape;
    const size_t n_in = plane_values(s, shape->channels[0]);
    const size_t n_out = plane_values(s, shape->channels[shape->layers]);

    narrow(n_in, in, floats_of(s->in));
    memset(floats_of(s->in) + n_in, 0,
           (plane_values(s, ins_of(s, 0)) - n_in) * sizeof(float));
    TRY(step_run(s, &s->load));
    for (int32_t l = 0; l < shape->layers; l++) {
        const size_t n = layer_weights(s, l);

        pack_weights(s, l, parameters);
        narrow((size_t)shape->channels[l + 1], parameters + n,
               floats_of(s->layers[l].bias));
        TRY(step_run(s, &s->layers[l].pack_forward));
        TRY(step_run(s, &s->layers[l].forward));
        parameters += n + (size_t)shape->channels[l + 1];
    }
    TRY(step_run(s, &s->save));
    TRY(dnnl_stream_wait(s->stream));
    widen(n_out, floats_of(s->out), out);
    return dnnl_success;
}

static zm_status forward(void *opaque, const double *parameters, const double *in,
                         double *out, zm_error *err)
{
    return answer(run_forward(opaque, parameters, in, out), err);
}

/* Derivative of the ReLU that layer l ends with; padding channels are 0 on both sides. */
static void mask_relu(stack *s, int32_t l)
{
    const float *a = floats_of(s->activation[l + 1]);
    float *d = floats_of(s->layers[l].d_above);
    const size_t n = s->layers[l].d_above_bytes / sizeof *d;

    for (size_t i = 0; i < n; i++)
        d[i] = a[i] > 0 ? d[i] : 0;
}

static void add(size_t n, const float *from, double *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] += (double)from[i];
}

static void add_weights(const stack *s, int32_t l, double *to)
{
    const size_t row = ZM_CONV_TAPS * (size_t)s->shape.channels[l];
    const size_t inner = ZM_CONV_TAPS * (size_t)ins_of(s, l);
    const float *from = floats_of(s->layers[l].d_weights);

    for (int32_t o = 0; o < s->shape.channels[l + 1]; o++, from += inner, to += row)
        add(row, from, to);
}

static dnnl_status_t run_backward(stack *s, const double *d_out, double *d_parameters,
                                  double *d_in)
{
    const zm_conv_shape *shape = &s->shape;
    size_t at = zm_conv_parameters(shape);

    narrow(plane_values(s, shape->channels[shape->layers]), d_out, floats_of(s->out));
    TRY(step_run(s, &s->load_d));
    for (int32_t l = shape->layers - 1; l >= 0; l--) {
        const size_t n = layer_weights(s, l), n_bias = (size_t)shape->channels[l + 1];
        layer *y = &s->layers[l];

        at -= n + n_bias;
        if (l + 1 < shape->layers)
            mask_relu(s, l);
        TRY(step_run(s, &y->backward_weights));
        TRY(step_run(s, &y->unpack));
        if (l > 0 || d_in) {
            TRY(step_run(s, &y->pack_backward));
            TRY(step_run(s, &y->backward_data));
        }
        TRY(dnnl_stream_wait(s->stream));
        add_weights(s, l, d_parameters + at);
        add(n_bias, floats_of(y->d_bias), d_parameters + at + n);
    }
    if (!d_in)
        return dnnl_success;
    TRY(step_run(s, &s->save_d));
    TRY(dnnl_stream_wait(s->stream));
    widen(plane_values(s, shape->channels[0]), floats_of(s->d_in), d_in);
    return dnnl_success;
}

/* The weights are still those of the forward pass. */
static zm_status backward(void *opaque, const double *parameters, const double *d_out,
                          double *d_parameters, double *d_in, zm_error *err)
{
    (void)parameters;
    return answer(run_backward(opaque, d_out, d_parameters, d_in), err);
}

const zm_conv_make zm_conv_fast = { create, destroy, forward, backward };

zm_status zm_net_product_f32(const zm_product *p, const float *a, const float *b,
                             float beta, float *c, zm_error *err)
{
    const dnnl_dim_t m = (dnnl_dim_t)p->m, n = (dnnl_dim_t)p->n, k = (dnnl_dim_t)p->k;
    const char ta = p->a_transposed ? 'T' : 'N', tb = p->b_transposed ? 'T' : 'N';
    /* a few hundred rows: to share them costs more than they do */
    const int32_t threads = zm_parallel_limit(1);
    const dnnl_status_t st =
        dnnl_sgemm(ta, tb, m, n, k, 1.0F, a, p->a_transposed ? m : k, b,
                   p->b_transposed ? k : n, beta, c, n);

    zm_parallel_limit(threads);
    return answer(st, err);
}
