/* SPDX-License-Identifier: Apache-2.0
 * Blocks: the grid is cut into squares of 32 x 32 cells, each swept while it is in cache.
 *
 * A block is swept in four directions.  Row sweeps take donors from the row above (down) or
 * below (up); column sweeps from the column to the left (right) or to the right (left) and
 * run on transposed copies, so that lanes always lie side by side.  Seen from a sweep, `t`
 * is the direction along the swept line and `n` the one across it. */
#ifndef ZM_BLOCKS_KERNEL_H
#define ZM_BLOCKS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ZM_BLOCK = 32 }; /* lanes of a line fit a uint32_t */

/* Sweeps, named after where the donors are; also bits 0-1 of a stencil code. */
enum { ZM_FROM_N = 0, ZM_FROM_S = 1, ZM_FROM_W = 2, ZM_FROM_E = 3 };

enum { ZM_CORNER_NW = 1, ZM_CORNER_NE = 2, ZM_CORNER_SW = 4, ZM_CORNER_SE = 8 };

/* Stencil code of a cell: the sweep that won (bits 0-1), and */
enum {
    ZM_CODE_BACK = 4,      /* the diagonal donor lies towards -t, not +t */
    ZM_CODE_AXIS = 8,      /* one-point update from the axis donor */
    ZM_CODE_DIAGONAL = 16, /* one-point update from the diagonal donor */
    ZM_CODE_NONE = 128,    /* no donor; the whole code is then one of */
    ZM_CODE_SOURCE = 254,
    ZM_CODE_UNREACHED = 255
};

/** State of a block during a solve. */
typedef struct zm_blocks_block {
    /* halo cells changed since the last visit, by ZM_FROM_*: one bit a column (N, S) or
     * a row (W, E) */
    uint32_t changed[4];
    uint8_t corners; /* the same for the four corner cells of the halo */
    uint8_t fresh;   /* every cell is to be evaluated: a source is in or next to it */
    uint8_t columns_first; /* the changes came from W or E */
    int32_t visits;
    /* rows, columns whose steps are known (all rows or all columns: the gaps too) */
    uint32_t known[2];
    uint32_t careful[2]; /* lines whose thresholds need double */
    /* by ZM_FROM_* and strip of lines: no sweep lowers a cell there below its earliest
     * donor + step */
    float step[4][ZM_BLOCK];
    /* by ZM_FROM_* and vector of a line, from the strip of lines of the other family that has the
     * same cells: where T rises by more than `most` from each of three donors to the next, or by
     * less than `least`, the best of them is a diagonal one */
    float most[4][ZM_BLOCK], least[4][ZM_BLOCK];
    /* a border cell that uses a donor in the halo is later than that donor by at least this;
     * may be negative */
    float gap_axis, gap_diagonal;
    /* negative: the eight neighbours are not good enough for some cell that a sweep
     * looked at; only with zm_blocks_grid.want_margin */
    float margin;
} zm_blocks_block;

/** Which sweep won each cell, one bit a cell. */
typedef struct zm_blocks_winners {
    uint32_t reached[ZM_BLOCK];   /* by row: some sweep won */
    uint32_t by_column[ZM_BLOCK]; /* by row: a column sweep won last */
    /* by row: of the row sweeps the upward one won last */
    uint32_t from_south[ZM_BLOCK];
    uint32_t from_east[ZM_BLOCK]; /* by COLUMN: of the column sweeps the leftward one */
} zm_blocks_winners;

/** What of a metric may differ from 0, and of its planes from each other. */
typedef enum zm_blocks_kind {
    ZM_BLOCKS_RANDERS,  /* all */
    ZM_BLOCKS_STILL,    /* there is no drift */
    ZM_BLOCKS_ISOTROPIC /* nor any but g11, which g22 is too */
} zm_blocks_kind;

/** One problem as the kernels see it. */
typedef struct zm_blocks_grid {
    int32_t rows, cols, blocks_down, blocks_across;
    const void *plane[5]; /* g11, g12, g22, b1, b2 */
    size_t stride[5];     /* reals from row to row; 0: every row is the same */
    double scale[5];      /* folds spacing and time unit into the planes */
    double unscale[5]; /* ... out of derivatives of times in the caller's unit */
    zm_blocks_kind kind;
    const uint8_t *walls; /* or NULL */
    bool want_margin;
    void *T;         /* rows*cols reals */
    double per_time; /* turns T into the unit of the planes; 1 in a solve */
    /* a new value above T*unchanged_rel - unchanged_abs is no change */
    double unchanged_rel;
    double unchanged_abs;
    /* the share of the way from the earliest to the latest of the values that come in by a side
     * which a block waits for, that more of them may be there */
    double wait;
    zm_blocks_block *blocks;
    zm_blocks_winners *records;
} zm_blocks_grid;

/** What changed beside a neighbouring block. */
typedef struct zm_blocks_activation {
    int32_t block;
    uint32_t changed; /* lanes of its halo on side `side`, or 0 */
    uint8_t side;     /* ZM_FROM_* */
    uint8_t corner;   /* ZM_CORNER_*, or 0 */
    double key; /* earliest of the changed values, and as much later as zm_blocks_grid.wait says */
} zm_blocks_activation;

enum { ZM_BLOCKS_MOST_ACTIVATIONS = 8, ZM_BLOCKS_VISIT_BAD = -1 };

/* Metrics (in the unit of the solve, spacing folded in) must lie within these factors of 1:
 * beyond, the float bounds of the kernels leave their range. */
#define ZM_BLOCKS_LARGEST_F64 0x1p80
#define ZM_BLOCKS_LARGEST_F32 0x1p50

/** Work memory of one thread. */
typedef struct zm_blocks_worker {
    void *coefs;            /* n_slots blocks of kernel->coef_bytes */
    void *scratch;          /* kernel->scratch_bytes */
    int32_t *slot_of_block; /* blocks; -1: none */
    int32_t *block_of_slot; /* n_slots; -1: none */
    int32_t n_slots, next_slot;
    int32_t next_block; /* likely to be visited next: prefetched; -1: unknown */
    int64_t updates;    /* directional cell updates evaluated */
    int64_t most_updates; /* a visit that finds this many ends, and is `tired` */
    bool tired;           /* the block has not settled: all of it is due again */
} zm_blocks_worker;

/** Where derivatives go or come from; NULL planes are left out.  All of type real. */
typedef struct zm_blocks_planes {
    void *plane[5];
} zm_blocks_planes;

/** The kernels of one instruction set and number type. */
typedef struct zm_kernel {
    const char *name;
    size_t coef_bytes;    /* coefficients of one block */
    size_t scratch_bytes; /* buffers of one worker */

    /** Sweeps a block until nothing in it changes.  Returns how many of `activations` were filled,
     *  or ZM_BLOCKS_VISIT_BAD: a cell that is no wall is not admissible. */
    int32_t (*visit)(const zm_blocks_grid *g, zm_blocks_worker *w, int32_t block,
                     zm_blocks_activation *activations);

    /** Stencil codes of the cells of a block, and where on its donor line the winning donor
     *  lies: t in [-1, 1], the weight of the diagonal donor being |t|.  Into fields of the
     *  whole grid.  g->T must be settled. */
    void (*donors)(const zm_blocks_grid *g, zm_blocks_worker *w, int32_t block,
                   uint8_t *code, void *offset);

    /** dL/d(planes) = lambda dF/d(planes) for rows [row, row_end); isotropic: g11 receives
     *  the sum of g11 and g22. */
    void (*gradient)(const zm_blocks_grid *g, size_t row, size_t row_end,
                     const uint8_t *code, const void *offset, const double *lambda,
                     const zm_blocks_planes *out, bool isotropic);
} zm_kernel;

/** The kernel table for a dtype (0 f64, 1 f32) and a zm_isa, or NULL if this machine or
 *  build does not have it. */
const zm_kernel *zm_kernel_find(int dtype, int isa);

#if defined(__GNUC__)
#define ZM_INLINE    static inline __attribute__((always_inline))
#define ZM_NOINLINE  static __attribute__((noinline))
#define ZM_RARELY(x) __builtin_expect(!!(x), 0)
#else
#define ZM_INLINE    static inline
#define ZM_NOINLINE  static
#define ZM_RARELY(x) (x)
#endif

#define ZM_CAT_(a, b) a##_##b
#define ZM_CAT(a, b)  ZM_CAT_(a, b)

#endif
