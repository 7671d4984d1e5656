/* SPDX-License-Identifier: Apache-2.0
 * Calibration by damped Gauss-Newton steps.
 *
 * Unknowns x: logarithms of the wind factor and of the factors of fuels, and the moisture
 * offset.  With errors r_i (distance of the time of cell i from its interval, over the
 * duration of its fire), Huber's rho and prior spreads s,
 *
 *     L(x) = sum rho(r_i) + delta^2/2 sum (x_k/s_k)^2,    rho' = r min(1, delta/|r|).
 *
 * Each step solves (J'WJ + P + damping diag) dx = -(J'W r + P x), with W = min(1, delta/|r|).
 * The intervals come from leaving out a group of cells at a time (jackknife.h). */
#include "zermelo/calibrate.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/parallel.h"
#include "physics/jackknife.h"
#include "physics/small_matrix.h"

enum { LEAST_FIRES = 2 }; /* that tell how much fires differ */
static const double NORMAL_95 = 1.959964;
enum { BLOCK = 16 };               /* cells a side of what counts as one group */
static const double HORIZON = 1.5; /* of the durations: fires are followed so long */
/* Of options; objectives stay finite between. */
static const double SMALLEST = 1e-6, LARGEST = 1e3;
static const double LARGEST_STEP = 1;  /* of a logarithm */
static const double SMALL_STEP = 1e-4; /* of a logarithm, or percent: converged */
static const double SMALL_GAIN = 1e-4; /* of the objective, of itself: converged */

/** Sums over the cells of one fire. */
typedef struct sums {
    double *A, *g;             /* J'WJ (n x n), J'Wr (n) */
    double objective, squares; /* sum of rho; sum of r^2 */
    size_t cells;
    double
        *blocks; /* J'Wr (n) and then J'VJ (n x n) of every block that has cells, with
                       V = 1 where |r| < delta, else 0: the derivative of rho' */
    size_t n_blocks, room_blocks;
} sums;

typedef struct calibration {
    const zm_landscape *land;
    const zm_physics_opts *physics;
    const zm_fire_evidence *fires;
    size_t n_fires, n_cells, n; /* fires, cells of the landscape, unknowns */
    zm_calibrate_opts opts;
    zm_alloc mem;
    zm_calibrated items[ZM_MOST_CALIBRATED];
    double x[ZM_MOST_CALIBRATED]; /* where the fires are burned */
    double spread[ZM_MOST_CALIBRATED];
    sums *per_fire;
    double *memory;      /* of all sums but those of blocks */
    bool in_blocks;      /* sums of blocks are wanted */
    bool only_objective; /* no derivatives */
    atomic_size_t next;
    zm_spinlock lock;
    zm_status status;
    zm_error *err;
} calibration;

static void params_of(const calibration *c, double factor[ZM_FUEL_NUMBERS],
                      zm_physics_params *params)
{
    double rate = 1;

    *params = (zm_physics_params)ZM_PHYSICS_PARAMS_INIT;
    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        factor[k] = 1;
    for (size_t k = 0; k < c->n; k++) {
        if (c->items[k].kind == ZM_CALIBRATED_WIND)
            params->wind_factor = exp(c->x[k]);
        else if (c->items[k].kind == ZM_CALIBRATED_MOISTURE)
            params->moisture_offset = c->x[k];
        else if (c->items[k].kind == ZM_CALIBRATED_RATE)
            rate = exp(c->x[k]);
        else
            factor[c->items[k].fuel] = exp(c->x[k]);
    }
    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        factor[k] *= rate;
    params->fuel_factor = factor;
}

/* Change of the model's inputs with unknown k. */
static void direction_of(const calibration *c, size_t k,
                         const double factor[ZM_FUEL_NUMBERS],
                         zm_physics_change *change)
{
    const int32_t fuel = c->items[k].fuel;

    memset(change, 0, sizeof *change);
    if (c->items[k].kind == ZM_CALIBRATED_WIND)
        change->wind_factor = exp(c->x[k]);
    else if (c->items[k].kind == ZM_CALIBRATED_MOISTURE)
        change->moisture_offset = 1;
    else if (c->items[k].kind == ZM_CALIBRATED_RATE)
        memcpy(change->fuel_factor, factor, sizeof change->fuel_factor);
    else
        change->fuel_factor[fuel] = factor[fuel];
}

static double length_of(const zm_fire_evidence *f)
{
    return f->duration - f->begin;
}

/* Fires are followed until then. */
static double horizon_of(const zm_fire_evidence *f)
{
    return f->begin + HORIZON * length_of(f);
}

/* Distance of a time from the interval, in durations.  What was not reached counts as the
 * horizon.  What comes too early counts at most as much as a cell that burned at the very end and
 * was not reached, lest false alarms outweigh those.  *moves: whether it changes with the time. */
static double error_of(const zm_fire_evidence *f, size_t i, double T, bool *moves)
{
    const double low = f->earliest[i], high = f->latest[i], most = HORIZON - 1;
    double error;

    *moves = false;
    if (isnan(low) || isnan(high))
        return 0;
    if (!(T < INFINITY))
        return high < INFINITY ? (horizon_of(f) - high) / length_of(f) : 0;
    error = (T > high ? T - high : T < low ? T - low : 0) / length_of(f);
    *moves = error > -most && (error != 0 || low == high);
    return fmax(error, -most);
}

/** The work of a thread. */
typedef struct worker {
    calibration *c;
    zm_physics *model;
    double *T, *J;     /* J: n planes of dT */
    int32_t *block_at; /* by block: its place in the sums of the fire, or -1 */
} worker;

static size_t blocks_across(const calibration *c)
{
    return ((size_t)c->land->cols + BLOCK - 1) / BLOCK;
}

static size_t block_count(const calibration *c)
{
    return blocks_across(c) * (((size_t)c->land->rows + BLOCK - 1) / BLOCK);
}

static size_t block_of(const calibration *c, size_t cell)
{
    const size_t cols = (size_t)c->land->cols;

    return cell / cols / BLOCK * blocks_across(c) + cell % cols / BLOCK;
}

/* The sums of the block that a cell is in; NULL: no memory. */
static double *block_sums(worker *w, size_t cell, sums *s)
{
    const calibration *c = w->c;
    const size_t each = c->n + c->n * c->n, block = block_of(c, cell);

    if (w->block_at[block] < 0) {
        if (s->n_blocks == s->room_blocks) {
            const size_t room = 2 * s->room_blocks + 16;
            double *more = zm_block(&c->mem, room * each, sizeof *more);

            if (!more)
                return NULL;
            if (s->blocks)
                memcpy(more, s->blocks, s->n_blocks * each * sizeof *more);
            zm_release(&c->mem, s->blocks);
            s->blocks = more;
            s->room_blocks = room;
        }
        memset(s->blocks + s->n_blocks * each, 0, each * sizeof *s->blocks);
        w->block_at[block] = (int32_t)s->n_blocks++;
    }
    return s->blocks + (size_t)w->block_at[block] * each;
}

/* Adds pull row and weight row row' (lower triangle) to sums g and A. */
static void add_row(const double *row, size_t n, double pull, double weight, double *g,
                    double *A)
{
    for (size_t k = 0; k < n; k++) {
        g[k] += pull * row[k];
        for (size_t l = 0; l <= k; l++)
            A[k * n + l] += weight * row[k] * row[l];
    }
}

static bool add_cell(worker *w, const zm_fire_evidence *f, size_t i, sums *s)
{
    const calibration *c = w->c;
    const size_t n = c->n;
    const double delta = c->opts.outlier;
    double row[ZM_MOST_CALIBRATED], r, weight;
    bool moves, far;

    r = error_of(f, i, w->T[i], &moves);
    far = fabs(r) > delta;
    weight = far ? delta / fabs(r) : 1;
    s->squares += r * r;
    s->objective += far ? delta * (fabs(r) - 0.5 * delta) : 0.5 * r * r;
    if (!isnan(f->earliest[i]))
        s->cells++;
    if (!moves || c->only_objective)
        return true;
    for (size_t k = 0; k < n; k++)
        row[k] = w->J[k * c->n_cells + i] / length_of(f);
    add_row(row, n, weight * r, weight, s->g, s->A);
    if (c->in_blocks) {
        double *block = block_sums(w, i, s);

        if (!block)
            return false;
        add_row(row, n, weight * r, !far, block, block + n);
    }
    return true;
}

static zm_status burn(worker *w, size_t fire, zm_error *err)
{
    calibration *c = w->c;
    const zm_fire_evidence *f = &c->fires[fire];
    const double horizon = horizon_of(f);
    double factor[ZM_FUEL_NUMBERS];
    zm_physics_params params;
    zm_physics_change change;
    zm_status st = ZM_OK;

    params_of(c, factor, &params);
    ZM_GO(zm_physics_set_fire(w->model, f->fire, &params, horizon, err));
    ZM_GO(zm_physics_arrival(w->model, f->sources, f->n_sources, horizon, w->T, err));
    for (size_t k = 0; k < c->n && !c->only_objective; k++) {
        direction_of(c, k, factor, &change);
        ZM_GO(zm_physics_tangent(w->model, &change, w->J + k * c->n_cells, err));
    }
    for (size_t b = 0; b < block_count(c); b++)
        w->block_at[b] = -1;
    for (size_t i = 0; i < c->n_cells; i++)
        if (!add_cell(w, f, i, &c->per_fire[fire]))
            ZM_GO(zm_fail(err, ZM_E_NOMEM, -1, "sums over blocks of cells"));
done:
    return st;
}

static zm_status open_worker(calibration *c, worker *w, zm_error *err)
{
    *w = (worker){ .c = c };
    w->T = zm_block(&c->mem, c->n_cells, sizeof *w->T);
    w->J = zm_block(&c->mem, c->n_cells * c->n, sizeof *w->J);
    w->block_at = zm_block(&c->mem, block_count(c), sizeof *w->block_at);
    if (!w->T || !w->J || !w->block_at)
        return zm_fail(err, ZM_E_NOMEM, -1, "calibration of %zu unknowns", c->n);
    return zm_physics_create(&w->model, c->land, c->physics, err);
}

static void work(void *ctx, int32_t thread)
{
    calibration *c = ctx;
    zm_error err = { 0 };
    worker w;
    zm_status st = open_worker(c, &w, &err);

    (void)thread;
    while (st >= 0) {
        const size_t fire = atomic_fetch_add(&c->next, 1);

        if (fire >= c->n_fires)
            break;
        st = burn(&w, fire, &err);
    }
    if (st < 0) {
        zm_spin_lock(&c->lock);
        if (c->status == ZM_OK) { /* of the first that failed */
            c->status = st;
            if (c->err)
                *c->err = err;
        }
        zm_spin_unlock(&c->lock);
    }
    zm_physics_destroy(w.model);
    zm_release(&c->mem, w.T);
    zm_release(&c->mem, w.J);
    zm_release(&c->mem, w.block_at);
}

/** Sums over all fires, and the prior. */
typedef struct normal_equations {
    double A[ZM_MOST_CALIBRATED * ZM_MOST_CALIBRATED]; /* lower triangle */
    double g[ZM_MOST_CALIBRATED];
    double objective, squares;
    size_t cells;
} normal_equations;

static void clear_sums(calibration *c)
{
    const size_t nn = c->n * c->n, each = nn + c->n;

    memset(c->memory, 0, c->n_fires * each * sizeof *c->memory);
    for (size_t f = 0; f < c->n_fires; f++) {
        double *m = c->memory + f * each;

        c->per_fire[f] = (sums){ .A = m, .g = m + nn };
    }
}

static double precision(const calibration *c, size_t k)
{
    return c->opts.outlier * c->opts.outlier / (c->spread[k] * c->spread[k]);
}

/* Burns all fires at c->x. */
static zm_status evaluate(calibration *c, normal_equations *e)
{
    const size_t n = c->n;

    clear_sums(c);
    atomic_store(&c->next, 0);
    c->status = ZM_OK;
    zm_parallel(c->opts.threads, work, c);
    if (c->status < 0)
        return c->status;
    memset(e, 0, sizeof *e);
    for (size_t f = 0; f < c->n_fires; f++) {
        const sums *s = &c->per_fire[f];

        for (size_t k = 0; k < n * n; k++)
            e->A[k] += s->A[k];
        for (size_t k = 0; k < n; k++)
            e->g[k] += s->g[k];
        e->objective += s->objective;
        e->squares += s->squares;
        e->cells += s->cells;
    }
    for (size_t k = 0; k < n; k++) {
        const double p = precision(c, k);

        e->A[k * n + k] += p;
        e->g[k] += p * c->x[k];
        e->objective += 0.5 * p * c->x[k] * c->x[k];
    }
    return ZM_OK;
}

/* dx of the damped normal equations, not longer than LARGEST_STEP in any logarithm. */
static bool step(const calibration *c, const normal_equations *e, double damping,
                 double *dx)
{
    const size_t n = c->n;
    double L[ZM_MOST_CALIBRATED * ZM_MOST_CALIBRATED], longest = 0;

    memcpy(L, e->A, n * n * sizeof *L);
    for (size_t k = 0; k < n; k++) {
        L[k * n + k] *= 1 + damping;
        dx[k] = -e->g[k];
    }
    if (!zm_cholesky(L, n))
        return false;
    zm_cholesky_solve(L, n, dx);
    for (size_t k = 0; k < n; k++) {
        const double unit = c->items[k].kind == ZM_CALIBRATED_MOISTURE ? 3 : 1;

        longest = fmax(longest, fabs(dx[k]) / unit);
    }
    for (size_t k = 0; k < n && longest > LARGEST_STEP; k++)
        dx[k] *= LARGEST_STEP / longest;
    return true;
}

static double largest(const double *dx, size_t n)
{
    double most = 0;

    for (size_t k = 0; k < n; k++)
        most = fmax(most, fabs(dx[k]));
    return most;
}

/* Keeps the moisture within what the model takes. */
static void move(calibration *c, const double *from, const double *dx)
{
    for (size_t k = 0; k < c->n; k++) {
        c->x[k] = from[k] + dx[k];
        if (c->items[k].kind == ZM_CALIBRATED_MOISTURE)
            c->x[k] = fmin(fmax(c->x[k], -30), 30);
        else
            c->x[k] = fmin(fmax(c->x[k], -4), 4);
    }
}

/* Cells that are not reached have no derivative: a fire that is much too slow looks as if it
 * could only get worse.  So the factor of all fuels starts from the best of a few. */
static zm_status choose_start(calibration *c, normal_equations *e)
{
    static const double tried[] = { 1, 0.5, 2, 0.25, 4 };
    double best = HUGE_VAL, start = 0;
    size_t rate = 0;
    zm_status st = ZM_OK;

    while (rate < c->n && c->items[rate].kind != ZM_CALIBRATED_RATE)
        rate++;
    if (rate == c->n)
        return ZM_OK;
    c->only_objective = true;
    for (size_t i = 0; st >= 0 && i < sizeof tried / sizeof *tried; i++) {
        c->x[rate] = log(tried[i]);
        st = evaluate(c, e);
        if (st >= 0 && c->opts.progress &&
            c->opts.progress(c->opts.progress_ctx, 0, e->objective))
            st = zm_fail(c->err, ZM_E_CANCELLED, -1, "calibration cancelled");
        if (st >= 0 && e->objective < best) {
            best = e->objective;
            start = c->x[rate];
        }
    }
    c->only_objective = false;
    c->x[rate] = start;
    return st;
}

/* Levenberg and Marquardt: the damping falls by 10 after a good step and grows by 10 after a
 * bad one.  `here` and c->x are the best so far at the end. */
static zm_status minimise(calibration *c, normal_equations *here,
                          normal_equations *there, zm_calibration *out)
{
    double damping = 1e-4, dx[ZM_MOST_CALIBRATED], from[ZM_MOST_CALIBRATED];

    for (out->iterations = 0; out->iterations < c->opts.max_iterations;
         out->iterations++) {
        zm_status st;

        if (c->opts.progress &&
            c->opts.progress(c->opts.progress_ctx, out->iterations, here->objective))
            return zm_fail(c->err, ZM_E_CANCELLED, -1, "calibration cancelled");
        if (!step(c, here, damping, dx)) {
            damping = fmax(10 * damping, 1e-6);
            continue;
        }
        memcpy(from, c->x, sizeof from);
        move(c, from, dx);
        st = evaluate(c, there);
        if (st < 0)
            return st;
        if (there->objective <= here->objective) {
            const double gain = here->objective - there->objective;

            *here = *there;
            damping = fmax(damping / 10, 1e-9);
            if (largest(dx, c->n) < SMALL_STEP || gain < SMALL_GAIN * here->objective) {
                out->converged = 1;
                return ZM_OK;
            }
        } else {
            memcpy(c->x, from, sizeof from);
            damping *= 10;
            if (largest(dx, c->n) < SMALL_STEP || damping > 1e8) {
                out->converged = 1; /* to the kinks of the discrete times */
                return evaluate(c, here);
            }
        }
    }
    return zm_fail(c->err, ZM_NOT_CONVERGED, -1, "calibration stopped after %d steps",
                   (int)c->opts.max_iterations);
}

/* Half widths of the intervals of the unknowns: from blocks or, where some fires tell of it,
 * from fires, whichever are wider. */
static zm_status half_widths(calibration *c, normal_equations *e, double *out)
{
    const size_t n = c->n, each = n + n * n;
    double prior[ZM_MOST_CALIBRATED];
    zm_jackknife blocks, fires;
    zm_status st;

    c->in_blocks = true;
    if ((st = evaluate(c, e)) < 0)
        return st;
    for (size_t k = 0; k < n; k++)
        prior[k] = precision(c, k);
    zm_jackknife_begin(&blocks, n, prior, c->opts.outlier);
    for (size_t f = 0; f < c->n_fires; f++)
        for (size_t b = 0; b < c->per_fire[f].n_blocks; b++)
            zm_jackknife_sum(&blocks, c->per_fire[f].blocks + b * each + n);
    fires = blocks;
    for (size_t f = 0; f < c->n_fires; f++) {
        const sums *s = &c->per_fire[f];
        double *whole = e->A; /* its place is free now */

        memset(whole, 0, n * n * sizeof *whole);
        for (size_t b = 0; b < s->n_blocks; b++) {
            const double *block = s->blocks + b * each;

            zm_jackknife_leave(&blocks, block, block + n);
            for (size_t k = 0; k < n * n; k++)
                whole[k] += block[n + k];
        }
        zm_jackknife_leave(&fires, s->g, whole);
    }
    for (size_t k = 0; k < n; k++) {
        double deviation = zm_jackknife_deviation(&blocks, k);

        if (zm_jackknife_support(&fires, k) >= LEAST_FIRES)
            deviation = fmax(deviation, zm_jackknife_deviation(&fires, k));
        out[k] = NORMAL_95 * deviation;
    }
    return ZM_OK;
}

static void report(const calibration *c, const double *half, zm_calibration *out)
{
    zm_physics_params params;

    out->n = c->n;
    for (size_t k = 0; k < c->n; k++) {
        zm_calibrated *item = &out->items[k];
        const double x = c->x[k];

        *item = c->items[k];
        if (item->kind == ZM_CALIBRATED_MOISTURE) {
            item->value = out->moisture_offset = x;
            item->low = x - half[k];
            item->high = x + half[k];
        } else {
            item->value = exp(x);
            item->low = exp(x - half[k]);
            item->high = exp(x + half[k]);
            if (item->kind == ZM_CALIBRATED_WIND)
                out->wind_factor = item->value;
            else if (item->kind == ZM_CALIBRATED_RATE)
                out->rate_factor = item->value;
        }
    }
    params_of(c, out->fuel_factor, &params);
}

static void add_unknown(calibration *c, zm_calibrated_kind kind, int32_t fuel,
                        int64_t cells, double spread)
{
    if (c->n == ZM_MOST_CALIBRATED)
        return;
    c->items[c->n] = (zm_calibrated){ .kind = kind, .fuel = fuel, .cells = cells };
    c->spread[c->n++] = spread;
}

/* Which unknowns there are: fuels with enough cells that were seen to burn. */
static void choose_unknowns(calibration *c)
{
    int64_t cells[ZM_FUEL_NUMBERS] = { 0 }, all = 0;

    for (size_t f = 0; f < c->n_fires; f++)
        for (size_t i = 0; i < c->n_cells; i++) {
            const float fuel = c->land->layers[ZM_LAYER_FUEL][i];

            if (c->fires[f].latest[i] < INFINITY && fuel >= 0 &&
                fuel < ZM_FUEL_NUMBERS) {
                cells[(int)fuel]++;
                all++;
            }
        }
    if (c->opts.fit_wind)
        add_unknown(c, ZM_CALIBRATED_WIND, 0, all, c->opts.wind_spread);
    if (c->opts.fit_moisture)
        add_unknown(c, ZM_CALIBRATED_MOISTURE, 0, all, c->opts.moisture_spread);
    if (c->opts.fit_rate)
        add_unknown(c, ZM_CALIBRATED_RATE, 0, all, c->opts.rate_spread);
    for (int32_t k = 0; c->opts.fit_fuels && k < ZM_FUEL_NUMBERS; k++)
        if (cells[k] >= c->opts.least_cells && cells[k] > 0 &&
            (double)cells[k] >= c->opts.least_share * (double)all &&
            zm_landscape_fuel(c->land, k))
            add_unknown(c, ZM_CALIBRATED_FUEL, k, cells[k], c->opts.fuel_spread);
}

static zm_status check_options(const zm_calibrate_opts *o, zm_error *err)
{
    static const char *const name[] = { "fuel_spread", "wind_spread", "moisture_spread",
                                        "rate_spread", "outlier" };
    const double positive[] = { o->fuel_spread, o->wind_spread, o->moisture_spread,
                                o->rate_spread, o->outlier };

    if (o->threads < 1 || o->max_iterations < 1)
        return zm_fail(err, ZM_E_ARG, -1,
                       "%d threads, %d iterations, must be at least 1", (int)o->threads,
                       (int)o->max_iterations);
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
        if (!(positive[i] >= SMALLEST && positive[i] <= LARGEST))
            return zm_fail(err, ZM_E_ARG, -1, "%s %g, must be %g to %g", name[i],
                           positive[i], SMALLEST, LARGEST);
    if (!(o->least_share >= 0 && o->least_share < 1))
        return zm_fail(err, ZM_E_ARG, -1, "least_share = %g must be in [0, 1)",
                       o->least_share);
    return ZM_OK;
}

static zm_status check_evidence(const calibration *c, zm_error *err)
{
    if (c->land->rows < 1 || c->land->cols < 1)
        return zm_fail(err, ZM_E_ARG, -1, "landscape of %d x %d cells",
                       (int)c->land->rows, (int)c->land->cols);
    if (!c->land->layers[ZM_LAYER_FUEL])
        return zm_fail(err, ZM_E_ARG, -1, "landscape has no layer fuel");
    if (c->n_fires < 1 || !c->fires)
        return zm_fail(err, ZM_E_ARG, -1, "no fires to calibrate with");
    for (size_t f = 0; f < c->n_fires; f++) {
        const zm_fire_evidence *e = &c->fires[f];

        if (!e->fire || !e->earliest || !e->latest)
            return zm_fail(err, ZM_E_ARG, -1, "fire %zu: %s is NULL", f,
                           !e->fire       ? "fire"
                           : !e->earliest ? "earliest"
                                          : "latest");
        if (!(e->begin >= 0 && e->duration > e->begin && e->duration < HUGE_VAL))
            return zm_fail(err, ZM_E_ARG, -1,
                           "observation of fire %zu from hour %g to %g, must end later "
                           "than it begins, from hour 0 on",
                           f, e->begin, e->duration);
    }
    return ZM_OK;
}

static zm_status fit(calibration *c, zm_calibration *out, zm_error *err)
{
    normal_equations *both = zm_block(&c->mem, 2, sizeof *both);
    double half[ZM_MOST_CALIBRATED];
    zm_status st = ZM_OK, ended = ZM_OK;

    if (!both)
        return zm_fail(err, ZM_E_NOMEM, -1, "normal equations");
    ZM_GO(evaluate(c, &both[0]));
    if (both[0].cells == 0)
        ZM_GO(zm_fail(err, ZM_E_ARG, -1, "no cell of the fires is observed"));
    out->error_before = sqrt(both[0].squares / (double)both[0].cells);
    if (c->opts.fit_rate) {
        ZM_GO(choose_start(c, &both[1]));
        ZM_GO(evaluate(c, &both[0]));
    }
    ZM_GO(ended = minimise(c, &both[0], &both[1], out));
    out->error_after = sqrt(both[0].squares / (double)both[0].cells);
    ZM_GO(half_widths(c, &both[0], half));
    report(c, half, out);
    st = ended;
done:
    zm_release(&c->mem, both);
    return st;
}

zm_status zm_calibrate(const zm_landscape *landscape, const zm_physics_opts *physics,
                       const zm_fire_evidence *fires, size_t n,
                       const zm_calibrate_opts *opts, zm_calibration *out,
                       zm_error *err)
{
    calibration c = { .land = landscape,
                      .physics = physics,
                      .fires = fires,
                      .n_fires = n,
                      .n_cells = (size_t)landscape->rows * (size_t)landscape->cols,
                      .opts = ZM_CALIBRATE_OPTS_INIT,
                      .mem = zm_alloc_or_default(physics ? &physics->mem : NULL),
                      .lock = { ATOMIC_FLAG_INIT },
                      .err = err };
    zm_status st;

    memset(out, 0, sizeof *out);
    out->wind_factor = out->rate_factor = 1;
    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        out->fuel_factor[k] = 1;
    ZM_GO(zm_options_read(&c.opts, sizeof c.opts, opts, "zm_calibrate_opts", err));
    ZM_GO(check_options(&c.opts, err));
    ZM_GO(check_evidence(&c, err));
    choose_unknowns(&c);
    if (c.n == 0)
        ZM_GO(
            zm_fail(err, ZM_E_ARG, -1,
                    "nothing to fit: no fuel has %lld observed cells and a share of %g",
                    (long long)c.opts.least_cells, c.opts.least_share));
    c.per_fire = zm_zalloc(&c.mem, n, sizeof *c.per_fire);
    c.memory = zm_block(&c.mem, n * (c.n * c.n + c.n), sizeof *c.memory);
    if (!c.per_fire || !c.memory)
        ZM_GO(zm_fail(err, ZM_E_NOMEM, -1, "sums of %zu fires", n));
    st = fit(&c, out, err);
done:
    for (size_t f = 0; c.per_fire && f < n; f++)
        zm_release(&c.mem, c.per_fire[f].blocks);
    zm_release(&c.mem, c.per_fire);
    zm_release(&c.mem, c.memory);
    return st;
}
