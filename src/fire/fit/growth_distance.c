/* SPDX-License-Identifier: Apache-2.0
 * Distances from a perimeter, exact, and where its edge has moved. */
#include <math.h>
#include <stdbool.h>

#include "core/fail.h"
#include "fire/fit/growth.h"

static const double SMOOTH =
    4; /* units: standard deviation of what is averaged along the edge */
static const double FURTHER = 2; /* units: an edge that has come further has moved */

/** The lower envelope of parabolas x -> (x - at)^2 + height (Felzenszwalb and Huttenlocher 2012). */
typedef struct envelope {
    int32_t *at;    /* of the parabolas that are lowest somewhere */
    double *from;   /* where each begins to be */
    double *height; /* by x; INFINITY: none */
} envelope;

/* From where on the parabola at b is below that at a < b. */
static double crossing(const envelope *e, int32_t a, int32_t b)
{
    return (e->height[b] + (double)b * b - e->height[a] - (double)a * a) /
           (2.0 * (b - a));
}

static int32_t envelope_build(envelope *e, int32_t n)
{
    int32_t count = 0;

    for (int32_t x = 0; x < n; x++) {
        if (!(e->height[x] < INFINITY))
            continue;
        while (count > 0 && crossing(e, e->at[count - 1], x) <= e->from[count - 1])
            count--;
        e->from[count] = count > 0 ? crossing(e, e->at[count - 1], x) : -INFINITY;
        e->at[count++] = x;
    }
    return count;
}

/* Nearest cell of the mask in the same row, by two passes. */
static void along_row(const uint8_t *mask, int32_t row, int32_t cols, int64_t *nearest)
{
    int64_t last = -1;

    for (int32_t c = 0; c < cols; c++) {
        const int64_t i = (int64_t)row * cols + c;

        if (mask[i])
            last = i;
        nearest[i] = last;
    }
    last = -1;
    for (int32_t c = cols; c-- > 0;) {
        const int64_t i = (int64_t)row * cols + c;

        if (mask[i])
            last = i;
        if (last >= 0 && (nearest[i] < 0 || last - i < i - nearest[i]))
            nearest[i] = last;
    }
}

static void along_column(int32_t col, int32_t rows, int32_t cols, envelope *e,
                         int64_t *of_row, double *distance, int64_t *nearest)
{
    int32_t count, k = 0;

    for (int32_t r = 0; r < rows; r++) {
        const int64_t i = (int64_t)r * cols + col;

        of_row[r] = nearest[i];
        e->height[r] = nearest[i] < 0
                           ? INFINITY
                           : (double)(nearest[i] - i) * (double)(nearest[i] - i);
    }
    count = envelope_build(e, rows);
    for (int32_t r = 0; r < rows; r++) {
        const int64_t i = (int64_t)r * cols + col;

        while (k + 1 < count && e->from[k + 1] <= r)
            k++;
        nearest[i] = count > 0 ? of_row[e->at[k]] : -1;
        distance[i] =
            count > 0
                ? sqrt(e->height[e->at[k]] + (double)(r - e->at[k]) * (r - e->at[k]))
                : INFINITY;
    }
}

zm_status zm_fit_distance(const uint8_t *mask, int32_t rows, int32_t cols,
                          const zm_alloc *mem, double *distance, int64_t *nearest,
                          zm_error *err)
{
    const size_t n = (size_t)rows;
    envelope e = { zm_block(mem, n, sizeof *e.at), zm_block(mem, n, sizeof *e.from),
                   zm_block(mem, n, sizeof *e.height) };
    int64_t *of_row = zm_block(mem, n, sizeof *of_row);
    zm_status st = ZM_OK;

    if (!e.at || !e.from || !e.height || !of_row)
        ZM_GO(zm_fail(err, ZM_E_NOMEM, -1, "distances of %d rows", (int)rows));
    for (int32_t r = 0; r < rows; r++)
        along_row(mask, r, cols, nearest);
    for (int32_t c = 0; c < cols; c++)
        along_column(c, rows, cols, &e, of_row, distance, nearest);
done:
    zm_release(mem, e.at);
    zm_release(mem, e.from);
    zm_release(mem, e.height);
    zm_release(mem, of_row);
    return st;
}

/** A cell of the perimeter with a neighbour outside. */
typedef struct edge_cell {
    int32_t row, col;
    double advance; /* units: distance from the perimeter before */
    double edge, moved;
} edge_cell;

static bool at_edge(const uint8_t *mask, int32_t rows, int32_t cols, int32_t r,
                    int32_t c)
{
    const uint8_t *m = mask + (size_t)r * (size_t)cols + c;

    return *m && ((r > 0 && !m[-cols]) || (r < rows - 1 && !m[cols]) ||
                  (c > 0 && !m[-1]) || (c < cols - 1 && !m[1]));
}

/* Means over the edge, by a normal weight. */
static void average(edge_cell *edges, size_t n, double unit)
{
    for (size_t i = 0; i < n; i++) {
        double weights = 0, log_advance = 0, moved = 0;

        for (size_t j = 0; j < n; j++) {
            const double far =
                hypot(edges[i].row - edges[j].row, edges[i].col - edges[j].col) / unit;
            const double w = exp(-0.5 * far * far / (SMOOTH * SMOOTH));

            if (far > 4 * SMOOTH)
                continue;
            weights += w;
            log_advance += w * log(edges[j].advance + 1);
            moved += w * (edges[j].advance > FURTHER);
        }
        edges[i].edge = log_advance / weights;
        edges[i].moved = moved / weights;
    }
}

zm_status zm_fit_edges(const uint8_t *earlier, const uint8_t *mask,
                       const zm_landscape *land, const int64_t *nearest,
                       const zm_alloc *mem, double *edge, double *moved, zm_error *err)
{
    const int32_t rows = land->rows, cols = land->cols;
    const size_t cells = (size_t)rows * (size_t)cols;
    const double unit = zm_fit_unit(land);
    double *advance = zm_block(mem, cells, sizeof *advance);
    int64_t *unused = zm_block(mem, cells, sizeof *unused);
    edge_cell *edges = zm_block(mem, cells, sizeof *edges);
    size_t n = 0;
    zm_status st = ZM_OK;

    if (!advance || !unused || !edges)
        ZM_GO(zm_fail(err, ZM_E_NOMEM, -1, "edges of a perimeter"));
    ZM_GO(zm_fit_distance(earlier, rows, cols, mem, advance, unused, err));
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++)
            if (at_edge(mask, rows, cols, r, c)) {
                const size_t i = (size_t)r * (size_t)cols + (size_t)c;

                unused[i] = (int64_t)n;
                edges[n++] = (edge_cell){ r, c, fmin(advance[i] / unit, 1e6), 0, 0 };
            }
    average(edges, n, unit);
    for (size_t i = 0; i < cells; i++) {
        const edge_cell *e = mask[i] ? NULL : &edges[unused[nearest[i]]];

        edge[i] = e ? e->edge : 0;
        moved[i] = e ? e->moved : 0;
    }
done:
    zm_release(mem, advance);
    zm_release(mem, unused);
    zm_release(mem, edges);
    return st;
}
