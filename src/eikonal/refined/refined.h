/* SPDX-License-Identifier: Apache-2.0
 * Second and third order on blocks, with the source factored out.
 *
 * Phase one is the solve of first order on blocks.  Its times T1, and which sweep won each
 * cell, fix the structure of phase two: from which side and from which donors a cell takes
 * its time, and with which order.  A donor is earlier than its cell by T1, and a far donor
 * earlier than the near one; so there are no cycles, and the result is unique given T1.
 *
 * Phase two computes tau = T - T_s, with T_s(x) = |d|_Gs - bs.d of the source's metric and
 * d = x - s, once for each cell, when its donors are known.  Lengths count cells; times are
 * counted from the source in the unit of phase one. */
#ifndef ZM_REFINED_REFINED_H
#define ZM_REFINED_REFINED_H

#include "eikonal/blocks/kernel.h"
#include "eikonal/engine.h"

/** Cells around the fields of a problem, and around a block in the buffers: more than the
 *  reach of the differences, and whole vectors. */
enum { ZM_REFINED_PAD = 8 };

/** Code of a cell: bits 0-2 as ZM_CODE_* (sweep, side of the diagonal donor), and */
enum {
    ZM_REFINED_SECOND = 8, /* second differences */
    ZM_REFINED_THIRD = 16, /* with SECOND: third ones; without: first, not factored */
    ZM_REFINED_AXIS = 32,  /* the axis donor alone */
    ZM_REFINED_DIAGONAL = 64, /* the diagonal donor alone */
    ZM_REFINED_NONE = 128,    /* no donor; the whole code is then one of */
    ZM_REFINED_START = 253,   /* beside the source: the trapezoidal rule */
    ZM_REFINED_SOURCE = 254,
    ZM_REFINED_UNREACHED = 255
};

/** Cells of a block by the sweep that computes them, ZM_FROM_*: bits of rows for N and S, of
 *  columns for W and E. */
typedef struct zm_refined_block {
    uint32_t todo[4][ZM_BLOCK], done[4][ZM_BLOCK];
    int32_t left; /* cells to be computed */
    int32_t visits;
} zm_refined_block;

/** A source as the kernels see it. */
typedef struct zm_refined_source {
    double row, col;
    double time, starts; /* counted from the earliest source, and as given */
    zm_cell_metric metric; /* of its cell, folded */
} zm_refined_source;

/** One problem as the kernels see it. */
typedef struct zm_refined_grid {
    int32_t rows, cols, blocks_down, blocks_across;
    size_t stride;        /* of the padded fields */
    double *first, *rest; /* T1 and tau, padded; tau is NaN where it is not known */
    double *label;        /* padded: number of the source; NULL: there is one */
    const zm_refined_source *sources;
    bool single;            /* planes are float */
    bool walls;             /* the problem has obstacles */
    const void *plane[5];   /* g11, g12, g22, b1, b2 */
    size_t plane_stride[5]; /* 0: every row is the same */
    double scale[5];        /* folds spacing and time unit into the planes */
    double unscale[5];      /* ... out of derivatives of times in the caller's unit */
    double unit;            /* of times inside, a power of two */
    double tie;             /* T1 is fixed to this share of it only */
    int32_t order;          /* 2 or 3 */
    zm_refined_block *blocks;
    uint32_t *sequence; /* cells in the order in which they were computed */
    size_t n_sequence;
    int64_t evaluated; /* cells looked at */
} zm_refined_grid;

/** Cells that a visit computed: columns in the rows nearest to the block above and below, and
 *  in all rows. */
typedef struct zm_refined_changes {
    uint32_t top, bottom, all;
} zm_refined_changes;

/** The kernels of one instruction set. */
typedef struct zm_refined_kernel {
    size_t scratch_bytes;
    /** Computes what can be computed in a block, until nothing more can. */
    zm_refined_changes (*visit)(zm_refined_grid *g, void *scratch, int32_t block);
    /** Code and weight of the diagonal donor of every cell that was computed in a block. */
    void (*record)(const zm_refined_grid *g, void *scratch, int32_t block,
                   uint8_t *code, double *weight);
    /** dL/d(planes) of the cells of a block from lambda = dL/dtau, into planes of the solver's
     *  type, of which some may be NULL; what falls to the metrics of the sources is added to
     *  by_source.  Cells without donors get 0; those that are not factored (bare) count as
     *  factored here.  by_source is folded, in the unit of the solve. */
    void (*gradient)(const zm_refined_grid *g, void *scratch, int32_t block,
                     const uint8_t *code, const double *weight, const double *lambda,
                     void *const out[5], bool isotropic, zm_cell_metric *by_source);
    /** Adds lambda dT_s of the cells of a block to by_source. */
    void (*distances)(const zm_refined_grid *g, int32_t block, const double *lambda,
                      zm_cell_metric *by_source);
} zm_refined_kernel;

/** The kernels that go with those of phase one. */
const zm_refined_kernel *zm_refined_kernel_of(const zm_kernel *phase_one);

/** Index of cell (row, col) in a padded field. */
static inline size_t zm_refined_at(const zm_refined_grid *g, int64_t row, int64_t col)
{
    return (size_t)(row + ZM_REFINED_PAD) * g->stride + (size_t)(col + ZM_REFINED_PAD);
}

#endif
