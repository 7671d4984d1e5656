/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of an inversion whose sources and observations lie between cells, in metrics that
 * need adaptive stencils. */
#include <stdlib.h>

#include "check.h"
#include "core/memory.h"
#include "core/random.h"
#include "inverse/invert/model.h"
#include "support/cases.h"

enum { SIDE = 16, CELLS = SIDE * SIDE, MOST = ZM_MOST_FIELDS * CELLS, EXPERIMENTS = 2, SEEN = 60 };

typedef struct fixture {
    test_case cases[EXPERIMENTS];
    size_t cells[SEEN];
    double right[SEEN], down[SEEN], times[EXPERIMENTS][SEEN], upper[EXPERIMENTS][SEEN], sigma[SEEN];
    zm_observed observed[EXPERIMENTS];
    zm_invert_model model;
} fixture;

/* Times between those of the model at the start and a third later; every fourth within a unit. */
static void observe(fixture *f, int e, uint64_t *random)
{
    const zm_solver_opts adaptive = ZM_SOLVER_OPTS_INIT;
    test_case *c = &f->cases[e];
    static double T[CELLS];

    *c = case_make(STRONG, SIDE, SIDE, 3);
    case_clear_sources(c);
    case_add_source_at(c, 4.3 + 7 * e, 5.6 + 5 * e, 0.25 * e);
    case_add_source_at(c, 9, 2.5, 0.5);
    f->observed[e] = (zm_observed){ .sources = c->sources,
                                    .n_sources = 2,
                                    .n = SEEN,
                                    .cell = f->cells,
                                    .right = f->right,
                                    .down = f->down,
                                    .cols = SIDE,
                                    .time = f->times[e],
                                    .upper = f->upper[e],
                                    .sigma = f->sigma };
    if (case_solve_with(c, T, &adaptive) != ZM_OK)
        abort();
    for (size_t i = 0; i < SEEN; i++) {
        f->times[e][i] =
            zm_misfit_at(&f->observed[e], i, T) * (1 + 0.3 * zm_random_unit(random));
        f->upper[e][i] = f->times[e][i] + (i % 4 ? 0.0 : 1.0);
    }
}

static void place(fixture *f, uint64_t *random)
{
    for (size_t i = 0; i < SEEN; i++) {
        f->cells[i] = zm_random_below(random, SIDE - 1) * SIDE +
                      zm_random_below(random, SIDE - 1);
        f->right[i] = i % 7 ? zm_random_unit(random) : 0.0;
        f->down[i] = i % 5 ? zm_random_unit(random) : 0.0;
        f->sigma[i] = 0.1 + 0.1 * zm_random_unit(random);
    }
    f->cells[0] = CELLS - 1; /* the last cell has no neighbours right and below */
    f->right[0] = f->down[0] = 0.0;
}

static void fixture_make(test_run *t, fixture *f, int unknown, int map, double huber)
{
    const zm_alloc none = { NULL, NULL, NULL };
    uint64_t random = 5;
    zm_error err = { .text = "" };
    test_case *c = &f->cases[0];

    place(f, &random);
    for (int e = 0; e < EXPERIMENTS; e++)
        observe(f, e, &random);
    f->model = (zm_invert_model){ .grid = c->grid,
                                  .mem = zm_alloc_or_default(&none),
                                  .n_experiments = EXPERIMENTS,
                                  .observed = f->observed,
                                  .huber = huber,
                                  .stencils = ZM_STENCILS_ADAPTIVE };
    f->model.parameters = (zm_parameters){ .n = CELLS,
                                           .metric_fields = unknown & 3,
                                           .drift_fields = unknown & 4 ? 2 : 0,
                                           .metric_map = (zm_metric_map)map,
                                           .eig_min = 1e-3,
                                           .eig_max = 1e3,
                                           .rho = 0.9 };
    for (int k = 0; k < ZM_PLANES; k++)
        f->model.parameters.known[k] = case_plane(c, k);
    zm_parameters_rescale(&f->model.parameters, 1.3);
    CHECK_MSG(zm_invert_model_make(&f->model, 1, &err) == ZM_OK, "%s", err.text);

    const zm_metric metric = { ZM_F64, c->g11, c->g12, c->g22, c->b1, c->b2 };

    zm_parameters_from_metric(&f->model.parameters, &metric, f->model.at->theta);
    CHECK_MSG(zm_invert_model_solve(&f->model, f->model.at, &err) == ZM_OK, "%s",
              err.text);
}

static void fixture_free(fixture *f)
{
    zm_invert_model_free(&f->model);
    for (int e = 0; e < EXPERIMENTS; e++)
        case_free(&f->cases[e]);
}

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0.0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void draw(double *v, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        v[i] = zm_random_normal(&seed);
}

static double misfit_along(test_run *t, zm_invert_model *m, const double *v, double h)
{
    zm_error err = { .text = "" };

    for (size_t i = 0; i < m->n_theta; i++)
        m->trial->theta[i] = m->at->theta[i] + h * v[i];
    CHECK_MSG(zm_invert_model_solve(m, m->trial, &err) == ZM_OK, "%s", err.text);
    return m->trial->misfit.value;
}

/* h is small enough that no stencil and no donor changes on the way for these seeds, and large
 * enough for the rounding of the misfit: 1e-16 of some 1e3 over 2e-6. */
TEST(gradients_between_cells_are_those_of_central_differences)
{
    static double v[MOST], gradient[MOST];
    const double h = 1e-6;

    for (int unknown = 3; unknown <= 7; unknown++)
        for (int map = 0; map < 3; map++) {
            fixture f;

            fixture_make(t, &f, unknown, map, map % 2 ? 1.0 : INFINITY);
            draw(v, f.model.n_theta, (uint64_t)unknown + 1);
            CHECK(zm_invert_model_gradient(&f.model, gradient, NULL) == ZM_OK);

            const double slope = dot(gradient, v, f.model.n_theta);
            const double up = misfit_along(t, &f.model, v, h);
            const double down = misfit_along(t, &f.model, v, -h);
            const double size = sqrt(dot(gradient, gradient, f.model.n_theta) *
                                     dot(v, v, f.model.n_theta));

            CHECK_MSG(fabs((up - down) / (2 * h) - slope) <= 1e-5 * size,
                      "unknown %d, map %d: %.9g by differences, gradient %.9g, of %.3g",
                      unknown, map, (up - down) / (2 * h), slope, size);
            fixture_free(&f);
        }
}

/* The forward product and the transposed one belong to one linear map: sum of u (dT at the
 * observations) over both experiments against the adjoint of the spread u. */
TEST(tangents_at_places_are_the_transposes_of_adjoints)
{
    static double v[MOST], back[MOST], u[EXPERIMENTS][SEEN];

    for (int unknown = 3; unknown <= 7; unknown += 2) {
        fixture f;
        double forward = 0.0, size = 0.0;

        fixture_make(t, &f, unknown, unknown % 3, INFINITY);
        draw(v, f.model.n_theta, 7);
        draw(u[0], EXPERIMENTS * SEEN, 8);
        CHECK(zm_invert_model_tangent(&f.model, v, NULL) == ZM_OK);
        for (int e = 0; e < EXPERIMENTS; e++) {
            for (size_t i = 0; i < CELLS; i++)
                f.model.slope[e][i] = 0.0;
            for (size_t i = 0; i < SEEN; i++) {
                const double one =
                    u[e][i] * zm_misfit_at(&f.observed[e], i, f.model.dT[e]);

                forward += one;
                size += fabs(one);
                zm_misfit_spread(&f.observed[e], i, u[e][i], f.model.slope[e]);
            }
        }
        CHECK(zm_invert_model_adjoint(&f.model, back, NULL) == ZM_OK);
        CHECK_NEAR(dot(back, v, f.model.n_theta), forward, 1e-12 * size);
        fixture_free(&f);
    }
}

/* <w, H v> = <v, H w>, and <v, H v> >= 0: what conjugate gradients need. */
TEST(gauss_newton_products_between_cells_are_symmetric_and_positive)
{
    static double v[MOST], w[MOST], Hv[MOST], Hw[MOST];
    fixture f;

    fixture_make(t, &f, ZM_UNKNOWN_ALL, ZM_METRIC_LOG, 1.0);

    const size_t n = f.model.n_theta;

    draw(v, n, 2);
    draw(w, n, 3);
    CHECK(zm_invert_model_product(&f.model, v, Hv, NULL) == ZM_OK);
    CHECK(zm_invert_model_product(&f.model, w, Hw, NULL) == ZM_OK);
    CHECK(dot(v, Hv, n) > 0);
    CHECK_NEAR(dot(w, Hv, n), dot(v, Hw, n),
               1e-11 * sqrt(dot(Hv, Hv, n) * dot(w, w, n)));
    fixture_free(&f);
}

/* Bilinear interpolation of a + b x + c y + d x y has no error, whatever the place. */
TEST(times_between_cells_are_bilinear)
{
    fixture f;
    static double T[CELLS];
    uint64_t random = t->seed;

    place(&f, &random);

    const zm_observed o = {
        .n = SEEN, .cell = f.cells, .right = f.right, .down = f.down, .cols = SIDE
    };

    for (size_t i = 0; i < CELLS; i++) {
        const double x = (double)(i % SIDE), y = (double)(i / SIDE);

        T[i] = 2 + 0.5 * x - 0.25 * y + 0.125 * x * y;
    }
    for (size_t i = 0; i < SEEN; i++) {
        const double x = (double)(f.cells[i] % SIDE) + f.right[i];
        const double y = (double)(f.cells[i] / SIDE) + f.down[i];

        CHECK_NEAR(zm_misfit_at(&o, i, T), 2 + 0.5 * x - 0.25 * y + 0.125 * x * y,
                   1e-13 * 40);
    }
}

/* A corner without a share is not looked at: it may lie outside, or in a wall. */
TEST(corners_without_a_share_do_not_count)
{
    size_t cell[] = { 1, 3 };
    double right[] = { 0.0, 0.5 }, down[] = { 0.5, 0.0 };
    const double T[] = { NAN, 2.0, INFINITY, 3.0, 5.0, INFINITY };
    const zm_observed o = { .n = 2, .cell = cell, .right = right, .down = down, .cols = 3 };

    CHECK(zm_misfit_at(&o, 0, T) == 3.5);
    CHECK(zm_misfit_at(&o, 1, T) == 4.0);
    CHECK(zm_misfit_cell(&o, 0) == 4 && zm_misfit_cell(&o, 1) == 4);
}
