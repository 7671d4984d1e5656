/* SPDX-License-Identifier: Apache-2.0
 * Reads the problem: metric, drift, sources, walls. */
#define _POSIX_C_SOURCE 200809L
#include "inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "message.h"

#define FIELD(name) offsetof(problem_settings, name)

static const option problem_list[] = {
    { "metric", "FILE", OPTION_INPUT, FIELD(metric), .required = true,
      .help =
          "metric G: shape (3, rows, cols) for g11 (xx), g12 (xy), g22 (yy), or (rows, "
          "cols) for g in G = g I (g = 1/speed^2)" },
    { "drift", "FILE", OPTION_INPUT, FIELD(drift),
      .help = "drift b: shape (2, rows, cols) for x and y; default: none" },
    { "source", "ROW,COL[,TIME]", OPTION_VALUE, FIELD(sources), .repeatable = true,
      .parse = parse_place,
      .expects = "ROW,COL or ROW,COL,TIME, e.g. 100,50 or 99.25,50.5,12",
      .help =
          "the front starts here at TIME, default 0; whole numbers are the middles of "
          "cells; may be repeated" },
    { "source-mask", "FILE", OPTION_INPUT, FIELD(source_mask),
      .help =
          "shape (rows, cols): it also starts at time 0 wherever this is not zero" },
    { "walls", "FILE", OPTION_INPUT, FIELD(walls),
      .help = "shape (rows, cols): nothing crosses cells where this is not zero" },
    { "spacing", "DX[,DY]", OPTION_VALUE, FIELD(spacing), .parse = parse_spacing,
      .expects = "DX or DX,DY above 0, e.g. 30 or 30,25",
      .help = "distance between columns and between rows; default 1, DY default DX" },
    { 0 }
};
const option_table problem_options = { "Problem", problem_list };

static const option scheme_list[] = {
    { "stencils", "KIND", OPTION_VALUE, FIELD(solver.stencils),
      .choices = stencil_choices,
      .help =
          "which neighbours a cell is updated from; adaptive, the default: farther "
          "ones "
          "than the eight nearest where the anisotropy needs them; fixed: always the "
          "eight nearest" },
    { "order", "N", OPTION_VALUE, FIELD(solver.order), .parse = parse_order,
      .expects = "1, 2 or 3",
      .help = "1 or 2: the error falls with the spacing or with its square; 3: smaller still "
              "where the metric is mild; default 1, the fastest" },
    { "factor", "RADIUS", OPTION_VALUE, FIELD(solver.factor_radius),
      .parse = parse_factor, .expects = "none, all or a number above 0",
      .help = "take out the singularity at the sources: up to this distance from each, "
              "or all for everywhere, or none; exact where the metric is constant; "
              "default none, "
              "with --order 2 or 3 all" },
    { "periodic", "SIDES", OPTION_VALUE, FIELD(solver.periodic),
      .parse = parse_periodic, .expects = "x, y or xy",
      .help = "x: what leaves the grid on the right comes in on the left; y: the same "
              "below and above; xy: both" },
    { "until-reached", "ROW,COL", OPTION_VALUE, FIELD(until), .repeatable = true,
      .parse = parse_cell, .expects = "ROW,COL with whole numbers, e.g. 100,50",
      .help =
          "stop when the front has come to this cell (to all of them, if repeated); "
          "later cells stay infinite" },
    { "targets", "FILE", OPTION_INPUT, FIELD(targets),
      .help = "shape (rows, cols): the same for all cells where this is not zero" },
    { "max-cells", "N", OPTION_VALUE, FIELD(forward.max_cells), .parse = parse_cells,
      .expects = "a whole number from 1 on",
      .help = "stop when so many cells are reached; later ones stay infinite" },
    { 0 }
};
const option_table scheme_options = { "Accuracy and extent", scheme_list };

static const option solver_list[] = {
    { "t-max", "TIME", OPTION_VALUE, FIELD(forward.t_max), .parse = parse_time,
      .expects = "a number or inf",
      .help = "cells reached later stay infinite; the others are as without it; "
              "default inf" },
    { "tol", "TIME", OPTION_VALUE, FIELD(forward.tol), .parse = parse_tolerance,
      .expects = "a number that is not negative",
      .help = "changes of at most this are not propagated; default 0: exact to "
              "rounding, as derivatives need it" },
    { "max-iterations", "N", OPTION_VALUE, FIELD(forward.max_iterations),
      .parse = parse_count, .expects = "a whole number from 1 on",
      .help = "limit of visits to any block of cells; default 100000" },
    { "threads", "N", OPTION_VALUE, FIELD(threads), .parse = parse_threads,
      .expects = "a whole number from 1 to 256, or all",
      .help =
          "threads, or all for every processor; default 1, whose results are the same "
          "to the last bit in every run (more agree to 1e-12)" },
    { "dtype", "TYPE", OPTION_VALUE, FIELD(dtype), .choices = dtype_choices,
      .help =
          "float32 or float64: compute and write in it; default: type of the metric "
          "file" },
    { "repeat", "N", OPTION_VALUE, FIELD(repeat), .parse = parse_count,
      .expects = "a whole number from 1 on",
      .help =
          "compute N times and report the shortest time, of derivatives that of the "
          "first after a solve; default 1" },
    { "json", "FILE", OPTION_OUTPUT, FIELD(json), .dash_allowed = true,
      .help = "report: grid, iterations, convergence, times; - is standard output" },
    { "quiet", NULL, OPTION_FLAG, FIELD(quiet),
      .help = "print errors only: no progress, notes or warnings" },
    { 0 }
};
const option_table solver_options = { "Solver and report", solver_list };

size_t cells_of(const inputs *in)
{
    return (size_t)in->grid.rows * (size_t)in->grid.cols;
}

zm_npy_type file_type(zm_dtype dtype)
{
    return dtype == ZM_F32 ? ZM_NPY_F32 : ZM_NPY_F64;
}

void *plane_of(const inputs *in, void *data, size_t i)
{
    return data ? (char *)data + i * cells_of(in) * zm_dtype_size(in->dtype) : NULL;
}

shape_text shape_of(int32_t ndim, const size_t *shape)
{
    shape_text s = { "(" };
    size_t n = 1;

    for (int32_t d = 0; d < ndim && n < sizeof s.text; d++)
        n += (size_t)snprintf(s.text + n, sizeof s.text - n, "%zu%s", shape[d],
                              d + 1 < ndim ? ", " : ")");
    return s;
}

/* What an array file announces, looked at before its data are read; false for a pipe, which
 * can be read only once. */
static bool announces(const char *path, zm_npy *head)
{
    struct stat info;

    return !stat(path, &info) && S_ISREG(info.st_mode) && zm_npy_peek(path, head, NULL) >= 0;
}

int read_array(const char *option_name, const char *path, zm_npy_type type, zm_npy *out)
{
    zm_error err;

    if (zm_npy_read(path, type, out, &err) < 0)
        return failure("cannot read --%s %s", option_name, err.text);
    return DONE;
}

/* Whether an array has `planes` planes of the grid. */
static int check_fields(const char *option_name, const char *path, const inputs *in,
                        size_t planes, const zm_npy *a)
{
    const size_t wanted[3] = { planes, (size_t)in->grid.rows, (size_t)in->grid.cols };
    const int skip = planes == 1;

    if (a->ndim == 3 - skip &&
        !memcmp(a->shape, wanted + skip, (size_t)(3 - skip) * sizeof *wanted))
        return DONE;
    return failure("--%s %s has shape %s, must be %s to fit the grid", option_name, path,
                   shape_of(a->ndim, a->shape).text,
                   shape_of(3 - skip, wanted + skip).text);
}

int read_fields(const char *option_name, const char *path, const inputs *in,
                zm_npy_type type, size_t planes, zm_npy *out)
{
    zm_npy head;
    int code;

    if (announces(path, &head))
        TRY(check_fields(option_name, path, in, planes, &head));
    TRY(read_array(option_name, path, type, out));
    /* again: it may be a pipe, or have changed */
    if ((code = check_fields(option_name, path, in, planes, out)) != DONE)
        zm_npy_free(out);
    return code;
}

/* Type to compute in: as asked for, else that of the file. */
static int choose_dtype(inputs *in, const problem_settings *s)
{
    struct stat info;
    zm_error err;
    zm_npy head;

    if (s->dtype != DTYPE_OF_METRIC) {
        in->dtype = s->dtype == DTYPE_FLOAT32 ? ZM_F32 : ZM_F64;
        return DONE;
    }
    if (!stat(s->metric, &info) && S_ISFIFO(info.st_mode))
        return usage_error(
            "--metric %s is a pipe, whose type cannot be seen beforehand; "
            "add --dtype float64 or float32",
            s->metric);
    if (zm_npy_peek(s->metric, &head, &err) < 0)
        return failure("cannot read --metric %s", err.text);
    in->dtype = head.type == ZM_NPY_F32 ? ZM_F32 : ZM_F64;
    return DONE;
}

static bool is_scalar_metric(const zm_npy *a)
{
    return a->ndim == 2;
}

static int check_metric(const char *path, const zm_npy *a)
{
    const size_t *sides = a->shape + (is_scalar_metric(a) ? 0 : 1);

    if (!is_scalar_metric(a) && (a->ndim != 3 || a->shape[0] != 3))
        return failure(
            "--metric %s has shape %s, must be (3, rows, cols) or (rows, cols)", path,
            shape_of(a->ndim, a->shape).text);
    if (a->count == 0 || sides[0] > ZM_MOST_CELLS || sides[1] > ZM_MOST_CELLS / sides[0])
        return failure("--metric %s has shape %s, must have 1 to %d cells", path,
                       shape_of(a->ndim, a->shape).text, ZM_MOST_CELLS);
    return DONE;
}

static int read_metric(inputs *in, const problem_settings *s)
{
    const size_t *sides;
    zm_npy head;

    if (announces(s->metric, &head))
        TRY(check_metric(s->metric, &head));
    TRY(read_array("metric", s->metric, file_type(in->dtype), &in->metric));
    TRY(check_metric(s->metric, &in->metric));
    in->isotropic = is_scalar_metric(&in->metric);
    sides = in->metric.shape + (in->isotropic ? 0 : 1);
    in->grid =
        (zm_grid){ (int32_t)sides[0], (int32_t)sides[1], s->spacing.dx, s->spacing.dy };
    return DONE;
}

static void append_sources(source_list *list, const zm_source *more, size_t n)
{
    if (n == 0)
        return;
    list->items = grow(list->items, list->count + n, sizeof *list->items);
    memcpy(list->items + list->count, more, n * sizeof *more);
    list->count += n;
}

static int read_source_mask(inputs *in, const char *path)
{
    zm_npy mask = { 0 };
    zm_source *marked = NULL;
    zm_error err;
    size_t n = 0;
    int code;

    GO(read_fields("source-mask", path, in, ZM_NPY_U8, 1, &mask));
    if (zm_sources_from_mask(in->grid, mask.data, 0, NULL, 0, &n, &err) < 0)
        GO(library_failure(&err));
    if (n == 0 && in->sources.count == 0)
        GO(failure("--source-mask %s marks no cell; mark at least one", path));
    if (n > 0) {
        marked = grow(NULL, n, sizeof *marked);
        zm_sources_from_mask(in->grid, mask.data, 0, marked, n, &n, &err);
        append_sources(&in->sources, marked, n);
    }
done:
    free(marked);
    zm_npy_free(&mask);
    return code;
}

/* Cells to be reached: those of the file and those of the command line. */
static int read_targets(inputs *in, const problem_settings *s)
{
    const size_t cells = cells_of(in);
    const uint8_t *walls = in->walls.data, *marked;
    zm_npy mask = { 0 };

    if (s->targets)
        TRY(read_fields("targets", s->targets, in, ZM_NPY_U8, 1, &mask));
    marked = mask.data;
    in->targets = grow(NULL, cells, 1);
    for (size_t i = 0; i < cells; i++)
        in->targets[i] = marked && marked[i] != 0;
    zm_npy_free(&mask);
    for (size_t i = 0; i < s->until.count; i++) {
        const zm_source *at = &s->until.items[i];

        if (at->row >= in->grid.rows || at->col >= in->grid.cols)
            return failure(
                "--until-reached %g,%g is outside of the grid, must be in 0..%d "
                "and 0..%d",
                at->row, at->col, (int)in->grid.rows - 1, (int)in->grid.cols - 1);
        in->targets[(size_t)at->row * (size_t)in->grid.cols + (size_t)at->col] = 1;
    }
    for (size_t i = 0; i < cells; i++)
        if (in->targets[i] && !(walls && walls[i]))
            return DONE;
    return failure("no cell of --targets or --until-reached is free; mark at least one "
                   "that is no wall");
}

static bool is_between(const zm_source *at)
{
    return at->row != (double)(int32_t)at->row || at->col != (double)(int32_t)at->col;
}

int check_movable(const inputs *in, const char *option_name)
{
    for (size_t i = 0; i < in->sources.count; i++)
        if (is_between(&in->sources.items[i]))
            return DONE;
    return usage_error(
        "--%s needs a source between cells, such as --source 10.25,20.5: in "
        "the middle of a cell times have no derivative with respect to its place",
        option_name);
}

/* What fixed stencils do not know is better said in words of the tool. */
static int check_places(const inputs *in, const problem_settings *s)
{
    for (size_t i = 0; s->solver.stencils == ZM_STENCILS_FIXED && i < in->sources.count;
         i++) {
        const zm_source *at = &in->sources.items[i];

        if (is_between(at))
            return usage_error(
                "--source %.9g,%.9g is between cells, which --stencils fixed "
                "does not know; use --stencils adaptive",
                at->row, at->col);
    }
    return DONE;
}

static zm_problem assemble(const inputs *in)
{
    zm_metric m = { .dtype = in->dtype,
                    .g11 = plane_of(in, in->metric.data, 0),
                    .b1 = plane_of(in, in->drift.data, 0),
                    .b2 = plane_of(in, in->drift.data, 1) };

    if (!in->isotropic) {
        m.g12 = plane_of(in, in->metric.data, 1);
        m.g22 = plane_of(in, in->metric.data, 2);
    }
    return (zm_problem){ .size = sizeof(zm_problem),
                         .metric = m,
                         .sources = in->sources.items,
                         .n_sources = in->sources.count,
                         .walls = in->walls.data };
}

int inputs_read(inputs *in, const problem_settings *s)
{
    message_quiet(s->quiet);
    if (!s->sources.count && !s->source_mask)
        return usage_error("no source; give --source ROW,COL or --source-mask FILE");
    TRY(choose_dtype(in, s));
    TRY(read_metric(in, s));
    if (s->drift)
        TRY(read_fields("drift", s->drift, in, file_type(in->dtype), 2, &in->drift));
    if (s->walls)
        TRY(read_fields("walls", s->walls, in, ZM_NPY_U8, 1, &in->walls));
    append_sources(&in->sources, s->sources.items, s->sources.count);
    if (s->source_mask)
        TRY(read_source_mask(in, s->source_mask));
    TRY(check_places(in, s));
    if (s->targets || s->until.count)
        TRY(read_targets(in, s));
    in->problem = assemble(in);
    return DONE;
}

void inputs_free(inputs *in)
{
    zm_npy_free(&in->metric);
    zm_npy_free(&in->drift);
    zm_npy_free(&in->walls);
    free(in->sources.items);
    in->sources = (source_list){ 0 };
    free(in->targets);
    in->targets = NULL;
}

void problem_settings_release(void *settings)
{
    problem_settings *s = settings;

    free(s->sources.items);
    free(s->until.items);
    s->sources = s->until = (source_list){ 0 };
}
