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
 * tree, until all are. */
#ifndef ZM_LOCAL_STENCIL_H
#define ZM_LOCAL_STENCIL_H

#include <stdbool.h>
#include <stdint.h>

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

/** The eight neighbours as a stencil: E, SE, S, SW, W, NW, N, NE (y runs down). */
extern const zm_local_offset zm_stencil_plain[ZM_STENCIL_PLAIN];

/** Whether the eight neighbours are acute for this metric (spacing folded in), without any
 *  margin. */
bool zm_stencil_plain_is_acute(const zm_cell_metric *m);

/** Whether they are acute with the margin: zm_stencil_build would give just them. */
bool zm_stencil_is_plain(const zm_cell_metric *m);

/** Fills `stencil` with room for ZM_STENCIL_MOST; its length, or 0 if it would leave the reach.
 *  Raises *reach to the largest |x|, |y| in it. */
int zm_stencil_build(const zm_cell_metric *m, zm_local_offset *stencil, int *reach);

/** The same with all offsets (of coprime parts) of |x|, |y| up to `least` in it. */
int zm_stencil_build_wide(const zm_cell_metric *m, int least, zm_local_offset *stencil,
                          int *reach);

#endif
