/* SPDX-License-Identifier: Apache-2.0
 * Problems to measure on and what is run on them. */
#include "support/scene.h"

#include <stdio.h>
#include <stdlib.h>

void *or_out_of_memory(void *memory)
{
    if (!memory) {
        fprintf(stderr, "bench: out of memory\n");
        exit(2);
    }
    return memory;
}

void expect_ok(zm_status status, const char *what, const zm_error *err)
{
    if (status != ZM_OK) {
        fprintf(stderr, "bench: %s: %s\n", what, err->text);
        exit(2);
    }
}

int32_t positive(const char *text)
{
    char *end;
    const long value = strtol(text, &end, 10);

    if (*end || value < 1 || value > 1 << 20) {
        fprintf(stderr, "bench: %s is no whole number from 1 to %d\n", text, 1 << 20);
        exit(2);
    }
    return (int32_t)value;
}

void scene_init(scene *s, medium m, int32_t side, uint64_t seed)
{
    const int32_t centre = side / 2;

    *s = (scene){ .medium = m, .c = case_make(m, side, side, seed) };
    case_clear_sources(&s->c);
    for (int32_t row = centre - 1; row <= centre + 1; row++)
        for (int32_t col = centre - 1; col <= centre + 1; col++)
            case_add_source(&s->c, row, col, 0);
    case_round_to_f32(&s->c);
    s->single = case_to_f32(&s->c);
    s->problem[ZM_F64] = case_problem(&s->c);
    s->problem[ZM_F32] = s->single.problem;
}

void scene_free(scene *s)
{
    free(s->exact);
    case_f32_free(&s->single);
    case_free(&s->c);
}

void scene_converge(scene *s)
{
    zm_reference_opts o = ZM_REFERENCE_OPTS_INIT;
    zm_error err;

    o.tol = 0;
    s->exact = nan_doubles(s->c.n);
    expect_ok(
        zm_reference_sweep(s->c.grid, &s->problem[ZM_F64], s->exact, &o, NULL, &err),
        "reference", &err);
}

void job_init(job *j, const scene *s, zm_dtype dtype, int32_t threads, zm_isa isa)
{
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;

    o.stencils = ZM_STENCILS_FIXED;
    o.threads = threads;
    o.isa = isa;
    *j = (job){ s, dtype, threads, isa, case_solver(&s->c, dtype, &o), NULL };
    j->T = or_out_of_memory(malloc(s->c.n * zm_dtype_size(dtype)));
}

void job_free(job *j)
{
    free(j->T);
    zm_solver_destroy(j->solver);
}

void job_forward(void *ctx)
{
    job *j = ctx;
    zm_error err;

    expect_ok(
        zm_forward(j->solver, &j->scene->problem[j->dtype], j->T, NULL, NULL, &err),
        "zm_forward", &err);
}

double job_error(const job *j)
{
    const size_t n = j->scene->c.n;
    double *wide, error;

    if (j->dtype == ZM_F64)
        return max_relative_difference(j->T, j->scene->exact, n);
    wide = nan_doubles(n);
    for (size_t i = 0; i < n; i++)
        wide[i] = ((const float *)j->T)[i];
    error = max_relative_difference(wide, j->scene->exact, n);
    free(wide);
    return error;
}

void sweeps_init(sweeps *a, const scene *s, int closed_form)
{
    *a = (sweeps){ s, ZM_REFERENCE_OPTS_INIT, nan_doubles(s->c.n) };
    a->opts.closed_form = closed_form;
    a->opts.causality_rejection = !closed_form;
}

void sweeps_free(sweeps *a)
{
    free(a->T);
}

void sweeps_run(void *ctx)
{
    sweeps *a = ctx;
    zm_error err;

    expect_ok(zm_reference_sweep(a->scene->c.grid, &a->scene->problem[ZM_F64], a->T,
                                 &a->opts, NULL, &err),
              "zm_reference_sweep", &err);
}

double sweeps_error(const sweeps *a)
{
    return max_relative_difference(a->T, a->scene->exact, a->scene->c.n);
}
