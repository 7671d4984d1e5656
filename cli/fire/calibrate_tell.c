/* SPDX-License-Identifier: Apache-2.0
 * Calibrations as text and as JSON. */
#include <math.h>
#include <stdio.h>

#include "common/message.h"
#include "fire/calibrate.h"

static const char *name_of(const zm_calibrated *p, char text[32])
{
    static const char *const labels[] = { "wind factor", "moisture offset, %", "fuel",
                                          "all fuels" };

    snprintf(text, 32, p->kind == ZM_CALIBRATED_FUEL ? "%s %d" : "%s", labels[p->kind],
             (int)p->fuel);
    return text;
}

void calibration_print(const zm_calibration *c)
{
    printf("%-20s %9s  %-18s %9s\n", "parameter", "value", "95 % interval", "cells");
    for (size_t k = 0; k < c->n; k++) {
        const zm_calibrated *p = &c->items[k];
        char name[32], interval[40];

        snprintf(interval, sizeof interval, "%.3f to %.3f", p->low, p->high);
        printf("%-20s %9.3f  %-18s %9lld%s\n", name_of(p, name), p->value, interval,
               (long long)p->cells, zm_calibrated_at_bound(p) ? "  at its bound" : "");
    }
    printf("error: %.4f before, %.4f after, of the duration\n", c->error_before,
           c->error_after);
}

void calibration_json(const zm_calibration *c, json *j)
{
    json_bool(j, "converged", c->converged);
    json_number(j, "error_before", c->error_before);
    json_number(j, "error_after", c->error_after);
    json_open(j, "parameters", '[');
    for (size_t k = 0; k < c->n; k++) {
        const zm_calibrated *p = &c->items[k];
        char name[32];

        json_open(j, NULL, '{');
        json_text(j, "parameter", name_of(p, name));
        json_number(j, "value", p->value);
        json_number(j, "low", p->low);
        json_number(j, "high", p->high);
        json_int(j, "cells", p->cells);
        json_bool(j, "at_bound", zm_calibrated_at_bound(p));
        json_close(j, '}');
    }
    json_close(j, ']');
}

void fits_add(fit_count *count, const zm_calibration *c)
{
    count->n++;
    count->stopped += !c->converged;
    count->at_bound += zm_calibration_at_bound(c) > 0;
}

void fits_tell(const fit_count *count)
{
    if (count->stopped && count->n == 1)
        warning("the fit stopped before it converged");
    else if (count->stopped)
        warning("%zu of %zu fits stopped before they converged", count->stopped,
                count->n);
    if (count->at_bound)
        warning("%zu of %zu fit%s a parameter at its bound (factors %.3f and %.0f, "
                "moisture %g %%): look at the fires, or fit less",
                count->at_bound, count->n, count->n == 1 ? " has" : "s have",
                exp(-ZM_CALIBRATED_LOG_BOUND), exp(ZM_CALIBRATED_LOG_BOUND),
                ZM_CALIBRATED_OFFSET_BOUND);
}

void fits_json(const fit_count *count, json *j)
{
    json_int(j, "fits", (int64_t)count->n);
    json_int(j, "not_converged", (int64_t)count->stopped);
    json_int(j, "at_bound", (int64_t)count->at_bound);
}
