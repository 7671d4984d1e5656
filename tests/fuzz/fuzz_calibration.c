/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: any bytes are either a calibration within its bounds or an error with a message.
 * Run: fuzz_calibration tests/fuzz/corpus_calibration */
#include <string.h>

#include "fuzz.h"
#include "zermelo/fire/calibration_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    zm_calibration c = ZM_CALIBRATION_INIT;
    zm_error err = { ZM_OK, 0, "" };
    const zm_status st =
        zm_calibration_parse((const char *)bytes, n, "input", &c, &err);

    if (st < 0) {
        require(err.code == st && strlen(err.text) > 0);
        return 0;
    }
    require(c.n <= ZM_MOST_CALIBRATED && c.wind_factor > 0);
    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        require(c.fuel_factor[k] > 0 && c.fuel_factor[k] <= 1e4);
    return 0;
}
