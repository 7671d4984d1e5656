/* SPDX-License-Identifier: Apache-2.0
 * Colours in Oklab, where equal distances look equally different. */
#ifndef ZM_PLOT_OKLAB_H
#define ZM_PLOT_OKLAB_H

/** Lightness L in [0, 1], green-red a, blue-yellow b. */
typedef struct oklab {
    double L, a, b;
} oklab;

/** From lightness, chroma and hue in degrees. */
oklab zm_plot_oklab_from_lch(double L, double chroma, double hue);

/** From sRGB, each in [0, 1]. */
oklab zm_plot_oklab_from_srgb(const double rgb[3]);

/** To sRGB, not clipped: outside of [0, 1] where the screen cannot show it. */
void zm_plot_oklab_to_srgb(oklab color, double rgb[3]);

/** Euclidean distance. */
double zm_plot_oklab_distance(oklab p, oklab q);

#endif
