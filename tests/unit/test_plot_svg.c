/* SPDX-License-Identifier: Apache-2.0
 * Small SVG files: lines without invisible points, numbers without idle digits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "plot/polyline.h"
#include "plot/svg_compact.h"
#include "support/folders.h"
#include "support/svg_path.h"
#include "zermelo/plot/plot.h"

enum { MOST = 4000 };

static int simplify(const point *in, int n, point *out)
{
    polyline line = { 0 };
    int kept = 0;

    for (int i = 0; i < n; i++)
        kept += polyline_add(&line, in[i], &out[kept]);
    return kept + polyline_end(&line, &out[kept]);
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
                      polyline_tolerance * (1 + 1e-9));
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

static void check_compact(test_run *t, const char *before, const char *after)
{
    char text[400];
    size_t n;

    strcpy(text, before);
    n = svg_compact(text, strlen(text));
    text[n] = '\0';
    CHECK_MSG(!strcmp(text, after), "%s\n  becomes %s\n  not     %s", before, text,
              after);
}

TEST(paths_become_short_and_say_the_same)
{
    check_compact(t, " d=\"M 1.234567 2 L 3.5 -4.004 L 100 200 Z M 1.234567 2 \"",
                  " d=\"M1.23 2L3.5-4 100 200Z\"");
    check_compact(t, " d=\"M 100 100 L 101.5 99.25 L 101.5 80 L 90 80 \"",
                  " d=\"M100 100l1.5-.75v-19.25L90 80\"");
}

/* Steps are taken between rounded points, so that errors do not add up: each coordinate is
 * off by half of a hundredth, however long the path. */
TEST(compact_paths_lead_through_the_same_points)
{
    enum { N = 500 };
    static char text[200 * N];
    static svg_point before[4 * N], after[4 * N];
    uint64_t state = t->seed;

    for (int round = 0; round < 20; round++) {
        size_t used = (size_t)sprintf(text, " d=\"M 1 1 L 2 2 ");
        int n, m;

        for (int i = 0; i < N; i++) {
            const char command = "MLLCCZ"[i % 9 == 8 ? 5 : zm_random_below(&state, 5)];
            const double size = pow(10, (double)zm_random_below(&state, 4));

            used += (size_t)sprintf(text + used, "%c ", command);
            for (int k = 0; k < (command == 'Z' ? 0 : command == 'C' ? 6 : 2); k++)
                used += (size_t)sprintf(
                    text + used, "%.5f ",
                    size * (zm_random_below(&state, 4) ? zm_random_normal(&state) : 1));
            if (command == 'M' || command == 'Z') /* a path goes on after these */
                used += (size_t)sprintf(text + used, "%sL 5 5.5 ",
                                        command == 'Z' ? "M 2.5 3 " : "");
        }
        used += (size_t)sprintf(text + used, "\"");
        n = svg_read_path(text + 4, before, 4 * N);
        used = svg_compact(text, used);
        m = svg_read_path(text + 4, after, 4 * N);
        CHECK_MSG(n == m, "%d points, then %d", n, m);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(after[i].x, before[i].x, 0.005 + 1e-9);
            CHECK_NEAR(after[i].y, before[i].y, 0.005 + 1e-9);
        }
    }
}

/* What is not Cairo's way of writing is left alone, from there on. */
TEST(unknown_path_data_is_kept)
{
    check_compact(t, " d=\"M 1.5000 2 A 3 3 0 0 1 5.12345 6\"",
                  " d=\"M1.5 2 A 3 3 0 0 1 5.12345 6\"");
    check_compact(t, " d=\"m 1.23456 2 l 3.14159 4\"",
                  " d=\"m 1.23456 2 l 3.14159 4\"");
    check_compact(t, " d=\"M1 2A3\"", " d=\"M1 2A3\"");
    check_compact(t, " d=\"M 1 2 3 4\"", " d=\"M1 2 3 4\"");
    check_compact(t, " d=\"\" d=\"M 1", " d=\"\" d=\"M 1");
}

TEST(colours_and_defaults_become_short)
{
    check_compact(t, "fill:rgb(20%,40%,60%);fill-opacity:1;stroke:none",
                  "fill:#336699;stroke:none");
    check_compact(t,
                  "fill=\"rgb(100%, 0%, 0%)\" fill-opacity=\"1\" fill-opacity=\"0.5\"",
                  "fill=\"#ff0000\" fill-opacity=\"0.5\"");
    check_compact(t, "rgb(1,2,3) rgb(20%,40%", "rgb(1,2,3) rgb(20%,40%");
    check_compact(t, "<use x=\"12.345678\" y=\"-0.5\"/>",
                  "<use x=\"12.35\" y=\"-.5\"/>");
    check_compact(t, "matrix(0.586857,0,0,0.586857,44.955078,27.804688)",
                  "matrix(0.586857,0,0,0.586857,44.955078,27.804688)");
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

/* Reports hold dozens of figures.  A dot takes about 20 bytes, a curve none for points that
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
    CHECK_MSG(size < 20000 + 20 * N, "%d dots take %zu bytes", N, size);

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
