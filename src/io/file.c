/* SPDX-License-Identifier: Apache-2.0
 * Whole files, written at once or not at all. */
#include "zermelo/file.h"

#include "core/fail.h"
#include "core/new_file.h"

zm_status zm_file_write(const char *path, const void *bytes, size_t n_bytes,
                        zm_error *err)
{
    if (!path || (!bytes && n_bytes))
        return zm_fail(err, ZM_E_ARG, -1, "zm_file_write needs a path and bytes");
    return zm_new_file_write(path, bytes, n_bytes, err);
}
