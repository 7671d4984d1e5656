/* SPDX-License-Identifier: Apache-2.0
 * Derivatives against the forward solve and against Algorithm 2 of the paper, on one
 * thread: bench_backward ROUNDS SIDE...
 *
 * The loss is sum g.T with g random at 30 % of the cells, as in the paper.  The error is
 * that of the derivative of the loss along a smooth change of all five fields, relative
 * to a central difference of the loss. */
#include <stdlib.h>

#include "check.h"
#include "reference/reference.h"
#include "support/scene.h"

enum { FORWARD, FIRST, AGAIN, TANGENT, ALGORITHM_2, N_CONTESTANTS };

/* Everything in the job's number type; the reference has its own copies in double. */
typedef struct backward {
    job job;
    void *g, *v, *gradient, *dT; /* dL/dT; direction and gradient: five planes; dT */
    double *paper_T, *paper_g, *paper_gradient;
} backward;

static double at(const backward *b, const void *x, size_t i)
{
    return b->job.dtype == ZM_F64 ? ((const double *)x)[i] : ((const float *)x)[i];
}

static void put(const backward *b, void *x, size_t i, double value)
{
    if (b->job.dtype == ZM_F64)
        ((double *)x)[i] = value;
    else
        ((float *)x)[i] = (float)value;
}

static void *plane(const backward *b, void *planes, int i)
{
    return (char *)planes + (size_t)i * b->job.scene->c.n * zm_dtype_size(b->job.dtype);
}

static zm_gradient gradient_of(const backward *b)
{
    void *p = b->gradient;

    return (zm_gradient){ .size = sizeof(zm_gradient),
                          .g11 = plane(b, p, 0),
                          .g12 = plane(b, p, 1),
                          .g22 = plane(b, p, 2),
                          .b1 = plane(b, p, 3),
                          .b2 = plane(b, p, 4) };
}

static void run_forward(void *ctx)
{
    backward *b = ctx;

    job_forward(&b->job);
}

static void run_adjoint(void *ctx)
{
    backward *b = ctx;
    const zm_gradient out = gradient_of(b);
    zm_error err;

    expect_ok(zm_adjoint(b->job.solver, &b->job.scene->problem[b->job.dtype], b->job.T,
                         b->g, &out, &err),
              "zm_adjoint", &err);
}

static void run_tangent(void *ctx)
{
    backward *b = ctx;
    const zm_direction d = { .size = sizeof(zm_direction),
                             .g11 = plane(b, b->v, 0),
                             .g12 = plane(b, b->v, 1),
                             .g22 = plane(b, b->v, 2),
                             .b1 = plane(b, b->v, 3),
                             .b2 = plane(b, b->v, 4) };
    zm_error err;

    expect_ok(zm_tangent(b->job.solver, &b->job.scene->problem[b->job.dtype], b->job.T,
                         &d, b->dT, &err),
              "zm_tangent", &err);
}

static void run_algorithm_2(void *ctx)
{
    backward *b = ctx;
    const size_t n = b->job.scene->c.n;
    double *p = b->paper_gradient;
    const zm_gradient out = { .size = sizeof(zm_gradient),
                              .g11 = p,
                              .g12 = p + n,
                              .g22 = p + 2 * n,
                              .b1 = p + 3 * n,
                              .b2 = p + 4 * n };
    zm_error err;

    expect_ok(zm_reference_adjoint(b->job.scene->c.grid, &b->job.scene->problem[ZM_F64],
                                   b->paper_T, b->paper_g, &out, &err),
              "zm_reference_adjoint", &err);
}

/* A change of every field in proportion to itself, by waves over the grid. */
static double direction_at(const scene *s, int i, size_t cell)
{
    const double turn = 6.283185307179586 / s->c.grid.cols;
    const double x = turn * (double)(cell % (size_t)s->c.grid.cols);
    const double y = turn * (double)(cell / (size_t)s->c.grid.cols);

    return case_plane(&s->c, i)[cell] * (i < 3 ? cos(x + 2 * y) : sin(2 * x - y));
}

static void backward_init(backward *b, const scene *s, zm_dtype dtype)
{
    const size_t n = s->c.n, size = zm_dtype_size(dtype);
    uint64_t state = 1;

    job_init(&b->job, s, dtype, 1, ZM_ISA_BEST);
    b->g = or_out_of_memory(malloc(n * size));
    b->v = or_out_of_memory(malloc(N_PLANES * n * size));
    b->gradient = or_out_of_memory(malloc(N_PLANES * n * size));
    b->dT = or_out_of_memory(malloc(n * size));
    b->paper_T = nan_doubles(n);
    b->paper_g = nan_doubles(n);
    b->paper_gradient = nan_doubles(N_PLANES * n);
    job_forward(&b->job);
    for (size_t cell = 0; cell < n; cell++) {
        const double value = zm_random_unit(&state);

        put(b, b->g, cell, zm_random_unit(&state) < 0.3 ? value : 0);
        b->paper_g[cell] = at(b, b->g, cell);
        b->paper_T[cell] = s->exact[cell];
        for (int i = 0; i < N_PLANES; i++)
            put(b, plane(b, b->v, i), cell, direction_at(s, i, cell));
    }
}

static void backward_free(backward *b)
{
    free(b->paper_gradient);
    free(b->paper_g);
    free(b->paper_T);
    free(b->dT);
    free(b->gradient);
    free(b->v);
    free(b->g);
    job_free(&b->job);
}

/* The loss with all fields changed by h times the direction. */
static double loss_at(const backward *b, double h)
{
    const scene *s = b->job.scene;
    test_case moved = case_copy(&s->c);
    double *T = nan_doubles(s->c.n), loss = 0;

    for (size_t cell = 0; cell < s->c.n; cell++)
        for (int i = 0; i < N_PLANES; i++)
            case_plane(&moved, i)[cell] += h * direction_at(s, i, cell);
    if (case_solve(&moved, T) != ZM_OK)
        exit(2);
    for (size_t cell = 0; cell < s->c.n; cell++)
        loss += b->paper_g[cell] * T[cell];
    free(T);
    case_free(&moved);
    return loss;
}

/* sum over all planes of gradient times direction. */
static double along(const backward *b, const double *paper)
{
    const size_t n = b->job.scene->c.n;
    double sum = 0;

    for (size_t i = 0; i < N_PLANES * n; i++)
        sum += (paper ? paper[i] : at(b, b->gradient, i)) * at(b, b->v, i);
    return sum;
}

static double along_tangent(const backward *b)
{
    double sum = 0;

    for (size_t i = 0; i < b->job.scene->c.n; i++)
        sum += b->paper_g[i] * at(b, b->dT, i);
    return sum;
}

static double central_difference(const backward *b)
{
    const double h = 1e-5; /* kinks and curvature cost about h^2, rounding 1e-16 / h */

    return (loss_at(b, h) - loss_at(b, -h)) / (2 * h);
}

/* Solve and adjoint in turns with nothing between them, as in a training loop; then all
 * of them. */
static void measure(backward *b, contestant c[N_CONTESTANTS])
{
    const double truth = central_difference(b);
    bench_row r = { "backward", b->job.scene, b->job.dtype, 1,
                    1,          ZM_ISA_BEST,  CPU_TIME,     0 };

    run_adjoint(b); /* touches the memory */
    contest(c, FIRST + 1, CPU_TIME);
    r.error = fabs(along(b, NULL) / truth - 1);
    row_print(&r, &c[FIRST], &c[FORWARD]);
    contest(c, N_CONTESTANTS, CPU_TIME);
    r.error = fabs(along(b, NULL) / truth - 1);
    row_print(&r, &c[FIRST], &c[ALGORITHM_2]);
    row_print(&r, &c[AGAIN], &c[FORWARD]);
    r.error = fabs(along_tangent(b) / truth - 1);
    row_print(&r, &c[TANGENT], &c[FORWARD]);
    r.bench = "opponent";
    r.isa = ZM_ISA_SCALAR;
    r.error = fabs(along(b, b->paper_gradient) / truth - 1);
    if (b->job.dtype == ZM_F64)
        row_print(&r, &c[ALGORITHM_2], NULL);
}

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        const int rounds = positive(argv[1]);
        const int cold = 1; /* an adjoint is the first one only right after its solve */
        scene s;

        scene_init(&s, SMOOTH, positive(argv[i]), 1);
        scene_converge(&s);
        for (int dtype = ZM_F64; dtype <= ZM_F32; dtype++) {
            backward b;
            contestant c[N_CONTESTANTS] = {
                { .name = "zm_forward", .run = run_forward, &b, rounds, cold },
                { .name = "first zm_adjoint", .run = run_adjoint, &b, rounds, cold },
                { .name = "next zm_adjoint", .run = run_adjoint, &b, rounds, cold },
                { .name = "zm_tangent", .run = run_tangent, &b, rounds },
                { .name = "algorithm 2", .run = run_algorithm_2, &b, rounds },
            };

            backward_init(&b, &s, (zm_dtype)dtype);
            measure(&b, c);
            backward_free(&b);
        }
        scene_free(&s);
    }
    return 0;
}
