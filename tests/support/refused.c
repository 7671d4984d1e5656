/* SPDX-License-Identifier: Apache-2.0
 * A small problem to try calls on that must be refused. */
#include "support/refused.h"

#include <stdlib.h>

fixture fixture_of(test_case c, const zm_solver_opts *opts)
{
    return (fixture){ .c = c,
                      .p = case_problem(&c),
                      .s = case_solver(&c, ZM_F64, opts),
                      .T = nan_doubles(c.n) };
}

fixture fixture_create(void)
{
    test_case c = case_create(9, 11);

    case_add_source(&c, 4, 5, 0);
    return fixture_of(c, NULL);
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
