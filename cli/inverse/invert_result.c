/* SPDX-License-Identifier: Apache-2.0
 * What an inversion found: fields, standard deviations, residuals, report. */
#include <math.h>
#include <stdlib.h>

#include "common/interrupt.h"
#include "common/json.h"
#include "common/message.h"
#include "common/solution.h"
#include "common/stopwatch.h"
#include "invert.h"
#include "zermelo/version.h"

static zm_metric_out planes_out(double *planes, size_t cells)
{
    return (zm_metric_out){ planes + G11 * cells, planes + G12 * cells,
                            planes + G22 * cells, planes + B1 * cells,
                            planes + B2 * cells };
}

/* Callback of zm_invert_std. */
static int sampled(void *ctx, double fraction)
{
    progress_show(ctx, fraction, "standard deviations");
    return interrupt_pending();
}

/* The run itself is in the checkpoint, if there is one. */
static int interrupted(const invert_settings *s)
{
    return s->checkpoint
               ? interrupt_status("interrupted; the run itself is complete in "
                                  "%s, for the same command with --resume",
                                  s->checkpoint)
               : interrupt_check();
}

static int find_std(invert_result *r, const inversion *run, const invert_data *d,
                    const invert_settings *s)
{
    const size_t cells = cells_of(&d->in);
    const double started = seconds_now();
    zm_invert_std_opts opts = s->std;
    progress bar = progress_begin(s->quiet);
    zm_metric_out out;
    zm_status st;
    zm_error err;

    if (!s->out_std)
        return DONE;
    r->std = grow(NULL, N_PLANES * cells, sizeof *r->std);
    out = planes_out(r->std, cells);
    opts.progress = sampled;
    opts.progress_ctx = &bar;
    st = zm_invert_std(run->handle, &out, &opts, &err);
    progress_end(&bar);
    if (interrupt_pending())
        return interrupted(s);
    if (st < 0)
        return failure("--out-std: %s", err.text);
    r->seconds_std = seconds_now() - started;
    note("standard deviations from %d samples in %s", (int)opts.samples,
         time_of(r->seconds_std).text);
    return DONE;
}

double invert_residual(const invert_data *d, const invert_result *r, size_t e, size_t i)
{
    const experiment_data *x = &d->experiments[e];
    const double T = r->predicted[e][i];

    return T < x->times[i] ? T - x->times[i] : T > x->upper[i] ? T - x->upper[i] : 0;
}

static int find_times(invert_result *r, const inversion *run, const invert_data *d)
{
    const size_t cells = cells_of(&d->in);
    zm_error err;

    r->times = grow(NULL, d->n_experiments * cells, sizeof *r->times);
    r->rms = grow(NULL, d->n_experiments, sizeof *r->rms);
    r->predicted = grow(NULL, d->n_experiments, sizeof *r->predicted);
    for (size_t e = 0; e < d->n_experiments; e++) {
        const size_t n = d->experiments[e].n;
        double sum = 0;

        r->predicted[r->n_experiments++] = grow(NULL, n, sizeof **r->predicted);
        if (zm_inversion_times(run->handle, e, r->times + e * cells, &err) < 0 ||
            zm_inversion_predicted(run->handle, e, r->predicted[e], &err) < 0)
            return library_failure(&err);
        for (size_t i = 0; i < n; i++)
            sum += pow(invert_residual(d, r, e, i), 2);
        r->rms[e] = sqrt(sum / (double)n);
    }
    return DONE;
}

int invert_result_find(invert_result *r, const inversion *run, const invert_data *d,
                       const invert_settings *s)
{
    const size_t cells = cells_of(&d->in);
    zm_metric_out out;
    zm_error err;

    r->planes = grow(NULL, N_PLANES * cells, sizeof *r->planes);
    out = planes_out(r->planes, cells);
    if (zm_inversion_metric(run->handle, &out, &err) < 0)
        return library_failure(&err);
    TRY(find_times(r, run, d));
    return find_std(r, run, d, s);
}

/* ---- report ----------------------------------------------------------------------- */

static void report_experiments(json *j, const invert_result *r, const invert_data *d)
{
    json_open(j, "experiments", '[');
    for (size_t e = 0; e < d->n_experiments; e++) {
        json_open(j, NULL, '{');
        json_int(j, "sources", (int64_t)d->experiments[e].n_sources);
        json_int(j, "observations", (int64_t)d->experiments[e].n);
        json_number(j, "rms_residual", r->rms[e]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void report_lcurve(json *j, const inversion *run)
{
    json_open(j, "lcurve", '[');
    for (size_t i = 0; i < run->n_lcurve; i++) {
        const zm_lcurve_point *p = &run->lcurve[i];

        json_open(j, NULL, '{');
        json_number(j, "lambda", p->lambda);
        json_number(j, "chi2", p->chi2);
        json_number(j, "misfit", p->misfit);
        json_number(j, "regulariser", p->regulariser);
        json_int(j, "solves", p->solves);
        json_bool(j, "corner", i == run->chosen);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void report_history(json *j, const zm_inversion *v)
{
    size_t n;
    const zm_invert_iteration *p = zm_inversion_history(v, &n);

    json_open(j, "history", '[');
    for (size_t i = 0; i < n; i++, p++) {
        json_open(j, NULL, '{');
        json_int(j, "iteration", p->iteration);
        json_int(j, "stage", p->stage);
        json_text(j, "method", invert_method_name(p->method));
        json_int(j, "solves", p->solves);
        json_int(j, "products", p->products);
        json_number(j, "chi2", p->chi2);
        json_number(j, "misfit", p->misfit);
        json_number(j, "lambda", p->lambda);
        json_number(j, "eps", p->eps);
        json_number(j, "objective", p->objective);
        json_number(j, "step", p->step);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static int save_report(const invert_result *r, const inversion *run,
                       const invert_data *d, const invert_settings *s)
{
    const zm_invert_report report = inversion_report(run->handle);
    json j = { 0 };

    if (!s->json)
        return DONE;
    json_open(&j, NULL, '{');
    json_text(&j, "version", zm_version());
    json_text(&j, "verb", "invert");
    json_int(&j, "rows", d->in.grid.rows);
    json_int(&j, "cols", d->in.grid.cols);
    json_int(&j, "threads", s->opts.threads);
    json_text(&j, "unknown", invert_unknown_name(s->opts.unknown));
    json_text(&j, "regulariser", invert_regulariser_name(s->regulariser));
    json_text(&j, "misfit_kind", invert_misfit_name(s->opts.misfit));
    json_text(&j, "stencils", choice_name(stencil_choices, (int)s->opts.stencils));
    json_text(&j, "method", invert_method_name(report.method));
    json_text(&j, "stop", inversion_stop_name(run));
    json_int(&j, "observations", (int64_t)report.observations);
    json_int(&j, "iterations", report.iterations);
    json_int(&j, "solves", report.solves);
    json_int(&j, "products", report.products);
    json_number(&j, "chi2", report.chi2);
    json_number(&j, "misfit", report.misfit);
    json_number(&j, "lambda", inversion_lambda(run, s));
    json_number(&j, "regulariser_value", report.regulariser);
    json_number(&j, "slowness", report.slowness);
    json_number(&j, "seconds", run->seconds);
    if (r->std) {
        json_int(&j, "samples", s->std.samples);
        json_number(&j, "seconds_std", r->seconds_std);
    }
    report_experiments(&j, r, d);
    if (run->n_lcurve)
        report_lcurve(&j, run);
    report_history(&j, run->handle);
    json_close(&j, '}');
    return json_save(&j, "--json ", s->json);
}

/* ---- files ------------------------------------------------------------------------ */

/* Planes of the metric that is sought, then those of the drift: one after the other, but
 * for the isotropic metric, of which only g11 is written. */
static int save_std(const invert_result *r, const invert_data *d,
                    const invert_settings *s)
{
    const size_t cells = cells_of(&d->in);
    const size_t of_metric = seeks_metric(s) ? metric_planes_of(s) : 0;
    const size_t planes = of_metric + (seeks_drift(s) ? 2 : 0);
    double *chosen;
    int code;

    if (!s->out_std)
        return DONE;
    chosen = grow(NULL, planes * cells, sizeof *chosen);
    for (size_t k = 0; k < planes; k++) {
        const size_t from = k < of_metric ? k : B1 + k - of_metric;

        for (size_t i = 0; i < cells; i++)
            chosen[k * cells + i] = r->std[from * cells + i];
    }
    code = save_fields("out-std", s->out_std, &d->in, ZM_NPY_F64, planes, chosen);
    free(chosen);
    return code;
}

int invert_result_save(const invert_result *r, const inversion *run,
                       const invert_data *d, const invert_settings *s)
{
    const size_t cells = cells_of(&d->in);

    TRY(save_fields("out-metric", s->out_metric, &d->in, ZM_NPY_F64,
                    metric_planes_of(s), r->planes));
    TRY(save_fields("out-drift", s->out_drift, &d->in, ZM_NPY_F64, 2,
                    r->planes + B1 * cells));
    TRY(save_std(r, d, s));
    TRY(save_fields("out-times", s->out_times, &d->in, ZM_NPY_F64, d->n_experiments,
                    r->times));
#if defined(ZM_WITH_CAIRO)
    TRY(invert_picture_save(s->plot, r, run, d, s));
#endif
    return save_report(r, run, d, s);
}

void invert_result_free(invert_result *r)
{
    free(r->planes);
    free(r->std);
    free(r->times);
    free(r->rms);
    for (size_t e = 0; e < r->n_experiments; e++)
        free(r->predicted[e]);
    free(r->predicted);
    *r = (invert_result){ 0 };
}
