/* SPDX-License-Identifier: Apache-2.0
 * The accurate solver of first order against a slow and obvious one: the same stencils,
 * iterated in any order until nothing changes, with the minimum over each triangle searched
 * for and walls found by clipping. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "eikonal/local/stencil.h"
#include "eikonal/local/triangle.h"
#include "eikonal/marching/engine.h"
#include "eikonal/marching/march.h"
#include "support/cases.h"

/* Stencils of every cell. */
typedef struct reference {
    const test_case *c;
    zm_cell_metric *metric; /* spacing folded in */
    zm_local_offset **stencils;
    int *lengths;
    double *T;
} reference;

static bool is_wall(const test_case *c, int row, int col)
{
    return c->walls && row >= 0 && row < c->grid.rows && col >= 0 &&
           col < c->grid.cols && c->walls[row * c->grid.cols + col];
}

/* Where the segment from 0 to x is inside (c - 1/2, c + 1/2), as shares of its length. */
static void clip(int x, int c, double *from, double *to)
{
    if (x == 0) {
        *from = c == 0 ? *from : 1;
        *to = c == 0 ? *to : 0;
    } else {
        const double a = (2 * c - 1) / (2.0 * x), b = (2 * c + 1) / (2.0 * x);

        *from = fmax(*from, fmin(a, b));
        *to = fmin(*to, fmax(a, b));
    }
}

/* Whether the cell across the segment from (x, y), beyond the corner where it touches it, is
 * a wall too: the one at a diagonal step from it and as far from the segment. */
static bool touches(zm_local_offset m, int x, int y, const test_case *c, int row,
                    int col)
{
    const int side = m.x * y - m.y * x;

    for (int step = -1; step <= 1; step += 2) {
        const int sx = m.x > 0 ? step : -step, sy = m.y > 0 ? -step : step;

        if (m.x * (y + sy) - m.y * (x + sx) == -side)
            return is_wall(c, row + y + sy, col + x + sx);
    }
    return false;
}

/* Whether the segment from the cell to the offset meets the inside of a wall, or passes
 * through a corner between two walls that touch there. */
static bool sees(const test_case *c, int row, int col, zm_local_offset m)
{
    const int x0 = m.x < 0 ? m.x : 0, x1 = m.x > 0 ? m.x : 0;
    const int y0 = m.y < 0 ? m.y : 0, y1 = m.y > 0 ? m.y : 0;

    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            double from = 0, to = 1;

            if (!is_wall(c, row + y, col + x))
                continue;
            clip(m.x, x, &from, &to);
            clip(m.y, y, &from, &to);
            if (from < to)
                return false;
            if (from == to && touches(m, x, y, c, row, col)) /* at a corner */
                return false;
        }
    return true;
}

static reference reference_make(const test_case *c)
{
    static zm_local_offset stencil[ZM_STENCIL_MOST];
    reference r = { .c = c,
                    .metric = calloc(c->n, sizeof *r.metric),
                    .stencils = calloc(c->n, sizeof *r.stencils),
                    .lengths = calloc(c->n, sizeof *r.lengths),
                    .T = nan_doubles(c->n) };

    for (size_t i = 0; i < c->n; i++) {
        const int row = (int)i / c->grid.cols, col = (int)i % c->grid.cols;
        const zm_problem p = case_problem(c);
        int n = ZM_STENCIL_PLAIN, reach = 1;

        r.metric[i] = zm_local_fold(zm_metric_at(&p.metric, i), c->grid);
        if (zm_stencil_plain_is_acute(&r.metric[i]))
            memcpy(stencil, zm_stencil_plain, sizeof zm_stencil_plain);
        else
            n = zm_stencil_build(&r.metric[i], stencil, &reach);
        for (int k = 0; k < n; k++)
            if (!sees(c, row, col, stencil[k]))
                stencil[k] = (zm_local_offset){ 0, 0 };
        r.stencils[i] = malloc((size_t)n * sizeof *stencil);
        memcpy(r.stencils[i], stencil, (size_t)n * sizeof *stencil);
        r.lengths[i] = n;
    }
    return r;
}

static void reference_free(reference *r)
{
    for (size_t i = 0; i < r->c->n; i++)
        free(r->stencils[i]);
    free(r->stencils);
    free(r->lengths);
    free(r->metric);
    free(r->T);
}

/* Time of the donor at offset m; INFINITY if there is none. */
static double donor_time(const reference *r, size_t cell, zm_local_offset m,
                         const double *T)
{
    const int row = (int)cell / r->c->grid.cols + m.y;
    const int col = (int)cell % r->c->grid.cols + m.x;

    if ((m.x == 0 && m.y == 0) || row < 0 || row >= r->c->grid.rows || col < 0 ||
        col >= r->c->grid.cols)
        return INFINITY;
    return T[row * r->c->grid.cols + col];
}

/* w T1 + (1-w) T2 + N(w m1 + (1-w) m2) */
static double mixed(const zm_cell_metric *g, zm_local_offset m1, double T1,
                    zm_local_offset m2, double T2, double w)
{
    const double x = w * m1.x + (1 - w) * m2.x, y = w * m1.y + (1 - w) * m2.y;

    return w * T1 + (1 - w) * T2 +
           sqrt(g->g11 * x * x + 2 * g->g12 * x * y + g->g22 * y * y) + g->b1 * x +
           g->b2 * y;
}

/* Its minimum over w in [0, 1]: convex, so that a search by thirds finds it. */
static double triangle_time(const zm_cell_metric *g, zm_local_offset m1, double T1,
                            zm_local_offset m2, double T2)
{
    double from = 0, to = 1;

    for (int i = 0; i < 80; i++) {
        const double a = from + (to - from) / 3, b = to - (to - from) / 3;

        if (mixed(g, m1, T1, m2, T2, a) < mixed(g, m1, T1, m2, T2, b))
            to = b;
        else
            from = a;
    }
    return fmin(mixed(g, m1, T1, m2, T2, (from + to) / 2),
                fmin(mixed(g, m1, T1, m2, T2, 0), mixed(g, m1, T1, m2, T2, 1)));
}

/* What the triangles of a cell give. */
static double cell_time(const reference *r, size_t cell, const double *T)
{
    const zm_cell_metric *g = &r->metric[cell];
    double best = INFINITY;

    for (int k = 0; k < r->lengths[cell]; k++) {
        const zm_local_offset m1 = r->stencils[cell][k];
        const zm_local_offset m2 = r->stencils[cell][(k + 1) % r->lengths[cell]];
        const double T1 = donor_time(r, cell, m1, T), T2 = donor_time(r, cell, m2, T);

        if (T1 < INFINITY)
            best = fmin(best, mixed(g, m1, T1, m1, T1, 1));
        if (T1 < INFINITY && T2 < INFINITY && fmax(T1, T2) - fmin(T1, T2) < INFINITY)
            best = fmin(best, triangle_time(g, m1, T1, m2, T2));
    }
    return best;
}

/* Gauss-Seidel in alternating directions until nothing changes by more than rounding. */
static int reference_solve(reference *r)
{
    const test_case *c = r->c;
    int sweeps = 0;
    bool changed = true;

    for (size_t i = 0; i < c->n; i++)
        r->T[i] = INFINITY;
    for (size_t i = 0; i < c->n_sources; i++) {
        double *T = &r->T[(size_t)c->sources[i].row * (size_t)c->grid.cols +
                          (size_t)c->sources[i].col];

        *T = fmin(*T, c->sources[i].time);
    }
    for (; changed && sweeps < 1000; sweeps++) {
        changed = false;
        for (size_t i = 0; i < c->n; i++) {
            const size_t cell = sweeps & 1 ? c->n - 1 - i : i;
            double time;

            if (c->walls && c->walls[cell])
                continue;
            time = cell_time(r, cell, r->T);
            if (time < r->T[cell] - 1e-15 * fabs(time)) {
                changed = true;
                r->T[cell] = time;
            }
        }
    }
    return sweeps;
}

/* Both ways the solver has: wide stencils on tiles (where there are no walls and the
 * machine has vectors), and the march. */
static void check_case(test_run *t, const char *what, const test_case *c)
{
    const double rounding = 1e-12;
    reference r = reference_make(c);
    double *T = nan_doubles(c->n), worst = 0, worst_residual = 0;
    int sweeps;

    sweeps = reference_solve(&r);
    CHECK(sweeps < 1000);
    for (int isa = ZM_ISA_BEST; isa <= ZM_ISA_SCALAR; isa++) {
        zm_solver_opts opts = adaptive_opts(1, 0);

        opts.isa = (zm_isa)isa;
        CHECK(case_solve_with(c, T, &opts) == ZM_OK);
        worst = fmax(worst, max_relative_difference(T, r.T, c->n));
        for (size_t i = 0; i < c->n; i++) {
            const double time = cell_time(&r, i, T);

            if ((c->walls && c->walls[i]) || !isfinite(T[i]))
                continue;
            worst_residual = /* no triangle of any cell is better than what it has */
                fmax(worst_residual, (T[i] - time) / fmax(fabs(T[i]), 1e-3));
        }
    }
    printf("    %s: differs by %.2g, residual %.2g, %d sweeps\n", what, worst,
           worst_residual, sweeps);
    CHECK_MSG(worst <= rounding, "%s: %.3g", what, worst);
    CHECK_MSG(worst_residual <= rounding, "%s: residual %.3g", what, worst_residual);
    free(T);
    reference_free(&r);
}

TEST(media_have_the_same_times_as_the_reference)
{
    for (int m = 0; m < N_MEDIA; m++) {
        test_case c = case_make((medium)m, 31, 27, t->seed);

        c.grid.dx = 0.8;
        c.grid.dy = 1.3;
        case_add_source(&c, 3, 20, 0.4);
        check_case(t, medium_name((medium)m), &c);
        case_free(&c);
    }
}

/* Random metrics in every cell, ratio up to 1000 and drift up to 0.95; strong and mild
 * stencils side by side. */
static void fill_random(test_case *c, double log_ratio, double drift, uint64_t *state)
{
    for (size_t i = 0; i < c->n; i++) {
        test_case one = case_create(1, 1);
        const double ratio = pow(10, log_ratio * zm_random_unit(state));
        const double size = pow(10, zm_random_unit(state));

        fill_oriented(&one, size * sqrt(ratio), size / sqrt(ratio),
                      6.3 * zm_random_unit(state), drift * zm_random_unit(state),
                      6.3 * zm_random_unit(state));
        for (int p = 0; p < N_PLANES; p++)
            case_plane(c, p)[i] = case_plane(&one, p)[0];
        case_free(&one);
    }
}

TEST(random_metrics_have_the_same_times_as_the_reference)
{
    uint64_t state = t->seed;

    for (int i = 0; i < 4; i++) {
        test_case c = case_create(24, 26);

        fill_random(&c, i < 2 ? 1.5 : 3, i % 2 ? 0.95 : 0.4, &state);
        case_add_source(&c, 9, 11, 0);
        case_add_source(&c, 20, 3, 1);
        check_case(t, "random metrics", &c);
        case_free(&c);
    }
}

TEST(random_walls_have_the_same_times_as_the_reference)
{
    uint64_t state = t->seed;

    for (int i = 0; i < 6; i++) {
        test_case c = case_create(24, 26);

        fill_random(&c, i < 2 ? 0.2 : 2.5, i % 2 ? 0.8 : 0.2, &state);
        case_add_walls(&c);
        for (size_t k = 0; k < c.n; k++)
            c.walls[k] = zm_random_unit(&state) < 0.15 + 0.05 * i;
        case_add_source(&c, 9, 11, 0);
        check_case(t, "random walls", &c);
        case_free(&c);
    }
}

/* Cells are accepted in the order of their times: to first order, factored or not, no cell
 * changes the past. */
TEST(cells_are_accepted_in_order_of_time)
{
    static const double radii[] = { 0, 6.3, HUGE_VAL };

    for (int m = 0; m < N_MEDIA; m++)
        for (int r = 0; r < 3; r++) {
            test_case c = case_make((medium)m, 31, 27, t->seed);
            zm_solver_opts opts = adaptive_opts(1, radii[r]);
            zm_solver *s;
            double *T = nan_doubles(c.n);
            const zm_march *march;
            size_t later = 0;

            opts.isa = ZM_ISA_SCALAR;
            opts.periodic = ZM_PERIODIC_X; /* which only the march knows */
            case_add_source_at(&c, 20.3, 4.6, 0.5);
            s = case_solver(&c, ZM_F64, &opts);
            {
                const zm_problem p = case_problem(&c);

                CHECK(zm_forward(s, &p, T, NULL, NULL, NULL) == ZM_OK);
            }
            march = zm_engine_record_part(&s->records[0], &zm_march_engine);
            for (size_t i = 1; i < march->n_order; i++)
                later += T[march->order[i]] < T[march->order[i - 1]];
            CHECK_MSG(later == 0, "%s, factored to %g: %zu of %zu come too late",
                      medium_name((medium)m), radii[r], later, march->n_order);
            CHECK(march->n_order <= c.n);
            zm_solver_destroy(s);
            free(T);
            case_free(&c);
        }
}

/* Where the eight neighbours are acute, fixed and adaptive stencils are the same scheme, on
 * tiles to the last bit: adaptive ones change nothing for mild metrics.  A limit that is
 * never reached makes both march. */
TEST(mild_media_are_the_same_with_fixed_stencils)
{
    static const medium media[] = { SMOOTH, CONTRAST, MAZE };

    for (size_t m = 0; m < sizeof media / sizeof media[0]; m++) {
        test_case c = case_make(media[m], 90, 70, t->seed);
        const zm_problem p = case_problem(&c);
        double *T = nan_doubles(c.n), *fixed = nan_doubles(c.n);
        zm_forward_opts limit = ZM_FORWARD_OPTS_INIT;

        limit.max_cells = (int64_t)c.n;
        if (media[m] == SMOOTH)
            fill_oriented(&c, 1.2, 0.9, 0.3, 0.2, 1);
        CHECK(case_solve(&c, fixed) == ZM_OK);
        for (int k = 0; k < 3; k++) {
            zm_solver_opts opts = adaptive_opts(1, 0);
            zm_solver *s;

            opts.stencils = k == 1 ? ZM_STENCILS_FIXED : ZM_STENCILS_ADAPTIVE;
            s = case_solver(&c, ZM_F64, &opts);
            CHECK(zm_forward(s, &p, T, k ? &limit : NULL, NULL, NULL) == ZM_OK);
            if (k == 0)
                CHECK(same_bits(T, fixed, c.n));
            CHECK_AT_MOST(max_relative_difference(T, fixed, c.n), 1e-12);
            zm_solver_destroy(s);
        }
        free(fixed);
        free(T);
        case_free(&c);
    }
}
