/* SPDX-License-Identifier: Apache-2.0
 * Which source's front came to each cell in phase one. */
#include <math.h>

#include "core/fail.h"
#include "eikonal/blocks/graph.h"
#include "eikonal/refined/engine.h"

typedef struct labelling {
    const zm_refined_grid *g;
    const zm_blocks_record *first;
    const void *T; /* of phase one */
    zm_dtype dtype;
} labelling;

static double *label_at(const labelling *l, int64_t row, int64_t col)
{
    return &l->g->label[zm_refined_at(l->g, row, col)];
}

/* Label of one donor of a cell; NaN: it has none yet, or is later than the cell. */
static double label_of_donor(const labelling *l, size_t cell, zm_local_offset m)
{
    const int64_t cols = l->g->cols, row = (int64_t)cell / cols + m.y,
                  col = (int64_t)cell % cols + m.x;
    const size_t donor = (size_t)(row * cols + col);

    return zm_plane_value(l->T, l->dtype, donor) < zm_plane_value(l->T, l->dtype, cell)
               ? *label_at(l, row, col)
               : (double)NAN;
}

/* Label of a cell: that of the donor with more weight, or if that has none of the other; NaN:
 * neither has. */
static double label_of(const labelling *l, size_t cell)
{
    const uint8_t code = l->first->code[cell];
    const zm_blocks_donors d = zm_blocks_donors_of(code);
    const double axis =
        code & ZM_CODE_DIAGONAL ? (double)NAN : label_of_donor(l, cell, d.axis);
    const double diagonal =
        code & ZM_CODE_AXIS ? (double)NAN : label_of_donor(l, cell, d.diagonal);

    if (isnan(axis) || isnan(diagonal))
        return isnan(axis) ? diagonal : axis;
    return fabs(zm_plane_value(l->first->offset, l->dtype, cell)) > 0.5 ? diagonal
                                                                        : axis;
}

/* The order of the record backwards has donors first, but for cells on a cycle. */
static void labels_follow(const labelling *l)
{
    const zm_blocks_record *r = l->first;
    size_t left = r->n_order, before;

    do {
        before = left;
        left = 0;
        for (size_t i = r->n_order; i-- > 0;) {
            const size_t cell = r->order[i] & ZM_BLOCKS_CELL;
            double *label =
                label_at(l, (int64_t)cell / l->g->cols, (int64_t)cell % l->g->cols);

            if (isnan(*label))
                *label = label_of(l, cell);
            left += isnan(*label) ? 1 : 0;
        }
    } while (left > 0 && left < before);
}

zm_status zm_refined_labels(zm_engine_run *run, zm_refined_part *part, zm_error *err)
{
    const zm_refined_grid *g = &part->g;
    const zm_engine_view view = { .s = run->s,
                                  .workspaces = run->workspaces,
                                  .threads = run->threads,
                                  .record = run->record,
                                  .problem = run->problem,
                                  .T = run->T };
    const zm_blocks_record *first =
        zm_engine_record_part(run->record, &zm_blocks_engine);
    const labelling l = { g, first, run->T, run->s->dtype };
    const size_t field =
        g->stride * ((size_t)g->blocks_down * ZM_BLOCK + (size_t)2 * ZM_REFINED_PAD);
    uint32_t *winner = (uint32_t *)(void *)run->workspaces->scratch;

    if (!g->label)
        return ZM_OK;
    ZM_TRY(zm_blocks_prepare(&view, true, err));
    for (size_t i = 0; i < field; i++)
        g->label[i] = (double)NAN;
    zm_source_winners(run->s->grid, run->problem, winner);
    for (size_t i = 0; i < run->problem->n_sources; i++) {
        const zm_source given = run->problem->sources[i];
        const size_t cell = zm_source_cell(run->s->grid, &given);

        /* also where another thread has moved it since, every label is that of a source */
        if (first->code[cell] == ZM_CODE_SOURCE && winner[cell] == i)
            *label_at(&l, (int64_t)cell / g->cols, (int64_t)cell % g->cols) = (double)i;
    }
    labels_follow(&l);
    return ZM_OK;
}
