/* SPDX-License-Identifier: Apache-2.0
 * A small problem to try calls on that must be refused. */
#include "support/refused.h"

#include <stdlib.h>

fixture fixture_create(void)
{
    fixture f = { .c = case_create(9, 11) };

    case_add_source(&f.c, 4, 5, 0);
    f.p = case_problem(&f.c);
    f.s = case_solver(&f.c, ZM_F64, NULL);
    f.T = nan_doubles(f.c.n);
    return f;
}

void fixture_free(fixture *f)
{
    zm_solver_destroy(f->s);
    free(f->T);
    case_free(&f->c);
}

zm_status fixture_forward(fixture *f, zm_error *err)
{
    return zm_forward(f->s, &f->p, f->T, NULL, NULL, err);
}
