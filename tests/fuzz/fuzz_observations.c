/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: any bytes are either a table that keeps its promises or an error with a
 * message.  Run: fuzz_observations -dict=tests/fuzz/observations.dict
 * tests/fuzz/corpus_observations */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "zermelo/observations.h"

static void check_line(const zm_observations *table, const zm_observation *o,
                       int64_t after)
{
    require(o->row >= 0 && o->col >= 0 && isfinite(o->row) && isfinite(o->col));
    require(o->line > after);
    require(table->has_experiment ? o->experiment >= 0 : o->experiment == 0);
    require(isfinite(o->time));
    require(table->has_upper ? o->upper >= o->time : o->upper == o->time);
    require(isnan(o->sigma) ||
            (table->has_sigma && o->sigma > 0 && isfinite(o->sigma)));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    zm_observations table = { 0 };
    zm_error err = { ZM_OK, 0, "" };
    const zm_status st = zm_observations_parse(bytes, n, "input", &table, &err);
    int64_t line = 1; /* of the header, or before it */

    if (st == ZM_OK) {
        require(table.items != NULL && table.n >= 1);
        for (size_t i = 0; i < table.n; i++) {
            check_line(&table, &table.items[i], line);
            line = table.items[i].line;
        }
    } else {
        require(st < 0 && err.code == st && !strncmp(err.text, "input", 5) &&
                memchr(err.text, '\0', sizeof err.text) && !table.items);
        for (const char *c = err.text; *c; c++)
            require(*c >= ' ' && *c <= '~');
    }
    zm_observations_free(&table);
    require(!table.items && !table.n);
    return 0;
}
