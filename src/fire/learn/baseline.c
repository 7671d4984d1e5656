/* SPDX-License-Identifier: Apache-2.0
 * Baselines: one speed, or one ellipse, for all fires of a scene. */
#include <math.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/pi.h"
#include "zermelo/fire/learn.h"

/* As in the loss of log times: early errors count less. */
static const double OFFSET = 0.1;
enum { ECCENTRICITIES = 20, HEADINGS = 24, MOST_CELLS = 200000 };

/* Burned cells of all fires: where they are from the ignition, m, and when they burned. */
typedef struct cloud {
    float (*x)[2];
    float (*along)[2]; /* the same in a frame whose first axis is the mean wind */
    float *T, *offset;
    size_t n;
} cloud;

static void cloud_free(cloud *c)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    zm_release(&mem, c->x);
    zm_release(&mem, c->along);
    zm_release(&mem, c->T);
    zm_release(&mem, c->offset);
}

/* Unit vector to where the mean wind of a fire blows; (1, 0) where there is none. */
static void mean_wind(const zm_fire *fire, double wind[2])
{
    double x = 0, y = 0, length;

    for (size_t k = 0; k < fire->hours; k++) {
        const double from = ZM_RADIANS * fire->weather[k].wind_dir;

        x -= fire->weather[k].wind_speed * sin(from);
        y += fire->weather[k].wind_speed * cos(from);
    }
    length = sqrt(x * x + y * y);
    wind[0] = length > 0 ? x / length : 1;
    wind[1] = length > 0 ? y / length : 0;
}

static void add_fire(cloud *c, const zm_landscape *l, const zm_fire *fire,
                     const float *truth, double duration, size_t every)
{
    const size_t n = (size_t)l->rows * (size_t)l->cols;
    size_t seen = 0;
    double w[2];

    mean_wind(fire, w);
    for (size_t i = 0; i < n && c->n < MOST_CELLS; i++) {
        const double x = l->cell * ((double)(i % (size_t)l->cols) - fire->col);
        const double y = l->cell * ((double)(i / (size_t)l->cols) - fire->row);

        if (!isfinite(truth[i]) || !(truth[i] > 0) || seen++ % every)
            continue;
        c->x[c->n][0] = (float)x;
        c->x[c->n][1] = (float)y;
        c->along[c->n][0] = (float)(x * w[0] + y * w[1]);
        c->along[c->n][1] = (float)(y * w[0] - x * w[1]);
        c->T[c->n] = truth[i];
        c->offset[c->n++] = (float)(OFFSET * duration);
    }
}

static double time_of(const zm_baseline *b, double x, double y)
{
    return (sqrt(x * x + y * y) -
            b->eccentricity * (b->heading[0] * x + b->heading[1] * y)) /
           b->rate;
}

/* Mean square of log((T' + offset)/(T + offset)), and its mean. */
static double misfit(const cloud *c, const zm_baseline *b, double *mean)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < c->n; i++) {
        const float *x = b->follows_wind ? c->along[i] : c->x[i];
        const double t = time_of(b, (double)x[0], (double)x[1]);
        const double r =
            log((t + (double)c->offset[i]) / ((double)c->T[i] + (double)c->offset[i]));

        sum += r;
        squares += r * r;
    }
    *mean = sum / (double)c->n;
    return squares / (double)c->n;
}

/* The best rate for a shape: the mean residual goes to 0 in a few steps. */
static double fit_rate(const cloud *c, zm_baseline *b)
{
    double mean, value = misfit(c, b, &mean);

    for (int step = 0; step < 8; step++) {
        b->rate *= exp(1.3 * mean);
        value = misfit(c, b, &mean);
    }
    return value;
}

static zm_status gather(const zm_scene *scene, zm_split split, cloud *c, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const zm_landscape *l = zm_scene_landscape(scene);
    const size_t n = (size_t)l->rows * (size_t)l->cols;
    float *truth = zm_block(&mem, n, sizeof(float));
    zm_status st = ZM_OK;

    c->x = zm_block(&mem, MOST_CELLS, sizeof *c->x);
    c->along = zm_block(&mem, MOST_CELLS, sizeof *c->along);
    c->T = zm_block(&mem, MOST_CELLS, sizeof(float));
    c->offset = zm_block(&mem, MOST_CELLS, sizeof(float));
    if (!truth || !c->x || !c->along || !c->T || !c->offset)
        st = zm_fail(err, ZM_E_NOMEM, -1, "baseline of a scene");
    for (size_t i = 0; st >= 0 && i < zm_scene_count(scene); i++)
        if (zm_scene_split(scene, i) == split &&
            (st = zm_scene_arrival(scene, i, truth, err)) >= 0) {
            const zm_fire *fire = zm_scene_fire(scene, i);

            add_fire(c, l, fire, truth, isfinite(fire->duration) ? fire->duration : 1,
                     7);
        }
    if (st >= 0 && c->n < 2)
        st = zm_fail(err, ZM_E_ARG, -1, "%s: no fires to fit a baseline to",
                     zm_scene_name(scene));
    zm_release(&mem, truth);
    return st;
}

zm_status zm_baseline_fit(zm_baseline_kind kind, const zm_scene *scene, zm_split split,
                          zm_baseline *out, zm_error *err)
{
    const int most = kind == ZM_BASELINE_ELLIPSE ? ECCENTRICITIES : 1;
    zm_baseline trial = { 30, 0, { 1, 0 }, 0 };
    double best = HUGE_VAL;
    cloud c = { 0 };
    zm_status st = gather(scene, split, &c, err);

    for (int e = 0; st >= 0 && e < most; e++)
        for (int h = 0; h < (e ? 2 * HEADINGS : 1); h++) {
            double value;

            trial.eccentricity = 0.99 * e / ECCENTRICITIES;
            trial.heading[0] = cos(2 * ZM_PI * h / HEADINGS);
            trial.heading[1] = sin(2 * ZM_PI * h / HEADINGS);
            trial.follows_wind = h >= HEADINGS;
            if ((value = fit_rate(&c, &trial)) < best) {
                best = value;
                *out = trial;
            }
        }
    cloud_free(&c);
    return st;
}

void zm_baseline_predict(const zm_baseline *baseline, const zm_landscape *landscape,
                         const zm_fire *fire, double t_max, float *T)
{
    double w[2] = { 1, 0 };

    if (baseline->follows_wind)
        mean_wind(fire, w);
    for (int32_t row = 0; row < landscape->rows; row++)
        for (int32_t col = 0; col < landscape->cols; col++) {
            const double x = landscape->cell * (col - fire->col);
            const double y = landscape->cell * (row - fire->row);

            *T = (float)time_of(baseline, x * w[0] + y * w[1], y * w[0] - x * w[1]);
            if ((double)*T > t_max)
                *T = INFINITY;
            T++;
        }
}
