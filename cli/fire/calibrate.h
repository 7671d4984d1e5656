/* SPDX-License-Identifier: Apache-2.0
 * What the parts of zermelo fire calibrate share. */
#ifndef ZM_CLI_FIRE_CALIBRATE_H
#define ZM_CLI_FIRE_CALIBRATE_H

#include "common/json.h"
#include "fire/folders.h"
#include "fire/physics_model.h"

typedef struct calibrate_settings {
    model_settings model;
    const char *scene, *observed, *split, *out, *json;
    int32_t most, threads, intervals, recover;
    int64_t least_cells;
    double least_share;
    double fuel_spread, rate_spread, wind_spread, moisture_spread;
    bool rate, rate_only, no_fuels, no_wind, no_moisture, test, restart, quiet;
} calibrate_settings;

/** The options of the library that the settings ask for. */
zm_calibrate_opts calibrate_opts_of(const calibrate_settings *s);

/** Table of the parameters on standard output, and as members of the open object. */
void calibration_print(const zm_calibration *c);
void calibration_json(const zm_calibration *c, json *j);

/** How many fits there were, stopped before they converged, have a parameter at its bound. */
typedef struct fit_count {
    size_t n, stopped, at_bound;
} fit_count;
void fits_add(fit_count *count, const zm_calibration *c);
/** Warnings, and members of the open object. */
void fits_tell(const fit_count *count);
void fits_json(const fit_count *count, json *j);

/** Observed fires in the folder, relative to it; "" where it is one itself. */
names observed_fires_in(const char *folder);

/** Fits observed fires to their first intervals and forecasts their later dates. */
int calibrate_test(const calibrate_settings *s);

/** Gives fires of a scene times of the model's own making, with factors drawn at random, and
 *  counts how often the intervals contain them. */
int calibrate_recover(const calibrate_settings *s, const fire_model *m,
                      const zm_fire *const *fires, size_t n_fires);

#endif
