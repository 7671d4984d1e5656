/* SPDX-License-Identifier: Apache-2.0
 * The stack of convolutions of the paper's encoder against oneDNN's bare kernels:
 * bench_convolution ROUNDS SIDE...
 *
 * The opponent runs the same layers and algorithms on data that already lie as the kernels like
 * them: no conversion from float64, no packing of weights, no sums of derivatives.  What is above
 * it is the price of our interface.  (Its layers do not hand on their results, so it meets the cache
 * a little colder.)  One thread. */
#include <dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fire/learn/net/conv.h"
#include "support/scene.h"

enum { LAYERS = 5, MANY = 32, MOST_ARGS = 4 };
/* 16 for the 8 of the ground: oneDNN has no fast kernels for less, and ours is filled up too */
static const int32_t CHANNELS[LAYERS + 1] = { 16, 64, 64, 64, 64, 5 };

typedef struct kernel {
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[MOST_ARGS];
    int n_args;
} kernel;

typedef struct bare {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    kernel forward[LAYERS], data[LAYERS], weights[LAYERS];
} bare;

typedef struct ours {
    zm_conv *stack;
    double *parameters, *d_parameters, *in, *out;
} ours;

static void must(dnnl_status_t status)
{
    if (status != dnnl_success) {
        fprintf(stderr, "bench_convolution: oneDNN status %d\n", (int)status);
        exit(1);
    }
}

static dnnl_memory_desc_t described(int n_dims, const dnnl_dims_t dims,
                                    dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t md;

    must(dnnl_memory_desc_init_by_tag(&md, n_dims, dims, dnnl_f32, tag));
    return md;
}

/* Memory of small numbers: denormal ones would be slow. */
static dnnl_memory_t memory_of(const bare *b, const dnnl_memory_desc_t *md)
{
    dnnl_memory_t memory;
    void *values;

    must(dnnl_memory_create(&memory, md, b->engine, DNNL_MEMORY_ALLOCATE));
    must(dnnl_memory_get_data_handle(memory, &values));
    for (size_t i = 0; i < dnnl_memory_desc_get_size(md) / sizeof(float); i++)
        ((float *)values)[i] = 0.01F * (float)(i % 7) - 0.03F;
    return memory;
}

static dnnl_primitive_desc_t choose(const bare *b, int32_t l,
                                    dnnl_convolution_desc_t *cd,
                                    dnnl_primitive_desc_t hint)
{
    dnnl_primitive_desc_t pd;

    cd->alg_kind = dnnl_convolution_winograd;
    if (CHANNELS[l] >= MANY && CHANNELS[l + 1] >= MANY &&
        dnnl_primitive_desc_create(&pd, cd, NULL, b->engine, hint) == dnnl_success)
        return pd;
    cd->alg_kind = dnnl_convolution_direct;
    must(dnnl_primitive_desc_create(&pd, cd, NULL, b->engine, hint));
    return pd;
}

static void argument(const bare *b, kernel *k, int arg, const dnnl_memory_desc_t *md)
{
    k->args[k->n_args++] = (dnnl_exec_arg_t){ arg, memory_of(b, md) };
}

/* A kernel with memory as it wants it; the bias is as it is given, NULL: it has none. */
static void make_kernel(const bare *b, kernel *k, dnnl_primitive_desc_t pd,
                        const int args[3], const dnnl_query_t wants[3], int bias_arg,
                        const dnnl_memory_desc_t *bias)
{
    must(dnnl_primitive_create(&k->primitive, pd));
    for (int i = 0; i < 3; i++)
        argument(b, k, args[i], dnnl_primitive_desc_query_md(pd, wants[i], 0));
    if (bias)
        argument(b, k, bias_arg, bias);
}

static void make_layer(bare *b, int32_t l, int32_t side)
{
    const dnnl_dims_t in = { 1, CHANNELS[l], side, side },
                      out = { 1, CHANNELS[l + 1], side, side },
                      taps = { CHANNELS[l + 1], CHANNELS[l], 3, 3 },
                      bias = { CHANNELS[l + 1] }, one = { 1, 1 };
    const dnnl_memory_desc_t x = described(4, in, dnnl_format_tag_any),
                             y = described(4, out, dnnl_format_tag_any),
                             w = described(4, taps, dnnl_format_tag_any),
                             c = described(1, bias, dnnl_x);
    dnnl_convolution_desc_t cd;
    dnnl_primitive_desc_t pd, hint;

    must(dnnl_convolution_forward_desc_init(&cd, dnnl_forward_training,
                                            dnnl_convolution_direct, &x, &w, &c, &y,
                                            one, one, one));
    hint = choose(b, l, &cd, NULL);
    make_kernel(b, &b->forward[l], hint,
                (const int[]){ DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST },
                (const dnnl_query_t[]){ dnnl_query_src_md, dnnl_query_weights_md,
                                        dnnl_query_dst_md },
                DNNL_ARG_BIAS, &c);

    must(dnnl_convolution_backward_data_desc_init(&cd, dnnl_convolution_direct, &x, &w,
                                                  &y, one, one, one));
    pd = choose(b, l, &cd, hint);
    make_kernel(b, &b->data[l], pd,
                (const int[]){ DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC },
                (const dnnl_query_t[]){ dnnl_query_diff_dst_md, dnnl_query_weights_md,
                                        dnnl_query_diff_src_md },
                0, NULL);
    dnnl_primitive_desc_destroy(pd);

    must(dnnl_convolution_backward_weights_desc_init(&cd, dnnl_convolution_direct, &x,
                                                     &w, &c, &y, one, one, one));
    pd = choose(b, l, &cd, hint);
    make_kernel(b, &b->weights[l], pd,
                (const int[]){ DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS },
                (const dnnl_query_t[]){ dnnl_query_src_md, dnnl_query_diff_dst_md,
                                        dnnl_query_diff_weights_md },
                DNNL_ARG_DIFF_BIAS, &c);
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_desc_destroy(hint);
}

static void run_kernel(const bare *b, const kernel *k)
{
    must(dnnl_primitive_execute(k->primitive, b->stream, k->n_args, k->args));
}

static void bare_forward(void *ctx)
{
    const bare *b = ctx;

    for (int l = 0; l < LAYERS; l++)
        run_kernel(b, &b->forward[l]);
    must(dnnl_stream_wait(b->stream));
}

/* No derivative with respect to the input: training needs none. */
static void bare_backward(void *ctx)
{
    const bare *b = ctx;

    for (int l = LAYERS - 1; l >= 0; l--) {
        run_kernel(b, &b->weights[l]);
        if (l > 0)
            run_kernel(b, &b->data[l]);
    }
    must(dnnl_stream_wait(b->stream));
}

static void kernel_free(kernel *k)
{
    for (int i = 0; i < k->n_args; i++)
        dnnl_memory_destroy(k->args[i].memory);
    dnnl_primitive_destroy(k->primitive);
}

static void bare_free(bare *b)
{
    for (int l = 0; l < LAYERS; l++) {
        kernel_free(&b->forward[l]);
        kernel_free(&b->data[l]);
        kernel_free(&b->weights[l]);
    }
    dnnl_stream_destroy(b->stream);
    dnnl_engine_destroy(b->engine);
}

static void our_forward(void *ctx)
{
    ours *o = ctx;
    zm_error err;

    expect_ok(zm_conv_forward(o->stack, o->parameters, o->in, o->out, &err),
              "zm_conv_forward", &err);
}

static void our_backward(void *ctx)
{
    ours *o = ctx;
    zm_error err;

    expect_ok(
        zm_conv_backward(o->stack, o->parameters, o->out, o->d_parameters, NULL, &err),
        "zm_conv_backward", &err);
}

static double *some_numbers(size_t n)
{
    double *x = or_out_of_memory(malloc(n * sizeof *x));

    for (size_t i = 0; i < n; i++)
        x[i] = 0.01 * (double)(i % 7) - 0.03;
    return x;
}

static void our_init(ours *o, int32_t side)
{
    zm_conv_shape shape = { .rows = side, .cols = side, .layers = LAYERS };
    const size_t cells = (size_t)side * (size_t)side;
    zm_error err;

    memcpy(shape.channels, CHANNELS, sizeof CHANNELS);
    expect_ok(zm_conv_create(&o->stack, &shape, ZM_NET_FAST, &err), "zm_conv_create",
              &err);
    o->parameters = some_numbers(zm_conv_parameters(&shape));
    o->d_parameters = some_numbers(zm_conv_parameters(&shape));
    o->in = some_numbers((size_t)CHANNELS[0] * cells);
    o->out = some_numbers((size_t)CHANNELS[LAYERS] * cells);
    our_forward(o);
}

static void our_free(ours *o)
{
    zm_conv_destroy(o->stack);
    free(o->parameters);
    free(o->d_parameters);
    free(o->in);
    free(o->out);
}

static void measure(int rounds, int32_t side)
{
    bare b = { 0 };
    ours o;
    contestant c[] = { { "forward", our_forward, &o, rounds, 0, 0, { 0 } },
                       { "bare forward", bare_forward, &b, rounds, 0, 0, { 0 } },
                       { "backward", our_backward, &o, rounds, 0, 0, { 0 } },
                       { "bare backward", bare_backward, &b, rounds, 0, 0, { 0 } } };
    double all, kernels;

    must(dnnl_engine_create(&b.engine, dnnl_cpu, 0));
    must(dnnl_stream_create(&b.stream, b.engine, dnnl_stream_default_flags));
    for (int32_t l = 0; l < LAYERS; l++)
        make_layer(&b, l, side);
    our_init(&o, side);
    contest(c, 4, CPU_TIME);
    all = least_seconds(&c[0]) + least_seconds(&c[2]);
    kernels = least_seconds(&c[1]) + least_seconds(&c[3]);
    printf(
        "%d x %d: forward %.1f ms, bare %.1f; backward %.1f ms, bare %.1f; both over "
        "bare kernels %.2f\n",
        (int)side, (int)side, 1e3 * least_seconds(&c[0]), 1e3 * least_seconds(&c[1]),
        1e3 * least_seconds(&c[2]), 1e3 * least_seconds(&c[3]), all / kernels);
    our_free(&o);
    bare_free(&b);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 0;

    if (rounds < 1 || rounds > MOST_ROUNDS || argc < 3) {
        fprintf(stderr, "usage: bench_convolution ROUNDS SIDE...; OMP_NUM_THREADS=1\n");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        measure(rounds, (int32_t)atoi(argv[i]));
    return 0;
}
