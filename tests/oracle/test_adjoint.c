/* SPDX-License-Identifier: Apache-2.0
 * Winning triangles and derivatives against slow, obvious computations. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "eikonal/local/triangle.h"
#include "reference/reference.h"
#include "support/cases.h"

typedef struct solved {
    test_case c;
    zm_solver *solver;
    zm_problem problem;
    double *T, *g, *weights;
    uint8_t *codes;
} solved;

static solved solve(test_run *t, medium m, int32_t rows, int32_t cols)
{
    solved s = { .c = case_make(m, rows, cols, t->seed) };
    uint64_t state = t->seed;

    s.solver = case_solver(&s.c, ZM_F64, NULL);
    s.problem = case_problem(&s.c);
    s.T = nan_doubles(s.c.n);
    s.g = nan_doubles(s.c.n);
    s.weights = nan_doubles(s.c.n);
    s.codes = calloc(s.c.n, 1);
    for (size_t i = 0; i < s.c.n; i++)
        s.g[i] = zm_random_normal(&state);
    CHECK(zm_forward(s.solver, &s.problem, s.T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_stencils(s.solver, 0, &s.problem, s.T, s.codes, s.weights, NULL) == ZM_OK);
    return s;
}

static void solved_free(solved *s)
{
    zm_solver_destroy(s->solver);
    free(s->codes);
    free(s->weights);
    free(s->g);
    free(s->T);
    case_free(&s->c);
}

typedef struct donors {
    size_t cell[2];
    double weight[2]; /* 0: no such donor */
    double vx, vy;    /* -(w m1 + (1-w) m2) */
} donors;

static donors donors_of(const solved *s, size_t cell)
{
    const int code = s->codes[cell], k = code % 8;
    const double weight[2] = { s->weights[cell], 1 - s->weights[cell] };
    donors d = { 0 };

    if (code == ZM_STENCIL_SOURCE || code == ZM_STENCIL_UNREACHED)
        return d;
    for (int i = 0; i < (code >= ZM_STENCIL_ONE_POINT ? 1 : 2); i++) {
        const int x = zm_local_neighbour_x[(k + i) % 8],
                  y = zm_local_neighbour_y[(k + i) % 8];

        d.cell[i] = (size_t)((ptrdiff_t)cell + y * s->c.grid.cols + x);
        d.weight[i] = weight[i];
        d.vx -= weight[i] * x;
        d.vy -= weight[i] * y;
    }
    return d;
}

/* The recorded donors and weights reproduce T: w T1 + (1-w) T2 + F(v), and one-point
 * updates have weight 1.  By the envelope theorem an error of the weight enters squared,
 * so T agrees to rounding. */
TEST(recorded_triangles_reproduce_the_arrival_times)
{
    for (int m = 0; m < N_MEDIA; m++) {
        solved s = solve(t, (medium)m, 70, 65);
        double worst = 0;

        for (size_t i = 0; i < s.c.n; i++) {
            const donors d = donors_of(&s, i);
            const zm_cell_metric g = zm_metric_at(&s.problem.metric, i);
            double T = sqrt(g.g11 * d.vx * d.vx + 2 * g.g12 * d.vx * d.vy +
                            g.g22 * d.vy * d.vy) -
                       g.b1 * d.vx - g.b2 * d.vy;

            if (s.codes[i] == ZM_STENCIL_SOURCE || s.codes[i] == ZM_STENCIL_UNREACHED) {
                CHECK(s.weights[i] == 0);
                CHECK(s.codes[i] == ZM_STENCIL_SOURCE ? s.T[i] == 0 : isinf(s.T[i]));
                continue;
            }
            CHECK(s.codes[i] < 16);
            CHECK(s.weights[i] > 0 && s.weights[i] <= 1);
            CHECK(s.codes[i] < 8 || s.weights[i] == 1);
            for (int k = 0; k < 2; k++)
                if (d.weight[k] > 0)
                    T += d.weight[k] * s.T[d.cell[k]];
            worst = fmax(worst, fabs(T - s.T[i]) / s.T[i]);
        }
        CHECK_MSG(worst <= 1e-12, "%s: %.3g", medium_name((medium)m), worst);
        solved_free(&s);
    }
}

TEST(stencil_counts_add_up)
{
    solved s = solve(t, MAZE, 70, 65);
    const zm_stencil_share share = zm_stencil_count(s.codes, s.c.n);
    int64_t reached = 0;

    for (size_t i = 0; i < s.c.n; i++)
        reached += isfinite(s.T[i]);
    CHECK(share.sources == 1);
    CHECK(share.one_point > 0 && share.two_point > 0);
    CHECK(share.sources + share.one_point + share.two_point == reached);
    CHECK(share.unreached == (int64_t)s.c.n - reached);
    solved_free(&s);
}

/* Nodes that a topological order (every node before its donors) cannot place: those on a
 * cycle of donors, and what is upstream of one. */
static size_t nodes_without_order(const solved *s)
{
    size_t *waiting = calloc(s->c.n, sizeof *waiting); /* nodes fed by this one */
    size_t *ready = calloc(s->c.n, sizeof *ready);
    size_t n_ready = 0, left = s->c.n;

    for (size_t i = 0; i < s->c.n; i++) {
        const donors d = donors_of(s, i);

        for (int k = 0; k < 2; k++)
            waiting[d.cell[k]] += d.weight[k] > 0;
    }
    for (size_t i = 0; i < s->c.n; i++)
        if (!waiting[i])
            ready[n_ready++] = i;
    while (n_ready) {
        const donors d = donors_of(s, ready[--n_ready]);

        left--;
        for (int k = 0; k < 2; k++)
            if (d.weight[k] > 0 && !--waiting[d.cell[k]])
                ready[n_ready++] = d.cell[k];
    }
    free(ready);
    free(waiting);
    return left;
}

/* The media of these tests do have what an adjoint by sorting cannot handle. */
TEST(strong_and_pixel_random_media_have_cycles_of_donors)
{
    solved strong = solve(t, STRONG, 45, 52), pixels = solve(t, PIXELS, 45, 52);
    solved contrast = solve(t, CONTRAST, 45, 52);

    CHECK(nodes_without_order(&strong) > 100);
    CHECK(nodes_without_order(&pixels) > 10);
    CHECK(nodes_without_order(&contrast) == 0);
    solved_free(&contrast);
    solved_free(&pixels);
    solved_free(&strong);
}

/* lambda = g + W' lambda by iteration in no particular order.  Every path ends in a source
 * and weights add up to 1, so it converges also where donors form cycles. */
static void iterate_lambda(const solved *s, double *lambda)
{
    const double settled = 1e-14; /* of the largest lambda */
    double *next = nan_doubles(s->c.n);
    double change, size;

    for (size_t i = 0; i < s->c.n; i++)
        lambda[i] = 0;
    do {
        for (size_t i = 0; i < s->c.n; i++)
            next[i] = isfinite(s->T[i]) ? s->g[i] : 0;
        for (size_t i = 0; i < s->c.n; i++) {
            const donors d = donors_of(s, i);

            for (int k = 0; k < 2; k++)
                next[d.cell[k]] += d.weight[k] * lambda[i];
        }
        change = size = 0;
        for (size_t i = 0; i < s->c.n; i++) {
            change = fmax(change, fabs(next[i] - lambda[i]));
            size = fmax(size, fabs(next[i]));
            lambda[i] = next[i];
        }
    } while (change > settled * size);
    free(next);
}

/* g has both signs, so lambda may cancel: errors are relative to its largest value. */
TEST(adjoint_agrees_with_plain_iteration)
{
    const double rounding = 1e-12;

    for (int m = 0; m < N_MEDIA; m++) {
        solved s = solve(t, (medium)m, 45, 52);
        double *lambda = nan_doubles(s.c.n), *b1 = nan_doubles(s.c.n);
        double *b2 = nan_doubles(s.c.n), *g12 = nan_doubles(s.c.n);
        const zm_gradient out = {
            .size = sizeof(zm_gradient), .g12 = g12, .b1 = b1, .b2 = b2
        };
        double size;

        CHECK(zm_adjoint(s.solver, &s.problem, s.T, s.g, &out, NULL) == ZM_OK);
        iterate_lambda(&s, lambda);
        size = max_abs(lambda, s.c.n);
        for (size_t i = 0; i < s.c.n; i++) {
            const donors d = donors_of(&s, i);
            const zm_cell_metric g = zm_metric_at(&s.problem.metric, i);
            const double length2 =
                g.g11 * d.vx * d.vx + 2 * g.g12 * d.vx * d.vy + g.g22 * d.vy * d.vy;

            CHECK_NEAR(b1[i], -lambda[i] * d.vx, rounding * size);
            CHECK_NEAR(b2[i], -lambda[i] * d.vy, rounding * size);
            if (length2 > 0)
                CHECK_NEAR(g12[i], lambda[i] * d.vx * d.vy / sqrt(length2),
                           rounding * size / sqrt(g.g11));
        }
        free(g12);
        free(b2);
        free(b1);
        free(lambda);
        solved_free(&s);
    }
}

static double reference_distance(test_run *t, medium m)
{
    solved s = solve(t, m, 60, 60);
    double *ours = nan_doubles(s.c.n), *paper = nan_doubles(s.c.n);
    const zm_gradient out = { .size = sizeof(zm_gradient), .g11 = ours },
                      out_paper = { .g11 = paper };
    double distance = 0;

    CHECK(zm_adjoint(s.solver, &s.problem, s.T, s.g, &out, NULL) == ZM_OK);
    CHECK(zm_reference_adjoint(s.c.grid, &s.problem, s.T, s.g, &out_paper, NULL) ==
          ZM_OK);
    for (size_t i = 0; i < s.c.n; i++)
        distance = fmax(distance, fabs(ours[i] - paper[i]));
    distance /= max_abs(ours, s.c.n);
    free(paper);
    free(ours);
    solved_free(&s);
    return distance;
}

/* The paper's order, by decreasing T, is right where every donor is earlier than its node,
 * as in isotropic media, and wrong where it is not. */
TEST(sorting_by_arrival_is_right_only_in_causal_media)
{
    CHECK_AT_MOST(reference_distance(t, CONTRAST), 1e-11);
    CHECK_AT_MOST(reference_distance(t, MAZE), 1e-11);
    CHECK(reference_distance(t, STRONG) > 1e-3);
}

/* The reference's source times, g22 and wall handling on a case with everything. */
TEST(reference_adjoint_has_the_same_outputs)
{
    solved s = solve(t, MAZE, 40, 40);
    double *ours = nan_doubles(5 * s.c.n + 1), *paper = nan_doubles(5 * s.c.n + 1);
    const size_t n = s.c.n;
    zm_gradient out = gradient_into(ours, n), out_paper = gradient_into(paper, n);
    double size;

    out.source_times = ours + 5 * n;
    out_paper.source_times = paper + 5 * n;
    CHECK(zm_adjoint(s.solver, &s.problem, s.T, s.g, &out, NULL) == ZM_OK);
    CHECK(zm_reference_adjoint(s.c.grid, &s.problem, s.T, s.g, &out_paper, NULL) ==
          ZM_OK);
    size = max_abs(ours, 5 * n + 1);
    for (size_t i = 0; i < 5 * n + 1; i++)
        CHECK_NEAR(ours[i], paper[i], 1e-12 * size);
    free(paper);
    free(ours);
    solved_free(&s);
}

static zm_status residual_of(const test_case *c, const double *T, zm_residual_kind kind,
                             double *residual)
{
    const zm_problem p = case_problem(c);

    return zm_residual(c->grid, &p, T, kind, residual, NULL);
}

/* The continuous equation: the residual of the exact solution T = |x| is that of central
 * differences, O(h^2 / |x|^2), and one-sided ones at the border, O(h / |x|). */
TEST(eikonal_residual_of_the_exact_solution_is_small)
{
    test_case c = case_create(61, 81);
    double *T = nan_doubles(c.n), *residual = nan_doubles(c.n);

    fill_rotated(&c, 2, 0.5, 0.5, 0.2, 0.1);
    c.grid.dx = 0.5;
    case_add_source(&c, 20, 30, 1.5);
    closed_form(&c, T);
    CHECK(residual_of(&c, T, ZM_RESIDUAL_EIKONAL, residual) == ZM_OK);
    for (int32_t row = 0; row < 61; row++)
        for (int32_t col = 0; col < 81; col++) {
            const size_t i = (size_t)row * 81 + (size_t)col;
            const double x = 0.5 * (col - 30), y = row - 20, r = hypot(x, y);
            const bool border = row == 0 || col == 0 || row == 60 || col == 80;

            if (r > 5)
                CHECK_AT_MOST(residual[i], border ? 1.5 / r : 2 / (r * r));
        }
    CHECK(residual[20 * 81 + 30] == 0);
    free(residual);
    free(T);
    case_free(&c);
}

/* Where no difference can be formed there is no residual. */
TEST(residual_is_nan_where_it_cannot_be_formed)
{
    test_case c = case_create(1, 9);
    double T[9], residual[9];

    case_add_source(&c, 0, 4, 0);
    closed_form(&c, T);
    T[0] = INFINITY;
    CHECK(residual_of(&c, T, ZM_RESIDUAL_EIKONAL, residual) == ZM_OK);
    for (int i = 0; i < 9; i++)
        CHECK(i == 4 ? residual[i] == 0 : isnan(residual[i]));
    CHECK(residual_of(&c, T, ZM_RESIDUAL_DISCRETE, residual) == ZM_OK);
    CHECK(isnan(residual[0]));
    for (int i = 1; i < 9; i++)
        CHECK(residual[i] == 0);
    case_free(&c);
}
