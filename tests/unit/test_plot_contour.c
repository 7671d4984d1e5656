/* SPDX-License-Identifier: Apache-2.0
 * Contour lines: on the level, joined, closed where they should be, never crossing. */
#include <stdlib.h>

#include "check.h"
#include "core/memory.h"
#include "plot/contour.h"
#include "plot/contour_label.h"

static zm_alloc libc_memory(void)
{
    return zm_alloc_or_default(NULL);
}

static contour_set trace(test_run *t, int32_t rows, int32_t cols, const double *values,
                         double level)
{
    const zm_alloc mem = libc_memory();
    contour_set set;

    CHECK(contour_trace(&mem, rows, cols, values, level, &set, NULL) == ZM_OK);
    return set;
}

static void release(contour_set *set)
{
    const zm_alloc mem = libc_memory();

    contour_free(&mem, set);
}

/* f = x^2 + y^2 on a grid of spacing 1; linear interpolation along an edge errs in f by at
 * most f''/8 = 1/4, hence in the radius by 1/(8 r). */
TEST(the_contour_of_a_cone_is_one_closed_line_on_the_circle)
{
    enum { N = 61 };
    const double radius = 20.3;
    double values[N * N];
    contour_set set;

    for (int i = 0; i < N * N; i++)
        values[i] = pow(i % N - 30, 2) + pow(i / N - 30, 2);
    set = trace(t, N, N, values, radius * radius);
    CHECK(set.n_lines == 1 && set.lines[0].closed);
    for (size_t i = 0; i < set.n_points; i++)
        CHECK_NEAR(hypot(set.points[i].x - 30, set.points[i].y - 30), radius,
                   1 / (8 * radius) + 1e-12);
    release(&set);
}

TEST(the_contour_of_a_ramp_is_one_open_line_from_border_to_border)
{
    enum { ROWS = 5, COLS = 9 };
    double values[ROWS * COLS];
    contour_set set;

    for (int i = 0; i < ROWS * COLS; i++)
        values[i] = i % COLS;
    set = trace(t, ROWS, COLS, values, 3.25);
    CHECK(set.n_lines == 1 && !set.lines[0].closed && set.lines[0].n == ROWS);
    for (size_t i = 0; i < set.n_points; i++)
        CHECK_NEAR(set.points[i].x, 3.25, 1e-15);
    CHECK_NEAR(fabs(set.points[0].y - set.points[ROWS - 1].y), ROWS - 1, 0);
    release(&set);
}

static double turn(contour_point a, contour_point b, contour_point c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool segments_cross(const contour_point *p, const contour_point *q)
{
    return turn(p[0], p[1], q[0]) * turn(p[0], p[1], q[1]) < -1e-24 &&
           turn(q[0], q[1], p[0]) * turn(q[0], q[1], p[1]) < -1e-24;
}

static void check_no_crossing(test_run *t, const contour_set *set)
{
    for (size_t a = 0; a < set->n_lines; a++)
        for (size_t b = a; b < set->n_lines; b++)
            for (size_t i = 0; i + 1 < set->lines[a].n; i++)
                for (size_t j = b == a ? i + 1 : 0; j + 1 < set->lines[b].n; j++)
                    CHECK_MSG(!segments_cross(&set->points[set->lines[a].first + i],
                                              &set->points[set->lines[b].first + j]),
                              "lines %zu and %zu cross", a, b);
}

/* f = x y is a saddle in the middle of the middle square: two lines that pass each other,
 * on the sides that the sign of the level tells. */
TEST(lines_at_a_saddle_pass_each_other)
{
    enum { N = 8 };
    double values[N * N];

    for (int i = 0; i < N * N; i++)
        values[i] = (i % N - 3.5) * (i / N - 3.5);
    for (int sign = -1; sign <= 1; sign += 2) {
        contour_set set = trace(t, N, N, values, 0.1 * sign);

        CHECK(set.n_lines == 2 && !set.lines[0].closed && !set.lines[1].closed);
        check_no_crossing(t, &set);
        for (size_t i = 0; i < set.n_points; i++)
            CHECK((set.points[i].x - 3.5) * (set.points[i].y - 3.5) * sign > 0);
        release(&set);
    }
}

/* White noise is all saddles and islands. */
TEST(lines_through_noise_never_cross_and_lie_between_cells_on_both_sides)
{
    enum { N = 24 };
    uint64_t state = t->seed;
    double values[N * N];
    contour_set set;
    size_t crossed = 0, recorded = 0;

    for (int i = 0; i < N * N; i++)
        values[i] = zm_random_normal(&state);
    set = trace(t, N, N, values, 0.2);
    check_no_crossing(t, &set);
    for (size_t i = 0; i < set.n_points; i++) {
        const double x = set.points[i].x, y = set.points[i].y;
        const double share = x - floor(x) + (y - floor(y));
        const double a = values[(int)floor(y) * N + (int)floor(x)];
        const double b = values[(int)ceil(y) * N + (int)ceil(x)];

        CHECK_NEAR(a + share * (b - a), 0.2, 1e-9);
    }
    /* Every edge between cells on different sides is crossed by exactly one line. */
    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++) {
            const bool above = values[r * N + c] >= 0.2;

            crossed += c + 1 < N && above != (values[r * N + c + 1] >= 0.2);
            crossed += r + 1 < N && above != (values[(r + 1) * N + c] >= 0.2);
        }
    for (size_t i = 0; i < set.n_lines; i++)
        recorded += set.lines[i].n;
    CHECK_MSG(recorded == crossed, "%zu edges crossed, %zu points", crossed, recorded);
    release(&set);
}

TEST(no_line_touches_a_cell_that_is_not_finite)
{
    enum { N = 40 };
    static const double missing[] = { INFINITY, -INFINITY, NAN };
    double values[N * N];

    for (size_t m = 0; m < 3; m++) {
        contour_set set;

        for (int i = 0; i < N * N; i++)
            values[i] = i % N == 20 ? missing[m] : hypot(i % N - 20, i / N - 20);
        set = trace(t, N, N, values, 12.5);
        CHECK(set.n_lines == 2); /* a half circle on each side */
        for (size_t i = 0; i < set.n_points; i++)
            CHECK(fabs(set.points[i].x - 20) >= 1);
        release(&set);
    }
}

TEST(fields_without_a_level_or_a_square_have_no_lines)
{
    const double constant[4] = { 2, 2, 2, 2 };
    double one = 1;
    contour_set set = trace(t, 2, 2, constant, 2);

    CHECK(set.n_lines == 0);
    release(&set);
    set = trace(t, 2, 2, constant, 3);
    CHECK(set.n_lines == 0);
    release(&set);
    set = trace(t, 1, 1, &one, 1);
    CHECK(set.n_lines == 0);
    release(&set);
    set = trace(t, 1, 4, constant, 2);
    CHECK(set.n_lines == 0);
    release(&set);
}

/* Ends as far apart as doubles can be: the difference overflows, the crossing must not. */
TEST(crossings_of_huge_values_stay_inside_their_edge)
{
    const double values[4] = { -1.7e308, 1.7e308, -1.7e308, 1.7e308 };
    contour_set set = trace(t, 2, 2, values, 0);

    CHECK(set.n_lines == 1);
    for (size_t i = 0; i < set.n_points; i++)
        CHECK_NEAR(set.points[i].x, 0.5, 1e-12);
    release(&set);
}

static page_line straight_line(double *room, size_t n, double length)
{
    page_line line = { room, room + n, room + 2 * n, n };

    for (size_t i = 0; i < n; i++) {
        line.x[i] = 10 + length * (double)i / (double)(n - 1);
        line.y[i] = 50;
    }
    page_line_measure(&line);
    return line;
}

TEST(labels_keep_away_from_each_other_and_from_what_is_taken)
{
    enum { N = 101 };
    static taken_places taken;
    const double box[4] = { 0, 0, 600, 100 };
    const label_size size = { 30, 10 };
    double room[3 * N];
    const page_line line = straight_line(room, N, 500);
    label_spot spots[8];
    size_t n = 0;

    taken.n = 0;
    taken_add(&taken, 260, 50, 40);
    while (n < 8 && label_find(&line, size, box, &taken, spots, n, 100, &spots[n])) {
        CHECK_NEAR(spots[n].angle, 0, 1e-12);
        CHECK(fabs(spots[n].x - 260) >= 55);
        for (size_t k = 0; k < n; k++)
            CHECK(fabs(spots[n].x - spots[k].x) >= 100);
        n++;
    }
    CHECK(n >= 2 && n <= 4);
}

TEST(a_label_does_not_fit_on_a_line_that_is_short_bent_or_outside)
{
    enum { N = 101 };
    static taken_places taken;
    const label_size size = { 30, 10 };
    const double box[4] = { 0, 0, 600, 100 }, elsewhere[4] = { 0, 200, 600, 300 };
    double room[3 * N];
    page_line line = straight_line(room, N, 40);
    label_spot spot;

    taken.n = 0;
    CHECK(!label_find(&line, size, box, &taken, NULL, 0, 0, &spot));
    line = straight_line(room, N, 400);
    CHECK(label_find(&line, size, box, &taken, NULL, 0, 0, &spot));
    CHECK(!label_find(&line, size, elsewhere, &taken, NULL, 0, 0, &spot));
    for (int i = 0; i < N; i++) { /* a circle hardly wider than the text */
        line.x[i] = 100 + 12 * cos(0.12 * i);
        line.y[i] = 50 + 12 * sin(0.12 * i);
    }
    page_line_measure(&line);
    CHECK(!label_find(&line, size, box, &taken, NULL, 0, 0, &spot));
}
