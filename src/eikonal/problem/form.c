/* SPDX-License-Identifier: Apache-2.0
 * The forms of a front: names, and when a cell of one is admissible. */
#include "eikonal/problem/form.h"

#include <math.h>

#include "core/fail.h"
#include "core/products.h"

static const zm_form_info forms[] = {
    [ZM_FORM_RANDERS] = { "randers", 5, true, -1, { "g11", "g12", "g22", "b1", "b2" } },
    [ZM_FORM_ZERMELO] = { "zermelo", 5, true, -1, { "h11", "h12", "h22", "W1", "W2" } },
    [ZM_FORM_ELLIPSE] = { "ellipse",
                          4,
                          false,
                          3,
                          { "head", "flank", "back", "heading" } },
    [ZM_FORM_FOCUS] = { "focus",
                        3,
                        false,
                        2,
                        { "head", "length_to_breadth", "heading" } },
};

/* Nearer to 1 the solvers' own check of the drift norm, in plain double, cannot tell. */
static const double smallest_mu = 1e-14;

const zm_form_info *zm_form_info_of(zm_form form)
{
    const size_t i = (size_t)form;

    return i < sizeof forms / sizeof *forms ? &forms[i] : NULL;
}

double zm_form_determinant(const double *x)
{
    return zm_difference_of_products(x[0], x[2], x[1], x[1]);
}

zm_zermelo_terms zm_form_zermelo_terms(const double *x)
{
    const zm_pair w1 =
        zm_pair_sum(zm_pair_product(x[0], x[3]), zm_pair_product(x[1], x[4]));
    const zm_pair w2 =
        zm_pair_sum(zm_pair_product(x[1], x[3]), zm_pair_product(x[2], x[4]));
    const zm_pair norm2 =
        zm_pair_sum(zm_pair_scaled(x[3], w1), zm_pair_scaled(x[4], w2));
    const zm_pair mu = zm_pair_sum((zm_pair){ 1, 0 }, zm_pair_scaled(-1, norm2));

    return (zm_zermelo_terms){ w1.hi + w1.lo, w2.hi + w2.lo, norm2.hi + norm2.lo,
                               mu.hi + mu.lo };
}

zm_randers_terms zm_form_randers_terms(const double *x)
{
    const double g11 = x[0], g12 = x[1], g22 = x[2], b1 = x[3], b2 = x[4];
    const double H[3] = { zm_difference_of_products(g11, 1, b1, b1),
                          zm_difference_of_products(g12, 1, b1, b2),
                          zm_difference_of_products(g22, 1, b2, b2) };
    const double det_G = zm_form_determinant(x), det_H = zm_form_determinant(H);

    return (zm_randers_terms){ H[0],
                               H[1],
                               H[2],
                               det_G,
                               det_H,
                               zm_difference_of_products(g22, b1, g12, b2),
                               zm_difference_of_products(g11, b2, g12, b1),
                               det_H / det_G };
}

static zm_status check_finite(const zm_form_info *info, const double *x, size_t cell,
                              const char *context, zm_error *err)
{
    for (int k = 0; k < info->planes; k++)
        if (!isfinite(x[k]))
            return zm_fail(err, ZM_E_METRIC, (int64_t)cell,
                           "%s%s is %s at cell %zu, must be finite", context,
                           info->plane[k], isnan(x[k]) ? "nan" : "infinite", cell);
    return ZM_OK;
}

static bool is_positive_definite(const double *x)
{
    const double det = zm_form_determinant(x);

    return x[0] > 0 && x[2] > 0 && det > 0 && isfinite(det);
}

static zm_status not_positive_definite(const zm_form_info *info, const double *x,
                                       size_t cell, const char *context, zm_error *err)
{
    return zm_fail(err, ZM_E_METRIC, (int64_t)cell,
                   "%s%s metric not positive definite at cell %zu: %s = %.9g, "
                   "%s = %.9g, %s = %.9g, determinant %.9g",
                   context, info->name, cell, info->plane[0], x[0], info->plane[1],
                   x[1], info->plane[2], x[2], zm_form_determinant(x));
}

/* 1 - mu near 1 would be shown as 1: so the gap is shown there. */
static zm_status too_strong(const zm_form_info *info, const double *x, double norm2,
                            size_t cell, const char *context, zm_error *err)
{
    return zm_fail(err, ZM_E_METRIC, (int64_t)cell,
                   "%s%s norm %.9g at cell %zu, must be < 1%s: %s = %.9g, %s = %.9g",
                   context, info->plane[0][0] == 'h' ? "wind" : "drift", sqrt(norm2),
                   cell, norm2 < 1 ? " by at least 1e-14" : "", info->plane[3], x[3],
                   info->plane[4], x[4]);
}

static zm_status check_randers(const zm_form_info *info, const double *x, size_t cell,
                               const char *context, zm_error *err)
{
    const zm_randers_terms r = zm_form_randers_terms(x);
    const bool inside = r.H11 > 0 && r.H22 > 0 && r.mu > smallest_mu;

    if (!is_positive_definite(x))
        return not_positive_definite(info, x, cell, context, err);
    /* completing the square, so that nothing cancels: as in core/problem.c */
    if (!inside)
        return too_strong(info, x, (x[3] * x[3] + r.y2 * r.y2 / r.det_G) / x[0], cell,
                          context, err);
    return ZM_OK;
}

static zm_status check_zermelo(const zm_form_info *info, const double *x, size_t cell,
                               const char *context, zm_error *err)
{
    const zm_zermelo_terms z = zm_form_zermelo_terms(x);

    if (!is_positive_definite(x))
        return not_positive_definite(info, x, cell, context, err);
    if (!(z.mu > smallest_mu))
        return too_strong(info, x, z.norm2, cell, context, err);
    return ZM_OK;
}

static zm_status check_positive(const zm_form_info *info, const double *x, int k,
                                size_t cell, const char *context, zm_error *err)
{
    if (x[k] > 0)
        return ZM_OK;
    return zm_fail(err, ZM_E_METRIC, (int64_t)cell,
                   "%s%s rate %g at cell %zu, must be > 0", context, info->plane[k],
                   x[k], cell);
}

static zm_status check_ellipse(const zm_form_info *info, const double *x, size_t cell,
                               const char *context, zm_error *err)
{
    for (int k = 0; k < 3; k++) {
        const zm_status st = check_positive(info, x, k, cell, context, err);

        if (st < 0)
            return st;
    }
    if (x[2] > x[0])
        return zm_fail(
            err, ZM_E_METRIC, (int64_t)cell,
            "%sback rate %.9g exceeds head rate %.9g at cell %zu; the heading "
            "is that of the faster",
            context, x[2], x[0], cell);
    return ZM_OK;
}

static zm_status check_focus(const zm_form_info *info, const double *x, size_t cell,
                             const char *context, zm_error *err)
{
    ZM_TRY(check_positive(info, x, 0, cell, context, err));
    if (!(x[1] >= 1))
        return zm_fail(err, ZM_E_METRIC, (int64_t)cell,
                       "%slength-to-breadth ratio %.9g at cell %zu, must be >= 1",
                       context, x[1], cell);
    return ZM_OK;
}

zm_status zm_form_check(zm_form form, const double *x, size_t cell, const char *context,
                        zm_error *err)
{
    static zm_status (*const checks[])(const zm_form_info *, const double *, size_t,
                                       const char *, zm_error *) = {
        [ZM_FORM_RANDERS] = check_randers,
        [ZM_FORM_ZERMELO] = check_zermelo,
        [ZM_FORM_ELLIPSE] = check_ellipse,
        [ZM_FORM_FOCUS] = check_focus,
    };
    const zm_form_info *info = zm_form_info_of(form);
    const zm_status st = check_finite(info, x, cell, context, err);

    return st < 0 ? st : checks[form](info, x, cell, context, err);
}
