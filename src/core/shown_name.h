/* SPDX-License-Identifier: Apache-2.0
 * File names in messages. */
#ifndef ZM_CORE_SHOWN_NAME_H
#define ZM_CORE_SHOWN_NAME_H

#include <string.h>

/** The end of a long name: the reason after it must still fit into a zm_error. */
static inline const char *zm_shown_name(const char *name)
{
    enum { MOST = 120 };
    const size_t length = strlen(name);

    return length > MOST ? name + length - MOST : name;
}

#endif
