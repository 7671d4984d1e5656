/* SPDX-License-Identifier: Apache-2.0
 * Moisture and metric of a cell at a moment of an hour. */
#include <math.h>
#include <string.h>

#include "fire/front/model.h"

enum {
    NODES = 17
}; /* of an hour, the first when it begins and the last when it ends */

static void begin_moisture(void *ctx, int32_t interval, int32_t row, int32_t col,
                           void *value)
{
    const zm_physics *p = ctx;
    const zm_ground g = zm_ground_of_place(&p->classes, &p->land, row, col);

    (void)interval;
    zm_moisture_begin(&p->climate, &g, value);
}

/* On a line between the beginning and the end of the hour, over all places of the cell. */
void zm_front_dead_moisture(const zm_hour_point *when, int32_t interval, int32_t row,
                            int32_t col, double out[ZM_DEAD])
{
    zm_physics *p = when->p;
    zm_place place[ZM_PLACES_OF_CELL];
    int n;

    memcpy(out, p->climate.initial, ZM_DEAD * sizeof *out);
    if (!p->opts.conditioning)
        return;
    n = zm_ground_places_of_cell(&p->classes, &p->land, row, col, place);
    memset(out, 0, ZM_DEAD * sizeof *out);
    for (int i = 0; i < n; i++) {
        zm_moisture_series *series =
            zm_lazy_get(&p->moisture, 0, place[i].row, place[i].col);
        const double *mark = series->mark + zm_front_mark(p, interval);

        zm_moisture_extend(&p->climate, interval + 1 + (int32_t)p->fire.earlier_hours,
                           series);
        for (int c = 0; c < ZM_DEAD; c++)
            out[c] += place[i].share *
                      ((1 - when->share) * mark[c] + when->share * mark[ZM_DEAD + c]);
    }
}

zm_status zm_front_moisture_open(zm_physics *p, zm_error *err)
{
    int32_t rows, cols;

    zm_ground_places(&p->classes, &p->land, &rows, &cols);
    return zm_front_lazy_open(&p->moisture, &p->mem, rows, cols, 1,
                              sizeof(zm_moisture_series) +
                                  zm_moisture_marks(&p->climate) * sizeof(double),
                              begin_moisture, p, err);
}

/** Metrics of a cell in the hour in which it was last asked for. */
typedef struct hour_nodes {
    int32_t interval; /* -1: none yet */
    uint32_t known;   /* a bit for each node */
    zm_cell_metric node[NODES];
} hour_nodes;

static void no_nodes(void *ctx, int32_t interval, int32_t row, int32_t col, void *value)
{
    (void)ctx, (void)interval, (void)row, (void)col;
    ((hour_nodes *)value)->interval = -1;
}

zm_status zm_front_nodes_open(zm_physics *p, zm_error *err)
{
    return zm_front_lazy_open(&p->nodes, &p->mem, p->land.rows, p->land.cols, 1,
                              sizeof(hour_nodes), no_nodes, p, err);
}

static const zm_cell_metric *node_of(zm_physics *p, hour_nodes *h, int32_t i,
                                     int32_t row, int32_t col)
{
    if (!(h->known & 1u << i)) {
        zm_hour_point when = { p, (double)i / (NODES - 1) };

        zm_front_metric_fill(&when, h->interval, row, col, &h->node[i]);
        h->known |= 1u << i;
    }
    return &h->node[i];
}

/* On a line between the nodes around the time; where one of them does not burn the other
 * counts in its half. */
bool zm_front_metric_at(zm_physics *p, double time, int32_t row, int32_t col,
                        double metric[5])
{
    const double nearly = 1e-6; /* h: just before an hour begins is in it */
    const int32_t interval = (int32_t)fmin(floor(time + nearly), zm_front_hours(p) - 1);
    const double place = fmin(fmax(time - interval, 0), 1) * (NODES - 1);
    const int32_t first = (int32_t)fmin(floor(place), NODES - 2);
    const double share = place - first;
    hour_nodes *h = zm_lazy_get(&p->nodes, 0, row, col);
    const zm_cell_metric *a, *b;

    if (h->interval != interval) {
        h->interval = interval;
        h->known = 0;
    }
    a = node_of(p, h, first, row, col);
    b = node_of(p, h, first + 1, row, col);
    if (!zm_burns(a) || !zm_burns(b)) {
        const zm_cell_metric *nearer = share < 0.5 ? a : b;

        memcpy(metric, nearer->m, sizeof nearer->m);
        return zm_burns(nearer);
    }
    for (int i = 0; i < 5; i++)
        metric[i] = (1 - share) * a->m[i] + share * b->m[i];
    return true;
}
