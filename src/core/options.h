/* SPDX-License-Identifier: Apache-2.0
 * Structs of options and of results begin with their own size, so that a library which knows
 * more of either serves callers that were compiled with less. */
#ifndef ZM_CORE_OPTIONS_H
#define ZM_CORE_OPTIONS_H

#include <stdint.h>
#include <string.h>

#include "core/fail.h"

/** The size that a caller's struct says it has; 0 if that cannot be: never set, or of a newer
 *  library. */
static inline size_t zm_options_size(const void *given, size_t most, const char *name,
                                     zm_error *err)
{
    size_t size;

    memcpy(&size, given, sizeof size);
    if (size >= sizeof size && size <= most)
        return size;
    zm_fail(err, ZM_E_ARG, -1, "%s has size %zu, must be at most %zu: start from its _INIT macro",
            name, size, most);
    return 0;
}

/** Element i of an array of such structs, all of the size of the first; NULL if array is. */
static inline void *zm_options_at(const void *array, size_t i)
{
    size_t size;

    if (!array)
        return NULL;
    memcpy(&size, array, sizeof size);
    return (char *)(uintptr_t)array + i * size;
}

/**
 * Reads element i of the caller's array over the defaults.
 *
 * @param options in,out  the defaults, `size` bytes of a struct that begins with a size_t
 * @param array   in      the caller's structs of the same kind, perhaps shorter, all of the
 *                        size of the first; or NULL
 * @param name    in      for the message
 */
static inline zm_status zm_options_read_at(void *options, size_t size, const void *array,
                                           size_t i, const char *name, zm_error *err)
{
    size_t given;

    if (!array)
        return ZM_OK;
    given = zm_options_size(array, size, name, err);
    if (!given)
        return ZM_E_ARG;
    memcpy(options, (const char *)array + i * given, given);
    memcpy(options, &size, sizeof size);
    return ZM_OK;
}

/** The same for one struct. */
static inline zm_status zm_options_read(void *options, size_t size, const void *given,
                                        const char *name, zm_error *err)
{
    return zm_options_read_at(options, size, given, 0, name, err);
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
