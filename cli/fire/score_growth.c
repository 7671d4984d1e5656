/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire score --growth: forecasts of an observed fire, whoever made them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "common/value.h"
#include "fire/folders.h"
#include "fire/forecast.h"

/** The fire and what is read of a forecast. */
typedef struct judge {
    zm_observed *observed;
    const char *name;
    const zm_landscape *land;
    size_t cells, dates;
    scored_forecast *scored;
    size_t n;
} judge;

/* The first band of a raster on the landscape's own grid; no data is 0. */
static int read_probability(const judge *g, const char *path, float *out)
{
    zm_raster raster;
    zm_error err;
    int code = DONE;

    TRY(checked(zm_raster_read(path, &raster, &err), &err));
    if (raster.rows != g->land->rows || raster.cols != g->land->cols)
        code = failure("%s: %d x %d cells, must be the %d x %d of the landscape", path,
                       (int)raster.rows, (int)raster.cols, (int)g->land->rows,
                       (int)g->land->cols);
    for (size_t i = 0; code == DONE && i < g->cells; i++)
        out[i] = isnan(raster.data[i]) ? 0 : raster.data[i];
    zm_raster_free(&raster);
    return code;
}

static int score_map(const judge *g, size_t k, const float *p, zm_growth_score *out)
{
    const uint8_t *const *masks = zm_observed_masks(g->observed);
    zm_error err;

    out->size = sizeof *out;
    return checked(zm_score_growth(masks[k - 1], masks[k], p, g->land->rows,
                                   g->land->cols, g->land->cell, ZM_GROWTH_WINDOW, out,
                                   &err),
                   &err);
}

static int score_date(judge *g, size_t k, const char *path)
{
    const zm_growth_prior prior = ZM_GROWTH_PRIOR_NINE_FIRES;
    const double *hours = zm_observed_hours(g->observed);
    scored_forecast *f = &g->scored[g->n];
    float *p = grow(NULL, 2 * g->cells, sizeof *p);
    size_t n;
    zm_error err;
    int code;

    *f = (scored_forecast){ .fire = g->name, .area = ZM_GROWTH_AREA_INIT };
    f->area.low = f->area.high = NAN;
    snprintf(f->date, sizeof f->date, "%s",
             zm_observed_perimeters(g->observed, &n)[k].observed);
    GO(read_probability(g, path, p));
    GO(score_map(g, k, p, &f->model));
    GO(checked(zm_growth_buffer(g->land, zm_observed_masks(g->observed)[k - 1],
                                hours[k] - hours[k - 1], &prior, p + g->cells, &err),
               &err));
    GO(score_map(g, k, p + g->cells, &f->buffer));
    g->n++;
done:
    free(p);
    return code;
}

static int score_dates(judge *g, const char *predicted)
{
    for (size_t k = 1; k < g->dates; k++) {
        char name[32];
        char *path;
        int code;

        snprintf(name, sizeof name, "growth-%02zu.tif", k + 1);
        if (!has_file(predicted, name))
            continue;
        path = path_in(predicted, name);
        code = score_date(g, k, path);
        free(path);
        TRY(code);
    }
    return g->n ? DONE
                : failure("%s: no growth-02.tif to growth-%02zu.tif in it", predicted,
                          g->dates);
}

int score_growth(const char *observed, const char *predicted, const char *json_path)
{
    judge g = { 0 };
    char *name = last_name(observed);
    json j = { 0 };
    int code;

    g.name = name;
    GO(observed_open(NULL, observed, &g.observed));
    zm_observed_perimeters(g.observed, &g.dates);
    g.land = zm_observed_landscape(g.observed);
    g.cells = (size_t)g.land->rows * (size_t)g.land->cols;
    if (!zm_observed_has_start(g.observed))
        GO(failure("%s: two dated perimeters are needed, or more", observed));
    g.scored = grow(NULL, g.dates, sizeof *g.scored);
    GO(score_dates(&g, predicted));
    if (!json_path || strcmp(json_path, "-") != 0)
        forecasts_print(g.scored, g.n);
    if (json_path) {
        json_open(&j, NULL, '{');
        json_text(&j, "observed", observed);
        json_text(&j, "predicted", predicted);
        forecasts_json(g.scored, g.n, &j);
        json_close(&j, '}');
        GO(json_save(&j, "--json ", json_path));
    }
done:
    free(g.scored);
    zm_observed_close(g.observed);
    free(name);
    return code;
}
