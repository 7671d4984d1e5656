/* SPDX-License-Identifier: Apache-2.0
 * A stack of 3 x 3 convolutions on one grid, with bias, ReLU between the layers and zero
 * padding, its derivatives, and products of matrices.
 *
 *     a_0 = input,   a_l = relu(W_l * a_{l-1} + c_l)  (no relu in the last layer)
 *
 * Two makes of the same thing: oneDNN in float32 (conv.c and conv_dnnl.c) and
 * plain loops in float64 (conv_reference.c), with which every derivative can be checked. */
#ifndef ZM_NET_CONV_H
#define ZM_NET_CONV_H

#include <stddef.h>
#include <stdint.h>

#include "zermelo/status.h"

typedef enum zm_net_make {
    ZM_NET_FAST = 0,     /**< oneDNN, float32 inside */
    ZM_NET_REFERENCE = 1 /**< plain loops, float64 */
} zm_net_make;

enum { ZM_CONV_MOST_LAYERS = 16, ZM_CONV_TAPS = 9 };

/** channels[0] goes in, channels[layers] comes out. */
typedef struct zm_conv_shape {
    int32_t rows, cols, layers;
    int32_t channels[ZM_CONV_MOST_LAYERS + 1];
} zm_conv_shape;

/** One thread at a time per stack. */
typedef struct zm_conv zm_conv;

/** Parameters of a stack: for each layer W[out][in][3][3], then c[out]. */
size_t zm_conv_parameters(const zm_conv_shape *shape);

/** @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM, ZM_E_UNSUPPORTED (oneDNN refuses) */
zm_status zm_conv_create(zm_conv **out, const zm_conv_shape *shape, zm_net_make make,
                         zm_error *err);
void zm_conv_destroy(zm_conv *conv);

/**
 * @param parameters in   zm_conv_parameters values
 * @param in         in   channels[0] planes of rows*cols values
 * @param out        out  channels[layers] planes
 */
zm_status zm_conv_forward(zm_conv *conv, const double *parameters, const double *in,
                          double *out, zm_error *err);

/**
 * Derivatives at the last zm_conv_forward, with the same parameters.
 *
 * @param d_out        in      dL/d(out)
 * @param d_parameters in,out  dL/d(parameters) is added
 * @param d_in         out     dL/d(in), or NULL
 */
zm_status zm_conv_backward(zm_conv *conv, const double *parameters, const double *d_out,
                           double *d_parameters, double *d_in, zm_error *err);

/** One make of a stack: what zm_conv is made of. */
typedef struct zm_conv_make {
    zm_status (*create)(void **out, const zm_conv_shape *shape, zm_error *err);
    void (*destroy)(void *stack);
    zm_status (*forward)(void *stack, const double *parameters, const double *in,
                         double *out, zm_error *err);
    zm_status (*backward)(void *stack, const double *parameters, const double *d_out,
                          double *d_parameters, double *d_in, zm_error *err);
} zm_conv_make;

extern const zm_conv_make zm_conv_fast, zm_conv_reference;

/** C = A' B + beta C or the like, row-major: C is m x n, op(A) m x k, op(B) k x n; a
 *  non-zero flag means that the matrix is stored transposed. */
typedef struct zm_product {
    int a_transposed, b_transposed;
    size_t m, n, k;
} zm_product;

zm_status zm_net_product_f32(const zm_product *p, const float *a, const float *b,
                             float beta, float *c, zm_error *err);
zm_status zm_net_product_f64(const zm_product *p, const double *a, const double *b,
                             double beta, double *c, zm_error *err);

#endif
