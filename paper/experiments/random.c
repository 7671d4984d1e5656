/* SPDX-License-Identifier: Apache-2.0
 * Random fields that are the same everywhere. */
#include "random.h"

#include <math.h>
#include <stdlib.h>

/* Convolves n values, `stride` apart, with the kernel of 2 r + 1 weights; zero outside. */
static void smooth_line(double *values, size_t n, size_t stride, const double *kernel,
                        size_t r, double *copy)
{
    for (size_t i = 0; i < n; i++)
        copy[i] = values[i * stride];
    for (size_t i = 0; i < n; i++) {
        const size_t from = i < r ? r - i : 0;
        const size_t to = i + r >= n ? r + (n - 1 - i) : 2 * r;
        double sum = 0;

        for (size_t k = from; k <= to; k++)
            sum += kernel[k] * copy[i + k - r];
        values[i * stride] = sum;
    }
}

static void normalise(size_t n, double *values)
{
    double mean = 0, variance = 0;

    for (size_t i = 0; i < n; i++)
        mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        values[i] -= mean;
        variance += values[i] * values[i] / (double)n;
    }
    for (size_t i = 0; i < n && variance > 0; i++)
        values[i] /= sqrt(variance);
}

/* Gaussian of `length` cells, cut off at four times that; false without memory. */
static bool smooth(double *field, size_t rows, size_t cols, double length)
{
    const size_t r = (size_t)ceil(4 * length), longest = rows > cols ? rows : cols;
    double *kernel = malloc((2 * r + 1 + longest) * sizeof *kernel);

    if (!kernel)
        return false;
    for (size_t k = 0; k <= 2 * r; k++) {
        const double d = ((double)k - (double)r) / length;

        kernel[k] = exp(-d * d / 2);
    }
    for (size_t i = 0; i < rows; i++)
        smooth_line(field + i * cols, cols, 1, kernel, r, kernel + 2 * r + 1);
    for (size_t j = 0; j < cols; j++)
        smooth_line(field + j, rows, cols, kernel, r, kernel + 2 * r + 1);
    free(kernel);
    return true;
}

bool random_field(uint64_t *state, size_t rows, size_t cols, double length, double *out)
{
    /* Values near the border are smoothed from fewer: draw a margin and leave it out. */
    const size_t margin = (size_t)ceil(4 * length);
    const size_t wide = cols + 2 * margin, high = rows + 2 * margin;
    double *field = malloc(wide * high * sizeof *field);
    bool done;

    if (!field)
        return false;
    for (size_t i = 0; i < wide * high; i++)
        field[i] = zm_random_normal(state);
    done = length <= 0 || smooth(field, high, wide, length);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            out[i * cols + j] = field[(i + margin) * wide + j + margin];
    normalise(rows * cols, out);
    free(field);
    return done;
}
