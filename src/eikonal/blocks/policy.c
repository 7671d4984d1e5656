/* SPDX-License-Identifier: Apache-2.0
 * Policy iteration (Howard 1960): the end of a solve that sweeps would take too long for.
 *
 * In metrics that the eight neighbours are not causal for, cells are donors of each other round
 * and round, and sweeps close in on the fixed point T = min over policies of (W T + c) only by
 * some share each time.  A policy is the choice of a triangle and of a weight in every cell; for
 * a fixed one the equation is linear, and the adjoint's order of donors solves it.  From times
 * that are upper bounds, each of which some triangle attains,
 *
 *     choose the triangle and weight that are best for the times of now,
 *     solve T = W T + c for these
 *
 * never makes a time later, and closes in as Newton's method does. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/blocks/graph.h"
#include "eikonal/local/corners.h"
#include "eikonal/local/triangle.h"

/* Choices before it gives up; some ten are usual. */
enum { MOST_CHOICES = 1000 };

/* A cell keeps its triangle where none is better by this share of its time: rounding. */
static const double LEAST_CHANGE = 4e-15;

/* Changes this small that do not shrink any more are rounding in needle-like metrics. */
static const double NOISE = 1e-9;

typedef struct policy {
    const zm_blocks_run *run;
    zm_blocks_record *record;
    zm_grid grid; /* with the spacing in the unit of the solve */
    double *T;
    double latest; /* later times do not matter */
} policy;

static uint32_t *reached_bits(const policy *p, size_t cell, uint32_t *bit)
{
    const size_t cols = (size_t)p->grid.cols, row = cell / cols, col = cell % cols;
    const size_t block =
        row / ZM_BLOCK * (size_t)p->run->g.blocks_across + col / ZM_BLOCK;

    *bit = (uint32_t)1 << (col % ZM_BLOCK);
    return &p->record->blocks[block].reached[row % ZM_BLOCK];
}

static zm_cell_metric metric_of(const policy *p, size_t cell)
{
    return zm_local_fold(zm_metric_at(&p->run->of->problem->metric, cell), p->grid);
}

/* Code of the triangle k with weight w of its first donor, and where the point between the
 * donors is on their line.  Of the donors k and k + 1 the odd one is the axis donor. */
static uint8_t code_of(int k, double w, double *t)
{
    static const uint8_t from[8] = {
        [1] = ZM_FROM_W, [3] = ZM_FROM_S, [5] = ZM_FROM_E, [7] = ZM_FROM_N
    };
    const int next = (k + 1) & 7, axis = k & 1 ? k : next, diagonal = k & 1 ? next : k;
    const double share = k & 1 ? 1 - w : w; /* of the diagonal donor */
    const int side = from[axis] & 2 ? zm_local_neighbour_y[diagonal]
                                    : zm_local_neighbour_x[diagonal];

    *t = side * share;
    return (uint8_t)(from[axis] | (side < 0 && share > 0 ? ZM_CODE_BACK : 0) |
                     (share <= 0   ? ZM_CODE_AXIS
                      : share >= 1 ? ZM_CODE_DIAGONAL
                                   : 0));
}

/* The best triangle of a cell for the times of now; by what share it would be earlier. */
static double choose(const policy *p, int32_t row, int32_t col)
{
    const size_t cell = (size_t)row * (size_t)p->grid.cols + (size_t)col;
    const uint8_t *walls = p->run->of->problem->walls;
    const double now = p->T[cell];
    uint32_t bit, *reached = reached_bits(p, cell, &bit);
    const bool starts = now < (double)INFINITY && !(*reached & bit);
    double around[8], t = 0, change = 0;
    zm_local_winner best = { .k = -1 };
    uint8_t code = starts ? ZM_CODE_SOURCE : ZM_CODE_UNREACHED;

    for (int k = 0; k < 8; k++) {
        const int32_t y = row + zm_local_neighbour_y[k],
                      x = col + zm_local_neighbour_x[k];

        around[k] = y >= 0 && y < p->grid.rows && x >= 0 && x < p->grid.cols
                        ? p->T[cell + (size_t)((ptrdiff_t)zm_local_neighbour_y[k] *
                                                   p->grid.cols +
                                               zm_local_neighbour_x[k])]
                        : (double)INFINITY;
    }
    zm_local_block_corners(around, zm_local_blocked_corners(p->grid, walls, row, col));
    if (!walls || !walls[cell]) {
        const zm_local_cell s = zm_local_cell_make(metric_of(p, cell));

        best = zm_local_best(&s, around,
                             starts ? now * (1 - LEAST_CHANGE) : (double)INFINITY);
    }
    if (best.k >= 0 && (now < (double)INFINITY || best.update.T0 <= p->latest)) {
        code = code_of(best.k, best.update.w, &t);
        change = now < (double)INFINITY ? (now - best.update.T0) / now : 1;
        *reached |= bit;
    }
    p->record->code[cell] = code;
    zm_plane_store(p->record->offset, p->run->s->dtype, cell, t);
    return change;
}

/* Chooses in every cell; the largest share by which one would be earlier. */
static double choose_all(const policy *p)
{
    double largest = 0;

    for (int32_t row = 0; row < p->grid.rows; row++)
        for (int32_t col = 0; col < p->grid.cols; col++)
            largest = fmax(largest, choose(p, row, col));
    return largest;
}

/* c of the policy, |m|_G + m.b, in the place of the times of all cells that have donors. */
static void costs_fill(const policy *p)
{
    for (size_t cell = 0; cell < p->run->s->cells; cell++) {
        const uint8_t code = p->record->code[cell];

        if (code & ZM_CODE_NONE)
            continue;
        const zm_cell_metric m = metric_of(p, cell);
        const double t = zm_plane_value(p->record->offset, p->run->s->dtype, cell);
        const double n = code & 1 ? 1 : -1;
        const double x = code & 2 ? n : t, y = code & 2 ? t : n;

        p->T[cell] = sqrt(m.g11 * x * x + 2 * m.g12 * x * y + m.g22 * y * y) +
                     m.b1 * x + m.b2 * y;
    }
}

/* Sweeps leave times that are upper bounds to rounding.  Raised by a share they are so for sure,
 * since F(s T) <= s F(T) for s > 1; sources start when they do. */
static const double RAISED = 1e-4;

static bool times_open(const zm_blocks_run *run, zm_blocks_record *r)
{
    if (!r->policy_T && !zm_take(&run->s->mem, &r->part.bytes, &r->policy_T,
                                 run->s->cells, sizeof *r->policy_T))
        return false;
    return true;
}

/* Whether a change is no more than rounding: as small as that of the sweeps, or small and no
 * longer shrinking. */
static bool is_settled(double change, double before)
{
    return change <= LEAST_CHANGE || (change <= NOISE && change > 0.5 * before);
}

zm_status zm_blocks_policy(zm_blocks_run *run, double latest, zm_error *err)
{
    zm_blocks_record *r = run->record;
    double *bound = run->of->workspaces->lambda;
    double before = (double)INFINITY, change = before;
    bool settled = false;

    if (!times_open(run, r))
        return zm_fail(err, ZM_E_NOMEM, -1,
                       "no memory to settle cells that are donors "
                       "of each other");
    const policy p = { run,
                       r,
                       { run->g.rows, run->g.cols, run->g.scale[3], run->g.scale[4] },
                       r->policy_T,
                       latest };

    for (size_t cell = 0; cell < run->s->cells; cell++) {
        const double T = zm_plane_value(run->g.T, run->s->dtype, cell);
        uint32_t bit, *reached = reached_bits(&p, cell, &bit);

        p.T[cell] = *reached & bit ? T * (1 + RAISED) : T;
    }
    for (int i = 0; i < MOST_CHOICES; i++) {
        before = change;
        change = choose_all(&p);
        run->choices++;
        if ((settled = is_settled(change, before)))
            break;
        zm_blocks_order_find(run->s, run->of->workspaces, r);
        memcpy(bound, p.T, run->s->cells * sizeof *bound);
        costs_fill(&p);
        zm_blocks_pull(run->s, run->of->workspaces, r, p.T);
        /* where cells cost less than rounding of their times, a policy may go in circles */
        for (size_t cell = 0; cell < run->s->cells; cell++)
            p.T[cell] = p.T[cell] < bound[cell] ? p.T[cell] : bound[cell];
    }
    for (size_t i = 0; i < run->s->cells; i++)
        zm_plane_store(run->g.T, run->s->dtype, i, p.T[i]);
    return settled ? ZM_OK : ZM_NOT_CONVERGED;
}
