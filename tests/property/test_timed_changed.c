/* SPDX-License-Identifier: Apache-2.0
 * Problems with time intervals that the caller changes behind the solver's back.  Nothing is
 * read or written outside of its memory, which the address sanitizer watches, nothing goes on
 * for ever, and what is noticed is refused. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/timed.h"

enum { SIDE = 27, INTERVALS = 5, MOST_POINTS = 2000 };

static double nasty(uint64_t *state)
{
    static const double values[] = { 0,      -1,   1e308, -1e308,           1e-308,
                                     5e-324, 1e30, -1e-9, (double)INFINITY, 3,
                                     0.5,    1e9 };
    const double r = zm_random_unit(state);

    if (r < 0.2)
        return (double)NAN;
    return values[(size_t)(zm_random_unit(state) * 0.999 * sizeof values /
                           sizeof *values)];
}

/* Changes some values of one kind of array, or of all. */
static void mutate(timed_case *c, int kind, uint64_t *state, double *T)
{
    const double share = zm_random_unit(state) < 0.5 ? 0.01 : 0.5;

    for (size_t k = 0; k < c->n_intervals; k++)
        for (size_t i = 0; i < c->n; i++)
            for (int j = 0; j < N_PLANES; j++)
                if ((kind == 0 || kind == 5) && zm_random_unit(state) < share)
                    case_plane(&c->interval[k], j)[i] = nasty(state);
    for (size_t k = 0; k < c->n_intervals && (kind == 1 || kind == 5); k++)
        if (zm_random_unit(state) < 0.5)
            c->starts[k] = nasty(state);
    for (size_t i = 0; i < c->interval[0].n_sources && (kind == 2 || kind == 5); i++) {
        zm_source *s = &c->interval[0].sources[i];
        double *const field[3] = { &s->row, &s->col, &s->time };

        *field[(int)(2.99 * zm_random_unit(state))] = nasty(state);
    }
    for (size_t i = 0; i < c->n; i++) {
        if ((kind == 3 || kind == 5) && zm_random_unit(state) < share)
            c->interval[0].walls[i] ^= 1;
        if ((kind == 3 || kind == 5) && zm_random_unit(state) < share)
            c->stopped[1][i] ^= 1;
        if ((kind == 4 || kind == 5) && zm_random_unit(state) < share)
            T[i] = nasty(state);
    }
}

/* A fill that answers from planes, and after `calls_left` calls changes the problem that is
 * being solved or looked at, or answers with anything. */
typedef struct filler {
    timed_case *c;
    uint64_t state;
    int calls_left, kind; /* 6: its own answers */
    double *T;
} filler;

static zm_status fill(void *ctx, size_t interval, zm_window w, zm_window_values *v,
                      zm_error *err)
{
    filler *f = ctx;
    const test_case *c = &f->c->interval[interval];
    double *const to[N_PLANES] = { v->g11, v->g12, v->g22, v->b1, v->b2 };
    size_t i = 0;

    (void)err;
    if (f->calls_left > 0 && --f->calls_left == 0 && f->kind < 6)
        mutate(f->c, f->kind, &f->state, f->T);
    for (int32_t row = w.row; row < w.row + w.rows; row++)
        for (int32_t col = w.col; col < w.col + w.cols; col++, i++) {
            const size_t cell = (size_t)row * SIDE + (size_t)col;

            for (int j = 0; j < N_PLANES; j++)
                to[j][i] =
                    f->kind == 6 && f->calls_left == 0 && zm_random_unit(&f->state) < 0.02
                        ? nasty(&f->state)
                        : case_plane(c, j)[cell];
            if (v->stopped)
                v->stopped[i] =
                    f->c->stopped[interval] ? f->c->stopped[interval][cell] : 0;
        }
    return ZM_OK;
}

/* Whatever is said must be a status of the function, with a message. */
static void check_status(test_run *t, zm_status st, const zm_error *err)
{
    CHECK(st == ZM_OK || st == ZM_NOT_CONVERGED || st == ZM_E_STATE || st == ZM_E_ARG ||
          st == ZM_E_SOURCE || st == ZM_E_METRIC);
    CHECK(st == ZM_OK || err->text[0]);
}

static timed_case make(uint64_t seed, int round)
{
    timed_case c = timed_random(SIDE, INTERVALS, seed, 3, 2, 0.8, round & 1);

    case_add_source(&c.interval[0], 4, 20, 1.5);
    case_add_walls(&c.interval[0]);
    for (size_t i = 0; i < c.n; i += 7)
        timed_stop(&c, 1, (int64_t)i);
    return c;
}

static zm_solver *solver_of(test_run *t, const timed_case *c, int round)
{
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_solver *solver = NULL;

    o.cost = round & 2 ? ZM_COST_MEAN : ZM_COST_OWN;
    o.reach = 1 + round % 3;
    o.metric_bytes = round & 4 ? 1 : 0; /* metrics are asked for again and again */
    CHECK(zm_solver_create(&solver, c->interval[0].grid, ZM_F64, &o, NULL) == ZM_OK);
    return solver;
}

/* All functions that look at a record, one after the other from a random one on. */
static void look(test_run *t, zm_solver *solver, const zm_problem *p, const double *T,
                 uint64_t *state)
{
    const size_t n = SIDE * SIDE;
    double *g = nan_doubles(n), *plane = nan_doubles(INTERVALS * n),
           *out = nan_doubles(n);
    int32_t *labels = malloc(n * sizeof *labels), source;
    uint8_t *codes = malloc(n);
    zm_path_point *points = malloc(MOST_POINTS * sizeof *points);
    zm_gradient of[INTERVALS], gradient = ZM_GRADIENT_INIT;
    zm_direction by[INTERVALS], direction = ZM_DIRECTION_INIT;
    double times[2] = { 1, 1 };
    const int first = (int)(6 * zm_random_unit(state));
    size_t count;

    if (!labels || !codes || !points)
        exit(1);
    for (size_t i = 0; i < n; i++)
        g[i] = 1;
    for (int k = 0; k < INTERVALS; k++) {
        of[k] = (zm_gradient){ .size = sizeof *of, .g11 = plane + (size_t)k * n };
        by[k] = (zm_direction){ .size = sizeof *by, .g11 = g, .b2 = g };
    }
    gradient.intervals = of;
    gradient.source_times = times;
    direction.intervals = by;
    direction.source_times = times;
    for (int i = first; i < first + 6; i++) {
        zm_error err = { ZM_OK, -1, "" };
        zm_status st = ZM_OK;

        if (i % 6 == 0)
            st = zm_adjoint(solver, p, T, g, &gradient, &err);
        else if (i % 6 == 1)
            st = zm_tangent(solver, p, T, &direction, out, &err);
        else if (i % 6 == 2)
            st = zm_flow(solver, 0, p, T, out, plane, &err);
        else if (i % 6 == 3)
            st = zm_labels(solver, 0, p, T, labels, &err);
        else if (i % 6 == 4)
            st = zm_stencils(solver, 0, p, T, codes, out, &err);
        else
            for (int k = 0; k < 5 && st == ZM_OK; k++)
                st = zm_path(solver, 0, p, T, 26 * zm_random_unit(state),
                             26 * zm_random_unit(state), points, MOST_POINTS, &count,
                             &source, NULL, &err);
        check_status(t, st, &err);
    }
    free(points);
    free(codes);
    free(labels);
    free(out);
    free(plane);
    free(g);
}

TEST(changes_between_the_solve_and_a_look_are_harmless)
{
    uint64_t state = t->seed;

    for (int round = 0; round < 48; round++) {
        timed_case c = make(t->seed + (uint64_t)round, round);
        zm_problem p = timed_problem(&c);
        zm_solver *solver = solver_of(t, &c, round);
        double *T = nan_doubles(c.n);
        filler f = { &c, t->seed, -1, 0, T };

        if (round & 8) {
            p.intervals = NULL;
            p.fill = fill;
            p.fill_ctx = &f;
        }
        CHECK(zm_forward(solver, &p, T, NULL, NULL, NULL) == ZM_OK);
        if (round & 16)
            look(t, solver, &p, T, &state);
        mutate(&c, round % 6, &state, T);
        look(t, solver, &p, T, &state);
        free(T);
        zm_solver_destroy(solver);
        timed_free(&c);
    }
}

TEST(changes_while_a_solve_or_a_look_is_under_way_are_harmless)
{
    uint64_t state = t->seed;

    for (int round = 0; round < 56; round++) {
        timed_case c = make(t->seed + (uint64_t)round, round);
        zm_problem p = timed_problem(&c);
        zm_solver *solver = solver_of(t, &c, round);
        double *T = nan_doubles(c.n);
        filler f = { &c, t->seed, round % 2 ? -1 : 1 + (int)(60 * zm_random_unit(&state)),
                     round % 7, T };
        zm_error err = { ZM_OK, -1, "" };
        zm_status st;

        p.intervals = NULL;
        p.fill = fill;
        p.fill_ctx = &f;
        st = zm_forward(solver, &p, T, NULL, NULL, &err);
        check_status(t, st, &err);
        f.calls_left = 1 + (int)(9 * zm_random_unit(&state));
        if (st >= 0)
            look(t, solver, &p, T, &state);
        free(T);
        zm_solver_destroy(solver);
        timed_free(&c);
    }
}

/* What is noticed is said: other starts, a metric that is none any more, and one that leads
 * somewhere else. */
TEST(what_is_noticed_is_refused)
{
    timed_case c = make(t->seed, 1);
    zm_problem p = timed_problem(&c);
    zm_solver *solver = solver_of(t, &c, 4);
    double *T = nan_doubles(c.n), *g = nan_doubles(c.n), time[2];
    zm_gradient out = ZM_GRADIENT_INIT;

    out.source_times = time;
    for (size_t i = 0; i < c.n; i++)
        g[i] = 1;
    CHECK(zm_forward(solver, &p, T, NULL, NULL, NULL) == ZM_OK);
    c.starts[2] += 0.25;
    CHECK(zm_adjoint(solver, &p, T, g, &out, NULL) == ZM_E_STATE);
    c.starts[2] -= 0.25;
    for (int kind = 0; kind < 2; kind++) {
        for (size_t k = 0; k < INTERVALS; k++)
            for (size_t i = 0; i < c.n; i++)
                c.interval[k].g11[i] *= kind ? -1 : 3;
        CHECK(zm_adjoint(solver, &p, T, g, &out, NULL) == ZM_E_STATE);
        for (size_t k = 0; k < INTERVALS; k++)
            for (size_t i = 0; i < c.n; i++)
                c.interval[k].g11[i] /= kind ? -1 : 3;
    }
    CHECK(zm_forward(solver, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_adjoint(solver, &p, T, g, &out, NULL) == ZM_OK);
    free(g);
    free(T);
    zm_solver_destroy(solver);
    timed_free(&c);
}
