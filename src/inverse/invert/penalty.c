/* SPDX-License-Identifier: Apache-2.0
 * The regulariser of an inversion: lambda R(theta), its quadratic models, and the
 * preconditioner they give. */
#include "inverse/invert/penalty.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "inverse/invert/misfit.h"
#include "inverse/regularise/difference.h"

zm_status zm_penalty_create(zm_penalty *p, zm_error *err)
{
    const size_t gradient = 2 * p->n_fields * p->n;

    if (!(p->w = zm_zalloc(&p->mem, p->n, sizeof *p->w)) ||
        !(p->right = zm_zalloc(&p->mem, p->n, sizeof *p->right)) ||
        !(p->below = zm_zalloc(&p->mem, p->n, sizeof *p->below)) ||
        !(p->scratch = zm_zalloc(&p->mem, p->n, sizeof *p->scratch)) ||
        !(p->q = zm_zalloc(&p->mem, gradient, sizeof *p->q)) ||
        !(p->z = zm_zalloc(&p->mem, gradient, sizeof *p->z)) ||
        !(p->flux = zm_zalloc(&p->mem, gradient, sizeof *p->flux)))
        return zm_fail(err, ZM_E_NOMEM, -1, "regulariser of %zu fields", p->n_fields);
    return zm_multigrid_create(&p->multigrid, p->grid, &p->mem, err);
}

void zm_penalty_destroy(zm_penalty *p)
{
    zm_multigrid_destroy(p->multigrid);
    zm_release(&p->mem, p->flux);
    zm_release(&p->mem, p->z);
    zm_release(&p->mem, p->q);
    zm_release(&p->mem, p->scratch);
    zm_release(&p->mem, p->below);
    zm_release(&p->mem, p->right);
    zm_release(&p->mem, p->w);
}

/* The regulariser and its fields as zermelo/reg.h wants them. */
typedef struct reg_view {
    zm_reg reg;
    const double *fields[ZM_REG_MAX_FIELDS], *reference[ZM_REG_MAX_FIELDS];
} reg_view;

static void view(const zm_penalty *p, const double *theta, reg_view *v)
{
    v->reg = (zm_reg){ sizeof v->reg, p->kind, p->eps, NULL, NULL };
    for (size_t k = 0; k < p->n_fields; k++) {
        v->fields[k] = theta + k * p->n;
        v->reference[k] = p->reference ? p->reference + k * p->n : NULL;
    }
    if (p->kind == ZM_REG_TIKHONOV)
        v->reg.reference = v->reference;
}

static double quadratic_value(const zm_penalty *p, const double *theta)
{
    double sum = 0.0;

    for (size_t k = 0; k < p->n_fields; k++) {
        zm_regularise_difference(p->grid, p->walls, theta + k * p->n, p->flux,
                                 p->flux + p->n);
        for (size_t i = 0; i < p->n; i++)
            sum += p->w[i] *
                   (p->flux[i] * p->flux[i] + p->flux[p->n + i] * p->flux[p->n + i]);
    }
    return 0.5 * sum;
}

zm_status zm_penalty_value(const zm_penalty *p, const double *theta, double *R,
                           zm_error *err)
{
    reg_view v;

    if (p->loose) {
        *R = quadratic_value(p, theta);
        return ZM_OK;
    }
    view(p, theta, &v);
    return zm_reg_value(p->grid, v.fields, p->n_fields, p->walls, R, NULL, &v.reg, err);
}

void zm_penalty_difference(const zm_penalty *p, const double *theta, double *out)
{
    for (size_t k = 0; k < p->n_fields; k++)
        zm_regularise_difference(p->grid, p->walls, theta + k * p->n,
                                 out + 2 * k * p->n, out + (2 * k + 1) * p->n);
}

/* q = D u / sqrt(|D u|^2 + eps^2). */
static void freeze_direction(zm_penalty *p, const double *theta)
{
    const size_t planes = 2 * p->n_fields;

    zm_penalty_difference(p, theta, p->q);
    for (size_t i = 0; i < p->n; i++) {
        double sum = p->eps * p->eps;

        for (size_t j = 0; j < planes; j++)
            sum += p->q[j * p->n + i] * p->q[j * p->n + i];
        for (size_t j = 0; j < planes; j++)
            p->q[j * p->n + i] /= sqrt(sum);
    }
}

/* TIKHONOV has weights on the diagonal, the others on the edges. */
static zm_laplacian lagged_operator(const zm_penalty *p)
{
    const double area = p->grid.dx * p->grid.dy;

    return (zm_laplacian){ p->grid,
                           p->right,
                           p->below,
                           NULL,
                           p->kind == ZM_REG_TIKHONOV ? p->lambda * area : 0.0,
                           p->walls };
}

static void set_edges(zm_penalty *p)
{
    if (p->kind == ZM_REG_TIKHONOV) {
        memset(p->right, 0, p->n * sizeof *p->right);
        memset(p->below, 0, p->n * sizeof *p->below);
    } else {
        zm_laplacian_edges(p->grid, p->walls, p->w, p->lambda, p->right, p->below);
    }
}

zm_status zm_penalty_weigh(zm_penalty *p, const double *theta, zm_error *err)
{
    reg_view v;

    if (p->loose)
        return ZM_OK;
    view(p, theta, &v);
    ZM_TRY(zm_reg_lagged(p->grid, v.fields, p->n_fields, p->walls, p->w, &v.reg, err));
    set_edges(p);
    if (p->kind == ZM_REG_TV)
        freeze_direction(p, theta);
    return ZM_OK;
}

/* Least weight among a cell and its eight neighbours. */
static double least_weight(const zm_penalty *p, int32_t row, int32_t col)
{
    const int32_t rows = p->grid.rows, cols = p->grid.cols;
    double least = HUGE_VAL;

    for (int32_t r = row > 0 ? row - 1 : 0; r <= row + 1 && r < rows; r++)
        for (int32_t c = col > 0 ? col - 1 : 0; c <= col + 1 && c < cols; c++) {
            const size_t i = (size_t)r * (size_t)cols + (size_t)c;

            if (!p->walls || !p->walls[i]) /* walls have weight 0 */
                least = fmin(least, p->w[i]);
        }
    return least < HUGE_VAL ? least : 0.0;
}

zm_status zm_penalty_loosen(zm_penalty *p, const double *theta, zm_error *err)
{
    size_t i = 0;

    ZM_TRY(zm_penalty_weigh(p, theta, err));
    for (int32_t row = 0; row < p->grid.rows; row++)
        for (int32_t col = 0; col < p->grid.cols; col++)
            p->scratch[i++] = least_weight(p, row, col);
    memcpy(p->w, p->scratch, p->n * sizeof *p->w);
    set_edges(p);
    p->loose = true;
    return ZM_OK;
}

zm_status zm_penalty_freeze(zm_penalty *p, const double *theta, double shift,
                            zm_error *err)
{
    zm_laplacian op = lagged_operator(p);

    op.shift += shift;
    ZM_TRY(zm_penalty_weigh(p, theta, err));
    return zm_multigrid_update(p->multigrid, &op, err);
}

static void add_lagged(zm_penalty *p, const double *v, const double *minus, double *out)
{
    const zm_laplacian op = lagged_operator(p);
    double *x = p->flux, *y = p->flux + p->n;

    for (size_t k = 0; k < p->n_fields; k++) {
        for (size_t i = 0; i < p->n; i++)
            x[i] = v[k * p->n + i] - (minus ? minus[k * p->n + i] : 0.0);
        zm_laplacian_apply(&op, x, y);
        for (size_t i = 0; i < p->n; i++)
            out[k * p->n + i] += y[i];
    }
}

void zm_penalty_add_lagged(zm_penalty *p, const double *v, double *out)
{
    add_lagged(p, v, NULL, out);
}

void zm_penalty_add_gradient(zm_penalty *p, const double *theta, double *out)
{
    add_lagged(p, theta, p->kind == ZM_REG_TIKHONOV ? p->reference : NULL, out);
}

/* out += D' flux */
static void add_divergence(zm_penalty *p, const double *flux, double *out)
{
    for (size_t k = 0; k < p->n_fields; k++) {
        const double *x = flux + 2 * k * p->n;

        zm_regularise_difference_adjoint(p->grid, p->walls, x, x + p->n, p->scratch);
        for (size_t i = 0; i < p->n; i++)
            out[k * p->n + i] += p->scratch[i];
    }
}

void zm_penalty_add_product(zm_penalty *p, const double *v, double *out)
{
    const size_t planes = 2 * p->n_fields, n = p->n;
    double *const f = p->flux;

    if (p->kind != ZM_REG_TV) {
        zm_penalty_add_lagged(p, v, out);
        return;
    }
    zm_penalty_difference(p, v, f);
    for (size_t i = 0; i < n; i++) {
        const double w = p->lambda * p->w[i];
        double along_q = 0.0, along_z = 0.0;

        for (size_t j = i; j < planes * n; j += n) {
            along_q += p->q[j] * f[j];
            along_z += p->z[j] * f[j];
        }
        for (size_t j = i; j < planes * n; j += n)
            f[j] = w * (f[j] - 0.5 * (p->z[j] * along_q + p->q[j] * along_z));
    }
    add_divergence(p, f, out);
}

void zm_penalty_precondition(zm_penalty *p, const double *in, double *out)
{
    for (size_t k = 0; k < p->n_fields; k++)
        zm_multigrid_cycle(p->multigrid, in + k * p->n, out + k * p->n);
}

/* Newton's step of eta z = D u:  dz = (D d - z q.(D d)) / eta - z + q.  1/eta = w/(dx dy). */
void zm_penalty_move_dual(zm_penalty *p, const double *d)
{
    const size_t planes = 2 * p->n_fields, n = p->n;
    const double area = p->grid.dx * p->grid.dy;
    const double *const f = p->flux;

    if (p->kind != ZM_REG_TV)
        return;
    zm_penalty_difference(p, d, p->flux);
    for (size_t i = 0; i < n; i++) {
        double along_q = 0.0, norm2 = 0.0;

        for (size_t j = i; j < planes * n; j += n)
            along_q += p->q[j] * f[j];
        for (size_t j = i; j < planes * n; j += n) {
            p->z[j] = p->q[j] + (f[j] - p->z[j] * along_q) * p->w[i] / area;
            norm2 += p->z[j] * p->z[j];
        }
        if (norm2 > 1.0)
            for (size_t j = i; j < planes * n; j += n)
                p->z[j] /= sqrt(norm2);
    }
}

void zm_penalty_add_noise(zm_penalty *p, uint64_t *random, double *out)
{
    const size_t planes = 2 * p->n_fields, n = p->n;
    const double area = p->grid.dx * p->grid.dy;

    if (p->kind == ZM_REG_TIKHONOV) {
        for (size_t i = 0; i < p->n_fields * n; i++)
            out[i] += sqrt(p->lambda * area) * zm_misfit_draw(random);
        return;
    }
    for (size_t j = 0; j < planes; j++)
        for (size_t i = 0; i < n; i++)
            p->flux[j * n + i] = sqrt(p->lambda * p->w[i]) * zm_misfit_draw(random);
    add_divergence(p, p->flux, out);
}

/* out = g without its mean over the cells that are no walls; how many those are. */
static size_t without_mean(const zm_penalty *p, const double *g, double *out)
{
    size_t open = 0;
    double mean = 0.0;

    for (size_t i = 0; i < p->n; i++)
        if (!p->walls || !p->walls[i]) {
            mean += g[i];
            open++;
        }
    for (size_t i = 0; i < p->n; i++)
        out[i] = !p->walls || !p->walls[i] ? g[i] - mean / (double)open : 0.0;
    return open;
}

zm_status zm_penalty_strength(zm_penalty *p, const double *g, double *strength,
                              zm_error *err)
{
    /* Walls may cut the grid into parts, each with a mean of its own. */
    const double area = p->grid.dx * p->grid.dy, part = 1e-6;
    zm_laplacian op = { p->grid, p->right, p->below, NULL, 0.0, p->walls };
    double sum = 0.0;
    size_t open = 1;

    op.shift = part * area / (p->grid.dx * p->grid.dx + p->grid.dy * p->grid.dy);
    zm_laplacian_edges(p->grid, p->walls, NULL, area, p->right, p->below);
    ZM_TRY(zm_multigrid_update(p->multigrid, &op, err));
    for (size_t k = 0; k < p->n_fields; k++) {
        open = without_mean(p, g + k * p->n, p->scratch);
        memset(p->w, 0, p->n * sizeof *p->w);
        ZM_TRY(
            zm_multigrid_solve(p->multigrid, p->scratch, p->w, 1e-4, 100, NULL, err));
        zm_regularise_difference(p->grid, p->walls, p->w, p->flux, p->flux + p->n);
        for (size_t i = 0; i < 2 * p->n; i++)
            sum += p->flux[i] * p->flux[i];
    }
    *strength = sqrt(sum / (double)open);
    return ZM_OK;
}
