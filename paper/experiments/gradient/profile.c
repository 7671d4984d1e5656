/* SPDX-License-Identifier: Apache-2.0
 * Magnitudes of gradients: maps on a logarithmic scale, means over circles. */
#include "profile.h"

#include <math.h>

#include "panels.h"

static double distance_from(const medium *m, size_t cell, double row, double col)
{
    const size_t cols = (size_t)m->grid.cols;

    return hypot((double)(cell / cols) - row, (double)(cell % cols) - col);
}

/* Mean, largest and sum of the cells with inner <= distance < outer. */
static void add_ring(profile *p, const medium *m, const double *values, double row,
                     double col, double inner, double outer)
{
    double count = 0, distances = 0, sum = 0, largest = 0;

    for (size_t cell = 0; cell < m->cells; cell++) {
        const double d = distance_from(m, cell, row, col);

        if (d < inner || d >= outer)
            continue;
        count++;
        distances += d;
        sum += values[cell];
        largest = fmax(largest, values[cell]);
    }
    p->distance[p->n] = distances / count;
    p->mean[p->n] = sum / count;
    p->largest[p->n] = largest;
    p->sum[p->n++] = sum / (outer - inner);
}

profile profile_of(const medium *m, const double *values, double row, double col,
                   double farthest)
{
    double inner = 0.5, outer = 1.5;
    profile p = { 0 };

    while (outer <= farthest && p.n < PROFILE_RINGS) {
        add_ring(&p, m, values, row, col, inner, outer);
        inner = outer;
        outer += fmax(1, inner / 6);
    }
    return p;
}

double profile_sum_beyond(const medium *m, const double *values, double row, double col,
                          double distance)
{
    double sum = 0;

    for (size_t cell = 0; cell < m->cells; cell++)
        if (distance_from(m, cell, row, col) > distance)
            sum += values[cell];
    return sum;
}

void panel_magnitude(experiment_run *run, zm_plot *plot, const medium *m,
                     const double *values, double decades, const char *title)
{
    double *shown = field_new(run, m->cells), most = 0;

    for (size_t cell = 0; cell < m->cells; cell++) {
        shown[cell] = values[cell] > 0 ? values[cell] : NAN;
        most = fmax(most, values[cell]);
    }
    PANEL(plot, m, shown, .title = title, .label = "", .map = ZM_MAP_EMBER,
          .scale = ZM_SCALE_LOG, .min = most * pow(10, -decades), .max = most);
}

void panel_circle(zm_plot *plot, double row, double col, double radius,
                  const char *label)
{
    enum { CORNERS = 181 };
    double x[CORNERS], y[CORNERS];

    for (int i = 0; i < CORNERS; i++) {
        const double turn = 2 * acos(-1) * i / (CORNERS - 1);

        x[i] = col + radius * cos(turn);
        y[i] = row + radius * sin(turn);
    }
    ZM_PLOT_LINE(plot, .x = x, .y = y, .n = CORNERS, .color = 0x30A0FFFFu, .width = 1,
                 .dash = ZM_DASH_DASHED, .label = label);
}
