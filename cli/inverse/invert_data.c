/* SPDX-License-Identifier: Apache-2.0
 * Data of zermelo invert: the grid, what is known, sources and observations. */
#define _POSIX_C_SOURCE 200809L /* strcasecmp */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "invert.h"
#include "common/message.h"

/* ---- grid ------------------------------------------------------------------------- */

static bool is_array(const char *path)
{
    const char *ending = strrchr(path, '.');

    return ending && !strcasecmp(ending, ".npy");
}

/* The first array of the command line. */
static const char *some_array(const invert_settings *s, const char **option_name)
{
    const struct {
        const char *name, *path;
    } files[] = { { "walls", s->walls },
                  { "metric", s->metric },
                  { "drift", s->drift },
                  { "start-metric", s->start_metric },
                  { "start-drift", s->start_drift } };

    *option_name = "observations";
    for (size_t i = 0; i < s->observations.files.count; i++)
        if (is_array(s->observations.files.items[i]))
            return s->observations.files.items[i];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        *option_name = files[i].name;
        if (files[i].path)
            return files[i].path;
    }
    return NULL;
}

/* Rows and columns are the last two sides of any of the arrays. */
static int find_shape(const invert_settings *s, grid_shape *out)
{
    const char *name, *path = some_array(s, &name);
    const size_t *sides;
    zm_error err;
    zm_npy head;

    if (!path)
        return usage_error(
            "--shape ROWS,COLS is missing: a table does not tell the size "
            "of the grid");
    if (zm_npy_peek(path, &head, &err) < 0)
        return failure("cannot read --%s %s", name, err.text);
    sides = head.shape + (head.ndim > 2 ? head.ndim - 2 : 0);
    if (head.ndim < 2 || head.ndim > 3 || head.count == 0 || sides[0] > INT32_MAX ||
        sides[1] > INT32_MAX)
        return failure("--%s %s has shape %s, must have rows and cols", name, path,
                       shape_of(head.ndim, head.shape).text);
    *out = (grid_shape){ (int32_t)sides[0], (int32_t)sides[1] };
    return DONE;
}

static int set_grid(invert_data *d, const invert_settings *s)
{
    grid_shape size = s->shape;
    const int code = size.rows ? DONE : find_shape(s, &size);

    d->in.dtype = ZM_F64;
    d->in.grid = (zm_grid){ size.rows, size.cols, s->spacing.dx, s->spacing.dy };
    return code;
}

/* ---- metric and drift ------------------------------------------------------------- */

/* Three planes, or one. */
static int read_metric(const char *name, const char *path, const inputs *in,
                       bool one_only, zm_npy *out)
{
    const size_t wanted[3] = { 3, (size_t)in->grid.rows, (size_t)in->grid.cols };
    bool one, three;

    TRY(read_array(name, path, ZM_NPY_F64, out));
    one = out->ndim == 2 && !memcmp(out->shape, wanted + 1, 2 * sizeof *wanted);
    three = out->ndim == 3 && !memcmp(out->shape, wanted, sizeof wanted);
    if (one || (three && !one_only))
        return DONE;
    return failure("--%s %s has shape %s, must be %s%s%s to fit the grid%s", name, path,
                   shape_of(out->ndim, out->shape).text, shape_of(2, wanted + 1).text,
                   one_only ? "" : " or ", one_only ? "" : shape_of(3, wanted).text,
                   one_only ? " and --unknown isotropic" : "");
}

static int read_fields_given(invert_data *d, const invert_settings *s)
{
    const bool isotropic = metric_planes_of(s) == 1;

    if (s->walls)
        TRY(read_fields("walls", s->walls, &d->in, ZM_NPY_U8, 1, &d->in.walls));
    if (s->metric)
        TRY(read_metric("metric", s->metric, &d->in, false, &d->in.metric));
    if (s->drift)
        TRY(read_fields("drift", s->drift, &d->in, ZM_NPY_F64, 2, &d->in.drift));
    if (s->start_metric)
        TRY(read_metric("start-metric", s->start_metric, &d->in, isotropic,
                        &d->start_metric));
    if (s->start_drift)
        TRY(read_fields("start-drift", s->start_drift, &d->in, ZM_NPY_F64, 2,
                        &d->start_drift));
    return DONE;
}

/* ---- places ----------------------------------------------------------------------- */

static bool is_inside(zm_grid grid, double row, double col)
{
    return row >= 0 && row <= grid.rows - 1 && col >= 0 && col <= grid.cols - 1;
}

/* What to add to a message about a place outside of the grid. */
static const char *if_swapped(zm_grid grid, double row, double col)
{
    return is_inside(grid, col, row)
               ? "; the other way round it is inside: have row and col been swapped, here "
                 "or in the size of the grid?"
               : "";
}

/* The cell that a place in the grid is in. */
static size_t cell_at(zm_grid grid, double row, double col)
{
    return (size_t)(row + 0.5) * (size_t)grid.cols + (size_t)(col + 0.5);
}

/* ---- sources ---------------------------------------------------------------------- */

static int add_source(invert_data *d, const invert_settings *s, int32_t experiment,
                      const zm_source *source)
{
    experiment_data *e = &d->experiments[experiment];
    const zm_grid grid = d->in.grid;
    const uint8_t *walls = d->in.walls.data;

    if (!is_inside(grid, source->row, source->col))
        return failure("--source %d:%.9g,%.9g is outside the grid of %d rows and %d "
                       "cols%s",
                       (int)experiment, source->row, source->col, (int)grid.rows,
                       (int)grid.cols, if_swapped(grid, source->row, source->col));
    if (s->opts.stencils == ZM_STENCILS_FIXED && (source->row != floor(source->row) || source->col != floor(source->col)))
        return usage_error("--source %d:%.9g,%.9g is between cells, which --stencils fixed "
                           "does not know; use --stencils adaptive",
                           (int)experiment, source->row, source->col);
    if (walls && walls[cell_at(grid, source->row, source->col)])
        return failure("--source %d:%.9g,%.9g is in a wall", (int)experiment,
                       source->row, source->col);
    e->sources = grow(e->sources, e->n_sources + 1, sizeof *e->sources);
    e->sources[e->n_sources++] = *source;
    return DONE;
}

/* Experiments are those of the sources, without gaps. */
static int collect_sources(invert_data *d, const invert_settings *settings)
{
    const numbered_sources *s = &settings->sources;
    int32_t last = 0;

    for (size_t i = 0; i < s->list.count; i++)
        last = s->experiments[i] > last ? s->experiments[i] : last;
    if ((size_t)last >= s->list.count)
        return failure(
            "--source %d:...: experiments count from 0 without gaps, and %zu "
            "source%s cannot be of %lld experiments",
            (int)last, s->list.count, s->list.count == 1 ? "" : "s",
            (long long)last + 1);
    d->n_experiments = (size_t)last + 1;
    d->experiments = grow(NULL, d->n_experiments, sizeof *d->experiments);
    memset(d->experiments, 0, d->n_experiments * sizeof *d->experiments);
    for (size_t i = 0; i < s->list.count; i++)
        TRY(add_source(d, settings, s->experiments[i], &s->list.items[i]));
    for (size_t e = 0; e < d->n_experiments; e++)
        if (d->experiments[e].n_sources == 0)
            return failure("experiment %zu has no source; give --source %zu:ROW,COL", e,
                           e);
    return DONE;
}

/* ---- observations ----------------------------------------------------------------- */

static void add_observation(invert_data *d, const zm_observation *o, const char *path)
{
    experiment_data *e = &d->experiments[o->experiment];

    if (e->n == e->room) {
        e->room = 2 * e->room + 256;
        e->rows = grow(e->rows, e->room, sizeof *e->rows);
        e->cols = grow(e->cols, e->room, sizeof *e->cols);
        e->times = grow(e->times, e->room, sizeof *e->times);
        e->upper = grow(e->upper, e->room, sizeof *e->upper);
        e->sigmas = grow(e->sigmas, e->room, sizeof *e->sigmas);
    }
    e->rows[e->n] = o->row;
    e->cols[e->n] = o->col;
    e->times[e->n] = o->time;
    e->upper[e->n] = o->upper;
    e->sigmas[e->n++] = o->sigma;
    d->n_observations++;
    if (isnan(o->sigma) && e->without_sigma++ == 0) {
        e->first_without = *o;
        e->first_file = path;
    }
}

/* Message that begins with file and place of an observation. */
static int bad_observation(const char *path, const zm_observation *o, const char *what)
{
    if (o->line)
        return failure("%s, line %lld: %s", path, (long long)o->line, what);
    return failure("%s, row %.0f, col %.0f: %s", path, o->row, o->col, what);
}

static int take_observation(invert_data *d, const char *path, const zm_observation *o)
{
    const zm_grid grid = d->in.grid;
    const uint8_t *walls = d->in.walls.data;
    char what[240];

    if ((size_t)o->experiment >= d->n_experiments) {
        snprintf(what, sizeof what,
                 "experiment %d has no source; give --source %d:ROW,COL",
                 (int)o->experiment, (int)o->experiment);
        return bad_observation(path, o, what);
    }
    if (!is_inside(grid, o->row, o->col)) {
        snprintf(what, sizeof what,
                 "row %.9g, col %.9g is outside the grid of %d rows and %d cols%s", o->row,
                 o->col, (int)grid.rows, (int)grid.cols, if_swapped(grid, o->row, o->col));
        return bad_observation(path, o, what);
    }
    if (walls && walls[cell_at(grid, o->row, o->col)]) {
        snprintf(what, sizeof what, "row %.9g, col %.9g is in a wall", o->row, o->col);
        return bad_observation(path, o, what);
    }
    add_observation(d, o, path);
    return DONE;
}

static int read_table(invert_data *d, const observation_files *from, size_t file)
{
    const char *path = from->files.items[file];
    zm_observations table = { 0 };
    zm_error err;
    int code = DONE;

    if (zm_observations_read(path, &table, &err) < 0)
        return failure("cannot read --observations %s", err.text);
    if (table.has_experiment && from->experiments[file] != NOT_SAID)
        GO(failure("--observations %d:%s: the table has a column experiment; leave "
                   "out %d:",
                   (int)from->experiments[file], path, (int)from->experiments[file]));
    for (size_t i = 0; i < table.n; i++) {
        zm_observation *o = &table.items[i];

        if (from->experiments[file] != NOT_SAID)
            o->experiment = from->experiments[file];
        GO(take_observation(d, path, o));
    }
done:
    zm_observations_free(&table);
    return code;
}

/* nan: not observed; so is inf, as solve writes it where nothing arrives. */
static int read_times(invert_data *d, const observation_files *from, size_t file)
{
    const char *path = from->files.items[file];
    const int32_t experiment =
        from->experiments[file] == NOT_SAID ? 0 : from->experiments[file];
    const size_t before = d->n_observations, cols = (size_t)d->in.grid.cols;
    zm_npy field = { 0 };
    int code;

    GO(read_fields("observations", path, &d->in, ZM_NPY_F64, 1, &field));
    for (size_t i = 0; i < cells_of(&d->in); i++) {
        const double time = ((const double *)field.data)[i];
        const zm_observation o = { .experiment = experiment,
                                   .row = (double)(i / cols),
                                   .col = (double)(i % cols),
                                   .time = time,
                                   .upper = time,
                                   .sigma = NAN };

        if (time == -HUGE_VAL)
            GO(bad_observation(path, &o,
                               "time -inf, must be finite, or nan where nothing was "
                               "observed"));
        if (isfinite(time))
            GO(take_observation(d, path, &o));
    }
    if (d->n_observations == before)
        code = failure("--observations %s has no finite time", path);
done:
    zm_npy_free(&field);
    return code;
}

static int read_observations(invert_data *d, const observation_files *from)
{
    for (size_t i = 0; i < from->files.count; i++)
        TRY(is_array(from->files.items[i]) ? read_times(d, from, i)
                                           : read_table(d, from, i));
    for (size_t e = 0; e < d->n_experiments; e++)
        if (d->experiments[e].n == 0)
            return failure("experiment %zu has a source and no observations", e);
    return DONE;
}

/* Times without a sigma get that of the command line; without one they are exact, all of
 * the experiment or none. */
static int settle_sigmas(invert_data *d, double sigma)
{
    for (size_t k = 0; k < d->n_experiments; k++) {
        experiment_data *e = &d->experiments[k];

        e->exact = sigma == 0 && e->without_sigma == e->n;
        if (sigma == 0 && e->without_sigma > 0 && !e->exact)
            return bad_observation(
                e->first_file, &e->first_without,
                "no sigma, and others of its experiment have one; fill "
                "it in, or give --sigma for those without");
        for (size_t i = 0; i < e->n; i++)
            if (isnan(e->sigmas[i]))
                e->sigmas[i] = sigma;
    }
    return DONE;
}

int invert_data_read(invert_data *d, const invert_settings *s)
{
    message_quiet(s->quiet);
    TRY(set_grid(d, s));
    TRY(read_fields_given(d, s));
    TRY(collect_sources(d, s));
    TRY(read_observations(d, &s->observations));
    return settle_sigmas(d, s->sigma);
}

static void experiment_free(experiment_data *e)
{
    free(e->sources);
    free(e->rows);
    free(e->cols);
    free(e->times);
    free(e->upper);
    free(e->sigmas);
}

void invert_data_free(invert_data *d)
{
    for (size_t e = 0; e < d->n_experiments; e++)
        experiment_free(&d->experiments[e]);
    free(d->experiments);
    zm_npy_free(&d->start_metric);
    zm_npy_free(&d->start_drift);
    inputs_free(&d->in);
    *d = (invert_data){ 0 };
}

/* ---- to the library --------------------------------------------------------------- */

static zm_metric metric_of(const inputs *in, const zm_npy *metric, const zm_npy *drift)
{
    const bool three = metric->data && metric->ndim == 3;

    return (zm_metric){ .dtype = ZM_F64,
                        .g11 = plane_of(in, metric->data, 0),
                        .g12 = three ? plane_of(in, metric->data, 1) : NULL,
                        .g22 = three ? plane_of(in, metric->data, 2) : NULL,
                        .b1 = plane_of(in, drift->data, 0),
                        .b2 = plane_of(in, drift->data, 1) };
}

static zm_status give_experiment(const experiment_data *e, zm_inversion *v,
                                 zm_error *err)
{
    zm_experiment x = ZM_EXPERIMENT_INIT;

    x.sources = e->sources;
    x.n_sources = e->n_sources;
    x.n = e->n;
    x.rows = e->rows;
    x.cols = e->cols;
    x.times = e->times;
    x.upper = e->upper;
    x.sigmas = e->exact ? NULL : e->sigmas;
    return zm_inversion_add(v, &x, err);
}

int invert_data_give(const invert_data *d, const invert_settings *s, zm_inversion *v)
{
    const zm_metric known = metric_of(&d->in, &d->in.metric, &d->in.drift);
    const zm_metric start = metric_of(&d->in, &d->start_metric, &d->start_drift);
    zm_status st = ZM_OK;
    zm_error err;

    if (s->walls)
        st = zm_inversion_walls(v, d->in.walls.data, &err);
    for (size_t e = 0; st >= 0 && e < d->n_experiments; e++)
        st = give_experiment(&d->experiments[e], v, &err);
    if (st >= 0 && s->lcurve.lambdas.count)
        st = zm_inversion_strengths(v, s->lcurve.lambdas.items, s->lcurve.lambdas.count,
                                    &err);
    if (st < 0)
        return library_failure(&err);
    if ((s->metric || s->drift) && zm_inversion_known(v, &known, &err) < 0)
        return failure("--%s: %s", s->metric ? "metric" : "drift", err.text);
    if ((s->start_metric || s->start_drift) && zm_inversion_start(v, &start, &err) < 0)
        return failure("--start-%s: %s", s->start_metric ? "metric" : "drift",
                       err.text);
    return DONE;
}
