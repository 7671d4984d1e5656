/* SPDX-License-Identifier: Apache-2.0
 * Proximal maps: optimality, and what holds for every proximal map. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "inverse/regularise/difference.h"
#include "zermelo/reg.h"

enum { ROWS = 17, COLS = 22, N = ROWS * COLS, FIELDS = 2 };
static const zm_grid grid = { ROWS, COLS, 0.5, 0.7 };
static const double weights[FIELDS] = { 1, 3 };

typedef struct pair_of_fields {
    double at[FIELDS][N];
} pair_of_fields;

/* Two flat regions and noise. */
static pair_of_fields noisy(uint64_t seed)
{
    pair_of_fields f;

    for (size_t k = 0; k < FIELDS; k++)
        for (size_t i = 0; i < N; i++)
            f.at[k][i] =
                (i % COLS < 9 ? 1 : 2 + (double)k) + 0.3 * zm_random_normal(&seed);
    return f;
}

static zm_tv_prox_report denoise(test_run *t, const pair_of_fields *f, double tau,
                                 const uint8_t *walls, double gap, pair_of_fields *u)
{
    zm_tv_prox_work *work;
    zm_tv_prox_opts o = ZM_TV_PROX_OPTS_INIT;
    zm_tv_prox_report r = ZM_TV_PROX_REPORT_INIT;
    const double *const in[FIELDS] = { f->at[0], f->at[1] };
    double *const out[FIELDS] = { u->at[0], u->at[1] };

    o.gap = gap;
    o.weights = weights;
    CHECK(zm_tv_prox_create(&work, grid, FIELDS, NULL, NULL) == ZM_OK);
    CHECK(zm_tv_prox(work, in, tau, walls, out, &o, &r, NULL) == ZM_OK);
    zm_tv_prox_destroy(work);
    return r;
}

static double norm2(const pair_of_fields *a, const pair_of_fields *b)
{
    double sum = 0;

    for (size_t k = 0; k < FIELDS; k++)
        for (size_t i = 0; i < N; i++) {
            const double d = a->at[k][i] - (b ? b->at[k][i] : 0);

            sum += weights[k] * d * d;
        }
    return grid.dx * grid.dy * sum;
}

/* The objective, from the public regulariser. */
static double objective(test_run *t, const pair_of_fields *u, const pair_of_fields *f,
                        double tau, const uint8_t *walls)
{
    const double *const planes[FIELDS] = { u->at[0], u->at[1] };
    zm_reg r = ZM_REG_INIT;
    double value = NAN;

    r.eps = 0;
    r.weights = weights;
    CHECK(zm_reg_value(grid, planes, FIELDS, walls, &value, NULL, &r, NULL) == ZM_OK);
    return 0.5 * norm2(u, f) + tau * value;
}

/* The value reported is that of the objective, and, with a gap g, no point is lower by
 * more than g: tried on points around the answer and on mixtures with the data. */
TEST(denoised_fields_minimise_their_objective)
{
    uint64_t state = t->seed;
    const pair_of_fields f = noisy(t->seed);
    const double tau = 0.2;
    pair_of_fields u, v;
    const zm_tv_prox_report r = denoise(t, &f, tau, NULL, 1e-8, &u);
    const double value = objective(t, &u, &f, tau, NULL);

    CHECK_NEAR(value, r.value, 1e-10 * value);
    CHECK_AT_MOST(r.gap, 1e-8 * value);
    for (int trial = 0; trial < 200; trial++) {
        const double size = pow(10, -6 * zm_random_unit(&state));
        const double mix = trial % 2 ? size : 0;

        for (size_t k = 0; k < FIELDS; k++)
            for (size_t i = 0; i < N; i++)
                v.at[k][i] = (1 - mix) * u.at[k][i] + mix * f.at[k][i] +
                             (trial % 2 ? 0 : size * zm_random_normal(&state));
        CHECK_AT_MOST(value - r.gap, objective(t, &v, &f, tau, NULL));
    }
}

/* A proximal map is firmly nonexpansive: |Pf - Pg|^2 <= <Pf - Pg, f - g>. */
TEST(denoising_is_firmly_nonexpansive)
{
    for (uint64_t trial = 0; trial < 5; trial++) {
        const pair_of_fields f = noisy(t->seed + trial),
                             g = noisy(t->seed + 100 + trial);
        pair_of_fields u, v;
        double inner = 0;

        denoise(t, &f, 0.15, NULL, 1e-9, &u);
        denoise(t, &g, 0.15, NULL, 1e-9, &v);
        for (size_t k = 0; k < FIELDS; k++)
            for (size_t i = 0; i < N; i++)
                inner += grid.dx * grid.dy * weights[k] * (u.at[k][i] - v.at[k][i]) *
                         (f.at[k][i] - g.at[k][i]);
        CHECK_AT_MOST(norm2(&u, &v), inner * (1 + 1e-3));
        CHECK_AT_MOST(norm2(&u, &v), norm2(&f, &g));
    }
}

/* Moreau: f - u is tau times a subgradient of TV at u, TV being one-homogeneous: so
 * <f - u, u> = tau TV(u) and <f - u, w> <= tau TV(w) for all w. */
TEST(moreau_decomposition_holds)
{
    const pair_of_fields f = noisy(t->seed);
    const double tau = 0.3;
    pair_of_fields u;
    double inner = 0, against = 0;

    denoise(t, &f, tau, NULL, 1e-7, &u);
    for (size_t k = 0; k < FIELDS; k++)
        for (size_t i = 0; i < N; i++) {
            const double rest =
                grid.dx * grid.dy * weights[k] * (f.at[k][i] - u.at[k][i]);

            inner += rest * u.at[k][i];
            against += rest * f.at[k][i];
        }
    /* The two differ by the duality gap, 1e-7 of a value that is about as large. */
    CHECK_NEAR(inner, objective(t, &u, &u, tau, NULL), 1e-6 * inner);
    CHECK_AT_MOST(against, objective(t, &f, &f, tau, NULL));
}

/* Means are kept, tau = 0 changes nothing, a large tau leaves only the mean, and the
 * same is true on each side of a wall. */
TEST(limits_of_tau)
{
    const pair_of_fields f = noisy(t->seed);
    pair_of_fields u;
    uint8_t walls[N];
    double sum[FIELDS][2] = { { 0 } };
    size_t count[2] = { 0 };

    denoise(t, &f, 0, NULL, 1e-9, &u);
    CHECK(memcmp(u.at[0], f.at[0], sizeof u.at[0]) == 0);
    for (size_t i = 0; i < N; i++) {
        walls[i] = i % COLS == 10;
        count[i % COLS > 10] += !walls[i];
        for (size_t k = 0; k < FIELDS && !walls[i]; k++)
            sum[k][i % COLS > 10] += f.at[k][i];
    }
    denoise(t, &f, 100, walls, 1e-12, &u);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < FIELDS; k++) {
            const size_t side = i % COLS > 10;

            if (walls[i])
                CHECK(u.at[k][i] == f.at[k][i]);
            else
                CHECK_NEAR(u.at[k][i], sum[k][side] / (double)count[side], 1e-4);
        }
}

/* From the dual of the same problem there is nothing left to do; in place is allowed. */
TEST(a_warm_start_continues)
{
    pair_of_fields f = noisy(t->seed), u;
    zm_tv_prox_work *work;
    zm_tv_prox_opts o = ZM_TV_PROX_OPTS_INIT;
    zm_tv_prox_report r = ZM_TV_PROX_REPORT_INIT;
    double *const in[FIELDS] = { f.at[0], f.at[1] };
    double *const out[FIELDS] = { u.at[0], u.at[1] };
    const double *const from[FIELDS] = { f.at[0], f.at[1] };

    o.max_iterations = 5;
    o.gap = 1e-6;
    CHECK(zm_tv_prox_create(&work, grid, FIELDS, NULL, NULL) == ZM_OK);
    CHECK(zm_tv_prox(work, from, 0.2, NULL, out, &o, &r, NULL) == ZM_NOT_CONVERGED);
    CHECK(r.iterations == 5 && r.gap > 0);
    o.max_iterations = 20000;
    CHECK(zm_tv_prox(work, from, 0.2, NULL, out, &o, &r, NULL) == ZM_OK);
    o.warm = 1;
    CHECK(zm_tv_prox(work, from, 0.2, NULL, in, &o, &r, NULL) == ZM_OK);
    CHECK(r.iterations == 0);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(u.at[0][i], f.at[0][i], 1e-13);
    CHECK(zm_tv_prox(work, from, -1, NULL, out, &o, &r, NULL) == ZM_E_ARG);
    r.size = 0; /* of a report that was not begun: nothing is done */
    u.at[0][0] = 77;
    CHECK(zm_tv_prox(work, from, 0.2, NULL, out, &o, &r, NULL) == ZM_E_ARG);
    CHECK(u.at[0][0] == 77);
    r = (zm_tv_prox_report)ZM_TV_PROX_REPORT_INIT;
    o.gap = 0;
    CHECK(zm_tv_prox(work, from, 1, NULL, out, &o, &r, NULL) == ZM_E_ARG);
    zm_tv_prox_destroy(work);
}

/* The shrunk q minimises t |q| + |q - q0|^2 / 2: 0 or q + t q/|q| = q0. */
TEST(shrinkage_satisfies_its_equation)
{
    enum { GROUPS = 200, PLANES = 4 };
    static const double c[PLANES] = { 1, 1, 3, 3 };
    uint64_t state = t->seed;
    double q0[PLANES][GROUPS], q[PLANES][GROUPS];
    double *const planes[PLANES] = { q[0], q[1], q[2], q[3] };
    size_t zeros = 0;

    for (size_t j = 0; j < PLANES; j++)
        for (size_t i = 0; i < GROUPS; i++)
            q[j][i] = q0[j][i] = (i == 0 ? 0 : 0.5) * zm_random_normal(&state);
    CHECK(zm_reg_shrink(GROUPS, PLANES, c, 1, planes, NULL) == ZM_OK);
    for (size_t i = 0; i < GROUPS; i++) {
        double norm = 0, norm0 = 0;

        for (size_t j = 0; j < PLANES; j++) {
            norm += c[j] * q[j][i] * q[j][i];
            norm0 += c[j] * q0[j][i] * q0[j][i];
        }
        norm = sqrt(norm);
        zeros += norm == 0;
        CHECK(norm > 0 || sqrt(norm0) <= 1);
        for (size_t j = 0; j < PLANES && norm > 0; j++)
            CHECK_NEAR(q[j][i] * (1 + 1 / norm), q0[j][i], 1e-12);
    }
    CHECK(zeros > 10 && zeros < GROUPS - 10);
    CHECK(zm_reg_shrink(GROUPS, PLANES, c, -1, planes, NULL) == ZM_E_ARG);
    CHECK(zm_reg_shrink(GROUPS, 0, c, 1, planes, NULL) == ZM_E_ARG);
}

/* The answer may take the place of the data; in walls it is the data. */
TEST(denoising_works_in_place_and_leaves_walls_alone)
{
    const pair_of_fields f = noisy(t->seed);
    uint8_t walls[N] = { 0 };
    pair_of_fields apart, same = f;
    zm_tv_prox_work *work;
    zm_tv_prox_opts o = ZM_TV_PROX_OPTS_INIT;
    double *const planes[FIELDS] = { same.at[0], same.at[1] };

    for (size_t i = 0; i < N; i += 7)
        walls[i] = 1;
    denoise(t, &f, 0.2, walls, 1e-6, &apart);
    o.gap = 1e-6;
    o.weights = weights;
    CHECK(zm_tv_prox_create(&work, grid, FIELDS, NULL, NULL) == ZM_OK);
    CHECK(zm_tv_prox(work, (const double *const *)planes, 0.2, walls, planes, &o, NULL,
                     NULL) == ZM_OK);
    CHECK(!memcmp(&apart, &same, sizeof same));
    for (size_t k = 0; k < FIELDS; k++)
        for (size_t i = 0; i < N; i += 7)
            CHECK(same.at[k][i] == f.at[k][i]);
    zm_tv_prox_destroy(work);
}

/* Too few iterations leave a usable answer and the gap that tells how good it is; what is
 * refused leaves everything as it was. */
TEST(denoising_cut_short_says_so_and_refused_leaves_all)
{
    const pair_of_fields f = noisy(t->seed);
    const double tau = 0.2, *const in[FIELDS] = { f.at[0], f.at[1] };
    pair_of_fields u, best;
    double *const out[FIELDS] = { u.at[0], u.at[1] };
    zm_tv_prox_work *work = (zm_tv_prox_work *)1;
    zm_tv_prox_opts o = ZM_TV_PROX_OPTS_INIT;
    zm_tv_prox_report r = ZM_TV_PROX_REPORT_INIT;

    CHECK(zm_tv_prox_create(&work, grid, 9, NULL, NULL) == ZM_E_ARG && !work);
    CHECK(zm_tv_prox_create(&work, grid, FIELDS, NULL, NULL) == ZM_OK);
    denoise(t, &f, tau, NULL, 1e-12, &best);
    o.weights = weights;
    o.max_iterations = 3;
    CHECK(zm_tv_prox(work, in, tau, NULL, out, &o, &r, NULL) == ZM_NOT_CONVERGED);
    CHECK(r.iterations == 3 && r.gap > o.gap * r.value);
    CHECK_NEAR(objective(t, &u, &f, tau, NULL), r.value, 1e-10 * r.value);
    CHECK_AT_MOST(sqrt(norm2(&u, &best)), sqrt(2 * r.gap) * (1 + 1e-6));
    r.iterations = 77;
    u.at[0][0] = -5;
    CHECK(zm_tv_prox(work, in, -1, NULL, out, &o, &r, NULL) == ZM_E_ARG);
    o.max_iterations = 0;
    CHECK(zm_tv_prox(work, in, tau, NULL, out, &o, &r, NULL) == ZM_E_ARG);
    CHECK(r.iterations == 77 && u.at[0][0] == -5);
    zm_tv_prox_destroy(work);
    zm_tv_prox_destroy(NULL);
}

TEST(refused_shrinkage_leaves_the_planes)
{
    double q[2][3] = { { 3, 0, 1 }, { 4, 0, 0 } };
    double *const planes[2] = { q[0], q[1] };
    const double bad[2] = { 1, -1 };

    CHECK(zm_reg_shrink(3, 2, NULL, -1, planes, NULL) == ZM_E_ARG);
    CHECK(zm_reg_shrink(3, 2, bad, 1, planes, NULL) == ZM_E_ARG);
    CHECK(q[0][0] == 3 && q[1][0] == 4 && q[0][2] == 1);
    CHECK(zm_reg_shrink(3, 2, NULL, 1, planes, NULL) == ZM_OK);
    CHECK_NEAR(q[0][0], 2.4, 1e-15);
    CHECK(q[0][1] == 0 && q[1][1] == 0 && q[0][2] == 0);
}
