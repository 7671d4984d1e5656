/* SPDX-License-Identifier: Apache-2.0
 * Adaptive stencils: what a stencil must be for the scheme to be causal and complete. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "eikonal/local/stencil.h"

static const double pi = 3.14159265358979323846;
static zm_local_offset stencil[ZM_STENCIL_MOST];

/* Eigenvalues sqrt(ratio), 1/sqrt(ratio), the larger at `angle`; |b|_{G^-1} = drift. */
static zm_cell_metric metric_of(double ratio, double angle, double drift,
                                double heading)
{
    const double c = cos(angle), s = sin(angle), along = sqrt(ratio),
                 across = 1 / along;
    const double g11 = along * c * c + across * s * s;
    const double g22 = along * s * s + across * c * c, g12 = (along - across) * c * s;
    const double x = cos(heading), y = sin(heading);
    const double scale = drift / sqrt(g22 * x * x - 2 * g12 * x * y + g11 * y * y);

    return (zm_cell_metric){ g11, g12, g22, scale * x, scale * y };
}

static double product(const zm_cell_metric *m, zm_local_offset u, zm_local_offset v)
{
    return m->g11 * u.x * v.x + m->g12 * (u.x * v.y + u.y * v.x) + m->g22 * u.y * v.y;
}

/* N(m) = |m|_G + m.b: what it costs to come from m. */
static double cost(const zm_cell_metric *m, zm_local_offset u)
{
    return sqrt(product(m, u, u)) + m->b1 * u.x + m->b2 * u.y;
}

/* <grad N(u), v> */
static double slope(const zm_cell_metric *m, zm_local_offset u, zm_local_offset v)
{
    return product(m, u, v) / sqrt(product(m, u, u)) + m->b1 * v.x + m->b2 * v.y;
}

typedef struct tally {
    int stencils, longest, reach;
} tally;

/* Neighbours in the stencil span lattice triangles, are acute with the margin (to rounding, of
 * which v'Gv has `ratio` times as much), and go round once. */
static void check_stencil(test_run *t, const zm_cell_metric *m, double margin,
                      double rounding, int n)
{
    double round = 0;
    bool unit = true, acute = true;

    for (int k = 0; k < n; k++) {
        const zm_local_offset u = stencil[k], v = stencil[(k + 1) % n];
        const int cross = u.x * v.y - u.y * v.x;

        unit = unit && cross == 1;
        acute = acute &&
                slope(m, u, v) >= margin * cost(m, v) - rounding * fabs(cost(m, v)) &&
                slope(m, v, u) >= margin * cost(m, u) - rounding * fabs(cost(m, u));
        round += atan2(cross, u.x * v.x + u.y * v.y);
    }
    CHECK_MSG(unit, "g11 %.9g g12 %.9g g22 %.9g b %.9g %.9g: not lattice triangles",
              m->g11, m->g12, m->g22, m->b1, m->b2);
    CHECK_MSG(acute, "g11 %.9g g12 %.9g g22 %.9g b %.9g %.9g: not acute", m->g11,
              m->g12, m->g22, m->b1, m->b2);
    CHECK_NEAR(round, 2 * pi, 1e-9);
}

/* Every stencil has the eight neighbours among its offsets: nothing is lost where long offsets
 * leave the grid or end at walls. */
static void check_neighbours(test_run *t, int n)
{
    int found = 0;

    for (int k = 0; k < n; k++)
        found += abs(stencil[k].x) <= 1 && abs(stencil[k].y) <= 1;
    CHECK(found == ZM_STENCIL_PLAIN);
}

static void check_metric(test_run *t, double ratio, double angle, double drift,
                         double heading, tally *sum)
{
    const zm_cell_metric m = metric_of(ratio, angle, drift, heading);
    int reach = 1;
    const int n = zm_stencil_build(&m, stencil, &reach);
    int farthest = 0;

    CHECK_MSG(n >= ZM_STENCIL_PLAIN, "ratio %g at %g, drift %g towards %g: no stencil",
              ratio, angle * 180 / pi, drift, heading * 180 / pi);
    if (n == 0)
        return;
    check_stencil(t, &m, ZM_STENCIL_MARGIN, 1e-13 * ratio / (1 - drift), n);
    check_neighbours(t, n);
    for (int k = 0; k < n; k++) {
        farthest = abs(stencil[k].x) > farthest ? abs(stencil[k].x) : farthest;
        farthest = abs(stencil[k].y) > farthest ? abs(stencil[k].y) : farthest;
    }
    CHECK(farthest == reach && reach <= ZM_STENCIL_REACH);
    CHECK((n == ZM_STENCIL_PLAIN) == zm_stencil_is_plain(&m));
    sum->stencils++;
    sum->longest = n > sum->longest ? n : sum->longest;
    sum->reach = reach > sum->reach ? reach : sum->reach;
}

/* All that is promised: ratio up to 1e4 and drift up to 0.99 together, along the axes and
 * the diagonals as well, where stencils are longest. */
TEST(stencils_are_acute_and_go_round)
{
    static const double drifts[] = { 0, 0.3, 0.7, 0.95, 0.99 };

    for (double ratio = 1; ratio <= 1e4; ratio *= 10) {
        tally sum = { 0 };

        for (int a = 0; a < 24; a++)
            for (int d = 0; d < 5; d++)
                for (int h = 0; h < (d ? 16 : 1); h++)
                    check_metric(t, ratio, a * pi / 24, drifts[d], h * pi / 8, &sum);
        printf("    ratio %g: %d stencils, longest %d, reach %d\n", ratio, sum.stencils,
               sum.longest, sum.reach);
    }
}

TEST(random_stencils_are_acute_and_go_round)
{
    uint64_t state = t->seed;
    tally sum = { 0 };

    for (int i = 0; i < 20000; i++) {
        const double ratio = pow(10, 4 * zm_random_unit(&state));
        const double angle = pi * zm_random_unit(&state),
                     drift = 0.99 * zm_random_unit(&state);

        check_metric(t, ratio, angle, drift, 2 * pi * zm_random_unit(&state), &sum);
    }
    printf("    %d stencils, longest %d, reach %d\n", sum.stencils, sum.longest, sum.reach);
}

/* zm_stencil_plain_is_acute says exactly whether the eight neighbours are, without a margin. */
TEST(plain_stencils_are_recognised)
{
    uint64_t state = t->seed;
    int plain = 0;

    for (int i = 0; i < 20000; i++) {
        const zm_cell_metric m =
            metric_of(pow(10, zm_random_unit(&state)), pi * zm_random_unit(&state),
                      0.9 * zm_random_unit(&state), 2 * pi * zm_random_unit(&state));
        double least = INFINITY;

        for (int k = 0; k < ZM_STENCIL_PLAIN; k++) {
            const zm_local_offset u = zm_stencil_plain[k],
                                  v = zm_stencil_plain[(k + 1) % ZM_STENCIL_PLAIN];

            least = fmin(least, fmin(slope(&m, u, v), slope(&m, v, u)));
        }
        if (fabs(least) > 1e-12) /* not for rounding to say */
            CHECK(zm_stencil_plain_is_acute(&m) == (least > 0));
        plain += least > 0;
    }
    CHECK(plain > 2000 && plain < 18000); /* both occur */
}

/* A metric that needs more is refused, and nothing is written beyond the array's end, which
 * the sanitizers watch. */
TEST(stencils_beyond_the_reach_are_refused)
{
    int refused = 0;

    for (int a = 0; a < 8; a++)
        for (double ratio = 1e6; ratio <= 1e12; ratio *= 1e2) {
            const zm_cell_metric m = metric_of(ratio, a * pi / 8, 0.999, 0.1 + a);
            int reach = 1;
            const int n = zm_stencil_build(&m, stencil, &reach);

            CHECK(n <= ZM_STENCIL_MOST);
            refused += n == 0;
        }
    CHECK(refused > 8);
}
