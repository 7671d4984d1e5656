/* SPDX-License-Identifier: Apache-2.0
 * States and priors of forecasts in files (JSON), with all digits: what is read is what was
 * written. */
#ifndef ZM_FORECAST_FILE_H
#define ZM_FORECAST_FILE_H

#include "forecast.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Writes a prior.  The file is replaced at once, or left as it was.
 *  @return ZM_OK, ZM_E_ARG, ZM_E_IO, ZM_E_NOMEM */
ZM_API zm_status zm_growth_prior_write(const char *path, const zm_growth_prior *prior,
                                       zm_error *err);

/** Reads what zm_growth_prior_write wrote; every number must be there.
 *  @return ZM_OK, ZM_E_IO, ZM_E_FORMAT, ZM_E_NOMEM, ZM_E_ARG */
ZM_API zm_status zm_growth_prior_read(const char *path, zm_growth_prior *out,
                                      zm_error *err);

/** The same from text; `name` goes into messages. */
ZM_API zm_status zm_growth_prior_parse(const char *text, size_t length,
                                       const char *name, zm_growth_prior *out,
                                       zm_error *err);

/** Writes a state; `inputs` is kept with it, zm_fire_state_inputs say. */
ZM_API zm_status zm_fire_state_write(const char *path, const zm_fire_state *state,
                                     uint64_t inputs, zm_error *err);

/** Reads what zm_fire_state_write wrote. */
ZM_API zm_status zm_fire_state_read(const char *path, zm_fire_state *out,
                                    uint64_t *inputs, zm_error *err);

/** The same from text; `name` goes into messages. */
ZM_API zm_status zm_fire_state_parse(const char *text, size_t length, const char *name,
                                     zm_fire_state *out, uint64_t *inputs,
                                     zm_error *err);

/** A digest of all that the state after date k follows from: landscape, weather, perimeters and hours up
 *  to there, prior, options of the model, steps.  The same inputs have the same digest. */
ZM_API uint64_t zm_fire_state_inputs(const zm_landscape *landscape,
                                     const zm_dated_fire *fire, size_t k,
                                     const zm_growth_prior *prior,
                                     const zm_physics_opts *physics,
                                     const zm_forecast_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
