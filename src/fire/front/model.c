/* SPDX-License-Identifier: Apache-2.0
 * The model of a landscape: making it, setting it to a fire, metric of a cell. */
#include "fire/front/model.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/month.h"
#include "core/options.h"
#include "fire/front/spotting.h"
#include "fire/science/canopy.h"
#include "fire/science/fuel_check.h"
#include "fire/science/units.h"

static const double LEAST_BASE = 0.01, LEAST_DENSITY = 0.01; /* under a canopy */
static const double SLOWEST = 1e-6; /* m/min: what is slower does not burn */
static const double LEAST_MOISTURE = 0.01;

static void fill_site(void *ctx, int32_t interval, int32_t row, int32_t col,
                      void *value)
{
    const zm_physics *p = ctx;
    const zm_bed *bed = &p->beds[zm_fuel_at(p, row, col)];
    const size_t cell = zm_cell_number(p, row, col);
    const zm_ground g = zm_ground_of_cell(&p->land, row, col);
    const zm_canopy canopy = zm_canopy_at(&p->land, cell);
    zm_site *site = value;

    (void)interval;
    *site = (zm_site){ .bed = bed->burns ? bed : NULL };
    if (!site->bed)
        return;
    site->wind_reduction = zm_wind_reduction(bed->depth, canopy.cover, canopy.height);
    site->aspect = g.slope > 0 ? g.aspect : 0;
    site->push = zm_slope_push_of(bed, tan(g.slope));
    site->crown_push = zm_slope_push_of(&p->crown_bed, tan(g.slope));
    site->cos_slope = cos(g.slope);
    site->sin_aspect = sin(site->aspect);
    site->cos_aspect = cos(site->aspect);
    if (canopy.cover > 0 && canopy.height > 0) {
        site->crown_base = fmax(canopy.base, LEAST_BASE);
        site->crown_density = fmax(canopy.density, LEAST_DENSITY);
        site->crown_load = canopy.density * fmax(canopy.height - canopy.base, 0);
    }
}

double zm_front_offset_moisture(const zm_physics *p, size_t cell, double moisture,
                                double *derivative)
{
    const zm_physics_params *q = &p->params;
    const double offset = q->moisture_offset + (q->wetness ? q->wetness[cell] : 0);
    const double m = moisture + offset / 100;

    *derivative = m > LEAST_MOISTURE ? 1 : 0;
    return fmax(m, LEAST_MOISTURE);
}

void zm_front_cell_inputs(const zm_hour_point *when, int32_t interval, int32_t row,
                          int32_t col, double input[ZM_CELL_INPUTS])
{
    const zm_physics *p = when->p;
    const size_t cell = zm_cell_number(p, row, col);
    const size_t last = p->fire.hours - 1;
    const zm_weather_hour *w =
        &p->weather[(size_t)interval < last ? (size_t)interval : last];
    const zm_physics_params *q = &p->params;
    double dead[ZM_DEAD], unused;

    zm_front_dead_moisture(when, interval, row, col, dead);
    for (int c = 0; c < ZM_DEAD; c++)
        input[ZM_IN_M1 + c] = zm_front_offset_moisture(p, cell, dead[c], &unused);
    input[ZM_IN_HERB] = p->fire.moisture.live_herb / 100;
    input[ZM_IN_WOODY] = p->fire.moisture.live_woody / 100;
    input[ZM_IN_WIND] = ZM_MPH_20FT_OF_KMH_10M * q->wind_factor * w->wind_speed;
    if (q->log_wind)
        input[ZM_IN_WIND] *= exp(q->log_wind[cell]);
    input[ZM_IN_WIND_DIR] = w->wind_dir * ZM_RADIANS;
    input[ZM_IN_LOG_RATE] = q->log_rate ? q->log_rate[cell] : 0;
    if (q->fuel_factor)
        input[ZM_IN_LOG_RATE] += p->log_factor[zm_fuel_at(p, row, col)];
    input[ZM_IN_ROTATION] = q->rotation ? q->rotation[cell] : 0;
    input[ZM_IN_ELONGATION] = q->elongation ? q->elongation[cell] : 0;
}

static void fill_jacobian(void *ctx, int32_t interval, int32_t row, int32_t col,
                          void *value)
{
    zm_physics *p = ctx;
    const zm_cell_metric *raw = zm_lazy_get(&p->raw, interval, row, col);
    const zm_site *site = zm_lazy_get(&p->sites, 0, row, col);
    double input[ZM_CELL_INPUTS];
    zm_jacobian *out = value;
    zm_dual metric[5];
    zm_shape shape;

    memset(out, 0, sizeof *out);
    if (!zm_burns(raw))
        return;
    zm_front_cell_inputs(&p->middle, interval, row, col, input);
    zm_spread_cell_shape(site, &p->rules, input, ZM_CELL_INPUTS, &shape);
    zm_spread_shape_metric(site, &shape, ZM_CELL_INPUTS, metric);
    for (int i = 0; i < 5; i++)
        memcpy(out->d[i], metric[i].d, sizeof out->d[i]);
}

void zm_front_metric_fill(void *ctx, int32_t interval, int32_t row, int32_t col,
                          void *value)
{
    const zm_hour_point *when = ctx;
    zm_physics *p = when->p;
    const zm_site *site = zm_lazy_get(&p->sites, 0, row, col);
    double input[ZM_CELL_INPUTS];
    zm_cell_metric *out = value;
    zm_dual metric[5];
    zm_shape shape;

    *out = (zm_cell_metric){ .s = 0 };
    if (!site->bed || zm_front_barred(p, zm_cell_number(p, row, col), interval))
        return;
    zm_front_cell_inputs(when, interval, row, col, input);
    zm_spread_cell_shape(site, &p->rules, input, 0, &shape);
    if (!(shape.head.v > SLOWEST))
        return;
    zm_spread_shape_metric(site, &shape, 0, metric);
    for (int i = 0; i < 5; i++)
        out->m[i] = metric[i].v;
    out->s = zm_slowness(out->m);
}

zm_status zm_front_metric_window(void *ctx, size_t interval, zm_window window,
                                 zm_window_values *values, zm_error *err)
{
    zm_physics *p = ctx;
    size_t i = 0;

    for (int32_t row = window.row; row < window.row + window.rows; row++)
        for (int32_t col = window.col; col < window.col + window.cols; col++, i++) {
            const zm_cell_metric *m =
                zm_lazy_get(&p->smooth, (int32_t)interval, row, col);

            values->stopped[i] = !zm_burns(m);
            zm_front_window_set(values, i, m->m);
        }
    if (zm_value_missing(p))
        return zm_fail(err, ZM_E_NOMEM, -1, "metrics of the fire");
    return ZM_OK;
}

static zm_status check_landscape(const zm_landscape *land, zm_error *err)
{
    enum { NEEDED = 5, ALL = 8 };
    static const char *const name[ALL] = { "elevation", "slope",  "aspect", "fuel",
                                           "cover",     "height", "base",   "density" };
    static const float least[ALL] = { -1000, 0, -361, -32768, 0, 0, 0, 0 };
    static const float most[ALL] = { 9000, 89, 361, 32767, 100, 200, 200, 10 };
    const size_t n = (size_t)land->rows * (size_t)land->cols;

    if (land->rows < 1 || land->cols < 1 || n >= (size_t)1 << 30)
        return zm_fail(err, ZM_E_ARG, -1, "landscape of %d x %d cells", (int)land->rows,
                       (int)land->cols);
    if (!(land->cell > 0 && land->cell < HUGE_VAL))
        return zm_fail(err, ZM_E_ARG, -1, "cell size %g m, must be > 0", land->cell);
    if (!(fabs(land->latitude) <= 90))
        return zm_fail(err, ZM_E_ARG, -1, "latitude %g, must be -90 to 90 degrees",
                       land->latitude);
    if (!(fabs(land->station_elevation) < 1e4))
        return zm_fail(err, ZM_E_ARG, -1, "station at %g m", land->station_elevation);
    for (int l = 0; l < ALL; l++) {
        if (l < NEEDED && !land->layers[l])
            return zm_fail(err, ZM_E_ARG, -1, "landscape has no layer %s", name[l]);
        for (size_t i = 0; land->layers[l] && i < n; i++)
            if (!(land->layers[l][i] >= least[l] && land->layers[l][i] <= most[l]))
                return zm_fail(err, ZM_E_ARG, (int64_t)i,
                               "%s %g at cell %zu, must be %g to %g", name[l],
                               (double)land->layers[l][i], i, (double)least[l],
                               (double)most[l]);
    }
    return ZM_OK;
}

zm_status zm_physics_emulate(zm_physics_opts *opts, zm_emulation emulation,
                             zm_error *err)
{
    const zm_physics_opts usual = ZM_PHYSICS_OPTS_INIT;
    const bool farsite = emulation == ZM_EMULATE_FARSITE;

    if (!farsite && emulation != ZM_EMULATE_NONE)
        return zm_fail(err, ZM_E_ARG, -1, "emulation %d, must be a zm_emulation",
                       (int)emulation);
    opts->smoothing = farsite ? usual.smoothing : 0;
    opts->hindrance = farsite ? usual.hindrance : 0;
    opts->enclosed = farsite ? usual.enclosed : 0;
    opts->moisture_classes = farsite ? usual.moisture_classes : 0;
    return ZM_OK;
}

static zm_status check_options(const zm_physics_opts *o, bool embers, zm_error *err)
{
    if (!(o->acceleration > 0))
        return zm_fail(err, ZM_E_ARG, -1, "acceleration %g per min, must be > 0",
                       o->acceleration);
    if (!(o->smoothing >= 0 && o->smoothing <= 0.8))
        return zm_fail(err, ZM_E_ARG, -1, "smoothing %g cells, must be 0 to 0.8",
                       o->smoothing);
    if (!(o->hindrance >= 0 && o->hindrance < HUGE_VAL))
        return zm_fail(err, ZM_E_ARG, -1, "hindrance %g, must be >= 0", o->hindrance);
    if (o->enclosed < 0 || o->enclosed > 8)
        return zm_fail(err, ZM_E_ARG, -1, "enclosed by %d neighbours, must be 0 to 8",
                       (int)o->enclosed);
    if (o->crown != ZM_CROWN_NONE && o->crown != ZM_CROWN_FINNEY &&
        o->crown != ZM_CROWN_SCOTT_REINHARDT)
        return zm_fail(err, ZM_E_ARG, -1, "crown %d, must be a zm_crown_model",
                       (int)o->crown);
    if (o->front != ZM_FRONT_TRAVEL_TIME && o->front != ZM_FRONT_MARKERS)
        return zm_fail(err, ZM_E_ARG, -1, "front %d, must be a zm_front_kind",
                       (int)o->front);
    if (embers && o->front == ZM_FRONT_MARKERS)
        return zm_fail(
            err, ZM_E_ARG, -1,
            "spotting goes with minimum travel times, not with markers, whose "
            "fronts do not know of each other");
    if (!(o->foliar_moisture >= 0 && o->foliar_moisture < 1000))
        return zm_fail(err, ZM_E_ARG, -1, "foliar moisture %g %%, must be 0 to 1000",
                       o->foliar_moisture);
    return ZM_OK;
}

static zm_status make_beds(zm_physics *p, zm_error *err)
{
    for (int32_t k = 0; k < ZM_FUEL_NUMBERS; k++) {
        const zm_fuel *fuel = zm_landscape_fuel(&p->land, k);
        const zm_status st = fuel ? zm_fuel_check(fuel, err) : ZM_OK;

        if (st != ZM_OK)
            return st;
        if (fuel)
            zm_bed_make(fuel, &p->beds[k]);
    }
    zm_bed_make(zm_fuel_published(10), &p->crown_bed);
    p->rules = (zm_fire_rules){ p->opts.crown, p->opts.foliar_moisture, &p->crown_bed };
    return ZM_OK;
}

static zm_status make_solver(zm_physics *p, zm_error *err)
{
    const zm_grid grid = { p->land.rows, p->land.cols, p->land.cell, p->land.cell };
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;

    opts.mem = p->opts.mem;
    p->travel_time = zm_block(&p->mem, (size_t)grid.rows * (size_t)grid.cols,
                              sizeof *p->travel_time);
    if (!p->travel_time)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for the times of a fire");
    return zm_solver_create(&p->solver, grid, ZM_F64, &opts, err);
}

zm_status zm_physics_create(zm_physics **out, const zm_landscape *landscape,
                            const zm_physics_opts *opts, zm_error *err)
{
    zm_physics_opts o = ZM_PHYSICS_OPTS_INIT;
    zm_spotting_opts spotting = ZM_SPOTTING_OPTS_INIT;
    zm_landscape land = ZM_LANDSCAPE_INIT;
    zm_physics *p;
    zm_alloc mem;
    zm_status st;

    *out = NULL;
    st = zm_options_read(&o, sizeof o, opts, "zm_physics_opts", err);
    if (st == ZM_OK)
        st = zm_options_read(&spotting, sizeof spotting, o.spotting, "zm_spotting_opts",
                             err);
    if (st == ZM_OK)
        st = zm_front_spotting_check(&spotting, err);
    if (st == ZM_OK)
        st = check_options(&o, spotting.probability > 0, err);
    if (st == ZM_OK)
        st = landscape
                 ? zm_options_read(&land, sizeof land, landscape, "zm_landscape", err)
                 : zm_fail(err, ZM_E_ARG, -1, "no landscape");
    if (st == ZM_OK)
        st = check_landscape(&land, err);
    if (st != ZM_OK)
        return st;
    mem = zm_alloc_or_default(&o.mem);
    p = zm_zalloc(&mem, 1, sizeof *p);
    if (!p)
        return zm_fail(err, ZM_E_NOMEM, -1, "physics handle");
    p->mem = mem;
    p->land = land;
    p->opts = o;
    p->opts.spotting = NULL;
    p->spotting = spotting;
    p->middle = (zm_hour_point){ p, 0.5 };
    ZM_GO(make_beds(p, err));
    if (o.moisture_classes)
        p->classes = zm_ground_classes_of(&p->land);
    ZM_GO(zm_front_lazy_open(&p->sites, &p->mem, p->land.rows, p->land.cols, 1,
                             sizeof(zm_site), fill_site, p, err));
    p->walls = zm_block(&p->mem, (size_t)p->land.rows * (size_t)p->land.cols, 1);
    if (!p->walls)
        ZM_GO(zm_fail(err, ZM_E_NOMEM, -1, "walls of the landscape"));
    ZM_GO(make_solver(p, err));
    *out = p;
    return ZM_OK;
done:
    zm_physics_destroy(p);
    return st;
}

static void drop_fire(zm_physics *p)
{
    if (p->sites.failed)
        zm_front_lazy_clear(&p->sites);
    zm_front_lazy_close(&p->moisture);
    zm_front_lazy_close(&p->raw);
    zm_front_lazy_close(&p->nodes);
    zm_front_lazy_close(&p->smooth);
    zm_front_lazy_close(&p->jacobian);
    zm_release(&p->mem, p->all_weather);
    zm_release(&p->mem, p->fire_sources);
    zm_release(&p->mem, p->sun);
    zm_release(&p->mem, p->starts);
    zm_release(&p->mem, p->sources);
    zm_release(&p->mem, p->enclosed);
    p->enclosed = NULL;
    p->n_enclosed = 0;
    p->all_weather = p->weather = NULL;
    p->fire_sources = NULL;
    p->sun = NULL;
    p->starts = NULL;
    p->sources = NULL;
    p->has_fire = p->has_times = p->has_travel_time = false;
}

void zm_physics_destroy(zm_physics *p)
{
    if (p) {
        const zm_alloc mem = p->mem;

        drop_fire(p);
        zm_front_lazy_close(&p->sites);
        zm_solver_destroy(p->solver);
        zm_release(&mem, p->travel_time);
        zm_release(&mem, p->walls);
        zm_release(&mem, p);
    }
}

static bool between(double x, double low, double high)
{
    return x >= low && x <= high;
}

static zm_status check_weather(const char *what, const zm_weather_hour *weather,
                               size_t n, zm_error *err)
{
    for (size_t k = 0; k < n; k++) {
        const zm_weather_hour *w = &weather[k];

        if (!between(w->temperature, -60, 70) || !between(w->humidity, 0, 100) ||
            !between(w->wind_speed, 0, 400) || !between(w->wind_dir, -720, 720) ||
            !between(w->cloud, 0, 100) || !between(w->rain, 0, 1000))
            return zm_fail(err, ZM_E_ARG, -1,
                           "%s %zu is out of range: %g C, %g %%, %g km/h from "
                           "%g degrees, %g %% cloud, %g mm",
                           what, k, w->temperature, w->humidity, w->wind_speed,
                           w->wind_dir, w->cloud, w->rain);
    }
    return ZM_OK;
}

static zm_status check_fire(const zm_physics *p, const zm_fire *fire, double horizon,
                            zm_error *err)
{
    const zm_fuel_moisture *m = &fire->moisture;
    const double moisture[5] = { m->dead_1h, m->dead_10h, m->dead_100h, m->live_herb,
                                 m->live_woody };

    if (!(horizon > 0 && horizon <= ZM_MOST_FIRE_HOURS))
        return zm_fail(err, ZM_E_ARG, -1, "horizon %g h, must be > 0 and at most %d",
                       horizon, ZM_MOST_FIRE_HOURS);
    if (fire->row < -1 || fire->col < -1 || (fire->row < 0) != (fire->col < 0) ||
        fire->row >= p->land.rows || fire->col >= p->land.cols)
        return zm_fail(err, ZM_E_ARG, -1,
                       "ignition at row %d, column %d of %d x %d cells", (int)fire->row,
                       (int)fire->col, (int)p->land.rows, (int)p->land.cols);
    if (!zm_start_exists(fire->start_month, fire->start_day, fire->start_hour))
        return zm_fail(err, ZM_E_ARG, -1,
                       "fire starts in month %d, on day %d at hour %g: no such time",
                       (int)fire->start_month, (int)fire->start_day, fire->start_hour);
    for (int i = 0; i < 5; i++)
        if (!between(moisture[i], 0.1, 1000))
            return zm_fail(err, ZM_E_ARG, -1,
                           "fuel moisture %g %%, must be 0.1 to 1000", moisture[i]);
    if (!between(fire->sun_ahead, -24, 24))
        return zm_fail(err, ZM_E_ARG, -1, "sun %g h ahead, must be -24 to 24",
                       fire->sun_ahead);
    if (fire->n_sources > 0 && !fire->sources)
        return zm_fail(err, ZM_E_ARG, -1, "fire of %zu sources that are NULL",
                       fire->n_sources);
    if (fire->hours < 1 || !fire->weather)
        return zm_fail(err, ZM_E_ARG, -1, "fire without weather");
    if (fire->earlier_hours > ZM_MOST_EARLIER_HOURS ||
        (fire->earlier_hours > 0 && !fire->earlier))
        return zm_fail(
            err, ZM_E_ARG, -1,
            "weather of %zu hours before the fire, must be there and at most "
            "%d",
            fire->earlier_hours, ZM_MOST_EARLIER_HOURS);
    ZM_TRY(check_weather("weather of hour", fire->weather, fire->hours, err));
    return check_weather("weather before the fire, hour", fire->earlier,
                         fire->earlier_hours, err);
}

static zm_status check_params(const zm_physics *p, const zm_physics_params *q,
                              zm_error *err)
{
    const size_t n = (size_t)p->land.rows * (size_t)p->land.cols;
    enum { PLANES = 5 };
    const double *const plane[PLANES] = { q->log_rate, q->rotation, q->elongation,
                                          q->log_wind, q->wetness };
    static const char *const name[PLANES] = { "log_rate", "rotation", "elongation",
                                              "log_wind", "wetness" };
    static const double most[PLANES] = { 14, 100, 5, 5, 100 };

    if (!between(q->wind_factor, 0, 100) || !between(q->moisture_offset, -100, 100))
        return zm_fail(err, ZM_E_ARG, -1, "wind factor %g, moisture offset %g %%",
                       q->wind_factor, q->moisture_offset);
    for (int k = 0; q->fuel_factor && k < ZM_FUEL_NUMBERS; k++)
        if (!between(q->fuel_factor[k], 1e-6, 1e6))
            return zm_fail(err, ZM_E_ARG, -1,
                           "factor %g of fuel model %d, must be 1e-6 to 1e6",
                           q->fuel_factor[k], k);
    for (int l = 0; l < PLANES; l++)
        for (size_t i = 0; plane[l] && i < n; i++)
            if (!(fabs(plane[l][i]) <= most[l]))
                return zm_fail(err, ZM_E_ARG, (int64_t)i,
                               "%s %g at cell %zu, must be within %g", name[l],
                               plane[l][i], i, most[l]);
    for (size_t i = 0; q->barrier && i < n; i++)
        if (isnan(q->barrier[i]))
            return zm_fail(err, ZM_E_ARG, (int64_t)i,
                           "barrier from hour nan on at cell %zu, must be a time, or "
                           "INFINITY for none",
                           i);
    return ZM_OK;
}

/* The sun so many hours, also negative ones, after the start; without leap days. */
static zm_sun sun_in_hour(const zm_physics *p, int32_t hours)
{
    const double hour = p->fire.start_hour + p->fire.sun_ahead + hours;
    const double days = floor(hour / 24);
    const int32_t day =
        zm_day_of_year(p->fire.start_month, p->fire.start_day) + (int32_t)days - 1;

    return zm_sun_at((day % 365 + 365) % 365 + 1, hour - 24 * days, p->land.latitude);
}

/* The hours before the fire come first. */
static zm_status set_climate(zm_physics *p, int32_t intervals, zm_error *err)
{
    const zm_fuel_moisture *m = &p->fire.moisture;
    const size_t earlier = p->fire.earlier_hours, hours = earlier + p->fire.hours;
    const int32_t all = intervals + (int32_t)earlier;

    p->all_weather = zm_block(&p->mem, hours, sizeof *p->all_weather);
    p->sun = zm_block(&p->mem, (size_t)all, sizeof *p->sun);
    p->starts = zm_block(&p->mem, (size_t)intervals, sizeof *p->starts);
    if (!p->all_weather || !p->sun || !p->starts)
        return zm_fail(err, ZM_E_NOMEM, -1, "weather of %zu hours", hours);
    p->weather = p->all_weather + earlier;
    if (earlier > 0)
        memcpy(p->all_weather, p->fire.earlier, earlier * sizeof *p->weather);
    memcpy(p->weather, p->fire.weather, p->fire.hours * sizeof *p->weather);
    p->fire.weather = p->weather;
    p->fire.earlier = p->all_weather;
    for (int32_t k = 0; k < all; k++)
        p->sun[k] = sun_in_hour(p, k - (int32_t)earlier);
    for (int32_t k = 0; k < intervals; k++)
        p->starts[k] = k;
    p->climate =
        (zm_climate){ p->all_weather,
                      hours,
                      all,
                      p->sun,
                      p->land.station_elevation,
                      { m->dead_1h / 100, m->dead_10h / 100, m->dead_100h / 100 } };
    return ZM_OK;
}

static zm_status copy_sources(zm_physics *p, zm_error *err)
{
    const size_t n = p->fire.n_sources;

    p->fire.sources = NULL;
    if (n == 0)
        return ZM_OK;
    p->fire_sources = zm_block(&p->mem, n, sizeof *p->fire_sources);
    if (!p->fire_sources)
        return zm_fail(err, ZM_E_NOMEM, -1, "%zu sources", n);
    p->fire.sources = p->fire_sources;
    return ZM_OK;
}

double zm_fire_end(const zm_fire *fire)
{
    return fire->duration > 0 && fire->duration < HUGE_VAL ? fire->duration
                                                           : (double)fire->hours;
}

double zm_fire_map_end(const zm_fire *fire)
{
    const double end = zm_fire_end(fire);

    return end == fire->duration ? 1.25 * end : end;
}

zm_status zm_physics_set_fire(zm_physics *p, const zm_fire *fire,
                              const zm_physics_params *params, double horizon,
                              zm_error *err)
{
    const int32_t rows = p->land.rows, cols = p->land.cols;
    zm_physics_params q = ZM_PHYSICS_PARAMS_INIT;
    zm_fire f = ZM_FIRE_INIT;
    int32_t intervals;
    zm_status st;

    ZM_GO(zm_options_read(&q, sizeof q, params, "zm_physics_params", err));
    ZM_GO(zm_options_read(&f, sizeof f, fire, "zm_fire", err));
    ZM_GO(check_fire(p, &f, horizon, err));
    ZM_GO(check_params(p, &q, err));
    drop_fire(p);
    intervals = (int32_t)ceil(horizon);
    p->fire = f;
    p->params = q;
    for (int k = 0; q.fuel_factor && k < ZM_FUEL_NUMBERS; k++)
        p->log_factor[k] = log(q.fuel_factor[k]);
    ZM_GO(copy_sources(p, err));
    if (f.n_sources > 0)
        memcpy(p->fire_sources, f.sources, f.n_sources * sizeof *f.sources);
    ZM_GO(set_climate(p, intervals, err));
    ZM_GO(zm_front_moisture_open(p, err));
    ZM_GO(zm_front_lazy_open(&p->raw, &p->mem, rows, cols, intervals,
                             sizeof(zm_cell_metric), zm_front_metric_fill, &p->middle,
                             err));
    ZM_GO(zm_front_nodes_open(p, err));
    zm_smooth_init(&p->smoother, p->opts.smoothing, p->opts.hindrance, &p->raw);
    ZM_GO(zm_front_lazy_open(&p->smooth, &p->mem, rows, cols, intervals,
                             sizeof(zm_cell_metric), zm_smooth_fill, &p->smoother,
                             err));
    ZM_GO(zm_front_lazy_open(&p->jacobian, &p->mem, rows, cols, intervals,
                             sizeof(zm_jacobian), fill_jacobian, p, err));
    p->has_fire = true;
    return ZM_OK;
done:
    drop_fire(p);
    return st;
}

int32_t zm_physics_hours(const zm_physics *p)
{
    return p->has_fire ? zm_front_hours(p) : 0;
}
