/* SPDX-License-Identifier: Apache-2.0
 * One cell of a front in any of its forms, at random and converted. */
#ifndef ZM_TESTS_FRONTS_H
#define ZM_TESTS_FRONTS_H

#include "check.h"
#include "zermelo/convert.h"

typedef struct front {
    double x[ZM_FORM_PLANES];
} front;

enum { N_FORMS = 4 };

/** Planes of a form. */
int front_planes(zm_form form);

/** Views of one cell. */
zm_form_in front_in(zm_form form, const front *f);
zm_form_out front_out(zm_form form, front *f);

/** An admissible cell.  Drift norm up to 1 - `gap`, often close to it; eigenvalues of h and
 *  length-to-breadth ratios up to `ratio`; units (speed 1) over four decades.  Headings are
 *  degrees, which as radians are as good as any. */
front front_random(uint64_t *state, zm_form form, double gap, double ratio);

/** zm_convert of one cell; a failure fails the test. */
front front_convert(test_run *t, zm_form from, const front *f, zm_form to,
                    const zm_convert_opts *opts);

/** F(v) = sqrt(v' G v) - b.v of a Randers cell. */
double front_cost(const front *randers, double v1, double v2);

/** Of the first three values, a symmetric matrix: m11 m22/det, at least 1. */
double front_condition(const front *f);

/** Largest difference: of matrices over sqrt(m_ii m_jj), of W in the norm of h and of b in
 *  that of G^-1, of rates over the first one of `a`, of headings (degrees) in radians. */
double front_difference(zm_form form, const front *a, const front *b);

#endif
