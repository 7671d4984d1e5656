/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of the conversions between forms of a front. */
#include <string.h>

#include "support/fronts.h"

enum { CELLS = 400 };

/* Every conversion, those by way of another form included. */
typedef struct pair {
    zm_form from, to;
} pair;
static const pair pairs[] = {
    { ZM_FORM_ZERMELO, ZM_FORM_RANDERS }, { ZM_FORM_RANDERS, ZM_FORM_ZERMELO },
    { ZM_FORM_ELLIPSE, ZM_FORM_RANDERS }, { ZM_FORM_FOCUS, ZM_FORM_RANDERS },
    { ZM_FORM_ZERMELO, ZM_FORM_ELLIPSE }, { ZM_FORM_RANDERS, ZM_FORM_ELLIPSE },
    { ZM_FORM_ELLIPSE, ZM_FORM_ZERMELO }, { ZM_FORM_FOCUS, ZM_FORM_ZERMELO },
    { ZM_FORM_FOCUS, ZM_FORM_ELLIPSE },   { ZM_FORM_RANDERS, ZM_FORM_RANDERS },
};
enum { N_PAIRS = sizeof pairs / sizeof *pairs };

/* Tilted ellipses are accepted: then every cell of five values has derivatives. */
static const zm_convert_opts compass = {
    sizeof compass, ZM_HEADING_COMPASS, 1, NULL, ZM_NONFINITE_REFUSE
};
static const zm_convert_opts radians = {
    sizeof radians, ZM_HEADING_MATH, 1, NULL, ZM_NONFINITE_REFUSE
};

static const zm_convert_opts *opts_of(int i)
{
    return i % 2 ? &radians : &compass;
}

static front push(test_run *t, pair p, const front *x, const front *dx,
                  const zm_convert_opts *opts)
{
    front dy = { { NAN, NAN, NAN, NAN, NAN } };
    const zm_form_in in = front_in(p.from, x), d_in = front_in(p.from, dx);
    const zm_form_out out = front_out(p.to, &dy);

    CHECK(zm_convert_jvp(p.from, &in, p.to, &d_in, 1, &out, opts, NULL) == ZM_OK);
    return dy;
}

static front pull(test_run *t, pair p, const front *x, const front *cy,
                  const zm_convert_opts *opts)
{
    front cx = { { NAN, NAN, NAN, NAN, NAN } };
    const zm_form_in in = front_in(p.from, x), d_out = front_in(p.to, cy);
    const zm_form_out out = front_out(p.from, &cx);

    CHECK(zm_convert_vjp(p.from, &in, p.to, &d_out, 1, &out, opts, NULL) == ZM_OK);
    return cx;
}

/* A direction in proportion to the cell, so that small steps stay admissible: matrices move
 * by a fraction of sqrt(m_ii m_jj), vectors of their own size and rates likewise. */
static front random_direction(uint64_t *state, zm_form form, const front *f)
{
    const double *x = f->x;
    const double vector = hypot(x[3], x[4]), off = sqrt(fabs(x[0] * x[2]));
    const double matrix[5] = { x[0], off, x[2], vector, vector };
    const double ellipse[5] = { x[0], x[1], x[2], 1, 0 };
    const double focus[5] = { x[0], x[1] - 1, 1, 0, 0 };
    const double *size = form == ZM_FORM_FOCUS     ? focus
                         : form == ZM_FORM_ELLIPSE ? ellipse
                                                   : matrix;
    front d = { { 0 } };

    for (int k = 0; k < front_planes(form); k++)
        d.x[k] = size[k] * zm_random_normal(state);
    return d;
}

static front moved(const front *x, const front *d, double step)
{
    front y = *x;

    for (int k = 0; k < ZM_FORM_PLANES; k++)
        y.x[k] += step * d->x[k];
    return y;
}

/* Central differences of step h are off by h^2 f''' and by rounding/h, together about 1e-9
 * of the values; strong cells (norm up to 0.9) amplify it. */
TEST(jvp_agrees_with_central_differences)
{
    const double h = 1e-5;
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS * N_PAIRS; i++) {
        const pair p = pairs[i % N_PAIRS];
        const zm_convert_opts *opts = opts_of(i / N_PAIRS);
        const front x = front_random(&state, p.from, 0.1, 9);
        const front dx = random_direction(&state, p.from, &x);
        const front after = moved(&x, &dx, h), before = moved(&x, &dx, -h);
        const front dy = push(t, p, &x, &dx, opts);
        const front y = front_convert(t, p.from, &x, p.to, opts);
        const front plus = front_convert(t, p.from, &after, p.to, opts);
        const front minus = front_convert(t, p.from, &before, p.to, opts);

        for (int k = 0; k < front_planes(p.to); k++) {
            const double turn = opts == &radians ? 6.283185307179586 : 360;
            double change = plus.x[k] - minus.x[k], size = fabs(dy.x[k]);

            if (p.to == ZM_FORM_ELLIPSE && k == 3)
                change = remainder(change, turn);
            else
                size += fabs(y.x[k]) + (k == 1 ? sqrt(y.x[0] * fabs(y.x[2])) : 0) +
                        (k > 2 ? hypot(y.x[3], y.x[4]) : 0);
            CHECK_MSG(fabs(change / (2 * h) - dy.x[k]) <= 1e-5 * size + 1e-8,
                      "form %d to %d, plane %d: %.9g by differences, %.9g", p.from,
                      p.to, k, change / (2 * h), dy.x[k]);
        }
    }
}

/* <c, J d> = <J' c, d> holds to rounding, also for strong cells: the terms of both sums are
 * of one size if c counts each plane in its own unit. */
TEST(vjp_is_the_transpose_of_jvp)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS * N_PAIRS; i++) {
        const pair p = pairs[i % N_PAIRS];
        const zm_convert_opts *opts = opts_of(i / N_PAIRS);
        const front x = front_random(&state, p.from, 0.01, 16);
        const front dx = random_direction(&state, p.from, &x);
        const front dy = push(t, p, &x, &dx, opts);
        const front y = front_convert(t, p.from, &x, p.to, opts);
        front c = { { 0 } }, cx;
        double left = 0, right = 0, size = 0;

        for (int k = 0; k < front_planes(p.to); k++)
            c.x[k] = zm_random_normal(&state) / (fabs(y.x[k]) + fabs(dy.x[k]) + 1e-9);
        cx = pull(t, p, &x, &c, opts);
        for (int k = 0; k < front_planes(p.to); k++)
            left += c.x[k] * dy.x[k];
        for (int k = 0; k < front_planes(p.from); k++) {
            right += cx.x[k] * dx.x[k];
            size += fabs(cx.x[k] * dx.x[k]);
        }
        CHECK_MSG(fabs(left - right) <= 1e-11 * (1 + size),
                  "form %d to %d: %.17g and %.17g", p.from, p.to, left, right);
    }
}

/* There and back is the identity, so its Jacobian is, too. */
TEST(derivatives_of_there_and_back_undo_each_other)
{
    const pair there = { ZM_FORM_ZERMELO, ZM_FORM_RANDERS };
    const pair back = { ZM_FORM_RANDERS, ZM_FORM_ZERMELO };
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        const front x = front_random(&state, ZM_FORM_ZERMELO, 0.05, 16);
        const front dx = random_direction(&state, ZM_FORM_ZERMELO, &x);
        const front y = front_convert(t, ZM_FORM_ZERMELO, &x, ZM_FORM_RANDERS, NULL);
        const front dy = push(t, there, &x, &dx, NULL);
        const front again = push(t, back, &y, &dy, NULL);

        for (int k = 0; k < 5; k++) {
            const double size = k < 3 ? x.x[0] + x.x[2] : hypot(x.x[3], x.x[4]);

            CHECK_NEAR((again.x[k] - dx.x[k]) / size, 0, 1e-9);
        }
    }
}

/* b = 0: the ellipse heads along its longer axis and stays there; head and back go apart by
 * what b does along it.  Everything is finite. */
TEST(without_drift_the_heading_stays)
{
    const pair p = { ZM_FORM_RANDERS, ZM_FORM_ELLIPSE };
    const front x = { { 0.25, 0, 1, 0, 0 } }, dx = { { 0, 0.3, 0, 0.1, 0.2 } };
    const front grow = { { 0.5, 0, 0, 0, 0 } }, c = { { 1, 2, 3, 4 } };
    front dy = push(t, p, &x, &dx, &radians), cx = pull(t, p, &x, &c, &radians);

    /* 1/F(u) with F(u) = 1/2 - b.u: the rate 2 changes by 4 b.u */
    CHECK_NEAR(dy.x[0], 0.4, 1e-15);
    CHECK_NEAR(dy.x[1], 0, 1e-15);
    CHECK_NEAR(dy.x[2], -0.4, 1e-15);
    CHECK(dy.x[3] == 0);
    CHECK_NEAR(cx.x[3], (1 - 3) * 4.0, 1e-14);
    CHECK(cx.x[4] == 0);
    /* reach = g11^-1/2 and flank = g22^-1/2 */
    dy = push(t, p, &x, &grow, &radians);
    CHECK_NEAR(dy.x[0], -0.5 * 8 * 0.5, 1e-15);
    CHECK_NEAR(dy.x[2], -0.5 * 8 * 0.5, 1e-15);
    CHECK_NEAR(dy.x[1], 0, 1e-15);
}

/* LB = 1: e = sqrt(1 - 1/LB^2) has no finite slope, so the derivative by LB is taken as 0;
 * that by head is -2 dR/R^3, and a circle has no heading. */
TEST(at_length_to_breadth_one_derivatives_are_finite)
{
    const pair p = { ZM_FORM_FOCUS, ZM_FORM_RANDERS };
    const front x = { { 2, 1, 30 } }, c = { { 1, 1, 1, 1, 1 } };
    const front cx = pull(t, p, &x, &c, NULL);

    CHECK_NEAR(cx.x[0], -2 * 2.0 / 8, 1e-15);
    CHECK(cx.x[1] == 0 && cx.x[2] == 0);
}

/* An isotropic h is one parameter: its derivative is the sum of those by h11 and h22, and
 * its change moves both. */
TEST(a_shared_diagonal_is_one_parameter)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        front x = { { 2 + zm_random_unit(&state), 0, 0, 0, 0 } };
        front dx = { { zm_random_normal(&state), 0, 0, zm_random_normal(&state), 0 } };
        front c, one = { { NAN, NAN, NAN, NAN, NAN } }, d = one, both, push_both;
        zm_form_in in = { ZM_F64, { &x.x[0], NULL, NULL, &x.x[3], &x.x[4] } };
        zm_form_in d_in = { ZM_F64, { &dx.x[0], NULL, NULL, &dx.x[3], NULL } };
        const zm_form_in d_out = front_in(ZM_FORM_RANDERS, &c);
        const zm_form_out to = { { &one.x[0], NULL, NULL, &one.x[3], &one.x[4] } };
        const zm_form_out to_randers = front_out(ZM_FORM_RANDERS, &d);

        for (int k = 0; k < 5; k++)
            c.x[k] = zm_random_normal(&state);
        x.x[2] = x.x[0];
        dx.x[2] = dx.x[0];
        x.x[3] = 0.4 * zm_random_unit(&state);
        x.x[4] = 0.3 * zm_random_unit(&state);
        CHECK(zm_convert_vjp(ZM_FORM_ZERMELO, &in, ZM_FORM_RANDERS, &d_out, 1, &to,
                             NULL, NULL) == ZM_OK);
        CHECK(zm_convert_jvp(ZM_FORM_ZERMELO, &in, ZM_FORM_RANDERS, &d_in, 1,
                             &to_randers, NULL, NULL) == ZM_OK);
        both = pull(t, pairs[0], &x, &c, NULL);
        push_both = push(t, pairs[0], &x, &dx, NULL);
        CHECK(one.x[0] == both.x[0] + both.x[2]);
        CHECK(one.x[3] == both.x[3] && one.x[4] == both.x[4]);
        CHECK(!memcmp(&d, &push_both, sizeof d));
    }
}

/* Cotangents left out are zero, derivatives not wanted are not computed. */
TEST(planes_left_out_are_zero_or_not_wanted)
{
    const front e = { { 3, 1, 0.5, 40 } }, c = { { 0, 0, 0, 2, 3 } };
    const front full = pull(t, pairs[2], &e, &c, NULL);
    const zm_form_in in = front_in(ZM_FORM_ELLIPSE, &e);
    const zm_form_in some = { ZM_F64, { NULL, NULL, NULL, &c.x[3], &c.x[4] } };
    double heading = NAN;
    const zm_form_out only = { { NULL, NULL, NULL, &heading } };

    CHECK(zm_convert_vjp(ZM_FORM_ELLIPSE, &in, ZM_FORM_RANDERS, &some, 1, &only, NULL,
                         NULL) == ZM_OK);
    CHECK(heading == full.x[3]);
}
