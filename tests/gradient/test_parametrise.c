/* SPDX-License-Identifier: Apache-2.0
 * Parametrisations: what comes out is admissible, and derivatives are those of differences. */
#include <string.h>

#include "check.h"
#include "eikonal/problem/cells.h"
#include "zermelo/zermelo.h"

enum { N = 150, WAYS = 4 }; /* more than two blocks, not a multiple of one */

static const zm_chart charts[WAYS] = { ZM_LOG_CHOLESKY, ZM_LOG_CHOLESKY,
                                       ZM_LOG_EUCLIDEAN, ZM_LOG_EUCLIDEAN };
static const zm_form forms[WAYS] = { ZM_FORM_RANDERS, ZM_FORM_ZERMELO, ZM_FORM_RANDERS,
                                     ZM_FORM_ZERMELO };

/* Five planes of N cells. */
typedef struct field {
    double p[5][N];
} field;

static zm_metric view(const field *f)
{
    return (zm_metric){ ZM_F64, f->p[0], f->p[1], f->p[2], f->p[3], f->p[4] };
}

static zm_metric_out view_out(field *f)
{
    return (zm_metric_out){ f->p[0], f->p[1], f->p[2], f->p[3], f->p[4] };
}

static field random_field(uint64_t *state, double size)
{
    field f;

    for (int p = 0; p < 5; p++)
        for (size_t i = 0; i < N; i++)
            f.p[p][i] = size * zm_random_normal(state);
    return f;
}

static zm_parametrise_opts way_opts(int way)
{
    zm_parametrise_opts o = ZM_PARAMETRISE_OPTS_INIT;

    o.chart = charts[way];
    o.form = forms[way];
    o.start = 1.5;
    o.eig_min = 0.2;
    o.eig_max = 30;
    o.rho = 0.9;
    return o;
}

static field value(test_run *t, const field *x, const zm_parametrise_opts *o)
{
    field y;
    const zm_metric in = view(x);
    const zm_metric_out out = view_out(&y);

    memset(&y, 0xFF, sizeof y); /* NaN */
    CHECK(zm_parametrise(&in, 1, N, &out, o, NULL) == ZM_OK);
    return y;
}

static field pull(test_run *t, const field *x, const field *c,
                  const zm_parametrise_opts *o)
{
    field d;
    const zm_metric in = view(x), d_out = view(c);
    const zm_metric_out out = view_out(&d);

    memset(&d, 0xFF, sizeof d);
    CHECK(zm_parametrise_vjp(&in, &d_out, 1, N, &out, o, NULL) == ZM_OK);
    return d;
}

static field push(test_run *t, const field *x, const field *dx,
                  const zm_parametrise_opts *o)
{
    field d;
    const zm_metric in = view(x), d_in = view(dx);
    const zm_metric_out out = view_out(&d);

    memset(&d, 0xFF, sizeof d);
    CHECK(zm_parametrise_jvp(&in, &d_in, 1, N, &out, o, NULL) == ZM_OK);
    return d;
}

static double eigenvalue(const field *y, size_t i, int sign)
{
    return (y->p[0][i] + y->p[2][i]) / 2 +
           sign * hypot((y->p[0][i] - y->p[2][i]) / 2, y->p[1][i]);
}

static double drift_norm(const field *y, size_t i)
{
    const double g11 = y->p[0][i], g12 = y->p[1][i], g22 = y->p[2][i];
    const double b1 = y->p[3][i], b2 = y->p[4][i], across = b2 - g12 / g11 * b1;

    return sqrt(b1 * b1 / g11 + across * across / (g22 - g12 / g11 * g12));
}

/* Relative rounding of a few operations on values of order 1 to 100. */
static const double rounding = 1e-12;

/* Whatever the free values: eigenvalues of G (of h, for a carried front) and |b|_{G^-1} are within
 * their bounds.  Of a carried front G = h/mu + b b'. */
TEST(results_are_within_the_bounds)
{
    uint64_t state = t->seed;
    const double sizes[] = { 0, 0.1, 1, 5 };

    for (int way = 0; way < WAYS; way++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const zm_parametrise_opts o = way_opts(way);
            const field x = random_field(&state, sizes[s]);
            field y = value(t, &x, &o);

            for (size_t i = 0; i < N; i++) {
                const double norm = drift_norm(&y, i), mu = 1 - norm * norm;

                CHECK_AT_MOST(norm, o.rho * (1 + 1e-9));
                if (o.form == ZM_FORM_ZERMELO)
                    for (int p = 0; p < 3; p++)
                        y.p[p][i] = mu * (y.p[p][i] - y.p[p == 2 ? 4 : 3][i] *
                                                          y.p[p == 0 ? 3 : 4][i]);
                CHECK(eigenvalue(&y, i, -1) >= o.eig_min * (1 - 1e-6));
                CHECK_AT_MOST(eigenvalue(&y, i, +1), o.eig_max * (1 + 1e-6));
            }
        }
}

TEST(free_values_zero_are_isotropic_without_drift)
{
    uint64_t state = t->seed;
    const field zero = random_field(&state, 0);

    for (int way = 0; way < WAYS; way++) {
        const zm_parametrise_opts o = way_opts(way);
        const field y = value(t, &zero, &o);

        for (size_t i = 0; i < N; i++) {
            CHECK_NEAR(y.p[0][i], 1.5, rounding);
            CHECK_NEAR(y.p[2][i], 1.5, rounding);
            CHECK(y.p[1][i] == 0 && y.p[3][i] == 0 && y.p[4][i] == 0);
        }
    }
}

/* Without bounds G is what the formulas say: L L' and exp(S) written out. */
TEST(without_bounds_the_charts_are_exponentials)
{
    zm_parametrise_opts o = ZM_PARAMETRISE_OPTS_INIT;
    uint64_t state = t->seed;
    const field x = random_field(&state, 1);
    field y;

    o.eig_min = 0;
    o.eig_max = HUGE_VAL;
    o.start = 2;
    y = value(t, &x, &o);
    for (size_t i = 0; i < N; i++) {
        const double A = exp(x.p[0][i]), B = x.p[1][i], D = exp(x.p[2][i]);

        CHECK_NEAR(y.p[0][i], 2 * A * A, rounding * A * A);
        CHECK_NEAR(y.p[1][i], 2 * A * B, rounding * (1 + fabs(A * B)));
        CHECK_NEAR(y.p[2][i], 2 * (B * B + D * D), rounding * (B * B + D * D));
    }
    o.chart = ZM_LOG_EUCLIDEAN;
    y = value(t, &x, &o);
    for (size_t i = 0; i < N; i++) {
        /* exp of a 2 x 2 matrix by its series, halved ten times and squared as often */
        double E[3] = { 1, 0, 1 }, S[3], term[3] = { 1, 0, 1 };

        for (int p = 0; p < 3; p++)
            S[p] = x.p[p][i] / 1024;
        for (int k = 1; k < 12; k++) {
            const double a = (term[0] * S[0] + term[1] * S[1]) / k;
            const double b = (term[0] * S[1] + term[1] * S[2]) / k;
            const double c = (term[1] * S[1] + term[2] * S[2]) / k;

            term[0] = a;
            term[1] = b;
            term[2] = c;
            for (int p = 0; p < 3; p++)
                E[p] += term[p];
        }
        for (int k = 0; k < 10; k++) {
            const double a = E[0] * E[0] + E[1] * E[1], b = E[1] * (E[0] + E[2]);

            E[2] = E[1] * E[1] + E[2] * E[2];
            E[0] = a;
            E[1] = b;
        }
        for (int p = 0; p < 3;
             p++) /* squaring ten times multiplies roundings by 1000 */
            CHECK_NEAR(y.p[p][i], 2 * E[p], 1e-11 * (E[0] + E[2]));
    }
}

/* Isotropic, and free in its drift: slowness, eccentricity and heading of a fire lit at the focus
 * of its ellipse, as zm_convert has it. */
TEST(one_plane_and_a_drift_are_a_fire_lit_at_its_focus)
{
    uint64_t state = t->seed;
    const field x = random_field(&state, 0.7);
    const zm_metric in = { ZM_F64, x.p[0], NULL, NULL, x.p[3], x.p[4] };
    zm_parametrise_opts o = ZM_PARAMETRISE_OPTS_INIT;
    zm_convert_opts math = ZM_CONVERT_OPTS_INIT;
    field y, focus, z;
    const zm_metric_out out = view_out(&y);
    const zm_form_in of = { ZM_F64, { focus.p[0], focus.p[1], focus.p[2] } };
    const zm_form_out to = { { z.p[0], z.p[1], z.p[2], z.p[3], z.p[4] } };

    math.convention = ZM_HEADING_MATH;
    o.eig_min = 0;
    o.eig_max = HUGE_VAL;
    CHECK(zm_parametrise(&in, 1, N, &out, &o, NULL) == ZM_OK);
    for (size_t i = 0; i < N; i++) {
        const double e = o.rho * tanh(hypot(x.p[3][i], x.p[4][i]));

        focus.p[0][i] = exp(-x.p[0][i]) / (1 - e); /* head = p/(1 - e), slowness 1/p */
        focus.p[1][i] = 1 / sqrt(1 - e * e);
        focus.p[2][i] = atan2(x.p[4][i], x.p[3][i]);
    }
    CHECK(zm_convert(ZM_FORM_FOCUS, &of, ZM_FORM_RANDERS, N, &to, &math, NULL) ==
          ZM_OK);
    for (size_t i = 0; i < N; i++)
        for (int p = 0; p < 5; p++)
            CHECK_NEAR(y.p[p][i], z.p[p][i], 1e-10 * (1 + fabs(z.p[0][i])));
}

/* h = 1e-5: truncation h^2 times third derivatives (up to some 1e3 here), rounding 1e-16/h. */
TEST(derivatives_agree_with_central_differences)
{
    const double h = 1e-5, tolerance = 1e-6;
    uint64_t state = t->seed;

    for (int way = 0; way < WAYS; way++) {
        const zm_parametrise_opts o = way_opts(way);
        const field x = random_field(&state, 0.8), c = random_field(&state, 1);
        const field d = pull(t, &x, &c, &o);

        for (int p = 0; p < 5; p++) {
            field up = x, down = x;

            for (size_t i = 0; i < N; i++) {
                up.p[p][i] += h;
                down.p[p][i] -= h;
            }
            up = value(t, &up, &o);
            down = value(t, &down, &o);
            for (size_t i = 0; i < N; i++) {
                double sum = 0, size = 1;

                for (int k = 0; k < 5; k++) {
                    sum += c.p[k][i] * (up.p[k][i] - down.p[k][i]) / (2 * h);
                    size += fabs(up.p[k][i]);
                }
                CHECK_NEAR(d.p[p][i], sum, tolerance * size * size);
            }
        }
    }
}

/* <c, J d> = <J' c, d> */
TEST(forward_and_reverse_mode_are_transposes)
{
    uint64_t state = t->seed;

    for (int way = 0; way < WAYS; way++) {
        const zm_parametrise_opts o = way_opts(way);
        const field x = random_field(&state, 1), c = random_field(&state, 1);
        const field v = random_field(&state, 1);
        const field d = pull(t, &x, &c, &o), y = push(t, &x, &v, &o);

        for (size_t i = 0; i < N; i++) {
            double left = 0, right = 0, size = 0;

            for (int p = 0; p < 5; p++) {
                left += c.p[p][i] * y.p[p][i];
                right += d.p[p][i] * v.p[p][i];
                size += fabs(c.p[p][i] * y.p[p][i]) + fabs(d.p[p][i] * v.p[p][i]);
            }
            CHECK_NEAR(left, right, rounding * (1 + size));
        }
    }
}

/* Equal eigenvalues and no drift, where angles and norms have no derivative, and whatever a network
 * may put out in its worst moments. */
TEST(derivatives_are_finite_everywhere)
{
    static const double values[] = {
        0, 1e-320, 1e-160, -1e-8, 3, -40, 700, 1e20, -1e300
    };
    enum { V = sizeof values / sizeof *values };
    uint64_t state = t->seed;
    const field c = random_field(&state, 1);

    for (int way = 0; way < WAYS; way++) {
        const zm_parametrise_opts o = way_opts(way);

        for (int trial = 0; trial < 200; trial++) {
            field x, y, d;

            for (int p = 0; p < 5; p++)
                for (size_t i = 0; i < N; i++)
                    x.p[p][i] = values[zm_random_below(&state, V)];
            y = value(t, &x, &o);
            d = pull(t, &x, &c, &o);
            for (int p = 0; p < 5; p++)
                for (size_t i = 0; i < N; i++)
                    CHECK_MSG(isfinite(y.p[p][i]) && isfinite(d.p[p][i]),
                              "way %d plane %d of (%g %g %g %g %g): %g, derivative %g",
                              way, p, x.p[0][i], x.p[1][i], x.p[2][i], x.p[3][i],
                              x.p[4][i], y.p[p][i], d.p[p][i]);
        }
    }
}

/* Every map has kernels for one lane and for the widest: they differ by roundings. */
TEST(kernels_of_all_instruction_sets_agree)
{
    const zm_cell_kernels *wide = zm_cell_kernels_find(),
                          *one = &zm_cell_kernels_scalar;
    const zm_project_opts bounds = { sizeof bounds,       0.5, 4.0, 0.8,
                                     ZM_NONFINITE_REFUSE, 1 };
    const zm_chart_map map = { 1.3, 0.1, 0.05, 0.9, true };
    uint64_t state = t->seed;
    zm_cells_values x, c, y[2];

    if (wide == one)
        test_skip(t, "this machine has one kind of kernels");
    for (int p = 0; p < ZM_CELLS_PLANES; p++)
        for (size_t i = 0; i < ZM_CELLS_BLOCK; i++) {
            x.v[p][i] = 2 * zm_random_normal(&state);
            c.v[p][i] = zm_random_normal(&state);
        }
    for (int k = 0; k < 6; k++) {
        for (int w = 0; w < 2; w++) {
            const zm_cell_kernels *kernels = w ? wide : one;

            if (k < 2)
                kernels->value[k](&map, &x, &y[w]);
            else if (k < 4)
                kernels->pull[k - 2](&map, &x, &c, &y[w]);
            else if (k == 4)
                CHECK(kernels->clamp(&bounds, &x, &y[w]));
            else
                CHECK(kernels->clamp_pull(&bounds, &x, &c, &y[w]));
        }
        for (int p = 0; p < ZM_CELLS_PLANES; p++)
            for (size_t i = 0; i < ZM_CELLS_BLOCK; i++)
                CHECK_NEAR(y[0].v[p][i], y[1].v[p][i],
                           1e-12 * (1 + fabs(y[0].v[p][i])));
    }
}

/* Cells are shared among threads, items are separate: the same bits as one by one. */
TEST(threads_and_items_change_no_bit)
{
    enum { ITEMS = 3, CELLS = 9000 };
    static double x[ITEMS][5][CELLS], y[ITEMS][5][CELLS], alone[5][CELLS];
    zm_parametrise_opts o = way_opts(2);
    uint64_t state = t->seed;
    zm_metric in[ITEMS];
    zm_metric_out out[ITEMS];

    for (size_t k = 0; k < ITEMS; k++) {
        for (int p = 0; p < 5; p++)
            for (size_t i = 0; i < CELLS; i++)
                x[k][p][i] = zm_random_normal(&state);
        in[k] = (zm_metric){ ZM_F64, x[k][0], x[k][1], x[k][2], x[k][3], x[k][4] };
        out[k] = (zm_metric_out){ y[k][0], y[k][1], y[k][2], y[k][3], y[k][4] };
    }
    o.threads = 4;
    CHECK(zm_parametrise(in, ITEMS, CELLS, out, &o, NULL) == ZM_OK);
    o.threads = 1;
    for (size_t k = 0; k < ITEMS; k++) {
        const zm_metric_out to = { alone[0], alone[1], alone[2], alone[3], alone[4] };

        CHECK(zm_parametrise(&in[k], 1, CELLS, &to, &o, NULL) == ZM_OK);
        CHECK(!memcmp(alone, y[k], sizeof alone));
    }
}

/* The first cell that is refused is named, however many threads look. */
TEST(free_values_that_are_not_finite_are_named)
{
    enum { CELLS = 30000, BAD = 17123 };
    static double x[CELLS], y[CELLS];
    const zm_metric in = { ZM_F64, x, NULL, NULL, NULL, NULL };
    const zm_metric_out out = { y, NULL, NULL, NULL, NULL };
    zm_parametrise_opts o = ZM_PARAMETRISE_OPTS_INIT;
    zm_error err;

    memset(x, 0, sizeof x);
    x[BAD] = x[BAD + 1] = x[CELLS - 1] = NAN;
    for (o.threads = 1; o.threads <= 4; o.threads++) {
        CHECK(zm_parametrise(&in, 1, CELLS, &out, &o, &err) == ZM_E_ARG);
        CHECK(err.cell == BAD && strstr(err.text, "free value"));
    }
    memset(x, 0, sizeof x);
    x[5] =
        200; /* exp(400) without a bound is no float32, and here no drift to speak of */
    o.threads = 1;
    o.eig_max = HUGE_VAL;
    CHECK(zm_parametrise(&in, 1, CELLS, &out, &o, &err) == ZM_OK);
}

/* exp(200) squared is a double, but no float. */
TEST(results_that_float32_cannot_hold_are_refused)
{
    const float x[2] = { 0, 200 };
    float y[2];
    const zm_metric in = { ZM_F32, x, NULL, NULL, NULL, NULL };
    const zm_metric_out out = { y, NULL, NULL, NULL, NULL };
    zm_parametrise_opts o = ZM_PARAMETRISE_OPTS_INIT;
    zm_error err;

    CHECK(zm_parametrise(&in, 1, 2, &out, &o, &err) == ZM_OK);
    o.eig_max = HUGE_VAL;
    CHECK(zm_parametrise(&in, 1, 2, &out, &o, &err) == ZM_E_METRIC);
    CHECK(err.cell == 1 && strstr(err.text, "eig_max"));
}

/* Eigenvalues further apart than float32 has digits, and drifts next to their bound: what is
 * rounded is admissible all the same. */
TEST(results_in_float32_are_admissible)
{
    enum { CELLS = 4000 };
    static float x[5][CELLS], y[5][CELLS];
    const zm_metric in = { ZM_F32, x[0], x[1], x[2], x[3], x[4] };
    const zm_metric_out out = { y[0], y[1], y[2], y[3], y[4] };
    const zm_problem problem = { .size = sizeof problem,
                                 .metric = { ZM_F32, y[0], y[1], y[2], y[3], y[4] } };
    const zm_grid grid = { 1, CELLS, 1, 1 };
    zm_parametrise_opts o = ZM_PARAMETRISE_OPTS_INIT;
    uint64_t state = t->seed;

    for (int p = 0; p < 5; p++)
        for (size_t i = 0; i < CELLS; i++)
            x[p][i] = (float)(10 * zm_random_normal(&state));
    for (int way = 0; way < WAYS; way++) {
        o.chart = charts[way];
        o.form = forms[way];
        CHECK(zm_parametrise(&in, 1, CELLS, &out, &o, NULL) == ZM_OK);
        CHECK(zm_problem_check(grid, &problem, NULL) == ZM_OK);
    }
}

TEST(cotangents_that_are_not_finite_are_refused_or_propagated)
{
    uint64_t state = t->seed;
    zm_parametrise_opts o = way_opts(0);
    const field x = random_field(&state, 1);
    field c = random_field(&state, 1), d;
    const zm_metric in = view(&x), d_out = view(&c);
    const zm_metric_out out = view_out(&d);
    zm_error err;

    c.p[1][70] = INFINITY;
    CHECK(zm_parametrise_vjp(&in, &d_out, 1, N, &out, &o, &err) == ZM_E_ARG);
    CHECK(err.cell == 70 && strstr(err.text, "cotangent"));
    o.nonfinite = ZM_NONFINITE_PROPAGATE;
    CHECK(zm_parametrise_vjp(&in, &d_out, 1, N, &out, &o, &err) == ZM_OK);
    for (size_t i = 0; i < N; i++)
        CHECK(isfinite(d.p[0][i]) == (i != 70));
}

TEST(wrong_arguments_are_named)
{
    static const double x[1] = { 0 };
    double y[1];
    const zm_metric in = { ZM_F64, x, NULL, NULL, NULL, NULL };
    zm_metric half = in, twelve = in;
    const zm_metric_out out = { y, NULL, NULL, NULL, NULL };
    const zm_parametrise_opts good = ZM_PARAMETRISE_OPTS_INIT;
    zm_parametrise_opts o;
    zm_error err;

#define REFUSED(change, word)                                                          \
    o = good;                                                                          \
    change;                                                                            \
    CHECK(zm_parametrise(&in, 1, 1, &out, &o, &err) == ZM_E_ARG &&                     \
          strstr(err.text, word))
    REFUSED(o.chart = (zm_chart)2, "chart");
    REFUSED(o.form = ZM_FORM_ELLIPSE, "form");
    REFUSED(o.start = 1e-7, "start");
    REFUSED(o.start = 1e7, "start");
    REFUSED(o.eig_min = -1, "eig_min");
    REFUSED(o.eig_max = o.eig_min, "eig_max");
    REFUSED(o.rho = 0, "rho");
    REFUSED(o.rho = 1, "rho");
    REFUSED(o.threads = 0, "threads");
    REFUSED(o.nonfinite = (zm_nonfinite)7, "nonfinite");
    half.b1 = x;
    CHECK(zm_parametrise(&half, 1, 1, &out, NULL, &err) == ZM_E_ARG &&
          strstr(err.text, "b2"));
    twelve.g12 = x;
    CHECK(zm_parametrise(&twelve, 1, 1, &out, NULL, &err) == ZM_E_ARG &&
          strstr(err.text, "g12"));
    CHECK(zm_parametrise(NULL, 1, 1, &out, NULL, &err) == ZM_E_ARG);
    CHECK(zm_parametrise_vjp(&in, NULL, 1, 1, &out, NULL, &err) == ZM_E_ARG);
}
