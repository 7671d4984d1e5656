/* SPDX-License-Identifier: Apache-2.0
 * zermelo view: a page that shows results and solves again by itself. */
#define _POSIX_C_SOURCE 200809L
#include "view/verb_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/message.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "view/view.h"

/* ---- options ---------------------------------------------------------------------------------- */

#define FIELD(name) offsetof(view_settings, name)
#define LIST(name, field, text)                                                                    \
    {                                                                                              \
        name, "FILE", OPTION_INPUTS, FIELD(field), .repeatable = true, .parse = parse_file,        \
                                                   .expects = "the name of a file", .help = text   \
    }
#define SCHEME(name, value, field, parser, accepted, text)                                         \
    {                                                                                              \
        name, value, OPTION_VALUE, FIELD(problem.field), .parse = parser, .expects = accepted,     \
                                                         .help = text                              \
    }

/* The page takes them as zm_view_opts does. */
static const option_choice colormaps[] = {
    { "viridis", 1 }, { "magma", 2 }, { "cividis", 3 }, { "fire", 4 }, { NULL, 0 }
};

static const option page_list[] = {
    { "out", "FILE", OPTION_OUTPUT, FIELD(out), .required = true, .dash_allowed = true,
      .help = "the page, one HTML file; - is standard output" },
    { "title", "TEXT", OPTION_VALUE, FIELD(title), .parse = parse_text, .expects = "a text",
      .help = "default: the name of the first input" },
    { "unit-time", "WORD", OPTION_VALUE, FIELD(unit_time), .parse = parse_text,
      .expects = "a word such as h", .help = "of times, as it is shown; default h of maps and fires, "
                                             "else none" },
    { "unit-length", "WORD", OPTION_VALUE, FIELD(unit_length), .parse = parse_text,
      .expects = "a word such as m",
      .help = "of --spacing, as it is shown; default that of the map, else none" },
    { "colormap", "NAME", OPTION_VALUE, FIELD(colormap), .choices = colormaps,
      .help = "colours of times: viridis, magma, cividis or fire; default fire for fires, else "
              "viridis" },
    { "limit", "BYTES", OPTION_VALUE, FIELD(most_bytes), .parse = parse_bytes,
      .expects = "a number of bytes such as 500M",
      .help = "larger pages are refused; default 256M, half of what browsers take" },
    { "json", "FILE", OPTION_OUTPUT, FIELD(problem.json), .dash_allowed = true,
      .help = "report: what each input was taken for, bytes of the page; - is standard output" },
    { "quiet", NULL, OPTION_FLAG, FIELD(problem.quiet), .help = "print errors only: no notes" },
    { 0 }
};
static const option_table page_options = { "Page", page_list };

static const option input_list[] = {
    LIST("times", times, "an array or raster of arrival times, whatever its values; may be "
                         "repeated"),
    LIST("map", maps, "the same for any map, with colours from its least to its largest"),
    LIST("gradient", gradients, "the same for a gradient, with colours about zero"),
    { "metric", "FILE", OPTION_INPUT, FIELD(problem.metric),
      .help = "metric that the page solves with, as of zermelo solve" },
    { "drift", "FILE", OPTION_INPUT, FIELD(problem.drift), .help = "its drift; default: none" },
    { "walls", "FILE", OPTION_INPUT, FIELD(problem.walls),
      .help = "shape (rows, cols): nothing crosses cells where this is not zero" },
    { "source", "ROW,COL[,TIME]", OPTION_VALUE, FIELD(problem.sources), .repeatable = true,
      .parse = parse_place, .expects = "ROW,COL or ROW,COL,TIME, e.g. 100,50 or 99.25,50.5,12",
      .help = "the front starts here at first; default where the times are smallest; may be "
              "repeated" },
    { "source-mask", "FILE", OPTION_INPUT, FIELD(problem.source_mask),
      .help = "shape (rows, cols): it also starts wherever this is not zero" },
    SCHEME("spacing", "DX[,DY]", spacing, parse_spacing, "DX or DX,DY above 0, e.g. 30 or 30,25",
           "distance between columns and between rows; default 1, that of a map its own"),
    { "stencils", "KIND", OPTION_VALUE, FIELD(problem.solver.stencils), .choices = stencil_choices,
      .help = "adaptive, the default, or fixed, as of zermelo solve" },
    SCHEME("order", "N", solver.order, parse_order, "1, 2 or 3", "as of zermelo solve; default 1"),
    SCHEME("factor", "RADIUS", solver.factor_radius, parse_factor,
           "none, all or a number above 0", "as of zermelo solve"),
    SCHEME("periodic", "SIDES", solver.periodic, parse_periodic, "x, y or xy",
           "sides on which the grid is closed"),
    SCHEME("t-max", "TIME", forward.t_max, parse_time, "a number or inf",
           "latest time that is solved for; of a fire hours, default its duration"),
    { "dtype", "TYPE", OPTION_VALUE, FIELD(problem.dtype), .choices = dtype_choices,
      .help = "float32 or float64: the page solves in it; default: type of the metric file" },
    { 0 }
};
static const option_table input_options = { "Inputs, and what solves", input_list };

/* ---- what the inputs are ---------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat info;

    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

static bool holds(const char *folder, const char *name)
{
    char *path = zm_folder_join(folder, name);
    const bool there = path && zm_file_exists(path);

    free(path);
    return there;
}

static bool has_perimeters(const char *folder)
{
    return holds(folder, "perimeters.gpkg") || holds(folder, "perimeters.geojson") ||
           holds(folder, "perimeters.shp");
}

static int folder_kind(const building *b, const char *path, input_kind *kind)
{
    const bool land = holds(path, "landscape.tif");
    const bool scene = land && holds(path, "fires.csv"), seen = land && has_perimeters(path);
#if defined(ZM_WITH_MAPS)
    const bool wants_fire = b->s->fires.count > 0;
#else
    const bool wants_fire = false;
    (void)b;
#endif
    if (scene && seen && !wants_fire)
        return usage_error("%s has fires.csv and perimeters: a scene or an observed fire; for the "
                           "first add --fire NAME, for the second view a folder without fires.csv",
                           path);
    *kind = scene ? INPUT_SCENE : seen ? INPUT_OBSERVED : INPUT_RESULTS;
    return DONE;
}

/* The first bytes tell; files are read again later, so they must stay. */
static int file_kind(const char *path, input_kind *kind)
{
    unsigned char head[64] = { 0 };
    size_t n, size, at = 0;
    zm_error err;
    FILE *file;

    if (zm_file_descriptor(path) >= 0)
        return usage_error("%s can be read only once; a page needs the name of a file", path);
    if (zm_file_open(path, &file, &size, &err) < 0)
        return failure("cannot read %s", err.text);
    n = fread(head, 1, sizeof head, file);
    fclose(file);
    while (at < n && strchr(" \t\r\n", head[at]))
        at++;
    *kind = n >= 6 && !memcmp(head, "\x93NUMPY", 6) ? INPUT_ARRAY
            : at < n && head[at] == '{'             ? INPUT_REPORT
                                                    : INPUT_MAP;
    return DONE;
}

static int add_input(building *b, const char *path, input_role role)
{
    input in = { .path = path, .role = role };

    if (is_folder(path))
        TRY(folder_kind(b, path, &in.kind));
    else
        TRY(file_kind(path, &in.kind));
    if (role != READ_AS_IT_IS && in.kind != INPUT_ARRAY && in.kind != INPUT_MAP)
        return usage_error("%s is no array and no raster: give it without an option", path);
    b->inputs = grow(b->inputs, b->n + 1, sizeof *b->inputs);
    b->inputs[b->n++] = in;
    return DONE;
}

static int add_list(building *b, const file_list *list, input_role role)
{
    for (size_t i = 0; i < list->count; i++)
        TRY(add_input(b, list->items[i], role));
    return DONE;
}

static int gather_inputs(building *b, char **operands, int n)
{
    const view_settings *s = b->s;

    for (int i = 0; i < n; i++)
        TRY(add_input(b, operands[i], READ_AS_IT_IS));
    TRY(add_list(b, &s->times, READ_TIMES));
    TRY(add_list(b, &s->maps, READ_MAP));
    TRY(add_list(b, &s->gradients, READ_GRADIENT));
    if (!b->n && !s->problem.metric)
        return usage_error("nothing to view; name files or folders, or give --metric");
    return DONE;
}

/* ---- the page --------------------------------------------------------------------------------- */

#if defined(ZM_WITH_MAPS)
static const input *find(const building *b, input_kind kind)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->inputs[i].kind == kind)
            return &b->inputs[i];
    return NULL;
}

static int fill(building *b)
{
    const input *scene = find(b, INPUT_SCENE), *seen = find(b, INPUT_OBSERVED);
    const input *map = find(b, INPUT_MAP) ? find(b, INPUT_MAP) : find(b, INPUT_RESULTS);

    if ((scene || seen || map) && b->s->problem.metric)
        return usage_error("--metric is for pages of arrays; %s has a map",
                           scene ? scene->path : seen ? seen->path : map->path);
    if (!scene && !seen && b->s->fires.count)
        return usage_error("--fire goes with a scene");
    TRY(scene || seen ? page_of_fires(b, scene ? scene : seen)
        : map         ? page_of_maps(b)
                      : page_of_arrays(b));
    return add_reports(b);
}
#else
static int fill(building *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->inputs[i].kind != INPUT_ARRAY)
            return failure("%s is no array of NumPy; rasters, scenes and reports need GDAL: install "
                           "libgdal-dev and libjansson-dev (Debian), configure and build again",
                           b->inputs[i].path);
    return page_of_arrays(b);
}
#endif

static int run(const void *settings, char **operands, int n_operands)
{
    building b = { .s = settings, .unit = NAN };
    int code;

    message_quiet(b.s->problem.quiet);
    GO(options_check_operands(&verb_view, settings, operands, n_operands));
    GO(gather_inputs(&b, operands, n_operands));
    GO(fill(&b));
    GO(building_end(&b));
done:
    building_free(&b);
    return code;
}

static void release(void *settings)
{
    view_settings *s = settings;

    free(s->problem.sources.items);
    free(s->times.items);
    free(s->maps.items);
    free(s->gradients.items);
    free(s->fires.items);
}

const char *view_colormap(const view_settings *s, const char *usual)
{
    return s->colormap ? choice_name(colormaps, s->colormap) : usual;
}

static const view_settings defaults = {
#if defined(ZM_WITH_MAPS)
    .of = UNCERTAIN_DEFAULT,
#endif
    .problem = PROBLEM_DEFAULTS,
};

const verb verb_view = {
    .name = "view",
    .summary = "a page that shows results and solves again by itself",
    .usage = "INPUT... --out page.html [options]",
    .description =
        "Writes one HTML file that opens in any browser by a double click, without a network: "
        "arrival times with isochrones, metric, landscape, paths, and a solver that follows when "
        "sources, obstacles, wind or moisture are changed.\n\n"
        "Inputs are told by their contents: arrays of NumPy (arrival times, which begin at 0 and "
        "rise; a metric of three planes; gradients and other maps), the report of zermelo invert, "
        "GeoTIFF and other rasters, folders of zermelo fire (scenes, observed fires, ensembles). "
        "All must have one grid. What each was taken for is said; --times, --map and --gradient "
        "tell otherwise. docs/view.md has more.",
    .example =
        "  python3 -c \"import numpy as np; np.save('metric.npy', np.ones((80, 120)))\"\n"
        "  zermelo solve --metric metric.npy --source 40,30 --out T.npy\n"
        "  zermelo view T.npy --metric metric.npy --out page.html\n",
    .tables = { &page_options, &input_options,
#if defined(ZM_WITH_MAPS)
                &view_fire_options, &factor_options, &model_options, &spread_options
#endif
    },
    .takes_operands = true,
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
    .release = release,
};
