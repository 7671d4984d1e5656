/* SPDX-License-Identifier: Apache-2.0
 * The graph of donors that a solve leaves, in an order in which every cell comes before
 * its donors. */
#ifndef ZM_BLOCKS_GRAPH_H
#define ZM_BLOCKS_GRAPH_H

#include "eikonal/blocks/solve.h"

/* Entries of zm_blocks_record.order are cells; those on a cycle of donors stand together. */
#define ZM_BLOCKS_CYCLIC 0x80000000u /* on a cycle */
#define ZM_BLOCKS_LAST   0x40000000u /* ... and the last of its strongly connected part */
#define ZM_BLOCKS_CELL   0x3FFFFFFFu

/** Steps from a cell to its donors, by stencil code.  A donor without weight is replaced by
 *  the other one, so that both are always inside the grid. */
typedef struct zm_blocks_donor_steps {
    ptrdiff_t axis[32], diagonal[32];
} zm_blocks_donor_steps;

zm_blocks_donor_steps zm_blocks_donor_steps_of(int32_t cols);

/** Offsets of both donors of a stencil code, also of one that has no weight.  Seen from the
 *  winning sweep they are at (0, n) and (+-1, n), with n = -1 or 1 across the swept line. */
typedef struct zm_blocks_donors {
    zm_local_offset axis, diagonal;
} zm_blocks_donors;

static inline zm_blocks_donors zm_blocks_donors_of(uint8_t code)
{
    const int16_t n = code & 1 ? 1 : -1, side = code & ZM_CODE_BACK ? -1 : 1;

    if (code & 2)
        return (zm_blocks_donors){ { n, 0 }, { n, side } };
    return (zm_blocks_donors){ { 0, n }, { side, n } };
}

/** Fills record->order from record->code. */
void zm_blocks_order_find(const zm_solver *s, zm_workspace *w, zm_blocks_record *record);

/** value = W value + value, with W the weights of the donors: all cells that have none keep
 *  theirs.  False: cells that are donors of each other did not settle. */
bool zm_blocks_pull(const zm_solver *s, zm_workspace *w, const zm_blocks_record *record,
                    double *value);

/** Functions of zm_engine. */
zm_status zm_blocks_prepare(const zm_engine_view *view, bool derivatives, zm_error *err);
zm_status zm_blocks_adjoint(const zm_engine_view *view, double *lambda,
                            const zm_gradient *out, zm_error *err);
zm_status zm_blocks_tangent(const zm_engine_view *view, const zm_direction *direction,
                            double *value, zm_error *err);

#endif
