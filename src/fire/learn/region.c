/* SPDX-License-Identifier: Apache-2.0
 * The convolutions on a part of the landscape, shared by all fires in it. */
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "fire/learn/field.h"

zm_area zm_region_area_grown(zm_area p, int32_t margin, const zm_terrain *ground)
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

/* First of a row of the window in a plane of the region. */
static size_t row_at(const zm_region *r, zm_area window, size_t plane, int32_t row)
{
    return plane * zm_area_cells(r->patch) +
           (size_t)(window.row + row - r->patch.row) * (size_t)r->patch.cols +
           (size_t)(window.col - r->patch.col);
}

zm_status zm_region_view(zm_region **out, const zm_region *region, zm_area window,
                         zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const size_t n_features = (size_t)zm_model_features(region->model);
    const size_t n = zm_area_cells(window) * n_features, cols = (size_t)window.cols;
    zm_region *r = zm_zalloc(&mem, 1, sizeof *r);
    double *to;

    *out = r;
    if (!r)
        return zm_fail(err, ZM_E_NOMEM, -1, "features of a fire");
    *r = (zm_region){ .model = region->model,
                      .ground = region->ground,
                      .patch = window };
    if (!n_features)
        return ZM_OK;
    r->features = zm_block(&mem, n, sizeof(double));
    r->d_features = zm_zalloc(&mem, n, sizeof(double));
    if (!r->features || !r->d_features) {
        zm_region_destroy(r);
        *out = NULL;
        return zm_fail(err, ZM_E_NOMEM, -1, "features of %zu cells", n);
    }
    to = r->features;
    for (size_t f = 0; f < n_features; f++)
        for (int32_t row = 0; row < window.rows; row++, to += cols)
            memcpy(to, region->features + row_at(region, window, f, row),
                   cols * sizeof *to);
    return ZM_OK;
}

void zm_region_gather(zm_region *region, const zm_region *view)
{
    const double *from = view->d_features;
    const size_t n_features = (size_t)zm_model_features(region->model);
    const size_t cols = (size_t)view->patch.cols;

    for (size_t f = 0; f < n_features; f++)
        for (int32_t row = 0; row < view->patch.rows; row++, from += cols) {
            double *to = region->d_features + row_at(region, view->patch, f, row);

            for (size_t c = 0; c < cols; c++)
                to[c] += from[c];
        }
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
