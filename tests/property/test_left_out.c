/* SPDX-License-Identifier: Apache-2.0
 * A plane that is left out counts as 0, and g22 as g11: the kernels that do without drift, and those
 * of isotropic metrics, find the times of those that have all planes. */
#include <stdlib.h>

#include "check.h"
#include "support/cases.h"

enum { ROWS = 75, COLS = 109 };

/* Without drift; isotropic: with one eigenvalue, not that of the other axis. */
static void plane_values_clear(test_case *c, bool isotropic)
{
    for (size_t i = 0; i < c->n; i++) {
        case_plane(c, 3)[i] = case_plane(c, 4)[i] = 0;
        if (isotropic) {
            case_plane(c, 1)[i] = 0;
            case_plane(c, 2)[i] = case_plane(c, 0)[i];
        }
    }
}

static void planes_leave_out(zm_metric *m, bool isotropic)
{
    m->b1 = m->b2 = NULL;
    if (isotropic)
        m->g12 = m->g22 = NULL;
}

/* Times of a problem into T as doubles; false: this instruction set is not here. */
static bool times_of(test_run *t, const test_case *c, const zm_problem *p, zm_dtype dtype,
                     const zm_solver_opts *opts, double *T)
{
    float *single = calloc(c->n, sizeof *single);
    zm_solver *solver = NULL;
    zm_error err;
    const zm_status made = zm_solver_create(&solver, c->grid, dtype, opts, &err);

    CHECK(single && (made == ZM_OK || made == ZM_E_UNSUPPORTED));
    if (made == ZM_OK) {
        CHECK_MSG(zm_forward(solver, p, dtype == ZM_F32 ? (void *)single : T, NULL, NULL,
                             &err) == ZM_OK,
                  "%s", err.text);
        if (dtype == ZM_F32)
            for (size_t i = 0; i < c->n; i++)
                T[i] = (double)single[i];
    }
    zm_solver_destroy(solver);
    free(single);
    return made == ZM_OK;
}

static void compare(test_run *t, medium m, bool isotropic, zm_isa isa,
                    zm_stencil_choice stencils)
{
    test_case c = case_make(m, ROWS, COLS, t->seed);
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    double *full = nan_doubles(c.n), *less = nan_doubles(c.n);

    c.grid.dx = 1.5;
    c.grid.dy = 0.75;
    opts.isa = isa;
    opts.stencils = stencils;
    plane_values_clear(&c, isotropic);
    case_round_to_f32(&c);
    for (int dtype = 0; dtype < 2; dtype++) {
        case_f32 single = case_to_f32(&c);
        zm_problem p = dtype == ZM_F32 ? single.problem : case_problem(&c);
        double worst = 0;

        if (times_of(t, &c, &p, (zm_dtype)dtype, &opts, full)) {
            planes_leave_out(&p.metric, isotropic);
            times_of(t, &c, &p, (zm_dtype)dtype, &opts, less);
            worst = max_relative_difference(full, less, c.n);
            CHECK_MSG(worst <= (dtype == ZM_F32 ? 2e-6 : 1e-13), "%s, %s, isa %d: %.2g",
                      medium_name(m), isotropic ? "isotropic" : "no drift", (int)isa, worst);
        }
        case_f32_free(&single);
    }
    free(less);
    free(full);
    case_free(&c);
}

static void compare_all(test_run *t, bool isotropic)
{
    static const zm_isa sets[] = { ZM_ISA_SCALAR, ZM_ISA_AVX2, ZM_ISA_AVX512, ZM_ISA_BEST };

    for (int m = 0; m < N_MEDIA; m++)
        for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
            compare(t, (medium)m, isotropic, sets[i], ZM_STENCILS_FIXED);
    /* these measure the margin of every cell as well */
    compare(t, SMOOTH, isotropic, ZM_ISA_BEST, ZM_STENCILS_ADAPTIVE);
}

TEST(a_drift_that_is_left_out_is_none)
{
    compare_all(t, false);
}

TEST(an_isotropic_metric_needs_one_plane)
{
    compare_all(t, true);
}

/* What is not admissible is found by every kernel, wherever it lies. */
TEST(a_bad_cell_of_an_isotropic_metric_is_named)
{
    static const double bad[] = { 0, -1, NAN, INFINITY };
    test_case c = case_make(CONTRAST, ROWS, COLS, t->seed);
    double *T = nan_doubles(c.n);
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const size_t cell = (size_t)(zm_random_unit(&t->seed) * (double)c.n);
        const double was = case_plane(&c, 0)[cell];
        zm_problem p = case_problem(&c);
        zm_solver *solver = case_solver(&c, ZM_F64, &opts);
        zm_error err;

        planes_leave_out(&p.metric, true);
        case_plane(&c, 0)[cell] = bad[i];
        CHECK(zm_forward(solver, &p, T, NULL, NULL, &err) == ZM_E_METRIC);
        CHECK_MSG(err.cell == (int64_t)cell, "cell %d, said %d", (int)cell, (int)err.cell);
        case_plane(&c, 0)[cell] = was;
        zm_solver_destroy(solver);
    }
    free(T);
    case_free(&c);
}
