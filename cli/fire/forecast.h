/* SPDX-License-Identifier: Apache-2.0
 * What the parts of zermelo fire forecast share. */
#ifndef ZM_CLI_FIRE_FORECAST_H
#define ZM_CLI_FIRE_FORECAST_H

#include "common/json.h"
#include "fire/physics_model.h"
#include "zermelo/fire/forecast.h"
#include "zermelo/fire/score.h"

typedef struct forecast_settings {
    model_settings model;
    const char *observed, *out, *prior, *learn, *json;
    double hours;
    int32_t draws;
    uint64_t seed;
    bool hindcast, leave_one_out, quiet;
} forecast_settings;

/** An observed fire whose perimeters come in one by one. */
typedef struct tracked_fire {
    const forecast_settings *s;
    char *name, *out; /* folder for its steps; NULL: none */
    zm_observed *observed;
    fire_model model;
    zm_dated_fire dated;
    size_t cells;
    zm_fire_state *states; /* after date k */
    size_t resumed;        /* states that were read, not made */
} tracked_fire;

/** Opens a fire; with fewer than two dates dated.n is 0.  DONE, or FAILED after a message. */
int tracked_open(tracked_fire *t, const forecast_settings *s, const char *folder,
                 const char *out);
void tracked_close(tracked_fire *t);

/** The states after all dates: read from state-KK.json where these belong to the same inputs, else made
 *  and written there. */
int tracked_update(tracked_fire *t, const zm_growth_prior *prior);

/** A forecast from date k until an hour, or until the next date where that is NAN; `after` is
 *  then known. */
int tracked_case(const tracked_fire *t, size_t k, double until,
                 const zm_growth_prior *prior, zm_growth_case **out);

/** A forecast of the next date, with its scores and those of a buffer. */
typedef struct scored_forecast {
    const char *fire;
    char date[24];
    zm_growth_score model, buffer;
    zm_growth_area area; /**< low and high NAN: no interval is known */
} scored_forecast;

/** Forecasts from date k to the next with what a prior says, and scores it. */
int tracked_score(const tracked_fire *t, size_t k, const zm_growth_case *c,
                  const zm_growth_prior *prior, scored_forecast *out);

/** Writes growth-KK.tif, the forecast of date `number` from 1 on. */
int tracked_save(const tracked_fire *t, size_t number, const zm_growth_case *c,
                 const zm_growth_prior *prior, zm_growth_area *area);

/** Table of forecasts with their mean, and the same as members of the open object. */
void forecasts_print(const scored_forecast *f, size_t n);
void forecasts_json(const scored_forecast *f, size_t n, json *j);

/** The prior of --prior, else the learned one.  DONE, or FAILED after a message. */
int prior_of(const forecast_settings *s, zm_growth_prior *out);

/** Scores growth-KK.tif of a folder against the perimeters of an observed fire, beside a buffer. */
int score_growth(const char *observed, const char *predicted, const char *json_path);

/** --leave-one-out and --learn. */
int forecast_fires(const forecast_settings *s);

#endif
