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
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/options.h"
#include "fire/fit/calibration.h"
#include "fire/fit/jackknife.h"
#include "fire/fit/small_matrix.h"

enum { LEAST_FIRES = 2 }; /* that tell how much fires differ */
static const double NORMAL_95 = 1.959964;
/* Of options; objectives stay finite between. */
static const double SMALLEST = 1e-6, LARGEST = 1e3;
static const double LARGEST_STEP = 1;  /* of a logarithm */
static const double SMALL_STEP = 1e-4; /* of a logarithm, or percent: converged */
static const double SMALL_GAIN = 1e-4; /* of the objective, of itself: converged */

/* dx of the damped normal equations, not longer than LARGEST_STEP in any logarithm. */
static bool step(const zm_calibration_run *c, const zm_normal_equations *e,
                 double damping, double *dx)
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

int zm_calibrated_at_bound(const zm_calibrated *p)
{
    const double almost = 1 - 1e-9;

    return p->kind == ZM_CALIBRATED_MOISTURE
               ? fabs(p->value) >= almost * ZM_CALIBRATED_OFFSET_BOUND
               : fabs(log(p->value)) >= almost * ZM_CALIBRATED_LOG_BOUND;
}

size_t zm_calibration_at_bound(const zm_calibration *c)
{
    size_t n = 0;

    for (size_t k = 0; k < c->n; k++)
        n += zm_calibrated_at_bound(&c->items[k]) != 0;
    return n;
}

/* Keeps the moisture within what the model takes. */
static void move(zm_calibration_run *c, const double *from, const double *dx)
{
    for (size_t k = 0; k < c->n; k++) {
        double most = ZM_CALIBRATED_LOG_BOUND;

        if (c->items[k].kind == ZM_CALIBRATED_MOISTURE)
            most = ZM_CALIBRATED_OFFSET_BOUND;
        c->x[k] = fmin(fmax(from[k] + dx[k], -most), most);
    }
}

static zm_status tell(const zm_calibration_run *c, double objective)
{
    const zm_calibrate_iteration now = { c->iterations, objective };

    if (c->opts.monitor && c->opts.monitor(c->opts.monitor_ctx, &now))
        return zm_fail(c->err, ZM_E_CANCELLED, -1, "calibration cancelled");
    return ZM_OK;
}

/* A common factor (logarithm) of all rates, and an offset of the moisture, where they are
 * among the unknowns. */
static void start_from(zm_calibration_run *c, double rate, double moisture)
{
    for (size_t k = 0; k < c->n; k++) {
        const zm_calibrated_kind kind = c->items[k].kind;

        c->x[k] = 0;
        if (kind == ZM_CALIBRATED_MOISTURE)
            c->x[k] = moisture;
        else if (kind == (c->opts.fit_rate ? ZM_CALIBRATED_RATE : ZM_CALIBRATED_FUEL))
            c->x[k] = rate;
    }
}

/* Cells that are not reached have no derivative: a fire that is much too slow looks as if it
 * could only get worse.  So the rates start from the best of a few. */
static zm_status choose_start(zm_calibration_run *c, double moisture,
                              zm_normal_equations *e)
{
    static const double rates[] = { 1, 0.5, 2, 0.25, 4 };
    const size_t n = c->opts.fit_rate || c->opts.fit_fuels ? 5 : 1;
    double best = HUGE_VAL, rate = 0;
    zm_status st = ZM_OK;

    c->only_objective = true;
    for (size_t i = 0; st >= 0 && i < n; i++) {
        start_from(c, log(rates[i]), moisture);
        st = zm_calibration_evaluate(c, e);
        if (st >= 0)
            st = tell(c, e->objective);
        if (st >= 0 && e->objective < best) {
            best = e->objective;
            rate = log(rates[i]);
        }
    }
    c->only_objective = false;
    start_from(c, rate, moisture);
    return st;
}

/* Levenberg and Marquardt: the damping falls by 10 after a good step and grows by 10 after a
 * bad one.  `here` and c->x are the best so far at the end. */
static zm_status minimise(zm_calibration_run *c, zm_normal_equations *here,
                          zm_normal_equations *there, bool *converged)
{
    double damping = 1e-4, dx[ZM_MOST_CALIBRATED], from[ZM_MOST_CALIBRATED];

    for (int32_t i = 0; i < c->opts.max_iterations; i++, c->iterations++) {
        zm_status st = tell(c, here->objective);

        if (st < 0)
            return st;
        if (!step(c, here, damping, dx)) {
            damping = fmax(10 * damping, 1e-6);
            continue;
        }
        memcpy(from, c->x, sizeof from);
        move(c, from, dx);
        ZM_TRY(zm_calibration_evaluate(c, there));
        if (there->objective <= here->objective) {
            const double gain = here->objective - there->objective;

            *here = *there;
            damping = fmax(damping / 10, 1e-9);
            *converged =
                largest(dx, c->n) < SMALL_STEP || gain < SMALL_GAIN * here->objective;
        } else {
            memcpy(c->x, from, sizeof from);
            damping *= 10;
            /* to the kinks of the discrete times */
            *converged = largest(dx, c->n) < SMALL_STEP || damping > 1e8;
        }
        if (*converged)
            return ZM_OK;
    }
    return ZM_OK;
}

/* Wet and fast fires look like dry and slow ones: where the moisture is an unknown there are
 * several minima, and the lowest of those found from a few offsets is taken. */
static zm_status search(zm_calibration_run *c, zm_normal_equations both[2],
                        zm_calibration *out)
{
    static const double offsets[] = { 0, -2, 3 };
    const size_t n = c->opts.fit_moisture ? 3 : 1;
    double best = HUGE_VAL, x[ZM_MOST_CALIBRATED] = { 0 };
    bool converged = false;
    zm_status st = ZM_OK;

    for (size_t i = 0; i < n; i++) {
        bool each = false;

        ZM_GO(choose_start(c, offsets[i], &both[1]));
        ZM_GO(zm_calibration_evaluate(c, &both[0]));
        ZM_GO(minimise(c, &both[0], &both[1], &each));
        if (both[0].objective < best) {
            best = both[0].objective;
            memcpy(x, c->x, sizeof x);
            converged = each;
        }
    }
    memcpy(c->x, x, sizeof x);
    out->iterations = c->iterations;
    out->converged = converged;
    st = converged ? ZM_OK
                   : zm_fail(c->err, ZM_NOT_CONVERGED, -1,
                             "calibration stopped after %d steps",
                             (int)c->opts.max_iterations);
done:
    return st;
}

/* Half widths of the intervals of the unknowns: from blocks or, where some fires tell of it,
 * from fires, whichever are wider. */
static zm_status half_widths(zm_calibration_run *c, zm_normal_equations *e, double *out)
{
    const size_t n = c->n, each = n + n * n;
    double prior[ZM_MOST_CALIBRATED];
    zm_jackknife blocks, fires;

    c->in_blocks = true;
    ZM_TRY(zm_calibration_evaluate(c, e));
    for (size_t k = 0; k < n; k++)
        prior[k] = zm_calibration_prior(c, k);
    zm_jackknife_begin(&blocks, n, prior, c->opts.outlier);
    for (size_t f = 0; f < c->n_fires; f++)
        for (size_t b = 0; b < c->per_fire[f].n_blocks; b++)
            zm_jackknife_sum(&blocks, c->per_fire[f].blocks + b * each + n);
    fires = blocks;
    for (size_t f = 0; f < c->n_fires; f++) {
        const zm_fire_sums *s = &c->per_fire[f];
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

static void report(const zm_calibration_run *c, const double *half, zm_calibration *out)
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
    zm_calibration_params(c, out->fuel_factor, &params);
}

static void add_unknown(zm_calibration_run *c, zm_calibrated_kind kind, int32_t fuel,
                        int64_t cells, double spread)
{
    if (c->n == ZM_MOST_CALIBRATED)
        return;
    c->items[c->n] = (zm_calibrated){ .kind = kind, .fuel = fuel, .cells = cells };
    c->spread[c->n++] = spread;
}

/* Which unknowns there are: fuels with enough cells that were seen to burn. */
static void choose_unknowns(zm_calibration_run *c)
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
    if (!(o->least_share < 1))
        return zm_fail(err, ZM_E_ARG, -1, "least_share = %g must be below 1",
                       o->least_share);
    return ZM_OK;
}

static zm_status check_evidence(const zm_calibration_run *c, zm_error *err)
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

static zm_status fit(zm_calibration_run *c, zm_calibration *out, zm_error *err)
{
    zm_normal_equations *both = zm_block(&c->mem, 2, sizeof *both);
    double half[ZM_MOST_CALIBRATED];
    zm_status st = ZM_OK, ended = ZM_OK;

    if (!both)
        return zm_fail(err, ZM_E_NOMEM, -1, "normal equations");
    ZM_GO(zm_calibration_evaluate(c, &both[0]));
    if (both[0].cells == 0)
        ZM_GO(zm_fail(err, ZM_E_ARG, -1, "no cell of the fires is observed"));
    out->error_before = sqrt(both[0].squares / (double)both[0].cells);
    ZM_GO(ended = search(c, both, out));
    ZM_GO(half_widths(c, &both[0], half));
    out->error_after = sqrt(both[0].squares / (double)both[0].cells);
    report(c, half, out);
    st = ended;
done:
    zm_release(&c->mem, both);
    return st;
}

zm_status zm_calibrate(const zm_landscape *landscape, const zm_fire_evidence *fires,
                       size_t n, zm_calibration *out, const zm_physics_opts *physics,
                       const zm_calibrate_opts *opts, zm_error *err)
{
    zm_calibration_run c = { .land = landscape,
                             .physics = physics,
                             .fires = fires,
                             .n_fires = n,
                             .n_cells =
                                 (size_t)landscape->rows * (size_t)landscape->cols,
                             .opts = ZM_CALIBRATE_OPTS_INIT,
                             .mem = zm_alloc_or_default(physics ? &physics->mem : NULL),
                             .lock = { ATOMIC_FLAG_INIT },
                             .err = err };
    zm_calibration found = ZM_CALIBRATION_INIT;
    zm_status st;

    ZM_TRY(zm_options_check_report(out, "zm_calibration", err));
    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        found.fuel_factor[k] = 1;
    ZM_GO(zm_options_read(&c.opts, sizeof c.opts, opts, "zm_calibrate_opts", err));
    ZM_GO(check_options(&c.opts, err));
    if (c.opts.least_share < 0)
        c.opts.least_share = ZM_CALIBRATE_LEAST_SHARE;
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
    st = fit(&c, &found, err);
done:
    for (size_t f = 0; c.per_fire && f < n; f++)
        zm_release(&c.mem, c.per_fire[f].blocks);
    zm_release(&c.mem, c.per_fire);
    zm_release(&c.mem, c.memory);
    zm_options_write_report(out, &found, sizeof found);
    return st;
}
