/* SPDX-License-Identifier: Apache-2.0
 * Where every cell is observed: no least squares, no regulariser.
 *
 * The update of a cell is a minimum over triangles of functions that grow with its slowness,
 * so the slowness at which it gives the observed time is the largest that any triangle asks
 * for: with donors' times T_A on the axis and T_B on the diagonal,
 *
 *     s = |(T0 - T_A)/h, (T_A - T_B)/k|      where that comes from between the donors,
 *
 * else that of one donor.  This is the answer, but for rounding (and times that are no
 * metric's), which Newton's method sees to:
 *
 * T0 = w T1 + (1-w) T2 + F at every cell, so dT = W dT + c dtheta with W the donors' weights
 * and c = dF/dtheta of the cell itself.  To change T by r everywhere takes
 *
 *     dtheta = (r - W r) / c,
 *
 * three numbers a cell.  c is (I - W) J 1, from one tangent.  The metric of a source cell
 * has no effect on any time; it is filled from its neighbours. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/problem/problem.h"
#include "inverse/invert/inversion.h"
#include "zermelo/diagnose.h"

/* A step changes a slowness at most by this factor; relative residual to stop at; residual
 * at which the times cannot be those of any metric. */
#define MOST_CHANGE 1.8
#define CONVERGED   1e-13
#define HOPELESS    1e-6
enum { MOST_ITERATIONS = 25 };

/* Row and column steps to the neighbours of zermelo/diagnose.h. */
static const int STEP_ROW[8] = { -1, 0, 1, 1, 1, 0, -1, -1 };
static const int STEP_COL[8] = { -1, -1, -1, 0, 1, 1, 1, 0 };

typedef struct newton {
    zm_inversion *v;
    uint8_t *codes;  /* winning triangles */
    double *weights; /* of their first donors */
    double *target;  /* observed times; NaN: none */
} newton;

static zm_status newton_create(newton *s, zm_error *err)
{
    zm_inversion *v = s->v;
    const zm_observed *o = &v->observed[0];

    s->codes = zm_block(&v->mem, v->n, 1);
    s->weights = zm_inversion_doubles(v, v->n, err);
    s->target = zm_inversion_doubles(v, v->n, err);
    if (!s->codes || !s->weights || !s->target)
        return zm_fail(err, ZM_E_NOMEM, -1, "Newton's method on %zu cells", v->n);
    for (size_t i = 0; i < v->n; i++)
        s->target[i] = NAN;
    for (size_t i = 0; i < o->n; i++)
        s->target[o->cell[i]] = o->time[i];
    return ZM_OK;
}

static void newton_destroy(newton *s)
{
    zm_release(&s->v->mem, s->target);
    zm_release(&s->v->mem, s->weights);
    zm_release(&s->v->mem, s->codes);
}

/* (I - W) x at cell i. */
static double own_part(const newton *s, const double *x, size_t i)
{
    const ptrdiff_t cols = s->v->grid.cols;
    const int first = s->codes[i] % 8, second = (first + 1) % 8;
    const double a = x[(ptrdiff_t)i + STEP_ROW[first] * cols + STEP_COL[first]];

    if (s->codes[i] >= ZM_STENCIL_ONE_POINT)
        return x[i] - a;
    return x[i] - s->weights[i] * a -
           (1.0 - s->weights[i]) *
               x[(ptrdiff_t)i + STEP_ROW[second] * cols + STEP_COL[second]];
}

/* r = target - T; the largest |r| by the largest |T|. */
static double make_residual(const newton *s, double *r)
{
    const double *T = s->v->model.at->T[0];
    double most = 0.0, scale = 1e-300;

    for (size_t i = 0; i < s->v->n; i++) {
        r[i] = isfinite(s->target[i]) && isfinite(T[i]) ? s->target[i] - T[i] : 0.0;
        most = fmax(most, fabs(r[i]));
        if (isfinite(T[i]))
            scale = fmax(scale, fabs(T[i]));
    }
    return most / scale;
}

/* theta + d, but the slowness within a factor of what it was. */
static double limited(const zm_parameters *p, double theta, double d)
{
    const double factor =
        p->metric_map == ZM_METRIC_PLAIN ? MOST_CHANGE * MOST_CHANGE : MOST_CHANGE;
    const double most = 2.0 * log(MOST_CHANGE) / p->scale[0];

    if (p->metric_map == ZM_METRIC_LOG)
        return theta + fmin(fmax(d, -most), most);
    return fmin(fmax(theta + d, theta / factor), theta * factor);
}

/* Slowness that a triangle asks for: axis donor A at distance h, diagonal donor B across it
 * by k. */
static double triangle_slowness(double T0, double TA, double TB, double h, double k)
{
    const double along = (T0 - TA) / h, across = (TA - TB) / k;

    if (!(across > 0.0)) /* also where B was not reached */
        return along;
    if (across * h > along * k) /* from beyond B */
        return (T0 - TB) / hypot(h, k);
    return hypot(along, across);
}

/* Largest slowness over the eight triangles of a cell; times are INFINITY outside. */
static double cell_slowness(const newton *s, const double *T, int32_t row, int32_t col)
{
    const zm_grid g = s->v->grid;
    double near[8], most = 0.0;

    for (int k = 0; k < 8; k++) {
        const int32_t r = row + STEP_ROW[k], c = col + STEP_COL[k];

        near[k] = r < 0 || c < 0 || r >= g.rows || c >= g.cols
                      ? INFINITY
                      : T[(size_t)r * (size_t)g.cols + (size_t)c];
    }
    for (int k = 0; k < 8; k++) {
        const int axis = k % 2 ? k : (k + 1) % 8, diagonal = k % 2 ? (k + 1) % 8 : k;
        const bool vertical = STEP_COL[axis] == 0;
        const double T0 = T[(size_t)row * (size_t)g.cols + (size_t)col];

        most = fmax(most,
                    triangle_slowness(T0, near[axis], near[diagonal],
                                      vertical ? g.dy : g.dx, vertical ? g.dx : g.dy));
    }
    return most;
}

/* Mean of the neighbours whose value is known, cell by cell from the rim. */
static void fill_sources(const newton *s, double *values)
{
    const int32_t rows = s->v->grid.rows, cols = s->v->grid.cols;
    bool left = true;

    for (int pass = 0; left && pass < rows + cols; pass++) {
        left = false;
        for (size_t i = 0; i < s->v->n; i++) {
            const int32_t row = (int32_t)(i / (size_t)cols),
                          col = (int32_t)(i % (size_t)cols);
            double sum = 0.0;
            int count = 0;

            if (s->codes[i] != ZM_STENCIL_SOURCE)
                continue;
            for (int k = 0; k < 8; k++) {
                const int32_t r = row + STEP_ROW[k], c = col + STEP_COL[k];
                const size_t j = (size_t)(r * cols + c);

                if (r < 0 || c < 0 || r >= rows || c >= cols ||
                    s->codes[j] >= ZM_STENCIL_SOURCE)
                    continue;
                sum += values[j];
                count++;
            }
            if (count) {
                values[i] = sum / count;
                s->codes[i] = 0; /* known now */
            } else {
                left = true;
            }
        }
    }
}

/* Adaptive stencils reach farther where cells are long or a known drift is strong. */
static zm_status check_neighbours(const newton *s, zm_error *err)
{
    for (size_t i = 0; i < s->v->n; i++)
        if (s->codes[i] >= ZM_STENCIL_WIDE && s->codes[i] < ZM_STENCIL_SOURCE)
            return zm_fail(err, ZM_E_UNSUPPORTED, (int64_t)i,
                           "Newton's method is for the eight neighbours, and row %zu, col "
                           "%zu needs others: use fixed stencils or another method",
                           i / (size_t)s->v->grid.cols, i % (size_t)s->v->grid.cols);
    return ZM_OK;
}

/* Steps to the trial point and solves there. */
static zm_status newton_step(const newton *s, const double *r, zm_error *err)
{
    zm_inversion *v = s->v;
    zm_invert_model *m = &v->model;
    double *ones = v->gauss_newton.step, *theta = m->trial->theta;

    for (size_t i = 0; i < v->n; i++)
        ones[i] = 1.0;
    ZM_TRY(zm_invert_model_tangent(m, ones, err));
    ZM_TRY(zm_stencils(m->at->solver, 0, m->at->problems, m->at->T[0], s->codes,
                       s->weights, err));
    ZM_TRY(check_neighbours(s, err));
    for (size_t i = 0; i < v->n; i++) {
        theta[i] = m->at->theta[i];
        if (s->codes[i] < ZM_STENCIL_SOURCE) {
            const double c = own_part(s, m->dT[0], i);

            if (c > 0.0)
                theta[i] = limited(&m->parameters, theta[i], own_part(s, r, i) / c);
        }
    }
    fill_sources(s, theta);
    zm_parameters_project(&m->parameters, theta);
    return zm_invert_model_solve(m, m->trial, err);
}

/* The current point becomes the one that the equations give, cell by cell. */
static zm_status start_directly(const newton *s, zm_error *err)
{
    zm_inversion *v = s->v;
    zm_invert_model *m = &v->model;
    const zm_observed *o = &v->observed[0];
    double *T = v->gauss_newton.rhs, *g = m->d_planes[0];
    const zm_metric metric = { .dtype = ZM_F64, .g11 = g };

    for (size_t i = 0; i < v->n; i++)
        T[i] = isfinite(s->target[i]) ? s->target[i] : INFINITY;
    for (size_t k = 0; k < o->n_sources; k++) {
        const size_t i = zm_source_cell(v->grid, &o->sources[k]);

        T[i] = fmin(T[i], o->sources[k].time);
    }
    for (size_t i = 0; i < v->n; i++) {
        const double slowness =
            isfinite(T[i]) ? cell_slowness(s, T, (int32_t)(i / (size_t)v->grid.cols),
                                           (int32_t)(i % (size_t)v->grid.cols))
                           : 0.0;

        g[i] = slowness > 0.0 ? slowness * slowness : v->run.slowness * v->run.slowness;
    }
    ZM_TRY(
        zm_stencils(m->at->solver, 0, m->at->problems, m->at->T[0], s->codes, NULL, err));
    fill_sources(s, g);
    zm_parameters_from_metric(&m->parameters, &metric, m->at->theta);
    ZM_TRY(zm_invert_model_solve(m, m->at, err));
    v->run.iteration++;
    return zm_inversion_tell(v, 0, 1.0, err);
}

static zm_status iterate(const newton *s, double *residual, zm_error *err)
{
    zm_inversion *v = s->v;
    double *r = v->gauss_newton.rhs, last = HUGE_VAL;
    int slower = 0;

    while ((*residual = make_residual(s, r)) > CONVERGED) {

        /* At the limit of rounding it stops falling. */
        slower = *residual > 0.5 * last ? slower + 1 : 0;
        last = *residual;
        if (v->run.iteration >= MOST_ITERATIONS ||
            (slower > 1 && *residual < HOPELESS) ||
            (v->o.max_solves > 0 && v->model.solves >= v->o.max_solves))
            break;
        ZM_TRY(newton_step(s, r, err));
        zm_invert_model_swap(&v->model);
        v->run.iteration++;
        ZM_TRY(zm_inversion_tell(v, 0, 1.0, err));
    }
    return ZM_OK;
}

zm_status zm_inversion_newton(zm_inversion *v, zm_error *err)
{
    newton s = { .v = v };
    double residual = 0.0;
    zm_status st;

    if (v->run.stop != ZM_INVERT_NOT_RUN)
        return ZM_OK;
    ZM_GO(newton_create(&s, err));
    if (v->run.iteration == 0)
        ZM_GO(start_directly(&s, err));
    ZM_GO(iterate(&s, &residual, err));
    v->run.stop = residual > HOPELESS ? ZM_INVERT_ITERATIONS : ZM_INVERT_DONE;
done:
    newton_destroy(&s);
    return st;
}
