/* SPDX-License-Identifier: Apache-2.0
 * Makes a page with the installed library. */
#include <stdio.h>

#include "zermelo/view.h"

enum { ROWS = 3, COLS = 4 };

int main(void)
{
    const double T[ROWS * COLS] = { 0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5 };
    zm_view_field times = ZM_VIEW_FIELD_INIT;
    zm_view *page;
    zm_error err;

    times.planes[0] = T;
    if (zm_view_create(ROWS, COLS, &page, NULL, &err) != ZM_OK ||
        zm_view_add(page, &times, NULL, &err) != ZM_OK ||
        zm_view_write(page, "consumer.html", &err) != ZM_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    zm_view_destroy(page);
    printf("page: as expected\n");
    return 0;
}
