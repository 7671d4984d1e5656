/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of the accurate solver, all orders and kinds of sources: against central
 * differences of the solver, and adjoint and tangent against each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "eikonal/blocks/engine.h"
#include "eikonal/marching/engine.h"
#include "eikonal/marching/march.h"
#include "eikonal/record/view.h"
#include "support/cases.h"

/* Where sources are: in the middle of a cell, between cells, or two of them. */
typedef enum places { ON_CELL, BETWEEN, TWO, N_PLACES } places;
static const char *const place_names[N_PLACES] = { "on a cell", "between cells",
                                                   "two sources" };

typedef struct setting {
    medium medium;
    int32_t order;
    double radius;
    places places;
    int32_t periodic;
} setting;

enum { ROWS = 17, COLS = 20, N_RADII = 3 };
/* No cell is exactly so far away. */
static const double radii[N_RADII] = { 0, 5.3, HUGE_VAL };

/* Calls fn with all settings. */
static void for_all(test_run *t, void (*fn)(test_run *t, const setting *s))
{
    static const medium media[] = { SMOOTH, STRONG };

    for (int m = 0; m < 2; m++)
        for (int32_t order = 1; order <= 2; order++)
            for (int r = 0; r < N_RADII; r++)
                for (int p = 0; p < N_PLACES; p++) {
                    const setting s = { media[m], order, radii[r], (places)p, 0 };

                    fn(t, &s);
                }
}

typedef struct setting_text {
    char text[96];
} setting_text;

static setting_text text_of(const setting *s)
{
    setting_text x;

    snprintf(x.text, sizeof x.text, "%s, order %d, factored to %g, %s%s",
             medium_name(s->medium), (int)s->order, s->radius, place_names[s->places],
             s->periodic ? ", closed" : "");
    return x;
}

static zm_solver_opts opts_of(const setting *s)
{
    zm_solver_opts o = adaptive_opts(s->order, s->radius);

    o.periodic = s->periodic;
    return o;
}

static test_case case_of(const setting *s, uint64_t seed)
{
    test_case c = case_make(s->medium, ROWS, COLS, seed);

    c.grid.dx = 0.9;
    c.grid.dy = 1.1;
    if (s->places != ON_CELL) {
        case_clear_sources(&c);
        case_add_source_at(&c, 6.3, 7.6, 0);
    }
    if (s->places == TWO)
        case_add_source_at(&c, 12, 14, 0.25);
    return c;
}

/* The loss L = sum of g T, its derivatives, and what is needed to see a switch. */
typedef struct loss {
    test_case c;
    zm_solver *solver;
    double *T, *g, *T_near;
    double *gradient; /* N_PLANES * n */
    double times[2], rows[2], cols[2];
    uint8_t *codes, *codes_near;
    zm_march_step *steps;
    bool movable; /* the first source is between cells: derivatives by its place */
} loss;

static zm_problem problem_of(const loss *l)
{
    return case_problem(&l->c);
}

/* The march that solved, or took over what adaptive blocks have solved; else NULL. */
static const zm_march *marched(const zm_solver *s)
{
    return s->records[0].engine == &zm_blocks_engine
               ? NULL
               : zm_engine_record_part(&s->records[0], &zm_march_engine);
}

/* Winning triangles: the recorded steps of a march, else the codes. */
static bool switched(test_run *t, loss *l)
{
    const zm_problem p = problem_of(l);
    const zm_march *march = marched(l->solver);
    zm_engine_view view;

    if (!march) {
        CHECK(zm_stencils(l->solver, 0, &p, l->T_near, l->codes_near, NULL, NULL) ==
              ZM_OK);
        return memcmp(l->codes, l->codes_near, l->c.n) != 0;
    }
    CHECK(zm_record_open(&view, l->solver, 0, ZM_RECORD_ALL_THREADS, &p, l->T_near, true,
                         NULL) == ZM_OK);
    for (size_t i = 0; i < l->c.n; i++) {
        const zm_march_step *a = &l->steps[i], *b = &march->steps[i];

        if (a->kind != b->kind)
            return true;
        if (a->kind == ZM_NODE_DONORS &&
            (memcmp(a->m, b->m, sizeof a->m) || a->second[0] != b->second[0] ||
             a->second[1] != b->second[1] || a->factored != b->factored ||
             (a->w == 0 || a->w == 1) != (b->w == 0 || b->w == 1)))
            return true;
    }
    return false;
}

static loss loss_create(test_run *t, const setting *s, uint64_t seed)
{
    loss l = { .c = case_of(s, seed) };
    const size_t n = l.c.n;
    const zm_solver_opts opts = opts_of(s);
    const zm_problem p = problem_of(&l);
    uint64_t state = seed;
    zm_gradient out;

    l.movable = s->places != ON_CELL;
    l.solver = case_solver(&l.c, ZM_F64, &opts);
    l.T = nan_doubles(n);
    l.T_near = nan_doubles(n);
    l.g = nan_doubles(n);
    l.gradient = nan_doubles(N_PLANES * n);
    l.codes = malloc(n);
    l.codes_near = malloc(n);
    l.steps = calloc(n, sizeof *l.steps);
    out = (zm_gradient){ .size = sizeof(zm_gradient),
                         .g11 = l.gradient,
                         .g12 = l.gradient + n,
                         .g22 = l.gradient + 2 * n,
                         .b1 = l.gradient + 3 * n,
                         .b2 = l.gradient + 4 * n,
                         .source_times = l.times,
                         .source_rows = l.movable ? l.rows : NULL,
                         .source_cols = l.movable ? l.cols : NULL };
    for (size_t i = 0; i < n; i++) /* no derivative is small by cancellation */
        l.g[i] = 0.5 + zm_random_unit(&state);
    CHECK(zm_forward(l.solver, &p, l.T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_stencils(l.solver, 0, &p, l.T, l.codes, NULL, NULL) == ZM_OK);
    CHECK(zm_adjoint(l.solver, &p, l.T, l.g, &out, NULL) == ZM_OK);
    if (marched(l.solver))
        memcpy(l.steps, marched(l.solver)->steps, n * sizeof *l.steps);
    return l;
}

static void loss_free(loss *l)
{
    free(l->steps);
    free(l->codes_near);
    free(l->codes);
    free(l->gradient);
    free(l->g);
    free(l->T_near);
    free(l->T);
    zm_solver_destroy(l->solver);
    case_free(&l->c);
}

/* L(now) - L(base), cell by cell. */
static double loss_change(test_run *t, loss *l, bool *has_switched)
{
    const zm_problem p = problem_of(l);
    double sum = 0;

    CHECK(zm_forward(l->solver, &p, l->T_near, NULL, NULL, NULL) == ZM_OK);
    *has_switched |= switched(t, l);
    for (size_t i = 0; i < l->c.n; i++)
        sum += l->g[i] * (l->T_near[i] - l->T[i]);
    return sum;
}

/* dL by one parameter; *has_switched when a winning triangle differs at either side. */
static double central(test_run *t, loss *l, double *parameter, double h,
                      bool *has_switched)
{
    const double base = *parameter;
    double up, down;

    *parameter = base + h;
    up = loss_change(t, l, has_switched);
    *parameter = base - h;
    down = loss_change(t, l, has_switched);
    *parameter = base;
    return (up - down) / (2 * h);
}

/* 200 random nodes, every parameter.  With T up to 60 known to 1e-14 and sums over 340
 * cells the difference over 2h = 1e-5 rounds to 1e-6 at most; truncation is h^2 = 2e-11. */
static void check_nodes(test_run *t, const setting *s)
{
#if defined(__SANITIZE_ADDRESS__)
    enum { NODES = 40 }; /* each takes several times as long */
#else
    enum { NODES = 200 };
#endif
    const double h = 5e-6, tolerance = 1e-5, most_skipped = 0.1;
    loss l = loss_create(t, s, t->seed);
    uint64_t state = t->seed + 1;
    int skipped = 0;
    double worst = 0;

    for (int i = 0; i < NODES; i++) {
        const size_t cell = zm_random_below(&state, l.c.n);
        double largest = 0;

        for (int p = 0; p < N_PLANES; p++)
            largest = fmax(largest, fabs(l.gradient[(size_t)p * l.c.n + cell]));
        for (int p = 0; p < N_PLANES; p++) {
            const double adjoint = l.gradient[(size_t)p * l.c.n + cell];
            bool skip = false;
            const double difference = central(t, &l, &case_plane(&l.c, p)[cell], h, &skip);
            const double error = fabs(difference - adjoint);

            if (skip) {
                skipped++;
                continue;
            }
            CHECK_MSG(error <= tolerance * largest,
                      "%s: plane %d, row %zu, col %zu: adjoint %.10g, difference %.10g",
                      text_of(s).text, p, cell / COLS, cell % COLS, adjoint,
                      difference);
            worst = largest > 0 ? fmax(worst, error / largest) : worst;
        }
    }
    printf("    %s: worst %.2g of a node's largest, %d of %d skipped at switches\n",
           text_of(s).text, worst, skipped, NODES * N_PLANES);
    CHECK_MSG(skipped <= most_skipped * NODES * N_PLANES, "%s: %d skipped",
              text_of(s).text, skipped);
    loss_free(&l);
}

TEST(node_derivatives_agree_with_central_differences)
{
    for_all(t, check_nodes);
}

static double along(const loss *l, const double *v)
{
    double sum = 0;

    for (size_t i = 0; i < N_PLANES * l->c.n; i++)
        sum += l->gradient[i] * v[i];
    return sum;
}

/* 100 random directions over all parameters at once, switches and all: L is smooth where
 * none is passed, and between 1e-7 apart few are. */
static void check_directions(test_run *t, const setting *s)
{
    enum { DIRECTIONS = 100, LEAST_AGREEING = 95 };
    const double h = 1e-7, tolerance = 1e-5;
    loss l = loss_create(t, s, t->seed);
    const size_t n = N_PLANES * l.c.n;
    double *v = nan_doubles(n), *base = nan_doubles(n);
    uint64_t state = t->seed + 2;
    int agreeing = 0;

    memcpy(base, l.c.g11, n * sizeof *base);
    for (int i = 0; i < DIRECTIONS; i++) {
        bool has_switched = false;
        double up, down, adjoint;

        for (size_t k = 0; k < n; k++) {
            v[k] = zm_random_normal(&state);
            l.c.g11[k] = base[k] + h * v[k];
        }
        up = loss_change(t, &l, &has_switched);
        for (size_t k = 0; k < n; k++)
            l.c.g11[k] = base[k] - h * v[k];
        down = loss_change(t, &l, &has_switched);
        adjoint = along(&l, v);
        agreeing += fabs((up - down) / (2 * h) - adjoint) <= tolerance * fabs(adjoint);
    }
    printf("    %s: %d of %d directions agree\n", text_of(s).text, agreeing,
           DIRECTIONS);
    CHECK_MSG(agreeing >= LEAST_AGREEING, "%s: %d agree", text_of(s).text, agreeing);
    free(base);
    free(v);
    loss_free(&l);
}

TEST(random_directions_agree_with_central_differences)
{
    for_all(t, check_directions);
}

/* Donors beyond the border are donors like others. */
TEST(closed_grids_agree_with_central_differences)
{
    for (int32_t order = 1; order <= 2; order++)
        for (int r = 0; r < N_RADII; r += 2)
            for (int strong = 0; strong < 2; strong++) {
                const setting s = { strong ? STRONG : SMOOTH, order, radii[r], BETWEEN,
                                    ZM_PERIODIC_X | ZM_PERIODIC_Y };

                check_directions(t, &s);
            }
}

/* <g, J v> = <J' g, v> for v in all parameters, times and places of sources: one matrix,
 * and both products only round.  Relative to the sum of the absolute terms. */
static void check_transpose(test_run *t, const setting *s)
{
    const double rounding = 1e-12;
    loss l = loss_create(t, s, t->seed);
    const zm_problem p = problem_of(&l);
    const size_t n = l.c.n;
    double *v = nan_doubles(N_PLANES * n), *dT = nan_doubles(n);
    double v_source[3][2], left = 0, right, size = 0;
    uint64_t state = t->seed + 3;
    const zm_direction d = { .size = sizeof(zm_direction),
                             .g11 = v,
                             .g12 = v + n,
                             .g22 = v + 2 * n,
                             .b1 = v + 3 * n,
                             .b2 = v + 4 * n,
                             .source_times = v_source[0],
                             .source_rows = l.movable ? v_source[1] : NULL,
                             .source_cols = l.movable ? v_source[2] : NULL };

    for (size_t k = 0; k < N_PLANES * n; k++)
        v[k] = zm_random_normal(&state);
    for (int k = 0; k < 6; k++)
        v_source[k / 2][k % 2] = zm_random_normal(&state);
    CHECK(zm_tangent(l.solver, &p, l.T, &d, dT, NULL) == ZM_OK);
    for (size_t k = 0; k < n; k++) {
        left += l.g[k] * dT[k];
        size += fabs(l.g[k] * dT[k]);
    }
    right = along(&l, v);
    for (size_t k = 0; k < l.c.n_sources; k++)
        right +=
            l.times[k] * v_source[0][k] +
            (l.movable ? l.rows[k] * v_source[1][k] + l.cols[k] * v_source[2][k] : 0);
    CHECK_MSG(fabs(left - right) <= rounding * size, "%s: %.17g and %.17g, size %g",
              text_of(s).text, left, right, size);
    free(dT);
    free(v);
    loss_free(&l);
}

TEST(adjoint_is_the_transpose_of_the_tangent)
{
    for_all(t, check_transpose);
}

/* The weights of the donors of a cell add up to one, also where 4/3 and -1/3 of two of them
 * count: adding one to every source time adds one to every T. */
static void check_conservation(test_run *t, const setting *s)
{
    const double rounding = 1e-12;
    loss l = loss_create(t, s, t->seed);
    double sent = 0, arrived = 0;

    for (size_t i = 0; i < l.c.n; i++)
        sent += isfinite(l.T[i]) ? l.g[i] : 0;
    for (size_t i = 0; i < l.c.n_sources; i++)
        arrived += l.times[i];
    CHECK_MSG(fabs(arrived - sent) <= rounding * sent, "%s: %.17g of %.17g",
              text_of(s).text, arrived, sent);
    CHECK(l.times[0] > 0 && (s->places != TWO || l.times[1] > 0));
    loss_free(&l);
}

TEST(source_times_receive_all_of_the_cotangent)
{
    for_all(t, check_conservation);
}

/* By the time of every source, and by the place of those between cells. */
static void check_sources(test_run *t, const setting *s)
{
    const double h = 1e-5, tolerance = 1e-5;
    loss l = loss_create(t, s, t->seed);
    int compared = 0;

    for (size_t i = 0; i < l.c.n_sources; i++) {
        double *const parameters[3] = { &l.c.sources[i].time, &l.c.sources[i].row,
                                        &l.c.sources[i].col };
        const double adjoint[3] = { l.times[i], l.rows[i], l.cols[i] };

        for (int k = 0; k < (l.movable && i == 0 ? 3 : 1); k++) {
            bool has_switched = false;
            const double difference = central(t, &l, parameters[k], h, &has_switched);

            if (has_switched)
                continue;
            compared++;
            CHECK_MSG(fabs(difference - adjoint[k]) <= tolerance * fabs(adjoint[k]),
                      "%s: parameter %d of source %zu: adjoint %.10g, difference %.10g",
                      text_of(s).text, k, i, adjoint[k], difference);
        }
    }
    CHECK_MSG(compared > 0, "%s: every one passed a switch", text_of(s).text);
    loss_free(&l);
}

TEST(source_derivatives_agree_with_central_differences)
{
    for_all(t, check_sources);
}

/* float32 planes: the march itself is in double, so what differs is the rounding of T and
 * of the derivatives on their way out. */
static void check_single(test_run *t, const setting *s)
{
    const double tolerance = 1e-5;
    loss l;
    test_case rounded = case_of(s, t->seed);
    const zm_solver_opts opts = opts_of(s);
    zm_solver *solver = case_solver(&rounded, ZM_F32, &opts);
    case_f32 single;
    float *T = nan_floats(rounded.n), *g = nan_floats(rounded.n);
    float *out = nan_floats(N_PLANES * rounded.n);
    const size_t n = rounded.n;
    const zm_gradient view = { .size = sizeof(zm_gradient),
                               .g11 = out,
                               .g12 = out + n,
                               .g22 = out + 2 * n,
                               .b1 = out + 3 * n,
                               .b2 = out + 4 * n };
    bool by_marching;

    case_round_to_f32(&rounded);
    l = loss_create(t, s, t->seed);
    memcpy(l.c.g11, rounded.g11, N_PLANES * n * sizeof *l.c.g11);
    for (size_t i = 0; i < n; i++)
        l.g[i] = g[i] = (float)l.g[i];
    {
        const zm_problem p = problem_of(&l);
        const zm_gradient to = { .size = sizeof(zm_gradient),
                                 .g11 = l.gradient,
                                 .g12 = l.gradient + n,
                                 .g22 = l.gradient + 2 * n,
                                 .b1 = l.gradient + 3 * n,
                                 .b2 = l.gradient + 4 * n };

        CHECK(zm_forward(l.solver, &p, l.T, NULL, NULL, NULL) == ZM_OK);
        CHECK(zm_adjoint(l.solver, &p, l.T, l.g, &to, NULL) == ZM_OK);
    }
    single = case_to_f32(&rounded);
    CHECK(zm_forward(solver, &single.problem, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_adjoint(solver, &single.problem, T, g, &view, NULL) == ZM_OK);
    by_marching = marched(solver) != NULL;
    for (int p = 0; by_marching && p < N_PLANES;
         p++) { /* blocks have a test of their own */
        double error = 0, size = 0;

        for (size_t i = (size_t)p * n; i < ((size_t)p + 1) * n; i++) {
            error += (out[i] - l.gradient[i]) * (out[i] - l.gradient[i]);
            size += l.gradient[i] * l.gradient[i];
        }
        CHECK_MSG(sqrt(error / size) <= tolerance, "%s: plane %d: %.3g",
                  text_of(s).text, p, sqrt(error / size));
    }
    for (size_t i = 0; by_marching && i < n; i++)
        CHECK_NEAR(T[i], l.T[i], 1e-7 * l.T[i]);
    case_f32_free(&single);
    free(out);
    free(g);
    free(T);
    zm_solver_destroy(solver);
    case_free(&rounded);
    loss_free(&l);
}

TEST(float32_agrees_with_float64)
{
    for_all(t, check_single);
}
