/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: any bytes are a prior (where the first is p) or a state of a forecast within their
 * bounds, and the same ones again after they were written, or an error with a message.
 * Run: fuzz_forecast tests/fuzz/corpus_forecast */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "zermelo/fire/forecast_file.h"

static void try_prior(const char *text, size_t n)
{
    zm_growth_prior p = ZM_GROWTH_PRIOR_INIT, again = p;
    zm_error err = { ZM_OK, 0, "" };
    const zm_status st = zm_growth_prior_parse(text, n, "input", &p, &err);

    if (st < 0) {
        require_message(st, &err);
        return;
    }
    require(p.rate_spread > 0 && p.fuel_spread > 0 && p.kept >= 0 && p.kept <= 1 &&
            p.area_count >= 0 && p.law.physics >= 0 && p.law.physics <= 1);
    require(zm_growth_prior_write(fuzz_path("prior.json"), &p, &err) == ZM_OK);
    require(zm_growth_prior_read(fuzz_path("prior.json"), &again, &err) == ZM_OK);
    require(!memcmp(&p.law, &again.law, sizeof p.law) && p.cells == again.cells &&
            p.area_count == again.area_count);
}

static void try_state(const char *text, size_t n)
{
    zm_fire_state s = ZM_FIRE_STATE_INIT, again = s;
    zm_error err = { ZM_OK, 0, "" };
    uint64_t inputs = 0, told = 1;
    const zm_status st = zm_fire_state_parse(text, n, "input", &s, &inputs, &err);

    if (st < 0) {
        require_message(st, &err);
        return;
    }
    require(s.n >= 3 && s.n <= ZM_STATE_MOST && s.intervals >= 0);
    for (int32_t k = 0; k < s.n; k++)
        require(s.kind[k] <= ZM_STATE_FUEL && s.number[k] >= 0 &&
                s.number[k] < (s.kind[k] == ZM_STATE_SECTOR ? ZM_STATE_SECTORS
                                                            : ZM_FUEL_NUMBERS) &&
                isfinite(s.mean[k]) && s.covariance[k * s.n + k] > 0);
    require(zm_fire_state_write(fuzz_path("state.json"), &s, inputs, &err) == ZM_OK);
    require(zm_fire_state_read(fuzz_path("state.json"), &again, &told, &err) == ZM_OK);
    require(told == inputs && again.n == s.n &&
            !memcmp(s.covariance, again.covariance,
                    (size_t)(s.n * s.n) * sizeof *s.covariance));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n && bytes[0] == 'p')
        try_prior((const char *)bytes + 1, n - 1);
    else if (n)
        try_state((const char *)bytes + 1, n - 1);
    return 0;
}
