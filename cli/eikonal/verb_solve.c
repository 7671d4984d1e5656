/* SPDX-License-Identifier: Apache-2.0
 * zermelo solve: arrival times. */
#include <stdlib.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/picture.h"
#include "common/solution.h"
#include "common/verb.h"
#include "zermelo/diagnose.h"

typedef struct solve_settings {
    problem_settings problem;
    const char *out, *stencil_map, *residual, *plot;
} solve_settings;

#define FIELD(name) offsetof(solve_settings, name)

static const option output_list[] = {
    { "out", "FILE", OPTION_OUTPUT, FIELD(out), .required = true,
      .help = "arrival times, shape (rows, cols); inf where nothing arrives" },
    { "stencil-map", "FILE", OPTION_OUTPUT, FIELD(stencil_map),
      .help =
          "where each cell was reached from, uint8: k in 0..7 from neighbours k and "
          "k+1 (counter-clockwise: 0 NW, 1 W, 2 SW, 3 S, 4 SE, 5 E, 6 NE, 7 N), 8+k "
          "from neighbour k alone, 252 from two cells farther away, 253 from one, 254 "
          "source, 255 not reached" },
    { "residual", "FILE", OPTION_OUTPUT, FIELD(residual),
      .help =
          "relative residual of the first-order equation with the eight neighbours, "
          "float64; nan where nothing arrives" },
    PLOT_OPTION(FIELD(plot),
                "picture of the times with isochrones, walls, drift and "
                "sources; .png, .svg or .pdf")
    { 0 }
};
static const option_table output_options = { "Output", output_list };

/* What can be asked about a solution. */
typedef struct diagnosis {
    uint8_t *stencil_map;
    double *residual;
} diagnosis;

static int diagnose(diagnosis *d, const inputs *in, const solution *s,
                    const solve_settings *settings)
{
    zm_error err;

    if (settings->stencil_map) {
        d->stencil_map = grow(NULL, cells_of(in), sizeof *d->stencil_map);
        if (zm_stencils(s->solver, 0, &in->problem, s->T, d->stencil_map, NULL, &err) < 0)
            return library_failure(&err);
    }
    if (settings->residual) {
        if (s->report.method != ZM_SOLVED_BY_BLOCKS)
            warning("--residual is of the eight neighbours; these times have another "
                    "scheme, whose own residual is 0");
        d->residual = grow(NULL, cells_of(in), sizeof *d->residual);
        if (zm_residual(in->grid, &in->problem, s->T, ZM_RESIDUAL_DISCRETE, d->residual,
                        &err) < 0)
            return library_failure(&err);
    }
    return interrupt_check();
}

/* An object of its own: the report already has `sources`, those that were given. */
static void report_share(json *j, zm_stencil_share share)
{
    json_open(j, "stencil_map", '{');
    json_int(j, "one_point", share.one_point);
    json_int(j, "two_point", share.two_point);
    json_int(j, "sources", share.sources);
    json_int(j, "unreached", share.unreached);
    json_close(j, '}');
}

static int save_report(const diagnosis *d, const inputs *in, const solution *s,
                       const char *path)
{
    json j = { 0 };

    if (!path)
        return DONE;
    report_begin(&j, "solve", in, s);
    if (d->stencil_map)
        report_share(&j, zm_stencil_count(d->stencil_map, cells_of(in)));
    json_close(&j, '}');
    return json_save(&j, "--json ", path);
}

static int save(const diagnosis *d, const inputs *in, const solution *s,
                const solve_settings *settings)
{
    TRY(save_fields("out", settings->out, in, file_type(in->dtype), 1, s->T));
    TRY(save_fields("stencil-map", settings->stencil_map, in, ZM_NPY_U8, 1,
                    d->stencil_map));
    TRY(save_fields("residual", settings->residual, in, ZM_NPY_F64, 1, d->residual));
#if defined(ZM_WITH_CAIRO)
    TRY(picture_save(settings->plot, in, s));
#endif
    return save_report(d, in, s, settings->problem.json);
}

static int run(const void *settings, char **operands, int n_operands)
{
    const solve_settings *s = settings;
    inputs in = { 0 };
    solution found = { 0 };
    diagnosis d = { 0 };
    int code;

    (void)operands, (void)n_operands;
    GO(inputs_read(&in, &s->problem));
    GO(solution_find(&found, &in, &s->problem));
    GO(diagnose(&d, &in, &found, s));
    GO(save(&d, &in, &found, s));
done:
    free(d.stencil_map);
    free(d.residual);
    solution_free(&found);
    inputs_free(&in);
    return code;
}

static const solve_settings defaults = { .problem = PROBLEM_DEFAULTS };

const verb verb_solve = {
    .name = "solve",
    .summary = "arrival times from metric, drift and sources",
    .usage = "--metric FILE --source ROW,COL --out FILE [options]",
    .description = "Solves |grad T + b|_{G^-1} = 1 with T given at the sources: T is "
                   "the time at which "
                   "a front that starts there arrives at each cell.\n\n" CONVENTIONS,
    .example = "  python3 -c \"import numpy as np; np.save('metric.npy', np.ones((201, "
               "201)))\"\n"
               "  zermelo solve --metric metric.npy --source 100,100 --out times.npy "
               "--json -\n",
    .tables = { &problem_options, &scheme_options, &output_options, &solver_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
    .release = problem_settings_release,
};
