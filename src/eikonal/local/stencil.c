/* SPDX-License-Identifier: Apache-2.0
 * Stencils adapted to the metric. */
#include "eikonal/local/stencil.h"

#include <math.h>

const zm_local_offset zm_stencil_plain[ZM_STENCIL_PLAIN] = {
    { 1, 0 }, { 1, 1 }, { 0, 1 }, { -1, 1 }, { -1, 0 }, { -1, -1 }, { 0, -1 }, { 1, -1 }
};

/* Of an offset, what the test of a pair needs. */
typedef struct ray {
    double length2, length; /* |m|_G */
    double drift;           /* m.b */
} ray;

static inline bool acute(const ray *u, const ray *v, double product)
{
    const double m = ZM_STENCIL_MARGIN;

    return product >=
               ZM_STENCIL_LEAST_PRODUCT(m, 1 - m, u->length, v->length, v->drift) &&
           product >=
               ZM_STENCIL_LEAST_PRODUCT(m, 1 - m, v->length, u->length, u->drift);
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

    for (int k = 0; k < 4; k++) {
        const int next = (k + 1) & 3;
        /* of this pair and the opposite one, whose drift has the other sign */
        const double drift = -fabs(c.drift[k]), next_drift = -fabs(c.drift[next]);

        is = is &&
             c.product[k] >= ZM_STENCIL_LEAST_PRODUCT(0, 1, c.length[k], c.length[next],
                                                      next_drift) &&
             c.product[k] >=
                 ZM_STENCIL_LEAST_PRODUCT(0, 1, c.length[next], c.length[k], drift);
    }
    return is;
}

static inline ray ray_of(const compass *c, unsigned k)
{
    const unsigned i = k & 3;

    return (ray){ c->length2[i], c->length[i], k < 4 ? c->drift[i] : -c->drift[i] };
}

/* Splits the pair of neighbours k and k + 1 until acute, and as long as the sum is within
 * `least`; the first and what lies between go to the stencil.  With s = u + v the products are
 * u'Gs = |u|^2 + u'Gv and s'Gv = u'Gv + |v|^2.  How many offsets; 0: beyond the reach. */
static int refine(const compass *c, unsigned k, int least, zm_local_offset *stencil,
                  int *reach)
{
    enum { MOST = ZM_STENCIL_MOST / ZM_STENCIL_PLAIN - 2 };
    ray from = ray_of(c, k), to[ZM_STENCIL_REACH + 1]; /* as in the pairs */
    double products[ZM_STENCIL_REACH + 1];
    zm_stencil_pairs pairs;
    int n = 0;

    zm_stencil_pairs_begin(&pairs, zm_stencil_plain[k], zm_stencil_plain[(k + 1) & 7]);
    to[0] = ray_of(c, (k + 1) & 7);
    products[0] = c->product[k & 3];
    for (;;) {
        const ray *end = &to[pairs.depth];
        const double product = products[pairs.depth];

        if (zm_stencil_pairs_far(&pairs) > least && acute(&from, end, product)) {
            stencil[n++] = pairs.from;
            from = *end;
            if (!zm_stencil_pairs_keep(&pairs))
                return n;
        } else {
            const double length2 = from.length2 + 2 * product + end->length2;

            products[pairs.depth] = product + end->length2;
            if (n + pairs.depth >= MOST ||
                !zm_stencil_pairs_split(&pairs, ZM_STENCIL_REACH, reach))
                return 0;
            products[pairs.depth] = from.length2 + product;
            to[pairs.depth] = (ray){ length2, sqrt(length2), from.drift + end->drift };
        }
    }
}

/* Which of the eight pairs of neighbours are not acute, a bit each. */
static inline unsigned blunt_pairs(const compass *c)
{
    unsigned blunt = 0;

    for (unsigned k = 0; k < ZM_STENCIL_PLAIN; k++) {
        const ray u = ray_of(c, k), v = ray_of(c, (k + 1) & 7);

        blunt |= (unsigned)!acute(&u, &v, c->product[k & 3]) << k;
    }
    return blunt;
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
            const int added = refine(&c, k, 1, stencil + n, reach);

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
        const int added = refine(&c, k, least, stencil + n, reach);

        if (!added)
            return 0;
        n += added;
    }
    return n;
}
