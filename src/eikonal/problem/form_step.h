/* SPDX-License-Identifier: Apache-2.0
 * A conversion of one cell between two forms, with its derivatives.  What has no step of its
 * own is converted by way of the Randers form. */
#ifndef ZM_CONVERT_STEP_H
#define ZM_CONVERT_STEP_H

#include "zermelo/convert.h"

/** Every array has ZM_FORM_PLANES values in the order of the form.  x is admissible. */
typedef struct zm_form_step {
    zm_form from, to;
    /** y(x) */
    void (*value)(const double *x, zm_heading heading, double *y);
    /** dy = J dx */
    void (*push)(const double *x, zm_heading heading, const double *dx, double *dy);
    /** cx = J' cy */
    void (*pull)(const double *x, zm_heading heading, const double *cy, double *cx);
    /** To ZM_FORM_ELLIPSE: |h_un|/sqrt(h_uu h_nn), u along the drift and n across. */
    double (*tilt)(const double *x);
} zm_form_step;

extern const zm_form_step zm_form_zermelo_to_randers, zm_form_randers_to_zermelo,
    zm_form_ellipse_to_randers, zm_form_focus_to_randers, zm_form_zermelo_to_ellipse,
    zm_form_randers_to_ellipse;

#endif
