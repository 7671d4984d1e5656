/* SPDX-License-Identifier: Apache-2.0
 * Cells that cannot burn but that the fire closes over.
 *
 * FARSITE's front is a polygon with a point every two cells: it cuts across what juts into it.
 * A cell is inside once n of its eight neighbours burn that stand in a row around it, or two
 * of its sides that meet and the corner between them. */
#include "fire/front/enclosed.h"

#include <math.h>

#include "core/fail.h"

/* Side, corner, side. */
enum { CORNER = 3 };

static bool burns_never(const zm_physics *p, int32_t row, int32_t col)
{
    return !p->beds[zm_fuel_at(p, row, col)].burns;
}

/* The eight neighbours around a cell: even ones at its corners, odd ones at its sides. */
static const int32_t RING[8][2] = { { -1, -1 }, { -1, 0 }, { -1, 1 }, { 0, 1 },
                                    { 1, 1 },   { 1, 0 },  { 1, -1 }, { 0, -1 } };

static double time_at(const zm_physics *p, const double *T, int32_t row, int32_t col,
                      size_t *cell)
{
    if (row < 0 || col < 0 || row >= p->land.rows || col >= p->land.cols)
        return INFINITY;
    *cell = zm_cell_number(p, row, col);
    return T[*cell];
}

/* The neighbour with which the first row of burned neighbours becomes complete, or false. */
static bool closing_neighbour(const zm_physics *p, const double *T, int32_t row,
                              int32_t col, size_t *out)
{
    size_t cells[8] = { 0 };
    double times[8], first = INFINITY;

    for (int i = 0; i < 8; i++)
        times[i] = time_at(p, T, row + RING[i][0], col + RING[i][1], &cells[i]);
    for (int start = 0; start < 8; start++) {
        const int n =
            start % 2 && p->opts.enclosed > CORNER ? CORNER : p->opts.enclosed;
        int last = start;

        for (int i = start + 1; i < start + n; i++)
            if (times[i % 8] > times[last % 8])
                last = i;
        if (times[last % 8] < first) {
            first = times[last % 8];
            *out = cells[last % 8];
        }
    }
    return first < INFINITY;
}

/* Notes them in p->enclosed, or counts them where that is NULL. */
static size_t find(const zm_physics *p, const double *T, zm_enclosed *out)
{
    size_t n = 0, neighbour;

    for (int32_t row = 0; row < p->land.rows; row++)
        for (int32_t col = 0; col < p->land.cols; col++) {
            const size_t cell = zm_cell_number(p, row, col);

            if (T[cell] < INFINITY || !burns_never(p, row, col) ||
                !closing_neighbour(p, T, row, col, &neighbour))
                continue;
            if (out)
                out[n] = (zm_enclosed){ cell, neighbour };
            n++;
        }
    return n;
}

zm_status zm_arrival_enclosed_times(zm_physics *p, double *T, zm_error *err)
{
    const size_t n = p->opts.enclosed > 0 ? find(p, T, NULL) : 0;

    zm_release(&p->mem, p->enclosed);
    p->enclosed = NULL;
    p->n_enclosed = 0;
    if (n == 0)
        return ZM_OK;
    p->enclosed = zm_block(&p->mem, n, sizeof *p->enclosed);
    if (!p->enclosed)
        return zm_fail(err, ZM_E_NOMEM, -1, "%zu cells that do not burn", n);
    p->n_enclosed = find(p, T, p->enclosed);
    for (size_t i = 0; i < n; i++)
        T[p->enclosed[i].cell] = T[p->enclosed[i].neighbour];
    return ZM_OK;
}
