/* SPDX-License-Identifier: Apache-2.0
 * Exact checks of the cells of a block. */
#include <math.h>

#include "core/fail.h"
#include "eikonal/blocks/solve.h"

zm_status zm_blocks_check(const zm_blocks_run *run, int32_t block, zm_error *err)
{
    const zm_solver *s = run->s;
    const int32_t r0 = block / run->g.blocks_across * ZM_BLOCK,
                  c0 = block % run->g.blocks_across * ZM_BLOCK;
    const double largest =
        run->s->dtype == ZM_F32 ? ZM_BLOCKS_LARGEST_F32 : ZM_BLOCKS_LARGEST_F64;

    for (int32_t r = r0; r < r0 + ZM_BLOCK && r < s->grid.rows; r++)
        for (int32_t c = c0; c < c0 + ZM_BLOCK && c < s->grid.cols; c++) {
            const size_t cell = (size_t)r * (size_t)s->grid.cols + (size_t)c;
            const zm_cell_metric v = zm_metric_at(&run->of->problem->metric, cell);

            if (run->of->problem->walls && run->of->problem->walls[cell])
                continue;
            ZM_TRY(zm_cell_check(s->grid, v, cell, err));
            const double x = v.g11 * run->g.scale[0], y = v.g22 * run->g.scale[2];

            if (!(fmin(x, y) > 1 / largest && fmax(x, y) < largest))
                return zm_fail(
                    err, ZM_E_METRIC, (int64_t)cell,
                    "metric at row %d, col %d (g11 = %g, g22 = %g, spacing %g, %g) "
                    "is %.0e times off that of the first source or more: use "
                    "walls for cells that nothing should cross",
                    (int)r, (int)c, v.g11, v.g22, s->grid.dx, s->grid.dy, largest);
        }
    return ZM_OK;
}

static uint32_t lines_mask(int32_t lines)
{
    return lines < ZM_BLOCK ? ((uint32_t)1 << lines) - 1 : ~(uint32_t)0;
}

/* Whether sweeps have looked at every row or at every column of a block, and so at all of
 * its cells. */
static bool block_seen(const zm_blocks_run *run, int32_t block)
{
    const zm_blocks_block *t = &run->g.blocks[block];
    const int32_t row = block / run->g.blocks_across * ZM_BLOCK,
                  col = block % run->g.blocks_across * ZM_BLOCK;
    const uint32_t rows = lines_mask(run->g.rows - row),
                   cols = lines_mask(run->g.cols - col);

    return (t->known[0] & rows) == rows || (t->known[1] & cols) == cols;
}

zm_status zm_blocks_check_unseen(const zm_blocks_run *run, zm_error *err)
{
    if (run->of->opts->t_max < HUGE_VAL)
        return ZM_OK;
    for (int32_t block = 0; block < run->g.blocks_down * run->g.blocks_across; block++)
        if (!block_seen(run, block))
            ZM_TRY(zm_blocks_check(run, block, err));
    return ZM_OK;
}
