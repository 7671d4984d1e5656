/* SPDX-License-Identifier: Apache-2.0
 * Fuel models from files. */
#include <stdlib.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/shown_name.h"
#include "zermelo/fire/dataset.h"
#include "zermelo/fire/physics.h"

static zm_status parse(const char *text, size_t length, const char *path,
                       zm_fuel **fuels, size_t *n, zm_error *err)
{
    zm_error why;
    zm_status st = zm_fuels_parse(text, length, NULL, 0, n, &why);

    if (st < 0)
        return zm_fail(err, st, -1, "%s: %s", zm_shown_name(path), why.text);
    if (*n == 0)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: no fuel model in it, a FARSITE fuel line each",
                       zm_shown_name(path));
    if (!(*fuels = calloc(*n, sizeof **fuels)))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for %zu fuels",
                       zm_shown_name(path), *n);
    return zm_fuels_parse(text, length, *fuels, *n, n, err);
}

zm_status zm_fuels_read(const char *path, zm_fuel **fuels, size_t *n, zm_error *err)
{
    char *text;
    size_t length;
    zm_status st;

    if (!path || !fuels || !n)
        return zm_fail(err, ZM_E_ARG, -1, "zm_fuels_read needs a file and results");
    *fuels = NULL;
    *n = 0;
    st = zm_file_read(path, ZM_FILE_TEXT, &text, &length, err);
    if (st >= 0)
        st = parse(text, length, path, fuels, n, err);
    free(text);
    return st;
}
