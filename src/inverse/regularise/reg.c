/* SPDX-License-Identifier: Apache-2.0
 * Regularisers: value, exact gradient, lagged weights.
 *
 * Each cell has s = sum_k c_k |D u_k|^2, a term phi(s) and a weight w = 2 phi'(s), so
 * that the gradient is c_k D' w D u_k: one loop makes all three. */
#include "zermelo/reg.h"

#include <math.h>
#include <string.h>

#include "core/options.h"
#include "eikonal/problem/problem.h"
#include "inverse/regularise/difference.h"
#include "inverse/regularise/symmetric_log.h"

enum { METRIC_FIELDS = 3 };

/* Arguments after they have been checked. */
typedef struct task {
    zm_grid grid;
    zm_reg reg;
    size_t n_fields;
    const double *const *fields;
    const uint8_t *walls;
    double c[ZM_REG_MAX_FIELDS];
} task;

static bool is_tv(zm_reg_kind kind)
{
    return kind == ZM_REG_TV || kind == ZM_REG_FROBENIUS_TV ||
           kind == ZM_REG_LOG_EUCLIDEAN_TV;
}

static bool is_of_metric(zm_reg_kind kind)
{
    return kind == ZM_REG_FROBENIUS_TV || kind == ZM_REG_LOG_EUCLIDEAN_TV;
}

static zm_status read_eps(const zm_reg *reg, bool lagged, zm_error *err)
{
    if (reg->kind < ZM_REG_TV || reg->kind > ZM_REG_LOG_EUCLIDEAN_TV)
        return zm_fail(err, ZM_E_ARG, -1, "regulariser kind %d is not known",
                       (int)reg->kind);
    if (reg->kind == ZM_REG_H1 || reg->kind == ZM_REG_TIKHONOV)
        return ZM_OK;
    if (!isfinite(reg->eps) || reg->eps < 0 ||
        (reg->eps == 0 && (lagged || !is_tv(reg->kind))))
        return zm_fail(err, ZM_E_ARG, -1, "regulariser eps = %g, must be finite and %s",
                       reg->eps, lagged || !is_tv(reg->kind) ? "> 0" : ">= 0");
    return ZM_OK;
}

static zm_status check_reference(const zm_reg *reg, zm_error *err)
{
    if (reg->reference && reg->kind != ZM_REG_TIKHONOV)
        return zm_fail(err, ZM_E_ARG, -1, "only ZM_REG_TIKHONOV has a reference");
    return ZM_OK;
}

static zm_status read_weights(task *a, zm_error *err)
{
    static const double of_metric[METRIC_FIELDS] = { 1, 2, 1 };
    const bool fixed = is_of_metric(a->reg.kind);

    if (a->n_fields < 1 || a->n_fields > ZM_REG_MAX_FIELDS)
        return zm_fail(err, ZM_E_ARG, -1, "%zu fields, must be 1 to %d", a->n_fields,
                       ZM_REG_MAX_FIELDS);
    if (fixed && (a->n_fields != METRIC_FIELDS || a->reg.weights))
        return zm_fail(err, ZM_E_ARG, -1,
                       "a TV of G takes the 3 fields g11, g12, g22 and no weights");
    for (size_t k = 0; k < a->n_fields; k++) {
        a->c[k] = fixed ? of_metric[k] : a->reg.weights ? a->reg.weights[k] : 1;
        if (!(a->c[k] >= 0 && isfinite(a->c[k])))
            return zm_fail(err, ZM_E_ARG, -1,
                           "weight %g of field %zu, must be finite and >= 0", a->c[k],
                           k);
    }
    return ZM_OK;
}

static zm_status check_cell(const task *a, size_t i, zm_error *err)
{
    const double *const *u = a->fields;

    for (size_t k = 0; k < a->n_fields; k++)
        if (!isfinite(u[k][i]))
            return zm_fail(err, ZM_E_ARG, (int64_t)i, "field %zu is %g at cell %zu", k,
                           u[k][i], i);
    for (size_t k = 0; k < a->n_fields && a->reg.reference; k++)
        if (a->reg.reference[k] && !isfinite(a->reg.reference[k][i]))
            return zm_fail(err, ZM_E_ARG, (int64_t)i,
                           "reference of field %zu is %g at cell %zu", k,
                           a->reg.reference[k][i], i);
    if (a->reg.kind == ZM_REG_LOG_EUCLIDEAN_TV &&
        !(u[0][i] > 0 && u[0][i] * u[2][i] - u[1][i] * u[1][i] > 0))
        return zm_fail(
            err, ZM_E_METRIC, (int64_t)i,
            "G = (g11 %g, g12 %g, g22 %g) at cell %zu has no logarithm: must "
            "be positive definite",
            u[0][i], u[1][i], u[2][i], i);
    return ZM_OK;
}

static zm_status read_task(task *a, zm_grid grid, const zm_reg *reg, size_t n_fields,
                           const double *const *fields, const uint8_t *walls,
                           bool lagged, zm_error *err)
{
    size_t n;

    *a = (task){ grid, ZM_REG_INIT, n_fields, fields, walls, { 0 } };
    ZM_TRY(zm_options_read(&a->reg, sizeof a->reg, reg, "zm_reg", err));
    ZM_TRY(zm_grid_check(grid, err));
    ZM_TRY(read_eps(&a->reg, lagged, err));
    ZM_TRY(check_reference(&a->reg, err));
    ZM_TRY(read_weights(a, err));
    for (size_t k = 0; k < n_fields; k++)
        if (!fields || !fields[k])
            return zm_fail(err, ZM_E_ARG, -1, "field %zu is NULL", k);
    zm_grid_cells(grid, &n);
    for (size_t i = 0; i < n; i++)
        if (!(walls && walls[i]))
            ZM_TRY(check_cell(a, i, err));
    return ZM_OK;
}

/* phi(s) and w = 2 phi'(s); sqrt(s + eps^2) - eps without the cancellation. */
static double phi_of(const zm_reg *reg, double s, double *w)
{
    const double eps = reg->eps;
    double root;

    switch (reg->kind) {
    case ZM_REG_LOG:
        *w = 1 / (eps * eps + s);
        return 0.5 * log1p(s / (eps * eps));
    case ZM_REG_H1:
    case ZM_REG_TIKHONOV:
        *w = 1;
        return 0.5 * s;
    default:
        root = sqrt(s + eps * eps);
        *w = root > 0 ? 1 / root : 0;
        return root > 0 ? s / (root + eps) : 0;
    }
}

/* The fields that are differentiated, in one cell: u itself or the logarithm of G. */
static void fields_at(const task *a, size_t i, double *v)
{
    if (a->reg.kind == ZM_REG_LOG_EUCLIDEAN_TV) {
        const zm_sym2 g = { a->fields[0][i], a->fields[1][i], a->fields[2][i] };
        const zm_sym2 log_g = zm_sym2_log(g).value;

        v[0] = log_g.a11;
        v[1] = log_g.a12;
        v[2] = log_g.a22;
        return;
    }
    for (size_t k = 0; k < a->n_fields; k++)
        v[k] = a->fields[k][i];
}

/* Differences of all fields in one cell. */
typedef struct cell_differences {
    double x[ZM_REG_MAX_FIELDS], y[ZM_REG_MAX_FIELDS];
    double s;
} cell_differences;

/* here: the fields in cell i; right: those of the next cell, filled where there is an
 * edge. */
static void differences_at(const task *a, size_t i, zm_cell_edges open,
                           const double *here, double *right, cell_differences *d)
{
    double below[ZM_REG_MAX_FIELDS];

    if (open.right)
        fields_at(a, i + 1, right);
    if (open.below)
        fields_at(a, i + (size_t)a->grid.cols, below);
    d->s = 0;
    for (size_t k = 0; k < a->n_fields; k++) {
        d->x[k] = open.right ? (right[k] - here[k]) / a->grid.dx : 0;
        d->y[k] = open.below ? (below[k] - here[k]) / a->grid.dy : 0;
        d->s += a->c[k] * (d->x[k] * d->x[k] + d->y[k] * d->y[k]);
    }
}

/* gradient += c_k D' w D u_k of this cell */
static void add_gradient(const task *a, size_t i, zm_cell_edges open,
                         const cell_differences *d, double w, double *const *gradient)
{
    for (size_t k = 0; k < a->n_fields; k++) {
        const double x = a->c[k] * w * d->x[k] / a->grid.dx;
        const double y = a->c[k] * w * d->y[k] / a->grid.dy;

        gradient[k][i] -= x + y;
        if (open.right)
            gradient[k][i + 1] += x;
        if (open.below)
            gradient[k][i + (size_t)a->grid.cols] += y;
    }
}

/* From the derivative with respect to log G to that with respect to G, in place. */
static void pull_back_logarithms(const task *a, size_t n, double *const *gradient)
{
    for (size_t i = 0; i < n; i++) {
        if (a->walls && a->walls[i])
            continue;
        const zm_sym2_map f =
            zm_sym2_log((zm_sym2){ a->fields[0][i], a->fields[1][i], a->fields[2][i] });
        const zm_sym2 c = zm_sym2_pull_back(
            &f, (zm_sym2){ gradient[0][i], gradient[1][i], gradient[2][i] });

        gradient[0][i] = c.a11;
        gradient[1][i] = c.a12;
        gradient[2][i] = c.a22;
    }
}

/* The sum over cells of phi; gradient and weights where wanted. */
static double sum_of_differences(const task *a, double *const *gradient,
                                 double *weights)
{
    const double area = a->grid.dx * a->grid.dy;
    double sum = 0, row_sum, here[ZM_REG_MAX_FIELDS] = { 0 };
    double right[ZM_REG_MAX_FIELDS] = { 0 };
    cell_differences d;
    size_t i = 0;

    for (int32_t row = 0; row < a->grid.rows; row++) {
        bool known = false; /* `right` of the last cell is `here` */

        row_sum = 0;
        for (int32_t col = 0; col < a->grid.cols; col++, i++) {
            const zm_cell_edges open = zm_edges_of(a->grid, a->walls, row, col);
            double w;

            if (weights)
                weights[i] = 0;
            if (a->walls && a->walls[i]) {
                known = false;
                continue;
            }
            if (known)
                memcpy(here, right, sizeof here);
            else
                fields_at(a, i, here);
            known = open.right;
            differences_at(a, i, open, here, right, &d);
            row_sum += phi_of(&a->reg, d.s, &w);
            if (weights)
                weights[i] = area * w;
            if (gradient)
                add_gradient(a, i, open, &d, area * w, gradient);
        }
        sum += row_sum;
    }
    return area * sum;
}

/* dx dy sum_k c_k (u_k - ref_k)^2 / 2 */
static double sum_of_distances(const task *a, size_t n, double *const *gradient,
                               double *weights)
{
    const double area = a->grid.dx * a->grid.dy;
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        const bool open = !(a->walls && a->walls[i]);

        if (weights)
            weights[i] = open ? area : 0;
        for (size_t k = 0; open && k < a->n_fields; k++) {
            const double *ref = a->reg.reference ? a->reg.reference[k] : NULL;
            const double d = a->fields[k][i] - (ref ? ref[i] : 0);

            sum += 0.5 * a->c[k] * d * d;
            if (gradient)
                gradient[k][i] = area * a->c[k] * d;
        }
    }
    return area * sum;
}

zm_status zm_reg_value(zm_grid grid, const double *const *fields, size_t n_fields,
                       const uint8_t *walls, double *value, double *const *gradient,
                       const zm_reg *reg, zm_error *err)
{
    size_t n;
    task a;

    ZM_TRY(read_task(&a, grid, reg, n_fields, fields, walls, false, err));
    if (!value)
        return zm_fail(err, ZM_E_ARG, -1, "value is NULL");
    zm_grid_cells(grid, &n);
    for (size_t k = 0; gradient && k < n_fields; k++) {
        if (!gradient[k])
            return zm_fail(err, ZM_E_ARG, -1, "gradient plane %zu is NULL", k);
        memset(gradient[k], 0, n * sizeof **gradient);
    }
    *value = a.reg.kind == ZM_REG_TIKHONOV ? sum_of_distances(&a, n, gradient, NULL)
                                           : sum_of_differences(&a, gradient, NULL);
    if (gradient && a.reg.kind == ZM_REG_LOG_EUCLIDEAN_TV)
        pull_back_logarithms(&a, n, gradient);
    return ZM_OK;
}

zm_status zm_reg_lagged(zm_grid grid, const double *const *fields, size_t n_fields,
                        const uint8_t *walls, double *weights, const zm_reg *reg,
                        zm_error *err)
{
    size_t n;
    task a;

    ZM_TRY(read_task(&a, grid, reg, n_fields, fields, walls, true, err));
    if (!weights)
        return zm_fail(err, ZM_E_ARG, -1, "weights is NULL");
    zm_grid_cells(grid, &n);
    if (a.reg.kind == ZM_REG_TIKHONOV)
        (void)sum_of_distances(&a, n, NULL, weights);
    else
        (void)sum_of_differences(&a, NULL, weights);
    return ZM_OK;
}
