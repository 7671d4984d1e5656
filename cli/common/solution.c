/* SPDX-License-Identifier: Apache-2.0
 * The solve that all verbs start with, its report, and files of results. */
#include "solution.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "message.h"
#include "stopwatch.h"
#include "times.h"
#include "zermelo/version.h"

static int explain(zm_status status, const zm_error *err, const problem_settings *s)
{
    if (status == ZM_E_CANCELLED)
        return interrupt_check();
    if (status == ZM_E_METRIC)
        return failure("%s; see zermelo info %s%s%s", err->text, s->metric,
                       s->drift ? " --drift " : "", s->drift ? s->drift : "");
    return library_failure(err);
}

static int create(solution *s, const inputs *in, const problem_settings *settings)
{
    zm_error err;

    s->opts = settings->solver;
    s->opts.threads = settings->threads;
    s->T = grow(NULL, cells_of(in), zm_dtype_size(in->dtype));
    if (zm_solver_create(&s->solver, in->grid, in->dtype, &s->opts, &err) < 0 ||
        zm_solver_get_opts(s->solver, &s->opts, &err) < 0)
        return library_failure(&err);
    return DONE;
}

static zm_status solve_once(solution *s, const inputs *in,
                            const problem_settings *settings, progress *bar,
                            zm_error *err)
{
    zm_forward_opts opts = settings->forward;

    opts.targets = in->targets;
    opts.progress = progress_step;
    opts.progress_ctx = bar;
    s->report = (zm_report)ZM_REPORT_INIT;
    return zm_forward(s->solver, &in->problem, s->T, &opts, &s->report, err);
}

/* The shortest of `repeat` solves; all give the same. */
static zm_status solve(solution *s, const inputs *in, const problem_settings *settings,
                       zm_error *err)
{
    progress bar = progress_begin(settings->quiet);
    stopwatch watch = { .runs = settings->repeat };
    zm_status st = ZM_OK;

    while (st >= 0 && stopwatch_next(&watch))
        st = solve_once(s, in, settings, &bar, err);
    s->seconds = watch.best;
    progress_end(&bar);
    return st >= 0 && interrupt_pending() ? ZM_E_CANCELLED : st;
}

static bool is_inf(const solution *s, zm_dtype dtype, size_t i)
{
    return dtype == ZM_F32 ? isinf(((const float *)s->T)[i])
                           : isinf(((const double *)s->T)[i]);
}

static void warn_of_targets(const solution *s, const inputs *in)
{
    const uint8_t *walls = in->walls.data;
    size_t missed = 0, n = 0;

    for (size_t i = 0; in->targets && i < cells_of(in); i++) {
        n += in->targets[i];
        missed += in->targets[i] && ((walls && walls[i]) || is_inf(s, in->dtype, i));
    }
    if (missed)
        warning("%zu of %zu cells of --targets and --until-reached were not reached",
                missed, n);
}

static const char *method_name(zm_forward_method method)
{
    static const char *const names[] = { "blocks", "adaptive blocks", "marching",
                                         "timed", "refined blocks" };

    return names[method];
}

int solution_find(solution *s, const inputs *in, const problem_settings *settings)
{
    zm_error err;
    zm_status st;

    TRY(create(s, in, settings));
    st = solve(s, in, settings, &err);
    if (st < 0)
        return explain(st, &err, settings);
    if (st == ZM_NOT_CONVERGED)
        warning(
            "stopped at --max-iterations %d before the times settled; they are upper "
            "bounds, and derivatives are not exact",
            (int)settings->forward.max_iterations);
    warn_of_targets(s, in);
    note("%d x %d cells solved in %s, %lld iteration%s, %d thread%s",
         (int)in->grid.rows, (int)in->grid.cols, time_of(s->seconds).text,
         (long long)s->report.iterations, s->report.iterations == 1 ? "" : "s",
         (int)s->report.threads, s->report.threads == 1 ? "" : "s");
    return DONE;
}

int solution_again(solution *s, const inputs *in, const problem_settings *settings)
{
    progress bar = progress_begin(settings->quiet);
    zm_error err;
    const zm_status st = solve_once(s, in, settings, &bar, &err);

    progress_end(&bar);
    return st < 0 ? explain(st, &err, settings) : DONE;
}

void solution_free(solution *s)
{
    zm_solver_destroy(s->solver);
    free(s->T);
    *s = (solution){ 0 };
}

void report_begin(json *j, const char *verb, const inputs *in, const solution *s)
{
    static const char *const periodic[] = { "", "x", "y", "xy" };
    const time_range range = time_range_of(in->dtype, s->T, cells_of(in));

    json_open(j, NULL, '{');
    json_text(j, "version", zm_version());
    json_text(j, "verb", verb);
    json_int(j, "rows", in->grid.rows);
    json_int(j, "cols", in->grid.cols);
    json_text(j, "dtype", in->dtype == ZM_F32 ? "float32" : "float64");
    json_int(j, "threads", s->report.threads);
    json_int(j, "sources", (int64_t)in->sources.count);
    json_text(j, "stencils",
              s->opts.stencils == ZM_STENCILS_FIXED ? "fixed" : "adaptive");
    json_int(j, "order", s->opts.order);
    json_number(j, "factor_radius", s->opts.factor_radius);
    json_text(j, "periodic", periodic[s->opts.periodic]);
    json_text(j, "method", method_name(s->report.method));
    json_int(j, "iterations", s->report.iterations);
    json_int(j, "updates", s->report.updates);
    json_bool(j, "converged", s->report.converged);
    json_int(j, "reached", (int64_t)range.reached);
    json_number(j, "t_min", range.min);
    json_number(j, "t_max", range.max);
    json_int(j, "workspace_bytes", (int64_t)zm_solver_bytes(s->solver));
    json_number(j, "seconds_forward", s->seconds);
}

int save_fields(const char *option_name, const char *path, const inputs *in,
                zm_npy_type type, size_t planes, const void *data)
{
    const size_t shape[3] = { planes, (size_t)in->grid.rows, (size_t)in->grid.cols };
    const int skip = planes == 1;
    zm_error err;

    if (path && zm_npy_write(path, type, 3 - skip, shape + skip, data, &err) < 0)
        return failure("cannot write --%s %s", option_name, err.text);
    return DONE;
}

time_text time_of(double seconds)
{
    time_text t;

    if (seconds < 1)
        snprintf(t.text, sizeof t.text, "%.3g ms", 1e3 * seconds);
    else
        snprintf(t.text, sizeof t.text, "%.3g s", seconds);
    return t;
}
