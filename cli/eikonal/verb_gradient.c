/* SPDX-License-Identifier: Apache-2.0
 * zermelo gradient: from dL/dT to the derivatives of L with respect to metric, drift and
 * sources. */
#include <stdlib.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/solution.h"
#include "common/stopwatch.h"
#include "common/verb.h"
#include "zermelo/adjoint.h"

typedef struct gradient_settings {
    problem_settings problem;
    const char *cotangent, *out, *out_metric, *out_drift, *out_sources, *out_places;
} gradient_settings;

#define FIELD(name) offsetof(gradient_settings, name)

static const option gradient_list[] = {
    { "cotangent", "FILE", OPTION_INPUT, FIELD(cotangent), .required = true,
      .help = "dL/dT, shape (rows, cols); ignored where nothing arrives" },
    { "out-metric", "FILE", OPTION_OUTPUT, FIELD(out_metric),
      .help = "dL/dG, of the metric's shape; g12 is one parameter: both off-diagonal "
              "entries move" },
    { "out-drift", "FILE", OPTION_OUTPUT, FIELD(out_drift),
      .help = "dL/db, shape (2, rows, cols); also without --drift" },
    { "out-sources", "FILE", OPTION_OUTPUT, FIELD(out_sources),
      .help =
          "dL/d(start time), float64, one for each source: those of --source in order, "
          "then those of the mask row by row" },
    { "out-places", "FILE", OPTION_OUTPUT, FIELD(out_places),
      .help =
          "dL/d(place), float64, shape (sources, 2) for row and col, in the order of "
          "--out-sources; for sources between cells, 0 for the others" },
    { "out", "FILE", OPTION_OUTPUT, FIELD(out),
      .help = "the arrival times themselves, shape (rows, cols)" },
    { 0 }
};
static const option_table gradient_options = { "Derivatives", gradient_list };

typedef struct gradient {
    zm_npy cotangent;
    void *metric, *drift;
    double *sources;
    double *rows, *cols; /* with respect to the places of the sources */
    double seconds;      /* of the fastest zm_adjoint */
} gradient;

static size_t metric_planes(const inputs *in)
{
    return in->isotropic ? 1 : 3;
}

static zm_gradient allocate(gradient *g, const inputs *in, const gradient_settings *s)
{
    const size_t field = cells_of(in) * zm_dtype_size(in->dtype);

    if (s->out_metric)
        g->metric = grow(NULL, metric_planes(in), field);
    if (s->out_drift)
        g->drift = grow(NULL, 2, field);
    if (s->out_sources)
        g->sources = grow(NULL, in->sources.count, sizeof *g->sources);
    if (s->out_places) {
        g->rows = grow(NULL, in->sources.count, sizeof *g->rows);
        g->cols = grow(NULL, in->sources.count, sizeof *g->cols);
    }
    return (zm_gradient){
        .size = sizeof(zm_gradient),
        .g11 = plane_of(in, g->metric, 0),
        .g12 = in->isotropic ? NULL : plane_of(in, g->metric, 1),
        .g22 = in->isotropic ? NULL : plane_of(in, g->metric, 2),
        .b1 = plane_of(in, g->drift, 0),
        .b2 = plane_of(in, g->drift, 1),
        .source_times = g->sources,
        .source_rows = g->rows,
        .source_cols = g->cols,
    };
}

/* Each timed zm_adjoint is the first after a solve. */
static int differentiate(gradient *g, const inputs *in, solution *found,
                         const gradient_settings *s)
{
    const zm_gradient out = allocate(g, in, s);
    stopwatch watch = { .runs = s->problem.repeat };
    zm_error err;

    while (stopwatch_next(&watch)) {
        if (watch.done > 1)
            TRY(solution_again(found, in, &s->problem));
        stopwatch_restart(&watch);
        if (zm_adjoint(found->solver, &in->problem, found->T, g->cotangent.data, &out,
                       &err) < 0)
            return library_failure(&err);
    }
    g->seconds = watch.best;
    if (!interrupt_pending())
        note("differentiated in %s", time_of(g->seconds).text);
    return interrupt_check();
}

static int save_sources(const gradient *g, const inputs *in, const char *path)
{
    zm_error err;

    if (path &&
        zm_npy_write(path, ZM_NPY_F64, 1, &in->sources.count, g->sources, &err) < 0)
        return failure("cannot write --out-sources %s", err.text);
    return DONE;
}

static int save_places(const gradient *g, const inputs *in, const char *path)
{
    const size_t shape[2] = { in->sources.count, 2 };
    double *values;
    zm_error err;
    zm_status st;

    if (!path)
        return DONE;
    values = grow(NULL, 2 * shape[0], sizeof *values);
    for (size_t i = 0; i < shape[0]; i++) {
        values[2 * i] = g->rows[i];
        values[2 * i + 1] = g->cols[i];
    }
    st = zm_npy_write(path, ZM_NPY_F64, 2, shape, values, &err);
    free(values);
    return st < 0 ? failure("cannot write --out-places %s", err.text) : DONE;
}

static int save_report(const gradient *g, const inputs *in, const solution *found,
                       const char *path)
{
    json j = { 0 };

    if (!path)
        return DONE;
    report_begin(&j, "gradient", in, found);
    json_number(&j, "seconds_backward", g->seconds);
    json_close(&j, '}');
    return json_save(&j, "--json ", path);
}

static int save(const gradient *g, const inputs *in, const solution *found,
                const gradient_settings *s)
{
    const zm_npy_type type = file_type(in->dtype);

    TRY(save_fields("out-metric", s->out_metric, in, type, metric_planes(in),
                    g->metric));
    TRY(save_fields("out-drift", s->out_drift, in, type, 2, g->drift));
    TRY(save_sources(g, in, s->out_sources));
    TRY(save_places(g, in, s->out_places));
    TRY(save_fields("out", s->out, in, type, 1, found->T));
    return save_report(g, in, found, s->problem.json);
}

static int run(const void *settings, char **operands, int n_operands)
{
    const gradient_settings *s = settings;
    inputs in = { 0 };
    solution found = { 0 };
    gradient g = { 0 };
    int code;

    (void)operands, (void)n_operands;
    if (!s->out_metric && !s->out_drift && !s->out_sources && !s->out_places)
        return usage_error("no derivative asked for; give --out-metric, --out-drift, "
                           "--out-sources or --out-places");
    GO(inputs_read(&in, &s->problem));
    if (s->out_places)
        GO(check_movable(&in, "out-places"));
    GO(read_fields("cotangent", s->cotangent, &in, file_type(in.dtype), 1,
                   &g.cotangent));
    GO(solution_find(&found, &in, &s->problem));
    GO(differentiate(&g, &in, &found, s));
    GO(save(&g, &in, &found, s));
done:
    zm_npy_free(&g.cotangent);
    free(g.metric);
    free(g.drift);
    free(g.sources);
    free(g.rows);
    free(g.cols);
    solution_free(&found);
    inputs_free(&in);
    return code;
}

static const gradient_settings defaults = { .problem = PROBLEM_DEFAULTS };

const verb verb_gradient = {
    .name = "gradient",
    .summary = "derivatives of a function of the arrival times (reverse mode)",
    .usage = "--metric FILE --source ROW,COL --cotangent FILE --out-metric FILE "
             "[options]",
    .description =
        "Solves for the arrival times T and carries dL/dT back to dL/dG, dL/db and "
        "dL/d(start times and places), exactly, for any number of parameters at about "
        "the cost of one more solve.\n\n" CONVENTIONS,
    .example = "  python3 -c \"import numpy as np; np.save('metric.npy', np.ones((201, "
               "201)))\"\n"
               "  python3 -c \"import numpy as np; np.save('dLdT.npy', np.eye(201))\"\n"
               "  zermelo gradient --metric metric.npy --source 100,30 --cotangent "
               "dLdT.npy \\\n"
               "      --out-metric dLdG.npy --out-drift dLdb.npy\n",
    .tables = { &problem_options, &scheme_options, &gradient_options, &solver_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
    .release = problem_settings_release,
};
