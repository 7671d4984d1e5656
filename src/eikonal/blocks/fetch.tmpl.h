/* SPDX-License-Identifier: Apache-2.0
 * What of the grid a block covers: its cells, walls and planes.  Include update.tmpl.h
 * first. */
#include "eikonal/blocks/bits.h"

typedef struct block_box { /* the part of the grid that a block covers */
    int32_t ty, tx;
    size_t row, col;               /* first cell */
    size_t rows, cols;             /* cells, at most ZM_BLOCK each way */
    bool north, south, west, east; /* there is a block beyond */
} block_box;

static inline block_box block_box_of(const zm_blocks_grid *g, int32_t block)
{
    block_box b = { .ty = block / g->blocks_across, .tx = block % g->blocks_across };

    b.row = (size_t)b.ty * ZM_BLOCK;
    b.col = (size_t)b.tx * ZM_BLOCK;
    b.rows = (size_t)g->rows - b.row < ZM_BLOCK ? (size_t)g->rows - b.row : ZM_BLOCK;
    b.cols = (size_t)g->cols - b.col < ZM_BLOCK ? (size_t)g->cols - b.col : ZM_BLOCK;
    b.north = b.ty > 0;
    b.west = b.tx > 0;
    b.south = b.ty + 1 < g->blocks_down;
    b.east = b.tx + 1 < g->blocks_across;
    return b;
}

/* Walls of the block and its halo: bit c + 1 of bits[r + 1].  True if there are any. */
static bool walls_fetch(const zm_blocks_grid *g, const block_box *b,
                        uint64_t bits[ZM_BLOCK + 2])
{
    const size_t r0 = b->north ? 0 : 1, r1 = b->rows + (b->south ? 2 : 1);
    const size_t c0 = b->west ? 0 : 1, c1 = b->cols + (b->east ? 2 : 1);
    uint64_t any = 0;

    memset(bits, 0, (ZM_BLOCK + 2) * sizeof *bits);
    if (!g->walls)
        return false;
    for (size_t r = r0; r < r1; r++) {
        const size_t line =
            (b->row + r - 1) * (size_t)g->cols + b->col; /* c counts from 1 */

        for (size_t c = c0; c < c1; c++)
            bits[r] |= (uint64_t)(g->walls[line + c - 1] != 0) << c;
        any |= bits[r];
    }
    return any != 0;
}

static inline uint32_t inner_bits(uint64_t bits)
{
    return (uint32_t)(bits >> 1);
}

/* A diagonal donor is cut off where both cells beside the edge to it are walls. */
static void walls_cut(const uint64_t bits[ZM_BLOCK + 2], block_walls *out)
{
    uint32_t cut[4][ZM_BLOCK]; /* NW, NE, SW, SE by row */

    out->any = 0;
    for (unsigned r = 0; r < ZM_BLOCK; r++) {
        const uint64_t above = bits[r], here = bits[r + 1], below = bits[r + 2];

        cut[0][r] = inner_bits(above & here << 1);
        cut[1][r] = inner_bits(above & here >> 1);
        cut[2][r] = inner_bits(below & here << 1);
        cut[3][r] = inner_bits(below & here >> 1);
        out->any |= cut[0][r] | cut[1][r] | cut[2][r] | cut[3][r];
    }
    if (!out->any)
        return;
    memcpy(out->cut[ZM_FROM_N][0], cut[1], sizeof cut[1]);
    memcpy(out->cut[ZM_FROM_N][1], cut[0], sizeof cut[0]);
    memcpy(out->cut[ZM_FROM_S][0], cut[3], sizeof cut[3]);
    memcpy(out->cut[ZM_FROM_S][1], cut[2], sizeof cut[2]);
    zm_blocks_transpose(cut[2], out->cut[ZM_FROM_W][0]);
    zm_blocks_transpose(cut[0], out->cut[ZM_FROM_W][1]);
    zm_blocks_transpose(cut[3], out->cut[ZM_FROM_E][0]);
    zm_blocks_transpose(cut[1], out->cut[ZM_FROM_E][1]);
}

/* Cells of the block that are walls or lie beyond the grid, by row.  True if any. */
static bool closed_cells(const block_box *b, const uint64_t walls[ZM_BLOCK + 2],
                         uint32_t closed[ZM_BLOCK])
{
    const uint32_t beyond = b->cols < ZM_BLOCK ? ~(uint32_t)0 << b->cols : 0;
    uint32_t any = 0;

    for (size_t r = 0; r < ZM_BLOCK; r++) {
        closed[r] = r < b->rows ? inner_bits(walls[r + 1]) | beyond : ~(uint32_t)0;
        any |= closed[r];
    }
    return any != 0;
}

/* The planes of a block; where cells are closed, copies in which these repeat an open one,
 * so that they neither trip the check nor weaken the bounds.  False: no cell is open. */
static bool planes_fetch(const zm_blocks_grid *g, const block_box *b,
                         const uint32_t *closed, real *copy, block_planes *p)
{
    size_t r0 = 0, c0 = 0;

    for (int k = 0; k < 5; k++) {
        p->plane[k] = (const real *)g->plane[k] + b->row * g->stride[k] + b->col;
        p->stride[k] = g->stride[k];
    }
    if (!closed)
        return true;
    while (r0 < ZM_BLOCK && closed[r0] == ~(uint32_t)0)
        r0++;
    if (r0 == ZM_BLOCK)
        return false;
    c0 = (size_t)__builtin_ctz(~closed[r0]);
    for (int k = 0; k < 5; k++) {
        const real filler = p->plane[k][r0 * p->stride[k] + c0];
        real *to = copy + k * CELLS;

        for (size_t i = 0; i < CELLS; i++)
            to[i] = filler;
        for (size_t r = 0; r < b->rows; r++)
            memcpy(to + r * ZM_BLOCK, p->plane[k] + r * p->stride[k],
                   b->cols * sizeof *to);
        for (size_t r = 0; r < b->rows; r++)
            for (uint32_t m = closed[r]; m; m &= m - 1)
                to[r * ZM_BLOCK + (size_t)__builtin_ctz(m)] = filler;
        p->plane[k] = to;
        p->stride[k] = ZM_BLOCK;
    }
    return true;
}
