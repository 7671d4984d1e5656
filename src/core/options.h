/* SPDX-License-Identifier: Apache-2.0
 * Option structs begin with their own size, so that a library with more options serves
 * callers that were compiled with fewer. */
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

/** Writes as much of our struct as the caller's has room for, but for its size; `to` may be
 *  NULL. */
static inline zm_status zm_options_write(void *to, const void *from, size_t size,
                                         const char *name, zm_error *err)
{
    const size_t skip = sizeof(size_t);
    size_t room;

    if (!to)
        return ZM_OK;
    room = zm_options_size(to, size, name, err);
    if (!room)
        return ZM_E_ARG;
    memcpy((char *)to + skip, (const char *)from + skip, room - skip);
    return ZM_OK;
}

#endif
