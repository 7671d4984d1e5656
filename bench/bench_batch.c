/* SPDX-License-Identifier: Apache-2.0
 * A batch of problems on two threads against one: bench_batch ROUNDS SIDE PROBLEMS
 *
 * Four metrics take turns, and every problem has its own 3 x 3 source.  The error is the
 * largest difference from the same problems solved one by one. */
#include <stdlib.h>

#include "support/scene.h"

enum { N_METRICS = 4, N_SOURCES = 9, N_JOBS = 2 };

typedef struct batch {
    zm_solver *solver;
    const zm_problem *problems;
    size_t n;
    void **T;
    int32_t threads;
} batch;

static void run_batch(void *ctx)
{
    batch *b = ctx;
    zm_error err;

    expect_ok(zm_forward_batch(b->solver, b->problems, b->n, b->T, NULL, NULL, &err),
              "zm_forward_batch", &err);
}

/* Problems with the metrics of the scenes and sources along a spiral. */
static zm_problem *make_problems(const scene *scenes, zm_dtype dtype, size_t n,
                                 zm_source *sources)
{
    zm_problem *problems = or_out_of_memory(calloc(n, sizeof *problems));
    const double side = scenes[0].c.grid.rows;

    for (size_t i = 0; i < n; i++) {
        const double far = 0.4 * (double)(i + 1) / (double)n;
        const double row = floor(side * (0.5 + far * cos((double)i)));
        const double col = floor(side * (0.5 + far * sin((double)i)));

        for (size_t k = 0; k < N_SOURCES; k++)
            sources[i * N_SOURCES + k] =
                (zm_source){ row + (double)(k / 3) - 1, col + (double)(k % 3) - 1, 0 };
        problems[i] = scenes[i % N_METRICS].problem[dtype];
        problems[i].sources = &sources[i * N_SOURCES];
        problems[i].n_sources = N_SOURCES;
    }
    return problems;
}

static void batch_init(batch *b, const scene *s, zm_dtype dtype,
                       const zm_problem *problems, size_t n, int32_t threads)
{
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;

    o.stencils = ZM_STENCILS_FIXED;
    o.threads = threads;
    o.batch = (int32_t)n;
    *b = (batch){ case_solver(&s->c, dtype, &o), problems, n, NULL, threads };
    b->T = or_out_of_memory(malloc(n * sizeof *b->T));
    for (size_t i = 0; i < n; i++)
        b->T[i] = or_out_of_memory(malloc(s->c.n * zm_dtype_size(dtype)));
}

static void batch_free(batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        free(b->T[i]);
    free(b->T);
    zm_solver_destroy(b->solver);
}

static double batch_error(const batch *b, scene *s, zm_dtype dtype)
{
    double worst = 0;
    job j;

    job_init(&j, s, dtype, 1, ZM_ISA_BEST);
    for (size_t i = 0; i < b->n; i++) {
        double *alone = nan_doubles(s->c.n), *wide = nan_doubles(s->c.n);
        zm_error err;

        expect_ok(zm_forward(j.solver, &b->problems[i], j.T, NULL, NULL, &err),
                  "zm_forward", &err);
        for (size_t k = 0; k < s->c.n; k++) {
            alone[k] = dtype ? ((float *)j.T)[k] : ((double *)j.T)[k];
            wide[k] = dtype ? ((float *)b->T[i])[k] : ((double *)b->T[i])[k];
        }
        worst = fmax(worst, max_relative_difference(wide, alone, s->c.n));
        free(wide);
        free(alone);
    }
    job_free(&j);
    return worst;
}

static void measure(int rounds, scene *scenes, zm_dtype dtype, size_t n)
{
    zm_source *sources = or_out_of_memory(malloc(n * N_SOURCES * sizeof *sources));
    zm_problem *problems = make_problems(scenes, dtype, n, sources);
    batch jobs[N_JOBS];
    contestant c[N_JOBS];

    for (int i = 0; i < N_JOBS; i++) {
        batch_init(&jobs[i], &scenes[0], dtype, problems, n, 1 + i);
        c[i] = (contestant){ i == 0 ? "one thread" : "two threads", run_batch, &jobs[i],
                             .rounds = rounds };
    }
    contest(c, N_JOBS, WALL_TIME);
    row_print(&(bench_row){ "batch", &scenes[0], dtype, jobs[1].threads, (int32_t)n,
                            ZM_ISA_BEST, WALL_TIME,
                            batch_error(&jobs[1], scenes, dtype) },
              &c[1], &c[0]);
    for (int i = 0; i < N_JOBS; i++)
        batch_free(&jobs[i]);
    free(problems);
    free(sources);
}

int main(int argc, char **argv)
{
    scene scenes[N_METRICS];

    if (argc != 4)
        return 2;
    for (int i = 0; i < N_METRICS; i++)
        scene_init(&scenes[i], SMOOTH, positive(argv[2]), (uint64_t)i + 1);
    measure(positive(argv[1]), scenes, ZM_F64, (size_t)positive(argv[3]));
    measure(positive(argv[1]), scenes, ZM_F32, (size_t)positive(argv[3]));
    for (int i = 0; i < N_METRICS; i++)
        scene_free(&scenes[i]);
    return 0;
}
