/* SPDX-License-Identifier: Apache-2.0
 * Option structs begin with their own size, so that a library with more options serves
 * callers that were compiled with fewer. */
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

#endif
