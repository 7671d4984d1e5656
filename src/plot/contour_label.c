/* SPDX-License-Identifier: Apache-2.0
 * Where numbers can stand on contour lines; pure geometry on the page. */
#include "plot/contour_label.h"

#include <math.h>

#include "core/pi.h"

/* A stretch may bend by so much: its chord over its length. */
static const double straight_enough = 0.94;
/* Weights of bending and of steepness in the choice. */
static const double bend_weight = 12, steep_weight = 0.6;

void zm_plot_page_line_measure(page_line *line)
{
    if (line->n > 0)
        line->length[0] = 0;
    for (size_t i = 1; i < line->n; i++)
        line->length[i] = line->length[i - 1] + hypot(line->x[i] - line->x[i - 1],
                                                      line->y[i] - line->y[i - 1]);
}

void zm_plot_taken_add(taken_places *taken, double x, double y, double radius)
{
    if (taken->n < MOST_TAKEN) {
        taken->at[taken->n].x = x;
        taken->at[taken->n].y = y;
        taken->at[taken->n++].radius = radius;
    }
}

typedef struct place {
    double x, y;
} place;

static place at_length(const page_line *line, double s)
{
    size_t low = 0, high = line->n - 1;
    double share;

    while (high - low > 1) {
        const size_t middle = (low + high) / 2;

        if (line->length[middle] <= s)
            low = middle;
        else
            high = middle;
    }
    share =
        (s - line->length[low]) / fmax(line->length[high] - line->length[low], 1e-12);
    return (place){ line->x[low] + share * (line->x[high] - line->x[low]),
                    line->y[low] + share * (line->y[high] - line->y[low]) };
}

static bool is_free(const taken_places *taken, place at, double radius)
{
    for (size_t i = 0; i < taken->n; i++)
        if (hypot(at.x - taken->at[i].x, at.y - taken->at[i].y) <
            radius + taken->at[i].radius)
            return false;
    return true;
}

static bool is_apart(double s, const label_spot *others, size_t n, double apart,
                     double total)
{
    for (size_t i = 0; i < n; i++) {
        const double distance = fabs(s - others[i].along);

        if (fmin(distance, total - distance) < apart)
            return false;
    }
    return true;
}

/* Lower is better; INFINITY where the text cannot stand. */
static double rate(const page_line *line, double s, label_size size,
                   const double box[4], const taken_places *taken, label_spot *spot)
{
    const double half = 0.5 * size.width;
    const place a = at_length(line, s - half), b = at_length(line, s + half);
    const place middle = at_length(line, s);
    const double chord = hypot(b.x - a.x, b.y - a.y), straight = chord / size.width;
    const place at = { 0.5 * (a.x + b.x), 0.5 * (a.y + b.y) };
    double angle = atan2(b.y - a.y, b.x - a.x), reach_x, reach_y;

    if (cos(angle) < 0) /* upright */
        angle += angle > 0 ? -ZM_PI : ZM_PI;
    *spot = (label_spot){ 0.5 * (at.x + middle.x), 0.5 * (at.y + middle.y), angle, s };
    reach_x = half * fabs(cos(angle)) + size.height * fabs(sin(angle));
    reach_y = half * fabs(sin(angle)) + size.height * fabs(cos(angle));
    if (straight < straight_enough || spot->x - reach_x < box[0] ||
        spot->y - reach_y < box[1] || spot->x + reach_x > box[2] ||
        spot->y + reach_y > box[3] || !is_free(taken, at, half))
        return INFINITY;
    return bend_weight * (1 - straight) + steep_weight * fabs(sin(angle));
}

bool zm_plot_label_find(const page_line *line, label_size size, const double box[4],
                        const taken_places *taken, const label_spot *others,
                        size_t n_others, double apart, label_spot *out)
{
    const double total = line->n > 1 ? line->length[line->n - 1] : 0;
    const double end = 0.9 * size.width; /* some line is left on both sides */
    double best = INFINITY;

    for (double s = end; s < total - end; s += 0.2 * size.width) {
        label_spot spot;
        double rating;

        if (!is_apart(s, others, n_others, apart, total))
            continue;
        rating = rate(line, s, size, box, taken, &spot);
        if (rating < best) {
            best = rating;
            *out = spot;
        }
    }
    return isfinite(best);
}
