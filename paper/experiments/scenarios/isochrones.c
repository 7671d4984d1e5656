/* SPDX-License-Identifier: Apache-2.0
 * How far isochrones of two fields are apart. */
#include "isochrones.h"

#include <math.h>

typedef struct segment {
    double x[2], y[2];
} segment;

typedef struct isochrone {
    segment *segments;
    size_t n;
} isochrone;

/* In the triangle of three cells T is linear: its isochrone is a segment, or nothing. */
static void add_triangle(isochrone *c, const medium *m, const double *T, double level,
                         const size_t corners[3])
{
    const size_t cols = (size_t)m->grid.cols;
    segment s;
    int ends = 0;

    for (int k = 0; k < 3; k++) {
        const size_t i = corners[k], j = corners[(k + 1) % 3];

        if ((T[i] < level) != (T[j] < level)) {
            const double w = (level - T[i]) / (T[j] - T[i]);

            s.x[ends] =
                m->grid.dx * ((1 - w) * (double)(i % cols) + w * (double)(j % cols));
            s.y[ends] =
                m->grid.dy * ((1 - w) * (double)(i / cols) + w * (double)(j / cols));
            ends++;
        }
    }
    if (ends == 2)
        c->segments[c->n++] = s;
}

static isochrone isochrone_of(experiment_run *run, const medium *m, const double *T,
                              double level)
{
    const size_t cols = (size_t)m->grid.cols, rows = (size_t)m->grid.rows;
    isochrone c = { run_memory(run, 2 * m->cells, sizeof(segment)), 0 };

    for (size_t row = 0; row + 1 < rows; row++) {
        for (size_t col = 0; col + 1 < cols; col++) {
            const size_t i = row * cols + col;

            add_triangle(&c, m, T, level, (size_t[]){ i, i + 1, i + cols + 1 });
            add_triangle(&c, m, T, level, (size_t[]){ i, i + cols, i + cols + 1 });
        }
    }
    return c;
}

static double distance_to_segment(double x, double y, const segment *s)
{
    const double ex = s->x[1] - s->x[0], ey = s->y[1] - s->y[0];
    const double along = (x - s->x[0]) * ex + (y - s->y[0]) * ey;
    const double squared = ex * ex + ey * ey;
    const double w = squared > 0 ? fmin(fmax(along / squared, 0), 1) : 0;

    return hypot(x - s->x[0] - w * ex, y - s->y[0] - w * ey);
}

/* Adds the distances of the middles of a's segments to b. */
static void add_distances(const isochrone *a, const isochrone *b, isochrone_gap *gap)
{
    for (size_t i = 0; i < a->n; i++) {
        const double x = (a->segments[i].x[0] + a->segments[i].x[1]) / 2;
        const double y = (a->segments[i].y[0] + a->segments[i].y[1]) / 2;
        double least = INFINITY;

        for (size_t k = 0; k < b->n; k++)
            least = fmin(least, distance_to_segment(x, y, &b->segments[k]));
        gap->mean += least;
        gap->largest = fmax(gap->largest, least);
    }
}

isochrone_gap isochrone_distance(experiment_run *run, const medium *m,
                                 const double *one, const double *other, double level)
{
    const isochrone a = isochrone_of(run, m, one, level);
    const isochrone b = isochrone_of(run, m, other, level);
    isochrone_gap gap = { 0 };

    add_distances(&a, &b, &gap);
    add_distances(&b, &a, &gap);
    gap.mean /= (double)(a.n + b.n);
    return gap;
}
