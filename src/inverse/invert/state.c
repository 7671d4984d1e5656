/* SPDX-License-Identifier: Apache-2.0
 * Saving a run as plain numbers and going on from them. */
#include "inverse/invert/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/digest.h"
#include "core/fail.h"
#include "core/memory.h"

/* Head of the state; arrays follow in the order of `arrays_of`, then the history. */
enum {
    FORMAT,
    CELLS,
    FIELDS,
    DATA,
    METHOD,
    STOP,
    ITERATION,
    STAGE,
    IN_STAGE,
    SLOWNESS,
    NOISE,
    LAMBDA,
    REGULARISER,
    STAGE_CHI2,
    DISCREPANCY_POWER,
    DISCREPANCY_OFF,
    BEST,
    SMOOTH,
    SMOOTH_FROM,
    FROM_LEVEL,
    COARSE_SOLVES,
    DAMPING,
    FIRST_LENGTH,
    SOLVES,
    PRODUCTS,
    RULE, /* of the present run */
    FACTOR,
    CHOSEN,
    CORNER,
    STRENGTHS,               /* of the L-curve */
    CURVE,                   /* points of it */
    OF_OPTIONS,              /* digests */
    OF_GROUND,
    OF_FIELDS,
    OF_EXPERIMENTS,
    OPTIMISER, /* its size */
    HISTORY,   /* iterations in it */
    HEAD,
    ARRAYS = 8,
    STEP_NUMBERS = 12,
    POINT_NUMBERS = 5
};
#define FORMAT_NUMBER 20263.0

typedef struct array {
    double *values;
    size_t n;
} array;

static void arrays_of(const zm_inversion *v, array arrays[ARRAYS])
{
    const size_t n = v->model.n_theta;

    arrays[0] = (array){ v->model.at->theta, n };
    arrays[1] = (array){ v->penalty.z, 2 * n };
    arrays[2] = (array){ v->reference, v->reference ? n : 0 };
    arrays[3] = (array){ v->split, v->split ? 2 * n : 0 };
    arrays[4] = (array){ v->dual, v->dual ? 2 * n : 0 };
    arrays[5] = (array){ v->best, v->best ? n : 0 };
    arrays[6] = (array){ v->optimiser, v->optimiser_size };
    arrays[7] = (array){ v->strengths, v->strengths ? v->n_strengths : 0 };
}

static size_t numbers_of(const zm_inversion *v)
{
    array arrays[ARRAYS];
    size_t size = HEAD + STEP_NUMBERS * v->n_history + POINT_NUMBERS * v->n_curve;

    arrays_of(v, arrays);
    for (int i = 0; i < ARRAYS; i++)
        size += arrays[i].n;
    return size;
}

size_t zm_inversion_state_size(const zm_inversion *v)
{
    return v->begun ? numbers_of(v) : 0;
}

/* ---- digests ---------------------------------------------------------------------- */

/* What a double can hold of it. */
static double as_number(uint64_t digest)
{
    return (double)(digest >> 11);
}

static uint64_t add_doubles(uint64_t digest, const double *x, size_t n)
{
    return x ? zm_digest_add(digest, x, n * sizeof *x) : zm_digest_add(digest, "", 1);
}

/* Options that have a part in the result. */
static uint64_t digest_options(const zm_inversion *v)
{
    const zm_invert_opts *o = &v->o;
    const bool curve = o->lambda_rule == ZM_LAMBDA_LCURVE;
    const double numbers[] = { o->unknown,     o->metric_map,  o->drift_map,
                               o->eig_min,     o->eig_max,     o->rho,
                               o->misfit,      o->huber,       o->regulariser,
                               o->eps,         o->lambda_rule, o->lambda,
                               o->chi2,        o->method,      o->rate,
                               o->line_search, o->clip,        o->stencils,
                               curve ? o->lcurve_points : 0 };
    const uint64_t digest =
        add_doubles(ZM_DIGEST_INIT, numbers, sizeof numbers / sizeof *numbers);

    return curve && v->strengths_given
               ? add_doubles(digest, v->strengths, v->n_strengths)
               : digest;
}

static uint64_t digest_ground(const zm_inversion *v)
{
    const double numbers[] = { v->grid.rows, v->grid.cols, v->grid.dx, v->grid.dy };
    const uint64_t digest = add_doubles(ZM_DIGEST_INIT, numbers, 4);

    return v->walls ? zm_digest_add(digest, v->walls, v->n) : digest;
}

/* G = I is filled in where the metric is known and was not given. */
static uint64_t digest_fields(const zm_inversion *v)
{
    uint64_t digest = ZM_DIGEST_INIT;

    for (int k = 0; k < ZM_PLANES; k++) {
        digest = add_doubles(digest, v->known[k], v->n);
        digest = add_doubles(digest, v->start[k], v->n);
    }
    return digest;
}

static uint64_t digest_experiments(const zm_inversion *v)
{
    uint64_t digest = ZM_DIGEST_INIT;

    for (size_t e = 0; e < v->n_experiments; e++) {
        const zm_observed *o = &v->observed[e];
        const double numbers[] = { (double)o->n_sources, (double)o->n, o->exact };

        digest = add_doubles(digest, numbers, 3);
        for (size_t k = 0; k < o->n_sources; k++) {
            const double place[] = { o->sources[k].row, o->sources[k].col,
                                     o->sources[k].time };

            digest = add_doubles(digest, place, 3);
        }
        digest = zm_digest_add(digest, o->cell, o->n * sizeof *o->cell);
        digest = add_doubles(digest, o->right, o->n);
        digest = add_doubles(digest, o->down, o->n);
        digest = add_doubles(digest, o->time, o->n);
        digest = add_doubles(digest, o->upper, o->n);
        digest = add_doubles(digest, o->exact ? NULL : o->sigma, o->n);
    }
    return digest;
}

/* ---- writing and reading ------------------------------------------------------------ */

static void digests_write(const zm_inversion *v, double *head)
{
    head[OF_OPTIONS] = as_number(digest_options(v));
    head[OF_GROUND] = as_number(digest_ground(v));
    head[OF_FIELDS] = as_number(digest_fields(v));
    head[OF_EXPERIMENTS] = as_number(digest_experiments(v));
}

static void head_write(const zm_inversion *v, double *head)
{
    const zm_run_state *r = &v->run;

    head[FORMAT] = FORMAT_NUMBER;
    head[CELLS] = (double)v->n;
    head[FIELDS] = (double)v->model.n_fields;
    head[DATA] = (double)v->model.n_data;
    head[METHOD] = r->method;
    head[STOP] = r->stop;
    head[ITERATION] = r->iteration;
    head[STAGE] = r->stage;
    head[IN_STAGE] = r->in_stage;
    head[SLOWNESS] = r->slowness;
    head[NOISE] = r->noise;
    head[LAMBDA] = r->lambda;
    head[REGULARISER] = r->R;
    head[STAGE_CHI2] = r->chi2;
    head[DISCREPANCY_POWER] = r->power;
    head[DISCREPANCY_OFF] = r->off;
    head[BEST] = r->best;
    head[SMOOTH] = r->smooth;
    head[SMOOTH_FROM] = r->smooth_from;
    head[FROM_LEVEL] = r->from_level;
    head[COARSE_SOLVES] = (double)r->coarse_solves;
    head[DAMPING] = v->gauss_newton.damping;
    head[FIRST_LENGTH] = v->gauss_newton.first_length;
    head[SOLVES] = (double)v->model.solves;
    head[PRODUCTS] = (double)v->model.products;
    head[RULE] = v->rule;
    head[FACTOR] = v->factor;
    head[CHOSEN] = (double)v->chosen;
    head[CORNER] = v->corner;
    head[STRENGTHS] = (double)(v->strengths ? v->n_strengths : 0);
    head[CURVE] = (double)v->n_curve;
    digests_write(v, head);
    head[OPTIMISER] = (double)v->optimiser_size;
    head[HISTORY] = (double)v->n_history;
}

static void step_write(const zm_invert_iteration *p, double *out)
{
    const double numbers[STEP_NUMBERS] = { p->iteration,
                                           p->stage,
                                           p->method,
                                           (double)p->solves,
                                           (double)p->products,
                                           p->chi2,
                                           p->misfit,
                                           p->lambda,
                                           p->eps,
                                           p->objective,
                                           p->step,
                                           p->level };

    memcpy(out, numbers, sizeof numbers);
}

static void point_write(const zm_lcurve_point *p, double *out)
{
    const double numbers[POINT_NUMBERS] = { p->lambda, p->chi2, p->misfit,
                                            p->regulariser, (double)p->solves };

    memcpy(out, numbers, sizeof numbers);
}

/* Numbers that become integers must be such: they may come from a file. */
static bool is_count(double x, double most)
{
    return x >= 0.0 && x <= most && x == floor(x);
}

/* A number of the history as an integer; 0 if it is none. */
static int64_t whole(double x)
{
    return is_count(x, 0x1p53) ? (int64_t)x : 0;
}

static zm_invert_iteration step_read(const double *in)
{
    return (zm_invert_iteration){ .iteration = (int32_t)whole(in[0]),
                                  .stage = (int32_t)whole(in[1]),
                                  .method = (zm_invert_method)whole(in[2]),
                                  .solves = whole(in[3]),
                                  .products = whole(in[4]),
                                  .chi2 = in[5],
                                  .misfit = in[6],
                                  .lambda = in[7],
                                  .eps = in[8],
                                  .objective = in[9],
                                  .step = in[10],
                                  .level = (int32_t)whole(in[11]) };
}

static zm_lcurve_point point_read(const double *in)
{
    return (zm_lcurve_point){ .lambda = in[0],
                              .chi2 = in[1],
                              .misfit = in[2],
                              .regulariser = in[3],
                              .solves = whole(in[4]) };
}

zm_status zm_inversion_save(const zm_inversion *v, double *state, zm_error *err)
{
    array arrays[ARRAYS];

    ZM_TRY(zm_inversion_check_begun(v, err));
    head_write(v, state);
    state += HEAD;
    arrays_of(v, arrays);
    for (int i = 0; i < ARRAYS; i++) {
        if (arrays[i].n)
            memcpy(state, arrays[i].values, arrays[i].n * sizeof *state);
        state += arrays[i].n;
    }
    for (size_t i = 0; i < v->n_curve; i++, state += POINT_NUMBERS)
        point_write(&v->curve[i], state);
    for (size_t i = 0; i < v->n_history; i++)
        step_write(&v->history[i], state + STEP_NUMBERS * i);
    return ZM_OK;
}

static bool is_sane(const double *head, size_t size)
{
    static const int small[] = { METHOD,   STOP,   ITERATION,   STAGE,
                                 IN_STAGE, SMOOTH, SMOOTH_FROM, FROM_LEVEL };
    static const int large[] = { SOLVES, PRODUCTS, COARSE_SOLVES };

    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (!is_count(head[small[i]], INT32_MAX))
            return false;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        if (!is_count(head[large[i]], 0x1p53))
            return false;
    return is_count(head[OPTIMISER], (double)size) &&
           is_count(head[HISTORY], (double)size) &&
           is_count(head[STRENGTHS], (double)size) &&
           is_count(head[CURVE], head[STRENGTHS]) &&
           is_count(head[CHOSEN], (double)size) && is_count(head[CORNER], 1) &&
           is_count(head[RULE], ZM_LAMBDA_LCURVE) && head[FACTOR] >= 0.0 &&
           isfinite(head[FACTOR]) &&
           head[METHOD] <= ZM_INVERT_GRADIENT && head[STOP] <= ZM_INVERT_STOPPED &&
           head[SMOOTH_FROM] < ZM_MOST_STAGES && head[FROM_LEVEL] <= ZM_LEVEL_SMOOTH &&
           head[SLOWNESS] > 0.0 && isfinite(head[SLOWNESS]) && head[LAMBDA] >= 0.0 &&
           isfinite(head[LAMBDA]);
}

zm_status zm_inversion_load(zm_inversion *v, const double *state, size_t size,
                            zm_error *err)
{
    double *copy;

    if (v->begun)
        return zm_fail(err, ZM_E_STATE, -1, "a run has begun: load into a new handle");
    if (!state || size < HEAD || state[FORMAT] != FORMAT_NUMBER ||
        !is_sane(state, size))
        return zm_fail(err, ZM_E_STATE, -1,
                       "this is no state of zm_inversion_save of this version");
    if (!(copy = zm_inversion_doubles(v, size, err)))
        return ZM_E_NOMEM;
    memcpy(copy, state, size * sizeof *copy);
    zm_release(&v->mem, v->loaded);
    v->loaded = copy;
    v->loaded_size = size;
    return ZM_OK;
}

/* Names what differs. */
static zm_status check_digests(const zm_inversion *v, const double *head, zm_error *err)
{
    static const struct {
        int at;
        const char *what;
    } parts[] = { { OF_OPTIONS, "options" },
                  { OF_GROUND, "grid or walls" },
                  { OF_FIELDS, "known or start fields" },
                  { OF_EXPERIMENTS, "experiments" } };
    double here[HEAD] = { 0 };
    char list[120] = "";

    digests_write(v, here);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (head[parts[i].at] != here[parts[i].at])
            (void)snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
                           *list ? ", other " : "other ", parts[i].what);
    if (*list)
        return zm_fail(err, ZM_E_STATE, -1, "the state is of another problem: %s", list);
    return ZM_OK;
}

static zm_status check_same(const zm_inversion *v, const double *head, zm_error *err)
{
    const bool same =
        head[CELLS] == (double)v->n && head[FIELDS] == (double)v->model.n_fields &&
        head[DATA] == (double)v->model.n_data &&
        (v->o.method == ZM_INVERT_AUTO || head[METHOD] == (double)v->o.method);

    if (!same)
        return zm_fail(err, ZM_E_STATE, -1,
                       "the state is of another problem: %g cells, %g fields, %g "
                       "observations, method %g; here %zu, %zu, %zu, %d",
                       head[CELLS], head[FIELDS], head[DATA], head[METHOD], v->n,
                       v->model.n_fields, v->model.n_data, (int)v->o.method);
    return ZM_OK;
}

static void head_read(zm_inversion *v, const double *head)
{
    v->run = (zm_run_state){ .method = (zm_invert_method)(int)head[METHOD],
                             .stop = (zm_invert_stop)(int)head[STOP],
                             .iteration = (int32_t)head[ITERATION],
                             .stage = (int32_t)head[STAGE],
                             .in_stage = (int32_t)head[IN_STAGE],
                             .slowness = head[SLOWNESS],
                             .noise = head[NOISE],
                             .lambda = head[LAMBDA],
                             .R = head[REGULARISER],
                             .chi2 = head[STAGE_CHI2],
                             .power = head[DISCREPANCY_POWER],
                             .off = head[DISCREPANCY_OFF],
                             .best = head[BEST],
                             .smooth = head[SMOOTH] != 0.0,
                             .smooth_from = (int32_t)head[SMOOTH_FROM],
                             .from_level = (zm_level_result)(int)head[FROM_LEVEL],
                             .coarse_solves = (int64_t)head[COARSE_SOLVES] };
    v->rule = (zm_lambda_rule)(int)head[RULE];
    v->factor = head[FACTOR];
    v->chosen = (size_t)head[CHOSEN];
    v->corner = head[CORNER] != 0.0;
    v->gauss_newton.damping = head[DAMPING];
    v->gauss_newton.first_length = head[FIRST_LENGTH];
    v->optimiser_size = (size_t)head[OPTIMISER];
    v->n_history = v->history_capacity = (size_t)head[HISTORY];
}

/* Room for the strengths of a curve, which then take the place of those given: the same. */
static zm_status make_curve(zm_inversion *v, zm_error *err)
{
    const size_t n = (size_t)v->loaded[STRENGTHS];

    zm_release(&v->mem, v->curve);
    zm_release(&v->mem, v->strengths);
    v->curve = NULL;
    v->n_curve = v->n_strengths = 0;
    if (!(v->strengths = zm_inversion_doubles(v, n, err)) ||
        !(v->curve = zm_zalloc(&v->mem, n, sizeof *v->curve)))
        return zm_fail(err, ZM_E_NOMEM, -1, "L-curve of %zu points", n);
    v->n_strengths = n;
    v->n_curve = (size_t)v->loaded[CURVE];
    v->part = v->n_curve;
    v->parts = n + 1;
    return ZM_OK;
}

/* Numbers of a state with the sizes that its head tells: HEAD excepted, those of the run's own. */
static size_t numbers_told(const zm_inversion *v)
{
    const double *head = v->loaded;
    const size_t own = v->strengths ? v->n_strengths : 0;

    return numbers_of(v) - own - POINT_NUMBERS * v->n_curve + (size_t)head[STRENGTHS] +
           POINT_NUMBERS * (size_t)head[CURVE];
}

static zm_status read_arrays(zm_inversion *v, zm_error *err)
{
    const double *state = v->loaded + HEAD;
    array arrays[ARRAYS];

    if (v->loaded[STRENGTHS] > 0.0)
        ZM_TRY(make_curve(v, err));

    if (v->optimiser_size &&
        !(v->optimiser = zm_inversion_doubles(v, v->optimiser_size, err)))
        return ZM_E_NOMEM;
    if (v->n_history &&
        !(v->history = zm_block(&v->mem, v->n_history, sizeof *v->history)))
        return zm_fail(err, ZM_E_NOMEM, -1, "history of %zu iterations", v->n_history);
    arrays_of(v, arrays);
    for (int i = 0; i < ARRAYS; i++) {
        if (arrays[i].n)
            memcpy(arrays[i].values, state, arrays[i].n * sizeof *state);
        state += arrays[i].n;
    }
    for (size_t i = 0; i < v->n_curve; i++, state += POINT_NUMBERS)
        v->curve[i] = point_read(state);
    for (size_t i = 0; i < v->n_history; i++)
        v->history[i] = step_read(state + STEP_NUMBERS * i);
    return ZM_OK;
}

zm_status zm_inversion_restore(zm_inversion *v, zm_error *err)
{
    const double *head = v->loaded;

    ZM_TRY(check_digests(v, head, err));
    ZM_TRY(check_same(v, head, err));
    head_read(v, head);
    zm_inversion_rescale(v, v->run.slowness);
    if (numbers_told(v) != v->loaded_size)
        return zm_fail(err, ZM_E_STATE, -1, "the state has %zu numbers, must be %zu",
                       v->loaded_size, numbers_told(v));
    ZM_TRY(read_arrays(v, err));
    ZM_TRY(zm_invert_model_solve(&v->model, v->model.at, err));
    v->model.solves = (int64_t)head[SOLVES];
    v->model.products = (int64_t)head[PRODUCTS];
    zm_release(&v->mem, v->loaded);
    v->loaded = NULL;
    return ZM_OK;
}
