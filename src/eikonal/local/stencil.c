/* SPDX-License-Identifier: Apache-2.0
 * Stencils adapted to the metric. */
#include "eikonal/local/stencil.h"

#include <math.h>
#include <stdlib.h>

const zm_local_offset zm_stencil_plain[ZM_STENCIL_PLAIN] = {
    { 1, 0 }, { 1, 1 }, { 0, 1 }, { -1, 1 }, { -1, 0 }, { -1, -1 }, { 0, -1 }, { 1, -1 }
};

/* An offset with what the test of a pair needs. */
typedef struct ray {
    int x, y;
    double length2, length; /* |m|_G */
    double drift;           /* m.b */
} ray;

/* <grad N(u), v> = u'Gv / |u|_G + v.b >= margin (|v|_G + v.b), and the other way round. */
static inline bool acute(const ray *u, const ray *v, double product)
{
    const double m = ZM_STENCIL_MARGIN;

    return product >= u->length * (m * v->length - (1 - m) * v->drift) &&
           product >= v->length * (m * u->length - (1 - m) * u->drift);
}

/* The first four of the eight neighbours; the others are their opposites. */
typedef struct compass {
    double length2[4], length[4], drift[4];
    double product[4]; /* of each with the next */
} compass;

static inline compass compass_of(const zm_cell_metric *m)
{
    const double sum = m->g11 + m->g22, plus = sum + 2 * m->g12,
                 minus = sum - 2 * m->g12;

    return (compass){ { m->g11, plus, m->g22, minus },
                      { sqrt(m->g11), sqrt(plus), sqrt(m->g22), sqrt(minus) },
                      { m->b1, m->b1 + m->b2, m->b2, m->b2 - m->b1 },
                      { m->g11 + m->g12, m->g22 + m->g12, m->g22 - m->g12,
                        m->g11 - m->g12 } };
}

bool zm_stencil_plain_is_acute(const zm_cell_metric *m)
{
    const compass c = compass_of(m);
    bool is = true;

    for (int k = 0; k < 4;
         k++) { /* and the opposite pair, whose drift has the other sign */
        const int next = (k + 1) & 3;

        is = is && c.product[k] >= c.length[k] * fabs(c.drift[next]) &&
             c.product[k] >= c.length[next] * fabs(c.drift[k]);
    }
    return is;
}

static inline int longer(int a, int b)
{
    return abs(a) > abs(b) ? abs(a) : abs(b);
}

/* Splits the pair (from, to) until acute, and as long as the sum is within `least`; `from` and
 * what lies between go to the stencil.  With s = u + v the products are u'Gs = |u|^2 + u'Gv and
 * s'Gv = u'Gv + |v|^2. */
static int refine(ray from, ray to, double product, int least, zm_local_offset *stencil,
                  int *reach)
{
    enum { DEEPEST = ZM_STENCIL_REACH, MOST = ZM_STENCIL_MOST / ZM_STENCIL_PLAIN - 2 };
    ray ends[DEEPEST + 1]; /* of the pairs still to come, innermost last */
    double products[DEEPEST + 1];
    int depth = 0, n = 0;

    ends[0] = to;
    products[0] = product;
    for (;;) {
        const ray *end = &ends[depth];
        const int far = longer(from.x + end->x, from.y + end->y);

        product = products[depth];
        if (far > least && acute(&from, end, product)) {
            stencil[n++] = (zm_local_offset){ (int16_t)from.x, (int16_t)from.y };
            from = *end;
            if (depth-- == 0)
                return n;
        } else {
            const double length2 = from.length2 + 2 * product + end->length2;
            const ray sum = { from.x + end->x, from.y + end->y, length2, sqrt(length2),
                              from.drift + end->drift };

            *reach = far > *reach ? far : *reach;
            if (far > ZM_STENCIL_REACH || depth == DEEPEST || n + depth >= MOST)
                return 0;
            products[depth] = product + end->length2;
            products[++depth] = from.length2 + product;
            ends[depth] = sum;
        }
    }
}

/* Which of the eight pairs of neighbours are not acute, a bit each. */
static inline unsigned blunt_pairs(const compass *c)
{
    const double m = ZM_STENCIL_MARGIN;
    unsigned blunt = 0;

    for (unsigned k = 0; k < 4; k++) {
        const unsigned next = (k + 1) & 3;
        const double sign =
            k == 3 ? -1 : 1; /* of the next, which is an opposite then */
        const double u = c->length[k], v = c->length[next], p = c->product[k];
        const double towards_v = (1 - m) * sign * c->drift[next];
        const double towards_u = (1 - m) * c->drift[k];
        const bool here = p >= u * (m * v - towards_v) && p >= v * (m * u - towards_u);
        const bool there = p >= u * (m * v + towards_v) && p >= v * (m * u + towards_u);

        blunt |= (unsigned)!here << k | (unsigned)!there << (k + 4);
    }
    return blunt;
}

static inline ray ray_of(const compass *c, unsigned k)
{
    const unsigned i = k & 3;

    return (ray){ zm_stencil_plain[k].x, zm_stencil_plain[k].y, c->length2[i],
                  c->length[i], k < 4 ? c->drift[i] : -c->drift[i] };
}

bool zm_stencil_is_plain(const zm_cell_metric *m)
{
    const compass c = compass_of(m);

    return blunt_pairs(&c) == 0;
}

int zm_stencil_build(const zm_cell_metric *m, zm_local_offset *stencil, int *reach)
{
    const compass c = compass_of(m);
    const unsigned blunt = blunt_pairs(&c);
    int n = 0;

    for (unsigned k = 0; k < ZM_STENCIL_PLAIN; k++) {
        if (blunt >> k & 1) {
            const int added = refine(ray_of(&c, k), ray_of(&c, (k + 1) & 7),
                                     c.product[k & 3], 1, stencil + n, reach);

            if (!added)
                return 0;
            n += added;
        } else {
            stencil[n++] = zm_stencil_plain[k];
        }
    }
    return n;
}

int zm_stencil_build_wide(const zm_cell_metric *m, int least, zm_local_offset *stencil,
                          int *reach)
{
    const compass c = compass_of(m);
    int n = 0;

    for (unsigned k = 0; k < ZM_STENCIL_PLAIN; k++) {
        const int added = refine(ray_of(&c, k), ray_of(&c, (k + 1) & 7),
                                 c.product[k & 3], least, stencil + n, reach);

        if (!added)
            return 0;
        n += added;
    }
    return n;
}
