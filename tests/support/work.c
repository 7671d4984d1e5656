/* SPDX-License-Identifier: Apache-2.0
 * One problem of a batch with room for its results. */
#include "support/work.h"

#include <stdlib.h>

work work_create(test_case c)
{
    return (work){ .c = c,
                   .T = nan_doubles(c.n),
                   .gradient = nan_doubles(c.n),
                   .dT = nan_doubles(c.n) };
}

void work_free(work *w)
{
    free(w->dT);
    free(w->gradient);
    free(w->T);
    case_free(&w->c);
}
