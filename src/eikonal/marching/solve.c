/* SPDX-License-Identifier: Apache-2.0
 * First pass: cells are accepted in order of time, and tell those that they are donors of. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "eikonal/marching/factored.h"
#include "eikonal/marching/march.h"
#include "eikonal/problem/unit.h"

/* Time of a cell's donor at offset o, if its place in the heap is below `before`
 * (ZM_HEAP_ABSENT while marching: accepted; a rank afterwards) and its front comes to the cell
 * with `label`; else INFINITY.  Not factored, a donor with weight is earlier than its
 * cell anyway; factored, a later one could have weight. */
static inline double time_at(const zm_march *m, size_t cell, zm_local_offset o,
                             uint32_t label, int32_t before)
{
    size_t donor;

    if (zm_march_blocked(o) || !zm_march_donor(m, cell, o.x, o.y, &donor) ||
        m->heap.place[donor] >= before)
        return (double)INFINITY;
    /* each front is factored by its own source */
    if (m->scheme.factor_radius > 0 &&
        !zm_march_same_front(
            m, cell, zm_march_label_from(m, cell, m->label[donor], o.x, o.y), label))
        return (double)INFINITY;
    return m->T[donor];
}

/* Update of a cell by donor p, whose |p|_G is known, and donor q at offset o: the time if
 * both have weight, else `otherwise`.  Offsets of a triangle span a lattice cell, so
 * (p x q)^2 = 1 (update.h). */
static inline double two_donors(const zm_cell_metric *g, const zm_local_donor *p,
                                zm_local_offset o, double T, double otherwise)
{
    const double x = o.x, y = o.y;
    const double gx = g->g11 * x + g->g12 * y, gy = g->g12 * x + g->g22 * y;
    const double S = T + g->b1 * x + g->b2 * y, delta = p->S - S;
    const double E22 = gx * x + gy * y, E12 = gx * p->x + gy * p->y, rest = E22 - E12;
    double a, r2;

    if (delta * p->length <= E12 - p->length2)
        return otherwise; /* p alone */
    if (delta > 0 ? rest <= 0 || delta * delta * E22 >= rest * rest
                  : rest <= 0 && delta * delta * E22 <= rest * rest)
        return otherwise; /* q alone, which is or will be tried as such */
    a = p->length2 - E12 + rest;
    r2 = (g->g11 * g->g22 - g->g12 * g->g12) * (a - delta * delta);
    return S + (rest * delta + sqrt(r2 > 0 ? r2 : 0)) / a;
}

/* The cell is earlier than it was; no front overtakes its own source, unless it has come
 * round, and what has been accepted stays. */
static inline void improve(zm_march *m, size_t cell, double time, int triangle,
                           uint32_t label)
{
    if ((m->steps[cell].kind == ZM_NODE_SOURCE && m->label[cell] == label) ||
        m->heap.place[cell] == ZM_HEAP_DONE)
        return;
    m->T[cell] = time;
    m->triangle[cell] = (uint16_t)triangle;
    m->steps[cell].kind = ZM_NODE_DONORS;
    m->label[cell] = label;
    zm_heap_push(&m->heap, (uint32_t)cell, time);
}

/* Mark of a triangle: its first donor alone, also if the other is there. */
enum { ALONE = 0x8000 };

/* As relax, with the source factored out. */
static void relax_factored(zm_march *m, size_t cell, zm_stencil_view stencil, int k,
                           double Ty, uint32_t label)
{
    const zm_cell_metric *g = &m->metric[cell];
    const zm_march_sight sight = zm_march_sight_of(m, cell, label);
    const int before = k > 0 ? k - 1 : stencil.n - 1,
              after = k + 1 < stencil.n ? k + 1 : 0;
    const zm_march_known_donor y = { stencil.m[k], Ty };
    double best = zm_march_factored_alone(g, &sight, &y).time;
    int triangle = k | ALONE;

    m->n_updates++;
    for (int side = 0; side < 2; side++) {
        const zm_local_offset o = stencil.m[side ? after : before];
        const zm_march_known_donor z = { o,
                                         time_at(m, cell, o, label, ZM_HEAP_ABSENT) };
        double time;

        if (!(z.T < best)) /* a donor with weight is earlier than its cell */
            continue;
        time = side ? zm_march_factored_pair(g, &sight, &y, &z).time
                    : zm_march_factored_pair(g, &sight, &z, &y).time;
        if (time < best) {
            best = time;
            triangle = side ? k : before;
        }
    }
    if (best < m->T[cell])
        improve(m, cell, best, triangle, label);
}

/* The donor at stencil[k] of a cell has just been accepted at time Ty: the two triangles it is
 * in, and itself alone.  `simple`: every donor is inside the grid, there is one source, and
 * no wall. */
static inline __attribute__((always_inline)) void relax(zm_march *m, size_t cell,
                                                        zm_stencil_view stencil, int k,
                                                        double Ty, uint32_t label,
                                                        bool simple)
{
    const zm_cell_metric *g = &m->metric[cell];
    const int before = k > 0 ? k - 1 : stencil.n - 1,
              after = k + 1 < stencil.n ? k + 1 : 0;
    const zm_local_offset o_before = stencil.m[before], o_after = stencil.m[after];
    double T_before, T_after, best;
    const zm_local_donor y = zm_local_donor_at(g, stencil.m[k].x, stencil.m[k].y, Ty);
    int triangle = k;

    if (simple) {
        T_before =
            m->T[cell + (size_t)((ptrdiff_t)o_before.y * m->grid.cols + o_before.x)];
        T_after =
            m->T[cell + (size_t)((ptrdiff_t)o_after.y * m->grid.cols + o_after.x)];
    } else {
        T_before = time_at(m, cell, o_before, label, ZM_HEAP_ABSENT);
        T_after = time_at(m, cell, o_after, label, ZM_HEAP_ABSENT);
    }
    best = y.S + y.length;
    m->n_updates++;
    if (T_before < best) { /* a donor with weight is earlier than its cell */
        const double time = two_donors(g, &y, o_before, T_before, best);

        triangle = time < best ? before : k;
        best = time;
    }
    if (T_after < best) {
        const double time = two_donors(g, &y, o_after, T_after, best);

        triangle = time < best ? k : triangle;
        best = time < best ? time : best;
    }
    if (best < m->T[cell])
        improve(m, cell, best, triangle, label);
}

/* The donor at stencil[k] of a cell, of the front `label`, has just been accepted. */
static inline void tell(zm_march *m, size_t cell, zm_stencil_view stencil, int k,
                        double time, uint32_t label, bool simple)
{
    label = zm_march_label_from(m, cell, label, stencil.m[k].x, stencil.m[k].y);
    if (simple && (m->kind[cell] & ZM_MARCH_INSIDE))
        relax(m, cell, stencil, k, time, label, true);
    else if (m->scheme.factor_radius > 0)
        relax_factored(m, cell, stencil, k, time, label);
    else
        relax(m, cell, stencil, k, time, label, false);
}

/* The cell tells those that have it as a donor. */
static void accept(zm_march *m, size_t cell, double time, bool simple)
{
    const zm_stencil_view plain = { zm_stencil_plain, ZM_STENCIL_PLAIN };
    const uint32_t label = m->label[cell];
    size_t user;

    for (int k = 0; (m->kind[cell] & ZM_MARCH_BY_PLAIN) && k < ZM_STENCIL_PLAIN; k++)
        if (zm_march_donor(m, cell, -zm_stencil_plain[k].x, -zm_stencil_plain[k].y,
                           &user) &&
            (m->kind[user] & ZM_MARCH_PLAIN) && time < m->T[user])
            tell(m, user, plain, k, time, label, simple);
    for (uint32_t i = m->user_first[cell]; i != ZM_MARCH_NO_USER;
         i = m->users[i].next) {
        const zm_march_user *u = &m->users[i];
        const zm_stencil_view stencil = { m->offsets + m->stencil_first[u->cell],
                                          m->stencil_length[u->cell] };

        if (time < m->T[u->cell])
            tell(m, u->cell, stencil, (int)u->k, time, label, simple);
    }
}

/* The limit of a march of second order.  Its times are not in the order in which cells are
 * accepted: when the first pass has come to the limit, it goes on until no cell is left
 * that could come before it, which needs a donor before it. */
typedef struct limit {
    double time; /* counted from the start */
    bool passed;
    size_t hopeful; /* cells not accepted that have a donor before the limit */
} limit;

static void hope(zm_march *m, size_t cell, limit *l)
{
    if (m->heap.place[cell] == ZM_HEAP_DONE || (m->kind[cell] & ZM_MARCH_HOPEFUL))
        return;
    m->kind[cell] |= ZM_MARCH_HOPEFUL;
    l->hopeful++;
}

/* A cell that has been accepted before the limit gives hope to those it is a donor of. */
static void hope_after(zm_march *m, size_t cell, limit *l)
{
    size_t user;

    for (int k = 0; (m->kind[cell] & ZM_MARCH_BY_PLAIN) && k < ZM_STENCIL_PLAIN; k++)
        if (zm_march_donor(m, cell, -zm_stencil_plain[k].x, -zm_stencil_plain[k].y,
                           &user) &&
            (m->kind[user] & ZM_MARCH_PLAIN))
            hope(m, user, l);
    for (uint32_t i = m->user_first[cell]; i != ZM_MARCH_NO_USER; i = m->users[i].next)
        hope(m, m->users[i].cell, l);
}

static void limit_pass(zm_march *m, limit *l, double time)
{
    l->time = time;
    l->passed = true;
    for (size_t i = 0; i < m->n_order; i++)
        if (m->second[m->order[i]] <= time)
            hope_after(m, m->order[i], l);
    /* sources that have not started yet need no donor */
    for (int32_t i = 0; i < m->heap.n; i++)
        if (m->steps[m->heap.items[i].cell].kind == ZM_NODE_SOURCE)
            hope(m, m->heap.items[i].cell, l);
}

/* A front that overtook a source by its time of first order may be later by that of second. */
static void source_first(zm_march *m, size_t cell)
{
    for (size_t i = 0; i < m->n_origins; i++) {
        const zm_march_origin *o = &m->origins[i];

        if (o->x == floor(o->x) && o->y == floor(o->y) && o->cell[0] == cell &&
            o->time < m->second[cell]) {
            m->second[cell] = o->time;
            m->steps[cell] =
                (zm_march_step){ .kind = ZM_NODE_SOURCE, .label = (uint32_t)i };
        }
    }
}

/* Takes a cell over into the order, with its time of second order if that is asked for. */
static void take_over(zm_march *m, size_t cell, double time, limit *l)
{
    m->order[m->n_order++] = (uint32_t)cell;
    if (m->kind[cell] & ZM_MARCH_HOPEFUL) {
        m->kind[cell] ^= ZM_MARCH_HOPEFUL;
        l->hopeful--;
    }
    if (!m->second)
        return;
    m->second[cell] = m->steps[cell].kind == ZM_NODE_SOURCE
                          ? time
                          : zm_march_refine_cell(m, cell, m->second, ZM_HEAP_ABSENT);
    if ((m->kind[cell] & ZM_MARCH_STARTS) && m->steps[cell].kind == ZM_NODE_DONORS)
        source_first(m, cell);
}

static double last_of_targets(const zm_march *m, const uint8_t *targets)
{
    double last = -(double)INFINITY;

    for (size_t i = 0; i < m->n_order; i++)
        if (targets[m->order[i]])
            last = fmax(last, m->second[m->order[i]]);
    return last;
}

/* Accepts cells until none is left or one of the stops is reached. */
static zm_status run(zm_march *m, const zm_problem *problem,
                     const zm_forward_opts *stop, zm_error *err)
{
    enum { PROGRESS_EVERY = 1 << 14 };
    size_t targets = stop->targets
                         ? zm_problem_count_targets(problem, stop->targets, m->cells)
                         : SIZE_MAX;
    const double t_max =
        zm_time_limit_from(problem->metric.dtype, stop->t_max, m->start * m->unit) /
        m->unit;
    const bool simple =
        m->n_origins == 1 && !(m->scheme.factor_radius > 0) && !m->has_walls;
    const size_t most_cells = stop->max_cells > 0 ? (size_t)stop->max_cells : SIZE_MAX;
    limit l = { .time = t_max };

    m->n_order = 0;
    while (m->heap.n > 0 && m->n_order < most_cells) {
        zm_heap_item top;

        if (!l.passed && (targets == 0 || m->heap.items[0].time > t_max)) {
            if (!m->second)
                break;
            limit_pass(m, &l,
                       targets ? t_max
                               : fmin(t_max, last_of_targets(m, stop->targets)));
        }
        if (l.passed && l.hopeful == 0)
            break;
        top = zm_heap_pop(&m->heap);
        accept(m, top.cell, top.time, simple);
        take_over(m, top.cell, top.time, &l);
        if (stop->targets && stop->targets[top.cell] && targets > 0)
            targets--;
        if (l.passed && m->second[top.cell] <= l.time)
            hope_after(m, top.cell, &l);
        if (stop->progress && m->n_order % PROGRESS_EVERY == 0 &&
            stop->progress(stop->progress_ctx, (double)m->n_order / (double)m->cells))
            return zm_fail(err, ZM_E_CANCELLED, -1,
                           "cancelled by the progress callback");
    }
    m->limit = l.time;
    return ZM_OK;
}

void zm_march_rank_cells(zm_march *m)
{
    for (size_t i = 0; i < m->n_order; i++)
        m->heap.place[m->order[i]] = (int32_t)i;
    for (size_t cell = 0; cell < m->cells; cell++) {
        const int32_t rank = m->heap.place[cell];

        if (rank < 0 || (size_t)rank >= m->n_order || m->order[rank] != cell) {
            m->heap.place[cell] = INT32_MAX;
            m->T[cell] = (double)INFINITY;
            m->steps[cell].kind = ZM_NODE_UNREACHED;
        }
    }
}

/* The winning triangle of a cell with the final times. */
static zm_march_step step_of(const zm_march *m, size_t cell)
{
    const zm_stencil_view stencil = zm_march_stencil(m, cell);
    const zm_cell_metric *g = &m->metric[cell];
    const int k = m->triangle[cell], next = k + 1 < stencil.n ? k + 1 : 0;
    const uint32_t label = m->label[cell];
    const int32_t rank = m->heap.place[cell];
    const double Tp = time_at(m, cell, stencil.m[k], label, rank);
    const double Tq = time_at(m, cell, stencil.m[next], label, rank);
    const zm_local_donor p = zm_local_donor_at(g, stencil.m[k].x, stencil.m[k].y, Tp);
    const zm_local_donor q =
        zm_local_donor_at(g, stencil.m[next].x, stencil.m[next].y, Tq);
    zm_march_step s = { .w = 1,
                        .m = { stencil.m[k], stencil.m[next] },
                        .kind = ZM_NODE_DONORS };

    if (Tp == (double)INFINITY)
        s.w = 0;
    else if (Tq < (double)INFINITY)
        zm_local_two_donors(g, g->g11 * g->g22 - g->g12 * g->g12, &p, &q, &s.w);
    return s;
}

static zm_march_step step_of_factored(const zm_march *m, size_t cell)
{
    const zm_stencil_view stencil = zm_march_stencil(m, cell);
    const zm_cell_metric *g = &m->metric[cell];
    const int k = m->triangle[cell] & (ALONE - 1), next = k + 1 < stencil.n ? k + 1 : 0;
    const bool alone = m->triangle[cell] & ALONE;
    const zm_march_sight sight = zm_march_sight_of(m, cell, m->label[cell]);
    const int32_t rank = m->heap.place[cell];
    const zm_march_known_donor p = { stencil.m[k], time_at(m, cell, stencil.m[k],
                                                           m->label[cell], rank) };
    const zm_march_known_donor q = {
        stencil.m[next],
        alone ? 0 : time_at(m, cell, stencil.m[next], m->label[cell], rank)
    };
    const zm_march_factored_update u = alone
                                           ? zm_march_factored_alone(g, &sight, &p)
                                           : zm_march_factored_pair(g, &sight, &p, &q);

    return (
        zm_march_step){ .w = u.w,
                        .m = { stencil.m[k], alone ? stencil.m[k] : stencil.m[next] },
                        .kind = ZM_NODE_DONORS,
                        .factored = u.factored };
}

void zm_march_steps(zm_march *m)
{
    const bool factored = m->scheme.factor_radius > 0;

    for (size_t i = 0; !m->has_steps && i < m->n_order; i++) {
        const size_t cell = m->order[i];

        if (m->steps[cell].kind != ZM_NODE_SOURCE)
            m->steps[cell] = factored ? step_of_factored(m, cell) : step_of(m, cell);
    }
    m->has_steps = true;
}

void zm_march_times_finish(zm_march *m, zm_dtype dtype, double t_max)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->n_order; i++) {
        const size_t cell = m->order[i];
        const bool late = m->T[cell] > m->limit;

        m->T[cell] = zm_march_absolute(m, cell);
        if (late || zm_time_is_after(dtype, m->T[cell] * m->unit, t_max)) {
            m->T[cell] = (double)INFINITY;
            m->steps[cell].kind = ZM_NODE_UNREACHED;
        } else {
            m->order[kept++] = m->order[i];
        }
    }
    m->n_order = kept;
}

/* Times and labels of second order become those of the march. */
static void second_finish(zm_march *m)
{
    for (size_t i = 0; i < m->n_order; i++) {
        const size_t cell = m->order[i];

        m->T[cell] = m->second[cell];
        m->label[cell] = m->steps[cell].label;
    }
}

void zm_march_count_in(zm_march *m, zm_grid grid, double unit)
{
    int exponent;

    frexp(grid.dx, &exponent);
    m->unit = unit;
    m->grid = zm_unit_grid(grid, unit);
    m->factor_x = ldexp(grid.dx, -exponent);
    m->factor_y = ldexp(grid.dy, -exponent);
    m->factor_radius = ldexp(m->scheme.factor_radius, -exponent);
}

zm_status zm_march_begin(zm_march *m, const zm_problem *problem, zm_error *err)
{
    m->has_times = m->has_steps = false;
    ZM_TRY(zm_march_prepare(m, problem, err));
    for (size_t i = 0; i < m->cells; i++) {
        m->T[i] = (double)INFINITY;
        m->heap.place[i] = ZM_HEAP_ABSENT;
        m->steps[i].kind = ZM_NODE_UNREACHED;
    }
    m->heap.n = 0;
    m->n_updates = 0;
    return zm_march_start(m, problem, err);
}

zm_status zm_march_solve(zm_march *m, const zm_problem *problem,
                         const zm_forward_opts *stop, zm_error *err)
{
    ZM_TRY(zm_march_begin(m, problem, err));
    ZM_TRY(run(m, problem, stop, err));
    zm_march_rank_cells(m);
    if (m->second)
        second_finish(m);
    m->has_times = true;
    m->has_steps = m->second != NULL;
    zm_march_times_finish(m, problem->metric.dtype, stop->t_max);
    return ZM_OK;
}
