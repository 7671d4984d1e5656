/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: a folder of any files (see fuzz_unpack) is an observed fire that keeps its promises,
 * or is refused with a message.  Run: fuzz_observed tests/fuzz/corpus_observed */
#include <math.h>

#include "fuzz.h"
#include "maps.h"
#include "zermelo/fire/dataset.h"

static void ask(const zm_observed *o)
{
    static zm_source sources[MAPS_CELLS];
    static uint8_t mask[MAPS_CELLS];
    static float T[MAPS_CELLS];
    const zm_landscape *land = zm_observed_landscape(o);
    const zm_fire *fire = zm_observed_fire(o);
    const double *hours = zm_observed_hours(o);
    zm_error err = { ZM_OK, 0, "" };
    size_t n, n_sources;

    zm_observed_perimeters(o, &n);
    require(n >= 1 && fire->hours >= 1 && fire->start_month >= 1 &&
            fire->start_month <= 12 && fire->start_day >= 1 && fire->start_day <= 31);
    for (size_t k = 1; k < n; k++)
        require(hours[k] > hours[k - 1]);
    for (size_t i = 0; i < fire->hours; i++)
        require(isfinite(fire->weather[i].temperature) &&
                fire->weather[i].wind_speed >= 0 && fire->weather[i].humidity >= 0 &&
                fire->weather[i].humidity <= 100);
    if ((size_t)land->rows * (size_t)land->cols > MAPS_CELLS)
        return;
    zm_observed_start(o, mask);
    zm_observed_times(o, T);
    require(zm_observed_until(o, zm_observed_end(o)) <= n);
    if (zm_observed_sources(o, sources, &n_sources, &err) < 0)
        require_message(err.code, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    zm_error err = { ZM_OK, 0, "" };
    zm_observed *o = NULL;
    zm_status st;

    maps_make();
    st = zm_observed_open(fuzz_unpack("in", bytes, n), &o, NULL, &err);
    require((st < 0) == !o);
    if (st < 0)
        require_message(st, &err);
    else
        ask(o);
    zm_observed_close(o);
    return 0;
}
