/* SPDX-License-Identifier: Apache-2.0
 * Fires of a calibration burned over the threads, and the sums over their cells. */
#include <math.h>
#include <string.h>

#include "core/array.h"
#include "core/fail.h"
#include "fire/fit/calibration.h"

enum { BLOCK = 16 };               /* cells a side of what counts as one group */
static const double HORIZON = 1.5; /* of the durations: fires are followed so long */

void zm_calibration_params(const zm_calibration_run *c, double factor[ZM_FUEL_NUMBERS],
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
static void direction_of(const zm_calibration_run *c, size_t k,
                         const double factor[ZM_FUEL_NUMBERS],
                         zm_physics_change *change)
{
    const int32_t fuel = c->items[k].fuel;

    *change = (zm_physics_change)ZM_PHYSICS_CHANGE_INIT;
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
    zm_calibration_run *c;
    zm_physics *model;
    double *T, *J;     /* J: n planes of dT */
    int32_t *block_at; /* by block: its place in the sums of the fire, or -1 */
} worker;

static size_t blocks_across(const zm_calibration_run *c)
{
    return ((size_t)c->land->cols + BLOCK - 1) / BLOCK;
}

static size_t block_count(const zm_calibration_run *c)
{
    return blocks_across(c) * (((size_t)c->land->rows + BLOCK - 1) / BLOCK);
}

static size_t block_of(const zm_calibration_run *c, size_t cell)
{
    const size_t cols = (size_t)c->land->cols;

    return cell / cols / BLOCK * blocks_across(c) + cell % cols / BLOCK;
}

/* The sums of the block that a cell is in; NULL: no memory. */
static double *block_sums(worker *w, size_t cell, zm_fire_sums *s)
{
    const zm_calibration_run *c = w->c;
    const size_t each = c->n + c->n * c->n, block = block_of(c, cell);

    if (w->block_at[block] < 0) {
        if (!zm_array_reserve_in(&c->mem, NULL, &s->blocks, &s->room_blocks,
                                 s->n_blocks + 1, each * sizeof *s->blocks))
            return NULL;
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

static bool add_cell(worker *w, const zm_fire_evidence *f, size_t i, zm_fire_sums *s)
{
    const zm_calibration_run *c = w->c;
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
    zm_calibration_run *c = w->c;
    const zm_fire_evidence *f = &c->fires[fire];
    const double horizon = horizon_of(f);
    double factor[ZM_FUEL_NUMBERS];
    zm_physics_params params;
    zm_physics_change change;
    zm_status st = ZM_OK;

    zm_calibration_params(c, factor, &params);
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

static zm_status open_worker(zm_calibration_run *c, worker *w, zm_error *err)
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
    zm_calibration_run *c = ctx;
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

static void clear_sums(zm_calibration_run *c)
{
    const size_t nn = c->n * c->n, each = nn + c->n;

    memset(c->memory, 0, c->n_fires * each * sizeof *c->memory);
    for (size_t f = 0; f < c->n_fires; f++) {
        double *m = c->memory + f * each;

        c->per_fire[f] = (zm_fire_sums){ .A = m, .g = m + nn };
    }
}

double zm_calibration_prior(const zm_calibration_run *c, size_t k)
{
    return c->opts.outlier * c->opts.outlier / (c->spread[k] * c->spread[k]);
}

/* Burns all fires at c->x. */
zm_status zm_calibration_evaluate(zm_calibration_run *c, zm_normal_equations *e)
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
        const zm_fire_sums *s = &c->per_fire[f];

        for (size_t k = 0; k < n * n; k++)
            e->A[k] += s->A[k];
        for (size_t k = 0; k < n; k++)
            e->g[k] += s->g[k];
        e->objective += s->objective;
        e->squares += s->squares;
        e->cells += s->cells;
    }
    for (size_t k = 0; k < n; k++) {
        const double p = zm_calibration_prior(c, k);

        e->A[k * n + k] += p;
        e->g[k] += p * c->x[k];
        e->objective += 0.5 * p * c->x[k] * c->x[k];
    }
    return ZM_OK;
}
