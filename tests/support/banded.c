/* SPDX-License-Identifier: Apache-2.0
 * Problems with bands to test with. */
#include "support/banded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/random.h"

static const double pi = 3.14159265358979323846;

banded banded_create(int32_t rows, int32_t cols, size_t n_bands)
{
    banded b = { .n_bands = n_bands, .n = (size_t)rows * (size_t)cols };

    for (size_t k = 0; k < n_bands; k++) {
        b.band[k] = case_create(rows, cols);
        b.starts[k] = (double)k;
    }
    return b;
}

void banded_free(banded *b)
{
    for (size_t k = 0; k < b->n_bands; k++) {
        case_free(&b->band[k]);
        free(b->stopped[k]);
    }
}

void banded_stop(banded *b, size_t band, int64_t cell)
{
    if (!b->stopped[band] && !(b->stopped[band] = calloc(b->n, 1)))
        exit(1);
    for (size_t i = 0; i < b->n; i++)
        if (cell < 0 || (size_t)cell == i)
            b->stopped[band][i] = 1;
}

static void metric_set(test_case *c, size_t i, double slow, double ratio, double angle,
                       double drift, double heading)
{
    const double u = cos(angle), v = sin(angle), a = slow * slow, d = a * ratio * ratio;
    double norm2;

    c->g11[i] = a * u * u + d * v * v;
    c->g12[i] = (a - d) * u * v;
    c->g22[i] = a * v * v + d * u * u;
    c->b1[i] = cos(heading);
    c->b2[i] = sin(heading);
    norm2 = (c->g22[i] * c->b1[i] * c->b1[i] - 2 * c->g12[i] * c->b1[i] * c->b2[i] +
             c->g11[i] * c->b2[i] * c->b2[i]) /
            (c->g11[i] * c->g22[i] - c->g12[i] * c->g12[i]);
    c->b1[i] *= drift / sqrt(norm2);
    c->b2[i] *= drift / sqrt(norm2);
}

banded banded_random(int32_t side, size_t n_bands, uint64_t seed, double contrast,
                     double ratio, double drift, bool smooth)
{
    banded b = banded_create(side, side, n_bands);
    uint64_t state = seed;

    for (size_t k = 0; k < n_bands; k++) {
        const double turn = 0.9 * (double)k + zm_random_unit(&state);
        const double fast = pow(contrast, -zm_random_unit(&state));

        for (size_t i = 0; i < b.n; i++) {
            const double x = (double)(i % (size_t)side) / side;
            const double y = (double)(i / (size_t)side) / side;
            const double wave = 0.5 + 0.5 * sin(2 * pi * x + turn) * cos(2 * pi * y);
            const double r[5] = { zm_random_unit(&state), zm_random_unit(&state),
                                  zm_random_unit(&state), zm_random_unit(&state),
                                  zm_random_unit(&state) };

            if (smooth)
                metric_set(&b.band[k], i, fast * pow(contrast, wave),
                           1 + (ratio - 1) * wave, turn + x, drift * (0.5 + 0.5 * wave),
                           2 * turn + y);
            else
                metric_set(&b.band[k], i, pow(contrast, r[0]), 1 + (ratio - 1) * r[1],
                           pi * r[2], drift * r[3], 2 * pi * r[4]);
        }
    }
    case_add_source(&b.band[0], side / 2, side / 2, 0.3);
    return b;
}

zm_bands_problem banded_problem(banded *b)
{
    for (size_t k = 0; k < b->n_bands; k++)
        b->views[k] = (zm_band){ case_problem(&b->band[k]).metric, b->stopped[k] };
    return (zm_bands_problem){ .n_bands = b->n_bands,
                               .starts = b->starts,
                               .bands = b->views,
                               .sources = b->band[0].sources,
                               .n_sources = b->band[0].n_sources,
                               .walls = b->band[0].walls };
}

zm_bands *banded_handle(const banded *b, zm_bands_cost cost)
{
    zm_bands_opts o = ZM_BANDS_OPTS_INIT;
    zm_bands *h;
    zm_error err;

    o.cost = cost;
    o.reach = 1;
    if (zm_bands_create(&h, b->band[0].grid, ZM_F64, &o, &err) != ZM_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return h;
}

zm_status banded_solve(banded *b, zm_bands_cost cost, double *T)
{
    zm_bands *h = banded_handle(b, cost);
    const zm_bands_problem p = banded_problem(b);
    zm_error err = { ZM_OK, -1, "" };
    const zm_status st = zm_bands_solve(h, &p, T, NULL, NULL, &err);

    if (st != ZM_OK)
        fprintf(stderr, "%s\n", err.text);
    zm_bands_destroy(h);
    return st;
}
