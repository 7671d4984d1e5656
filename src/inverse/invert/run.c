/* SPDX-License-Identifier: Apache-2.0
 * An inversion from its start through the stages of its schedule to its end. */
#include <math.h>
#include <string.h>

#include "core/array.h"
#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/problem/problem.h"
#include "inverse/invert/inversion.h"
#include "inverse/invert/levels.h"
#include "inverse/invert/state.h"

/* A stage ends when a step lowers the objective by less than this part of the regulariser's
 * share (the misfit's is mostly noise). */
#define STAGNATION 1e-3
/* Data are explained when misfit and regulariser together are below this a datum. */
#define FITTED 1e-10
/* Discrepancy: lambda *= (aim / chi2)^power, within bounds.  chi2 as a rule hardly depends
 * on lambda; where it does, and the aim is missed to the other side, power is halved. */
#define POWER        8.0
#define LEAST_FACTOR 0.3
#define MOST_FACTOR  3.0
#define SETTLED      2e-3 /* chi2 / aim - 1 that is near enough */
/* H1 has no natural strength; begin well above what the noise asks of a TV. */
#define QUADRATIC_LAMBDA 10.0
/* Below this many data a cell, of each experiment and of all, the place of an edge is not
 * certain. */
#define SPARSE          0.1
#define SPARSE_TOGETHER 0.2
enum { NOISE_DRAWS = 4 };

/* ---- begin ------------------------------------------------------------------------ */

static zm_status make_model(zm_inversion *v, zm_error *err)
{
    zm_invert_model *m = &v->model;
    const int metric_fields = (int)v->o.unknown & 3;

    *m = (zm_invert_model){ .grid = v->grid,
                            .mem = v->mem,
                            .n_experiments = v->n_experiments,
                            .observed = v->observed,
                            .stencils = v->o.stencils,
                            .huber = v->o.misfit == ZM_MISFIT_HUBER ? v->o.huber
                                                                    : INFINITY };
    m->parameters =
        (zm_parameters){ .n = v->n,
                         .metric_fields = metric_fields,
                         .drift_fields = v->o.unknown & ZM_UNKNOWN_DRIFT ? 2 : 0,
                         .metric_map = v->o.metric_map,
                         .drift_map = v->o.drift_map,
                         .rho = v->o.rho,
                         .walls = v->walls };
    if (!metric_fields && !v->known[0]) { /* G = I */
        if (!(v->known[0] = zm_inversion_doubles(v, v->n, err)))
            return ZM_E_NOMEM;
        for (size_t i = 0; i < v->n; i++)
            v->known[0][i] = 1.0;
    }
    for (int k = 0; k < ZM_PLANES; k++)
        m->parameters.known[k] = v->known[k];
    return zm_invert_model_make(m, v->o.threads, err);
}

static bool is_sparse(const zm_inversion *v)
{
    for (size_t e = 0; e < v->n_experiments; e++)
        if ((double)v->observed[e].n > SPARSE * (double)v->n)
            return false;
    return (double)v->model.n_data < SPARSE_TOGETHER * (double)v->n;
}

static zm_status make_memory(zm_inversion *v, zm_error *err)
{
    ZM_TRY(make_model(v, err));
    v->penalty = (zm_penalty){ .grid = v->grid,
                               .mem = v->mem,
                               .walls = v->walls,
                               .n = v->n,
                               .n_fields = v->model.n_fields };
    v->gauss_newton = (zm_gauss_newton){ .model = &v->model, .penalty = &v->penalty };
    ZM_TRY(zm_penalty_create(&v->penalty, err));
    ZM_TRY(zm_gauss_newton_create(&v->gauss_newton, err));
    if (v->o.regulariser == ZM_REG_TIKHONOV &&
        !(v->reference = zm_inversion_doubles(v, v->model.n_theta, err)))
        return ZM_E_NOMEM;
    v->penalty.reference = v->reference;
    if (v->o.method == ZM_INVERT_AUTO && is_sparse(v) &&
        !(v->best = zm_inversion_doubles(v, v->model.n_theta, err)))
        return ZM_E_NOMEM;
    if (v->o.method != ZM_INVERT_ADMM)
        return ZM_OK;
    v->split = zm_inversion_doubles(v, 2 * v->model.n_theta, err);
    v->dual = zm_inversion_doubles(v, 2 * v->model.n_theta, err);
    return v->split && v->dual ? ZM_OK : ZM_E_NOMEM;
}

static bool is_quadratic(const zm_inversion *v)
{
    return v->o.regulariser == ZM_REG_H1 || v->o.regulariser == ZM_REG_TIKHONOV;
}

/* Without a regulariser. */
static bool is_free(const zm_inversion *v)
{
    return v->rule == ZM_LAMBDA_FIXED && v->factor == 0.0;
}

/* How strong a TV has to be to hold down noise of the stated sigma: see
 * docs/inversion.md, "Choosing lambda". */
static zm_status measure_noise(zm_inversion *v, zm_error *err)
{
    zm_invert_model *m = &v->model;
    double *g = v->gauss_newton.gradient, sum = 0.0, one;
    uint64_t random = 1;

    for (int draw = 0; draw < NOISE_DRAWS; draw++) {
        for (size_t e = 0; e < m->n_experiments; e++) {
            const zm_observed *o = &v->observed[e];

            memset(m->slope[e], 0, v->n * sizeof *m->slope[e]);
            for (size_t i = 0; i < o->n; i++)
                zm_misfit_spread(o, i, zm_misfit_draw(&random) / o->sigma[i],
                                   m->slope[e]);
        }
        ZM_TRY(zm_invert_model_adjoint(m, g, err));
        ZM_TRY(zm_penalty_strength(&v->penalty, g, &one, err));
        sum += one;
    }
    v->run.noise = fmax(sum / NOISE_DRAWS, 1e-100);
    return ZM_OK;
}

static void choose_lambda(zm_inversion *v)
{
    if (v->rule == ZM_LAMBDA_FIXED)
        v->run.lambda = v->factor;
    else
        v->run.lambda =
            v->factor * v->run.noise * (is_quadratic(v) ? QUADRATIC_LAMBDA : 1.0);
}

static bool is_source(const zm_inversion *v, const zm_observed *o, size_t cell)
{
    for (size_t k = 0; k < o->n_sources; k++)
        if ((size_t)o->sources[k].row * (size_t)v->grid.cols +
                (size_t)o->sources[k].col ==
            cell)
            return true;
    return false;
}

/* Whether one experiment has the exact time of every cell that its front reaches, from sources
 * in the middle of cells: the time of other source cells depends on more than one metric. */
static bool all_observed(const zm_inversion *v)
{
    const zm_observed *o = &v->observed[0];
    double *seen = v->gauss_newton.rhs; /* scratch */

    if (v->n_experiments != 1 || !o->exact || o->right ||
        zm_problem_check_whole(&v->model.at->problems[0], NULL) < 0)
        return false;
    memset(seen, 0, v->n * sizeof *seen);
    for (size_t i = 0; i < o->n; i++) {
        if (o->upper[i] > o->time[i])
            return false;
        seen[o->cell[i]] = 1.0;
    }
    for (size_t i = 0; i < v->n; i++)
        if (seen[i] == 0.0 && isfinite(v->model.at->T[0][i]) && !is_source(v, o, i))
            return false;
    return true;
}

static zm_status choose_method(zm_inversion *v, zm_error *err)
{
    const bool newton = v->o.unknown == ZM_UNKNOWN_ISOTROPIC && all_observed(v);

    v->run.method = v->o.method;
    if (v->o.method == ZM_INVERT_NEWTON && !newton)
        return zm_fail(err, ZM_E_ARG, -1,
                       "ZM_INVERT_NEWTON needs one experiment with the exact time "
                       "(sigma 0) of every cell, and sources in the middle of cells");
    if (v->o.method == ZM_INVERT_AUTO)
        v->run.method = newton && v->o.regulariser == ZM_REG_TV ? ZM_INVERT_NEWTON
                        : is_quadratic(v) || is_free(v)         ? ZM_INVERT_GAUSS_NEWTON
                                                                : ZM_INVERT_GNC;
    return ZM_OK;
}

zm_reg_kind zm_inversion_reg_kind(const zm_inversion *v)
{
    return v->o.regulariser > ZM_REG_LOG ? ZM_REG_TV : v->o.regulariser;
}

/* With max_iterations the last stage may be longer. */
static void make_schedule(zm_inversion *v)
{
    zm_schedule *s = &v->schedule;
    int32_t before = 0;

    if (v->run.lambda == 0.0)
        *s = zm_schedule_plain(zm_inversion_reg_kind(v), v->o.eps);
    else
        *s = zm_schedule_of(v->run.method, zm_inversion_reg_kind(v), v->o.eps);
    if (v->best && v->run.method == ZM_INVERT_GNC && v->run.lambda > 0.0)
        zm_schedule_add_trials(s);
    if (v->run.from_level != ZM_LEVEL_NONE)
        zm_schedule_refine(s);
    for (int32_t i = 0; i + 1 < s->n; i++)
        before += s->stages[i].iterations;
    if (v->run.smooth)
        zm_schedule_end_smooth(s, v->run.smooth_from);
    else if (v->o.max_iterations - before > s->stages[s->n - 1].iterations)
        s->stages[s->n - 1].iterations = v->o.max_iterations - before;
}

static void set_penalty(zm_inversion *v);

static zm_status start_afresh(zm_inversion *v, zm_error *err)
{
    ZM_TRY(zm_inversion_place_start(v, err));
    ZM_TRY(choose_method(v, err));
    if (zm_inversion_levels_wanted(v) && v->run.method != ZM_INVERT_NEWTON)
        ZM_TRY(zm_inversion_levels_start(v, err));
    v->run.smooth = v->run.from_level == ZM_LEVEL_SMOOTH;
    v->run.chi2 = HUGE_VAL; /* no stage before */
    v->run.power = POWER;
    ZM_TRY(measure_noise(v, err));
    if (v->reference)
        memcpy(v->reference, v->model.at->theta,
               v->model.n_theta * sizeof *v->reference);
    choose_lambda(v);
    return ZM_OK;
}

zm_status zm_inversion_begin(zm_inversion *v, zm_error *err)
{
    const bool afresh = !v->loaded;
    zm_status st;

    if (v->n_experiments == 0)
        return zm_fail(err, ZM_E_ARG, -1, "no experiment: call zm_inversion_add first");
    if ((st = make_memory(v, err)) < 0 ||
        (st = afresh ? start_afresh(v, err) : zm_inversion_restore(v, err)) < 0) {
        zm_inversion_forget_run(v); /* another call begins from scratch */
        return st;
    }
    make_schedule(v);
    set_penalty(v);
    v->begun = true;
    return afresh ? zm_inversion_tell(v, 0, 0.0, err) : ZM_OK;
}

/* ---- iterations ------------------------------------------------------------------- */

static const zm_stage *current_stage(const zm_inversion *v)
{
    const int32_t last = v->schedule.n - 1;

    return &v->schedule.stages[v->run.stage < last ? v->run.stage : last];
}

/* LOG is scaled so that its largest slope is 1, as of TV: by 2 eps. */
void zm_inversion_set_penalty(zm_inversion *v, zm_reg_kind kind, double eps,
                              double factor)
{
    zm_penalty *p = &v->penalty;

    p->kind = kind;
    p->eps = eps / sqrt(v->grid.dx * v->grid.dy);
    p->lambda = v->run.lambda * factor * (kind == ZM_REG_LOG ? 2.0 * p->eps : 1.0);
}

static void set_penalty(zm_inversion *v)
{
    const zm_stage *s = current_stage(v);

    zm_inversion_set_penalty(v, s->kind, s->eps, s->lambda);
}

static zm_status history_append(zm_inversion *v, const zm_invert_iteration *p,
                                zm_error *err)
{
    if (!zm_array_reserve_in(&v->mem, NULL, &v->history, &v->history_capacity,
                             v->n_history + 1, sizeof *v->history))
        return zm_fail(err, ZM_E_NOMEM, -1, "history of %zu iterations",
                       v->n_history + 1);
    v->history[v->n_history++] = *p;
    return ZM_OK;
}

/* Iterations of the stages up to where the run is, by those of all stages. */
static double schedule_done(const zm_inversion *v)
{
    double done = v->run.in_stage, all = 0.0;

    for (int32_t i = 0; i < v->schedule.n; i++) {
        all += v->schedule.stages[i].iterations;
        if (i < v->run.stage)
            done += v->schedule.stages[i].iterations;
    }
    return all > 0.0 ? fmin(done / all, 1.0) : 0.0;
}

/* Of the run that is under way, without what came before it. */
static double run_done(const zm_inversion *v)
{
    double done;

    if (v->run.stop != ZM_INVERT_NOT_RUN && v->run.stop != ZM_INVERT_STOPPED)
        return 1.0;
    done = v->run.method >= ZM_INVERT_NEWTON ? 0.0 : schedule_done(v);
    if (v->run.method > ZM_INVERT_NEWTON && v->o.max_iterations == 0)
        done = (double)v->run.iteration / ZM_FIRST_ORDER_ITERATIONS;
    if (v->o.max_iterations > 0)
        done = fmax(done, (double)v->run.iteration / v->o.max_iterations);
    if (v->o.max_solves > 0)
        done = fmax(done, (double)v->model.solves / (double)v->o.max_solves);
    return fmin(done, 1.0);
}

int zm_inversion_progress(zm_inversion *v, double part)
{
    const double parts = v->parts > 0 ? (double)v->parts : 1.0;

    v->told = fmax(v->told, fmin(((double)v->part + part) / parts, 1.0));
    return v->o.progress ? v->o.progress(v->o.progress_ctx, v->told) : 0;
}

/* Whether nothing follows on the present run. */
static bool is_last(const zm_inversion *v)
{
    return !v->is_level && v->part + 1 >= v->parts;
}

zm_status zm_inversion_tell(zm_inversion *v, int32_t stage, double step, zm_error *err)
{
    const zm_misfit_sum misfit = v->model.at->misfit;
    const bool regularised = v->run.method != ZM_INVERT_NEWTON;
    const double levels =
        v->run.from_level != ZM_LEVEL_NONE ? ZM_LEVELS_SHARE : 0.0;
    bool stop;
    zm_invert_iteration p = { .iteration = v->run.iteration,
                              .stage = stage,
                              .method = v->run.method,
                              .solves = v->model.solves,
                              .products = v->model.products,
                              .chi2 = misfit.chi2 / (double)v->model.n_data,
                              .misfit = misfit.value,
                              .step = step };

    if (regularised) {
        ZM_TRY(zm_penalty_value(&v->penalty, v->model.at->theta, &v->run.R, err));
        p.lambda = v->penalty.lambda;
        p.eps = v->penalty.eps * sqrt(v->grid.dx * v->grid.dy);
    }
    p.objective = misfit.value + p.lambda * v->run.R;
    ZM_TRY(history_append(v, &p, err));
    stop = zm_inversion_progress(v, levels + (1.0 - levels) * run_done(v)) != 0;
    if (v->o.monitor)
        stop |= v->o.monitor(v->o.monitor_ctx, &p) != 0;
    if (!stop || (v->run.stop != ZM_INVERT_NOT_RUN && is_last(v)))
        return ZM_OK; /* or it had come to its end anyway */
    if (v->run.stop == ZM_INVERT_NOT_RUN)
        v->run.stop = ZM_INVERT_STOPPED;
    return zm_fail(err, ZM_E_CANCELLED, -1,
                   "stopped by the callback after iteration %d", (int)v->run.iteration);
}

static bool adapts(const zm_inversion *v)
{
    return v->rule == ZM_LAMBDA_DISCREPANCY ||
           (v->rule == ZM_LAMBDA_AUTO && is_quadratic(v));
}

/* log(aim / chi2) */
static double distance_to_aim(const zm_inversion *v)
{
    return log(v->o.chi2 * (double)v->model.n_data / v->model.at->misfit.chi2);
}

/* Discrepancy: in the last stages, from their second iteration on. */
static void adapt_lambda(zm_inversion *v)
{
    const double off = distance_to_aim(v);

    if (!adapts(v) || current_stage(v)->lambda != 1.0 || v->run.in_stage == 0)
        return;
    if (off * v->run.off < 0.0)
        v->run.power *= 0.5;
    v->run.off = off;
    v->run.lambda *= fmin(fmax(exp(v->run.power * off), LEAST_FACTOR), MOST_FACTOR);
}

static bool is_settled(const zm_inversion *v)
{
    return !adapts(v) || fabs(distance_to_aim(v)) < SETTLED;
}

/* On to the next stage; which one, where the choice is ours, depends on the field. */
static void end_stage(zm_inversion *v)
{
    const double chi2 = v->model.at->misfit.chi2 / (double)v->model.n_data;

    if (v->o.method == ZM_INVERT_AUTO &&
        zm_schedule_is_smooth(&v->schedule, v->run.stage, v->run.chi2, chi2,
                              v->model.n_data)) {
        v->run.smooth = true;
        v->run.smooth_from = v->run.stage + 1;
        zm_schedule_end_smooth(&v->schedule, v->run.smooth_from);
    }
    v->run.chi2 = chi2;
    v->run.power = POWER;
    v->run.off = 0.0;
    v->run.stage++;
    v->run.in_stage = 0;
}

/* Before edges are loosened: keeps theta and its objective. */
static zm_status loosen(zm_inversion *v, zm_error *err)
{
    const zm_point *at = v->model.at;
    double R;

    ZM_TRY(zm_penalty_value(&v->penalty, at->theta, &R, err));
    memcpy(v->best, at->theta, v->model.n_theta * sizeof *v->best);
    v->run.best = at->misfit.value + v->penalty.lambda * R;
    return zm_penalty_loosen(&v->penalty, at->theta, err);
}

/* After edges have been made sharp again, or when the run must end before that: goes back
 * unless the objective is lower. */
static zm_status judge_trial(zm_inversion *v, double objective, zm_error *err)
{
    if (objective < (1.0 - STAGNATION) * v->run.best)
        return ZM_OK;
    memcpy(v->model.at->theta, v->best, v->model.n_theta * sizeof *v->best);
    v->run.stop = ZM_INVERT_DONE;
    return zm_invert_model_solve(&v->model, v->model.at, err);
}

static bool reached(int64_t limit, int64_t count)
{
    return limit > 0 && count >= limit;
}

/* Where the run goes after a step. */
static zm_status advance(zm_inversion *v, const zm_step *step, zm_error *err)
{
    const bool stuck = !(step->before - step->objective > STAGNATION * step->cost);
    const zm_stage_role role = current_stage(v)->role;
    const bool stage_ends = v->run.in_stage + 1 >= current_stage(v)->iterations ||
                            (v->run.method != ZM_INVERT_ADMM && stuck && is_settled(v));

    v->run.iteration++;
    v->run.in_stage++;
    if (stage_ends)
        end_stage(v);
    if (role == ZM_STAGE_PLAIN && step->objective <= FITTED * (double)v->model.n_data)
        v->run.stop = ZM_INVERT_FITTED;
    else if (v->run.stage >= v->schedule.n)
        v->run.stop = ZM_INVERT_DONE;
    else if (reached(v->o.max_iterations, v->run.iteration))
        v->run.stop = ZM_INVERT_ITERATIONS;
    else if (reached(v->o.max_solves, v->model.solves))
        v->run.stop = ZM_INVERT_SOLVES;
    if (role == ZM_STAGE_LOOSEN && v->run.stop != ZM_INVERT_NOT_RUN)
        return judge_trial(v, HUGE_VAL, err); /* its objective is of another kind */
    if (role == ZM_STAGE_TIGHTEN && (stage_ends || v->run.stop != ZM_INVERT_NOT_RUN))
        return judge_trial(v, step->objective, err);
    return ZM_OK;
}

static zm_status one_step(zm_inversion *v, zm_step *step, zm_error *err)
{
    zm_status st;

    adapt_lambda(v);
    set_penalty(v);
    if (v->run.method == ZM_INVERT_ADMM)
        return zm_inversion_admm_step(v, step, err);
    if (current_stage(v)->role == ZM_STAGE_LOOSEN)
        ZM_TRY(loosen(v, err));
    st = zm_gauss_newton_step(&v->gauss_newton, step, err);
    v->penalty.loose = false;
    return st;
}

static zm_status run_stages(zm_inversion *v, zm_error *err)
{
    while (v->run.stop == ZM_INVERT_NOT_RUN) {
        const int32_t stage = v->run.stage;
        zm_step step;

        ZM_TRY(one_step(v, &step, err));
        ZM_TRY(advance(v, &step, err));
        ZM_TRY(zm_inversion_tell(v, stage, step.length, err));
    }
    return ZM_OK;
}

/* Another method where it cannot go on, or where times are no metric's after all, say because
 * they have noise. */
static zm_status run_newton(zm_inversion *v, zm_error *err)
{
    const bool free_choice = v->o.method == ZM_INVERT_AUTO;
    zm_error why = { .text = "" };
    const zm_status st = zm_inversion_newton(v, &why);

    if (st < 0 && !(free_choice && st == ZM_E_UNSUPPORTED)) {
        if (err)
            *err = why;
        return st;
    }
    if (st >= 0 && (v->run.stop != ZM_INVERT_ITERATIONS || !free_choice))
        return ZM_OK;
    ZM_TRY(zm_inversion_place_start(v, err));
    v->run.method = ZM_INVERT_GNC;
    v->run.stop = ZM_INVERT_NOT_RUN;
    make_schedule(v);
    return run_stages(v, err);
}

zm_status zm_invert_run(zm_inversion *v, zm_error *err)
{
    return v->o.lambda_rule == ZM_LAMBDA_LCURVE ? zm_inversion_run_lcurve(v, err)
                                                : zm_inversion_run_once(v, err);
}

zm_status zm_inversion_run_once(zm_inversion *v, zm_error *err)
{
    if (!v->begun)
        ZM_TRY(zm_inversion_begin(v, err));
    if (v->run.stop == ZM_INVERT_STOPPED)
        v->run.stop = ZM_INVERT_NOT_RUN;
    if ((v->run.stop == ZM_INVERT_ITERATIONS &&
         !reached(v->o.max_iterations, v->run.iteration)) ||
        (v->run.stop == ZM_INVERT_SOLVES && !reached(v->o.max_solves, v->model.solves)))
        v->run.stop = ZM_INVERT_NOT_RUN; /* saved under a lower limit */
    switch (v->run.method) {
    case ZM_INVERT_NEWTON:
        return run_newton(v, err);
    case ZM_INVERT_LBFGS:
    case ZM_INVERT_ADAM:
    case ZM_INVERT_GRADIENT:
        return zm_inversion_first_order(v, err);
    default:
        return run_stages(v, err);
    }
}
