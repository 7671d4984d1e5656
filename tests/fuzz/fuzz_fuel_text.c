/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: any bytes are either fuel models that keep their promises or an error with a
 * message.  Run: fuzz_fuel_text tests/fuzz/corpus_fuel_text */
#include <string.h>

#include "fuzz.h"
#include "zermelo/fire/physics.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    enum { ROOM = 16 };
    zm_fuel fuels[ROOM];
    zm_error err = { ZM_OK, 0, "" };
    size_t count = 0, again = 0;
    const zm_status st = zm_fuels_parse((const char *)bytes, n, NULL, 0, &count, &err);

    if (st < 0) {
        require(err.code == st && strlen(err.text) > 0);
        return 0;
    }
    require(zm_fuels_parse((const char *)bytes, n, fuels, ROOM, &again, &err) ==
            (count > ROOM ? ZM_E_ARG : ZM_OK));
    require(again == count);
    for (size_t i = 0; i < count && i < ROOM; i++) {
        const zm_fuel_moisture dry = { 3, 4, 5, 60, 90 };
        zm_surface_fire fire;

        require(fuels[i].number >= 1 && fuels[i].number < ZM_FUEL_NUMBERS);
        require(zm_surface_fire_of(&fuels[i], &dry, 10, 0, 10, 0, &fire, NULL) ==
                ZM_OK);
        require(fire.rate >= 0);
    }
    return 0;
}
