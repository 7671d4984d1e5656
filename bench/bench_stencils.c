/* SPDX-License-Identifier: Apache-2.0
 * Adaptive stencils, second order and factoring: bench_stencils ROUNDS SIDE...
 *
 * Against fixed stencils in a mild medium, where adaptive ones must take the same time, higher orders
 * there against marching too, and against
 * Algorithm 1 in strong ones: the mild one with eigenvalue ratio 100, and one that turns
 * several times faster (ratio 64, drift up to 0.5). */
#include <math.h>

#include "support/scene.h"

typedef struct scheme {
    const char *name;
    zm_stencil_choice stencils;
    int32_t order;
    double factor_radius;
} scheme;

static const scheme fixed = { "fixed", ZM_STENCILS_FIXED, 1, 0.0 };
static const scheme adaptive = { "adaptive", ZM_STENCILS_ADAPTIVE, 1, 0.0 };
static const scheme accurate = { "order 2, factored", ZM_STENCILS_ADAPTIVE, 2,
                                 HUGE_VAL };
static const scheme third = { "order 3, factored", ZM_STENCILS_ADAPTIVE, 3, HUGE_VAL };
/* A radius that ends somewhere, if only beyond the grid, is for marching. */
static const scheme marched = { "order 2, marching", ZM_STENCILS_ADAPTIVE, 2, 1e9 };

static void job_with(job *j, const scene *s, const scheme *how)
{
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;

    o.stencils = how->stencils;
    o.order = how->order;
    o.factor_radius = how->factor_radius;
    job_init(j, s, ZM_F64, 1, ZM_ISA_BEST);
    zm_solver_destroy(j->solver);
    j->solver = case_solver(&s->c, ZM_F64, &o);
}

/* One row for each scheme against the opponent, which is c[0]. */
static void rows(const scene *s, contestant *c, const job *jobs, size_t n)
{
    contest(c, n, CPU_TIME);
    for (size_t i = 1; i < n; i++)
        row_print(&(bench_row){ "stencils", s, ZM_F64, 1, 1, ZM_ISA_BEST, CPU_TIME,
                                s->exact ? job_error(&jobs[i]) : 0 },
                  &c[i], &c[0]);
}

/* A mild medium, the first scheme being the opponent of the others. */
static void measure_mild(int rounds, int32_t side, const scheme *const schemes[],
                         size_t n)
{
    enum { MOST = 4 };
    job jobs[MOST];
    contestant c[MOST];
    scene s;

    scene_init(&s, SMOOTH, side, 1);
    for (size_t i = 0; i < n; i++) {
        job_with(&jobs[i], &s, schemes[i]);
        c[i] =
            (contestant){ schemes[i]->name, job_forward, &jobs[i], .rounds = rounds };
    }
    rows(&s, c, jobs, n);
    for (size_t i = 0; i < n; i++)
        job_free(&jobs[i]);
    scene_free(&s);
}

static void measure_strong(medium m, int rounds, int32_t side)
{
    const scheme *const schemes[] = { NULL, &fixed, &adaptive, &accurate };
    enum { N_JOBS = sizeof schemes / sizeof *schemes };
    job jobs[N_JOBS];
    contestant c[N_JOBS];
    sweeps paper;
    scene s;

    scene_init(&s, m, side, 1);
    sweeps_init(&paper, &s, 0);
    c[0] = (contestant){ "algorithm 1", sweeps_run, &paper, .rounds = SLOW_ROUNDS };
    for (int i = 1; i < N_JOBS; i++) {
        job_with(&jobs[i], &s, schemes[i]);
        c[i] =
            (contestant){ schemes[i]->name, job_forward, &jobs[i], .rounds = rounds };
    }
    rows(&s, c, jobs, N_JOBS);
    for (int i = 1; i < N_JOBS; i++)
        job_free(&jobs[i]);
    sweeps_free(&paper);
    scene_free(&s);
}

int main(int argc, char **argv)
{
    static const scheme *const of_first[] = { &fixed, &adaptive, &accurate, &third };
    static const scheme *const of_marching[] = { &marched, &accurate, &third };

    if (argc < 3)
        return 2;
    for (int i = 2; i < argc; i++) {
        measure_mild(positive(argv[1]), positive(argv[i]), of_first, 4);
        measure_mild(positive(argv[1]), positive(argv[i]), of_marching, 3);
        measure_strong(ROTATING, positive(argv[1]), positive(argv[i]));
        measure_strong(STRONG, positive(argv[1]), positive(argv[i]));
    }
    return 0;
}
