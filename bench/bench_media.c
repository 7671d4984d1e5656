/* SPDX-License-Identifier: Apache-2.0
 * Media of high contrast and a maze against the smooth one: bench_media ROUNDS SIDE...
 * The ratio is the time on the smooth medium over the time on this one. */
#include "support/scene.h"

enum { N_SCENES = 3 };

static void measure(int rounds, scene scenes[N_SCENES], zm_dtype dtype)
{
    job jobs[N_SCENES];
    contestant c[N_SCENES];

    for (int i = 0; i < N_SCENES; i++) {
        job_init(&jobs[i], &scenes[i], dtype, 1, ZM_ISA_BEST);
        c[i] = (contestant){ i == 0 ? "smooth medium" : "zm_forward", job_forward,
                             &jobs[i], .rounds = rounds };
    }
    contest(c, N_SCENES, CPU_TIME);
    for (int i = 1; i < N_SCENES; i++)
        row_print(&(bench_row){ "media", &scenes[i], dtype, 1, 1, ZM_ISA_BEST, CPU_TIME,
                                job_error(&jobs[i]) },
                  &c[i], &c[0]);
    for (int i = 0; i < N_SCENES; i++)
        job_free(&jobs[i]);
}

int main(int argc, char **argv)
{
    static const medium media[N_SCENES] = { SMOOTH, CONTRAST, MAZE };

    for (int i = 2; i < argc; i++) {
        scene scenes[N_SCENES];

        for (int k = 0; k < N_SCENES; k++) {
            scene_init(&scenes[k], media[k], positive(argv[i]), 1);
            if (k > 0)
                scene_converge(&scenes[k]);
        }
        measure(positive(argv[1]), scenes, ZM_F64);
        measure(positive(argv[1]), scenes, ZM_F32);
        for (int k = 0; k < N_SCENES; k++)
            scene_free(&scenes[k]);
    }
    return 0;
}
