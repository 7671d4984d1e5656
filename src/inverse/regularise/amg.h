/* SPDX-License-Identifier: Apache-2.0
 * Algebraic multigrid (Ruge and Stueben 1987) for symmetric positive semi-definite
 * sparse matrices with mostly non-positive off-diagonal entries.
 *
 * The hierarchy lies in one block that the caller owns; what does not fit is not
 * coarsened further, which costs iterations, not correctness. */
#ifndef ZM_REG_AMG_H
#define ZM_REG_AMG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Rows of a sparse matrix: entries start[i] .. start[i+1]-1. */
typedef struct zm_rows {
    size_t *start;
    int32_t *col;
    double *value;
} zm_rows;

typedef struct zm_amg_level {
    size_t n;
    zm_rows off;       /* off-diagonal entries of A */
    double *diagonal;  /* of A; 0: no equation, x stays 0 */
    double *inverse;   /* 1/diagonal, or 0 */
    double *x, *b, *r; /* while the hierarchy is made, b holds the row sums of A */
    zm_rows coarser;   /* x += P x_coarse; not on the last level */
} zm_amg_level;

enum { ZM_AMG_LEVELS = 24, ZM_AMG_DIRECT = 80 };

/** Blocks of memory are taken from the low end to stay, from the high end to be given
 *  back soon. */
typedef struct zm_amg_arena {
    unsigned char *base;
    size_t low, high, end;
} zm_amg_arena;

typedef struct zm_amg {
    zm_amg_arena arena;
    size_t n_levels;
    zm_amg_level level[ZM_AMG_LEVELS];
    double *factor; /* L D L' of the last level, n*n, 1/D; NULL: it is only relaxed */
} zm_amg;

/** count elements of size bytes, aligned to 16; NULL where they do not fit. */
void *zm_amg_arena_keep(zm_amg_arena *arena, size_t count, size_t size);
void *zm_amg_arena_borrow(zm_amg_arena *arena, size_t count, size_t size);
void zm_amg_arena_give_back(zm_amg_arena *arena); /* all that is borrowed */

/** Vectors and diagonal of a level with n unknowns; false where they do not fit. */
bool zm_amg_level_vectors(zm_amg_arena *arena, zm_amg_level *l, size_t n);

/** The coarser levels from level[0], whose matrix is in place, row sums in b. */
void zm_amg_build(zm_amg *amg);

/** level[0].x = B level[0].b with one V-cycle from 0; B symmetric positive definite. */
void zm_amg_cycle(zm_amg *amg);

/** out = A v */
void zm_amg_apply(const zm_amg_level *l, const double *v, double *out);

/* Steps of zm_amg_build. */

/** Non-zero where entry k of row i is a strong coupling: i depends on that column. */
void zm_amg_strength(const zm_amg_level *l, uint8_t *strong);

/** Coarse number of each unknown, or -1 where it is to be interpolated; *n_coarse of
 *  them.  False where there is no memory. */
bool zm_amg_split(zm_amg_arena *arena, const zm_amg_level *l, const uint8_t *strong,
                  int32_t *coarse_of, size_t *n_coarse);

/** P in l->coarser. */
bool zm_amg_interpolate(zm_amg_arena *arena, zm_amg_level *l, const uint8_t *strong,
                        const int32_t *coarse_of);

/** Matrix P' A P of the next level, and its row sums in b. */
bool zm_amg_galerkin(zm_amg_arena *arena, zm_amg_level *fine, zm_amg_level *coarse);

#endif
