/* SPDX-License-Identifier: Apache-2.0
 * Cells that cannot burn but that the fire closes over.
 *
 * FARSITE's front is a polygon: a road of one cell is inside it once both sides burn.  Such a
 * cell has the time at which the n-th of its eight neighbours burned. */
#include "physics/enclosed.h"

#include <math.h>

#include "core/fail.h"

static bool burns_never(const zm_physics *p, int32_t row, int32_t col)
{
    return !p->beds[zm_fuel_at(p, row, col)].burns;
}

/* The neighbour whose time is the n-th smallest, or false if fewer were reached. */
static bool nth_neighbour(const zm_physics *p, const double *T, int32_t row,
                          int32_t col, size_t *out)
{
    const int n = p->opts.enclosed;
    size_t by_time[8];
    int count = 0;

    for (int32_t r = row - 1; r <= row + 1; r++)
        for (int32_t c = col - 1; c <= col + 1; c++) {
            const bool inside =
                r >= 0 && c >= 0 && r < p->land.rows && c < p->land.cols;
            const size_t i = inside ? zm_cell_number(p, r, c) : 0;
            int at = count;

            if (!inside || (r == row && c == col) || !(T[i] < INFINITY))
                continue;
            for (; at > 0 && T[i] < T[by_time[at - 1]]; at--)
                by_time[at] = by_time[at - 1];
            by_time[at] = i;
            count++;
        }
    if (count < n)
        return false;
    *out = by_time[n - 1];
    return true;
}

/* Notes them in p->enclosed, or counts them where that is NULL. */
static size_t find(const zm_physics *p, const double *T, zm_enclosed *out)
{
    size_t n = 0, neighbour;

    for (int32_t row = 0; row < p->land.rows; row++)
        for (int32_t col = 0; col < p->land.cols; col++) {
            const size_t cell = zm_cell_number(p, row, col);

            if (T[cell] < INFINITY || !burns_never(p, row, col) ||
                !nth_neighbour(p, T, row, col, &neighbour))
                continue;
            if (out)
                out[n] = (zm_enclosed){ cell, neighbour };
            n++;
        }
    return n;
}

zm_status zm_enclosed_times(zm_physics *p, double *T, zm_error *err)
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
