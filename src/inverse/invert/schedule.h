/* SPDX-License-Identifier: Apache-2.0
 * Stages of a run: how regulariser, lambda and eps go from easy to sharp. */
#ifndef ZM_INVERT_SCHEDULE_H
#define ZM_INVERT_SCHEDULE_H

#include <stdbool.h>

#include "zermelo/invert.h"

typedef enum zm_stage_role {
    ZM_STAGE_PLAIN = 0,
    /** Edges may move: weights near an edge as low as on it.  What was best is kept. */
    ZM_STAGE_LOOSEN,
    /** Edges are made sharp again; if the objective is no lower, what was best comes back
     *  and the run ends. */
    ZM_STAGE_TIGHTEN
} zm_stage_role;

typedef struct zm_stage {
    zm_reg_kind kind;
    double lambda; /* factor on the final lambda */
    double eps;    /* relative change from cell to cell */
    int32_t iterations;
    zm_stage_role role;
} zm_stage;

enum { ZM_MOST_STAGES = 16 };

typedef struct zm_schedule {
    zm_stage stages[ZM_MOST_STAGES];
    int32_t n;
} zm_schedule;

/** The stages of a method (GAUSS_NEWTON, GNC or ADMM) with a regulariser.
 *  eps > 0 is the last one; 0: that of the method. */
zm_schedule zm_schedule_of(zm_invert_method method, zm_reg_kind kind, double eps);

/** One stage, for runs without a regulariser. */
zm_schedule zm_schedule_plain(zm_reg_kind kind, double eps);

/** Adds stages that try to move edges, for data so sparse that TV leaves them open. */
void zm_schedule_add_trials(zm_schedule *s);

/** For a start that is nearly right: leaves out the stages before. */
void zm_schedule_refine(zm_schedule *s);

/** Whether a field that was made sharper from stage - 1 to stage turned out to be smooth:
 *  chi2, the mean of n squared residuals, rose. */
bool zm_schedule_is_smooth(const zm_schedule *s, int32_t stage, double chi2_before,
                           double chi2, size_t n);

/** Ends the schedule with what suits smooth fields, as stage `from`. */
void zm_schedule_end_smooth(zm_schedule *s, int32_t from);

#endif
