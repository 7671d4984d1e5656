/* SPDX-License-Identifier: Apache-2.0
 * Fractal noise (Perlin 1985), from a hash instead of tables. */
#include "core/pi.h"
#include "core/random.h"
#include "fire/data/synthetic/world.h"

/* Gradient at a lattice point, of unit length. */
static void gradient_at(int64_t x, int64_t y, uint64_t seed, double g[2])
{
    const uint64_t key = (uint64_t)x * 0x9E3779B97F4A7C15U ^
                         (uint64_t)y * 0xC2B2AE3D27D4EB4FU ^ seed * 0x165667B19E3779F9U;
    const double angle =
        2 * ZM_PI * (double)(zm_random_mix(key + seed) >> 11) * 0x1p-53;

    g[0] = cos(angle);
    g[1] = sin(angle);
}

/* 6 t^5 - 15 t^4 + 10 t^3: no corners in the second derivative either. */
static double fade(double t)
{
    return t * t * t * (t * (6 * t - 15) + 10);
}

static double one_octave(double x, double y, uint64_t seed)
{
    const double fx = floor(x), fy = floor(y), u = x - fx, v = y - fy;
    double corner[2][2];

    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) {
            double g[2];

            gradient_at((int64_t)fx + i, (int64_t)fy + j, seed, g);
            corner[j][i] = g[0] * (u - i) + g[1] * (v - j);
        }
    for (int j = 0; j < 2; j++)
        corner[j][0] += fade(u) * (corner[j][1] - corner[j][0]);
    return corner[0][0] + fade(v) * (corner[1][0] - corner[0][0]);
}

double zm_synthetic_noise(double x, double y, double scale, int octaves, uint64_t seed)
{
    double sum = 0, strength = 1;

    x /= scale;
    y /= scale;
    for (int k = 0; k < octaves; k++) {
        sum += strength * one_octave(x, y, seed + (uint64_t)k);
        /* turned, so that lattices of octaves do not fall together */
        const double turned = 1.6 * x + 1.2 * y;

        y = -1.2 * x + 1.6 * y;
        x = turned;
        strength *= 0.5;
    }
    return 1.4 * sum;
}
