/* SPDX-License-Identifier: Apache-2.0
 * A solve in two phases: first order on blocks, then once through its cells again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/blocks/bits.h"
#include "eikonal/blocks/solve.h"
#include "eikonal/problem/unit.h"
#include "eikonal/refined/engine.h"

/* Cells this near to the source start with the trapezoidal rule, where all of them are alike:
 * differences have nothing to look back at there.  The last ring takes more: its error is that of
 * the rule, and falls with the square of what the metric changes by. */
enum { START_REACH = 5 };
static const double ALIKE = 0.1, ALIKE_FAR = 0.01;

/* T1 is fixed to rounding only: a minimum nearer than this share of T1 to the edge of a
 * triangle lies on the edge.  Without it cells that two sweeps share jump between them. */
static const double TIE_F64 = 1e-10, TIE_F32 = 1e-6;

enum {
    PROGRESS_EVERY = 64,
    LOOK_BACK = 3 /* cells between a cell and its last donor */
};

/* Of the progress of both phases, the first has this share. */
static const double FIRST_SHARE = 0.4;

/* T = T_s + tau has lost six digits where T_s is so many times T. */
static const double MOST_OF_TIME = 1e6;

typedef struct refined_run {
    zm_engine_run *of;
    zm_refined_part *part;
    zm_refined_grid *g;
    zm_blocks_queue *queue;
} refined_run;

static int first_tell(void *ctx, double fraction)
{
    const zm_forward_opts *o = ctx;

    return o->progress(o->progress_ctx, FIRST_SHARE * fraction);
}

/* Phase one, as far as the front comes. */
static zm_outcome first_order(zm_engine_run *run, zm_error *err)
{
    zm_forward_opts given = *run->opts, opts = given;
    zm_engine_run first = *run;
    zm_outcome outcome;

    opts.t_max = (double)INFINITY;
    if (opts.progress) {
        opts.progress = first_tell;
        opts.progress_ctx = &given;
    }
    first.opts = &opts;
    outcome = zm_blocks_solve(&first, err);
    run->status = first.status;
    return outcome;
}

/* Room for n sources; false when out of memory, and then there is none. */
static bool sources_take(const zm_solver *s, zm_refined_part *r, size_t n)
{
    const size_t before =
        r->part.bytes - r->room_sources * (sizeof *r->sources + sizeof *r->changes);

    zm_release(&s->mem, r->sources);
    zm_release(&s->mem, r->changes);
    r->part.bytes = before;
    r->room_sources = 0;
    r->sources = NULL;
    r->changes = NULL;
    if (zm_take(&s->mem, &r->part.bytes, &r->sources, n, sizeof *r->sources) &&
        zm_take(&s->mem, &r->part.bytes, &r->changes, n, sizeof *r->changes)) {
        r->room_sources = n;
        return true;
    }
    zm_release(&s->mem, r->sources);
    r->sources = NULL;
    r->part.bytes = before;
    return false;
}

/* Room for the sources of the problem, and for labels if there are several. */
static zm_status sources_grow(const zm_solver *s, zm_refined_part *r, size_t n,
                              zm_error *err)
{
    const size_t field = r->g.stride * ((size_t)r->g.blocks_down * ZM_BLOCK +
                                        (size_t)2 * ZM_REFINED_PAD);

    if (n > r->room_sources && !sources_take(s, r, n))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu sources", n);
    if (n > 1 && !r->label &&
        !zm_take(&s->mem, &r->part.bytes, &r->label, field, sizeof *r->label))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for the labels of %zu cells",
                       s->cells);
    r->g.sources = r->sources;
    r->g.label = n > 1 ? r->label : NULL;
    r->n_sources = n;
    return ZM_OK;
}

/* The problem as the kernels see it; the fields are those of the record. */
static void grid_open(refined_run *run)
{
    const zm_solver *s = run->of->s;
    const zm_problem *problem = run->of->problem;
    const zm_blocks_work *work = zm_blocks_work_of(run->of->workspaces);
    const zm_blocks_record *first =
        zm_engine_record_part(run->of->record, &zm_blocks_engine);
    const zm_blocks_grid b =
        zm_blocks_grid_of(s, work, first, problem, run->of->T, run->of->record->unit);

    run->g->unit = run->of->record->unit;
    for (int k = 0; k < 5; k++) {
        run->g->plane[k] = b.plane[k];
        run->g->plane_stride[k] = b.stride[k];
        run->g->scale[k] = b.scale[k];
        run->g->unscale[k] = b.unscale[k];
    }
    run->g->single = s->dtype == ZM_F32;
    run->g->walls = problem->walls != NULL;
    run->g->tie = run->g->single ? TIE_F32 : TIE_F64;
    run->g->n_sequence = 0;
    run->g->evaluated = 0;
    run->part->start = zm_problem_start(problem);
    run->part->has_codes = false;
}

/* T1 into the padded field, tau unknown; around the grid nothing came. */
static void fields_open(refined_run *run)
{
    const zm_refined_grid *g = run->g;
    const double per_unit = 1 / run->g->unit, start = run->part->start;
    const zm_dtype dtype = run->of->s->dtype;
    const size_t down = (size_t)g->blocks_down * ZM_BLOCK + (size_t)2 * ZM_REFINED_PAD;

    for (size_t i = 0; i < down; i++) {
        const bool inside = i >= ZM_REFINED_PAD && i < (size_t)g->rows + ZM_REFINED_PAD;
        const size_t first = inside ? ZM_REFINED_PAD : g->stride,
                     end = inside ? first + (size_t)g->cols : g->stride;
        double *a = g->first + i * g->stride, *b = g->rest + i * g->stride;

        for (size_t c = 0; c < first; c++) {
            a[c] = (double)INFINITY;
            b[c] = 0;
        }
        for (size_t c = first; c < end; c++) {
            const size_t cell = (i - ZM_REFINED_PAD) * (size_t)g->cols + c - first;

            a[c] = (zm_plane_value(run->of->T, dtype, cell) - start) * per_unit;
            b[c] = (double)NAN;
        }
        for (size_t c = end; c < g->stride; c++) {
            a[c] = (double)INFINITY;
            b[c] = 0;
        }
    }
}

/* Columns of a row of a block that lie in the grid. */
static uint32_t inside(const zm_refined_grid *g, int32_t block, int32_t r)
{
    const int32_t row = block / g->blocks_across * ZM_BLOCK + r,
                  left = g->cols - block % g->blocks_across * ZM_BLOCK;

    return row >= g->rows     ? 0
           : left >= ZM_BLOCK ? ~(uint32_t)0
                              : ((uint32_t)1 << left) - 1;
}

/* Which sweep computes which cell: the one that won it in phase one. */
static void sweeps_open(refined_run *run)
{
    const zm_blocks_record *first =
        zm_engine_record_part(run->of->record, &zm_blocks_engine);

    for (int32_t i = 0; i < run->g->blocks_down * run->g->blocks_across; i++) {
        const zm_blocks_winners *w = &first->blocks[i];
        zm_refined_block *b = &run->g->blocks[i];
        uint32_t columns[ZM_BLOCK], by_column[ZM_BLOCK];

        memset(b, 0, sizeof *b);
        for (int r = 0; r < ZM_BLOCK; r++) {
            const uint32_t reached = w->reached[r] & inside(run->g, i, r);
            const uint32_t rows = reached & ~w->by_column[r];

            b->todo[ZM_FROM_N][r] = rows & ~w->from_south[r];
            b->todo[ZM_FROM_S][r] = rows & w->from_south[r];
            columns[r] = reached & w->by_column[r];
            b->left += __builtin_popcount(reached);
        }
        zm_blocks_transpose(columns, by_column);
        for (int c = 0; c < ZM_BLOCK; c++) {
            b->todo[ZM_FROM_W][c] = by_column[c] & ~w->from_east[c];
            b->todo[ZM_FROM_E][c] = by_column[c] & w->from_east[c];
        }
    }
}

/* The metric of a cell in the unit of the kernels. */
static zm_cell_metric metric_of(const zm_refined_grid *g, size_t row, size_t col)
{
    double m[5];

    for (int k = 0; k < 5; k++)
        m[k] = zm_plane_value(g->plane[k], g->single ? ZM_F32 : ZM_F64,
                              row * g->plane_stride[k] + col) *
               g->scale[k];
    return (zm_cell_metric){ m[0], m[1], m[2], m[3], m[4] };
}

/* A cell at d from source i begins with (F_s(d) + F_x(d))/2, third order in d, if the front of
 * that source came to it. */
static void start_cell(refined_run *run, size_t i, int64_t row, int64_t col,
                       zm_refined_away d)
{
    zm_refined_grid *g = run->g;
    const int64_t block = row / ZM_BLOCK * g->blocks_across + col / ZM_BLOCK;
    const unsigned r = (unsigned)(row % ZM_BLOCK), c = (unsigned)(col % ZM_BLOCK);
    const size_t cell = (size_t)row * (size_t)g->cols + (size_t)col,
                 at = zm_refined_at(g, row, col);
    const zm_cell_metric own = metric_of(g, (size_t)row, (size_t)col);
    zm_refined_block *b = &g->blocks[block];
    uint32_t *const todo[4] = { &b->todo[ZM_FROM_N][r], &b->todo[ZM_FROM_S][r],
                                &b->todo[ZM_FROM_W][c], &b->todo[ZM_FROM_E][c] };
    const uint32_t bit[4] = { (uint32_t)1 << c, (uint32_t)1 << c, (uint32_t)1 << r,
                              (uint32_t)1 << r };

    if (isinf(g->first[at]) || zm_refined_source_of(g, cell) != i ||
        g->rest[at] == g->rest[at])
        return;
    g->rest[at] =
        (zm_refined_distance(&own, d) - zm_refined_distance(&g->sources[i].metric, d)) /
        2;
    for (int k = 0; k < 4; k++) {
        b->left -= (*todo[k] & bit[k]) != 0;
        *todo[k] &= ~bit[k];
    }
    g->sequence[g->n_sequence++] = (uint32_t)cell;
    zm_blocks_queue_push(run->queue, (int32_t)block, 0);
}

/* Whether the way from a source to a cell costs about the same with either's metric, up to the
 * share `most`, so that their mean is good, and no obstacle is there. */
static bool alike(const refined_run *run, const zm_refined_source *s, int64_t row,
                  int64_t col, double most)
{
    const zm_refined_grid *g = run->g;
    const uint8_t *walls = run->of->problem->walls;
    const zm_refined_away d = { (double)col - s->col, (double)row - s->row };
    const zm_cell_metric own = metric_of(g, (size_t)row, (size_t)col);
    const double there = zm_refined_distance(&s->metric, d),
                 here = zm_refined_distance(&own, d);

    return !(walls && walls[row * g->cols + col]) &&
           fabs(there - here) <= most * (there + here);
}

/* How far around a source all cells are like it. */
static int32_t start_reach(const refined_run *run, const zm_refined_source *s)
{
    int32_t reach = START_REACH;

    for (int32_t y = -reach; y <= reach; y++)
        for (int32_t x = -reach; x <= reach; x++) {
            const int64_t row = (int64_t)s->row + y, col = (int64_t)s->col + x;
            const int32_t far = abs(y) > abs(x) ? abs(y) : abs(x);

            if (far > 0 && far <= reach && row >= 0 && row < run->g->rows && col >= 0 &&
                col < run->g->cols &&
                !alike(run, s, row, col, far < START_REACH ? ALIKE : ALIKE_FAR))
                reach = far - 1;
        }
    return reach;
}

static int64_t within(int64_t i, int32_t n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* Into the queue: all blocks from which a cell that starts can be seen.  Cells of the source's own
 * block may wait for cells of these. */
static void blocks_near(refined_run *run, const zm_refined_source *s, int32_t reach)
{
    const zm_refined_grid *g = run->g;
    const int32_t far = reach + LOOK_BACK;

    for (int32_t y = -far; y <= far; y += far)
        for (int32_t x = -far; x <= far; x += far) {
            const int64_t row = within((int64_t)s->row + y, g->rows);
            const int64_t col = within((int64_t)s->col + x, g->cols);

            zm_blocks_queue_push(
                run->queue,
                (int32_t)(row / ZM_BLOCK * g->blocks_across + col / ZM_BLOCK), 0);
        }
}

/* The sources, and the cells around them that start.  ZM_OK, or ZM_E_SOURCE: another thread has
 * moved one since it was checked first. */
static zm_status start(refined_run *run, zm_error *err)
{
    const zm_refined_grid *g = run->g;
    const zm_problem *problem = run->of->problem;

    for (size_t i = 0; i < problem->n_sources; i++) {
        const zm_source given = problem->sources[i];
        zm_refined_source *s = &run->part->sources[i];
        int32_t reach;

        ZM_TRY(zm_source_check(run->of->s->grid, &given, i, NULL, err));
        *s = (zm_refined_source){ floor(given.row), floor(given.col),
                                  given.time / g->unit - run->part->start / g->unit,
                                  given.time / g->unit,
                                  metric_of(g, (size_t)given.row, (size_t)given.col) };
        reach = start_reach(run, s);
        for (int32_t y = -reach; y <= reach; y++)
            for (int32_t x = -reach; x <= reach; x++) {
                const int64_t row = (int64_t)s->row + y, col = (int64_t)s->col + x;

                if (y * y + x * x <= reach * reach && row >= 0 && row < g->rows &&
                    col >= 0 && col < g->cols)
                    start_cell(run, i, row, col, (zm_refined_away){ x, y });
            }
        blocks_near(run, s, reach);
    }
    return ZM_OK;
}

/* Earliest T1 at the border of a block: no cell inside comes before it, but in the block of the
 * source. */
static double border_time(const zm_refined_grid *g, int32_t block)
{
    const int64_t row = (int64_t)(block / g->blocks_across) * ZM_BLOCK;
    const int64_t col = (int64_t)(block % g->blocks_across) * ZM_BLOCK;
    const double *T = g->first + zm_refined_at(g, row, col);
    double least = (double)INFINITY;

    for (size_t i = 0; i < ZM_BLOCK; i++) {
        const double top = T[i], bottom = T[(ZM_BLOCK - 1) * g->stride + i];
        const double left = T[i * g->stride], right = T[i * g->stride + ZM_BLOCK - 1];
        const double a = top < bottom ? top : bottom, b = left < right ? left : right;

        least = a < least ? a : least;
        least = b < least ? b : least;
    }
    return least;
}

/* Blocks around one that has changed, which have cells left. */
static void tell_neighbours(refined_run *run, int32_t block, zm_refined_changes c)
{
    const zm_refined_grid *g = run->g;
    const uint32_t west = 7,
                   east = west << (ZM_BLOCK - 3); /* as far as a cell looks back */
    const int32_t ty = block / g->blocks_across, tx = block % g->blocks_across;

    for (int32_t dy = -1; dy <= 1; dy++)
        for (int32_t dx = -1; dx <= 1; dx++) {
            const int32_t next = block + dy * g->blocks_across + dx;
            uint32_t seen = dy < 0 ? c.top : dy > 0 ? c.bottom : c.all;

            seen &= dx < 0 ? west : dx > 0 ? east : ~(uint32_t)0;
            if ((dy || dx) && seen && ty + dy >= 0 && ty + dy < g->blocks_down &&
                tx + dx >= 0 && tx + dx < g->blocks_across && g->blocks[next].left)
                zm_blocks_queue_push(run->queue, next, border_time(g, next));
        }
}

/* Visits blocks until nothing more can be computed. */
static zm_status visits(refined_run *run, void *scratch, zm_error *err)
{
    const zm_refined_kernel *kernel = zm_refined_kernel_of(run->of->s->kernel);
    const zm_forward_opts *o = run->of->opts;
    const double cells = (double)run->of->s->cells;
    int32_t block;

    for (int64_t n = 1; (block = zm_blocks_queue_pop(run->queue)) >= 0; n++) {
        tell_neighbours(run, block, kernel->visit(run->g, scratch, block));
        if (o->progress && n % PROGRESS_EVERY == 0 &&
            o->progress(o->progress_ctx, FIRST_SHARE + (1 - FIRST_SHARE) *
                                                           (double)run->g->n_sequence /
                                                           cells))
            return zm_fail(err, ZM_E_CANCELLED, -1,
                           "cancelled by the progress callback");
    }
    return ZM_OK;
}

static bool cells_left(const zm_refined_grid *g)
{
    int64_t left = 0;

    for (int32_t i = 0; i < g->blocks_down * g->blocks_across; i++)
        left += g->blocks[i].left;
    return left != 0;
}

enum { MOST_AT_ONCE = 256 };

/* start + T_s + tau of n cells of a row from column `col` on, in the unit of the solve.  Whether T_s is
 * somewhere so large beside its sum with tau that rounding shows (NaN: a wall). */
static bool times_of(const zm_refined_grid *g, double start, int64_t row, int64_t col,
                     int64_t n, double time[MOST_AT_ONCE])
{
    const double *rest = g->rest + zm_refined_at(g, row, col);
    const size_t cell = (size_t)(row * g->cols + col);
    bool lost = false;

    if (g->label) {
        for (int64_t i = 0; i < n; i++) {
            const zm_refined_source *s =
                &g->sources[zm_refined_source_of(g, cell + (size_t)i)];
            const zm_refined_away d = { (double)(col + i) - s->col,
                                        (double)row - s->row };

            const double there = zm_refined_distance(&s->metric, d),
                         since = rest[i] + there;

            lost |= there > MOST_OF_TIME * since;
            time[i] = start + s->time + since;
        }
        return lost;
    }
    const zm_refined_source s = g->sources[0];
    const double first = (double)col - s.col, y = (double)row - s.row;

    for (int i = 0; i < MOST_AT_ONCE && i < (int)n; i++) {
        const zm_refined_away d = { first + i, y };

        const double there = zm_refined_distance(&s.metric, d), since = rest[i] + there;

        lost |= there > MOST_OF_TIME * since;
        time[i] = start + s.time + since;
    }
    return lost;
}

typedef enum zm_finish { FINISHED, DIGITS_LOST, NO_NUMBERS } zm_finish;

/* T = start + T_s + tau, in the caller's unit.  NO_NUMBERS: those of the type cannot hold some. */
static zm_finish times_finish(refined_run *run)
{
    const zm_refined_grid *g = run->g;
    const zm_dtype dtype = run->of->s->dtype;
    const double t_max = run->of->opts->t_max, start = run->part->start / g->unit;
    double time[MOST_AT_ONCE];
    bool good = true;

    for (int64_t row = 0; row < g->rows; row++)
        for (int64_t col = 0; col < g->cols; col += MOST_AT_ONCE) {
            const int64_t left = g->cols - col;
            const int64_t n = left < MOST_AT_ONCE ? left : MOST_AT_ONCE;
            const size_t cell = (size_t)(row * g->cols + col);

            if (times_of(g, start, row, col, n, time))
                return DIGITS_LOST;
            for (size_t i = 0; i < (size_t)n; i++) {
                if (isinf(zm_plane_value(run->of->T, dtype, cell + i)))
                    continue;
                if (zm_time_is_after(dtype, time[i] * g->unit, t_max))
                    zm_plane_store(run->of->T, dtype, cell + i, (double)INFINITY);
                else
                    good =
                        zm_unit_store(run->of->T, dtype, cell + i, time[i], g->unit) &&
                        good;
            }
        }
    for (size_t i = 0; i < run->part->n_sources; i++) {
        const zm_refined_source *s = &run->part->sources[i];
        const size_t cell = (size_t)s->row * (size_t)g->cols + (size_t)s->col;

        /* to the last bit as given */
        if (zm_refined_source_of(g, cell) == i &&
            !isinf(zm_plane_value(run->of->T, dtype, cell)))
            good = zm_unit_store(run->of->T, dtype, cell, s->starts, g->unit) && good;
    }
    return good ? FINISHED : NO_NUMBERS;
}

static void report_fill(const refined_run *run)
{
    zm_report *report = run->of->report;

    for (int32_t i = 0; i < run->g->blocks_down * run->g->blocks_across; i++)
        if (run->g->blocks[i].visits > report->iterations)
            report->iterations = run->g->blocks[i].visits;
    report->updates += run->g->evaluated;
    report->threads = run->of->threads;
}

/* What marching knows what to do about, up to order 2. */
static zm_outcome march_instead(zm_engine_run *of, const char *why, zm_error *err)
{
    if (of->s->scheme.order <= 2)
        return ZM_OUTCOME_HAND_OVER;
    of->status = zm_fail(err, ZM_E_UNSUPPORTED, -1,
                         "%s; use order 2 with adaptive stencils", why);
    return ZM_OUTCOME_FAILED;
}

zm_outcome zm_refined_solve(zm_engine_run *of, zm_error *err)
{
    zm_refined_part *part = zm_refined_part_of(of->record);
    refined_run run = { .of = of, .part = part, .g = &part->g };
    zm_outcome outcome;

    of->status = zm_engine_equip(of->s, &zm_blocks_engine, of->workspaces, of->threads,
                                 of->record, err);
    if (of->status != ZM_OK)
        return ZM_OUTCOME_FAILED;
    outcome = first_order(of, err);
    if (outcome != ZM_OUTCOME_DONE)
        return outcome;
    const zm_status first = of->status; /* ZM_OK, or a caveat */

    if ((of->status = sources_grow(of->s, part, of->problem->n_sources, err)) !=
            ZM_OK ||
        (of->status = zm_refined_labels(of, part, err)) != ZM_OK)
        return ZM_OUTCOME_FAILED;
    run.queue = &zm_blocks_work_of(of->workspaces)->queue;
    zm_blocks_queue_clear(run.queue, run.g->blocks_down * run.g->blocks_across);
    grid_open(&run);
    fields_open(&run);
    sweeps_open(&run);
    const zm_refined_work *work =
        zm_engine_workspace_part(of->workspaces, &zm_refined_engine);

    if ((of->status = start(&run, err)) != ZM_OK ||
        (of->status = visits(&run, work->scratch, err)) != ZM_OK)
        return ZM_OUTCOME_FAILED;
    of->status = first;
    /* where the eight neighbours are not causal some cells wait for donors that wait for them */
    if (cells_left(run.g))
        return march_instead(of,
                             "some cells have no donor that is earlier: order 3 needs "
                             "metrics for which the eight neighbours are causal",
                             err);
    switch (times_finish(&run)) {
    case DIGITS_LOST:
        return march_instead(of,
                             "the cell of a source is so much slower than others that "
                             "order 3 loses six digits",
                             err);
    case NO_NUMBERS:
        of->status = zm_unit_fail_store(of->s->dtype, err);
        return ZM_OUTCOME_FAILED;
    case FINISHED:
        break;
    }
    report_fill(&run);
    return ZM_OUTCOME_DONE;
}
