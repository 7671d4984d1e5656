/* SPDX-License-Identifier: Apache-2.0
 * The regulariser of an inversion: its gradient, its operators and their square root. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "core/memory.h"
#include "inverse/invert/penalty.h"
#include "support/cases.h"

enum { ROWS = 17, COLS = 22, FIELDS = 2 };

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double *random_vector(size_t n, uint64_t *random)
{
    double *v = nan_doubles(n);

    for (size_t i = 0; i < n; i++)
        v[i] = zm_random_normal(random);
    return v;
}

typedef struct penalty_fixture {
    zm_penalty p;
    size_t n;
    double *theta, *v, *reference;
} penalty_fixture;

static penalty_fixture penalty_make(test_run *t, zm_reg_kind kind)
{
    const zm_grid grid = { ROWS, COLS, 1.5, 0.8 };
    penalty_fixture f = { .n = FIELDS * ROWS * COLS };
    uint64_t random = 8;
    zm_error err;

    f.theta = random_vector(f.n, &random);
    f.v = random_vector(f.n, &random);
    f.reference = random_vector(f.n, &random);
    f.p = (zm_penalty){ .grid = grid,
                        .mem = zm_alloc_or_default(NULL),
                        .n = ROWS * COLS,
                        .n_fields = FIELDS,
                        .kind = kind,
                        .eps = 0.5,
                        .lambda = 3.0,
                        .reference = f.reference };
    CHECK(zm_penalty_create(&f.p, &err) == ZM_OK);
    return f;
}

static void penalty_end(penalty_fixture *f)
{
    zm_penalty_destroy(&f->p);
    free(f->reference);
    free(f->v);
    free(f->theta);
}

/* out = gradient at theta + step v */
static void gradient_along(test_run *t, penalty_fixture *f, double step, double *out)
{
    double *x = nan_doubles(f->n);
    zm_error err;

    for (size_t i = 0; i < f->n; i++)
        x[i] = f->theta[i] + step * f->v[i];
    memset(out, 0, f->n * sizeof *out);
    CHECK(zm_penalty_freeze(&f->p, x, 1e-3, &err) == ZM_OK);
    zm_penalty_add_gradient(&f->p, x, out);
    free(x);
}

static double value_along(test_run *t, penalty_fixture *f, double step)
{
    double *x = nan_doubles(f->n), R;
    zm_error err;

    for (size_t i = 0; i < f->n; i++)
        x[i] = f->theta[i] + step * f->v[i];
    CHECK(zm_penalty_value(&f->p, x, &R, &err) == ZM_OK);
    free(x);
    return f->p.lambda * R;
}

TEST(gradient_of_every_regulariser_agrees_with_differences)
{
    for (int kind = ZM_REG_TV; kind <= ZM_REG_LOG; kind++) {
        penalty_fixture f = penalty_make(t, (zm_reg_kind)kind);
        double *g = nan_doubles(f.n);
        const double step = 1e-5;

        gradient_along(t, &f, 0, g);
        CHECK_NEAR(dot(g, f.v, f.n),
                   (value_along(t, &f, step) - value_along(t, &f, -step)) / (2 * step),
                   1e-6 * sqrt(dot(g, g, f.n)));
        free(g);
        penalty_end(&f);
    }
}

/* With z = q, as after convergence, the primal-dual operator is the Hessian of smoothed TV:
 * D' W (I - q q') D.  H1 and TIKHONOV are quadratic: theirs is the Hessian always. */
TEST(operator_of_a_convex_regulariser_is_its_second_derivative)
{
    for (int kind = ZM_REG_TV; kind <= ZM_REG_TIKHONOV; kind++) {
        penalty_fixture f = penalty_make(t, (zm_reg_kind)kind);
        double *up = nan_doubles(f.n), *down = nan_doubles(f.n), *Pv = nan_doubles(f.n);
        const double step = 1e-5;
        double off = 0, size = 0;

        gradient_along(t, &f, step, up);
        gradient_along(t, &f, -step, down);
        gradient_along(t, &f, 0, Pv);
        memcpy(f.p.z, f.p.q, 2 * f.n * sizeof *f.p.z);
        memset(Pv, 0, f.n * sizeof *Pv);
        zm_penalty_add_product(&f.p, f.v, Pv);
        for (size_t i = 0; i < f.n; i++) {
            off = fmax(off, fabs((up[i] - down[i]) / (2 * step) - Pv[i]));
            size = fmax(size, fabs(Pv[i]));
        }
        CHECK_AT_MOST(off, 1e-6 * size);
        free(Pv);
        free(down);
        free(up);
        penalty_end(&f);
    }
}

/* Newton's step for eta z = D u leaves z = q where u does not move any more, and never
 * lets |z| exceed 1. */
TEST(dual_field_stays_in_the_unit_ball_and_converges_to_the_direction)
{
    penalty_fixture f = penalty_make(t, ZM_REG_TV);
    double *none = calloc(f.n, sizeof *none);
    zm_error err;

    CHECK(zm_penalty_freeze(&f.p, f.theta, 1e-3, &err) == ZM_OK);
    zm_penalty_move_dual(&f.p, f.v);
    for (size_t i = 0; i < f.p.n; i++) {
        double norm2 = 0;

        for (size_t j = 0; j < 2 * FIELDS; j++)
            norm2 += f.p.z[j * f.p.n + i] * f.p.z[j * f.p.n + i];
        CHECK_AT_MOST(norm2, 1 + 1e-12);
    }
    zm_penalty_move_dual(&f.p, none);
    for (size_t i = 0; i < 2 * f.n; i++)
        CHECK_NEAR(f.p.z[i], f.p.q[i], 1e-12);
    free(none);
    penalty_end(&f);
}

/* The rms over many draws of white noise e of <v, P^(1/2)' e> is sqrt(<v, P v>). */
TEST(noise_of_a_regulariser_has_the_covariance_of_its_operator)
{
    enum { DRAWS = 4000 };

    for (int kind = ZM_REG_TV; kind <= ZM_REG_LOG; kind++) {
        penalty_fixture f = penalty_make(t, (zm_reg_kind)kind);
        double *out = nan_doubles(f.n), *Pv = calloc(f.n, sizeof *Pv), sum = 0;
        uint64_t random = 77;
        zm_error err;

        CHECK(zm_penalty_freeze(&f.p, f.theta, 1e-3, &err) == ZM_OK);
        zm_penalty_add_lagged(&f.p, f.v, Pv);
        for (int k = 0; k < DRAWS; k++) {
            memset(out, 0, f.n * sizeof *out);
            zm_penalty_add_noise(&f.p, &random, out);
            sum += pow(dot(out, f.v, f.n), 2);
        }
        /* four standard deviations of a chi2 with so many degrees */
        CHECK_NEAR(sum / DRAWS / dot(f.v, Pv, f.n), 1.0, 4 * sqrt(2.0 / DRAWS));
        free(Pv);
        free(out);
        penalty_end(&f);
    }
}
