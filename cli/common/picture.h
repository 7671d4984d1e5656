/* SPDX-License-Identifier: Apache-2.0
 * Pictures of arrival times, where the tool is built with Cairo (ZM_WITH_CAIRO). */
#ifndef ZM_CLI_PICTURE_H
#define ZM_CLI_PICTURE_H

#include "solution.h"
#if defined(ZM_WITH_CAIRO)
#include "zermelo/plot/plot.h"
#endif

/** Endings of pictures this build can draw, separated by blanks; "" if none. */
const char *picture_formats(void);

#if defined(ZM_WITH_CAIRO)

/** A new figure; NULL opts: one plot.  DONE, or an exit status after a message. */
int picture_start(zm_figure **figure, const zm_figure_opts *opts);

/** Saves and destroys it; `option_name` stands before the path in a message: "--plot " or "". */
int picture_finish(zm_figure *figure, const char *option_name, const char *path);

/** Draws the times with isochrones, walls, drift and sources; no path: does nothing. */
int picture_save(const char *path, const inputs *in, const solution *s);

/** Lines over a picture, all of one colour; start with { 0 }. */
typedef struct picture_lines {
    double *x, *y;
    size_t n, room;
    double turn_x, turn_y; /**< how often round a closed grid the last point is */
} picture_lines;

/** The next point of a line, in cells; `first` begins a new one.  On a closed grid points
 *  beyond the border come in on the other side. */
void picture_lines_add(picture_lines *lines, const inputs *in, double row, double col,
                       bool first);
void picture_lines_free(picture_lines *lines);

/** The same picture with paths over it. */
int picture_save_lines(const char *path, const inputs *in, const solution *s,
                       const picture_lines *lines);

/** option_parser: name of a file with one of the endings; const char *. */
bool parse_picture(const char *text, void *field);

/** A row of an option table, --plot FILE, and its comma. */
#define PLOT_OPTION(offset, text)                                                      \
    { "plot",                                                                          \
      "FILE",                                                                          \
      OPTION_OUTPUT,                                                                   \
      offset,                                                                          \
      .parse = parse_picture,                                                          \
      .expects = "a file name that ends in .png, .svg or .pdf",                        \
      .help = text },

#else
#define PLOT_OPTION(offset, text) /* no such option */
#endif
#endif
