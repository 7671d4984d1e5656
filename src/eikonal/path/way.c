/* SPDX-License-Identifier: Apache-2.0
 * Straight ways: the cells that a segment goes through, one after the other (Amanatides
 * and Woo 1987). */
#include "eikonal/path/way.h"

#include <math.h>

#include "eikonal/local/triangle.h"
#include "eikonal/problem/intervals.h"

/* Shorter pieces inside a cell are rounding: points are computed to about 1e-12. */
static const double SLIVER = 1e-9; /* cells */

/* Farther away no grid has lines; NaN is no place at all. */
static const double MOST_LINES = 2e9;

static bool fold(int32_t *line, int32_t side, bool periodic)
{
    if (*line >= 0 && *line < side)
        return true;
    if (periodic)
        *line = (*line % side + side) % side;
    return periodic;
}

bool zm_path_ground_cell(const zm_path_ground *t, int32_t row, int32_t col,
                         size_t *cell)
{
    if (!fold(&row, t->grid.rows, t->periodic_y) ||
        !fold(&col, t->grid.cols, t->periodic_x))
        return false;
    *cell = (size_t)row * (size_t)t->grid.cols + (size_t)col;
    return true;
}

static bool is_wall(const zm_path_ground *t, size_t cell)
{
    return t->problem->walls && t->problem->walls[cell];
}

bool zm_path_ground_free(const zm_path_ground *t, int32_t row, int32_t col)
{
    size_t cell;

    return zm_path_ground_cell(t, row, col, &cell) && !is_wall(t, cell);
}

bool zm_path_ground_metric(const zm_path_ground *t, size_t interval, size_t cell,
                           zm_cell_metric *metric)
{
    if (!zm_metric_in(t->grid, t->problem, t->cache, interval, cell, metric))
        return false;
    *metric = zm_local_fold(*metric, t->grid);
    return true;
}

double zm_path_cost_of(const zm_cell_metric *g, double x, double y)
{
    const double norm2 = g->g11 * x * x + 2 * g->g12 * x * y + g->g22 * y * y;

    return sqrt(norm2) - g->b1 * x - g->b2 * y;
}

int32_t zm_path_line_of(double coordinate)
{
    return fabs(coordinate) <= MOST_LINES ? (int32_t)floor(coordinate + 0.5) : -1;
}

/* A segment on its way through the cells; `now` runs from 0 to 1. */
typedef struct walk {
    const zm_path_ground *t;
    zm_path_place from;
    double x, y;   /* the whole step */
    double sliver; /* as a share of it */
    int32_t row, col;
    int32_t step_x, step_y;
    double now, next_x, next_y; /* when it leaves the cell across a side */
    double per_x, per_y;        /* from one side to the next */
} walk;

static double first_crossing(double from, double step, int32_t line)
{
    return step == 0 ? (double)INFINITY
                     : (line + (step > 0 ? 0.5 : -0.5) - from) / step;
}

static walk walk_begin(const zm_path_ground *t, zm_path_place a, zm_path_place b)
{
    const double x = b.x - a.x, y = b.y - a.y;
    const int32_t row = zm_path_line_of(a.y), col = zm_path_line_of(a.x);

    return (walk){ .t = t,
                   .from = a,
                   .x = x,
                   .y = y,
                   .sliver = SLIVER / fmax(hypot(x, y), SLIVER),
                   .row = row,
                   .col = col,
                   .step_x = x > 0 ? 1 : -1,
                   .step_y = y > 0 ? 1 : -1,
                   .next_x = first_crossing(a.x, x, col),
                   .next_y = first_crossing(a.y, y, row),
                   .per_x = x == 0 ? (double)INFINITY : 1 / fabs(x),
                   .per_y = y == 0 ? (double)INFINITY : 1 / fabs(y) };
}

/* When it leaves the cell it is in. */
static double walk_leaves(const walk *w)
{
    return fmin(fmin(w->next_x, w->next_y), 1);
}

/* To the next cell; false if that is through a closed corner. */
static bool walk_on(walk *w)
{
    const double x = w->next_x, y = w->next_y;
    const bool corner = fabs(x - y) <= w->sliver;

    w->now = walk_leaves(w);
    if (corner && !zm_path_ground_free(w->t, w->row, w->col + w->step_x) &&
        !zm_path_ground_free(w->t, w->row + w->step_y, w->col))
        return false;
    if (corner || x < y) {
        w->col += w->step_x;
        w->next_x += w->per_x;
    }
    if (corner || y < x) {
        w->row += w->step_y;
        w->next_y += w->per_y;
    }
    return true;
}

/* metric += w * more */
static void metric_add(zm_cell_metric *metric, const zm_cell_metric *more, double w)
{
    metric->g11 += w * more->g11;
    metric->g12 += w * more->g12;
    metric->g22 += w * more->g22;
    metric->b1 += w * more->b1;
    metric->b2 += w * more->b2;
}

/* Bilinear in the four cells around a point, as far as these are no walls and something
 * moves there; false if nothing does in the cell it is in, which is no wall. */
static bool metric_at(const zm_path_ground *t, size_t interval, zm_path_place p,
                      size_t own, zm_cell_metric *mean)
{
    const int32_t row = (int32_t)floor(p.y), col = (int32_t)floor(p.x);
    const double below = p.y - row, right = p.x - col;
    zm_cell_metric sum = { 0 }, g;
    double weights = 0;

    if (t->problem->n_intervals > 0 && !zm_path_ground_metric(t, interval, own, &g))
        return false;
    for (int i = 0; i < 4; i++) {
        const double w = (i & 1 ? right : 1 - right) * (i >> 1 ? below : 1 - below);
        size_t cell;

        if (w > 0 && zm_path_ground_cell(t, row + (i >> 1), col + (i & 1), &cell) &&
            zm_path_ground_metric(t, interval, cell, &g)) {
            metric_add(&sum, &g, w);
            weights += w;
        }
    }
    *mean = (zm_cell_metric){ 0 };
    metric_add(mean, &sum, 1 / weights);
    return true;
}

/* Cost of the piece from `now` to `leaves`, with the metric in its middle. */
static double piece_cost(const walk *w, size_t own, double leaves, double when)
{
    const zm_problem *problem = w->t->problem;
    const double middle = (leaves + w->now) / 2;
    const zm_path_place p = { w->from.x + middle * w->x, w->from.y + middle * w->y };
    const size_t n = problem->n_intervals;
    const double unit = w->t->unit;
    double share = leaves - w->now, t = when;
    zm_cell_metric g;

    if (n == 0) {
        metric_at(w->t, 0, p, own, &g);
        return share * zm_path_cost_of(&g, w->x, w->y);
    }
    for (size_t k = zm_intervals_at(problem->starts, n, when * unit); k < n; k++) {
        const double end =
            k + 1 < n ? problem->starts[k + 1] / unit : (double)INFINITY;

        if (metric_at(w->t, k, p, own, &g)) {
            const double cost = zm_path_cost_of(&g, w->x, w->y);

            if (t + share * cost <= end)
                return t + share * cost - when;
            share -= (end - t) / cost;
        }
        t = end;
    }
    return (double)INFINITY;
}

/* Goes along the whole segment; cost may be NULL. */
static bool walk_through(walk w, double when, double *cost)
{
    for (;;) {
        const double leaves = walk_leaves(&w), share = leaves - w.now;
        size_t cell;

        if (!zm_path_ground_cell(w.t, w.row, w.col, &cell) || is_wall(w.t, cell)) {
            if (share > w.sliver)
                return false;
        } else if (cost && share > 0) {
            *cost += piece_cost(&w, cell, leaves, when + *cost);
        }
        if (leaves >= 1)
            return true;
        if (!walk_on(&w))
            return false;
    }
}

double zm_path_way_cost(const zm_path_ground *t, zm_path_place a, zm_path_place b,
                        double when)
{
    double cost = 0;

    return walk_through(walk_begin(t, a, b), when, &cost) ? cost : (double)INFINITY;
}

bool zm_path_way_clear(const zm_path_ground *t, zm_path_place a, zm_path_place b)
{
    return walk_through(walk_begin(t, a, b), 0, NULL);
}
