/* SPDX-License-Identifier: Apache-2.0
 * Moisture of dead fuel by hour.
 *
 * The surface of fine fuel takes the moisture that is in balance with the air next to it,
 * which the sun warms (Nelson 2000, Can. J. For. Res. 30:1071).  Larger fuel follows with
 * time lags: 10 h and 100 h sticks with TAU_10 and TAU_100, and fine fuel is FRESH of the
 * balance and the rest of the 10 h value; the balance is WETTER times that of the surface.
 * Within an hour the value at its beginning counts EARLY.  As in FARSITE the 1 h class starts
 * from the initial 10 h value. */
#include "physics/moisture.h"

#include <math.h>

#include "physics/radiation.h"

static const double TAU_10 = 10,
                    TAU_100 = 40; /* h, of sticks that lose water at both ends */
static const double WETTER = 1.02, FRESH = 0.8, EARLY = 0.5;
static const double DRIEST = 0.02;

enum { IN_TEMPERATURE, IN_HUMIDITY, IN_CLOUD, IN_RAIN, AIR_INPUTS };

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
                              const zm_dual *sun, int n, zm_dual *surface,
                              zm_dual *wetness)
{
    const double h_c = 0.38, water = 0.08, pressure = 0.0218; /* Nelson 2000 */
    const double psychrometric = 0.000772;
    const int day = sun->v > 1e-3; /* W/m^2 */
    const double t_sky = day ? 6.0 : 3.0, h_r = day ? 0.116171 : 0.112467;
    const double per_watt = day ? 14.82052 * 0.07 / 94.743 : 0;
    const double sorption = 5040.0 * exp(-14 * water);
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
        const double by_latent =
            sorption / ((latent.v + sorption) * (latent.v + sorption));

        /* vapour = humidity*air + c release (t - t_s) */
        zm_dual_3(n, &vapour, humidity->v * air + c * release * gap,
                  humidity->v * air * air_slope + c * release, t, air, humidity,
                  -c * release, surface);
        zm_dual_2(n, &vapour, vapour.v, 1, &vapour, c * gap * by_latent, &latent);
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

ZM_DUAL_CODE void surface_moisture(const zm_ground *ground,
                                   const zm_weather_hour *weather, const zm_sun *sun,
                                   double station, int n, zm_dual *out)
{
    const double open = zm_clear_sky(ground, sun) * (1 - ground->cover / 100);
    zm_dual t, humidity, cloud, radiation, surface, wetness;

    air_at(ground, station, weather, n, &t, &humidity);
    zm_dual_input(n, &cloud, weather->cloud, IN_CLOUD);
    zm_dual_1(n, &radiation, open * (1 - weather->cloud / 100), -open / 100, &cloud);
    surface_air(&t, &humidity, &radiation, n, &surface, &wetness);
    isotherm(&surface, &wetness, n, out);
    wet_by_rain(weather->rain, n, out);
}

void zm_surface_moisture(const zm_ground *ground, const zm_weather_hour *weather,
                         const zm_sun *sun, double station, int n, zm_dual *out)
{
    if (n == 0)
        surface_moisture(ground, weather, sun, station, 0, out);
    else
        surface_moisture(ground, weather, sun, station, n, out);
}

static const zm_weather_hour *record(const zm_climate *climate, int32_t hour)
{
    const size_t last = climate->hours - 1;

    return &climate->weather[(size_t)hour < last ? (size_t)hour : last];
}

/** Classes at the end of an hour, from the balance of that hour. */
static void advance(double balance, double state[ZM_DEAD])
{
    state[1] = balance + (state[1] - balance) * exp(-1 / TAU_10);
    state[2] = balance + (state[2] - balance) * exp(-1 / TAU_100);
    state[0] = FRESH * balance + (1 - FRESH) * state[1];
}

/* Hours from..to - 1, given the classes at the beginning of the first. */
static void write_hours(const zm_climate *climate, const zm_ground *ground,
                        const zm_climate_change *change, int32_t from, int32_t to,
                        double state[ZM_DEAD], double *series)
{
    double before[ZM_DEAD];

    for (int32_t k = from; k < to; k++) {
        const zm_weather_hour *w = record(climate, k);
        zm_dual e;
        double balance;

        zm_surface_moisture(ground, w, &climate->sun[k], climate->station,
                            change ? AIR_INPUTS : 0, &e);
        balance = WETTER * e.v;
        if (change) {
            const zm_weather_hour *dw = &change->weather[w - climate->weather];

            balance = WETTER * (e.d[IN_TEMPERATURE] * dw->temperature +
                                e.d[IN_HUMIDITY] * dw->humidity +
                                e.d[IN_CLOUD] * dw->cloud + e.d[IN_RAIN] * dw->rain);
        }
        for (int c = 0; c < ZM_DEAD; c++)
            before[c] = state[c];
        advance(balance, state);
        for (int c = 0; c < ZM_DEAD; c++)
            series[k * ZM_DEAD + c] = EARLY * before[c] + (1 - EARLY) * state[c];
    }
}

void zm_moisture_begin(const zm_climate *climate, zm_moisture_series *series)
{
    const double *initial = climate->initial;

    series->known = 0;
    series->state[0] = series->state[1] = initial[1];
    series->state[2] = initial[2];
}

void zm_moisture_extend(const zm_climate *climate, const zm_ground *ground,
                        int32_t hours, zm_moisture_series *series)
{
    write_hours(climate, ground, NULL, series->known, hours, series->state,
                series->hour);
    series->known = hours;
}

/* The recursion is linear in the balances and the initial values: the same recursion runs
 * on their changes. */
void zm_moisture_tangent(const zm_climate *climate, const zm_ground *ground,
                         const zm_climate_change *change, double *d_series)
{
    const double *initial = change->initial;
    double state[ZM_DEAD] = { initial[1], initial[1], initial[2] };

    write_hours(climate, ground, change, 0, climate->bands, state, d_series);
}

void zm_moisture_adjoint(const zm_climate *climate, const zm_ground *ground,
                         const double *weight, zm_climate_change *change)
{
    const double keep_10 = exp(-1 / TAU_10), keep_100 = exp(-1 / TAU_100);
    double state[ZM_DEAD] = { 0, 0, 0 }; /* derivatives by the state after hour k */

    for (int32_t k = climate->bands - 1; k >= 0; k--) {
        const zm_weather_hour *w = record(climate, k);
        zm_weather_hour *dw = &change->weather[w - climate->weather];
        double balance;
        zm_dual e;

        for (int c = 0; c < ZM_DEAD; c++)
            state[c] += (1 - EARLY) * weight[k * ZM_DEAD + c];
        state[1] += (1 - FRESH) * state[0];
        balance = WETTER * (FRESH * state[0] + (1 - keep_10) * state[1] +
                            (1 - keep_100) * state[2]);
        state[0] = EARLY * weight[k * ZM_DEAD];
        state[1] = keep_10 * state[1] + EARLY * weight[k * ZM_DEAD + 1];
        state[2] = keep_100 * state[2] + EARLY * weight[k * ZM_DEAD + 2];
        if (balance != 0) {
            zm_surface_moisture(ground, w, &climate->sun[k], climate->station,
                                AIR_INPUTS, &e);
            dw->temperature += balance * e.d[IN_TEMPERATURE];
            dw->humidity += balance * e.d[IN_HUMIDITY];
            dw->cloud += balance * e.d[IN_CLOUD];
            dw->rain += balance * e.d[IN_RAIN];
        }
    }
    change->initial[1] += state[0] + state[1];
    change->initial[2] += state[2];
}
