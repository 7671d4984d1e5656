/* SPDX-License-Identifier: Apache-2.0
 * Whole files, written at once or not at all. */
#include "zermelo/file.h"

#include "core/fail.h"
#include "core/new_file.h"

zm_status zm_file_write(const char *path, const void *bytes, size_t n_bytes,
                        zm_error *err)
{
    zm_new_file file;
    zm_status st;

    if (!path || (!bytes && n_bytes))
        return zm_fail(err, ZM_E_ARG, -1, "zm_file_write needs a path and bytes");
    if ((st = zm_new_file_open(&file, path, err)) < 0)
        return st;
    if (n_bytes)
        st = zm_new_file_append(&file, bytes, n_bytes, err);
    return zm_new_file_close(&file, st, err);
}
