/* SPDX-License-Identifier: Apache-2.0
 * Fire in a made-up landscape: a simple law of spread, hour by hour, on a finer grid.
 *
 * Head rate of spread in direction u, m/h:
 *
 *     R = R0(fuel) exp(-0.10 (m - 6)) (1 + |phi|),   phi = phi_wind w + phi_slope s,
 *
 * with w where the wind blows to and s up the slope, phi_wind = 0.115 U^1.4 for a wind of
 * U km/h at the height of the flames, phi_slope = 5.3 tan^2(slope) (the slope term of Rothermel
 * 1972 for a mean fuel bed), m the moisture of fine dead fuel in percent, and u along phi.  The
 * fire is an ellipse lit at its rear focus, its length to breadth 1 + 0.25 U_e for the wind
 * U_e (m/s) that alone would give |phi|, at most 6 (eikonal/problem/ellipse.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/fail.h"
#include "core/pi.h"
#include "eikonal/problem/ellipse.h"
#include "fire/data/synthetic/world.h"
#include "fire/science/ignition.h"
#include "fire/science/moisture.h"
#include "zermelo/forward.h"

#define WIND_FACTOR   0.115
#define WIND_POWER    1.4
#define SLOPE_FACTOR  5.3
#define DAMPING       0.10 /* of a percent of moisture */
#define MOST_LENGTHS  6.0  /* length to breadth */
#define DRY_REFERENCE 6.0  /* percent */

struct zm_growth {
    const zm_world *world;
    int32_t fine;
    zm_solver *solver;
    uint8_t *walls;      /* fine grid */
    float *rate;         /* R0, m/h, of the world's cells */
    float *shelter;      /* share of the open wind at the flames */
    float *up_x, *up_y;  /* phi_slope s */
    double *T;           /* fine grid */
    const zm_fire *fire; /* that is under way */
    double *moisture;    /* of its hours */
    size_t room_hours;
};

/* Rate without wind and slope at DRY_REFERENCE, m/h. */
static float rate_of(int32_t fuel)
{
    static const struct {
        int32_t fuel;
        float rate;
    } rates[] = { { 101, 40 }, { 102, 55 }, { 122, 30 }, { 142, 14 },
                  { 145, 38 }, { 165, 11 }, { 188, 7 },  { 183, 3.5F } };

    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (rates[i].fuel == fuel)
            return rates[i].rate;
    return 0;
}

/* ---- weather ---------------------------------------------------------------------- */

/* It goes a third of the way each hour; sun dries further. */
static void follow_moisture(zm_growth *g)
{
    double m = g->fire->moisture.dead_1h;

    for (size_t k = 0; k < g->fire->hours; k++) {
        const zm_weather_hour *w = &g->fire->weather[k];
        const double hour = fmod(g->fire->start_hour + (double)k + 0.5, 24);
        const double sun =
            fmax(0, cos(2 * ZM_PI * (hour - 13) / 24)) * (1 - w->cloud / 100);
        const double target = fmax(
            1, zm_moisture_equilibrium(w->temperature, w->humidity, NULL) - 2 * sun);

        g->moisture[k] = m;
        m += (target - m) / 3;
    }
}

/* ---- spread ----------------------------------------------------------------------- */

typedef struct hour {
    double wind_x, wind_y; /* unit vector the wind blows to; y southwards */
    double speed, damping;
} hour;

static hour hour_of(const zm_growth *g, size_t interval)
{
    const size_t k = interval < g->fire->hours ? interval : g->fire->hours - 1;
    const zm_weather_hour *w = &g->fire->weather[k];
    const double from = w->wind_dir * ZM_PI / 180;

    return (hour){ -sin(from), cos(from), w->wind_speed,
                   exp(-DAMPING * (g->moisture[k] - DRY_REFERENCE)) };
}

static void spread_in(const zm_growth *g, const hour *h, size_t cell, size_t at,
                      zm_window_values *v)
{
    const double wind = h->speed * (double)g->shelter[cell];
    const double phi_wind = WIND_FACTOR * pow(wind, WIND_POWER);
    const double x = phi_wind * h->wind_x + (double)g->up_x[cell];
    const double y = phi_wind * h->wind_y + (double)g->up_y[cell];
    const double phi = hypot(x, y);
    const double effective = pow(phi / WIND_FACTOR, 1 / WIND_POWER) / 3.6; /* m/s */
    const double lengths = fmin(MOST_LENGTHS, 1 + 0.25 * effective);
    const zm_focus_metric m =
        zm_focus_metric_of((double)g->rate[cell] * h->damping * (1 + phi), lengths);

    v->g11[at] = v->g22[at] = 1 / (m.p * m.p);
    if (phi > 0) {
        v->b1[at] = m.e / m.p * x / phi;
        v->b2[at] = m.e / m.p * y / phi;
    }
}

static zm_status fill(void *ctx, size_t interval, zm_window window, zm_window_values *v,
                      zm_error *err)
{
    const zm_growth *g = ctx;
    const hour h = hour_of(g, interval);

    (void)err;
    for (int32_t r = 0; r < window.rows; r++)
        for (int32_t c = 0; c < window.cols; c++) {
            const size_t at = (size_t)r * (size_t)window.cols + (size_t)c;
            const size_t cell =
                (size_t)((window.row + r) / g->fine) * (size_t)g->world->land.cols +
                (size_t)((window.col + c) / g->fine);

            if (g->rate[cell] > 0)
                spread_in(g, &h, cell, at, v);
            else
                v->g11[at] = INFINITY;
        }
    return ZM_OK;
}

/* ---- one fire --------------------------------------------------------------------- */

/* The burnable part of the 3 x 3 block about the ignition burns at once. */
static size_t light(const zm_growth *g, zm_source *sources)
{
    const zm_landscape *land = &g->world->land;
    int32_t block[9];
    const int cells =
        zm_ignition_block(land->rows, land->cols, g->fire->row, g->fire->col, block);
    size_t n = 0;

    for (int i = 0; i < cells; i++)
        for (int32_t k = 0; g->rate[block[i]] > 0 && k < g->fine * g->fine; k++)
            sources[n++] =
                (zm_source){ block[i] / land->cols * g->fine + k / g->fine,
                             block[i] % land->cols * g->fine + k % g->fine, 0 };
    return n;
}

/* A cell burns when half of its finer ones have, at their mean time. */
static void sample(const zm_growth *g, float *T)
{
    const int32_t cols = g->world->land.cols, rows = g->world->land.rows;
    const int32_t fine = g->fine, fine_cols = cols * fine;

    for (int32_t i = 0; i < rows * cols; i++) {
        double sum = 0;
        int32_t burned = 0;

        for (int32_t k = 0; k < fine * fine; k++) {
            const double time = g->T[(i / cols * fine + k / fine) * fine_cols +
                                     i % cols * fine + k % fine];

            if (isfinite(time)) {
                sum += time;
                burned++;
            }
        }
        T[i] = 2 * burned >= fine * fine ? (float)(sum / burned) : INFINITY;
    }
}

zm_status zm_growth_run(zm_growth *g, const zm_fire *fire, double t_max, int64_t most,
                        float *T, zm_error *err)
{
    zm_forward_opts opts = ZM_FORWARD_OPTS_INIT;
    zm_source *sources = malloc((size_t)(9 * g->fine * g->fine) * sizeof *sources);
    double *starts = malloc(fire->hours * sizeof *starts);
    zm_problem p = { .size = sizeof p,
                     .n_intervals = fire->hours,
                     .starts = starts,
                     .fill = fill,
                     .fill_ctx = g,
                     .sources = sources,
                     .walls = g->walls };
    zm_status st = sources && starts &&
                           zm_array_reserve(&g->moisture, &g->room_hours, fire->hours,
                                            sizeof *g->moisture)
                       ? ZM_OK
                       : zm_fail(err, ZM_E_NOMEM, -1, "no memory for a fire");

    if (st >= 0) {
        g->fire = fire;
        follow_moisture(g);
        for (size_t k = 0; k < fire->hours; k++)
            starts[k] = (double)k;
        p.n_sources = light(g, sources);
        opts.t_max = t_max;
        opts.max_cells = most * g->fine * g->fine;
        st = zm_forward(g->solver, &p, g->T, &opts, NULL, err);
    }
    if (st >= 0)
        sample(g, T);
    free(sources);
    free(starts);
    return st < 0 ? st : ZM_OK;
}

/* ---- memory ----------------------------------------------------------------------- */

static void prepare_cells(zm_growth *g)
{
    const zm_landscape *land = &g->world->land;

    for (int32_t i = 0; i < land->rows * land->cols; i++) {
        const double slope = (double)land->layers[ZM_LAYER_SLOPE][i] * ZM_PI / 180;
        const double aspect = (double)land->layers[ZM_LAYER_ASPECT][i] * ZM_PI / 180;
        const double phi = SLOPE_FACTOR * tan(slope) * tan(slope);

        g->rate[i] = rate_of((int32_t)land->layers[ZM_LAYER_FUEL][i]);
        g->shelter[i] =
            (float)(0.42 / (1 + 0.03 * (double)land->layers[ZM_LAYER_COVER][i]));
        g->up_x[i] = (float)(-phi * sin(aspect)); /* aspect points down */
        g->up_y[i] = (float)(phi * cos(aspect));
    }
    for (int32_t i = 0; i < land->rows * g->fine * land->cols * g->fine; i++) {
        const int32_t r = i / (land->cols * g->fine) / g->fine;
        const int32_t c = i % (land->cols * g->fine) / g->fine;

        g->walls[i] = !(g->rate[r * land->cols + c] > 0);
    }
}

zm_status zm_growth_create(zm_growth **out, const zm_world *world, int32_t fine,
                           zm_error *err)
{
    const size_t n = (size_t)world->land.rows * (size_t)world->land.cols;
    const size_t n_fine = n * (size_t)fine * (size_t)fine;
    const double cell = world->land.cell / fine;
    const zm_grid grid = { world->land.rows * fine, world->land.cols * fine, cell,
                           cell };
    zm_growth *g = calloc(1, sizeof *g);
    zm_status st;

    *out = NULL;
    if (!g)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory");
    g->world = world;
    g->fine = fine;
    g->walls = malloc(n_fine);
    g->T = malloc(n_fine * sizeof *g->T);
    g->rate = malloc(n * sizeof *g->rate);
    g->shelter = malloc(n * sizeof *g->shelter);
    g->up_x = malloc(n * sizeof *g->up_x);
    g->up_y = malloc(n * sizeof *g->up_y);
    st = g->walls && g->T && g->rate && g->shelter && g->up_x && g->up_y
             ? zm_solver_create(&g->solver, grid, ZM_F64, NULL, err)
             : zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu cells", n_fine);
    if (st < 0) {
        zm_growth_destroy(g);
        return st;
    }
    prepare_cells(g);
    *out = g;
    return ZM_OK;
}

void zm_growth_destroy(zm_growth *growth)
{
    if (!growth)
        return;
    zm_solver_destroy(growth->solver);
    free(growth->walls);
    free(growth->T);
    free(growth->rate);
    free(growth->shelter);
    free(growth->up_x);
    free(growth->up_y);
    free(growth->moisture);
    free(growth);
}
