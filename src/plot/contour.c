/* SPDX-License-Identifier: Apache-2.0
 * Marching squares that walks: from a crossed side of a square to the next, until the line
 * closes or leaves the field.  Memory beside the result: one byte a cell. */
#include "plot/contour.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"

/* Sides of a square, clockwise; the square (row, col) has its corners at the cells (row,
 * col), (row, col+1), (row+1, col+1), (row+1, col), clockwise as well: side s joins the
 * corners s and s+1. */
enum { TOP, RIGHT, BOTTOM, LEFT, NO_SIDE };

typedef struct tracer {
    const zm_alloc *mem;
    int32_t rows, cols;
    const double *values;
    double level;
    uint8_t
        *seen; /* per square: bit s set once a line has been recorded through side s */
} tracer;

/* A line about to cross a square, having come in through a side. */
typedef struct step {
    int32_t row, col;
    int side;
} step;

static double corner(const tracer *t, int32_t row, int32_t col, int k)
{
    const int32_t r = row + (k == 2 || k == 3), c = col + (k == 1 || k == 2);

    return t->values[(size_t)r * (size_t)t->cols + (size_t)c];
}

static size_t square_index(const tracer *t, step s)
{
    return (size_t)s.row * (size_t)t->cols + (size_t)s.col;
}

/* Bit k set where corner k lies at or above the level; -1 for a square to be left out. */
static int square_case(const tracer *t, int32_t row, int32_t col)
{
    int above = 0;

    if (row < 0 || col < 0 || row >= t->rows - 1 || col >= t->cols - 1)
        return -1;
    for (int k = 0; k < 4; k++) {
        const double value = corner(t, row, col, k);

        if (!isfinite(value))
            return -1;
        above |= (value >= t->level) << k;
    }
    return above;
}

static bool crosses(int above, int side)
{
    return ((above >> side) & 1) != ((above >> (side + 1) % 4) & 1);
}

/* In a saddle all four sides are crossed.  If the middle belongs with the corner between
 * two sides, the line cuts off the other corners, else that one. */
static int saddle_exit(const tracer *t, step s, int above)
{
    double mean = 0;
    bool middle_above, corner_above;

    for (int k = 0; k < 4; k++)
        mean += 0.25 * corner(t, s.row, s.col, k);
    middle_above = mean >= t->level;
    corner_above = (above >> (s.side + 1) % 4) & 1; /* the corner after this side */
    return (s.side + (corner_above == middle_above ? 3 : 1)) % 4;
}

static int exit_side(const tracer *t, step s, int above)
{
    if (above == 5 || above == 10)
        return saddle_exit(t, s, above);
    for (int k = 1; k < 4; k++)
        if (crosses(above, (s.side + k) % 4))
            return (s.side + k) % 4;
    return NO_SIDE; /* not reached: a line that enters leaves */
}

static step across(step s)
{
    static const int d_row[] = { -1, 0, 1, 0 }, d_col[] = { 0, 1, 0, -1 };

    return (step){ s.row + d_row[s.side], s.col + d_col[s.side], (s.side + 2) % 4 };
}

/* Crosses the square: the answer stands in the next square, or has NO_SIDE at the end. */
static step advance(const tracer *t, step s)
{
    const step out = { s.row, s.col, exit_side(t, s, square_case(t, s.row, s.col)) };
    step next = across(out);

    if (square_case(t, next.row, next.col) < 0)
        next.side = NO_SIDE;
    return next;
}

/* Where the level lies between the two corners of a side: always taken in the same
 * direction, so that both squares beside it compute the same bits. */
static contour_point crossing(const tracer *t, step s)
{
    const int from = s.side == BOTTOM || s.side == LEFT ? (s.side + 1) % 4 : s.side;
    const int to = from == s.side ? (s.side + 1) % 4 : s.side;
    const double a = corner(t, s.row, s.col, from), b = corner(t, s.row, s.col, to);
    const double share = (0.5 * t->level - 0.5 * a) / (0.5 * b - 0.5 * a);
    const bool level_side = s.side == TOP || s.side == BOTTOM;

    return (contour_point){ s.col + (level_side ? share : s.side == RIGHT),
                            s.row + (level_side ? s.side == BOTTOM : share) };
}

static bool grow(const zm_alloc *mem, void **array, size_t used, size_t *room,
                 size_t size)
{
    const size_t wanted = *room ? 2 * *room : 64;
    void *larger;

    if (used < *room)
        return true;
    larger = zm_zalloc(mem, wanted, size);
    if (!larger)
        return false;
    if (used)
        memcpy(larger, *array, used * size);
    zm_release(mem, *array);
    *array = larger;
    *room = wanted;
    return true;
}

static bool add_point(const tracer *t, contour_set *set, contour_line *line,
                      contour_point p)
{
    void *points = set->points;
    const contour_point *last = line->n ? &set->points[set->n_points - 1] : NULL;

    if (last && last->x == p.x && last->y == p.y) /* the level passes through a cell */
        return true;
    if (!grow(t->mem, &points, set->n_points, &set->point_room, sizeof p))
        return false;
    set->points = points;
    set->points[set->n_points++] = p;
    line->n++;
    return true;
}

/* Walks back against the direction of `start` to where its line begins. */
static step line_begin(const tracer *t, step start)
{
    step back = across(start); /* the square before, seen from its far side */

    if (square_case(t, back.row, back.col) < 0)
        return start;
    for (step s = back;;) {
        const step next = advance(t, s);

        if (next.side == NO_SIDE) { /* turn round in the last square */
            s.side = exit_side(t, s, square_case(t, s.row, s.col));
            return s;
        }
        if (next.row == back.row && next.col == back.col && next.side == back.side)
            return start; /* closed */
        s = next;
    }
}

/* Records the line that starts in this step.  The last crossing of an open line is on the
 * exit side of its last square. */
static bool record_line(const tracer *t, step begin, contour_set *set,
                        contour_line *line)
{
    step s = begin;

    for (;;) {
        const int out = exit_side(t, s, square_case(t, s.row, s.col));
        const step next = advance(t, s);

        t->seen[square_index(t, s)] |= (uint8_t)(1 << s.side | 1 << out);
        if (!add_point(t, set, line, crossing(t, s)))
            return false;
        if (next.side == NO_SIDE)
            return add_point(t, set, line, crossing(t, (step){ s.row, s.col, out }));
        if (next.row == begin.row && next.col == begin.col && next.side == begin.side) {
            line->closed = true;
            return true;
        }
        s = next;
    }
}

static bool trace_line(const tracer *t, step through, contour_set *set)
{
    contour_line line = { set->n_points, 0, false };
    void *lines = set->lines;

    if (!record_line(t, line_begin(t, through), set, &line))
        return false;
    if (line.n < 2) { /* a single cell on the level */
        set->n_points -= line.n;
        return true;
    }
    if (!grow(t->mem, &lines, set->n_lines, &set->line_room, sizeof line))
        return false;
    set->lines = lines;
    set->lines[set->n_lines++] = line;
    return true;
}

static bool trace_square(const tracer *t, int32_t row, int32_t col, contour_set *set)
{
    const int above = square_case(t, row, col);

    if (above <= 0 || above == 15)
        return true;
    for (int side = 0; side < 4; side++) {
        const step s = { row, col, side };

        if (crosses(above, side) && !(t->seen[square_index(t, s)] >> side & 1) &&
            !trace_line(t, s, set))
            return false;
    }
    return true;
}

zm_status zm_plot_contour_trace(const zm_alloc *mem, int32_t rows, int32_t cols,
                                const double *values, double level, contour_set *out,
                                zm_error *err)
{
    tracer t = { mem, rows, cols, values, level, NULL };
    bool enough = true;

    *out = (contour_set){ 0 };
    t.seen = zm_zalloc(mem, (size_t)rows * (size_t)cols, 1);
    if (!t.seen)
        return zm_fail(err, ZM_E_NOMEM, -1, "contours of %d x %d cells", (int)rows,
                       (int)cols);
    for (int32_t row = 0; row < rows - 1 && enough; row++)
        for (int32_t col = 0; col < cols - 1 && enough; col++)
            enough = trace_square(&t, row, col, out);
    zm_release(mem, t.seen);
    if (enough)
        return ZM_OK;
    zm_plot_contour_free(mem, out);
    return zm_fail(err, ZM_E_NOMEM, -1, "contour lines of %d x %d cells", (int)rows,
                   (int)cols);
}

void zm_plot_contour_free(const zm_alloc *mem, contour_set *set)
{
    zm_release(mem, set->points);
    zm_release(mem, set->lines);
    *set = (contour_set){ 0 };
}
