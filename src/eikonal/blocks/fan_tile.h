/* SPDX-License-Identifier: Apache-2.0
 * Tiles with stencils adapted to the metric.
 *
 * Every cell has a fan of donors (march/fan.h).  Cells of a tile mostly share their
 * triangles, so a tile keeps the list of all that occur in it, each with a mask of the cells
 * that have it.  A triangle belongs to the sweep whose donors lie furthest behind it: both of
 * its donors are then in lines already swept. */
#ifndef ZM_KERNELS_FAN_TILE_H
#define ZM_KERNELS_FAN_TILE_H

#include "eikonal/blocks/tile.h"
#include "eikonal/local/stencil.h"

enum {
    ZM_FAN_REACH = 16,     /* largest offset that fits the halo of a tile */
    ZM_FAN_TRIANGLES = 512 /* of one tile */
};

/** Donors (t1, n1) and (t2, n2) in the frame of the sweep: t along the line, n < 0 across
 *  it. */
typedef struct zm_fan_triangle {
    int8_t t1, n1, t2, n2;
    uint8_t from;      /* ZM_FROM_*: where the donors are */
    double at[2][2];   /* t1, n1 and t2, n2 as numbers */
    double E[3][3];    /* E11, E12, E22 of donors as factors of g_t, g12, g_n */
    double gap1, gap2; /* cells that both donors have weight in are later by this */
    double step1;      /* cells that donor 1 alone has weight in are later by this */
    uint32_t
        has[ZM_TILE]; /* cells that have it: by line, a bit for each place along it */
} zm_fan_triangle;

/** Cells of a tile that may have changed: where a changed row and a changed column meet. */
typedef struct zm_fan_changes {
    uint32_t rows, cols;
} zm_fan_changes;

typedef struct zm_fan_tile {
    uint32_t first, n; /* triangles, in the order of zm_fan_triangle.from */
    int32_t reach;     /* of its offsets */
    double latest;     /* T of the cell that is reached last; INFINITY: one is not */
    /* of the tiles around it since it was last visited, by [dy + 1][dx + 1] from it; of itself:
     * sources */
    zm_fan_changes news[3][3];
} zm_fan_tile;

/** A problem without walls on padded fields of double: planes of whole tiles, the identity
 *  outside of the grid; T with ZM_FAN_REACH cells more on each side, INFINITY outside. */
typedef struct zm_fan_grid {
    int32_t rows, cols, tiles_y, tiles_x;
    double *
        planes; /* g11, g12, g22, b1, b2 with the spacing folded in, one after another */
    double *T;  /* its first cell, not the first of the padding */
    size_t plane_stride, plane_step,
        T_stride; /* from row to row, from plane to plane */
    zm_fan_tile *tiles;
    zm_fan_triangle *triangles;
} zm_fan_grid;

/** What a visit changed, and the earliest of the new times. */
typedef struct zm_fan_news {
    zm_fan_changes changed;
    double earliest;
    int64_t updates; /* triangles looked at, cells counted */
} zm_fan_news;

/** The kernels of one instruction set. */
typedef struct zm_fan_kernel {
    size_t scratch_bytes;

    /** Triangles of one tile into `out`, room for `most`, sorted by sweep; sets the tile's
     *  reach.  How many; -1: an offset leaves the halo, or there are too many. */
    int32_t (*build)(const zm_fan_grid *g, int32_t tile, zm_fan_triangle *out,
                     int32_t most);

    /** Sweeps a tile until nothing in it changes. */
    zm_fan_news (*visit)(const zm_fan_grid *g, int32_t tile, void *scratch);
} zm_fan_kernel;

/** By instruction set, as zm_kernel_find. */
const zm_fan_kernel *zm_fan_kernel_find(int isa);

#endif
