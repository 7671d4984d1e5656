/* SPDX-License-Identifier: Apache-2.0
 * Stops other than by time, for engines that do not accept cells one by one. */
#ifndef ZM_EIKONAL_STOPS_H
#define ZM_EIKONAL_STOPS_H

#include "eikonal/engine.h"

/** When a solve with these options would stop, given the times of the full solve in run->T. */
double zm_engine_stop_time(const zm_engine_run *run, const zm_forward_opts *opts);

#endif
