/* SPDX-License-Identifier: Apache-2.0
 * Stages of a run: how regulariser, lambda and eps go from easy to sharp.
 *
 * lambda falls from where hardly anything but constants is allowed: begun with a small
 * one, a run overfits at once and does not come back.  eps falls slowly enough for the
 * primal-dual steps to stay in their region of fast convergence.  LOG begins only where TV
 * has found the edges: its minima are many.  The numbers were chosen on problems of 80 x 80
 * cells with known solutions (half-planes, a disc; noise from 0 to 20 %), and they have no
 * units: theta, eps and lambda are scaled. */
#include "invert/schedule.h"

static const zm_stage TV[] = {
    { ZM_REG_TV, 100.0, 0.1, 2 },  { ZM_REG_TV, 10.0, 0.1, 2 },
    { ZM_REG_TV, 3.0, 0.05, 2 },   { ZM_REG_TV, 1.0, 0.02, 2 },
    { ZM_REG_TV, 1.0, 0.01, 2 },   { ZM_REG_TV, 1.0, 0.005, 2 },
    { ZM_REG_TV, 1.0, 0.002, 3 },
};
enum { TV_STAGES = sizeof TV / sizeof *TV, LOG_ITERATIONS = 6, QUADRATIC_ITERATIONS = 12 };
#define LOG_EPS 0.02

/* ADMM: one step for each lambda on the way down, five to a power of ten. */
enum { ADMM_FALLING = 8, ADMM_ITERATIONS = 92 };
#define ADMM_FALL 1.5848931924611136

static void append(zm_schedule *s, zm_reg_kind kind, double lambda, double eps,
                   int32_t iterations)
{
    s->stages[s->n++] = (zm_stage){ kind, lambda, eps, iterations };
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
        append(&s, ZM_REG_LOG, 1.0, eps > 0.0 ? eps : LOG_EPS, LOG_ITERATIONS);
    } else {
        append_tv(&s, eps > 0.0 ? eps : TV[TV_STAGES - 1].eps);
    }
    return s;
}
