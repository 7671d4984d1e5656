/* SPDX-License-Identifier: Apache-2.0
 * Runs an inversion: progress, checkpoints, L-curve. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/solution.h"
#include "common/stopwatch.h"
#include "invert.h"

#define CHECKPOINT_SECONDS 5.0
/* Residuals this much larger than stated are worth a warning. */
#define LARGE_CHI2 2.0

/* A checkpoint is a row of numbers: this one, then those of zm_inversion_save, which tell whether
 * they are of the same problem. */
enum { FORMAT, CHECKPOINT_HEAD };
#define CHECKPOINT_FORMAT 2.0

typedef struct runner {
    zm_inversion *handle; /* NULL: not made yet */
    const invert_settings *settings;
    progress bar;
    double done;  /* share of the run */
    double saved; /* when the last checkpoint was written */
    bool unsaved; /* the last one could not be written */
} runner;

/* ---- checkpoint ------------------------------------------------------------------- */

static zm_status checkpoint_write(runner *r, zm_error *err)
{
    const size_t n = CHECKPOINT_HEAD + zm_inversion_state_size(r->handle);
    double *state = grow(NULL, n, sizeof *state);
    zm_status st;

    state[FORMAT] = CHECKPOINT_FORMAT;
    st = zm_inversion_save(r->handle, state + CHECKPOINT_HEAD, err);
    if (st >= 0)
        st = zm_npy_write(r->settings->checkpoint, ZM_NPY_F64, 1, &n, state, err);
    free(state);
    r->saved = seconds_now();
    return st;
}

/* A run that cannot write it goes on, says so, and ends with the status of a failure unless a
 * later one is written. */
static void checkpoint_try(runner *r)
{
    zm_error err;

    if (!r->settings->checkpoint)
        return;
    r->unsaved = checkpoint_write(r, &err) < 0;
    if (r->unsaved) {
        progress_end(&r->bar);
        failure("cannot write --checkpoint %s; going on without it", err.text);
    }
}

static int checkpoint_check(const runner *r, const zm_npy *a)
{
    const double *head = a->data;

    if (a->ndim != 1 || a->count < CHECKPOINT_HEAD || head[FORMAT] != CHECKPOINT_FORMAT)
        return failure("--checkpoint %s is no checkpoint of zermelo invert",
                       r->settings->checkpoint);
    return DONE;
}

static int checkpoint_read(runner *r)
{
    const char *path = r->settings->checkpoint;
    struct stat info;
    zm_npy a = { 0 };
    zm_error err;
    int code;

    if (stat(path, &info) && errno == ENOENT) {
        note("no checkpoint %s yet; starting afresh", path);
        return DONE;
    }
    if (zm_npy_read(path, ZM_NPY_F64, &a, &err) < 0)
        return failure("cannot read --checkpoint %s", err.text);
    GO(checkpoint_check(r, &a));
    if (zm_inversion_load(r->handle, (const double *)a.data + CHECKPOINT_HEAD,
                          a.count - CHECKPOINT_HEAD, &err) < 0)
        code = failure("--checkpoint %s: %s", path, err.text);
done:
    zm_npy_free(&a);
    return code;
}

zm_invert_report inversion_report(const zm_inversion *handle)
{
    zm_invert_report report = ZM_INVERT_REPORT_INIT;

    (void)zm_inversion_report(handle, &report, NULL); /* cannot fail */
    return report;
}

/* ---- callback --------------------------------------------------------------------- */

static int progressed(void *ctx, double done)
{
    runner *r = ctx;

    r->done = done;
    return interrupt_pending();
}

static int step(void *ctx, const zm_invert_iteration *p)
{
    runner *r = ctx;

    progress_line(&r->bar, "%3.0f %%, %siteration %d: chi2 %.4g, lambda %.3g, %lld solves",
                  100 * r->done, p->level > 0 ? "start from a coarser grid, " : "",
                  (int)p->iteration, p->chi2, p->lambda, (long long)p->solves);
    if (interrupt_pending())
        return 1;
    if (p->level > 0) /* nothing to save yet */
        return 0;
    if (r->settings->checkpoint && seconds_now() - r->saved > CHECKPOINT_SECONDS)
        checkpoint_try(r);
    return 0;
}

/* ---- runs ------------------------------------------------------------------------- */

static zm_invert_opts options_of(runner *r)
{
    const int regulariser = r->settings->regulariser;
    zm_invert_opts o = r->settings->opts;

    if (regulariser == REGULARISER_NONE) {
        o.lambda_rule = ZM_LAMBDA_FIXED;
        o.lambda = 0;
    } else {
        o.regulariser = (zm_reg_kind)regulariser;
    }
    if (regulariser == ZM_REG_FROBENIUS_TV)
        o.metric_map = ZM_METRIC_PLAIN;
    if (regulariser == ZM_REG_LOG_EUCLIDEAN_TV)
        o.metric_map = ZM_METRIC_LOG;
    if (r->settings->lcurve.n) {
        o.lambda_rule = ZM_LAMBDA_LCURVE;
        o.lcurve_points = r->settings->lcurve.n;
    }
    o.monitor = step;
    o.monitor_ctx = r;
    o.progress = progressed;
    o.progress_ctx = r;
    return o;
}

/* A new handle with the data in it. */
static int make(runner *r, const invert_data *d, const zm_invert_opts *opts)
{
    zm_error err;

    zm_inversion_destroy(r->handle);
    if (zm_inversion_create(&r->handle, d->in.grid, opts, &err) < 0)
        return library_failure(&err);
    return invert_data_give(d, r->settings, r->handle);
}

static int interrupted(runner *r)
{
    zm_error err;

    if (!r->settings->checkpoint)
        return interrupt_check();
    if (zm_inversion_state_size(r->handle) == 0)
        return interrupt_status("interrupted before the first iteration; there is "
                                "nothing to go on from");
    if (checkpoint_write(r, &err) < 0)
        return interrupt_status("interrupted, and cannot write --checkpoint %s",
                                err.text);
    return interrupt_status("interrupted after iteration %d; the same command with "
                            "--resume goes on from %s",
                            (int)inversion_report(r->handle).iterations,
                            r->settings->checkpoint);
}

/* What became of a run. */
static int explain(runner *r, zm_status st, const zm_error *err)
{
    progress_end(&r->bar);
    if (interrupt_pending() && (st == ZM_E_CANCELLED || st >= 0))
        return interrupted(r);
    if (st == ZM_E_ARG && r->settings->opts.method == ZM_INVERT_NEWTON)
        return failure(
            "--method newton: one experiment must have the time of every cell, "
            "without noise; --method auto works otherwise");
    if (st == ZM_E_STATE && r->settings->resume)
        return failure(
            "--checkpoint %s: %s; go on with those it was begun with (--max-solves, "
            "--max-iterations, --threads and results may differ), or leave out --resume",
            r->settings->checkpoint, err->text);
    return st < 0 ? library_failure(err) : DONE;
}

/* What the L-curve says, if there is one. */
static void tell_lcurve(inversion *out)
{
    out->lcurve = zm_inversion_lcurve(out->handle, &out->n_lcurve, &out->chosen);
    if (out->n_lcurve == 0)
        return;
    if (!inversion_report(out->handle).lcurve_corner)
        warning("the L-curve has no corner; taking the strength whose chi2 is nearest "
                "to 1");
    note("L-curve: of %zu strengths from %.3g to %.3g, %.3g%s", out->n_lcurve,
         out->lcurve[0].lambda, out->lcurve[out->n_lcurve - 1].lambda,
         out->lcurve[out->chosen].lambda,
         inversion_report(out->handle).lcurve_corner ? " at its corner" : "");
}

static int run_once(runner *r, invert_data *d, const zm_invert_opts *opts)
{
    zm_error err;

    TRY(make(r, d, opts));
    if (r->settings->resume)
        TRY(checkpoint_read(r));
    TRY(explain(r, zm_invert_run(r->handle, &err), &err));
    checkpoint_try(r);
    return DONE;
}

static void tell(const inversion *out, const invert_data *d, const invert_settings *s)
{
    const zm_invert_report report = inversion_report(out->handle);
    bool exact = false;

    for (size_t e = 0; e < d->n_experiments; e++)
        exact |= d->experiments[e].exact;
    note("%d x %d cells, %zu observations of %zu experiment%s: %d iterations, %lld "
         "solves "
         "in %s (%s, %s)",
         (int)d->in.grid.rows, (int)d->in.grid.cols, report.observations,
         report.experiments, report.experiments == 1 ? "" : "s", (int)report.iterations,
         (long long)report.solves, time_of(out->seconds).text,
         invert_method_name(report.method), inversion_stop_name(out));
    note("chi2 %.4g, lambda %.3g", report.chi2, inversion_lambda(out, s));
    if (report.stop == ZM_INVERT_SOLVES)
        warning("stopped at --max-solves %d before the end", (int)s->opts.max_solves);
    if (!exact && report.stop == ZM_INVERT_DONE && report.chi2 > LARGE_CHI2)
        warning("chi2 is %.3g, and would be about 1 if model and sigma were right: "
                "residuals are %.2g times as large as stated",
                report.chi2, sqrt(report.chi2));
}

int inversion_run(inversion *out, invert_data *d, const invert_settings *s)
{
    runner r = { .settings = s,
                 .bar = progress_begin(s->quiet),
                 .saved = -HUGE_VAL };
    const double started = seconds_now();
    const zm_invert_opts opts = options_of(&r);
    const int code = run_once(&r, d, &opts);

    out->handle = r.handle;
    out->unsaved = r.unsaved;
    out->seconds = seconds_now() - started;
    if (code == DONE) {
        tell_lcurve(out);
        tell(out, d, s);
    }
    return code;
}

const char *inversion_stop_name(const inversion *r)
{
    switch (inversion_report(r->handle).stop) {
    case ZM_INVERT_DONE:
        return "done";
    case ZM_INVERT_FITTED:
        return "fitted";
    case ZM_INVERT_ITERATIONS:
        return "max-iterations";
    default:
        return "max-solves";
    }
}

double inversion_lambda(const inversion *r, const invert_settings *s)
{
    return s->regulariser == REGULARISER_NONE ? 0 : inversion_report(r->handle).lambda;
}

void inversion_free(inversion *r)
{
    zm_inversion_destroy(r->handle);
    *r = (inversion){ 0 };
}
