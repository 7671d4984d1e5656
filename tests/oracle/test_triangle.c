/* SPDX-License-Identifier: Apache-2.0
 * The closed form of the local update against minimisation by search. */
#include "check.h"
#include "eikonal/local/triangle.h"

typedef struct triangle_case {
    zm_cell_metric m;
    int k;
    double T1, T2;
} triangle_case;

/* Cost of arriving through the point w m1 + (1-w) m2 of the far edge, from the definition
 * F(v) = sqrt(v' G v) - b.v with v = -(w m1 + (1-w) m2). */
static double cost(const triangle_case *c, double w)
{
    static const double x[8] = { -1, -1, -1, 0, 1, 1, 1, 0 };
    static const double y[8] = { -1, 0, 1, 1, 1, 0, -1, -1 };
    const int next = (c->k + 1) % 8;
    const double vx = -(w * x[c->k] + (1 - w) * x[next]);
    const double vy = -(w * y[c->k] + (1 - w) * y[next]);

    return w * c->T1 + (1 - w) * c->T2 +
           sqrt(c->m.g11 * vx * vx + 2 * c->m.g12 * vx * vy + c->m.g22 * vy * vy) -
           c->m.b1 * vx - c->m.b2 * vy;
}

/* Golden-section search; the cost is convex in w. */
static double least_cost(const triangle_case *c)
{
    const double golden = 0.6180339887498949;
    double low = 0, high = 1;

    for (int i = 0; i < 80; i++) {
        const double left = high - golden * (high - low);
        const double right = low + golden * (high - low);

        if (cost(c, left) < cost(c, right))
            high = right;
        else
            low = left;
    }
    return fmin(cost(c, 0.5 * (low + high)), fmin(cost(c, 0), cost(c, 1)));
}

/* Eigenvalues of ratio up to 1000 at any angle, drift norm below 1, donors up to two steps
 * apart, so that all three branches are taken. */
static triangle_case random_triangle(uint64_t *state)
{
    const double ratio = exp(log(1000.0) / 2 * zm_random_unit(state));
    const double angle = 3.2 * zm_random_unit(state), norm = zm_random_unit(state);
    const double heading = 6.3 * zm_random_unit(state);
    const double c = cos(angle), s = sin(angle), along = sqrt(ratio),
                 across = 1 / along;
    /* b = sqrt(G) (unit vector) norm has |b|_{G^-1} = norm */
    const double p = norm * along * cos(heading), q = norm * across * sin(heading);
    triangle_case t = { .m = { ratio * c * c + s * s / ratio,
                               (ratio - 1 / ratio) * c * s,
                               ratio * s * s + c * c / ratio, 0, 0 },
                        .k = (int)zm_random_below(state, 8),
                        .T1 = 10 * zm_random_unit(state) };

    t.m.b1 = c * p - s * q;
    t.m.b2 = s * p + c * q;
    t.T2 = t.T1 + (zm_random_unit(state) - 0.5) * 2 * along;
    return t;
}

static zm_local_update update_of(const triangle_case *c)
{
    const zm_local_cell s = zm_local_cell_make(c->m);
    const int next = (c->k + 1) % 8;

    return zm_triangle(&s.shape[c->k % 4], c->T1 + s.drift[c->k],
                       c->T2 + s.drift[next]);
}

enum { TRIANGLES = 20000 };

/* The search stops 1e-17 short of the minimiser, where the cost is flat; what is left is
 * rounding: T up to 12 and coefficients of conditioning up to 1000, a few 1e-13. */
TEST(closed_form_is_the_minimum_over_the_edge)
{
    const double tolerance = 1e-12;
    uint64_t state = t->seed;
    int inside = 0;

    for (int i = 0; i < TRIANGLES; i++) {
        const triangle_case c = random_triangle(&state);
        const zm_local_update u = update_of(&c);

        CHECK_NEAR(u.T0, least_cost(&c), tolerance);
        CHECK_NEAR(cost(&c, u.w), u.T0, tolerance); /* and w is where it is taken */
        CHECK(u.w >= 0 && u.w <= 1);
        inside += u.w > 0 && u.w < 1;
    }
    CHECK_MSG(inside > TRIANGLES / 5 && inside < TRIANGLES * 4 / 5,
              "%d of %d are two-point updates", inside, TRIANGLES);
}

/* F > 0, so a front is later than the earlier of its donors; that is why triangles without
 * an earlier donor may be skipped. */
TEST(update_is_later_than_the_earlier_donor)
{
    uint64_t state = t->seed;

    for (int i = 0; i < TRIANGLES; i++) {
        const triangle_case c = random_triangle(&state);

        CHECK(update_of(&c).T0 > fmin(c.T1, c.T2));
    }
}

/* A minimum of functions that grow with T1 and T2 grows with them; this is what makes the
 * fixed point unique.  1e-13 for rounding. */
TEST(update_grows_with_each_donor)
{
    uint64_t state = t->seed;

    for (int i = 0; i < TRIANGLES; i++) {
        const triangle_case c = random_triangle(&state);
        triangle_case later1 = c, later2 = c;

        later1.T1 += zm_random_unit(&state);
        later2.T2 += zm_random_unit(&state);
        CHECK(update_of(&later1).T0 >= update_of(&c).T0 - 1e-13);
        CHECK(update_of(&later2).T0 >= update_of(&c).T0 - 1e-13);
    }
}

/* With one donor missing the update is exactly that of the other one. */
TEST(missing_donor_leaves_the_one_point_update)
{
    uint64_t state = t->seed;

    for (int i = 0; i < TRIANGLES / 10; i++) {
        triangle_case c = random_triangle(&state);
        const zm_local_cell s = zm_local_cell_make(c.m);
        const int next = (c.k + 1) % 8;
        const double T1 = c.T1, T2 = c.T2;

        c.T1 = INFINITY;
        CHECK(update_of(&c).T0 == T2 + s.drift[next] + s.shape[c.k % 4].length2);
        CHECK(update_of(&c).w == 0);
        c.T2 = INFINITY;
        CHECK(update_of(&c).T0 == INFINITY);
        c.T1 = T1;
        CHECK(update_of(&c).T0 == T1 + s.drift[c.k] + s.shape[c.k % 4].length1);
        CHECK(update_of(&c).w == 1);
    }
}
