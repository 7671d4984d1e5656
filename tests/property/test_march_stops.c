/* SPDX-License-Identifier: Apache-2.0
 * Solves that stop early have the times and derivatives of full ones; closed grids have no
 * beginning and no end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/cases.h"

/* Times on tiles and of marches differ in the last bits. */
static const double last_bits = 1e-12;

typedef struct scheme {
    const char *name;
    zm_stencil_choice stencils;
    int32_t order;
    double radius;
} scheme;

static const scheme schemes[] = {
    { "fixed", ZM_STENCILS_FIXED, 1, 0 },
    { "adaptive", ZM_STENCILS_ADAPTIVE, 1, 0 },
    { "factored", ZM_STENCILS_ADAPTIVE, 1, HUGE_VAL },
    { "order 2", ZM_STENCILS_ADAPTIVE, 2, 0 },
    { "order 2, factored near", ZM_STENCILS_ADAPTIVE, 2, 7.3 },
    { "order 2, factored", ZM_STENCILS_ADAPTIVE, 2, HUGE_VAL },
};
enum { N_SCHEMES = sizeof schemes / sizeof schemes[0] };

/* A case with its full solution and derivatives of sum of g T. */
typedef struct full {
    const scheme *scheme;
    const char *medium;
    test_case c;
    zm_solver *solver;
    double *T, *g;
    double *stopped;             /* T of another solve */
    double *gradient, *expected; /* N_PLANES * n */
    double *sorted;              /* T, ascending */
} full;

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static full full_make(test_run *t, const scheme *s, medium m, uint64_t seed)
{
    full f = { .scheme = s, .medium = medium_name(m), .c = case_make(m, 40, 45, seed) };
    zm_solver_opts opts = adaptive_opts(s->order, s->radius);
    const size_t n = f.c.n;
    uint64_t state = seed;
    zm_problem p;

    opts.stencils = s->stencils;
    case_add_source(&f.c, 31, 6, 1.25);
    p = case_problem(&f.c);
    f.solver = case_solver(&f.c, ZM_F64, &opts);
    f.T = nan_doubles(n);
    f.g = nan_doubles(n);
    f.stopped = nan_doubles(n);
    f.sorted = nan_doubles(n);
    f.gradient = nan_doubles(N_PLANES * n);
    f.expected = nan_doubles(N_PLANES * n);
    for (size_t i = 0; i < n; i++)
        f.g[i] = 0.5 + zm_random_unit(&state);
    CHECK(zm_forward(f.solver, &p, f.T, NULL, NULL, NULL) == ZM_OK);
    memcpy(f.sorted, f.T, n * sizeof *f.T);
    qsort(f.sorted, n, sizeof *f.sorted, by_value);
    return f;
}

static void full_free(full *f)
{
    free(f->expected);
    free(f->gradient);
    free(f->sorted);
    free(f->stopped);
    free(f->g);
    free(f->T);
    zm_solver_destroy(f->solver);
    case_free(&f->c);
}

static zm_gradient planes(double *p, size_t n)
{
    return (zm_gradient){ .size = sizeof(zm_gradient),
                          .g11 = p,
                          .g12 = p + n,
                          .g22 = p + 2 * n,
                          .b1 = p + 3 * n,
                          .b2 = p + 4 * n };
}

static size_t count_reached(const double *T, size_t n)
{
    size_t reached = 0;

    for (size_t i = 0; i < n; i++)
        reached += T[i] < (double)INFINITY;
    return reached;
}

/* Solves with the stop: every time is that of the full solve or INFINITY, and derivatives
 * are those of the full solve with no weight on the cells that were not reached. */
static void check_stop(test_run *t, full *f, const zm_forward_opts *stop)
{
    const zm_problem p = case_problem(&f->c);
    const zm_gradient out = planes(f->gradient, f->c.n);
    const zm_gradient expected = planes(f->expected, f->c.n);
    const size_t n = f->c.n;
    double *g = nan_doubles(n), *again = nan_doubles(n), worst = 0, size = 0;

    CHECK(zm_forward(f->solver, &p, f->stopped, stop, NULL, NULL) == ZM_OK);
    CHECK(zm_adjoint(f->solver, &p, f->stopped, f->g, &out, NULL) == ZM_OK);
    for (size_t i = 0; i < n; i++) {
        const bool reached = f->stopped[i] < (double)INFINITY;

        g[i] = reached ? f->g[i] : 0;
        if (reached)
            worst =
                fmax(worst, fabs(f->stopped[i] - f->T[i]) / fmax(fabs(f->T[i]), 1e-3));
        else
            CHECK(f->stopped[i] == (double)INFINITY);
    }
    CHECK_MSG(worst <= last_bits, "%s, %s: times differ by %.3g", f->medium,
              f->scheme->name, worst);
    CHECK(zm_forward(f->solver, &p, again, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_adjoint(f->solver, &p, again, g, &expected, NULL) == ZM_OK);
    for (size_t i = 0; i < N_PLANES * n; i++) {
        worst = fmax(worst, fabs(f->gradient[i] - f->expected[i]));
        size = fmax(size, fabs(f->expected[i]));
    }
    CHECK_MSG(worst <= 1e-9 * size + 1e-12,
              "%s, %s: derivatives differ by %.3g of %.3g", f->medium, f->scheme->name,
              worst, size);
    free(again);
    free(g);
}

/* Marches with fixed stencils refuse strong metrics. */
static void for_all(test_run *t, void (*fn)(test_run *t, full *f), bool strong_fixed)
{
    static const medium media[] = { SMOOTH, STRONG };

    for (int m = 0; m < 2; m++)
        for (int s = 0; s < N_SCHEMES; s++) {
            full f;

            if (media[m] == STRONG && s == 0 && !strong_fixed)
                continue;
            f = full_make(t, &schemes[s], media[m], t->seed);
            if (media[m] == SMOOTH && s == 0 && !strong_fixed) {
                fill_oriented(&f.c, 1.3, 0.9, 0.4, 0.2, 1); /* all acute */
                const zm_problem p = case_problem(&f.c);

                CHECK(zm_forward(f.solver, &p, f.T, NULL, NULL, NULL) == ZM_OK);
                memcpy(f.sorted, f.T, f.c.n * sizeof *f.T);
                qsort(f.sorted, f.c.n, sizeof *f.sorted, by_value);
            }
            fn(t, &f);
            full_free(&f);
        }
}

static void check_times(test_run *t, full *f)
{
    static const double shares[] = { 0, 0.001, 0.003, 0.01, 0.05, 0.3, 0.8, 0.999 };

    for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++) {
        const size_t at = (size_t)(shares[k] * (double)f->c.n);
        zm_forward_opts stop = ZM_FORWARD_OPTS_INIT;
        size_t wrong = 0;

        /* between two times, so that rounding has no say */
        stop.t_max = (f->sorted[at] + f->sorted[at + 1]) / 2;
        if (f->sorted[at + 1] - f->sorted[at] < 1e-9)
            continue;
        check_stop(t, f, &stop);
        for (size_t i = 0; i < f->c.n; i++)
            wrong += (f->T[i] <= stop.t_max) != (f->stopped[i] < (double)INFINITY);
        CHECK_MSG(wrong == 0, "%s, %s, t_max %g: %zu of %zu cells", f->medium,
                  f->scheme->name, stop.t_max, wrong, f->c.n);
    }
}

TEST(cells_before_t_max_are_as_in_a_full_solve)
{
    for_all(t, check_times, true);
}

/* Nothing starts before its time. */
TEST(t_max_before_the_sources_reaches_nothing)
{
    for (int s = 0; s < N_SCHEMES; s++) {
        full f = full_make(t, &schemes[s], SMOOTH, t->seed);
        const zm_problem p = case_problem(&f.c);
        zm_forward_opts stop = ZM_FORWARD_OPTS_INIT;

        stop.t_max = -1;
        CHECK(zm_forward(f.solver, &p, f.stopped, &stop, NULL, NULL) == ZM_OK);
        CHECK(count_reached(f.stopped, f.c.n) == 0);
        stop.t_max = -INFINITY;
        CHECK(zm_forward(f.solver, &p, f.stopped, &stop, NULL, NULL) == ZM_OK);
        CHECK(count_reached(f.stopped, f.c.n) == 0);
        full_free(&f);
    }
}

/* To first order cells come in order of time: all before the last target are there, none
 * after it.  To second order the order is that of the first pass, which differs a little. */
static void check_targets(test_run *t, full *f)
{
    const double slack = f->scheme->order == 1 ? 1e-12 : 0.1;
    zm_forward_opts stop = ZM_FORWARD_OPTS_INIT;
    uint8_t *targets = calloc(f->c.n, 1);
    uint64_t state = t->seed + 5;

    stop.targets = targets;
    for (int round = 0; round < 4; round++) {
        double last = 0;
        size_t wrong = 0;

        memset(targets, 0, f->c.n);
        for (int k = 0; k < 3; k++) { /* not the last of all */
            const size_t cell = zm_random_below(&state, f->c.n);

            if (f->T[cell] < f->sorted[f->c.n / 2])
                targets[cell] = 1;
        }
        targets[(size_t)f->c.sources[0].row * 45 + (size_t)f->c.sources[0].col] = 1;
        for (size_t i = 0; i < f->c.n; i++)
            last = targets[i] ? fmax(last, f->T[i]) : last;
        check_stop(t, f, &stop);
        for (size_t i = 0; i < f->c.n; i++) {
            const bool reached = f->stopped[i] < (double)INFINITY;

            CHECK(!targets[i] || reached);
            wrong += f->T[i] < last - slack * (1 + last) && !reached;
            wrong += f->T[i] > last + slack * (1 + last) && reached;
        }
        CHECK_MSG(wrong == 0, "%s, %s: %zu cells", f->medium, f->scheme->name, wrong);
    }
    free(targets);
}

TEST(targets_stop_the_front_when_all_are_reached)
{
    for_all(t, check_targets, false);
}

/* No target, or one in a wall, can be waited for. */
TEST(targets_that_cannot_be_reached_do_not_hang)
{
    const scheme *s = &schemes[1];
    full f = full_make(t, s, SMOOTH, t->seed);
    zm_forward_opts stop = ZM_FORWARD_OPTS_INIT;
    uint8_t *targets = calloc(f.c.n, 1);
    zm_problem p;

    case_add_walls(&f.c);
    for (int32_t k = -1; k <= 1; k++) /* a cage around (10, 40) */
        for (int32_t j = -1; j <= 1; j++)
            f.c.walls[(10 + k) * 45 + 40 + j] = k != 0 || j != 0;
    p = case_problem(&f.c);
    stop.targets = targets;
    targets[10 * 45 + 40] = 1; /* enclosed: everything else is reached */
    CHECK(zm_forward(f.solver, &p, f.stopped, &stop, NULL, NULL) == ZM_OK);
    CHECK(count_reached(f.stopped, f.c.n) == f.c.n - 9);
    targets[10 * 45 + 40] = 0;
    targets[9 * 45 + 40] = 1; /* a wall: is none */
    CHECK(zm_forward(f.solver, &p, f.stopped, &stop, NULL, NULL) == ZM_OK);
    CHECK(count_reached(f.stopped, f.c.n) == 0);
    free(targets);
    full_free(&f);
}

static void check_cells(test_run *t, full *f)
{
    static const int64_t counts[] = { 1, 2, 10, 300, 1799, 1800, 100000 };

    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        zm_forward_opts stop = ZM_FORWARD_OPTS_INIT;
        const size_t wanted = (size_t)counts[k] < f->c.n ? (size_t)counts[k] : f->c.n;
        size_t late = 0;

        stop.max_cells = counts[k];
        check_stop(t, f, &stop);
        CHECK_MSG(count_reached(f->stopped, f->c.n) == wanted, "%s, %s: %zu of %zu",
                  f->medium, f->scheme->name, count_reached(f->stopped, f->c.n),
                  wanted);
        for (size_t i = 0; f->scheme->order == 1 && i < f->c.n; i++)
            late += f->stopped[i] < (double)INFINITY &&
                    f->T[i] > f->sorted[wanted - 1] * (1 + last_bits);
        CHECK(late == 0); /* those that are reached are the first */
    }
}

TEST(max_cells_reaches_the_earliest)
{
    for_all(t, check_cells, false);
}

/* Stops together: the first of them ends it. */
TEST(stops_combine)
{
    full f = full_make(t, &schemes[1], STRONG, t->seed);
    zm_forward_opts stop = ZM_FORWARD_OPTS_INIT;

    stop.max_cells = 500;
    stop.t_max = (f.sorted[200] + f.sorted[201]) / 2;
    check_stop(t, &f, &stop);
    CHECK(count_reached(f.stopped, f.c.n) == 201);
    stop.max_cells = 100;
    check_stop(t, &f, &stop);
    CHECK(count_reached(f.stopped, f.c.n) == 100);
    full_free(&f);
}

/* Walls that touch at a corner: a limit that is never reached changes nothing, whatever the
 * stencils are. */
TEST(a_limit_that_is_not_reached_changes_nothing)
{
    for (int s = 0; s < 2; s++) {
        full f = full_make(t, &schemes[s], CONTRAST, t->seed);
        zm_forward_opts stop = ZM_FORWARD_OPTS_INIT;
        zm_problem p;

        case_add_walls(&f.c);
        for (int32_t k = 0; k < 40; k++)
            f.c.walls[k * 45 + k + 3] = 1;
        p = case_problem(&f.c);
        stop.max_cells = (int64_t)f.c.n;
        CHECK(zm_forward(f.solver, &p, f.T, NULL, NULL, NULL) == ZM_OK);
        CHECK(zm_forward(f.solver, &p, f.stopped, &stop, NULL, NULL) == ZM_OK);
        CHECK_AT_MOST(max_relative_difference(f.T, f.stopped, f.c.n), last_bits);
        full_free(&f);
    }
}

/* Moves everything by (rows, cols) on the torus. */
static test_case rolled(const test_case *c, int32_t rows, int32_t cols)
{
    test_case r = case_copy(c);

    for (int32_t row = 0; row < c->grid.rows; row++)
        for (int32_t col = 0; col < c->grid.cols; col++) {
            const int32_t to_row = (row + rows) % c->grid.rows;
            const int32_t to_col = (col + cols) % c->grid.cols;

            for (int p = 0; p < N_PLANES; p++)
                case_plane(&r, p)[to_row * c->grid.cols + to_col] =
                    case_plane(c, p)[row * c->grid.cols + col];
        }
    for (size_t i = 0; i < c->n_sources; i++) {
        r.sources[i].row = fmod(c->sources[i].row + rows, c->grid.rows);
        r.sources[i].col = fmod(c->sources[i].col + cols, c->grid.cols);
    }
    return r;
}

/* A torus looks the same from everywhere: the same operations in another order. */
TEST(closed_grids_have_no_border)
{
    for (int s = 1; s < N_SCHEMES; s++)
        for (int strong = 0; strong < 2; strong++) {
            test_case c = case_make(strong ? STRONG : SMOOTH, 36, 41, t->seed), moved;
            zm_solver_opts opts = adaptive_opts(schemes[s].order, schemes[s].radius);
            double *T = nan_doubles(c.n), *T_moved = nan_doubles(c.n), worst = 0;

            opts.periodic = ZM_PERIODIC_X | ZM_PERIODIC_Y;
            case_add_source_at(&c, 10.25, 30.125, 0.5);
            moved = rolled(&c, 17, 23);
            CHECK(case_solve_with(&c, T, &opts) == ZM_OK);
            CHECK(case_solve_with(&moved, T_moved, &opts) == ZM_OK);
            for (int32_t row = 0; row < 36; row++)
                for (int32_t col = 0; col < 41; col++)
                    worst = fmax(worst,
                                 fabs(T[row * 41 + col] -
                                      T_moved[(row + 17) % 36 * 41 + (col + 23) % 41]));
            CHECK_MSG(worst <= 1e-11, "%s, %s: %.3g", strong ? "strong" : "smooth",
                      schemes[s].name, worst);
            free(T_moved);
            free(T);
            case_free(&moved);
            case_free(&c);
        }
}

/* What leaves on one side comes in on the other, where the grid is closed.  In a constant
 * medium times are exact as far as the source is factored, a quarter of the way round, if no
 * front from the other side is near; farther away they are of first order. */
TEST(a_wave_goes_round)
{
    enum { ROWS = 41, COLS = 60 };
    test_case c = case_create(ROWS, COLS);
    double *T = nan_doubles(c.n);

    fill_constant(&c, 1, 0, 1, 0.3, 0); /* faster to the right */
    case_add_source(&c, 20, 4, 0);
    for (int closed = 0; closed < 4; closed++) {
        zm_solver_opts opts = adaptive_opts(1, HUGE_VAL);
        int round = 0;

        opts.periodic = closed;
        CHECK(case_solve_with(&c, T, &opts) == ZM_OK);
        for (int i = 0; i < ROWS * COLS; i++) {
            const double direct =
                hypot(i % COLS - 4, i / COLS - 20) - 0.3 * (i % COLS - 4);
            double least = INFINITY, next = INFINITY;

            for (int k = 0; k < 9; k++) { /* images of the source */
                const int right = k % 3 - 1, below = k / 3 - 1;
                const double x = i % COLS - 4 + right * COLS,
                             y = i / COLS - 20 + below * ROWS;

                if ((right && !(closed & ZM_PERIODIC_X)) ||
                    (below && !(closed & ZM_PERIODIC_Y)))
                    continue;
                next = fmin(next, fmax(least, hypot(x, y) - 0.3 * x));
                least = fmin(least, hypot(x, y) - 0.3 * x);
            }
            round += least < direct;
            CHECK_NEAR(T[i], least, 0.015 * least);
            if (closed == 0 || (direct < 10 && next - direct > 5))
                CHECK_NEAR(T[i], direct, 1e-10);
        }
        CHECK((round > 0) == (closed > 0 && closed != ZM_PERIODIC_Y));
    }
    free(T);
    case_free(&c);
}

/* A wall across a closed grid is met from both sides. */
TEST(a_wall_on_a_ring_is_met_from_both_sides)
{
    enum { ROWS = 9, COLS = 40 };
    test_case c = case_create(ROWS, COLS);
    zm_solver_opts opts = adaptive_opts(2, HUGE_VAL);
    double *T = nan_doubles(c.n);

    case_add_walls(&c);
    for (int32_t row = 0; row < ROWS; row++)
        c.walls[row * COLS + 20] = 1;
    case_add_source(&c, 4, 15, 0);
    CHECK(case_solve_with(&c, T, &opts) == ZM_OK);
    CHECK(T[4 * COLS + 30] == (double)INFINITY);
    opts.periodic = ZM_PERIODIC_X;
    CHECK(case_solve_with(&c, T, &opts) == ZM_OK);
    CHECK_NEAR(T[4 * COLS + 19], 4, 1e-10);
    CHECK_NEAR(T[4 * COLS + 21], 34, 0.01 * 34); /* the long way round */
    free(T);
    case_free(&c);
}
