/* SPDX-License-Identifier: Apache-2.0
 * Barriers: cells that no front enters from a time on. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "fire/front/model.h"

/* A corner of the block burns with its middle unless it is a barrier, or the two cells between
 * are. */
static bool is_parted(const zm_physics *p, int32_t row, int32_t col)
{
    const int32_t r = p->fire.row, c = p->fire.col;

    return zm_front_barred(p, zm_cell_number(p, row, col), 0) ||
           (row != r && col != c && zm_front_barred(p, zm_cell_number(p, r, col), 0) &&
            zm_front_barred(p, zm_cell_number(p, row, c), 0));
}

void zm_front_clear_ignition(const zm_physics *p, double *plane)
{
    int32_t block[9];
    const int n =
        zm_ignition_block(p->land.rows, p->land.cols, p->fire.row, p->fire.col, block);

    for (int i = 0; i < n; i++)
        if (!is_parted(p, block[i] / p->land.cols, block[i] % p->land.cols))
            plane[block[i]] = 0;
}

zm_status zm_front_ignition_check(const zm_physics *p, zm_error *err)
{
    const int32_t row = p->fire.row, col = p->fire.col;

    if (row < 0)
        return zm_fail(err, ZM_E_SOURCE, -1, "the ignition is not known: give sources");
    if (zm_front_barred(p, zm_cell_number(p, row, col), 0))
        return zm_fail(err, ZM_E_SOURCE, (int64_t)zm_cell_number(p, row, col),
                       "the ignition at row %d, column %d lies in a barrier", (int)row,
                       (int)col);
    return ZM_OK;
}

zm_status zm_front_sources_outside_barriers(const zm_physics *p,
                                            const zm_source *sources, size_t n_sources,
                                            zm_source **out, size_t *n, zm_error *err)
{
    zm_source *kept;
    zm_status st;

    *out = NULL;
    *n = 0;
    if (n_sources == 0)
        return zm_front_sources_check(p, sources, 0, err);
    kept = zm_block(&p->mem, n_sources, sizeof *kept);
    if (!kept)
        return zm_fail(err, ZM_E_NOMEM, -1, "%zu sources", n_sources);
    memcpy(kept, sources, n_sources * sizeof *kept);
    /* what was copied is checked: the caller's may change */
    st = zm_front_sources_check(p, kept, n_sources, err);
    for (size_t i = 0; st >= 0 && i < n_sources; i++)
        if (!zm_front_barred(p, zm_cell_number(p, (int32_t)kept[i].row, (int32_t)kept[i].col),
                             kept[i].time))
            kept[(*n)++] = kept[i];
    if (st >= 0 && *n == 0)
        st = zm_fail(err, ZM_E_SOURCE, -1, "all of %zu sources lie in barriers",
                     n_sources);
    if (st < 0)
        zm_release(&p->mem, kept);
    else
        *out = kept;
    return st;
}

size_t zm_front_barriers_close(const zm_physics *p, const double *T, uint8_t *walls)
{
    const size_t n = (size_t)p->land.rows * (size_t)p->land.cols;
    const double *from = p->params.barrier;
    size_t closed = 0;

    for (size_t i = 0; from && i < n; i++)
        if (from[i] <= p->t_max && T[i] >= from[i] && !walls[i]) {
            walls[i] = 1;
            closed++;
        }
    return closed;
}

double zm_front_next_barrier(const zm_physics *p, double time)
{
    const size_t n = (size_t)p->land.rows * (size_t)p->land.cols;
    double next = INFINITY;

    for (size_t i = 0; p->params.barrier && i < n; i++)
        if (p->params.barrier[i] > time)
            next = fmin(next, p->params.barrier[i]);
    return next;
}
