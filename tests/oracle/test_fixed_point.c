/* SPDX-License-Identifier: Apache-2.0
 * zm_forward against the discrete equation itself and against the slow solvers. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "reference/reference.h"
#include "support/cases.h"

/* Grids that end inside, on and just past the edges of tiles (of 16, 32 or 64 cells), are
 * thinner than one, and degenerate. */
static const struct {
    int32_t rows, cols;
} sizes[] = { { 1, 1 },   { 1, 2 },   { 2, 1 },   { 2, 2 },   { 1, 77 },
              { 93, 1 },  { 3, 130 }, { 31, 31 }, { 32, 32 }, { 33, 33 },
              { 64, 64 }, { 65, 65 }, { 63, 17 }, { 40, 97 }, { 129, 66 } };
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

/* The kernels evaluate the local update in another order of operations than the residual
 * does, and their thresholds between one-point and two-point updates are good to about
 * 3e-15 times the ratio of the eigenvalues of G (in units of the spacing), here at most
 * 64. */
static const double rounding = 1e-12;
/* float32 has an ulp of 6e-8 to 1.2e-7; errors add up along a path of hundreds of cells,
 * with random signs. */
static const double rounding_f32 = 5e-6;

static void name_of(const test_case *c, medium m, char *what, size_t room)
{
    snprintf(what, room, "%s %dx%d spacing %g, %g", medium_name(m), (int)c->grid.rows,
             (int)c->grid.cols, c->grid.dx, c->grid.dy);
}

static test_case sized_case(medium m, size_t size, uint64_t seed)
{
    test_case c = case_make(m, sizes[size].rows, sizes[size].cols, seed + size);

    if (size % 2 && m != STRONG) { /* every other grid has oblong cells */
        c.grid.dx = 0.75;
        c.grid.dy = 1.5;
    }
    return c;
}

static void check_f64(test_run *t, const test_case *c, const char *what)
{
    const zm_problem problem = case_problem(c);
    const zm_reference_opts to_rounding = { sizeof to_rounding, 0.0, 100000, 0, 0 };
    double *T = nan_doubles(c->n), *reference = nan_doubles(c->n);
    double *residual = nan_doubles(c->n);
    double worst, apart;

    CHECK(case_solve(c, T) == ZM_OK);
    CHECK(zm_residual(c->grid, &problem, T, ZM_RESIDUAL_DISCRETE, residual, NULL) ==
          ZM_OK);
    CHECK(zm_reference_sweep(c->grid, &problem, reference, &to_rounding, NULL, NULL) ==
          ZM_OK);
    worst = max_abs(residual, c->n);
    apart = max_relative_difference(T, reference, c->n);
    CHECK_MSG(worst <= rounding, "%s: residual %.3g", what, worst);
    CHECK_MSG(apart <= rounding, "%s: %.3g from the reference", what, apart);
    for (size_t i = 0; i < c->n; i++)
        CHECK_MSG(!isnan(T[i]) && isnan(residual[i]) == isinf(T[i]),
                  "%s: cell %zu has T = %g and residual %g", what, i, T[i],
                  residual[i]);
    free(residual);
    free(reference);
    free(T);
}

static void check_f32(test_run *t, const test_case *c, const char *what)
{
    test_case rounded = case_copy(c);
    case_f32 single;
    zm_solver *solver = case_solver(c, ZM_F32, NULL);
    double *exact = nan_doubles(c->n), *widened = nan_doubles(c->n);
    double *residual = nan_doubles(c->n);
    float *T = nan_floats(c->n);
    double apart, worst;

    case_round_to_f32(&rounded);
    single = case_to_f32(&rounded);
    CHECK(case_solve(&rounded, exact) == ZM_OK);
    CHECK(zm_forward(solver, &single.problem, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_residual(c->grid, &single.problem, T, ZM_RESIDUAL_DISCRETE, residual,
                      NULL) == ZM_OK);
    for (size_t i = 0; i < c->n; i++)
        widened[i] = T[i];
    apart = max_relative_difference(widened, exact, c->n);
    worst = max_abs(residual, c->n);
    CHECK_MSG(apart <= rounding_f32, "%s: float32 is %.3g from float64", what, apart);
    CHECK_MSG(worst <= rounding_f32, "%s: float32 residual %.3g", what, worst);
    free(T);
    free(residual);
    free(widened);
    free(exact);
    zm_solver_destroy(solver);
    case_f32_free(&single);
    case_free(&rounded);
}

static void check_medium(test_run *t, medium m,
                         void check(test_run *, const test_case *, const char *))
{
    for (size_t size = 0; size < N_SIZES; size++) {
        test_case c = sized_case(m, size, t->seed);
        char what[80];

        name_of(&c, m, what, sizeof what);
        check(t, &c, what);
        case_free(&c);
    }
}

TEST(discrete_equation_holds_in_smooth_media)
{
    check_medium(t, SMOOTH, check_f64);
}

TEST(discrete_equation_holds_at_contrast_10)
{
    check_medium(t, CONTRAST, check_f64);
}

TEST(discrete_equation_holds_in_pixel_random_media)
{
    check_medium(t, PIXELS, check_f64);
}

TEST(discrete_equation_holds_in_mazes)
{
    check_medium(t, MAZE, check_f64);
}

TEST(discrete_equation_holds_where_donors_are_later_than_nodes)
{
    check_medium(t, STRONG, check_f64);
}

TEST(float32_is_near_float64)
{
    for (int m = 0; m < N_MEDIA; m++)
        check_medium(t, (medium)m, check_f32);
}

/* The larger grids of the tests, with several sources that start at different times. */
TEST(discrete_equation_holds_with_many_sources)
{
    for (int m = 0; m < N_MEDIA; m++) {
        test_case c = case_make((medium)m, 211, 190, t->seed);
        uint64_t state = t->seed;

        for (int i = 0; i < 9; i++) {
            const size_t cell = zm_random_below(&state, c.n);

            if (!c.walls || !c.walls[cell])
                case_add_source(&c, (int32_t)(cell / 190), (int32_t)(cell % 190),
                                20 * zm_random_unit(&state));
        }
        check_f64(t, &c, medium_name((medium)m));
        case_free(&c);
    }
}

/* Walls at random, a third of all cells: dead ends, islands, enclosed cells and corners
 * between diagonal walls. */
TEST(discrete_equation_holds_among_random_walls)
{
    test_case c = case_make(SMOOTH, 96, 110, t->seed);
    uint64_t state = t->seed;
    const size_t source =
        (size_t)c.sources[0].row * (size_t)c.grid.cols + (size_t)c.sources[0].col;

    case_add_walls(&c);
    for (size_t i = 0; i < c.n; i++)
        c.walls[i] = zm_random_unit(&state) < 0.33 && i != source;
    check_f64(t, &c, "random walls");
    check_f32(t, &c, "random walls");
    case_free(&c);
}

/* Planes that are left out mean what the header says they mean. */
TEST(missing_planes_mean_isotropic_and_no_drift)
{
    test_case c = case_make(CONTRAST, 50, 45, t->seed);
    zm_problem sparse = case_problem(&c);
    zm_solver *solver = case_solver(&c, ZM_F64, NULL);
    double *full = nan_doubles(c.n), *T = nan_doubles(c.n);

    sparse.metric = (zm_metric){ ZM_F64, c.g11, NULL, NULL, NULL, NULL };
    CHECK(case_solve(&c, full) == ZM_OK);
    CHECK(zm_forward(solver, &sparse, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(same_bits(full, T, c.n));
    zm_solver_destroy(solver);
    free(T);
    free(full);
    case_free(&c);
}

/* Sweeps and Jacobi iteration are two ways to the one fixed point. */
TEST(sweeps_and_jacobi_agree)
{
    const zm_reference_opts to_rounding = { sizeof to_rounding, 0.0, 100000, 0, 0 };

    for (int m = 0; m < N_MEDIA; m++) {
        test_case c = case_make((medium)m, 24, 31, t->seed);
        const zm_problem problem = case_problem(&c);
        double *sweep = nan_doubles(c.n), *jacobi = nan_doubles(c.n);
        zm_report report = ZM_REPORT_INIT;

        CHECK(zm_reference_sweep(c.grid, &problem, sweep, &to_rounding, &report,
                                 NULL) == ZM_OK);
        CHECK(report.converged == 1 && report.iterations > 0);
        CHECK(zm_reference_jacobi(c.grid, &problem, jacobi, &to_rounding, &report,
                                  NULL) == ZM_OK);
        CHECK(report.converged == 1 && report.iterations > 12);
        CHECK_AT_MOST(max_relative_difference(sweep, jacobi, c.n), rounding);
        free(jacobi);
        free(sweep);
        case_free(&c);
    }
}

/* The paper's causality rejection changes the answer where a donor is later than its node:
 * it discards minima, so no value is earlier, and many are later. */
TEST(causality_rejection_only_delays)
{
    const zm_reference_opts minimum = { sizeof minimum, 0.0, 100000, 0, 0 };
    const zm_reference_opts rejecting = { sizeof rejecting, 0.0, 100000, 1, 0 };
    test_case c = case_make(STRONG, 60, 60, t->seed);
    const zm_problem problem = case_problem(&c);
    double *T = nan_doubles(c.n), *late = nan_doubles(c.n);
    size_t later = 0;

    CHECK(zm_reference_sweep(c.grid, &problem, T, &minimum, NULL, NULL) == ZM_OK);
    CHECK(zm_reference_sweep(c.grid, &problem, late, &rejecting, NULL, NULL) == ZM_OK);
    for (size_t i = 0; i < c.n; i++) {
        CHECK(late[i] >= T[i] * (1 - rounding));
        later += late[i] > T[i] * (1 + 1e-6);
    }
    CHECK_MSG(later > c.n / 10, "only %zu of %zu cells are later", later, c.n);
    free(late);
    free(T);
    case_free(&c);
}

/* The limit on iterations is kept, reported, and leaves upper bounds. */
TEST(iteration_limit_leaves_upper_bounds)
{
    const zm_reference_opts once = { sizeof once, 0.0, 1, 0, 0 };
    test_case c = case_make(MAZE, 80, 80, t->seed);
    const zm_problem problem = case_problem(&c);
    double *T = nan_doubles(c.n), *bound = nan_doubles(c.n);
    zm_report report = ZM_REPORT_INIT;
    zm_error err;

    CHECK(case_solve(&c, T) == ZM_OK);
    CHECK(zm_reference_sweep(c.grid, &problem, bound, &once, &report, &err) ==
          ZM_NOT_CONVERGED);
    CHECK(report.converged == 0 && report.iterations == 1);
    CHECK(err.code == ZM_NOT_CONVERGED);
    for (size_t i = 0; i < c.n; i++)
        CHECK(isinf(bound[i]) || bound[i] >= T[i] * (1 - rounding));
    free(bound);
    free(T);
    case_free(&c);
}
