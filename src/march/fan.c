/* SPDX-License-Identifier: Apache-2.0
 * Stencils adapted to the metric. */
#include "march/fan.h"

#include <math.h>
#include <stdlib.h>

const zm_offset zm_fan_plain[ZM_FAN_PLAIN] = { { 1, 0 },  { 1, 1 },   { 0, 1 },  { -1, 1 },
                                               { -1, 0 }, { -1, -1 }, { 0, -1 }, { 1, -1 } };

/* An offset with what the test of a pair needs. */
typedef struct ray {
    int x, y;
    double gx, gy; /* G m */
    double length; /* |m|_G */
    double drift;  /* m.b */
} ray;

static inline ray ray_of(const zm_cell_metric *m, int x, int y)
{
    const double gx = m->g11 * x + m->g12 * y, gy = m->g12 * x + m->g22 * y;

    return (ray){ x, y, gx, gy, sqrt(gx * x + gy * y), m->b1 * x + m->b2 * y };
}

static inline ray ray_sum(const ray *u, const ray *v)
{
    const int x = u->x + v->x, y = u->y + v->y;
    const double gx = u->gx + v->gx, gy = u->gy + v->gy;

    return (ray){ x, y, gx, gy, sqrt(gx * x + gy * y), u->drift + v->drift };
}

/* <grad N(u), v> = u'Gv / |u|_G + v.b */
static inline bool acute(const ray *u, const ray *v, double margin)
{
    const double product = u->gx * v->x + u->gy * v->y;

    return product >= u->length * (margin * v->length - (1 - margin) * v->drift) &&
           product >= v->length * (margin * u->length - (1 - margin) * u->drift);
}

/* The same without margin, for the pairs (u, v) and (-u, -v). */
static inline bool both_acute(double product, double length_u, double length_v,
                              double drift_u, double drift_v)
{
    return product >= length_u * fabs(drift_v) && product >= length_v * fabs(drift_u);
}

bool zm_fan_plain_is_acute(const zm_cell_metric *m)
{
    const double e = sqrt(m->g11), s = sqrt(m->g22), sum = m->g11 + m->g22;
    const double se = sqrt(sum + 2 * m->g12), sw = sqrt(sum - 2 * m->g12);
    const double plus = m->b1 + m->b2, minus = m->b2 - m->b1;

    return both_acute(m->g11 + m->g12, e, se, m->b1, plus) &&
           both_acute(m->g22 + m->g12, s, se, m->b2, plus) &&
           both_acute(m->g22 - m->g12, s, sw, m->b2, minus) &&
           both_acute(m->g11 - m->g12, e, sw, m->b1, minus);
}

/* Splits the pair (from, to) until acute; `from` and what lies between go to the fan. */
static int refine(double margin, ray from, ray to, zm_offset *fan)
{
    enum { DEEPEST = 256, MOST = ZM_FAN_MOST / ZM_FAN_PLAIN - 1 };
    ray pending[DEEPEST + 1]; /* ends of the pairs still to come, innermost last */
    int depth = 0, n = 0;

    pending[depth] = to;
    for (;;) {
        if (acute(&from, &pending[depth], margin)) {
            fan[n++] = (zm_offset){ (int16_t)from.x, (int16_t)from.y };
            from = pending[depth];
            if (depth-- == 0)
                return n;
        } else {
            const ray between = ray_sum(&from, &pending[depth]);

            if (abs(between.x) > ZM_REACH || abs(between.y) > ZM_REACH ||
                depth == DEEPEST || n == MOST)
                return 0;
            pending[++depth] = between;
        }
    }
}

int zm_fan_build(const zm_cell_metric *m, double margin, zm_offset *fan)
{
    ray from = ray_of(m, 1, 0);
    int n = 0;

    for (int k = 0; k < ZM_FAN_PLAIN; k++) {
        const zm_offset next = zm_fan_plain[(k + 1) % ZM_FAN_PLAIN];
        const ray to = ray_of(m, next.x, next.y);
        const int added = refine(margin, from, to, fan + n);

        if (!added)
            return 0;
        n += added;
        from = to;
    }
    return n;
}
