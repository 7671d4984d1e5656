/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of times in extreme media, by a rule that knows ties.
 *
 * T is a minimum over policies (a triangle and a weight in every cell) of functions that are
 * smooth, and the derivative v is that of a policy which attains it.  So T(h) <= T_policy(h) on
 * either side, and for every cell and step
 *
 *     (T(h) - T(0))/h - C h  <=  v  <=  (T(0) - T(-h))/h + C h,
 *
 * at a tie as much as elsewhere: the two sides are then apart, and v is between them.  With the
 * change of G by G^(1/2) S G^(1/2), |S| <= 1, every |m|_G has a second derivative of at most |m|_G,
 * which bounds C however needle-like G is.
 *
 * With adaptive stencils another stencil may be chosen on the way from 0 to h, with differences of
 * second order another donor, with intervals another interval: then T is not a minimum, and
 * may jump, but not arbitrarily near; v is between both sides for small h.  Only where fronts of
 * sources that start together tie exactly, the order in which cells are accepted is another one on
 * either side, and with second differences T jumps at 0 itself: its changes do not get smaller
 * with h, and there is no derivative. */
#include <math.h>
#include <stdlib.h>

#include "attack/media/media.h"
#include "core/random.h"

/* Steps; rounding of times over the step must stay a small share of the derivative. */
static const double steps[] = { 1e-5, 1e-6, 1e-7, 1e-8 };
enum { STEPS = sizeof steps / sizeof *steps };

/* What counts as a kink: both sides apart by this share of the time, and more than is unsure. */
static const double KINK = 1e-3;

/* G^(1/2) S G^(1/2) and G^(1/2) s, S symmetric with entries up to 1/2, |s| <= (1 - |b|)/4. */
static void direction_draw(const random_medium *m, uint64_t seed, double *d)
{
    const size_t n = m->c.n;
    uint64_t state = zm_random_mix(seed);
    const double whole = zm_random_between(&state, 0.1, 0.4) * zm_random_sign(&state);

    for (size_t i = 0; i < n; i++) {
        const double g11 = m->c.g11[i], g12 = m->c.g12[i], g22 = m->c.g22[i];
        const double root = sqrt(g11 * g22 - g12 * g12),
                     sum = sqrt(g11 + g22 + 2 * root);
        const double r11 = (g11 + root) / sum, r12 = g12 / sum,
                     r22 = (g22 + root) / sum;
        const double s11 = whole + zm_random_between(&state, -0.1, 0.1),
                     s12 = zm_random_between(&state, -0.1, 0.1),
                     s22 = whole + zm_random_between(&state, -0.1, 0.1);
        const double a11 = r11 * s11 + r12 * s12, a12 = r11 * s12 + r12 * s22,
                     a21 = r12 * s11 + r22 * s12, a22 = r12 * s12 + r22 * s22;
        const double free = 0.2 * (1 - m->drift);
        const double x = free * zm_random_between(&state, -1, 1),
                     y = free * zm_random_between(&state, -1, 1);

        d[i] = a11 * r11 + a12 * r12;
        d[n + i] = a11 * r12 + a12 * r22;
        d[2 * n + i] = a21 * r12 + a22 * r22;
        d[3 * n + i] = r11 * x + r12 * y;
        d[4 * n + i] = r12 * x + r22 * y;
    }
}

static double *times_along(const random_medium *m, const variant *v, const double *d,
                           double h)
{
    test_case c = case_copy(&m->c);
    outcome o;
    double *T = NULL;

    for (int p = 0; p < N_PLANES; p++)
        for (size_t i = 0; i < c.n; i++)
            case_plane(&c, p)[i] += h * d[(size_t)p * c.n + i];
    o = outcome_of(v, &c, 1, false);
    if (o.status == ZM_OK) {
        T = o.T;
        o.T = NULL;
    }
    outcome_free(&o);
    case_free(&c);
    return T;
}

/* Looks at the cells that are not settled, with one step; how many are left. */
static size_t step_check(look *l, const variant *v, const outcome *o, const double *d,
                         double h, bool is_minimum, bool *settled, double *apart,
                         double *moved)
{
    const test_case *c = &l->m->c;
    double *up = times_along(l->m, v, d, h), *down = times_along(l->m, v, d, -h);
    double start = INFINITY;
    size_t left = 0;

    for (size_t i = 0; i < c->n_sources; i++)
        start = fmin(start, c->sources[i].time);
    for (size_t i = 0; up && down && i < c->n; i++) {
        const double span = o->T[i] - start;
        const double noise =
            rounding_of(l->m) * (span + fabs(start) + fabs(o->T[i])) / h;
        const double unsure = noise + 2 * h * span / (1 - l->m->drift) + 1e-9 * span;
        double after, before;

        if (settled[i])
            continue;
        after = (up[i] - o->T[i]) / h;
        before = (o->T[i] - down[i]) / h;
        apart[i] = fabs(before - after) - unsure;
        settled[i] = is_minimum
                         ? after - unsure <= o->dT[i] && o->dT[i] <= before + unsure
                         : fmin(after, before) - unsure <= o->dT[i] &&
                               o->dT[i] <= fmax(after, before) + unsure;
        if (!settled[i] && v->order > 1) {
            const double by = fmin(fabs(up[i] - o->T[i]), fabs(down[i] - o->T[i]));

            settled[i] = by > 1e-6 * span && by > 0.5 * moved[i];
            moved[i] = by;
        }
        left += !settled[i];
        if (settled[i] && apart[i] > KINK * span)
            l->sum->kinks++;
    }
    free(down);
    free(up);
    return left;
}

void derivatives_check(look *l, const variant *v, uint64_t seed)
{
    const test_case *c = &l->m->c;
    const bool is_minimum = v->stencils == ZM_STENCILS_FIXED;
    double *d = nan_doubles(N_PLANES * c->n), *apart = nan_doubles(c->n);
    double *moved = nan_doubles(c->n); /* by the step before; NaN: there was none */
    bool *settled = calloc(c->n, sizeof *settled);
    size_t left = 0, at = 0;
    outcome o;

    direction_draw(l->m, seed, d);
    o = outcome_along(v, c, 1, true, d);
    for (size_t i = 0; i < c->n && o.status == ZM_OK; i++) {
        settled[i] = !(o.T[i] < INFINITY);
        left += !settled[i];
    }
    l->sum->derivatives += (long)left;
    for (int k = 0; k < STEPS && left > 0; k++) {
        const size_t before = left;

        left = step_check(l, v, &o, d, steps[k], is_minimum, settled, apart, moved);
        if (k > 0)
            l->sum->jumps += (long)(before - left);
    }
    while (left > 0 && settled[at])
        at++;
    if (left > 0)
        finding(l,
                "%s: derivative of %zu cells not between differences, first cell %zu: "
                "T %.9g, dT %.9g",
                v->name, left, at, o.T[at], o.dT[at]);
    outcome_free(&o);
    free(settled);
    free(moved);
    free(apart);
    free(d);
}
