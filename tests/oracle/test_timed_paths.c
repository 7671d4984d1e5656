/* SPDX-License-Identifier: Apache-2.0
 * Paths, labels, flow and stencils in metrics that change with time, against what is known. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/timed.h"

enum { SIDE = 61, MIDDLE = SIDE / 2, MOST_POINTS = 4000 };

/* A solved problem. */
typedef struct solved {
    timed_case c;
    zm_problem p;
    zm_solver *solver;
    double *T;
} solved;

static void solve(test_run *t, solved *s, zm_step_cost cost)
{
    s->p = timed_problem(&s->c);
    s->solver = timed_solver(&s->c, cost);
    s->T = nan_doubles(s->c.n);
    CHECK(zm_forward(s->solver, &s->p, s->T, NULL, NULL, NULL) == ZM_OK);
}

static void solved_free(solved *s)
{
    free(s->T);
    zm_solver_destroy(s->solver);
    timed_free(&s->c);
}

static size_t path_to(test_run *t, solved *s, double row, double col,
                      zm_path_point *points)
{
    size_t n = 0;
    int32_t source;
    zm_error err = { ZM_OK, -1, "" };
    const zm_status st = zm_path(s->solver, 0, &s->p, s->T, row, col, points,
                                 MOST_POINTS, &n, &source, NULL, &err);

    CHECK_MSG(st == ZM_OK, "%s", err.text);
    return n;
}

/* Distance of a point from the straight line from the middle to (row, col). */
static double beside(const zm_path_point *p, double row, double col)
{
    const double dx = col - MIDDLE, dy = row - MIDDLE;

    return fabs((p->col - MIDDLE) * dy - (p->row - MIDDLE) * dx) / hypot(dx, dy);
}

/* A medium that is the same everywhere and has speed 1 up to time 12, then 0.4: rays are
 * straight, and the front is at distance t, later 12 + 0.4 (t - 12).  The velocity of the flow
 * is that of the interval a cell is reached in, exactly, because the step of a cell only gives
 * its direction. */
static double exact_time(double distance)
{
    return distance <= 12 ? distance : 12 + (distance - 12) / 0.4;
}

static double exact_distance(double time)
{
    return time <= 12 ? time : 12 + 0.4 * (time - 12);
}

static void two_speeds(test_run *t, solved *s)
{
    s->c = timed_create(SIDE, SIDE, 2);
    s->c.starts[1] = 12;
    fill_constant(&s->c.interval[1], 1 / 0.16, 0, 1 / 0.16, 0, 0);
    case_add_source(&s->c.interval[0], MIDDLE, MIDDLE, 0);
    solve(t, s, ZM_COST_MEAN);
}

TEST(after_a_change_of_speed_rays_stay_straight)
{
    const double ends[4][2] = {
        { 3, 8 }, { MIDDLE, SIDE - 2 }, { 41.5, 12.25 }, { 28, 36 }
    };
    zm_path_point *points = malloc(MOST_POINTS * sizeof *points);
    solved s;

    if (!points)
        exit(1);
    two_speeds(t, &s);
    for (int i = 0; i < 4; i++) {
        const double row = ends[i][0], col = ends[i][1];
        const double distance = hypot(row - MIDDLE, col - MIDDLE);
        const size_t n = path_to(t, &s, row, col, points);
        const zm_path_point ends_only[2] = { points[0], points[n - 1] };
        double cost;

        CHECK(n > 2 && points[0].row == MIDDLE && points[0].col == MIDDLE);
        CHECK(points[0].time == 0 && points[n - 1].row == row &&
              points[n - 1].col == col);
        for (size_t k = 0; k < n; k++) {
            const double gone = hypot(points[k].row - MIDDLE, points[k].col - MIDDLE);

            CHECK(k == 0 || points[k].time > points[k - 1].time);
            CHECK_AT_MOST(beside(&points[k], row, col), 0.5);
            CHECK_NEAR(exact_distance(points[k].time), gone, 0.04 * distance + 0.1);
        }
        CHECK(zm_path_cost(s.c.interval[0].grid, &s.p, 0, ends_only, 2, &cost, NULL) ==
              ZM_OK);
        CHECK_NEAR(cost, exact_time(distance), 1e-9 * cost);
        CHECK(zm_path_cost(s.c.interval[0].grid, &s.p, 0, points, n, &cost, NULL) ==
              ZM_OK);
        CHECK_NEAR(cost, exact_time(distance), 0.01 * cost);
    }
    free(points);
    solved_free(&s);
}

TEST(the_flow_has_the_speed_of_the_interval)
{
    double *vx = nan_doubles(SIDE * SIDE), *vy = nan_doubles(SIDE * SIDE);
    solved s;

    two_speeds(t, &s);
    CHECK(zm_flow(s.solver, 0, &s.p, s.T, vx, vy, NULL) == ZM_OK);
    for (int row = 0; row < SIDE; row++)
        for (int col = 0; col < SIDE; col++) {
            const int i = row * SIDE + col;
            const double x = col - MIDDLE, y = row - MIDDLE, far = hypot(x, y);
            const double speed = s.T[i] <= 12 ? 1 : 0.4;

            if (far == 0) {
                CHECK(vx[i] == 0 && vy[i] == 0);
                continue;
            }
            CHECK_NEAR(hypot(vx[i], vy[i]), speed, 1e-12);
            CHECK(vx[i] * x + vy[i] * y > 0.92 * speed * far);
        }
    free(vy);
    free(vx);
    solved_free(&s);
}

/* A wait in the midst of the way: the path stands still for as long, and so does its cost. */
TEST(a_path_waits_where_the_front_does)
{
    enum { NIGHT = 30 };
    zm_path_point *points = malloc(MOST_POINTS * sizeof *points);
    solved s = { .c = timed_create(SIDE, SIDE, 3) };
    double longest = 0, cost;
    size_t n;

    if (!points)
        exit(1);
    s.c.starts[1] = 10;
    s.c.starts[2] = 10 + NIGHT;
    timed_stop(&s.c, 1, -1);
    case_add_source(&s.c.interval[0], MIDDLE, MIDDLE, 0);
    solve(t, &s, ZM_COST_MEAN);
    n = path_to(t, &s, MIDDLE, SIDE - 1, points);
    for (size_t k = 1; k < n; k++)
        longest = fmax(longest, points[k].time - points[k - 1].time);
    CHECK(longest > NIGHT && longest < NIGHT + 1);
    CHECK_NEAR(points[n - 1].time, MIDDLE + NIGHT, 1e-9);
    CHECK(zm_path_cost(s.c.interval[0].grid, &s.p, 0, points, n, &cost, NULL) == ZM_OK);
    CHECK_NEAR(cost, MIDDLE + NIGHT, 1e-9);
    points[0].time = 20; /* in the night */
    CHECK(zm_path_cost(s.c.interval[0].grid, &s.p, 0, points, n, &cost, NULL) == ZM_OK);
    CHECK_NEAR(cost, MIDDLE + NIGHT - 10, 1e-9);
    points[0].time = (double)NAN;
    CHECK(zm_path_cost(s.c.interval[0].grid, &s.p, 0, points, n, &cost, NULL) ==
          ZM_E_ARG);
    free(points);
    solved_free(&s);
}

/* Distance from a point to a polyline, and how much its time differs from that of the nearest
 * place on it. */
static void compare(const zm_path_point *p, const zm_path_point *line, size_t n,
                    double *apart, double *later)
{
    *apart = *later = (double)INFINITY;
    for (size_t i = 0; i + 1 < n; i++) {
        const double dx = line[i + 1].col - line[i].col,
                     dy = line[i + 1].row - line[i].row;
        const double along =
            ((p->col - line[i].col) * dx + (p->row - line[i].row) * dy) /
            (dx * dx + dy * dy);
        const double s = fmin(fmax(along, 0), 1);
        const double d =
            hypot(line[i].col + s * dx - p->col, line[i].row + s * dy - p->row);

        if (d < *apart) {
            *apart = d;
            *later =
                fabs(line[i].time + s * (line[i + 1].time - line[i].time) - p->time);
        }
    }
}

static void fill_all(timed_case *c, int kind)
{
    for (size_t k = 0; k < c->n_intervals; k++) {
        c->starts[k] = 7 * (double)k;
        fill_oriented(&c->interval[k], 1, kind ? 9 : 1, 0.4, kind == 2 ? 0.6 : 0, 2);
    }
    case_add_source(&c->interval[0], MIDDLE, MIDDLE, -1);
}

/* Intervals with one metric are a static problem.  Their paths are those of a single interval
 * to rounding, and with the same stencils those of the static solver but for the few decisions
 * of a trace that rounding can turn. */
TEST(equal_intervals_have_the_static_path)
{
    const zm_solver_opts adaptive = adaptive_opts(1, 0);
    zm_path_point *a = malloc(MOST_POINTS * sizeof *a),
                  *b = malloc(MOST_POINTS * sizeof *b);

    if (!a || !b)
        exit(1);
    for (int kind = 0; kind < 3; kind++) {
        solved many = { .c = timed_create(SIDE, SIDE, 5) };
        solved one = { .c = timed_create(SIDE, SIDE, 1) };
        zm_solver *still = NULL;
        double *R = nan_doubles(SIDE * SIDE);
        zm_problem p;
        size_t n, m;

        fill_all(&many.c, kind);
        fill_all(&one.c, kind);
        solve(t, &many, ZM_COST_OWN);
        solve(t, &one, ZM_COST_OWN);
        p = case_problem(&one.c.interval[0]);
        CHECK(zm_solver_create(&still, one.c.interval[0].grid, ZM_F64, &adaptive,
                               NULL) == ZM_OK);
        CHECK(zm_forward(still, &p, R, NULL, NULL, NULL) == ZM_OK);
        for (int end = 0; end < 6; end++) {
            const double row = 5.3 + 9 * end, col = end % 2 ? 4.6 : 50.2;
            double apart, later;

            n = path_to(t, &many, row, col, a);
            m = path_to(t, &one, row, col, b);
            CHECK_MSG(n == m, "%zu and %zu points", n, m);
            for (size_t i = 0; i < n && i < m; i++) {
                CHECK_NEAR(a[i].row, b[i].row, 1e-6);
                CHECK_NEAR(a[i].col, b[i].col, 1e-6);
                CHECK_NEAR(a[i].time, b[i].time, 1e-6);
            }
            CHECK(zm_path(still, 0, &p, R, row, col, b, MOST_POINTS, &m, NULL, NULL,
                          NULL) == ZM_OK);
            for (size_t i = 0; i < n; i++) {
                compare(&a[i], b, m, &apart, &later);
                CHECK_AT_MOST(apart, 0.1);
                CHECK_AT_MOST(later, 0.1);
            }
        }
        zm_solver_destroy(still);
        free(R);
        solved_free(&one);
        solved_free(&many);
    }
    free(b);
    free(a);
}

/* A wind that turns by the hour, the same everywhere: in each interval the quickest way is
 * straight, so that the exact path is the best of all polylines with one corner at each change
 * of the wind.  A path may be a little longer than its time tells, never much. */
TEST(paths_in_a_turning_wind_cost_what_their_time_tells)
{
    zm_path_point *points = malloc(MOST_POINTS * sizeof *points);
    solved s = { .c = timed_create(SIDE, SIDE, 4) };

    if (!points)
        exit(1);
    for (size_t k = 0; k < 4; k++) {
        s.c.starts[k] = 6 * (double)k;
        fill_oriented(&s.c.interval[k], 1, 1, 0, 0.6, 0.7 * (double)k);
    }
    case_add_source(&s.c.interval[0], MIDDLE, MIDDLE, 0.5);
    solve(t, &s, ZM_COST_MEAN);
    for (int end = 0; end < 40; end++) {
        const int row = 3 + 17 * end % 55, col = 3 + 29 * end % 55;
        const size_t n = path_to(t, &s, row, col, points);
        double cost;

        CHECK(n > 0 && points[0].time == 0.5);
        CHECK(zm_path_cost(s.c.interval[0].grid, &s.p, 0, points, n, &cost, NULL) ==
              ZM_OK);
        CHECK_NEAR(points[n - 1].time, s.T[row * SIDE + col], 1e-9);
        CHECK_NEAR(0.5 + cost, s.T[row * SIDE + col], 0.04 * cost + 0.3);
    }
    free(points);
    solved_free(&s);
}

/* The label is the source that alone would have come first: solved one by one. */
TEST(labels_are_those_of_the_source_that_alone_comes_first)
{
    enum { SOURCES = 4 };
    const zm_source sources[SOURCES] = {
        { 10, 12, 0 }, { 50, 20, 3 }, { 31, 47, 5.5 }, { 8, 55, 1 }
    };

    for (int kind = 0; kind < 2; kind++) {
        const zm_step_cost cost = kind ? ZM_COST_MEAN : ZM_COST_OWN;
        solved s = { .c = timed_random(SIDE, 6, t->seed + (uint64_t)kind, 3, 1.4, 0.5,
                                       true) };
        double *alone[SOURCES];
        int32_t *labels = malloc(s.c.n * sizeof *labels);
        size_t off = 0;

        if (!labels)
            exit(1);
        for (int i = 0; i < SOURCES; i++) {
            alone[i] = nan_doubles(s.c.n);
            case_clear_sources(&s.c.interval[0]);
            case_add_source(&s.c.interval[0], (int32_t)sources[i].row,
                            (int32_t)sources[i].col, sources[i].time);
            CHECK(timed_solve(&s.c, cost, alone[i]) == ZM_OK);
        }
        case_clear_sources(&s.c.interval[0]);
        for (int i = 0; i < SOURCES; i++)
            case_add_source(&s.c.interval[0], (int32_t)sources[i].row,
                            (int32_t)sources[i].col, sources[i].time);
        solve(t, &s, cost);
        CHECK(zm_labels(s.solver, 0, &s.p, s.T, labels, NULL) == ZM_OK);
        for (size_t k = 0; k < s.c.n; k++) {
            double first = (double)INFINITY;

            CHECK(labels[k] >= 0 && labels[k] < SOURCES);
            for (int i = 0; i < SOURCES; i++)
                first = fmin(first, alone[i][k]);
            /* where fronts meet both are a donor of the cell, off by about a step */
            CHECK_AT_MOST(alone[labels[k]][k] - first, 1.5);
            off += alone[labels[k]][k] > first * (1 + 1e-9);
        }
        CHECK_MSG(off <= s.c.n / 50, "%zu of %zu cells", off, s.c.n);
        for (int i = 0; i < SOURCES; i++)
            free(alone[i]);
        free(labels);
        solved_free(&s);
    }
}

/* What all functions say about one slot. */
typedef struct looks {
    double *vx, *vy, *weights;
    int32_t *labels;
    uint8_t *codes;
    zm_path_point *points;
    size_t n_points;
} looks;

static looks look_at(test_run *t, zm_solver *solver, size_t slot, const zm_problem *p,
                     const double *T, size_t n)
{
    looks l = { .vx = nan_doubles(n),
                .vy = nan_doubles(n),
                .weights = nan_doubles(n),
                .labels = malloc(n * sizeof *l.labels),
                .codes = malloc(n),
                .points = calloc(MOST_POINTS, sizeof *l.points) };

    if (!l.labels || !l.codes || !l.points)
        exit(1);
    CHECK(zm_flow(solver, slot, p, T, l.vx, l.vy, NULL) == ZM_OK);
    CHECK(zm_labels(solver, slot, p, T, l.labels, NULL) == ZM_OK);
    CHECK(zm_stencils(solver, slot, p, T, l.codes, l.weights, NULL) == ZM_OK);
    CHECK(zm_path(solver, slot, p, T, 3, 4, l.points, MOST_POINTS, &l.n_points, NULL,
                  NULL, NULL) == ZM_OK);
    return l;
}

static void looks_free(looks *l)
{
    free(l->vx);
    free(l->vy);
    free(l->weights);
    free(l->labels);
    free(l->codes);
    free(l->points);
}

/* Slots do not know each other, and a static problem among them changes nothing. */
TEST(every_slot_of_a_batch_looks_as_if_solved_alone)
{
    enum { BATCH = 4 };
    solved s[BATCH];
    zm_problem p[BATCH];
    double *T[BATCH];
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_solver *all = NULL;

    o.batch = BATCH;
    o.threads = 2;
    o.reach = 1;
    o.stencils = ZM_STENCILS_ADAPTIVE;
    for (int i = 0; i < BATCH; i++) {
        s[i] = (solved){ .c = timed_random(40, 3, t->seed + (uint64_t)i, 3, 1.5, 0.6,
                                           i % 2) };
        case_add_source(&s[i].c.interval[0], 5 + i, 30, 0.5 * i);
        solve(t, &s[i], ZM_COST_MEAN);
        p[i] = s[i].p;
        T[i] = nan_doubles(s[i].c.n);
    }
    p[2] = case_problem(&s[2].c.interval[0]); /* does not change with time */
    CHECK(zm_forward(s[2].solver, &p[2], s[2].T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_solver_create(&all, s[0].c.interval[0].grid, ZM_F64, &o, NULL) == ZM_OK);
    CHECK(zm_forward_batch(all, p, BATCH, (void *const *)T, NULL, NULL, NULL) == ZM_OK);
    for (int i = 0; i < BATCH; i++) {
        const size_t n = s[i].c.n;
        looks a = look_at(t, s[i].solver, 0, &p[i], s[i].T, n);
        looks b = look_at(t, all, (size_t)i, &p[i], T[i], n);

        CHECK(same_bits(s[i].T, T[i], n));
        CHECK(same_bits(a.vx, b.vx, n) && same_bits(a.vy, b.vy, n));
        CHECK(same_bits(a.weights, b.weights, n));
        CHECK(!memcmp(a.labels, b.labels, n * sizeof *a.labels));
        CHECK(!memcmp(a.codes, b.codes, n));
        CHECK(a.n_points == b.n_points &&
              !memcmp(a.points, b.points, a.n_points * sizeof *a.points));
        looks_free(&a);
        looks_free(&b);
        solved_free(&s[i]);
        free(T[i]);
    }
    zm_solver_destroy(all);
}

/* The residual of the differential equation sees the metric of the interval a cell is reached
 * in: small but near the source and where the speed changes. */
TEST(the_residual_is_that_of_the_interval)
{
    double *r = nan_doubles(SIDE * SIDE), mean = 0;
    size_t n = 0;
    solved s;

    two_speeds(t, &s);
    CHECK(zm_residual(s.c.interval[0].grid, &s.p, s.T, ZM_RESIDUAL_EIKONAL, r, NULL) ==
          ZM_OK);
    for (size_t i = 0; i < s.c.n; i++)
        if (fabs(s.T[i] - 12) > 3 && s.T[i] > 3 && isfinite(r[i])) {
            mean += r[i];
            n++;
        }
    CHECK(n > s.c.n / 2);
    CHECK_AT_MOST(mean / (double)n, 0.02);
    CHECK(r[MIDDLE * SIDE + MIDDLE] == 0);
    CHECK(zm_residual(s.c.interval[0].grid, &s.p, s.T, ZM_RESIDUAL_DISCRETE, r, NULL) ==
          ZM_E_UNSUPPORTED);
    CHECK(zm_problem_check(s.c.interval[0].grid, &s.p, NULL) == ZM_OK);
    s.c.interval[1].g22[77] = -1;
    CHECK(zm_problem_check(s.c.interval[0].grid, &s.p, NULL) == ZM_E_METRIC);
    timed_stop(&s.c, 1, 77);
    s.p = timed_problem(&s.c);
    CHECK(zm_problem_check(s.c.interval[0].grid, &s.p, NULL) == ZM_OK);
    free(r);
    solved_free(&s);
}
