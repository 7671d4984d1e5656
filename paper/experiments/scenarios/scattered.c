/* SPDX-License-Identifier: Apache-2.0
 * Interpolation of scattered values that knows nothing of fronts. */
#include "scattered.h"

#include <math.h>

#include "dense.h"

enum { NEAREST = 12 };

typedef struct neighbours {
    size_t n;
    size_t index[NEAREST];
    double squared[NEAREST]; /* distance, ascending */
} neighbours;

static neighbours nearest_to(const scattered *s, double x, double y)
{
    neighbours found = { 0 };

    for (size_t i = 0; i < s->n; i++) {
        const double dx = s->x[i] - x, dy = s->y[i] - y, d = dx * dx + dy * dy;
        size_t k = found.n;

        if (k == NEAREST && d >= found.squared[k - 1])
            continue;
        if (k < NEAREST)
            found.n++;
        else
            k--;
        for (; k > 0 && found.squared[k - 1] > d; k--) {
            found.squared[k] = found.squared[k - 1];
            found.index[k] = found.index[k - 1];
        }
        found.squared[k] = d;
        found.index[k] = i;
    }
    return found;
}

static double weighted_mean(const scattered *s, const neighbours *near)
{
    double sum = 0, weights = 0;

    for (size_t k = 0; k < near->n; k++) {
        sum += s->v[near->index[k]] / near->squared[k];
        weights += 1 / near->squared[k];
    }
    return sum / weights;
}

/* Value at (x, y) of the plane v = c0 + c1 dx + c2 dy that minimises sum w (v_i - plane)^2;
 * the weighted mean where the observations lie on a line. */
static double plane_value(const scattered *s, const neighbours *near, double x,
                          double y)
{
    double normal[3 * 3] = { 0 }, right[3] = { 0 };

    for (size_t k = 0; k < near->n; k++) {
        const size_t i = near->index[k];
        const double p[3] = { 1, s->x[i] - x, s->y[i] - y };

        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++)
                normal[3 * a + b] += p[a] * p[b] / near->squared[k];
            right[a] += p[a] * s->v[i] / near->squared[k];
        }
    }
    return dense_solve(3, normal, 1, right) ? right[0] : weighted_mean(s, near);
}

static void interpolate(const scattered *s, const medium *m, bool planes, double *out)
{
    size_t cell = 0;

    for (int32_t row = 0; row < m->grid.rows; row++) {
        for (int32_t col = 0; col < m->grid.cols; col++, cell++) {
            const double x = col * m->grid.dx, y = row * m->grid.dy;
            const neighbours near = nearest_to(s, x, y);

            out[cell] = near.squared[0] <= 0 ? s->v[near.index[0]]
                        : planes             ? plane_value(s, &near, x, y)
                                             : weighted_mean(s, &near);
        }
    }
}

void scattered_inverse_distance(const scattered *s, const medium *m, double *out)
{
    interpolate(s, m, false, out);
}

void scattered_planes(const scattered *s, const medium *m, double *out)
{
    interpolate(s, m, true, out);
}

/* r^2 log r */
static double plate(double dx, double dy)
{
    const double squared = dx * dx + dy * dy;

    return squared > 0 ? 0.5 * squared * log(squared) : 0;
}

/* Weights of the plates, then those of 1, x, y, as rows of `columns`: they make the splines
 * pass through the observations while sum w = sum w x = sum w y = 0. */
static double *spline_weights(experiment_run *run, const scattered *s, size_t columns)
{
    const size_t n = s->n + 3;
    double *A = field_new(run, n * n), *w = field_new(run, n * columns);

    for (size_t i = 0; i < s->n; i++) {
        const double plane[3] = { 1, s->x[i], s->y[i] };

        for (size_t j = 0; j < s->n; j++)
            A[i * n + j] = plate(s->x[i] - s->x[j], s->y[i] - s->y[j]);
        for (size_t k = 0; k < 3; k++)
            A[i * n + s->n + k] = A[(s->n + k) * n + i] = plane[k];
        for (size_t k = 0; k < columns; k++)
            w[i * columns + k] = s[k].v[i];
    }
    if (!dense_solve(n, A, columns, w))
        run_fail(run, "the thin-plate spline of %zu observations is singular", s->n);
    return w;
}

/* value[k] += f w[k] */
static void add_scaled(size_t columns, double *const *out, size_t cell, double f,
                       const double *w)
{
    for (size_t k = 0; k < columns; k++)
        out[k][cell] += f * w[k];
}

void scattered_splines(experiment_run *run, const scattered *s, size_t n,
                       const medium *m, double *const *out)
{
    const double *w = spline_weights(run, s, n), *plane = w + s->n * n;
    size_t cell = 0;

    for (int32_t row = 0; row < m->grid.rows && run_goes_on(run); row++) {
        for (int32_t col = 0; col < m->grid.cols; col++, cell++) {
            const double x = col * m->grid.dx, y = row * m->grid.dy;

            for (size_t k = 0; k < n; k++)
                out[k][cell] = plane[k] + plane[n + k] * x + plane[2 * n + k] * y;
            for (size_t i = 0; i < s->n; i++)
                add_scaled(n, out, cell, plate(x - s->x[i], y - s->y[i]), w + i * n);
        }
    }
}
