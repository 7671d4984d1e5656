/* SPDX-License-Identifier: Apache-2.0
 * Paths arrive and cross no wall, whatever the problem; labels and flow say the same. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/cases.h"

enum { MOST_POINTS = 20000 };

/* A solved problem of either number type. */
typedef struct solved {
    test_case c;
    case_f32 narrow;
    zm_problem problem;
    zm_dtype dtype;
    int32_t periodic;
    zm_solver *solver;
    void *T;
    zm_path_point *points;
} solved;

/* Takes the case over. */
static solved solve(test_run *t, test_case c, zm_dtype dtype,
                    const zm_solver_opts *opts)
{
    solved s = { .c = c, .dtype = dtype, .periodic = opts ? opts->periodic : 0 };
    zm_error err;

    if (dtype == ZM_F32)
        case_round_to_f32(&s.c);
    s.problem = case_problem(&s.c);
    if (dtype == ZM_F32) {
        s.narrow = case_to_f32(&s.c);
        s.problem = s.narrow.problem;
    }
    s.T = nan_doubles(c.n);
    s.points = calloc(MOST_POINTS, sizeof *s.points);
    s.solver = case_solver(&s.c, dtype, opts);
    CHECK_MSG(zm_forward(s.solver, &s.problem, s.T, NULL, NULL, &err) == ZM_OK, "%s",
              err.text);
    return s;
}

static void solved_free(solved *s)
{
    zm_solver_destroy(s->solver);
    if (s->dtype == ZM_F32)
        case_f32_free(&s->narrow);
    free(s->points);
    free(s->T);
    case_free(&s->c);
}

static double time_at(const solved *s, size_t cell)
{
    return s->dtype == ZM_F32 ? (double)((float *)s->T)[cell] : ((double *)s->T)[cell];
}

static size_t cell_at(const solved *s, double row, double col)
{
    return (size_t)floor(row + 0.5) * (size_t)s->c.grid.cols + (size_t)floor(col + 0.5);
}

static double modulo(double x, double n)
{
    return x - n * round(x / n);
}

/* Whether a point lies inside a wall, by more than rounding. */
static bool inside_wall(const solved *s, double row, double col)
{
    const double r = floor(row + 0.5), c = floor(col + 0.5);
    const double depth = 0.5 - fmax(fabs(row - r), fabs(col - c));
    const int32_t rows = s->c.grid.rows, cols = s->c.grid.cols;
    const int32_t i = (((int32_t)r % rows) + rows) % rows;
    const int32_t j = (((int32_t)c % cols) + cols) % cols;

    return s->c.walls && depth > 1e-7 &&
           s->c.walls[(size_t)i * (size_t)cols + (size_t)j];
}

/* Many points of every piece, independent of the traversal that the library uses. */
static bool crosses_wall(const solved *s, size_t n)
{
    enum { SAMPLES = 64 };

    for (size_t i = 1; i < n; i++)
        for (int k = 0; k <= SAMPLES; k++) {
            const zm_path_point *a = &s->points[i - 1], *b = &s->points[i];
            const double w = (double)k / SAMPLES;

            if (inside_wall(s, a->row + w * (b->row - a->row),
                            a->col + w * (b->col - a->col)))
                return true;
        }
    return false;
}

/* All that must hold of a path, whatever the problem. */
static void check_path(test_run *t, const solved *s, double row, double col,
                       int32_t straighten)
{
    const zm_path_opts opts = { .size = sizeof opts, .straighten = straighten };
    const bool reached = isfinite(time_at(s, cell_at(s, row, col)));
    size_t n = 0, counted = 0;
    int32_t source = -7;
    zm_error err;
    double cost;
    const zm_source *from;

    CHECK(zm_path(s->solver, 0, &s->problem, s->T, row, col, s->points, MOST_POINTS, &n,
                  &source, &opts, &err) == ZM_OK);
    CHECK(zm_path(s->solver, 0, &s->problem, s->T, row, col, NULL, 0, &counted, NULL,
                  &opts, &err) == ZM_OK);
    CHECK(n == counted);
    CHECK((n > 0) == reached && (source >= 0) == reached);
    if (n == 0 || source < 0)
        return;
    from = &s->c.sources[source];
    CHECK_AT_MOST(fabs(modulo(s->points[0].row - from->row, s->c.grid.rows)), 1e-9);
    CHECK_AT_MOST(fabs(modulo(s->points[0].col - from->col, s->c.grid.cols)), 1e-9);
    CHECK(s->points[n - 1].row == row && s->points[n - 1].col == col);
    CHECK(s->points[0].time == from->time);
    for (size_t i = 1; i < n; i++)
        CHECK(s->points[i].time > s->points[i - 1].time);
    CHECK(!crosses_wall(s, n));
    CHECK(zm_path_cost(s->c.grid, &s->problem, s->periodic, s->points, n, &cost,
                       &err) == ZM_OK);
    CHECK(isfinite(cost)); /* neither through the corner between two walls */
}

/* Constant or rotating metric of this eigenvalue ratio, with a drift of this norm. */
static void fill_metric(test_case *c, double ratio, double drift, bool turns,
                        uint64_t *state)
{
    const double start = 3 * zm_random_unit(state), wind = 6 * zm_random_unit(state);

    for (size_t i = 0; i < c->n; i++) {
        const double x = (double)(i % (size_t)c->grid.cols);
        const double y = (double)(i / (size_t)c->grid.cols);
        const double angle = start + (turns ? sin(0.1 * x) * cos(0.07 * y) : 0);
        const double cs = cos(angle), sn = sin(angle), across = sqrt(ratio);
        const double u = drift * cos(wind), v = drift * sin(wind) * across;

        c->g11[i] = cs * cs + ratio * sn * sn;
        c->g12[i] = (1 - ratio) * cs * sn;
        c->g22[i] = sn * sn + ratio * cs * cs;
        c->b1[i] = u * cs - v * sn;
        c->b2[i] = u * sn + v * cs;
    }
}

/* Scattered walls, diagonal walls one cell thick, or corridors two cells wide. */
static void fill_walls(test_case *c, int kind, uint64_t *state)
{
    const size_t cols = (size_t)c->grid.cols;

    case_add_walls(c);
    for (size_t i = 0; i < c->n; i++) {
        const size_t row = i / cols, col = i % cols;
        const double chance = zm_random_unit(state);

        c->walls[i] = kind == 0   ? chance < 0.3
                      : kind == 1 ? (row + col) % 7 == 0 && chance < 0.9
                                  : row % 3 == 1 && chance < 0.9;
    }
}

/* One to three sources, some of them between cells. */
static void add_sources(test_case *c, bool between, uint64_t *state)
{
    const size_t n = 1 + zm_random_below(state, 3);

    for (size_t k = 0; k < n; k++) {
        const int32_t row =
            (int32_t)zm_random_below(state, (size_t)c->grid.rows - 2) + 1;
        const int32_t col =
            (int32_t)zm_random_below(state, (size_t)c->grid.cols - 2) + 1;

        case_add_source(c, row, col, 3 * zm_random_unit(state));
        if (between) {
            c->sources[k].row += 0.98 * zm_random_unit(state) - 0.49;
            c->sources[k].col += 0.98 * zm_random_unit(state) - 0.49;
        }
    }
}

static zm_solver_opts random_opts(uint64_t *state)
{
    const double radius[3] = { 0, 5, HUGE_VAL };
    zm_solver_opts o = fixed_opts();

    if (zm_random_below(state, 4) == 0)
        return o;
    o.stencils = ZM_STENCILS_ADAPTIVE;
    o.order = 1 + (int32_t)zm_random_below(state, 2);
    o.factor_radius = radius[zm_random_below(state, 3)];
    o.periodic = zm_random_below(state, 3) ? 0 : (int32_t)zm_random_below(state, 4);
    return o;
}

/* Mild to extreme metrics, all schemes, both number types, walls of all kinds. */
TEST(paths_arrive_and_cross_no_wall)
{
    const double ratios[4] = { 1, 4, 100, 1000 };
    uint64_t state = t->seed;

    for (int problem = 0; problem < 64; problem++) {
        const zm_solver_opts o = random_opts(&state);
        const bool adaptive = o.stencils == ZM_STENCILS_ADAPTIVE;
        const zm_dtype dtype = zm_random_below(&state, 3) ? ZM_F64 : ZM_F32;
        test_case c = case_create(10 + (int32_t)zm_random_below(&state, 40),
                                  10 + (int32_t)zm_random_below(&state, 40));
        solved s;

        fill_metric(&c, ratios[problem % 4], 0.9 * zm_random_unit(&state),
                    zm_random_below(&state, 2), &state);
        fill_walls(&c, problem % 3, &state);
        add_sources(&c, adaptive, &state);
        s = solve(t, c, dtype, &o);
        for (int k = 0; k < 16; k++) {
            double row = zm_random_unit(&state) * (s.c.grid.rows - 1);
            double col = zm_random_unit(&state) * (s.c.grid.cols - 1);

            if (k % 2) {
                row = floor(row);
                col = floor(col);
            }
            check_path(t, &s, row, col, k % 4 < 2);
        }
        solved_free(&s);
    }
}

/* Every medium of the suite, from every 37th cell: shocks, contrasts, noise. */
TEST(paths_arrive_in_every_medium)
{
    for (int m = 0; m < N_MEDIA; m++)
        for (int adaptive = 0; adaptive < 2; adaptive++) {
            zm_solver_opts o = fixed_opts();
            solved s;

            o.stencils = adaptive ? ZM_STENCILS_ADAPTIVE : ZM_STENCILS_FIXED;
            s = solve(t, case_make((medium)m, 61, 55, t->seed), m % 2 ? ZM_F32 : ZM_F64,
                      &o);
            for (size_t cell = 0; cell < s.c.n; cell += 37)
                check_path(t, &s, (double)(cell / 55), (double)(cell % 55), cell % 2);
            solved_free(&s);
        }
}

/* Many paths at once are those of one call each, bit for bit, on any number of threads. */
TEST(paths_to_many_points_are_those_to_each)
{
    enum { MANY = 60, ROWS = 40, COLS = 53 };
    zm_path_point to[MANY], *points = calloc(MANY * (size_t)MOST_POINTS, sizeof *points);
    size_t begins[MANY + 1], counted[MANY + 1];
    int32_t sources[MANY], source;
    uint64_t state = t->seed;
    zm_error err;

    for (int k = 0; k < 4; k++) {
        zm_solver_opts o = k % 2 ? adaptive_opts(2, 5) : fixed_opts();
        solved s;

        o.threads = 1 + k;
        s = solve(t, case_make(k < 2 ? MAZE : SMOOTH, ROWS, COLS, t->seed), ZM_F64, &o);
        for (int i = 0; i < MANY; i++)
            to[i] = (zm_path_point){ .row = zm_random_unit(&state) * (ROWS - 1),
                                     .col = zm_random_unit(&state) * (COLS - 1) };
        CHECK(zm_paths(s.solver, 0, &s.problem, s.T, to, MANY, NULL, 0, counted, NULL, NULL,
                       &err) == ZM_OK);
        CHECK(zm_paths(s.solver, 0, &s.problem, s.T, to, MANY, points,
                       MANY * (size_t)MOST_POINTS, begins, sources, NULL, &err) == ZM_OK);
        for (int i = 0; i < MANY; i++) {
            size_t n;

            CHECK(zm_path(s.solver, 0, &s.problem, s.T, to[i].row, to[i].col, s.points,
                          MOST_POINTS, &n, &source, NULL, &err) == ZM_OK);
            CHECK(begins[i + 1] - begins[i] == n && counted[i + 1] == begins[i + 1]);
            CHECK(sources[i] == source);
            CHECK(!memcmp(s.points, points + begins[i], n * sizeof *points));
        }
        solved_free(&s);
    }
    free(points);
}

TEST(paths_to_many_points_name_the_point_that_is_wrong_and_say_how_much_room)
{
    zm_path_point to[3] = { { 1, 1, 0 }, { 5, 5, 0 }, { 9, 99, 0 } }, points[4];
    size_t begins[4] = { 0 };
    solved s = solve(t, case_make(SMOOTH, 20, 20, t->seed), ZM_F64, NULL);
    zm_error err;

    CHECK(zm_paths(s.solver, 0, &s.problem, s.T, to, 3, points, 4, begins, NULL, NULL,
                   &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "point 2") && strstr(err.text, "col 99"), "%s", err.text);
    points[0].row = -7;
    CHECK(zm_paths(s.solver, 0, &s.problem, s.T, to, 2, points, 1, begins, NULL, NULL,
                   &err) == ZM_E_ARG);
    CHECK(begins[2] > 1 && points[0].row == -7 && strstr(err.text, "room for 1"));
    CHECK(zm_paths(s.solver, 0, &s.problem, s.T, NULL, 0, points, 4, begins, NULL, NULL,
                   &err) == ZM_OK);
    CHECK(begins[0] == 0);
    CHECK(zm_paths(s.solver, 0, &s.problem, s.T, NULL, 1, points, 4, begins, NULL, NULL,
                   &err) == ZM_E_ARG);
    CHECK(zm_paths(s.solver, 0, &s.problem, s.T, to, 1, points, 4, NULL, NULL, NULL,
                   &err) == ZM_E_ARG);
    solved_free(&s);
}

static int count_and_stop(void *ctx, double fraction)
{
    double *told = ctx; /* calls, the last fraction, at which call to stop */

    if (fraction < told[1] || fraction > 1)
        told[0] = -1e9;
    told[1] = fraction;
    return ++told[0] == told[2];
}

/* The calling thread is told of each of its points, and its answer ends the call. */
TEST(paths_to_many_points_tell_their_progress_and_can_be_cancelled)
{
    enum { MANY = 50 };
    zm_path_point to[MANY];
    size_t begins[MANY + 1];
    zm_error err;

    for (int i = 0; i < MANY; i++)
        to[i] = (zm_path_point){ .row = i % 20, .col = (7 * i) % 20 };
    for (int threads = 1; threads <= 2; threads++) {
        zm_solver_opts o = fixed_opts();
        zm_path_opts opts = ZM_PATH_OPTS_INIT;
        double told[3] = { 0, 0, 0 };
        solved s;

        o.threads = threads;
        s = solve(t, case_make(SMOOTH, 20, 20, t->seed), ZM_F64, &o);
        opts.progress = count_and_stop;
        opts.progress_ctx = told;
        CHECK(zm_paths(s.solver, 0, &s.problem, s.T, to, MANY, NULL, 0, begins, NULL, &opts,
                       &err) == ZM_OK);
        CHECK(threads == 1 ? told[0] == MANY : told[0] >= 0 && told[0] <= MANY);
        if (threads == 1) { /* of two the other may have them all */
            told[0] = told[1] = 0;
            told[2] = 3;
            CHECK(zm_paths(s.solver, 0, &s.problem, s.T, to, MANY, NULL, 0, begins, NULL,
                           &opts, &err) == ZM_E_CANCELLED);
            CHECK(told[0] == 3 && strstr(err.text, "cancelled"));
        }
        solved_free(&s);
    }
}

/* The end is T as the solve has it: in the middle of a cell nothing is interpolated. */
TEST(time_at_the_middle_of_a_cell_is_that_of_the_cell)
{
    solved s = solve(t, case_make(SMOOTH, 50, 60, t->seed), ZM_F64, NULL);

    for (size_t cell = 0; cell < s.c.n; cell += 101) {
        const double T = time_at(&s, cell);
        size_t n;
        zm_error err;

        CHECK(zm_path(s.solver, 0, &s.problem, s.T, (double)(cell / 60),
                      (double)(cell % 60), s.points, MOST_POINTS, &n, NULL, NULL,
                      &err) == ZM_OK);
        CHECK_NEAR(s.points[n - 1].time, T, 1e-12 * T);
    }
    solved_free(&s);
}

TEST(path_to_a_source_is_that_point)
{
    test_case c = case_create(20, 30);
    size_t n;
    zm_error err;
    solved s;

    case_add_source(&c, 7, 11, 2.5);
    s = solve(t, c, ZM_F64, NULL);
    CHECK(zm_path(s.solver, 0, &s.problem, s.T, 7, 11, s.points, MOST_POINTS, &n, NULL,
                  NULL, &err) == ZM_OK);
    CHECK(n == 1);
    CHECK(s.points[0].row == 7 && s.points[0].col == 11 && s.points[0].time == 2.5);
    solved_free(&s);
}

/* 100 columns round: from column 2 to 97 it is 5 over the border.  The end is as given, so
 * the source shows at 102. */
TEST(path_on_a_closed_grid_goes_over_the_border)
{
    zm_solver_opts o = fixed_opts();
    test_case c = case_create(21, 100);
    size_t n;
    zm_error err;
    solved s;

    o.stencils = ZM_STENCILS_ADAPTIVE;
    o.periodic = ZM_PERIODIC_X;
    case_add_source(&c, 10, 2, 0);
    s = solve(t, c, ZM_F64, &o);
    CHECK(zm_path(s.solver, 0, &s.problem, s.T, 10, 97, s.points, MOST_POINTS, &n, NULL,
                  NULL, &err) == ZM_OK);
    CHECK(s.points[0].col == 102 && s.points[n - 1].col == 97);
    CHECK_NEAR(s.points[n - 1].time, 5, 1e-12);
    for (size_t i = 1; i < n; i++)
        CHECK_AT_MOST(s.points[i].col, s.points[i - 1].col);
    solved_free(&s);
}

/* The source i with the least T = t_i + |x - s_i|_G - b.(x - s_i), metric as in cell 0. */
static int32_t exact_label(const test_case *c, double row, double col)
{
    double best = HUGE_VAL;
    int32_t label = -1;

    for (size_t k = 0; k < c->n_sources; k++) {
        const zm_source *s = &c->sources[k];
        const double x = col - s->col, y = row - s->row;
        const double time =
            s->time - c->b1[0] * x - c->b2[0] * y +
            sqrt(c->g11[0] * x * x + 2 * c->g12[0] * x * y + c->g22[0] * y * y);

        if (time < best) {
            best = time;
            label = (int32_t)k;
        }
    }
    return label;
}

/* Whether some point at most `radius` cells away has this exact label. */
static bool label_nearby(const test_case *c, size_t cell, int32_t label, int radius)
{
    const int32_t row = (int32_t)cell / c->grid.cols,
                  col = (int32_t)cell % c->grid.cols;

    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++)
            if (exact_label(c, row + dy, col + dx) == label)
                return true;
    return false;
}

/* Where fronts meet at a small angle the error of the scheme moves the border between them
 * by up to `radius` cells; no label is wrong by more. */
static void check_voronoi(test_run *t, const zm_solver_opts *o, double ratio,
                          int radius)
{
    const int32_t side = 90;
    uint64_t state = t->seed;
    test_case c = case_create(side, side);
    int32_t *labels = calloc(c.n, sizeof *labels);
    size_t wrong = 0;
    zm_error err;
    solved s;

    fill_metric(&c, ratio, 0.3, false, &state);
    for (int32_t k = 0; k < 6; k++) /* apart, so that none starts in another's front */
        case_add_source(&c, 15 + 30 * (k / 2) + (int32_t)zm_random_below(&state, 9),
                        20 + 45 * (k % 2) + (int32_t)zm_random_below(&state, 9),
                        2 * zm_random_unit(&state));
    s = solve(t, c, ZM_F64, o);
    CHECK(zm_labels(s.solver, 0, &s.problem, s.T, labels, &err) == ZM_OK);
    for (size_t i = 0; i < s.c.n; i++) {
        wrong += !label_nearby(&s.c, i, labels[i], 0);
        CHECK(label_nearby(&s.c, i, labels[i], radius));
    }
    CHECK_AT_MOST((double)wrong, 0.015 * (double)s.c.n);
    free(labels);
    solved_free(&s);
}

TEST(labels_are_those_of_the_exact_solution)
{
    zm_solver_opts o = fixed_opts();

    check_voronoi(t, &o, 1.5, 2);
    o = adaptive_opts(1, 0);
    check_voronoi(t, &o, 9, 3);
    o = adaptive_opts(2, 10);
    check_voronoi(t, &o, 9, 1);
}

/* Whether all cells at most `radius` away have the same label. */
static bool labels_agree(const test_case *c, const int32_t *labels, size_t cell,
                         int radius)
{
    const int32_t row = (int32_t)cell / c->grid.cols,
                  col = (int32_t)cell % c->grid.cols;

    for (int32_t r = row - radius; r <= row + radius; r++)
        for (int32_t k = col - radius; k <= col + radius; k++)
            if (r >= 0 && r < c->grid.rows && k >= 0 && k < c->grid.cols &&
                labels[r * c->grid.cols + k] != labels[cell])
                return false;
    return true;
}

/* The source a path comes from is the one that the label names; where fronts meet, a cell
 * or two may see it the other way. */
TEST(paths_come_from_the_source_of_their_label)
{
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        const zm_solver_opts opts = adaptive_opts(2, 5);
        test_case c = case_make(SMOOTH, 60, 60, t->seed);
        int32_t *labels = calloc(c.n, sizeof *labels);
        size_t looked_at = 0;
        zm_error err;
        solved s;

        case_add_source(&c, 5, 50, 0);
        case_add_source(&c, 50, 45, 1);
        s = solve(t, c, ZM_F64, adaptive ? &opts : NULL);
        CHECK(zm_labels(s.solver, 0, &s.problem, s.T, labels, &err) == ZM_OK);
        for (size_t i = 0; i < s.c.n; i += 7) {
            int32_t source;
            size_t n;

            if (!labels_agree(&s.c, labels, i, 4))
                continue;
            looked_at++;
            CHECK(zm_path(s.solver, 0, &s.problem, s.T, (double)(i / 60),
                          (double)(i % 60), s.points, MOST_POINTS, &n, &source, NULL,
                          &err) == ZM_OK);
            CHECK(source == labels[i]);
        }
        CHECK(looked_at > 100);
        free(labels);
        solved_free(&s);
    }
}

/* Nothing comes behind a closed wall: no label, no flow, no path. */
TEST(cells_behind_a_wall_have_no_label_no_flow_and_no_path)
{
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        zm_solver_opts o = fixed_opts();
        test_case c = case_create(20, 30);
        int32_t labels[600];
        double vx[600], vy[600];
        int32_t source = 5;
        size_t n = 5;
        zm_error err;
        solved s;

        o.order = adaptive ? 2 : 1;
        o.stencils = adaptive ? ZM_STENCILS_ADAPTIVE : ZM_STENCILS_FIXED;
        case_add_walls(&c);
        for (size_t row = 0; row < 20; row++)
            c.walls[row * 30 + 20] = 1;
        case_add_source(&c, 10, 4, 0);
        s = solve(t, c, ZM_F64, &o);
        CHECK(zm_labels(s.solver, 0, &s.problem, s.T, labels, &err) == ZM_OK);
        CHECK(zm_flow(s.solver, 0, &s.problem, s.T, vx, vy, &err) == ZM_OK);
        for (size_t i = 0; i < 600; i++) {
            CHECK(labels[i] == (i % 30 < 20 ? 0 : -1));
            CHECK(isnan(vx[i]) == (i % 30 >= 20) && isnan(vy[i]) == (i % 30 >= 20));
        }
        CHECK(zm_path(s.solver, 0, &s.problem, s.T, 3, 25, s.points, MOST_POINTS, &n,
                      &source, NULL, &err) == ZM_OK);
        CHECK(n == 0 && source == -1);
        CHECK(zm_path(s.solver, 0, &s.problem, s.T, 3, 20, s.points, MOST_POINTS, &n,
                      &source, NULL, &err) == ZM_OK);
        CHECK(n == 0 && source == -1);
        solved_free(&s);
    }
}

/* In a constant medium the front that came to x = s + d has the velocity d / F(d); factored
 * times are exact there, and so are the weights, to the conditioning of a square root. */
TEST(flow_of_a_constant_medium_is_exact)
{
    const zm_solver_opts o = adaptive_opts(1, HUGE_VAL);
    uint64_t state = t->seed;
    test_case c = case_create(60, 50);
    double *v = nan_doubles(2 * c.n);
    zm_error err;
    solved s;

    fill_metric(&c, 9, 0.5, false, &state);
    c.grid.dx = 0.5;
    case_add_source(&c, 23, 31, 0);
    s = solve(t, c, ZM_F64, &o);
    CHECK(zm_flow(s.solver, 0, &s.problem, s.T, v, v + s.c.n, &err) == ZM_OK);
    for (size_t i = 0; i < s.c.n; i++) {
        const double x = ((double)(i % 50) - 31) * 0.5, y = (double)(i / 50) - 23;
        const double F =
            sqrt(s.c.g11[0] * x * x + 2 * s.c.g12[0] * x * y + s.c.g22[0] * y * y) -
            s.c.b1[0] * x - s.c.b2[0] * y;
        const double vx = F > 0 ? x / F : 0, vy = F > 0 ? y / F : 0;

        CHECK_NEAR(v[i], vx, 1e-6);
        CHECK_NEAR(v[s.c.n + i], vy, 1e-6);
    }
    free(v);
    solved_free(&s);
}
