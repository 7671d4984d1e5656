/* SPDX-License-Identifier: Apache-2.0
 * Draws a field with the installed library. */
#include <stdio.h>

#include "zermelo/plot/plot.h"

enum { ROWS = 3, COLS = 4 };

int main(void)
{
    const double T[ROWS * COLS] = { 0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5 };
    const zm_grid grid = { ROWS, COLS, 1, 1 };
    zm_figure *figure;
    zm_plot *plot;
    zm_error err;

    if (zm_figure_create(&figure, NULL, &err) != ZM_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    plot = zm_figure_plot(figure, 0, 0);
    zm_plot_set_grid(plot, grid, 0, 0);
    ZM_PLOT_IMAGE(plot, .values = T);
    if (zm_figure_save(figure, "consumer.svg", &err) != ZM_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    zm_figure_destroy(figure);
    printf("picture: as expected\n");
    return 0;
}
