/* SPDX-License-Identifier: Apache-2.0
 * Best times of a solve and of its adjoint with one instruction set, in milliseconds, as JSON, for
 * bench_page.mjs: solve_repeat METRIC.npy DRIFT.npy ROW COL avx2|best ROUNDS */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/scene.h"
#include "zermelo/adjoint.h"
#include "zermelo/npy.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static zm_npy read_array(const char *path)
{
    zm_npy array;
    zm_error err;

    expect_ok(zm_npy_peek(path, &array, &err), path, &err);
    expect_ok(zm_npy_read(path, array.type, &array, &err), path, &err);
    return array;
}

int main(int argc, char **argv)
{
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    zm_gradient out = ZM_GRADIENT_INIT;
    zm_problem problem = ZM_PROBLEM_INIT;
    zm_solver *solver;
    zm_error err;
    double solve = HUGE_VAL, back = HUGE_VAL;

    if (argc != 7)
        return 2;
    zm_npy g = read_array(argv[1]), b = read_array(argv[2]);
    const zm_dtype dtype = g.type == ZM_NPY_F32 ? ZM_F32 : ZM_F64;
    const zm_grid grid = { (int32_t)g.shape[1], (int32_t)g.shape[2], 1, 1 };
    const size_t plane = g.shape[1] * g.shape[2] * zm_dtype_size(dtype);
    const zm_source source = { atof(argv[3]), atof(argv[4]), 0 };
    char *G = g.data, *B = b.data, *T = or_out_of_memory(malloc(plane)), *planes[N_PLANES];

    problem.metric = (zm_metric){ dtype, G, G + plane, G + 2 * plane, B, B + plane };
    problem.sources = &source;
    problem.n_sources = 1;
    for (int i = 0; i < N_PLANES; i++)
        planes[i] = or_out_of_memory(malloc(plane));
    out.g11 = planes[0];
    out.g12 = planes[1];
    out.g22 = planes[2];
    out.b1 = planes[3];
    out.b2 = planes[4];
    opts.isa = strcmp(argv[5], "avx2") ? ZM_ISA_BEST : ZM_ISA_AVX2;
    expect_ok(zm_solver_create(&solver, grid, dtype, &opts, &err), "solver", &err);
    for (int32_t round = 0; round < positive(argv[6]); round++) {
        const double begin = now();

        expect_ok(zm_forward(solver, &problem, T, NULL, NULL, &err), "solve", &err);
        const double middle = now();

        expect_ok(zm_adjoint(solver, &problem, T, T, &out, &err), "adjoint", &err);
        solve = fmin(solve, middle - begin);
        back = fmin(back, now() - middle);
    }
    printf("{\"solve\": %.4f, \"adjoint\": %.4f}\n", solve, back);
    zm_solver_destroy(solver);
    for (int i = 0; i < N_PLANES; i++)
        free(planes[i]);
    free(T);
    zm_npy_free(&g);
    zm_npy_free(&b);
    return 0;
}
