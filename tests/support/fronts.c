/* SPDX-License-Identifier: Apache-2.0
 * One cell of a front in any of its forms, at random and converted. */
#include "support/fronts.h"

static const double degree = 0.017453292519943295;

int front_planes(zm_form form)
{
    return form == ZM_FORM_FOCUS ? 3 : form == ZM_FORM_ELLIPSE ? 4 : 5;
}

zm_form_in front_in(zm_form form, const front *f)
{
    zm_form_in in = { .dtype = ZM_F64 };

    for (int k = 0; k < front_planes(form); k++)
        in.plane[k] = &f->x[k];
    return in;
}

zm_form_out front_out(zm_form form, front *f)
{
    zm_form_out out = { { NULL } };

    for (int k = 0; k < front_planes(form); k++)
        out.plane[k] = &f->x[k];
    return out;
}

static double between(uint64_t *state, double low, double high)
{
    return low + (high - low) * zm_random_unit(state);
}

/* 1 - norm is spread evenly over the decades from 1 to gap. */
static double random_norm(uint64_t *state, double gap)
{
    return 1 - pow(gap, zm_random_unit(state));
}

/* Eigenvalues L (cos a, sin a) and L ratio across, and a vector of the given norm. */
static front random_zermelo(uint64_t *state, double gap, double ratio)
{
    const double L = pow(10, between(state, -4, 4)),
                 K = L * pow(ratio, zm_random_unit(state));
    const double angle = between(state, -4, 4), phase = between(state, -4, 4);
    const double c = cos(angle), s = sin(angle), norm = random_norm(state, gap);
    const double along = norm * cos(phase) / sqrt(L),
                 across = norm * sin(phase) / sqrt(K);

    return (front){ { L * c * c + K * s * s, (L - K) * c * s, L * s * s + K * c * c,
                      along * c - across * s, along * s + across * c } };
}

/* Randers cells likewise; their norm is |b|_{G^-1}. */
static front random_randers(uint64_t *state, double gap, double ratio)
{
    const front z = random_zermelo(state, gap, ratio);
    const double *x = z.x;

    return (front){ { x[0], x[1], x[2], x[0] * x[3] + x[1] * x[4],
                      x[1] * x[3] + x[2] * x[4] } };
}

front front_random(uint64_t *state, zm_form form, double gap, double ratio)
{
    const double norm = random_norm(state, gap), head = pow(10, between(state, -2, 2));
    const double back = head * (1 - norm) / (1 + norm);
    const double heading = between(state, -400, 400);

    switch (form) {
    case ZM_FORM_RANDERS:
        return random_randers(state, gap, ratio);
    case ZM_FORM_ZERMELO:
        return random_zermelo(state, gap, ratio);
    case ZM_FORM_ELLIPSE:
        return (front){ { head,
                          0.5 * (head + back) * pow(ratio, between(state, -0.5, 0.1)),
                          back, heading } };
    default:
        return (front){ { head, pow(ratio, 0.5 * zm_random_unit(state)), heading } };
    }
}

front front_convert(test_run *t, zm_form from, const front *f, zm_form to,
                    const zm_convert_opts *opts)
{
    front result = { { NAN, NAN, NAN, NAN, NAN } };
    const zm_form_in in = front_in(from, f);
    const zm_form_out out = front_out(to, &result);
    zm_error err;

    CHECK_MSG(zm_convert(from, &in, to, 1, &out, opts, &err) == ZM_OK, "%s", err.text);
    return result;
}

double front_cost(const front *randers, double v1, double v2)
{
    const double *x = randers->x;

    return sqrt(x[0] * v1 * v1 + 2 * x[1] * v1 * v2 + x[2] * v2 * v2) - x[3] * v1 -
           x[4] * v2;
}

double front_condition(const front *f)
{
    return f->x[0] * f->x[2] / (f->x[0] * f->x[2] - f->x[1] * f->x[1]);
}

/* |v|_m, or |v|_{m^-1}. */
static double norm_of(const double *m, double v1, double v2, bool dual)
{
    const double det = m[0] * m[2] - m[1] * m[1], sign = dual ? -1 : 1;
    const double a = dual ? m[2] / det : m[0], b = sign * m[1] / (dual ? det : 1);
    const double c = dual ? m[0] / det : m[2];

    return sqrt(a * v1 * v1 + 2 * b * v1 * v2 + c * v2 * v2);
}

double front_difference(zm_form form, const front *a, const front *b)
{
    const double *x = a->x, *y = b->x;

    if (form == ZM_FORM_RANDERS || form == ZM_FORM_ZERMELO)
        return fmax(
            fmax(fabs(x[0] - y[0]) / x[0],
                 fmax(fabs(x[1] - y[1]) / sqrt(x[0] * x[2]), fabs(x[2] - y[2]) / x[2])),
            norm_of(x, x[3] - y[3], x[4] - y[4], form == ZM_FORM_RANDERS));
    return fmax(fmax(fabs(x[0] - y[0]), fmax(fabs(x[1] - y[1]), fabs(x[2] - y[2]))) /
                    x[0],
                fabs(remainder(x[3] - y[3], 360)) * degree);
}
