/* SPDX-License-Identifier: Apache-2.0
 * Blocks with stencils adapted to the metric.
 *
 * Every cell has a stencil of donors (local/stencil.h).  Cells of a block mostly share their
 * triangles, so a block keeps the list of all that occur in it, each with a mask of the cells
 * that have it.  A triangle belongs to the sweep whose donors lie furthest behind it: both of
 * its donors are then in lines already swept. */
#ifndef ZM_BLOCKS_ADAPTIVE_KERNEL_H
#define ZM_BLOCKS_ADAPTIVE_KERNEL_H

#include "eikonal/blocks/kernel.h"
#include "eikonal/local/stencil.h"

enum {
    ZM_BLOCKS_REACH = 16,     /* largest offset that fits the halo of a block */
    ZM_BLOCKS_TRIANGLES = 512 /* of one block */
};

/** Donors (t1, n1) and (t2, n2) in the frame of the sweep: t along the line, n < 0 across
 *  it. */
typedef struct zm_blocks_triangle {
    int8_t t1, n1, t2, n2;
    uint8_t from;      /* ZM_FROM_*: where the donors are */
    double at[2][2];   /* t1, n1 and t2, n2 as numbers */
    double E[3][3];    /* E11, E12, E22 of donors as factors of g_t, g12, g_n */
    double gap1, gap2; /* cells that both donors have weight in are later by this */
    double step1;      /* cells that donor 1 alone has weight in are later by this */
    /* cells that have it: by line, a bit for each place along it */
    uint32_t has[ZM_BLOCK];
} zm_blocks_triangle;

/** Cells of a block that may have changed: where a changed row and a changed column meet. */
typedef struct zm_blocks_changes {
    uint32_t rows, cols;
} zm_blocks_changes;

typedef struct zm_blocks_adaptive_block {
    uint32_t first, n; /* triangles, in the order of zm_blocks_triangle.from */
    int32_t reach;     /* of its offsets */
    double latest;     /* T of the cell that is reached last; INFINITY: one is not */
    /* of the blocks around it since it was last visited, by [dy + 1][dx + 1] from it; of itself:
     * sources */
    zm_blocks_changes changes[3][3];
} zm_blocks_adaptive_block;

/** A problem without walls on padded fields of double: planes of whole blocks, the identity
 *  outside of the grid; T with ZM_BLOCKS_REACH cells more on each side, INFINITY outside. */
typedef struct zm_blocks_adaptive_grid {
    int32_t rows, cols, blocks_down, blocks_across;
    /* g11, g12, g22, b1, b2 with the spacing folded in, one after another */
    double *planes;
    double *T;                     /* its first cell, not the first of the padding */
    size_t plane_stride, T_stride; /* from row to row */
    size_t plane_step;             /* from plane to plane */
    zm_blocks_adaptive_block *blocks;
    zm_blocks_triangle *triangles;
} zm_blocks_adaptive_grid;

/** What a visit changed, and the earliest of the new times. */
typedef struct zm_blocks_changed {
    zm_blocks_changes changed;
    double earliest;
    int64_t updates; /* triangles looked at, cells counted */
} zm_blocks_changed;

/** The kernels of one instruction set. */
typedef struct zm_kernel_adaptive {
    size_t scratch_bytes;

    /** Triangles of one block into `out`, room for `most`, sorted by sweep; sets the block's
     *  reach.  How many; -1: an offset leaves the halo, or there are too many. */
    int32_t (*build)(const zm_blocks_adaptive_grid *g, int32_t block,
                     zm_blocks_triangle *out, int32_t most);

    /** Sweeps a block until nothing in it changes. */
    zm_blocks_changed (*visit)(const zm_blocks_adaptive_grid *g, int32_t block,
                               void *scratch);
} zm_kernel_adaptive;

/** By instruction set, as zm_kernel_find. */
const zm_kernel_adaptive *zm_kernel_adaptive_find(int isa);

#endif
