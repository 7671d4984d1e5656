/* SPDX-License-Identifier: Apache-2.0
 * SVG files of Cairo in fewer bytes. */
#ifndef ZM_PLOT_SVG_COMPACT_H
#define ZM_PLOT_SVG_COMPACT_H

#include <stddef.h>

/** Rewrites an SVG file in place: coordinates of paths and glyphs to a hundredth of a unit
 *  and as steps where that is shorter, colours in hexadecimal, no properties that say what
 *  holds anyway.  What it does not know stays as it is.  Returns the new size. */
size_t zm_plot_svg_compact(char *svg, size_t size);

#endif
