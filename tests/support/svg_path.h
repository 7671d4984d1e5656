/* SPDX-License-Identifier: Apache-2.0
 * Reads what an SVG file draws, so that tests can compare it with the data. */
#ifndef ZM_TESTS_SVG_PATH_H
#define ZM_TESTS_SVG_PATH_H

typedef struct svg_point {
    double x, y;
} svg_point;

/** The points that path data name, curves with their control points, in their order; at
 *  most `most`.  `data` ends at a quotation mark or its own end.  Returns how many. */
int svg_read_path(const char *data, svg_point *points, int most);

/** Where a colour such as "#ff0000" is first used; NULL where it is not. */
const char *svg_find_color(const char *svg, const char *color);

/** The data of the first path in a colour such as "#ff0000"; NULL where there is none. */
const char *svg_find_path(const char *svg, const char *color);

#endif
