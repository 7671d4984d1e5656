/* SPDX-License-Identifier: Apache-2.0
 * One fire of zermelo fire physics: its times, its map and its pictures. */
#include "fire/burning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/message.h"
#include "common/picture.h"
#include "fire/fire_picture.h"
#include "zermelo/fire/edits.h"
#include "fire/spotting_options.h"
#include "fire/ways.h"

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static zm_time start_of(const zm_fire *fire)
{
    return (zm_time){ fire->start_year, fire->start_month, fire->start_day,
                      fire->start_hour, fire->clock_ahead };
}

/* Dates of barriers count from the start of each fire. */
static int raise_barriers(burning *b, const zm_fire *fire)
{
    const zm_time start = start_of(fire);
    zm_error err;

    if (!b->s->barriers)
        return DONE;
    b->barrier = grow(b->barrier, b->cells, sizeof *b->barrier);
    b->model.params.barrier = b->barrier;
    if (zm_barriers_read(b->s->barriers, &start, &b->model.land, b->where, b->barrier,
                         &err) < 0)
        return failure("--barriers %s", err.text);
    return DONE;
}

int burning_treat(burning *b)
{
    zm_landscape *land = &b->model.land;
    const size_t n = (size_t)land->rows * (size_t)land->cols;
    float *layers[ZM_LAYERS] = { NULL };
    int64_t cells;
    zm_error err;

    if (!b->s->treatments)
        return DONE;
    b->treated = grow(NULL, ZM_LAYERS * n, sizeof *b->treated);
    for (size_t k = 0; k < ZM_LAYERS; k++)
        if (land->layers[k]) {
            layers[k] = b->treated + k * n;
            memcpy(layers[k], land->layers[k], n * sizeof *layers[k]);
            land->layers[k] = layers[k];
        }
    if (zm_treatments_apply(b->s->treatments, land, b->where, layers, &cells, &err) < 0)
        return failure("--treatments %s", err.text);
    note("treatments change %lld cells", (long long)cells);
    return DONE;
}

int burning_solve(burning *b, const zm_fire *fire, const zm_source *sources, size_t n,
                  double horizon, double t_max)
{
    const double started = processor_seconds();
    double seconds;
    zm_error err;
    zm_status st;

    TRY(raise_barriers(b, fire));
    st = zm_physics_burn(b->physics, fire, &b->model.params, sources, n, horizon, t_max,
                         b->whole, b->T, &err);
    if (st < 0)
        return failure("%s: %s", fire->name ? fire->name : "fire", err.text);
    if (st > 0)
        warning("%s: %s", fire->name ? fire->name : "fire", err.text);
    seconds = processor_seconds() - started;
    b->seconds += seconds;
    b->slowest = fmax(b->slowest, seconds);
    spotting_tell(&b->s->model, b->physics);
    return DONE;
}

/* Cells with a time, and the latest of them. */
static size_t reached(const burning *b, double *latest)
{
    size_t n = 0;

    *latest = 0;
    for (size_t i = 0; i < b->cells; i++)
        if (b->whole[i] < INFINITY) {
            *latest = fmax(*latest, (double)b->whole[i]);
            n++;
        }
    return n;
}

int burning_solve_all(burning *b, const zm_fire *fire, double horizon, double t_max)
{
    /* When the weather is over days are alike: two of them without a new cell are the end. */
    const double steady = (double)fire->hours + 48;
    double end = fmin(horizon, ZM_MOST_FIRE_HOURS), latest;
    size_t before = 0, now;

    for (;;) {
        TRY(burning_solve(b, fire, NULL, 0, end, fmin(t_max, end)));
        now = reached(b, &latest);
        if (end >= ZM_MOST_FIRE_HOURS || (now == before && end > steady))
            break;
        before = now;
        end = fmin(2 * end, ZM_MOST_FIRE_HOURS);
    }
    note("%s: the last of %zu cells burns at %.1f h%s", fire->name, now, latest,
         end >= ZM_MOST_FIRE_HOURS ? ", which is as far as fires go" : "");
    return DONE;
}

int burning_save_map(const burning *b, const char *name, const float *T)
{
    return b->s->out ? times_save(b->s->out, name, &b->model.land, b->where, T) : DONE;
}

size_t burning_dates(const burning *b)
{
    return zm_observed_until(b->observed, b->s->t_max > 0 ? b->s->t_max : INFINITY);
}

#if defined(ZM_WITH_CAIRO)
/* What is known of the fire up to t_max into b->truth; false: nothing is. */
static bool read_truth(burning *b, const zm_fire *fire, double t_max)
{
    const size_t i = b->scene ? zm_scene_find(b->scene, fire->name) : 0;

    if (b->observed)
        zm_observed_times(b->observed, b->truth);
    else if (!zm_scene_has_arrival(b->scene, i) ||
             zm_scene_arrival(b->scene, i, b->truth, NULL) < 0)
        return false;
    for (size_t k = 0; k < b->cells; k++)
        if ((double)b->truth[k] > t_max)
            b->truth[k] = INFINITY;
    return true;
}

/* The fire, with what is known of it as perimeters. */
static int save_picture(burning *b, const zm_fire *fire, const char *name, double t_max)
{
    const size_t n = b->observed ? burning_dates(b) : 0;
    double *dates = grow(NULL, n + 1, sizeof *dates);
    const fire_view view = { .land = &b->model.land,
                             .title = name,
                             .row = fire->row,
                             .col = fire->col,
                             .truth = read_truth(b, fire, t_max) ? b->truth : NULL,
                             .predicted = b->T,
                             .t_max = t_max,
                             .dates = b->observed ? dates : NULL,
                             .n_dates = n };
    int code;

    for (size_t k = 0; k < n; k++)
        dates[k] = zm_observed_hour(b->observed, k);
    code = fire_picture_save(b->s->plot, &view);
    free(dates);
    return code;
}
#endif

int burning_save_views(burning *b, const zm_fire *fire, const char *name, double t_max)
{
    (void)fire, (void)name; /* without Cairo */
    if (b->s->isochrones)
        TRY(isochrones_save(b->s->isochrones, &b->model.land, b->where, fire, b->T, t_max,
                            b->s->step));
    if (b->s->ways)
        TRY(ways_save(b));
#if defined(ZM_WITH_CAIRO)
    if (b->s->plot)
        TRY(save_picture(b, fire, name, t_max));
#endif
    return DONE;
}
