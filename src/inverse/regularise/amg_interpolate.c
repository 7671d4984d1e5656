/* SPDX-License-Identifier: Apache-2.0
 * Classical interpolation: the equation of a fine unknown i with a small residual,
 *
 *     a_ii x_i + sum_j a_ij x_j = 0,
 *
 * where weakly coupled x_j are taken as x_i, and strongly coupled fine x_j as the mean
 * of the coarse unknowns that i and j share, weighted by a_jm. */
#include <string.h>

#include "inverse/regularise/amg.h"

/* Entries below this part of the largest of their row are dropped, the others scaled to
 * the same sum: keeps the coarser matrices sparse. */
static const double DROPPED = 0.1;

typedef struct row_maker {
    const zm_amg_level *l;
    const uint8_t *strong;
    const int32_t *coarse_of;
    int32_t
        *place; /* where in the row that is being made a coarse unknown stands, or -1 */
    zm_rows *p;
    size_t begin, end; /* of that row */
} row_maker;

static void open_row(row_maker *m, size_t i)
{
    const zm_rows *a = &m->l->off;

    m->end = m->begin;
    for (size_t k = a->start[i]; k < a->start[i + 1]; k++)
        if (m->strong[k] && m->coarse_of[a->col[k]] >= 0) {
            m->place[a->col[k]] = (int32_t)(m->end - m->begin);
            m->p->col[m->end] = a->col[k]; /* fine number, until the row is closed */
            m->p->value[m->end++] = a->value[k];
        }
}

/* Shares a_ij of a strongly coupled fine j among the coarse unknowns of row j that are
 * in this row; false where there are none. */
static bool share(row_maker *m, size_t j, double a_ij)
{
    const zm_rows *a = &m->l->off;
    double sum = 0;

    for (size_t k = a->start[j]; k < a->start[j + 1]; k++)
        if (m->place[a->col[k]] >= 0 && a->value[k] < 0)
            sum += a->value[k];
    if (!(sum < 0))
        return false;
    for (size_t k = a->start[j]; k < a->start[j + 1]; k++)
        if (m->place[a->col[k]] >= 0 && a->value[k] < 0)
            m->p->value[m->begin + (size_t)m->place[a->col[k]]] +=
                a_ij * a->value[k] / sum;
    return true;
}

/* Couplings that are not to strong coarse unknowns.  Returns the factor by which the
 * entries are to be multiplied. */
static double gather_rest(row_maker *m, size_t i)
{
    const zm_rows *a = &m->l->off;
    double diagonal = m->l->diagonal[i], left = 0, sum = 0;

    for (size_t k = a->start[i]; k < a->start[i + 1]; k++) {
        const size_t j = (size_t)a->col[k];

        if (!m->strong[k])
            diagonal += a->value[k];
        else if (m->coarse_of[j] < 0 && !share(m, j, a->value[k]))
            left += a->value[k]; /* scaled onto all entries */
    }
    for (size_t k = m->begin; k < m->end; k++)
        sum += m->p->value[k];
    return -(1 + left / sum) / (diagonal > 0 ? diagonal : m->l->diagonal[i]);
}

/* Drops small entries, scales and numbers the rest, and forgets the places. */
static void close_row(row_maker *m, double factor)
{
    double most = 0, sum = 0, kept = 0;
    size_t to = m->begin;

    for (size_t k = m->begin; k < m->end; k++) {
        sum += m->p->value[k];
        most = m->p->value[k] < most ? m->p->value[k] : most;
        m->place[m->p->col[k]] = -1;
    }
    for (size_t k = m->begin; k < m->end; k++)
        if (m->p->value[k] <= DROPPED * most) { /* they are negative */
            kept += m->p->value[k];
            m->p->col[to] = m->coarse_of[m->p->col[k]];
            m->p->value[to++] = m->p->value[k];
        }
    for (size_t k = m->begin; k < to; k++)
        m->p->value[k] *= factor * sum / kept;
    m->begin = to;
}

static void make_row(row_maker *m, size_t i)
{
    if (m->coarse_of[i] >= 0) {
        m->p->col[m->begin] = m->coarse_of[i];
        m->p->value[m->begin++] = 1;
        return;
    }
    open_row(m, i);
    if (m->end > m->begin)
        close_row(m, gather_rest(m, i));
}

/* Entries P can have at most. */
static size_t count_entries(const zm_amg_level *l, const uint8_t *strong,
                            const int32_t *coarse_of)
{
    size_t count = 0;

    for (size_t i = 0; i < l->n; i++) {
        if (coarse_of[i] >= 0)
            count++;
        else
            for (size_t k = l->off.start[i]; k < l->off.start[i + 1]; k++)
                count += strong[k] && coarse_of[l->off.col[k]] >= 0;
    }
    return count;
}

bool zm_amg_interpolate(zm_amg_arena *arena, zm_amg_level *l, const uint8_t *strong,
                        const int32_t *coarse_of)
{
    const size_t entries = count_entries(l, strong, coarse_of);
    zm_rows *p = &l->coarser;
    row_maker m = { l, strong, coarse_of, NULL, p, 0, 0 };

    m.place = zm_amg_arena_borrow(arena, l->n, sizeof *m.place);
    p->start = zm_amg_arena_keep(arena, l->n + 1, sizeof *p->start);
    p->col = zm_amg_arena_keep(arena, entries + 1, sizeof *p->col);
    p->value = zm_amg_arena_keep(arena, entries + 1, sizeof *p->value);
    if (!m.place || !p->start || !p->col || !p->value)
        return false;
    memset(m.place, -1, l->n * sizeof *m.place);
    for (size_t i = 0; i < l->n; i++) {
        p->start[i] = m.begin;
        make_row(&m, i);
    }
    p->start[l->n] = m.begin;
    return true;
}
