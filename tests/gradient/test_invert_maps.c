/* SPDX-License-Identifier: Apache-2.0
 * Maps from the unknowns of an inversion to metric and drift. */
#include <stdlib.h>

#include "check.h"
#include "inverse/invert/parameter.h"
#include "support/cases.h"

enum { ROWS = 17, COLS = 22, CELLS = ROWS * COLS, MOST_CHOICES = 32 };

/* What is unknown, and by which maps. */
typedef struct choice {
    int unknown; /* of zm_unknown */
    int metric_map, drift_map;
} choice;

/* All that differ. */
static size_t all_choices(choice out[MOST_CHOICES])
{
    size_t n = 0;

    for (int unknown = 1; unknown <= 7; unknown++)
        for (int m = 0; m < (unknown & 3 ? 3 : 1); m++)
            for (int d = 0; d < (unknown & 4 ? 2 : 1); d++)
                out[n++] = (choice){ unknown, m, d };
    return n;
}

static zm_parameters parameters(const choice *c, const test_case *truth)
{
    zm_parameters p = { .n = CELLS,
                        .metric_fields = c->unknown & 3,
                        .drift_fields = c->unknown & 4 ? 2 : 0,
                        .metric_map = (zm_metric_map)c->metric_map,
                        .drift_map = (zm_drift_map)c->drift_map,
                        .eig_min = 0.05,
                        .eig_max = 20.0,
                        .rho = 0.9 };

    for (int k = 0; k < ZM_PLANES; k++)
        p.known[k] = case_plane(truth, k);
    zm_parameters_rescale(&p, 1.3);
    return p;
}

static void draw(double *v, size_t n, double size, uint64_t *random)
{
    for (size_t i = 0; i < n; i++)
        v[i] = size * zm_random_normal(random);
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0.0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void planes_of(test_case *c, double *planes[ZM_PLANES])
{
    for (int k = 0; k < ZM_PLANES; k++)
        planes[k] = case_plane(c, k);
}

/* Sums of the same products in another order. */
TEST(tangent_and_adjoint_of_every_map_are_transposes)
{
    static double theta[5 * CELLS], v[5 * CELLS], back[5 * CELLS];
    choice choices[MOST_CHOICES];
    const size_t n = all_choices(choices);
    test_case truth = case_make(SMOOTH, ROWS, COLS, 12);

    for (size_t i = 0; i < n; i++) {
        const zm_parameters p = parameters(&choices[i], &truth);
        const size_t size = (size_t)zm_parameters_fields(&p) * CELLS;
        const zm_metric metric = { ZM_F64,    truth.g11, truth.g12,
                                   truth.g22, truth.b1,  truth.b2 };
        test_case forth = case_create(ROWS, COLS), w = case_create(ROWS, COLS);
        double *dp[ZM_PLANES], *wp[ZM_PLANES], left = 0.0;
        uint64_t random = i + 1;

        zm_parameters_from_metric(&p, &metric, theta);
        draw(v, size, 1.0, &random);
        planes_of(&forth, dp);
        planes_of(&w, wp);
        zm_parameters_tangent(&p, theta, v, dp);
        for (int k = 0; k < ZM_PLANES; k++) {
            draw(wp[k], CELLS, 1.0, &random);
            if (zm_parameters_varies(&p, k))
                left += dot(wp[k], dp[k], CELLS);
        }
        zm_parameters_adjoint(&p, theta, (const double *const *)wp, back);
        CHECK_NEAR(left, dot(back, v, size), 1e-10 * sqrt(dot(back, back, size)));
        case_free(&w);
        case_free(&forth);
    }
    case_free(&truth);
}

TEST(unknowns_of_a_metric_give_that_metric_back)
{
    static double theta[5 * CELLS];
    test_case truth = case_make(SMOOTH, ROWS, COLS, 21);
    const zm_metric metric = { ZM_F64,    truth.g11, truth.g12,
                               truth.g22, truth.b1,  truth.b2 };

    for (int maps = 0; maps < 6; maps++) {
        const choice c = { ZM_UNKNOWN_ALL, maps % 3, maps / 3 };
        const zm_parameters p = parameters(&c, &truth);
        test_case back = case_create(ROWS, COLS);
        double *planes[ZM_PLANES];

        planes_of(&back, planes);
        zm_parameters_from_metric(&p, &metric, theta);
        zm_parameters_planes(&p, theta, planes);
        for (int k = 0; k < ZM_PLANES; k++)
            for (size_t i = 0; i < CELLS; i++)
                CHECK_NEAR(planes[k][i], case_plane(&truth, k)[i], 1e-12);
        case_free(&back);
    }
    case_free(&truth);
}

/* Eigenvalues of G against the bounds, |b|_{G^-1} against rho. */
static void check_cell(test_run *t, const zm_parameters *p, const choice *c,
                       const test_case *x, size_t i)
{
    const double a = x->g11[i], o = x->g12[i], d = x->g22[i];
    const double mean = 0.5 * (a + d), spread = hypot(0.5 * (a - d), o);
    const double b1 = x->b1[i], b2 = x->b2[i];
    const double b =
        sqrt((d * b1 * b1 - 2 * o * b1 * b2 + a * b2 * b2) / (a * d - o * o));

    CHECK_MSG(!p->metric_fields || (mean - spread >= p->eig_min * (1 - 1e-9) &&
                                    mean + spread <= p->eig_max * (1 + 1e-9)),
              "unknown %d, map %d: eigenvalues %.12g, %.12g", c->unknown, c->metric_map,
              mean - spread, mean + spread);
    CHECK_MSG(!p->drift_fields || b <= p->rho + 1e-9, "unknown %d, maps %d, %d: |b| %g",
              c->unknown, c->metric_map, c->drift_map, b);
}

/* Whatever theta was, also far outside. */
TEST(projected_unknowns_are_feasible)
{
    static double theta[5 * CELLS];
    choice choices[MOST_CHOICES];
    const size_t n = all_choices(choices);

    for (size_t i = 0; i < n; i++) {
        test_case x = case_make(SMOOTH, ROWS, COLS, 22);
        double *planes[ZM_PLANES];
        uint64_t random = i + 1;

        if (!(choices[i].unknown & 4)) /* G may be enlarged for a known drift */
            for (size_t k = 0; k < CELLS; k++)
                x.b1[k] = x.b2[k] = 0.0;
        const zm_parameters p = parameters(&choices[i], &x);

        if (choices[i].unknown < 3) /* g12 is 0 unless all of G is sought */
            for (size_t k = 0; k < CELLS; k++)
                x.g12[k] = 0.0;
        planes_of(&x, planes);
        draw(theta, 5 * CELLS, 5.0, &random);
        zm_parameters_project(&p, theta);
        zm_parameters_planes(&p, theta, planes);
        if ((choices[i].unknown & 3) == 1)
            for (size_t k = 0; k < CELLS; k++)
                x.g22[k] = x.g11[k];
        if ((choices[i].unknown & 3) && (choices[i].unknown & 3) < 3)
            for (size_t k = 0; k < CELLS; k++)
                x.g12[k] = 0.0;
        for (size_t k = 0; k < CELLS; k++)
            check_cell(t, &p, &choices[i], &x, k);
        case_free(&x);
    }
}
