/* SPDX-License-Identifier: Apache-2.0
 * Triangles that a block finds for all of its cells at once are those of each cell's own
 * stencil (local/stencil.h), but for cells where rounding to float decides. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "eikonal/blocks/adaptive_kernel.h"
#include "eikonal/local/triangle.h"
#include "support/cases.h"

enum { SIDE = ZM_BLOCK, CELLS = SIDE * SIDE, MOST = 200 };

/* Pairs of offsets of one cell, sorted. */
typedef struct pairs {
    int32_t key[MOST];
    int n;
} pairs;

static int32_t key_of(int ux, int uy, int vx, int vy)
{
    return (((ux + 32) * 64 + uy + 32) * 64 + vx + 32) * 64 + vy + 32;
}

static void pairs_add(pairs *p, int32_t key)
{
    int i = p->n++;

    if (p->n >= MOST)
        exit(1);
    for (; i > 0 && p->key[i - 1] > key; i--)
        p->key[i] = p->key[i - 1];
    p->key[i] = key;
}

/* What local/stencil.h says of a cell, with the rule of the march. */
static pairs pairs_of_cell(const zm_cell_metric *m)
{
    zm_local_offset stencil[ZM_STENCIL_MOST];
    pairs p = { .n = 0 };
    int n = ZM_STENCIL_PLAIN, reach = 1;

    if (zm_stencil_plain_is_acute(m))
        memcpy(stencil, zm_stencil_plain, sizeof zm_stencil_plain);
    else
        n = zm_stencil_build(m, stencil, &reach);
    for (int k = 0; k < n; k++) {
        const zm_local_offset u = stencil[k], v = stencil[(k + 1) % n];

        pairs_add(&p, key_of(u.x, u.y, v.x, v.y));
    }
    return p;
}

/* What the block says of the cell at (row, col). */
static pairs pairs_of_block(const zm_blocks_triangle *list, int32_t n, int row, int col)
{
    pairs p = { .n = 0 };

    for (int32_t i = 0; i < n; i++) {
        const zm_blocks_triangle *t = &list[i];

        if (t->from <= ZM_FROM_S ? t->has[row] >> col & 1 : t->has[col] >> row & 1) {
            if (t->from <= ZM_FROM_S)
                pairs_add(&p, key_of(t->t1, t->n1, t->t2, t->n2));
            else
                pairs_add(&p, key_of(t->n1, t->t1, t->n2, t->t2));
        }
    }
    return p;
}

static void compare(test_run *t, medium kind, zm_isa isa, uint64_t seed)
{
    const zm_kernel_adaptive *kernel = zm_kernel_adaptive_find((int)isa);
    test_case c = case_make(kind, SIDE, SIDE, seed);
    const zm_problem p = case_problem(&c);
    double *planes = malloc(5 * CELLS * sizeof *planes);
    zm_blocks_triangle *list = malloc(ZM_BLOCKS_TRIANGLES * sizeof *list);
    zm_blocks_adaptive_block block = { 0 };
    const zm_blocks_adaptive_grid g = { .rows = SIDE,
                                        .cols = SIDE,
                                        .blocks_down = 1,
                                        .blocks_across = 1,
                                        .planes = planes,
                                        .plane_stride = SIDE,
                                        .plane_step = CELLS,
                                        .blocks = &block };
    int other = 0;
    int32_t n;

    if (!planes || !list)
        exit(1);
    for (size_t i = 0; i < CELLS; i++) {
        const zm_cell_metric m = zm_local_fold(zm_metric_at(&p.metric, i), c.grid);
        const double values[5] = { m.g11, m.g12, m.g22, m.b1, m.b2 };

        for (size_t k = 0; k < 5; k++)
            planes[k * CELLS + i] = values[k];
    }
    n = kernel->build(&g, 0, list, ZM_BLOCKS_TRIANGLES);
    CHECK(n > 0);
    for (size_t i = 0; i < CELLS; i++) {
        const zm_cell_metric m = zm_local_fold(zm_metric_at(&p.metric, i), c.grid);
        const pairs a = pairs_of_cell(&m),
                    b = pairs_of_block(list, n, (int)i / SIDE, (int)i % SIDE);

        other += a.n != b.n || memcmp(a.key, b.key, (size_t)a.n * sizeof *a.key) != 0;
    }
    CHECK_MSG(other <= 2, "%s: %d of %d cells have another stencil", medium_name(kind),
              other, (int)CELLS);
    free(list);
    free(planes);
    case_free(&c);
}

TEST(a_block_has_the_stencils_of_its_cells)
{
    for (uint64_t k = 0; k < 8; k++) {
        compare(t, STRONG, ZM_ISA_BEST, t->seed + k);
        compare(t, SMOOTH, ZM_ISA_BEST, t->seed + k);
        compare(t, STRONG, ZM_ISA_SCALAR, t->seed + k);
    }
}
