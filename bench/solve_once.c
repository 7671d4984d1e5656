/* SPDX-License-Identifier: Apache-2.0
 * One forward solve and one adjoint, for tools that count instructions:
 * solve_once SIDE float64|float32 [still|isotropic], the last for planes that are left out */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support/scene.h"

static void leave_out(zm_metric *m, bool isotropic)
{
    m->b1 = m->b2 = NULL;
    if (isotropic)
        m->g12 = m->g22 = NULL;
}

int main(int argc, char **argv)
{
    zm_gradient out = ZM_GRADIENT_INIT;
    zm_error err;
    size_t bytes;
    void *g, *planes[N_PLANES];
    scene s;
    job j;

    if (argc != 3 && argc != 4)
        return 2;
    const bool isotropic = argc == 4 && !strcmp(argv[3], "isotropic");

    scene_init(&s, SMOOTH, positive(argv[1]), 1);
    if (argc == 4)
        for (int i = 0; i < 2; i++)
            leave_out(&s.problem[i].metric, isotropic);
    job_init(&j, &s, strcmp(argv[2], "float32") ? ZM_F64 : ZM_F32, 1, ZM_ISA_BEST);
    job_forward(&j);
    bytes = s.c.n * zm_dtype_size(j.dtype);
    g = or_out_of_memory(malloc(bytes));
    memcpy(g, j.T, bytes); /* dL/dT = T: any numbers will do */
    for (int i = 0; i < N_PLANES; i++)
        planes[i] = or_out_of_memory(malloc(bytes));
    out = (zm_gradient){ .size = sizeof(zm_gradient),
                         .g11 = planes[0],
                         .g12 = planes[1],
                         .g22 = isotropic ? NULL : planes[2],
                         .b1 = planes[3],
                         .b2 = planes[4] };
    expect_ok(zm_adjoint(j.solver, &s.problem[j.dtype], j.T, g, &out, &err),
              "zm_adjoint", &err);
    for (int i = 0; i < N_PLANES; i++)
        free(planes[i]);
    free(g);
    job_free(&j);
    scene_free(&s);
    return 0;
}
