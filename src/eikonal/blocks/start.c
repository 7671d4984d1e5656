/* SPDX-License-Identifier: Apache-2.0
 * The start of a solve: units, an empty field, sources in the queue. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "eikonal/blocks/solve.h"

/* A new value must be below the old one by more than this share of it to count as a change:
 * both families of sweeps compute the same minimum with different rounding. */
static const double LEAST_CHANGE_F64 = 4e-15, LEAST_CHANGE_F32 = 2.5e-7;

/* Times are counted in units that bring the first source's slowness this close to 1; units
 * are powers of two, so that this changes no bit of the result. */
enum { UNIT_SLACK = 16 };

static double time_unit_of(const zm_blocks_run *run)
{
    const size_t cell = zm_source_cell(run->s->grid, &run->of->problem->sources[0]);
    const zm_cell_metric m = zm_metric_at(&run->of->problem->metric, cell);
    const double step = sqrt(fabs(m.g11)) * run->s->grid.dx;
    int exponent;

    if (!(step > 0) || isinf(step))
        return 1.0; /* not admissible: found out when the block is prepared */
    frexp(step, &exponent);
    return exponent >= -UNIT_SLACK && exponent <= UNIT_SLACK ? 1.0
                                                             : ldexp(1.0, exponent);
}

typedef struct fill_run {
    void *T;
    zm_dtype dtype;
    size_t cells;
    atomic_size_t next;
} fill_run;

static void fill_thread(void *ctx, int32_t thread)
{
    enum { CHUNK = 1 << 16 };
    fill_run *run = ctx;
    size_t begin;

    (void)thread;
    while ((begin = atomic_fetch_add(&run->next, CHUNK)) < run->cells) {
        const size_t end = run->cells - begin < CHUNK ? run->cells : begin + CHUNK;

        if (run->dtype == ZM_F32)
            for (size_t i = begin; i < end; i++)
                ((float *)run->T)[i] = INFINITY;
        else
            for (size_t i = begin; i < end; i++)
                ((double *)run->T)[i] = INFINITY;
    }
}

static void fill_infinite(void *T, zm_dtype dtype, size_t cells, int32_t threads)
{
    fill_run run = { .T = T, .dtype = dtype, .cells = cells };

    zm_parallel(threads, fill_thread, &run);
}

static void worker_reset(zm_blocks_worker *w, int32_t blocks)
{
    for (int32_t i = 0; i < blocks; i++)
        w->slot_of_block[i] = -1;
    for (int32_t i = 0; i < w->n_slots; i++)
        w->block_of_slot[i] = -1;
    w->next_slot = 0;
    w->next_block = -1;
    w->updates = 0;
}

/* The source's own block and those its eight neighbours are in begin with all cells due. */
static void source_start(zm_blocks_run *run, const zm_source *source)
{
    const zm_solver *s = run->s;
    const int32_t row = (int32_t)source->row, col = (int32_t)source->col;
    const size_t cell = zm_source_cell(s->grid, source);
    const double time = (source->time - run->start) / run->unit;

    if (run->s->dtype == ZM_F32) {
        float *T = (float *)run->g.T + cell;

        *T = (float)time < *T ? (float)time : *T;
    } else {
        double *T = (double *)run->g.T + cell;

        *T = time < *T ? time : *T;
    }
    for (int32_t y = row > 0 ? row - 1 : 0; y <= row + 1 && y < s->grid.rows; y++)
        for (int32_t x = col > 0 ? col - 1 : 0; x <= col + 1 && x < s->grid.cols; x++) {
            const int32_t block = y / ZM_BLOCK * run->g.blocks_across + x / ZM_BLOCK;

            run->g.blocks[block].fresh = 1;
            zm_blocks_queue_push(&run->lead->queue, block, time);
        }
}

/* The unit and the shifted source times must be numbers of the solver's type. */
static zm_status range_check(const zm_blocks_run *run, zm_error *err)
{
    const double most = run->s->dtype == ZM_F32 ? (double)FLT_MAX : DBL_MAX;
    const zm_source *sources = run->of->problem->sources;

    for (int k = 0; k < 5; k++)
        if (!(run->g.scale[k] > 1 / most && run->g.scale[k] < most))
            return zm_fail(
                err, ZM_E_METRIC, (int64_t)zm_source_cell(run->s->grid, &sources[0]),
                "metric at the first source with spacing %g, %g is out of the "
                "range of %s numbers: use other units",
                run->s->grid.dx, run->s->grid.dy, zm_dtype_name(run->s->dtype));
    for (size_t i = 0; i < run->of->problem->n_sources; i++)
        if (!(fabs(sources[i].time) < most) ||
            !((sources[i].time - run->start) / run->unit < most))
            return zm_fail(
                err, ZM_E_SOURCE, (int64_t)zm_source_cell(run->s->grid, &sources[i]),
                "source %zu starts at time %g, out of the range of %s numbers", i,
                sources[i].time, zm_dtype_name(run->s->dtype));
    return ZM_OK;
}

zm_status zm_blocks_start(zm_blocks_run *run, zm_error *err)
{
    const zm_solver *s = run->s;
    const int32_t blocks = zm_blocks_down(s->grid) * zm_blocks_across(s->grid);
    void *T = run->of->T;
    const bool f32 = run->s->dtype == ZM_F32;

    run->start = zm_problem_start(run->of->problem);
    run->unit = time_unit_of(run);
    run->t_max =
        zm_time_limit_from(s->dtype, run->of->opts->t_max, run->start) / run->unit;
    run->g =
        zm_blocks_grid_of(s, run->lead, run->record, run->of->problem, T, run->unit);
    run->g.want_margin = s->opts.stencils == ZM_STENCILS_ADAPTIVE;
    run->g.per_time = 1.0; /* T is kept in the unit of the solve */
    run->g.unchanged_rel = 1.0 - (f32 ? LEAST_CHANGE_F32 : LEAST_CHANGE_F64);
    run->g.unchanged_abs = run->of->opts->tol / run->unit;
    run->record->time_unit = run->unit;
    run->record->has_late = false;
    ZM_TRY(range_check(run, err));
    fill_infinite(T, s->dtype, s->cells, run->of->threads);
    memset(run->lead->blocks, 0, (size_t)blocks * sizeof *run->lead->blocks);
    memset(run->lead->busy, 0, (size_t)blocks);
    memset(run->record->blocks, 0, (size_t)blocks * sizeof *run->record->blocks);
    zm_blocks_queue_clear(&run->lead->queue, blocks);
    for (int32_t i = 0; i < run->of->threads; i++)
        worker_reset(&zm_blocks_work_of(&run->of->workspaces[i])->worker, blocks);
    for (size_t i = 0; i < run->of->problem->n_sources; i++)
        source_start(run, &run->of->problem->sources[i]);
    return ZM_OK;
}
