/* SPDX-License-Identifier: Apache-2.0
 * A multilayer perceptron applied to many rows, with its derivatives.
 *
 *     a_0 = row,   a_l = s(W_l a_{l-1} + c_l),   s(x) = (x + sqrt(x^2 + 1)) / 2
 *
 * and no s in the last layer.  s is a smooth ReLU that costs a square root. */
#ifndef ZM_NET_MLP_H
#define ZM_NET_MLP_H

#include "fire/learn/net/conv.h"

enum { ZM_MLP_MOST_LAYERS = 8 };

/** widths[0] numbers go in, widths[layers] come out. */
typedef struct zm_mlp_shape {
    int32_t layers;
    int32_t widths[ZM_MLP_MOST_LAYERS + 1];
} zm_mlp_shape;

/** One thread at a time. */
typedef struct zm_mlp zm_mlp;

/** Parameters: for each layer W[out][in], then c[out]. */
size_t zm_mlp_parameters(const zm_mlp_shape *shape);

/** @param most_rows in  most rows in one call */
zm_status zm_mlp_create(zm_mlp **out, const zm_mlp_shape *shape, size_t most_rows,
                        zm_net_make make, zm_error *err);
void zm_mlp_destroy(zm_mlp *mlp);

/** Takes parameters for all calls to come, until others are loaded. */
void zm_mlp_load(zm_mlp *mlp, const double *parameters);

/** in: rows x widths[0], out: rows x widths[layers], rows <= most_rows. */
zm_status zm_mlp_forward(zm_mlp *mlp, size_t rows, const double *in, double *out,
                         zm_error *err);

/** Derivatives at the last zm_mlp_forward.  dL/d(parameters) is added; d_in: dL/d(in), or
 *  NULL. */
zm_status zm_mlp_backward(zm_mlp *mlp, size_t rows, const double *d_out,
                          double *d_parameters, double *d_in, zm_error *err);

/** One make of it. */
typedef struct zm_mlp_make {
    size_t value_size;
    void (*load)(zm_mlp *mlp, const double *parameters);
    zm_status (*forward)(zm_mlp *mlp, size_t rows, const double *in, double *out,
                         zm_error *err);
    zm_status (*backward)(zm_mlp *mlp, size_t rows, const double *d_out,
                          double *d_parameters, double *d_in, zm_error *err);
} zm_mlp_make;

extern const zm_mlp_make zm_mlp_f32, zm_mlp_f64;

/** Arrays are of the make's number type. */
struct zm_mlp {
    const zm_mlp_make *make;
    zm_mlp_shape shape;
    size_t most_rows;
    void *parameters;
    void *d_layer;                            /**< dL/d(W, c) of one layer */
    void *activation[ZM_MLP_MOST_LAYERS + 1]; /**< a_l, rows x widths[l] */
    void *slope[ZM_MLP_MOST_LAYERS + 1];      /**< s' in a_l */
    void *derivative[2];                      /**< dL/da above and below */
};

#endif
