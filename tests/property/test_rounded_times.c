/* SPDX-License-Identifier: Apache-2.0
 * What is rounded on the way out, to float32 or when the first source's time is added, is
 * still taken for what it was. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/cases.h"

/* All that looks at a solution in float32 works, and labels and paths lead to the source. */
static void check_looks(test_run *t, const test_case *c, double scale)
{
    zm_solver_opts opts = adaptive_opts(1, 0);
    zm_solver *s = case_solver(c, ZM_F32, &opts);
    case_f32 f = case_to_f32(c);
    float *T = nan_floats(c->n), *g = nan_floats(c->n), *vx = nan_floats(c->n),
          *vy = nan_floats(c->n);
    int32_t *labels = calloc(c->n, sizeof *labels), source = -1;
    double sum = 0;
    zm_gradient out = ZM_GRADIENT_INIT;
    zm_path_point path[2000];
    zm_report report = ZM_REPORT_INIT;
    zm_error err = { ZM_OK, -1, "" };
    size_t n = 0;

    out.source_times = &sum;
    for (size_t i = 0; i < c->n; i++)
        g[i] = 1;
    CHECK(zm_forward(s, &f.problem, T, NULL, &report, &err) == ZM_OK);
    CHECK_MSG(zm_adjoint(s, &f.problem, T, g, &out, &err) == ZM_OK,
              "time %g, scale %g, method %d: %s", c->sources[0].time, scale,
              (int)report.method, err.text);
    CHECK_NEAR(sum, (double)c->n, 1e-6 * (double)c->n);
    CHECK(zm_labels(s, 0, &f.problem, T, labels, &err) == ZM_OK);
    CHECK(zm_flow(s, 0, &f.problem, T, vx, vy, &err) == ZM_OK);
    CHECK(zm_path(s, 0, &f.problem, T, 3, 4, path, 2000, &n, &source, NULL, &err) ==
          ZM_OK);
    CHECK(source == 0);
    for (size_t i = 0; i < c->n; i++)
        CHECK(labels[i] == 0);
    free(labels);
    free(vy);
    free(vx);
    free(g);
    free(T);
    case_f32_free(&f);
    zm_solver_destroy(s);
}

/* 0.7 is smaller in float32, 0.1 is larger, and at 1e6 many cells have the same time. */
TEST(a_source_is_a_source_whatever_its_time_is_rounded_to)
{
    static const double times[] = { 0.7, 0.1, -0.7, 1000.3, 1e6, -1e6 };
    static const double scales[] = { 1, 1e-4 };

    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        for (int k = 0; k < 2; k++) {
            test_case c = case_make(STRONG, 40, 45, t->seed);

            for (int p = 0; p < N_PLANES; p++)
                for (size_t j = 0; j < c.n; j++)
                    case_plane(&c, p)[j] *= p < 3 ? scales[k] * scales[k] : scales[k];
            c.sources[0].time = times[i];
            check_looks(t, &c, scales[k]);
            case_free(&c);
        }
}
