/* SPDX-License-Identifier: Apache-2.0
 * Projections onto admissible metrics and drifts, and their derivatives. */
#include <string.h>

#include "check.h"
#include "zermelo/zermelo.h"

typedef struct cell {
    double x[5]; /* g11, g12, g22, b1, b2 */
} cell;

static const zm_project_opts bounds = {
    sizeof bounds, 0.5, 4.0, 0.8, ZM_NONFINITE_REFUSE, 1
};

static zm_metric view(const cell *c)
{
    return (zm_metric){ ZM_F64, &c->x[0], &c->x[1], &c->x[2], &c->x[3], &c->x[4] };
}

static zm_metric_out view_out(cell *c)
{
    return (zm_metric_out){ &c->x[0], &c->x[1], &c->x[2], &c->x[3], &c->x[4] };
}

static cell project(test_run *t, const cell *c, const zm_project_opts *opts)
{
    cell out = { { NAN, NAN, NAN, NAN, NAN } };
    const zm_metric in = view(c);
    const zm_metric_out to = view_out(&out);

    CHECK(zm_project(&in, 1, &to, opts, NULL) == ZM_OK);
    return out;
}

static cell pull_back(test_run *t, const cell *c, const cell *cotangent,
                      const zm_project_opts *opts)
{
    cell out = { { NAN, NAN, NAN, NAN, NAN } };
    const zm_metric in = view(c), d_out = view(cotangent);
    const zm_metric_out to = view_out(&out);

    CHECK(zm_project_vjp(&in, &d_out, 1, &to, opts, NULL) == ZM_OK);
    return out;
}

/* Eigenvalues from -2 to 8, so that none, one or both are clamped, and drift norms from
 * 0 to about 3. */
static cell random_cell(uint64_t *state)
{
    const double m = 3 + 2.5 * zm_random_normal(state), r = 3 * zm_random_unit(state);
    const double angle = 6.3 * zm_random_unit(state);

    return (cell){ { m + r * cos(angle), r * sin(angle), m - r * cos(angle),
                     zm_random_normal(state), zm_random_normal(state) } };
}

static double eigenvalue(const cell *c, int sign)
{
    return (c->x[0] + c->x[2]) / 2 + sign * hypot((c->x[0] - c->x[2]) / 2, c->x[1]);
}

static double drift_norm(const cell *c)
{
    const double *x = c->x, det = x[0] * x[2] - x[1] * x[1];

    return sqrt((x[3] * x[3] * x[2] - 2 * x[3] * x[4] * x[1] + x[4] * x[4] * x[0]) /
                det);
}

enum { CELLS = 5000 };
static const double rounding = 1e-14; /* values are of order 1 */

TEST(projected_cells_are_within_the_bounds)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        const cell c = random_cell(&state), p = project(t, &c, &bounds);

        CHECK(eigenvalue(&p, -1) >= bounds.eig_min - rounding);
        CHECK(eigenvalue(&p, +1) <= bounds.eig_max + rounding);
        CHECK(drift_norm(&p) <= bounds.rho + rounding);
    }
}

/* P(P(x)) = P(x): what is projected lies on or inside the bounds. */
TEST(projecting_twice_is_projecting_once)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        const cell c = random_cell(&state), p = project(t, &c, &bounds);
        const cell pp = project(t, &p, &bounds);

        for (int k = 0; k < 5; k++)
            CHECK_NEAR(pp.x[k], p.x[k], rounding);
    }
}

TEST(admissible_cells_are_returned_bit_for_bit)
{
    uint64_t state = t->seed;
    int kept = 0;

    for (int i = 0; i < CELLS; i++) {
        const cell c = random_cell(&state), p = project(t, &c, &bounds);

        if (eigenvalue(&c, -1) >= bounds.eig_min &&
            eigenvalue(&c, +1) <= bounds.eig_max) {
            CHECK(!memcmp(c.x, p.x, 3 * sizeof c.x[0]));
            if (drift_norm(&c) < bounds.rho) {
                CHECK(!memcmp(&c, &p, sizeof c));
                kept++;
            }
        }
    }
    CHECK(kept > CELLS / 50);
}

/* Eigenvectors are kept: the projected metric commutes with the original one. */
TEST(eigenvectors_are_kept)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        const cell c = random_cell(&state), p = project(t, &c, &bounds);

        CHECK_NEAR((c.x[0] - c.x[2]) * p.x[1], (p.x[0] - p.x[2]) * c.x[1],
                   10 * rounding);
    }
}

/* How far a cell is from the nearest kink of the projection. */
static double distance_to_kink(const cell *c, test_run *t)
{
    const cell p = project(t, c, &bounds);
    const double plus = eigenvalue(c, +1), minus = eigenvalue(c, -1);
    cell g = p; /* projected metric with the original drift */

    g.x[3] = c->x[3];
    g.x[4] = c->x[4];
    return fmin(fmin(fmin(fabs(plus - bounds.eig_min), fabs(plus - bounds.eig_max)),
                     fmin(fabs(minus - bounds.eig_min), fabs(minus - bounds.eig_max))),
                fabs(drift_norm(&g) - bounds.rho));
}

/* d<c, P(x)>/dx_k by central differences. */
static double difference(test_run *t, const cell *c, const cell *cotangent, int k,
                         double h)
{
    cell up = *c, down = *c;
    double sum = 0;

    up.x[k] += h;
    down.x[k] -= h;
    up = project(t, &up, &bounds);
    down = project(t, &down, &bounds);
    for (int i = 0; i < 5; i++)
        sum += cotangent->x[i] * (up.x[i] - down.x[i]);
    return sum / (2 * h);
}

/* h = 1e-5: rounding 1e-16/h = 1e-11, truncation h^2 times third derivatives that grow as
 * 1/r^2 where eigenvalues nearly meet (r > 0.02 here) and 1/norm^3. */
TEST(derivative_agrees_with_central_differences)
{
    const double h = 1e-5, tolerance = 1e-7;
    uint64_t state = t->seed;
    int checked = 0;

    for (int i = 0; i < CELLS; i++) {
        const cell c = random_cell(&state), cotangent = random_cell(&state);
        const cell d = pull_back(t, &c, &cotangent, &bounds);

        if (distance_to_kink(&c, t) < 10 * h ||
            eigenvalue(&c, 1) - eigenvalue(&c, -1) < 0.04)
            continue;
        for (int k = 0; k < 5; k++)
            CHECK_NEAR(d.x[k], difference(t, &c, &cotangent, k, h),
                       tolerance * (1 + fabs(d.x[k])));
        checked++;
    }
    CHECK(checked > CELLS * 9 / 10);
}

/* Equal eigenvalues, where an angle would be atan2(0, 0): inside the bounds the map is the
 * identity; outside, G' is the bound times I whatever G is nearby, so nothing passes. */
TEST(equal_eigenvalues_have_the_limit_derivative)
{
    const cell cotangent = { { 0.3, -0.7, 1.1, 0.2, 0.5 } };
    const cell inside = { { 2, 0, 2, 0.1, 0.2 } }, outside = { { 7, 0, 7, 0.1, 0.2 } };
    const cell below = { { -1, 0, -1, 0, 0 } }, at = { { 4, 0, 4, 0, 0 } };
    const cell d_inside = pull_back(t, &inside, &cotangent, &bounds);
    const cell d_outside = pull_back(t, &outside, &cotangent, &bounds);
    const cell d_below = pull_back(t, &below, &cotangent, &bounds);
    const cell d_at = pull_back(t, &at, &cotangent, &bounds);

    for (int k = 0; k < 5; k++) {
        CHECK(d_inside.x[k] == cotangent.x[k]);
        CHECK(d_outside.x[k] == (k < 3 ? 0 : cotangent.x[k]));
        CHECK(d_below.x[k] == (k < 3 ? 0 : cotangent.x[k]));
        CHECK(d_at.x[k] == cotangent.x[k]); /* on the kink: the inactive side */
    }
}

/* Approaching equal eigenvalues outside the bounds from any side the derivative of one
 * clamped cell stays bounded by its cotangent: clamping is a contraction. */
TEST(derivative_is_a_contraction_near_equal_eigenvalues)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        const double r = exp(-40 * zm_random_unit(&state)),
                     angle = 6.3 * zm_random_unit(&state);
        const double m = zm_random_below(&state, 2) ? bounds.eig_max : bounds.eig_min;
        const cell c = { { m + r * cos(angle), r * sin(angle), m - r * cos(angle), 0,
                           0 } };
        cell u = random_cell(&state);
        double size = 0, pulled = 0;
        cell d;

        u.x[3] = u.x[4] = 0;
        d = pull_back(t, &c, &u, &bounds);
        /* in the norm that counts the off-diagonal entry twice, g12_ counts half */
        for (int k = 0; k < 3; k++) {
            size += (k == 1 ? 0.5 : 1) * u.x[k] * u.x[k];
            pulled += (k == 1 ? 0.5 : 1) * d.x[k] * d.x[k];
        }
        CHECK(pulled <= size * (1 + rounding));
    }
}

/* Zero drift has norm 0 <= rho: the identity, also for rho = 0. */
TEST(zero_drift_passes_derivatives_unchanged)
{
    const zm_project_opts no_drift = { sizeof no_drift,     0.5, 4.0, 0.0,
                                       ZM_NONFINITE_REFUSE, 1 };
    const cell c = { { 2, 0.3, 1, 0, 0 } }, u = { { 1, 2, 3, 4, 5 } };
    const cell d = pull_back(t, &c, &u, &bounds), d0 = pull_back(t, &c, &u, &no_drift);

    CHECK(!memcmp(&d, &u, sizeof u));
    CHECK(!memcmp(&d0, &u, sizeof u));
}

TEST(rho_zero_removes_all_drift)
{
    const zm_project_opts no_drift = { sizeof no_drift,     0.5, 4.0, 0.0,
                                       ZM_NONFINITE_REFUSE, 1 };
    const cell c = { { 2, 0.3, 1, 0.1, -0.2 } }, u = { { 0, 0, 0, 4, 5 } };
    const cell p = project(t, &c, &no_drift), d = pull_back(t, &c, &u, &no_drift);

    CHECK(p.x[3] == 0 && p.x[4] == 0);
    for (int k = 0; k < 5; k++)
        CHECK(d.x[k] == 0);
}

/* Huge, tiny and needle-like input: everything stays finite. */
TEST(extreme_input_stays_finite)
{
    const zm_project_opts open = { sizeof open,         1e-6, HUGE_VAL, 0.99,
                                   ZM_NONFINITE_REFUSE, 1 };
    const double values[] = { 0, 1e-300, -1e-12, 1, 3e8, -1e150, 1e300 };
    enum { N = sizeof values / sizeof values[0] };
    const cell u = { { 1, 1, 1, 1, 1 } };

    for (int code = 0; code < N * N * N * N * N; code += 7) {
        cell c, p, d;

        for (int k = 0, rest = code; k < 5; k++, rest /= N)
            c.x[k] = values[rest % N];
        p = project(t, &c, &open);
        d = pull_back(t, &c, &u, &open);
        for (int k = 0; k < 5; k++)
            CHECK_MSG(isfinite(p.x[k]) && isfinite(d.x[k]),
                      "plane %d of (%g %g %g %g %g): %g, derivative %g", k, c.x[0],
                      c.x[1], c.x[2], c.x[3], c.x[4], p.x[k], d.x[k]);
    }
}

/* What is projected can be solved with: zm_problem_check agrees. */
TEST(projected_cells_pass_the_problem_check)
{
    uint64_t state = t->seed;
    const zm_grid one = { 1, 1, 1, 1 };

    for (int i = 0; i < CELLS; i++) {
        const cell c = random_cell(&state), p = project(t, &c, NULL);
        const zm_problem problem = { .size = sizeof(zm_problem), .metric = view(&p) };

        CHECK(zm_problem_check(one, &problem, NULL) == ZM_OK);
    }
}

/* float32 in and out, computed in double: each value rounds once. */
TEST(float32_rounds_the_float64_result)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        const cell c = random_cell(&state);
        float x[5], y[5];
        cell rounded, p;
        const zm_metric in = { ZM_F32, &x[0], &x[1], &x[2], &x[3], &x[4] };
        const zm_metric_out out = { &y[0], &y[1], &y[2], &y[3], &y[4] };

        for (int k = 0; k < 5; k++)
            rounded.x[k] = x[k] = (float)c.x[k];
        p = project(t, &rounded, &bounds);
        CHECK(zm_project(&in, 1, &out, &bounds, NULL) == ZM_OK);
        for (int k = 0; k < 5; k++)
            CHECK(y[k] == (float)p.x[k]);
    }
}

TEST(projection_in_place_gives_the_same)
{
    uint64_t state = t->seed;
    cell c = random_cell(&state), u = random_cell(&state);
    const cell p = project(t, &c, &bounds), d = pull_back(t, &c, &u, &bounds);
    const zm_metric in = view(&c), d_out = view(&u);
    const zm_metric_out out = view_out(&c), d_in = view_out(&u);

    CHECK(zm_project_vjp(&in, &d_out, 1, &d_in, &bounds, NULL) == ZM_OK);
    CHECK(!memcmp(&u, &d, sizeof u));
    CHECK(zm_project(&in, 1, &out, &bounds, NULL) == ZM_OK);
    CHECK(!memcmp(&c, &p, sizeof c));
}

TEST(bad_arguments_are_named)
{
    cell c = { { 1, 0, 1, 0, 0 } }, out;
    zm_metric in = view(&c);
    zm_metric_out to = view_out(&out);
    zm_project_opts o = bounds;
    zm_error err;

    o.eig_min = 0;
    CHECK(zm_project(&in, 1, &to, &o, &err) == ZM_E_ARG && strstr(err.text, "eig_min"));
    o = bounds;
    o.eig_max = 0.1;
    CHECK(zm_project(&in, 1, &to, &o, &err) == ZM_E_ARG && strstr(err.text, "eig_max"));
    o = bounds;
    o.rho = 1;
    CHECK(zm_project(&in, 1, &to, &o, &err) == ZM_E_ARG && strstr(err.text, "rho"));
    in.g12 = NULL;
    CHECK(zm_project(&in, 1, &to, &bounds, &err) == ZM_E_ARG &&
          strstr(err.text, "g12"));
    in = view(&c);
    in.b2 = NULL;
    CHECK(zm_project(&in, 1, &to, &bounds, &err) == ZM_E_ARG && strstr(err.text, "b2"));
    in = view(&c);
    to.g22 = NULL;
    CHECK(zm_project(&in, 1, &to, &bounds, &err) == ZM_E_ARG &&
          strstr(err.text, "output"));
    to = view_out(&out);
    c.x[1] = NAN;
    CHECK(zm_project(&in, 1, &to, &bounds, &err) == ZM_E_ARG && err.cell == 0 &&
          strstr(err.text, "finite"));
}
