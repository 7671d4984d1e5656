/* SPDX-License-Identifier: Apache-2.0
 * One forward solve on one thread against Algorithm 1 of the paper:
 * bench_forward ROUNDS SIDE... */
#include "support/scene.h"

enum { ALGORITHM_1, CLOSED_FORM, FLOAT64, FLOAT32, N_CONTESTANTS };
/* From here on the opponents take part SLOW_ROUNDS times, and cold: their own data never
 * stay in the cache. */
enum { LONG_SIDE = 1000 };

static void print_rows(const contestant *c, const job *jobs, const sweeps *opponents)
{
    for (int i = FLOAT64; i <= FLOAT32; i++)
        for (int k = ALGORITHM_1; k <= CLOSED_FORM; k++) {
            const job *j = &jobs[i - FLOAT64];

            row_print(&(bench_row){ "forward", j->scene, j->dtype, 1, 1, j->isa,
                                    CPU_TIME, job_error(j) },
                      &c[i], &c[k]);
        }
    for (int k = ALGORITHM_1; k <= CLOSED_FORM; k++)
        row_print(&(bench_row){ "opponent", opponents[k].scene, ZM_F64, 1, 1,
                                ZM_ISA_SCALAR, CPU_TIME, sweeps_error(&opponents[k]) },
                  &c[k], NULL);
}

static void measure(int rounds, int32_t side)
{
    const int cold = side >= LONG_SIDE;
    const int slow = cold && rounds > SLOW_ROUNDS ? SLOW_ROUNDS : rounds;
    sweeps opponents[2];
    job jobs[2];
    scene s;
    contestant c[N_CONTESTANTS] = {
        { .name = "algorithm 1", .run = sweeps_run, &opponents[0], slow, cold },
        { .name = "closed-form sweeps", .run = sweeps_run, &opponents[1], slow, cold },
        { .name = "zm_forward", .run = job_forward, &jobs[0], rounds },
        { .name = "zm_forward", .run = job_forward, &jobs[1], rounds },
    };

    scene_init(&s, SMOOTH, side, 1);
    scene_converge(&s);
    for (int i = 0; i < 2; i++) {
        sweeps_init(&opponents[i], &s, /* closed_form */ i);
        job_init(&jobs[i], &s, i == 0 ? ZM_F64 : ZM_F32, 1, ZM_ISA_BEST);
        job_forward(
            &jobs[i]); /* touches the memory; the opponents allocate each time */
    }
    contest(c, N_CONTESTANTS, CPU_TIME);
    print_rows(c, jobs, opponents);
    for (int i = 0; i < 2; i++) {
        job_free(&jobs[i]);
        sweeps_free(&opponents[i]);
    }
    scene_free(&s);
}

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        measure(positive(argv[1]), positive(argv[i]));
    return 0;
}
