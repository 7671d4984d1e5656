/* SPDX-License-Identifier: Apache-2.0
 * Outlines of {T <= level}: marching squares on the middles of cells.
 *
 * Every line between two neighbouring middles is crossed at most once, and never at its ends
 * (NEAREST), so rings have no point in common with each other or themselves.  In each square
 * between four middles the area is the convex hull of the corners inside and the crossings
 * beside them, which only grows with the level. */
#include "zermelo/outline.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/array.h"
#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/problem/problem.h"

/* How near to the middle of a cell, in cells, a ring may come. */
static const double NEAREST = 0.02;

/* Sides of a square, whose corners are middles of cells. */
enum { NORTH, EAST, SOUTH, WEST };

/* Marks of a square: bit k says that the piece which leaves by side k is in a ring; and
 * whether the cell at its south-east corner is inside.  Looked at once: a T that changes
 * meanwhile leads nowhere else. */
enum { INSIDE = 1 << 4 };

struct zm_outline {
    zm_alloc mem;
    zm_outline_point *points;
    zm_outline_ring *rings;
    uint8_t *marks; /* of squares */
    size_t *
        crossed; /* of squares: the ring through their southern side, where there is one */
    size_t n_points, n_rings;
    size_t room_points, room_rings, room_marks, room_crossed;
};

/* The squares have their north-west corners at the middles of the cells (row - 1, col - 1): there
 * is one row and one column more than of cells. */
typedef struct tracer {
    zm_outline *out;
    const void *T;
    zm_dtype dtype;
    int32_t rows, cols;
    double level;
} tracer;

/* A square, and the side by which a ring enters it. */
typedef struct step {
    int32_t row, col;
    int from;
} step;

static size_t square_at(const tracer *t, int32_t row, int32_t col)
{
    return (size_t)row * ((size_t)t->cols + 1) + (size_t)col;
}

/* Nothing arrives outside of the grid. */
static double time_at(const tracer *t, int32_t row, int32_t col)
{
    const size_t cell = (size_t)row * (size_t)t->cols + (size_t)col;

    if (row < 0 || col < 0 || row >= t->rows || col >= t->cols)
        return INFINITY;
    return t->dtype == ZM_F32 ? (double)((const float *)t->T)[cell]
                              : ((const double *)t->T)[cell];
}

static bool inside(const tracer *t, int32_t row, int32_t col)
{
    return row >= 0 && col >= 0 && t->out->marks[square_at(t, row, col)] & INSIDE;
}

/* Share of the way from a to b at which the level is met. */
static double share_of(const tracer *t, double a, double b)
{
    const double s =
        isfinite(a) && isfinite(b) ? (t->level / 2 - a / 2) / (b / 2 - a / 2) : 0.5;

    return fmin(fmax(s, NEAREST), 1 - NEAREST);
}

static zm_outline_point crossing(const tracer *t, int32_t row, int32_t col, int side)
{
    const int32_t r = row - (side != SOUTH), c = col - (side != EAST);
    const double a = time_at(t, r, c);

    if (side == NORTH || side == SOUTH)
        return (zm_outline_point){ r, c + share_of(t, a, time_at(t, r, c + 1)) };
    return (zm_outline_point){ r + share_of(t, a, time_at(t, r + 1, c)), c };
}

/* The side by which a piece leaves the square that it enters, cells inside on its left as seen
 * with row 0 on top; -1: none enters there.  Where two corners inside face each other they are
 * joined: a front passes between. */
static int leaves_by(const tracer *t, step s)
{
    /* clockwise, the corner before each side as seen from the middle: NW, NE, SE, SW */
    const bool corner[4] = { inside(t, s.row - 1, s.col - 1),
                             inside(t, s.row - 1, s.col), inside(t, s.row, s.col),
                             inside(t, s.row, s.col - 1) };
    /* going into the square: the corner on the left and on the right of that side */
    const bool left = corner[(s.from + 1) % 4], right = corner[s.from];
    const bool far_left = corner[(s.from + 2) % 4],
               far_right = corner[(s.from + 3) % 4];

    if (!left || right)
        return -1;
    if (far_right) /* with far_left: three corners inside; without: joined */
        return (s.from + 3) % 4;
    return far_left ? (s.from + 2) % 4 : (s.from + 1) % 4;
}

static bool add_point(zm_outline *o, zm_outline_point p)
{
    if (!zm_array_reserve_in(&o->mem, NULL, &o->points, &o->room_points,
                             o->n_points + 1, sizeof p))
        return false;
    o->points[o->n_points++] = p;
    return true;
}

/* Rows run downwards: the sign of the sum over trapezia is turned. */
static double area_of(const zm_outline_point *points, size_t n)
{
    double area = 0;

    for (size_t i = 0; i < n; i++) {
        const zm_outline_point a = points[i], b = points[(i + 1) % n];

        area += 0.5 * (a.row + b.row) * (b.col - a.col);
    }
    return area;
}

/* The shell of a hole whose first piece, row by row, is in this square: the cell at its
 * south-east is the first of those left out, and the one to the west of that is inside.  The
 * ring to the west of all such cells in this row is the shell or another hole of it, and came
 * before. */
static size_t shell_around(const tracer *t, int32_t row, int32_t col)
{
    while (inside(t, row, col - 1))
        col--;
    return t->out->rings[t->out->crossed[square_at(t, row, col)]].shell;
}

static bool add_ring(const tracer *t, size_t begin, step first)
{
    zm_outline *o = t->out;
    zm_outline_ring ring = { begin, o->n_points - begin, 0, o->n_rings };

    if (!zm_array_reserve_in(&o->mem, NULL, &o->rings, &o->room_rings, o->n_rings + 1,
                             sizeof ring))
        return false;
    ring.area = area_of(o->points + begin, ring.n);
    if (!inside(t, first.row, first.col))
        ring.shell = shell_around(t, first.row, first.col);
    o->rings[o->n_rings++] = ring;
    return true;
}

/* Follows the ring that enters a square, the first of its squares. */
static bool trace(const tracer *t, step first)
{
    static const int32_t d_row[4] = { -1, 0, 1, 0 }, d_col[4] = { 0, 1, 0, -1 };
    zm_outline *o = t->out;
    const size_t begin = o->n_points;

    for (step s = first;;) {
        const size_t square = square_at(t, s.row, s.col);
        const int to = leaves_by(t, s);

        if (o->marks[square] & 1 << to)
            return add_ring(t, begin, first);
        o->marks[square] |= (uint8_t)(1 << to);
        if (to == SOUTH)
            o->crossed[square] = o->n_rings;
        else if (to == NORTH)
            o->crossed[square_at(t, s.row - 1, s.col)] = o->n_rings;
        if (!add_point(o, crossing(t, s.row, s.col, to)))
            return false;
        s = (step){ s.row + d_row[to], s.col + d_col[to], (to + 2) % 4 };
    }
}

static bool trace_all(const tracer *t)
{
    for (int32_t row = 0; row <= t->rows; row++)
        for (int32_t col = 0; col <= t->cols; col++)
            for (int from = 0; from < 4; from++) {
                const step s = { row, col, from };
                const int to = leaves_by(t, s);

                if (to >= 0 && !(t->out->marks[square_at(t, row, col)] & 1 << to) &&
                    !trace(t, s))
                    return false;
            }
    return true;
}

/* Marks the cells inside; false when out of memory. */
static bool prepare(const tracer *t)
{
    zm_outline *o = t->out;
    const size_t n = ((size_t)t->rows + 1) * ((size_t)t->cols + 1);

    if (!zm_array_reserve_in(&o->mem, NULL, &o->marks, &o->room_marks, n, 1) ||
        !zm_array_reserve_in(&o->mem, NULL, &o->crossed, &o->room_crossed, n,
                             sizeof *o->crossed))
        return false;
    memset(o->marks, 0, n);
    for (int32_t row = 0; row < t->rows; row++)
        for (int32_t col = 0; col < t->cols; col++) {
            const double time = time_at(t, row, col);

            if (isfinite(time) && time <= t->level)
                o->marks[square_at(t, row, col)] = INSIDE;
        }
    return true;
}

zm_status zm_outline_create(zm_outline **out, const zm_alloc *mem, zm_error *err)
{
    const zm_alloc given = zm_alloc_or_default(mem);

    if (!out)
        return zm_fail(err, ZM_E_ARG, -1, "out is NULL");
    *out = NULL;
    if (mem && !mem->allocate != !mem->release)
        return zm_fail(err, ZM_E_ARG, -1,
                       "mem has one of its functions only, must have both or neither");
    *out = zm_zalloc(&given, 1, sizeof **out);
    if (!*out)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for an outline");
    (*out)->mem = given;
    return ZM_OK;
}

void zm_outline_destroy(zm_outline *o)
{
    zm_alloc mem;

    if (!o)
        return;
    mem = o->mem;
    zm_release(&mem, o->points);
    zm_release(&mem, o->rings);
    zm_release(&mem, o->marks);
    zm_release(&mem, o->crossed);
    zm_release(&mem, o);
}

zm_status zm_outline_find(zm_outline *outline, zm_grid grid, zm_dtype dtype,
                          const void *T, double level, zm_error *err)
{
    const tracer t = { outline, T, dtype, grid.rows, grid.cols, level };

    if (!outline || !T)
        return zm_fail(err, ZM_E_ARG, -1, "%s is NULL", outline ? "T" : "outline");
    outline->n_points = outline->n_rings = 0;
    ZM_TRY(zm_grid_check(grid, err));
    if (dtype != ZM_F64 && dtype != ZM_F32)
        return zm_fail(err, ZM_E_ARG, -1, "dtype %d, must be ZM_F64 or ZM_F32",
                       (int)dtype);
    if (isnan(level))
        return zm_fail(err, ZM_E_ARG, -1, "level is nan, must be a time or infinity");
    if (prepare(&t) && trace_all(&t))
        return ZM_OK;
    outline->n_points = outline->n_rings = 0;
    return zm_fail(err, ZM_E_NOMEM, -1, "no memory for the outline of %d x %d cells",
                   (int)grid.rows, (int)grid.cols);
}

const zm_outline_ring *zm_outline_rings(const zm_outline *outline, size_t *n)
{
    *n = outline->n_rings;
    return outline->rings;
}

const zm_outline_point *zm_outline_points(const zm_outline *outline, size_t *n)
{
    *n = outline->n_points;
    return outline->points;
}
