/* SPDX-License-Identifier: Apache-2.0
 * What the fuzz targets share: a promise that is broken ends the program, and bytes as files. */
#ifndef ZM_FUZZ_H
#define ZM_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "zermelo/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/** Ends the program, and says which promise is broken. */
_Noreturn void fuzz_broken(const char *promise, const char *file, int line);
#define require(promise)                                                               \
    ((promise) ? (void)0 : fuzz_broken(#promise, __FILE__, __LINE__))

/** A failure has its code and a message that ends and has no control characters. */
void require_message(zm_status st, const zm_error *err);

/** A folder in memory where there is one, else in /tmp, removed when the program ends. */
const char *fuzz_folder(void);

/** "folder/name"; good until the eighth call after this one. */
const char *fuzz_path(const char *name);

/** Replaces a file in the folder by n bytes. */
void fuzz_write(const char *name, const void *bytes, size_t n);

/**
 * Replaces all in a subfolder by the files that the bytes tell of: lines "@NAME" each begin a
 * file, which goes on to the next such line.  Names that are empty, lead out of the folder or have
 * more than five parts are left out.  Contents "=NAME" are those of that file of fuzz_folder.
 *
 * @return its path
 */
const char *fuzz_unpack(const char *subfolder, const uint8_t *bytes, size_t n);

/** Empties a subfolder, and makes it where it is not there; the path is good until the next but
 *  one call of this or fuzz_unpack. */
const char *fuzz_empty(const char *subfolder);

#endif
