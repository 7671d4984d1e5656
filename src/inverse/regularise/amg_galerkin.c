/* SPDX-License-Identifier: Apache-2.0
 * The matrix of the next coarser level, A_c = P' A P.
 *
 * Only off-diagonal entries are multiplied out.  The diagonal follows from row sums,
 *
 *     A_c 1 = P' A P 1 = P' (A 1 - A delta),     delta = 1 - P 1,
 *
 * which are small beside the entries and would drown in their rounding. */
#include <math.h>
#include <string.h>

#include "inverse/regularise/amg.h"

/* P' by rows. */
static bool transpose(zm_amg_arena *arena, const zm_rows *p, size_t n, size_t n_coarse,
                      zm_rows *out)
{
    const size_t entries = p->start[n];

    out->start = zm_amg_arena_borrow(arena, n_coarse + 2, sizeof *out->start);
    out->col = zm_amg_arena_borrow(arena, entries + 1, sizeof *out->col);
    out->value = zm_amg_arena_borrow(arena, entries + 1, sizeof *out->value);
    if (!out->start || !out->col || !out->value)
        return false;
    memset(out->start, 0, (n_coarse + 2) * sizeof *out->start);
    for (size_t k = 0; k < entries; k++)
        out->start[p->col[k] + 2]++;
    for (size_t c = 0; c < n_coarse; c++)
        out->start[c + 2] += out->start[c + 1];
    for (size_t i = 0; i < n; i++)
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
            const size_t to = out->start[p->col[k] + 1]++;

            out->col[to] = (int32_t)i;
            out->value[to] = p->value[k];
        }
    return true;
}

/* The row of A_c that is being made. */
typedef struct product_row {
    int32_t *place; /* where a column stands, or -1 */
    int32_t *col;
    double *value;
    size_t count, room;
} product_row;

/* row += factor * (row j of P), without column `self` */
static bool add_row(product_row *row, const zm_rows *p, size_t j, double factor,
                    int32_t self)
{
    for (size_t k = p->start[j]; k < p->start[j + 1]; k++) {
        const int32_t c = p->col[k];

        if (c == self)
            continue;
        if (row->place[c] < 0) {
            if (row->count == row->room)
                return false;
            row->place[c] = (int32_t)row->count;
            row->col[row->count] = c;
            row->value[row->count++] = 0;
        }
        row->value[row->place[c]] += factor * p->value[k];
    }
    return true;
}

static bool multiply_row(product_row *row, const zm_amg_level *fine, const zm_rows *pt,
                         size_t c)
{
    const zm_rows *a = &fine->off, *p = &fine->coarser;

    for (size_t k = pt->start[c]; k < pt->start[c + 1]; k++) {
        const size_t i = (size_t)pt->col[k];
        const double weight = pt->value[k];

        if (!add_row(row, p, i, weight * fine->diagonal[i], (int32_t)c))
            return false;
        for (size_t e = a->start[i]; e < a->start[i + 1]; e++)
            if (!add_row(row, p, (size_t)a->col[e], weight * a->value[e], (int32_t)c))
                return false;
    }
    return true;
}

/* A row of P whose sum is 1 but for rounding keeps constants: else singular matrices
 * would become definite, or worse, on the way down. */
static const double ROUNDING = 1e-13;

/* coarse->b = P' (b - A delta); uses x and r of the fine level. */
static void sum_rows(zm_amg_level *fine, zm_amg_level *coarse)
{
    const zm_rows *p = &fine->coarser;

    for (size_t i = 0; i < fine->n; i++) {
        fine->x[i] = 1;
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++)
            fine->x[i] -= p->value[k];
        if (fabs(fine->x[i]) < ROUNDING)
            fine->x[i] = 0;
    }
    zm_amg_apply(fine, fine->x, fine->r);
    memset(coarse->b, 0, coarse->n * sizeof *coarse->b);
    for (size_t i = 0; i < fine->n; i++)
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++)
            coarse->b[p->col[k]] += p->value[k] * (fine->b[i] - fine->r[i]);
}

static void close_row(product_row *row, zm_amg_level *coarse, size_t c)
{
    double sum = 0;

    for (size_t k = 0; k < row->count; k++) {
        sum += row->value[k];
        row->place[row->col[k]] = -1;
    }
    coarse->diagonal[c] = coarse->b[c] - sum > 0 ? coarse->b[c] - sum : 0;
    coarse->inverse[c] = coarse->diagonal[c] > 0 ? 1 / coarse->diagonal[c] : 0;
}

/* Gives back the room that `count` entries did not need. */
static void settle(zm_amg_arena *arena, zm_rows *a, size_t count)
{
    const int32_t *col = a->col;

    arena->low = (size_t)((unsigned char *)(a->value + count) - arena->base);
    zm_amg_arena_give_back(arena);
    a->col = zm_amg_arena_keep(arena, count + 1, sizeof *a->col);
    memmove(a->col, col, count * sizeof *a->col);
}

bool zm_amg_galerkin(zm_amg_arena *arena, zm_amg_level *fine, zm_amg_level *coarse)
{
    const size_t n = coarse->n;
    zm_rows pt, *a = &coarse->off;
    product_row row = { 0 };

    row.place = zm_amg_arena_borrow(arena, n, sizeof *row.place);
    a->start = zm_amg_arena_keep(arena, n + 1, sizeof *a->start);
    if (!row.place || !a->start || !transpose(arena, &fine->coarser, fine->n, n, &pt))
        return false;
    /* Entries are counted as they come: all room that is left, the rest given back. */
    row.room = (arena->high - arena->low) / (sizeof *a->col + sizeof *a->value + 1);
    row.room = row.room > 16 ? row.room - 16 : 0;
    a->value = zm_amg_arena_keep(arena, row.room, sizeof *a->value);
    a->col = zm_amg_arena_borrow(arena, row.room, sizeof *a->col);
    if (!a->value || !a->col)
        return false;
    sum_rows(fine, coarse);
    memset(row.place, -1, n * sizeof *row.place);
    a->start[0] = 0;
    for (size_t c = 0; c < n; c++) {
        row.col = a->col + a->start[c];
        row.value = a->value + a->start[c];
        row.count = 0;
        if (!multiply_row(&row, fine, &pt, c))
            return false;
        row.room -= row.count;
        close_row(&row, coarse, c);
        a->start[c + 1] = a->start[c] + row.count;
    }
    settle(arena, a, a->start[n]);
    return true;
}
