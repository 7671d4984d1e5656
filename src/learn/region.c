/* SPDX-License-Identifier: Apache-2.0
 * The convolutions on a part of the landscape, shared by all fires in it. */
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "learn/field.h"

zm_area zm_area_grown(zm_area p, int32_t margin, const zm_terrain *ground)
{
    const int32_t row_end = p.row + p.rows + margin, col_end = p.col + p.cols + margin;
    zm_area q = { p.row > margin ? p.row - margin : 0,
                  p.col > margin ? p.col - margin : 0, 0, 0 };

    q.rows = (row_end < ground->rows ? row_end : ground->rows) - q.row;
    q.cols = (col_end < ground->cols ? col_end : ground->cols) - q.col;
    return q;
}

void zm_region_destroy(zm_region *region)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    if (!region)
        return;
    zm_conv_destroy(region->conv);
    zm_release(&mem, region->in);
    zm_release(&mem, region->features);
    zm_release(&mem, region->d_features);
    zm_release(&mem, region);
}

static void gather_channels(zm_region *r)
{
    const zm_terrain *g = r->ground;
    double *to = r->in;

    for (int32_t c = 0; c < r->model->n_trunk; c++)
        for (int32_t row = 0; row < r->patch.rows; row++) {
            const float *from = g->planes[r->model->trunk_channels[c]] +
                                (size_t)(r->patch.row + row) * (size_t)g->cols +
                                (size_t)r->patch.col;

            for (int32_t col = 0; col < r->patch.cols; col++)
                *to++ = (double)from[col];
        }
}

zm_status zm_region_create(zm_region **out, const zm_model *model,
                           const zm_terrain *ground, zm_area patch, zm_net_make make,
                           zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const size_t n = zm_area_cells(patch);
    const size_t n_features = (size_t)zm_model_features(model);
    zm_conv_shape shape = model->trunk;
    zm_region *r = zm_zalloc(&mem, 1, sizeof *r);
    zm_status st;

    *out = NULL;
    if (!r)
        return zm_fail(err, ZM_E_NOMEM, -1, "region of the landscape");
    *r = (zm_region){ .model = model, .ground = ground, .patch = patch };
    *out = r;
    if (!n_features)
        return ZM_OK;
    shape.rows = patch.rows;
    shape.cols = patch.cols;
    r->in = zm_block(&mem, n * (size_t)model->n_trunk, sizeof(double));
    r->features = zm_block(&mem, n * n_features, sizeof(double));
    r->d_features = zm_block(&mem, n * n_features, sizeof(double));
    st = r->in && r->features && r->d_features
             ? zm_conv_create(&r->conv, &shape, make, err)
             : zm_fail(err, ZM_E_NOMEM, -1, "features of %zu cells", n);
    if (st < 0) {
        zm_region_destroy(r);
        *out = NULL;
        return st;
    }
    gather_channels(r);
    return ZM_OK;
}

zm_status zm_region_forward(zm_region *region, const double *parameters, zm_error *err)
{
    const size_t n =
        zm_area_cells(region->patch) * (size_t)zm_model_features(region->model);

    if (!region->conv)
        return ZM_OK;
    memset(region->d_features, 0, n * sizeof *region->d_features);
    return zm_conv_forward(region->conv, parameters, region->in, region->features, err);
}

zm_status zm_region_backward(zm_region *region, const double *parameters,
                             double *d_parameters, zm_error *err)
{
    if (!region->conv)
        return ZM_OK;
    return zm_conv_backward(region->conv, parameters, region->d_features, d_parameters,
                            NULL, err);
}
