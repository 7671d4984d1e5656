/* SPDX-License-Identifier: Apache-2.0
 * Scores of forecasts of growth on standard output and as JSON. */
#include <math.h>
#include <stdio.h>

#include "common/message.h"
#include "fire/forecast.h"

/** Means over the forecasts whose fire has grown. */
typedef struct forecast_means {
    size_t n, better, intervals, held;
    double skill, iou, fractions, buffer_skill, buffer_iou, buffer_fractions;
    double ceiling, buffer_ceiling;
} forecast_means;

static forecast_means means_of(const scored_forecast *f, size_t n)
{
    forecast_means m = { 0 };

    for (size_t i = 0; i < n; i++) {
        if (f[i].model.grown == 0)
            continue;
        m.n++;
        m.better += f[i].model.skill > 0;
        m.held +=
            f[i].area.observed >= f[i].area.low && f[i].area.observed <= f[i].area.high;
        m.skill += f[i].model.skill;
        m.iou += f[i].model.iou;
        m.fractions += f[i].model.fractions;
        m.buffer_skill += f[i].buffer.skill;
        m.buffer_iou += f[i].buffer.iou;
        m.buffer_fractions += f[i].buffer.fractions;
        m.ceiling += f[i].model.ceiling;
        m.buffer_ceiling += f[i].buffer.ceiling;
    }
    m.skill /= (double)m.n;
    m.iou /= (double)m.n;
    m.fractions /= (double)m.n;
    m.buffer_skill /= (double)m.n;
    m.buffer_iou /= (double)m.n;
    m.buffer_fractions /= (double)m.n;
    m.ceiling /= (double)m.n;
    m.buffer_ceiling /= (double)m.n;
    return m;
}

/* Bins of all forecasts together. */
static void reliability_of(const scored_forecast *f, size_t n, zm_growth_score *all)
{
    *all = (zm_growth_score)ZM_GROWTH_SCORE_INIT;
    for (int b = 0; b < ZM_RELIABILITY_BINS; b++) {
        double forecast = 0, observed = 0;

        for (size_t i = 0; i < n; i++) {
            const zm_growth_score *s = &f[i].model;

            all->bin_cells[b] += s->bin_cells[b];
            forecast += s->bin_forecast[b] * (double)s->bin_cells[b];
            observed += s->bin_observed[b] * (double)s->bin_cells[b];
        }
        if (all->bin_cells[b] > 0) {
            all->bin_forecast[b] = forecast / (double)all->bin_cells[b];
            all->bin_observed[b] = observed / (double)all->bin_cells[b];
        }
    }
}

static void print_reliability(const scored_forecast *f, size_t n)
{
    zm_growth_score all;

    reliability_of(f, n, &all);
    printf("\n%-20s %10s %10s %10s\n", "forecast of", "cells", "mean", "burned");
    for (int b = 0; b < ZM_RELIABILITY_BINS; b++) {
        char range[32];

        if (all.bin_cells[b] == 0)
            continue;
        snprintf(range, sizeof range, "%d to %d %%", 10 * b, 10 * b + 10);
        printf("%-20s %10lld %10.3f %10.3f\n", range, (long long)all.bin_cells[b],
               all.bin_forecast[b], all.bin_observed[b]);
    }
}

void forecasts_print(const scored_forecast *f, size_t n)
{
    const forecast_means m = means_of(f, n);

    printf("%-16s %-16s  %8s  %6s %6s  %6s %6s  %6s %6s  %s\n", "", "", "", "skill", "",
           "IoU", "", "500 m", "", "90 % of grown area");
    printf("%-16s %-16s  %8s  %6s %6s  %6s %6s  %6s %6s  %s\n", "fire", "until",
           "grown", "model", "buffer", "model", "buffer", "model", "buffer",
           "in cells");
    for (size_t i = 0; i < n; i++) {
        printf("%-16s %-16s  %8lld  %6.3f %6.3f  %6.3f %6.3f  %6.3f %6.3f",
               printable(f[i].fire).text, f[i].date, (long long)f[i].model.grown,
               f[i].model.skill, f[i].buffer.skill, f[i].model.iou, f[i].buffer.iou,
               f[i].model.fractions, f[i].buffer.fractions);
        if (isfinite(f[i].area.high))
            printf("  %.0f to %.0f", f[i].area.low, f[i].area.high);
        printf("\n");
    }
    if (m.n == 0)
        return;
    printf("%-16s %-16s  %8s  %6.3f %6.3f  %6.3f %6.3f  %6.3f %6.3f", "mean", "", "",
           m.skill, m.buffer_skill, m.iou, m.buffer_iou, m.fractions,
           m.buffer_fractions);
    if (m.intervals)
        printf("  %zu of %zu held", m.held, m.intervals);
    printf("\nbetter than persistence: %zu of %zu; skill with the best probabilities "
           "in this "
           "order of cells %.3f, in that of the buffer %.3f\n",
           m.better, m.n, m.ceiling, m.buffer_ceiling);
    print_reliability(f, n);
}

static void score_json(json *j, const char *key, const zm_growth_score *s)
{
    json_open(j, key, '{');
    json_number(j, "skill", s->skill);
    json_number(j, "brier_cells", s->brier);
    json_number(j, "ceiling", s->ceiling);
    json_number(j, "iou", s->iou);
    json_number(j, "threshold", s->threshold);
    json_number(j, "fractions", s->fractions);
    json_number(j, "expected_cells", s->expected);
    json_close(j, '}');
}

static void bins_json(json *j, const zm_growth_score *s)
{
    json_open(j, "reliability", '[');
    for (int b = 0; b < ZM_RELIABILITY_BINS; b++) {
        json_open(j, NULL, '{');
        json_int(j, "cells", s->bin_cells[b]);
        json_number(j, "forecast", s->bin_forecast[b]);
        json_number(j, "observed", s->bin_observed[b]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void means_json(json *j, const forecast_means *m)
{
    json_open(j, "mean", '{');
    json_int(j, "forecasts", (int64_t)m->n);
    json_int(j, "better_than_persistence", (int64_t)m->better);
    json_int(j, "area_intervals", (int64_t)m->intervals);
    json_int(j, "areas_in_interval", (int64_t)m->held);
    json_number(j, "skill", m->skill);
    json_number(j, "iou", m->iou);
    json_number(j, "fractions", m->fractions);
    json_number(j, "ceiling", m->ceiling);
    json_number(j, "buffer_ceiling", m->buffer_ceiling);
    json_number(j, "buffer_skill", m->buffer_skill);
    json_number(j, "buffer_iou", m->buffer_iou);
    json_number(j, "buffer_fractions", m->buffer_fractions);
    json_close(j, '}');
}

void forecasts_json(const scored_forecast *f, size_t n, json *j)
{
    const forecast_means m = means_of(f, n);
    zm_growth_score all;

    json_open(j, "forecasts", '[');
    for (size_t i = 0; i < n; i++) {
        json_open(j, NULL, '{');
        json_text(j, "fire", f[i].fire);
        json_text(j, "until", f[i].date);
        json_int(j, "grown_cells", f[i].model.grown);
        score_json(j, "model", &f[i].model);
        score_json(j, "buffer", &f[i].buffer);
        json_number(j, "area_low_cells", f[i].area.low);
        json_number(j, "area_high_cells", f[i].area.high);
        json_close(j, '}');
    }
    json_close(j, ']');
    means_json(j, &m);
    reliability_of(f, n, &all);
    bins_json(j, &all);
}
