/* SPDX-License-Identifier: Apache-2.0
 * What verbs that import a landscape of others are told, and what they tell. */
#define _GNU_SOURCE /* tm_gmtoff */
#include "fire/import_options.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/message.h"
#include "common/value.h"
#include "zermelo/fire/ignition.h"

bool parse_start(const char *text, void *field)
{
    return zm_time_parse(text, field) != 0;
}

/* A zone that is a distance from UTC, or false. */
static bool zone_distance(const char *text, double *ahead)
{
    const bool bare = isdigit((unsigned char)*text) != 0;
    char whole[64];
    zm_time t;

    if (!*text || strlen(text) > 8)
        return false;
    snprintf(whole, sizeof whole, "2000-01-01T00:00%s%s", bare ? "+" : "", text);
    if (!strcmp(text, "UTC") || !strcmp(text, "GMT"))
        snprintf(whole, sizeof whole, "2000-01-01T00:00Z");
    if (!zm_time_parse(whole, &t) || isnan(t.ahead))
        return false;
    *ahead = t.ahead;
    return true;
}

/* A name of the system's table of time zones, without a way out of it. */
static bool zone_file(const char *name)
{
    char path[160];

    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("/_+-", *c))
            return false;
    return *name != '/' && strlen(name) < 100 &&
           snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", name) > 0 &&
           access(path, R_OK) == 0;
}

bool parse_zone_name(const char *text, void *field)
{
    double unused;

    *(const char **)field = text;
    return zone_distance(text, &unused) || zone_file(text);
}

bool times_given(const weather_times *t)
{
    return t->start.month || t->zone || t->conditioning >= 0;
}

/* How far the clocks of a named zone are ahead of UTC at a moment they show. */
static double zone_ahead(const char *zone, const zm_time *at)
{
    struct tm local = { .tm_year = at->year - 1900,
                        .tm_mon = at->month - 1,
                        .tm_mday = at->day,
                        .tm_hour = (int)at->hour,
                        .tm_min = (int)((at->hour - floor(at->hour)) * 60 + 0.5),
                        .tm_isdst = -1 };
    double ahead;

    if (zone_distance(zone, &ahead))
        return ahead;
    setenv("TZ", zone, 1);
    tzset();
    mktime(&local);
    return (double)local.tm_gmtoff / 3600;
}

bool parse_ignition(const char *text, void *field)
{
    file_list *list = field;

    list->items = grow(list->items, list->count + 1, sizeof *list->items);
    list->items[list->count++] = text;
    return *text != '\0';
}

int check_ignition(const file_list *words)
{
    zm_error err;

    for (size_t i = 0; i < words->count; i++)
        if (zm_ignition_word_check(words->items[i], &err) < 0)
            return usage_error("--%s", err.text);
    return DONE;
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

int import_opts(const weather_times *times, const zm_fuel_moisture *moisture,
                const file_list *ignition, const zm_fuel *fuels, size_t n_fuels,
                zm_import_opts *out)
{
    const zm_time *start = &times->start;
    zm_import_opts o = ZM_IMPORT_OPTS_INIT;

    o.fuels = fuels;
    o.n_fuels = n_fuels;
    o.ignition = ignition->items;
    o.n_ignition = ignition->count;
    o.moisture_given = moisture_given(moisture);
    if (o.moisture_given)
        o.moisture = *moisture;
    o.start_year = start->year;
    o.start_month = start->month;
    o.start_day = start->day;
    o.start_hour = start->hour;
    o.start_ahead = start->month ? start->ahead : (double)NAN;
    if (times->zone) {
        double fixed;

        if (!zone_distance(times->zone, &fixed) && !start->year)
            return usage_error("--time-zone %s has daylight saving: give --start with its "
                               "year, or the distance from UTC",
                               times->zone);
        o.weather_ahead = zone_ahead(times->zone, start);
        if (isnan(o.start_ahead))
            o.start_ahead = o.weather_ahead;
    }
    o.earlier = times->conditioning >= 0 ? times->conditioning : HUGE_VAL;
    o.hours = times->hours;
    *out = o;
    return DONE;
}

/* What was assumed of the landscape. */
static void tell_layers(const zm_import_report *r)
{
    static const struct {
        zm_layer layer;
        const char *text;
    } missing[] = { { ZM_LAYER_HEIGHT, "no canopy height: taken as 15 m" },
                    { ZM_LAYER_BASE, "no canopy base height: taken as 4 m" },
                    { ZM_LAYER_DENSITY, "no canopy bulk density: taken as 0.20 kg/m3" } };

    if (r->utm_zone)
        note("the landscape is in degrees: brought into metres of UTM zone %d%c, nearest "
             "cell",
             abs(r->utm_zone), r->utm_zone < 0 ? 'S' : 'N');
    if (r->slope_percent)
        note("the slope is in percent: brought to degrees");
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (r->layers_missing & 1U << missing[i].layer)
            warning("%s", missing[i].text);
}

/* What was taken of the weather. */
static void tell_weather(const zm_import_report *r)
{
    static const char *const assumed[] = { "temperature 25 C", "humidity 30 %", "wind", "wind",
                                           "no cloud", "no rain" };

    if (!r->weather_hours)
        return;
    note("weather of %d hours from %02d-%02dT%02d:%02d on, %d hours before it condition the "
         "fuel",
         (int)r->weather_hours, (int)r->start_month, (int)r->start_day, (int)r->start_hour,
         (int)(60 * (r->start_hour - floor(r->start_hour)) + 0.5), (int)r->earlier_hours);
    for (int k = 0; k < 6; k++)
        if (r->weather_assumed & 1U << k)
            warning("the weather does not tell it: %s", assumed[k]);
    if (r->station_told)
        note("the weather was measured at %.0f m", r->station_elevation);
    if (r->sun_ahead != 0)
        note("by its longitude the sun is %.2f h ahead of the clock", r->sun_ahead);
    if (r->moisture_told)
        note("fuel moisture is that of the .input");
    if (r->unused[0])
        warning("settings of the .input that are not used: %s", r->unused);
}

static void tell_ignition(const zm_import_report *r)
{
    if (r->ignition_cells > 1)
        note("the fire starts from %lld cells, the last of them at %g h",
             (long long)r->ignition_cells, r->ignition_latest);
    if (r->ignition_clock_assumed)
        note("dates of the ignition tell no time zone: taken on the clock of the start");
    if (r->ignition_unburnable)
        warning("%lld cells of ignition lines cannot burn: left out",
                (long long)r->ignition_unburnable);
    if (r->ignition_outside)
        warning("%lld shapes of the ignition reach beyond the landscape: cut off there",
                (long long)r->ignition_outside);
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
    tell_layers(r);
    tell_weather(r);
    tell_ignition(r);
    if (r->fires_skipped)
        warning("%zu fire%s could not be taken; the first: %s", r->fires_skipped,
                r->fires_skipped == 1 ? "" : "s", r->note);
    if (r->fires)
        note("%zu fire%s", r->fires, r->fires == 1 ? "" : "s");
    if (r->perimeters)
        note("%zu perimeter%s", r->perimeters, r->perimeters == 1 ? "" : "s");
}
