/* SPDX-License-Identifier: Apache-2.0
 * Time to accuracy: bench_accuracy ROUNDS randers|isotropic SIDE [FOLDER]
 *
 * Solves a problem with a known solution by orders 1, 2 and 3 and by marching, and prints time and
 * error of each.  With FOLDER the problem is written there for other programs: the planes g11,
 * g12, g22, b1, b2 and the solution T as float64 files .npy, and problem.json.
 *
 * randers: a varying metric of ratio 2 with drift; isotropic: speed 1 + a.x, |a| = 1 and metric
 * g11 alone (paper/reference/manufactured.h); both on the unit square. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/manufactured.h"
#include "support/scene.h"
#include "zermelo/npy.h"

static const double source_x = 0.3, source_y = 0.4;
/* Marching has cost enough by then. */
enum { MOST_MARCHED = 641 };

typedef struct scheme {
    const char *name;
    int32_t order;
    double factor_radius;
} scheme;

/* A radius that ends somewhere, if only beyond the grid, is for marching. */
static const scheme schemes[] = { { "order 1", 1, 0 },
                                  { "order 2", 2, HUGE_VAL },
                                  { "order 3", 3, HUGE_VAL },
                                  { "order 2, marching", 2, 1e9 } };
enum { N_SCHEMES = sizeof schemes / sizeof *schemes };

typedef struct known_problem {
    const char *name;
    test_case c;
    zm_problem problem;
    double *exact;
} known_problem;

static known_problem problem_make(const char *name, int32_t side)
{
    const bool isotropic = !strcmp(name, "isotropic");
    const zm_reference_manufactured m = zm_reference_manufactured_make(
        isotropic ? 1 : 2, isotropic ? 0 : 1, source_x, source_y);
    const double h = 1.0 / (side - 1);
    known_problem p = { .name = name, .c = case_create(side, side) };

    p.exact = nan_doubles(p.c.n);
    p.c.grid.dx = p.c.grid.dy = h;
    for (size_t i = 0; i < p.c.n; i++) {
        const double x = h * (double)(i % (size_t)side),
                     y = h * (double)(i / (size_t)side);
        double metric[N_PLANES];

        zm_reference_manufactured_metric(&m, x, y, metric);
        for (int k = 0; k < N_PLANES; k++)
            case_plane(&p.c, k)[i] = metric[k];
        p.exact[i] = zm_reference_manufactured_time(&m, x, y);
    }
    case_add_source(&p.c, (int32_t)lround(source_y / h), (int32_t)lround(source_x / h),
                    0);
    p.problem = case_problem(&p.c);
    if (isotropic)
        p.problem.metric.g12 = p.problem.metric.g22 = p.problem.metric.b1 =
            p.problem.metric.b2 = NULL;
    return p;
}

static void problem_free(known_problem *p)
{
    free(p->exact);
    case_free(&p->c);
}

typedef struct solve_job {
    const known_problem *p;
    const scheme *how;
    zm_solver *solver;
    double *T;
} solve_job;

static void run(void *ctx)
{
    solve_job *j = ctx;
    zm_error err;

    expect_ok(zm_forward(j->solver, &j->p->problem, j->T, NULL, NULL, &err),
              j->how->name, &err);
}

static void measure(const known_problem *p, int rounds)
{
    const int32_t side = p->c.grid.rows;
    const int n = side <= MOST_MARCHED ? N_SCHEMES : N_SCHEMES - 1;
    solve_job jobs[N_SCHEMES];
    contestant c[N_SCHEMES];

    for (int i = 0; i < n; i++) {
        const zm_solver_opts o =
            adaptive_opts(schemes[i].order, schemes[i].factor_radius);

        jobs[i] = (solve_job){ p, &schemes[i], case_solver(&p->c, ZM_F64, &o),
                               nan_doubles(p->c.n) };
        c[i] = (contestant){ schemes[i].name, run, &jobs[i],
                             .rounds = i == 3 && rounds > SLOW_ROUNDS ? SLOW_ROUNDS
                                                                      : rounds };
    }
    contest(c, (size_t)n, CPU_TIME);
    for (int i = 0; i < n; i++) {
        printf("{\"bench\": \"accuracy\", \"medium\": \"%s\", \"side\": %d, "
               "\"program\": \"zermelo\", \"name\": \"%s\", \"seconds\": %.6g, "
               "\"best\": %.6g, \"repetitions\": %d, \"error\": %.4g}\n",
               p->name, (int)side, c[i].name, median_seconds(&c[i]),
               least_seconds(&c[i]), c[i].done,
               relative_l2(jobs[i].T, p->exact, p->c.n));
        zm_solver_destroy(jobs[i].solver);
        free(jobs[i].T);
    }
}

static void write_field(const char *folder, const char *name, const double *values,
                        int32_t side)
{
    const size_t shape[2] = { (size_t)side, (size_t)side };
    char path[4096];
    zm_error err;

    (void)snprintf(path, sizeof path, "%s/%s.npy", folder, name);
    expect_ok(zm_npy_write(path, ZM_NPY_F64, 2, shape, values, &err), path, &err);
}

static void problem_write(const known_problem *p, const char *folder)
{
    static const char *const names[N_PLANES] = { "g11", "g12", "g22", "b1", "b2" };
    const int32_t side = p->c.grid.rows;
    char path[4096];
    FILE *f;

    for (int k = 0; k < N_PLANES; k++)
        write_field(folder, names[k], case_plane(&p->c, k), side);
    write_field(folder, "T", p->exact, side);
    (void)snprintf(path, sizeof path, "%s/problem.json", folder);
    f = fopen(path, "w");
    if (!f ||
        fprintf(f,
                "{\"medium\": \"%s\", \"side\": %d, \"spacing\": %.17g, "
                "\"source_row\": %d, \"source_col\": %d}\n",
                p->name, (int)side, p->c.grid.dx, (int)p->c.sources[0].row,
                (int)p->c.sources[0].col) < 0 ||
        fclose(f)) {
        fprintf(stderr, "bench: cannot write %s\n", path);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    known_problem p;
    int32_t side;

    if (argc < 4 || argc > 5 ||
        (strcmp(argv[2], "randers") && strcmp(argv[2], "isotropic")))
        return 2;
    side = positive(argv[3]);
    if (side < 11 || side % 10 != 1) {
        fprintf(stderr, "bench: the source is on a cell where SIDE is 10 k + 1\n");
        return 2;
    }
    p = problem_make(argv[2], side);
    measure(&p, positive(argv[1]));
    if (argc > 4)
        problem_write(&p, argv[4]);
    problem_free(&p);
    return 0;
}
