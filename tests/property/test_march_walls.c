/* SPDX-License-Identifier: Apache-2.0
 * Thin walls and wide stencils: nothing crosses a closed wall of one cell, everything gets
 * through a gap of one cell, whatever the metric. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/cases.h"

enum { SIDE = 41 };
static const double pi = 3.14159265358979323846;

static uint8_t *wall(test_case *c, int32_t row, int32_t col)
{
    return &c->walls[row * c->grid.cols + col];
}

/* Scenes.  The source is at row 9, col 12 or near it. */

static void draw_straight(test_case *c)
{
    for (int32_t i = 0; i < SIDE; i++)
        *wall(c, 20, i) = 1;
}

static void draw_upright(test_case *c)
{
    for (int32_t i = 0; i < SIDE; i++)
        *wall(c, i, 25) = 1;
}

/* Cells that touch at corners only. */
static void draw_falling(test_case *c)
{
    for (int32_t i = 0; i < SIDE; i++)
        *wall(c, i, i) = 1;
}

static void draw_rising(test_case *c)
{
    for (int32_t i = 0; i < SIDE; i++)
        *wall(c, i, SIDE - 1 - i) = 1;
}

/* Shallow: runs of three cells that touch at corners. */
static void draw_stairs(test_case *c)
{
    for (int32_t i = 0; i < SIDE; i++)
        *wall(c, 12 + i / 3, i) = 1;
}

static void draw_corner(test_case *c)
{
    for (int32_t i = 0; i <= 22; i++)
        *wall(c, 18, i) = *wall(c, i, 22) = 1;
    *wall(c, 18, 22) = 0; /* what is left touches at a corner */
    *wall(c, 17, 22) = *wall(c, 18, 21) = 1;
}

/* A ring around the source that touches at corners where it turns. */
static void draw_ring(test_case *c)
{
    for (int32_t row = 0; row < SIDE; row++)
        for (int32_t col = 0; col < SIDE; col++) {
            const int32_t far = abs(row - 9) + abs(col - 12);

            *wall(c, row, col) = far == 7;
        }
}

/* A narrow cell: walls right beside the source. */
static void draw_cage(test_case *c)
{
    for (int32_t row = 8; row <= 10; row++)
        for (int32_t col = 11; col <= 13; col++)
            *wall(c, row, col) = (row + col) % 2 == 0;
}

/* Free cells are connected at corners only, and these are closed. */
static void draw_checkers(test_case *c)
{
    for (int32_t row = 0; row < SIDE; row++)
        for (int32_t col = 0; col < SIDE; col++)
            *wall(c, row, col) = row >= 15 && (row + col) % 2;
}

static void draw_straight_gap(test_case *c)
{
    draw_straight(c);
    *wall(c, 20, 28) = 0;
}

static void draw_falling_gap(test_case *c)
{
    draw_falling(c);
    *wall(c, 24, 24) = 0;
}

static void draw_rising_gap(test_case *c)
{
    draw_rising(c);
    *wall(c, 6, SIDE - 1 - 6) = 0;
}

static void draw_corner_gap(test_case *c)
{
    draw_corner(c);
    *wall(c, 18, 3) = 0;
}

static void draw_ring_gap(test_case *c)
{
    draw_ring(c);
    *wall(c, 9, 19) = 0;
}

/* Two walls one cell apart, with gaps at opposite ends. */
static void draw_slit(test_case *c)
{
    for (int32_t i = 0; i < SIDE; i++) {
        *wall(c, 18, i) = i != 1;
        *wall(c, 20, i) = i != SIDE - 2;
    }
}

typedef struct scene {
    const char *name;
    void (*draw)(test_case *c);
    bool closed; /* some free cells cannot be reached */
} scene;

static const scene scenes[] = {
    { "straight", draw_straight, true },
    { "upright", draw_upright, true },
    { "falling", draw_falling, true },
    { "rising", draw_rising, true },
    { "stairs", draw_stairs, true },
    { "corner", draw_corner, true },
    { "ring", draw_ring, true },
    { "cage", draw_cage, true },
    { "checkers", draw_checkers, true },
    { "straight with a gap", draw_straight_gap, false },
    { "falling with a gap", draw_falling_gap, false },
    { "rising with a gap", draw_rising_gap, false },
    { "corner with a gap", draw_corner_gap, false },
    { "ring with a gap", draw_ring_gap, false },
    { "slit", draw_slit, false },
};
enum { N_SCENES = sizeof scenes / sizeof scenes[0] };

static bool is_wall(const test_case *c, int32_t row, int32_t col)
{
    return row >= 0 && row < c->grid.rows && col >= 0 && col < c->grid.cols &&
           c->walls[row * c->grid.cols + col];
}

/* Cells that can be reached from the source's by steps to the eight neighbours; a diagonal
 * one is closed where walls stand on both sides of it. */
static void flood(const test_case *c, uint8_t *reached)
{
    const int32_t rows = c->grid.rows, cols = c->grid.cols;
    int32_t *stack = malloc(c->n * sizeof *stack), n = 0;
    const int32_t start =
        (int32_t)(c->sources[0].row + 0.5) * cols + (int32_t)(c->sources[0].col + 0.5);

    memset(reached, 0, c->n);
    reached[start] = 1;
    stack[n++] = start;
    while (n > 0) {
        const int32_t cell = stack[--n], row = cell / cols, col = cell % cols;

        for (int32_t y = -1; y <= 1; y++)
            for (int32_t x = -1; x <= 1; x++) {
                const int32_t next = cell + y * cols + x;

                if (row + y < 0 || row + y >= rows || col + x < 0 || col + x >= cols ||
                    is_wall(c, row + y, col + x) || reached[next] ||
                    (is_wall(c, row, col + x) && is_wall(c, row + y, col)))
                    continue;
                reached[next] = 1;
                stack[n++] = next;
            }
    }
    free(stack);
}

typedef struct material {
    double ratio, angle, drift, heading;
} material;

static test_case scene_make(const scene *s, material m, double row, double col)
{
    test_case c = case_create(SIDE, SIDE);

    fill_oriented(&c, sqrt(m.ratio), 1 / sqrt(m.ratio), m.angle, m.drift, m.heading);
    case_add_walls(&c);
    s->draw(&c);
    case_add_source_at(&c, row, col, 0);
    return c;
}

/* The cell's eight neighbours are in every fan, and no offset of it crosses a wall: a cell
 * has a time if and only if the flood comes to it. */
static void check_scene(test_run *t, const scene *s, material m, double row, double col,
                        int32_t order, double radius)
{
    test_case c = scene_make(s, m, row, col);
    const zm_solver_opts opts = adaptive_opts(order, radius);
    double *T = nan_doubles(c.n);
    uint8_t *reached = malloc(c.n);
    size_t wrong = 0, closed = 0;

    CHECK(case_solve_with(&c, T, &opts) == ZM_OK);
    flood(&c, reached);
    for (size_t i = 0; i < c.n; i++) {
        wrong += (size_t)(reached[i] ? !isfinite(T[i]) : T[i] != (double)INFINITY);
        closed += !reached[i] && !c.walls[i];
    }
    CHECK_MSG(wrong == 0,
              "%s, ratio %g at %g, drift %g, source %g, %g, order %d, factored to %g: "
              "%zu cells",
              s->name, m.ratio, m.angle * 180 / pi, m.drift, row, col, (int)order,
              radius, wrong);
    CHECK((closed > 0) == s->closed);
    free(reached);
    free(T);
    case_free(&c);
}

static void check_scenes(test_run *t, double row, double col, int32_t order,
                         double radius)
{
    for (int i = 0; i < N_SCENES; i++)
        for (double ratio = 1; ratio <= 1000; ratio *= 10)
            for (int k = 0; k < 12; k++) {
                const material m = { ratio, k * pi / 12 + 0.02, k % 3 ? 0.5 : 0.0,
                                     0.5 + k };

                check_scene(t, &scenes[i], m, row, col, order, radius);
            }
}

TEST(first_order_does_not_leak)
{
    check_scenes(t, 9, 12, 1, 0);
}

TEST(second_order_does_not_leak)
{
    check_scenes(t, 9, 12, 2, 0);
}

/* Cells around the source start with the distance to it: only those that see it. */
TEST(factored_sources_do_not_leak)
{
    check_scenes(t, 9, 12, 2, HUGE_VAL);
    check_scenes(t, 9, 12, 1, 8);
}

TEST(sources_between_cells_do_not_leak)
{
    check_scenes(t, 9.3, 12.4, 1, 0);
    check_scenes(t, 8.6, 12.45, 2, HUGE_VAL);
}

/* The source beside the wall, and between cells so near that a cell around it is on the
 * other side. */
TEST(sources_beside_walls_do_not_leak)
{
    static const struct {
        int scene; /* straight, upright, falling, rising */
        double row, col;
    } places[] = { { 0, 19, 20 },        { 0, 19.4, 20.3 }, { 0, 19.3, 18.6 },
                   { 1, 20, 24 },        { 1, 19.4, 24.3 }, { 1, 18.7, 25.6 },
                   { 2, 19, 20 },        { 2, 19.2, 19.8 }, { 2, 20.4, 19.3 },
                   { 3, 19, SIDE - 21 }, { 3, 19.4, 20.3 }, { 3, 20.7, 20.1 } };

    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++)
        for (double ratio = 1; ratio <= 1000; ratio *= 10)
            for (int k = 0; k < 12; k++) {
                const material m = { ratio, k * pi / 12 + 0.02, k % 3 ? 0.5 : 0.0,
                                     0.5 + k };

                check_scene(t, &scenes[places[p].scene], m, places[p].row,
                            places[p].col, 1 + k % 2, k % 4 < 2 ? 0 : HUGE_VAL);
            }
}

/* Mild metrics are solved by tiles, whose diagonal steps would pass between walls that
 * touch at a corner: with adaptive stencils they do not. */
TEST(mild_metrics_do_not_leak_either)
{
    const material isotropic = { 1, 0, 0, 0 };

    for (int i = 0; i < N_SCENES; i++)
        check_scene(t, &scenes[i], isotropic, 9, 12, 1, 0);
}

/* The shortest way from the source to a cell behind a straight wall with a gap of one cell
 * goes through the gap: first-order times are never before the time of
 * a straight line to somewhere within a cell of the gap and one on from there. */
TEST(the_way_behind_a_wall_is_through_its_gap)
{
    const scene s = { "straight with a gap", draw_straight_gap, false };

    for (double ratio = 1; ratio <= 1000; ratio *= 10)
        for (int k = 0; k < 12; k++) {
            const double a = k * pi / 12 + 0.02;
            test_case c =
                scene_make(&s, (material){ ratio, a, 0.5 * (k % 2), 0.5 + k }, 9, 12);
            const zm_solver_opts opts = adaptive_opts(1, 0);
            double *T = nan_doubles(c.n), *from_source = nan_doubles(c.n);
            double *from_gap[3];

            CHECK(case_solve_with(&c, T, &opts) == ZM_OK);
            closed_form(&c, from_source);
            for (int g = 0; g < 3; g++) {
                case_clear_sources(&c);
                case_add_source(&c, 20, 27 + g, 0);
                closed_form(&c, from_gap[g] = nan_doubles(c.n));
            }
            for (size_t i = 21 * SIDE; i < c.n; i++) {
                double least = INFINITY;

                for (size_t g = 0; g < 3; g++)
                    least =
                        fmin(least, from_source[20 * SIDE + 27 + g] + from_gap[g][i]);
                CHECK_MSG(T[i] >= least * (1 - 1e-12),
                          "ratio %g at %g: %.6g at cell %zu, %.6g through the gap",
                          ratio, a * 180 / pi, T[i], i, least);
            }
            for (int g = 0; g < 3; g++)
                free(from_gap[g]);
            free(from_source);
            free(T);
            case_free(&c);
        }
}
