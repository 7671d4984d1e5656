/* SPDX-License-Identifier: Apache-2.0
 * How much memory a file may ask for. */
#ifndef ZM_LIMIT_H
#define ZM_LIMIT_H

#include <stddef.h>

#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Sets the most bytes that one file may ask for, in every reader of the libraries.  It is
 * checked before memory is taken: against the values that arrays, rasters and models announce,
 * and against the length of texts and tables.  Any thread may call this at any time; it holds
 * for the whole process.
 *
 * @param bytes in  the limit of every reader; 0, as at the start: half of the machine's memory
 *                  for arrays and rasters, for rasters of more than 1 GiB at most 1000 times
 *                  their file; 256 MiB for texts and tables; 1 GiB for models and states
 */
ZM_API void zm_read_limit_set(size_t bytes);

/** What was set last, or 0. */
ZM_API size_t zm_read_limit(void);

#ifdef __cplusplus
}
#endif
#endif
