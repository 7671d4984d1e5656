/* SPDX-License-Identifier: Apache-2.0
 * From a model to the metric of a fire's window, hour by hour, and back: derivatives with respect
 * to the metric become derivatives with respect to the parameters. */
#ifndef ZM_LEARN_FIELD_H
#define ZM_LEARN_FIELD_H

#include "fire/learn/burn.h"
#include "fire/learn/model.h"

/** A rectangle of a landscape. */
typedef struct zm_area {
    int32_t row, col, rows, cols;
} zm_area;

static inline size_t zm_area_cells(zm_area p)
{
    return (size_t)p.rows * (size_t)p.cols;
}

/** The patch and `margin` cells around it, as far as there is land. */
zm_area zm_region_area_grown(zm_area patch, int32_t margin, const zm_terrain *ground);

/** What the convolutions say of a part of the landscape. */
typedef struct zm_region {
    const zm_model *model;
    const zm_terrain *ground;
    zm_area patch;
    zm_conv *conv;      /**< NULL: the model has no convolutions */
    double *in;         /**< channels of the ground */
    double *features;   /**< planes of the patch */
    double *d_features; /**< dL/d(features), gathered from all fires */
} zm_region;

zm_status zm_region_create(zm_region **out, const zm_model *model,
                           const zm_terrain *ground, zm_area patch, zm_net_make make,
                           zm_error *err);
void zm_region_destroy(zm_region *region);

/** What a fire sees of a region: a copy of the features in its window, and derivatives of
 *  its own.  It has no convolutions. */
zm_status zm_region_view(zm_region **out, const zm_region *region, zm_area window,
                         zm_error *err);
/** Adds the derivatives of a view to those of its region. */
void zm_region_gather(zm_region *region, const zm_region *view);

/** Runs the convolutions; d_features becomes 0. */
zm_status zm_region_forward(zm_region *region, const double *parameters, zm_error *err);

/** Adds dL/d(parameters of the trunk), from d_features. */
zm_status zm_region_backward(zm_region *region, const double *parameters,
                             double *d_parameters, zm_error *err);

/** The metric of one fire in its window, which lies inside the region. */
typedef struct zm_field {
    const zm_model *model;
    const double *parameters; /**< of the model */
    zm_region *region;
    zm_area window;
    const zm_hour *hours;
    zm_mlp *head; /**< parameters loaded; borrowed */
    double *rows_in, *rows_out, *rows_d_in, *rows_d_out; /**< ZM_FIELD_ROWS each */
    double *planes[10]; /**< paper: unprojected values and derivatives of the window */
    double base[ZM_OUT_PAPER]; /**< paper: G0, b0 */
    int32_t base_hour;
} zm_field;

enum { ZM_FIELD_ROWS = 512 };

zm_status zm_field_create(zm_field **out, zm_region *region, zm_area window,
                          const zm_hour *hours, const double *parameters, zm_mlp *head,
                          zm_error *err);
void zm_field_destroy(zm_field *field);

/** Number of a window's cell in the landscape, and in the region. */
size_t zm_field_ground(const zm_field *field, int32_t cell);
size_t zm_field_region(const zm_field *field, int32_t cell);

/** What the head is told of a cell in an hour. */
void zm_field_row(const zm_field *field, int32_t cell, size_t hour, double *row);

/** Adds dL/d(parameters) of the head and region->d_features, from rows_d_out of n <=
 *  ZM_FIELD_ROWS cells whose rows went forward last. */
zm_status zm_field_rows_backward(zm_field *field, const int32_t *cells, size_t n,
                                 double *d_parameters, zm_error *err);

/** zm_burn_fill for a field as ctx. */
zm_status zm_field_fill(void *field, size_t hour, const int32_t *cells, size_t n,
                        const zm_burn_planes *planes, zm_error *err);

/** Adds dL/d(parameters) of head and extras, and region->d_features, from the derivatives
 *  with respect to the metric of each cell in its hour. */
zm_status zm_field_backward(zm_field *field, const zm_burn *front, double *d_parameters,
                            zm_error *err);

/** Widest rows the head takes and gives. */
zm_status zm_field_head_create(zm_mlp **out, const zm_model *model, zm_net_make make,
                               zm_error *err);

#endif
