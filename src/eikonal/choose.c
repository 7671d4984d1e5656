/* SPDX-License-Identifier: Apache-2.0
 * Which engine solves a problem, and how one that cannot stop at targets comes to stop. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "eikonal/engine.h"

/* The latest of the targets that are no walls; INFINITY if one is not reached. */
static double last_target(const zm_solver *s, const zm_problem *problem,
                          const uint8_t *targets, const void *T)
{
    double last = -(double)INFINITY;

    for (size_t i = 0; i < s->cells; i++)
        if (targets[i] && !(problem->walls && problem->walls[i]))
            last = fmax(last, zm_plane_value(T, s->dtype, i));
    return last;
}

/* The k-th smallest of n values, k from 0; reorders them (Hoare's selection). */
static double smallest(double *values, size_t n, size_t k)
{
    size_t low = 0, high = n - 1;

    while (low < high) {
        const double pivot = values[low + (high - low) / 2];
        size_t i = low, j = high;

        for (;;) {
            while (values[i] < pivot)
                i++;
            while (pivot < values[j])
                j--;
            if (i >= j)
                break;
            const double swap = values[i];

            values[i++] = values[j];
            values[j--] = swap;
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return values[k];
}

/* When a solve with the options `asked` would stop, given the times of the full one in run->T. */
static double stop_time(const zm_engine_run *run, const zm_forward_opts *asked)
{
    const zm_solver *s = run->s;
    double limit = asked->t_max, *times = run->workspaces->scratch;

    if (asked->targets)
        limit = fmin(limit, last_target(s, run->problem, asked->targets, run->T));
    if (asked->max_cells > 0 && (size_t)asked->max_cells < s->cells) {
        for (size_t i = 0; i < s->cells; i++)
            times[i] = zm_plane_value(run->T, s->dtype, i);
        limit = fmin(limit, smallest(times, s->cells, (size_t)asked->max_cells - 1));
    }
    return limit;
}

/* Engines that do not accept cells one by one solve in full, find out when the targets or the
 * number of cells are reached, and solve up to then. */
static zm_outcome solve_to_stop(const zm_engine *engine, zm_engine_run *run,
                                zm_error *err)
{
    const zm_forward_opts *asked = run->opts;
    zm_forward_opts until = *asked;
    zm_status in_full;
    zm_outcome outcome;

    until.targets = NULL;
    until.max_cells = 0;
    run->opts = &until;
    outcome = engine->solve(run, err);
    in_full = run->status;
    if (outcome == ZM_OUTCOME_DONE) {
        until.t_max = stop_time(run, asked);
        *run->report = (zm_report)ZM_REPORT_INIT;
        outcome = engine->solve(run, err);
        if (run->status == ZM_OK &&
            in_full != ZM_OK) { /* it may have stopped too late */
            run->status = in_full;
            run->report->converged = 0;
        }
    }
    run->opts = asked;
    return outcome;
}

enum { MOST_REASONS = 8 };

/* Why engines cannot solve a problem, and the names of those that say so. */
typedef struct reasons {
    struct reason {
        const char *why;
        char names[64];
    } of[MOST_REASONS];
    int n;
} reasons;

static void reason_add(reasons *r, const char *name, const char *why)
{
    int i = 0;
    size_t used;

    while (i < r->n && strcmp(r->of[i].why, why))
        i++;
    if (i == MOST_REASONS)
        return;
    r->n += i == r->n;
    r->of[i].why = why;
    used = strlen(r->of[i].names);
    (void)snprintf(r->of[i].names + used, sizeof r->of[i].names - used, "%s%s",
                   used ? ", " : "", name);
}

static zm_status nobody_can(const reasons *r, zm_error *err)
{
    char text[sizeof err->text] = "";
    size_t used = 0;

    for (int i = 0; i < r->n && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s",
                                 used ? "; " : "", r->of[i].names, r->of[i].why);
    return zm_fail(err, ZM_E_UNSUPPORTED, -1, "no engine can solve this: %s", text);
}

zm_status zm_engine_choose(zm_engine_run *run, zm_error *err)
{
    const bool stops = run->opts->targets || run->opts->max_cells > 0;
    const zm_engine *first = NULL;
    reasons because = { .n = 0 };

    for (const zm_engine *const *e = zm_engine_table; *e; e++) {
        const char *why = (*e)->cannot(run->s, run->problem);

        if (!why) {
            *run->report = (zm_report)ZM_REPORT_INIT;
            ZM_TRY(zm_engine_equip(run->s, *e, run->workspaces, run->threads,
                                   run->record, err));
            first =
                first ? first : *e; /* decides also for those that it hands over to */
            if ((stops && !first->stops
                     ? solve_to_stop(*e, run, err)
                     : (*e)->solve(run, err)) != ZM_OUTCOME_HAND_OVER) {
                run->report->method = (*e)->method;
                if (run->status >= 0)
                    run->record->engine = (*e)->reader ? (*e)->reader : *e;
                return run->status;
            }
            why = "met cells too anisotropic for it";
        }
        reason_add(&because, (*e)->name, why);
    }
    return nobody_can(&because, err);
}
