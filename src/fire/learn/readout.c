/* SPDX-License-Identifier: Apache-2.0
 * Times of cells in which nothing burns, as an observer of burned areas sees them.
 *
 * A barrier slows the front that crosses it, but its rim is charred as soon as the front comes
 * to it: maps of real fires and FARSITE's both have such cells.  So a cell without fuel is given
 *
 *     min over its neighbours with fuel of  T_n + rim (T_n - T_before),
 *
 * T_before the earliest time around the neighbour, where that is before the front is through;
 * nothing that burns depends on it. */
#include <math.h>
#include <string.h>

#include "fire/learn/sample.h"

typedef struct reading {
    int32_t rows, cols;
    const float *T;
} reading;

static double earliest_around(const reading *r, int32_t row, int32_t col)
{
    double t = HUGE_VAL;

    for (int32_t i = row > 0 ? row - 1 : 0; i <= row + 1 && i < r->rows; i++)
        for (int32_t j = col > 0 ? col - 1 : 0; j <= col + 1 && j < r->cols; j++)
            t = fmin(t, (double)r->T[(size_t)i * (size_t)r->cols + (size_t)j]);
    return t;
}

static float rim_time(const reading *r, const zm_terrain *ground, zm_area area,
                      int32_t row, int32_t col, double rim)
{
    double best = (double)r->T[(size_t)row * (size_t)r->cols + (size_t)col];

    for (int32_t i = row > 0 ? row - 1 : 0; i <= row + 1 && i < r->rows; i++)
        for (int32_t j = col > 0 ? col - 1 : 0; j <= col + 1 && j < r->cols; j++) {
            const size_t at =
                (size_t)(area.row + i) * (size_t)ground->cols + (size_t)(area.col + j);
            const double t = (double)r->T[(size_t)i * (size_t)r->cols + (size_t)j];

            if (ground->burnable[at] > 0 && t < best)
                best = fmin(best, t + rim * (t - earliest_around(r, i, j)));
        }
    return (float)best;
}

void zm_sample_readout(const zm_terrain *ground, zm_area area, double rim,
                       const float *T, float *out)
{
    const reading r = { area.rows, area.cols, T };

    for (int32_t row = 0; row < area.rows; row++)
        for (int32_t col = 0; col < area.cols; col++) {
            const size_t i = (size_t)row * (size_t)area.cols + (size_t)col;
            const size_t at = (size_t)(area.row + row) * (size_t)ground->cols +
                              (size_t)(area.col + col);

            out[i] = ground->burnable[at] > 0
                         ? T[i]
                         : rim_time(&r, ground, area, row, col, rim);
        }
}

void zm_model_readout(const zm_model *model, const zm_terrain *ground, zm_area area,
                      const float *T, float *out)
{
    if (model->form == ZM_MODEL_PHYSICS)
        memcpy(out, T, zm_area_cells(area) * sizeof *out);
    else
        zm_sample_readout(ground, area, model->rim, T, out);
}
