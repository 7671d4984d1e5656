/* SPDX-License-Identifier: Apache-2.0
 * Stating an inverse problem, and reading its results. */
#include "inverse/invert/inversion.h"

#include <math.h>
#include <string.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/options.h"
#include "eikonal/problem/problem.h"

/* ---- create, destroy -------------------------------------------------------------- */

zm_status zm_inversion_create(zm_inversion **out, zm_grid grid,
                              const zm_invert_opts *opts, zm_error *err)
{
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    zm_alloc mem;
    zm_inversion *v;

    *out = NULL;
    ZM_TRY(zm_grid_check(grid, err));
    ZM_TRY(zm_options_read(&o, sizeof o, opts, "zm_invert_opts", err));
    ZM_TRY(zm_inversion_check_options(&o, err));
    mem = zm_alloc_or_default(&o.mem);
    if (!(v = zm_zalloc(&mem, 1, sizeof *v)))
        return zm_fail(err, ZM_E_NOMEM, -1, "inversion handle");
    v->grid = grid;
    v->n = (size_t)grid.rows * (size_t)grid.cols;
    v->o = o;
    if (o.method == ZM_INVERT_LBFGS) /* which knows bounds, and no other sets */
        v->o.drift_map = ZM_DRIFT_BALL;
    v->mem = mem;
    v->rule = o.lambda_rule;
    v->factor = o.lambda;
    *out = v;
    return ZM_OK;
}

static void observed_release(const zm_alloc *mem, zm_observed *o)
{
    zm_release(mem, o->sigma);
    zm_release(mem, o->upper);
    zm_release(mem, o->time);
    zm_release(mem, o->down);
    zm_release(mem, o->right);
    zm_release(mem, o->cell);
    zm_release(mem, o->sources);
}

void zm_inversion_forget_run(zm_inversion *v)
{
    zm_release(&v->mem, v->history);
    zm_release(&v->mem, v->optimiser);
    zm_release(&v->mem, v->dual);
    zm_release(&v->mem, v->split);
    zm_release(&v->mem, v->best);
    zm_release(&v->mem, v->reference);
    if (v->gauss_newton.model)
        zm_gauss_newton_destroy(&v->gauss_newton);
    zm_penalty_destroy(&v->penalty);
    zm_invert_model_free(&v->model);
    v->begun = false;
    v->model = (zm_invert_model){ 0 };
    v->penalty = (zm_penalty){ 0 };
    v->gauss_newton = (zm_gauss_newton){ 0 };
    v->run = (zm_run_state){ 0 };
    v->reference = v->best = v->split = v->dual = v->optimiser = NULL;
    v->history = NULL;
    v->n_history = v->history_capacity = v->optimiser_size = 0;
}

void zm_inversion_destroy(zm_inversion *v)
{
    zm_alloc mem;

    if (!v)
        return;
    mem = v->mem;
    zm_inversion_forget_run(v);
    zm_release(&mem, v->curve);
    zm_release(&mem, v->strengths);
    zm_release(&mem, v->loaded);
    for (int k = 0; k < ZM_PLANES; k++) {
        zm_release(&mem, v->start[k]);
        zm_release(&mem, v->known[k]);
    }
    zm_release(&mem, v->walls);
    for (size_t e = 0; e < v->n_experiments; e++)
        observed_release(&mem, &v->observed[e]);
    zm_release(&mem, v->observed);
    zm_release(&mem, v);
}

double *zm_inversion_doubles(zm_inversion *v, size_t n, zm_error *err)
{
    double *array = zm_zalloc(&v->mem, n, sizeof *array);

    if (!array)
        (void)zm_fail(err, ZM_E_NOMEM, -1, "inversion: %zu numbers", n);
    return array;
}

static zm_status check_not_begun(const zm_inversion *v, zm_error *err)
{
    if (v->begun)
        return zm_fail(err, ZM_E_STATE, -1, "the run has begun: the problem is fixed");
    return ZM_OK;
}

/* ---- experiments ------------------------------------------------------------------ */

/* Also says whether the other order of row and column would be right: tables have both. */
static zm_status fail_outside(const zm_inversion *v, size_t i, double row, double col,
                              zm_error *err)
{
    const bool swapped = zm_place_inside(v->grid, col, row);

    return zm_fail(err, ZM_E_ARG, -1,
                   "observation %zu of experiment %zu: row %.9g, col %.9g is outside of "
                   "the grid, rows 0 to %d and cols 0 to %d%s",
                   i, v->n_experiments, row, col, (int)v->grid.rows - 1,
                   (int)v->grid.cols - 1,
                   swapped ? "; the other way round it is inside: have row and col been "
                             "swapped?"
                           : "");
}

/* Where observation i is; *cell the one that it is in. */
static zm_status check_place(const zm_inversion *v, const zm_experiment *x, size_t i,
                             int64_t *cell, zm_error *err)
{
    if (x->cells) {
        *cell = x->cells[i];
        if (*cell < 0 || (size_t)*cell >= v->n)
            return zm_fail(
                err, ZM_E_ARG, -1,
                "observation %zu of experiment %zu: cell %lld, must be in [0, %zu)", i,
                v->n_experiments, (long long)*cell, v->n);
        return ZM_OK;
    }
    if (!zm_place_inside(v->grid, x->rows[i], x->cols[i]))
        return fail_outside(v, i, x->rows[i], x->cols[i], err);
    *cell = (int64_t)floor(x->rows[i] + 0.5) * v->grid.cols +
            (int64_t)floor(x->cols[i] + 0.5);
    return ZM_OK;
}

/* Misfits are squares of a time over sigma, and have weights 1/sigma^2. */
static const double LEAST_SIGMA = 1e-150;

/* Whether a sigma above 0 is large enough beside 1 and beside the time it is of. */
static zm_status check_weight(const zm_inversion *v, double sigma, double time, size_t i,
                              int64_t cell, zm_error *err)
{
    const double least = LEAST_SIGMA * fmax(fabs(time), 1);

    if (!(sigma > 0) || sigma >= least)
        return ZM_OK;
    return zm_fail(err, ZM_E_ARG, cell,
                   "observation %zu of experiment %zu: sigma %g is so small that squares of "
                   "misfits over it are no numbers, must be at least %.0e (0 for all of an "
                   "experiment: no noise)",
                   i, v->n_experiments, sigma, least);
}

static zm_status check_observation(const zm_inversion *v, const zm_experiment *x,
                                   size_t i, zm_error *err)
{
    int64_t cell = -1;

    ZM_TRY(check_place(v, x, i, &cell, err));
    if (!isfinite(x->times[i]))
        return zm_fail(err, ZM_E_ARG, cell,
                       "observation %zu of experiment %zu: time %g, must be finite", i,
                       v->n_experiments, x->times[i]);
    if (x->upper && !(x->upper[i] >= x->times[i]))
        return zm_fail(
            err, ZM_E_ARG, cell,
            "observation %zu of experiment %zu: upper time %g, must be at least "
            "the time %g",
            i, v->n_experiments, x->upper[i], x->times[i]);
    if (x->sigmas && !(x->sigmas[i] > 0 && isfinite(x->sigmas[i])))
        return zm_fail(err, ZM_E_ARG, cell,
                       "observation %zu of experiment %zu: sigma %g, must be > 0", i,
                       v->n_experiments, x->sigmas[i]);
    return check_weight(v, x->sigmas ? x->sigmas[i] : x->sigma, x->times[i], i, cell,
                        err);
}

static zm_status check_sources(const zm_inversion *v, const zm_experiment *x,
                               zm_error *err)
{
    const zm_problem problem = { .sources = x->sources, .n_sources = x->n_sources };

    ZM_TRY(zm_problem_check_sources(v->grid, x->sources, x->n_sources, v->walls, err));
    return v->o.stencils == ZM_STENCILS_FIXED ? zm_problem_check_whole(&problem, err)
                                              : ZM_OK;
}

static zm_status check_experiment(const zm_inversion *v, const zm_experiment *x,
                                  zm_error *err)
{
    ZM_TRY(check_sources(v, x, err));
    if (x->n < 1 || !x->times)
        return zm_fail(err, ZM_E_ARG, -1, "experiment %zu has no observations or times",
                       v->n_experiments);
    if (!x->rows != !x->cols || !x->cells == !x->rows)
        return zm_fail(err, ZM_E_ARG, -1,
                       "experiment %zu must have either cells, or rows and cols",
                       v->n_experiments);
    if (!x->sigmas && !(x->sigma >= 0 && isfinite(x->sigma)))
        return zm_fail(err, ZM_E_ARG, -1,
                       "sigma of experiment %zu is %g, must be >= 0 (0: no noise)",
                       v->n_experiments, x->sigma);
    for (size_t i = 0; i < x->n; i++)
        ZM_TRY(check_observation(v, x, i, err));
    return ZM_OK;
}

/* Whether an observation is between cells. */
static bool has_fractions(const zm_experiment *x)
{
    for (size_t i = 0; x->rows && i < x->n; i++)
        if (x->rows[i] != floor(x->rows[i]) || x->cols[i] != floor(x->cols[i]))
            return true;
    return false;
}

static bool observed_take(const zm_alloc *mem, const zm_experiment *x, zm_observed *o)
{
    return (o->sources = zm_block(mem, x->n_sources, sizeof *o->sources)) &&
           (o->cell = zm_block(mem, x->n, sizeof *o->cell)) &&
           (!has_fractions(x) ||
            ((o->right = zm_block(mem, x->n, sizeof *o->right)) &&
             (o->down = zm_block(mem, x->n, sizeof *o->down)))) &&
           (o->time = zm_block(mem, x->n, sizeof *o->time)) &&
           (o->upper = zm_block(mem, x->n, sizeof *o->upper)) &&
           (o->sigma = zm_block(mem, x->n, sizeof *o->sigma));
}

static void place_observation(const zm_experiment *x, zm_observed *o, size_t i)
{
    if (x->cells) {
        o->cell[i] = (size_t)x->cells[i];
        return;
    }
    o->cell[i] = (size_t)x->rows[i] * o->cols + (size_t)x->cols[i];
    if (o->right) {
        o->right[i] = x->cols[i] - floor(x->cols[i]);
        o->down[i] = x->rows[i] - floor(x->rows[i]);
    }
}

static zm_status observed_make(zm_inversion *v, const zm_experiment *x, zm_observed *o,
                               zm_error *err)
{
    *o = (zm_observed){ .n_sources = x->n_sources,
                        .n = x->n,
                        .cols = (size_t)v->grid.cols };
    o->exact = !x->sigmas && x->sigma == 0.0;
    if (!observed_take(&v->mem, x, o)) {
        observed_release(&v->mem, o);
        return zm_fail(err, ZM_E_NOMEM, -1, "%zu observations", x->n);
    }
    memcpy(o->sources, x->sources, x->n_sources * sizeof *o->sources);
    for (size_t i = 0; i < x->n; i++) {
        place_observation(x, o, i);
        o->time[i] = x->times[i];
        o->upper[i] = x->upper ? x->upper[i] : x->times[i];
        o->sigma[i] = x->sigmas ? x->sigmas[i] : x->sigma;
    }
    return ZM_OK;
}

zm_status zm_inversion_add(zm_inversion *v, const zm_experiment *experiment,
                           zm_error *err)
{
    zm_experiment x = ZM_EXPERIMENT_INIT;
    zm_observed one;

    if (!experiment)
        return zm_fail(err, ZM_E_ARG, -1, "experiment is NULL");
    ZM_TRY(check_not_begun(v, err));
    ZM_TRY(zm_options_read(&x, sizeof x, experiment, "zm_experiment", err));
    ZM_TRY(check_experiment(v, &x, err));
    ZM_TRY(observed_make(v, &x, &one, err));
    if (!zm_array_reserve_in(&v->mem, NULL, &v->observed, &v->room_experiments,
                             v->n_experiments + 1, sizeof one)) {
        observed_release(&v->mem, &one);
        return zm_fail(err, ZM_E_NOMEM, -1, "%zu experiments", v->n_experiments + 1);
    }
    v->observed[v->n_experiments++] = one;
    return ZM_OK;
}

/* ---- walls, what is known, the start ---------------------------------------------- */

zm_status zm_inversion_walls(zm_inversion *v, const uint8_t *walls, zm_error *err)
{
    ZM_TRY(check_not_begun(v, err));
    if (!walls)
        return zm_fail(err, ZM_E_ARG, -1, "walls is NULL");
    for (size_t e = 0; e < v->n_experiments; e++)
        ZM_TRY(zm_problem_check_sources(v->grid, v->observed[e].sources,
                                        v->observed[e].n_sources, walls, err));
    if (!v->walls && !(v->walls = zm_block(&v->mem, v->n, 1)))
        return zm_fail(err, ZM_E_NOMEM, -1, "walls of %zu cells", v->n);
    memcpy(v->walls, walls, v->n);
    return ZM_OK;
}

static zm_status check_finite(const zm_inversion *v, const char *name,
                              const void *plane, zm_dtype dtype, zm_error *err)
{
    for (size_t i = 0; plane && i < v->n; i++)
        if (!(v->walls && v->walls[i]) && !isfinite(zm_plane_value(plane, dtype, i)))
            return zm_fail(err, ZM_E_METRIC, (int64_t)i, "%s is %g at row %zu, col %zu",
                           name, zm_plane_value(plane, dtype, i),
                           i / (size_t)v->grid.cols, i % (size_t)v->grid.cols);
    return ZM_OK;
}

/* A metric with its drift, or a drift alone (g11 NULL). */
static zm_status check_metric(const zm_inversion *v, const zm_metric *metric,
                              zm_error *err)
{
    if (metric->dtype != ZM_F64 && metric->dtype != ZM_F32)
        return zm_fail(err, ZM_E_ARG, -1, "dtype %d, must be ZM_F64 or ZM_F32",
                       (int)metric->dtype);
    if (!metric->g11) {
        ZM_TRY(check_finite(v, "b1", metric->b1, metric->dtype, err));
        return check_finite(v, "b2", metric->b2, metric->dtype, err);
    }
    for (size_t i = 0; i < v->n; i++)
        if (!v->walls || !v->walls[i])
            ZM_TRY(zm_cell_check(v->grid, zm_metric_at(metric, i), i, err));
    return ZM_OK;
}

/* Copies planes as doubles, after a check. */
static zm_status copy_metric(zm_inversion *v, const zm_metric *metric,
                             double *copies[ZM_PLANES], zm_error *err)
{
    const void *const planes[ZM_PLANES] = { metric->g11, metric->g12, metric->g22,
                                            metric->b1, metric->b2 };

    ZM_TRY(check_metric(v, metric, err));
    for (int k = 0; k < ZM_PLANES; k++) {
        zm_release(&v->mem, copies[k]);
        copies[k] = NULL;
        if (!planes[k])
            continue;
        if (!(copies[k] = zm_inversion_doubles(v, v->n, err)))
            return ZM_E_NOMEM;
        for (size_t i = 0; i < v->n; i++)
            copies[k][i] = zm_plane_value(planes[k], metric->dtype, i);
    }
    return ZM_OK;
}

/* Without the planes that are not wanted; ZM_E_ARG if one that is needed is missing. */
static zm_status take_part(const zm_metric *metric, bool metric_wanted,
                           bool drift_wanted, zm_metric *part, zm_error *err)
{
    if (!metric)
        return zm_fail(err, ZM_E_ARG, -1, "metric is NULL");
    if (metric_wanted && !metric->g11)
        return zm_fail(err, ZM_E_ARG, -1, "g11 is NULL");
    *part = *metric;
    if (!metric_wanted)
        part->g11 = part->g12 = part->g22 = NULL;
    if (!drift_wanted)
        part->b1 = part->b2 = NULL;
    if (!part->b1 != !part->b2)
        return zm_fail(err, ZM_E_ARG, -1,
                       "%s is NULL, must be given along with the other",
                       part->b1 ? "b2" : "b1");
    return ZM_OK;
}

zm_status zm_inversion_known(zm_inversion *v, const zm_metric *metric, zm_error *err)
{
    const bool metric_sought = ((int)v->o.unknown & 3) != 0;
    const bool drift_sought = (v->o.unknown & ZM_UNKNOWN_DRIFT) != 0;
    zm_metric part;

    ZM_TRY(check_not_begun(v, err));
    ZM_TRY(take_part(metric, !metric_sought, !drift_sought, &part, err));
    return copy_metric(v, &part, v->known, err);
}

zm_status zm_inversion_start(zm_inversion *v, const zm_metric *metric, zm_error *err)
{
    const bool metric_sought = ((int)v->o.unknown & 3) != 0;
    const bool drift_sought = (v->o.unknown & ZM_UNKNOWN_DRIFT) != 0;
    const bool drift_alone = metric && !metric->g11 && metric->b1 && drift_sought;
    zm_metric part;

    ZM_TRY(check_not_begun(v, err));
    ZM_TRY(take_part(metric, metric_sought && !drift_alone, drift_sought, &part, err));
    v->has_start = false;
    ZM_TRY(copy_metric(v, &part, v->start, err));
    v->has_start = true;
    return ZM_OK;
}

/* ---- results ---------------------------------------------------------------------- */

zm_status zm_inversion_check_begun(const zm_inversion *v, zm_error *err)
{
    if (!v->begun)
        return zm_fail(err, ZM_E_STATE, -1, "no result yet: call zm_invert_run first");
    return ZM_OK;
}

/* Between two runs of an L-curve the last one has ended, and the whole has not. */
static zm_invert_stop stop_of(const zm_inversion *v)
{
    const bool more = v->o.lambda_rule == ZM_LAMBDA_LCURVE && v->curve &&
                      v->n_curve < v->n_strengths && v->run.method != ZM_INVERT_NEWTON;

    return more && v->run.stop != ZM_INVERT_NOT_RUN ? ZM_INVERT_STOPPED : v->run.stop;
}

zm_status zm_inversion_report(const zm_inversion *v, zm_invert_report *report,
                              zm_error *err)
{
    zm_invert_report r = { .size = sizeof r,
                           .method = v->run.method,
                           .stop = stop_of(v),
                           .experiments = v->n_experiments,
                           .iterations = v->run.iteration,
                           .solves = v->model.solves,
                           .coarse_solves = v->run.coarse_solves,
                           .products = v->model.products,
                           .lambda = v->run.lambda,
                           .regulariser = v->run.R,
                           .slowness = v->run.slowness };

    if (!report)
        return zm_fail(err, ZM_E_ARG, -1, "zm_inversion_report needs a report");
    ZM_TRY(zm_options_check_report(report, "zm_invert_report", err));
    for (size_t e = 0; e < v->n_experiments; e++)
        r.observations += v->observed[e].n;
    if (v->n_curve)
        r.lcurve_solves = v->curve[v->n_curve - 1].solves;
    r.lcurve_corner = v->corner;
    if (v->begun) {
        r.misfit = v->model.at->misfit.value;
        r.chi2 = v->model.at->misfit.chi2 / (double)r.observations;
    }
    zm_options_write_report(report, &r, sizeof r);
    return ZM_OK;
}

const zm_invert_iteration *zm_inversion_history(const zm_inversion *v, size_t *count)
{
    *count = v->n_history;
    return v->history;
}

zm_status zm_inversion_metric(const zm_inversion *v, const zm_metric_out *out,
                              zm_error *err)
{
    double *const to[ZM_PLANES] = { out->g11, out->g12, out->g22, out->b1, out->b2 };

    ZM_TRY(zm_inversion_check_begun(v, err));
    const zm_metric *found = &v->model.at->problems[0].metric;

    for (size_t i = 0; i < v->n; i++) {
        const zm_cell_metric g = zm_metric_at(found, i);
        const double values[ZM_PLANES] = { g.g11, g.g12, g.g22, g.b1, g.b2 };

        for (int k = 0; k < ZM_PLANES; k++)
            if (to[k])
                to[k][i] = values[k];
    }
    return ZM_OK;
}

static zm_status check_experiment_number(const zm_inversion *v, size_t experiment,
                                         zm_error *err)
{
    ZM_TRY(zm_inversion_check_begun(v, err));
    if (experiment >= v->n_experiments)
        return zm_fail(err, ZM_E_ARG, -1, "experiment %zu, must be below %zu",
                       experiment, v->n_experiments);
    return ZM_OK;
}

zm_status zm_inversion_times(const zm_inversion *v, size_t experiment, double *T,
                             zm_error *err)
{
    ZM_TRY(check_experiment_number(v, experiment, err));
    memcpy(T, v->model.at->T[experiment], v->n * sizeof *T);
    return ZM_OK;
}

zm_status zm_inversion_predicted(const zm_inversion *v, size_t experiment,
                                 double *times, zm_error *err)
{
    ZM_TRY(check_experiment_number(v, experiment, err));
    for (size_t i = 0; i < v->observed[experiment].n; i++)
        times[i] = zm_misfit_at(&v->observed[experiment], i,
                                  v->model.at->T[experiment]);
    return ZM_OK;
}
