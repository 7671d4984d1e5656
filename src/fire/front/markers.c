/* SPDX-License-Identifier: Apache-2.0
 * Arrival times of a fire by a marker perimeter. */
#include "fire/front/markers.h"

#include <math.h>

#include "core/fail.h"
#include "core/options.h"
#include "core/pi.h"

enum { CORNERS = 8, MOST_FRONTS = 31 };

static const double APART = 3e-4; /* of the rates of one front and the next */

static bool between(double x, double low, double high)
{
    return x >= low && x <= high;
}

static zm_status check(const zm_marker_opts *o, double t_max, zm_error *err)
{
    if (!(o->step == 0 || between(o->step, 1e-3, 1e3)))
        return zm_fail(err, ZM_E_ARG, -1, "step %g h, must be 0 or 0.001 to 1000",
                       o->step);
    if (!between(o->reach, 0.01, 100))
        return zm_fail(err, ZM_E_ARG, -1, "reach %g cells, must be 0.01 to 100",
                       o->reach);
    if (!between(o->spacing, 0.1, 100))
        return zm_fail(err, ZM_E_ARG, -1, "spacing %g cells, must be 0.1 to 100",
                       o->spacing);
    if (!(o->acceleration > 0))
        return zm_fail(err, ZM_E_ARG, -1, "acceleration %g per min, must be > 0",
                       o->acceleration);
    if (o->fronts < 1 || o->fronts > MOST_FRONTS || o->fronts % 2 == 0)
        return zm_fail(err, ZM_E_ARG, -1, "%d fronts, must be odd and 1 to %d",
                       (int)o->fronts, MOST_FRONTS);
    if (!(t_max >= 0))
        return zm_fail(err, ZM_E_ARG, -1, "t_max %g h, must be at least 0", t_max);
    return ZM_OK;
}

/* As fires of these durations are simulated with FARSITE. */
static double step_for(const zm_physics *p)
{
    const double end = zm_fire_end(&p->fire);

    return end <= 2 ? 0.25 : end <= 16 ? 0.5 : 1;
}

/* An octagon of one cell radius that burns at full rate, in front of barriers. */
static void ignite(zm_markers *w)
{
    const zm_marker middle = { w->p->fire.col + 0.5, w->p->fire.row + 0.5, HUGE_VAL };
    zm_front first = { 0 };

    for (int i = 0; i < CORNERS; i++) {
        const double angle = 2 * ZM_PI * i / CORNERS;

        const zm_marker corner = { middle.x + cos(angle), middle.y + sin(angle),
                                   HUGE_VAL };

        zm_marker_ring_push(w, &first.ring,
                            zm_marker_stop_at_barrier(w, middle, corner, 0));
    }
    zm_marker_fronts_push(w, first);
}

static zm_status bring(zm_markers *w, size_t i, double stop, zm_error *err)
{
    zm_front f = w->fronts.v[i]; /* the list may move while it grows */
    zm_status st = ZM_OK;

    w->fronts.v[i].ring = (zm_ring){ 0 };
    while (st == ZM_OK && f.time < stop && f.ring.n >= 3)
        st = zm_marker_advance(w, &f, stop, err);
    w->fronts.v[i] = f;
    return st;
}

/* All fronts, with those that come up on the way, to this time. */
static zm_status bring_all(zm_markers *w, double stop, zm_error *err)
{
    zm_fronts *s = &w->fronts;
    size_t alive = 0;
    zm_status st = ZM_OK;

    for (size_t i = 0; st == ZM_OK && i < s->n; i++)
        st = bring(w, i, stop, err);
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].ring.n >= 3)
            s->v[alive++] = s->v[i];
        else
            zm_marker_ring_give(w, s->v[i].ring);
    s->n = alive;
    return st;
}

/* The run whose turn it is takes the workspace, and leaves it again. */
static void take(zm_markers *w, const zm_marker_run *r)
{
    w->fronts = r->fronts;
    w->scale = r->scale;
    w->T = r->T;
}

static void leave(zm_markers *w, zm_marker_run *r)
{
    r->fronts = w->fronts;
    w->fronts = (zm_fronts){ 0 };
}

static zm_status begin(zm_markers *w, zm_marker_run *runs, size_t n, double *all,
                       zm_error *err)
{
    zm_status st = ZM_OK;

    for (int32_t k = 0; st == ZM_OK && k < w->opts.fronts; k++) {
        runs[k].scale = 1 + APART * (k - (w->opts.fronts - 1) / 2);
        runs[k].T = all + (size_t)k * n;
        for (size_t i = 0; i < n; i++)
            runs[k].T[i] = INFINITY;
        take(w, &runs[k]);
        if (w->sources)
            st = zm_marker_light(w, err);
        else
            ignite(w);
        leave(w, &runs[k]);
    }
    if (st == ZM_OK && w->failed)
        st = zm_fail(err, ZM_E_NOMEM, -1, "fronts");
    return st;
}

/* Until t_max.  All runs go through an hour before the next, while its metrics are at hand. */
static zm_status run(zm_markers *w, zm_marker_run *runs, double t_max, zm_error *err)
{
    const double step = w->opts.step > 0 ? w->opts.step : step_for(w->p);
    zm_status st = ZM_OK;
    double time = 0;
    bool alive = true;

    while (st == ZM_OK && alive && time < t_max - 1e-9) {
        const bool steady = time >= zm_front_hours(w->p);

        alive = false;
        /* fronts only meet because weather changes */
        time = fmin(fmin(t_max, zm_front_next_barrier(w->p, time)),
                    steady ? t_max : (floor(time / step + 1e-6) + 1) * step);
        for (int32_t k = 0; st == ZM_OK && k < w->opts.fronts; k++) {
            take(w, &runs[k]);
            st = bring_all(w, time, err);
            alive |= w->fronts.n > 0;
            leave(w, &runs[k]);
        }
    }
    return st;
}

static void close_all(zm_markers *w, zm_marker_run *runs)
{
    for (int32_t k = 0; k < MOST_FRONTS; k++) {
        for (size_t i = 0; i < runs[k].fronts.n; i++)
            zm_release(&w->p->mem, runs[k].fronts.v[i].ring.v);
        zm_release(&w->p->mem, runs[k].fronts.v);
    }
    zm_marker_rings_free(w, &w->loops);
    zm_marker_rings_free(w, &w->todo);
    zm_marker_rings_free(w, &w->spare);
    zm_release(&w->p->mem, w->motion);
    zm_marker_slots_close(w);
}

static void put_in_order(double *time, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        const double t = time[i];
        int32_t j = i;

        for (; j > 0 && time[j - 1] > t; j--)
            time[j] = time[j - 1];
        time[j] = t;
    }
}

/* The median of the fronts' times, which follow each other in `all`.  Of cells without fuel a
 * front sweeps few centres, and other ones than the next front does: with medians fewer of
 * them burn than with FARSITE, so that they burn when three in ten fronts sweep them.  On
 * training fires the correlation is 0.9818 then instead of 0.9801, the IoU at the end 0.9378
 * instead of 0.9387. */
static void combine(const zm_physics *p, const double *all, int32_t fronts, double *T)
{
    const size_t n = (size_t)p->land.rows * (size_t)p->land.cols;
    double time[MOST_FRONTS];

    for (int32_t row = 0; row < p->land.rows; row++)
        for (int32_t col = 0; col < p->land.cols; col++) {
            const size_t cell = zm_cell_number(p, row, col);
            const bool burns = p->beds[zm_fuel_at(p, row, col)].burns;

            for (int32_t k = 0; k < fronts; k++)
                time[k] = all[(size_t)k * n + cell];
            put_in_order(time, fronts);
            T[cell] = time[burns ? fronts / 2 : 3 * fronts / 10];
        }
}

/* Times of what is set on fire. */
static void date_ignition(const zm_markers *w, double t_max, double *T)
{
    const zm_physics *p = w->p;

    if (!w->sources)
        zm_front_clear_ignition(p, T);
    for (size_t i = 0; w->sources && i < w->n_sources; i++) {
        const zm_source *s = &w->sources[i];
        double *t = &T[zm_cell_number(p, (int32_t)s->row, (int32_t)s->col)];

        if (s->time <= t_max)
            *t = fmin(*t, s->time);
    }
}

zm_status zm_physics_markers(zm_physics *p, const zm_source *sources, size_t n_sources,
                             double t_max, double *T, const zm_marker_opts *opts,
                             zm_error *err)
{
    const size_t n = (size_t)p->land.rows * (size_t)p->land.cols;
    zm_markers w = {
        .p = p, .opts = ZM_MARKER_OPTS_INIT, .sources = sources, .n_sources = n_sources
    };
    zm_marker_run runs[MOST_FRONTS] = { 0 };
    zm_source *lit = NULL;
    double *all = NULL;
    zm_status st;

    ZM_GO(zm_front_need_fire(p, err));
    if (!sources && p->fire.n_sources > 0) {
        w.sources = sources = p->fire.sources;
        w.n_sources = n_sources = p->fire.n_sources;
    }
    ZM_GO(zm_options_read(&w.opts, sizeof w.opts, opts, "zm_marker_opts", err));
    ZM_GO(check(&w.opts, t_max, err));
    if (sources)
        ZM_GO(zm_front_sources_outside_barriers(p, sources, n_sources, &lit,
                                                &w.n_sources, err));
    else
        ZM_GO(zm_front_ignition_check(p, err));
    w.sources = lit;
    w.margin = 1 + w.opts.reach;
    ZM_GO(zm_marker_slots_open(&w, err));
    all = zm_block(&p->mem, n * (size_t)w.opts.fronts, sizeof *all);
    if (!all)
        ZM_GO(zm_fail(err, ZM_E_NOMEM, -1, "times of %zu cells, %d times", n,
                      (int)w.opts.fronts));
    ZM_GO(begin(&w, runs, n, all, err));
    ZM_GO(run(&w, runs, t_max, err));
    combine(p, all, w.opts.fronts, T);
    date_ignition(&w, t_max, T);
done:
    if (st != ZM_OK)
        zm_front_lazy_clear(&p->nodes);
    zm_release(&p->mem, all);
    zm_release(&p->mem, lit);
    close_all(&w, runs);
    return st;
}
