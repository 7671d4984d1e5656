/* SPDX-License-Identifier: Apache-2.0
 * A figure without memory: the 1st, 2nd, ... allocation fails until all succeed. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "support/folders.h"
#include "zermelo/plot/plot.h"

typedef struct counter {
    long left; /* allocations granted before one fails */
    long live; /* blocks not yet released */
} counter;

static void *counted_allocate(void *ctx, size_t bytes)
{
    counter *c = ctx;

    if (c->left-- == 0)
        return NULL;
    c->live++;
    return malloc(bytes);
}

static void counted_release(void *ctx, void *pointer)
{
    ((counter *)ctx)->live--;
    free(pointer);
}

static zm_status draw_everything(counter *c, const char *path)
{
    enum { ROWS = 12, COLS = 15 };
    const zm_alloc mem = { c, counted_allocate, counted_release };
    const char *names[] = { "a", "b" };
    double values[ROWS * COLS], x[] = { 2, 5 }, y[] = { 3, 4 };
    uint8_t mask[ROWS * COLS] = { 1 };
    zm_figure *figure;
    zm_plot *plot;
    zm_status st;

    for (int i = 0; i < ROWS * COLS; i++)
        values[i] = hypot(i % COLS, i / COLS) + 1;
    st = zm_figure_create(
        &figure,
        ZM_FIGURE_OPTS(.mem = mem, .cols = 2, .title = "t", .pixels_per_point = 0.5),
        NULL);
    if (st != ZM_OK)
        return st;
    plot = zm_figure_plot(figure, 0, 0);
    zm_plot_set_grid(plot, (zm_grid){ ROWS, COLS, 1, 1 }, 0, 0);
    ZM_PLOT_AXES(plot, .title = "title", .x.label = "x");
    ZM_PLOT_IMAGE(plot, .values = values, .colors = { .label = "value", .clip = 0.1 });
    ZM_PLOT_WALLS(plot, .mask = mask, .label = "walls");
    ZM_PLOT_CONTOURS(plot, .values = values);
    ZM_PLOT_ARROWS(plot, .u = values, .v = values);
    ZM_PLOT_ELLIPSES(plot, .metric.g11 = values);
    ZM_PLOT_POINTS(plot, .x = x, .y = y, .n = 2, .names = names, .values = x);
    plot = zm_figure_plot(figure, 0, 1);
    ZM_PLOT_LINE(plot, .y = y, .n = 2, .label = "line");
    ZM_PLOT_BAND(plot, .low = x, .high = y, .n = 2);
    ZM_PLOT_BARS(plot, .heights = x, .n = 2, .show_values = 1);
    ZM_PLOT_BARS(plot, .heights = x, .n = 2, .names = names, .y_low = y, .y_high = y);
    ZM_PLOT_HISTOGRAM(plot, .values = x, .n = 2);
    ZM_PLOT_CUMULATIVE(plot, .values = x, .n = 2);
    ZM_PLOT_TEXT(plot, .x = 3, .y = 3, .string = "text");
    st = zm_figure_save(figure, path, NULL);
    zm_figure_destroy(figure);
    return st;
}

/* An SVG file is also kept in memory before it is written. */
static void fail_one_by_one(test_run *t, const char *path)
{
    zm_status st = ZM_E_NOMEM;
    long granted = 0;

    for (; st == ZM_E_NOMEM && granted < 10000; granted++) {
        counter c = { granted, 0 };

        st = draw_everything(&c, path);
        CHECK_MSG(c.live == 0, "%ld blocks left after %ld allocations", c.live,
                  granted);
        CHECK_MSG(st == ZM_OK || access(path, F_OK),
                  "a file after allocation %ld failed", granted);
    }
    CHECK_MSG(st == ZM_OK && granted > 20, "status %d after %ld", (int)st, granted);
    unlink(path);
}

TEST(every_failing_allocation_is_reported_and_nothing_leaks)
{
    const folder f = folder_make();

    fail_one_by_one(t, folder_path(&f, "a.png"));
    fail_one_by_one(t, folder_path(&f, "a.svg"));
    folder_remove(&f);
}
