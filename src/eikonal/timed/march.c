/* SPDX-License-Identifier: Apache-2.0
 * The march: cells hand their times on in order of time, band after band. */
#include <math.h>
#include <string.h>

#include "eikonal/timed/trip.h"
#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/engine.h"

/* A cell that has been passed on is opened again only for a change of its time by more than
 * this share of it: less is rounding. */
static const double REOPEN = 1e-12;

/* Reopenings a cell, on average, before the march gives up. */
enum { MOST_REOPENED = 50 };

/* The fan along which a cell hands on in a band: its length, 0 after a failure. */
static int fan_of(zm_bands_slot *s, size_t band, uint32_t cell)
{
    const zm_cell_metric *g = zm_bands_metric(s, band, cell);
    int n = 0, reach = 1;

    if (s->status != ZM_OK)
        return 0;
    if (!g || (s->reach == 1 && zm_stencil_plain_is_acute(g))) {
        memcpy(s->fan, s->fan_base, (size_t)s->n_fan_base * sizeof *s->fan);
        return s->n_fan_base;
    }
    n = zm_stencil_build_wide(g, s->reach, s->fan, &reach);
    if (n > 0 && reach <= ZM_BANDS_REACH)
        return n;
    s->status = zm_fail(&s->error, ZM_E_METRIC, (int64_t)cell,
                        "metric of band %zu at row %u, col %u is so extreme that its "
                        "stencil would leave "
                        "%d cells: limit its eigenvalue ratio and drift",
                        band, (unsigned)(cell / (uint32_t)s->grid.cols),
                        (unsigned)(cell % (uint32_t)s->grid.cols), (int)ZM_BANDS_REACH);
    return 0;
}

/* The cell is earlier than it was. */
static void improve(zm_bands_slot *s, uint32_t cell, zm_trip_best by, zm_local_offset a,
                    zm_local_offset b)
{
    const double time = by.time;

    if (s->heap.place[cell] == ZM_HEAP_DONE) {
        if (!(s->T[cell] - time > REOPEN * (fabs(time) + fabs(s->T[cell]))))
            return;
        s->n_reopened++;
    }
    s->T[cell] = time;
    s->steps[cell].w = by.w;
    s->steps[cell].m[0] = a;
    s->steps[cell].m[1] = b;
    s->steps[cell].kind = ZM_NODE_DONORS;
    zm_heap_push(&s->heap, cell, time);
}

static bool waiting_grow(zm_bands_slot *s)
{
    const size_t wanted = 2 * s->room_waiting + 4096;
    zm_band_waiting *more;

    if (s->n_waiting < s->room_waiting)
        return true;
    if (!zm_take(&s->mem, &s->bytes, &more, wanted, sizeof *more)) {
        s->status = zm_fail(&s->error, ZM_E_NOMEM, -1, "no memory for the march");
        return false;
    }
    if (s->waiting) {
        memcpy(more, s->waiting, s->n_waiting * sizeof *more);
        s->bytes -= s->room_waiting * sizeof *more;
        zm_release(&s->mem, s->waiting);
    }
    s->waiting = more;
    s->room_waiting = wanted;
    return true;
}

/* The triangle of `cell` with donors at `from` and `to` is tried when `to` has its time: its
 * own fan may not have that triangle. */
static void wait_for(zm_bands_slot *s, uint32_t donor, uint32_t cell, zm_local_offset from,
                     zm_local_offset to)
{
    if (!waiting_grow(s))
        return;
    s->waiting[s->n_waiting] =
        (zm_band_waiting){ cell, from, to, s->waiting_first[donor] };
    s->waiting_first[donor] = (uint32_t)s->n_waiting++;
}

/* A cell has the donor at fan[k] with time Ty: alone, and with its neighbours in the fan. */
static void relax(zm_bands_slot *s, uint32_t cell, int n, int k, double Ty)
{
    const zm_giver_at y = { s->fan[k], Ty };
    zm_local_offset other = y.m;
    zm_trip_best best;

    s->n_updates++;
    if (!zm_trip_from_one(s, cell, y))
        return;
    s->trip.bound = s->T[cell];
    best = zm_trip_one(s);
    for (int side = 0; side < 2; side++) {
        const zm_local_offset m =
            s->fan[side ? (k + 1 < n ? k + 1 : 0) : (k > 0 ? k - 1 : n - 1)];
        zm_trip_best two;
        uint32_t at;

        if (!zm_bands_neighbour(s, cell, m.x, m.y, &at) || zm_bands_is_wall(s, at))
            continue;
        if (s->heap.place[at] != ZM_HEAP_DONE) {
            wait_for(s, at, cell, y.m, m);
            continue;
        }
        if (!(s->T[at] < best.time) ||
            !zm_trip_from_two(s, cell, y, (zm_giver_at){ m, s->T[at] }))
            continue;
        s->trip.bound = fmin(best.time, s->T[cell]);
        two = zm_trip_two(s);
        if (two.time < best.time) {
            best = two;
            other = m;
        }
    }
    if (best.time < s->T[cell] && s->status == ZM_OK)
        improve(s, cell, best, y.m, other);
}

/* Whether the fan, of length n, has two offsets as neighbours. */
static bool fan_has_pair(const zm_local_offset *fan, int n, zm_local_offset a, zm_local_offset b)
{
    for (int k = 0; k < n; k++)
        if (fan[k].x == a.x && fan[k].y == a.y) {
            const zm_local_offset before = fan[k > 0 ? k - 1 : n - 1];
            const zm_local_offset after = fan[k + 1 < n ? k + 1 : 0];

            return (before.x == b.x && before.y == b.y) ||
                   (after.x == b.x && after.y == b.y);
        }
    return false;
}

/* Triangles that a cell was waited for in, but those its own fan has tried. */
static void waiting_relax(zm_bands_slot *s, uint32_t donor, int n)
{
    for (uint32_t i = s->waiting_first[donor]; i != UINT32_MAX && s->status == ZM_OK;
         i = s->waiting[i].next) {
        const zm_band_waiting w = s->waiting[i];
        zm_trip_best two;
        uint32_t from;

        zm_bands_neighbour(s, w.cell, w.from.x, w.from.y, &from);
        if (!(s->T[donor] < s->T[w.cell]) || !(s->T[from] < s->T[w.cell]) ||
            fan_has_pair(s->fan, n, w.to, w.from))
            continue;
        s->n_updates++;
        if (!zm_trip_from_two(s, w.cell, (zm_giver_at){ w.from, s->T[from] },
                              (zm_giver_at){ w.to, s->T[donor] }))
            return;
        s->trip.bound = s->T[w.cell];
        two = zm_trip_two(s);
        if (two.time < s->T[w.cell] && s->status == ZM_OK)
            improve(s, w.cell, two, w.from, w.to);
    }
}

/* A cell hands its time on along its fan of one band, to all that are later or only to those
 * that have not been passed on; the length of the fan. */
static int pass_on(zm_bands_slot *s, uint32_t cell, size_t band, bool to_all)
{
    const double time = s->T[cell];
    const int n = fan_of(s, band, cell);

    if (!to_all && s->steps[cell].base && n == s->n_fan_base)
        return n; /* the same as before */
    for (int k = 0; k < n && s->status == ZM_OK; k++) {
        uint32_t user;

        if (zm_bands_neighbour(s, cell, -s->fan[k].x, -s->fan[k].y, &user) &&
            time < s->T[user] && !zm_bands_is_wall(s, user) &&
            (to_all || s->heap.place[user] != ZM_HEAP_DONE))
            relax(s, user, n, k, time);
    }
    s->steps[cell].base = n == s->n_fan_base;
    return n;
}

/* Whether one of the eight neighbours is still to be reached. */
static bool is_alive(const zm_bands_slot *s, uint32_t cell)
{
    for (int k = 0; k < ZM_STENCIL_PLAIN; k++) {
        uint32_t at;

        if (zm_bands_neighbour(s, cell, zm_stencil_plain[k].x, zm_stencil_plain[k].y, &at) &&
            s->heap.place[at] != ZM_HEAP_DONE && !zm_bands_is_wall(s, at))
            return true;
    }
    return false;
}

/* The next band begins: cells at the front hand on along the fans of its metric too. */
static void band_begin(zm_bands_slot *s)
{
    size_t kept = 0;

    s->band++;
    zm_bands_metrics_trim(s, s->band, SIZE_MAX);
    for (size_t i = 0; i < s->n_alive && s->status == ZM_OK; i++) {
        const uint32_t cell = s->alive[i];

        if (!is_alive(s, cell))
            continue;
        s->alive[kept++] = cell;
        if (zm_bands_metric(s, s->band, cell))
            pass_on(s, cell, s->band, false);
    }
    s->n_alive = kept;
}

/* Entries of cells that were passed on again go out of the order. */
static void order_compact(zm_bands_slot *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->n_order; i++)
        if (s->rank[s->order[i]] == (int32_t)i) {
            s->rank[s->order[i]] = (int32_t)kept;
            s->order[kept++] = s->order[i];
        }
    s->n_order = kept;
}

static void order_add(zm_bands_slot *s, uint32_t cell)
{
    if (s->n_order == 2 * s->cells)
        order_compact(s);
    s->rank[cell] = (int32_t)s->n_order;
    s->order[s->n_order++] = cell;
}

/* A cell that has been passed on is earlier than it was: so may be one that has it as a donor
 * with weight though it is the later of the two, which nothing else would tell. */
static void revisit(zm_bands_slot *s, uint32_t user, uint32_t donor)
{
    const zm_band_step step = s->steps[user];
    bool has = false;
    zm_trip_best two;

    if (step.kind != ZM_NODE_DONORS || s->T[donor] < s->T[user])
        return;
    for (int i = 0; i < 2; i++) {
        uint32_t at;

        zm_bands_neighbour(s, user, step.m[i].x, step.m[i].y, &at);
        has |= at == donor;
    }
    if (!has || !zm_trip_again(s, user) || !s->trip.pair)
        return;
    s->trip.bound = s->T[user];
    two = zm_trip_two(s);
    if (two.time < s->T[user] && s->status == ZM_OK)
        improve(s, user, two, step.m[0], step.m[1]);
}

static void revisit_all(zm_bands_slot *s, uint32_t donor, int n)
{
    for (int k = 0; k < n && s->status == ZM_OK; k++) {
        uint32_t user;

        if (zm_bands_neighbour(s, donor, -s->fan[k].x, -s->fan[k].y, &user))
            revisit(s, user, donor);
    }
    for (uint32_t i = s->waiting_first[donor]; i != UINT32_MAX && s->status == ZM_OK;
         i = s->waiting[i].next)
        revisit(s, s->waiting[i].cell, donor);
}

/* The earliest cell is passed on. */
static void accept(zm_bands_slot *s, zm_heap_item top)
{
    const size_t band = zm_band_at(s, top.time);
    const bool again = s->rank[top.cell] >= 0;

    if (!again)
        s->alive[s->n_alive++] = top.cell;
    order_add(s, top.cell);
    for (size_t k = band; k <= s->band && s->status == ZM_OK; k++) {
        const int n = pass_on(s, top.cell, k, k == band);

        waiting_relax(s, top.cell, n);
        if (again)
            revisit_all(s, top.cell, n);
    }
}

static size_t count_targets(const zm_bands_slot *s, const uint8_t *targets)
{
    const uint8_t *walls = s->problem->walls;
    size_t n = 0;

    for (size_t i = 0; i < s->cells; i++)
        n += targets[i] && !(walls && walls[i]);
    return n;
}

static bool next_band_due(const zm_bands_slot *s, double t_max)
{
    const double end = zm_band_end(s, s->band);

    return end <= t_max && end < (double)INFINITY &&
           (s->heap.n > 0 || s->n_alive > 0) &&
           (s->heap.n == 0 || s->heap.items[0].time >= end);
}

/* Passes cells on until none is left or one of the stops is reached. */
static zm_status run(zm_bands_slot *s, const zm_bands_solve_opts *o, zm_error *err)
{
    enum { PROGRESS_EVERY = 1 << 12 };
    size_t targets = o->targets ? count_targets(s, o->targets) : SIZE_MAX;
    size_t reached = 0, passed = 0;

    while (targets > 0 && s->status == ZM_OK) {
        zm_heap_item top;

        if (next_band_due(s, o->t_max)) {
            band_begin(s);
            continue;
        }
        if (s->heap.n == 0 || s->heap.items[0].time > o->t_max)
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
    return zm_bands_status(s, err);
}

/* Empty fields, and the sources in the heap. */
static void begin(zm_bands_slot *s)
{
    const zm_bands_problem *p = s->problem;

    for (size_t i = 0; i < s->cells; i++) {
        s->T[i] = (double)INFINITY;
        s->heap.place[i] = ZM_HEAP_ABSENT;
        s->rank[i] = -1;
        s->waiting_first[i] = UINT32_MAX;
        s->steps[i].kind = ZM_NODE_UNREACHED;
    }
    s->heap.n = 0;
    s->n_order = s->n_alive = s->n_waiting = 0;
    s->n_updates = s->n_reopened = 0;
    for (size_t i = 0; i < p->n_sources; i++) {
        const size_t cell = zm_source_cell(s->grid, &p->sources[i]);

        if (!(p->sources[i].time < s->T[cell]))
            continue;
        s->T[cell] = p->sources[i].time;
        s->steps[cell].kind = ZM_NODE_SOURCE;
        s->steps[cell].source = (uint32_t)i;
        zm_heap_push(&s->heap, (uint32_t)cell, s->T[cell]);
    }
    s->band = zm_band_at(s, s->heap.items[0].time);
}

/* Cells that were not passed on were not reached. */
static void finish(zm_bands_slot *s)
{
    order_compact(s);
    for (size_t i = 0; i < s->cells; i++)
        if (s->rank[i] < 0) {
            s->T[i] = (double)INFINITY;
            s->steps[i].kind = ZM_NODE_UNREACHED;
        }
}

zm_status zm_bands_march(zm_bands_slot *s, const zm_bands_problem *problem,
                         const zm_bands_solve_opts *opts, zm_error *err)
{
    zm_status st;

    s->state = ZM_BANDS_NO_RECORD;
    s->problem = problem;
    s->last_band = problem->n_bands - 1;
    s->last_band = zm_band_at(s, opts->t_max);
    s->status = ZM_OK;
    s->error = (zm_error){ ZM_E_ARG, -1, "the metric could not be filled in" };
    s->n_filled = 0;
    if ((st = zm_band_store_begin(s, &s->metrics, err)) != ZM_OK)
        return st;
    begin(s);
    st = run(s, opts, err);
    if (st < 0)
        return st;
    finish(s);
    s->state = ZM_BANDS_SOLVED;
    return st;
}
