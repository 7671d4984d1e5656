/* SPDX-License-Identifier: Apache-2.0
 * Derivatives that are given and are not finite: refused, or propagated to all that depends on
 * them and to no more than their surroundings. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/cases.h"

enum { SIDE = 24, ENGINES = 4 };

/* One problem solved by one of the engines. */
typedef struct solved {
    test_case c;
    zm_interval interval;
    double start;
    zm_problem problem;
    zm_solver *solver;
    double *T;
    bool timed;
} solved;

static void solved_create(test_run *t, solved *s, medium m, int engine)
{
    const zm_solver_opts opts[ENGINES] = { fixed_opts(), adaptive_opts(1, 0),
                                           adaptive_opts(2, HUGE_VAL),
                                           adaptive_opts(1, 0) };

    *s = (solved){ .c = case_make(m, SIDE, SIDE, t->seed), .timed = engine == 3 };
    s->problem = case_problem(&s->c);
    if (s->timed) {
        s->interval = (zm_interval){ .metric = s->problem.metric };
        s->problem.metric = (zm_metric){ .dtype = ZM_F64 };
        s->problem.n_intervals = 1;
        s->problem.starts = &s->start;
        s->problem.intervals = &s->interval;
    }
    s->solver = case_solver(&s->c, ZM_F64, &opts[engine]);
    s->T = nan_doubles(s->c.n);
    CHECK(zm_forward(s->solver, &s->problem, s->T, NULL, NULL, NULL) >= 0);
}

static void solved_free(solved *s)
{
    zm_solver_destroy(s->solver);
    free(s->T);
    case_free(&s->c);
}

static zm_status adjoint(const solved *s, const double *g, zm_nonfinite nonfinite,
                         double *planes, double *source_time, zm_error *err)
{
    zm_gradient inner = gradient_into(planes, s->c.n), out = inner;

    if (s->timed)
        out = (zm_gradient){ .size = sizeof out, .intervals = &inner };
    out.source_times = source_time;
    out.nonfinite = nonfinite;
    return zm_adjoint(s->solver, &s->problem, s->T, g, &out, err);
}

static zm_status tangent(const solved *s, const double *planes, zm_nonfinite nonfinite,
                         double *dT, zm_error *err)
{
    zm_direction inner = direction_from(planes, s->c.n), d = inner;

    if (s->timed)
        d = (zm_direction){ .size = sizeof d, .intervals = &inner };
    d.nonfinite = nonfinite;
    return zm_tangent(s->solver, &s->problem, s->T, &d, dT, err);
}

/* The cell that is reached last: much lies on its ways. */
static size_t last_cell(const solved *s)
{
    size_t last = 0;

    for (size_t i = 0; i < s->c.n; i++)
        if (isfinite(s->T[i]) && !(s->T[i] < s->T[last]))
            last = i;
    return last;
}

/* With 1 in the place of the bad value every entry that depends on it is not 0. */
TEST(a_cotangent_that_is_not_finite_spoils_what_depends_on_it)
{
    const double bad[] = { NAN, INFINITY, -INFINITY };

    for (int m = 0; m < N_MEDIA; m++)
        for (int engine = 0; engine < ENGINES; engine++) {
            solved s;
            double *g, *unit, *spoilt, by_time = NAN;
            size_t last, kept = 0;
            zm_error err;

            solved_create(t, &s, (medium)m, engine);
            g = calloc(s.c.n, sizeof *g);
            unit = nan_doubles(N_PLANES * s.c.n);
            spoilt = nan_doubles(N_PLANES * s.c.n);
            last = last_cell(&s);
            g[last] = 1;
            CHECK(adjoint(&s, g, ZM_NONFINITE_REFUSE, unit, &by_time, NULL) >= 0);
            for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
                g[last] = bad[b];
                CHECK(adjoint(&s, g, ZM_NONFINITE_REFUSE, spoilt, &by_time, &err) ==
                      ZM_E_ARG);
                CHECK(err.cell == (int64_t)last && strstr(err.text, "dL_dT"));
                CHECK(adjoint(&s, g, ZM_NONFINITE_PROPAGATE, spoilt, &by_time, &err) >=
                      0);
                CHECK(!isfinite(by_time));
                for (size_t i = 0; i < N_PLANES * s.c.n; i++) {
                    if (unit[i] != 0)
                        CHECK_MSG(!isfinite(spoilt[i]), "%s, engine %d: %g of %g",
                                  medium_name((medium)m), engine, spoilt[i], unit[i]);
                    kept += isfinite(spoilt[i]) ? 1 : 0;
                }
            }
            CHECK(m == STRONG || m == PIXELS || kept > s.c.n); /* not everything */
            free(g);
            free(unit);
            free(spoilt);
            solved_free(&s);
        }
}

TEST(a_direction_that_is_not_finite_spoils_what_depends_on_it)
{
    for (int m = 0; m < N_MEDIA; m++)
        for (int engine = 0; engine < ENGINES; engine++) {
            solved s;
            double *planes, *unit, *spoilt;
            size_t cell;
            zm_error err;

            solved_create(t, &s, (medium)m, engine);
            planes = calloc(N_PLANES * s.c.n, sizeof *planes);
            unit = nan_doubles(s.c.n);
            spoilt = nan_doubles(s.c.n);
            cell = (size_t)(SIDE / 2 * SIDE + SIDE / 2 + 3); /* near the source */
            planes[cell] = 1;
            CHECK(tangent(&s, planes, ZM_NONFINITE_REFUSE, unit, NULL) >= 0);
            planes[cell] = NAN;
            if (tangent(&s, planes, ZM_NONFINITE_REFUSE, spoilt, &err) != ZM_OK)
                CHECK(err.code == ZM_E_ARG && strstr(err.text, "not finite"));
            CHECK(tangent(&s, planes, ZM_NONFINITE_PROPAGATE, spoilt, &err) >= 0);
            for (size_t i = 0; i < s.c.n; i++)
                if (unit[i] != 0)
                    CHECK_MSG(!isfinite(spoilt[i]), "%s, engine %d: %g of %g",
                              medium_name((medium)m), engine, spoilt[i], unit[i]);
            free(planes);
            free(unit);
            free(spoilt);
            solved_free(&s);
        }
}

/* Values where nothing arrives are ignored, whatever they are. */
TEST(cotangents_of_cells_that_are_not_reached_do_not_count)
{
    solved s;
    double *g, *planes, by_time = NAN;

    solved_create(t, &s, MAZE, 0);
    g = calloc(s.c.n, sizeof *g);
    planes = nan_doubles(N_PLANES * s.c.n);
    for (size_t i = 0; i < s.c.n; i++)
        g[i] = isfinite(s.T[i]) ? 1 : NAN;
    CHECK(adjoint(&s, g, ZM_NONFINITE_PROPAGATE, planes, &by_time, NULL) == ZM_OK);
    for (size_t i = 0; i < N_PLANES * s.c.n; i++)
        CHECK(isfinite(planes[i]));
    free(g);
    free(planes);
    solved_free(&s);
}

TEST(no_other_word_is_taken)
{
    solved s;
    double *g, *planes, by_time;
    zm_error err;

    solved_create(t, &s, SMOOTH, 0);
    g = calloc(s.c.n, sizeof *g);
    planes = nan_doubles(N_PLANES * s.c.n);
    CHECK(adjoint(&s, g, (zm_nonfinite)2, planes, &by_time, &err) == ZM_E_ARG &&
          strstr(err.text, "nonfinite"));
    CHECK(tangent(&s, planes, (zm_nonfinite)2, g, &err) == ZM_E_ARG &&
          strstr(err.text, "nonfinite"));
    free(g);
    free(planes);
    solved_free(&s);
}
