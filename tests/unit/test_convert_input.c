/* SPDX-License-Identifier: Apache-2.0
 * Conversions of fields: number types, walls, arrays in place, and what is refused. */
#include <string.h>

#include "support/fronts.h"

enum { N = 40 };

/* N cells as planes. */
typedef struct field {
    double plane[ZM_FORM_PLANES][N];
} field;

static zm_form_in field_in(zm_form form, const field *f)
{
    zm_form_in in = { .dtype = ZM_F64 };

    for (int k = 0; k < front_planes(form); k++)
        in.plane[k] = f->plane[k];
    return in;
}

static zm_form_out field_out(zm_form form, field *f)
{
    zm_form_out out = { { NULL } };

    for (int k = 0; k < front_planes(form); k++)
        out.plane[k] = f->plane[k];
    return out;
}

static field random_field(uint64_t *state, zm_form form)
{
    field f = { 0 };

    for (int i = 0; i < N; i++) {
        const front cell = front_random(state, form, 0.1, 9);

        for (int k = 0; k < ZM_FORM_PLANES; k++)
            f.plane[k][i] = cell.x[k];
    }
    return f;
}

static front cell_of(const field *f, int i)
{
    front c;

    for (int k = 0; k < ZM_FORM_PLANES; k++)
        c.x[k] = f->plane[k][i];
    return c;
}

TEST(a_field_is_its_cells_one_by_one)
{
    uint64_t state = t->seed;
    const field z = random_field(&state, ZM_FORM_ZERMELO);
    const zm_form_in in = field_in(ZM_FORM_ZERMELO, &z);
    field r;
    const zm_form_out out = field_out(ZM_FORM_RANDERS, &r);

    CHECK(zm_convert(ZM_FORM_ZERMELO, &in, ZM_FORM_RANDERS, N, &out, NULL, NULL) ==
          ZM_OK);
    for (int i = 0; i < N; i++) {
        const front cell = cell_of(&z, i), converted = cell_of(&r, i);
        const front one =
            front_convert(t, ZM_FORM_ZERMELO, &cell, ZM_FORM_RANDERS, NULL);

        CHECK(!memcmp(&one, &converted, sizeof one));
    }
}

TEST(in_place_gives_the_same)
{
    uint64_t state = t->seed;
    field z = random_field(&state, ZM_FORM_ZERMELO), r, c, d;
    const zm_form_in in = field_in(ZM_FORM_ZERMELO, &z);
    const zm_form_in d_out = field_in(ZM_FORM_RANDERS, &c);
    const zm_form_out out = field_out(ZM_FORM_RANDERS, &r);
    const zm_form_out d_in = field_out(ZM_FORM_ZERMELO, &d);
    const zm_form_out over_in = field_out(ZM_FORM_RANDERS, &z);
    const zm_form_out over_c = field_out(ZM_FORM_ZERMELO, &c);

    for (int k = 0; k < ZM_FORM_PLANES; k++)
        for (int i = 0; i < N; i++)
            c.plane[k][i] = zm_random_normal(&state);
    CHECK(zm_convert_vjp(ZM_FORM_ZERMELO, &in, ZM_FORM_RANDERS, &d_out, N, &d_in, NULL,
                         NULL) == ZM_OK);
    CHECK(zm_convert_vjp(ZM_FORM_ZERMELO, &in, ZM_FORM_RANDERS, &d_out, N, &over_c,
                         NULL, NULL) == ZM_OK);
    CHECK(!memcmp(&c, &d, sizeof c));
    CHECK(zm_convert(ZM_FORM_ZERMELO, &in, ZM_FORM_RANDERS, N, &out, NULL, NULL) ==
          ZM_OK);
    CHECK(zm_convert(ZM_FORM_ZERMELO, &in, ZM_FORM_RANDERS, N, &over_in, NULL, NULL) ==
          ZM_OK);
    CHECK(!memcmp(&z, &r, sizeof z));
}

/* float32 in and out, computed in double: each value rounds once. */
TEST(float32_rounds_the_float64_result)
{
    uint64_t state = t->seed;

    for (int form = ZM_FORM_ZERMELO; form <= ZM_FORM_FOCUS; form++) {
        for (int i = 0; i < 500; i++) {
            front x = front_random(&state, (zm_form)form, 0.1, 9), y;
            float x32[5], y32[5], c32[5], d32[5];
            zm_form_in in = { .dtype = ZM_F32 }, d_out = { .dtype = ZM_F32 };
            zm_form_out out = { { NULL } }, d_in = { { NULL } };
            front c, d;
            const zm_form_in c_in = front_in(ZM_FORM_RANDERS, &c);
            const zm_form_in x_in = front_in((zm_form)form, &x);
            const zm_form_out d_wanted = front_out((zm_form)form, &d);

            for (int k = 0; k < 5; k++) {
                x.x[k] = x32[k] = (float)x.x[k];
                c.x[k] = c32[k] = (float)zm_random_normal(&state);
                in.plane[k] = k < front_planes((zm_form)form) ? &x32[k] : NULL;
                d_in.plane[k] = k < front_planes((zm_form)form) ? &d32[k] : NULL;
                out.plane[k] = &y32[k];
                d_out.plane[k] = &c32[k];
            }
            y = front_convert(t, (zm_form)form, &x, ZM_FORM_RANDERS, NULL);
            CHECK(zm_convert((zm_form)form, &in, ZM_FORM_RANDERS, 1, &out, NULL,
                             NULL) == ZM_OK);
            CHECK(zm_convert_vjp((zm_form)form, &in, ZM_FORM_RANDERS, &d_out, 1, &d_in,
                                 NULL, NULL) == ZM_OK);
            CHECK(zm_convert_vjp((zm_form)form, &x_in, ZM_FORM_RANDERS, &c_in, 1,
                                 &d_wanted, NULL, NULL) == ZM_OK);
            for (int k = 0; k < 5; k++)
                CHECK(y32[k] == (float)y.x[k]);
            for (int k = 0; k < front_planes((zm_form)form); k++)
                CHECK(d32[k] == (float)d.x[k]);
        }
    }
}

/* A heading just west of north is below 360 also after rounding. */
TEST(float32_headings_stay_below_a_full_turn)
{
    const float x[5] = { 1, 0, 1, -1e-9f, -0.5f };
    float heading;
    const zm_form_in in = { ZM_F32, { &x[0], &x[1], &x[2], &x[3], &x[4] } };
    const zm_form_out out = { { NULL, NULL, NULL, &heading } };

    CHECK(zm_convert(ZM_FORM_RANDERS, &in, ZM_FORM_ELLIPSE, 1, &out, NULL, NULL) ==
          ZM_OK);
    CHECK(heading == 0);
}

/* Where back is 1e-8 of head, rounding may push |b|_{G^-1} to either side of 1; metrics of
 * fronts that creep are too large for float32.  What comes out is admissible, or is refused. */
TEST(what_float32_cannot_hold_is_refused)
{
    const zm_grid one = { 1, 1, 1, 1 };
    int n_kept = 0, n_refused = 0;

    for (int k = 0; k < 300; k++) {
        const float x[4] = { 1, 0.5f, 5e-10f * (float)(k + 1), (float)k };
        float y[5];
        const zm_form_in in = { ZM_F32, { &x[0], &x[1], &x[2], &x[3] } };
        const zm_form_out out = { { &y[0], &y[1], &y[2], &y[3], &y[4] } };
        const zm_problem problem = { .size = sizeof(zm_problem),
                                     .metric = { ZM_F32, &y[0], &y[1], &y[2], &y[3],
                                                 &y[4] } };
        zm_error err;
        const zm_status st =
            zm_convert(ZM_FORM_ELLIPSE, &in, ZM_FORM_RANDERS, 1, &out, NULL, &err);

        if (st == ZM_OK)
            CHECK(zm_problem_check(one, &problem, NULL) == ZM_OK);
        else
            CHECK(st == ZM_E_METRIC && err.cell == 0);
        n_kept += st == ZM_OK;
        n_refused += st != ZM_OK && strstr(err.text, "float32");
    }
    CHECK(n_refused > 0 && n_kept > 0);
    {
        const float tiny[3] = { 1e-25f, 1e-25f, 1e-25f }, heading = 0;
        const zm_form_in in = { ZM_F32, { &tiny[0], &tiny[1], &tiny[2], &heading } };
        const zm_form_out out = { { NULL } };
        zm_error err;

        CHECK(zm_convert(ZM_FORM_ELLIPSE, &in, ZM_FORM_RANDERS, 1, &out, NULL, &err) ==
                  ZM_E_METRIC &&
              strstr(err.text, "float32") && strstr(err.text, "infinite"));
    }
}

TEST(walls_are_not_looked_at_and_become_zero)
{
    uint64_t state = t->seed;
    field z = random_field(&state, ZM_FORM_ZERMELO), r, c = z, d;
    uint8_t walls[N] = { 0 };
    zm_convert_opts opts = ZM_CONVERT_OPTS_INIT;
    const zm_form_in in = field_in(ZM_FORM_ZERMELO, &z);
    const zm_form_in d_out = field_in(ZM_FORM_RANDERS, &c);
    const zm_form_out out = field_out(ZM_FORM_RANDERS, &r);
    const zm_form_out d_in = field_out(ZM_FORM_ZERMELO, &d);

    opts.walls = walls;
    walls[3] = 1;
    walls[N - 1] = 255;
    z.plane[0][3] = NAN;
    z.plane[4][N - 1] = 1e300;
    c.plane[1][3] = NAN;
    CHECK(zm_convert(ZM_FORM_ZERMELO, &in, ZM_FORM_RANDERS, N, &out, &opts, NULL) ==
          ZM_OK);
    CHECK(zm_convert_vjp(ZM_FORM_ZERMELO, &in, ZM_FORM_RANDERS, &d_out, N, &d_in, &opts,
                         NULL) == ZM_OK);
    for (int k = 0; k < 5; k++) {
        CHECK(r.plane[k][3] == 0 && r.plane[k][N - 1] == 0 && r.plane[0][4] > 0);
        CHECK(d.plane[k][3] == 0 && d.plane[k][N - 1] == 0);
    }
    CHECK(zm_convert_jvp(ZM_FORM_ZERMELO, &in, ZM_FORM_RANDERS, &d_out, N, &out, &opts,
                         NULL) == ZM_OK);
    for (int k = 0; k < 5; k++)
        CHECK(r.plane[k][3] == 0);
}

/* Left out: h12 is 0, h22 is h11, W is 0. */
TEST(planes_of_a_metric_may_be_left_out)
{
    double h = 0.25, W[2] = { 0.5, 0.25 };
    const front full = { { h, 0, h, W[0], W[1] } }, still = { { h, 0, h, 0, 0 } };
    const front r = front_convert(t, ZM_FORM_ZERMELO, &full, ZM_FORM_RANDERS, NULL);
    const zm_form_in in = { ZM_F64, { &h, NULL, NULL, &W[0], &W[1] } };
    const zm_form_in calm = { ZM_F64, { &h } };
    front x;
    const zm_form_out out = front_out(ZM_FORM_RANDERS, &x);

    CHECK(zm_convert(ZM_FORM_ZERMELO, &in, ZM_FORM_RANDERS, 1, &out, NULL, NULL) ==
          ZM_OK);
    CHECK(!memcmp(&x, &r, sizeof x));
    CHECK(zm_convert(ZM_FORM_ZERMELO, &calm, ZM_FORM_RANDERS, 1, &out, NULL, NULL) ==
          ZM_OK);
    CHECK(!memcmp(&x, &still, sizeof x));
}

/* Each is cell 7 of an otherwise good field, and the message says what is wrong with it. */
TEST(the_first_bad_cell_is_named)
{
    static const struct {
        zm_form from;
        double x[ZM_FORM_PLANES];
        const char *says;
    } bad[] = {
        { ZM_FORM_ZERMELO, { NAN, 0, 1, 0, 0 }, "h11 is nan" },
        { ZM_FORM_ZERMELO, { 1, 0, 1, 0, HUGE_VAL }, "W2 is infinite" },
        { ZM_FORM_ZERMELO, { 1, 2, 1, 0, 0 }, "not positive definite" },
        { ZM_FORM_ZERMELO, { -1, 0, -1, 0, 0 }, "not positive definite" },
        { ZM_FORM_ZERMELO, { 0, 0, 1, 0, 0 }, "not positive definite" },
        { ZM_FORM_ZERMELO, { 1, 0, 1, 1, 0 }, "wind norm 1 " },
        { ZM_FORM_ZERMELO, { 4, 0, 4, 0.6, 0 }, "wind norm 1.2 " },
        { ZM_FORM_RANDERS, { 1, 1, 1, 0, 0 }, "not positive definite" },
        { ZM_FORM_RANDERS, { 1, 0, 1, NAN, 0 }, "b1 is nan" },
        { ZM_FORM_RANDERS, { 4, 0, 4, 0, -2 }, "drift norm 1 " },
        { ZM_FORM_RANDERS, { 1, 0, 4, 0, 3 }, "drift norm 1.5 " },
        { ZM_FORM_RANDERS, { 1, 0, 1, 3, 3 }, "drift norm 4.24264069 " },
        { ZM_FORM_ELLIPSE, { 1, 1, 2, 0 }, "back rate 2 exceeds head rate 1" },
        { ZM_FORM_ELLIPSE, { -1, 1, 1, 0 }, "head rate -1" },
        { ZM_FORM_ELLIPSE, { 1, 0, 1, 0 }, "flank rate 0" },
        { ZM_FORM_ELLIPSE, { 1, 1, 0, 0 }, "back rate 0" },
        { ZM_FORM_ELLIPSE, { 1, 1, 1, NAN }, "heading is nan" },
        { ZM_FORM_ELLIPSE, { 1, 1, 1e-16, 0 }, "result: drift norm" },
        { ZM_FORM_FOCUS, { 1, 0.9, 0 }, "length-to-breadth ratio 0.9" },
        { ZM_FORM_FOCUS, { 0, 2, 0 }, "head rate 0" },
        { ZM_FORM_FOCUS, { 1, HUGE_VAL, 0 }, "length_to_breadth is infinite" },
        { ZM_FORM_FOCUS, { 1, 1e9, 0 }, "result: drift norm" },
    };
    uint64_t state = t->seed;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        field f = random_field(&state, bad[i].from), c = { 0 }, r;
        const zm_form to =
            bad[i].from == ZM_FORM_RANDERS ? ZM_FORM_ZERMELO : ZM_FORM_RANDERS;
        const zm_form_in in = field_in(bad[i].from, &f), d_out = field_in(to, &c);
        const zm_form_in d_in = field_in(bad[i].from, &c);
        const zm_form_out out = field_out(to, &r), wanted = field_out(bad[i].from, &r);
        zm_error err[3];

        for (int k = 0; k < ZM_FORM_PLANES; k++)
            f.plane[k][7] = f.plane[k][20] = bad[i].x[k];
        CHECK(zm_convert(bad[i].from, &in, to, N, &out, NULL, &err[0]) == ZM_E_METRIC);
        CHECK(zm_convert_vjp(bad[i].from, &in, to, &d_out, N, &wanted, NULL, &err[1]) ==
              ZM_E_METRIC);
        CHECK(zm_convert_jvp(bad[i].from, &in, to, &d_in, N, &out, NULL, &err[2]) ==
              ZM_E_METRIC);
        for (int k = 0; k < 3; k++)
            CHECK_MSG(err[k].cell == 7 && strstr(err[k].text, bad[i].says) &&
                          strstr(err[k].text, "at cell 7"),
                      "cell %d: %s", (int)err[k].cell, err[k].text);
    }
}

/* A metric whose axes are not those of its drift is no fire ellipse: refused, unless the
 * caller says that it may be. */
TEST(tilted_ellipses_are_refused_unless_allowed)
{
    zm_convert_opts opts = ZM_CONVERT_OPTS_INIT;
    const front g = { { 1, 0, 4, 0.3, 0.3 } };
    const zm_form_in in = front_in(ZM_FORM_RANDERS, &g);
    front e;
    const zm_form_out out = front_out(ZM_FORM_ELLIPSE, &e);
    zm_error err;

    CHECK(zm_convert(ZM_FORM_RANDERS, &in, ZM_FORM_ELLIPSE, 1, &out, NULL, &err) ==
              ZM_E_METRIC &&
          err.cell == 0 && strstr(err.text, "tilt"));
    opts.tilt = 1;
    CHECK(zm_convert(ZM_FORM_RANDERS, &in, ZM_FORM_ELLIPSE, 1, &out, &opts, &err) ==
          ZM_OK);
    {
        /* along the heading it is still true */
        const double a = (e.x[3] - 90) * 0.017453292519943295;

        CHECK_NEAR(front_cost(&g, e.x[0] * cos(a), e.x[0] * sin(a)), 1, 1e-14);
        CHECK_NEAR(front_cost(&g, -e.x[2] * cos(a), -e.x[2] * sin(a)), 1, 1e-14);
    }
}

static bool refused(const zm_error *err, zm_status st, const char *says)
{
    return st == ZM_E_ARG && err->code == ZM_E_ARG && strstr(err->text, says);
}

TEST(bad_arguments_are_named)
{
    front x = { { 1, 0, 1, 0, 0 } }, y, c = x;
    zm_form_in in = front_in(ZM_FORM_ZERMELO, &x), d = front_in(ZM_FORM_ZERMELO, &c);
    zm_form_out out = front_out(ZM_FORM_RANDERS, &y);
    zm_convert_opts opts = ZM_CONVERT_OPTS_INIT;
    zm_error err;
#define CONVERT(from, to) zm_convert(from, &in, to, 1, &out, &opts, &err)
    CHECK(refused(&err, CONVERT(ZM_FORM_ZERMELO, ZM_FORM_FOCUS), "no conversion"));
    CHECK(refused(&err, CONVERT((zm_form)9, ZM_FORM_RANDERS), "no conversion"));
    CHECK(refused(&err, CONVERT(ZM_FORM_ELLIPSE, ZM_FORM_RANDERS), "input plane 4"));
    CHECK(refused(&err, CONVERT(ZM_FORM_ZERMELO, ZM_FORM_ELLIPSE), "output plane 4"));
    opts.tilt = 2;
    CHECK(refused(&err, CONVERT(ZM_FORM_ZERMELO, ZM_FORM_RANDERS), "tilt"));
    opts.tilt = 0;
    opts.convention = (zm_heading)5;
    CHECK(refused(&err, CONVERT(ZM_FORM_ZERMELO, ZM_FORM_RANDERS), "heading"));
    opts = (zm_convert_opts)ZM_CONVERT_OPTS_INIT;
    in.plane[4] = NULL;
    CHECK(refused(&err, CONVERT(ZM_FORM_ZERMELO, ZM_FORM_RANDERS), "W2"));
    in.plane[0] = NULL;
    CHECK(refused(&err, CONVERT(ZM_FORM_ZERMELO, ZM_FORM_RANDERS), "h11"));
    in = front_in(ZM_FORM_ZERMELO, &x);
    in.dtype = (zm_dtype)7;
    CHECK(refused(&err, CONVERT(ZM_FORM_ZERMELO, ZM_FORM_RANDERS), "dtype"));
    in.dtype = ZM_F64;
#undef CONVERT
#define VJP(in, d, out)                                                                \
    zm_convert_vjp(ZM_FORM_ZERMELO, in, ZM_FORM_RANDERS, d, 1, out, NULL, &err)
    CHECK(refused(&err, VJP(&in, NULL, &out), "cotangent is NULL"));
    CHECK(refused(&err, VJP(&in, &d, NULL), "output is NULL"));
    CHECK(refused(&err, VJP(NULL, &d, &out), "input is NULL"));
    d.dtype = ZM_F32;
    CHECK(refused(&err, VJP(&in, &d, &out), "dtype"));
    d.dtype = ZM_F64;
    c.x[2] = NAN;
    CHECK(refused(&err, VJP(&in, &d, &out), "derivative of g22") && err.cell == 0);
    c.x[2] = 1;
    in.plane[2] = NULL;
    CHECK(refused(&err, VJP(&in, &d, &out), "h22"));
    CHECK(refused(
        &err,
        zm_convert_jvp(ZM_FORM_ZERMELO, &in, ZM_FORM_RANDERS, &d, 1, &out, NULL, &err),
        "h22"));
#undef VJP
}
