/* SPDX-License-Identifier: Apache-2.0
 * The public side of solves with bands: handles, checks, batches. */
#include "eikonal/timed/bands.h"

#include <math.h>
#include <stdatomic.h>

#include "core/batch.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"

static zm_status opts_read(zm_bands_opts *o, const zm_bands_opts *opts, zm_error *err)
{
    const zm_status st = zm_options_read(o, sizeof *o, opts, "zm_bands_opts", err);

    if (st != ZM_OK)
        return st;
    if (o->threads < 1 || o->batch < 1)
        return zm_fail(err, ZM_E_ARG, -1, "threads %d, batch %d, must be at least 1",
                       (int)o->threads, (int)o->batch);
    if (o->cost != ZM_BANDS_OWN && o->cost != ZM_BANDS_MEAN)
        return zm_fail(err, ZM_E_ARG, -1,
                       "cost %d, must be ZM_BANDS_OWN or ZM_BANDS_MEAN", (int)o->cost);
    if (o->reach < 1 || o->reach > ZM_BANDS_MOST_REACH)
        return zm_fail(err, ZM_E_ARG, -1, "reach %d, must be in 1..%d", (int)o->reach,
                       ZM_BANDS_MOST_REACH);
    if (!o->mem.allocate != !o->mem.release)
        return zm_fail(err, ZM_E_ARG, -1,
                       "mem has only one of its functions, give both or neither");
    return ZM_OK;
}

zm_status zm_bands_create(zm_bands **out, zm_grid grid, zm_dtype dtype,
                          const zm_bands_opts *opts, zm_error *err)
{
    zm_bands_opts o = ZM_BANDS_OPTS_INIT;
    zm_alloc mem;
    zm_bands *b;
    zm_status st;

    if (!out)
        return zm_fail(err, ZM_E_ARG, -1, "out is NULL");
    *out = NULL;
    if ((st = opts_read(&o, opts, err)) != ZM_OK ||
        (st = zm_grid_check(grid, err)) != ZM_OK)
        return st;
    if (dtype != ZM_F64 && dtype != ZM_F32)
        return zm_fail(err, ZM_E_ARG, -1, "dtype %d, must be ZM_F64 or ZM_F32",
                       (int)dtype);
    mem = zm_alloc_or_default(&o.mem);
    if (!(b = zm_zalloc(&mem, 1, sizeof *b)))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for a handle");
    *b = (zm_bands){ .grid = grid, .dtype = dtype, .opts = o, .mem = mem };
    zm_grid_cells(grid, &b->cells);
    st = ZM_E_NOMEM;
    if (!(b->slots = zm_zalloc(&mem, (size_t)o.batch, sizeof *b->slots)))
        zm_fail(err, st, -1, "no memory for a batch of %d", (int)o.batch);
    else
        st = ZM_OK;
    for (int32_t i = 0; st == ZM_OK && i < o.batch; i++)
        st = zm_bands_slot_create(&b->slots[i], grid, &o, &mem, err);
    if (st != ZM_OK) {
        zm_bands_destroy(b);
        return st;
    }
    *out = b;
    return ZM_OK;
}

void zm_bands_destroy(zm_bands *bands)
{
    zm_alloc mem;

    if (!bands)
        return;
    mem = bands->mem;
    for (int32_t i = 0; bands->slots && i < bands->opts.batch; i++)
        zm_bands_slot_destroy(bands->slots[i]);
    zm_release(&mem, bands->slots);
    zm_release(&mem, bands);
}

size_t zm_bands_bytes(const zm_bands *bands)
{
    size_t bytes = sizeof *bands;

    for (int32_t i = 0; i < bands->opts.batch; i++)
        bytes += sizeof *bands->slots + bands->slots[i]->bytes;
    return bytes;
}

static zm_status starts_check(const zm_bands_problem *p, zm_error *err)
{
    for (size_t k = 0; k < p->n_bands; k++) {
        if (!isfinite(p->starts[k]))
            return zm_fail(err, ZM_E_ARG, -1, "band %zu starts at %g, must be finite",
                           k, p->starts[k]);
        if (k > 0 && !(p->starts[k] > p->starts[k - 1]))
            return zm_fail(
                err, ZM_E_ARG, -1,
                "band %zu starts at %.9g, must be later than band %zu at %.9g", k,
                p->starts[k], k - 1, p->starts[k - 1]);
    }
    return ZM_OK;
}

zm_status zm_bands_check(const zm_bands *b, const zm_bands_problem *p, zm_error *err)
{
    const double one = 1;
    zm_problem shape = { .size = sizeof(zm_problem), .metric = { .dtype = b->dtype, .g11 = &one } };
    zm_status st;

    if (!p)
        return zm_fail(err, ZM_E_ARG, -1, "problem is NULL");
    if (p->n_bands < 1 || !p->starts)
        return zm_fail(err, ZM_E_ARG, -1, "no bands: n_bands is 0 or starts is NULL");
    if (!p->bands == !p->fill)
        return zm_fail(err, ZM_E_ARG, -1, "give either bands or fill");
    if ((st = starts_check(p, err)) != ZM_OK)
        return st;
    shape.sources = p->sources;
    shape.n_sources = p->n_sources;
    shape.walls = p->walls;
    for (size_t k = 0; p->bands && k < p->n_bands; k++) {
        const zm_metric *m = &p->bands[k].metric;

        if (m->dtype != b->dtype)
            return zm_fail(err, ZM_E_ARG, -1,
                           "band %zu is %s, the handle was made for %s", k,
                           zm_dtype_name(m->dtype), zm_dtype_name(b->dtype));
        if (!m->g11 || !m->b1 != !m->b2)
            return zm_fail(err, ZM_E_ARG, -1,
                           "band %zu: plane %s is NULL (b1 and b2 come together)", k,
                           !m->g11  ? "g11"
                           : !m->b1 ? "b1"
                                    : "b2");
    }
    if ((st = zm_problem_check_shape(b->grid, &shape, err)) != ZM_OK)
        return st;
    return zm_problem_check_whole(&shape, err);
}

static zm_status solve_opts_read(zm_bands_solve_opts *o,
                                 const zm_bands_solve_opts *opts, zm_error *err)
{
    const zm_status st =
        zm_options_read(o, sizeof *o, opts, "zm_bands_solve_opts", err);

    if (st != ZM_OK)
        return st;
    if (isnan(o->t_max))
        return zm_fail(err, ZM_E_ARG, -1, "t_max is not a number");
    if (o->max_cells < 0)
        return zm_fail(err, ZM_E_ARG, -1, "max_cells %lld, must be at least 0",
                       (long long)o->max_cells);
    return ZM_OK;
}

static void times_store(const zm_bands *b, const zm_bands_slot *s, void *T)
{
    for (size_t i = 0; i < b->cells; i++)
        if (b->dtype == ZM_F32)
            ((float *)T)[i] = (float)s->T[i];
        else
            ((double *)T)[i] = s->T[i];
}

static void report_fill(const zm_bands_slot *s, zm_bands_report *r)
{
    *r = (zm_bands_report){ .cells = (int64_t)s->n_order,
                            .updates = s->n_updates,
                            .reopened = s->n_reopened,
                            .windows = s->n_filled,
                            .last = -(double)INFINITY,
                            .last_band = -1 };
    for (size_t i = 0; i < s->n_order; i++)
        r->last = fmax(r->last, s->T[s->order[i]]);
    if (s->n_order > 0)
        r->last_band = (int32_t)zm_band_at(s, r->last);
}

static zm_status solve(const zm_bands *b, zm_bands_slot *s,
                       const zm_bands_problem *problem, void *T,
                       const zm_bands_solve_opts *opts, zm_bands_report *report,
                       zm_error *err)
{
    zm_status st;

    s->state = ZM_BANDS_NO_RECORD;
    if (report)
        *report = (zm_bands_report){ .last = -(double)INFINITY, .last_band = -1 };
    if (!T)
        return zm_fail(err, ZM_E_ARG, -1, "T is NULL, must have room for %zu values",
                       b->cells);
    if ((st = zm_bands_check(b, problem, err)) != ZM_OK)
        return st;
    st = zm_bands_march(s, problem, opts, err);
    if (st < 0)
        return st;
    times_store(b, s, T);
    if (report)
        report_fill(s, report);
    return st;
}

zm_status zm_bands_solve(zm_bands *bands, const zm_bands_problem *problem, void *T,
                         const zm_bands_solve_opts *opts, zm_bands_report *report,
                         zm_error *err)
{
    zm_bands_solve_opts o = ZM_BANDS_SOLVE_OPTS_INIT;
    const zm_status st = solve_opts_read(&o, opts, err);

    if (st != ZM_OK)
        return st;
    return solve(bands, bands->slots[0], problem, T, &o, report, err);
}

typedef struct solve_batch {
    const zm_bands *b;
    const zm_bands_problem *problems;
    size_t n;
    void *const *T;
    const zm_bands_solve_opts *opts;
    zm_bands_report *reports;
    atomic_size_t finished;
    atomic_bool cancelled;
} solve_batch;

/* On the calling thread: the share of the whole batch. */
static int batch_progress(void *ctx, double fraction)
{
    solve_batch *run = ctx;
    const double done = (double)atomic_load(&run->finished) + fraction;

    if (run->opts->progress(run->opts->progress_ctx, fmin(1.0, done / (double)run->n)))
        atomic_store(&run->cancelled, true);
    return atomic_load(&run->cancelled);
}

/* On the others: only whether to go on. */
static int batch_go_on(void *ctx, double fraction)
{
    solve_batch *run = ctx;

    (void)fraction;
    return atomic_load(&run->cancelled);
}

static zm_status batch_solve(void *ctx, size_t i, int32_t thread, zm_error *err)
{
    solve_batch *run = ctx;
    zm_bands_slot *slot = zm_bands_slot_of(run->b, run->n, i, thread);
    zm_bands_solve_opts o = *run->opts;
    zm_status st;

    o.progress_ctx = run;
    if (o.progress)
        o.progress = thread == 0 ? batch_progress : batch_go_on;
    if (o.progress && o.progress(run, 0.0))
        return zm_fail(err, ZM_E_CANCELLED, -1, "cancelled by the progress callback");
    st = solve(run->b, slot, &run->problems[i], run->T[i], &o,
               run->reports ? &run->reports[i] : NULL, err);
    if (run->n > (size_t)run->b->opts.batch)
        slot->state = ZM_BANDS_NO_RECORD;
    atomic_fetch_add(&run->finished, 1);
    return st;
}

zm_status zm_bands_solve_batch(zm_bands *bands, const zm_bands_problem *problems,
                               size_t n, void *const *T,
                               const zm_bands_solve_opts *opts,
                               zm_bands_report *reports, zm_error *err)
{
    zm_bands_solve_opts o = ZM_BANDS_SOLVE_OPTS_INIT;
    solve_batch run = {
        .b = bands, .problems = problems, .n = n, .T = T, .opts = &o, .reports = reports
    };
    const zm_status st = solve_opts_read(&o, opts, err);

    if (st != ZM_OK)
        return st;
    if (n && (!problems || !T))
        return zm_fail(err, ZM_E_ARG, -1, "problems or T is NULL");
    for (int32_t i = 0; i < bands->opts.batch; i++)
        bands->slots[i]->state = ZM_BANDS_NO_RECORD;
    return zm_batch_all(zm_bands_threads(bands), n, batch_solve, &run, err);
}
