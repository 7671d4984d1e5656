/* SPDX-License-Identifier: Apache-2.0
 * Moisture of dead fuel by hour: the physical model, and at the end that from the air alone.
 *
 * The surface of fine fuel takes the moisture that is in balance with the air next to it,
 * which the sun warms (Nelson 2000, Can. J. For. Res. 30:1071).  Larger fuel follows with
 * time lags: a 10 h stick with DRYING or WETTING, a 100 h stick with TAU_100; fine fuel is
 * FRESH of the balance and the rest of the 10 h value.  At ignition the initial 1 h value
 * stands for the balance.  How firmly water is held depends on the outermost wood, which is
 * OUTERMOST of the fine fuel and the rest of the 10 h stick.  Weather runs on a line from one
 * record to the next; FARSITE's last step of an hour goes beyond its end by AHEAD of that line. */
#include "fire/science/moisture.h"

#include <math.h>

#include "fire/science/units.h"

static const double DRYING = 11, WETTING = 20, TAU_100 = 40; /* h */
static const double FRESH = 0.8, AHEAD = 0.1, OUTERMOST = 0.7;
static const double DRIEST = 0.02;

enum { IN_TEMPERATURE, IN_HUMIDITY, IN_RADIATION, IN_RAIN, IN_WOOD, INPUTS };

/* Temperature (C) and humidity (fraction) at the cell.  Lapse rates of 5.5 F (air) and
 * 1.1 F (dew point) per 1000 ft, dew point and humidity by Clausius-Clapeyron in Fahrenheit
 * (Rothermel et al. 1986, INT-359):
 *
 *     ln(humidity) = 7469 (1/(T + 398) - 1/(D + 398)). */
ZM_DUAL_CODE void air_at(const zm_ground *ground, double station,
                         const zm_weather_hour *weather, int n, zm_dual *temperature,
                         zm_dual *humidity)
{
    const double below = (station - ground->elevation) / 304.8; /* thousands of feet */
    const double wet = fmax(weather->humidity, 1) / 100;
    const double inverse = 1 / (1.8 * weather->temperature + 430) - log(wet) / 7469;
    /* 1/(D + 398) at the station */
    zm_dual hot, dew, t, h;

    zm_dual_input(n, &t, weather->temperature, IN_TEMPERATURE);
    zm_dual_input(n, &h, wet, IN_HUMIDITY);
    if (weather->humidity <= 1)
        zm_dual_constant(n, &h, wet);
    else
        zm_dual_1(n, &h, wet, 0.01, &h);
    zm_dual_1(n, &hot, 1.8 * t.v + 430 + 5.5 * below, 1.8,
              &t); /* T + 398 at the cell */
    {
        const double station_hot = 1.8 * t.v + 430;
        const double by_t = 1.8 / (station_hot * station_hot) / (inverse * inverse);

        zm_dual_2(n, &dew, 1 / inverse + 1.1 * below, by_t, &t,
                  1 / (7469 * wet) / (inverse * inverse), &h);
    }
    zm_dual_1(n, temperature, (hot.v - 430) / 1.8, 1 / 1.8, &hot);
    {
        const double value = exp(7469 * (1 / hot.v - 1 / dew.v));

        if (value < 0.99)
            zm_dual_2(n, humidity, value, -7469 * value / (hot.v * hot.v), &hot,
                      7469 * value / (dew.v * dew.v), &dew);
        else
            zm_dual_constant(n, humidity, 0.99);
    }
}

/* Vapour pressure of saturation, cal/cm^3, at t Celsius (Nelson 2000), and its logarithmic
 * derivative. */
static double saturation(double t, double *log_slope)
{
    const double kelvin = t + 273.2;

    *log_slope = 5205.0 / (kelvin * kelvin);
    return 0.0000239 * exp(20.58 - 5205.0 / kelvin);
}

/* Temperature of the surface and humidity of the air on it.
 *
 * Balance of sun s, long-wave exchange with the sky (coefficient h_r) and convection (h_c)
 * gives the dry surface, t_d = t + (s - h_r (t - t_sky))/(h_r + h_c); evaporation takes
 * part of the excess, t_s = t_d - h_w (t_d - t)/(h_r + h_c + h_w). */
ZM_DUAL_CODE void surface_air(const zm_dual *t, const zm_dual *humidity,
                              const zm_dual *sun, const zm_dual *wood, int n,
                              zm_dual *surface, zm_dual *wetness)
{
    const double h_c = 0.38, pressure = 0.0218; /* Nelson 2000 */
    const double psychrometric = 0.000772;
    const int day = sun->v > 1e-3; /* W/m^2 */
    const double t_sky = day ? 6.0 : 3.0, h_r = day ? 0.116171 : 0.112467;
    const double per_watt = day ? 14.82052 * 0.07 / 94.743 : 0;
    const double sorption = 5040.0 * exp(-14 * wood->v);
    const double diffusion =
        0.622 * h_c * pow(0.7 / 0.58, 0.667) * psychrometric / 0.24 / 18;
    const double k = 1 / (h_r + h_c);
    zm_dual dry, latent, vapour;

    zm_dual_2(n, &dry, t->v + k * (per_watt * sun->v - h_r * (t->v - t_sky)),
              1 - k * h_r, t, k * per_watt, sun);
    zm_dual_1(n, &latent, 13550.0 - 10.22 * (dry.v + 273.2), -10.22, &dry);
    {
        /* share of the excess that evaporation takes */
        const double h_w = diffusion * latent.v, all = h_r + h_c + h_w,
                     share = h_w / all;
        const double by_latent = diffusion * (h_r + h_c) / (all * all);

        zm_dual_3(n, surface, dry.v - share * (dry.v - t->v), 1 - share, &dry, share, t,
                  -by_latent * (dry.v - t->v), &latent);
    }
    {
        double air_slope, skin_slope;
        const double air = saturation(t->v, &air_slope);
        const double skin = saturation(surface->v, &skin_slope);
        const double release = latent.v / (latent.v + sorption);
        const double c = psychrometric * pressure, gap = t->v - surface->v;
        const double both = latent.v + sorption;
        const double by_latent = sorption / (both * both);
        const double by_wood = 14 * sorption * latent.v / (both * both);

        /* vapour = humidity*air + c release (t - t_s) */
        zm_dual_3(n, &vapour, humidity->v * air + c * release * gap,
                  humidity->v * air * air_slope + c * release, t, air, humidity,
                  -c * release, surface);
        zm_dual_3(n, &vapour, vapour.v, 1, &vapour, c * gap * by_latent, &latent,
                  c * gap * by_wood, wood);
        if (vapour.v < 1e-6)
            zm_dual_constant(n, &vapour, 1e-6);
        if (vapour.v / skin < 0.99)
            zm_dual_2(n, wetness, vapour.v / skin, 1 / skin, &vapour,
                      -vapour.v / skin * skin_slope, surface);
        else
            zm_dual_constant(n, wetness, 0.99);
    }
}

/* Sorption isotherm of wood and litter (Nelson 2000):
 * (0.1617 - 0.001419 t) (-ln(1 - humidity))^(0.4657 + 0.003578 t). */
ZM_DUAL_CODE void isotherm(const zm_dual *t, const zm_dual *wetness, int n,
                           zm_dual *out)
{
    const double base = -log1p(-wetness->v), power = 0.4657 + 0.003578 * t->v;
    const double front = 0.1617 - 0.001419 * t->v, y = pow(base, power);

    if (front * y > DRIEST)
        zm_dual_2(n, out, front * y, y * (-0.001419 + front * log(base) * 0.003578), t,
                  front * power * y / base / (1 - wetness->v), wetness);
    else
        zm_dual_constant(n, out, DRIEST);
}

/* Rain above 0.5 mm wets fine fuel as in the Fine Fuel Moisture Code (Van Wagner 1987):
 * m + 42.5 r exp(-100/(251 - m)) (1 - exp(-6.93/r)) percent, at most 250. */
ZM_DUAL_CODE void wet_by_rain(double rain, int n, zm_dual *moisture)
{
    const double r = rain - 0.5, m = 100 * moisture->v;
    zm_dual input;

    if (r <= 0 || m >= 250)
        return;
    zm_dual_input(n, &input, rain, IN_RAIN);
    {
        const double left = exp(-6.93 / r), taken = exp(-100 / (251 - m));
        const double more = 42.5 * r * taken * (1 - left);
        const double by_m = 1 - more * 100 / ((251 - m) * (251 - m));
        const double by_r = 42.5 * taken * (1 - left - left * 6.93 / r);

        if (m + more < 250)
            zm_dual_2(n, moisture, (m + more) / 100, by_m, moisture, by_r / 100,
                      &input);
        else
            zm_dual_constant(n, moisture, 2.5);
    }
}

static const zm_weather_hour *record(const zm_climate *climate, int32_t hour)
{
    const size_t last = climate->hours - 1;

    return &climate->weather[(size_t)hour < last ? (size_t)hour : last];
}

/** What the end of an hour is like: w + AHEAD (w - before) of its own record and the one
 *  before it. */
typedef struct hour_end {
    zm_weather_hour air;
    double ahead;                 /* 0 in the first hour */
    double open_now, open_before; /* W/m^2 without clouds */
    double radiation;
} hour_end;

static double extrapolated(double now, double before, double ahead)
{
    return now + ahead * (now - before);
}

static hour_end end_of(const zm_climate *climate, const zm_ground *ground, int32_t k)
{
    const int32_t j = k > 0 ? k - 1 : 0;
    const zm_weather_hour *now = record(climate, k), *before = record(climate, j);
    const double clear = 1 - ground->cover / 100;
    hour_end e = { .air = *now, .ahead = k > 0 ? AHEAD : 0 };

    e.open_now = clear * zm_sun_clear_sky_radiation(ground, &climate->sun[k]);
    e.open_before = clear * zm_sun_clear_sky_radiation(ground, &climate->sun[j]);
    e.air.temperature = extrapolated(now->temperature, before->temperature, e.ahead);
    e.air.humidity = extrapolated(now->humidity, before->humidity, e.ahead);
    e.radiation =
        fmax(0, extrapolated(e.open_now * (1 - now->cloud / 100),
                             e.open_before * (1 - before->cloud / 100), e.ahead));
    return e;
}

ZM_DUAL_CODE void surface_moisture(const zm_ground *ground, const hour_end *end,
                                   double station, double outermost, int n,
                                   zm_dual *out)
{
    zm_dual t, humidity, radiation, wood, surface, wetness;

    air_at(ground, station, &end->air, n, &t, &humidity);
    zm_dual_input(n, &radiation, end->radiation, IN_RADIATION);
    zm_dual_input(n, &wood, outermost, IN_WOOD);
    surface_air(&t, &humidity, &radiation, &wood, n, &surface, &wetness);
    isotherm(&surface, &wetness, n, out);
    wet_by_rain(end->air.rain, n, out);
}

void zm_moisture_at_surface(const zm_climate *climate, const zm_ground *ground,
                            int32_t hour, double wood, int n, zm_dual *out)
{
    const hour_end end = end_of(climate, ground, hour);

    if (n == 0)
        surface_moisture(ground, &end, climate->station, wood, 0, out);
    else
        surface_moisture(ground, &end, climate->station, wood, n, out);
}

/* Share of fine fuel in the outermost wood when hour k begins; a new stick is even. */
static double outermost_share(int32_t k)
{
    return k > 0 ? OUTERMOST : 0;
}

static double outermost(int32_t k, const double mark[ZM_DEAD])
{
    const double share = outermost_share(k);

    return share * mark[0] + (1 - share) * mark[1];
}

/* Share of its distance from the balance that a 10 h stick keeps over an hour in which it
 * went from `before` to `after`. */
static double kept_10(double before, double after)
{
    return exp(-1 / (after > before ? WETTING : DRYING));
}

/* The end of an hour from its beginning. */
static void advance(double balance, double keep_10, const double before[ZM_DEAD],
                    double after[ZM_DEAD])
{
    after[1] = balance + (before[1] - balance) * keep_10;
    after[2] = balance + (before[2] - balance) * exp(-1 / TAU_100);
    after[0] = FRESH * balance + (1 - FRESH) * after[1];
}

static void initial_marks(const double initial[ZM_DEAD], double mark[ZM_DEAD])
{
    mark[0] = FRESH * initial[0] + (1 - FRESH) * initial[1];
    mark[1] = initial[1];
    mark[2] = initial[2];
}

void zm_moisture_begin(const zm_climate *climate, const zm_ground *ground,
                       zm_moisture_series *series)
{
    series->ground = *ground;
    series->known = 0;
    initial_marks(climate->initial, series->mark);
}

void zm_moisture_extend(const zm_climate *climate, int32_t hours,
                        zm_moisture_series *series)
{
    for (; series->known < hours; series->known++) {
        const int32_t k = series->known;
        double *before = series->mark + (size_t)k * ZM_DEAD;
        zm_dual e;

        zm_moisture_at_surface(climate, &series->ground, k, outermost(k, before), 0,
                               &e);
        advance(e.v, kept_10(before[1], e.v), before, before + ZM_DEAD);
    }
}

/* Change of the balance at the end of hour k; marks and their changes when it begins. */
static double balance_change(const zm_climate *climate, const zm_ground *ground,
                             const zm_climate_change *change, int32_t k,
                             const double mark[ZM_DEAD], const double d_mark[ZM_DEAD])
{
    const zm_weather_hour *all = climate->weather;
    const zm_weather_hour *now = &change->weather[record(climate, k) - all];
    const zm_weather_hour *before =
        &change->weather[record(climate, k > 0 ? k - 1 : 0) - all];
    const hour_end end = end_of(climate, ground, k);
    const double radiation =
        end.radiation > 0
            ? extrapolated(-end.open_now * now->cloud / 100,
                           -end.open_before * before->cloud / 100, end.ahead)
            : 0;
    zm_dual e;

    zm_moisture_at_surface(climate, ground, k, outermost(k, mark), INPUTS, &e);
    return e.d[IN_WOOD] * outermost(k, d_mark) +
           e.d[IN_TEMPERATURE] *
               extrapolated(now->temperature, before->temperature, end.ahead) +
           e.d[IN_HUMIDITY] * extrapolated(now->humidity, before->humidity, end.ahead) +
           e.d[IN_RADIATION] * radiation + e.d[IN_RAIN] * now->rain;
}

/* Which way the 10 h stick goes is known, and then the recursion is linear in the balances
 * and the initial values: the same recursion runs on their changes. */
void zm_moisture_tangent(const zm_climate *climate, zm_moisture_series *series,
                         const zm_climate_change *change, double *d_mark)
{
    zm_moisture_extend(climate, climate->intervals, series);
    initial_marks(change->initial, d_mark);
    for (int32_t k = 0; k < climate->intervals; k++) {
        const size_t at = (size_t)k * ZM_DEAD;

        advance(balance_change(climate, &series->ground, change, k, series->mark + at,
                               d_mark + at),
                kept_10(series->mark[at + 1], series->mark[at + ZM_DEAD + 1]),
                d_mark + at, d_mark + at + ZM_DEAD);
    }
}

/* Adds weight times the derivatives of the balance at the end of hour k, and to by[] those
 * by the marks when it begins. */
static void balance_adjoint(const zm_climate *climate, const zm_ground *ground,
                            double weight, int32_t k, const double mark[ZM_DEAD],
                            zm_climate_change *change, double by[ZM_DEAD])
{
    const zm_weather_hour *all = climate->weather;
    zm_weather_hour *now = &change->weather[record(climate, k) - all];
    zm_weather_hour *before =
        &change->weather[record(climate, k > 0 ? k - 1 : 0) - all];
    const hour_end end = end_of(climate, ground, k);
    const double one = weight * (1 + end.ahead), other = -weight * end.ahead;
    const double sunny = end.radiation > 0 ? -0.01 : 0, share = outermost_share(k);
    zm_dual e;

    zm_moisture_at_surface(climate, ground, k, outermost(k, mark), INPUTS, &e);
    by[0] += share * weight * e.d[IN_WOOD];
    by[1] += (1 - share) * weight * e.d[IN_WOOD];
    now->temperature += one * e.d[IN_TEMPERATURE];
    now->humidity += one * e.d[IN_HUMIDITY];
    now->cloud += one * e.d[IN_RADIATION] * sunny * end.open_now;
    now->rain += weight * e.d[IN_RAIN];
    before->temperature += other * e.d[IN_TEMPERATURE];
    before->humidity += other * e.d[IN_HUMIDITY];
    before->cloud += other * e.d[IN_RADIATION] * sunny * end.open_before;
}

void zm_moisture_adjoint(const zm_climate *climate, zm_moisture_series *series,
                         const double *weight, zm_climate_change *change)
{
    const double keep_100 = exp(-1 / TAU_100);
    double by[ZM_DEAD] = { 0, 0,
                           0 }; /* with respect to the marks at the end of hour k */

    zm_moisture_extend(climate, climate->intervals, series);
    for (int32_t k = climate->intervals - 1; k >= 0; k--) {
        const size_t at = (size_t)k * ZM_DEAD;
        const double keep_10 =
            kept_10(series->mark[at + 1], series->mark[at + ZM_DEAD + 1]);
        double balance;

        for (int c = 0; c < ZM_DEAD; c++)
            by[c] += weight[at + ZM_DEAD + (size_t)c];
        by[1] += (1 - FRESH) * by[0];
        balance = FRESH * by[0] + (1 - keep_10) * by[1] + (1 - keep_100) * by[2];
        by[0] = 0;
        by[1] *= keep_10;
        by[2] *= keep_100;
        if (balance != 0)
            balance_adjoint(climate, &series->ground, balance, k, series->mark + at,
                            change, by);
    }
    change->initial[0] += FRESH * weight[0]; /* by[0] is 0: a new stick is even */
    change->initial[1] += (1 - FRESH) * weight[0] + by[1] + weight[1];
    change->initial[2] += by[2] + weight[2];
}

/* ---- from the air alone: dead fuel follows its equilibrium, slower the thicker it is ---- */

/* By full sun at the surface, C; saturation pressure rises by about 6 % a degree. */
static const double SUN_WARMS = 14, DRIER_A_DEGREE = 0.943;

double zm_moisture_equilibrium(double celsius, double humidity, double d[2])
{
    const double t = zm_fahrenheit(celsius), h = fmin(fmax(humidity, 0), 100);
    double value, by_t, by_h;

    if (h < 10) {
        value = 0.03229 + 0.281073 * h - 0.000578 * h * t;
        by_t = -0.000578 * h;
        by_h = 0.281073 - 0.000578 * t;
    } else if (h < 50) {
        value = 2.22749 + 0.160107 * h - 0.014784 * t;
        by_t = -0.014784;
        by_h = 0.160107;
    } else {
        value = 21.0606 + 0.005565 * h * h - 0.00035 * h * t - 0.483199 * h;
        by_t = -0.00035 * h;
        by_h = 2 * 0.005565 * h - 0.00035 * t - 0.483199;
    }
    if (d) {
        d[0] = 1.8 * by_t;
        d[1] = h == humidity ? by_h : 0;
    }
    return value;
}

void zm_moisture_step(zm_fine_moisture *m, const zm_weather_hour *w,
                      double sin_altitude)
{
    const double warmer = SUN_WARMS * fmax(sin_altitude, 0) * (1 - w->cloud / 100);
    const double shade = zm_moisture_equilibrium(w->temperature, w->humidity, NULL);
    const double sun = zm_moisture_equilibrium(
        w->temperature + warmer, w->humidity * pow(DRIER_A_DEGREE, warmer), NULL);
    const double one_hour = 1 - exp(-1.0), ten_hours = 1 - exp(-0.1);

    m->shade_1h += one_hour * (shade - m->shade_1h);
    m->sun_1h += one_hour * (sun - m->sun_1h);
    m->shade_10h += ten_hours * (shade - m->shade_10h);
}
