/* SPDX-License-Identifier: Apache-2.0
 * What zm_forward says of progress and stops, whichever engine solves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "eikonal/engine.h"
#include "eikonal/record/view.h"
#include "support/refused.h"
#include "support/timed.h"

enum { SIDE = 320, MANY = 3 };

typedef struct watch {
    double last;
    int calls, falls;
} watch;

static int look(void *ctx, double fraction)
{
    watch *w = ctx;

    w->calls++;
    w->falls += !(fraction >= w->last && fraction <= 1);
    w->last = fraction;
    return 0;
}

static void watch_forward(test_run *t, const test_case *c, const zm_solver_opts *o,
                          const uint8_t *targets, bool by_blocks)
{
    const zm_problem p = case_problem(c);
    zm_solver *s = case_solver(c, ZM_F64, o);
    double *T = nan_doubles(c->n);
    zm_forward_opts f = ZM_FORWARD_OPTS_INIT;
    zm_report report = ZM_REPORT_INIT;
    watch w = { 0, 0, 0 };

    f.progress = look;
    f.progress_ctx = &w;
    f.targets = targets;
    CHECK(zm_forward(s, &p, T, &f, &report, NULL) == ZM_OK);
    CHECK_MSG((report.method == ZM_SOLVED_BY_BLOCKS) == by_blocks, "method %d",
              (int)report.method);
    CHECK_MSG(w.calls > 0 && w.falls == 0, "%d of %d calls fell", w.falls, w.calls);
    free(T);
    zm_solver_destroy(s);
}

/* The front comes to the strong half after blocks have solved the other, and hand over. */
static test_case half_strong(uint64_t seed)
{
    test_case c = case_make(SMOOTH, SIDE, SIDE, seed), strong;

    strong = case_make(STRONG, SIDE, SIDE, seed);
    for (int k = 0; k < N_PLANES; k++)
        memcpy(case_plane(&c, k) + c.n - 64 * SIDE,
               case_plane(&strong, k) + c.n - 64 * SIDE, 64 * SIDE * sizeof(double));
    case_free(&strong);
    case_clear_sources(&c);
    case_add_source(&c, 3, 5, 0);
    return c;
}

TEST(progress_never_decreases)
{
    const zm_solver_opts fixed = fixed_opts(), adaptive = adaptive_opts(1, 0),
                         second = adaptive_opts(2, 0);
    test_case c = half_strong(t->seed);
    uint8_t *targets = calloc(c.n, 1);

    if (!targets)
        exit(1);
    targets[c.n / 2 + 7] = 1;
    watch_forward(t, &c, &fixed, NULL, true);
    watch_forward(t, &c, &fixed, targets, true);
    watch_forward(t, &c, &second, NULL, false);
    watch_forward(t, &c, &adaptive, NULL, false);
    watch_forward(t, &c, &adaptive, targets, false);
    case_add_walls(&c);
    watch_forward(t, &c, &adaptive, NULL, false);
    free(targets);
    case_free(&c);
}

TEST(progress_of_a_batch_never_decreases)
{
    zm_solver_opts o = adaptive_opts(1, 0);
    test_case c = half_strong(t->seed);
    zm_problem p[MANY];
    void *T[MANY];
    zm_forward_opts f = ZM_FORWARD_OPTS_INIT;
    watch w = { 0, 0, 0 };
    zm_solver *s;

    f.progress = look;
    f.progress_ctx = &w;
    o.batch = MANY;
    o.threads = 2;
    s = case_solver(&c, ZM_F64, &o);
    for (int i = 0; i < MANY; i++) {
        p[i] = case_problem(&c);
        T[i] = nan_doubles(c.n);
    }
    CHECK(zm_forward_batch(s, p, MANY, T, &f, NULL, NULL) == ZM_OK);
    CHECK_MSG(w.calls > 0 && w.falls == 0, "%d of %d calls fell", w.falls, w.calls);
    for (int i = 0; i < MANY; i++)
        free(T[i]);
    zm_solver_destroy(s);
    case_free(&c);
}

/* Where blocks are not visited as often as they would have to be, times are upper bounds; what
 * is later than the targets is left out all the same. */
TEST(targets_count_where_the_solve_does_not_converge)
{
    const zm_solver_opts fixed = fixed_opts();
    test_case c = case_make(PIXELS, SIDE, SIDE, t->seed);
    const zm_problem p = case_problem(&c);
    const size_t target =
        (size_t)c.sources[0].row * SIDE + (size_t)c.sources[0].col + 20;
    zm_solver *s = case_solver(&c, ZM_F64, &fixed);
    double *full = nan_doubles(c.n), *T = nan_doubles(c.n), last = 0;
    uint8_t *targets = calloc(c.n, 1);
    zm_forward_opts f = ZM_FORWARD_OPTS_INIT;
    zm_report report = ZM_REPORT_INIT;
    size_t reached = 0, in_full = 0;

    if (!targets)
        exit(1);
    f.max_iterations = 1;
    CHECK(zm_forward(s, &p, full, &f, NULL, NULL) == ZM_NOT_CONVERGED);
    targets[target] = 1;
    f.targets = targets;
    CHECK(zm_forward(s, &p, T, &f, &report, NULL) == ZM_NOT_CONVERGED);
    CHECK(report.converged == 0);
    for (size_t i = 0; i < c.n; i++) {
        in_full += isfinite(full[i]) != 0;
        reached += isfinite(T[i]) != 0;
        last = isfinite(T[i]) ? fmax(last, T[i]) : last;
    }
    CHECK_MSG(reached > 0 && reached < in_full, "%zu of %zu cells", reached, in_full);
    CHECK(isfinite(T[target]) && last <= full[target]);
    f.targets = NULL;
    f.max_cells = 100;
    CHECK(zm_forward(s, &p, T, &f, &report, NULL) == ZM_NOT_CONVERGED);
    reached = 0;
    for (size_t i = 0; i < c.n; i++)
        reached += isfinite(T[i]) != 0;
    CHECK_MSG(reached >= 100 && reached < in_full, "%zu cells", reached);
    free(targets);
    free(T);
    free(full);
    zm_solver_destroy(s);
    case_free(&c);
}

/* A node can be read after either kind of preparation, and says the same. */
TEST(nodes_of_time_intervals_can_be_read_when_derivatives_are_prepared)
{
    enum { FEW = 12 };
    timed_case b = timed_create(FEW, FEW, 2);
    zm_solver *a = timed_solver(&b, ZM_COST_OWN), *d = timed_solver(&b, ZM_COST_OWN);
    double *T = nan_doubles(b.n);
    zm_engine_view view, derivatives;
    zm_problem p;

    b.starts[1] = 3;
    case_add_source(&b.interval[0], 4, 4, 0);
    for (size_t i = 0; i < b.n; i++)
        b.interval[1].g11[i] = b.interval[1].g22[i] = 2.0 + 0.01 * (double)i;
    p = timed_problem(&b);
    CHECK(zm_forward(a, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_forward(d, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_record_open(&view, a, 0, ZM_RECORD_ALL_THREADS, &p, T, false, NULL) ==
          ZM_OK);
    CHECK(zm_record_open(&derivatives, d, 0, ZM_RECORD_ALL_THREADS, &p, T, true,
                         NULL) == ZM_OK);
    for (size_t i = 0; i < b.n; i++) {
        const zm_node one = zm_record_node(&view, i),
                      other = zm_record_node(&derivatives, i);

        CHECK(one.kind == other.kind && one.x == other.x && one.y == other.y);
        CHECK(memcmp(&one.metric, &other.metric, sizeof one.metric) == 0);
    }
    zm_solver_destroy(d);
    zm_solver_destroy(a);
    timed_free(&b);
    free(T);
}

/* Blocks with the eight neighbours stop at max_iterations; the other engines do not look at it,
 * nor at tol, and report as the header says. */
static void check_limits(test_run *t, const test_case *c, const zm_solver_opts *o,
                         bool by_blocks)
{
    const zm_problem p = case_problem(c);
    zm_solver *s = case_solver(c, ZM_F64, o);
    double *full = nan_doubles(c->n), *T = nan_doubles(c->n);
    zm_forward_opts f = ZM_FORWARD_OPTS_INIT;
    zm_report report = ZM_REPORT_INIT;

    CHECK(zm_forward(s, &p, full, NULL, &report, NULL) == ZM_OK);
    CHECK(report.updates > 0 && report.converged == 1);
    CHECK((report.method == ZM_SOLVED_BY_BLOCKS) == by_blocks);
    CHECK(report.method != ZM_SOLVED_BY_MARCHING || report.iterations == 1);
    CHECK(report.cells == 0 && report.last == -HUGE_VAL && report.last_interval == -1);
    f.max_iterations = 1;
    CHECK(zm_forward(s, &p, T, &f, NULL, NULL) ==
          (by_blocks ? ZM_NOT_CONVERGED : ZM_OK));
    f = (zm_forward_opts)ZM_FORWARD_OPTS_INIT;
    f.tol = 1;
    CHECK(zm_forward(s, &p, T, &f, NULL, NULL) == ZM_OK);
    CHECK(same_bits(T, full, c->n) == !by_blocks);
    free(T);
    free(full);
    zm_solver_destroy(s);
}

TEST(tol_and_max_iterations_are_for_blocks)
{
    const zm_solver_opts fixed = fixed_opts(), adaptive = adaptive_opts(1, 0),
                         second = adaptive_opts(2, 0);
    test_case pixels = case_make(PIXELS, SIDE, SIDE, t->seed);
    test_case strong = case_make(STRONG, SIDE, SIDE, t->seed);

    check_limits(t, &pixels, &fixed, true);
    check_limits(t, &strong, &adaptive, false);
    check_limits(t, &strong, &second, false);
    case_free(&strong);
    case_free(&pixels);
}

static zm_status refuse(void *ctx, size_t interval, zm_window window,
                        zm_window_values *values, zm_error *err)
{
    (void)interval;
    for (int32_t i = 0; i < window.rows * window.cols; i++)
        values->g11[i] = values->g22[i] = 1;
    if (!*(const bool *)ctx)
        return ZM_OK;
    *err = (zm_error){ ZM_E_IO, -1, "no weather" };
    return ZM_E_IO;
}

/* Every function that has to look a metric up tells what `fill` said. */
TEST(what_fill_says_is_told)
{
    enum { FEW = 20 };
    const double starts[1] = { 0 };
    const zm_source source = { 10, 10, 0 };
    const zm_path_point points[2] = { { 3, 3, 0 }, { 9, 12, 0 } };
    const zm_grid grid = { FEW, FEW, 1, 1 };
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_problem p = ZM_PROBLEM_INIT;
    double T[FEW * FEW], vx[FEW * FEW], vy[FEW * FEW], cost;
    bool fails = false;
    zm_solver *s = NULL;

    o.metric_bytes = 1;
    p.sources = &source;
    p.n_sources = p.n_intervals = 1;
    p.starts = starts;
    p.fill = refuse;
    p.fill_ctx = &fails;
    CHECK(zm_solver_create(&s, grid, ZM_F64, &o, NULL) == ZM_OK);
    CHECK(zm_forward(s, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_problem_check(grid, &p, NULL) == ZM_OK);
    fails = true;
    CHECK_FAILS(zm_problem_check(grid, &p, &err), ZM_E_IO, "no weather");
    CHECK_FAILS(zm_residual(grid, &p, T, ZM_RESIDUAL_EIKONAL, vx, &err), ZM_E_IO,
                "no weather");
    CHECK_FAILS(zm_path_cost(grid, &p, 0, points, 2, &cost, &err), ZM_E_IO,
                "no weather");
    CHECK_FAILS(zm_forward(s, &p, T, NULL, NULL, &err), ZM_E_IO, "no weather");
    CHECK(zm_flow(s, 0, &p, T, vx, vy, NULL) == ZM_E_STATE);
    zm_solver_destroy(s);
}
