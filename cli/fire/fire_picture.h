/* SPDX-License-Identifier: Apache-2.0
 * Pictures of fires, where the tool is built with Cairo (ZM_WITH_CAIRO). */
#ifndef ZM_CLI_FIRE_FIRE_PICTURE_H
#define ZM_CLI_FIRE_FIRE_PICTURE_H

#include "zermelo/fire/dataset.h"

#if defined(ZM_WITH_CAIRO)

/** A fire to be drawn; every array has the landscape's rows*cols. */
typedef struct fire_view {
    const zm_landscape *land;
    const char *title;      /**< or NULL */
    int32_t row, col;       /**< ignition; row < 0: not shown */
    const float *truth;     /**< h; NULL where there is none */
    const float *predicted; /**< h; NULL where there is none */
    double t_max; /**< predicted times later than that are not shown; INFINITY: all */
    const double
        *dates; /**< h: perimeters of the truth that are drawn over a prediction;
                            NULL: the last */
    size_t n_dates;
} fire_view;

/** One fire: times and isochrones over hillshade, rivers and other barriers; the prediction if
 *  there is one, else the truth.  No path: does nothing. */
int fire_picture_save(const char *path, const fire_view *view);

/** Probability to burn, which view->predicted has, over hillshade, with the perimeters that
 *  95 %, half and 5 % of the members pass; `bar` names the colours. */
int chances_picture_save(const char *path, const fire_view *view, const char *bar);

/** Burn probability of a landscape, which view->predicted has, over hillshade, with colours up to the
 *  largest. */
int risk_picture_save(const char *path, const fire_view *view, const char *bar);

/** Rows of truth, prediction and error (predicted - true), one a fire. */
int fire_triples_save(const char *path, const fire_view *views, size_t n);

/** The landscape: fuels over hillshade, with ignitions. */
int scene_picture_save(const char *path, const zm_scene *scene);

#endif
#endif
