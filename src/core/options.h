/* SPDX-License-Identifier: Apache-2.0
 * Structs of options and of results begin with their own size, so that a library which knows
 * more of either serves callers that were compiled with less. */
#ifndef ZM_CORE_OPTIONS_H
#define ZM_CORE_OPTIONS_H

#include <string.h>

#include "core/fail.h"

/**
 * Reads the caller's options over the defaults.
 *
 * @param options in,out  the defaults, `size` bytes of a struct that begins with a size_t
 * @param given   in      the caller's struct of the same kind, perhaps shorter; or NULL
 * @param name    in      for the message
 */
static inline zm_status zm_options_read(void *options, size_t size, const void *given,
                                        const char *name, zm_error *err)
{
    size_t given_size;

    if (!given)
        return ZM_OK;
    memcpy(&given_size, given, sizeof given_size);
    if (given_size < sizeof given_size || given_size > size)
        return zm_fail(
            err, ZM_E_ARG, -1,
            "%s has size %zu, must be at most %zu: start from its _INIT macro", name,
            given_size, size);
    memcpy(options, given, given_size);
    memcpy(options, &size, sizeof size);
    return ZM_OK;
}

/** Whether the caller's struct for results says its size; NULL, not wanted, is fine.  To be
 *  called before any work is done. */
static inline zm_status zm_options_check_report(const void *report, const char *name,
                                                zm_error *err)
{
    size_t size;

    if (!report)
        return ZM_OK;
    memcpy(&size, report, sizeof size);
    return size >= sizeof size
               ? ZM_OK
               : zm_fail(err, ZM_E_ARG, -1,
                         "%s has size %zu: start from its _INIT macro", name, size);
}

/** Writes results to the caller's struct, which may be shorter or longer and keeps its size;
 *  NULL: nowhere. */
static inline void zm_options_write_report(void *report, const void *filled,
                                           size_t size)
{
    size_t room;

    if (!report)
        return;
    memcpy(&room, report, sizeof room);
    memcpy((char *)report + sizeof room, (const char *)filled + sizeof room,
           (room < size ? room : size) - sizeof room);
}

#endif
