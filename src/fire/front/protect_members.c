/* SPDX-License-Identifier: Apache-2.0
 * Members of an ensemble with a break in their way, over the threads. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/parallel.h"
#include "fire/front/protect.h"
#include "fire/science/rothermel.h"

/** What one member tells.  Sums over members are taken in their order, so that threads change
 *  nothing. */
typedef struct answer {
    zm_protect_outcome outcome;
    double *T, *spent;
} answer;

/** A run under way. */
typedef struct solving {
    zm_guard *guard;
    const zm_guard_run *run;
    answer *answers;
    atomic_int next;
    atomic_bool stop;
    zm_spinlock lock;
    zm_status status;
    zm_error *err;
} solving;

static const double LEAST_SHARE =
    1e-9; /* of the largest weight: the rest is left out */

/* The weight of an asset cell in the aim, which grows with its time: the time itself, or the
 * share not reached, whose step at t_max is a logistic one of this softness. */
static double weight(const zm_guard *g, zm_protect_aim aim, double T)
{
    double p;

    if (aim == ZM_PROTECT_LATEST)
        return 1;
    p = 1 / (1 + exp((T - g->problem.t_max) / g->softness));
    return fmax(p * (1 - p) * 4, LEAST_SHARE);
}

static double hours_after(const zm_guard *g, zm_protect_aim aim)
{
    return aim == ZM_PROTECT_LATEST ? 0 : 4 * g->softness;
}

static zm_status derive(const zm_guard *g, const zm_guard_run *run, zm_physics *model,
                        const double *T, double *spent, zm_error *err)
{
    zm_physics_change d = ZM_PHYSICS_CHANGE_INIT;
    double *w = zm_zalloc(&g->mem, g->cells, sizeof *w);
    zm_status st;

    if (!w)
        return zm_fail(err, ZM_E_NOMEM, -1, "weights of %zu cells", g->cells);
    for (size_t k = 0; k < g->n_assets; k++)
        if (T[g->asset[k]] < INFINITY)
            w[g->asset[k]] = weight(g, run->aim, T[g->asset[k]]);
    memset(spent, 0, g->cells * sizeof *spent);
    d.log_rate = spent;
    st = zm_physics_adjoint(model, w, &d, err);
    for (size_t i = 0; i < g->cells; i++)
        spent[i] = fmax(-spent[i], 0);
    zm_release(&g->mem, w);
    return st;
}

static void look_at_assets(const zm_guard *g, answer *a)
{
    a->outcome = (zm_protect_outcome){ 0, 0 };
    for (size_t k = 0; k < g->n_assets; k++) {
        const double T = a->T[g->asset[k]];

        a->outcome.time += fmin(T, g->problem.t_max);
        a->outcome.probability += T <= g->problem.t_max;
    }
    a->outcome.time /= (double)g->n_assets;
    a->outcome.probability /= (double)g->n_assets;
}

static zm_status solve_one(const solving *s, zm_physics *model, zm_member *m, int32_t i,
                           zm_error *err)
{
    const zm_guard *g = s->guard;
    const zm_guard_run *run = s->run;
    const double end = g->problem.t_max + hours_after(g, run->aim);
    answer *a = &s->answers[i];
    zm_status st;

    zm_front_member_draw(&g->draws, (run->first + i) % g->draws.opts.members, m);
    m->params.log_rate = run->log_rate;
    st = zm_physics_set_fire(model, &m->fire, &m->params, end, err);
    if (st >= 0)
        st = zm_physics_arrival(model, g->problem.sources, g->problem.n_sources, end,
                                a->T, err);
    if (st >= 0)
        look_at_assets(g, a);
    if (st >= 0 && run->spent)
        st = derive(g, run, model, a->T, a->spent, err);
    return st;
}

static void work(void *ctx, int32_t thread)
{
    solving *s = ctx;
    zm_physics_opts opts = s->guard->physics;
    zm_physics *model = NULL;
    zm_member m = { .weather = NULL };
    zm_error err = { 0 };
    zm_status st;

    (void)thread;
    opts.front = s->run->front;
    st = zm_physics_create(&model, &s->guard->land, &opts, &err);
    if (st >= 0)
        st = zm_front_member_open(&s->guard->draws, &m, &err);
    while (st >= 0 && !atomic_load(&s->stop)) {
        const int32_t i = atomic_fetch_add(&s->next, 1);

        if (i >= s->run->n)
            break;
        st = solve_one(s, model, &m, i, &err);
    }
    if (st < 0) {
        zm_spin_lock(&s->lock);
        if (s->status >= 0) {
            s->status = st;
            if (s->err)
                *s->err = err;
        }
        zm_spin_unlock(&s->lock);
        atomic_store(&s->stop, true);
    }
    zm_physics_destroy(model);
    zm_front_member_close(&s->guard->draws, &m);
}

static void sum_up(const solving *s)
{
    const zm_guard *g = s->guard;
    const zm_guard_run *run = s->run;
    zm_protect_outcome sum = { 0, 0 };

    for (int32_t m = 0; m < run->n; m++) {
        const answer *a = &s->answers[m];

        sum.time += a->outcome.time / run->n;
        sum.probability += a->outcome.probability / run->n;
        for (size_t i = 0; run->spent && i < g->cells; i++)
            run->spent[i] += a->spent[i];
        for (size_t i = 0; run->earliest && i < g->cells; i++)
            run->earliest[i] = fmin(run->earliest[i], a->T[i]);
        for (size_t i = 0; run->mean && i < g->cells; i++)
            run->mean[i] += fmin(a->T[i], g->problem.t_max) / run->n;
    }
    if (run->outcome)
        *run->outcome = sum;
}

static zm_status make_answers(solving *s, zm_error *err)
{
    const zm_guard *g = s->guard;

    s->answers = zm_zalloc(&g->mem, (size_t)s->run->n, sizeof *s->answers);
    if (!s->answers)
        return zm_fail(err, ZM_E_NOMEM, -1, "%d members", (int)s->run->n);
    for (int32_t m = 0; m < s->run->n; m++) {
        answer *a = &s->answers[m];

        a->T = zm_block(&g->mem, g->cells, sizeof *a->T);
        a->spent = s->run->spent ? zm_block(&g->mem, g->cells, sizeof *a->spent) : NULL;
        if (!a->T || (s->run->spent && !a->spent))
            return zm_fail(err, ZM_E_NOMEM, -1, "%d members", (int)s->run->n);
    }
    return ZM_OK;
}

static void free_answers(solving *s)
{
    for (int32_t m = 0; s->answers && m < s->run->n; m++) {
        zm_release(&s->guard->mem, s->answers[m].T);
        zm_release(&s->guard->mem, s->answers[m].spent);
    }
    zm_release(&s->guard->mem, s->answers);
}

static void write_break(zm_guard *g, const uint8_t *hard)
{
    const float *fuel = g->problem.landscape->layers[ZM_LAYER_FUEL];

    for (size_t i = 0; i < g->cells; i++)
        g->fuel[i] = hard && hard[i] ? g->no_fuel : fuel[i];
}

zm_status zm_front_guard_solve(zm_guard *g, const zm_guard_run *run, zm_error *err)
{
    enum { AT_ONCE = 32 }; /* members in memory */
    zm_guard_run part = *run;
    zm_protect_outcome sum = { 0, 0 }, of_part;
    zm_status st = ZM_OK;

    write_break(g, run->hard);
    for (size_t i = 0; i < g->cells; i++) {
        if (run->spent)
            run->spent[i] = 0;
        if (run->earliest)
            run->earliest[i] = INFINITY;
        if (run->mean)
            run->mean[i] = 0;
    }
    part.outcome = &of_part;
    for (int32_t done = 0; st >= 0 && done < run->n; done += part.n) {
        solving s = {
            .guard = g, .run = &part, .lock = { ATOMIC_FLAG_INIT }, .err = err
        };

        part.first = run->first + done;
        part.n = run->n - done < AT_ONCE ? run->n - done : AT_ONCE;
        st = make_answers(&s, err);
        if (st >= 0) {
            zm_parallel(g->draws.opts.threads, work, &s);
            st = s.status;
        }
        if (st >= 0) {
            const double share = (double)part.n / run->n;

            if (run->mean)
                for (size_t i = 0; i < g->cells; i++)
                    run->mean[i] /= share;
            sum_up(&s);
            if (run->mean)
                for (size_t i = 0; i < g->cells; i++)
                    run->mean[i] *= share;
            sum.time += of_part.time * share;
            sum.probability += of_part.probability * share;
        }
        free_answers(&s);
    }
    if (st >= 0 && run->outcome)
        *run->outcome = sum;
    return st < 0 ? st : ZM_OK;
}

/* A fuel number that does not burn on this landscape. */
static bool find_no_fuel(zm_guard *g)
{
    for (int32_t number = 99; number >= 0; number--)
        if (!zm_fuel_burnable(&g->land, number)) {
            g->no_fuel = (float)number;
            return true;
        }
    return false;
}

static zm_status find_assets(zm_guard *g, zm_error *err)
{
    const uint8_t *assets = g->problem.assets;

    for (size_t i = 0; i < g->cells; i++)
        g->n_assets += assets[i] != 0;
    if (g->n_assets == 0)
        return zm_fail(err, ZM_E_ARG, -1, "no assets: no cell is marked");
    g->asset = zm_block(&g->mem, g->n_assets, sizeof *g->asset);
    g->fuel = zm_block(&g->mem, g->cells, sizeof *g->fuel);
    if (!g->asset || !g->fuel)
        return zm_fail(err, ZM_E_NOMEM, -1, "assets");
    for (size_t i = 0, k = 0; i < g->cells; i++)
        if (assets[i])
            g->asset[k++] = i;
    g->land.layers[ZM_LAYER_FUEL] = g->fuel;
    return find_no_fuel(g)
               ? ZM_OK
               : zm_fail(err, ZM_E_ARG, -1,
                         "all fuel numbers up to 99 burn on this landscape: "
                         "none is left for a break");
}

zm_status zm_front_guard_open(zm_guard *g, const zm_protect_problem *problem,
                              zm_error *err)
{
    *g = (zm_guard){ .problem = ZM_PROTECT_PROBLEM_INIT,
                     .physics = ZM_PHYSICS_OPTS_INIT,
                     .land = ZM_LANDSCAPE_INIT };
    ZM_TRY(zm_options_read(&g->problem, sizeof g->problem, problem,
                           "zm_protect_problem", err));
    if (!g->problem.landscape || !g->problem.fire || !g->problem.assets)
        return zm_fail(err, ZM_E_ARG, -1,
                       "a problem needs a landscape, a fire and assets");
    if (!(g->problem.t_max > 0 && g->problem.t_max < HUGE_VAL))
        return zm_fail(err, ZM_E_ARG, -1, "t_max %g h, must be > 0 and finite",
                       g->problem.t_max);
    ZM_TRY(zm_options_read(&g->physics, sizeof g->physics, g->problem.physics,
                           "zm_physics_opts", err));
    ZM_TRY(zm_options_read(&g->land, sizeof g->land, g->problem.landscape,
                           "zm_landscape", err));
    if (!g->land.layers[ZM_LAYER_FUEL])
        return zm_fail(err, ZM_E_ARG, -1, "landscape has no layer fuel");
    g->mem = zm_alloc_or_default(&g->physics.mem);
    g->cells = (size_t)g->land.rows * (size_t)g->land.cols;
    g->softness = 0.1 * g->problem.t_max;
    ZM_TRY(zm_front_draws_open(&g->draws, g->problem.landscape, g->problem.fire,
                               g->problem.params, g->problem.sources != NULL,
                               g->problem.ensemble, &g->mem, err));
    return find_assets(g, err);
}

void zm_front_guard_close(zm_guard *g)
{
    zm_front_draws_close(&g->draws);
    if (g->asset)
        zm_release(&g->mem, g->asset);
    if (g->fuel)
        zm_release(&g->mem, g->fuel);
}
