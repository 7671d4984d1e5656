/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: any text is a date that exists, and the same one after it was printed, or none; the
 * names of masks too.  Run: fuzz_dates tests/fuzz/corpus_dates */
#include <math.h>
#include <string.h>

#include "fire/data/geo/date.h"
#include "fire/data/import/sim2real_files.h"
#include "fuzz.h"
#include "zermelo/fire/dataset.h"

static void check(const zm_date *d)
{
    const zm_date_text text = zm_date_print(d);
    const double hours = zm_date_hours(d);
    const zm_date back = zm_date_of(hours);
    zm_date again;

    require(d->year >= 1000 && d->year <= 9999 && d->month >= 1 && d->month <= 12 &&
            d->day >= 1 && d->day <= 31 && d->hour >= 0 && d->hour <= 24 &&
            d->minute >= 0 && d->minute < 60 && isfinite(hours));
    require(memchr(text.text, '\0', sizeof text.text) != NULL);
    require(zm_date_parse(text.text, &again) && zm_date_hours(&again) == hours);
    require(zm_date_hours(&back) == hours);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char *text = malloc(n + 1);
    int32_t month, day;
    double hour;
    zm_date d;

    require(text != NULL);
    if (n)
        memcpy(text, bytes, n);
    text[n] = '\0';
    if (zm_date_parse(text, &d))
        check(&d);
    if (zm_date_parse_short(text, &d))
        check(&d);
    if (zm_sim2real_mask_date(text, &d))
        check(&d);
    require(zm_sim2real_mask_number(text) < ZM_MOST_MASKS);
    if (zm_start_parse(text, &month, &day, &hour))
        require(month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour >= 0 &&
                hour < 24);
    free(text);
    return 0;
}
