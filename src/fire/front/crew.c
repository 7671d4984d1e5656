/* SPDX-License-Identifier: Apache-2.0
 * Many fires over the threads. */
#include "fire/front/crew.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/parallel.h"

/** A run under way. */
typedef struct running {
    const zm_crew *crew;
    size_t cells;
    atomic_int next, finished;
    atomic_bool stop;
    zm_spinlock lock;
    zm_status status; /* of the first that failed, with its message */
    zm_error *err;
} running;

/** What a thread has. */
typedef struct hand {
    zm_physics *model;
    double *T;
    zm_member given;
} hand;

static void note_failure(running *r, zm_status st, const zm_error *err)
{
    zm_spin_lock(&r->lock);
    if (r->status == ZM_OK) {
        r->status = st;
        if (r->err)
            *r->err = *err;
    }
    zm_spin_unlock(&r->lock);
    atomic_store(&r->stop, true);
}

static void show_progress(running *r)
{
    const zm_ensemble_opts *o = &r->crew->draws->opts;
    const double done = atomic_load(&r->finished);
    zm_error err;

    if (o->progress && o->progress(o->progress_ctx, done / o->members)) {
        zm_fail(&err, ZM_E_CANCELLED, -1, "%s cancelled", r->crew->what);
        note_failure(r, ZM_E_CANCELLED, &err);
    }
}

static zm_status open_hand(const running *r, hand *h, zm_error *err)
{
    const zm_draws *draws = r->crew->draws;

    ZM_TRY(zm_front_member_open(draws, &h->given, err));
    h->T = zm_block(&draws->mem, r->cells, sizeof *h->T);
    if (!h->T)
        return zm_fail(err, ZM_E_NOMEM, -1, "a member of %zu cells", r->cells);
    return zm_physics_create(&h->model, draws->land, r->crew->physics, err);
}

static void work(void *ctx, int32_t thread)
{
    running *r = ctx;
    const zm_crew *c = r->crew;
    zm_error err = { 0 };
    hand h = { 0 };
    zm_status st = open_hand(r, &h, &err);

    while (st >= 0 && !atomic_load(&r->stop)) {
        const int number = atomic_fetch_add(&r->next, 1);

        if (number >= c->draws->opts.members)
            break;
        zm_front_member_draw(c->draws, number, &h.given);
        st = c->solve(c->ctx, h.model, &h.given, number, h.T, &err);
        atomic_fetch_add(&r->finished, 1);
        if (thread == 0)
            show_progress(r);
    }
    if (st < 0)
        note_failure(r, st, &err);
    zm_physics_destroy(h.model);
    zm_front_member_close(c->draws, &h.given);
    zm_release(&c->draws->mem, h.T);
}

zm_status zm_front_crew_run(const zm_crew *crew, zm_error *err)
{
    const zm_landscape *land = crew->draws->land;
    running r = { .crew = crew,
                  .cells = (size_t)land->rows * (size_t)land->cols,
                  .lock = { ATOMIC_FLAG_INIT },
                  .err = err };

    zm_parallel(crew->draws->opts.threads, work, &r);
    if (r.status == ZM_OK)
        show_progress(&r);
    return r.status;
}
