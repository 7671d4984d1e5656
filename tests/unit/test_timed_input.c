/* SPDX-License-Identifier: Apache-2.0
 * Time intervals: what is refused, and what is said about it. */
#include <stdlib.h>
#include <string.h>

#include "support/refused.h"
#include "support/timed.h"

TEST(options_are_checked)
{
    const zm_grid grid = { 5, 6, 1, 1 };
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_solver *h = NULL;

    o.threads = 0;
    CHECK_FAILS(zm_solver_create(&h, grid, ZM_F64, &o, &err), ZM_E_ARG, "0 threads");
    CHECK(h == NULL);
    o = (zm_solver_opts)ZM_SOLVER_OPTS_INIT;
    o.cost = (zm_step_cost)7;
    CHECK_FAILS(zm_solver_create(&h, grid, ZM_F64, &o, &err), ZM_E_ARG, "cost 7");
    o = (zm_solver_opts)ZM_SOLVER_OPTS_INIT;
    o.reach = 9;
    CHECK_FAILS(zm_solver_create(&h, grid, ZM_F64, &o, &err), ZM_E_ARG, "reach 9");
    o = (zm_solver_opts)ZM_SOLVER_OPTS_INIT;
    o.size = 40000;
    CHECK_FAILS(zm_solver_create(&h, grid, ZM_F64, &o, &err), ZM_E_ARG,
                "zm_solver_opts");
    CHECK_FAILS(zm_solver_create(&h, grid, (zm_dtype)9, NULL, &err), ZM_E_ARG,
                "dtype 9");
    CHECK_FAILS(zm_solver_create(&h, (zm_grid){ 0, 6, 1, 1 }, ZM_F64, NULL, &err),
                ZM_E_ARG, "0 rows");
    CHECK_FAILS(zm_solver_create(NULL, grid, ZM_F64, NULL, &err), ZM_E_ARG, "out");
    zm_solver_destroy(NULL);
}

static zm_status refuse(void *ctx, size_t interval, zm_window w, zm_window_values *v,
                        zm_error *err)
{
    (void)w;
    (void)v;
    (void)ctx;
    if (err)
        *err = (zm_error){ ZM_E_IO, -1, "no weather that day" };
    return interval == 1 ? ZM_E_IO : ZM_OK;
}

TEST(problems_are_checked)
{
    timed_case b = timed_random(20, 3, t->seed, 2, 1.2, 0.4, true);
    zm_solver *h = timed_solver(&b, ZM_COST_MEAN);
    zm_problem p = timed_problem(&b), q = p;
    zm_source source = p.sources[0];
    double *T = nan_doubles(b.n);

    CHECK_FAILS(zm_forward(h, NULL, T, NULL, NULL, &err), ZM_E_ARG, "problem is NULL");
    CHECK_FAILS(zm_forward(h, &p, NULL, NULL, NULL, &err), ZM_E_ARG, "T is NULL");
    q.n_intervals = 0;
    CHECK_FAILS(zm_forward(h, &q, T, NULL, NULL, &err), ZM_E_ARG, "g11 is NULL");
    q = p;
    q.fill = refuse;
    CHECK_FAILS(zm_forward(h, &q, T, NULL, NULL, &err), ZM_E_ARG, "either");
    q = p;
    q.sources = &source;
    source.row = 2.5;
    CHECK_FAILS(zm_forward(h, &q, T, NULL, NULL, &err), ZM_E_UNSUPPORTED,
                "middle of cells");
    source.row = 20;
    CHECK_FAILS(zm_forward(h, &q, T, NULL, NULL, &err), ZM_E_SOURCE, "row 20");
    q = p;
    q.n_sources = 0;
    CHECK_FAILS(zm_forward(h, &q, T, NULL, NULL, &err), ZM_E_SOURCE, "no source");
    b.starts[2] = b.starts[1];
    CHECK_FAILS(zm_forward(h, &p, T, NULL, NULL, &err), ZM_E_ARG,
                "interval 2 starts at 1");
    b.starts[2] = (double)NAN;
    CHECK_FAILS(zm_forward(h, &p, T, NULL, NULL, &err), ZM_E_ARG, "finite");
    b.starts[2] = 2;
    b.views[1].metric.dtype = ZM_F32;
    CHECK_FAILS(zm_forward(h, &p, T, NULL, NULL, &err), ZM_E_ARG,
                "interval 1 is float32");
    b.views[1].metric.dtype = ZM_F64;
    b.views[2].metric.g11 = NULL;
    CHECK_FAILS(zm_forward(h, &p, T, NULL, NULL, &err), ZM_E_ARG,
                "interval 2: plane g11");
    free(T);
    zm_solver_destroy(h);
    timed_free(&b);
}

/* The metric is looked at where the front comes, and when. */
TEST(metrics_are_checked_where_the_front_comes)
{
    timed_case b = timed_random(20, 3, t->seed, 2, 1.2, 0.4, true);
    zm_solver *h = timed_solver(&b, ZM_COST_MEAN);
    zm_problem p = timed_problem(&b), q;
    zm_forward_opts o = ZM_FORWARD_OPTS_INIT;
    zm_source source = p.sources[0];
    double *T = nan_doubles(b.n);
    zm_error e = { ZM_OK, -1, "" };

    o.t_max = (double)NAN;
    CHECK_FAILS(zm_forward(h, &p, T, &o, NULL, &err), ZM_E_ARG, "t_max");
    o.t_max = 1;
    o.max_cells = -1;
    CHECK_FAILS(zm_forward(h, &p, T, &o, NULL, &err), ZM_E_ARG, "max_cells -1");
    b.interval[2].g11[20 * 11 + 11] = -1;
    o.max_cells = 0;
    CHECK(zm_forward(h, &p, T, &o, NULL, &e) == ZM_OK);
    CHECK(zm_forward(h, &p, T, NULL, NULL, &e) == ZM_E_METRIC);
    CHECK(e.cell == 20 * 11 + 11 && strstr(e.text, "interval 2") &&
          strstr(e.text, "row 11, col 11"));
    b.interval[2].g11[20 * 11 + 11] = 1;
    b.interval[2].b1[20 * 11 + 11] = 9;
    CHECK_FAILS(zm_forward(h, &p, T, NULL, NULL, &err), ZM_E_METRIC, "drift norm");
    fill_oriented(&b.interval[0], 1, 1e12, 0.4, 0, 0);
    CHECK_FAILS(zm_forward(h, &p, T, NULL, NULL, &err), ZM_E_METRIC, "so extreme");
    q = p;
    q.intervals = NULL;
    q.fill = refuse; /* interval 0 is left at 0, which is no metric */
    CHECK_FAILS(zm_forward(h, &q, T, NULL, NULL, &err), ZM_E_METRIC,
                "positive definite");
    source.time = 1.5;
    q.sources = &source;
    CHECK_FAILS(zm_forward(h, &q, T, NULL, NULL, &err), ZM_E_IO, "no weather that day");
    free(T);
    zm_solver_destroy(h);
    timed_free(&b);
}

/* A source all of whose neighbours are walls, or that nothing ever moves around, is reached
 * alone; infinite metrics are stops like any other. */
TEST(a_front_that_cannot_move_stays)
{
    timed_case b = timed_create(9, 9, 3);
    double T[81];

    case_add_source(&b.interval[0], 4, 4, 7);
    for (size_t k = 0; k < 3; k++)
        fill_constant(&b.interval[k], (double)INFINITY, 0, 1, 0, 0);
    CHECK(timed_solve(&b, ZM_COST_MEAN, T) == ZM_OK);
    for (size_t i = 0; i < 81; i++)
        CHECK(i == 40 ? T[i] == 7 : T[i] == (double)INFINITY);
    timed_free(&b);
}

TEST(derivatives_need_a_record_and_finite_numbers)
{
    timed_case b = timed_random(15, 3, t->seed, 2, 1.2, 0.4, true);
    zm_solver *h = timed_solver(&b, ZM_COST_OWN);
    zm_problem p = timed_problem(&b), q = p;
    double *T = nan_doubles(b.n), *g = nan_doubles(b.n), *dT = nan_doubles(b.n);
    const void *const many[2] = { T, T };
    double plane[225], time[1];
    zm_gradient planes[3] = { ZM_GRADIENT_INIT, ZM_GRADIENT_INIT, ZM_GRADIENT_INIT };
    zm_direction moves[3] = { ZM_DIRECTION_INIT, ZM_DIRECTION_INIT, ZM_DIRECTION_INIT };
    zm_gradient out = { .size = sizeof out, .intervals = planes, .source_times = time };
    zm_direction by = { .size = sizeof by, .intervals = moves };
    zm_error e = { ZM_OK, -1, "" };

    CHECK_FAILS(zm_adjoint(h, &p, T, g, &out, &err), ZM_E_STATE, "no solve");
    CHECK_FAILS(zm_tangent(h, &p, T, &by, dT, &err), ZM_E_STATE, "no solve");
    CHECK(zm_forward(h, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_adjoint(h, &p, T, g, &out, &e) == ZM_E_ARG && e.cell == 0);
    memset(g, 0, b.n * sizeof *g);
    CHECK_FAILS(zm_adjoint(h, &p, T, NULL, &out, &err), ZM_E_ARG, "dL_dT");
    q.n_intervals = 2;
    CHECK_FAILS(zm_adjoint(h, &q, T, g, &out, &err), ZM_E_STATE,
                "not what zm_forward saw");
    planes[1].source_times = time;
    CHECK_FAILS(zm_adjoint(h, &p, T, g, &out, &err), ZM_E_ARG, "interval 1");
    planes[1].source_times = NULL;
    CHECK(zm_adjoint(h, &p, T, g, &out, NULL) == ZM_OK);
    planes[0].size = moves[0].size = 0;
    CHECK_FAILS(zm_adjoint(h, &p, T, g, &out, &err), ZM_E_ARG, "zm_gradient has size 0");
    CHECK_FAILS(zm_tangent(h, &p, T, &by, dT, &err), ZM_E_ARG, "zm_direction has size 0");
    planes[0].size = sizeof *planes;
    moves[0].size = sizeof *moves;
    moves[2].g11 = plane;
    for (size_t i = 0; i < b.n; i++)
        plane[i] = (double)NAN;
    CHECK_FAILS(zm_tangent(h, &p, T, &by, dT, &err), ZM_E_ARG, "not finite");
    b.views[1].metric.g22 = NULL;
    planes[1].g22 = plane;
    CHECK_FAILS(zm_adjoint(h, &p, T, g, &out, &err), ZM_E_ARG, "interval 1 has no g22");
    CHECK_FAILS(zm_adjoint_batch(h, &p, 2, many, many, &out, &err), ZM_E_ARG,
                "2 problems");
    CHECK(zm_forward(h, NULL, T, NULL, NULL, NULL) == ZM_E_ARG);
    CHECK_FAILS(zm_adjoint(h, &p, T, g, &out, &err), ZM_E_STATE, "no solve");
    free(dT);
    free(g);
    free(T);
    zm_solver_destroy(h);
    timed_free(&b);
}

static int stop_at_once(void *ctx, double fraction)
{
    int *calls = ctx;

    ++*calls;
    return fraction >= 0;
}

TEST(the_progress_callback_cancels)
{
    timed_case b = timed_random(90, 2, t->seed, 2, 1.2, 0.4, true);
    zm_solver *h = timed_solver(&b, ZM_COST_OWN);
    const zm_problem p = timed_problem(&b);
    double *T = nan_doubles(b.n);
    void *const all[1] = { T };
    int calls = 0;
    zm_forward_opts o = ZM_FORWARD_OPTS_INIT;

    o.progress = stop_at_once;
    o.progress_ctx = &calls;
    CHECK_FAILS(zm_forward(h, &p, T, &o, NULL, &err), ZM_E_CANCELLED, "cancelled");
    CHECK_FAILS(zm_forward_batch(h, &p, 1, all, &o, NULL, &err), ZM_E_CANCELLED,
                "problem 0");
    CHECK(calls == 2);
    free(T);
    zm_solver_destroy(h);
    timed_free(&b);
}
