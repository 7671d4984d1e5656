/* SPDX-License-Identifier: Apache-2.0
 * The stencils of a solved problem: who gave to whom, and how much. */
#include <stdatomic.h>
#include <string.h>

#include "core/parallel.h"
#include "eikonal/problem/problem.h"
#include "eikonal/solver.h"

typedef struct stencil_run {
    const zm_solver *s;
    zm_lane *lanes;
    zm_record *record;
    const zm_tiling *g;
    const zm_tile *tiles; /* or NULL */
    atomic_int next;      /* row of tiles */
} stencil_run;

/* Nothing came to this tile. */
static void tile_unreached(const stencil_run *run, int32_t tile)
{
    const size_t cols = (size_t)run->g->cols, real_size = zm_dtype_size(run->s->dtype);
    const size_t row = (size_t)(tile / run->g->tiles_x) * ZM_TILE;
    const size_t col = (size_t)(tile % run->g->tiles_x) * ZM_TILE;
    const size_t n = cols - col < ZM_TILE ? cols - col : ZM_TILE;

    for (size_t r = row; r < row + ZM_TILE && r < (size_t)run->g->rows; r++) {
        memset(run->record->code + r * cols + col, ZM_CODE_UNREACHED, n);
        memset((char *)run->record->offset + (r * cols + col) * real_size, 0, n * real_size);
    }
}

static void stencil_thread(void *ctx, int32_t thread)
{
    stencil_run *run = ctx;
    int32_t row;

    while ((row = atomic_fetch_add(&run->next, 1)) < run->g->tiles_y)
        for (int32_t col = 0; col < run->g->tiles_x; col++) {
            const int32_t tile = row * run->g->tiles_x + col;

            if (run->tiles && run->tiles[tile].visits == 0)
                tile_unreached(run, tile);
            else
                run->s->kernel->stencils(run->g, &run->lanes[thread].worker, tile,
                                         run->record->code, run->record->offset);
        }
}

void zm_record_stencils(const zm_solver *s, zm_lane *lanes, int32_t threads, zm_record *record,
                        const zm_tiling *g, const zm_tile *tiles)
{
    stencil_run run = { .s = s, .lanes = lanes, .record = record, .g = g, .tiles = tiles };

    zm_parallel(threads, stencil_thread, &run);
}
