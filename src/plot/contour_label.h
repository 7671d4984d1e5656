/* SPDX-License-Identifier: Apache-2.0
 * Where numbers can stand on contour lines; pure geometry on the page. */
#ifndef ZM_PLOT_CONTOUR_LABEL_H
#define ZM_PLOT_CONTOUR_LABEL_H

#include <stdbool.h>
#include <stddef.h>

/** A line on the page with the length from its start to each point. */
typedef struct page_line {
    double *x, *y, *length;
    size_t n;
} page_line;

/** Fills in the lengths. */
void zm_plot_page_line_measure(page_line *line);

enum { MOST_TAKEN = 1024 };

/** Places that are taken, as circles. */
typedef struct taken_places {
    struct {
        double x, y, radius;
    } at[MOST_TAKEN];
    size_t n;
} taken_places;

/** Adds a circle; beyond MOST_TAKEN it is forgotten. */
void zm_plot_taken_add(taken_places *taken, double x, double y, double radius);

typedef struct label_spot {
    double x, y, angle; /* middle of the text; upright, clockwise */
    double along;       /* length from the start of the line */
} label_spot;

typedef struct label_size {
    double width, height;
} label_size;

/**
 * The best free stretch of a line for a text: straight, rather level, whole inside the
 * box, away from what is taken and at least `apart` along the line from `others`.
 *
 * @return false where there is none
 */
bool zm_plot_label_find(const page_line *line, label_size size, const double box[4],
                        const taken_places *taken, const label_spot *others,
                        size_t n_others, double apart, label_spot *out);

#endif
