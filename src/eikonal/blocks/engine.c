/* SPDX-License-Identifier: Apache-2.0
 * The engine of active blocks with the eight neighbours. */
#include "eikonal/blocks/engine.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/blocks/graph.h"
#include "eikonal/local/triangle.h"
#include "eikonal/problem/unit.h"

/* Coefficients of recently visited blocks are kept: a block is visited two or three times in
 * short order.  More than this would leave the second-level cache. */
enum { COEF_CACHE_BYTES = 1536 << 10, LEAST_SLOTS = 4 };

const char *zm_blocks_cannot(const zm_solver *s, const zm_problem *problem)
{
    if (s->scheme.order > 1)
        return "are of first order";
    if (s->scheme.factor_radius > 0)
        return "do not factor sources out";
    if (s->scheme.periodic_x || s->scheme.periodic_y)
        return "do not close the grid";
    if (!problem)
        return NULL;
    if (problem->n_intervals > 0)
        return "take metrics that do not change with time";
    return zm_problem_check_whole(problem, NULL) == ZM_OK
               ? NULL
               : "take sources in the middle of cells";
}

static void workspace_destroy(const zm_solver *s, zm_engine_part *part)
{
    zm_blocks_work *w = (zm_blocks_work *)part;

    zm_release(&s->mem, w->zero_row);
    zm_release(&s->mem, w->queue.key);
    zm_release(&s->mem, w->queue.place);
    zm_release(&s->mem, w->queue.heap);
    zm_release(&s->mem, w->busy);
    zm_release(&s->mem, w->blocks);
    zm_release(&s->mem, w->worker.block_of_slot);
    zm_release(&s->mem, w->worker.slot_of_block);
    zm_release(&s->mem, w->worker.scratch);
    zm_release(&s->mem, w->worker.coefs);
    zm_release(&s->mem, w);
}

static bool workspace_fill(const zm_solver *s, zm_blocks_work *w)
{
    const size_t blocks =
        (size_t)zm_blocks_down(s->grid) * (size_t)zm_blocks_across(s->grid);
    const size_t row = (size_t)s->grid.cols + ZM_BLOCK;
    size_t slots = COEF_CACHE_BYTES / s->kernel->coef_bytes, *bytes = &w->part.bytes;

    slots = slots > blocks ? blocks : slots;
    slots = slots < LEAST_SLOTS ? LEAST_SLOTS : slots;
    w->worker.n_slots = (int32_t)slots;
    w->zero_row = zm_zalloc(&s->mem, row, zm_dtype_size(s->dtype));
    *bytes = sizeof *w + row * zm_dtype_size(s->dtype);
    return w->zero_row &&
           zm_take(&s->mem, bytes, &w->worker.coefs, slots, s->kernel->coef_bytes) &&
           zm_take(&s->mem, bytes, &w->worker.scratch, 1, s->kernel->scratch_bytes) &&
           zm_take(&s->mem, bytes, &w->worker.slot_of_block, blocks, sizeof(int32_t)) &&
           zm_take(&s->mem, bytes, &w->worker.block_of_slot, slots, sizeof(int32_t)) &&
           zm_take(&s->mem, bytes, &w->blocks, blocks, sizeof *w->blocks) &&
           zm_take(&s->mem, bytes, &w->busy, blocks, sizeof *w->busy) &&
           zm_take(&s->mem, bytes, &w->queue.heap, blocks, sizeof *w->queue.heap) &&
           zm_take(&s->mem, bytes, &w->queue.place, blocks, sizeof *w->queue.place) &&
           zm_take(&s->mem, bytes, &w->queue.key, blocks, sizeof *w->queue.key);
}

static zm_engine_part *workspace_create(const zm_solver *s)
{
    zm_blocks_work *w = zm_zalloc(&s->mem, 1, sizeof *w);

    if (w && !workspace_fill(s, w)) {
        workspace_destroy(s, &w->part);
        w = NULL;
    }
    return (zm_engine_part *)w;
}

static void record_destroy(const zm_solver *s, zm_engine_part *part)
{
    zm_blocks_record *r = (zm_blocks_record *)part;

    zm_release(&s->mem, r->policy_T);
    zm_release(&s->mem, r->order);
    zm_release(&s->mem, r->offset);
    zm_release(&s->mem, r->code);
    zm_release(&s->mem, r->blocks);
    zm_release(&s->mem, r);
}

static zm_engine_part *record_create(const zm_solver *s)
{
    const size_t blocks =
        (size_t)zm_blocks_down(s->grid) * (size_t)zm_blocks_across(s->grid);
    zm_blocks_record *r = zm_zalloc(&s->mem, 1, sizeof *r);

    if (!r)
        return NULL;
    r->part.bytes = sizeof *r;
    if (!zm_take(&s->mem, &r->part.bytes, &r->blocks, blocks, sizeof *r->blocks) ||
        !zm_take(&s->mem, &r->part.bytes, &r->code, s->cells, sizeof *r->code) ||
        !zm_take(&s->mem, &r->part.bytes, &r->offset, s->cells,
                 zm_dtype_size(s->dtype)) ||
        !zm_take(&s->mem, &r->part.bytes, &r->order, s->cells + 1, sizeof *r->order)) {
        record_destroy(s, &r->part);
        return NULL;
    }
    return &r->part;
}

static zm_blocks_kind kind_of(const zm_metric *m)
{
    if (m->b1 || m->b2)
        return ZM_BLOCKS_RANDERS;
    return m->g12 || m->g22 ? ZM_BLOCKS_STILL : ZM_BLOCKS_ISOTROPIC;
}

zm_blocks_grid zm_blocks_grid_of(const zm_solver *s, const zm_blocks_work *work,
                                 const zm_blocks_record *record,
                                 const zm_problem *problem, const void *T,
                                 double time_unit)
{
    const zm_metric *m = &problem->metric;
    const void *planes[5] = { m->g11, m->g12, m->g22 ? m->g22 : m->g11, m->b1, m->b2 };
    const double x = s->grid.dx / time_unit, y = s->grid.dy / time_unit;
    zm_blocks_grid g = { .rows = s->grid.rows,
                         .cols = s->grid.cols,
                         .blocks_down = zm_blocks_down(s->grid),
                         .blocks_across = zm_blocks_across(s->grid),
                         .scale = { x * x, x * y, y * y, x, y },
                         .unscale = { x * s->grid.dx, x * s->grid.dy, y * s->grid.dy,
                                      s->grid.dx, s->grid.dy },
                         .kind = kind_of(m),
                         .walls = problem->walls,
                         .T = (void *)(uintptr_t)T,
                         .per_time = 1.0 / time_unit,
                         .blocks = work->blocks,
                         .records = record->blocks };

    for (int k = 0; k < 5; k++) {
        g.plane[k] = planes[k] ? planes[k] : work->zero_row;
        g.stride[k] = planes[k] ? (size_t)s->grid.cols : 0;
    }
    return g;
}

/* The front came from (t, n), with |t| the weight of the diagonal donor. */
static zm_node node(const zm_engine_view *v, size_t cell)
{
    const zm_blocks_record *r = zm_engine_record_part(v->record, &zm_blocks_engine);
    const uint8_t code = r->code[cell];
    const zm_blocks_donors d = zm_blocks_donors_of(code);
    const double t = zm_plane_value(r->offset, v->s->dtype, cell);
    const double time = zm_plane_value(v->T, v->s->dtype, cell) / v->record->unit;
    zm_node n = { .kind = ZM_NODE_DONORS,
                  .m = { d.diagonal, d.axis },
                  .w = fabs(t),
                  .heavier = fabs(t) > 0.5 ? 0 : 1,
                  .x = code & 2 ? -d.axis.x : -t,
                  .y = code & 2 ? -t : -d.axis.y,
                  .time = time,
                  .rank = time,
                  .source = ZM_SOURCE_OF_CELL,
                  .metric =
                      zm_local_fold(zm_metric_at(&v->problem->metric, cell),
                                    zm_unit_grid(v->s->grid, v->record->unit)) };

    if (isinf(time) || code & ZM_CODE_NONE) {
        n.kind =
            code == ZM_CODE_SOURCE && !isinf(time) ? ZM_NODE_SOURCE : ZM_NODE_UNREACHED;
        n.x = n.y = 0;
        n.source_metric = n.metric;
    } else if (code & (ZM_CODE_AXIS | ZM_CODE_DIAGONAL)) {
        n.m[0] = n.m[1] = code & ZM_CODE_AXIS ? d.axis : d.diagonal;
        n.w = 1;
        n.heavier = 0;
    }
    return n;
}

/* Whether none of eight codes is ZM_CODE_UNREACHED: all bits set. */
static inline bool none_unreached(const uint8_t *code)
{
    const uint64_t low = 0x7F7F7F7F7F7F7F7Fu;
    uint64_t eight;

    memcpy(&eight, code, sizeof eight);
    return !(((eight & low) + 0x0101010101010101u) & eight & ~low);
}

static void clear(const zm_engine_view *v, double *values)
{
    const zm_blocks_record *r = zm_engine_record_part(v->record, &zm_blocks_engine);

    for (size_t i = 0; i < v->s->cells; i++) {
        if (!r->has_late && v->s->cells - i >= 8 && none_unreached(r->code + i)) {
            i += 7;
            continue;
        }
        if (r->code[i] == ZM_CODE_UNREACHED ||
            (r->has_late && isinf(zm_plane_value(v->T, v->s->dtype, i))))
            values[i] = 0.0;
    }
}

const zm_engine zm_blocks_engine = {
    .name = "blocks",
    .method = ZM_SOLVED_BY_BLOCKS,
    .cannot = zm_blocks_cannot,
    .workspace_create = workspace_create,
    .workspace_destroy = workspace_destroy,
    .record_create = record_create,
    .record_destroy = record_destroy,
    .solve = zm_blocks_solve,
    .prepare = zm_blocks_prepare,
    .node = node,
    .clear = clear,
    .adjoint = zm_blocks_adjoint,
    .tangent = zm_blocks_tangent,
};
