/* SPDX-License-Identifier: Apache-2.0
 * Conversions of planes between the forms of a front, and their derivatives. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/options.h"
#include "eikonal/problem/form.h"
#include "eikonal/problem/form_step.h"
#include "eikonal/problem/problem.h"

enum { MOST_STEPS = 2 };

/* One call: what is converted, and by which steps. */
typedef struct conversion {
    const zm_form_in *in;
    zm_form from, to;
    const zm_form_info *from_info, *to_info;
    bool shared_third; /* the third plane of `in` is the same as the first */
    zm_convert_opts opts;
    const zm_form_step *step[MOST_STEPS];
    int n_steps;
} conversion;

/* One cell: its values before each step, and after the last. */
typedef struct chain {
    double x[MOST_STEPS + 1][ZM_FORM_PLANES];
} chain;

/* Straight where there is a step for it, else by way of Randers. */
static void find_steps(conversion *c)
{
    static const zm_form_step *const steps[] = {
        &zm_form_zermelo_to_randers, &zm_form_ellipse_to_randers,
        &zm_form_focus_to_randers,   &zm_form_randers_to_zermelo,
        &zm_form_randers_to_ellipse, &zm_form_zermelo_to_ellipse
    };
    const zm_form_step *direct = NULL, *first = NULL, *second = NULL;

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i]->from == c->from && steps[i]->to == c->to)
            direct = steps[i];
        if (steps[i]->from == c->from && steps[i]->to == ZM_FORM_RANDERS)
            first = steps[i];
        if (steps[i]->from == ZM_FORM_RANDERS && steps[i]->to == c->to)
            second = steps[i];
    }
    if (direct) {
        c->step[c->n_steps++] = direct;
    } else if (c->from != c->to) {
        c->step[c->n_steps++] = first;
        c->step[c->n_steps++] = second;
    }
}

static zm_status check_options(const zm_convert_opts *o, zm_error *err)
{
    if (o->convention != ZM_HEADING_COMPASS && o->convention != ZM_HEADING_MATH)
        return zm_fail(err, ZM_E_ARG, -1,
                       "heading convention %d, must be ZM_HEADING_COMPASS or "
                       "ZM_HEADING_MATH",
                       (int)o->convention);
    if (!(o->tilt >= 0 && o->tilt <= 1))
        return zm_fail(err, ZM_E_ARG, -1, "tilt = %g, must be in [0, 1]", o->tilt);
    return zm_nonfinite_check(o->nonfinite, err);
}

/* Planes beyond those of the form would be ignored: a mistake of the caller. */
static zm_status check_surplus(const char *what, const zm_form_info *info,
                               const void *const *plane, zm_error *err)
{
    for (int k = info->planes; k < ZM_FORM_PLANES; k++)
        if (plane[k])
            return zm_fail(err, ZM_E_ARG, -1, "%s plane %d is not NULL; form %s has %d",
                           what, k, info->name, info->planes);
    return ZM_OK;
}

static zm_status check_input(const zm_form_info *info, const zm_form_in *in,
                             zm_error *err)
{
    const void *const *plane = in->plane;

    if (in->dtype != ZM_F64 && in->dtype != ZM_F32)
        return zm_fail(err, ZM_E_ARG, -1, "dtype %d, must be ZM_F64 or ZM_F32",
                       (int)in->dtype);
    for (int k = 0; k < info->planes; k++)
        if (!plane[k] && (k == 0 || !info->is_matrix))
            return zm_fail(err, ZM_E_ARG, -1, "input plane %s is NULL", info->plane[k]);
    if (info->is_matrix && !plane[3] != !plane[4])
        return zm_fail(err, ZM_E_ARG, -1,
                       "input plane %s is NULL, give both %s and %s or neither",
                       info->plane[plane[3] ? 4 : 3], info->plane[3], info->plane[4]);
    return check_surplus("input", info, plane, err);
}

/* Checks all but the values, and chooses the steps. */
static zm_status begin(conversion *c, zm_form from, const zm_form_in *in, zm_form to,
                       const zm_convert_opts *opts, zm_error *err)
{
    zm_status st;

    *c = (conversion){ .in = in, .from = from, .to = to, .opts = ZM_CONVERT_OPTS_INIT };
    if ((st = zm_options_read(&c->opts, sizeof c->opts, opts, "zm_convert_opts", err)) <
            0 ||
        (st = check_options(&c->opts, err)) < 0)
        return st;
    c->from_info = zm_form_info_of(from);
    c->to_info = zm_form_info_of(to);
    if (!c->from_info || !c->to_info || to == ZM_FORM_FOCUS)
        return zm_fail(err, ZM_E_ARG, -1,
                       "no conversion from form %d to form %d; to is one of "
                       "ZM_FORM_RANDERS, ZM_FORM_ZERMELO, ZM_FORM_ELLIPSE",
                       (int)from, (int)to);
    if (!in)
        return zm_fail(err, ZM_E_ARG, -1, "input is NULL");
    ZM_TRY(check_input(c->from_info, in, err));
    c->shared_third = c->from_info->is_matrix && !in->plane[2];
    find_steps(c);
    return ZM_OK;
}

/* Derivatives that are given. */
static zm_status check_given(const conversion *c, const char *what,
                             const zm_form_info *info, const zm_form_in *given,
                             zm_error *err)
{
    if (!given || given->dtype != c->in->dtype)
        return zm_fail(err, ZM_E_ARG, -1, "%s %s", what,
                       given ? "is of another dtype than the input" : "is NULL");
    return check_surplus(what, info, given->plane, err);
}

static zm_status check_wanted(const char *what, const zm_form_info *info,
                              const zm_form_out *wanted, zm_error *err)
{
    if (!wanted)
        return zm_fail(err, ZM_E_ARG, -1, "%s is NULL", what);
    return check_surplus(what, info, (const void *const *)wanted->plane, err);
}

/* Derivatives with respect to a plane that `in` does not have. */
static zm_status check_third(const conversion *c, const void *third, zm_error *err)
{
    if (!c->shared_third || !third)
        return ZM_OK;
    return zm_fail(err, ZM_E_ARG, -1,
                   "derivative plane %s is not NULL, but that of the input is: it "
                   "moves with %s",
                   c->from_info->plane[2], c->from_info->plane[0]);
}

static bool is_wall(const conversion *c, size_t i)
{
    return c->opts.walls && c->opts.walls[i];
}

static void load(const zm_form_in *in, const zm_form_info *info, bool shared_third,
                 size_t i, double *x)
{
    for (int k = 0; k < info->planes; k++)
        x[k] = zm_plane_value_or(in->plane[k], in->dtype, i, 0);
    if (shared_third)
        x[2] = x[0];
}

static void store(const zm_form_out *out, const zm_form_info *info, zm_dtype dtype,
                  size_t i, const double *x)
{
    for (int k = 0; k < info->planes; k++) {
        if (out->plane[k] && dtype == ZM_F32)
            ((float *)out->plane[k])[i] = (float)x[k];
        else if (out->plane[k])
            ((double *)out->plane[k])[i] = x[k];
    }
}

static void store_zero(const zm_form_out *out, const zm_form_info *info, zm_dtype dtype,
                       size_t i)
{
    const double zero[ZM_FORM_PLANES] = { 0 };

    store(out, info, dtype, i, zero);
}

static zm_status check_tilt(const conversion *c, const zm_form_step *step,
                            const double *x, size_t cell, zm_error *err)
{
    const double tilt = step->tilt ? step->tilt(x) : 0;

    if (tilt <= c->opts.tilt)
        return ZM_OK;
    return zm_fail(
        err, ZM_E_METRIC, (int64_t)cell,
        "tilt %.3g at cell %zu, must be at most %.3g: no axis of the ellipse "
        "lies along its drift, so head, flank, back and heading cannot say "
        "what it is",
        tilt, cell, c->opts.tilt);
}

/* Reads a cell and takes it through all forms; each must be admissible. */
static zm_status convert_cell(const conversion *c, size_t i, chain *v, zm_error *err)
{
    load(c->in, c->from_info, c->shared_third, i, v->x[0]);
    ZM_TRY(zm_form_check(c->from, v->x[0], i, "", err));
    for (int k = 0; k < c->n_steps; k++) {
        const zm_form_step *step = c->step[k];

        ZM_TRY(check_tilt(c, step, v->x[k], i, err));
        step->value(v->x[k], c->opts.convention, v->x[k + 1]);
        ZM_TRY(zm_form_check(step->to, v->x[k + 1], i, "result: ", err));
    }
    return ZM_OK;
}

/* Rounds the result to float32, where it must be admissible too. */
static zm_status round_result(const conversion *c, size_t i, double *x, zm_error *err)
{
    const int heading = c->to_info->heading;

    for (int k = 0; k < c->to_info->planes; k++)
        x[k] = (double)(float)x[k];
    if (heading >= 0 && c->opts.convention == ZM_HEADING_COMPASS && x[heading] >= 360)
        x[heading] = 0;
    return zm_form_check(c->to, x, i, "result in float32: ", err);
}

zm_status zm_convert(zm_form from, const zm_form_in *in, zm_form to, size_t n,
                     const zm_form_out *out, const zm_convert_opts *opts, zm_error *err)
{
    conversion c;
    zm_status st;

    ZM_TRY(begin(&c, from, in, to, opts, err));
    ZM_TRY(check_wanted("output", c.to_info, out, err));
    for (size_t i = 0; i < n; i++) {
        chain v;
        double *result = v.x[c.n_steps];

        if (is_wall(&c, i)) {
            store_zero(out, c.to_info, in->dtype, i);
            continue;
        }
        ZM_TRY(convert_cell(&c, i, &v, err));
        if (in->dtype == ZM_F32 && (st = round_result(&c, i, result, err)) < 0)
            return st;
        store(out, c.to_info, in->dtype, i, result);
    }
    return ZM_OK;
}

static zm_status check_finite(const conversion *c, const zm_form_info *info,
                              const double *x, size_t cell, zm_error *err)
{
    for (int k = 0; k < info->planes; k++)
        if (c->opts.nonfinite == ZM_NONFINITE_REFUSE && !isfinite(x[k]))
            return zm_fail(err, ZM_E_ARG, (int64_t)cell,
                           "derivative of %s is %g at cell %zu, must be finite",
                           info->plane[k], x[k], cell);
    return ZM_OK;
}

/* d of the input to d of the result, in place. */
static void push(const conversion *c, const chain *v, double *d)
{
    for (int k = 0; k < c->n_steps; k++) {
        double next[ZM_FORM_PLANES] = { 0 };

        c->step[k]->push(v->x[k], c->opts.convention, d, next);
        memcpy(d, next, sizeof next);
    }
}

/* d of the result to d of the input, in place. */
static void pull(const conversion *c, const chain *v, double *d)
{
    for (int k = c->n_steps - 1; k >= 0; k--) {
        double next[ZM_FORM_PLANES] = { 0 };

        c->step[k]->pull(v->x[k], c->opts.convention, d, next);
        memcpy(d, next, sizeof next);
    }
    if (c->shared_third)
        d[0] += d[2];
}

zm_status zm_convert_jvp(zm_form from, const zm_form_in *in, zm_form to,
                         const zm_form_in *d_in, size_t n, const zm_form_out *d_out,
                         const zm_convert_opts *opts, zm_error *err)
{
    conversion c;

    ZM_TRY(begin(&c, from, in, to, opts, err));
    ZM_TRY(check_given(&c, "direction", c.from_info, d_in, err));
    ZM_TRY(check_third(&c, d_in->plane[2], err));
    ZM_TRY(check_wanted("output", c.to_info, d_out, err));
    for (size_t i = 0; i < n; i++) {
        chain v;
        double d[ZM_FORM_PLANES] = { 0 };

        if (is_wall(&c, i)) {
            store_zero(d_out, c.to_info, in->dtype, i);
            continue;
        }
        load(d_in, c.from_info, c.shared_third, i, d);
        ZM_TRY(convert_cell(&c, i, &v, err));
        ZM_TRY(check_finite(&c, c.from_info, d, i, err));
        push(&c, &v, d);
        store(d_out, c.to_info, in->dtype, i, d);
    }
    return ZM_OK;
}

zm_status zm_convert_vjp(zm_form from, const zm_form_in *in, zm_form to,
                         const zm_form_in *d_out, size_t n, const zm_form_out *d_in,
                         const zm_convert_opts *opts, zm_error *err)
{
    conversion c;

    ZM_TRY(begin(&c, from, in, to, opts, err));
    ZM_TRY(check_given(&c, "cotangent", c.to_info, d_out, err));
    ZM_TRY(check_wanted("output", c.from_info, d_in, err));
    ZM_TRY(check_third(&c, d_in->plane[2], err));
    for (size_t i = 0; i < n; i++) {
        chain v;
        double d[ZM_FORM_PLANES] = { 0 };

        if (is_wall(&c, i)) {
            store_zero(d_in, c.from_info, in->dtype, i);
            continue;
        }
        load(d_out, c.to_info, false, i, d);
        ZM_TRY(convert_cell(&c, i, &v, err));
        ZM_TRY(check_finite(&c, c.to_info, d, i, err));
        pull(&c, &v, d);
        store(d_in, c.from_info, in->dtype, i, d);
    }
    return ZM_OK;
}
