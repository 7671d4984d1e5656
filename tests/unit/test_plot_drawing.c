/* SPDX-License-Identifier: Apache-2.0
 * What is drawn compared with the data, as read back from SVG files. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/folders.h"
#include "support/svg_path.h"
#include "zermelo/plot/plot.h"

enum { MOST = 4000 };

/* Saves and destroys the figure; the text is to be freed. */
static char *svg_of(test_run *t, zm_figure *figure)
{
    const folder f = folder_make();
    size_t size = 0;
    char *svg;

    CHECK(zm_figure_save(figure, folder_path(&f, "a.svg"), NULL) == ZM_OK);
    svg = folder_read(&f, "a.svg", &size);
    folder_remove(&f);
    zm_figure_destroy(figure);
    CHECK(svg != NULL);
    return svg;
}

/* F(v) = sqrt(v'Gv) - b.v, positively homogeneous: the same value all along an outline. */
static double cost(const double G[3], const double b[2], double x, double y)
{
    return sqrt(G[0] * x * x + 2 * G[1] * x * y + G[2] * y * y) - b[0] * x - b[1] * y;
}

/* The outline is four Bezier curves; their ends and middles must lie on {F = const} around
 * the dot.  A quarter of an ellipse differs from its curve by 0.03 %, coordinates of some
 * hundred points are rounded to 0.01. */
TEST(outlines_are_level_lines_of_the_metric)
{
    static const struct {
        double G[3], b[2];
    } cases[] = { { { 1, 0, 1 }, { 0, 0 } },
                  { { 1, 0.3, 2 }, { 0.4, -0.3 } },
                  { { 9, -2, 1 }, { -0.5, 0.6 } },
                  { { 2, 0, 2 }, { 0, 1.3 } } };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double *G = cases[k].G, *b = cases[k].b;
        svg_point p[MOST] = { { 0, 0 } }, dot = { 0, 0 };
        const char *path;
        double level;
        zm_figure *figure;
        char *svg;
        int n;

        zm_figure_create(&figure, NULL, NULL);
        zm_plot_set_grid(zm_figure_plot(figure, 0, 0), (zm_grid){ 1, 1, 1, 1 }, 0, 0);
        ZM_PLOT_ELLIPSES(zm_figure_plot(figure, 0, 0),
                         .metric = { .g11 = &G[0],
                                     .g12 = &G[1],
                                     .g22 = &G[2],
                                     .b1 = &b[0],
                                     .b2 = &b[1] },
                         .color = 0x123456ff);
        svg = svg_of(t, figure);
        path = svg ? svg_find_path(svg, "#123456") : NULL;
        n = path ? svg_read_path(path, p, MOST) : 0;
        path = path ? svg_find_path(path, "#123456") : NULL;
        CHECK(path && svg_read_path(path, &dot, 1) == 1);
        CHECK_MSG(n >= 13 && n % 3 == 1, "%d points", n);
        level = cost(G, b, p[0].x - dot.x, p[0].y - dot.y);
        for (int i = 0; i + 3 < n; i += 3) {
            const double x =
                (p[i].x + 3 * p[i + 1].x + 3 * p[i + 2].x + p[i + 3].x) / 8;
            const double y =
                (p[i].y + 3 * p[i + 1].y + 3 * p[i + 2].y + p[i + 3].y) / 8;

            CHECK_NEAR(cost(G, b, p[i].x - dot.x, p[i].y - dot.y) / level, 1, 2e-3);
            CHECK_NEAR(cost(G, b, x - dot.x, y - dot.y) / level, 1, 2e-3);
        }
        free(svg);
    }
}

static double signed_area(const svg_point *p)
{
    double twice = 0;

    for (int i = 0; i < 4; i++)
        twice += p[i].x * p[(i + 1) % 4].y - p[(i + 1) % 4].x * p[i].y;
    return 0.5 * twice;
}

/* Lines are clipped to the area without the boxes of their numbers.  Where files lose the
 * fill rule, as those of Cairo 1.16 do, boxes are left out only if they wind against the
 * area. */
TEST(contour_lines_stop_at_their_numbers_in_svg_files)
{
    enum { SIDE = 60 };
    static double values[SIDE * SIDE];
    static svg_point p[MOST];
    int boxes = 0;
    zm_figure *figure;
    char *svg;

    for (int i = 0; i < SIDE * SIDE; i++)
        values[i] = hypot(i % SIDE - 30, i / SIDE - 30);
    zm_figure_create(&figure, NULL, NULL);
    zm_plot_set_grid(zm_figure_plot(figure, 0, 0), (zm_grid){ SIDE, SIDE, 1, 1 }, 0, 0);
    ZM_PLOT_CONTOURS(zm_figure_plot(figure, 0, 0), .values = values);
    svg = svg_of(t, figure);
    for (const char *clip = svg; clip && (clip = strstr(clip, "<clipPath")); clip++) {
        const char *path = strstr(clip, " d=\"");
        const int n = path ? svg_read_path(path + 4, p, MOST) : 0;

        for (int i = 4; i + 4 <= n; i += 4, boxes++)
            CHECK(signed_area(&p[i]) * signed_area(p) < 0);
    }
    CHECK_MSG(boxes >= 5, "%d numbers on the lines", boxes);
    free(svg);
}

/* A line of one point would show nothing: it gets a marker, whose colour is the line's. */
TEST(a_line_of_a_single_point_is_seen)
{
    const double x[3] = { NAN, 2, 3 }, y[3] = { 1, 5, NAN };
    zm_figure *figure;
    char *svg;
    const char *path, *filled;

    zm_figure_create(&figure, NULL, NULL);
    ZM_PLOT_LINE(zm_figure_plot(figure, 0, 0), .x = x, .y = y, .n = 3,
                 .color = 0x123456ff);
    svg = svg_of(t, figure);
    filled = svg ? svg_find_color(svg, "#123456") : NULL;
    while (filled && strncmp(filled - 5, "fill:", 5) != 0 &&
           strncmp(filled - 6, "fill=", 5) != 0) /* but "stroke" */
        filled = svg_find_color(filled + 1, "#123456");
    path = filled ? svg_find_path(filled, "#123456") : NULL;
    CHECK(path && path[0] != '"');
    free(svg);
}
