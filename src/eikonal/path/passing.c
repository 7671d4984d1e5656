/* SPDX-License-Identifier: Apache-2.0
 * Direction and time of the front at any point, from the cells around it.
 *
 * Each cell continues what it knows to the point p: a cell with donors
 *
 *     T(p) = T + <grad T, p - x>,   grad T = G v / |v|_G - b,   v as in path.h,
 *
 * and a cell that starts from a source at s, T(p) = T_s + F(p - s) with v = p - s.  The four
 * cells around p count with bilinear weights, so that in the middle of a cell its own time
 * comes out.  Those behind a wall, and those that the front reached in another direction
 * than the cell p is in (beyond a shock, or another front), do not count. */
#include <math.h>

#include "eikonal/path/trace.h"

/* Cosine of the largest angle between directions that are averaged: in a smooth field
 * neighbours differ by about one cell over the distance from the source. */
static const double SAME_DIRECTION = 0.9;

bool zm_path_passing_by(const zm_path_trail *trail, int32_t row, int32_t col,
                        zm_path_place p, zm_path_passing *out)
{
    const zm_path_place away = { p.x - col, p.y - row };
    double length, norm;
    size_t cell;
    zm_node n;

    if (!zm_path_ground_cell(&trail->ground, row, col, &cell))
        return false;
    n = zm_path_trail_node(trail, cell);
    if (n.kind == ZM_NODE_UNREACHED)
        return false;
    out->time = n.time;
    if (n.kind == ZM_NODE_SOURCE) {
        out->time -= zm_path_cost_of(&n.source_metric, n.x, n.y);
        n.x += away.x;
        n.y += away.y;
        out->time += zm_path_cost_of(&n.source_metric, n.x, n.y);
    } else {
        const zm_cell_metric g = n.metric;

        norm = sqrt(g.g11 * n.x * n.x + 2 * g.g12 * n.x * n.y + g.g22 * n.y * n.y);
        out->time += ((g.g11 * n.x + g.g12 * n.y) / norm - g.b1) * away.x +
                     ((g.g12 * n.x + g.g22 * n.y) / norm - g.b2) * away.y;
    }
    length = hypot(n.x, n.y);
    out->x = length > 0 ? n.x / length : 0;
    out->y = length > 0 ? n.y / length : 0;
    return true;
}

bool zm_path_passing_at(const zm_path_trail *trail, zm_path_place p,
                        zm_path_passing *out)
{
    const int32_t own_row = zm_path_line_of(p.y), own_col = zm_path_line_of(p.x);
    const int32_t row = (int32_t)floor(p.y), col = (int32_t)floor(p.x);
    const double right = p.x - col, below = p.y - row;
    zm_path_passing own, sum = { 0, 0, 0 };
    double weights = 0, length;

    if (!zm_path_passing_by(trail, own_row, own_col, p, &own))
        return false;
    for (int i = 0; i < 4; i++) {
        const int32_t r = row + (i >> 1), c = col + (i & 1);
        const double w = (i & 1 ? right : 1 - right) * (i >> 1 ? below : 1 - below);
        zm_path_passing by = own;

        if (w == 0)
            continue;
        if ((r != own_row || c != own_col) &&
            (!zm_path_ground_free(&trail->ground, r, c) ||
             !zm_path_passing_by(trail, r, c, p, &by) ||
             by.x * own.x + by.y * own.y < SAME_DIRECTION ||
             !zm_path_way_clear(&trail->ground, p, (zm_path_place){ c, r })))
            continue;
        sum.x += w * by.x;
        sum.y += w * by.y;
        sum.time += w * by.time;
        weights += w;
    }
    length = hypot(sum.x, sum.y);
    *out = (zm_path_passing){ length > 0 ? sum.x / length : 0,
                              length > 0 ? sum.y / length : 0, sum.time / weights };
    return true;
}
