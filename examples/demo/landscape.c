/* SPDX-License-Identifier: Apache-2.0
 * A made-up landscape to travel through: hills, woods, a river with one bridge, wind. */
#include "landscape.h"

#include <math.h>
#include <stdlib.h>

static const double width_km = 15.0;
static const double walking_slowness = 0.22; /* hours a km on a level meadow */
static const double strongest_wind = 0.6;    /* |b|_{G^-1} */

static double random_unit(uint64_t *state) /* splitmix64 */
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double x_of(const landscape *l, size_t cell)
{
    return (double)(cell % (size_t)l->grid.cols) * l->grid.dx;
}

static double y_of(const landscape *l, size_t cell)
{
    return (double)(cell / (size_t)l->grid.cols) * l->grid.dy;
}

/* A smooth random field of about unit variance: plane waves of random direction and phase
 * with lengths around `wavelength`. */
static void add_waves(const landscape *l, double *field, double wavelength,
                      double amplitude, uint64_t *state)
{
    enum { WAVES = 24 };

    for (int k = 0; k < WAVES; k++) {
        const double angle = 6.283185307179586 * random_unit(state);
        const double phase = 6.283185307179586 * random_unit(state);
        const double number =
            6.283185307179586 / (wavelength * (0.7 + 0.6 * random_unit(state)));
        const double kx = number * cos(angle), ky = number * sin(angle);

        for (size_t i = 0; i < l->n; i++)
            field[i] += amplitude * sqrt(2.0 / WAVES) *
                        cos(kx * x_of(l, i) + ky * y_of(l, i) + phase);
    }
}

static void raise_hills(landscape *l, uint64_t *state)
{
    add_waves(l, l->height, 7.0, 0.16, state);
    add_waves(l, l->height, 3.0, 0.04, state);
}

/* 0 below lo, 1 above hi, smooth in between. */
static double smooth_step(double lo, double hi, double x)
{
    const double t = fmin(fmax((x - lo) / (hi - lo), 0.0), 1.0);

    return t * t * (3.0 - 2.0 * t);
}

/* Meadows, and woods where a random field is high: there it takes up to 2.6 times as long. */
static void plant_woods(landscape *l, uint64_t *state)
{
    add_waves(l, l->slowness, 3.2, 1.0, state);
    for (size_t i = 0; i < l->n; i++)
        l->slowness[i] =
            walking_slowness * (1.0 + 1.6 * smooth_step(0.2, 1.6, l->slowness[i]) +
                                0.5 * smooth_step(0.0, 0.35, l->height[i]));
}

/* Difference quotient of the height between the two neighbours of a cell along one axis,
 * which are `step` apart in memory; one-sided at the border. */
static double slope(const double *height, size_t place, size_t count, size_t step,
                    double spacing)
{
    const size_t before = place > 0, after = place + 1 < count;

    if (before + after == 0)
        return 0.0;
    return (height[after * step] - *(height - before * step)) /
           (spacing * (double)(before + after));
}

/* Across the slope one goes as on the level; up or down it takes longer:
 *     G = s^2 (I + k grad h grad h'),   so valleys are ways. */
static void shape_metric(landscape *l)
{
    static const double steepness_cost = 60.0;
    const size_t cols = (size_t)l->grid.cols, rows = (size_t)l->grid.rows;

    for (size_t i = 0; i < l->n; i++) {
        const double hx = slope(l->height + i, i % cols, cols, 1, l->grid.dx);
        const double hy = slope(l->height + i, i / cols, rows, cols, l->grid.dy);
        const double s2 = l->slowness[i] * l->slowness[i];

        l->g11[i] = s2 * (1.0 + steepness_cost * hx * hx);
        l->g12[i] = s2 * steepness_cost * hx * hy;
        l->g22[i] = s2 * (1.0 + steepness_cost * hy * hy);
    }
}

/* A whirl of the wind around (x, y), turning one way or the other. */
typedef struct whirl {
    double x, y, radius, strength;
} whirl;

static void blow(const whirl *w, double x, double y, double wind[2])
{
    const double dx = (x - w->x) / w->radius, dy = (y - w->y) / w->radius;
    const double speed = w->strength * exp(0.5 - 0.5 * (dx * dx + dy * dy));

    wind[0] -= speed * dy;
    wind[1] += speed * dx;
}

static void make_wind(landscape *l)
{
    static const whirl whirls[] = { { 4.2, 3.0, 2.2, 1.0 },
                                    { 11.6, 6.6, 2.4, -1.0 },
                                    { 12.2, 1.2, 1.6, 0.7 },
                                    { 3.0, 9.4, 1.8, -0.6 } };
    double largest = 0.0;

    for (size_t i = 0; i < l->n; i++) {
        double wind[2] = { 0.25, -0.05 };

        for (size_t k = 0; k < sizeof whirls / sizeof *whirls; k++)
            blow(&whirls[k], x_of(l, i), y_of(l, i), wind);
        l->wind_x[i] = wind[0];
        l->wind_y[i] = wind[1];
        largest = fmax(largest, hypot(wind[0], wind[1]));
    }
    for (size_t i = 0; i < l->n; i++) {
        l->wind_x[i] *= strongest_wind / largest;
        l->wind_y[i] *= strongest_wind / largest;
    }
}

/* The drift b along the wind w with |b|_{G^-1} = |w|. */
static void make_drift(landscape *l)
{
    for (size_t i = 0; i < l->n; i++) {
        const double u = l->wind_x[i], v = l->wind_y[i];
        const double det = l->g11[i] * l->g22[i] - l->g12[i] * l->g12[i];
        const double norm = sqrt(
            (l->g22[i] * u * u - 2.0 * l->g12[i] * u * v + l->g11[i] * v * v) / det);
        const double scale = norm > 0.0 ? hypot(u, v) / norm : 0.0;

        l->b1[i] = scale * u;
        l->b2[i] = scale * v;
    }
}

/* A winding river from top to bottom that can be crossed on one bridge only. */
static void dig_river(landscape *l)
{
    static const double half_width = 0.11, bridge_y = 7.35, bridge_half_width = 0.11;

    for (size_t i = 0; i < l->n; i++) {
        const double y = y_of(l, i);
        const double middle = 8.6 + 0.75 * sin(0.85 * y + 0.6) + 0.25 * sin(2.1 * y);

        l->walls[i] = fabs(x_of(l, i) - middle) < half_width &&
                      fabs(y - bridge_y) > bridge_half_width;
    }
}

static bool allocate(landscape *l)
{
    double **planes[] = { &l->height, &l->slowness, &l->g11,    &l->g12,   &l->g22,
                          &l->b1,     &l->b2,       &l->wind_x, &l->wind_y };

    for (size_t k = 0; k < sizeof planes / sizeof *planes; k++)
        if (!(*planes[k] = calloc(l->n, sizeof **planes[k])))
            return false;
    l->walls = calloc(l->n, 1);
    return l->walls != NULL;
}

bool landscape_make(landscape *l, int32_t rows, int32_t cols, uint64_t seed)
{
    const double spacing = width_km / cols;

    *l = (landscape){ .grid = { rows, cols, spacing, spacing },
                      .n = (size_t)rows * (size_t)cols };
    if (!allocate(l))
        return false;
    raise_hills(l, &seed);
    plant_woods(l, &seed);
    shape_metric(l);
    make_wind(l);
    make_drift(l);
    dig_river(l);
    l->camp = (zm_source){ round(0.62 * rows), round(0.12 * cols), 0.0 };
    l->village_row = (int32_t)(0.27 * rows);
    l->village_col = (int32_t)(0.88 * cols);
    return true;
}

void landscape_free(landscape *l)
{
    free(l->height);
    free(l->slowness);
    free(l->g11);
    free(l->g12);
    free(l->g22);
    free(l->b1);
    free(l->b2);
    free(l->wind_x);
    free(l->wind_y);
    free(l->walls);
    *l = (landscape){ 0 };
}

zm_problem landscape_problem(const landscape *l)
{
    return (zm_problem){ .size = sizeof(zm_problem),
                         .metric = { ZM_F64, l->g11, l->g12, l->g22, l->b1, l->b2 },
                         .sources = &l->camp,
                         .n_sources = 1,
                         .walls = l->walls };
}
