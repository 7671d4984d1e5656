/* SPDX-License-Identifier: Apache-2.0
 * Breaks as one would draw them: arcs around assets, lines across the way, scattered cells. */
#include <math.h>
#include <string.h>

#include "core/pi.h"
#include "core/random.h"
#include "fire/front/protect.h"

/** Centre and reach of the assets in cells, and where the fire comes from. */
typedef struct scene {
    double row, col, radius;
    double from_row, from_col; /* unit vector towards the fire */
    double distance;           /* to the fire, cells */
} scene;

/* The fire: its sources, or its ignition. */
static void fire_place(const zm_guard *g, double *row, double *col)
{
    const zm_protect_problem *p = &g->problem;

    *row = p->fire->row;
    *col = p->fire->col;
    if (!p->sources)
        return;
    *row = *col = 0;
    for (size_t i = 0; i < p->n_sources; i++) {
        *row += p->sources[i].row / (double)p->n_sources;
        *col += p->sources[i].col / (double)p->n_sources;
    }
}

static scene scene_of(const zm_guard *g)
{
    const size_t cols = (size_t)g->land.cols;
    scene s = { 0, 0, 0, 0, 0, 0 };
    double row, col;

    for (size_t k = 0; k < g->n_assets; k++) {
        s.row += (double)(g->asset[k] / cols) / (double)g->n_assets;
        s.col += (double)(g->asset[k] % cols) / (double)g->n_assets;
    }
    for (size_t k = 0; k < g->n_assets; k++)
        s.radius = fmax(s.radius, hypot((double)(g->asset[k] / cols) - s.row,
                                        (double)(g->asset[k] % cols) - s.col));
    fire_place(g, &row, &col);
    s.distance = fmax(hypot(row - s.row, col - s.col), 1);
    s.from_row = (row - s.row) / s.distance;
    s.from_col = (col - s.col) / s.distance;
    return s;
}

/* Adds a candidate cell; whether it was one and new. */
static bool put(const zm_guard *g, const uint8_t *candidates, double row, double col,
                uint8_t *out)
{
    const double r = floor(row + 0.5), c = floor(col + 0.5);
    size_t at;

    if (!(r >= 0 && c >= 0 && r < g->land.rows && c < g->land.cols))
        return false;
    at = (size_t)r * (size_t)g->land.cols + (size_t)c;
    if (!candidates[at] || out[at])
        return false;
    out[at] = 1;
    return true;
}

/* Steps to both sides along a curve; cells that cannot be used cost nothing.  A curve that is
 * used up is drawn again further out. */
static void draw_curve(const zm_guard *g, const uint8_t *candidates, const scene *s,
                       double radius, double turn, double place, int64_t cells,
                       uint8_t *out)
{
    const double step = 0.25; /* cells: no gap is left on the way */
    const double heading = atan2(s->from_row, s->from_col) + turn;
    int64_t left = cells;

    for (int layer = 0; layer < 50 && left > 0; layer++)
        for (int32_t k = 0; k < 16000 && left > 0; k++) {
            const double along = (k % 2 ? -1 : 1) * step * ((k + 1) / 2);
            double row, col;

            if (radius > 0) { /* an arc */
                const double r = radius + layer, angle = heading + along / r;

                if (fabs(along) > ZM_PI * r)
                    break;
                row = s->row + r * sin(angle);
                col = s->col + r * cos(angle);
            } else { /* a line across the way */
                const double far = place * s->distance + layer;
                const double across = heading + ZM_PI / 2;

                row = s->row + far * s->from_row + along * sin(across);
                col = s->col + far * s->from_col + along * cos(across);
            }
            left -= put(g, candidates, row, col, out);
        }
}

/* Scattered over what burns before the assets do in the mean, by the number as seed. */
static void scatter(const zm_guard *g, const uint8_t *candidates, const double *mean,
                    int32_t number, int64_t cells, uint8_t *out)
{
    uint64_t state = (uint64_t)number + 1;
    double asset = 0;
    int64_t left = cells;

    for (size_t k = 0; k < g->n_assets; k++)
        asset += mean[g->asset[k]] / (double)g->n_assets;
    for (int64_t tries = 0; left > 0 && tries < (int64_t)1 << 24; tries++) {
        const size_t at = zm_random_below(&state, g->cells);

        if (candidates[at] && !out[at] && mean[at] <= asset) {
            out[at] = 1;
            left--;
        }
    }
}

bool zm_front_guard_rival(const zm_guard *g, zm_protect_break kind, int32_t i,
                          int64_t cells, const uint8_t *candidates, const double *mean,
                          uint8_t *out)
{
    enum { RADII = 3, TURNS = 5, PLACES = 5, TILTS = 3, SCATTERED = 5 };
    static const double place[PLACES] = { 0.15, 0.3, 0.45, 0.6, 0.75 };
    const scene s = scene_of(g);

    memset(out, 0, g->cells);
    switch (kind) {
    case ZM_BREAK_RING:
        if (i >= RADII * TURNS)
            return false;
        draw_curve(g, candidates, &s, s.radius + 1 + 3 * (i / TURNS),
                   (i % TURNS - TURNS / 2) * ZM_PI / 6, 0, cells, out);
        return true;
    case ZM_BREAK_LINE:
        if (i >= PLACES * TILTS)
            return false;
        draw_curve(g, candidates, &s, 0, (i % TILTS - TILTS / 2) * ZM_PI / 6,
                   place[i / TILTS], cells, out);
        return true;
    case ZM_BREAK_RANDOM:
        if (i >= SCATTERED)
            return false;
        scatter(g, candidates, mean, i, cells, out);
        return true;
    default:
        return false;
    }
}
