/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of the networks' layers, on their own. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fire/learn/net/init.h"
#include "fire/learn/net/mlp.h"

enum { MOST = 4096 };

static void fill(uint64_t *state, size_t n, double *values)
{
    for (size_t i = 0; i < n; i++)
        values[i] = 2 * zm_random_unit(state) - 1;
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

typedef struct conv_case {
    zm_conv_shape shape;
    zm_conv *conv;
    size_t n_parameters, n_in, n_out;
    double parameters[MOST], in[MOST], out[MOST], d_out[MOST], d_parameters[MOST],
        d_in[MOST];
} conv_case;

static conv_case *conv_make(uint64_t seed, zm_net_make make)
{
    conv_case *c = calloc(1, sizeof *c);
    uint64_t state = seed;

    if (!c)
        abort();
    c->shape = (zm_conv_shape){ 7, 9, 3, { 3, 5, 4, 2 } };
    c->n_parameters = zm_conv_parameters(&c->shape);
    c->n_in = 7 * 9 * 3;
    c->n_out = 7 * 9 * 2;
    fill(&state, c->n_parameters, c->parameters);
    fill(&state, c->n_in, c->in);
    fill(&state, c->n_out, c->d_out);
    if (zm_conv_create(&c->conv, &c->shape, make, NULL) < 0)
        abort();
    return c;
}

static void conv_run(conv_case *c, bool backward)
{
    if (zm_conv_forward(c->conv, c->parameters, c->in, c->out, NULL) < 0)
        abort();
    memset(c->d_parameters, 0, sizeof c->d_parameters);
    if (backward && zm_conv_backward(c->conv, c->parameters, c->d_out, c->d_parameters,
                                     c->d_in, NULL) < 0)
        abort();
}

static void conv_free(conv_case *c)
{
    zm_conv_destroy(c->conv);
    free(c);
}

/* <d_out, out(x + h e)> is piecewise linear in each weight and each input, up to products of
 * layers: central differences with h = 1e-6 are exact to 1e-9 or so unless a ReLU switches
 * within h, which has probability of order 1e-6 a cell. */
TEST(derivatives_of_reference_convolutions_are_those_of_finite_differences)
{
    conv_case *c = conv_make(t->seed, ZM_NET_REFERENCE);
    uint64_t state = t->seed + 1;
    const double h = 1e-6;

    conv_run(c, true);
    for (int trial = 0; trial < 60; trial++) {
        const bool weight = trial % 2;
        const size_t n = weight ? c->n_parameters : c->n_in;
        const size_t i = (size_t)(zm_random_unit(&state) * (double)n);
        double *x = weight ? &c->parameters[i] : &c->in[i];
        const double exact = weight ? c->d_parameters[i] : c->d_in[i], kept = *x;
        double d_parameters[MOST], above, below;

        memcpy(d_parameters, c->d_parameters, sizeof d_parameters);
        *x = kept + h;
        conv_run(c, false);
        above = dot(c->n_out, c->d_out, c->out);
        *x = kept - h;
        conv_run(c, false);
        below = dot(c->n_out, c->d_out, c->out);
        *x = kept;
        memcpy(c->d_parameters, d_parameters, sizeof d_parameters);
        CHECK_NEAR((above - below) / (2 * h), exact, 1e-6 * (1 + fabs(exact)));
    }
    conv_free(c);
}

/* Both makes compute the same sums, one in float32: sums of a few hundred products of numbers
 * up to about 10 agree to some 1e-5 of the largest value. */
TEST(fast_convolutions_agree_with_the_reference_in_values_and_derivatives)
{
    conv_case *a = conv_make(t->seed, ZM_NET_FAST);
    conv_case *b = conv_make(t->seed, ZM_NET_REFERENCE);
    double most = 1;

    conv_run(a, true);
    conv_run(b, true);
    for (size_t i = 0; i < b->n_parameters; i++)
        most = fmax(most, fabs(b->d_parameters[i]));
    for (size_t i = 0; i < a->n_out; i++)
        CHECK_NEAR(a->out[i], b->out[i], 1e-4);
    for (size_t i = 0; i < a->n_parameters; i++)
        CHECK_NEAR(a->d_parameters[i], b->d_parameters[i], 1e-5 * most);
    for (size_t i = 0; i < a->n_in; i++)
        CHECK_NEAR(a->d_in[i], b->d_in[i], 1e-5 * most);
    conv_free(a);
    conv_free(b);
}

/* Between 32 channels and more another algorithm is at work, with products of sums: about
 * ten times the rounding, relative to sums of 300 products of numbers up to 1. */
TEST(fast_convolutions_of_many_channels_agree_with_the_reference)
{
    enum { ROWS = 11, COLS = 14, IN = 33, MIDDLE = 40, OUT = 32, N = ROWS * COLS };
    const zm_conv_shape shape = { ROWS, COLS, 2, { IN, MIDDLE, OUT } };
    const size_t n = zm_conv_parameters(&shape);
    double *x = calloc(n + N * (IN + OUT), sizeof *x), *in = x + n,
           *d_out = in + N * IN;
    double *got[2], most = 1;
    uint64_t state = t->seed;

    if (!x)
        abort();
    fill(&state, n + N * (IN + OUT), x);
    for (int k = 0; k < 2; k++) {
        zm_conv *conv;

        if (!(got[k] = calloc(n + N * (IN + OUT), sizeof **got)) ||
            zm_conv_create(&conv, &shape, k ? ZM_NET_REFERENCE : ZM_NET_FAST, NULL) < 0)
            abort();
        CHECK(zm_conv_forward(conv, x, in, got[k], NULL) == ZM_OK);
        CHECK(zm_conv_backward(conv, x, d_out, got[k] + N * OUT, got[k] + N * OUT + n,
                               NULL) == ZM_OK);
        zm_conv_destroy(conv);
    }
    for (size_t i = 0; i < n + N * (IN + OUT); i++)
        most = fmax(most, fabs(got[1][i]));
    for (size_t i = 0; i < n + N * (IN + OUT); i++)
        CHECK_NEAR(got[0][i], got[1][i], 1e-4 * most);
    for (int k = 0; k < 2; k++)
        free(got[k]);
    free(x);
}

/* The backward pass adds: batches of regions sum up in one array. */
TEST(backward_passes_add_to_what_is_there)
{
    conv_case *c = conv_make(t->seed, ZM_NET_FAST);
    double once[MOST];

    conv_run(c, true);
    memcpy(once, c->d_parameters, sizeof once);
    CHECK(zm_conv_backward(c->conv, c->parameters, c->d_out, c->d_parameters, NULL,
                           NULL) == ZM_OK);
    for (size_t i = 0; i < c->n_parameters; i++)
        CHECK_NEAR(c->d_parameters[i], 2 * once[i], 1e-9 * fabs(once[i]));
    conv_free(c);
}

typedef struct mlp_case {
    zm_mlp *mlp;
    size_t n;
    double parameters[MOST], in[7 * 6], out[7 * 3], d_out[7 * 3], d_parameters[MOST],
        d_in[7 * 6];
} mlp_case;

static mlp_case *mlp_make(uint64_t seed, zm_net_make make)
{
    const zm_mlp_shape shape = { 3, { 6, 8, 5, 3 } };
    mlp_case *m = calloc(1, sizeof *m);
    uint64_t state = seed;

    if (!m || zm_mlp_create(&m->mlp, &shape, 7, make, NULL) < 0)
        abort();
    m->n = zm_mlp_parameters(&shape);
    fill(&state, m->n, m->parameters);
    fill(&state, 7 * 6, m->in);
    fill(&state, 7 * 3, m->d_out);
    return m;
}

static double mlp_value(mlp_case *m)
{
    zm_mlp_load(m->mlp, m->parameters);
    if (zm_mlp_forward(m->mlp, 7, m->in, m->out, NULL) < 0)
        abort();
    return dot(7 * 3, m->d_out, m->out);
}

static void mlp_backward(mlp_case *m)
{
    (void)mlp_value(m);
    memset(m->d_parameters, 0, sizeof m->d_parameters);
    if (zm_mlp_backward(m->mlp, 7, m->d_out, m->d_parameters, m->d_in, NULL) < 0)
        abort();
}

static void mlp_free(mlp_case *m)
{
    zm_mlp_destroy(m->mlp);
    free(m);
}

/* The perceptron is smooth: central differences with h = 1e-5 err by h^2 and by rounding
 * 1e-15/h. */
TEST(derivatives_of_the_perceptron_are_those_of_finite_differences)
{
    mlp_case *m = mlp_make(t->seed, ZM_NET_REFERENCE);
    const double h = 1e-5;

    mlp_backward(m);
    for (size_t i = 0; i < m->n + 7 * 6; i++) {
        double *x = i < m->n ? &m->parameters[i] : &m->in[i - m->n];
        const double exact = i < m->n ? m->d_parameters[i] : m->d_in[i - m->n],
                     kept = *x;
        double above, below;

        *x = kept + h;
        above = mlp_value(m);
        *x = kept - h;
        below = mlp_value(m);
        *x = kept;
        CHECK_NEAR((above - below) / (2 * h), exact, 1e-7 * (1 + fabs(exact)));
    }
    mlp_free(m);
}

TEST(fast_perceptron_agrees_with_the_reference)
{
    mlp_case *a = mlp_make(t->seed, ZM_NET_FAST),
             *b = mlp_make(t->seed, ZM_NET_REFERENCE);

    mlp_backward(a);
    mlp_backward(b);
    for (size_t i = 0; i < 7 * 3; i++)
        CHECK_NEAR(a->out[i], b->out[i], 1e-5);
    for (size_t i = 0; i < a->n; i++)
        CHECK_NEAR(a->d_parameters[i], b->d_parameters[i],
                   1e-5 * (1 + fabs(b->d_parameters[i])));
    for (size_t i = 0; i < 7 * 6; i++)
        CHECK_NEAR(a->d_in[i], b->d_in[i], 1e-5 * (1 + fabs(b->d_in[i])));
    mlp_free(a);
    mlp_free(b);
}
