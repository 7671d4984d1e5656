/* SPDX-License-Identifier: Apache-2.0
 * The march: cells hand their times on in order of time, interval after interval. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "eikonal/problem/unit.h"
#include "eikonal/timed/engine.h"
#include "eikonal/timed/segments.h"

/* A cell that has been passed on is opened again only for a change of its time by more than
 * this share of it: less is rounding. */
static const double REOPEN = 1e-12;

/* Reopenings a cell, on average, before the march gives up. */
enum { MOST_REOPENED = 50 };

/* The cell is earlier than it was. */
static void improve(zm_timed *s, uint32_t cell, zm_timed_best by, zm_local_offset a,
                    zm_local_offset b)
{
    const double time = by.time;

    if (s->heap.place[cell] == ZM_HEAP_DONE) {
        if (!(s->T[cell] - time > REOPEN * (fabs(time) + fabs(s->T[cell]))))
            return;
        s->n_reopened++;
    }
    s->T[cell] = time;
    s->donors[cell].w = by.w;
    s->donors[cell].m[0] = a;
    s->donors[cell].m[1] = b;
    s->donors[cell].kind = ZM_NODE_DONORS;
    zm_heap_push(&s->heap, cell, time);
}

/* The triangle of `cell` with donors at `from` and `to` is tried when `to` has its time: its
 * own stencil may not have that triangle. */
static void wait_for(zm_timed *s, uint32_t donor, uint32_t cell, zm_local_offset from,
                     zm_local_offset to)
{
    if (!zm_timed_grow(s, &s->waiting, &s->room_waiting, s->n_waiting + 1,
                       sizeof *s->waiting))
        return;
    s->waiting[s->n_waiting] =
        (zm_timed_waiting){ cell, from, to, s->waiting_first[donor] };
    s->waiting_first[donor] = (uint32_t)s->n_waiting++;
}

/* A cell has the donor at stencil[k] with time Ty: alone, and with its neighbours in the stencil. */
static void relax(zm_timed *s, uint32_t cell, int n, int k, double Ty)
{
    const zm_timed_donor y = { s->stencil[k], Ty };
    zm_local_offset other = y.m;
    zm_timed_best best;

    s->n_updates++;
    if (!zm_timed_step_from_one(s, cell, y))
        return;
    s->step.bound = s->T[cell];
    best = zm_timed_best_of_one(s);
    for (int side = 0; side < 2; side++) {
        const zm_local_offset m =
            s->stencil[side ? (k + 1 < n ? k + 1 : 0) : (k > 0 ? k - 1 : n - 1)];
        zm_timed_best two;
        uint32_t at;

        if (!zm_timed_neighbour(s, cell, m.x, m.y, &at) || zm_timed_is_wall(s, at))
            continue;
        if (s->heap.place[at] != ZM_HEAP_DONE) {
            wait_for(s, at, cell, y.m, m);
            continue;
        }
        if (!(s->T[at] < best.time) ||
            !zm_timed_step_from_two(s, cell, y, (zm_timed_donor){ m, s->T[at] }))
            continue;
        s->step.bound = fmin(best.time, s->T[cell]);
        two = zm_timed_best_of_two(s);
        if (two.time < best.time) {
            best = two;
            other = m;
        }
    }
    if (best.time < s->T[cell] && s->status == ZM_OK)
        improve(s, cell, best, y.m, other);
}

/* Whether the stencil, of length n, has two offsets as neighbours. */
static bool stencil_has_pair(const zm_local_offset *stencil, int n, zm_local_offset a,
                             zm_local_offset b)
{
    for (int k = 0; k < n; k++)
        if (stencil[k].x == a.x && stencil[k].y == a.y) {
            const zm_local_offset before = stencil[k > 0 ? k - 1 : n - 1];
            const zm_local_offset after = stencil[k + 1 < n ? k + 1 : 0];

            return (before.x == b.x && before.y == b.y) ||
                   (after.x == b.x && after.y == b.y);
        }
    return false;
}

/* Triangles that a cell was waited for in, but those its own stencil has tried. */
static void waiting_relax(zm_timed *s, uint32_t donor, int n)
{
    for (uint32_t i = s->waiting_first[donor]; i != UINT32_MAX && s->status == ZM_OK;
         i = s->waiting[i].next) {
        const zm_timed_waiting w = s->waiting[i];
        zm_timed_best two;
        uint32_t from;

        zm_timed_neighbour(s, w.cell, w.from.x, w.from.y, &from);
        if (!(s->T[donor] < s->T[w.cell]) || !(s->T[from] < s->T[w.cell]) ||
            stencil_has_pair(s->stencil, n, w.to, w.from))
            continue;
        s->n_updates++;
        if (!zm_timed_step_from_two(s, w.cell, (zm_timed_donor){ w.from, s->T[from] },
                                    (zm_timed_donor){ w.to, s->T[donor] }))
            return;
        s->step.bound = s->T[w.cell];
        two = zm_timed_best_of_two(s);
        if (two.time < s->T[w.cell] && s->status == ZM_OK)
            improve(s, w.cell, two, w.from, w.to);
    }
}

/* ZM_E_METRIC: a stencil that leaves the reach. */
static void stencil_fail(zm_timed *s, size_t interval, uint32_t cell)
{
    s->status =
        zm_fail(&s->error, ZM_E_METRIC, (int64_t)cell,
                "metric of interval %zu at row %u, col %u is so extreme that its "
                "stencil would leave "
                "%d cells: limit its eigenvalue ratio and drift",
                interval, (unsigned)(cell / (uint32_t)s->grid.cols),
                (unsigned)(cell % (uint32_t)s->grid.cols), (int)ZM_TIMED_REACH);
}

/* A cell hands its time on along its stencil of one interval, to all that are later or only to
 * those that have not been passed on; the length of the stencil, 0 after a failure. */
static int pass_on(zm_timed *s, uint32_t cell, size_t interval, bool to_all)
{
    const zm_cell_metric *g = zm_timed_metric(s, interval, cell);
    const double time = s->T[cell];
    int n = s->n_base, reach = 1;

    if (s->status != ZM_OK)
        return 0;
    if (!g || (s->reach == 1 && zm_stencil_plain_is_acute(g)))
        memcpy(s->stencil, s->base, (size_t)n * sizeof *s->stencil);
    else
        n = zm_stencil_build_wide(g, s->reach, s->stencil, &reach);
    if (n == 0 || reach > ZM_TIMED_REACH) {
        stencil_fail(s, interval, cell);
        return 0;
    }
    if (!to_all && s->donors[cell].base && n == s->n_base)
        return n; /* the same as before */
    for (int k = 0; k < n && s->status == ZM_OK; k++) {
        uint32_t user;

        if (zm_timed_neighbour(s, cell, -s->stencil[k].x, -s->stencil[k].y, &user) &&
            time < s->T[user] && !zm_timed_is_wall(s, user) &&
            (to_all || s->heap.place[user] != ZM_HEAP_DONE))
            relax(s, user, n, k, time);
    }
    s->donors[cell].base = n == s->n_base;
    return n;
}

/* Whether one of the eight neighbours is still to be reached. */
static bool is_alive(const zm_timed *s, uint32_t cell)
{
    for (int k = 0; k < ZM_STENCIL_PLAIN; k++) {
        uint32_t at;

        if (zm_timed_neighbour(s, cell, zm_stencil_plain[k].x, zm_stencil_plain[k].y,
                               &at) &&
            s->heap.place[at] != ZM_HEAP_DONE && !zm_timed_is_wall(s, at))
            return true;
    }
    return false;
}

/* The next interval begins: cells at the front hand on along the stencils of its metric too. */
static void interval_begin(zm_timed *s)
{
    size_t kept = 0;

    s->interval++;
    zm_timed_metrics_trim(s, s->interval, SIZE_MAX);
    for (size_t i = 0; i < s->n_alive && s->status == ZM_OK; i++) {
        const uint32_t cell = s->alive[i];

        if (!is_alive(s, cell))
            continue;
        s->alive[kept++] = cell;
        if (zm_timed_metric(s, s->interval, cell))
            pass_on(s, cell, s->interval, false);
    }
    s->n_alive = kept;
}

/* Entries of cells that were passed on again go out of the order. */
static void order_compact(zm_timed *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->n_order; i++)
        if (s->rank[s->order[i]] == (int32_t)i) {
            s->rank[s->order[i]] = (int32_t)kept;
            s->order[kept++] = s->order[i];
        }
    s->n_order = kept;
}

static void order_add(zm_timed *s, uint32_t cell)
{
    if (s->n_order == 2 * s->cells)
        order_compact(s);
    s->rank[cell] = (int32_t)s->n_order;
    s->order[s->n_order++] = cell;
}

/* A cell that has been passed on is earlier than it was: so may be one that has it as a donor
 * with weight though it is the later of the two, which nothing else would tell. */
static void revisit(zm_timed *s, uint32_t user, uint32_t donor)
{
    const zm_timed_donors from = s->donors[user];
    bool has = false;
    zm_timed_best two;

    if (from.kind != ZM_NODE_DONORS || s->T[donor] < s->T[user])
        return;
    for (int i = 0; i < 2; i++) {
        uint32_t at;

        zm_timed_neighbour(s, user, from.m[i].x, from.m[i].y, &at);
        has |= at == donor;
    }
    if (!has || !zm_timed_step_again(s, user) || !s->step.pair)
        return;
    s->step.bound = s->T[user];
    two = zm_timed_best_of_two(s);
    if (two.time < s->T[user] && s->status == ZM_OK)
        improve(s, user, two, from.m[0], from.m[1]);
}

static void revisit_all(zm_timed *s, uint32_t donor, int n)
{
    for (int k = 0; k < n && s->status == ZM_OK; k++) {
        uint32_t user;

        if (zm_timed_neighbour(s, donor, -s->stencil[k].x, -s->stencil[k].y, &user))
            revisit(s, user, donor);
    }
    for (uint32_t i = s->waiting_first[donor]; i != UINT32_MAX && s->status == ZM_OK;
         i = s->waiting[i].next)
        revisit(s, s->waiting[i].cell, donor);
}

/* The earliest cell is passed on. */
static void accept(zm_timed *s, zm_heap_item top)
{
    const size_t interval = zm_timed_interval_at(s, top.time);
    const bool again = s->rank[top.cell] >= 0;

    if (!again)
        s->alive[s->n_alive++] = top.cell;
    order_add(s, top.cell);
    for (size_t k = interval; k <= s->interval && s->status == ZM_OK; k++) {
        const int n = pass_on(s, top.cell, k, k == interval);

        waiting_relax(s, top.cell, n);
        if (again)
            revisit_all(s, top.cell, n);
    }
}

static bool next_interval_due(const zm_timed *s, double t_max)
{
    const double end = zm_timed_interval_end(s, s->interval);

    return end <= t_max && end < (double)INFINITY &&
           (s->heap.n > 0 || s->n_alive > 0) &&
           (s->heap.n == 0 || s->heap.items[0].time >= end);
}

/* Cells that were passed on when a donor of theirs became earlier once more: the donors that a
 * cell has give it its time, until no cell is earlier. */
static zm_status settle(zm_timed *s, zm_error *err)
{
    enum { MOST_ROUNDS = 1000 };
    bool changed = s->n_reopened > 0;

    for (int round = 0; changed && round < MOST_ROUNDS; round++) {
        changed = false;
        for (size_t i = 0; i < s->n_order && s->status == ZM_OK; i++) {
            const uint32_t cell = s->order[i];
            zm_timed_best best, near;

            if (s->donors[cell].kind != ZM_NODE_DONORS || !zm_timed_step_again(s, cell))
                continue;
            best = s->step.pair ? zm_timed_best_of_two(s) : zm_timed_best_of_one(s);
            /* with several intervals another minimum may be found than that of before */
            near = zm_timed_best_near(s, s->donors[cell].w);
            best = near.time < best.time ? near : best;
            if (!(s->T[cell] - best.time >
                  REOPEN * (fabs(best.time) + fabs(s->T[cell]))))
                continue;
            s->T[cell] = best.time;
            s->donors[cell].w = best.w;
            changed = true;
        }
    }
    if (s->status != ZM_OK || !changed)
        return zm_timed_status(s, err);
    return zm_fail(err, ZM_NOT_CONVERGED, -1,
                   "cells kept improving each other; the times are upper bounds");
}

/* Passes cells on until none is left or one of the stops is reached. */
static zm_status run(zm_timed *s, const zm_forward_opts *o, zm_error *err)
{
    enum { PROGRESS_EVERY = 1 << 12 };
    size_t targets = o->targets
                         ? zm_problem_count_targets(s->problem, o->targets, s->cells)
                         : SIZE_MAX;
    size_t reached = 0, passed = 0;

    while (targets > 0 && s->status == ZM_OK) {
        zm_heap_item top;

        if (next_interval_due(s, o->t_max / s->unit)) {
            interval_begin(s);
            continue;
        }
        if (s->heap.n == 0 ||
            zm_time_is_after(s->dtype, s->heap.items[0].time * s->unit, o->t_max))
            break;
        top = zm_heap_pop(&s->heap);
        if (s->rank[top.cell] < 0) {
            if (o->max_cells > 0 && reached == (size_t)o->max_cells)
                break;
            reached++;
            targets -= o->targets && o->targets[top.cell];
        }
        accept(s, top);
        if (s->n_reopened > MOST_REOPENED * (int64_t)s->cells)
            return zm_fail(
                err, ZM_NOT_CONVERGED, -1,
                "cells kept improving each other; the times are upper bounds");
        if (o->progress && ++passed % PROGRESS_EVERY == 0 &&
            o->progress(o->progress_ctx, (double)reached / (double)s->cells))
            return zm_fail(err, ZM_E_CANCELLED, -1,
                           "cancelled by the progress callback");
    }
    return zm_timed_status(s, err);
}

/* The starts of the intervals, copied: what the record says about times must not change with
 * the caller's.  No metrics. */
static zm_status intervals_begin(zm_timed *s, double t_max, zm_error *err)
{
    const size_t n = s->problem->n_intervals;

    if (!zm_timed_grow(s, &s->starts, &s->room_starts, n, sizeof *s->starts))
        return zm_timed_status(s, err);
    s->n_starts = n;
    s->last_interval = zm_intervals_at(s->problem->starts, n, t_max);
    s->n_filled = 0;
    return zm_timed_store_begin(s, &s->metrics, err);
}

/* The unit, by the metric of the earliest source; the first look at any metric finds it.  From
 * here on times are counted in it. */
static zm_status unit_begin(zm_timed *s, zm_error *err)
{
    const zm_problem *p = s->problem;
    size_t first = 0;

    for (size_t i = 1; i < p->n_sources; i++)
        first = p->sources[i].time < p->sources[first].time ? i : first;
    const size_t cell = zm_source_cell(s->spacing, &p->sources[first]);
    const size_t interval =
        zm_intervals_at(p->starts, s->last_interval + 1, p->sources[first].time);

    s->unit = 0;
    s->unit_cell = (uint32_t)cell;
    zm_timed_metric(s, interval, (uint32_t)cell);
    ZM_TRY(zm_timed_status(s, err));
    ZM_TRY(zm_unit_check_sources(p, s->unit, err));
    for (size_t k = 0; k < s->n_starts; k++)
        if (!isfinite(s->starts[k] = p->starts[k] / s->unit))
            return zm_fail(err, ZM_E_ARG, -1,
                           "interval %zu starts at %g, where a cell takes about %.0e: use "
                           "times nearer to 0",
                           k, p->starts[k], s->unit);
    return ZM_OK;
}

/* Empty fields, and the sources in the heap. */
static zm_status begin(zm_timed *s, zm_error *err)
{
    const zm_problem *p = s->problem;

    for (size_t i = 0; i < s->cells; i++) {
        s->T[i] = (double)INFINITY;
        s->heap.place[i] = ZM_HEAP_ABSENT;
        s->rank[i] = -1;
        s->waiting_first[i] = UINT32_MAX;
        s->donors[i].kind = ZM_NODE_UNREACHED;
    }
    s->heap.n = 0;
    s->n_order = s->n_alive = s->n_waiting = 0;
    s->n_updates = s->n_reopened = 0;
    for (size_t i = 0; i < p->n_sources; i++) {
        const zm_source source = p->sources[i];
        const size_t cell = zm_source_cell(s->grid, &source);

        if (!(cell < s->cells))
            return zm_record_changed(err);
        if (!(source.time / s->unit < s->T[cell]))
            continue;
        s->T[cell] = source.time / s->unit;
        s->donors[cell].kind = ZM_NODE_SOURCE;
        s->donors[cell].source = (uint32_t)i;
        zm_heap_push(&s->heap, (uint32_t)cell, s->T[cell]);
    }
    if (s->heap.n == 0)
        return zm_record_changed(err);
    s->interval = zm_timed_interval_at(s, s->heap.items[0].time);
    return ZM_OK;
}

static void report_fill(const zm_timed *s, zm_report *r)
{
    r->iterations = 1;
    r->updates = s->n_updates;
    r->converged = s->converged;
    r->threads = 1;
    r->reopened = s->n_reopened;
    r->windows = s->n_filled;
    r->cells = (int64_t)s->n_order;
    for (size_t i = 0; i < s->n_order; i++)
        r->last = fmax(r->last, s->T[s->order[i]]);
    r->last_interval = s->n_order > 0 ? (int32_t)zm_timed_interval_at(s, r->last) : -1;
    r->last *= s->unit;
}

zm_outcome zm_timed_solve(zm_engine_run *of, zm_error *err)
{
    zm_timed *s = zm_engine_record_part(of->record, &zm_timed_engine);
    zm_status st;

    s->solved = s->has_arrivals = s->is_weighed = false;
    s->problem = of->problem;
    s->status = ZM_OK;
    s->error = (zm_error){ ZM_E_ARG, -1, "the metric could not be filled in" };
    if ((st = intervals_begin(s, of->opts->t_max, err)) == ZM_OK &&
        (st = unit_begin(s, err)) == ZM_OK && (st = begin(s, err)) == ZM_OK)
        st = run(s, of->opts, err);
    of->status = st;
    if (st < 0)
        return ZM_OUTCOME_FAILED;
    order_compact(s);
    if (st == ZM_OK && (of->status = st = settle(s, err)) < 0)
        return ZM_OUTCOME_FAILED;
    for (size_t i = 0; i < s->cells; i++) {
        if (s->rank[i] < 0) { /* what was not passed on was not reached */
            s->T[i] = (double)INFINITY;
            s->donors[i].kind = ZM_NODE_UNREACHED;
        }
        if (!zm_unit_store(of->T, s->dtype, i, s->T[i], s->unit)) {
            of->status = zm_unit_fail_store(s->dtype, err);
            return ZM_OUTCOME_FAILED;
        }
    }
    of->record->unit = s->unit;
    s->solved = true;
    s->converged = st == ZM_OK;
    report_fill(s, of->report);
    return ZM_OUTCOME_DONE;
}
