/* SPDX-License-Identifier: Apache-2.0
 * Where to put cells of fuel break: slowness follows the ways that fires take to assets.
 *
 * With x_i in [0, 1] the share of cell i that is treated, sum x_i = n, its rate is
 * exp(-beta x_i) of what it was, and dT/dx_i = beta t_i where t_i is the time that the ways to
 * assets take in cell i: what zm_physics_adjoint tells of log_rate.  Each round solves some members,
 * averages t, and sets x_i = min(1, lambda t_i^p).  Where ways can go around, the time spent
 * falls and so does x; where they cannot, slowness makes it grow.  beta and p rise from round to round,
 * which drive x to 0 and 1, and after each part of the rounds the cells with the largest x become
 * a break for good (SIMP and optimality criteria: Bendsoe and Sigmund 2003).
 *
 * The best of what is found so, of rings and of lines is then improved: cells of the break that ways
 * would hardly cross if they were soft are exchanged for cells that ways go through, as long
 * as members reach assets later. */
#include "fire/front/protect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"

enum { STAGES = 5 };
static const double SOFTEST = 0.7; /* beta of the first round */
static const double SHARPEST = 3;  /* power of the time spent, in the last */
static const double KEEPS = 0.85;  /* of the time spent from round to round */
static const double READY_SHARE = 0.25;

/** A search. */
typedef struct search {
    zm_guard *guard;
    zm_protect_opts opts;
    zm_protect_report report;
    uint8_t *candidate, *hard, *trial;
    uint8_t *best[ZM_BREAKS];
    double *spent, *now, *share, *log_rate, *earliest, *mean;
    size_t *order;
    int64_t fixed;
    int32_t members, done, steps; /* passes over members, for the progress */
} search;

static void search_free(search *s)
{
    const zm_alloc *mem = &s->guard->mem;
    void *const all[] = { s->candidate, s->hard,     s->trial,    s->spent, s->now,
                          s->share,     s->log_rate, s->earliest, s->mean,  s->order };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            zm_release(mem, all[i]);
    for (int k = 0; k < ZM_BREAKS; k++)
        if (s->best[k])
            zm_release(mem, s->best[k]);
}

static zm_status search_open(search *s, zm_error *err)
{
    const zm_alloc *mem = &s->guard->mem;
    const size_t n = s->guard->cells;
    double **const planes[] = { &s->spent,    &s->now,      &s->share,
                                &s->log_rate, &s->earliest, &s->mean };
    bool ok = (s->candidate = zm_zalloc(mem, n, 1)) &&
              (s->hard = zm_zalloc(mem, n, 1)) && (s->trial = zm_zalloc(mem, n, 1)) &&
              (s->order = zm_block(mem, n, sizeof *s->order));

    for (size_t i = 0; ok && i < sizeof planes / sizeof *planes; i++)
        ok = (*planes[i] = zm_zalloc(mem, n, sizeof **planes[i])) != NULL;
    for (int k = 0; ok && k < ZM_BREAKS; k++)
        ok = (s->best[k] = zm_zalloc(mem, n, 1)) != NULL;
    return ok ? ZM_OK : zm_fail(err, ZM_E_NOMEM, -1, "a search over %zu cells", n);
}

static zm_status step(search *s, const zm_guard_run *run, zm_error *err)
{
    ZM_TRY(zm_front_guard_solve(s->guard, run, err));
    s->done++;
    if (s->opts.progress &&
        s->opts.progress(s->opts.progress_ctx,
                         fmin((double)s->done / (double)s->steps, 1)))
        return zm_fail(err, ZM_E_CANCELLED, -1, "search for a break cancelled");
    return ZM_OK;
}

/* All members as they are: the outcome without a break, and where one may be. */
static zm_status look(search *s, zm_error *err)
{
    zm_guard *g = s->guard;
    zm_protect_outcome *none = &s->report.travel_time[ZM_BREAK_NONE];
    const zm_guard_run run = { .front = ZM_FRONT_TRAVEL_TIME,
                               .aim = s->opts.aim,
                               .n = s->members,
                               .outcome = none,
                               .spent = s->spent,
                               .earliest = s->earliest,
                               .mean = s->mean };

    ZM_TRY(step(s, &run, err));
    if (!(none->probability > 0))
        return zm_fail(
            err, ZM_E_ARG, -1,
            "no member reaches an asset within %g h: there is nothing to delay",
            g->problem.t_max);
    s->report.ready = s->opts.ready >= 0 ? s->opts.ready : READY_SHARE * none->time;
    zm_landscape_burnable(g->problem.landscape, s->candidate);
    for (size_t i = 0; i < g->cells; i++) {
        if (g->problem.assets[i] || !(s->earliest[i] > s->report.ready) ||
            (g->problem.allowed && !g->problem.allowed[i]))
            s->candidate[i] = 0;
        s->report.candidates += s->candidate[i];
    }
    if (s->report.candidates == 0)
        return zm_fail(
            err, ZM_E_ARG, -1,
            "no cell can be used: fuel that may be treated and that no member "
            "reaches before %g h",
            s->report.ready);
    return ZM_OK;
}

/* x_i = min(1, lambda t_i^power) with sum x_i = n, by bisection on log(lambda). */
static void spread(search *s, double n, double power)
{
    double low = -2000, high = 2000;

    for (size_t i = 0; i < s->guard->cells; i++) /* logarithms, for now */
        s->share[i] = s->spent[i] > 0 ? power * log(s->spent[i]) : -HUGE_VAL;
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        double sum = 0;

        for (size_t i = 0; i < s->guard->cells; i++)
            if (s->share[i] > -HUGE_VAL)
                sum += exp(fmin(0, middle + s->share[i]));
        *(sum < n ? &low : &high) = middle;
    }
    for (size_t i = 0; i < s->guard->cells; i++)
        s->share[i] = exp(fmin(0, low + s->share[i]));
}

/* Only candidates that are not yet a break, normalised to a sum of 1. */
static void normalise(const search *s, double *t)
{
    double sum = 0;

    for (size_t i = 0; i < s->guard->cells; i++) {
        if (!s->candidate[i] || s->hard[i])
            t[i] = 0;
        sum += t[i];
    }
    for (size_t i = 0; sum > 0 && i < s->guard->cells; i++)
        t[i] /= sum;
}

/* Ways go through one cell or the one beside it: each cell gives an eighth to its neighbours. */
static void blur(const search *s, const double *t, double *out)
{
    const int32_t rows = s->guard->land.rows, cols = s->guard->land.cols;

    memcpy(out, t, s->guard->cells * sizeof *out);
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++) {
            const double given = t[(size_t)r * (size_t)cols + (size_t)c];

            for (int32_t dr = -1; given > 0 && dr <= 1; dr++)
                for (int32_t dc = -1; dc <= 1; dc++)
                    if (r + dr >= 0 && r + dr < rows && c + dc >= 0 && c + dc < cols)
                        out[(size_t)(r + dr) * (size_t)cols + (size_t)(c + dc)] +=
                            given / 8;
        }
}

/* beta at which a way through a break takes as long as one around its cells. */
static double hardest(const search *s)
{
    return fmax(2, log(1 + (double)s->opts.cells));
}

static zm_status round_of(search *s, int32_t number, zm_error *err)
{
    const double progress = (double)number / (double)s->opts.rounds;
    const double beta = SOFTEST + (hardest(s) - SOFTEST) * progress;
    const zm_guard_run run = { .hard = s->hard,
                               .log_rate = s->log_rate,
                               .front = ZM_FRONT_TRAVEL_TIME,
                               .aim = s->opts.aim,
                               .first = (int32_t)(((int64_t)number * s->opts.batch) %
                                                  s->members),
                               .n = s->opts.batch,
                               .spent = s->now };

    spread(s, (double)(s->opts.cells - s->fixed), 1 + (SHARPEST - 1) * progress);
    for (size_t i = 0; i < s->guard->cells; i++)
        s->log_rate[i] = -beta * s->share[i];
    ZM_TRY(step(s, &run, err));
    blur(s, s->now, s->log_rate);
    normalise(s, s->log_rate);
    for (size_t i = 0; i < s->guard->cells; i++)
        s->spent[i] = KEEPS * s->spent[i] + (1 - KEEPS) * s->log_rate[i];
    normalise(s, s->spent);
    return ZM_OK;
}

/* The cells with the largest shares become a break, up to so many in all. */
static void fix(search *s, int64_t until)
{
    spread(s, (double)(s->opts.cells - s->fixed), SHARPEST);
    while (s->fixed < until) {
        size_t at = 0;
        double most = -1;

        for (size_t i = 0; i < s->guard->cells; i++)
            if (s->candidate[i] && !s->hard[i] && s->share[i] + s->spent[i] > most) {
                most = s->share[i] + s->spent[i];
                at = i;
            }
        s->hard[at] = 1;
        s->fixed++;
    }
    normalise(s, s->spent);
}

static zm_status find_plan(search *s, zm_error *err)
{
    normalise(s, s->spent);
    for (int32_t r = 0; r < s->opts.rounds; r++) {
        const int32_t stage = (int32_t)((int64_t)(r + 1) * STAGES / s->opts.rounds);

        ZM_TRY(round_of(s, r, err));
        fix(s, s->opts.cells * stage * stage / (STAGES * STAGES));
    }
    memcpy(s->best[ZM_BREAK_PLAN], s->hard, s->guard->cells);
    return ZM_OK;
}

static double value(const search *s, const zm_protect_outcome *o)
{
    return s->opts.aim == ZM_PROTECT_LATEST ? o->time : -o->probability;
}

static zm_status outcome_of(search *s, const uint8_t *cells, zm_front_kind front,
                            int32_t members, zm_protect_outcome *out, zm_error *err)
{
    const zm_guard_run run = {
        .hard = cells, .front = front, .aim = s->opts.aim, .n = members, .outcome = out
    };

    return step(s, &run, err);
}

/* The best of the rivals of a kind, by some members; its value. */
static zm_status find_rival(search *s, zm_protect_break kind, double *best,
                            zm_error *err)
{
    zm_protect_outcome o;

    *best = -HUGE_VAL;
    for (int32_t i = 0; zm_front_guard_rival(s->guard, kind, i, s->opts.cells,
                                             s->candidate, s->mean, s->trial);
         i++) {
        ZM_TRY(outcome_of(s, s->trial, ZM_FRONT_TRAVEL_TIME, s->opts.batch, &o, err));
        if (value(s, &o) > *best) {
            *best = value(s, &o);
            memcpy(s->best[kind], s->trial, s->guard->cells);
        }
    }
    return ZM_OK;
}

/* Time spent where the break is soft, into s->log_rate: cells of the break keep their own, the
 * others what they and their neighbours have. */
static zm_status press(search *s, int32_t number, zm_error *err)
{
    const uint8_t *plan = s->best[ZM_BREAK_PLAN];
    const zm_guard_run run = { .log_rate = s->log_rate,
                               .front = ZM_FRONT_TRAVEL_TIME,
                               .aim = s->opts.aim,
                               .first = (int32_t)(((int64_t)number * s->opts.batch) %
                                                  s->members),
                               .n = s->opts.batch,
                               .spent = s->now };

    for (size_t i = 0; i < s->guard->cells; i++)
        s->log_rate[i] = plan[i] ? -hardest(s) : 0;
    ZM_TRY(step(s, &run, err));
    blur(s, s->now, s->log_rate);
    for (size_t i = 0; i < s->guard->cells; i++)
        if (plan[i])
            s->log_rate[i] = s->now[i];
    return ZM_OK;
}

/* The plan with so many cells exchanged, into s->trial. */
static void exchange(search *s, int64_t cells)
{
    const double *t = s->log_rate;

    memcpy(s->trial, s->best[ZM_BREAK_PLAN], s->guard->cells);
    for (int64_t k = 0; k < cells; k++) {
        size_t out = 0, in = 0;
        double least = HUGE_VAL, most = -1;

        for (size_t i = 0; i < s->guard->cells; i++) {
            const bool was = s->best[ZM_BREAK_PLAN][i];

            if (was && s->trial[i] && t[i] < least) {
                least = t[i];
                out = i;
            }
            if (!was && !s->trial[i] && s->candidate[i] && t[i] > most) {
                most = t[i];
                in = i;
            }
        }
        if (!(most > 0))
            return;
        s->trial[out] = 0;
        s->trial[in] = 1;
    }
}

/* Exchanges fewer and fewer cells, each time from the best so far. */
static zm_status improve(search *s, double best, zm_error *err)
{
    int64_t cells = s->opts.cells / 3 + 1;
    zm_protect_outcome o;

    for (int32_t r = 0; r < s->opts.rounds / 2 && cells > 0; r++) {
        ZM_TRY(press(s, r, err));
        exchange(s, cells);
        ZM_TRY(outcome_of(s, s->trial, ZM_FRONT_TRAVEL_TIME, s->opts.batch, &o, err));
        if (value(s, &o) > best) {
            best = value(s, &o);
            memcpy(s->best[ZM_BREAK_PLAN], s->trial, s->guard->cells);
        } else if (r % 2) {
            cells = cells > 3 ? cells / 2 : cells > 1 ? 1 : cells;
        }
    }
    return ZM_OK;
}

/* Rivals, and the plan: the best of all, improved. */
static zm_status find_breaks(search *s, zm_error *err)
{
    zm_protect_outcome o;
    double best, of_kind;

    ZM_TRY(find_plan(s, err));
    ZM_TRY(outcome_of(s, s->best[ZM_BREAK_PLAN], ZM_FRONT_TRAVEL_TIME, s->opts.batch,
                      &o, err));
    best = value(s, &o);
    for (int k = ZM_BREAK_RING; k < ZM_BREAKS; k++) {
        ZM_TRY(find_rival(s, (zm_protect_break)k, &of_kind, err));
        if (of_kind > best) {
            best = of_kind;
            memcpy(s->best[ZM_BREAK_PLAN], s->best[k], s->guard->cells);
        }
    }
    return improve(s, best, err);
}

static zm_status compare(search *s, zm_error *err)
{
    for (int k = ZM_BREAK_NONE; k < ZM_BREAKS; k++) {
        if (k > ZM_BREAK_NONE)
            ZM_TRY(outcome_of(s, s->best[k], ZM_FRONT_TRAVEL_TIME, s->members,
                              &s->report.travel_time[k], err));
        s->report.markers[k] = (zm_protect_outcome){ NAN, NAN };
        if (s->opts.markers)
            ZM_TRY(outcome_of(s, s->best[k], ZM_FRONT_MARKERS, s->members,
                              &s->report.markers[k], err));
        for (size_t i = 0; i < s->guard->cells; i++)
            s->report.cells[k] += s->best[k][i];
    }
    return ZM_OK;
}

static zm_status check(const zm_protect_opts *o, zm_error *err)
{
    if (o->cells < 1)
        return zm_fail(err, ZM_E_ARG, -1, "%lld cells of break, must be at least 1",
                       (long long)o->cells);
    if (o->rounds < 1 || o->batch < 1)
        return zm_fail(err, ZM_E_ARG, -1, "%d rounds of %d members, must be at least 1",
                       (int)o->rounds, (int)o->batch);
    if (o->aim != ZM_PROTECT_LATEST && o->aim != ZM_PROTECT_LEAST_LIKELY)
        return zm_fail(err, ZM_E_ARG, -1, "aim %d, must be a zm_protect_aim",
                       (int)o->aim);
    return isfinite(o->ready) ? ZM_OK
                              : zm_fail(err, ZM_E_ARG, -1, "ready at %g h", o->ready);
}

zm_status zm_protect(const zm_protect_problem *problem,
                     uint8_t *const breaks[ZM_BREAKS], zm_protect_report *report,
                     const zm_protect_opts *opts, zm_error *err)
{
    zm_guard guard = { .n_assets = 0 };
    search s = { .guard = &guard,
                 .opts = ZM_PROTECT_OPTS_INIT,
                 .report = ZM_PROTECT_REPORT_INIT };
    zm_status st;

    ZM_TRY(zm_options_read(&s.opts, sizeof s.opts, opts, "zm_protect_opts", err));
    ZM_TRY(zm_options_check_report(report, "zm_protect_report", err));
    ZM_TRY(check(&s.opts, err));
    ZM_GO(zm_front_guard_open(&guard, problem, err));
    s.members = guard.draws.opts.members;
    if (s.opts.batch > s.members)
        s.opts.batch = s.members;
    s.steps = 2 * s.opts.rounds + 40 + 2 * ZM_BREAKS;
    ZM_GO(search_open(&s, err));
    ZM_GO(look(&s, err));
    if (s.opts.cells > s.report.candidates)
        ZM_GO(zm_fail(err, ZM_E_ARG, -1, "%lld cells of break, only %lld can be used",
                      (long long)s.opts.cells, (long long)s.report.candidates));
    ZM_GO(find_breaks(&s, err));
    ZM_GO(compare(&s, err));
    for (int k = 0; breaks && k < ZM_BREAKS; k++)
        if (breaks[k])
            memcpy(breaks[k], s.best[k], guard.cells);
    zm_options_write_report(report, &s.report, sizeof s.report);
done:
    search_free(&s);
    zm_front_guard_close(&guard);
    return st;
}

zm_status zm_protect_outcome_of(const zm_protect_problem *problem, const uint8_t *cells,
                                zm_front_kind front, zm_protect_outcome *out,
                                zm_error *err)
{
    zm_guard guard = { .n_assets = 0 };
    zm_status st = zm_front_guard_open(&guard, problem, err);
    const zm_guard_run run = {
        .hard = cells, .front = front, .n = guard.draws.opts.members, .outcome = out
    };

    if (st >= 0)
        st = zm_front_guard_solve(&guard, &run, err);
    zm_front_guard_close(&guard);
    return st;
}
