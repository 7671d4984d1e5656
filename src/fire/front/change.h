/* SPDX-License-Identifier: Apache-2.0
 * From a change of inputs to the change of raw metrics, and back. */
#ifndef ZM_PHYSICS_CHANGE_H
#define ZM_PHYSICS_CHANGE_H

#include "fire/front/model.h"

/** A tangent or adjoint pass.  Stores are opened by zm_change_open and closed after use. */
typedef struct zm_change_pass {
    zm_physics *p;
    zm_physics_change *change; /* read by a tangent, added to by an adjoint */
    zm_weather_hour *all;      /* of the climate, first those before the fire: these are 0 in a
                                  tangent, and dropped after an adjoint */
    zm_weather_hour *weather;  /* those of the fire, in `all` */
    bool wets;           /* tangent: the moisture changes by more than the offset */
    bool only_rates;     /* tangent: nothing else changes; there are no stores then */
    zm_lazy moisture;    /* ZM_DEAD doubles for each hour, in interval 0 */
    zm_lazy raw, smooth; /* 5 doubles */
    zm_smoother smoother;
} zm_change_pass;

/** Tangent: values of `smooth` are changes.  Adjoint: they start at 0 and are added to. */
zm_status zm_change_open(zm_change_pass *pass, zm_physics *p, zm_physics_change *change,
                         bool tangent, zm_error *err);
void zm_change_close(zm_change_pass *pass);

/** Change of the smoothed metric of a cell in an hour, of a tangent. */
void zm_change_tangent(zm_change_pass *pass, int32_t interval, int32_t row, int32_t col,
                       double d[5]);

/** zm_interval_fill of the changes, of a tangent; ctx is the pass. */
zm_status zm_change_window(void *ctx, size_t interval, zm_window window,
                           zm_window_values *values, zm_error *err);

/** zm_interval_take that adds to `smooth`, of an adjoint; ctx is the pass. */
zm_status zm_change_take(void *ctx, size_t interval, zm_window window,
                         const zm_window_values *values, zm_error *err);

/** ZM_E_NOMEM where a value that derivatives need has found no memory. */
zm_status zm_change_held(const zm_change_pass *pass, zm_error *err);

/** Carries what an adjoint has gathered in `smooth` to the inputs. */
zm_status zm_change_gather(zm_change_pass *pass, zm_error *err);

#endif
