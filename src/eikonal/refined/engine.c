/* SPDX-License-Identifier: Apache-2.0
 * The engine of second and third order on blocks. */
#include "eikonal/refined/engine.h"

#include <math.h>

#include "core/memory.h"
#include "eikonal/blocks/engine.h"
#include "eikonal/blocks/graph.h"
#include "eikonal/local/triangle.h"
#include "eikonal/problem/unit.h"

static const char *cannot(const zm_solver *s, const zm_problem *problem)
{
    if (problem && problem->n_intervals > 0)
        return "take metrics that do not change with time";
    if (s->scheme.order < 2)
        return "are of second and third order";
    if (!isinf(s->scheme.factor_radius))
        return "factor the source out everywhere";
    if (s->scheme.periodic_x || s->scheme.periodic_y)
        return "do not close the grid";
    if (!problem)
        return NULL;
    return zm_problem_check_whole(problem, NULL) == ZM_OK
               ? NULL
               : "take sources in the middle of cells";
}

static void workspace_destroy(const zm_solver *s, zm_engine_part *part)
{
    zm_release(&s->mem, ((zm_refined_work *)part)->scratch);
    zm_release(&s->mem, part);
}

static zm_engine_part *workspace_create(const zm_solver *s)
{
    const size_t bytes = zm_refined_kernel_of(s->kernel)->scratch_bytes;
    zm_refined_work *w = zm_zalloc(&s->mem, 1, sizeof *w);

    if (w && !(w->scratch = zm_zalloc(&s->mem, 1, bytes))) {
        workspace_destroy(s, &w->part);
        return NULL;
    }
    if (w)
        w->part.bytes = sizeof *w + bytes;
    return (zm_engine_part *)w;
}

static void record_destroy(const zm_solver *s, zm_engine_part *part)
{
    zm_refined_part *r = (zm_refined_part *)part;

    zm_release(&s->mem, r->changes);
    zm_release(&s->mem, r->sources);
    zm_release(&s->mem, r->label);
    zm_release(&s->mem, r->weight);
    zm_release(&s->mem, r->code);
    zm_release(&s->mem, r->g.sequence);
    zm_release(&s->mem, r->g.blocks);
    zm_release(&s->mem, r->g.rest);
    zm_release(&s->mem, r->g.first);
    zm_release(&s->mem, r);
}

static bool record_fill(const zm_solver *s, zm_refined_part *r)
{
    zm_refined_grid *g = &r->g;
    const size_t down = (size_t)g->blocks_down * ZM_BLOCK + (size_t)2 * ZM_REFINED_PAD;
    const size_t blocks = (size_t)g->blocks_down * (size_t)g->blocks_across;
    size_t *bytes = &r->part.bytes;

    return zm_take(&s->mem, bytes, &g->first, down * g->stride, sizeof *g->first) &&
           zm_take(&s->mem, bytes, &g->rest, down * g->stride, sizeof *g->rest) &&
           zm_take(&s->mem, bytes, &g->blocks, blocks, sizeof *g->blocks) &&
           zm_take(&s->mem, bytes, &g->sequence, s->cells, sizeof *g->sequence) &&
           zm_take(&s->mem, bytes, &r->code, s->cells, sizeof *r->code) &&
           zm_take(&s->mem, bytes, &r->weight, s->cells, sizeof *r->weight);
}

static zm_engine_part *record_create(const zm_solver *s)
{
    zm_refined_part *r = zm_zalloc(&s->mem, 1, sizeof *r);

    if (!r)
        return NULL;
    r->part.bytes = sizeof *r;
    r->g = (zm_refined_grid){ .rows = s->grid.rows,
                              .cols = s->grid.cols,
                              .blocks_down = zm_blocks_down(s->grid),
                              .blocks_across = zm_blocks_across(s->grid),
                              .order = s->scheme.order };
    r->g.stride = (size_t)r->g.blocks_across * ZM_BLOCK + (size_t)2 * ZM_REFINED_PAD;
    if (record_fill(s, r))
        return &r->part;
    record_destroy(s, &r->part);
    return NULL;
}

/* Higher differences see their donor at 2/3 or 6/11 of its offset. */
static zm_node node(const zm_engine_view *v, size_t cell)
{
    const zm_refined_part *r = zm_refined_part_of(v->record);
    const size_t cols = (size_t)r->g.cols;
    const uint8_t code = r->code[cell];
    const double time = zm_plane_value(v->T, v->s->dtype, cell);
    zm_node n = { .kind = ZM_NODE_UNREACHED,
                  .time = time / v->record->unit,
                  .rank = r->g.first[zm_refined_at(&r->g, (int64_t)(cell / cols),
                                                   (int64_t)(cell % cols))],
                  .metric = zm_local_fold(zm_metric_at(&v->problem->metric, cell),
                                          zm_unit_grid(v->s->grid, v->record->unit)) };

    if (isinf(time) || code == ZM_REFINED_UNREACHED)
        return n;
    n.source = (int32_t)zm_refined_source_of(&r->g, cell);
    if (code & ZM_REFINED_NONE) {
        const zm_refined_source *from = &r->g.sources[n.source];
        const zm_refined_away d = zm_refined_away_of(&r->g, cell);

        n.kind = ZM_NODE_SOURCE;
        n.x = d.x;
        n.y = d.y;
        n.source_metric = from->metric;
        return n;
    }
    const zm_blocks_donors d = zm_blocks_donors_of(code & 7);
    const double w = r->weight[cell];

    n.kind = ZM_NODE_DONORS;
    n.m[0] = code & ZM_REFINED_AXIS ? d.axis : d.diagonal;
    n.m[1] = code & ZM_REFINED_DIAGONAL ? d.diagonal : d.axis;
    n.w = code & (ZM_REFINED_AXIS | ZM_REFINED_DIAGONAL) ? 1 : w;
    n.heavier = n.w < 0.5;
    n.x = -(w * d.diagonal.x + (1 - w) * d.axis.x);
    n.y = -(w * d.diagonal.y + (1 - w) * d.axis.y);
    return n;
}

static void clear(const zm_engine_view *v, double *values)
{
    for (size_t i = 0; i < v->s->cells; i++)
        if (isinf(zm_plane_value(v->T, v->s->dtype, i)))
            values[i] = 0.0;
}

const zm_engine zm_refined_engine = {
    .name = "refined blocks",
    .method = ZM_SOLVED_BY_REFINED_BLOCKS,
    .cannot = cannot,
    .workspace_create = workspace_create,
    .workspace_destroy = workspace_destroy,
    .record_create = record_create,
    .record_destroy = record_destroy,
    .solve = zm_refined_solve,
    .prepare = zm_refined_prepare,
    .node = node,
    .clear = clear,
    .adjoint = zm_refined_adjoint,
    .tangent = zm_refined_tangent,
};
