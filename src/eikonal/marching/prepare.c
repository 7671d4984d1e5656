/* SPDX-License-Identifier: Apache-2.0
 * Memory of a march, and the stencil of every cell. */
#include <math.h>
#include <string.h>

#include "core/array.h"
#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/local/triangle.h"
#include "eikonal/marching/march.h"
#include "eikonal/marching/visible.h"

static bool march_fill(const zm_alloc *mem, zm_march *m)
{
    const size_t n = m->cells;
    size_t *bytes = &m->part.bytes;

    return zm_take(mem, bytes, &m->metric, n, sizeof *m->metric) &&
           zm_take(mem, bytes, &m->kind, n, sizeof *m->kind) &&
           zm_take(mem, bytes, &m->stencil_first, n, sizeof *m->stencil_first) &&
           zm_take(mem, bytes, &m->stencil_length, n, sizeof *m->stencil_length) &&
           zm_take(mem, bytes, &m->stencil, ZM_STENCIL_MOST, sizeof *m->stencil) &&
           zm_take(mem, bytes, &m->user_first, n, sizeof *m->user_first) &&
           zm_take(mem, bytes, &m->T, n, sizeof *m->T) &&
           (m->scheme.order == 1 ||
            zm_take(mem, bytes, &m->second, n, sizeof *m->second)) &&
           zm_take(mem, bytes, &m->heap.items, n, sizeof *m->heap.items) &&
           zm_take(mem, bytes, &m->heap.place, n, sizeof *m->heap.place) &&
           zm_take(mem, bytes, &m->triangle, n, sizeof *m->triangle) &&
           zm_take(mem, bytes, &m->order, n, sizeof *m->order) &&
           zm_take(mem, bytes, &m->steps, n, sizeof *m->steps) &&
           zm_take(mem, bytes, &m->label, n, sizeof *m->label);
}

zm_engine_part *zm_march_create(const zm_solver *s)
{
    zm_march *m = zm_zalloc(&s->mem, 1, sizeof *m);

    if (!m)
        return NULL;
    *m = (zm_march){ .part.bytes = sizeof *m,
                     .grid = s->grid,
                     .scheme = s->scheme,
                     .mem = s->mem,
                     .cells = s->cells };
    if (!march_fill(&s->mem, m)) {
        zm_march_destroy(s, &m->part);
        return NULL;
    }
    return &m->part;
}

void zm_march_destroy(const zm_solver *s, zm_engine_part *part)
{
    zm_march *m = (zm_march *)part;

    zm_release(&s->mem, m->changes);
    zm_release(&s->mem, m->origins);
    zm_release(&s->mem, m->label);
    zm_release(&s->mem, m->steps);
    zm_release(&s->mem, m->order);
    zm_release(&s->mem, m->triangle);
    zm_release(&s->mem, m->heap.place);
    zm_release(&s->mem, m->heap.items);
    zm_release(&s->mem, m->second);
    zm_release(&s->mem, m->T);
    zm_release(&s->mem, m->users);
    zm_release(&s->mem, m->user_first);
    zm_release(&s->mem, m->stencil);
    zm_release(&s->mem, m->offsets);
    zm_release(&s->mem, m->stencil_length);
    zm_release(&s->mem, m->stencil_first);
    zm_release(&s->mem, m->kind);
    zm_release(&s->mem, m->metric);
    zm_release(&s->mem, m);
}

static bool same_metric(const zm_cell_metric *a, const zm_cell_metric *b)
{
    return a->g11 == b->g11 && a->g12 == b->g12 && a->g22 == b->g22 && a->b1 == b->b1 &&
           a->b2 == b->b2;
}

static void stencil_assign(zm_march *m, size_t cell, uint32_t first, uint16_t length)
{
    m->kind[cell] = ZM_MARCH_WIDE;
    m->stencil_first[cell] = first;
    m->stencil_length[cell] = length;
    m->n_edges += length;
}

/* A stencil of its own, without offsets that a wall stands in the way of. */
static zm_status stencil_store(zm_march *m, int32_t row, int32_t col, size_t cell, int n,
                               zm_error *err)
{
    zm_local_offset *stencil = m->stencil;

    if (!zm_array_reserve_in(&m->mem, &m->part.bytes, &m->offsets, &m->room_offsets,
                             m->n_offsets + (size_t)n, sizeof *m->offsets))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for adaptive stencils");
    for (int k = 0; m->has_walls && k < n; k++)
        if (!zm_march_visible(m, row, col, stencil[k]))
            stencil[k] = (zm_local_offset){ 0, 0 };
    memcpy(m->offsets + m->n_offsets, stencil, (size_t)n * sizeof *stencil);
    stencil_assign(m, cell, (uint32_t)m->n_offsets, (uint16_t)n);
    m->n_offsets += (size_t)n;
    return ZM_OK;
}

/* Factoring takes something off the times of donors: these must be earlier with a margin. */
static bool plain_is_enough(const zm_march *m, const zm_cell_metric *g)
{
    return m->scheme.factor_radius > 0 && !m->scheme.fixed
               ? zm_stencil_is_plain(g)
               : zm_stencil_plain_is_acute(g);
}

/* The stencil of one cell: plain where the eight neighbours are acute and no wall stands
 * between the cell and one of them, else a stencil of its own. */
static zm_status cell_prepare(zm_march *m, int32_t row, int32_t col, size_t cell,
                              zm_error *err)
{
    const zm_cell_metric *g = &m->metric[cell];
    int n;

    if (plain_is_enough(m, g)) {
        if (!m->has_walls || !zm_march_corner_blocked(m, row, col))
            return ZM_OK;
        memcpy(m->stencil, zm_stencil_plain, sizeof zm_stencil_plain);
        return stencil_store(m, row, col, cell, ZM_STENCIL_PLAIN, err);
    }
    if (!m->has_walls && col > 0 && (m->kind[cell - 1] & ZM_MARCH_WIDE) &&
        same_metric(g, g - 1)) {
        stencil_assign(m, cell, m->stencil_first[cell - 1],
                       m->stencil_length[cell - 1]);
        return ZM_OK;
    }
    if (m->scheme.fixed)
        return zm_fail(err, ZM_E_METRIC, (int64_t)cell,
                       "metric at row %d, col %d is too strong for fixed stencils with "
                       "order 2, factoring, a closed grid or stops: use adaptive ones",
                       (int)row, (int)col);
    n = zm_stencil_build(g, m->stencil, &m->reach);
    if (n == 0)
        return zm_fail(
            err, ZM_E_METRIC, (int64_t)cell,
            "metric at row %d, col %d is so extreme that its stencil would leave "
            "%d cells: refine the grid across it, or limit its eigenvalue ratio "
            "and drift",
            (int)row, (int)col, (int)ZM_STENCIL_REACH);
    return stencil_store(m, row, col, cell, n, err);
}

static bool near_plain(const zm_march *m, int32_t row, int32_t col)
{
    for (int k = 0; k < ZM_STENCIL_PLAIN; k++) {
        size_t cell;

        if (zm_march_neighbour(m, row, col, zm_stencil_plain[k].x,
                               zm_stencil_plain[k].y, &cell) &&
            (m->kind[cell] & ZM_MARCH_PLAIN))
            return true;
    }
    return false;
}

/* Marks cells beside plain ones, and those all of whose donors, and their donors, are inside
 * the grid. */
static void surroundings_mark(zm_march *m, size_t n_plain)
{
    const int32_t reach = 2 * m->reach; /* second differences look twice as far */
    const bool some = n_plain > 0, all = m->n_edges == 0;
    size_t cell = 0;

    for (int32_t row = 0; row < m->grid.rows; row++) {
        const bool row_inside = row >= reach && row < m->grid.rows - reach;

        for (int32_t col = 0; col < m->grid.cols; col++, cell++) {
            if (row_inside && col >= reach && col < m->grid.cols - reach)
                m->kind[cell] |= ZM_MARCH_INSIDE;
            if (all || (some && near_plain(m, row, col)))
                m->kind[cell] |= ZM_MARCH_BY_PLAIN;
        }
    }
}

/* The reverse of the stencils: who has this cell as a donor. */
static bool users_make(zm_march *m)
{
    uint32_t n = 0;

    memset(m->user_first, 0xFF, m->cells * sizeof *m->user_first);
    if (m->n_edges > m->room_users) {
        m->part.bytes -= m->room_users * sizeof *m->users;
        zm_release(&m->mem, m->users);
        m->users = NULL;
        m->room_users = 0;
        if (!zm_take(&m->mem, &m->part.bytes, &m->users, m->n_edges, sizeof *m->users))
            return false;
        m->room_users = m->n_edges;
    }
    for (size_t cell = 0; m->n_edges > 0 && cell < m->cells; cell++) {
        const zm_local_offset *stencil = m->offsets + m->stencil_first[cell];

        if (!(m->kind[cell] & ZM_MARCH_WIDE))
            continue;
        for (int k = 0; k < m->stencil_length[cell]; k++) {
            const zm_local_offset o = stencil[k];
            size_t donor;

            if (zm_march_blocked(o) || !zm_march_donor(m, cell, o.x, o.y, &donor))
                continue;
            m->users[n] =
                (zm_march_user){ (uint32_t)cell, m->user_first[donor], (uint32_t)k };
            m->user_first[donor] = n++;
        }
    }
    return true;
}

zm_status zm_march_prepare(zm_march *m, const zm_problem *problem, zm_error *err)
{
    const uint8_t *walls = problem->walls;
    size_t cell = 0, n_plain = 0;

    m->has_walls = walls != NULL;
    m->n_offsets = m->n_edges = 0;
    m->reach = 1;
    for (size_t i = 0; i < m->cells; i++)
        m->kind[i] = walls && walls[i] ? ZM_MARCH_WALL : ZM_MARCH_PLAIN;
    for (int32_t row = 0; row < m->grid.rows; row++) {
        for (int32_t col = 0; col < m->grid.cols; col++, cell++) {
            zm_status st;

            if (m->kind[cell] & ZM_MARCH_WALL)
                continue;
            st = zm_local_read(m->grid, zm_metric_at(&problem->metric, cell), cell,
                               &m->metric[cell], err);
            if (st != ZM_OK || (st = cell_prepare(m, row, col, cell, err)) != ZM_OK)
                return st;
            n_plain += (m->kind[cell] & ZM_MARCH_PLAIN) != 0;
        }
    }
    surroundings_mark(m, n_plain);
    return users_make(m)
               ? ZM_OK
               : zm_fail(err, ZM_E_NOMEM, -1, "no memory for adaptive stencils");
}
