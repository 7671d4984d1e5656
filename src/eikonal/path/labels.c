/* SPDX-License-Identifier: Apache-2.0
 * Which source the front that came to each cell set out from. */
#include "core/fail.h"
#include "eikonal/path/trace.h"
#include "zermelo/path.h"

/* Labels under construction: not looked at; a donor being followed; both have been. */
enum { UNKNOWN = -2, FIRST = -3, SECOND = -4, NOWHERE = -5 };

/* When the front that came to a donor goes on to the cell. */
static double time_from(const zm_path_trail *trail, size_t cell, const zm_node *n,
                        int i)
{
    const int32_t cols = trail->ground.grid.cols;
    const int32_t row = (int32_t)cell / cols, col = (int32_t)cell % cols;
    const zm_local_offset m = zm_path_trail_offset(n, i);
    zm_path_passing by = { 0, 0, 0 };

    zm_path_passing_by(trail, row + m.y, col + m.x, (zm_path_place){ col, row }, &by);
    return by.time;
}

/* Label of a cell, both of whose donors have theirs if they ever will: where fronts of two
 * sources meet, that of the one which alone would come first. */
static int32_t label_of(const zm_path_trail *trail, size_t cell, const zm_node *n,
                        const int32_t *labels)
{
    const int32_t first = labels[zm_path_trail_donor(trail, cell, n, 0)];
    const int32_t second = labels[zm_path_trail_donor(trail, cell, n, 1)];

    if (first < 0 || second < 0)
        return first < 0 ? second : first;
    return first != second &&
                   time_from(trail, cell, n, 1) < time_from(trail, cell, n, 0)
               ? second
               : first;
}

/* Follows donors from a cell to those whose labels are known, the heavier ones first.  A cell
 * on a cycle of donors, which hardly exists, may be left NOWHERE. */
static void label_from(const zm_path_trail *trail, uint32_t first, int32_t *labels,
                       uint32_t *stack)
{
    size_t depth = 0;

    stack[depth++] = first;
    while (depth > 0) {
        const uint32_t cell = stack[depth - 1];
        const zm_node n = zm_path_trail_node(trail, cell);

        if (labels[cell] == SECOND) {
            const int32_t label = label_of(trail, cell, &n, labels);

            labels[cell] = label >= 0 ? label : NOWHERE;
            depth--;
        } else {
            const size_t donor =
                zm_path_trail_donor(trail, cell, &n, labels[cell]-- == FIRST);

            if (labels[donor] == UNKNOWN)
                stack[depth++] = (uint32_t)donor;
        }
    }
}

/* Sources and what the engine knows first, then along the donors.  Cells that only lead to
 * others under way are tried again when these are known. */
static void labels_fill(const zm_path_trail *trail, int32_t *labels)
{
    const zm_solver *s = trail->view.s;
    uint32_t *winner = (uint32_t *)(void *)s->workspaces->scratch;
    uint32_t *stack = (uint32_t *)(void *)s->workspaces->lambda;
    size_t left = s->cells, before;

    zm_source_winners(s->grid, trail->view.problem, winner);
    for (size_t i = 0; i < s->cells; i++) {
        const zm_node n = zm_path_trail_node(trail, i);

        labels[i] = n.kind == ZM_NODE_UNREACHED     ? -1
                    : n.source != ZM_SOURCE_OF_CELL ? n.source
                    : n.kind == ZM_NODE_SOURCE      ? (int32_t)winner[i]
                                                    : UNKNOWN;
    }
    do {
        before = left;
        left = 0;
        for (uint32_t i = 0; i < s->cells; i++)
            if (labels[i] <= UNKNOWN) {
                labels[i] = UNKNOWN;
                label_from(trail, i, labels, stack);
                left += labels[i] < 0;
            }
    } while (left > 0 && left < before);
    for (size_t i = 0; left > 0 && i < s->cells; i++)
        labels[i] = labels[i] < 0 ? -1 : labels[i];
}

zm_status zm_labels(zm_solver *solver, size_t slot, const zm_problem *problem,
                    const void *T, int32_t *labels, zm_error *err)
{
    zm_path_trail trail;
    const zm_status st = zm_path_trail_open(&trail, solver, slot, problem, T, err);

    if (st != ZM_OK)
        return st;
    if (!labels)
        return zm_fail(err, ZM_E_ARG, -1, "labels is NULL");
    labels_fill(&trail, labels);
    return ZM_OK;
}
