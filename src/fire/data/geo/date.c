/* SPDX-License-Identifier: Apache-2.0
 * Dates as files write them. */
#include "fire/data/geo/date.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/month.h"

static bool exists(const zm_date *d)
{
    return d->year >= 1000 && d->year <= 9999 && d->month >= 1 && d->month <= 12 &&
           d->day >= 1 && d->day <= zm_month_days(d->month) && d->hour >= 0 &&
           d->hour <= 24 && d->minute >= 0 && d->minute < 60;
}

bool zm_date_zone_parse(const char *text, double *ahead)
{
    int hours, minutes = 0, used = 0;
    const char sign = *text;

    *ahead = (double)NAN;
    if (!*text)
        return true;
    *ahead = 0;
    if ((*text == 'Z' || *text == 'z') && !text[1])
        return true;
    if ((sign != '+' && sign != '-') || !isdigit((unsigned char)text[1]))
        return false;
    if (sscanf(text + 1, "%2d:%2d%n", &hours, &minutes, &used) < 2) {
        minutes = 0;
        if (sscanf(text + 1, "%2d%2d%n", &hours, &minutes, &used) < 2) {
            minutes = 0;
            used = 0;
            if (sscanf(text + 1, "%2d%n", &hours, &used) < 1)
                return false;
        }
    }
    *ahead = (sign == '-' ? -1 : 1) * (hours + minutes / 60.0);
    return !text[1 + used] && hours <= 14 && minutes >= 0 && minutes < 60;
}

/* [:12[.5]][blank][zone] behind hour and minute. */
static bool parse_rest(const char *text, zm_date *d)
{
    double ahead;

    if (*text == ':') {
        const size_t digits = strspn(text + 1, "0123456789");

        if (digits < 1 || digits > 2)
            return false;
        text += 1 + digits;
        if (*text == '.' || *text == ',')
            text += 1 + strspn(text + 1, "0123456789");
    }
    text += strspn(text, " ");
    if (!strcmp(text, "UTC") || !strcmp(text, "GMT"))
        text = "Z";
    if (!zm_date_zone_parse(text, &ahead))
        return false;
    d->has_zone = !isnan(ahead);
    d->ahead = d->has_zone ? ahead : 0;
    return true;
}

bool zm_date_parse(const char *text, zm_date *out)
{
    zm_date d = { 0 };
    int used = 0;

    if (sscanf(text, "%4d-%2d-%2d%n", &d.year, &d.month, &d.day, &used) != 3 &&
        sscanf(text, "%4d/%2d/%2d%n", &d.year, &d.month, &d.day, &used) != 3 &&
        sscanf(text, "%4d%2d%2d%n", &d.year, &d.month, &d.day, &used) != 3)
        return false;
    text += used;
    if (*text == 'T' || *text == ' ') {
        text++;
        d.has_time = sscanf(text, "%2d:%2d%n", &d.hour, &d.minute, &used) == 2;
        if (d.has_time && !parse_rest(text + used, &d))
            return false;
        if (!d.has_time && text[strspn(text, " ")])
            return false;
    } else if (*text) {
        return false;
    }
    *out = d;
    return exists(&d);
}

bool zm_date_parse_short(const char *text, zm_date *out)
{
    zm_date d = { .has_time = true };

    if (sscanf(text, "%2d/%2d/%2d %2d:%2d", &d.day, &d.month, &d.year, &d.hour,
               &d.minute) != 5)
        return false;
    d.year += 2000;
    *out = d;
    return exists(&d);
}

/* Days since 1 January 1970 in the Gregorian calendar; years begin in March, so that leap days
 * come last (H. Hinnant, chrono-compatible low-level date algorithms). */
static long days_since_1970(int year, int month, int day)
{
    const long y = month <= 2 ? year - 1 : year;
    const long era = y / 400, of_era = y - 400 * era;
    const long of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

    return 146097 * era + 365 * of_era + of_era / 4 - of_era / 100 + of_year - 719468;
}

double zm_date_hours(const zm_date *date)
{
    const double time = date->has_time ? date->hour + date->minute / 60.0 : 12;

    return 24.0 * (double)days_since_1970(date->year, date->month, date->day) + time;
}

zm_date zm_date_in_utc(const zm_date *date)
{
    zm_date utc = *date;

    if (!date->has_zone || !date->has_time || date->ahead == 0)
        return utc;
    utc = zm_date_of(zm_date_hours(date) - date->ahead);
    utc.has_zone = true;
    return utc;
}

zm_date zm_date_of(double hours)
{
    const long minutes = lround(hours * 60), day = (long)floor((double)minutes / 1440);
    const long z = day + 719468, era = z / 146097, doe = z - era * 146097;
    const long yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    const long doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    const int month = (int)(mp < 10 ? mp + 3 : mp - 9);
    const int left = (int)(minutes - 1440 * day);

    return (zm_date){ (int)(yoe + era * 400) + (month <= 2),
                      month,
                      (int)(doy - (153 * mp + 2) / 5 + 1),
                      left / 60,
                      left % 60,
                      true,
                      false,
                      0 };
}

zm_date_text zm_date_print(const zm_date *date)
{
    zm_date_text t;
    const unsigned y = (unsigned)date->year % 10000, m = (unsigned)date->month % 100;
    const unsigned d = (unsigned)date->day % 100;

    const unsigned off = (unsigned)lround(fabs(date->ahead) * 60) % (15 * 60);
    char zone[8] = "";

    if (date->has_zone && off == 0)
        zone[0] = 'Z';
    else if (date->has_zone)
        (void)snprintf(zone, sizeof zone, "%c%02u:%02u", date->ahead < 0 ? '-' : '+',
                       off / 60 % 100, off % 60);
    if (date->has_time)
        (void)snprintf(t.text, sizeof t.text, "%04u-%02u-%02uT%02u:%02u%.6s", y, m, d,
                       (unsigned)date->hour % 100, (unsigned)date->minute % 100, zone);
    else
        (void)snprintf(t.text, sizeof t.text, "%04u-%02u-%02u", y, m, d);
    return t;
}

double zm_date_numbers_hours(double year, double month, double day, double hhmm)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    const int y = year >= 1000 && year <= 9999 ? (int)year : 0,
              m = month >= 1 && month <= 12 ? (int)month : 0;
    const bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
    const double minute = fmod(hhmm, 100);
    zm_date date = { .year = y, .month = m, .has_time = true };

    if (!y || !m || y != year || m != month || day != floor(day) || day < 1 ||
        day > days[m - 1] + (m == 2 && leap) || !(hhmm >= 0 && hhmm <= 2400) ||
        minute >= 60)
        return NAN;
    date.day = (int)day;
    return zm_date_hours(&date) + floor(hhmm / 100) + minute / 60;
}
