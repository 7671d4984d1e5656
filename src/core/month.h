/* SPDX-License-Identifier: Apache-2.0
 * Days of months. */
#ifndef ZM_CORE_MONTH_H
#define ZM_CORE_MONTH_H

#include <stdint.h>

/** Days of a month, 1 to 12, with the leap day. */
static inline int32_t zm_month_days(int32_t month)
{
    return month == 2                                              ? 29
           : month == 4 || month == 6 || month == 9 || month == 11 ? 30
                                                                   : 31;
}

#endif
