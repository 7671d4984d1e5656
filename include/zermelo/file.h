/* SPDX-License-Identifier: Apache-2.0
 * Whole files, written at once or not at all. */
#ifndef ZM_FILE_H
#define ZM_FILE_H

#include <stddef.h>

#include "export.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Writes n_bytes to a temporary name beside `path` and renames it, so that a reader
 * sees the old file or the new one and a failure leaves the old one.  A symbolic link
 * is followed, also to a file that is not there yet.  What is no regular file (a pipe) and
 * what is open already (/dev/stdout, /dev/fd/N) is written to directly, where it is.
 * Permissions are 0666 less the umask.  The bytes are on the disk before the name changes.
 *
 * @param path  in  the file
 * @param bytes in  n_bytes of them; may be NULL when there are none
 * @return ZM_OK, ZM_E_IO, ZM_E_NOMEM, ZM_E_ARG (path or bytes missing)
 */
ZM_API zm_status zm_file_write(const char *path, const void *bytes, size_t n_bytes,
                               zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
