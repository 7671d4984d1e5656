/* SPDX-License-Identifier: Apache-2.0
 * Observed fires in a folder. */
#include "fire/learn/observed_names.h"

#include <string.h>

#include "common/message.h"

/* Observed fires have perimeters in one of these. */
static const char *const files[] = { "perimeters.gpkg", "perimeters.geojson",
                                     "perimeters.shp" };

static names all_observed(const char *data)
{
    names all = { 0 };

    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        names some = folders_with(data, files[f]);

        for (size_t i = 0; i < some.n; i++)
            names_add(&all, some.items[i]);
        names_free(&some);
    }
    return all;
}

int choose_observed(const char *data, const char *wanted, names *out)
{
    names all = all_observed(data);
    int code = DONE;

    if (all.n == 0)
        code = failure("%s: no observed fire in it, that is no folder with %s", data,
                       files[0]);
    while (code == DONE && *wanted) {
        const size_t length = strcspn(wanted, ","), before = out->n;

        for (size_t i = 0; i < all.n; i++)
            if ((length == 3 && !strncmp(wanted, "all", 3)) ||
                (strlen(all.items[i]) == length &&
                 !strncmp(all.items[i], wanted, length)))
                names_add(out, all.items[i]);
        if (out->n == before)
            code = failure("%s: no observed fire '%.*s' in it; the first of %zu is %s",
                           data, (int)length, wanted, all.n, all.items[0]);
        wanted += length + (wanted[length] == ',');
    }
    names_free(&all);
    return code;
}
