/* SPDX-License-Identifier: Apache-2.0
 * Convolutions and products by oneDNN 2, float32; conv_dnnl.c has made what is run here. */
#include "fire/learn/net/conv.h"

#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "fire/learn/net/conv_dnnl.h"

static dnnl_status_t step_run(const zm_conv_dnnl *s, const zm_conv_step *p)
{
    return dnnl_primitive_execute(p->primitive, s->stream, p->n_args, p->args);
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

static void destroy(void *opaque)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    zm_conv_dnnl_destroy(opaque);
    zm_release(&mem, opaque);
}

static zm_status create(void **out, const zm_conv_shape *shape, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    zm_conv_dnnl *s = zm_zalloc(&mem, 1, sizeof *s);
    dnnl_status_t st;

    if (!s)
        return zm_fail(err, ZM_E_NOMEM, -1, "convolutions");
    s->shape = *shape;
    if ((st = zm_conv_dnnl_create(s)) != dnnl_success) {
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

static size_t plane_values(const zm_conv_dnnl *s, int32_t channels)
{
    return (size_t)channels * (size_t)s->shape.rows * (size_t)s->shape.cols;
}

static size_t layer_weights(const zm_conv_dnnl *s, int32_t l)
{
    return ZM_CONV_TAPS * (size_t)s->shape.channels[l] *
           (size_t)s->shape.channels[l + 1];
}

/* W[out][in][3][3], the inputs filled up with zeros. */
static void pack_weights(const zm_conv_dnnl *s, int32_t l, const double *from)
{
    const size_t row = ZM_CONV_TAPS * (size_t)s->shape.channels[l];
    const size_t inner = ZM_CONV_TAPS * (size_t)zm_conv_dnnl_ins(s, l);
    float *to = floats_of(s->layers[l].weights);

    for (int32_t o = 0; o < s->shape.channels[l + 1]; o++, from += row, to += inner) {
        narrow(row, from, to);
        memset(to + row, 0, (inner - row) * sizeof *to);
    }
}

static dnnl_status_t run_forward(zm_conv_dnnl *s, const double *parameters,
                                 const double *in, double *out)
{
    const zm_conv_shape *shape = &s->shape;
    const size_t n_in = plane_values(s, shape->channels[0]);
    const size_t n_out = plane_values(s, shape->channels[shape->layers]);

    narrow(n_in, in, floats_of(s->in));
    memset(floats_of(s->in) + n_in, 0,
           (plane_values(s, zm_conv_dnnl_ins(s, 0)) - n_in) * sizeof(float));
    ZM_DNNL_TRY(step_run(s, &s->load));
    for (int32_t l = 0; l < shape->layers; l++) {
        const size_t n = layer_weights(s, l);

        pack_weights(s, l, parameters);
        narrow((size_t)shape->channels[l + 1], parameters + n,
               floats_of(s->layers[l].bias));
        ZM_DNNL_TRY(step_run(s, &s->layers[l].pack_forward));
        ZM_DNNL_TRY(step_run(s, &s->layers[l].forward));
        parameters += n + (size_t)shape->channels[l + 1];
    }
    ZM_DNNL_TRY(step_run(s, &s->save));
    ZM_DNNL_TRY(dnnl_stream_wait(s->stream));
    widen(n_out, floats_of(s->out), out);
    return dnnl_success;
}

static zm_status forward(void *opaque, const double *parameters, const double *in,
                         double *out, zm_error *err)
{
    return answer(run_forward(opaque, parameters, in, out), err);
}

/* Derivative of the ReLU that layer l ends with; padding channels are 0 on both sides. */
static void mask_relu(zm_conv_dnnl *s, int32_t l)
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

static void add_weights(const zm_conv_dnnl *s, int32_t l, double *to)
{
    const size_t row = ZM_CONV_TAPS * (size_t)s->shape.channels[l];
    const size_t inner = ZM_CONV_TAPS * (size_t)zm_conv_dnnl_ins(s, l);
    const float *from = floats_of(s->layers[l].d_weights);

    for (int32_t o = 0; o < s->shape.channels[l + 1]; o++, from += inner, to += row)
        add(row, from, to);
}

static dnnl_status_t run_backward(zm_conv_dnnl *s, const double *d_out,
                                  double *d_parameters, double *d_in)
{
    const zm_conv_shape *shape = &s->shape;
    size_t at = zm_conv_parameters(shape);

    narrow(plane_values(s, shape->channels[shape->layers]), d_out, floats_of(s->out));
    ZM_DNNL_TRY(step_run(s, &s->load_d));
    for (int32_t l = shape->layers - 1; l >= 0; l--) {
        const size_t n = layer_weights(s, l), n_bias = (size_t)shape->channels[l + 1];
        zm_conv_layer *y = &s->layers[l];

        at -= n + n_bias;
        if (l + 1 < shape->layers)
            mask_relu(s, l);
        ZM_DNNL_TRY(step_run(s, &y->backward_weights));
        ZM_DNNL_TRY(step_run(s, &y->unpack));
        if (l > 0 || d_in) {
            ZM_DNNL_TRY(step_run(s, &y->pack_backward));
            ZM_DNNL_TRY(step_run(s, &y->backward_data));
        }
        ZM_DNNL_TRY(dnnl_stream_wait(s->stream));
        add_weights(s, l, d_parameters + at);
        add(n_bias, floats_of(y->d_bias), d_parameters + at + n);
    }
    if (!d_in)
        return dnnl_success;
    ZM_DNNL_TRY(step_run(s, &s->save_d));
    ZM_DNNL_TRY(dnnl_stream_wait(s->stream));
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
