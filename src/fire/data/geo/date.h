/* SPDX-License-Identifier: Apache-2.0
 * Dates as files write them. */
#ifndef ZM_GEO_DATE_H
#define ZM_GEO_DATE_H

#include <stdbool.h>

typedef struct zm_date {
    int year, month, day, hour, minute;
    bool has_time; /**< else hour and minute are 0 */
} zm_date;

/** Reads 2013-09-02, 2013/9/2, 20130902, each with T or blank and 09:43[:12...] behind it or
 *  not; false where it is none of these or no such day exists. */
bool zm_date_parse(const char *text, zm_date *out);

/** Reads 18/03/25 11:15: day, month, year of this century, time. */
bool zm_date_parse_short(const char *text, zm_date *out);

/** Hours since 1970; noon where there is no time of day. */
double zm_date_hours(const zm_date *date);

/** The same backwards. */
zm_date zm_date_of(double hours);

/** "2013-09-02" or "2011-08-26T09:43". */
typedef struct zm_date_text {
    char text[24];
} zm_date_text;
zm_date_text zm_date_print(const zm_date *date);

#endif
