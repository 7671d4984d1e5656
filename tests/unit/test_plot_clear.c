/* SPDX-License-Identifier: Apache-2.0
 * Images over images, as read back from PNG files. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "support/folders.h"
#include "zermelo/fire/geo.h"
#include "zermelo/plot/plot.h"

enum { SIDE = 8, CELLS = SIDE * SIDE };

/* Share of the pixels that have the colour of a map at a place. */
static double share_of(const zm_raster *picture, zm_plot_map map, double at)
{
    const size_t n = (size_t)picture->rows * (size_t)picture->cols;
    double rgb[3];
    size_t found = 0;

    zm_plot_map_color(map, at, rgb);
    for (size_t i = 0; i < n; i++) {
        bool same = true;

        for (size_t k = 0; k < 3; k++) /* rounded to bytes */
            same &= fabs((double)picture->data[k * n + i] - 255 * rgb[k]) < 1.5;
        found += same;
    }
    return (double)found / (double)n;
}

/* The lower half of the upper image is not finite. */
static zm_raster draw(test_run *t, int32_t clear)
{
    const folder f = folder_make();
    double below[CELLS], above[CELLS];
    zm_raster picture = { 0 };
    zm_figure *figure;
    zm_plot *plot;

    for (int i = 0; i < CELLS; i++) {
        below[i] = 1;
        above[i] = i < CELLS / 2 ? 0 : (double)NAN;
    }
    zm_figure_create(&figure, NULL, NULL);
    plot = zm_figure_plot(figure, 0, 0);
    zm_plot_set_grid(plot, (zm_grid){ SIDE, SIDE, 1, 1 }, 0, 0);
    ZM_PLOT_IMAGE(plot, .values = below, .colors.map = ZM_MAP_SAND, .colors.min = 0,
                  .colors.max = 1, .colors.hide_bar = 1);
    ZM_PLOT_IMAGE(plot, .values = above, .colors.map = ZM_MAP_EMBER, .colors.min = 0,
                  .colors.max = 1, .colors.hide_bar = 1, .clear = clear);
    CHECK(zm_figure_save(figure, folder_path(&f, "a.png"), NULL) == ZM_OK);
    CHECK(zm_raster_read(folder_path(&f, "a.png"), &picture, NULL) == ZM_OK);
    CHECK(picture.bands >= 3);
    zm_figure_destroy(figure);
    folder_remove(&f);
    return picture;
}

/* The colour of the image below fills half of the area, as much as that above it; without
 * `clear` it is not seen at all. */
TEST(clear_cells_show_the_image_below)
{
    zm_raster picture = draw(t, 1);
    const double seen = share_of(&picture, ZM_MAP_SAND, 1);

    CHECK(seen > 0.2);
    CHECK_NEAR(seen, share_of(&picture, ZM_MAP_EMBER, 0), 0.1 * seen);
    zm_raster_free(&picture);
    picture = draw(t, 0);
    CHECK(share_of(&picture, ZM_MAP_SAND, 1) < 0.01);
    zm_raster_free(&picture);
}
