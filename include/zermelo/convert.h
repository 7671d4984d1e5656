/* SPDX-License-Identifier: Apache-2.0
 * One moving front in four forms: Randers metric, own speed carried by a wind (Zermelo),
 * fire ellipse, fire ellipse lit at its focus; with exact derivatives of all conversions.
 *
 * In every form the front has reached, one unit of time after it started, an ellipse about
 * a centre that has moved:  W + { u : u' h u <= 1 }.  The starting point is inside as long
 * as mu = 1 - |W|_h^2 > 0.  docs/convert.md has the formulas.
 *
 * Units: W and the rates of spread are lengths per time; h and G are (time per length)^2;
 * b is time per length.  The length is that of the grid's dx and dy. */
#ifndef ZM_CONVERT_H
#define ZM_CONVERT_H

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Forms, and the planes of each in their order. */
typedef enum zm_form {
    /** g11, g12, g22, b1, b2: what the solvers take, F(v) = sqrt(v' G v) - b.v.
     *  Admissible: G positive definite, |b|_{G^-1} < 1. */
    ZM_FORM_RANDERS = 0,
    /** h11, h12, h22, W1, W2: in still air the front reaches { u : u' h u <= 1 } in unit
     *  time, and the wind W carries all of it.  G = h/mu + b b', b = h W/mu; back
     *  mu = 1 - |b|_{G^-1}^2, h = mu (G - b b'), W = G^-1 b/mu; |W|_h = |b|_{G^-1}.
     *  Admissible: h positive definite, |W|_h < 1. */
    ZM_FORM_ZERMELO = 1,
    /** head, flank, back, heading: rates of spread along the heading, at the widest place
     *  across it (half the breadth), and against it.  W = (head - back)/2 along the heading,
     *  semi-axes (head + back)/2 along and flank across.  Admissible: flank > 0,
     *  0 < back <= head. */
    ZM_FORM_ELLIPSE = 2,
    /** head, length_to_breadth, heading: the fire ellipse whose rear focus is where it was
     *  lit.  e = sqrt(1 - 1/LB^2), p = head (1 - e), G = I/p^2, b = (e/p) u with u the unit
     *  vector of the heading.  Admissible: head > 0, LB >= 1.  Only to convert from. */
    ZM_FORM_FOCUS = 3
} zm_form;

enum { ZM_FORM_PLANES = 5 /**< at most */ };

/** How a heading is counted.  It is where the front goes to, not where a wind comes from.
 *  x runs along columns, y along rows downwards. */
typedef enum zm_heading {
    /** Degrees clockwise from north, row 0 being in the north: 0 is -y, 90 is +x.
     *  Results are in [0, 360). */
    ZM_HEADING_COMPASS = 0,
    /** Radians from +x towards +y: the heading u is (cos, sin).  Results are in
     *  [-pi, pi]. */
    ZM_HEADING_MATH = 1
} zm_heading;

typedef struct zm_convert_opts {
    size_t size;
    zm_heading convention;
    /** To ZM_FORM_ELLIPSE only, in [0, 1].  That form says one thing less than the others:
     *  an axis of the ellipse lies along W.  The tilt |h_un|/sqrt(h_uu h_nn), u along W and
     *  n across, tells how far this is from true; more than this is an error.  1: accept all,
     *  and take head and back along W, flank as half the breadth across it. */
    double tilt;
    /** n bytes, non-zero: values are not looked at, results are 0; or NULL */
    const uint8_t *walls;
    zm_nonfinite nonfinite; /**< directions and cotangents that are not finite */
} zm_convert_opts;
#define ZM_CONVERT_OPTS_INIT                                                           \
    {                                                                                  \
        sizeof(zm_convert_opts), ZM_HEADING_COMPASS, 1e-3, NULL, ZM_NONFINITE_REFUSE   \
    }

/** Planes of n values of type `dtype` in the order of the form; the rest NULL.  Frozen. */
typedef struct zm_form_in {
    zm_dtype dtype;
    const void *plane[ZM_FORM_PLANES];
} zm_form_in;

/** The same to be written; NULL: not wanted.  Frozen. */
typedef struct zm_form_out {
    void *plane[ZM_FORM_PLANES];
} zm_form_out;

/**
 * Converts n cells.
 *
 * @param from, to in   any two forms, but `to` is not ZM_FORM_FOCUS
 * @param in       in   the planes of `from`.  Of Randers and Zermelo may be NULL, as in
 *                      zm_metric: the second (0), the third (the same as the first), both of
 *                      the last two (0).
 * @param n        in   cells in each plane
 * @param out      out  planes of `to`, of in->dtype; computed in double and rounded once; may
 *                      be the same arrays as in
 * @param opts     in   NULL means ZM_CONVERT_OPTS_INIT
 * @return ZM_OK; ZM_E_ARG (forms, planes, options); ZM_E_METRIC: err->cell is the first cell
 *         that is not admissible, in its own form, in that of the result or when rounded to
 *         its type; cells before it have been converted
 *
 * To ZM_FORM_ELLIPSE with W = 0: head = back, and the heading is along the longer axis, +x
 * for a circle.
 */
ZM_API zm_status zm_convert(zm_form from, const zm_form_in *in, zm_form to,
                            size_t n, const zm_form_out *out, const zm_convert_opts *opts,
                            zm_error *err);

/**
 * From a change of the input to that of the result: d_out = J d_in.
 *
 * @param in    in   the values at which to differentiate, as given to zm_convert
 * @param d_in  in   planes of `from` and of in->dtype; NULL: that one does not change.  Where
 *                   the third plane of `in` is left out, so it must be here.
 * @param d_out out  planes of `to`; may be the same arrays as d_in
 *
 * Where a derivative does not exist it is taken as 0: that of the heading where W = 0 (the
 * heading stays), that with respect to the length-to-breadth ratio where it is 1 (e has no
 * finite slope there).
 */
ZM_API zm_status zm_convert_jvp(zm_form from, const zm_form_in *in, zm_form to,
                                const zm_form_in *d_in, size_t n,
                                const zm_form_out *d_out, const zm_convert_opts *opts,
                                zm_error *err);

/**
 * From dL/d(result) to dL/d(input): d_in = J' d_out, exactly the transpose of
 * zm_convert_jvp.  The off-diagonal planes are one parameter each.
 *
 * @param in    in   the values at which to differentiate, as given to zm_convert
 * @param d_out in   dL/d(planes of `to`), of in->dtype; NULL: zero
 * @param d_in  out  dL/d(planes of `from`); may be the same arrays as d_out.  Where the third
 *                   plane of `in` is left out, so it must be here, and the first has the sum.
 * @return as zm_convert; ZM_E_ARG with err->cell also for a derivative that is not finite, if
 *         opts->nonfinite refuses that
 */
ZM_API zm_status zm_convert_vjp(zm_form from, const zm_form_in *in, zm_form to,
                                const zm_form_in *d_out, size_t n,
                                const zm_form_out *d_in, const zm_convert_opts *opts,
                                zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
