/* SPDX-License-Identifier: Apache-2.0
 * Random media. */
#include "support/random_media.h"

#include <math.h>
#include <stdio.h>

#include "core/pi.h"
#include "core/random.h"

const medium_limits medium_hardest = { 1e4, 0.99, 1e6, 0.4, 400 };
const medium_limits medium_mild = { 3, 0.3, 1e3, 0.4, 400 };

/* From 1 to `most`, as likely in every decade. */
static double log_uniform(uint64_t *state, double most)
{
    return exp(log(most) * zm_random_unit(state));
}

/* Rows and columns: lines of cells, narrow strips, small grids, and now and then one of up to
 * 200 x 150. */
static zm_grid grid_draw(uint64_t *state, const medium_limits *limits)
{
    const double side = sqrt((double)limits->cells);
    const double kind = zm_random_unit(state);
    const double dx = zm_random_between(state, 0.5, 2);
    const double dy = zm_random_between(state, 0.5, 2);
    double rows = 1 + zm_random_unit(state) * side,
           cols = 1 + zm_random_unit(state) * side;

    if (kind < 0.05)
        rows = 1;
    else if (kind < 0.1)
        cols = 1;
    else if (kind < 0.2)
        rows = 2 + zm_random_unit(state) * 3;
    else if (kind < 0.3)
        cols = 2 + zm_random_unit(state) * 3;
    if (kind < 0.1)
        rows *= rows > 1 ? 4 : 1, cols *= cols > 1 ? 4 : 1;
    if (kind > 0.99) {
        rows = 1 + zm_random_unit(state) * 199;
        cols = 1 + zm_random_unit(state) * 149;
    }
    return (zm_grid){ (int32_t)rows, (int32_t)cols, dx, dy };
}

/* A field between 0 and 1: waves with random directions, or every cell on its own. */
typedef struct field {
    bool smooth;
    double kx[3], ky[3], phase[3];
} field;

static field field_draw(uint64_t *state, bool smooth)
{
    field f = { .smooth = smooth };

    for (int i = 0; i < 3; i++) {
        f.kx[i] = zm_random_between(state, -0.3, 0.3);
        f.ky[i] = zm_random_between(state, -0.3, 0.3);
        f.phase[i] = zm_random_between(state, 0, 2 * ZM_PI);
    }
    return f;
}

static double field_at(const field *f, int32_t row, int32_t col, uint64_t *state)
{
    double sum = 0;

    if (!f->smooth)
        return zm_random_unit(state);
    for (int i = 0; i < 3; i++)
        sum += sin(f->kx[i] * col + f->ky[i] * row + f->phase[i]) / 6;
    return 0.5 + sum;
}

/* G = slowness^2 (u u'/q + q n n') with ratio q^2 of the eigenvalues and det = slowness^4;
 * b of norm `drift` in any direction. */
static void cell_fill(random_medium *m, size_t i, const double value[4],
                      double drift_share)
{
    const double slowness2 = pow(m->contrast, 2 * value[0] - 1);
    const double q = sqrt(1 + (m->ratio - 1) * value[1]);
    const double angle = 2 * ZM_PI * value[2], turn = 2 * ZM_PI * value[3];
    const double x = cos(angle), y = sin(angle), along = slowness2 / q,
                 across = slowness2 * q;
    const double norm = m->drift * drift_share;
    /* b = norm G^(1/2) (cos, sin) has |b|_{G^-1} = norm */
    const double u = norm * sqrt(along) * cos(turn),
                 n = norm * sqrt(across) * sin(turn);

    m->c.g11[i] = along * x * x + across * y * y;
    m->c.g12[i] = (along - across) * x * y;
    m->c.g22[i] = along * y * y + across * x * x;
    m->c.b1[i] = u * x - n * y;
    m->c.b2[i] = u * y + n * x;
}

static void sources_draw(random_medium *m, uint64_t *state)
{
    const size_t n = 1 + zm_random_below(state, 3);
    const double when = zm_random_unit(state) < 0.5 ? 0 : 1;

    for (size_t i = 0; i < n; i++)
        case_add_source(&m->c, (int32_t)zm_random_below(state, (size_t)m->c.grid.rows),
                        (int32_t)zm_random_below(state, (size_t)m->c.grid.cols),
                        when * zm_random_between(state, -3, 3));
}

random_medium medium_draw(uint64_t seed, const medium_limits *limits)
{
    uint64_t state = zm_random_mix(seed + 1);
    const zm_grid grid = grid_draw(&state, limits);
    random_medium m = { .c = case_create(grid.rows, grid.cols), .seed = seed };
    field fields[5];

    m.c.grid = grid;
    m.smooth = zm_random_unit(&state) < 0.5;
    m.ratio = log_uniform(&state, limits->ratio);
    m.contrast =
        zm_random_unit(&state) < 0.3 ? 1 : log_uniform(&state, limits->contrast);
    m.drift =
        zm_random_unit(&state) < 0.3 ? 0 : zm_random_between(&state, 0, limits->drift);
    m.walls =
        zm_random_unit(&state) < 0.5 ? 0 : zm_random_between(&state, 0, limits->walls);
    for (int k = 0; k < 5; k++)
        fields[k] = field_draw(&state, m.smooth);
    if (m.walls > 0)
        case_add_walls(&m.c);
    for (size_t i = 0; i < m.c.n; i++) {
        const int32_t row = (int32_t)(i / (size_t)grid.cols),
                      col = (int32_t)(i % (size_t)grid.cols);
        double value[5];

        for (int k = 0; k < 5; k++)
            value[k] = field_at(&fields[k], row, col, &state);
        cell_fill(&m, i, value, value[4]);
        if (m.c.walls)
            m.c.walls[i] = zm_random_unit(&state) < m.walls;
    }
    sources_draw(&m, &state);
    return m;
}

void medium_free(random_medium *m)
{
    case_free(&m->c);
}

void medium_describe(const random_medium *m, char *text, size_t size)
{
    snprintf(text, size,
             "medium %llu: %d x %d cells, %s, ratio %.4g, drift %.3g, contrast %.3g, "
             "walls %.0f %%, %zu sources",
             (unsigned long long)m->seed, (int)m->c.grid.rows, (int)m->c.grid.cols,
             m->smooth ? "smooth" : "rough", m->ratio, m->drift, m->contrast,
             100 * m->walls, m->c.n_sources);
}
