/* SPDX-License-Identifier: Apache-2.0
 * Maps that act on every cell for itself: fields go through them in blocks, on several threads,
 * by the widest kernels of the machine. */
#ifndef ZM_PROBLEM_CELLS_H
#define ZM_PROBLEM_CELLS_H

#include <stdbool.h>

#include "zermelo/parametrise.h"
#include "zermelo/project.h"

enum {
    ZM_CELLS_PLANES = 5, /* g11, g12, g22, b1, b2, or what stands for them */
    ZM_CELLS_BLOCK = 64
};

/** The values of a block, plane by plane. */
typedef struct zm_cells_values {
    double v[ZM_CELLS_PLANES][ZM_CELLS_BLOCK];
} zm_cells_values;

/** What a parametrisation needs to know of its options. */
typedef struct zm_chart_map {
    double scale;   /* k: exp of free values 0 is k I before the bounds */
    double low;     /* eig_min */
    double inverse; /* 1 / (eig_max - eig_min), 0 without an upper bound */
    double rho;
    bool carried; /* free values are those of a front that a wind carries */
} zm_chart_map;

typedef void zm_chart_value_fn(const zm_chart_map *map,
                               const zm_cells_values *restrict x,
                               zm_cells_values *restrict y);
typedef void zm_chart_pull_fn(const zm_chart_map *map,
                              const zm_cells_values *restrict x,
                              const zm_cells_values *restrict cy,
                              zm_cells_values *restrict cx);
/** false: values so large or so small that squares might not be held; nothing is of use */
typedef bool zm_clamp_value_fn(const zm_project_opts *o,
                               const zm_cells_values *restrict x,
                               zm_cells_values *restrict y);
typedef bool zm_clamp_pull_fn(const zm_project_opts *o,
                              const zm_cells_values *restrict x,
                              const zm_cells_values *restrict cy,
                              zm_cells_values *restrict cx);

typedef struct zm_cell_kernels {
    zm_chart_value_fn *value[2]; /* by zm_chart */
    zm_chart_pull_fn *pull[2];
    zm_clamp_value_fn *clamp;
    zm_clamp_pull_fn *clamp_pull;
} zm_cell_kernels;

extern const zm_cell_kernels zm_cell_kernels_scalar;
extern const zm_cell_kernels zm_cell_kernels_avx2;

/** The widest that this machine has. */
const zm_cell_kernels *zm_cell_kernels_find(void);

/** Cells [begin, begin + n) of item i; n <= ZM_CELLS_BLOCK. */
typedef zm_status zm_cells_fn(const void *ctx, size_t item, size_t begin, size_t n,
                              zm_error *err);

/** Goes through n cells of each item.  On failure what the first cell of the first item said
 *  that failed. */
zm_status zm_cells_all(int32_t threads, size_t items, size_t n, zm_cells_fn *fn,
                       const void *ctx, zm_error *err);

/** Values of cells [begin, begin + n); planes left out as in zm_metric, the rest of the block 0. */
void zm_cells_load(const zm_metric *m, size_t begin, size_t n,
                   zm_cells_values *restrict x);

/** The same of planes that are derivatives: g22 left out is 0. */
void zm_cells_load_derivative(const zm_metric *m, size_t begin, size_t n,
                              zm_cells_values *restrict x);
void zm_cells_store(const zm_metric_out *m, zm_dtype dtype, size_t begin, size_t n,
                    const zm_cells_values *restrict x);

/** First of n cells with a value that is not finite; n if there is none. */
size_t zm_cells_first_spoilt(const zm_cells_values *restrict x, size_t n);

/** ZM_E_ARG that says of one cell what it is. */
zm_status zm_cells_not_finite(const char *what, const zm_cells_values *restrict x,
                              size_t k, size_t cell, zm_error *err);

#endif
