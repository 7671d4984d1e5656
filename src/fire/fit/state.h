/* SPDX-License-Identifier: Apache-2.0
 * States of fires, inside. */
#ifndef ZM_FIRE_STATE_H
#define ZM_FIRE_STATE_H

#include "zermelo/fire/forecast.h"

/** Share of sector `number` in the log rate of a cell: hat functions of the direction from the centre,
 *  whose sum over the sectors is 1. */
double zm_state_sector_share(const zm_fire_state *state, int32_t number, int32_t row,
                             int32_t col);

/** Mean and standard deviation of unknown k beforehand. */
double zm_state_prior_mean(const zm_growth_prior *prior, zm_state_kind kind);
double zm_state_prior_spread(const zm_growth_prior *prior, zm_state_kind kind);

/** ZM_E_ARG: not begun, or not of this landscape. */
zm_status zm_state_check(const zm_fire_state *state, zm_error *err);

/** ZM_E_ARG: a spread, a share or a number of cells that is none. */
zm_status zm_state_prior_check(const zm_growth_prior *prior, zm_error *err);

/** ZM_E_ARG: masks or hours that are not those of `dates` dates. */
zm_status zm_state_dates_check(const zm_dated_fire *fire, size_t dates, zm_error *err);

/** Cells of mask k as sources that burn at its hour; there must be room for all. */
size_t zm_state_sources(const zm_landscape *landscape, const zm_dated_fire *fire,
                        size_t k, zm_source *sources);

#endif
