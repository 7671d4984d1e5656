/* SPDX-License-Identifier: Apache-2.0
 * Maps of the winning triangles, in the numbering of the paper, and shares of their kinds. */
#include "core/fail.h"
#include "eikonal/record/view.h"
#include "zermelo/diagnose.h"

enum { NOT_A_NEIGHBOUR = 255 };

static uint8_t neighbour_of(zm_local_offset m)
{
    static const uint8_t number[3][3] = { { 0, 7, 6 },
                                          { 1, NOT_A_NEIGHBOUR, 5 },
                                          { 2, 3, 4 } };

    return m.x < -1 || m.x > 1 || m.y < -1 || m.y > 1 ? NOT_A_NEIGHBOUR
                                                      : number[m.y + 1][m.x + 1];
}

/* Code of a cell, and the weight of its first donor: the one with the triangle's own number,
 * or where there is none that which comes last counter-clockwise in (x, y). */
static uint8_t code_of(const zm_node *n, double *weight)
{
    const uint8_t a = neighbour_of(n->m[0]), b = neighbour_of(n->m[1]);
    const bool one = n->m[0].x == n->m[1].x && n->m[0].y == n->m[1].y;
    const bool wide = a == NOT_A_NEIGHBOUR || b == NOT_A_NEIGHBOUR;

    *weight = 0;
    if (n->kind == ZM_NODE_UNREACHED)
        return ZM_STENCIL_UNREACHED;
    if (n->kind == ZM_NODE_SOURCE)
        return ZM_STENCIL_SOURCE;
    *weight = 1;
    if (one)
        return wide ? ZM_STENCIL_WIDE_ONE_POINT : (uint8_t)(ZM_STENCIL_ONE_POINT + a);
    *weight = !wide && (a + 1) % 8 == b ? n->w : 1 - n->w;
    return wide ? ZM_STENCIL_WIDE : (a + 1) % 8 == b ? a : b;
}

zm_status zm_stencils(zm_solver *solver, size_t slot, const zm_problem *problem,
                      const void *T, uint8_t *codes, double *weights, zm_error *err)
{
    zm_engine_view view;

    ZM_TRY(zm_record_open(&view, solver, slot, ZM_RECORD_ALL_THREADS, problem, T, false,
                          err));
    for (size_t i = 0; i < solver->cells; i++) {
        const zm_node node = zm_record_node(&view, i);
        double weight;
        const uint8_t code = code_of(&node, &weight);

        if (codes)
            codes[i] = code;
        if (weights)
            weights[i] = weight;
    }
    return ZM_OK;
}

zm_stencil_share zm_stencil_count(const uint8_t *codes, size_t n)
{
    zm_stencil_share share = { 0 };

    for (size_t i = 0; i < n; i++) {
        if (codes[i] == ZM_STENCIL_UNREACHED)
            share.unreached++;
        else if (codes[i] == ZM_STENCIL_SOURCE)
            share.sources++;
        else if (codes[i] >= ZM_STENCIL_ONE_POINT && codes[i] != ZM_STENCIL_WIDE)
            share.one_point++;
        else
            share.two_point++;
    }
    return share;
}
