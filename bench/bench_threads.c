/* SPDX-License-Identifier: Apache-2.0
 * One problem on two threads against one thread: bench_threads ROUNDS SIDE... */
#include "support/scene.h"

enum { N_JOBS = 4 }; /* both number types on one thread, then on two */

static void measure(int rounds, int32_t side)
{
    job jobs[N_JOBS];
    contestant c[N_JOBS];
    scene s;

    scene_init(&s, SMOOTH, side, 1);
    scene_converge(&s);
    for (int i = 0; i < N_JOBS; i++) {
        job_init(&jobs[i], &s, i & 1 ? ZM_F32 : ZM_F64, 1 + i / 2, ZM_ISA_BEST);
        c[i] = (contestant){ i < 2 ? "one thread" : "two threads", job_forward,
                             &jobs[i], .rounds = rounds };
    }
    contest(c, N_JOBS, WALL_TIME);
    for (int i = 2; i < N_JOBS; i++)
        row_print(&(bench_row){ "threads", &s, jobs[i].dtype, jobs[i].threads, 1,
                                jobs[i].isa, WALL_TIME, job_error(&jobs[i]) },
                  &c[i], &c[i - 2]);
    for (int i = 0; i < N_JOBS; i++)
        job_free(&jobs[i]);
    scene_free(&s);
}

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        measure(positive(argv[1]), positive(argv[i]));
    return 0;
}
