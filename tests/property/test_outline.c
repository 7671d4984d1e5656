/* SPDX-License-Identifier: Apache-2.0
 * Outlines hold exactly the cells reached, lie in each other, and have the right area. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "support/cases.h"
#include "support/counted.h"
#include "zermelo/outline.h"

static zm_outline *outline_make(test_run *t, const zm_alloc *mem)
{
    zm_outline *o;

    CHECK(zm_outline_create(&o, mem, NULL) == ZM_OK);
    return o;
}

static double area_of(const zm_outline *o)
{
    size_t n;
    const zm_outline_ring *rings = zm_outline_rings(o, &n);
    double area = 0;

    for (size_t i = 0; i < n; i++)
        area += rings[i].area;
    return area;
}

/* How often the ring goes round a place: 0, or 1 up to the sign. */
static bool ring_holds(const zm_outline *o, size_t ring, double row, double col)
{
    size_t n, all;
    const zm_outline_ring *r = &zm_outline_rings(o, &n)[ring];
    const zm_outline_point *p = zm_outline_points(o, &all) + r->begin;
    bool in = false;

    for (size_t i = 0; i < r->n; i++) {
        const zm_outline_point a = p[i], b = p[(i + 1) % r->n];

        if ((a.row > row) != (b.row > row) &&
            col < a.col + (row - a.row) / (b.row - a.row) * (b.col - a.col))
            in = !in;
    }
    return in;
}

/* The smallest shell around a hole, by trying all of them. */
static size_t shell_by_search(const zm_outline *o, size_t hole)
{
    size_t n, all, best = hole;
    const zm_outline_ring *rings = zm_outline_rings(o, &n);
    const zm_outline_point p = zm_outline_points(o, &all)[rings[hole].begin];

    for (size_t s = 0; s < n; s++)
        if (rings[s].area > -rings[hole].area && ring_holds(o, s, p.row, p.col) &&
            (best == hole || rings[s].area < rings[best].area))
            best = s;
    return best;
}

/* Times without any order, a fifth of them infinite, and some equal to the levels. */
static void fill_noise(double *T, size_t n, uint64_t *state)
{
    for (size_t i = 0; i < n; i++) {
        T[i] = floor(8 * zm_random_unit(state)) + (i % 3 ? zm_random_unit(state) : 0);
        if (zm_random_unit(state) < 0.2)
            T[i] = i % 2 ? INFINITY : NAN;
    }
}

/* A place is inside if an odd number of rings goes round it. */
static void check_cells(test_run *t, const zm_outline *o, zm_grid g, const double *T,
                        double level)
{
    size_t n;

    zm_outline_rings(o, &n);
    for (int32_t row = 0; row < g.rows; row++)
        for (int32_t col = 0; col < g.cols; col++) {
            const double time = T[row * g.cols + col];
            int around = 0;

            for (size_t i = 0; i < n; i++)
                around += ring_holds(o, i, row, col);
            CHECK(around % 2 == (isfinite(time) && time <= level));
        }
}

static void check_rings(test_run *t, const zm_outline *o)
{
    size_t n, n_points, points = 0;
    const zm_outline_ring *rings = zm_outline_rings(o, &n);

    zm_outline_points(o, &n_points);
    for (size_t i = 0; i < n; i++) {
        CHECK(rings[i].begin == points && rings[i].n >= 4);
        points += rings[i].n;
        CHECK(rings[i].shell <= i && rings[rings[i].shell].area > 0);
        CHECK((rings[i].area > 0) == (rings[i].shell == i));
        if (rings[i].area < 0)
            CHECK(rings[i].shell == shell_by_search(o, i));
    }
    CHECK(points == n_points);
}

TEST(rings_hold_exactly_the_cells_reached_and_holes_know_their_shells)
{
    const zm_grid g = { 17, 23, 1, 1 };
    zm_outline *o = outline_make(t, NULL);
    uint64_t state = t->seed;
    double T[17 * 23];

    for (int k = 0; k < 12; k++) {
        fill_noise(T, 17 * 23, &state);
        for (double level = 0; level < 8; level += 1.5) {
            CHECK(zm_outline_find(o, g, ZM_F64, T, level, NULL) == ZM_OK);
            check_cells(t, o, g, T, level);
            check_rings(t, o);
        }
    }
    zm_outline_destroy(o);
}

/* Whether a place is a point of the outline, which meets walls halfway at every level. */
static bool has_point(const zm_outline *o, zm_outline_point p)
{
    size_t n;
    const zm_outline_point *all = zm_outline_points(o, &n);

    for (size_t i = 0; i < n; i++)
        if (all[i].row == p.row && all[i].col == p.col)
            return true;
    return false;
}

/* In every square the area is a convex hull that grows with the level: points of the outline
 * of an earlier level are inside of that of a later one, or points of it too. */
TEST(outlines_of_earlier_levels_lie_in_those_of_later_ones)
{
    const zm_grid g = { 17, 23, 1, 1 };
    zm_outline *early = outline_make(t, NULL), *late = outline_make(t, NULL);
    uint64_t state = t->seed;
    double T[17 * 23];
    size_t n, n_rings;

    fill_noise(T, 17 * 23, &state);
    for (double level = 0.7; level < 7; level += 0.45) {
        const zm_outline_point *p;

        CHECK(zm_outline_find(early, g, ZM_F64, T, level, NULL) == ZM_OK);
        CHECK(zm_outline_find(late, g, ZM_F64, T, level + 0.45, NULL) == ZM_OK);
        CHECK(area_of(early) <= area_of(late) + 1e-9);
        p = zm_outline_points(early, &n);
        zm_outline_rings(late, &n_rings);
        for (size_t i = 0; i < n; i++) {
            int around = 0;

            for (size_t r = 0; r < n_rings; r++)
                around += ring_holds(late, r, p[i].row, p[i].col);
            CHECK(around % 2 || has_point(late, p[i]));
        }
    }
    zm_outline_destroy(early);
    zm_outline_destroy(late);
}

/* {|x - s| <= r} has the area pi r^2; chords of length c lose c^2 / (6 r^2) of it, and none is
 * longer than the diagonal of a cell. */
TEST(the_area_of_a_circle_is_right_to_second_order)
{
    double error[2], bound = 0;

    for (int k = 0; k < 2; k++) {
        const int32_t n = 64 << k;
        const double s = 0.5 * n + 0.13, r = 0.4 * n, pi = acos(-1);
        double *T = nan_doubles((size_t)n * (size_t)n);
        zm_outline *o = outline_make(t, NULL);

        for (int32_t i = 0; i < n * n; i++)
            T[i] = hypot(i / n - s, i % n - s);
        CHECK(zm_outline_find(o, (zm_grid){ n, n, 1, 1 }, ZM_F64, T, r, NULL) == ZM_OK);
        bound = k ? bound : 1 / (3 * r * r);
        error[k] = fabs(area_of(o) / (pi * r * r) - 1);
        zm_outline_destroy(o);
        free(T);
    }
    CHECK_AT_MOST(error[0], bound);
    CHECK_AT_MOST(error[1], error[0] / 3.5);
}

/* A ring around a middle that is not reached, with an island in it: two shells, one hole. */
TEST(outlines_know_holes_and_islands)
{
    float T[15 * 15];
    zm_outline *o = outline_make(t, NULL);
    size_t n, shells = 0;
    const zm_outline_ring *rings;

    for (int i = 0; i < 225; i++) {
        const int r = abs(i / 15 - 7), c = abs(i % 15 - 7), d = r > c ? r : c;

        T[i] = d <= 1 || (d >= 4 && d <= 6) ? 1 : INFINITY;
    }
    CHECK(zm_outline_find(o, (zm_grid){ 15, 15, 1, 1 }, ZM_F32, T, 2, NULL) == ZM_OK);
    rings = zm_outline_rings(o, &n);
    for (size_t i = 0; i < n; i++) {
        shells += rings[i].area > 0;
        CHECK(rings[i].area > 0 || rings[rings[i].shell].area > 100);
    }
    CHECK(n == 3 && shells == 2);
    /* cells of 13^2 - 7^2 + 3^2, less 1/8 at every outer corner, plus at every inner one */
    CHECK_NEAR(area_of(o), 169 - 49 + 9 - 4. / 8 + 4. / 8 - 4. / 8, 1e-12);
    zm_outline_destroy(o);
}

/* Two cells that touch at a corner are one shell: a front passes between them.  The two gaps
 * beside such a corner are two holes. */
TEST(cells_that_touch_at_a_corner_are_joined)
{
    double T[4 * 4] = { 1, 1, 1, 1, 1, 9, 1, 1, 1, 1, 9, 1, 1, 1, 1, 1 };
    zm_outline *o = outline_make(t, NULL);
    size_t n;

    CHECK(zm_outline_find(o, (zm_grid){ 4, 4, 1, 1 }, ZM_F64, T, 5, NULL) == ZM_OK);
    zm_outline_rings(o, &n);
    CHECK(n == 3);
    for (int i = 0; i < 16; i++)
        T[i] = 10 - T[i];
    CHECK(zm_outline_find(o, (zm_grid){ 4, 4, 1, 1 }, ZM_F64, T, 5, NULL) == ZM_OK);
    zm_outline_rings(o, &n);
    CHECK(n == 1);
    zm_outline_destroy(o);
}

TEST(a_front_that_fills_the_grid_has_the_border_as_outline)
{
    float T[6 * 4] = { 0 };
    zm_outline *o = outline_make(t, NULL);
    size_t n, n_points;
    const zm_outline_point *p;

    CHECK(zm_outline_find(o, (zm_grid){ 6, 4, 1, 1 }, ZM_F32, T, HUGE_VAL, NULL) ==
          ZM_OK);
    zm_outline_rings(o, &n);
    p = zm_outline_points(o, &n_points);
    CHECK(n == 1 && n_points == 20);
    CHECK_NEAR(area_of(o), 24 - 0.5, 1e-12);
    for (size_t i = 0; i < n_points; i++)
        CHECK(p[i].row == -0.5 || p[i].row == 5.5 || p[i].col == -0.5 ||
              p[i].col == 3.5);
    CHECK(zm_outline_find(o, (zm_grid){ 6, 4, 1, 1 }, ZM_F32, T, -1, NULL) == ZM_OK);
    zm_outline_rings(o, &n);
    CHECK(n == 0);
    zm_outline_destroy(o);
}

TEST(finding_again_allocates_nothing_and_no_memory_is_said)
{
    counter count = { 0 };
    const zm_alloc mem = counted(&count);
    const zm_grid g = { 17, 23, 1, 1 };
    zm_outline *o = outline_make(t, &mem);
    uint64_t state = t->seed;
    double T[17 * 23];
    int before;
    zm_error err;

    fill_noise(T, 17 * 23, &state);
    CHECK(zm_outline_find(o, g, ZM_F64, T, 4, &err) == ZM_OK);
    before = (int)count.requests;
    CHECK(zm_outline_find(o, g, ZM_F64, T, 4, &err) == ZM_OK);
    CHECK((int)count.requests == before);
    zm_outline_destroy(o);
    CHECK(count.live == 0);
}

TEST(arguments_of_outlines_are_checked)
{
    const zm_grid g = { 2, 2, 1, 1 };
    const double T[4] = { 0 };
    zm_outline *o = outline_make(t, NULL);
    zm_alloc half = { 0 };
    zm_error err;

    CHECK(zm_outline_create(NULL, NULL, &err) == ZM_E_ARG);
    half.allocate = counted(&(counter){ 0 }).allocate;
    CHECK(zm_outline_create(&(zm_outline *){ NULL }, &half, &err) == ZM_E_ARG);
    CHECK(zm_outline_find(NULL, g, ZM_F64, T, 1, &err) == ZM_E_ARG);
    CHECK(zm_outline_find(o, g, ZM_F64, NULL, 1, &err) == ZM_E_ARG);
    CHECK(zm_outline_find(o, g, ZM_F64, T, NAN, &err) == ZM_E_ARG);
    CHECK(zm_outline_find(o, g, (zm_dtype)7, T, 1, &err) == ZM_E_ARG);
    CHECK(zm_outline_find(o, (zm_grid){ 0, 2, 1, 1 }, ZM_F64, T, 1, &err) == ZM_E_ARG);
    zm_outline_destroy(o);
    zm_outline_destroy(NULL);
}
