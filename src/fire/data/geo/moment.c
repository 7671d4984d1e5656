/* SPDX-License-Identifier: Apache-2.0
 * Moments on the clocks of people and of the sun. */
#include "zermelo/fire/moment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fire/data/geo/date.h"

int zm_time_parse(const char *text, zm_time *out)
{
    zm_time t = { 0 };
    int year = 0, hour, minute = 0, second = 0, used = 0, more = 0;
    char month[3] = "", day[3] = "";

    if (!text || !out)
        return 0;
    if (sscanf(text, "%4d-%2[0-9]-%2[0-9]T%2d%n", &year, month, day, &hour, &used) != 4 ||
        year < 1000) {
        year = used = 0;
        if (sscanf(text, "%2[0-9]-%2[0-9]T%2d%n", month, day, &hour, &used) != 3)
            return 0;
    }
    text += used;
    if (*text == ':') {
        if (sscanf(text, ":%2d%n", &minute, &more) != 1)
            return 0;
        text += more;
        if (*text == ':') {
            if (sscanf(text, ":%2d%n", &second, &more) != 1)
                return 0;
            text += more;
        }
    }
    t = (zm_time){ year, atoi(month), atoi(day), hour + minute / 60.0 + second / 3600.0,
                   NAN };
    if (minute < 0 || minute > 59 || second < 0 || second > 59 || hour < 0 || hour > 23 ||
        isnan(zm_date_numbers_hours(year ? year : 2000, t.month, t.day, 0)) ||
        !zm_date_zone_parse(text, &t.ahead))
        return 0;
    *out = t;
    return 1;
}

double zm_time_hours(const zm_time *t)
{
    return zm_date_numbers_hours(t->year, t->month, t->day, 0) + t->hour;
}

zm_time zm_time_after(const zm_time *t, double hours)
{
    const double now = zm_time_hours(t) + hours;
    zm_time out = { .ahead = t->ahead };

    if (isfinite(now)) {
        const zm_date date = zm_date_of(now);

        out = (zm_time){ date.year, date.month, date.day, date.hour + date.minute / 60.0,
                         t->ahead };
    }
    return out;
}

double zm_sun_ahead(double longitude, double clock_ahead)
{
    return isfinite(clock_ahead) && isfinite(longitude) ? longitude / 15 - clock_ahead : 0;
}
