/* SPDX-License-Identifier: Apache-2.0
 * Adjoint and tangent against finite differences of the solver, and against each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/cases.h"

/* A case with a solver, the loss L = sum of g T and its derivatives. */
typedef struct loss {
    test_case *c;
    zm_solver *solver;
    double *T, *g;        /* n each */
    double *gradient;     /* N_PLANES * n */
    double *source_times; /* n_sources */
    uint8_t *codes;       /* winning triangles at the base point */
    double *T_near;       /* of a perturbed problem */
    uint8_t *codes_near;
} loss;

static zm_gradient gradient_view(const loss *l)
{
    const size_t n = l->c->n;
    double *p = l->gradient;

    return (zm_gradient){ .size = sizeof(zm_gradient),
                          .g11 = p,
                          .g12 = p + n,
                          .g22 = p + 2 * n,
                          .b1 = p + 3 * n,
                          .b2 = p + 4 * n,
                          .source_times = l->source_times };
}

/* Solves and differentiates.  g is between 0.5 and 1.5, so every node carries lambda >= 0.5
 * and no derivative is small by cancellation. */
static loss loss_create(test_run *t, test_case *c, uint64_t seed)
{
    const zm_problem problem = case_problem(c);
    loss l = { .c = c,
               .solver = case_solver(c, ZM_F64, NULL),
               .T = nan_doubles(c->n),
               .g = nan_doubles(c->n),
               .gradient = nan_doubles(N_PLANES * c->n),
               .source_times = nan_doubles(c->n_sources),
               .codes = malloc(c->n),
               .T_near = nan_doubles(c->n),
               .codes_near = malloc(c->n) };
    const zm_gradient out = gradient_view(&l);
    uint64_t state = seed;

    for (size_t i = 0; i < c->n; i++)
        l.g[i] = 0.5 + zm_random_unit(&state);
    CHECK(zm_forward(l.solver, &problem, l.T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_stencils(l.solver, 0, &problem, l.T, l.codes, NULL, NULL) == ZM_OK);
    CHECK(zm_adjoint(l.solver, &problem, l.T, l.g, &out, NULL) == ZM_OK);
    return l;
}

static void loss_free(loss *l)
{
    free(l->codes_near);
    free(l->T_near);
    free(l->codes);
    free(l->source_times);
    free(l->gradient);
    free(l->g);
    free(l->T);
    zm_solver_destroy(l->solver);
}

/* L(now) - L(base), node by node; *switched when a winning triangle is another one. */
static double loss_change(test_run *t, loss *l, bool *switched)
{
    const zm_problem problem = case_problem(l->c);
    double sum = 0;

    CHECK(zm_forward(l->solver, &problem, l->T_near, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_stencils(l->solver, 0, &problem, l->T_near, l->codes_near, NULL, NULL) ==
          ZM_OK);
    *switched |= memcmp(l->codes, l->codes_near, l->c->n) != 0;
    for (size_t i = 0; i < l->c->n; i++)
        if (isfinite(l->T[i]))
            sum += l->g[i] * (l->T_near[i] - l->T[i]);
    return sum;
}

/* Of 200 random nodes and every parameter.  The step of 4e-6 leaves a truncation of 1e-11
 * and, with T near 50 known to 1e-14, rounding of about 1e-8 of a derivative by one node;
 * agreement is asked to 1e-6 of the derivative itself, and to 1e-7 of the node's largest
 * where it is (nearly) 0, as dT/dg12 is for steps along an axis.  Where the winning
 * triangle of any node changes, the loss may have a kink between the two points: those
 * are skipped, and few. */
static void check_nodes(test_run *t, const char *what, test_case *c)
{
    enum { NODES = 200 };
    const double h = 4e-6, relative = 1e-6, absolute = 1e-7, most_skipped = 0.05;
    loss l = loss_create(t, c, t->seed);
    uint64_t state = t->seed + 1;
    int skipped = 0;
    double worst = 0;

    for (int i = 0; i < NODES; i++) {
        const size_t cell = zm_random_below(&state, c->n);
        double largest = 0;

        for (int p = 0; p < N_PLANES; p++)
            largest = fmax(largest, fabs(l.gradient[(size_t)p * c->n + cell]));
        for (int p = 0; p < N_PLANES; p++) {
            double *parameter = &case_plane(c, p)[cell];
            const double base = *parameter;
            const double adjoint = l.gradient[(size_t)p * c->n + cell];
            bool switched = false;
            double up, down, error;

            *parameter = base + h;
            up = loss_change(t, &l, &switched);
            *parameter = base - h;
            down = loss_change(t, &l, &switched);
            *parameter = base;
            if (switched) {
                skipped++;
                continue;
            }
            error = fabs((up - down) / (2 * h) - adjoint);
            CHECK_MSG(error <= relative * fabs(adjoint) + absolute * largest,
                      "%s, plane %d, cell %zu: adjoint %.12g, difference %.12g", what,
                      p, cell, adjoint, (up - down) / (2 * h));
            worst = fmax(worst, error / largest);
        }
    }
    printf(
        "    %s: %d of %d skipped at switches, worst error %.2g of a node's largest\n",
        what, skipped, NODES * N_PLANES, worst);
    CHECK_AT_MOST(skipped, most_skipped * NODES * N_PLANES);
    loss_free(&l);
}

/* Around one source in a constant medium; takes the case. */
static void check_constant(test_run *t, const char *what, test_case c)
{
    case_add_source(&c, 11, 17, 0);
    check_nodes(t, what, &c);
    case_free(&c);
}

TEST(node_derivatives_isotropic)
{
    test_case c = case_create(37, 41);

    fill_constant(&c, 1.3, 0, 1.3, 0, 0);
    check_constant(t, "isotropic", c);
}

TEST(node_derivatives_anisotropic)
{
    test_case c = case_create(37, 41);

    fill_rotated(&c, 2, 0.5, 0.5, 0, 0);
    check_constant(t, "anisotropic", c);
}

TEST(node_derivatives_drift)
{
    test_case c = case_create(37, 41);

    fill_constant(&c, 1, 0, 1, 0.3, -0.2);
    check_constant(t, "drift", c);
}

TEST(node_derivatives_heterogeneous)
{
    test_case c = case_make(SMOOTH, 37, 41, t->seed);

    check_nodes(t, "heterogeneous", &c);
    case_free(&c);
}

TEST(node_derivatives_at_contrast_10_on_oblong_cells)
{
    test_case c = case_make(CONTRAST, 37, 41, t->seed);

    c.grid.dx = 0.5;
    c.grid.dy = 1.25;
    check_nodes(t, "contrast", &c);
    case_free(&c);
}

/* <gradient, v> over the planes. */
static double along(const loss *l, const double *v)
{
    double sum = 0;

    for (size_t i = 0; i < N_PLANES * l->c->n; i++)
        sum += l->gradient[i] * v[i];
    return sum;
}

/* 100 random directions that move all 5 n parameters at once.  Every node moves, so now
 * and then one passes a switch; at least 95 must agree to 1e-5. */
TEST(random_directions_agree_with_central_differences)
{
    enum { DIRECTIONS = 100, LEAST_AGREEING = 95 };
    const double h = 1e-7, tolerance = 1e-5;
    test_case c = case_make(SMOOTH, 61, 67, t->seed);
    loss l = loss_create(t, &c, t->seed);
    double *v = nan_doubles(N_PLANES * c.n), *base = nan_doubles(N_PLANES * c.n);
    uint64_t state = t->seed + 2;
    int agreeing = 0, switches = 0;

    memcpy(base, c.g11, N_PLANES * c.n * sizeof *base);
    for (int i = 0; i < DIRECTIONS; i++) {
        bool switched = false;
        double up, down, adjoint;

        for (size_t k = 0; k < N_PLANES * c.n; k++) {
            v[k] = zm_random_normal(&state);
            c.g11[k] = base[k] + h * v[k];
        }
        up = loss_change(t, &l, &switched);
        for (size_t k = 0; k < N_PLANES * c.n; k++)
            c.g11[k] = base[k] - h * v[k];
        down = loss_change(t, &l, &switched);
        adjoint = along(&l, v);
        agreeing += fabs((up - down) / (2 * h) - adjoint) <= tolerance * fabs(adjoint);
        switches += switched;
    }
    printf("    %d of %d directions agree to %g; %d passed a switch\n", agreeing,
           DIRECTIONS, tolerance, switches);
    CHECK(agreeing >= LEAST_AGREEING);
    free(base);
    free(v);
    loss_free(&l);
    case_free(&c);
}

/* Media in which everything that can complicate the graph of donors occurs. */
typedef struct graph_case {
    const char *name;
    test_case c;
} graph_case;

enum { N_GRAPHS = 7 };

static void make_graphs(graph_case graphs[N_GRAPHS], uint64_t seed)
{
    for (int m = 0; m < N_MEDIA; m++)
        graphs[m] =
            (graph_case){ medium_name((medium)m), case_make((medium)m, 83, 71, seed) };
    graphs[N_MEDIA] = (graph_case){ "sources", case_make(SMOOTH, 40, 90, seed) };
    case_add_source(&graphs[N_MEDIA].c, 0, 0, 3.5);
    case_add_source(&graphs[N_MEDIA].c, 39, 89, -4);
    case_add_source(&graphs[N_MEDIA].c, 39, 0, 1e6); /* overtaken: has no effect */
    case_add_source(&graphs[N_MEDIA].c, 39, 89, -4); /* the same once more */
    graphs[N_MEDIA + 1] = (graph_case){ "walls", case_make(PIXELS, 66, 66, seed) };
    case_add_walls(&graphs[N_MEDIA + 1].c);
    for (int32_t i = 5; i < 60; i++) { /* a diagonal, and an enclosed corner */
        graphs[N_MEDIA + 1].c.walls[i * 66 + i] = i != 40;
        graphs[N_MEDIA + 1].c.walls[(65 - i / 10) * 66 + i / 5] = 1;
    }
    graphs[N_MEDIA + 1].c.walls[(size_t)graphs[N_MEDIA + 1].c.sources[0].row * 66 +
                                (size_t)graphs[N_MEDIA + 1].c.sources[0].col] = 0;
}

static void free_graphs(graph_case graphs[N_GRAPHS])
{
    for (int i = 0; i < N_GRAPHS; i++)
        case_free(&graphs[i].c);
}

/* <g, J v> = <J' g, v> for v in all parameters and source times: J is one matrix, and both
 * products only round.  Relative to the sum of the absolute terms. */
TEST(adjoint_is_the_transpose_of_the_tangent)
{
    const double rounding = 1e-12;
    graph_case graphs[N_GRAPHS];

    make_graphs(graphs, t->seed);
    for (int i = 0; i < N_GRAPHS; i++) {
        test_case *c = &graphs[i].c;
        loss l = loss_create(t, c, t->seed);
        const zm_problem problem = case_problem(c);
        double *v = nan_doubles(N_PLANES * c->n + c->n_sources),
               *dT = nan_doubles(c->n);
        double *v_times = v + N_PLANES * c->n;
        const zm_direction d = { .size = sizeof(zm_direction),
                                 .g11 = v,
                                 .g12 = v + c->n,
                                 .g22 = v + 2 * c->n,
                                 .b1 = v + 3 * c->n,
                                 .b2 = v + 4 * c->n,
                                 .source_times = v_times };
        double left = 0, right, size = 0;
        uint64_t state = t->seed + 3;

        for (size_t k = 0; k < N_PLANES * c->n + c->n_sources; k++)
            v[k] = zm_random_normal(&state);
        CHECK(zm_tangent(l.solver, &problem, l.T, &d, dT, NULL) == ZM_OK);
        for (size_t k = 0; k < c->n; k++) {
            left += l.g[k] * dT[k];
            size += fabs(l.g[k] * dT[k]);
        }
        right = along(&l, v);
        for (size_t k = 0; k < c->n_sources; k++)
            right += l.source_times[k] * v_times[k];
        CHECK_MSG(fabs(left - right) <= rounding * size, "%s: %.17g and %.17g, size %g",
                  graphs[i].name, left, right, size);
        free(dT);
        free(v);
        loss_free(&l);
    }
    free_graphs(graphs);
}

/* Adding one to every source time adds one to every T: the derivatives by the source times
 * add up to the sum of g over the cells reached.  Weights are never negative, so rounding
 * does not grow. */
TEST(source_times_receive_all_of_the_cotangent)
{
    const double rounding = 1e-12;
    graph_case graphs[N_GRAPHS];

    make_graphs(graphs, t->seed);
    for (int i = 0; i < N_GRAPHS; i++) {
        test_case *c = &graphs[i].c;
        loss l = loss_create(t, c, t->seed);
        double arrived = 0, sent = 0;

        for (size_t k = 0; k < c->n; k++)
            sent += isfinite(l.T[k]) ? l.g[k] : 0;
        for (size_t k = 0; k < c->n_sources; k++)
            arrived += l.source_times[k];
        CHECK_MSG(fabs(arrived - sent) <= rounding * sent, "%s: %.17g of %.17g",
                  graphs[i].name, arrived, sent);
        loss_free(&l);
    }
    free_graphs(graphs);
}

/* Sources that are overtaken or doubled: the overtaken one has no say, of two equal ones
 * in a cell only one counts, the others' derivatives are those of central differences. */
TEST(source_time_derivatives_agree_with_central_differences)
{
    const double h = 1e-4, tolerance = 1e-6;
    graph_case graphs[N_GRAPHS];
    test_case *c = &graphs[N_MEDIA].c; /* "sources" */
    loss l;

    make_graphs(graphs, t->seed);
    l = loss_create(t, c, t->seed);
    for (size_t i = 0; i < 2; i++) {
        const double base = c->sources[i].time;
        bool switched = false;
        double up, down;

        c->sources[i].time = base + h;
        up = loss_change(t, &l, &switched);
        c->sources[i].time = base - h;
        down = loss_change(t, &l, &switched);
        c->sources[i].time = base;
        CHECK(l.source_times[i] > 0);
        if (!switched)
            CHECK_NEAR((up - down) / (2 * h), l.source_times[i],
                       tolerance * l.source_times[i]);
    }
    CHECK(l.source_times[3] == 0);
    CHECK(l.source_times[2] > 0 && l.source_times[4] == 0);
    loss_free(&l);
    free_graphs(graphs);
}

/* Cells not reached and cells of sources have no derivative by their metric. */
TEST(derivatives_are_zero_where_nothing_depends_on_the_metric)
{
    graph_case graphs[N_GRAPHS];

    make_graphs(graphs, t->seed);
    for (int i = 0; i < N_GRAPHS; i++) {
        test_case *c = &graphs[i].c;
        loss l = loss_create(t, c, t->seed);

        for (size_t k = 0; k < c->n; k++)
            for (int p = 0; p < N_PLANES; p++) {
                const double d = l.gradient[(size_t)p * c->n + k];

                CHECK(isfinite(d));
                if (l.codes[k] == ZM_STENCIL_SOURCE ||
                    l.codes[k] == ZM_STENCIL_UNREACHED)
                    CHECK(d == 0);
            }
        loss_free(&l);
    }
    free_graphs(graphs);
}

/* g22 NULL: one scalar g for both, whose derivative is the sum of the two. */
TEST(isotropic_derivative_is_by_the_one_scalar)
{
    test_case c = case_make(CONTRAST, 44, 39, t->seed);
    loss l = loss_create(t, &c, t->seed);
    zm_problem sparse = case_problem(&c);
    zm_gradient out = ZM_GRADIENT_INIT;
    double *g = nan_doubles(c.n);

    sparse.metric = (zm_metric){ ZM_F64, c.g11, NULL, NULL, NULL, NULL };
    out.g11 = g;
    CHECK(zm_forward(l.solver, &sparse, l.T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_adjoint(l.solver, &sparse, l.T, l.g, &out, NULL) == ZM_OK);
    for (size_t i = 0; i < c.n; i++) {
        const double sum = l.gradient[i] + l.gradient[2 * c.n + i];

        CHECK_NEAR(g[i], sum, 1e-13 * fabs(sum));
    }
    free(g);
    loss_free(&l);
    case_free(&c);
}

/* float32 against float64 on the same problem.  T is near 50 with an ulp of 4e-6, so
 * differences of T, of which the weights are made, are off by 1e-5 of a step; over paths
 * of up to 50 steps that moves a few 1e-4 of what arrives to neighbouring cells. */
TEST(float32_gradient_is_near_float64)
{
    const double tolerance = 1e-3;
    test_case c = case_make(SMOOTH, 50, 50, t->seed);
    loss l;
    case_f32 single;
    zm_solver *solver = case_solver(&c, ZM_F32, NULL);
    float *T = nan_floats(c.n), *g = nan_floats(c.n), *out = nan_floats(N_PLANES * c.n);
    const zm_gradient view = { .size = sizeof(zm_gradient),
                               .g11 = out,
                               .g12 = out + c.n,
                               .g22 = out + 2 * c.n,
                               .b1 = out + 3 * c.n,
                               .b2 = out + 4 * c.n };

    case_round_to_f32(&c);
    l = loss_create(t, &c, t->seed);
    single = case_to_f32(&c);
    for (size_t i = 0; i < c.n; i++)
        g[i] = (float)l.g[i];
    CHECK(zm_forward(solver, &single.problem, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_adjoint(solver, &single.problem, T, g, &view, NULL) == ZM_OK);
    for (int p = 0; p < N_PLANES; p++) {
        double error = 0, size = 0;

        for (size_t i = (size_t)p * c.n; i < ((size_t)p + 1) * c.n; i++) {
            error += (out[i] - l.gradient[i]) * (out[i] - l.gradient[i]);
            size += l.gradient[i] * l.gradient[i];
        }
        CHECK_AT_MOST(sqrt(error / size), tolerance);
    }
    free(out);
    free(g);
    free(T);
    zm_solver_destroy(solver);
    case_f32_free(&single);
    loss_free(&l);
    case_free(&c);
}
