/* SPDX-License-Identifier: Apache-2.0
 * zermelo tangent: how the arrival times move when metric, drift and source times do. */
#include <stdlib.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/solution.h"
#include "common/stopwatch.h"
#include "common/verb.h"
#include "zermelo/adjoint.h"

typedef struct tangent_settings {
    problem_settings problem;
    const char *d_metric, *d_drift, *d_sources, *d_places, *out;
} tangent_settings;

#define FIELD(name) offsetof(tangent_settings, name)

static const option tangent_list[] = {
    { "d-metric", "FILE", OPTION_INPUT, FIELD(d_metric),
      .help = "direction dG, of the metric's shape; default: none" },
    { "d-drift", "FILE", OPTION_INPUT, FIELD(d_drift),
      .help = "direction db, shape (2, rows, cols); default: none" },
    { "d-sources", "FILE", OPTION_INPUT, FIELD(d_sources),
      .help = "direction of the start times, one for each source: those of --source in "
              "order, then those of the mask row by row; default: none" },
    { "d-places", "FILE", OPTION_INPUT, FIELD(d_places),
      .help =
          "direction of the places of the sources, shape (sources, 2) for row and col; "
          "moves those between cells only; default: none" },
    { "out", "FILE", OPTION_OUTPUT, FIELD(out), .required = true,
      .help = "dT, shape (rows, cols); 0 where nothing arrives" },
    { 0 }
};
static const option_table tangent_options = { "Derivatives", tangent_list };

typedef struct tangent {
    zm_npy metric, drift, sources;
    double *rows, *cols; /* directions of the places of the sources */
    void *dT;
    double seconds; /* of the fastest zm_tangent */
} tangent;

static int read_sources(tangent *t, const inputs *in, const char *path)
{
    TRY(read_array("d-sources", path, ZM_NPY_F64, &t->sources));
    if (t->sources.ndim != 1 || t->sources.count != in->sources.count)
        return failure(
            "--d-sources %s has shape %s, must be (%zu): one for each source", path,
            shape_of(t->sources.ndim, t->sources.shape).text, in->sources.count);
    return DONE;
}

static int read_places(tangent *t, const inputs *in, const char *path)
{
    const size_t n = in->sources.count;
    zm_npy places = { 0 };
    int code;

    TRY(read_array("d-places", path, ZM_NPY_F64, &places));
    if (places.ndim != 2 || places.shape[0] != n || places.shape[1] != 2)
        GO(failure("--d-places %s has shape %s, must be (%zu, 2): row and col of each "
                   "source",
                   path, shape_of(places.ndim, places.shape).text, n));
    t->rows = grow(NULL, n, sizeof *t->rows);
    t->cols = grow(NULL, n, sizeof *t->cols);
    for (size_t i = 0; i < n; i++) {
        t->rows[i] = ((const double *)places.data)[2 * i];
        t->cols[i] = ((const double *)places.data)[2 * i + 1];
    }
    code = check_movable(in, "d-places");
done:
    zm_npy_free(&places);
    return code;
}

static int read_direction(tangent *t, const inputs *in, const tangent_settings *s)
{
    const zm_npy_type type = file_type(in->dtype);

    if (s->d_metric)
        TRY(read_fields("d-metric", s->d_metric, in, type, in->isotropic ? 1 : 3,
                        &t->metric));
    if (s->d_drift)
        TRY(read_fields("d-drift", s->d_drift, in, type, 2, &t->drift));
    if (s->d_sources)
        TRY(read_sources(t, in, s->d_sources));
    if (s->d_places)
        TRY(read_places(t, in, s->d_places));
    return DONE;
}

/* Each timed zm_tangent is the first after a solve. */
static int differentiate(tangent *t, const inputs *in, solution *found,
                         const tangent_settings *s)
{
    const zm_direction direction = {
        .size = sizeof(zm_direction),
        .g11 = plane_of(in, t->metric.data, 0),
        .g12 = in->isotropic ? NULL : plane_of(in, t->metric.data, 1),
        .g22 = in->isotropic ? NULL : plane_of(in, t->metric.data, 2),
        .b1 = plane_of(in, t->drift.data, 0),
        .b2 = plane_of(in, t->drift.data, 1),
        .source_times = t->sources.data,
        .source_rows = t->rows,
        .source_cols = t->cols,
    };
    stopwatch watch = { .runs = s->problem.repeat };
    zm_error err;

    t->dT = grow(NULL, cells_of(in), zm_dtype_size(in->dtype));
    while (stopwatch_next(&watch)) {
        if (watch.done > 1)
            TRY(solution_again(found, in, &s->problem));
        stopwatch_restart(&watch);
        if (zm_tangent(found->solver, &in->problem, found->T, &direction, t->dT, &err) <
            0)
            return library_failure(&err);
    }
    t->seconds = watch.best;
    if (!interrupt_pending())
        note("differentiated in %s", time_of(t->seconds).text);
    return interrupt_check();
}

static int save(const tangent *t, const inputs *in, const solution *found,
                const tangent_settings *s)
{
    json j = { 0 };

    TRY(save_fields("out", s->out, in, file_type(in->dtype), 1, t->dT));
    if (!s->problem.json)
        return DONE;
    report_begin(&j, "tangent", in, found);
    json_number(&j, "seconds_tangent", t->seconds);
    json_close(&j, '}');
    return json_save(&j, "--json ", s->problem.json);
}

static int run(const void *settings, char **operands, int n_operands)
{
    const tangent_settings *s = settings;
    inputs in = { 0 };
    solution found = { 0 };
    tangent t = { 0 };
    int code;

    (void)operands, (void)n_operands;
    if (!s->d_metric && !s->d_drift && !s->d_sources && !s->d_places)
        return usage_error("no direction; give --d-metric, --d-drift, --d-sources or "
                           "--d-places");
    GO(inputs_read(&in, &s->problem));
    GO(read_direction(&t, &in, s));
    GO(solution_find(&found, &in, &s->problem));
    GO(differentiate(&t, &in, &found, s));
    GO(save(&t, &in, &found, s));
done:
    zm_npy_free(&t.metric);
    zm_npy_free(&t.drift);
    zm_npy_free(&t.sources);
    free(t.rows);
    free(t.cols);
    free(t.dT);
    solution_free(&found);
    inputs_free(&in);
    return code;
}

static const tangent_settings defaults = { .problem = PROBLEM_DEFAULTS };

const verb verb_tangent = {
    .name = "tangent",
    .summary = "change of the arrival times along a direction (forward mode)",
    .usage = "--metric FILE --source ROW,COL --d-metric FILE --out FILE [options]",
    .description =
        "Solves for the arrival times T and computes their exact derivative dT when "
        "metric, "
        "drift and start times move along the given direction.\n\n" CONVENTIONS,
    .example =
        "  python3 -c \"import numpy as np; np.save('metric.npy', np.ones((201, "
        "201)))\"\n"
        "  python3 -c \"import numpy as np; np.save('dG.npy', np.eye(201))\"\n"
        "  zermelo tangent --metric metric.npy --source 100,30 --d-metric dG.npy \\\n"
        "      --out dT.npy\n",
    .tables = { &problem_options, &scheme_options, &tangent_options, &solver_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
    .release = problem_settings_release,
};
