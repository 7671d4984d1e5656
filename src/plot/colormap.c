/* SPDX-License-Identifier: Apache-2.0
 * Colour maps as curves in Oklab, walked at constant speed.
 *
 * A map is a Catmull-Rom spline through a few colours whose lightness rises (or falls) in
 * equal steps, so that lightness is monotone along it; steps of equal Oklab length then
 * look equally large everywhere.  All colours lie inside sRGB: nothing is clipped. */
#include "plot/colormap.h"

#include <math.h>

#include "plot/oklab.h"

enum { MOST_KNOTS = 7, ARC_STEPS = 512 };

typedef struct knots {
    int n;
    double lch[MOST_KNOTS][3]; /* lightness, chroma, hue in degrees */
} knots;

static const knots sea = { 7,
                           { { 0.20, 0.080, 283 },
                             { 0.32, 0.110, 266 },
                             { 0.44, 0.092, 240 },
                             { 0.56, 0.086, 197 },
                             { 0.68, 0.120, 163 },
                             { 0.80, 0.160, 130 },
                             { 0.92, 0.160, 107 } } };
static const knots ember = { 7,
                             { { 0.12, 0.030, 300 },
                               { 0.26, 0.090, 322 },
                               { 0.40, 0.140, 4 },
                               { 0.54, 0.165, 27 },
                               { 0.68, 0.155, 50 },
                               { 0.82, 0.130, 79 },
                               { 0.96, 0.055, 103 } } };
static const knots sand = { 6,
                            { { 0.970, 0.014, 98 },
                              { 0.885, 0.036, 94 },
                              { 0.800, 0.056, 87 },
                              { 0.715, 0.068, 77 },
                              { 0.630, 0.074, 66 },
                              { 0.545, 0.074, 54 } } };

/* One side of the diverging map, from the middle outwards; the hue is added. */
static const knots side = { 5,
                            { { 0.97, 0.000, 0 },
                              { 0.82, 0.075, 0 },
                              { 0.67, 0.130, 0 },
                              { 0.52, 0.150, 0 },
                              { 0.37, 0.115, 0 } } };
static const double blue_hue = 256, red_hue = 28;

static const double cyclic_lightness = 0.72, cyclic_chroma = 0.115;

static oklab knot_at(const knots *k, int i, double turn)
{
    return zm_plot_oklab_from_lch(k->lch[i][0], k->lch[i][1], k->lch[i][2] + turn);
}

static oklab extrapolate(oklab p, oklab q)
{
    return (oklab){ 2 * p.L - q.L, 2 * p.a - q.a, 2 * p.b - q.b };
}

/* Catmull-Rom: p(s) = p1 + s/2 (p2 - p0) + s^2 (p0 - 5/2 p1 + 2 p2 - p3/2)
 *                        + s^3/2 (3 p1 - p0 - 3 p2 + p3). */
static double catmull_rom(double p0, double p1, double p2, double p3, double s)
{
    const double c1 = 0.5 * (p2 - p0), c2 = p0 - 2.5 * p1 + 2 * p2 - 0.5 * p3;
    const double c3 = 0.5 * (3 * p1 - p0 - 3 * p2 + p3);

    return p1 + s * (c1 + s * (c2 + s * c3));
}

static oklab spline_at(const knots *k, double turn, double u)
{
    const double place = u * (k->n - 1);
    const int i = place >= k->n - 2 ? k->n - 2 : (int)place;
    const oklab p1 = knot_at(k, i, turn), p2 = knot_at(k, i + 1, turn);
    const oklab p0 = i > 0 ? knot_at(k, i - 1, turn) : extrapolate(p1, p2);
    const oklab p3 = i < k->n - 2 ? knot_at(k, i + 2, turn) : extrapolate(p2, p1);
    const double s = place - i;

    return (oklab){ catmull_rom(p0.L, p1.L, p2.L, p3.L, s),
                    catmull_rom(p0.a, p1.a, p2.a, p3.a, s),
                    catmull_rom(p0.b, p1.b, p2.b, p3.b, s) };
}

/* The curve of a map, u in [0, 1], at whatever speed. */
static oklab curve_at(zm_plot_map map, double u)
{
    switch (map) {
    case ZM_MAP_EMBER:
        return spline_at(&ember, 0, u);
    case ZM_MAP_SAND:
        return spline_at(&sand, 0, u);
    case ZM_MAP_DIVERGING:
        return spline_at(&side, u < 0.5 ? blue_hue : red_hue, fabs(2 * u - 1));
    case ZM_MAP_CYCLIC:
        return zm_plot_oklab_from_lch(cyclic_lightness, cyclic_chroma, 360 * u);
    case ZM_MAP_SEA:
        break;
    }
    return spline_at(&sea, 0, u);
}

/* length[i]: Oklab length of the curve from 0 to i/ARC_STEPS. */
static void measure_curve(zm_plot_map map, double length[ARC_STEPS + 1])
{
    oklab before = curve_at(map, 0);

    length[0] = 0;
    for (int i = 1; i <= ARC_STEPS; i++) {
        const oklab here = curve_at(map, (double)i / ARC_STEPS);

        length[i] = length[i - 1] + zm_plot_oklab_distance(before, here);
        before = here;
    }
}

/* The parameter at which the share t of the length is reached. */
static double parameter_at(const double length[ARC_STEPS + 1], double t)
{
    const double wanted = t * length[ARC_STEPS];
    int low = 0, high = ARC_STEPS;

    while (high - low > 1) {
        const int middle = (low + high) / 2;

        if (length[middle] <= wanted)
            low = middle;
        else
            high = middle;
    }
    return (low + (wanted - length[low]) / (length[high] - length[low])) / ARC_STEPS;
}

void zm_plot_colormap_build(zm_plot_map map, bool reversed, colormap *table)
{
    double length[ARC_STEPS + 1];

    measure_curve(map, length);
    for (int i = 0; i < COLORMAP_SIZE; i++) {
        const double t = (double)i / (COLORMAP_SIZE - 1);
        double *rgb = table->rgb[reversed ? COLORMAP_SIZE - 1 - i : i];

        zm_plot_oklab_to_srgb(curve_at(map, parameter_at(length, t)), rgb);
        for (int c = 0; c < 3; c++) /* rounding only */
            rgb[c] = fmin(fmax(rgb[c], 0), 1);
    }
}

const double *zm_plot_colormap_at(const colormap *table, double t)
{
    if (!(t > 0))
        return table->rgb[0];
    return table->rgb[t < 1 ? (int)(t * (COLORMAP_SIZE - 1) + 0.5) : COLORMAP_SIZE - 1];
}

void zm_plot_map_color(zm_plot_map map, double t, double rgb[3])
{
    colormap table;
    const double *entry;

    zm_plot_colormap_build(map, false, &table);
    entry = zm_plot_colormap_at(&table, t);
    for (int c = 0; c < 3; c++)
        rgb[c] = entry[c];
}

/* Neighbours in the list differ in hue and in lightness, so that they stay apart for
 * colour-blind readers and in grey print; on dark paper the same hues are lighter. */
zm_plot_rgba zm_plot_colormap_series(zm_plot_theme theme, size_t i)
{
    enum { COLORS = 8 };
    static const double lch[2][COLORS][3] = {
        [ZM_THEME_LIGHT] = { { 0.50, 0.130, 252 },
                             { 0.70, 0.160, 55 },
                             { 0.57, 0.110, 160 },
                             { 0.53, 0.190, 22 },
                             { 0.47, 0.150, 305 },
                             { 0.75, 0.110, 225 },
                             { 0.76, 0.145, 90 },
                             { 0.45, 0.070, 60 } },
        [ZM_THEME_DARK] = { { 0.69, 0.130, 250 },
                            { 0.79, 0.140, 62 },
                            { 0.72, 0.120, 160 },
                            { 0.66, 0.170, 22 },
                            { 0.70, 0.135, 305 },
                            { 0.83, 0.090, 215 },
                            { 0.88, 0.140, 98 },
                            { 0.62, 0.065, 60 } },
    };
    const double *c = lch[theme == ZM_THEME_DARK][i % COLORS];
    double rgb[3];
    zm_plot_rgba packed = 0;

    zm_plot_oklab_to_srgb(zm_plot_oklab_from_lch(c[0], c[1], c[2]), rgb);
    for (int k = 0; k < 3; k++)
        packed = packed << 8 | (zm_plot_rgba)(fmin(fmax(rgb[k], 0), 1) * 255 + 0.5);
    return packed << 8 | 0xff;
}
