/* SPDX-License-Identifier: Apache-2.0
 * Rows of the head: what it is told of a cell in an hour, and where the derivatives go. */
#include "fire/learn/field.h"

size_t zm_field_ground(const zm_field *f, int32_t cell)
{
    const int32_t row = f->window.row + cell / f->window.cols;
    const int32_t col = f->window.col + cell % f->window.cols;

    return (size_t)row * (size_t)f->region->ground->cols + (size_t)col;
}

size_t zm_field_region(const zm_field *f, int32_t cell)
{
    const zm_area *p = &f->region->patch;
    const int32_t row = f->window.row - p->row + cell / f->window.cols;
    const int32_t col = f->window.col - p->col + cell % f->window.cols;

    return (size_t)row * (size_t)p->cols + (size_t)col;
}

void zm_field_row(const zm_field *f, int32_t cell, size_t hour, double *row)
{
    const zm_model *m = f->model;
    const zm_terrain *g = f->region->ground;
    const zm_hour *h = &f->hours[hour];
    const size_t at = zm_field_ground(f, cell), in_region = zm_field_region(f, cell);
    const size_t n = zm_area_cells(f->region->patch);
    double joint[ZM_CH_END - ZM_CH_HOUR_END];

    for (int32_t c = 0; c < m->n_ground; c++)
        *row++ = (double)g->planes[m->ground[c]][at];
    for (int32_t c = 0; c < m->n_hour; c++)
        *row++ = (double)h->channels[m->hour[c]];
    if (m->n_joint)
        zm_learn_joint_channels(g, at, h, joint);
    for (int32_t c = 0; c < m->n_joint; c++)
        *row++ = joint[m->joint[c] - ZM_CH_HOUR_END];
    for (int32_t c = 0; c < zm_model_features(m); c++)
        *row++ = f->region->features[(size_t)c * n + in_region];
}

zm_status zm_field_rows_backward(zm_field *f, const int32_t *cells, size_t n,
                                 double *d_parameters, zm_error *err)
{
    const size_t width = (size_t)f->model->head.widths[0],
                 n_features = (size_t)zm_model_features(f->model);
    const size_t n_region = zm_area_cells(f->region->patch);
    const zm_status st = zm_mlp_backward(f->head, n, f->rows_d_out,
                                         d_parameters + zm_model_head_at(f->model),
                                         n_features ? f->rows_d_in : NULL, err);

    for (size_t i = 0; st >= 0 && i < n && n_features; i++) {
        const double *d = f->rows_d_in + (i + 1) * width - n_features;

        for (size_t c = 0; c < n_features; c++)
            f->region->d_features[c * n_region + zm_field_region(f, cells[i])] += d[c];
    }
    return st;
}
