/* SPDX-License-Identifier: Apache-2.0
 * Forecasts of growth, and how their law is learned from other fires: by Gauss-Newton steps on
 *
 *     L(x) = 1/K sum_k 1/n_k sum_i (p_ki - o_ki)^2 + pull/K |x - x0|^2
 *
 * over K cases of n_k grown cells, with x0 the law of ZM_GROWTH_PRIOR_INIT: the first term is 1 less
 * the mean Brier skill against persistence. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/options.h"
#include "fire/fit/growth.h"
#include "fire/fit/small_matrix.h"
#include "fire/fit/state.h"

static const double PULL = 1.5;
static const double SMALL_GAIN = 1e-6; /* of the objective, of itself: converged */
static const double LEAST_SPREAD =
    0.25; /* of what is beforehand taken for the spread */
static const double FURTHEST =
    100; /* units: cells beyond that do not burn teach nothing */
static const double NEGLIGIBLE = 1e-5; /* probability: its derivatives do not count */
/* Standard deviation over median deviation, of a normal distribution. */
static const double NORMAL_MEDIAN = 1.482602218505602;
enum { STEPS = 60, P = ZM_LAW_PARAMETERS };

/** L with its derivatives. */
typedef struct sums {
    double L, g[P], A[P * P];
} sums;

/** Cases that have grown; which parameters are free. */
typedef struct lesson {
    const zm_growth_case *const *cases;
    size_t n, used;
    bool free[P];
    double x0[P];
} lesson;

static void add_case(const lesson *l, const zm_growth_case *c, const zm_growth_law *law,
                     sums *s)
{
    const double weight = 1 / (c->observed * (double)l->used);
    const double log_furthest = log(FURTHEST);
    double d[P];

    for (size_t i = 0; i < c->n; i++) {
        double r;

        if (!c->grown[i] && c->log_distance[i] > log_furthest)
            continue;
        r = zm_fit_law_probability(c, i, law, d) - c->grown[i];
        s->L += weight * r * r;
        if (r >= 0 && r < NEGLIGIBLE)
            continue;
        for (int a = 0; a < P; a++) {
            if (!l->free[a])
                continue;
            s->g[a] += weight * r * d[a];
            for (int b = 0; b <= a; b++)
                if (l->free[b])
                    s->A[a * P + b] += weight * d[a] * d[b];
        }
    }
}

static void evaluate(const lesson *l, zm_growth_law law, sums *s)
{
    const double *x = zm_fit_law_parameters(&law), pull = PULL / (double)l->used;

    *s = (sums){ .L = 0 };
    for (size_t k = 0; k < l->n; k++)
        if (l->cases[k]->observed > 0)
            add_case(l, l->cases[k], &law, s);
    for (int a = 0; a < P; a++) {
        s->L += pull * (x[a] - l->x0[a]) * (x[a] - l->x0[a]);
        s->g[a] += pull * (x[a] - l->x0[a]);
        s->A[a * P + a] += l->free[a] ? pull : 1;
    }
}

/* Keeps the weight of the physics between 0 and 1. */
static bool step(const lesson *l, const sums *at, double damping, zm_growth_law *law)
{
    double L[P * P], dx[P], *x = zm_fit_law_parameters(law);

    memcpy(L, at->A, sizeof L);
    for (int a = 0; a < P; a++) {
        L[a * P + a] *= 1 + damping;
        dx[a] = l->free[a] ? -at->g[a] : 0;
    }
    if (!zm_cholesky(L, P))
        return false;
    zm_cholesky_solve(L, P, dx);
    for (int a = 0; a < P; a++)
        x[a] += dx[a];
    law->physics = fmin(fmax(law->physics, 0), 1);
    return true;
}

static void learn(const lesson *l, zm_growth_law *law)
{
    double damping = 1e-3;
    sums here, there;

    evaluate(l, *law, &here);
    for (int i = 0; i < STEPS && damping < 1e8; i++) {
        zm_growth_law next = *law;

        if (!step(l, &here, damping, &next)) {
            damping *= 10;
            continue;
        }
        evaluate(l, next, &there);
        if (there.L < here.L) {
            const bool done = here.L - there.L < SMALL_GAIN * here.L;

            *law = next;
            here = there;
            damping = fmax(damping / 10, 1e-9);
            if (done)
                return;
        } else
            damping *= 10;
    }
}

static double expected(const zm_growth_case *c, const zm_growth_law *law)
{
    double sum = 0;

    for (size_t i = 0; i < c->n; i++)
        sum += zm_fit_law_probability(c, i, law, NULL);
    return sum;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of n > 0 values, which are sorted. */
static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, ascending);
    return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

/* Median and median deviation of log(grown/expected), the latter as that of a normal distribution: one
 * fire that escapes does not widen the intervals of all others. */
static zm_status learn_area(const lesson *l, zm_growth_prior *prior, zm_error *err)
{
    double *errors = malloc(l->used * sizeof *errors);
    size_t n = 0;

    if (!errors)
        return zm_fail(err, ZM_E_NOMEM, -1, "errors of %zu areas", l->used);
    for (size_t k = 0; k < l->n; k++)
        if (l->cases[k]->observed > 0)
            errors[n++] =
                log(l->cases[k]->observed / expected(l->cases[k], &prior->law));
    prior->area_bias = median(errors, n);
    for (size_t k = 0; k < n; k++)
        errors[k] = fabs(errors[k] - prior->area_bias);
    prior->area_spread = fmax(NORMAL_MEDIAN * median(errors, n), 1e-3);
    prior->area_count = (int32_t)n;
    free(errors);
    return ZM_OK;
}

static void free_those_not_zero(lesson *l, zm_growth_law start)
{
    const double *x = zm_fit_law_parameters(&start);

    for (int a = 0; a < P; a++) {
        l->x0[a] = x[a];
        l->free[a] = x[a] != 0;
    }
}

zm_status zm_growth_learn(const zm_growth_case *const *cases, size_t n,
                          zm_growth_prior *prior, zm_error *err)
{
    const zm_growth_prior usual = ZM_GROWTH_PRIOR_INIT;
    zm_growth_prior p = ZM_GROWTH_PRIOR_INIT;
    lesson l = { .cases = cases, .n = n };

    ZM_TRY(zm_options_read(&p, sizeof p, prior, "zm_growth_prior", err));
    for (size_t k = 0; k < n; k++)
        l.used += cases[k]->observed > 0;
    if (l.used < 2)
        return zm_fail(
            err, ZM_E_ARG, -1,
            "%zu of %zu cases are known to have grown, at least 2 are needed", l.used,
            n);
    p.law = usual.law;
    free_those_not_zero(&l, usual.law);
    learn(&l, &p.law);
    ZM_TRY(learn_area(&l, &p, err));
    p.buffer = usual.buffer;
    free_those_not_zero(&l, usual.buffer);
    learn(&l, &p.buffer);
    zm_options_write_report(prior, &p, sizeof p);
    return ZM_OK;
}

/* 95 % quantile of Student's t with n degrees of freedom (Cornish and Fisher 1938, three terms). */
static double student_95(double n)
{
    const double z = 1.6448536269514722, z2 = z * z;

    return z + z * (z2 + 1) / (4 * n) + z * (5 * z2 * z2 + 16 * z2 + 3) / (96 * n * n) +
           z * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / (384 * n * n * n);
}

static void tell_area(const zm_growth_case *c, const zm_growth_prior *p,
                      zm_growth_area *a)
{
    const double n = p->area_count;

    a->expected = expected(c, &p->law);
    a->observed = c->observed;
    a->low = 0;
    a->high = INFINITY;
    if (p->area_count >= 2 && a->expected > 0) {
        const double half = student_95(n - 1) * p->area_spread * sqrt(1 + 1 / n);

        a->low = a->expected * exp(p->area_bias - half);
        a->high = a->expected * exp(p->area_bias + half);
    }
}

static void fill(const zm_growth_case *c, const zm_growth_law *law, float *out)
{
    for (size_t i = 0; i < c->cells; i++)
        out[i] = 1;
    for (size_t i = 0; i < c->n; i++)
        out[c->cell[i]] = (float)zm_fit_law_probability(c, i, law, NULL);
}

zm_status zm_growth_forecast(const zm_growth_case *c, const zm_growth_prior *prior,
                             float *probability, float *buffer, zm_growth_area *area,
                             zm_error *err)
{
    zm_growth_prior p = ZM_GROWTH_PRIOR_INIT;
    zm_growth_area a = ZM_GROWTH_AREA_INIT;

    ZM_TRY(zm_options_check_report(area, "zm_growth_area", err));
    ZM_TRY(zm_options_read(&p, sizeof p, prior, "zm_growth_prior", err));
    ZM_TRY(zm_state_prior_check(&p, err));
    if (probability)
        fill(c, &p.law, probability);
    if (buffer)
        fill(c, &p.buffer, buffer);
    tell_area(c, &p, &a);
    if (area)
        zm_options_write_report(area, &a, sizeof a);
    return ZM_OK;
}

zm_status zm_growth_buffer(const zm_landscape *landscape, const uint8_t *mask,
                           double hours, const zm_growth_prior *prior,
                           float *probability, zm_error *err)
{
    zm_growth_prior p = ZM_GROWTH_PRIOR_INIT;
    zm_growth_case *c = NULL;

    ZM_TRY(zm_options_read(&p, sizeof p, prior, "zm_growth_prior", err));
    ZM_TRY(zm_state_prior_check(&p, err));
    ZM_TRY(zm_fit_case_of_mask(landscape, mask, hours, &c, err));
    fill(c, &p.buffer, probability);
    zm_growth_case_destroy(c);
    return ZM_OK;
}

zm_status zm_growth_prior_of(const zm_fire_state *const *states, size_t n,
                             zm_growth_prior *prior, zm_error *err)
{
    const zm_growth_prior usual = ZM_GROWTH_PRIOR_INIT;
    zm_growth_prior p = ZM_GROWTH_PRIOR_INIT;
    double *const mean[] = { &p.rate, &p.wind, &p.moisture };
    double *const spread[] = { &p.rate_spread, &p.wind_spread, &p.moisture_spread };
    const double least[] = { usual.rate_spread, usual.wind_spread,
                             usual.moisture_spread };

    ZM_TRY(zm_options_read(&p, sizeof p, prior, "zm_growth_prior", err));
    if (n < 2)
        return zm_fail(err, ZM_E_ARG, -1, "%zu states, at least 2 are needed", n);
    for (size_t k = 0; k < n; k++)
        ZM_TRY(zm_state_check(states[k], err));
    for (int u = 0; u < 3; u++) { /* these are the first unknowns of every state */
        double sum = 0, squares = 0;

        for (size_t k = 0; k < n; k++)
            sum += states[k]->mean[u];
        *mean[u] = sum / (double)n;
        for (size_t k = 0; k < n; k++)
            squares +=
                (states[k]->mean[u] - *mean[u]) * (states[k]->mean[u] - *mean[u]);
        *spread[u] = fmax(sqrt(squares / (double)(n - 1)), LEAST_SPREAD * least[u]);
    }
    zm_options_write_report(prior, &p, sizeof p);
    return ZM_OK;
}
