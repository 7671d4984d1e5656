/* SPDX-License-Identifier: Apache-2.0
 * Where a front began: a fit of seven parameters by Levenberg and Marquardt's method. */
#include "ignition.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "dense.h"
#include "measure.h"

enum { EARLIEST = 24, PARAMETERS = 7, MOST_STEPS = 200 };

/* x0, y0, Cholesky factor of G (G = L L', so that it stays positive), b. */
typedef struct guess {
    double x, y, l11, l21, l22, b1, b2;
} guess;

static ignition ignition_of(const guess *p)
{
    return (ignition){ p->x,
                       p->y,
                       { p->l11 * p->l11, p->l11 * p->l21,
                         p->l21 * p->l21 + p->l22 * p->l22, p->b1, p->b2 } };
}

double ignition_time(const ignition *i, double x, double y)
{
    return metric_cost(i->metric, x - i->x, y - i->y);
}

/* F(v) = |L' v| - b.v and its derivatives by the parameters, v = (x, y) - (x0, y0). */
static double predicted(const guess *p, double x, double y, double d[PARAMETERS])
{
    const double vx = x - p->x, vy = y - p->y;
    const double q1 = p->l11 * vx + p->l21 * vy, q2 = p->l22 * vy;
    const double length = fmax(hypot(q1, q2), DBL_MIN);

    d[0] = p->b1 - p->l11 * q1 / length;
    d[1] = p->b2 - (p->l21 * q1 + p->l22 * q2) / length;
    d[2] = q1 * vx / length;
    d[3] = q1 * vy / length;
    d[4] = q2 * vy / length;
    d[5] = -vx;
    d[6] = -vy;
    return length - p->b1 * vx - p->b2 * vy;
}

/* Half the sum of squares of (F - t) / (t + typical t), with its gradient and Gauss-Newton
 * matrix: errors count relative to the time. */
static double misfit(const guess *p, const scattered *s, double gradient[PARAMETERS],
                     double matrix[PARAMETERS * PARAMETERS])
{
    const double typical = mean_of(s->n, s->v);
    double sum = 0;

    memset(gradient, 0, PARAMETERS * sizeof *gradient);
    memset(matrix, 0, PARAMETERS * PARAMETERS * sizeof *matrix);
    for (size_t i = 0; i < s->n; i++) {
        const double scale = s->v[i] + typical;
        double d[PARAMETERS];
        const double r = (predicted(p, s->x[i], s->y[i], d) - s->v[i]) / scale;

        sum += r * r / 2;
        for (int a = 0; a < PARAMETERS; a++) {
            gradient[a] += r * d[a] / scale;
            for (int b = 0; b < PARAMETERS; b++)
                matrix[a * PARAMETERS + b] += d[a] * d[b] / (scale * scale);
        }
    }
    return sum;
}

static guess moved(const guess *p, const double step[PARAMETERS])
{
    return (guess){ p->x - step[0],   p->y - step[1],   p->l11 - step[2],
                    p->l21 - step[3], p->l22 - step[4], p->b1 - step[5],
                    p->b2 - step[6] };
}

static guess fitted(guess p, const scattered *s)
{
    double gradient[PARAMETERS], matrix[PARAMETERS * PARAMETERS], damping = 1e-2;
    double now = misfit(&p, s, gradient, matrix);

    for (int k = 0; k < MOST_STEPS && damping < 1e12; k++) {
        double step[PARAMETERS], A[PARAMETERS * PARAMETERS], then, g[PARAMETERS];
        guess next;

        memcpy(step, gradient, sizeof step);
        memcpy(A, matrix, sizeof A);
        for (int a = 0; a < PARAMETERS; a++)
            A[a * PARAMETERS + a] += damping * fmax(A[a * PARAMETERS + a], 1e-12);
        if (!dense_solve(PARAMETERS, A, 1, step))
            break;
        next = moved(&p, step);
        then = misfit(&next, s, g, A);
        if (then < now) {
            p = next;
            now = then;
            memcpy(gradient, g, sizeof g);
            memcpy(matrix, A, sizeof A);
            damping /= 5;
        } else {
            damping *= 4;
        }
    }
    return p;
}

/* The n earliest of all. */
static scattered earliest(experiment_run *run, const scattered *all, size_t n)
{
    double *times = field_new(run, all->n), *kept = field_new(run, 3 * n);
    scattered s = { kept, kept + n, kept + 2 * n, 0 };
    double latest;

    memcpy(times, all->v, all->n * sizeof *times);
    sort_values(all->n, times);
    latest = times[n - 1];
    for (size_t i = 0; i < all->n && s.n < n; i++) {
        if (all->v[i] <= latest) {
            kept[s.n] = all->x[i];
            kept[n + s.n] = all->y[i];
            kept[2 * n + s.n++] = all->v[i];
        }
    }
    return s;
}

ignition ignition_fit(experiment_run *run, const scattered *times)
{
    const size_t n = times->n < EARLIEST ? times->n : EARLIEST;
    const scattered s = earliest(run, times, n);
    guess p = { .x = mean_of(s.n, s.x), .y = mean_of(s.n, s.y) };
    double distance = 0;

    for (size_t i = 0; i < s.n; i++)
        distance += hypot(s.x[i] - p.x, s.y[i] - p.y) / (double)s.n;
    p.l11 = p.l22 = mean_of(s.n, s.v) / distance;
    p = fitted(p, &s);
    return ignition_of(&p);
}
