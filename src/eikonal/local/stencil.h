/* SPDX-License-Identifier: Apache-2.0
 * Stencils adapted to the metric: stencils of lattice offsets around a cell.
 *
 * A stencil is a list of offsets m_0, m_1, ... from the cell to its donors, counter-clockwise
 * in (x, y), such that neighbours m_k, m_{k+1} span a triangle of area 1/2 (no lattice
 * point in between) and are acute for the cost N(m) = F(-m) = |m|_G + m.b of coming from m:
 *
 *     <grad N(m_k), m_{k+1}>  >= margin N(m_{k+1}),   and the other way round.
 *
 * Then a cell is later than each donor that has weight, by at least margin N(m): the
 * scheme is causal (Sethian and Vladimirsky 2003; Mirebeau 2014).  It begins with the
 * eight neighbours; a pair that is not acute is split by its sum, as in the Stern-Brocot
 * tree, until all are.
 *
 * Stencils are built cell by cell in double (stencil.c) or, for active blocks, for all cells of
 * a block at once in float vectors (blocks/adaptive_build.tmpl.h).  Both test pairs with
 * ZM_STENCIL_LEAST_PRODUCT and go through them with zm_stencil_pairs: the rule is here. */
#ifndef ZM_LOCAL_STENCIL_H
#define ZM_LOCAL_STENCIL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "eikonal/problem/problem.h"

/* Larger: more offsets; smaller: cells that hardly wait for their donors. */
#define ZM_STENCIL_MARGIN 0.1

typedef struct zm_local_offset {
    int16_t x, y;
} zm_local_offset;

enum {
    ZM_STENCIL_REACH = 1023, /* largest |x|, |y| of an offset */
    ZM_STENCIL_PLAIN = 8,    /* the eight neighbours */
    ZM_STENCIL_MOST = 16384  /* offsets of a stencil */
};

/** The least u'Gv with which u is acute to v: <grad N(u), v> = u'Gv / |u|_G + v.b is at least
 *  margin N(v) = margin (|v|_G + v.b).  A pair is acute if both are to each other.  For numbers
 *  or vectors of them; `rest` is 1 - margin. */
#define ZM_STENCIL_LEAST_PRODUCT(margin, rest, u_length, v_length, v_drift)            \
    ((u_length) * ((margin) * (v_length) - (rest) * (v_drift)))

/** Pairs of offsets on the way from one offset to another in the order of a stencil: the one
 *  that is looked at is `from`, to[depth]; it is then kept or split. */
typedef struct zm_stencil_pairs {
    zm_local_offset from;
    int depth;
    zm_local_offset
        to[ZM_STENCIL_REACH + 1]; /* of pairs that come later, the last first */
} zm_stencil_pairs;

static inline void zm_stencil_pairs_begin(zm_stencil_pairs *p, zm_local_offset from,
                                          zm_local_offset to)
{
    p->from = from;
    p->depth = 0;
    p->to[0] = to;
}

/** The larger of |x| and |y| of the sum that would split the pair. */
static inline int zm_stencil_pairs_far(const zm_stencil_pairs *p)
{
    const int x = abs(p->from.x + p->to[p->depth].x);
    const int y = abs(p->from.y + p->to[p->depth].y);

    return x > y ? x : y;
}

/** Keeps the pair and goes on to the next one; false: it was the last. */
static inline bool zm_stencil_pairs_keep(zm_stencil_pairs *p)
{
    p->from = p->to[p->depth];
    return p->depth-- > 0;
}

/** Splits the pair by its sum and goes on to the first half.  Raises *reach to what the sum
 *  needs; false: that is more than `most`, up to ZM_STENCIL_REACH.  Sums grow with the depth,
 *  which is less than `most` therefore. */
static inline bool zm_stencil_pairs_split(zm_stencil_pairs *p, int most, int *reach)
{
    const zm_local_offset to = p->to[p->depth];
    const int far = zm_stencil_pairs_far(p);

    *reach = far > *reach ? far : *reach;
    if (far > most)
        return false;
    p->to[++p->depth] =
        (zm_local_offset){ (int16_t)(p->from.x + to.x), (int16_t)(p->from.y + to.y) };
    return true;
}

/** The eight neighbours as a stencil: E, SE, S, SW, W, NW, N, NE (y runs down). */
extern const zm_local_offset zm_stencil_plain[ZM_STENCIL_PLAIN];

/** Whether the eight neighbours are acute for this metric (spacing folded in), without any
 *  margin. */
bool zm_stencil_plain_is_acute(const zm_cell_metric *m);

/** Whether they are acute with the margin: zm_stencil_build would give just them. */
bool zm_stencil_is_plain(const zm_cell_metric *m);

/** Fills `stencil` with room for ZM_STENCIL_MOST; its length, or 0 if it would leave the reach or
 *  have more offsets.
 *  Raises *reach to the largest |x|, |y| in it. */
int zm_stencil_build(const zm_cell_metric *m, zm_local_offset *stencil, int *reach);

/** The same with all offsets (of coprime parts) of |x|, |y| up to `least` in it. */
int zm_stencil_build_wide(const zm_cell_metric *m, int least, zm_local_offset *stencil,
                          int *reach);

#endif
