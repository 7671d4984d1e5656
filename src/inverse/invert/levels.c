/* SPDX-License-Identifier: Apache-2.0
 * A start from coarser grids.
 *
 * A step of Gauss-Newton moves an edge by about the width of the ramp it is at that time,
 * so on a large grid many steps would go into moving edges.  The problem is solved on a grid
 * of half the resolution first, and there in the same way.  Its times are not those of the
 * fine grid: with T at the start on both grids, each observation t is replaced by
 *
 *     t - (T_fine(cell) - T_coarse(coarse cell)),
 *
 * which is right for small changes; what is left is taken for noise of MODEL of a coarse
 * cell. */
#include "inverse/invert/levels.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"

#define MODEL 0.1
enum { LARGE = 200 * 200 }; /* cells above which a coarser grid comes first */

typedef struct level {
    zm_inversion *fine, *coarse;
    zm_grid grid; /* of the coarse one */
    size_t n;
    double *planes[ZM_PLANES]; /* coarse, NULL as the fine metric's */
    double *T;
    zm_solver *solver;
} level;

bool zm_inversion_levels_wanted(const zm_inversion *v)
{
    const bool method = v->o.method <= ZM_INVERT_GNC;

    return v->n > LARGE && method && !v->walls && (!v->has_start || v->is_level);
}

static size_t coarse_cell(const level *l, size_t cell)
{
    const size_t cols = (size_t)l->fine->grid.cols;

    return cell / cols / 2 * (size_t)l->grid.cols + cell % cols / 2;
}

/* coarse = mean over the (up to four) cells it stands for. */
static void restrict_plane(const level *l, const double *fine, double *coarse,
                           double *count)
{
    memset(coarse, 0, l->n * sizeof *coarse);
    memset(count, 0, l->n * sizeof *count);
    for (size_t i = 0; i < l->fine->n; i++) {
        coarse[coarse_cell(l, i)] += fine[i];
        count[coarse_cell(l, i)] += 1.0;
    }
    for (size_t i = 0; i < l->n; i++)
        coarse[i] /= count[i];
}

static zm_status make_planes(level *l, zm_error *err)
{
    const zm_metric *g = &l->fine->model.at->problems[0].metric;
    const double *const fine[ZM_PLANES] = { g->g11, g->g12, g->g22, g->b1, g->b2 };

    for (int k = 0; k < ZM_PLANES; k++) {
        if (!fine[k])
            continue;
        if (!(l->planes[k] = zm_inversion_doubles(l->fine, l->n, err)))
            return ZM_E_NOMEM;
        restrict_plane(l, fine[k], l->planes[k], l->T);
    }
    return ZM_OK;
}

static zm_metric coarse_metric(const level *l)
{
    return (zm_metric){ ZM_F64,       l->planes[0], l->planes[1],
                        l->planes[2], l->planes[3], l->planes[4] };
}

static int tell_one_level_up(void *ctx, const zm_invert_iteration *iteration)
{
    const zm_invert_opts *o = ctx;
    zm_invert_iteration p = *iteration;

    p.level++;
    return o->monitor(o->monitor_ctx, &p);
}

static int progress_one_level_up(void *ctx, double done)
{
    return zm_inversion_progress(ctx, ZM_LEVELS_SHARE * done);
}

static zm_status make_coarse(level *l, zm_error *err)
{
    zm_invert_opts o = l->fine->o;

    o.mem = l->fine->mem;
    o.max_iterations = 0;
    o.max_solves = 0;
    o.lambda_rule = l->fine->rule;
    o.lambda = l->fine->factor;
    if (o.progress) {
        o.progress = progress_one_level_up;
        o.progress_ctx = l->fine;
    }
    if (o.monitor) {
        o.monitor = tell_one_level_up;
        o.monitor_ctx = &l->fine->o;
    }
    ZM_TRY(zm_inversion_create(&l->coarse, l->grid, &o, err));
    const zm_metric metric = coarse_metric(l);

    l->coarse->is_level = true;
    ZM_TRY(zm_inversion_known(l->coarse, &metric, err));
    return zm_inversion_start(l->coarse, &metric, err);
}

/* Arrays of one experiment on the coarse grid. */
typedef struct coarse_data {
    zm_source *sources;
    int64_t *cells;
    double *times, *upper, *sigmas;
} coarse_data;

static void data_release(const level *l, coarse_data *d)
{
    const zm_alloc *mem = &l->fine->mem;

    zm_release(mem, d->sigmas);
    zm_release(mem, d->upper);
    zm_release(mem, d->times);
    zm_release(mem, d->cells);
    zm_release(mem, d->sources);
}

static bool data_make(const level *l, const zm_observed *o, coarse_data *d)
{
    const zm_alloc *mem = &l->fine->mem;

    *d = (coarse_data){ 0 };
    return (d->sources = zm_block(mem, o->n_sources, sizeof *d->sources)) &&
           (d->cells = zm_block(mem, o->n, sizeof *d->cells)) &&
           (d->times = zm_block(mem, o->n, sizeof *d->times)) &&
           (d->upper = zm_block(mem, o->n, sizeof *d->upper)) &&
           (d->sigmas = zm_block(mem, o->n, sizeof *d->sigmas));
}

static void fill_sources(const zm_observed *o, coarse_data *d)
{
    for (size_t k = 0; k < o->n_sources; k++)
        d->sources[k] = (zm_source){ floor(o->sources[k].row / 2),
                                     floor(o->sources[k].col / 2), o->sources[k].time };
}

static void fill_data(const level *l, size_t e, const zm_observed *o, coarse_data *d)
{
    const double *T = l->fine->model.at->T[e];
    const double model = MODEL * l->fine->run.slowness * fmin(l->grid.dx, l->grid.dy);

    for (size_t i = 0; i < o->n; i++) {
        const size_t cell = coarse_cell(l, zm_misfit_cell(o, i));
        const double shift = zm_misfit_at(o, i, T) - l->T[cell];

        d->cells[i] = (int64_t)cell;
        d->times[i] = o->time[i] - shift;
        d->upper[i] = o->upper[i] - shift;
        d->sigmas[i] = hypot(o->sigma[i], model);
    }
}

static zm_status add_experiment(level *l, size_t e, zm_error *err)
{
    const zm_observed *o = &l->fine->observed[e];
    zm_experiment x = ZM_EXPERIMENT_INIT;
    coarse_data d;
    zm_status st = data_make(l, o, &d)
                       ? ZM_OK
                       : zm_fail(err, ZM_E_NOMEM, -1, "coarse experiment %zu", e);

    if (st == ZM_OK) {
        fill_sources(o, &d);
        const zm_problem problem = { .size = sizeof(zm_problem), .metric = coarse_metric(l),
                                     .sources = d.sources,
                                     .n_sources = o->n_sources };

        st = zm_forward(l->solver, &problem, l->T, NULL, NULL, err);
    }
    if (st >= 0) {
        fill_data(l, e, o, &d);
        x.sources = d.sources;
        x.n_sources = o->n_sources;
        x.n = o->n;
        x.cells = d.cells;
        x.times = d.times;
        x.upper = d.upper;
        x.sigmas = d.sigmas;
        st = zm_inversion_add(l->coarse, &x, err);
    }
    data_release(l, &d);
    return st;
}

/* The fine start: each cell has the metric of its coarse cell. */
static zm_status take_result(level *l, zm_error *err)
{
    zm_inversion *v = l->fine;
    zm_invert_model *m = &v->model;
    const zm_metric *found = &l->coarse->model.at->problems[0].metric;
    const double *const coarse[ZM_PLANES] = { found->g11, found->g12, found->g22,
                                              found->b1, found->b2 };
    const zm_metric *own = &m->trial->problems[0].metric;

    for (int k = 0; k < ZM_PLANES; k++)
        for (size_t i = 0; m->trial->planes[k] && i < v->n; i++)
            m->trial->planes[k][i] = coarse[k][coarse_cell(l, i)];
    zm_parameters_from_metric(&m->parameters, own, m->at->theta);
    v->run.coarse_solves = l->coarse->model.solves + l->coarse->run.coarse_solves;
    v->run.from_level = l->coarse->run.smooth ? ZM_LEVEL_SMOOTH : ZM_LEVEL_SHARP;
    return zm_invert_model_solve(m, m->at, err);
}

zm_status zm_inversion_levels_start(zm_inversion *v, zm_error *err)
{
    level l = { .fine = v,
                .grid = { (v->grid.rows + 1) / 2, (v->grid.cols + 1) / 2,
                          2 * v->grid.dx, 2 * v->grid.dy } };
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    zm_status st = ZM_E_NOMEM;

    opts.mem = v->mem;
    opts.stencils = v->o.stencils;
    l.n = (size_t)l.grid.rows * (size_t)l.grid.cols;
    if (!(l.T = zm_inversion_doubles(v, l.n, err)))
        goto done;
    ZM_GO(make_planes(&l, err));
    ZM_GO(make_coarse(&l, err));
    ZM_GO(zm_solver_create(&l.solver, l.grid, ZM_F64, &opts, err));
    for (size_t e = 0; e < v->n_experiments; e++)
        ZM_GO(add_experiment(&l, e, err));
    ZM_GO(zm_invert_run(l.coarse, err));
    ZM_GO(take_result(&l, err));
done:
    zm_solver_destroy(l.solver);
    zm_inversion_destroy(l.coarse);
    for (int k = 0; k < ZM_PLANES; k++)
        zm_release(&v->mem, l.planes[k]);
    zm_release(&v->mem, l.T);
    return st;
}
