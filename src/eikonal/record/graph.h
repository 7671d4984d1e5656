/* SPDX-License-Identifier: Apache-2.0
 * The graph of donors that a solve leaves, in an order in which every cell comes before
 * its donors. */
#ifndef ZM_ADJOINT_GRAPH_H
#define ZM_ADJOINT_GRAPH_H

#include "core/fail.h"
#include "eikonal/solver.h"

/* Entries of zm_record.order are cells; those on a cycle of donors stand together. */
#define ZM_ORDER_CYCLIC 0x80000000u /* on a cycle */
#define ZM_ORDER_LAST 0x40000000u   /* ... and the last of its strongly connected part */
#define ZM_ORDER_CELL 0x3FFFFFFFu

/** Steps from a cell to its donors, by stencil code.  A donor without weight is replaced by
 *  the other one, so that both are always inside the grid. */
typedef struct zm_donor_steps {
    ptrdiff_t axis[32], diagonal[32];
} zm_donor_steps;

zm_donor_steps zm_donor_steps_of(int32_t cols);

/** Works out stencils and order of a record, as far as that has not been done, with
 *  lanes[0 .. threads). */
void zm_graph_prepare(zm_solver *s, zm_lane *lanes, zm_record *record,
                      const zm_problem *problem, const void *T, int32_t threads);

/** The stencils only. */
void zm_graph_stencils(zm_solver *s, zm_lane *lanes, zm_record *record,
                       const zm_problem *problem, const void *T, int32_t threads);

/** Fills record->order from record->code. */
void zm_graph_order(const zm_solver *s, zm_lane *lane, zm_record *record);

/** lambda = (I - W')^-1 lambda: every cell gives its value to its donors by weight.
 *  False: a cycle did not settle. */
bool zm_graph_push(const zm_solver *s, zm_lane *lane, const zm_record *record,
                   double *lambda);

/** value = (I - W)^-1 value: every cell adds its donors' values by weight.  False: a cycle
 *  did not settle. */
bool zm_graph_pull(const zm_solver *s, zm_lane *lane, const zm_record *record,
                   double *value);

#endif
