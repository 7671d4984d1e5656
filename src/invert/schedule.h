/* SPDX-License-Identifier: Apache-2.0
 * Stages of a run: how regulariser, lambda and eps go from easy to sharp. */
#ifndef ZM_INVERT_SCHEDULE_H
#define ZM_INVERT_SCHEDULE_H

#include "zermelo/invert.h"

typedef struct zm_stage {
    zm_reg_kind kind;
    double lambda; /* factor on the final lambda */
    double eps;    /* relative change from cell to cell */
    int32_t iterations;
} zm_stage;

enum { ZM_MOST_STAGES = 16 };

typedef struct zm_schedule {
    zm_stage stages[ZM_MOST_STAGES];
    int32_t n;
} zm_schedule;

/** The stages of a method (GAUSS_NEWTON, GNC or ADMM) with a regulariser.
 *  eps > 0 is the last one; 0: that of the method. */
zm_schedule zm_schedule_of(zm_invert_method method, zm_reg_kind kind, double eps);

#endif
