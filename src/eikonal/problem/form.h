/* SPDX-License-Identifier: Apache-2.0
 * What the forms of a front are called, and when a cell of one is admissible. */
#ifndef ZM_CONVERT_FORM_H
#define ZM_CONVERT_FORM_H

#include <stdbool.h>

#include "zermelo/convert.h"

typedef struct zm_form_info {
    const char *name;
    int planes;
    bool is_matrix; /* three planes of a symmetric matrix, two of a vector */
    int heading;    /* which plane is the heading, or -1 */
    const char *plane[ZM_FORM_PLANES];
} zm_form_info;

/** NULL if there is no such form. */
const zm_form_info *zm_form_info_of(zm_form form);

/** ZM_OK, or ZM_E_METRIC for cell x of this form: `context`, then what, where, bound. */
zm_status zm_form_check(zm_form form, const double *x, size_t cell, const char *context,
                        zm_error *err);

/** Of h and W: w = h W, norm2 = |W|_h^2 and mu = 1 - norm2, each to a few roundings, however
 *  close norm2 is to 1. */
typedef struct zm_zermelo_terms {
    double w1, w2, norm2, mu;
} zm_zermelo_terms;
zm_zermelo_terms zm_form_zermelo_terms(const double *x);

/** Of G and b: H = G - b b', y = adj(G) b, so that G^-1 b = y/det_G, and
 *  mu = 1 - |b|_{G^-1}^2 = det_H/det_G, by the matrix determinant lemma. */
typedef struct zm_randers_terms {
    double H11, H12, H22, det_G, det_H, y1, y2, mu;
} zm_randers_terms;
zm_randers_terms zm_form_randers_terms(const double *x);

/** Determinant of the symmetric matrix x[0], x[1], x[2]. */
double zm_form_determinant(const double *x);

#endif
