/* SPDX-License-Identifier: Apache-2.0
 * Small SVG files: lines without invisible points, numbers without idle digits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "plot/polyline.h"
#include "support/folders.h"
#include "support/svg_path.h"
#include "zermelo/plot/plot.h"

enum { MOST = 4000 };

static int simplify(const point *in, int n, point *out)
{
    polyline line = { 0 };
    int kept = 0;

    for (int i = 0; i < n; i++)
        kept += zm_plot_polyline_add(&line, in[i], &out[kept]);
    return kept + zm_plot_polyline_end(&line, &out[kept]);
}

static double distance_to_segment(point p, point a, point b)
{
    const double dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
    const double share =
        length2 > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length2 : 0;
    const double t = fmin(fmax(share, 0), 1);

    return hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/* Every point given lies within the tolerance of the drawn line, and every point drawn was
 * given, in the same order: the two lines cannot be told apart. */
static void check_same_line(test_run *t, const point *in, int n, const point *out,
                            int m)
{
    int piece = 0; /* out[piece] .. out[piece + 1] covers in[i] */

    CHECK(out[0].x == in[0].x && out[0].y == in[0].y);
    CHECK(out[m - 1].x == in[n - 1].x && out[m - 1].y == in[n - 1].y);
    for (int i = 0; i < n; i++) {
        if (piece + 1 < m && i > 0 && in[i].x == out[piece + 1].x &&
            in[i].y == out[piece + 1].y)
            piece++;
        CHECK_AT_MOST(distance_to_segment(in[i], out[piece],
                                          out[piece + 1 < m ? piece + 1 : piece]),
                      zm_plot_polyline_tolerance * (1 + 1e-9));
    }
    CHECK_MSG(piece == m - 1, "%d of %d points are in order", piece, m - 1);
}

TEST(a_simplified_line_stays_within_the_tolerance_of_the_line)
{
    static point in[MOST], out[MOST];
    uint64_t state = t->seed;

    for (int kind = 0; kind < 4; kind++) {
        int kept;

        in[0] = (point){ 100, 100 };
        for (int i = 1; i < MOST; i++) {
            const double angle = 0.002 * i;

            if (kind == 0) /* a circle, twice and more */
                in[i] = (point){ 100 * cos(angle), 100 * sin(angle) };
            else if (kind == 1) /* a random walk of small and large steps */
                in[i] = (point){ in[i - 1].x + exp(zm_random_normal(&state)) *
                                                   zm_random_normal(&state) * 0.1,
                                 in[i - 1].y + 0.1 * zm_random_normal(&state) };
            else if (kind == 2) /* to and fro on one line */
                in[i] = (point){ 50 * sin(angle), 100 };
            else /* steps */
                in[i] = (point){ 0.01 * (i / 2), 0.02 * ((i + 1) / 2) };
        }
        kept = simplify(in, MOST, out);
        check_same_line(t, in, MOST, out, kept);
        CHECK_MSG(kind == 1 || kept < MOST / 15, "kind %d keeps %d", kind, kept);
    }
}

TEST(a_straight_line_keeps_its_two_ends)
{
    point in[50], out[50];

    for (int i = 0; i < 50; i++)
        in[i] = (point){ 3 * i, 7 * i };
    CHECK(simplify(in, 50, out) == 2);
    CHECK(out[1].x == 3 * 49);
    CHECK(simplify(in, 1, out) == 1);
    CHECK(simplify(in, 0, out) == 0);
}

static size_t saved_size(test_run *t, zm_figure *figure, const char *name)
{
    const folder f = folder_make();
    size_t size = 0;

    CHECK(zm_figure_save(figure, folder_path(&f, name), NULL) == ZM_OK);
    free(folder_read(&f, name, &size));
    folder_remove(&f);
    zm_figure_destroy(figure);
    return size;
}

/* Reports hold dozens of figures.  A dot takes about 50 bytes, a curve none for points that
 * cannot be seen, and a field its cells as they are, whatever its size on the page. */
TEST(svg_files_do_not_grow_with_what_cannot_be_seen)
{
    enum { N = 20000, ROWS = 64 };
    static double x[N], y[N], field[ROWS * ROWS];
    uint64_t state = t->seed;
    zm_figure *figure;
    size_t size;

    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = sin(0.001 * i);
    }
    zm_figure_create(&figure, NULL, NULL);
    ZM_PLOT_LINE(zm_figure_plot(figure, 0, 0), .x = x, .y = y, .n = N);
    size = saved_size(t, figure, "a.svg");
    CHECK_MSG(size < 20000, "a line of %d points takes %zu bytes", N, size);

    for (int i = 0; i < N; i++)
        y[i] = zm_random_normal(&state);
    zm_figure_create(&figure, NULL, NULL);
    ZM_PLOT_POINTS(zm_figure_plot(figure, 0, 0), .x = x, .y = y, .n = N);
    size = saved_size(t, figure, "a.svg");
    CHECK_MSG(size < 20000 + 50 * N, "%d dots take %zu bytes", N, size);

    for (int i = 0; i < ROWS * ROWS;
         i++) /* noise of 257 colours: 3 bytes a cell at most */
        field[i] = zm_random_unit(&state);
    zm_figure_create(&figure, ZM_FIGURE_OPTS(.width = 2000), NULL);
    zm_plot_set_grid(zm_figure_plot(figure, 0, 0), (zm_grid){ ROWS, ROWS, 1, 1 }, 0, 0);
    ZM_PLOT_IMAGE(zm_figure_plot(figure, 0, 0), .values = field);
    size = saved_size(t, figure, "a.svg");
    CHECK_MSG(size < 30000 + 4 * ROWS * ROWS, "%d cells take %zu bytes", ROWS * ROWS,
              size);
}
