/* SPDX-License-Identifier: Apache-2.0
 * Days of months. */
#ifndef ZM_CORE_MONTH_H
#define ZM_CORE_MONTH_H

#include <stdbool.h>
#include <stdint.h>

/** Days of a month, 1 to 12, with the leap day. */
static inline int32_t zm_month_days(int32_t month)
{
    return month == 2                                              ? 29
           : month == 4 || month == 6 || month == 9 || month == 11 ? 30
                                                                   : 31;
}

/** Whether there is such a day and hour in a year. */
static inline bool zm_start_exists(int32_t month, int32_t day, double hour)
{
    return month >= 1 && month <= 12 && day >= 1 && day <= zm_month_days(month) &&
           hour >= 0 && hour < 24;
}

/** Day of the year, from 1, in a year without leap day; months beyond 1 to 12 count as the
 *  nearest. */
static inline int32_t zm_day_of_year(int32_t month, int32_t day)
{
    static const int32_t before[] = { 0,   31,  59,  90,  120, 151,
                                      181, 212, 243, 273, 304, 334 };

    return before[month < 1 ? 0 : month > 12 ? 11 : month - 1] + day;
}

/** Hours later, in a year without leap day. */
static inline void zm_start_later(int32_t *month, int32_t *day, double *hour,
                                  double hours)
{
    for (*hour += hours; *hour >= 24; *hour -= 24)
        if (++*day > (*month == 2 ? 28 : zm_month_days(*month))) {
            *day = 1;
            *month = *month % 12 + 1;
        }
}

#endif
