/* SPDX-License-Identifier: Apache-2.0
 * Regularisers: gradients, lagged weights, majorisation, the logarithm of a matrix. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "inverse/regularise/difference.h"
#include "inverse/regularise/laplacian.h"
#include "inverse/regularise/symmetric_log.h"
#include "zermelo/reg.h"

enum { ROWS = 9, COLS = 12, N = ROWS * COLS, FIELDS = 3 };
static const zm_grid grid = { ROWS, COLS, 0.5, 0.8 };

typedef struct sample {
    double u[FIELDS][N], reference[N], weights[FIELDS];
    const double *planes[FIELDS], *references[FIELDS];
    uint8_t walls[N];
} sample;

/* Symmetric positive definite, in case the fields are those of a metric. */
static sample *make(uint64_t seed)
{
    sample *s = malloc(sizeof *s);

    for (size_t i = 0; i < N; i++) {
        s->u[0][i] = 2 + zm_random_unit(&seed);
        s->u[1][i] = 2 * zm_random_unit(&seed) - 1;
        s->u[2][i] = 1 + zm_random_unit(&seed);
        s->reference[i] = zm_random_normal(&seed);
        s->walls[i] = zm_random_unit(&seed) < 0.15;
    }
    for (size_t k = 0; k < FIELDS; k++) {
        s->weights[k] = 0.5 + zm_random_unit(&seed);
        s->planes[k] = s->u[k];
        s->references[k] = k == 1 ? NULL : s->reference;
    }
    return s;
}

static zm_reg reg_of(const sample *s, int kind)
{
    zm_reg r = ZM_REG_INIT;

    r.kind = (zm_reg_kind)kind;
    r.eps = 0.3;
    if (kind != ZM_REG_FROBENIUS_TV && kind != ZM_REG_LOG_EUCLIDEAN_TV)
        r.weights = s->weights;
    if (kind == ZM_REG_TIKHONOV)
        r.reference = s->references;
    return r;
}

enum { KINDS = 6 };

static double value_of(test_run *t, const zm_reg *r, const sample *s,
                       const uint8_t *walls)
{
    double value = NAN;

    CHECK(zm_reg_value(grid, s->planes, FIELDS, walls, &value, NULL, r, NULL) == ZM_OK);
    return value;
}

/* Central differences with h = 1e-5 of values of order 100: rounding 1e-14 * 100 / h =
 * 1e-7, truncation h^2 times third derivatives below 1e3: 1e-7. */
TEST(gradients_agree_with_central_differences)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int with_walls = 0; with_walls < 2; with_walls++) {
            sample *s = make(t->seed);
            const zm_reg r = reg_of(s, kind);
            const uint8_t *walls = with_walls ? s->walls : NULL;
            double gradient[FIELDS][N], value;
            double *planes[FIELDS] = { gradient[0], gradient[1], gradient[2] };
            const double h = 1e-5;

            memset(gradient, 0xff, sizeof gradient);
            CHECK(zm_reg_value(grid, s->planes, FIELDS, walls, &value, planes, &r,
                               NULL) == ZM_OK);
            for (size_t k = 0; k < FIELDS; k++)
                for (size_t i = 0; i < N; i++) {
                    const double u = s->u[k][i];
                    double up, down;

                    s->u[k][i] = u + h;
                    up = value_of(t, &r, s, walls);
                    s->u[k][i] = u - h;
                    down = value_of(t, &r, s, walls);
                    s->u[k][i] = u;
                    CHECK_NEAR(gradient[k][i], (up - down) / (2 * h), 2e-6);
                }
            free(s);
        }
}

/* Walls hide whatever is in them, and have no gradient. */
TEST(values_in_walls_do_not_matter)
{
    for (int kind = 0; kind < KINDS; kind++) {
        sample *s = make(t->seed);
        const zm_reg r = reg_of(s, kind);
        double gradient[FIELDS][N], value, before = value_of(t, &r, s, s->walls);
        double *planes[FIELDS] = { gradient[0], gradient[1], gradient[2] };

        for (size_t i = 0; i < N; i++)
            for (size_t k = 0; k < FIELDS && s->walls[i]; k++)
                s->u[k][i] = NAN;
        CHECK(zm_reg_value(grid, s->planes, FIELDS, s->walls, &value, planes, &r,
                           NULL) == ZM_OK);
        CHECK(value == before);
        for (size_t i = 0; i < N; i++)
            for (size_t k = 0; k < FIELDS; k++)
                CHECK(s->walls[i] ? gradient[k][i] == 0 : isfinite(gradient[k][i]));
        free(s);
    }
}

/* gradient_k = c_k D' W D u_k, formed by the stencil that the linear solver uses; for the
 * log-Euclidean one by the logarithms, and pulled back. */
TEST(the_lagged_operator_gives_the_gradient)
{
    static const double of_metric[FIELDS] = { 1, 2, 1 };

    for (int kind = 0; kind < KINDS; kind++) {
        sample *s = make(t->seed);
        const zm_reg r = reg_of(s, kind);
        const bool is_log = kind == ZM_REG_LOG_EUCLIDEAN_TV;
        const double *c = r.weights ? r.weights : of_metric;
        double gradient[FIELDS][N], applied[FIELDS][N], w[N], right[N], below[N], value;
        double v[FIELDS][N];
        double *planes[FIELDS] = { gradient[0], gradient[1], gradient[2] };
        const zm_laplacian op = { grid, right, below, NULL, 0, s->walls };

        CHECK(zm_reg_value(grid, s->planes, FIELDS, s->walls, &value, planes, &r,
                           NULL) == ZM_OK);
        CHECK(zm_reg_lagged(grid, s->planes, FIELDS, s->walls, w, &r, NULL) == ZM_OK);
        zm_laplacian_edges(grid, s->walls, w, 1, right, below);
        for (size_t i = 0; i < N; i++) {
            const zm_sym2 log_g =
                zm_sym2_log((zm_sym2){ s->u[0][i], s->u[1][i], s->u[2][i] }).value;

            v[0][i] = is_log ? log_g.a11 : s->u[0][i];
            v[1][i] = is_log ? log_g.a12 : s->u[1][i];
            v[2][i] = is_log ? log_g.a22 : s->u[2][i];
        }
        for (size_t k = 0; k < FIELDS; k++) {
            zm_laplacian_apply(&op, v[k], applied[k]);
            for (size_t i = 0; i < N; i++)
                applied[k][i] =
                    c[k] * (kind != ZM_REG_TIKHONOV
                                ? applied[k][i]
                                : w[i] * (v[k][i] - (k == 1 ? 0 : s->reference[i])));
        }
        for (size_t i = 0; i < N; i++) {
            zm_sym2 a = { applied[0][i], applied[1][i], applied[2][i] };

            if (is_log) {
                const zm_sym2_map f =
                    zm_sym2_log((zm_sym2){ s->u[0][i], s->u[1][i], s->u[2][i] });

                a = zm_sym2_pull_back(&f, a);
            }
            CHECK_NEAR(gradient[0][i], a.a11, 1e-12);
            CHECK_NEAR(gradient[1][i], a.a12, 1e-12);
            CHECK_NEAR(gradient[2][i], a.a22, 1e-12);
        }
        free(s);
    }
}

/* sqrt and log are concave in s = |D u|^2, so that
 * R(v) <= R(u) + sum_k c_k (|W^1/2 D v_k|^2 - |W^1/2 D u_k|^2) / 2. */
static double quadratic_of(const double *w, const double *c, const sample *s)
{
    double sum = 0, x[N], y[N];

    for (size_t k = 0; k < FIELDS; k++) {
        zm_regularise_difference(grid, s->walls, s->u[k], x, y);
        for (size_t i = 0; i < N; i++)
            sum += 0.5 * c[k] * w[i] * (x[i] * x[i] + y[i] * y[i]);
    }
    return sum;
}

TEST(lagged_quadratics_lie_above)
{
    static const int kinds[] = { ZM_REG_TV, ZM_REG_LOG };

    for (size_t m = 0; m < 2; m++)
        for (uint64_t trial = 0; trial < 50; trial++) {
            sample *u = make(t->seed + 2 * trial), *v = make(t->seed + 2 * trial + 1);
            const zm_reg r = reg_of(u, kinds[m]);
            double w[N], bound;

            memcpy(v->walls, u->walls, sizeof v->walls);
            CHECK(zm_reg_lagged(grid, u->planes, FIELDS, u->walls, w, &r, NULL) ==
                  ZM_OK);
            bound = value_of(t, &r, u, u->walls) + quadratic_of(w, u->weights, v) -
                    quadratic_of(w, u->weights, u);
            CHECK_AT_MOST(value_of(t, &r, v, u->walls), bound * (1 + 1e-14));
            free(v);
            free(u);
        }
}

/* With eps -> 0 the sum of |D u| itself; with eps = 0 the gradient is 0 where |D u| is. */
TEST(small_eps_gives_total_variation_itself)
{
    sample *s = make(t->seed);
    zm_reg r = ZM_REG_INIT;
    double x[N], y[N], sum = 0, gradient[N], value;
    double *plane = gradient;

    for (size_t i = 0; i < N; i++)
        s->u[0][i] = i % COLS < 5 ? 1 : 3; /* flat but for one edge */
    zm_regularise_difference(grid, NULL, s->u[0], x, y);
    for (size_t i = 0; i < N; i++)
        sum += grid.dx * grid.dy * hypot(x[i], y[i]);
    CHECK_NEAR(sum, 2 * ROWS * grid.dy, 1e-12); /* jump times length */
    r.eps = 0;
    CHECK(zm_reg_value(grid, s->planes, 1, NULL, &value, &plane, &r, NULL) == ZM_OK);
    CHECK_NEAR(value, sum, 1e-12);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(gradient[i],
                   i % COLS == 4   ? -grid.dy
                   : i % COLS == 5 ? grid.dy
                                   : 0,
                   1e-12);
    r.eps = 1e-9;
    CHECK(zm_reg_value(grid, s->planes, 1, NULL, &value, NULL, &r, NULL) == ZM_OK);
    CHECK_NEAR(value, sum, 1e-7);
    free(s);
}

/* <D u, p> = <u, D' p>, with walls. */
TEST(the_adjoint_of_differences_is_one)
{
    sample *s = make(t->seed);
    double x[N], y[N], back[N], left = 0, right = 0;

    zm_regularise_difference(grid, s->walls, s->u[0], x, y);
    zm_regularise_difference_adjoint(grid, s->walls, s->u[1], s->u[2], back);
    for (size_t i = 0; i < N; i++) {
        left += x[i] * s->u[1][i] + y[i] * s->u[2][i];
        right += s->u[0][i] * back[i];
    }
    CHECK_NEAR(left, right, 1e-12 * N);
    free(s);
}

/* Frobenius inner product. */
static double inner(zm_sym2 a, zm_sym2 b)
{
    return a.a11 * b.a11 + 2 * a.a12 * b.a12 + a.a22 * b.a22;
}

static zm_sym2 random_sym(uint64_t *state, double size)
{
    return (zm_sym2){ size * zm_random_normal(state), size * zm_random_normal(state),
                      size * zm_random_normal(state) };
}

/* Deviators from none at all over tiny to large, across the switch to the series. */
TEST(logarithm_and_exponential_are_inverse_with_inverse_derivatives)
{
    uint64_t state = t->seed;

    for (int trial = 0; trial < 3000; trial++) {
        const double size =
            trial % 10 == 0 ? 0 : pow(10, 9 * zm_random_unit(&state) - 8.5);
        const double mean = zm_random_normal(&state);
        zm_sym2 a = random_sym(&state, size), da = random_sym(&state, 1);
        const zm_sym2 db = random_sym(&state, 1);
        zm_sym2_map e, l;
        zm_sym2 back;
        double scale;

        a.a11 += mean;
        a.a22 += mean;
        e = zm_sym2_exp(a);
        l = zm_sym2_log(e.value);
        scale = 1e-14 * exp(2 * hypot(0.5 * (a.a11 - a.a22), a.a12)); /* condition */
        CHECK_NEAR(l.value.a11, a.a11, 50 * scale);
        CHECK_NEAR(l.value.a12, a.a12, 50 * scale);
        CHECK_NEAR(l.value.a22, a.a22, 50 * scale);
        back = zm_sym2_derivative(&e, da);
        CHECK_NEAR(inner(back, db) / inner(da, zm_sym2_derivative(&e, db)), 1,
                   1e-9 * scale / 1e-14); /* self-adjoint */
        back = zm_sym2_derivative(&l, back);
        CHECK_NEAR(back.a11, da.a11, 100 * scale * scale / 1e-14);
        CHECK_NEAR(back.a12, da.a12, 100 * scale * scale / 1e-14);
        CHECK_NEAR(back.a22, da.a22, 100 * scale * scale / 1e-14);
    }
}

/* The derivative of the exponential along a line, by central differences. */
TEST(derivatives_of_logarithm_and_exponential_agree_with_differences)
{
    uint64_t state = t->seed;
    const double h = 1e-5;

    for (int trial = 0; trial < 2000; trial++) {
        const double size =
            trial % 10 == 0 ? 0 : pow(10, 4 * zm_random_unit(&state) - 4);
        zm_sym2 a = random_sym(&state, size);
        const zm_sym2 da = random_sym(&state, 1), sum = random_sym(&state, 1);

        for (int is_log = 0; is_log < 2; is_log++) {
            const double shift =
                is_log ? 1 + 2 * hypot(a.a11 - a.a22, a.a12) - 0.5 * (a.a11 + a.a22)
                       : 0;
            const zm_sym2 p = { a.a11 + shift, a.a12, a.a22 + shift };
            const zm_sym2 up = { p.a11 + h * da.a11, p.a12 + h * da.a12,
                                 p.a22 + h * da.a22 };
            const zm_sym2 down = { p.a11 - h * da.a11, p.a12 - h * da.a12,
                                   p.a22 - h * da.a22 };
            const zm_sym2_map f = is_log ? zm_sym2_log(p) : zm_sym2_exp(p);
            const zm_sym2_map f_up = is_log ? zm_sym2_log(up) : zm_sym2_exp(up);
            const zm_sym2_map f_down = is_log ? zm_sym2_log(down) : zm_sym2_exp(down);
            const double difference =
                (inner(f_up.value, sum) - inner(f_down.value, sum)) / (2 * h);

            CHECK_NEAR(inner(zm_sym2_derivative(&f, da), sum), difference,
                       1e-6 * (1 + fabs(difference)));
        }
    }
}
