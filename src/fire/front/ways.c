/* SPDX-License-Identifier: Apache-2.0
 * Major flow paths of a fire. */
#include "zermelo/fire/ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "fire/front/model.h"

/* Ways are the caller's to free, without the handle: from malloc. */

/* Paths to cells, one after the other, and what runs through each cell. */
typedef struct tracing {
    zm_physics *p;
    zm_ways_opts opts;
    zm_path_point *to; /* their ends, the latest first */
    size_t n;
    zm_path_point *points;
    size_t *begins;
    int64_t *through; /* by cell: ways */
    int32_t *owner;   /* by cell: the way that has it, -1: none yet */
} tracing;

static size_t cell_of(const tracing *t, const zm_path_point *point)
{
    const double row = fmin(fmax(round(point->row), 0), t->p->land.rows - 1),
                 col = fmin(fmax(round(point->col), 0), t->p->land.cols - 1);

    return zm_cell_number(t->p, (int32_t)row, (int32_t)col);
}

static int latest_first(const void *a, const void *b)
{
    const zm_path_point *s = a, *t = b;

    if (s->time != t->time)
        return s->time > t->time ? -1 : 1;
    if (s->row != t->row)
        return s->row < t->row ? -1 : 1;
    return s->col < t->col ? -1 : s->col > t->col;
}

/* Burned cells on the lattice, and the last of all. */
static void choose_ends(tracing *t, const double *T)
{
    const zm_physics *p = t->p;
    const int32_t step = t->opts.interval;
    size_t last = 0;
    double latest = -1;

    for (int32_t row = 0; row < p->land.rows; row++)
        for (int32_t col = 0; col < p->land.cols; col++) {
            const size_t cell = zm_cell_number(p, row, col);

            if (!(T[cell] < INFINITY && p->travel_time[cell] < INFINITY))
                continue;
            if (row % step == 0 && col % step == 0)
                t->to[t->n++] = (zm_path_point){ row, col, T[cell] };
            if (T[cell] > latest) {
                latest = T[cell];
                last = cell;
            }
        }
    if (latest >= 0) {
        const int32_t row = (int32_t)(last / (size_t)p->land.cols),
                      col = (int32_t)(last % (size_t)p->land.cols);

        if (row % step != 0 || col % step != 0)
            t->to[t->n++] = (zm_path_point){ row, col, latest };
    }
    qsort(t->to, t->n, sizeof *t->to, latest_first);
}

static zm_status trace(tracing *t, zm_error *err)
{
    zm_path_opts as_traced = ZM_PATH_OPTS_INIT;
    zm_physics *p = t->p;
    zm_status st;

    as_traced.straighten = 0; /* so that ways to cells beside each other run together */
    t->begins = zm_block(&p->mem, t->n + 1, sizeof *t->begins);
    if (!t->begins)
        return zm_fail(err, ZM_E_NOMEM, -1, "ways to %zu cells", t->n);
    st = zm_paths(p->solver, 0, &p->problem, p->travel_time, t->to, t->n, NULL, 0,
                  t->begins, NULL, &as_traced, err);
    if (st < 0)
        return st;
    t->points = zm_block(&p->mem, t->begins[t->n] + 1, sizeof *t->points);
    if (!t->points)
        return zm_fail(err, ZM_E_NOMEM, -1, "%zu points of ways", t->begins[t->n]);
    st = zm_paths(p->solver, 0, &p->problem, p->travel_time, t->to, t->n, t->points,
                  t->begins[t->n], t->begins, NULL, &as_traced, err);
    return st < 0 ? st : ZM_OK;
}

/* Each way counts once in each cell that it runs through. */
static void count(tracing *t)
{
    const size_t cells = (size_t)t->p->land.rows * (size_t)t->p->land.cols;

    for (size_t i = 0; i < cells; i++) {
        t->through[i] = 0;
        t->owner[i] = -1;
    }
    for (size_t k = 0; k < t->n; k++)
        for (size_t i = t->begins[k]; i < t->begins[k + 1]; i++) {
            const size_t cell = cell_of(t, &t->points[i]);

            if (t->owner[cell] != (int32_t)k)
                t->through[cell]++;
            t->owner[cell] = (int32_t)k;
        }
    for (size_t i = 0; i < cells; i++)
        t->owner[i] = -1;
}

static double share_at(const tracing *t, size_t point)
{
    return (double)t->through[cell_of(t, &t->points[point])] / (double)t->n;
}

/* The part of a way that no other has, with one point of that one, as far as enough cells burn by it:
 * points begin to end - 1; false where there is none. */
static bool own_part(const tracing *t, size_t k, size_t *begin, size_t *end,
                     int32_t *from)
{
    size_t i = t->begins[k + 1];

    *from = -1;
    *end = t->begins[k + 1];
    while (*end > t->begins[k] && share_at(t, *end - 1) < t->opts.least)
        (*end)--;
    for (i = *end; i > t->begins[k]; i--) {
        *from = t->owner[cell_of(t, &t->points[i - 1])];
        if (*from >= 0)
            break;
    }
    *begin = *from >= 0 ? i - 1 : t->begins[k];
    return *end >= *begin + 2;
}

static zm_status join(tracing *t, zm_ways *out, zm_error *err)
{
    out->ways = malloc((t->n + 1) * sizeof *out->ways);
    out->points = malloc((t->begins[t->n] + 1) * sizeof *out->points);
    if (!out->ways || !out->points)
        return zm_fail(err, ZM_E_NOMEM, -1, "%zu ways", t->n);
    for (size_t k = 0; k < t->n; k++) {
        size_t begin, end;
        int32_t from;

        if (!own_part(t, k, &begin, &end, &from))
            continue;
        for (size_t i = begin; i < end; i++) {
            const size_t cell = cell_of(t, &t->points[i]);

            if (t->owner[cell] < 0)
                t->owner[cell] = (int32_t)out->n;
        }
        out->ways[out->n++] =
            (zm_way){ .begin = out->n_points,
                      .n = end - begin,
                      .flow = share_at(t, from >= 0 ? begin + 1 : begin),
                      .from = from };
        memcpy(out->points + out->n_points, t->points + begin,
               (end - begin) * sizeof *out->points);
        out->n_points += end - begin;
    }
    return ZM_OK;
}

static zm_status check(const zm_ways_opts *o, zm_error *err)
{
    if (o->interval < 1)
        return zm_fail(err, ZM_E_ARG, -1, "ways of every %d cells, must be at least 1",
                       (int)o->interval);
    if (!(o->least >= 0 && o->least <= 1))
        return zm_fail(err, ZM_E_ARG, -1, "ways of a share of %g, must be 0 to 1",
                       o->least);
    return ZM_OK;
}

zm_status zm_physics_ways(zm_physics *p, const double *T, float *flow, zm_ways *ways,
                          const zm_ways_opts *opts, zm_error *err)
{
    const size_t cells = (size_t)p->land.rows * (size_t)p->land.cols;
    tracing t = { .p = p, .opts = ZM_WAYS_OPTS_INIT };
    zm_ways found = { .ways = NULL };
    zm_status st;

    if (ways)
        *ways = found;
    ZM_GO(zm_options_read(&t.opts, sizeof t.opts, opts, "zm_ways_opts", err));
    ZM_GO(check(&t.opts, err));
    ZM_GO(zm_front_need_travel_time(p, err));
    t.to = zm_block(&p->mem, cells + 1, sizeof *t.to);
    t.through = zm_block(&p->mem, cells, sizeof *t.through);
    t.owner = zm_block(&p->mem, cells, sizeof *t.owner);
    if (!t.to || !t.through || !t.owner)
        ZM_GO(zm_fail(err, ZM_E_NOMEM, -1, "ways on %zu cells", cells));
    choose_ends(&t, T);
    ZM_GO(trace(&t, err));
    count(&t);
    found.followed = (int64_t)t.n;
    for (size_t i = 0; flow && i < cells; i++)
        flow[i] = t.n > 0 ? (float)((double)t.through[i] / (double)t.n) : 0;
    if (ways)
        ZM_GO(join(&t, &found, err));
    if (ways)
        *ways = found;
done:
    if (st < 0)
        zm_ways_free(&found);
    zm_release(&p->mem, t.to);
    zm_release(&p->mem, t.through);
    zm_release(&p->mem, t.owner);
    zm_release(&p->mem, t.begins);
    zm_release(&p->mem, t.points);
    return st;
}

void zm_ways_free(zm_ways *ways)
{
    if (ways) {
        free(ways->ways);
        free(ways->points);
        *ways = (zm_ways){ .ways = NULL };
    }
}
