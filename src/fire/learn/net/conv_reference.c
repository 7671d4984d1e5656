/* SPDX-License-Identifier: Apache-2.0
 * Convolutions and products in plain float64 loops: slow, obvious, to check the others with. */
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "fire/learn/net/conv.h"

typedef struct reference {
    zm_conv_shape shape;
    double *activation[ZM_CONV_MOST_LAYERS + 1]; /* a_0 ... a_layers */
    double *derivative[2]; /* dL/da of the layer at hand and below */
} reference;

static size_t cells(const reference *r)
{
    return (size_t)r->shape.rows * (size_t)r->shape.cols;
}

static void destroy(void *stack)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    reference *r = stack;

    for (int l = 0; l <= ZM_CONV_MOST_LAYERS; l++)
        zm_release(&mem, r->activation[l]);
    zm_release(&mem, r->derivative[0]);
    zm_release(&mem, r->derivative[1]);
    zm_release(&mem, r);
}

static zm_status create(void **out, const zm_conv_shape *shape, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    reference *r = zm_zalloc(&mem, 1, sizeof *r);
    size_t most = 0;
    bool complete = r;

    for (int32_t l = 0; r && l <= shape->layers; l++) {
        const size_t channels = (size_t)shape->channels[l];

        r->shape = *shape;
        r->activation[l] = zm_block(&mem, channels * cells(r), sizeof(double));
        complete = complete && r->activation[l];
        most = channels > most ? channels : most;
    }
    for (int i = 0; r && i < 2; i++) {
        r->derivative[i] = zm_block(&mem, most * cells(r), sizeof(double));
        complete = complete && r->derivative[i];
    }
    if (!complete) {
        if (r)
            destroy(r);
        return zm_fail(err, ZM_E_NOMEM, -1, "convolutions in float64");
    }
    *out = r;
    return ZM_OK;
}

/* What a tap of a 3 x 3 kernel joins: output cell (row, col) with input (row + dr, col + dc),
 * for all cells for which both are in the grid. */
typedef void tap_fn(const reference *r, int32_t dr, int32_t dc, double *weight,
                    double *in, double *out);

static void each_tap(const reference *r, double *weights, double *in, double *out,
                     tap_fn *fn)
{
    for (int tap = 0; tap < ZM_CONV_TAPS; tap++)
        fn(r, tap / 3 - 1, tap % 3 - 1, weights + tap, in, out);
}

#define EACH_PAIR(r, dr, dc)                                                           \
    for (int32_t row = (dr) < 0 ? 1 : 0; row < (r)->shape.rows - ((dr) > 0 ? 1 : 0);   \
         row++)                                                                        \
        for (int32_t col = (dc) < 0 ? 1 : 0;                                           \
             col < (r)->shape.cols - ((dc) > 0 ? 1 : 0); col++)
#define CELL(r, row, col) ((size_t)(row) * (size_t)(r)->shape.cols + (size_t)(col))

static void tap_forward(const reference *r, int32_t dr, int32_t dc, double *weight,
                        double *in, double *out)
{
    EACH_PAIR(r, dr, dc)
    out[CELL(r, row, col)] += *weight * in[CELL(r, row + dr, col + dc)];
}

static void tap_backward(const reference *r, int32_t dr, int32_t dc, double *weight,
                         double *d_in, double *d_out)
{
    EACH_PAIR(r, dr, dc)
    d_in[CELL(r, row + dr, col + dc)] += *weight * d_out[CELL(r, row, col)];
}

static void tap_weights(const reference *r, int32_t dr, int32_t dc, double *d_weight,
                        double *in, double *d_out)
{
    EACH_PAIR(r, dr, dc)
    *d_weight += in[CELL(r, row + dr, col + dc)] * d_out[CELL(r, row, col)];
}

static void layer_forward(reference *r, int32_t l, const double *w)
{
    const size_t n = cells(r), n_in = (size_t)r->shape.channels[l];
    const size_t n_out = (size_t)r->shape.channels[l + 1];
    const double *bias = w + ZM_CONV_TAPS * n_in * n_out;
    const bool relu = l + 1 < r->shape.layers;

    for (size_t o = 0; o < n_out; o++) {
        double *out = r->activation[l + 1] + o * n;

        for (size_t i = 0; i < n; i++)
            out[i] = bias[o];
        for (size_t i = 0; i < n_in; i++)
            each_tap(r, (double *)w + ZM_CONV_TAPS * (o * n_in + i),
                     r->activation[l] + i * n, out, tap_forward);
        for (size_t i = 0; relu && i < n; i++)
            out[i] = out[i] > 0 ? out[i] : 0;
    }
}

static zm_status forward(void *stack, const double *parameters, const double *in,
                         double *out, zm_error *err)
{
    reference *r = stack;
    const zm_conv_shape *s = &r->shape;

    (void)err;
    memcpy(r->activation[0], in, (size_t)s->channels[0] * cells(r) * sizeof *in);
    for (int32_t l = 0; l < s->layers; l++) {
        layer_forward(r, l, parameters);
        parameters +=
            (size_t)s->channels[l + 1] * (ZM_CONV_TAPS * (size_t)s->channels[l] + 1);
    }
    memcpy(out, r->activation[s->layers],
           (size_t)s->channels[s->layers] * cells(r) * sizeof *out);
    return ZM_OK;
}

/* d_above is dL/da_{l+1}; d_below becomes dL/da_l. */
static void layer_backward(reference *r, int32_t l, const double *w, double *d_w,
                           double *d_above, double *d_below)
{
    const size_t n = cells(r), n_in = (size_t)r->shape.channels[l];
    const size_t n_out = (size_t)r->shape.channels[l + 1];
    double *d_bias = d_w + ZM_CONV_TAPS * n_in * n_out;

    if (l + 1 < r->shape.layers)
        for (size_t i = 0; i < n_out * n; i++)
            d_above[i] = r->activation[l + 1][i] > 0 ? d_above[i] : 0;
    memset(d_below, 0, n_in * n * sizeof *d_below);
    for (size_t o = 0; o < n_out; o++) {
        for (size_t i = 0; i < n; i++)
            d_bias[o] += d_above[o * n + i];
        for (size_t i = 0; i < n_in; i++) {
            const size_t at = ZM_CONV_TAPS * (o * n_in + i);

            each_tap(r, (double *)w + at, d_below + i * n, d_above + o * n,
                     tap_backward);
            each_tap(r, d_w + at, r->activation[l] + i * n, d_above + o * n,
                     tap_weights);
        }
    }
}

static zm_status backward(void *stack, const double *parameters, const double *d_out,
                          double *d_parameters, double *d_in, zm_error *err)
{
    reference *r = stack;
    const zm_conv_shape *s = &r->shape;
    size_t at = zm_conv_parameters(s);
    double *above = r->derivative[0], *below = r->derivative[1];

    (void)err;
    memcpy(above, d_out, (size_t)s->channels[s->layers] * cells(r) * sizeof *above);
    for (int32_t l = s->layers - 1; l >= 0; l--) {
        double *done = above;

        at -= (size_t)s->channels[l + 1] * (ZM_CONV_TAPS * (size_t)s->channels[l] + 1);
        layer_backward(r, l, parameters + at, d_parameters + at, above, below);
        above = below;
        below = done;
    }
    if (d_in)
        memcpy(d_in, above, (size_t)s->channels[0] * cells(r) * sizeof *d_in);
    return ZM_OK;
}

const zm_conv_make zm_conv_reference = { create, destroy, forward, backward };

zm_status zm_net_product_f64(const zm_product *p, const double *a, const double *b,
                             double beta, double *c, zm_error *err)
{
    const size_t a_row = p->a_transposed ? 1 : p->k, a_col = p->a_transposed ? p->m : 1;
    const size_t b_row = p->b_transposed ? 1 : p->n, b_col = p->b_transposed ? p->k : 1;

    (void)err;
    for (size_t i = 0; i < p->m; i++)
        for (size_t j = 0; j < p->n; j++) {
            double sum = 0;

            for (size_t q = 0; q < p->k; q++)
                sum += a[i * a_row + q * a_col] * b[q * b_row + j * b_col];
            c[i * p->n + j] = sum + (beta != 0 ? beta * c[i * p->n + j] : 0);
        }
    return ZM_OK;
}
