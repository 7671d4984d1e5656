/* SPDX-License-Identifier: Apache-2.0
 * Whatever the caller changes after a solve, in metric, drift, walls, sources, times or
 * cotangent, and whatever another thread writes there while a function runs: nothing is read
 * or written outside of its memory, which the address sanitizer watches, nothing goes on for
 * ever, and what is noticed is refused with a message.  Time intervals: test_timed_changed.c. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "check.h"
#include "support/cases.h"

enum { MOST_POINTS = 4000, N_KINDS = 7 };

/* Which engine is to solve, and with what. */
typedef struct setting {
    const char *name;
    medium medium;
    zm_forward_method method;
    int32_t order;
    double factor_radius;
    int32_t periodic;
    bool walls, between, two_sources, limited, fixed;
} setting;

#define BLOCKS   .method = ZM_SOLVED_BY_BLOCKS, .order = 1
#define ADAPTIVE .method = ZM_SOLVED_BY_ADAPTIVE_BLOCKS, .order = 1
#define MARCHING .method = ZM_SOLVED_BY_MARCHING
#define REFINED  .method = ZM_SOLVED_BY_REFINED_BLOCKS, .factor_radius = HUGE_VAL

static const setting settings[] = {
    { "blocks", SMOOTH, BLOCKS, .walls = true, .two_sources = true },
    { "fixed blocks", PIXELS, BLOCKS, .fixed = true },
    { "fixed blocks, strong, with t_max", STRONG, BLOCKS, .walls = true,
      .two_sources = true, .limited = true, .fixed = true },
    { "blocks, with t_max", SMOOTH, BLOCKS, .two_sources = true, .limited = true },
    { "adaptive blocks", STRONG, ADAPTIVE, .two_sources = true },
    { "refined", SMOOTH, REFINED, .order = 2, .walls = true, .two_sources = true },
    { "refined, third order, with t_max", CONTRAST, REFINED, .order = 3,
      .two_sources = true, .limited = true },
    { "marching", STRONG, MARCHING, .order = 1, .walls = true, .between = true,
      .two_sources = true },
    { "marching of order 2", STRONG, MARCHING, .order = 2, .factor_radius = 9,
      .walls = true, .between = true, .two_sources = true },
    { "marching, factored", SMOOTH, MARCHING, .order = 1, .factor_radius = 9,
      .two_sources = true, .limited = true },
    { "marching, closed", STRONG, MARCHING, .order = 2, .factor_radius = 9,
      .periodic = ZM_PERIODIC_X | ZM_PERIODIC_Y, .walls = true, .between = true },
};
enum { N_SETTINGS = sizeof settings / sizeof *settings };

static double nasty(uint64_t *state)
{
    static const double values[] = { 0,      -1,     1e308, -1e308,
                                     1e-308, 5e-324, 1e30,  -1e-9,
                                     3,      0.5,    1e9,   (double)INFINITY,
                                     -1e30,  17,     1 };
    const double r = zm_random_unit(state);

    if (r < 0.2)
        return (double)NAN;
    if (r < 0.3)
        return -(double)INFINITY;
    if (r < 0.6)
        return 40 * zm_random_unit(state);
    return values[(size_t)(zm_random_unit(state) * 0.999 * sizeof values /
                           sizeof *values)];
}

/* A problem of either number type with its times and a cotangent. */
typedef struct bench {
    const setting *set;
    test_case c;
    case_f32 f;
    zm_dtype dtype;
    zm_problem problem;
    zm_solver *solver;
    void *T, *cotangent;
} bench;

static void store(void *plane, zm_dtype dtype, size_t i, double value)
{
    if (dtype == ZM_F32)
        ((float *)plane)[i] = (float)value;
    else
        ((double *)plane)[i] = value;
}

static void *plane_of(const bench *b, int j)
{
    return b->dtype == ZM_F32 ? (void *)(b->f.planes + (size_t)j * b->c.n)
                              : (void *)case_plane(&b->c, j);
}

/* Changes some values of one kind of array, or of all.  kind: 0 metric, 1 drift, 2 sources,
 * 3 walls, 4 T, 5 cotangent, 6 all. */
static void mutate(bench *b, int kind, uint64_t *state)
{
    static const double shares[] = { 0.002, 0.05, 0.6, 1.0 };
    const double share = shares[(int)(3.99 * zm_random_unit(state))];
    const double same = zm_random_unit(state) < 0.3 ? nasty(state) : 0;
    const bool all = kind == 6;

    for (size_t i = 0; i < b->c.n; i++) {
        for (int j = 0; j < N_PLANES; j++)
            if ((all || kind == (j > 2)) && zm_random_unit(state) < share)
                store(plane_of(b, j), b->dtype, i, same != 0 ? same : nasty(state));
        if ((all || kind == 3) && b->c.walls && zm_random_unit(state) < share)
            b->c.walls[i] ^= 1;
        if ((all || kind == 4) && zm_random_unit(state) < share)
            store(b->T, b->dtype, i, same != 0 ? same : nasty(state));
        if ((all || kind == 5) && zm_random_unit(state) < share)
            store(b->cotangent, b->dtype, i, nasty(state));
    }
    for (size_t i = 0; i < b->c.n_sources && (all || kind == 2); i++) {
        zm_source *s = &b->c.sources[i];
        double *const field[3] = { &s->row, &s->col, &s->time };

        *field[(int)(2.99 * zm_random_unit(state))] = nasty(state);
    }
}

static bench bench_make(test_run *t, const setting *set, int32_t rows, int32_t cols,
                        zm_dtype dtype, int32_t threads, uint64_t seed)
{
    bench b = { .set = set, .dtype = dtype };
    zm_solver_opts o = adaptive_opts(set->order, set->factor_radius);

    b.c = case_make(set->medium, rows, cols, seed);
    if (set->between)
        b.c.sources[0].row += 0.3;
    if (set->two_sources)
        case_add_source(&b.c, rows / 5, 4 * cols / 5, 1.5);
    if (set->walls) { /* not where a source is */
        case_add_walls(&b.c);
        for (int32_t col = 2; col < cols - 3; col++)
            b.c.walls[(size_t)(rows - 2) * (size_t)cols + (size_t)col] = 1;
    }
    o.periodic = set->periodic;
    o.stencils = set->fixed ? ZM_STENCILS_FIXED : ZM_STENCILS_ADAPTIVE;
    o.threads = threads;
    b.solver = case_solver(&b.c, dtype, &o);
    b.f = case_to_f32(&b.c);
    b.problem = dtype == ZM_F32 ? b.f.problem : case_problem(&b.c);
    b.T = nan_doubles(b.c.n);
    b.cotangent = nan_doubles(b.c.n);
    for (size_t i = 0; i < b.c.n; i++)
        store(b.cotangent, dtype, i, 1);
    CHECK(b.problem.sources == b.c.sources && b.problem.walls == b.c.walls);
    return b;
}

static void bench_free(bench *b)
{
    free(b->cotangent);
    free(b->T);
    case_f32_free(&b->f);
    zm_solver_destroy(b->solver);
    case_free(&b->c);
}

static zm_status bench_solve(bench *b, zm_report *report, zm_error *err)
{
    zm_forward_opts o = ZM_FORWARD_OPTS_INIT;

    if (b->set->limited)
        o.t_max = 9;
    return zm_forward(b->solver, &b->problem, b->T, &o, report, err);
}

/* Where the functions write to. */
typedef struct room {
    double *plane[N_PLANES], *x, *y, *source[3];
    int32_t *labels;
    uint8_t *codes;
    zm_path_point *points;
} room;

static room room_make(size_t n)
{
    room r = { .labels = malloc(n * sizeof *r.labels),
               .codes = malloc(n),
               .points = malloc(MOST_POINTS * sizeof *r.points),
               .x = nan_doubles(n),
               .y = nan_doubles(n) };

    for (int j = 0; j < N_PLANES; j++)
        r.plane[j] = nan_doubles(n);
    for (int j = 0; j < 3; j++)
        r.source[j] = nan_doubles(2);
    if (!r.labels || !r.codes || !r.points)
        exit(1);
    return r;
}

static void room_free(room *r)
{
    for (int j = 0; j < N_PLANES; j++)
        free(r->plane[j]);
    for (int j = 0; j < 3; j++)
        free(r->source[j]);
    free(r->points);
    free(r->codes);
    free(r->labels);
    free(r->y);
    free(r->x);
}

enum { ADJOINT, TANGENT, FLOW, LABELS, STENCILS, PATH, RESIDUAL, N_LOOKS };

static zm_status look_one(bench *b, const room *r, int what, uint64_t *state,
                          zm_error *err)
{
    const zm_problem *p = &b->problem;
    zm_gradient to = ZM_GRADIENT_INIT;
    zm_direction by = ZM_DIRECTION_INIT;
    zm_status st = ZM_OK;
    int32_t source;
    size_t count;

    if (what == ADJOINT) {
        to.g11 = r->plane[0];
        to.g12 = r->plane[1];
        to.g22 = r->plane[2];
        to.b1 = r->plane[3];
        to.b2 = r->plane[4];
        to.source_times = r->source[0];
        to.source_rows = b->set->between ? r->source[1] : NULL;
        to.source_cols = b->set->between ? r->source[2] : NULL;
        return zm_adjoint(b->solver, p, b->T, b->cotangent, &to, err);
    }
    if (what == TANGENT) {
        by.g11 = by.b2 = b->cotangent;
        return zm_tangent(b->solver, p, b->T, &by, r->x, err);
    }
    if (what == FLOW)
        return zm_flow(b->solver, 0, p, b->T, r->x, r->y, err);
    if (what == LABELS)
        return zm_labels(b->solver, 0, p, b->T, r->labels, err);
    if (what == STENCILS)
        return zm_stencils(b->solver, 0, p, b->T, r->codes, r->x, err);
    if (what == RESIDUAL)
        return zm_residual(b->c.grid, p, b->T, ZM_RESIDUAL_DISCRETE, r->x, err);
    for (int k = 0; k < 4 && st == ZM_OK; k++)
        st =
            zm_path(b->solver, 0, p, b->T, (b->c.grid.rows - 1) * zm_random_unit(state),
                    (b->c.grid.cols - 1) * zm_random_unit(state), r->points,
                    MOST_POINTS, &count, &source, NULL, err);
    return st;
}

/* All functions that look at a record, one after the other from a random one on.  Whatever is
 * said must be a status of the function, with a message. */
static void look(test_run *t, bench *b, const room *r, uint64_t *state)
{
    const int first = (int)(N_LOOKS * 0.999 * zm_random_unit(state));

    for (int i = first; i < first + N_LOOKS; i++) {
        zm_error err = { ZM_OK, -1, "" };
        const zm_status st = look_one(b, r, i % N_LOOKS, state, &err);

        CHECK_MSG(st == ZM_OK || st == ZM_NOT_CONVERGED || st == ZM_E_STATE ||
                      st == ZM_E_ARG || st == ZM_E_SOURCE || st == ZM_E_UNSUPPORTED ||
                      (st == ZM_E_METRIC && i % N_LOOKS == RESIDUAL),
                  "%s, function %d: status %d, %s", b->set->name, i % N_LOOKS, (int)st,
                  err.text);
        CHECK(st == ZM_OK || err.text[0]);
    }
}

/* Blocks with adaptive stencils need vector instructions; without them it marches. */
static zm_forward_method method_of(const setting *set)
{
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    zm_solver *solver = NULL;
    bool vectors;

    opts.isa = ZM_ISA_AVX2;
    vectors = zm_solver_create(&solver, (zm_grid){ 2, 2, 1, 1 }, ZM_F64, &opts, NULL) ==
              ZM_OK;
    zm_solver_destroy(solver);
    return set->method == ZM_SOLVED_BY_ADAPTIVE_BLOCKS && !vectors
               ? ZM_SOLVED_BY_MARCHING
               : set->method;
}

TEST(changes_between_the_solve_and_a_look_are_harmless)
{
    uint64_t state = t->seed;

    for (int round = 0; round < 12 * N_SETTINGS * N_KINDS; round++) {
        const setting *set = &settings[round % N_SETTINGS];
        const int kind = round / N_SETTINGS % N_KINDS;
        const int32_t rows = 9 + (int32_t)(40 * zm_random_unit(&state)),
                      cols = 9 + (int32_t)(40 * zm_random_unit(&state));
        bench b = bench_make(t, set, rows, cols, round & 1 ? ZM_F32 : ZM_F64,
                             1 + round % 2, t->seed + (uint64_t)round);
        room r = room_make(b.c.n);
        zm_report report = ZM_REPORT_INIT;
        zm_error err = { ZM_OK, -1, "" };

        CHECK_MSG(bench_solve(&b, &report, &err) == ZM_OK, "%s", err.text);
        CHECK_MSG(report.method == method_of(set), "%s: solved by %d", set->name,
                  (int)report.method);
        if (zm_random_unit(&state) < 0.3)
            look(t, &b, &r, &state);
        mutate(&b, kind, &state);
        look(t, &b, &r, &state);
        mutate(&b, 6, &state);
        look(t, &b, &r, &state);
        room_free(&r);
        bench_free(&b);
    }
}

/* Another problem of other sources or with other walls, or one that a slot has not seen. */
TEST(another_problem_in_a_slot_is_harmless)
{
    uint64_t state = t->seed;

    for (int round = 0; round < 4 * N_SETTINGS; round++) {
        const setting *set = &settings[round % N_SETTINGS];
        bench a = bench_make(t, set, 33, 35, ZM_F64, 1, t->seed + (uint64_t)round);
        bench b =
            bench_make(t, &settings[(round + 1 + round / N_SETTINGS) % N_SETTINGS], 33,
                       35, ZM_F64, 1, t->seed + 1000 + (uint64_t)round);
        room r = room_make(a.c.n);
        zm_solver *const own = b.solver;

        CHECK(bench_solve(&a, NULL, NULL) == ZM_OK);
        b.solver = a.solver;
        memcpy(b.T, a.T, a.c.n * sizeof(double));
        look(t, &b, &r, &state);
        b.solver = own;
        room_free(&r);
        bench_free(&b);
        bench_free(&a);
    }
}

typedef struct writer {
    bench *b;
    uint64_t state;
    atomic_bool stop;
} writer;

static int write_on(void *ctx)
{
    writer *w = ctx;

    while (!atomic_load(&w->stop))
        mutate(w->b, (int)(N_KINDS * 0.999 * zm_random_unit(&w->state)), &w->state);
    return 0;
}

/* The two threads race on the caller's own arrays, which the thread sanitizer would report:
 * it is not for that one. */
TEST(another_thread_that_writes_while_a_look_is_under_way_is_harmless)
{
    uint64_t state = t->seed;

#if defined(__SANITIZE_THREAD__)
    test_skip(t, "the race is meant");
    return;
#endif
    for (int round = 0; round < 4 * N_SETTINGS; round++) {
        const setting *set = &settings[round % N_SETTINGS];
        bench b = bench_make(t, set, 45, 41, round & 8 ? ZM_F32 : ZM_F64, 1 + round % 2,
                             t->seed + (uint64_t)round);
        room r = room_make(b.c.n);
        writer w = { .b = &b, .state = state + 1 };
        zm_error err = { ZM_OK, -1, "" };
        thrd_t thread;

        CHECK(bench_solve(&b, NULL, NULL) == ZM_OK);
        if (thrd_create(&thread, write_on, &w) != thrd_success)
            exit(1);
        for (int i = 0; i < 6; i++)
            look(t, &b, &r, &state);
        bench_solve(&b, NULL, &err);
        atomic_store(&w.stop, true);
        thrd_join(thread, NULL);
        look(t, &b, &r, &state);
        room_free(&r);
        bench_free(&b);
    }
}

/* A memory source that moves a problem's source when it is asked for the last block of a count,
 * as another thread may at any time. */
typedef struct mover {
    zm_source *source;
    int left;
} mover;

static void *move_and_allocate(void *ctx, size_t bytes)
{
    mover *m = ctx;

    if (m->left-- == 0)
        m->source->row = 5, m->source->col = 6;
    return malloc(bytes);
}

static void release(void *ctx, void *pointer)
{
    (void)ctx;
    free(pointer);
}

TEST(a_source_that_moves_into_a_wall_after_it_was_checked_is_refused)
{
    enum { SIDE = 12, MOST_BLOCKS = 60 };
    double g[SIDE * SIDE], T[SIDE * SIDE];
    uint8_t walls[SIDE * SIDE] = { [5 * SIDE + 6] = 1 };

    for (int i = 0; i < SIDE * SIDE; i++)
        g[i] = 1;
    for (int order = 1; order <= 2; order++) {
        int refused = 0;

        for (int left = 0; left < MOST_BLOCKS; left++) {
            zm_source source = { .row = 3, .col = order == 1 ? 3.5 : 3 };
            mover m = { &source, MOST_BLOCKS };
            zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
            zm_problem problem = ZM_PROBLEM_INIT;
            zm_error err = { ZM_OK, -1, "" };
            zm_solver *solver = NULL;
            zm_status st;

            opts.mem = (zm_alloc){ &m, move_and_allocate, release };
            opts.order = order;
            problem.metric = (zm_metric){ ZM_F64, g, NULL, NULL, NULL, NULL };
            problem.sources = &source;
            problem.n_sources = 1;
            problem.walls = walls;
            CHECK(zm_solver_create(&solver, (zm_grid){ SIDE, SIDE, 1, 1 }, ZM_F64, &opts,
                                   NULL) == ZM_OK);
            m.left = left;
            st = zm_forward(solver, &problem, T, NULL, NULL, &err);
            CHECK_MSG(st == ZM_OK || st == ZM_E_SOURCE, "%s", err.text);
            refused += st == ZM_E_SOURCE;
            zm_solver_destroy(solver);
        }
        CHECK_MSG(order > 1 || refused > 0, "order %d: never refused", order);
    }
}

/* Single values from admissible to anything and back, faster than a solve. */
static int values_flicker(void *ctx)
{
    writer *w = ctx;

    while (!atomic_load(&w->stop)) {
        const size_t cell = (size_t)(zm_random_unit(&w->state) * 0.999 * (double)w->b->c.n);
        double *value = case_plane(&w->b->c, (int)(N_PLANES * 0.999 * zm_random_unit(&w->state)));
        const double kept = value[cell];

        value[cell] = nasty(&w->state);
        value[cell] = kept;
    }
    return 0;
}

/* What was checked may be another value when it is used.  With steps that pay, the sweeps of a
 * block would go on until the numbers overflow. */
TEST(a_solve_ends_although_another_thread_makes_steps_that_pay)
{
    static const setting kinds[] = { { "blocks", SMOOTH, BLOCKS },
                                     { "fixed blocks", STRONG, BLOCKS, .fixed = true } };

#if defined(__SANITIZE_THREAD__)
    test_skip(t, "the race is meant");
    return;
#endif
    for (int k = 0; k < 2; k++) {
        bench b = bench_make(t, &kinds[k], 50, 31, ZM_F64, 1, t->seed);
        writer w = { .b = &b, .state = t->seed };
        thrd_t thread;

        if (thrd_create(&thread, values_flicker, &w) != thrd_success)
            exit(1);
        for (int i = 0; i < 400; i++) {
            zm_error err = { ZM_OK, -1, "" };
            const zm_status st = bench_solve(&b, NULL, &err);

            CHECK(st >= ZM_OK || err.text[0]);
        }
        atomic_store(&w.stop, true);
        thrd_join(thread, NULL);
        bench_free(&b);
    }
}
