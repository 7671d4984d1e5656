/* SPDX-License-Identifier: Apache-2.0
 * "Did you mean ...?" */
#ifndef ZM_CLI_SUGGEST_H
#define ZM_CLI_SUGGEST_H

#include <stddef.h>

/** Makes candidate the nearest if it is closer to the n characters typed than *smallest
 *  and close enough to be a slip. */
void suggest(const char *typed, size_t n, const char *candidate, const char **nearest,
             size_t *smallest);

#endif
