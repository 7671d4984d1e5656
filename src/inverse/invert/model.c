/* SPDX-License-Identifier: Apache-2.0
 * Arrival times of all experiments at given unknowns, and products with their Jacobian. */
#include "inverse/invert/model.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"

/* ---- memory --------------------------------------------------------------------- */

static bool take(zm_invert_model *m, double **array, size_t count)
{
    *array = zm_zalloc(&m->mem, count, sizeof **array);
    return *array != NULL;
}

/* A list of n_lists arrays of n values each. */
static bool take_list(zm_invert_model *m, double ***list, size_t n_lists)
{
    if (!(*list = zm_zalloc(&m->mem, n_lists, sizeof **list)))
        return false;
    for (size_t i = 0; i < n_lists; i++)
        if (!take(m, &(*list)[i], m->parameters.n))
            return false;
    return true;
}

static void release_list(zm_invert_model *m, double **list, size_t n_lists)
{
    for (size_t i = 0; list && i < n_lists; i++)
        zm_release(&m->mem, list[i]);
    zm_release(&m->mem, list);
}

/* The plane that the metric of a point has at k: its own, a known one, or none. */
static const double *point_plane(const zm_invert_model *m, const zm_point *p, int k)
{
    if (zm_parameters_varies(&m->parameters, k))
        return p->planes[k];
    return k < 3 && m->parameters.metric_fields ? NULL : m->parameters.known[k];
}

static void point_connect(zm_invert_model *m, zm_point *p)
{
    for (size_t e = 0; e < m->n_experiments; e++) {
        const zm_observed *o = &m->observed[e];

        p->problems[e] =
            (zm_problem){ .size = sizeof(zm_problem), .metric = { ZM_F64, point_plane(m, p, 0),
                                      point_plane(m, p, 1), point_plane(m, p, 2),
                                      point_plane(m, p, 3), point_plane(m, p, 4) },
                          .sources = o->sources,
                          .n_sources = o->n_sources,
                          .walls = m->parameters.walls };
    }
}

/* A product over fewer cells takes less than what threads need to meet on a busy machine. */
enum { CELLS_FOR_THREADS = 100000 };

static zm_status point_create(zm_invert_model *m, zm_point *p, int32_t threads,
                              zm_error *err)
{
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    bool ok = take(m, &p->theta, m->n_theta) && take_list(m, &p->T, m->n_experiments) &&
              (p->problems = zm_zalloc(&m->mem, m->n_experiments, sizeof *p->problems));

    opts.mem = m->mem;
    opts.stencils = m->stencils;
    opts.threads = m->parameters.n * m->n_experiments < CELLS_FOR_THREADS ? 1 : threads;
    opts.batch = (int32_t)m->n_experiments;
    for (int k = 0; ok && k < ZM_PLANES; k++)
        if (zm_parameters_varies(&m->parameters, k))
            ok = take(m, &p->planes[k], m->parameters.n);
    if (!ok)
        return zm_fail(err, ZM_E_NOMEM, -1, "fields and times of %zu experiments",
                       m->n_experiments);
    point_connect(m, p);
    return zm_solver_create(&p->solver, m->grid, ZM_F64, &opts, err);
}

static void point_destroy(zm_invert_model *m, zm_point *p)
{
    zm_solver_destroy(p->solver);
    zm_release(&m->mem, p->problems);
    release_list(m, p->T, m->n_experiments);
    for (int k = 0; k < ZM_PLANES; k++)
        zm_release(&m->mem, p->planes[k]);
    zm_release(&m->mem, p->theta);
}

/* Every experiment moves in the same direction and has a gradient of its own. */
static void model_connect(zm_invert_model *m)
{
    for (size_t e = 0; e < m->n_experiments; e++) {
        double *const *g = m->gradients + e * ZM_PLANES, *const *d = m->d_planes;

        m->directions[e] = (zm_direction){
            .size = sizeof(zm_direction), .g11 = d[0], .g12 = d[1], .g22 = d[2], .b1 = d[3], .b2 = d[4]
        };
        m->outputs[e] = (zm_gradient){
            .size = sizeof(zm_gradient), .g11 = g[0], .g12 = g[1], .g22 = g[2], .b1 = g[3], .b2 = g[4]
        };
    }
}

static bool model_scratch(zm_invert_model *m)
{
    const size_t E = m->n_experiments;
    bool ok = take_list(m, &m->dT, E) && take_list(m, &m->slope, E) &&
              (m->directions = zm_zalloc(&m->mem, E, sizeof *m->directions)) &&
              (m->outputs = zm_zalloc(&m->mem, E, sizeof *m->outputs)) &&
              (m->gradients = zm_zalloc(&m->mem, E * ZM_PLANES, sizeof *m->gradients));

    for (int k = 0; ok && k < ZM_PLANES; k++)
        if (zm_parameters_varies(&m->parameters, k)) {
            ok = take(m, &m->d_planes[k], m->parameters.n);
            for (size_t e = 0; ok && e < E; e++)
                ok = take(m, &m->gradients[e * ZM_PLANES + (size_t)k], m->parameters.n);
        }
    if (ok)
        model_connect(m);
    return ok;
}

zm_status zm_invert_model_make(zm_invert_model *m, int32_t threads, zm_error *err)
{
    m->n_fields = (size_t)zm_parameters_fields(&m->parameters);
    m->n_theta = m->n_fields * m->parameters.n;
    m->n_data = 0;
    for (size_t e = 0; e < m->n_experiments; e++)
        m->n_data += m->observed[e].n;
    for (int i = 0; i < 2; i++)
        ZM_TRY(point_create(m, &m->points[i], threads, err));
    if (!model_scratch(m))
        return zm_fail(err, ZM_E_NOMEM, -1, "derivatives of %zu experiments",
                       m->n_experiments);
    m->at = &m->points[0];
    m->trial = &m->points[1];
    return ZM_OK;
}

void zm_invert_model_free(zm_invert_model *m)
{
    if (m->gradients)
        for (size_t i = 0; i < m->n_experiments * ZM_PLANES; i++)
            zm_release(&m->mem, m->gradients[i]);
    zm_release(&m->mem, m->gradients);
    zm_release(&m->mem, m->outputs);
    zm_release(&m->mem, m->directions);
    release_list(m, m->slope, m->n_experiments);
    release_list(m, m->dT, m->n_experiments);
    for (int k = 0; k < ZM_PLANES; k++)
        zm_release(&m->mem, m->d_planes[k]);
    for (int i = 0; i < 2; i++)
        point_destroy(m, &m->points[i]);
}

void zm_invert_model_swap(zm_invert_model *m)
{
    zm_point *p = m->at;

    m->at = m->trial;
    m->trial = p;
}

/* ---- times ---------------------------------------------------------------------- */

static zm_status fail_unreached(const zm_invert_model *m, size_t e, size_t i,
                                const double *T, zm_error *err)
{
    const zm_observed *o = &m->observed[e];
    size_t cell = o->cell[i];

    if (!o->right)
        return zm_fail(err, ZM_E_ARG, (int64_t)cell,
                       "experiment %zu observes row %zu, col %zu, where walls let "
                       "no front arrive",
                       e, cell / o->cols, cell % o->cols);
    for (int k = 0; k < 4; k++) /* the first corner that is not reached */
        if (zm_misfit_share(o, i, k, &cell) > 0.0 && !isfinite(T[cell]))
            break;
    return zm_fail(err, ZM_E_ARG, (int64_t)cell,
                   "experiment %zu observes row %.9g, col %.9g, between cells of which row "
                   "%zu, col %zu is one where walls let no front arrive",
                   e, (double)(o->cell[i] / o->cols) + o->down[i],
                   (double)(o->cell[i] % o->cols) + o->right[i], cell / o->cols,
                   cell % o->cols);
}

static zm_status check_reached(const zm_invert_model *m, const zm_point *p,
                               zm_error *err)
{
    for (size_t e = 0; e < m->n_experiments; e++)
        for (size_t i = 0; i < m->observed[e].n; i++)
            if (!isfinite(zm_misfit_at(&m->observed[e], i, p->T[e])))
                return fail_unreached(m, e, i, p->T[e], err);
    return ZM_OK;
}

zm_status zm_invert_model_solve(zm_invert_model *m, zm_point *p, zm_error *err)
{
    zm_status st;

    zm_parameters_planes(&m->parameters, p->theta, p->planes);
    if (m->n_experiments == 1) /* all threads on the one solve */
        st = zm_forward(p->solver, p->problems, p->T[0], NULL, NULL, err);
    else
        st = zm_forward_batch(p->solver, p->problems, m->n_experiments,
                              (void *const *)p->T, NULL, NULL, err);
    m->solves++;
    if (st < 0 || (st = check_reached(m, p, err)) < 0)
        return st;
    p->misfit = (zm_misfit_sum){ 0.0, 0.0 };
    for (size_t e = 0; e < m->n_experiments; e++) {
        const zm_misfit_sum one = zm_misfit(&m->observed[e], m->huber, p->T[e]);

        p->misfit.value += one.value;
        p->misfit.chi2 += one.chi2;
    }
    return ZM_OK;
}

/* ---- products ------------------------------------------------------------------- */

zm_status zm_invert_model_tangent(zm_invert_model *m, const double *v, zm_error *err)
{
    const zm_point *p = m->at;

    m->products++;
    zm_parameters_tangent(&m->parameters, p->theta, v, m->d_planes);
    if (m->n_experiments == 1)
        return zm_tangent(p->solver, p->problems, p->T[0], m->directions, m->dT[0],
                          err);
    return zm_tangent_batch(p->solver, p->problems, m->n_experiments,
                            (const void *const *)p->T, m->directions,
                            (void *const *)m->dT, err);
}

/* d_planes = sum of the gradients of all experiments. */
static void add_gradients(zm_invert_model *m)
{
    for (int k = 0; k < ZM_PLANES; k++) {
        double *sum = m->d_planes[k];

        if (!sum)
            continue;
        memcpy(sum, m->gradients[k], m->parameters.n * sizeof *sum);
        for (size_t e = 1; e < m->n_experiments; e++) {
            const double *one = m->gradients[e * ZM_PLANES + (size_t)k];

            for (size_t i = 0; i < m->parameters.n; i++)
                sum[i] += one[i];
        }
    }
}

zm_status zm_invert_model_adjoint(zm_invert_model *m, double *out, zm_error *err)
{
    const zm_point *p = m->at;
    zm_status st;

    m->products++;
    if (m->n_experiments == 1)
        st = zm_adjoint(p->solver, p->problems, p->T[0], m->slope[0], m->outputs, err);
    else
        st = zm_adjoint_batch(p->solver, p->problems, m->n_experiments,
                              (const void *const *)p->T, (const void *const *)m->slope,
                              m->outputs, err);
    if (st < 0)
        return st;
    add_gradients(m);
    zm_parameters_adjoint(&m->parameters, p->theta, (const double *const *)m->d_planes,
                          out);
    return st;
}

zm_status zm_invert_model_gradient(zm_invert_model *m, double *gradient, zm_error *err)
{
    for (size_t e = 0; e < m->n_experiments; e++)
        zm_misfit_slope(&m->observed[e], m->huber, m->at->T[e], m->parameters.n,
                        m->slope[e]);
    return zm_invert_model_adjoint(m, gradient, err);
}

zm_status zm_invert_model_product(zm_invert_model *m, const double *v, double *Hv,
                                  zm_error *err)
{
    ZM_TRY(zm_invert_model_tangent(m, v, err));
    for (size_t e = 0; e < m->n_experiments; e++)
        zm_misfit_curve(&m->observed[e], m->huber, m->at->T[e], m->parameters.n,
                        m->dT[e], m->slope[e]);
    return zm_invert_model_adjoint(m, Hv, err);
}
