/* SPDX-License-Identifier: Apache-2.0
 * The perceptron's memory, whatever its make. */
#include "fire/learn/net/mlp.h"

#include "core/fail.h"
#include "core/memory.h"

size_t zm_mlp_parameters(const zm_mlp_shape *shape)
{
    size_t sum = 0;

    for (int32_t l = 0; l < shape->layers; l++)
        sum += (size_t)shape->widths[l + 1] * ((size_t)shape->widths[l] + 1);
    return sum;
}

static zm_status check_shape(const zm_mlp_shape *s, zm_error *err)
{
    enum { MOST_WIDTH = 4096 };

    if (s->layers < 1 || s->layers > ZM_MLP_MOST_LAYERS)
        return zm_fail(err, ZM_E_ARG, -1, "perceptron of %d layers, must be 1 to %d",
                       (int)s->layers, ZM_MLP_MOST_LAYERS);
    for (int32_t l = 0; l <= s->layers; l++)
        if (s->widths[l] < 1 || s->widths[l] > MOST_WIDTH)
            return zm_fail(err, ZM_E_ARG, -1,
                           "width %d after layer %d, must be 1 to %d",
                           (int)s->widths[l], (int)l, MOST_WIDTH);
    return ZM_OK;
}

static bool allocate(zm_mlp *mlp)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const zm_mlp_shape *s = &mlp->shape;
    const size_t size = mlp->make->value_size, parameters = zm_mlp_parameters(s);
    size_t widest = 0;

    for (int32_t l = 0; l <= s->layers; l++) {
        const size_t width = (size_t)s->widths[l];

        mlp->activation[l] = zm_block(&mem, mlp->most_rows * width, size);
        mlp->slope[l] = zm_block(&mem, mlp->most_rows * width, size);
        if (!mlp->activation[l] || !mlp->slope[l])
            return false;
        widest = width > widest ? width : widest;
    }
    mlp->derivative[0] = zm_block(&mem, mlp->most_rows * widest, size);
    mlp->derivative[1] = zm_block(&mem, mlp->most_rows * widest, size);
    mlp->parameters = zm_zalloc(&mem, parameters, size);
    mlp->d_layer = zm_block(&mem, parameters, size);
    return mlp->derivative[0] && mlp->derivative[1] && mlp->parameters && mlp->d_layer;
}

zm_status zm_mlp_create(zm_mlp **out, const zm_mlp_shape *shape, size_t most_rows,
                        zm_net_make make, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    zm_mlp *mlp;

    *out = NULL;
    ZM_TRY(check_shape(shape, err));
    if (!(mlp = zm_zalloc(&mem, 1, sizeof *mlp)))
        return zm_fail(err, ZM_E_NOMEM, -1, "perceptron");
    mlp->make = make == ZM_NET_REFERENCE ? &zm_mlp_f64 : &zm_mlp_f32;
    mlp->shape = *shape;
    mlp->most_rows = most_rows;
    if (!allocate(mlp)) {
        zm_mlp_destroy(mlp);
        return zm_fail(err, ZM_E_NOMEM, -1, "perceptron for %zu rows", most_rows);
    }
    *out = mlp;
    return ZM_OK;
}

void zm_mlp_destroy(zm_mlp *mlp)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    if (!mlp)
        return;
    for (int32_t l = 0; l <= ZM_MLP_MOST_LAYERS; l++) {
        zm_release(&mem, mlp->activation[l]);
        zm_release(&mem, mlp->slope[l]);
    }
    zm_release(&mem, mlp->derivative[0]);
    zm_release(&mem, mlp->derivative[1]);
    zm_release(&mem, mlp->parameters);
    zm_release(&mem, mlp->d_layer);
    zm_release(&mem, mlp);
}

void zm_mlp_load(zm_mlp *mlp, const double *parameters)
{
    mlp->make->load(mlp, parameters);
}

zm_status zm_mlp_forward(zm_mlp *mlp, size_t rows, const double *in, double *out,
                         zm_error *err)
{
    return mlp->make->forward(mlp, rows, in, out, err);
}

zm_status zm_mlp_backward(zm_mlp *mlp, size_t rows, const double *d_out,
                          double *d_parameters, double *d_in, zm_error *err)
{
    return mlp->make->backward(mlp, rows, d_out, d_parameters, d_in, err);
}
