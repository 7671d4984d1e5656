/* SPDX-License-Identifier: Apache-2.0
 * Algebraic multigrid: memory, the hierarchy, the V-cycle. */
#include "inverse/regularise/amg.h"

#include <string.h>

enum { ALIGNMENT = 16 };

/* Coarsening that leaves more than this part of the unknowns is not worth another
 * level. */
static const double SLOW_COARSENING = 0.85;
/* Sweeps there and back where the last level is too large to factor. */
enum { LAST_SWEEPS = 4 };

static size_t padded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool fits(const zm_amg_arena *arena, size_t count, size_t size, size_t *bytes)
{
    if (count > (arena->high - arena->low) / size)
        return false;
    *bytes = padded(count * size);
    return padded(arena->low) + *bytes <= arena->high;
}

void *zm_amg_arena_keep(zm_amg_arena *arena, size_t count, size_t size)
{
    size_t bytes, at;

    if (!fits(arena, count, size, &bytes))
        return NULL;
    at = padded(arena->low);
    arena->low = at + bytes;
    return arena->base + at;
}

void *zm_amg_arena_borrow(zm_amg_arena *arena, size_t count, size_t size)
{
    size_t bytes;

    if (!fits(arena, count, size, &bytes))
        return NULL;
    arena->high = (arena->high - bytes) / ALIGNMENT * ALIGNMENT;
    return arena->base + arena->high;
}

void zm_amg_arena_give_back(zm_amg_arena *arena)
{
    arena->high = arena->end;
}

bool zm_amg_level_vectors(zm_amg_arena *arena, zm_amg_level *l, size_t n)
{
    l->n = n;
    return (l->diagonal = zm_amg_arena_keep(arena, n, sizeof(double))) &&
           (l->inverse = zm_amg_arena_keep(arena, n, sizeof(double))) &&
           (l->x = zm_amg_arena_keep(arena, n, sizeof(double))) &&
           (l->b = zm_amg_arena_keep(arena, n, sizeof(double))) &&
           (l->r = zm_amg_arena_keep(arena, n, sizeof(double)));
}

/* False where a coarser level is not worth it or does not fit. */
static bool coarsen(zm_amg *amg)
{
    zm_amg_level *fine = &amg->level[amg->n_levels - 1], *coarse = fine + 1;
    uint8_t *strong = zm_amg_arena_borrow(&amg->arena, fine->off.start[fine->n] + 1, 1);
    int32_t *coarse_of = zm_amg_arena_borrow(&amg->arena, fine->n, sizeof *coarse_of);
    const size_t split_from = amg->arena.high;
    size_t n;

    if (!strong || !coarse_of)
        return false;
    zm_amg_strength(fine, strong);
    if (!zm_amg_split(&amg->arena, fine, strong, coarse_of, &n) || n == 0 ||
        (double)n > SLOW_COARSENING * (double)fine->n)
        return false;
    amg->arena.high = split_from;
    if (!zm_amg_interpolate(&amg->arena, fine, strong, coarse_of))
        return false;
    zm_amg_arena_give_back(&amg->arena);
    return zm_amg_level_vectors(&amg->arena, coarse, n) &&
           zm_amg_galerkin(&amg->arena, fine, coarse);
}

/* A = L D L' of the last level, dense: unit lower L, and 1/D on the diagonal.  A pivot
 * is the row sum minus what is left of the row, and row sums are eliminated like
 * entries (Grassmann, Taksar and Heyman 1985): as these have one sign, or nearly so,
 * nothing cancels, and the last pivot of a singular matrix is 0. */
static void factor_last(zm_amg *amg)
{
    const zm_amg_level *l = &amg->level[amg->n_levels - 1];
    const size_t n = l->n;
    double *f =
        n <= ZM_AMG_DIRECT ? zm_amg_arena_keep(&amg->arena, n * n, sizeof *f) : NULL;
    double row_sum[ZM_AMG_DIRECT];

    amg->factor = f;
    if (!f)
        return;
    memset(f, 0, n * n * sizeof *f);
    memcpy(row_sum, l->b, n * sizeof *row_sum);
    for (size_t i = 0; i < n; i++)
        for (size_t k = l->off.start[i]; k < l->off.start[i + 1]; k++)
            f[i * n + (size_t)l->off.col[k]] = l->off.value[k];
    for (size_t j = 0; j < n; j++) {
        double pivot = row_sum[j];

        for (size_t i = j + 1; i < n; i++)
            pivot -= f[i * n + j];
        f[j * n + j] = pivot > 0 ? 1 / pivot : 0;
        for (size_t i = j + 1; i < n; i++) {
            const double a = f[i * n + j] * f[j * n + j];

            row_sum[i] -= a * row_sum[j];
            for (size_t k = j + 1; k < i; k++)
                f[i * n + k] -= a * f[k * n + j];
        }
        for (size_t i = j + 1; i < n; i++)
            f[i * n + j] *= f[j * n + j];
    }
}

void zm_amg_build(zm_amg *amg)
{
    amg->n_levels = 1;
    while (amg->n_levels < ZM_AMG_LEVELS &&
           amg->level[amg->n_levels - 1].n > ZM_AMG_DIRECT) {
        const size_t low = amg->arena.low;
        const bool more = coarsen(amg);

        zm_amg_arena_give_back(&amg->arena);
        if (!more) {
            amg->arena.low = low;
            break;
        }
        amg->n_levels++;
    }
    factor_last(amg);
}

void zm_amg_apply(const zm_amg_level *l, const double *v, double *out)
{
    for (size_t i = 0; i < l->n; i++) {
        double sum = l->diagonal[i] * v[i];

        for (size_t k = l->off.start[i]; k < l->off.start[i + 1]; k++)
            sum += l->off.value[k] * v[l->off.col[k]];
        out[i] = sum;
    }
}

static inline void relax_one(zm_amg_level *l, size_t i)
{
    double sum = l->b[i];

    for (size_t k = l->off.start[i]; k < l->off.start[i + 1]; k++)
        sum -= l->off.value[k] * l->x[l->off.col[k]];
    l->x[i] = sum * l->inverse[i];
}

static void relax_forth(zm_amg_level *l)
{
    for (size_t i = 0; i < l->n; i++)
        relax_one(l, i);
}

static void relax_back(zm_amg_level *l)
{
    for (size_t i = l->n; i-- > 0;)
        relax_one(l, i);
}

static void solve_last(zm_amg *amg)
{
    zm_amg_level *l = &amg->level[amg->n_levels - 1];
    const double *f = amg->factor;
    const size_t n = l->n;

    memset(l->x, 0, n * sizeof *l->x);
    if (!f) {
        for (int s = 0; s < LAST_SWEEPS; s++)
            relax_forth(l);
        for (int s = 0; s < LAST_SWEEPS; s++)
            relax_back(l);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        l->x[i] = l->b[i];
        for (size_t k = 0; k < i; k++)
            l->x[i] -= f[i * n + k] * l->x[k];
    }
    for (size_t i = 0; i < n; i++)
        l->x[i] *= f[i * n + i];
    for (size_t i = n; i-- > 0;)
        for (size_t k = i + 1; k < n; k++)
            l->x[i] -= f[k * n + i] * l->x[k];
}

static void restrict_residual(zm_amg_level *fine, zm_amg_level *coarse)
{
    const zm_rows *p = &fine->coarser;

    zm_amg_apply(fine, fine->x, fine->r);
    memset(coarse->b, 0, coarse->n * sizeof *coarse->b);
    for (size_t i = 0; i < fine->n; i++)
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++)
            coarse->b[p->col[k]] += p->value[k] * (fine->b[i] - fine->r[i]);
}

static void prolong(zm_amg_level *fine, const zm_amg_level *coarse)
{
    const zm_rows *p = &fine->coarser;

    for (size_t i = 0; i < fine->n; i++)
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++)
            fine->x[i] += p->value[k] * coarse->x[p->col[k]];
}

void zm_amg_cycle(zm_amg *amg)
{
    const size_t last = amg->n_levels - 1;

    for (size_t k = 0; k < last; k++) {
        memset(amg->level[k].x, 0, amg->level[k].n * sizeof(double));
        relax_forth(&amg->level[k]);
        restrict_residual(&amg->level[k], &amg->level[k + 1]);
    }
    solve_last(amg);
    for (size_t k = last; k-- > 0;) {
        prolong(&amg->level[k], &amg->level[k + 1]);
        relax_back(&amg->level[k]);
    }
}
