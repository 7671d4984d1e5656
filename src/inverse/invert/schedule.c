/* SPDX-License-Identifier: Apache-2.0
 * Stages of a run: how regulariser, lambda and eps go from easy to sharp.
 *
 * lambda falls from where hardly anything but constants is allowed: begun with a small
 * one, a run overfits at once and does not come back.  eps falls slowly enough for the
 * primal-dual steps to stay in their region of fast convergence.  LOG begins only where TV
 * has found the edges: its minima are many; and not where there are none, which shows in
 * the misfit (see docs/inversion.md).  The numbers were chosen on problems of 80 x 80
 * cells with known solutions (half-planes, a disc; noise from 0 to 20 %), and they have no
 * units: theta, eps and lambda are scaled. */
#include "inverse/invert/schedule.h"

#include <string.h>

static const zm_stage TV[] = {
    { ZM_REG_TV, 30.0, 0.1, 2, ZM_STAGE_PLAIN },
    { ZM_REG_TV, 3.0, 0.05, 1, ZM_STAGE_PLAIN },
    { ZM_REG_TV, 1.0, 0.02, 1, ZM_STAGE_PLAIN },
    { ZM_REG_TV, 1.0, 0.01, 2, ZM_STAGE_PLAIN },
    { ZM_REG_TV, 1.0, 0.005, 2, ZM_STAGE_PLAIN },
    { ZM_REG_TV, 1.0, 0.002, 3, ZM_STAGE_PLAIN },
};
enum {
    TV_STAGES = sizeof TV / sizeof *TV,
    LOG_ITERATIONS = 4,
    QUADRATIC_ITERATIONS = 12
};
#define LOG_EPS 0.01

/* TV is the same for a sharp edge and for a ramp.  Where no datum tells, LOG makes the ramp
 * sharp at its steepest place, which may be a cell off.  So the edges are loosened and made
 * sharp again, as long as that lowers the objective. */
enum { TRIALS = 3, TIGHTEN_ITERATIONS = 5 };

/* Smooth fields: the TV of their last stage, and how much chi2 must rise when eps falls to
 * SMOOTH_AT: by this part, and by this many data.  Where edges are, chi2 falls or stays. */
static const zm_stage SMOOTH = { ZM_REG_TV, 0.3, 0.05, 3, ZM_STAGE_PLAIN };
#define SMOOTH_AT   0.01
#define SMOOTH_PART 0.01
#define SMOOTH_DATA 20.0

/* From a coarser grid: eps to begin with. */
#define REFINE_AT 0.01

/* ADMM: one step for each lambda on the way down, five to a power of ten. */
enum { ADMM_FALLING = 8, ADMM_ITERATIONS = 92 };
#define ADMM_FALL 1.5848931924611136

static void append(zm_schedule *s, zm_reg_kind kind, double lambda, double eps,
                   int32_t iterations)
{
    s->stages[s->n++] = (zm_stage){ kind, lambda, eps, iterations, ZM_STAGE_PLAIN };
}

/* TV down to eps. */
static void append_tv(zm_schedule *s, double eps)
{
    for (int i = 0; i < TV_STAGES && TV[i].eps > eps; i++)
        s->stages[s->n++] = TV[i];
    append(s, ZM_REG_TV, 1.0, eps, TV[TV_STAGES - 1].iterations);
}

static void append_admm(zm_schedule *s)
{
    double factor = 1.0;

    for (int i = 0; i < ADMM_FALLING; i++)
        factor *= ADMM_FALL;
    for (int i = 0; i < ADMM_FALLING; i++, factor /= ADMM_FALL)
        append(s, ZM_REG_TV, factor, 0.0, 1);
    append(s, ZM_REG_TV, 1.0, 0.0, ADMM_ITERATIONS);
}

zm_schedule zm_schedule_of(zm_invert_method method, zm_reg_kind kind, double eps)
{
    zm_schedule s = { .n = 0 };

    if (method == ZM_INVERT_ADMM) {
        append_admm(&s);
    } else if (kind == ZM_REG_H1 || kind == ZM_REG_TIKHONOV) {
        append(&s, kind, 100.0, 0.0, 1);
        append(&s, kind, 10.0, 0.0, 1);
        append(&s, kind, 1.0, 0.0, QUADRATIC_ITERATIONS);
    } else if (method == ZM_INVERT_GNC || kind == ZM_REG_LOG) {
        append_tv(&s, TV[TV_STAGES - 1].eps);
        s.stages[s.n - 1].iterations--; /* LOG goes on from there */
        append(&s, ZM_REG_LOG, 1.0, eps > 0.0 ? eps : LOG_EPS, LOG_ITERATIONS);
    } else {
        append_tv(&s, eps > 0.0 ? eps : TV[TV_STAGES - 1].eps);
    }
    return s;
}

zm_schedule zm_schedule_plain(zm_reg_kind kind, double eps)
{
    zm_schedule s = { .n = 0 };

    append(&s, kind, 1.0, eps > 0.0 ? eps : LOG_EPS, QUADRATIC_ITERATIONS);
    return s;
}

void zm_schedule_add_trials(zm_schedule *s)
{
    const zm_stage last = s->stages[s->n - 1];

    for (int i = 0; i < TRIALS; i++) {
        append(s, last.kind, last.lambda, last.eps, 1);
        s->stages[s->n - 1].role = ZM_STAGE_LOOSEN;
        append(s, last.kind, last.lambda, last.eps, TIGHTEN_ITERATIONS);
        s->stages[s->n - 1].role = ZM_STAGE_TIGHTEN;
    }
}

void zm_schedule_refine(zm_schedule *s)
{
    int32_t first = 0;

    while (first + 1 < s->n &&
           (s->stages[first].lambda > 1.0 || s->stages[first].eps > REFINE_AT))
        first++;
    s->n -= first;
    memmove(s->stages, s->stages + first, (size_t)s->n * sizeof *s->stages);
}

bool zm_schedule_is_smooth(const zm_schedule *s, int32_t stage, double chi2_before,
                           double chi2, size_t n)
{
    const double rise = SMOOTH_PART + SMOOTH_DATA / (double)n;

    return stage < s->n && s->stages[stage].kind == ZM_REG_TV &&
           s->stages[stage].eps == SMOOTH_AT && chi2 > (1.0 + rise) * chi2_before;
}

void zm_schedule_end_smooth(zm_schedule *s, int32_t from)
{
    s->stages[from] = SMOOTH;
    s->n = from + 1;
}
