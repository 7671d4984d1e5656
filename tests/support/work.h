/* SPDX-License-Identifier: Apache-2.0
 * One problem of a batch with room for its results. */
#ifndef ZM_TESTS_WORK_H
#define ZM_TESTS_WORK_H

#include "support/cases.h"

typedef struct work {
    test_case c;
    double *T, *gradient, *dT;
    double time[2], row[2], col[2]; /* of sources */
} work;

/** Takes the case. */
work work_create(test_case c);
void work_free(work *w);

#endif
