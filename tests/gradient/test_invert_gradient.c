/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of the misfit by the unknown fields, against central differences. */
#include "check.h"
#include "core/memory.h"
#include "inverse/invert/model.h"
#include "support/seen.h"

enum { SIDE = 16, CELLS = SIDE * SIDE, MOST = ZM_MOST_FIELDS * CELLS, EXPERIMENTS = 2 };

typedef struct fixture {
    test_case cases[EXPERIMENTS];
    seen list[EXPERIMENTS];
    size_t cells[EXPERIMENTS][CELLS];
    double upper[EXPERIMENTS][CELLS], sigma[EXPERIMENTS][CELLS];
    zm_observed observed[EXPERIMENTS];
    zm_model model;
} fixture;

/* Every second cell, every fourth of these known to a unit of time only. */
static void observe(fixture *f, int e)
{
    const zm_experiment *x;

    f->cases[e] = case_make(SMOOTH, SIDE, SIDE, 3);
    case_clear_sources(&f->cases[e]);
    case_add_source(&f->cases[e], 4 + 7 * e, 5 + 6 * e, 0.25 * e);
    f->list[e] = seen_make(&f->cases[e], 2, 0.1, (uint64_t)e + 1);
    x = &f->list[e].experiment;
    for (size_t i = 0; i < x->n; i++) {
        f->cells[e][i] = (size_t)x->cells[i];
        f->upper[e][i] = x->times[i] + (i % 4 ? 0.0 : 1.0);
        f->sigma[e][i] = x->sigma * (1.0 + 0.5 * e);
    }
    f->observed[e] = (zm_observed){ .sources = f->cases[e].sources,
                                    .n_sources = 1,
                                    .n = x->n,
                                    .cell = f->cells[e],
                                    .time = f->list[e].times,
                                    .upper = f->upper[e],
                                    .sigma = f->sigma[e] };
}

/* A smooth medium, put where the model is; the times are of a little different one. */
static void fixture_make(test_run *t, fixture *f, int unknown, int map, int drift_map,
                         double huber)
{
    const zm_alloc none = { NULL, NULL, NULL };
    zm_error err = { .text = "" };
    test_case *c = &f->cases[0];

    for (int e = 0; e < EXPERIMENTS; e++)
        observe(f, e);
    f->model = (zm_model){ .grid = c->grid,
                           .mem = zm_alloc_or_default(&none),
                           .n_experiments = EXPERIMENTS,
                           .observed = f->observed,
                           .huber = huber };
    f->model.parameters = (zm_parameters){ .n = CELLS,
                                           .metric_fields = unknown & 3,
                                           .drift_fields = unknown & 4 ? 2 : 0,
                                           .metric_map = (zm_metric_map)map,
                                           .drift_map = (zm_drift_map)drift_map,
                                           .eig_min = 1e-3,
                                           .eig_max = 1e3,
                                           .rho = 0.9 };
    for (int k = 0; k < ZM_PLANES; k++)
        f->model.parameters.known[k] = case_plane(c, k);
    zm_parameters_rescale(&f->model.parameters, 1.3);
    CHECK_MSG(zm_model_make(&f->model, 1, &err) == ZM_OK, "%s", err.text);

    for (size_t i = 0; i < CELLS; i++) { /* away from the truth */
        c->g11[i] *= 1.05;
        c->g22[i] *= 1.02;
    }
    const zm_metric metric = { ZM_F64, c->g11, c->g12, c->g22, c->b1, c->b2 };

    zm_parameters_from_metric(&f->model.parameters, &metric, f->model.at->theta);
    CHECK_MSG(zm_model_solve(&f->model, f->model.at, &err) == ZM_OK, "%s", err.text);
}

static void fixture_free(fixture *f)
{
    zm_model_free(&f->model);
    for (int e = 0; e < EXPERIMENTS; e++) {
        seen_free(&f->list[e]);
        case_free(&f->cases[e]);
    }
}

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0.0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Misfit at theta + h v. */
static double misfit_along(test_run *t, zm_model *m, const double *v, double h)
{
    zm_error err = { .text = "" };

    for (size_t i = 0; i < m->n_theta; i++)
        m->trial->theta[i] = m->at->theta[i] + h * v[i];
    CHECK_MSG(zm_model_solve(m, m->trial, &err) == ZM_OK, "%s", err.text);
    return m->trial->misfit.value;
}

static void draw(double *v, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        v[i] = zm_random_normal(&seed);
}

/* Each of the unknowns with each of the maps, for both misfits and with intervals. */
TEST(gradients_are_those_of_central_differences)
{
    static const int unknowns[] = { 1, 2, 3, 4, 5, 6, 7 };
    static double v[MOST], gradient[MOST];
    const double h = 1e-6;

    for (int u = 0; u < 7; u++)
        for (int maps = 0; maps < 6; maps++) {
            const double huber = maps % 2 ? 1.0 : INFINITY;
            fixture f;

            fixture_make(t, &f, unknowns[u], maps % 3, maps / 3, huber);
            draw(v, f.model.n_theta, t->seed + 1);
            CHECK(zm_model_gradient(&f.model, gradient, NULL) == ZM_OK);

            const double slope = dot(gradient, v, f.model.n_theta);
            const double up = misfit_along(t, &f.model, v, h);
            const double down = misfit_along(t, &f.model, v, -h);
            const double size = sqrt(dot(gradient, gradient, f.model.n_theta) *
                                     dot(v, v, f.model.n_theta));

            CHECK_MSG(
                fabs((up - down) / (2 * h) - slope) <= 1e-5 * size,
                "unknown %d, maps %d: %.9g by differences, gradient %.9g, of %.3g",
                unknowns[u], maps, (up - down) / (2 * h), slope, size);
            fixture_free(&f);
        }
}

/* <w, H v> = <v, H w>, and <v, H v> >= 0: what conjugate gradients need. */
TEST(gauss_newton_products_are_symmetric_and_positive)
{
    static double v[MOST], w[MOST], Hv[MOST], Hw[MOST];

    for (int unknown = 1; unknown <= 7; unknown++) {
        fixture f;

        fixture_make(t, &f, unknown, unknown % 3, unknown % 2, 1.0);

        const size_t n = f.model.n_theta;

        draw(v, n, t->seed + 2);
        draw(w, n, t->seed + 3);
        CHECK(zm_model_product(&f.model, v, Hv, NULL) == ZM_OK);
        CHECK(zm_model_product(&f.model, w, Hw, NULL) == ZM_OK);
        CHECK(dot(v, Hv, n) > 0);
        CHECK_NEAR(dot(w, Hv, n), dot(v, Hw, n),
                   1e-11 * sqrt(dot(Hv, Hv, n) * dot(w, w, n)));
        fixture_free(&f);
    }
}

/* Of parts r < -1, r > 1, in between and inside of an interval. */
TEST(misfits_have_the_values_of_their_formulas)
{
    size_t cells[] = { 0, 1, 2, 3, 3 };
    double time[] = { 5, 5, 5, 5, 5 }, upper[] = { 5, 5, 5, 7, 6 };
    double sigma[] = { 0.5, 1, 2, 1, 2 };
    const double T[] = { 3, 7, 6, 6.5 };
    const zm_observed o = {
        .n = 5, .cell = cells, .time = time, .upper = upper, .sigma = sigma
    };
    /* r = -4, 2, 0.5, 0 (inside), 0.25 */
    const zm_misfit_sum squares = zm_misfit(&o, INFINITY, T);
    const zm_misfit_sum huber = zm_misfit(&o, 1.0, T);
    double slope[4];

    CHECK_NEAR(squares.chi2, 16 + 4 + 0.25 + 0.0625, 1e-14);
    CHECK_NEAR(squares.value, 0.5 * squares.chi2, 1e-14);
    CHECK_NEAR(huber.chi2, squares.chi2, 1e-14);
    CHECK_NEAR(huber.value, 3.5 + 1.5 + 0.125 + 0.03125, 1e-14);
    zm_misfit_slope(&o, 1.0, T, 4, slope);
    CHECK_NEAR(slope[0], -2.0, 1e-14);
    CHECK_NEAR(slope[1], 1.0, 1e-14);
    CHECK_NEAR(slope[2], 0.25, 1e-14);
    CHECK_NEAR(slope[3], 0.125, 1e-14);
}
