/* SPDX-License-Identifier: Apache-2.0
 * The stencils of a solved problem: the donors of every cell, and their weights. */
#include <stdatomic.h>
#include <string.h>

#include "eikonal/blocks/graph.h"

typedef struct stencil_run {
    const zm_solver *s;
    const zm_workspace *workspaces;
    zm_blocks_record *record;
    const zm_blocks_grid *g;
    const zm_blocks_block *blocks; /* or NULL */
    atomic_int next;               /* row of blocks */
} stencil_run;

/* Nothing came to this block. */
static void block_unreached(const stencil_run *run, int32_t block)
{
    const size_t cols = (size_t)run->g->cols, real_size = zm_dtype_size(run->s->dtype);
    const size_t row = (size_t)(block / run->g->blocks_across) * ZM_BLOCK;
    const size_t col = (size_t)(block % run->g->blocks_across) * ZM_BLOCK;
    const size_t n = cols - col < ZM_BLOCK ? cols - col : ZM_BLOCK;

    for (size_t r = row; r < row + ZM_BLOCK && r < (size_t)run->g->rows; r++) {
        memset(run->record->code + r * cols + col, ZM_CODE_UNREACHED, n);
        memset((char *)run->record->offset + (r * cols + col) * real_size, 0,
               n * real_size);
    }
}

static void stencil_thread(void *ctx, int32_t thread)
{
    stencil_run *run = ctx;
    zm_blocks_worker *worker = &zm_blocks_work_of(&run->workspaces[thread])->worker;
    int32_t row;

    while ((row = atomic_fetch_add(&run->next, 1)) < run->g->blocks_down)
        for (int32_t col = 0; col < run->g->blocks_across; col++) {
            const int32_t block = row * run->g->blocks_across + col;

            if (run->blocks && run->blocks[block].visits == 0)
                block_unreached(run, block);
            else
                run->s->kernel->stencils(run->g, worker, block, run->record->code,
                                         run->record->offset);
        }
}

static bool is_inside(zm_grid grid, int32_t row, int32_t col, zm_local_offset m)
{
    return row + m.y >= 0 && row + m.y < grid.rows && col + m.x >= 0 &&
           col + m.x < grid.cols;
}

/* A cell at the border whose donors would lie outside of the grid counts as not reached. */
static bool cell_check(const zm_solver *s, zm_blocks_record *record, int32_t row,
                       int32_t col)
{
    const size_t cell = (size_t)row * (size_t)s->grid.cols + (size_t)col;
    const uint8_t code = record->code[cell];
    const zm_blocks_donors d = zm_blocks_donors_of(code);

    if (code & ZM_CODE_NONE ||
        ((code & ZM_CODE_DIAGONAL || is_inside(s->grid, row, col, d.axis)) &&
         (code & ZM_CODE_AXIS || is_inside(s->grid, row, col, d.diagonal))))
        return true;
    record->code[cell] = ZM_CODE_UNREACHED;
    return false;
}

static bool border_check(const zm_solver *s, zm_blocks_record *record)
{
    const int32_t rows = s->grid.rows, cols = s->grid.cols;
    bool good = true;

    for (int32_t row = 0; row < rows; row++)
        for (int32_t col = 0; col < cols;
             col += row == 0 || row == rows - 1 || cols == 1 ? 1 : cols - 1)
            good = cell_check(s, record, row, col) && good;
    return good;
}

bool zm_blocks_stencils(const zm_solver *s, const zm_workspace *workspaces,
                        int32_t threads, zm_blocks_record *record,
                        const zm_blocks_grid *g, const zm_blocks_block *blocks)
{
    stencil_run run = {
        .s = s, .workspaces = workspaces, .record = record, .g = g, .blocks = blocks
    };

    zm_parallel(threads, stencil_thread, &run);
    return border_check(s, record);
}
