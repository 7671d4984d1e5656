/* SPDX-License-Identifier: Apache-2.0
 * Derivatives between the inputs of a fire and its metrics: inputs of a cell <- weather,
 * moisture, corrections; raw metric <- inputs of the cell; smoothed metric <- raw ones. */
#include "fire/front/change.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/options.h"
#include "fire/science/units.h"

static const zm_weather_hour *change_in(const zm_change_pass *pass, int32_t interval)
{
    const size_t last = pass->p->fire.hours - 1;

    return &pass->weather[(size_t)interval < last ? (size_t)interval : last];
}

/* Whether the offset moves the moisture of the classes (it does not where it is cut off). */
static void moves(zm_physics *p, int32_t interval, int32_t row, int32_t col,
                  double by_offset[ZM_DEAD])
{
    const size_t cell = zm_cell_number(p, row, col);
    double dead[ZM_DEAD];

    zm_front_dead_moisture(&p->middle, interval, row, col, dead);
    for (int c = 0; c < ZM_DEAD; c++)
        zm_front_offset_moisture(p, cell, dead[c], &by_offset[c]);
}

/* d(mph)/d(km/h), d(mph)/d(factor) and d(mph)/d(log of the factor) of a cell */
enum { WIND_SLOPES = 3 };
static void wind_slopes(const zm_physics *p, int32_t interval, size_t cell,
                        double slope[WIND_SLOPES])
{
    const double *log_wind = p->params.log_wind;
    const double of_cell = log_wind ? exp(log_wind[cell]) : 1;
    const size_t last = p->fire.hours - 1;
    const double speed =
        p->weather[(size_t)interval < last ? (size_t)interval : last].wind_speed;

    slope[0] = ZM_MPH_20FT_OF_KMH_10M * of_cell * p->params.wind_factor;
    slope[1] = ZM_MPH_20FT_OF_KMH_10M * of_cell * speed;
    slope[2] = slope[0] * speed;
}

static void fill_d_moisture(void *ctx, int32_t interval, int32_t row, int32_t col,
                            void *value)
{
    zm_change_pass *pass = ctx;
    zm_physics *p = pass->p;
    const zm_fuel_moisture *m = &pass->change->moisture;
    const zm_climate_change change = {
        pass->all, { m->dead_1h / 100, m->dead_10h / 100, m->dead_100h / 100 }
    };

    (void)interval;
    zm_moisture_tangent(&p->climate, zm_lazy_get(&p->moisture, 0, row, col), &change,
                        value);
}

/* Change of the moisture of a cell in the middle of an hour. */
static void dead_change(zm_change_pass *pass, int32_t interval, int32_t row,
                        int32_t col, double out[ZM_DEAD])
{
    zm_place place[ZM_PLACES_OF_CELL];
    const int n =
        zm_ground_places_of_cell(&pass->p->classes, &pass->p->land, row, col, place);

    memset(out, 0, ZM_DEAD * sizeof *out);
    for (int i = 0; i < n; i++) {
        const double *mark =
            (double *)zm_lazy_get(&pass->moisture, 0, place[i].row, place[i].col) +
            zm_front_mark(pass->p, interval);

        for (int c = 0; c < ZM_DEAD; c++)
            out[c] += place[i].share * 0.5 * (mark[c] + mark[ZM_DEAD + c]);
    }
}

/* The transpose of dead_change. */
static void dead_adjoint(zm_change_pass *pass, int32_t interval, int32_t row,
                         int32_t col, const double by[ZM_DEAD])
{
    zm_place place[ZM_PLACES_OF_CELL];
    const int n =
        zm_ground_places_of_cell(&pass->p->classes, &pass->p->land, row, col, place);

    for (int i = 0; i < n; i++) {
        double *mark =
            (double *)zm_lazy_get(&pass->moisture, 0, place[i].row, place[i].col) +
            zm_front_mark(pass->p, interval);

        for (int c = 0; c < ZM_DEAD; c++) {
            mark[c] += place[i].share * 0.5 * by[c];
            mark[ZM_DEAD + c] += place[i].share * 0.5 * by[c];
        }
    }
}

/* Change of the logarithm of the rate of a cell. */
static double log_rate_change(const zm_change_pass *pass, int32_t row, int32_t col)
{
    const zm_physics_change *d = pass->change;
    const double *factor = pass->p->params.fuel_factor;
    const int32_t fuel = zm_fuel_at(pass->p, row, col);

    return (d->log_rate ? d->log_rate[zm_cell_number(pass->p, row, col)] : 0) +
           d->fuel_factor[fuel] / (factor ? factor[fuel] : 1);
}

/* Changes of the inputs of a cell in an hour. */
static void input_changes(zm_change_pass *pass, int32_t interval, int32_t row,
                          int32_t col, double dx[ZM_CELL_INPUTS])
{
    zm_physics *p = pass->p;
    const zm_physics_change *d = pass->change;
    const size_t cell = zm_cell_number(p, row, col);
    const zm_weather_hour *dw = change_in(pass, interval);
    /* without hourly moisture, or where these are all 0 */
    double dead[ZM_DEAD] = { d->moisture.dead_1h / 100, d->moisture.dead_10h / 100,
                             d->moisture.dead_100h / 100 };
    double wind[WIND_SLOPES], by_offset[ZM_DEAD];
    const double offset = d->moisture_offset + (d->wetness ? d->wetness[cell] : 0);

    if (p->opts.conditioning && pass->wets)
        dead_change(pass, interval, row, col, dead);
    moves(p, interval, row, col, by_offset);
    for (int c = 0; c < ZM_DEAD; c++)
        dx[c] = by_offset[c] * (dead[c] + offset / 100);
    wind_slopes(p, interval, cell, wind);
    dx[ZM_IN_HERB] = d->moisture.live_herb / 100;
    dx[ZM_IN_WOODY] = d->moisture.live_woody / 100;
    dx[ZM_IN_WIND] = wind[0] * dw->wind_speed + wind[1] * d->wind_factor +
                     wind[2] * (d->log_wind ? d->log_wind[cell] : 0);
    dx[ZM_IN_WIND_DIR] = ZM_RADIANS * dw->wind_dir;
    dx[ZM_IN_LOG_RATE] = log_rate_change(pass, row, col);
    dx[ZM_IN_ROTATION] = d->rotation ? d->rotation[cell] : 0;
    dx[ZM_IN_ELONGATION] = d->elongation ? d->elongation[cell] : 0;
}

static void fill_d_raw(void *ctx, int32_t interval, int32_t row, int32_t col,
                       void *value)
{
    zm_change_pass *pass = ctx;
    const zm_cell_metric *raw = zm_lazy_get(&pass->p->raw, interval, row, col);
    double dx[ZM_CELL_INPUTS], *out = value;
    const zm_jacobian *J;

    memset(out, 0, 5 * sizeof *out);
    if (!zm_burns(raw))
        return;
    input_changes(pass, interval, row, col, dx);
    J = zm_lazy_get(&pass->p->jacobian, interval, row, col);
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < ZM_CELL_INPUTS; k++)
            out[i] += J->d[i][k] * dx[k];
}

/* Where only rates change, G~ and b~ of smooth.c go with s~^2 and s~, and
 * d(log s~) = -sum k_j s_j^(1/2) d(log rate_j)/sum k_j s_j^(1/2). */
static void rate_tangent(zm_change_pass *pass, int32_t interval, int32_t row,
                         int32_t col, double out[5])
{
    double change[ZM_SMOOTH_SIDE * ZM_SMOOTH_SIDE], slower;
    const zm_cell_metric *m;
    bool any = false;

    for (int i = 0; i < ZM_SMOOTH_SIDE * ZM_SMOOTH_SIDE; i++) {
        int32_t at[2];

        zm_smooth_neighbour(&pass->smoother, row, col, i, at);
        change[i] = log_rate_change(pass, at[0], at[1]);
        any |= change[i] != 0;
    }
    memset(out, 0, 5 * sizeof *out);
    if (!any)
        return;
    m = zm_lazy_get(&pass->p->smooth, interval, row, col);
    if (!zm_burns(m))
        return;
    slower = -zm_smooth_rate(&pass->smoother, interval, row, col, change);
    for (int i = 0; i < 5; i++)
        out[i] = (i < 3 ? 2 : 1) * slower * m->m[i];
}

/* Visits derivatives with respect to the raw metric of a cell in an hour. */
static void gather_raw(void *ctx, int32_t interval, int32_t row, int32_t col,
                       void *value)
{
    zm_change_pass *pass = ctx;
    zm_physics *p = pass->p;
    zm_physics_change *d = pass->change;
    const size_t cell = zm_cell_number(p, row, col);
    const int32_t fuel = zm_fuel_at(p, row, col);
    zm_weather_hour *dw = &pass->weather[change_in(pass, interval) - pass->weather];
    const double *w = value;
    const zm_jacobian *J = zm_lazy_get(&p->jacobian, interval, row, col);
    double by[ZM_CELL_INPUTS] = { 0 }, wind[WIND_SLOPES], by_dead[ZM_DEAD];

    if (!zm_burns(zm_lazy_get(&p->raw, interval, row, col)))
        return;
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < ZM_CELL_INPUTS; k++)
            by[k] += J->d[i][k] * w[i];
    moves(p, interval, row, col, by_dead);
    for (int c = 0; c < ZM_DEAD; c++) {
        by_dead[c] *= by[c];
        d->moisture_offset += by_dead[c] / 100;
        if (d->wetness)
            d->wetness[cell] += by_dead[c] / 100;
    }
    if (p->opts.conditioning) {
        dead_adjoint(pass, interval, row, col, by_dead);
    } else {
        d->moisture.dead_1h += by_dead[0] / 100;
        d->moisture.dead_10h += by_dead[1] / 100;
        d->moisture.dead_100h += by_dead[2] / 100;
    }
    wind_slopes(p, interval, cell, wind);
    d->moisture.live_herb += by[ZM_IN_HERB] / 100;
    d->moisture.live_woody += by[ZM_IN_WOODY] / 100;
    dw->wind_speed += by[ZM_IN_WIND] * wind[0];
    d->wind_factor += by[ZM_IN_WIND] * wind[1];
    if (d->log_wind)
        d->log_wind[cell] += by[ZM_IN_WIND] * wind[2];
    dw->wind_dir += by[ZM_IN_WIND_DIR] * ZM_RADIANS;
    d->fuel_factor[fuel] +=
        by[ZM_IN_LOG_RATE] / (p->params.fuel_factor ? p->params.fuel_factor[fuel] : 1);
    if (d->log_rate)
        d->log_rate[cell] += by[ZM_IN_LOG_RATE];
    if (d->rotation)
        d->rotation[cell] += by[ZM_IN_ROTATION];
    if (d->elongation)
        d->elongation[cell] += by[ZM_IN_ELONGATION];
}

/* Visits derivatives with respect to the moisture of a place at all marks. */
static void gather_moisture(void *ctx, int32_t interval, int32_t row, int32_t col,
                            void *value)
{
    zm_change_pass *pass = ctx;
    zm_physics *p = pass->p;
    zm_fuel_moisture *m = &pass->change->moisture;
    zm_climate_change change = { .weather = pass->all };

    (void)interval;
    zm_moisture_adjoint(&p->climate, zm_lazy_get(&p->moisture, 0, row, col), value,
                        &change);
    m->dead_1h += change.initial[0] / 100;
    m->dead_10h += change.initial[1] / 100;
    m->dead_100h += change.initial[2] / 100;
}

/* Whether moisture changes but for the offset. */
static bool wets(const zm_change_pass *pass)
{
    const zm_fuel_moisture *m = &pass->change->moisture;
    bool any = m->dead_1h != 0 || m->dead_10h != 0 || m->dead_100h != 0;

    for (size_t k = 0; k < pass->p->fire.hours; k++) {
        const zm_weather_hour *w = &pass->weather[k];

        any |= w->temperature != 0 || w->humidity != 0 || w->cloud != 0 || w->rain != 0;
    }
    return any;
}

/* Whether a tangent changes nothing but rates. */
static bool only_rates(const zm_change_pass *pass)
{
    const zm_physics_change *d = pass->change;
    bool other = pass->wets || d->rotation || d->elongation || d->log_wind ||
                 d->wetness || d->wind_factor != 0 || d->moisture_offset != 0 ||
                 d->moisture.live_herb != 0 || d->moisture.live_woody != 0;

    for (size_t k = 0; k < pass->p->fire.hours; k++)
        other |= pass->weather[k].wind_speed != 0 || pass->weather[k].wind_dir != 0;
    return !other;
}

zm_status zm_change_open(zm_change_pass *pass, zm_physics *p, zm_physics_change *change,
                         bool tangent, zm_error *err)
{
    const int32_t rows = p->land.rows, cols = p->land.cols,
                  intervals = zm_front_hours(p);
    const size_t five = 5 * sizeof(double);
    int32_t place_rows, place_cols;
    zm_status st = ZM_OK;

    if (!zm_options_size(change, sizeof *change, "zm_physics_change", err))
        return ZM_E_ARG;
    *pass = (zm_change_pass){ .p = p, .change = change };
    pass->all = zm_zalloc(&p->mem, p->climate.hours, sizeof *pass->all);
    if (!pass->all)
        return zm_fail(err, ZM_E_NOMEM, -1, "change of %zu hours", p->climate.hours);
    pass->weather = pass->all + p->fire.earlier_hours;
    if (tangent && change->weather)
        memcpy(pass->weather, change->weather, p->fire.hours * sizeof *pass->weather);
    pass->wets = wets(pass);
    pass->smoother = p->smoother;
    pass->only_rates = tangent && only_rates(pass);
    if (pass->only_rates)
        return ZM_OK; /* needs no store */
    zm_ground_places(&p->classes, &p->land, &place_rows, &place_cols);
    ZM_GO(zm_front_lazy_open(&pass->moisture, &p->mem, place_rows, place_cols, 1,
                             zm_moisture_marks(&p->climate) * sizeof(double),
                             tangent ? fill_d_moisture : NULL, pass, err));
    ZM_GO(zm_front_lazy_open(&pass->raw, &p->mem, rows, cols, intervals, five,
                             tangent ? fill_d_raw : NULL, pass, err));
    pass->smoother.change = &pass->raw;
    ZM_GO(zm_front_lazy_open(&pass->smooth, &p->mem, rows, cols, intervals, five,
                             tangent ? zm_smooth_tangent : NULL, &pass->smoother, err));
done:
    if (st != ZM_OK)
        zm_change_close(pass);
    return st;
}

void zm_change_close(zm_change_pass *pass)
{
    zm_front_lazy_close(&pass->moisture);
    zm_front_lazy_close(&pass->raw);
    zm_front_lazy_close(&pass->smooth);
    zm_release(&pass->p->mem, pass->all);
    pass->all = pass->weather = NULL;
}

zm_status zm_change_held(const zm_change_pass *pass, zm_error *err)
{
    if (pass->smooth.failed || pass->raw.failed || pass->moisture.failed ||
        pass->p->jacobian.failed || zm_value_missing(pass->p))
        return zm_fail(err, ZM_E_NOMEM, -1, "derivatives of the metrics");
    return ZM_OK;
}

void zm_change_tangent(zm_change_pass *pass, int32_t interval, int32_t row, int32_t col,
                       double d[5])
{
    if (pass->only_rates)
        rate_tangent(pass, interval, row, col, d);
    else
        memcpy(d, zm_lazy_get(&pass->smooth, interval, row, col), 5 * sizeof *d);
}

zm_status zm_change_window(void *ctx, size_t interval, zm_window window,
                           zm_window_values *values, zm_error *err)
{
    zm_change_pass *pass = ctx;
    size_t i = 0;

    for (int32_t row = window.row; row < window.row + window.rows; row++)
        for (int32_t col = window.col; col < window.col + window.cols; col++, i++) {
            double d[5];

            zm_change_tangent(pass, (int32_t)interval, row, col, d);
            zm_front_window_set(values, i, d);
        }
    return zm_change_held(pass, err);
}

zm_status zm_change_take(void *ctx, size_t interval, zm_window window,
                         const zm_window_values *values, zm_error *err)
{
    zm_change_pass *pass = ctx;
    const double *const plane[5] = { values->g11, values->g12, values->g22, values->b1,
                                     values->b2 };
    size_t i = 0;

    for (int32_t row = window.row; row < window.row + window.rows; row++)
        for (int32_t col = window.col; col < window.col + window.cols; col++, i++) {
            bool any = false;
            double *g;

            for (int k = 0; k < 5; k++)
                any |= plane[k][i] != 0;
            if (!any)
                continue;
            g = zm_lazy_get(&pass->smooth, (int32_t)interval, row, col);
            for (int k = 0; k < 5; k++)
                g[k] += plane[k][i];
        }
    return zm_change_held(pass, err);
}

static void add_hour(zm_weather_hour *to, const zm_weather_hour *w)
{
    to->temperature += w->temperature;
    to->humidity += w->humidity;
    to->wind_speed += w->wind_speed;
    to->wind_dir += w->wind_dir;
    to->cloud += w->cloud;
    to->rain += w->rain;
}

zm_status zm_change_gather(zm_change_pass *pass, zm_error *err)
{
    zm_front_lazy_each(&pass->smooth, zm_smooth_adjoint, &pass->smoother);
    zm_front_lazy_each(&pass->raw, gather_raw, pass);
    if (pass->p->opts.conditioning)
        zm_front_lazy_each(&pass->moisture, gather_moisture, pass);
    for (size_t k = 0; pass->change->weather && k < pass->p->fire.hours; k++)
        add_hour(&pass->change->weather[k], &pass->weather[k]);
    return zm_change_held(pass, err);
}
