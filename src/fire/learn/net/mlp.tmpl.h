/* SPDX-License-Identifier: Apache-2.0
 * The perceptron for one number type: define `real`, PRODUCT, MAKE first. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "fire/learn/net/mlp.h"

static void load(zm_mlp *mlp, const double *parameters)
{
    real *to = mlp->parameters;

    for (size_t i = 0; i < zm_mlp_parameters(&mlp->shape); i++)
        to[i] = (real)parameters[i];
}

/* a = s(a + c), slope = s'(a + c), row by row. */
static void activate(size_t rows, size_t width, const real *restrict c,
                     real *restrict a, real *restrict slope)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < width; j++) {
            const real x = a[i * width + j] + c[j];
            const real root = SQRT(x * x + 1);

            a[i * width + j] = (x + root) / 2;
            slope[i * width + j] = (1 + x / root) / 2;
        }
}

static zm_status forward(zm_mlp *mlp, size_t rows, const double *in, double *out,
                         zm_error *err)
{
    const zm_mlp_shape *s = &mlp->shape;
    const real *w = mlp->parameters;
    const size_t n_out = (size_t)s->widths[s->layers];
    real *first = mlp->activation[0], *last = mlp->activation[s->layers];

    for (size_t i = 0; i < rows * (size_t)s->widths[0]; i++)
        first[i] = (real)in[i];
    for (int32_t l = 0; l < s->layers; l++) {
        const size_t k = (size_t)s->widths[l], m = (size_t)s->widths[l + 1];
        const zm_product p = { .b_transposed = 1, .m = rows, .n = m, .k = k };
        const zm_status st =
            PRODUCT(&p, mlp->activation[l], w, 0, mlp->activation[l + 1], err);

        if (st < 0)
            return st;
        if (l + 1 < s->layers)
            activate(rows, m, w + m * k, mlp->activation[l + 1], mlp->slope[l + 1]);
        w += m * (k + 1);
    }
    w -= n_out; /* back to the bias of the last layer */
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n_out; j++)
            out[i * n_out + j] = (double)(last[i * n_out + j] + w[j]);
    return ZM_OK;
}

/* dL/d(W, c) of layer l, added to d_parameters. */
static zm_status add_layer(zm_mlp *mlp, size_t rows, int32_t l, const real *d_above,
                           double *d_parameters, zm_error *err)
{
    const size_t k = (size_t)mlp->shape.widths[l];
    const size_t m = (size_t)mlp->shape.widths[l + 1];
    const zm_product p = { .a_transposed = 1, .m = m, .n = k, .k = rows };
    real *d = mlp->d_layer, *d_bias = d + m * k;
    const zm_status st = PRODUCT(&p, d_above, mlp->activation[l], 0, d, err);

    if (st < 0)
        return st;
    memset(d_bias, 0, m * sizeof *d_bias);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < m; j++)
            d_bias[j] += d_above[i * m + j];
    for (size_t i = 0; i < m * (k + 1); i++)
        d_parameters[i] += (double)d[i];
    return ZM_OK;
}

static zm_status backward(zm_mlp *mlp, size_t rows, const double *d_out,
                          double *d_parameters, double *d_in, zm_error *err)
{
    const zm_mlp_shape *s = &mlp->shape;
    size_t at = zm_mlp_parameters(s);
    real *above = mlp->derivative[0], *below = mlp->derivative[1];
    zm_status st;

    for (size_t i = 0; i < rows * (size_t)s->widths[s->layers]; i++)
        above[i] = (real)d_out[i];
    for (int32_t l = s->layers - 1; l >= 0; l--) {
        const size_t k = (size_t)s->widths[l], m = (size_t)s->widths[l + 1];
        const zm_product p = { .m = rows, .n = k, .k = m };
        const real *slope = mlp->slope[l];
        real *done = above;

        at -= m * (k + 1);
        if ((st = add_layer(mlp, rows, l, above, d_parameters + at, err)) < 0)
            return st;
        if (l == 0 && !d_in)
            return ZM_OK;
        st = PRODUCT(&p, above, (const real *)mlp->parameters + at, 0, below, err);
        if (st < 0)
            return st;
        for (size_t i = 0; l > 0 && i < rows * k; i++)
            below[i] *= slope[i];
        above = below;
        below = done;
    }
    for (size_t i = 0; i < rows * (size_t)s->widths[0]; i++)
        d_in[i] = (double)above[i];
    return ZM_OK;
}

const zm_mlp_make MAKE = { sizeof(real), load, forward, backward };
