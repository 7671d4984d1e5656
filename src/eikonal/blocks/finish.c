/* SPDX-License-Identifier: Apache-2.0
 * The end of a solve: last checks, times in the caller's unit, the report. */
#include <math.h>

#include "core/fail.h"
#include "eikonal/blocks/solve.h"

zm_status zm_blocks_check(const zm_blocks_run *run, int32_t block, zm_error *err)
{
    const zm_solver *s = run->s;
    const int32_t r0 = block / run->g.blocks_across * ZM_BLOCK,
                  c0 = block % run->g.blocks_across * ZM_BLOCK;
    const double largest =
        run->s->dtype == ZM_F32 ? ZM_BLOCKS_LARGEST_F32 : ZM_BLOCKS_LARGEST_F64;

    for (int32_t r = r0; r < r0 + ZM_BLOCK && r < s->grid.rows; r++)
        for (int32_t c = c0; c < c0 + ZM_BLOCK && c < s->grid.cols; c++) {
            const size_t cell = (size_t)r * (size_t)s->grid.cols + (size_t)c;
            const zm_cell_metric v = zm_metric_at(&run->of->problem->metric, cell);

            if (run->of->problem->walls && run->of->problem->walls[cell])
                continue;
            ZM_TRY(zm_cell_check(s->grid, v, cell, err));
            const double x = v.g11 * run->g.scale[0], y = v.g22 * run->g.scale[2];

            if (!(fmin(x, y) > 1 / largest && fmax(x, y) < largest))
                return zm_fail(
                    err, ZM_E_METRIC, (int64_t)cell,
                    "metric at row %d, col %d (g11 = %g, g22 = %g, spacing %g, %g) "
                    "is %.0e times off that of the first source or more: use "
                    "walls for cells that nothing should cross",
                    (int)r, (int)c, v.g11, v.g22, s->grid.dx, s->grid.dy, largest);
        }
    return ZM_OK;
}

static void time_set(const zm_blocks_run *run, size_t cell, double time)
{
    if (run->s->dtype == ZM_F32)
        ((float *)run->g.T)[cell] = (float)time;
    else
        ((double *)run->g.T)[cell] = time;
}

static bool cell_reached(const zm_blocks_run *run, size_t cell)
{
    const size_t cols = (size_t)run->g.cols, row = cell / cols, col = cell % cols;
    const size_t block = row / ZM_BLOCK * (size_t)run->g.blocks_across + col / ZM_BLOCK;

    return run->g.records[block].reached[row % ZM_BLOCK] >> (col % ZM_BLOCK) & 1;
}

/* Sources that nothing overtook have exactly the time they were given. */
static void source_times_restore(const zm_blocks_run *run)
{
    const zm_problem *p = run->of->problem;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < p->n_sources; i++) {
            const double time = p->sources[i].time;
            const size_t cell = zm_source_cell(run->s->grid, &p->sources[i]);

            if (cell_reached(run, cell) ||
                zm_time_is_after(run->s->dtype, time, run->of->opts->t_max))
                continue;
            if (pass == 0)
                time_set(run, cell, (double)INFINITY);
            else if (time < zm_plane_value(run->g.T, run->s->dtype, cell))
                time_set(run, cell, time);
        }
}

/* Cells later than t_max may be donors of cells before it: their stencils are found out
 * while their times are still known. */
static void late_donors_keep(const zm_blocks_run *run)
{
    zm_blocks_stencils(run->s, run->of->workspaces, run->of->threads, run->record,
                       &run->g, run->g.blocks);
    run->record->has_late = true;
    run->record->state = ZM_BLOCKS_STENCILS;
}

/* The caller's t_max is compared with the caller's times: it may be one of them. */
static void times_convert(const zm_blocks_run *run)
{
    const double t_max = run->of->opts->t_max;

    if (run->s->dtype == ZM_F32) {
        float *T = run->g.T;

        for (size_t i = 0; i < run->s->cells; i++) {
            T[i] = (float)((double)T[i] * run->unit + run->start);
            if (T[i] > (float)t_max)
                T[i] = INFINITY;
        }
    } else {
        double *T = run->g.T;

        for (size_t i = 0; i < run->s->cells; i++) {
            T[i] = T[i] * run->unit + run->start;
            if (T[i] > t_max)
                T[i] = (double)INFINITY;
        }
    }
}

static uint32_t lines_mask(int32_t lines)
{
    return lines < ZM_BLOCK ? ((uint32_t)1 << lines) - 1 : ~(uint32_t)0;
}

/* Whether sweeps have looked at every row or at every column of a block, and so at all of
 * its cells. */
static bool block_seen(const zm_blocks_run *run, int32_t block)
{
    const zm_blocks_block *t = &run->g.blocks[block];
    const int32_t row = block / run->g.blocks_across * ZM_BLOCK,
                  col = block % run->g.blocks_across * ZM_BLOCK;
    const uint32_t rows = lines_mask(run->g.rows - row),
                   cols = lines_mask(run->g.cols - col);

    return (t->known[0] & rows) == rows || (t->known[1] & cols) == cols;
}

/* Cells that no sweep looked at are checked too, unless t_max kept the front away. */
static zm_status unseen_check(const zm_blocks_run *run, zm_error *err)
{
    if (run->of->opts->t_max < HUGE_VAL)
        return ZM_OK;
    for (int32_t block = 0; block < run->g.blocks_down * run->g.blocks_across; block++)
        if (!block_seen(run, block)) {
            const zm_status st = zm_blocks_check(run, block, err);

            if (st != ZM_OK)
                return st;
        }
    return ZM_OK;
}

void zm_blocks_finish(const zm_blocks_run *run)
{
    const bool limited = run->of->opts->t_max < HUGE_VAL;
    const bool shifted = run->start != 0.0 || run->unit != 1.0;
    zm_report *report = run->of->report;

    run->record->state = ZM_BLOCKS_SOLVED;
    if (limited && run->late > 0.0)
        late_donors_keep(run);
    if (limited || shifted)
        times_convert(run);
    if (shifted)
        source_times_restore(run);
    report->converged = !run->stalled;
    report->threads = run->of->threads;
    for (int32_t i = 0; i < run->g.blocks_down * run->g.blocks_across; i++)
        if (run->g.blocks[i].visits > report->iterations)
            report->iterations = run->g.blocks[i].visits;
    for (int32_t i = 0; i < run->of->threads; i++)
        report->updates += zm_blocks_work_of(&run->of->workspaces[i])->worker.updates;
}

zm_status zm_blocks_status(zm_blocks_run *run, zm_error *err)
{
    const zm_status stop = (zm_status)atomic_load(&run->stop);
    zm_status st;

    if (stop == ZM_E_CANCELLED)
        return zm_fail(err, stop, -1, "cancelled by the progress callback");
    if (stop != ZM_OK) {
        /* name the first bad cell of the grid, whatever the order of the visits was */
        st = zm_problem_check(run->s->grid, run->of->problem, err);
        if (st == ZM_OK && err)
            *err = run->error;
        return stop;
    }
    ZM_TRY(unseen_check(run, err));
    if (run->stalled)
        return zm_fail(err, ZM_NOT_CONVERGED, -1,
                       "some block was visited %d times and could still change: raise "
                       "max_iterations",
                       (int)run->of->opts->max_iterations);
    return ZM_OK;
}
