/* SPDX-License-Identifier: Apache-2.0
 * What verbs that import a landscape of others are told, and what they tell. */
#include "fire/import_options.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/message.h"
#include "common/value.h"

bool parse_start(const char *text, void *field)
{
    fire_start *s = field;

    return zm_start_parse(text, &s->month, &s->day, &s->hour) != 0;
}

bool parse_moisture(const char *text, void *field)
{
    number_list list = { 0 };
    bool good = parse_positive_list(text, &list) && list.count == 5;

    for (size_t i = 0; good && i < 5; i++)
        good = list.items[i] >= 0.1 && list.items[i] <= (i < 3 ? 100 : 400);
    if (good)
        *(zm_fuel_moisture *)field =
            (zm_fuel_moisture){ list.items[0], list.items[1], list.items[2],
                                list.items[3], list.items[4] };
    free(list.items);
    return good;
}

zm_import_opts import_opts(const fire_start *start, const zm_fuel_moisture *moisture,
                           const zm_fuel *fuels, size_t n_fuels)
{
    zm_import_opts o = ZM_IMPORT_OPTS_INIT;

    o.fuels = fuels;
    o.n_fuels = n_fuels;
    if (moisture_given(moisture))
        o.moisture = *moisture;
    o.start_month = start->month;
    o.start_day = start->day;
    o.start_hour = start->hour;
    return o;
}

void tell_import(const zm_import_report *r)
{
    if (r->cells_without_data)
        note("%lld cells have no data: taken as non-burnable",
             (long long)r->cells_without_data);
    if (r->unknown_fuel_cells)
        warning("%lld cells have a fuel that is not known: taken as non-burnable; "
                "--fuels takes custom fuels",
                (long long)r->unknown_fuel_cells);
    if (r->usual_fuel_cells)
        warning("%lld cells have fuel 19, 21 or 22: taken as FARSITE's Ashley and as "
                "the Joint Research Centre have them; --fuels takes others",
                (long long)r->usual_fuel_cells);
    if (r->slope_computed)
        note("slope and aspect were computed from the elevation");
    if (r->cover_missing)
        warning("no canopy cover: taken as 0");
    if (r->fires_skipped)
        warning("%zu fire%s could not be taken; the first: %s", r->fires_skipped,
                r->fires_skipped == 1 ? "" : "s", r->note);
    if (r->fires)
        note("%zu fire%s", r->fires, r->fires == 1 ? "" : "s");
    if (r->perimeters)
        note("%zu perimeter%s", r->perimeters, r->perimeters == 1 ? "" : "s");
}
