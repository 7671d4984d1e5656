/* SPDX-License-Identifier: Apache-2.0
 * Oklab: linear sRGB -> cone responses -> cube roots -> (L, a, b).
 *
 * B. Ottosson, "A perceptual color zm_plot_space for image processing" (2020), matrices M1 (from
 * linear sRGB) and M2, and their inverses; transfer curve of IEC 61966-2-1. */
#include "plot/oklab.h"

#include <math.h>

static double to_linear(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double from_linear(double c)
{
    return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055;
}

oklab zm_plot_oklab_from_lch(double L, double chroma, double hue)
{
    const double radians = hue * 0.017453292519943295;

    return (oklab){ L, chroma * cos(radians), chroma * sin(radians) };
}

oklab zm_plot_oklab_from_srgb(const double rgb[3])
{
    const double r = to_linear(rgb[0]), g = to_linear(rgb[1]), b = to_linear(rgb[2]);
    const double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);

    return (oklab){ 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                    1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                    0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s };
}

void zm_plot_oklab_to_srgb(oklab color, double rgb[3])
{
    const double l = color.L + 0.3963377774 * color.a + 0.2158037573 * color.b;
    const double m = color.L - 0.1055613458 * color.a - 0.0638541728 * color.b;
    const double s = color.L - 0.0894841775 * color.a - 1.2914855480 * color.b;
    const double l3 = l * l * l, m3 = m * m * m, s3 = s * s * s;

    rgb[0] = from_linear(4.0767416621 * l3 - 3.3077115913 * m3 + 0.2309699292 * s3);
    rgb[1] = from_linear(-1.2684380046 * l3 + 2.6097574011 * m3 - 0.3413193965 * s3);
    rgb[2] = from_linear(-0.0041960863 * l3 - 0.7034186147 * m3 + 1.7076147010 * s3);
}

double zm_plot_oklab_distance(oklab p, oklab q)
{
    const double dL = p.L - q.L, da = p.a - q.a, db = p.b - q.b;

    return sqrt(dL * dL + da * da + db * db);
}
