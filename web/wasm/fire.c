/* SPDX-License-Identifier: Apache-2.0
 * A landscape, burned as often as the page likes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fire/front/member.h"
#include "fire/front/model.h"
#include "page.h"
#include "zermelo/fire/ensemble.h"
#include "zermelo/fire/physics.h"
#include "zermelo/path.h"

typedef struct fire_page {
    zm_landscape land;
    zm_physics_opts opts;
    zm_physics *model;
    zm_fire fire;
    zm_physics_params params;
} fire_page;

/** layers: ZM_LAYERS addresses, 0 where one is not known; like `fuels` they stay where they are.
 *  NULL after a failure. */
fire_page *EXPORT(fire_open)(int32_t rows, int32_t cols, double cell, double latitude,
                             double station_elevation, const float *const *layers,
                             const zm_fuel *fuels, size_t n_fuels)
{
    fire_page *page = calloc(1, sizeof *page);

    if (!page)
        return NULL;
    page->land = (zm_landscape)ZM_LANDSCAPE_INIT;
    page->land.rows = rows;
    page->land.cols = cols;
    page->land.cell = cell;
    page->land.latitude = latitude;
    page->land.station_elevation = station_elevation;
    page->land.custom_fuels = fuels;
    page->land.n_custom_fuels = n_fuels;
    memcpy(page->land.layers, layers, sizeof page->land.layers);
    page->opts = (zm_physics_opts)ZM_PHYSICS_OPTS_INIT;
    page->fire = (zm_fire)ZM_FIRE_INIT;
    page->params = (zm_physics_params)ZM_PHYSICS_PARAMS_INIT;
    return page;
}

void EXPORT(fire_close)(fire_page *page)
{
    if (page)
        zm_physics_destroy(page->model);
    free(page);
}

/** A byte a cell: 1 where the fuel can burn. */
void EXPORT(fire_burnable)(const fire_page *page, uint8_t *mask)
{
    zm_landscape_burnable(&page->land, mask);
}

/** Bytes of a fuel model, so that the page can check how it lays them out. */
int32_t EXPORT(fire_fuel_bytes)(void)
{
    return (int32_t)sizeof(zm_fuel);
}

/** The model: crown, conditioning, foliar moisture, acceleration, smoothing, hindrance, enclosed,
 *  moisture classes, front. */
int32_t EXPORT(fire_model)(fire_page *page, const double of[9])
{
    zm_physics *model = NULL;
    zm_physics_opts opts = page->opts;
    zm_status st;

    opts.crown = (zm_crown_model)of[0];
    opts.conditioning = (int32_t)of[1];
    opts.foliar_moisture = of[2];
    opts.acceleration = of[3];
    opts.smoothing = of[4];
    opts.hindrance = of[5];
    opts.enclosed = (int32_t)of[6];
    opts.moisture_classes = (int32_t)of[7];
    opts.front = (zm_front_kind)of[8];
    st = zm_physics_create(&model, &page->land, &opts, &page_error);
    if (st < 0)
        return (int32_t)st;
    zm_physics_destroy(page->model);
    page->model = model;
    page->opts = opts;
    return (int32_t)st;
}

/** The fire: row, col, duration, month, day, hour, how far the sun is ahead, five moistures.  The
 *  hours of weather stay where they are. */
void EXPORT(fire_weather)(fire_page *page, const double of[12], const zm_weather_hour *weather,
                          size_t hours, const zm_weather_hour *earlier, size_t earlier_hours)
{
    page->fire.row = (int32_t)of[0];
    page->fire.col = (int32_t)of[1];
    page->fire.duration = of[2];
    page->fire.start_month = (int32_t)of[3];
    page->fire.start_day = (int32_t)of[4];
    page->fire.start_hour = of[5];
    page->fire.sun_ahead = of[6];
    page->fire.moisture = (zm_fuel_moisture){ of[7], of[8], of[9], of[10], of[11] };
    page->fire.weather = weather;
    page->fire.hours = hours;
    page->fire.earlier = earlier_hours ? earlier : NULL;
    page->fire.earlier_hours = earlier_hours;
}

/** Corrections; factors: ZM_FUEL_NUMBERS or NULL, barrier: a plane of hours or NULL. */
void EXPORT(fire_correct)(fire_page *page, double wind_factor, double moisture_offset,
                          const double *factors, const double *barrier)
{
    page->params.wind_factor = wind_factor;
    page->params.moisture_offset = moisture_offset;
    page->params.fuel_factor = factors;
    page->params.barrier = barrier;
}

/** Times to the horizon as zm_physics_burn has them; without sources the fire's own ignition. */
int32_t EXPORT(fire_burn)(fire_page *page, const zm_source *sources, size_t n_sources,
                          double horizon, float *T)
{
    return (int32_t)zm_physics_burn(page->model, &page->fire, &page->params,
                                    n_sources ? sources : NULL, n_sources, horizon, horizon,
                                    NULL, T, &page_error);
}

/** Points of the quickest way of the fire of the last fire_burn to a place, (row, col, time) each; 0
 *  where the front is not that of minimum travel times, -1 after a failure. */
int32_t EXPORT(fire_path)(fire_page *page, double row, double col, zm_path_point *points,
                          size_t capacity)
{
    zm_physics *p = page->model;
    size_t n = 0;
    zm_status st;

    if (!p->has_travel_time)
        return 0;
    st = zm_path(p->solver, 0, &p->problem, p->travel_time, row, col, points, capacity, &n,
                 NULL, NULL, &page_error);
    return st < 0 ? -1 : (int32_t)n;
}

/** What decides when the fire of the last fire_burn comes to assets: derivatives of their mean time
 *  with respect to log_rate, a plane. */
int32_t EXPORT(fire_sensitivity)(fire_page *page, const float *T, const uint8_t *assets,
                                 double *log_rate)
{
    const size_t n = (size_t)page->land.rows * (size_t)page->land.cols;
    zm_physics_change change = ZM_PHYSICS_CHANGE_INIT;
    double *times = malloc(n * sizeof *times);
    zm_status st = ZM_E_NOMEM;

    if (times) {
        for (size_t i = 0; i < n; i++)
            times[i] = T[i];
        memset(log_rate, 0, n * sizeof *log_rate);
        change.log_rate = log_rate;
        st = zm_physics_sensitivity(page->model, times, assets, &change, NULL, &page_error);
    }
    free(times);
    return (int32_t)st;
}

/* ---- ensembles ------------------------------------------------------------------------- */

static void *allocate(void *ctx, size_t bytes)
{
    (void)ctx;
    return malloc(bytes);
}

static void release(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

typedef struct member_run {
    zm_draws draws;
    zm_member given;
    double *T;
    uint32_t *reached;
    double t_max;
    const zm_source *sources;
    size_t n_sources;
} member_run;

static zm_status one_member(fire_page *page, member_run *run, int32_t number)
{
    const size_t n = (size_t)page->land.rows * (size_t)page->land.cols;
    zm_status st;

    zm_front_member_draw(&run->draws, number, &run->given);
    st = zm_physics_set_fire(page->model, &run->given.fire, &run->given.params, run->t_max,
                             &page_error);
    if (st >= 0)
        st = zm_physics_arrival(page->model, run->sources, run->n_sources, run->t_max, run->T,
                                &page_error);
    for (size_t i = 0; st >= 0 && i < n; i++)
        run->reached[i] += run->T[i] <= run->t_max;
    return st;
}

/**
 * Adds one to `reached` in every cell that a member reaches, for members first to first + n - 1 of
 * zm_ensemble_run with these options.
 *
 * @param of  members, seed, then the eight spreads of zm_ensemble_opts in their order
 */
int32_t EXPORT(fire_members)(fire_page *page, const double of[10], int32_t first, int32_t n,
                             const zm_source *sources, size_t n_sources, double t_max,
                             uint32_t *reached)
{
    const zm_alloc mem = { NULL, allocate, release };
    zm_ensemble_opts opts = ZM_ENSEMBLE_OPTS_INIT;
    member_run run = { .reached = reached,
                       .t_max = t_max,
                       .sources = n_sources ? sources : NULL,
                       .n_sources = n_sources };
    zm_status st;

    opts.members = (int32_t)of[0];
    opts.seed = (uint64_t)of[1];
    opts.wind_speed = of[2];
    opts.wind_dir = of[3];
    opts.temperature = of[4];
    opts.humidity = of[5];
    opts.moisture = of[6];
    opts.live_moisture = of[7];
    opts.rate = of[8];
    opts.ignition = of[9];
    run.T = malloc((size_t)page->land.rows * (size_t)page->land.cols * sizeof *run.T);
    if (!run.T)
        return (int32_t)ZM_E_NOMEM;
    st = zm_front_draws_open(&run.draws, &page->land, &page->fire, &page->params,
                             n_sources > 0, &opts, &mem, &page_error);
    if (st >= 0)
        st = zm_front_member_open(&run.draws, &run.given, &page_error);
    for (int32_t k = 0; st >= 0 && k < n; k++)
        st = one_member(page, &run, first + k);
    zm_front_member_close(&run.draws, &run.given);
    zm_front_draws_close(&run.draws);
    free(run.T);
    return (int32_t)st;
}
