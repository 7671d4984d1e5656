/* SPDX-License-Identifier: Apache-2.0
 * Minimal paths, and the cost of any path. */
#include "zermelo/path.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "eikonal/path/trace.h"
#include "eikonal/problem/intervals.h"
#include "eikonal/problem/unit.h"

static bool is_inside(double x, int32_t side)
{
    return x >= 0 && x <= side - 1;
}

/* Points nearer to each other than this are one: what a detour has shrunk to. */
static const double APART = 1e-9; /* cells */

static bool apart(zm_path_place a, zm_path_place b)
{
    return hypot(a.x - b.x, a.y - b.y) > APART;
}

static void drop_repeated(zm_path_places *p)
{
    const zm_path_place end = p->at[p->n - 1];
    size_t kept = 1;

    for (size_t i = 1; i + 1 < p->n; i++)
        if (apart(p->at[i], p->at[kept - 1]) && apart(p->at[i], end))
            p->at[kept++] = p->at[i];
    if (apart(p->at[kept - 1], end))
        p->at[kept++] = end;
    p->n = kept;
}

/* Cost of moving to each point from the next, which the front leaves at time when[i + 1]: the
 * trace runs against the front. */
static void costs_fill(const zm_path_ground *t, const zm_path_places *p, double start,
                       double *cost, double *when)
{
    when[p->n - 1] = start;
    for (size_t i = p->n - 1; i-- > 0;) {
        cost[i] = zm_path_way_cost(t, p->at[i + 1], p->at[i], when[i + 1]);
        when[i] = when[i + 1] + cost[i];
    }
}

/* Where the front comes to a halt for ever just before the path, which is a little longer
 * than the way it took, arrives, its length stands for the cost. */
static void costs_mend(const zm_path_places *p, double *cost)
{
    bool arrives = true;

    for (size_t i = 0; i + 1 < p->n; i++)
        arrives = arrives && isfinite(cost[i]);
    for (size_t i = 0; i + 1 < p->n && !arrives; i++)
        cost[i] = hypot(p->at[i].x - p->at[i + 1].x, p->at[i].y - p->at[i + 1].y);
}

/* From the source to the point, with times from that of the source to `end`. */
static void write_points(const zm_path_trail *trail, const zm_path_places *places,
                         const double *cost, int32_t source, double end,
                         zm_path_point *points)
{
    const double unit = trail->ground.unit;
    const double start = trail->ground.problem->sources[source].time / unit;
    const size_t n = places->n;
    double whole = 0, so_far = 0, scale;

    for (size_t i = 0; i + 1 < n; i++)
        whole += cost[i];
    scale = whole > 0 && end > start ? (end - start) / whole : 1;
    for (size_t i = 0; i < n; i++) {
        const zm_path_place p = places->at[n - 1 - i];

        so_far += i > 0 ? cost[n - 1 - i] : 0;
        points[i] = (zm_path_point){ p.y, p.x, (start + scale * so_far) * unit };
    }
}

/* The trace, straightened if wanted, and the costs of its pieces; both to be freed. */
static zm_status trace_find(const zm_path_trail *trail, zm_path_place end,
                            bool straighten, zm_path_places *places, double **cost,
                            int32_t *source, zm_error *err)
{
    zm_status st = zm_path_trace(trail, end, places, source, err);
    double *when, start;

    if (st != ZM_OK)
        return st;
    *cost = zm_block(&trail->view.s->mem, 2 * places->n, sizeof **cost);
    if (!*cost)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for a path of %zu points",
                       places->n);
    when = *cost + places->n;
    start = trail->ground.problem->sources[*source].time / trail->ground.unit;
    costs_fill(&trail->ground, places, start, *cost, when);
    if (straighten)
        zm_path_straighten(&trail->ground, places, *cost, when);
    drop_repeated(places);
    costs_fill(&trail->ground, places, start, *cost, when);
    costs_mend(places, *cost);
    return ZM_OK;
}

zm_status zm_path_find(const zm_path_trail *trail, double row, double col,
                       const zm_path_opts *opts, zm_path_found *out, zm_error *err)
{
    const zm_grid grid = trail->ground.grid;
    const zm_path_place end = { col, row };
    zm_path_places places = { 0 };
    zm_path_passing passing;
    double *cost = NULL;
    int32_t source;
    zm_status st;

    *out = (zm_path_found){ NULL, 0, -1 };
    if (!is_inside(row, grid.rows) || !is_inside(col, grid.cols))
        return zm_fail(err, ZM_E_ARG, -1,
                       "path to row %.9g, col %.9g, must be in 0..%d and 0..%d", row,
                       col, (int)grid.rows - 1, (int)grid.cols - 1);
    if (!zm_path_passing_at(trail, end, &passing))
        return ZM_OK;
    st = trace_find(trail, end, opts->straighten != 0, &places, &cost, &source, err);
    if (st == ZM_OK) {
        out->points = zm_block(&trail->view.s->mem, places.n, sizeof *out->points);
        if (!out->points)
            st = zm_fail(err, ZM_E_NOMEM, -1, "no memory for a path of %zu points",
                         places.n);
    }
    if (st == ZM_OK) {
        out->n = places.n;
        out->source = source;
        write_points(trail, &places, cost, source, passing.time, out->points);
    }
    zm_release(&trail->view.s->mem, cost);
    zm_path_places_free(&places, &trail->view.s->mem);
    return st;
}

zm_status zm_path(zm_solver *solver, size_t slot, const zm_problem *problem,
                  const void *T, double row, double col, zm_path_point *points,
                  size_t capacity, size_t *count, int32_t *source,
                  const zm_path_opts *opts, zm_error *err)
{
    zm_path_opts o = ZM_PATH_OPTS_INIT;
    zm_path_found found;
    zm_path_trail trail;
    zm_status st = zm_options_read(&o, sizeof o, opts, "zm_path_opts", err);

    if (st == ZM_OK)
        st = zm_path_trail_open(&trail, solver, slot, problem, T, err);
    if (st != ZM_OK)
        return st;
    if (!count)
        return zm_fail(err, ZM_E_ARG, -1, "count is NULL");
    *count = 0;
    if ((st = zm_metric_cache_create(&trail.ground.cache, trail.ground.problem,
                                     &solver->mem, err)) != ZM_OK)
        return st;
    st = zm_path_find(&trail, row, col, &o, &found, err);
    st = zm_metric_cache_destroy(trail.ground.cache, &solver->mem, st, err);
    *count = found.n;
    if (source)
        *source = found.source;
    if (st == ZM_OK && points && found.n > capacity)
        st = zm_fail(err, ZM_E_ARG, -1, "path of %zu points, room for %zu", found.n,
                     capacity);
    else if (st == ZM_OK && points && found.n)
        memcpy(points, found.points, found.n * sizeof *points);
    zm_release(&solver->mem, found.points);
    return st;
}

static bool is_near(double x)
{
    return fabs(x) <= 1e9; /* fits a column number; NaN does not */
}

/* The unit by the metric of the cell that a path begins in, at its time; 1 where nothing moves. */
static void ground_count(zm_path_ground *g, const zm_path_point *first)
{
    const zm_problem *p = g->problem;
    const size_t interval =
        p->n_intervals > 0 ? zm_intervals_at(p->starts, p->n_intervals, first->time)
                           : 0;
    zm_cell_metric m;
    size_t cell;

    g->unit = zm_path_ground_cell(g, zm_path_line_of(first->row),
                                  zm_path_line_of(first->col), &cell) &&
                      zm_metric_in(g->grid, p, g->cache, interval, cell, &m)
                  ? zm_unit_of(g->grid, &m)
                  : 1;
    g->grid = zm_unit_grid(g->grid, g->unit);
}

zm_status zm_path_cost(zm_grid grid, const zm_problem *given, int32_t periodic,
                       const zm_path_point *points, size_t n, double *cost,
                       zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    zm_problem problem;
    zm_path_ground ground = { .grid = grid,
                              .problem = &problem,
                              .periodic_x = periodic & ZM_PERIODIC_X,
                              .periodic_y = periodic & ZM_PERIODIC_Y };
    double sum = 0;
    zm_status st = zm_problem_read(&problem, given, err);

    if (st != ZM_OK || (st = zm_problem_check_shape(grid, &problem, err)) != ZM_OK)
        return st;
    if (!points || n < 1 || !cost)
        return zm_fail(err, ZM_E_ARG, -1,
                       !cost ? "cost is NULL" : "path without points");
    *cost = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_near(points[i].row) || !is_near(points[i].col))
            return zm_fail(
                err, ZM_E_ARG, -1,
                "point %zu of the path at row %g, col %g, must be finite and "
                "below 1e9",
                i, points[i].row, points[i].col);
    if (problem.n_intervals > 0 && !isfinite(points[0].time))
        return zm_fail(
            err, ZM_E_ARG, -1,
            "the metric changes with time and the path begins at time %g, must be "
            "finite",
            points[0].time);
    ZM_TRY(zm_metric_cache_create(&ground.cache, &problem, &mem, err));
    ground_count(&ground, &points[0]);
    for (size_t i = 0; i + 1 < n; i++)
        sum +=
            zm_path_way_cost(&ground, (zm_path_place){ points[i].col, points[i].row },
                             (zm_path_place){ points[i + 1].col, points[i + 1].row },
                             points[0].time / ground.unit + sum);
    *cost = sum * ground.unit;
    return zm_metric_cache_destroy(ground.cache, &mem, ZM_OK, err);
}
