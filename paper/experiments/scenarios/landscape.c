/* SPDX-License-Identifier: Apache-2.0
 * Landscapes for the propagation scenarios. */
#include "landscape.h"

#include <math.h>

#include "measure.h"
#include "random.h"
#include "reference/reference.h"
#include "zermelo/diagnose.h"

static const double middle = SIDE / 2.0;

landscape landscape_hill(void)
{
    return (landscape){ .hill_height = 30, .hill_width = 18, .slope_cost = 3 };
}

void landscape_add_waves(landscape *l, uint64_t *random, size_t n)
{
    for (size_t i = 0; i < n && l->n_waves < MOST_WAVES; i++) {
        const double angle = zm_random_between(random, 0, 6.283185307179586);
        const double length = zm_random_between(random, 30, 60);
        const double k = 6.283185307179586 / length;

        l->waves[l->n_waves++] =
            (wave){ k * cos(angle), k * sin(angle),
                    zm_random_between(random, 0, 6.283185307179586), 0.06 * length };
    }
}

/* Away from the middle and from the other patches. */
static bool patch_is_free(const landscape *l, const patch *p)
{
    bool is_free = hypot(p->x - middle, p->y - middle) > 1.5 * p->radius;

    for (size_t i = 0; i < l->n_patches; i++) {
        const patch *q = &l->patches[i];

        is_free = is_free && hypot(p->x - q->x, p->y - q->y) > p->radius + q->radius;
    }
    return is_free;
}

void landscape_add_patches(landscape *l, uint64_t *random, size_t n, size_t dense)
{
    enum { TRIES = 1000 };

    for (size_t i = 0; i < n && l->n_patches < MOST_PATCHES; i++) {
        patch p = { .radius = zm_random_between(random, 5, 10),
                    .factor = i < dense ? zm_random_between(random, 2, 5) : 0.5 };

        for (int k = 0; k < TRIES; k++) {
            p.x = zm_random_between(random, 0, SIDE);
            p.y = zm_random_between(random, 0, SIDE);
            if (patch_is_free(l, &p)) {
                l->patches[l->n_patches++] = p;
                break;
            }
        }
    }
}

static double hill(const landscape *l, double x, double y)
{
    const double w = l->hill_width, dx = x - middle, dy = y - middle;

    return w > 0 ? l->hill_height * exp(-(dx * dx + dy * dy) / (2 * w * w)) : 0;
}

double landscape_elevation(const landscape *l, double x, double y)
{
    double z = hill(l, x, y);

    for (size_t i = 0; i < l->n_waves; i++) {
        const wave *w = &l->waves[i];

        z += w->height * sin(w->kx * x + w->ky * y + w->phase);
    }
    return z;
}

/* 1 + alpha |grad z| */
static double landscape_steepness(const landscape *l, double x, double y)
{
    double zx = 0, zy = 0;

    if (l->hill_width > 0) {
        const double slope = -hill(l, x, y) / (l->hill_width * l->hill_width);

        zx = slope * (x - middle);
        zy = slope * (y - middle);
    }
    for (size_t i = 0; i < l->n_waves; i++) {
        const wave *w = &l->waves[i];
        const double c = w->height * cos(w->kx * x + w->ky * y + w->phase);

        zx += c * w->kx;
        zy += c * w->ky;
    }
    return 1 + l->slope_cost * hypot(zx, zy);
}

/* prod_k factor_k^exp(-(d_k / radius_k)^8) */
double landscape_resistance(const landscape *l, double x, double y)
{
    double log_resistance = 0;

    for (size_t i = 0; i < l->n_patches; i++) {
        const patch *p = &l->patches[i];
        const double d = hypot(x - p->x, y - p->y) / p->radius;

        log_resistance += log(p->factor) * exp(-pow(d, 8));
    }
    return exp(log_resistance);
}

/* g: steepness times resistance */
static double landscape_g(const landscape *l, double x, double y)
{
    return landscape_steepness(l, x, y) * landscape_resistance(l, x, y);
}

/* T(r) = integral from 0 to r of sqrt(g(s)) ds by Simpson's rule: no path is faster than
 * the radius. */
double landscape_radial_time(const landscape *l, double x, double y)
{
    enum { INTERVALS = 100 };
    const double r = hypot(x - middle, y - middle);
    double sum = 0;

    for (int i = 0; i <= INTERVALS; i++) {
        const double weight = i == 0 || i == INTERVALS ? 1 : i % 2 ? 4 : 2;

        sum += weight * sqrt(landscape_g(l, middle + r * i / INTERVALS, middle));
    }
    return sum * r / (3 * INTERVALS);
}

double *landscape_field(experiment_run *run, const landscape *l, const medium *m,
                        landscape_property *property)
{
    double *field = field_new(run, m->cells);
    size_t cell = 0;

    for (int32_t row = 0; row < m->grid.rows; row++)
        for (int32_t col = 0; col < m->grid.cols; col++)
            field[cell++] = property(l, col * m->grid.dx, row * m->grid.dy);
    return field;
}

medium landscape_medium(experiment_run *run, const landscape *l, int32_t n)
{
    medium m = medium_new(run, n + 1, n + 1, (double)SIDE / n);
    const double *g = landscape_field(run, l, &m, landscape_g);

    for (size_t cell = 0; cell < m.cells; cell++)
        medium_set(&m, cell, (cell_metric){ g[cell], 0, g[cell], l->b1, l->b2 });
    medium_source(run, &m, n / 2, n / 2, 0);
    return m;
}

double *landscape_fine_times(experiment_run *run, const landscape *l, const medium *m,
                             int32_t finer)
{
    const int32_t n = m->grid.cols - 1;
    const medium fine = landscape_medium(run, l, n * finer);
    double *fine_T = field_new(run, fine.cells), *T = field_new(run, m->cells);
    size_t cell = 0;

    medium_solve(run, &fine, fine_T);
    for (int32_t row = 0; row <= n; row++)
        for (int32_t col = 0; col <= n; col++)
            T[cell++] = fine_T[((size_t)row * (size_t)fine.grid.cols + (size_t)col) *
                               (size_t)finer];
    return T;
}

/* Largest |(T - update) / T|. */
static double largest_residual(experiment_run *run, const medium *m, const double *T)
{
    const zm_problem problem = medium_problem(m);
    double *residual = field_new(run, m->cells), largest = 0;
    zm_error err;

    run_check(run,
              zm_residual(m->grid, &problem, T, ZM_RESIDUAL_DISCRETE, residual, &err),
              &err);
    for (size_t cell = 0; cell < m->cells; cell++)
        largest = fmax(largest, fabs(residual[cell]));
    return largest;
}

/* Largest |T - T of Algorithm 1| over the largest T. */
static double difference_from_sweeps(experiment_run *run, const medium *m,
                                     const double *T)
{
    const zm_problem problem = medium_problem(m);
    zm_reference_opts opts = ZM_REFERENCE_OPTS_INIT;
    double *swept = field_new(run, m->cells);
    zm_error err;

    opts.tol = 0;
    run_check(run, zm_reference_sweep(m->grid, &problem, swept, &opts, NULL, &err),
              &err);
    return error_of(m->cells, T, swept).largest_over_max;
}

void landscape_check(experiment_run *run, const landscape *l, const medium *m,
                     const double *T, const char *reference)
{
    enum { FINER = 4 };
    error_norms e;

    if (!run_goes_on(run))
        return;
    RESULT(run, .reference = reference, .better = BETTER_LOWER,
           .quantity = "largest relative residual of the discrete equation",
           .ours = largest_residual(run, m, T));
    RESULT(run, .reference = reference, .better = BETTER_LOWER,
           .quantity = "largest difference from Algorithm 1 over largest T",
           .ours = difference_from_sweeps(run, m, T));
    e = error_of(m->cells, T, landscape_fine_times(run, l, m, FINER));
    RESULT(run, .reference = reference, .better = BETTER_LOWER, .unit = "%",
           .quantity = "RMS difference from a grid four times finer over largest T",
           .ours = 100 * e.rms_over_max);
    RESULT(run, .reference = reference, .better = BETTER_LOWER, .unit = "%",
           .quantity = "relative L2 difference from a grid four times finer",
           .ours = 100 * e.relative);
}

int32_t landscape_cells(const experiment_run *run)
{
    return run_quick(run) ? 100 : 200;
}
