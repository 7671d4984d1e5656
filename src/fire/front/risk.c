/* SPDX-License-Identifier: Apache-2.0
 * Burn probability and conditional flame length of a landscape. */
#include "zermelo/fire/risk.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "fire/front/behaviour.h"
#include "fire/front/crew.h"

static const double MOST_SHARED =
    1 << 30; /* bytes that a thread keeps from fire to fire */

/* Whole numbers, so that sums do not depend on the order in which threads come. */
typedef struct tally {
    _Atomic uint32_t burned, flaming;
    _Atomic uint64_t millimetres; /* of flames, over all fires */
} tally;

/** What all fires share. */
typedef struct risk {
    zm_draws draws;
    zm_alloc mem;
    zm_risk_out out;
    size_t cells;
    double t_max;
    bool shared; /* metrics are made once a thread */
    tally *sums;
    _Atomic uint32_t *classes; /* n_edges + 1 for each cell */
} risk;

static bool wants_flames(const risk *r)
{
    return r->out.flame_length || r->out.classes;
}

static size_t class_of(const zm_risk_out *out, double flame)
{
    size_t k = 0;

    while (k < out->n_edges && flame >= out->edges[k])
        k++;
    return k;
}

static void add_flame(risk *r, size_t cell, double flame)
{
    const size_t n = r->out.n_edges + 1;

    atomic_fetch_add_explicit(&r->sums[cell].flaming, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&r->sums[cell].millimetres,
                              (uint64_t)(1000 * flame + 0.5), memory_order_relaxed);
    if (r->classes)
        atomic_fetch_add_explicit(&r->classes[cell * n + class_of(&r->out, flame)], 1,
                                  memory_order_relaxed);
}

/* Flames where the front comes to each cell and goes on. */
static zm_status look_at_flames(risk *r, zm_physics *p, const double *T, zm_error *err)
{
    double *v = zm_block(&r->mem, 2 * r->cells, sizeof *v);
    zm_status st = v ? zm_front_flow(p, v, v + r->cells, err)
                     : zm_fail(err, ZM_E_NOMEM, -1, "flow of %zu cells", r->cells);

    for (size_t i = 0; st >= 0 && i < r->cells; i++) {
        const int32_t row = (int32_t)(i / (size_t)p->land.cols),
                      col = (int32_t)(i % (size_t)p->land.cols);
        zm_cell_burning cell;

        if (T[i] < INFINITY && zm_front_cell_burning(p, T[i], row, col, &cell))
            add_flame(r, i, zm_front_behaviour(p, &cell, v[i], v[r->cells + i]).flame);
    }
    zm_release(&r->mem, v);
    if (st >= 0 && zm_value_missing(p))
        st = zm_fail(err, ZM_E_NOMEM, -1, "flames of a fire");
    return st;
}

/* Sets the model to a fire; where all have the same weather it only moves the ignition. */
static zm_status set_fire(const risk *r, zm_physics *p, const zm_member *given,
                          zm_error *err)
{
    zm_fire fire = given->fire;

    fire.sources = NULL; /* those of the fire whose weather it is */
    fire.n_sources = 0;
    if (!r->shared || !p->has_fire)
        return zm_physics_set_fire(p, &fire, &given->params, r->t_max, err);
    p->fire.row = given->fire.row;
    p->fire.col = given->fire.col;
    p->params.embers_draw = given->params.embers_draw;
    return ZM_OK;
}

static zm_status burn_one(void *ctx, zm_physics *p, const zm_member *given,
                          int32_t number, double *T, zm_error *err)
{
    risk *r = ctx;
    int64_t burned = 0;
    zm_status st = set_fire(r, p, given, err);

    if (st >= 0)
        st = zm_physics_arrival(p, NULL, 0, r->t_max, T, err);
    if (st < 0)
        return st;
    for (size_t i = 0; i < r->cells; i++)
        if (T[i] <= r->t_max) {
            atomic_fetch_add_explicit(&r->sums[i].burned, 1, memory_order_relaxed);
            burned++;
        }
    if (r->out.fires)
        r->out.fires[number] =
            (zm_risk_fire){ given->fire.row, given->fire.col,
                            (double)burned * (p->land.cell * p->land.cell / 1e4) };
    return wants_flames(r) ? look_at_flames(r, p, T, err) : ZM_OK;
}

static void write_maps(const risk *r)
{
    const zm_risk_out *out = &r->out;
    const double fires = r->draws.opts.members;

    for (size_t i = 0; i < r->cells; i++) {
        const tally *t = &r->sums[i];
        const double flaming = t->flaming;

        if (out->probability)
            out->probability[i] = (float)(t->burned / fires);
        if (out->flame_length)
            out->flame_length[i] =
                flaming > 0 ? (float)(1e-3 * (double)t->millimetres / flaming) : NAN;
        for (size_t k = 0; out->classes && k <= out->n_edges; k++)
            out->classes[k][i] =
                flaming > 0 ? (float)(r->classes[i * (out->n_edges + 1) + k] / flaming)
                            : 0;
    }
}

static zm_status check(const zm_risk_out *out, double t_max, zm_front_kind front,
                       zm_error *err)
{
    if (!(t_max > 0 && t_max < HUGE_VAL))
        return zm_fail(err, ZM_E_ARG, -1, "t_max %g h, must be > 0 and finite", t_max);
    if (front != ZM_FRONT_TRAVEL_TIME)
        return zm_fail(err, ZM_E_ARG, -1,
                       "burn probability goes by minimum travel time, not by markers");
    if (out->n_edges > 0 && (!out->edges || !out->classes))
        return zm_fail(err, ZM_E_ARG, -1,
                       "%zu lengths between classes of flames: they and %zu planes are "
                       "needed",
                       out->n_edges, out->n_edges + 1);
    for (size_t k = 0; k < out->n_edges; k++)
        if (!(out->edges[k] > (k > 0 ? out->edges[k - 1] : 0) &&
              out->edges[k] < HUGE_VAL))
            return zm_fail(
                err, ZM_E_ARG, -1,
                "flame length %g m between classes, must be above 0 and rising",
                out->edges[k]);
    for (size_t k = 0; out->classes && k <= out->n_edges; k++)
        if (!out->classes[k])
            return zm_fail(err, ZM_E_ARG, -1, "class %zu of flames has no plane", k);
    return ZM_OK;
}

/* Whether all fires have the same weather, and the metrics of all cells and hours fit. */
static bool may_share(const risk *r)
{
    const zm_ensemble_opts *o = &r->draws.opts;
    const double bytes = ceil(r->t_max) * (double)r->cells * 2 * sizeof(zm_cell_metric);

    return bytes <= MOST_SHARED && o->wind_speed == 0 && o->wind_dir == 0 &&
           o->temperature == 0 && o->humidity == 0 && o->moisture == 0 &&
           o->live_moisture == 0 && o->rate == 0;
}

static zm_status make_room(risk *r, zm_error *err)
{
    const size_t n = r->cells * (r->out.n_edges + 1);

    r->sums = zm_zalloc(&r->mem, r->cells, sizeof *r->sums);
    r->classes = r->out.classes ? zm_zalloc(&r->mem, n, sizeof *r->classes) : NULL;
    if (!r->sums || (r->out.classes && !r->classes))
        return zm_fail(err, ZM_E_NOMEM, -1, "burn probability of %zu cells", r->cells);
    return ZM_OK;
}

zm_status zm_risk_run(const zm_landscape *landscape, const zm_fire *fire,
                      const zm_physics_params *params, const float *density,
                      double t_max, const zm_risk_out *out,
                      const zm_physics_opts *physics, const zm_ensemble_opts *opts,
                      zm_error *err)
{
    risk r = { .mem = zm_alloc_or_default(physics ? &physics->mem : NULL),
               .out = ZM_RISK_OUT_INIT,
               .cells = (size_t)landscape->rows * (size_t)landscape->cols,
               .t_max = t_max };
    const zm_crew crew = { &r.draws, physics, "burn probability", burn_one, &r };
    zm_physics_opts model = ZM_PHYSICS_OPTS_INIT;
    zm_status st;

    ZM_GO(zm_options_read(&r.out, sizeof r.out, out, "zm_risk_out", err));
    ZM_GO(zm_options_read(&model, sizeof model, physics, "zm_physics_opts", err));
    ZM_GO(check(&r.out, t_max, model.front, err));
    ZM_GO(zm_front_draws_open(&r.draws, landscape, fire, params, true, opts, &r.mem,
                              err));
    ZM_GO(zm_front_draws_anywhere(&r.draws, density, err));
    r.shared = may_share(&r);
    ZM_GO(make_room(&r, err));
    ZM_GO(zm_front_crew_run(&crew, err));
    write_maps(&r);
done:
    zm_front_draws_close(&r.draws);
    zm_release(&r.mem, r.sums);
    zm_release(&r.mem, r.classes);
    return st;
}
