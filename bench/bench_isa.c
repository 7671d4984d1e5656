/* SPDX-License-Identifier: Apache-2.0
 * One forward solve with every instruction set this machine has, against the scalar
 * kernels: bench_isa ROUNDS SIDE... */
#include "support/scene.h"

enum { MOST_JOBS = 3 };

static void measure(int rounds, const scene *s, zm_dtype dtype)
{
    static const zm_isa isas[MOST_JOBS] = { ZM_ISA_SCALAR, ZM_ISA_AVX2, ZM_ISA_AVX512 };
    job jobs[MOST_JOBS];
    contestant c[MOST_JOBS];
    size_t n = 0;

    for (int i = 0; i < MOST_JOBS; i++)
        if (isa_here(isas[i])) {
            job_init(&jobs[n], s, dtype, 1, isas[i]);
            c[n] = (contestant){ i == 0 ? "scalar kernels" : "zm_forward", job_forward,
                                 &jobs[n], .rounds = rounds };
            n++;
        }
    contest(c, n, CPU_TIME);
    for (size_t i = 1; i < n; i++)
        row_print(&(bench_row){ "isa", s, dtype, 1, 1, jobs[i].isa, CPU_TIME,
                                job_error(&jobs[i]) },
                  &c[i], &c[0]);
    for (size_t i = 0; i < n; i++)
        job_free(&jobs[i]);
}

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        scene s;

        scene_init(&s, SMOOTH, positive(argv[i]), 1);
        scene_converge(&s);
        measure(positive(argv[1]), &s, ZM_F64);
        measure(positive(argv[1]), &s, ZM_F32);
        scene_free(&s);
    }
    return 0;
}
