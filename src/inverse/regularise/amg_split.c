/* SPDX-License-Identifier: Apache-2.0
 * Which unknowns go to the coarser level: those on which most others depend. */
#include <string.h>

#include "inverse/regularise/amg.h"

/* A coupling is strong from this part of the strongest of its row on (customary). */
static const double STRONG = 0.25;
/* Where the couplings sum to less than this part of the diagonal, relaxation alone
 * reduces the error by that factor: nothing is coarsened. */
static const double DOMINATED = 0.2;

void zm_amg_strength(const zm_amg_level *l, uint8_t *strong)
{
    for (size_t i = 0; i < l->n; i++) {
        const size_t begin = l->off.start[i], end = l->off.start[i + 1];
        double sum = 0, most = 0, limit;

        for (size_t k = begin; k < end; k++) {
            const double a = -l->off.value[k];

            sum += a > 0 ? a : -a;
            most = a > most ? a : most;
        }
        limit = sum > DOMINATED * l->diagonal[i] ? STRONG * most : 2 * most + 1;
        for (size_t k = begin; k < end; k++)
            strong[k] = most > 0 && -l->off.value[k] >= limit;
    }
}

/* For each unknown those that depend strongly on it. */
typedef struct dependants {
    size_t *start;
    int32_t *who;
} dependants;

static bool find_dependants(zm_amg_arena *arena, const zm_amg_level *l,
                            const uint8_t *strong, dependants *d)
{
    const size_t entries = l->off.start[l->n];

    d->start = zm_amg_arena_borrow(arena, l->n + 2, sizeof *d->start);
    d->who = zm_amg_arena_borrow(arena, entries + 1, sizeof *d->who);
    if (!d->start || !d->who)
        return false;
    memset(d->start, 0, (l->n + 2) * sizeof *d->start);
    for (size_t k = 0; k < entries; k++)
        d->start[l->off.col[k] + 2] += strong[k];
    for (size_t i = 0; i < l->n; i++)
        d->start[i + 2] += d->start[i + 1];
    for (size_t i = 0; i < l->n; i++)
        for (size_t k = l->off.start[i]; k < l->off.start[i + 1]; k++)
            if (strong[k])
                d->who[d->start[l->off.col[k] + 1]++] = (int32_t)i;
    return true;
}

/* Undecided unknowns in lists of equal measure. */
typedef struct buckets {
    int32_t *next, *previous, *measure;
    int32_t *head; /* one a measure */
    int32_t most, top;
} buckets;

static void unlink_from(buckets *q, int32_t i)
{
    const int32_t before = q->previous[i], after = q->next[i];

    if (before >= 0)
        q->next[before] = after;
    else
        q->head[q->measure[i]] = after;
    if (after >= 0)
        q->previous[after] = before;
}

static void link_to(buckets *q, int32_t i, int32_t measure)
{
    measure = measure < 0 ? 0 : measure > q->most ? q->most : measure;
    q->measure[i] = measure;
    q->previous[i] = -1;
    q->next[i] = q->head[measure];
    if (q->next[i] >= 0)
        q->previous[q->next[i]] = i;
    q->head[measure] = i;
    q->top = measure > q->top ? measure : q->top;
}

static void change(buckets *q, int32_t i, int32_t by)
{
    unlink_from(q, i);
    link_to(q, i, q->measure[i] + by);
}

static int32_t take_largest(buckets *q)
{
    int32_t i;

    while (q->top >= 0 && q->head[q->top] < 0)
        q->top--;
    if (q->top < 0)
        return -1;
    i = q->head[q->top];
    unlink_from(q, i);
    return i;
}

enum { UNDECIDED = -3, FINE = -1, COARSE = -2 };

static bool start_buckets(zm_amg_arena *arena, const zm_amg_level *l,
                          const dependants *d, const uint8_t *strong, int32_t *state,
                          buckets *q)
{
    int32_t most = 0;

    for (size_t i = 0; i < l->n; i++) {
        const int32_t degree = (int32_t)(d->start[i + 1] - d->start[i]);

        most = degree > most ? degree : most;
    }
    q->most = 2 * most;
    q->top = -1;
    q->next = zm_amg_arena_borrow(arena, l->n, sizeof *q->next);
    q->previous = zm_amg_arena_borrow(arena, l->n, sizeof *q->previous);
    q->measure = zm_amg_arena_borrow(arena, l->n, sizeof *q->measure);
    q->head = zm_amg_arena_borrow(arena, (size_t)q->most + 1, sizeof *q->head);
    if (!q->next || !q->previous || !q->measure || !q->head)
        return false;
    for (int32_t m = 0; m <= q->most; m++)
        q->head[m] = -1;
    for (size_t i = l->n; i-- > 0;) { /* the first of equals is taken first */
        bool depends = false;

        for (size_t k = l->off.start[i]; k < l->off.start[i + 1]; k++)
            depends |= strong[k] != 0;
        state[i] = depends ? UNDECIDED : FINE;
        if (depends)
            link_to(q, (int32_t)i, (int32_t)(d->start[i + 1] - d->start[i]));
    }
    return true;
}

/* i becomes coarse: those that depend on it are fine, and what these depend on becomes
 * more valuable; what i depends on becomes less so. */
static void settle(const zm_amg_level *l, const dependants *d, const uint8_t *strong,
                   int32_t *state, buckets *q, int32_t i)
{
    state[i] = COARSE;
    for (size_t k = d->start[i]; k < d->start[i + 1]; k++) {
        const int32_t j = d->who[k];

        if (state[j] != UNDECIDED)
            continue;
        state[j] = FINE;
        unlink_from(q, j);
        for (size_t m = l->off.start[j]; m < l->off.start[j + 1]; m++)
            if (strong[m] && state[l->off.col[m]] == UNDECIDED)
                change(q, l->off.col[m], 1);
    }
    for (size_t k = l->off.start[i]; k < l->off.start[i + 1]; k++)
        if (strong[k] && state[l->off.col[k]] == UNDECIDED)
            change(q, l->off.col[k], -1);
}

bool zm_amg_split(zm_amg_arena *arena, const zm_amg_level *l, const uint8_t *strong,
                  int32_t *coarse_of, size_t *n_coarse)
{
    dependants d;
    buckets q;
    int32_t i;

    if (!find_dependants(arena, l, strong, &d) ||
        !start_buckets(arena, l, &d, strong, coarse_of, &q))
        return false;
    while ((i = take_largest(&q)) >= 0)
        settle(l, &d, strong, coarse_of, &q, i);
    *n_coarse = 0;
    for (size_t k = 0; k < l->n; k++)
        coarse_of[k] = coarse_of[k] == COARSE ? (int32_t)(*n_coarse)++ : -1;
    return true;
}
