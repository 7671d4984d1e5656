/* SPDX-License-Identifier: Apache-2.0
 * Dates as files write them. */
#ifndef ZM_GEO_DATE_H
#define ZM_GEO_DATE_H

#include <stdbool.h>

typedef struct zm_date {
    int year, month, day, hour, minute;
    bool has_time; /**< else hour and minute are 0 */
    bool has_zone; /**< else nobody tells whose clock it is */
    double ahead;  /**< h that the clock is ahead of UTC; 0 without a zone */
} zm_date;

/** Reads 2013-09-02, 2013/9/2, 20130902, each with T or blank and 09:43[:12[.5]] behind it or
 *  not, and with a time of day perhaps Z, +02:00 or +02; false where it is none of these or no such
 *  day exists. */
bool zm_date_parse(const char *text, zm_date *out);

/** Reads a distance from UTC to the end of a text: Z, +02:00, +0200, +02; nothing: NAN. */
bool zm_date_zone_parse(const char *text, double *ahead);

/** Reads 18/03/25 11:15: day, month, year of this century, time. */
bool zm_date_parse_short(const char *text, zm_date *out);

/** Hours since 1970 on the clock of the date; noon where there is no time of day. */
double zm_date_hours(const zm_date *date);

/** Of numbers, hhmm as 1430: h since 1970; NAN where there is no such day. */
double zm_date_numbers_hours(double year, double month, double day, double hhmm);

/** The same moment on the clock of UTC, where the date has a zone; else as it is. */
zm_date zm_date_in_utc(const zm_date *date);

/** The same backwards. */
zm_date zm_date_of(double hours);

/** "2013-09-02" or "2011-08-26T09:43", with Z or +02:00 behind it where it has a zone. */
typedef struct zm_date_text {
    char text[24];
} zm_date_text;
zm_date_text zm_date_print(const zm_date *date);

#endif
