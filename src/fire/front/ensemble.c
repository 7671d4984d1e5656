/* SPDX-License-Identifier: Apache-2.0
 * Many fires in perturbed weather, over the threads. */
#include "zermelo/fire/ensemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "fire/front/crew.h"

enum { NEVER = UINT16_MAX, LAST_TICK = UINT16_MAX - 1 };

/** What all members share. */
typedef struct ensemble {
    zm_draws draws;
    const zm_source *sources;
    size_t n_sources, cells;
    double t_max;
    uint16_t *times; /* members planes, in ticks of t_max/LAST_TICK */
} ensemble;

static zm_status run_member(void *ctx, zm_physics *model, const zm_member *given,
                            int32_t number, double *T, zm_error *err)
{
    const ensemble *e = ctx;
    uint16_t *ticks = e->times + (size_t)number * e->cells;
    zm_status st =
        zm_physics_set_fire(model, &given->fire, &given->params, e->t_max, err);

    if (st == ZM_OK)
        st = zm_physics_arrival(model, e->sources, e->n_sources, e->t_max, T, err);
    if (st < 0)
        return st;
    for (size_t i = 0; i < e->cells; i++)
        ticks[i] = T[i] <= e->t_max
                       ? (uint16_t)(fmax(T[i], 0) / e->t_max * LAST_TICK + 0.5)
                       : NEVER;
    return ZM_OK;
}

static int by_value(const void *a, const void *b)
{
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

/* Quantile: the smallest time that at least a share `level` of all members is not later
 * than. */
static float quantile(const ensemble *e, const uint16_t *sorted, double level)
{
    const int n = e->draws.opts.members;
    int rank = (int)ceil(level * n - 1e-9) - 1; /* 0.07 100 is 7 and a little */

    rank = rank < 0 ? 0 : rank >= n ? n - 1 : rank;
    return sorted[rank] == NEVER ? INFINITY
                                 : (float)(sorted[rank] * (e->t_max / LAST_TICK));
}

static void summarise(const ensemble *e, const zm_ensemble_out *out, uint16_t *sorted)
{
    const size_t n = (size_t)e->draws.opts.members;

    for (size_t i = 0; i < e->cells; i++) {
        size_t reached = 0;

        for (size_t k = 0; k < n; k++) {
            sorted[k] = e->times[k * e->cells + i];
            reached += sorted[k] != NEVER;
        }
        if (out->probability)
            out->probability[i] = (float)reached / (float)n;
        if (reached > 0 && out->n_quantiles > 0)
            qsort(sorted, n, sizeof *sorted, by_value);
        for (size_t q = 0; q < out->n_quantiles; q++)
            out->quantiles[q][i] =
                reached > 0 ? quantile(e, sorted, out->levels[q]) : INFINITY;
    }
}

static zm_status check(double t_max, const zm_ensemble_out *out, zm_error *err)
{
    if (!(t_max > 0 && t_max < HUGE_VAL))
        return zm_fail(err, ZM_E_ARG, -1, "t_max %g h, must be > 0 and finite", t_max);
    for (size_t q = 0; q < out->n_quantiles; q++)
        if (!out->levels || !out->quantiles || !out->quantiles[q])
            return zm_fail(err, ZM_E_ARG, -1,
                           "%zu quantiles: levels and a plane for each are needed",
                           out->n_quantiles);
        else if (!(out->levels[q] > 0 && out->levels[q] < 1))
            return zm_fail(err, ZM_E_ARG, -1, "quantile %g, must be between 0 and 1",
                           out->levels[q]);
    return ZM_OK;
}

zm_status zm_ensemble_run(const zm_landscape *landscape, const zm_fire *fire,
                          const zm_physics_params *params, const zm_source *sources,
                          size_t n_sources, double t_max, const zm_ensemble_out *out,
                          const zm_physics_opts *physics, const zm_ensemble_opts *opts,
                          zm_error *err)
{
    ensemble e = { .sources = sources,
                   .n_sources = n_sources,
                   .cells = (size_t)landscape->rows * (size_t)landscape->cols,
                   .t_max = t_max };
    const zm_crew crew = { &e.draws, physics, "ensemble", run_member, &e };
    const zm_alloc mem = zm_alloc_or_default(physics ? &physics->mem : NULL);
    zm_ensemble_out maps = ZM_ENSEMBLE_OUT_INIT;
    uint16_t *sorted = NULL;
    zm_status st;

    ZM_GO(zm_options_read(&maps, sizeof maps, out, "zm_ensemble_out", err));
    ZM_GO(check(t_max, &maps, err));
    ZM_GO(zm_front_draws_open(&e.draws, landscape, fire, params, sources != NULL, opts,
                              &mem, err));
    sorted = zm_block(&mem, (size_t)e.draws.opts.members, sizeof *sorted);
    e.times = zm_block(&mem, (size_t)e.draws.opts.members * e.cells, sizeof *e.times);
    if (!sorted || !e.times)
        ZM_GO(zm_fail(err, ZM_E_NOMEM, -1, "times of %d members",
                      (int)e.draws.opts.members));
    ZM_GO(zm_front_crew_run(&crew, err));
    summarise(&e, &maps, sorted);
done:
    zm_release(&mem, sorted);
    zm_front_draws_close(&e.draws);
    zm_release(&mem, e.times);
    return st;
}

double zm_ensemble_area(const zm_landscape *landscape, const float *probability,
                        double least)
{
    const size_t n = (size_t)landscape->rows * (size_t)landscape->cols;
    size_t cells = 0;

    for (size_t i = 0; i < n; i++)
        cells += probability[i] >= (float)least;
    return (double)cells * (landscape->cell * landscape->cell / 1e4);
}

double zm_ensemble_expected_area(const zm_landscape *landscape,
                                 const float *probability)
{
    const size_t n = (size_t)landscape->rows * (size_t)landscape->cols;
    double cells = 0;

    for (size_t i = 0; i < n; i++)
        cells += (double)probability[i];
    return cells * (landscape->cell * landscape->cell / 1e4);
}
