/* SPDX-License-Identifier: Apache-2.0
 * Reads what an SVG file draws, so that tests can compare it with the data. */
#include "support/svg_path.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static double next_number(const char **at)
{
    char *end;
    const double value = strtod(*at + strspn(*at, " "), &end);

    *at = end;
    return value;
}

int svg_read_path(const char *at, svg_point *points, int most)
{
    svg_point pen = { 0, 0 }, start = pen;
    char command = 0;
    int n = 0;

    for (at += strspn(at, " "); *at && *at != '"'; at += strspn(at, " ")) {
        if (strchr("MmLlCcHhVvZ", *at))
            command = *at++;
        if (command == 'Z') {
            pen = start;
            continue;
        }
        for (int k = 0; k < (command == 'C' || command == 'c' ? 3 : 1); k++) {
            const bool steps = command >= 'a';

            if (n == most)
                return n;
            points[n] = pen;
            if (command != 'v')
                points[n].x = next_number(&at) + (steps ? pen.x : 0);
            if (command != 'h')
                points[n].y = next_number(&at) + (steps ? pen.y : 0);
            n++;
        }
        pen = points[n - 1];
        start = command == 'M' || command == 'm' ? pen : start;
    }
    return n > 1 && command == 'M' ? n - 1 : n; /* Cairo moves back after closing */
}

/* Cairo writes per cent of full intensity, with or without spaces. */
static bool reads_color(const char *at, long color)
{
    double value = 0;

    for (int shift = 16; shift >= 0; shift -= 8) {
        value = next_number(&at) - (double)(color >> shift & 255) / 2.55;
        if (value < -0.01 || value > 0.01 || at[0] != '%' ||
            at[1] != (shift ? ',' : ')'))
            return false;
        at += 2;
    }
    return true;
}

const char *svg_find_color(const char *svg, const char *color)
{
    const long wanted = strtol(color + 1, NULL, 16);

    for (svg = strstr(svg, "rgb("); svg; svg = strstr(svg + 4, "rgb("))
        if (reads_color(svg + 4, wanted))
            return svg;
    return NULL;
}

const char *svg_find_path(const char *svg, const char *color)
{
    const char *fill = svg_find_color(svg, color);
    const char *data = fill ? strstr(fill, " d=\"") : NULL;

    return data ? data + strlen(" d=\"") : NULL;
}
