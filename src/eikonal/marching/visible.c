/* SPDX-License-Identifier: Apache-2.0
 * Whether a wall stands between two cells. */
#include "eikonal/marching/visible.h"

#include <stdlib.h>

static bool wall_at(const zm_march *m, int32_t row, int32_t col, int32_t dx, int32_t dy)
{
    size_t cell;

    return zm_march_neighbour(m, row, col, dx, dy, &cell) &&
           m->kind[cell] & ZM_MARCH_WALL;
}

bool zm_march_visible(const zm_march *m, int32_t row, int32_t col, zm_local_offset o)
{
    const int32_t across = abs(o.x), down = abs(o.y);
    const int32_t sx = o.x > 0 ? 1 : -1, sy = o.y > 0 ? 1 : -1;
    int32_t i = 0, j = 0; /* cells gone along x and y */

    while (i < across || j < down) {
        /* sign of (time of the next crossing in x) - (that in y): both at the half */
        const int32_t e = (2 * i + 1) * down - (2 * j + 1) * across;

        if (e == 0 && wall_at(m, row, col, (i + 1) * sx, j * sy) &&
            wall_at(m, row, col, i * sx, (j + 1) * sy))
            return false;
        i += e <= 0;
        j += e >= 0;
        if (wall_at(m, row, col, i * sx, j * sy))
            return false;
    }
    return true;
}

bool zm_march_corner_blocked(const zm_march *m, int32_t row, int32_t col)
{
    const bool east = wall_at(m, row, col, 1, 0);
    const bool west = wall_at(m, row, col, -1, 0);

    return (east || west) &&
           (wall_at(m, row, col, 0, 1) || wall_at(m, row, col, 0, -1));
}
