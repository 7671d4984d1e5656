/* SPDX-License-Identifier: Apache-2.0
 * zermelo path: the ways the front took, where it ran and which source it came from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/picture.h"
#include "common/save_text.h"
#include "common/solution.h"
#include "common/stopwatch.h"
#include "common/verb.h"
#include "zermelo/path.h"

typedef struct path_settings {
    problem_settings problem;
    source_list targets; /* times unused */
    bool no_straighten;
    const char *out, *labels, *flow, *plot;
} path_settings;

#define FIELD(name) offsetof(path_settings, name)

static const option path_list[] = {
    { "to", "ROW,COL", OPTION_VALUE, FIELD(targets), .repeatable = true,
      .parse = parse_point,
      .expects = "ROW,COL with numbers that are not negative, e.g. 12,40 or 12.5,40.25",
      .help = "the path ends here; whole numbers are the middles of cells; may be "
              "repeated" },
    { "no-straighten", NULL, OPTION_FLAG, FIELD(no_straighten),
      .help = "do not replace pieces by straight ones that cost less" },
    { "out", "FILE", OPTION_OUTPUT, FIELD(out),
      .help =
          "the paths, each from its source to the point: a table path,point,row,col,"
          "time (CSV); if FILE ends in .npy, shape (points, 4) for path, row, col, "
          "time" },
    { "labels", "FILE", OPTION_OUTPUT, FIELD(labels),
      .help =
          "which source each cell was reached from, float64: 0 for the first, those "
          "of --source before those of the mask; -1 where nothing arrives" },
    { "flow", "FILE", OPTION_OUTPUT, FIELD(flow),
      .help = "velocity of the front in each cell, shape (2, rows, cols) for x and y; "
              "nan where nothing arrives, 0 at sources" },
    PLOT_OPTION(FIELD(plot),
                "picture of the times with isochrones, walls, drift, sources "
                "and paths")
    { 0 }
};
static const option_table path_options = { "Paths", path_list };

/* One path; no points: nothing arrives there. */
typedef struct route {
    zm_path_point *points;
    size_t n;
    int32_t source;
    double cost;
} route;

typedef struct routes {
    route *items;
    size_t count;
    int32_t *labels;
    void *flow;
    double seconds; /* of all paths */
} routes;

static void routes_free(routes *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->items[i].points);
    free(r->items);
    free(r->labels);
    free(r->flow);
}

/* As many points as most paths have; asked again with the right number if not enough. */
static int find_route(route *r, const inputs *in, const solution *s,
                      const zm_source *to, const zm_path_opts *opts)
{
    /* paths go on beyond the border only where the grid is closed */
    const int32_t closed = ZM_PERIODIC_X | ZM_PERIODIC_Y;
    size_t room = 4 * ((size_t)in->grid.rows + (size_t)in->grid.cols);
    zm_error err;
    zm_status st;

    r->n = 0;
    do {
        room = r->n > room ? r->n : room;
        r->points = grow(r->points, room, sizeof *r->points);
        st = zm_path(s->solver, 0, &in->problem, s->T, to->row, to->col, r->points,
                     room, &r->n, &r->source, opts, &err);
    } while (st == ZM_E_ARG && r->n > room);
    if (st < 0)
        return failure("--to %g,%g: %s", to->row, to->col, err.text);
    if (r->n == 0)
        warning("nothing arrives at --to %g,%g: no path", to->row, to->col);
    else if (zm_path_cost(in->grid, &in->problem, closed, r->points, r->n, &r->cost,
                          &err) < 0)
        return library_failure(&err);
    return DONE;
}

static int find_routes(routes *r, const inputs *in, const solution *s,
                       const path_settings *settings)
{
    const zm_path_opts opts = { .size = sizeof opts,
                                .straighten = !settings->no_straighten };
    const source_list *targets = &settings->targets;
    stopwatch watch = { .runs = 1 };

    r->items = grow(NULL, targets->count + 1, sizeof *r->items);
    stopwatch_next(&watch);
    while (r->count < targets->count) {
        const size_t i = r->count++;

        r->items[i] = (route){ 0 };
        TRY(find_route(&r->items[i], in, s, &targets->items[i], &opts));
        TRY(interrupt_check());
    }
    stopwatch_next(&watch);
    r->seconds = watch.best;
    if (r->count)
        note("%zu path%s in %s", r->count, r->count == 1 ? "" : "s",
             time_of(r->seconds).text);
    return DONE;
}

static int find_fields(routes *r, const inputs *in, const solution *s,
                       const path_settings *settings)
{
    const size_t cells = cells_of(in);
    zm_error err;

    if (settings->labels) {
        r->labels = grow(NULL, cells, sizeof *r->labels);
        if (zm_labels(s->solver, 0, &in->problem, s->T, r->labels, &err) < 0)
            return library_failure(&err);
    }
    if (settings->flow) {
        r->flow = grow(NULL, 2 * cells, zm_dtype_size(in->dtype));
        if (zm_flow(s->solver, 0, &in->problem, s->T, plane_of(in, r->flow, 0),
                    plane_of(in, r->flow, 1), &err) < 0)
            return library_failure(&err);
    }
    return interrupt_check();
}

static size_t points_of(const routes *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->count; i++)
        n += r->items[i].n;
    return n;
}

static int save_table(const routes *r, const char *path)
{
    zm_text text = { 0 };

    zm_text_add(&text, "path,point,row,col,time\n");
    for (size_t i = 0; i < r->count; i++)
        for (size_t k = 0; k < r->items[i].n; k++) {
            const zm_path_point *p = &r->items[i].points[k];

            zm_text_print(&text, "%zu,%zu,%.12g,%.12g,%.17g\n", i, k, p->row, p->col,
                          p->time);
        }
    return save_text(&text, "--out ", path);
}

static int save_array(const routes *r, const char *path)
{
    const size_t shape[2] = { points_of(r), 4 };
    double *values = grow(NULL, 4 * shape[0] + 1, sizeof *values), *next = values;
    zm_error err;
    zm_status st;

    for (size_t i = 0; i < r->count; i++)
        for (size_t k = 0; k < r->items[i].n; k++) {
            const zm_path_point *p = &r->items[i].points[k];

            *next++ = (double)i;
            *next++ = p->row;
            *next++ = p->col;
            *next++ = p->time;
        }
    st = zm_npy_write(path, ZM_NPY_F64, 2, shape, values, &err);
    free(values);
    return st < 0 ? failure("cannot write --out %s", err.text) : DONE;
}

static int save_paths(const routes *r, const char *path)
{
    const char *ending = path ? strrchr(path, '.') : NULL;

    if (!path)
        return DONE;
    return ending && !strcmp(ending, ".npy") ? save_array(r, path)
                                             : save_table(r, path);
}

static int save_labels(const routes *r, const inputs *in, const char *path)
{
    const size_t cells = cells_of(in);
    double *values;
    int code;

    if (!path)
        return DONE;
    values = grow(NULL, cells, sizeof *values);
    for (size_t i = 0; i < cells; i++)
        values[i] = r->labels[i];
    code = save_fields("labels", path, in, ZM_NPY_F64, 1, values);
    free(values);
    return code;
}

#if defined(ZM_WITH_CAIRO)
static int save_picture(const routes *r, const inputs *in, const solution *s,
                        const char *path)
{
    picture_lines lines = { 0 };
    int code;

    for (size_t i = 0; path && i < r->count; i++)
        for (size_t k = 0; k < r->items[i].n; k++)
            picture_lines_add(&lines, in, r->items[i].points[k].row,
                              r->items[i].points[k].col, k == 0);
    code = picture_save_lines(path, in, s, &lines);
    picture_lines_free(&lines);
    return code;
}
#endif

static int save_report(const routes *r, const inputs *in, const solution *s,
                       const path_settings *settings)
{
    json j = { 0 };

    if (!settings->problem.json)
        return DONE;
    report_begin(&j, "path", in, s);
    json_number(&j, "seconds_paths", r->seconds);
    json_open(&j, "paths", '[');
    for (size_t i = 0; i < r->count; i++) {
        const route *one = &r->items[i];

        json_open(&j, NULL, '{');
        json_number(&j, "row", settings->targets.items[i].row);
        json_number(&j, "col", settings->targets.items[i].col);
        json_bool(&j, "reached", one->n > 0);
        json_int(&j, "points", (int64_t)one->n);
        if (one->n > 0) {
            json_int(&j, "source", one->source);
            json_number(&j, "time", one->points[one->n - 1].time);
            json_number(&j, "cost", one->cost);
        }
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    return json_save(&j, "--json ", settings->problem.json);
}

static int save(const routes *r, const inputs *in, const solution *s,
                const path_settings *settings)
{
    TRY(save_paths(r, settings->out));
    TRY(save_labels(r, in, settings->labels));
    TRY(save_fields("flow", settings->flow, in, file_type(in->dtype), 2, r->flow));
#if defined(ZM_WITH_CAIRO)
    TRY(save_picture(r, in, s, settings->plot));
#endif
    return save_report(r, in, s, settings);
}

static int check_settings(const path_settings *s)
{
    if (!s->targets.count && !s->labels && !s->flow)
        return usage_error("nothing asked for; give --to, --labels or --flow");
    if (!s->targets.count && (s->out || s->no_straighten))
        return usage_error("--%s is about paths; say where they end with --to ROW,COL",
                           s->out ? "out" : "no-straighten");
    if (s->targets.count && !s->out && !s->plot && !s->problem.json)
        return usage_error("no place for the paths; give --out, --plot or --json");
    return DONE;
}

static int run(const void *settings, char **operands, int n_operands)
{
    const path_settings *s = settings;
    inputs in = { 0 };
    solution found = { 0 };
    routes r = { 0 };
    int code;

    (void)operands, (void)n_operands;
    GO(check_settings(s));
    GO(inputs_read(&in, &s->problem));
    GO(solution_find(&found, &in, &s->problem));
    GO(find_routes(&r, &in, &found, s));
    GO(find_fields(&r, &in, &found, s));
    GO(save(&r, &in, &found, s));
done:
    routes_free(&r);
    solution_free(&found);
    inputs_free(&in);
    return code;
}

static void release(void *settings)
{
    path_settings *s = settings;

    free(s->targets.items);
    problem_settings_release(settings);
}

static const path_settings defaults = { .problem = PROBLEM_DEFAULTS };

const verb verb_path = {
    .name = "path",
    .summary = "minimal paths from sources to points; flow, labels",
    .usage = "--metric FILE --source ROW,COL --to ROW,COL --out FILE [options]",
    .description =
        "Solves for the arrival times and follows the front back from each point to "
        "the source it came from: the minimal path from a source to the point, as a "
        "line with times. It always arrives, crosses no wall, and with a drift does "
        "not run "
        "along the gradient of the times.\n\nThe report (--json) has for each path the "
        "source, the time at its end, and the cost of the path by the metric along it; "
        "the two differ by the error of the times.\n\n" CONVENTIONS,
    .example = "  python3 -c \"import numpy as np; np.save('metric.npy', np.ones((201, "
               "201)))\"\n"
               "  zermelo path --metric metric.npy --source 20,30 --source 180,30 \\\n"
               "      --to 20,170 --to 60.5,150.25 --out paths.csv --json -\n",
    .tables = { &problem_options, &scheme_options, &path_options, &solver_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
    .release = release,
};
