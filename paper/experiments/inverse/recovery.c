/* SPDX-License-Identifier: Apache-2.0
 * Runs inversions of problems with a known solution. */
#include "recovery.h"

#include <math.h>
#include <string.h>

#include "measure.h"

/* ---- one run ---------------------------------------------------------------------- */

static double *longer(experiment_run *run, const double *values, size_t n,
                      size_t capacity)
{
    double *more = field_new(run, capacity);

    if (n)
        memcpy(more, values, n * sizeof *more);
    return more;
}

static void trace_add(experiment_run *run, trace *t, const zm_invert_iteration *p,
                      double error)
{
    if (t->n == t->capacity) {
        t->capacity = 2 * t->capacity + 64;
        t->solves = longer(run, t->solves, t->n, t->capacity);
        t->chi2 = longer(run, t->chi2, t->n, t->capacity);
        t->lambda = longer(run, t->lambda, t->n, t->capacity);
        t->error = longer(run, t->error, t->n, t->capacity);
    }
    t->solves[t->n] = (double)p->solves;
    t->chi2[t->n] = p->chi2;
    t->lambda[t->n] = p->lambda;
    t->error[t->n++] = error;
}

static double error_so_far(attempt *a)
{
    medium *m = &a->r.found;
    const zm_metric_out out = { m->g11, m->g12, m->g22, m->b1, m->b2 };
    zm_error err;

    attempt_check(a, zm_inversion_metric(a->inversion, &out, &err), &err);
    return seeks_metric(&a->p->d) ? error_of_metric(a->p, m) : error_of_drift(a->p, m);
}

static int after_iteration(void *ctx, const zm_invert_iteration *p)
{
    attempt *a = ctx;
    const design *d = &a->p->d;

    run_step(a->run, d->progress, "%s, %lld solves", d->name, (long long)p->solves);
    if (p->level == 0) /* else it looks for a start on a coarser grid */
        trace_add(a->run, &a->r.steps, p, error_so_far(a));
    return !run_goes_on(a->run);
}

void attempt_check(attempt *a, zm_status status, const zm_error *err)
{
    if (status != ZM_E_CANCELLED)
        run_check(a->run, status, err);
}

static void add_front(attempt *a, const sighting *s)
{
    zm_experiment e = ZM_EXPERIMENT_INIT;
    zm_error err;

    e.sources = s->sources;
    e.n_sources = s->n_sources;
    e.n = s->n;
    e.cells = s->cells;
    e.times = s->times;
    e.sigma = s->sigma;
    attempt_check(a, zm_inversion_add(a->inversion, &e, &err), &err);
}

attempt *attempt_new(experiment_run *run, const problem *p, const zm_invert_opts *opts)
{
    attempt *a = run_memory(run, 1, sizeof *a);
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    const zm_metric known = medium_problem(&p->truth).metric;
    zm_error err;

    if (opts)
        o = *opts;
    o.unknown = p->d.unknown;
    o.threads = run_threads(run);
    o.monitor = after_iteration;
    o.monitor_ctx = a;
    *a = (attempt){ .run = run, .p = p };
    a->r.found = medium_new(run, p->truth.grid.rows, p->truth.grid.cols, 1);
    if (run_goes_on(run))
        run_check(run, zm_inversion_create(&a->inversion, p->truth.grid, &o, &err),
                  &err);
    if (run_goes_on(run) && !seeks_metric(&p->d))
        run_check(run, zm_inversion_known(a->inversion, &known, &err), &err);
    for (size_t i = 0; i < p->n_fronts && run_goes_on(run); i++)
        add_front(a, &p->fronts[i]);
    return a;
}

void attempt_run(attempt *a)
{
    const double begun = clock_seconds();
    zm_error err;

    if (run_goes_on(a->run))
        attempt_check(a, zm_invert_run(a->inversion, &err), &err);
    a->r.seconds = clock_seconds() - begun;
}

static double residual_of(attempt *a)
{
    double *T = field_new(a->run, a->p->truth.cells), sum = 0;
    size_t n = 0;
    zm_error err;

    for (size_t e = 0; e < a->p->n_fronts; e++) {
        const sighting *s = &a->p->fronts[e];

        attempt_check(a, zm_inversion_times(a->inversion, e, T, &err), &err);
        for (size_t i = 0; i < s->n; i++)
            sum += pow(T[s->cells[i]] - s->times[i], 2);
        n += s->n;
    }
    return sqrt(sum / (double)n);
}

recovery attempt_recovery(attempt *a)
{
    recovery *r = &a->r;
    const design *d = &a->p->d;

    if (!run_goes_on(a->run))
        return *r;
    r->error = error_so_far(a);
    r->error_g = seeks_metric(d) ? error_of_metric(a->p, &r->found) : 0;
    r->error_b = seeks_drift(d) ? error_of_drift(a->p, &r->found) : 0;
    for (int k = 0; k < METRIC_PLANES; k++)
        r->errors[k] = seeks_plane(d, k) ? error_of_plane(a->p, &r->found, k) : 0;
    r->largest = largest_error(a->p, &r->found);
    r->residual = residual_of(a);
    r->report = (zm_invert_report)ZM_INVERT_REPORT_INIT;
    (void)zm_inversion_report(a->inversion, &r->report, NULL); /* cannot fail */
    return *r;
}

void attempt_free(attempt *a)
{
    if (a)
        zm_inversion_destroy(a->inversion);
}

recovery recover(experiment_run *run, const problem *p, const zm_invert_opts *opts)
{
    attempt *a = attempt_new(run, p, opts);
    recovery r;

    attempt_run(a);
    r = attempt_recovery(a);
    attempt_free(a);
    return r;
}

double solves_until(const recovery *r, double percent)
{
    for (size_t i = 0; i < r->steps.n; i++)
        if (r->steps.error[i] <= percent)
            return r->steps.solves[i];
    return NAN;
}

/* ---- several ---------------------------------------------------------------------- */

static void take_worst(series *s, int i)
{
    const recovery *r = &s->all[i];

    if (r->error > s->error || i == 0)
        s->worst = i;
    s->error = fmax(s->error, r->error);
    s->error_g = fmax(s->error_g, r->error_g);
    s->error_b = fmax(s->error_b, r->error_b);
    for (int k = 0; k < METRIC_PLANES; k++)
        s->errors[k] = fmax(s->errors[k], r->errors[k]);
    s->solves = fmax(s->solves, (double)r->report.solves);
}

series *recover_series(experiment_run *run, const design *d, const zm_invert_opts *opts)
{
    series *s = run_memory(run, 1, sizeof *s);

    s->n = run_quick(run) || is_certain(d) ? 1 : SEEDS;
    for (int i = 0; i < s->n && run_goes_on(run); i++) {
        s->problems[i] = problem_new(run, d, (uint64_t)i);
        s->all[i] = recover(run, &s->problems[i], opts);
        take_worst(s, i);
    }
    return s;
}

const char *series_suffix(experiment_run *run, const series *s)
{
    const int32_t side = s->problems[0].d.side;

    return run_quick(run) ? run_text(run, ", %d × %d cells%s", (int)side, (int)side,
                                     is_certain(&s->problems[0].d) ? "" : ", one seed")
           : s->n > 1     ? run_text(run, ", worst of %d seeds", s->n)
                          : "";
}

void report_solves(experiment_run *run, const series *s, const char *reference,
                   const char *paper)
{
    RESULT(run, .reference = reference, .better = BETTER_LOWER, .paper = paper,
           .ours = s->solves,
           .quantity = run_text(run, "solves, %s%s", s->problems[0].d.name,
                                series_suffix(run, s)));
}

void report_series(experiment_run *run, const series *s, const char *reference,
                   const char *paper)
{
    const design *d = &s->problems[0].d;
    const char *what = !seeks_metric(d)                     ? "b"
                       : d->unknown == ZM_UNKNOWN_ISOTROPIC ? "g"
                                                            : "G";

    RESULT(run, .reference = reference, .better = BETTER_LOWER, .unit = "%",
           .paper = paper, .ours = s->error,
           .quantity = run_text(run, "error of %s, %s%s", what, d->name,
                                series_suffix(run, s)));
    report_solves(run, s, reference, NULL);
}

void report_plane(experiment_run *run, const series *s, int plane,
                  const char *reference, const char *paper)
{
    RESULT(run, .reference = reference, .better = BETTER_LOWER, .unit = "%",
           .paper = paper, .ours = s->errors[plane],
           .quantity = run_text(run, "error of %s, %s%s", plane_names[plane],
                                s->problems[0].d.name, series_suffix(run, s)));
}

void report_constant(experiment_run *run, const problem *p, const char *reference,
                     const char *of)
{
    RESULT(run, .reference = reference, .unit = "%", .ours = best_constant(p),
           .quantity = run_text(run, "error of the best constant, %s", of));
}
