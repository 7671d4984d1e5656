/* SPDX-License-Identifier: Apache-2.0
 * Outlines of {T <= level}: marching squares on the centres of cells.
 *
 * Every line between two neighbouring centres is crossed at most once, and never at its ends
 * (NEAREST), so rings have no point in common with each other or themselves. */
#include "fire/data/geo/outline.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/fail.h"

/* How near to a centre, in cells, a ring may come. */
#define NEAREST 0.02

/* Sides of a square, whose corners are centres of cells. */
enum { NORTH, EAST, SOUTH, WEST };

typedef struct tracer {
    const float *T;
    int32_t rows, cols;
    double level;
    uint8_t
        *done; /* of each square: bit k: the piece that leaves by side k is in a ring */
    zm_outline *out;
} tracer;

void zm_outline_free(zm_outline *outline)
{
    free(outline->points);
    free(outline->rings);
    *outline = (zm_outline){ 0 };
}

/* Outside of the grid nothing burns. */
static double time_at(const tracer *t, int32_t row, int32_t col)
{
    if (row < 0 || col < 0 || row >= t->rows || col >= t->cols)
        return INFINITY;
    return (double)t->T[(size_t)row * (size_t)t->cols + (size_t)col];
}

static bool inside(const tracer *t, int32_t row, int32_t col)
{
    return time_at(t, row, col) <= t->level;
}

/* Share of the way from a to b at which the level is met. */
static double share_of(const tracer *t, double a, double b)
{
    const double s = isfinite(a) && isfinite(b) ? (t->level - a) / (b - a) : 0.5;

    return s < NEAREST ? NEAREST : s > 1 - NEAREST ? 1 - NEAREST : s;
}

/* Square (row, col) has its north-west corner at the centre of cell (row - 1, col - 1). */
static zm_outline_point crossing(const tracer *t, int32_t row, int32_t col, int side)
{
    const int32_t r = row - 1, c = col - 1;
    const double nw = time_at(t, r, c), ne = time_at(t, r, c + 1);
    const double sw = time_at(t, r + 1, c), se = time_at(t, r + 1, c + 1);
    const double x = c + 0.5, y = r + 0.5;

    switch (side) {
    case NORTH:
        return (zm_outline_point){ x + share_of(t, nw, ne), y };
    case EAST:
        return (zm_outline_point){ x + 1, y + share_of(t, ne, se) };
    case SOUTH:
        return (zm_outline_point){ x + share_of(t, sw, se), y + 1 };
    default:
        return (zm_outline_point){ x, y + share_of(t, nw, sw) };
    }
}

/* The side by which a piece leaves the square that it enters by `from`, burned cells on its
 * left as seen with y upwards; -1: none enters there.  Where two burned corners face each
 * other they are joined: fire crosses corners. */
static int leaves_by(const tracer *t, int32_t row, int32_t col, int from)
{
    const int32_t r = row - 1, c = col - 1;
    const bool nw = inside(t, r, c), ne = inside(t, r, c + 1);
    const bool sw = inside(t, r + 1, c), se = inside(t, r + 1, c + 1);
    /* going into the square: the corner on the left and on the right of that side */
    const bool left = from == NORTH ? ne : from == EAST ? se : from == SOUTH ? sw : nw;
    const bool right = from == NORTH ? nw : from == EAST ? ne : from == SOUTH ? se : sw;
    /* and the two corners beyond */
    const bool far_left = from == NORTH   ? se
                          : from == EAST  ? sw
                          : from == SOUTH ? nw
                                          : ne;
    const bool far_right = from == NORTH   ? sw
                           : from == EAST  ? nw
                           : from == SOUTH ? ne
                                           : se;
    const int to_right = (from + 3) % 4, across = (from + 2) % 4,
              to_left = (from + 1) % 4;

    if (!left || right)
        return -1;
    if (far_right) /* with far_left: a burned strip on three corners; without: joined */
        return to_right;
    return far_left ? across : to_left;
}

static bool add_point(zm_outline *o, zm_outline_point p)
{
    if (!zm_array_reserve(&o->points, &o->room_points, o->n_points + 1, sizeof p))
        return false;
    o->points[o->n_points++] = p;
    return true;
}

static bool add_ring(zm_outline *o, size_t begin)
{
    zm_ring ring = { begin, o->n_points - begin, 0, o->n_rings };

    if (!zm_array_reserve(&o->rings, &o->room_rings, o->n_rings + 1, sizeof ring))
        return false;
    for (size_t i = 0; i < ring.n; i++) { /* y runs downwards: the sign is turned */
        const zm_outline_point a = o->points[begin + i];
        const zm_outline_point b = o->points[begin + (i + 1) % ring.n];

        ring.area -= 0.5 * (a.x * b.y - b.x * a.y);
    }
    o->rings[o->n_rings++] = ring;
    return true;
}

static uint8_t *done_at(const tracer *t, int32_t row, int32_t col)
{
    return &t->done[(size_t)row * ((size_t)t->cols + 1) + (size_t)col];
}

/* Follows the ring that enters square (row, col) by side `from`. */
static bool trace(tracer *t, int32_t row, int32_t col, int from)
{
    static const int32_t d_row[4] = { -1, 0, 1, 0 }, d_col[4] = { 0, 1, 0, -1 };
    const size_t begin = t->out->n_points;

    for (;;) {
        const int to = leaves_by(t, row, col, from);

        if (*done_at(t, row, col) & (1U << to))
            return add_ring(t->out, begin);
        *done_at(t, row, col) |= (uint8_t)(1U << to);
        if (!add_point(t->out, crossing(t, row, col, to)))
            return false;
        row += d_row[to];
        col += d_col[to];
        from = (to + 2) % 4;
    }
}

static bool trace_all(tracer *t)
{
    for (int32_t row = 0; row <= t->rows; row++)
        for (int32_t col = 0; col <= t->cols; col++)
            for (int from = 0; from < 4; from++) {
                const int to = leaves_by(t, row, col, from);

                if (to >= 0 && !(*done_at(t, row, col) & (1U << to)) &&
                    !trace(t, row, col, from))
                    return false;
            }
    return true;
}

/* ---- holes ------------------------------------------------------------------------ */

static bool holds(const zm_outline *o, const zm_ring *ring, zm_outline_point p)
{
    bool in = false;

    for (size_t i = 0; i < ring->n; i++) {
        const zm_outline_point a = o->points[ring->begin + i];
        const zm_outline_point b = o->points[ring->begin + (i + 1) % ring->n];

        if ((a.y > p.y) != (b.y > p.y) &&
            p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x))
            in = !in;
    }
    return in;
}

/* The smallest shell around each hole. */
static void find_shells(zm_outline *o)
{
    for (size_t h = 0; h < o->n_rings; h++) {
        double smallest = INFINITY;

        if (o->rings[h].area > 0)
            continue;
        for (size_t s = 0; s < o->n_rings; s++) {
            const zm_ring *shell = &o->rings[s];

            if (shell->area > -o->rings[h].area && shell->area < smallest &&
                holds(o, shell, o->points[o->rings[h].begin])) {
                smallest = shell->area;
                o->rings[h].shell = s;
            }
        }
    }
}

zm_status zm_outline_find(const float *T, int32_t rows, int32_t cols, double level,
                          zm_outline *out, zm_error *err)
{
    tracer t = { T, rows, cols, level, NULL, out };
    bool good;

    *out = (zm_outline){ 0 };
    t.done = calloc((size_t)rows + 1, (size_t)cols + 1);
    good = t.done && trace_all(&t);
    free(t.done);
    if (!good) {
        zm_outline_free(out);
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for outlines");
    }
    find_shells(out);
    return ZM_OK;
}
