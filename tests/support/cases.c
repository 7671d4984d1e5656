/* SPDX-License-Identifier: Apache-2.0
 * Problems to test with. */
#include "support/cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const double pi = 3.14159265358979323846;

static void *or_die(void *memory)
{
    if (!memory) {
        fprintf(stderr, "test: out of memory\n");
        exit(2);
    }
    return memory;
}

const char *medium_name(medium m)
{
    static const char *const names[N_MEDIA] = { "smooth", "contrast", "pixels", "maze",
                                                "strong" };

    return m < N_MEDIA ? names[m] : "rotating";
}

test_case case_create(int32_t rows, int32_t cols)
{
    const size_t n = (size_t)rows * (size_t)cols;
    double *planes = or_die(calloc(N_PLANES * n, sizeof *planes));
    test_case c = { .grid = { rows, cols, 1.0, 1.0 },
                    .n = n,
                    .g11 = planes,
                    .g12 = planes + n,
                    .g22 = planes + 2 * n,
                    .b1 = planes + 3 * n,
                    .b2 = planes + 4 * n };

    fill_constant(&c, 1, 0, 1, 0, 0);
    return c;
}

void case_free(test_case *c)
{
    free(c->g11); /* the five planes are one block */
    free(c->walls);
    free(c->sources);
    *c = (test_case){ 0 };
}

test_case case_copy(const test_case *c)
{
    test_case copy = case_create(c->grid.rows, c->grid.cols);

    copy.grid = c->grid;
    memcpy(copy.g11, c->g11, N_PLANES * c->n * sizeof *c->g11);
    if (c->walls) {
        case_add_walls(&copy);
        memcpy(copy.walls, c->walls, c->n);
    }
    for (size_t i = 0; i < c->n_sources; i++)
        case_add_source_at(&copy, c->sources[i].row, c->sources[i].col,
                           c->sources[i].time);
    return copy;
}

void case_add_source(test_case *c, int32_t row, int32_t col, double time)
{
    case_add_source_at(c, row, col, time);
}

void case_add_source_at(test_case *c, double row, double col, double time)
{
    c->sources = or_die(realloc(c->sources, (c->n_sources + 1) * sizeof *c->sources));
    c->sources[c->n_sources++] = (zm_source){ row, col, time };
    if (c->walls)
        c->walls[(size_t)(row + 0.5) * (size_t)c->grid.cols + (size_t)(col + 0.5)] = 0;
}

void case_clear_sources(test_case *c)
{
    c->n_sources = 0;
}

void case_add_walls(test_case *c)
{
    c->walls = or_die(calloc(c->n, 1));
}

double *case_plane(const test_case *c, int i)
{
    return c->g11 + (size_t)i * c->n;
}

static void set_cell(test_case *c, size_t i, double g11, double g12, double g22,
                     double b1, double b2)
{
    c->g11[i] = g11;
    c->g12[i] = g12;
    c->g22[i] = g22;
    c->b1[i] = b1;
    c->b2[i] = b2;
}

void fill_constant(test_case *c, double g11, double g12, double g22, double b1,
                   double b2)
{
    for (size_t i = 0; i < c->n; i++)
        set_cell(c, i, g11, g12, g22, b1, b2);
}

void fill_rotated(test_case *c, double along, double across, double angle, double b1,
                  double b2)
{
    const double cs = cos(angle), sn = sin(angle);

    fill_constant(c, along * cs * cs + across * sn * sn, (along - across) * cs * sn,
                  along * sn * sn + across * cs * cs, b1, b2);
}

/* G with these eigenvalues, and b of norm |b|_{G^-1} = norm at angle `heading`. */
static void set_oriented(test_case *c, size_t i, double along, double across,
                         double angle, double norm, double heading)
{
    const double cs = cos(angle), sn = sin(angle);
    const double g11 = along * cs * cs + across * sn * sn;
    const double g22 = along * sn * sn + across * cs * cs;
    const double g12 = (along - across) * cs * sn, det = along * across;
    const double bx = cos(heading), by = sin(heading);
    const double scale =
        norm / sqrt((g22 * bx * bx - 2 * g12 * bx * by + g11 * by * by) / det);

    set_cell(c, i, g11, g12, g22, scale * bx, scale * by);
}

void fill_oriented(test_case *c, double along, double across, double angle,
                   double drift, double heading)
{
    for (size_t i = 0; i < c->n; i++)
        set_oriented(c, i, along, across, angle, drift, heading);
}

typedef struct wave {
    double kx, ky, phase;
} wave;

enum { N_WAVES = 12 };

/* A sum of cosines of 1 to 4 periods over the grid, scaled to about -1..1. */
static void random_waves(wave w[N_WAVES], uint64_t *state)
{
    for (int i = 0; i < N_WAVES; i++) {
        const double angle = 2 * pi * zm_random_unit(state);
        const double k = 2 * pi * (1 + 3 * zm_random_unit(state));

        w[i] = (wave){ k * cos(angle), k * sin(angle), 2 * pi * zm_random_unit(state) };
    }
}

static double sum_waves(const wave w[N_WAVES], double u, double v)
{
    double sum = 0;

    for (int i = 0; i < N_WAVES; i++)
        sum += cos(w[i].kx * u + w[i].ky * v + w[i].phase);
    return tanh(sum / 3);
}

/* Axis ratio 1.5 to 2 for SMOOTH, else the one given. */
static void fill_smooth(test_case *c, uint64_t *state, double given_ratio)
{
    const double shift = zm_random_unit(state);

    for (size_t i = 0; i < c->n; i++) {
        const double u = (double)(i % (size_t)c->grid.cols) / c->grid.cols + shift;
        const double v = (double)(i / (size_t)c->grid.cols) / c->grid.rows;
        const double ratio =
            given_ratio > 0 ? given_ratio : 1.75 + 0.25 * sin(2 * pi * (u + v));

        set_oriented(c, i, ratio * ratio, 1,
                     pi / 4 * (1 + sin(2 * pi * u + 1) * cos(2 * pi * v)),
                     0.16 + 0.14 * cos(2 * pi * (u - v) + 0.5), 2 * pi * (u + 0.5 * v));
    }
}

static void fill_contrast(test_case *c, uint64_t *state)
{
    wave w[N_WAVES];

    random_waves(w, state);
    for (size_t i = 0; i < c->n; i++) {
        const double u = (double)(i % (size_t)c->grid.cols) / c->grid.cols;
        const double v = (double)(i / (size_t)c->grid.cols) / c->grid.rows;
        const double slowness = exp(0.5 * log(10.0) * sum_waves(w, u, v));

        set_cell(c, i, slowness * slowness, 0, slowness * slowness, 0, 0);
    }
}

static void fill_pixels(test_case *c, uint64_t *state)
{
    for (size_t i = 0; i < c->n; i++) {
        const double slowness = 1 + 9 * zm_random_unit(state),
                     ratio = 1 + 2 * zm_random_unit(state);

        set_oriented(c, i, slowness * slowness * ratio * ratio, slowness * slowness,
                     pi * zm_random_unit(state), 0.8 * zm_random_unit(state),
                     2 * pi * zm_random_unit(state));
    }
}

static void fill_strong(test_case *c, uint64_t *state)
{
    wave turn[N_WAVES], blow[N_WAVES];

    random_waves(turn, state);
    random_waves(blow, state);
    for (size_t i = 0; i < c->n; i++) {
        const double u = (double)(i % (size_t)c->grid.cols) / c->grid.cols;
        const double v = (double)(i / (size_t)c->grid.cols) / c->grid.rows;

        set_oriented(c, i, 8, 0.125, pi * sum_waves(turn, u, v),
                     0.25 * (1 + sum_waves(blow, u, v)), 2 * pi * (u - v));
    }
}

/* A wall across every `pitch` rows, open at the right and at the left end in turn. */
static void fill_maze(test_case *c)
{
    const int32_t rows = c->grid.rows, cols = c->grid.cols;
    const int32_t pitch = rows / 10 > 4 ? rows / 10 : 4, gap = pitch / 2;

    case_add_walls(c);
    for (int32_t row = pitch / 4; row < rows; row += pitch)
        for (int32_t col = 0; col < cols; col++) {
            const bool open = (row / pitch) & 1 ? col < gap : col >= cols - gap;

            c->walls[(size_t)row * (size_t)cols + (size_t)col] = !open;
        }
}

test_case case_make(medium m, int32_t rows, int32_t cols, uint64_t seed)
{
    test_case c = case_create(rows, cols);
    const int32_t row = rows / 2 - rows / 9, col = cols / 2 - cols / 7;
    uint64_t state = seed;

    switch (m) {
    case SMOOTH:
        fill_smooth(&c, &state, 0);
        break;
    case ROTATING:
        fill_smooth(&c, &state, 10);
        break;
    case CONTRAST:
        fill_contrast(&c, &state);
        break;
    case PIXELS:
        fill_pixels(&c, &state);
        break;
    case MAZE:
        fill_maze(&c);
        break;
    case STRONG:
        fill_strong(&c, &state);
        break;
    case N_MEDIA:
        break;
    }
    case_add_source(&c, row, col, 0);
    return c;
}

void case_round_to_f32(test_case *c)
{
    for (size_t i = 0; i < N_PLANES * c->n; i++)
        c->g11[i] = (float)c->g11[i];
}

zm_problem case_problem(const test_case *c)
{
    return (zm_problem){ .size = sizeof(zm_problem),
                         .metric = { ZM_F64, c->g11, c->g12, c->g22, c->b1, c->b2 },
                         .sources = c->sources,
                         .n_sources = c->n_sources,
                         .walls = c->walls };
}

case_f32 case_to_f32(const test_case *c)
{
    float *p = or_die(calloc(N_PLANES * c->n, sizeof *p));
    case_f32 f = { case_problem(c), p };

    for (size_t i = 0; i < N_PLANES * c->n; i++)
        p[i] = (float)c->g11[i];
    f.problem.metric =
        (zm_metric){ ZM_F32, p, p + c->n, p + 2 * c->n, p + 3 * c->n, p + 4 * c->n };
    return f;
}

void case_f32_free(case_f32 *c)
{
    free(c->planes);
    c->planes = NULL;
}

zm_gradient gradient_into(double *planes, size_t n)
{
    return (zm_gradient){ .size = sizeof(zm_gradient),
                          .g11 = planes,
                          .g12 = planes + n,
                          .g22 = planes + 2 * n,
                          .b1 = planes + 3 * n,
                          .b2 = planes + 4 * n };
}

zm_direction direction_from(const double *planes, size_t n)
{
    return (zm_direction){ .size = sizeof(zm_direction),
                           .g11 = planes,
                           .g12 = planes + n,
                           .g22 = planes + 2 * n,
                           .b1 = planes + 3 * n,
                           .b2 = planes + 4 * n };
}

double *nan_doubles(size_t n)
{
    double *x = or_die(malloc(n * sizeof *x));

    for (size_t i = 0; i < n; i++)
        x[i] = NAN;
    return x;
}

float *nan_floats(size_t n)
{
    float *x = or_die(malloc(n * sizeof *x));

    for (size_t i = 0; i < n; i++)
        x[i] = NAN;
    return x;
}

zm_solver_opts adaptive_opts(int32_t order, double factor_radius)
{
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;

    o.stencils = ZM_STENCILS_ADAPTIVE;
    o.order = order;
    o.factor_radius = factor_radius;
    return o;
}

zm_solver_opts fixed_opts(void)
{
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;

    o.stencils = ZM_STENCILS_FIXED;
    return o;
}

zm_solver *case_solver(const test_case *c, zm_dtype dtype, const zm_solver_opts *opts)
{
    const zm_solver_opts fixed = fixed_opts();
    zm_solver *solver;
    zm_error err;

    if (zm_solver_create(&solver, c->grid, dtype, opts ? opts : &fixed, &err) !=
        ZM_OK) {
        fprintf(stderr, "test: no solver: %s\n", err.text);
        exit(2);
    }
    return solver;
}

zm_status case_solve(const test_case *c, double *T)
{
    return case_solve_with(c, T, NULL);
}

zm_status case_solve_with(const test_case *c, double *T, const zm_solver_opts *opts)
{
    const zm_problem problem = case_problem(c);
    zm_solver *solver = case_solver(c, ZM_F64, opts);
    zm_error err;
    const zm_status st = zm_forward(solver, &problem, T, NULL, NULL, &err);

    if (st != ZM_OK)
        printf("    zm_forward: %s\n", err.text);
    zm_solver_destroy(solver);
    return st;
}

void closed_form(const test_case *c, double *T)
{
    const zm_source *s = &c->sources[0];

    for (size_t i = 0; i < c->n; i++) {
        const double x = ((double)(i % (size_t)c->grid.cols) - s->col) * c->grid.dx;
        const double y = ((double)(i / (size_t)c->grid.cols) - s->row) * c->grid.dy;

        T[i] = s->time +
               sqrt(c->g11[0] * x * x + 2 * c->g12[0] * x * y + c->g22[0] * y * y) -
               c->b1[0] * x - c->b2[0] * y;
    }
}

double relative_l2(const double *T, const double *exact, size_t n)
{
    double error = 0, size = 0;

    for (size_t i = 0; i < n; i++) {
        error += (T[i] - exact[i]) * (T[i] - exact[i]);
        size += exact[i] * exact[i];
    }
    return sqrt(error / size);
}

double max_relative_difference(const double *a, const double *b, size_t n)
{
    double worst = 0;

    for (size_t i = 0; i < n; i++) {
        if (a[i] == b[i]) /* also where both are INFINITY */
            continue;
        if (!isfinite(a[i]) || !isfinite(b[i]))
            return INFINITY;
        worst = fmax(worst, fabs(a[i] - b[i]) / fmax(fabs(a[i]), fabs(b[i])));
    }
    return worst;
}

double max_abs(const double *r, size_t n)
{
    double worst = 0;

    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fabs(r[i]));
    return worst;
}

bool same_bits(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}
