/* SPDX-License-Identifier: Apache-2.0
 * FARSITE computes moisture for classes of elevation, slope, aspect and canopy cover, and
 * interpolates between the classes around a cell.  It takes the class of elevation above the
 * cell, weighs the two classes of slope by where the cell is between two elevations, and
 * counts classes of slope and cover from 0 though the first is the least of the landscape:
 * what its program does, and its fires show. */
#include "fire/science/moisture_classes.h"

#include <math.h>

#include "fire/science/units.h"

static const double ELEVATION_STEP = 200;                               /* m */
static const double SLOPE_STEP = 10, ASPECT_STEP = 45, MOST_SLOPE = 50; /* degrees */
static const double COVER_STEP = 15, MOST_COVER = 80;                   /* percent */

enum { ASPECTS = 9 }; /* 0 to 360 degrees */

static void range(const float *layer, size_t n, double *low, double *high)
{
    *low = *high = layer[0];
    for (size_t i = 1; i < n; i++) {
        *low = fmin(*low, layer[i]);
        *high = fmax(*high, layer[i]);
    }
}

static int32_t number_of(double low, double high, double step)
{
    return high > low ? (int32_t)((high - low) / step) + 1 : 1;
}

zm_ground_classes zm_ground_classes_of(const zm_landscape *land)
{
    const size_t n = (size_t)land->rows * (size_t)land->cols;
    zm_ground_classes c = { .on = true };
    double high;

    range(land->layers[ZM_LAYER_ELEVATION], n, &c.low_elevation, &high);
    c.elevations = number_of(c.low_elevation, high, ELEVATION_STEP);
    range(land->layers[ZM_LAYER_SLOPE], n, &c.low_slope, &high);
    c.low_slope = fmin(c.low_slope, MOST_SLOPE);
    c.slopes = number_of(c.low_slope, fmin(high, MOST_SLOPE), SLOPE_STEP);
    range(land->layers[ZM_LAYER_COVER], n, &c.low_cover, &high);
    c.low_cover = fmin(c.low_cover, MOST_COVER);
    c.covers = number_of(c.low_cover, fmin(high, MOST_COVER), COVER_STEP);
    return c;
}

void zm_ground_places(const zm_ground_classes *classes, const zm_landscape *land,
                      int32_t *rows, int32_t *cols)
{
    *rows = classes->on ? classes->elevations * classes->slopes : land->rows;
    *cols = classes->on ? ASPECTS * classes->covers : land->cols;
}

zm_ground zm_ground_of_cell(const zm_landscape *land, int32_t row, int32_t col)
{
    const size_t i = (size_t)row * (size_t)land->cols + (size_t)col;
    const float *const *layer = land->layers;

    return (
        zm_ground){ layer[ZM_LAYER_ELEVATION][i], layer[ZM_LAYER_SLOPE][i] * ZM_RADIANS,
                    layer[ZM_LAYER_ASPECT][i] * ZM_RADIANS, layer[ZM_LAYER_COVER][i] };
}

zm_ground zm_ground_of_place(const zm_ground_classes *c, const zm_landscape *land,
                             int32_t row, int32_t col)
{
    if (!c->on)
        return zm_ground_of_cell(land, row, col);
    return (zm_ground){
        c->low_elevation + ELEVATION_STEP * (row / c->slopes),
        (c->low_slope + SLOPE_STEP * (row % c->slopes)) * ZM_RADIANS,
        ASPECT_STEP * (col / c->covers) * ZM_RADIANS,
        c->low_cover + COVER_STEP * (col % c->covers),
    };
}

/** Two classes next to each other and the weight of the second. */
typedef struct pair {
    int32_t at[2];
    double share;
} pair;

static pair classes_around(double value, double step, int32_t n)
{
    const double place = value / step;
    const int32_t i = (int32_t)fmax(0, fmin(floor(place), n - 1));

    return (pair){ { i, i + 1 < n ? i + 1 : n - 1 }, place - floor(place) };
}

/* From 0 to 360 degrees. */
static double full_circle(double degrees)
{
    const double d = fmod(degrees, 360);

    return d < 0 ? d + 360 : d;
}

int zm_ground_places_of_cell(const zm_ground_classes *c, const zm_landscape *land,
                             int32_t row, int32_t col,
                             zm_place place[ZM_PLACES_OF_CELL])
{
    const size_t i = (size_t)row * (size_t)land->cols + (size_t)col;
    const float *const *layer = land->layers;
    pair height, slope, aspect, cover;
    int n = 0;

    if (!c->on) {
        place[0] = (zm_place){ row, col, 1 };
        return 1;
    }
    height = classes_around(layer[ZM_LAYER_ELEVATION][i] - c->low_elevation,
                            ELEVATION_STEP, c->elevations);
    slope = classes_around(layer[ZM_LAYER_SLOPE][i], SLOPE_STEP, c->slopes);
    aspect =
        classes_around(full_circle(layer[ZM_LAYER_ASPECT][i]), ASPECT_STEP, ASPECTS);
    cover = classes_around(layer[ZM_LAYER_COVER][i], COVER_STEP, c->covers);
    for (int k = 0; k < ZM_PLACES_OF_CELL; k++) {
        const int s = k & 1, a = k >> 1 & 1, v = k >> 2;
        const double share = (s ? height.share : 1 - height.share) *
                             (a ? aspect.share : 1 - aspect.share) *
                             (v ? cover.share : 1 - cover.share);

        if (share > 0)
            place[n++] = (zm_place){ height.at[1] * c->slopes + slope.at[s],
                                     aspect.at[a] * c->covers + cover.at[v], share };
    }
    return n;
}
