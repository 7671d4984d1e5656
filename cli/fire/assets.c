/* SPDX-License-Identifier: Apache-2.0
 * Assets: cells that matter, from a file or as ROW,COL. */
#include "fire/assets.h"

#include <stdlib.h>

#include "common/message.h"
#include "common/value.h"

int assets_read(const char *text, const zm_landscape *land,
                const zm_georeference *where, uint8_t **out)
{
    const size_t n = (size_t)land->rows * (size_t)land->cols;
    source_list list = { 0 };
    zm_error err;
    int code = DONE;

    *out = grow(NULL, n, 1);
    if (!parse_cell(text, &list)) {
        code = checked(zm_cells_read(text, land->rows, land->cols, where, *out, &err),
                       &err);
    } else if (list.items[0].row >= land->rows || list.items[0].col >= land->cols) {
        code = failure("asset %s lies outside the landscape of %d x %d cells", text,
                       (int)land->rows, (int)land->cols);
    } else {
        for (size_t i = 0; i < n; i++)
            (*out)[i] = 0;
        (*out)[(size_t)list.items[0].row * (size_t)land->cols +
               (size_t)list.items[0].col] = 1;
    }
    free(list.items);
    if (code != DONE) {
        free(*out);
        *out = NULL;
    }
    return code;
}
