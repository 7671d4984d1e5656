/* SPDX-License-Identifier: Apache-2.0
 * A synthetic scene: landscape, weather, fires grown on a finer grid. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/options.h"
#include "core/random.h"
#include "fire/data/geo/position.h"
#include "fire/data/scene_write.h"
#include "fire/data/synthetic/world.h"

/* The made-up place: UTM zone 29 north, inland of Portugal. */
enum { EPSG = 32629 };
#define EAST_M      600000.0
#define NORTH_M     4500000.0
#define MOST_HOURS  48
#define LEAST_HOURS 1.0
/* How many ignitions are tried for one fire that is good enough. */
enum { TRIES = 60 };

typedef struct simulation {
    zm_simulate_opts opts;
    const char *folder, *name;
    zm_georeference where;
    zm_world world;
    zm_growth *growth;
    uint8_t *burnable;
    zm_fire_record *fires;
    char (*names)[24];
    float *T;
} simulation;

static zm_status check_simulate_opts(const zm_simulate_opts *o, zm_error *err)
{
    if (o->rows < 40 || o->cols < 40 || o->rows > 4000 || o->cols > 4000)
        return zm_fail(err, ZM_E_ARG, -1, "simulate: %d x %d cells, must be 40 to 4000",
                       o->rows, o->cols);
    if (!(o->cell >= 5 && o->cell <= 500))
        return zm_fail(err, ZM_E_ARG, -1, "simulate: cells of %g m, must be 5 to 500",
                       o->cell);
    if (o->fires < 1 || o->fires > 9999)
        return zm_fail(err, ZM_E_ARG, -1, "simulate: %d fires, must be 1 to 9999",
                       o->fires);
    if (o->finer < 1 || o->finer > 4)
        return zm_fail(err, ZM_E_ARG, -1, "simulate: %d times finer, must be 1 to 4",
                       o->finer);
    return ZM_OK;
}

static zm_status prepare(simulation *s, zm_error *err)
{
    const zm_simulate_opts *o = &s->opts;
    const size_t n = (size_t)o->rows * (size_t)o->cols;
    double longitude;

    ZM_TRY(zm_world_make(o->rows, o->cols, o->cell, o->seed, &s->world, err));
    s->where = (zm_georeference){ { EAST_M, o->cell, 0, NORTH_M, 0, -o->cell },
                                  zm_geo_wkt(EPSG) };
    s->burnable = malloc(n);
    s->T = malloc(n * sizeof *s->T);
    s->fires = calloc((size_t)o->fires, sizeof *s->fires);
    s->names = calloc((size_t)o->fires, sizeof *s->names);
    if (!s->burnable || !s->T || !s->fires || !s->names || !s->where.wkt)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu cells", n);
    ZM_TRY(zm_georeference_place(&s->where, 0.5 * o->rows, 0.5 * o->cols,
                                 &s->world.land.latitude, &longitude, err));
    zm_landscape_burnable(&s->world.land, s->burnable);
    return zm_growth_create(&s->growth, &s->world, o->finer, err);
}

/* ---- one fire --------------------------------------------------------------------- */

/* A burnable cell away from the edge with mostly burnable cells about it. */
static bool draw_ignition(const simulation *s, uint64_t *state, zm_fire *fire)
{
    enum { TRIES_HERE = 400, ABOUT = 3 };
    const int32_t rows = s->opts.rows, cols = s->opts.cols;

    for (int i = 0; i < TRIES_HERE; i++) {
        const int32_t r = (int32_t)zm_random_between(state, 0.15 * rows, 0.85 * rows);
        const int32_t c = (int32_t)zm_random_between(state, 0.15 * cols, 0.85 * cols);
        int burns = 0;

        for (int32_t y = r - ABOUT; y <= r + ABOUT; y++)
            for (int32_t x = c - ABOUT; x <= c + ABOUT; x++)
                burns += s->burnable[y * cols + x];
        if (s->burnable[r * cols + c] &&
            5 * burns >= 4 * (2 * ABOUT + 1) * (2 * ABOUT + 1)) {
            fire->row = r;
            fire->col = c;
            return true;
        }
    }
    return false;
}

static void draw_conditions(zm_fire *fire, zm_weather_hour *weather, uint64_t *state)
{
    const double dry = floor(zm_random_between(state, 4, 10));

    fire->start_month = 6 + (int32_t)zm_random_below(state, 4);
    fire->start_day = 1 + (int32_t)zm_random_below(state, 28);
    fire->start_hour = (double)(9 + zm_random_below(state, 10));
    fire->moisture = (zm_fuel_moisture){ dry, dry + 1, dry + 3,
                                         floor(zm_random_between(state, 40, 110)),
                                         floor(zm_random_between(state, 70, 140)) };
    zm_world_weather_draw(weather, MOST_HOURS, fire->start_hour,
                          zm_random_unit(state) < 0.36, state);
    fire->weather = weather;
    fire->hours = MOST_HOURS;
}

/* The time at which fire comes to the border; later ones would be cut by it. */
static double time_at_border(const simulation *s)
{
    const int32_t rows = s->opts.rows, cols = s->opts.cols;
    double first = INFINITY;

    for (int32_t i = 0; i < rows * cols; i++)
        if (i < cols || i >= (rows - 1) * cols || i % cols == 0 || i % cols == cols - 1)
            first = fmin(first, (double)s->T[i]);
    return first;
}

/* Cuts the map at a time of quarter hours; its number of burned cells. */
static int64_t cut(simulation *s, zm_fire *fire)
{
    const int32_t n = s->opts.rows * s->opts.cols;
    const double border = time_at_border(s);
    double last = 0;
    int64_t burned = 0;

    for (int32_t i = 0; i < n; i++)
        if (isfinite(s->T[i]))
            last = fmax(last, (double)s->T[i]);
    fire->duration = floor(4 * fmin(last, border)) / 4;
    for (int32_t i = 0; i < n; i++) {
        if (!((double)s->T[i] <= fire->duration))
            s->T[i] = INFINITY;
        burned += isfinite(s->T[i]) ? 1 : 0;
    }
    return burned;
}

static zm_status grow_fire(simulation *s, size_t k, zm_weather_hour *weather,
                           zm_error *err)
{
    const int64_t cells = (int64_t)s->opts.rows * s->opts.cols;
    const int64_t least = cells / 100 > 400 ? 400 : cells / 100;
    zm_fire *fire = &s->fires[k].fire;
    uint64_t state = zm_random_mix(s->opts.seed * 7919 + k + 1);

    (void)snprintf(s->names[k], sizeof s->names[k], "f%04zu", k + 1);
    fire->name = s->names[k];
    for (int i = 0; i < TRIES; i++) {
        const double share = exp(zm_random_between(&state, log(0.02), log(0.12)));

        if (!draw_ignition(s, &state, fire))
            break;
        draw_conditions(fire, weather, &state);
        ZM_TRY(zm_growth_run(s->growth, fire, MOST_HOURS,
                             (int64_t)(share * (double)cells), s->T, err));
        s->fires[k].burned = cut(s, fire);
        if (s->fires[k].burned >= least && fire->duration >= LEAST_HOURS)
            return ZM_OK;
    }
    return zm_fail(err, ZM_E_ARG, -1,
                   "simulate: no fire of %lld cells came about; try another seed or a "
                   "larger landscape",
                   (long long)least);
}

static zm_status grow_fires(simulation *s, zm_error *err)
{
    zm_weather_hour *weather =
        malloc((size_t)s->opts.fires * MOST_HOURS * sizeof *weather);
    const char **splits = malloc((size_t)s->opts.fires * sizeof *splits);
    const size_t n = (size_t)s->opts.fires;
    zm_status st =
        weather && splits ? ZM_OK : zm_fail(err, ZM_E_NOMEM, -1, "no memory for fires");

    for (size_t k = 0; st >= 0 && k < n; k++) {
        st = grow_fire(s, k, weather + k * MOST_HOURS, err);
        if (st >= 0)
            st = zm_scene_arrival_write(s->folder, s->names[k], s->T, &s->world.land,
                                        &s->where, err);
        if (st >= 0 && s->opts.progress &&
            s->opts.progress(s->opts.progress_ctx, (double)(k + 1) / (double)n))
            st = zm_fail(err, ZM_E_CANCELLED, -1, "cancelled after %zu fires", k + 1);
    }
    if (st >= 0) {
        zm_scene_splits_draw(n, s->opts.seed, splits);
        for (size_t k = 0; k < n; k++) {
            const double hours = ceil(s->fires[k].fire.duration) + 1;

            s->fires[k].split = splits[k];
            if (hours < MOST_HOURS)
                s->fires[k].fire.hours = (size_t)hours;
        }
        st = zm_fires_write(s->folder, s->fires, n, err);
    }
    free(splits);
    free(weather);
    return st;
}

zm_status zm_simulate_scene(const char *folder, const zm_simulate_opts *opts,
                            zm_error *err)
{
    simulation s = { .opts = ZM_SIMULATE_OPTS_INIT, .folder = folder };
    const char *slash;
    zm_status st;

    if (!folder || !*folder)
        return zm_fail(err, ZM_E_ARG, -1, "zm_simulate_scene needs a folder");
    slash = strrchr(folder, '/');
    s.name = slash && slash[1] ? slash + 1 : folder;
    ZM_GO(zm_options_read(&s.opts, sizeof s.opts, opts, "zm_simulate_opts", err));
    ZM_GO(check_simulate_opts(&s.opts, err));
    ZM_GO(prepare(&s, err));
    ZM_GO(zm_scene_ground_write(folder, s.name, &s.world.land, &s.where, err));
    ZM_GO(grow_fires(&s, err));
done:
    zm_growth_destroy(s.growth);
    zm_world_free(&s.world);
    free((char *)(uintptr_t)s.where.wkt);
    free(s.burnable);
    free(s.fires);
    free(s.names);
    free(s.T);
    return st;
}
