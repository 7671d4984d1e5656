/* SPDX-License-Identifier: Apache-2.0
 * zermelo convert: winds and fire ellipses to metric and drift, and back. */
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "common/interrupt.h"
#include "common/message.h"
#include "common/solution.h"
#include "common/verb.h"

/* What was given, as float64 until the type is known. */
typedef struct fields {
    inputs grid;            /* only its grid and dtype are used */
    const char *grid_from;  /* what the grid was taken from */
    zm_npy file[N_GIVEN];   /* of each part that is a file */
    void *number[N_GIVEN];  /* of each that is a number: a constant plane */
    bool any_file, all_f32; /* of the files with fields */
    zm_npy walls;
} fields;

static void fields_free(fields *f)
{
    for (size_t i = 0; i < N_GIVEN; i++) {
        zm_npy_free(&f->file[i]);
        free(f->number[i]);
    }
    zm_npy_free(&f->walls);
}

/* A file fixes the grid, or must fit it.  `planes` is what goes before rows and cols; one
 * plane may stand for the three of a matrix. */
static int check_shape(fields *f, const char *name, const char *path, const zm_npy *a,
                       size_t planes)
{
    const bool flat = a->ndim == 2 && planes != 2;
    const size_t *sides = a->shape + (flat ? 0 : 1);
    zm_grid *g = &f->grid.grid;

    if (!flat && (a->ndim != 3 || planes == 1 || a->shape[0] != planes))
        return failure("--%s %s has shape %s, must be %s", name, path,
                       shape_of(a->ndim, a->shape).text,
                       planes == 1   ? "(rows, cols)"
                       : planes == 2 ? "(2, rows, cols)"
                                     : "(3, rows, cols) or (rows, cols)");
    if (a->count == 0 || sides[0] > INT32_MAX || sides[1] > INT32_MAX)
        return failure("--%s %s has shape %s, must have 1 to %d rows and cols", name,
                       path, shape_of(a->ndim, a->shape).text, INT32_MAX);
    if (!f->grid_from) {
        *g = (zm_grid){ (int32_t)sides[0], (int32_t)sides[1], 1, 1 };
        f->grid_from = name;
    } else if (sides[0] != (size_t)g->rows || sides[1] != (size_t)g->cols) {
        return failure("--%s %s has %zu rows and %zu cols, must have %d and %d as --%s",
                       name, path, sides[0], sides[1], (int)g->rows, (int)g->cols,
                       f->grid_from);
    }
    return DONE;
}

static bool is_number(const part *p, const char *text, double *value)
{
    return p->planes == 1 && parse_time(text, value);
}

static int read_file(fields *f, size_t i, const char *path)
{
    zm_npy *a = &f->file[i];

    TRY(read_array(given_parts[i].option, path, ZM_NPY_F64, a));
    f->all_f32 = (f->all_f32 || !f->any_file) && strstr(a->descr, "f4");
    f->any_file = true;
    return check_shape(f, given_parts[i].option, path, a, given_parts[i].planes);
}

static int read_walls(fields *f, const char *path)
{
    TRY(read_array("walls", path, ZM_NPY_U8, &f->walls));
    return check_shape(f, "walls", path, &f->walls, 1);
}

/* Files first: they tell how large the planes of the numbers are. */
static int read_fields_given(fields *f, const convert_settings *s)
{
    double value;

    if (s->shape.rows > 0) {
        f->grid.grid = (zm_grid){ s->shape.rows, s->shape.cols, 1, 1 };
        f->grid_from = "shape";
    }
    for (size_t i = 0; i < N_GIVEN; i++) {
        const char *text = part_value(s, &given_parts[i]);

        if ((int)given_parts[i].form == s->from && text &&
            !is_number(&given_parts[i], text, &value))
            TRY(read_file(f, i, text));
    }
    if (s->walls)
        TRY(read_walls(f, s->walls));
    if (!f->grid_from)
        return usage_error("all is numbers; give --shape ROWS,COLS for the size of the "
                           "fields");
    f->grid.dtype =
        s->dtype == DTYPE_FLOAT32 || (s->dtype == DTYPE_OF_METRIC && f->all_f32)
            ? ZM_F32
            : ZM_F64;
    return DONE;
}

/* float64 to float32 in place. */
static void narrow(void *data, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double wide;
        float value;

        memcpy(&wide, (const char *)data + i * sizeof wide, sizeof wide);
        value = (float)wide;
        memcpy((char *)data + i * sizeof value, &value, sizeof value);
    }
}

static void *constant_plane(const inputs *in, double value)
{
    const size_t n = cells_of(in);
    double *plane = grow(NULL, n, sizeof *plane);

    for (size_t i = 0; i < n; i++)
        plane[i] = value;
    if (in->dtype == ZM_F32)
        narrow(plane, n);
    return plane;
}

/* Planes of the form, of the type of the results. */
static zm_form_in assemble(fields *f, const convert_settings *s)
{
    zm_form_in in = { .dtype = f->grid.dtype };

    for (size_t i = 0; i < N_GIVEN; i++) {
        const part *p = &given_parts[i];
        double value;

        if (f->file[i].data) {
            const size_t planes = f->file[i].count / cells_of(&f->grid);

            if (in.dtype == ZM_F32)
                narrow(f->file[i].data, f->file[i].count);
            for (size_t k = 0; k < planes; k++)
                in.plane[p->first + k] = plane_of(&f->grid, f->file[i].data, k);
        } else if ((int)p->form == s->from && part_value(s, p) &&
                   is_number(p, part_value(s, p), &value)) {
            f->number[i] = constant_plane(&f->grid, value);
            in.plane[p->first] = f->number[i];
        }
    }
    return in;
}

static int convert(fields *f, const convert_settings *s, void *results)
{
    zm_convert_opts opts = ZM_CONVERT_OPTS_INIT;
    const zm_form_in in = assemble(f, s);
    zm_form_out out = { { NULL } };
    zm_error err;

    opts.walls = f->walls.data;
    if (s->convention != NO_CONVENTION)
        opts.convention = (zm_heading)s->convention;
    if (s->tilt >= 0)
        opts.tilt = s->tilt;
    for (size_t i = 0; i < N_WANTED; i++)
        for (size_t k = 0; k < wanted_parts[i].planes; k++)
            if ((int)wanted_parts[i].form == s->to)
                out.plane[wanted_parts[i].first + k] =
                    plane_of(&f->grid, results, wanted_parts[i].first + k);
    if (zm_convert((zm_form)s->from, &in, (zm_form)s->to, cells_of(&f->grid), &out,
                   &opts, &err) == ZM_OK)
        return interrupt_check();
    if (err.cell < 0)
        return library_failure(&err);
    return failure("row %lld, col %lld: %s", (long long)(err.cell / f->grid.grid.cols),
                   (long long)(err.cell % f->grid.grid.cols), err.text);
}

static int save(const fields *f, const convert_settings *s, void *results)
{
    for (size_t i = 0; i < N_WANTED; i++) {
        const part *p = &wanted_parts[i];

        if ((int)p->form == s->to)
            TRY(save_fields(p->option, part_value(s, p), &f->grid,
                            file_type(f->grid.dtype), p->planes,
                            plane_of(&f->grid, results, p->first)));
    }
    return DONE;
}

static int run(const void *settings, char **operands, int n_operands)
{
    const convert_settings *s = settings;
    fields f = { 0 };
    void *results = NULL;
    int code;

    (void)operands, (void)n_operands;
    message_quiet(s->quiet);
    GO(convert_settings_check(s));
    GO(read_fields_given(&f, s));
    results =
        grow(NULL, ZM_FORM_PLANES * cells_of(&f.grid), zm_dtype_size(f.grid.dtype));
    GO(convert(&f, s, results));
    GO(save(&f, s, results));
    note("%d x %d cells converted from %s to %s", (int)f.grid.grid.rows,
         (int)f.grid.grid.cols, form_name(s->from), form_name(s->to));
done:
    free(results);
    fields_free(&f);
    return code;
}

static const convert_settings defaults = {
    .from = NO_FORM, .to = ZM_FORM_RANDERS, .convention = NO_CONVENTION, .tilt = -1
};

const verb verb_convert = {
    .name = "convert",
    .summary = "winds and fire ellipses to metric and drift, and back",
    .usage = "--from FORM [--to FORM] [options]",
    .description =
        "A front that reaches in unit time an ellipse about a point the wind has "
        "carried "
        "it to, W + { u : u' h u <= 1 }, is a Randers metric: with mu = 1 - W' h W, "
        "which "
        "must be positive, G = h/mu + b b' and b = h W/mu. A fire ellipse has its "
        "centre "
        "(head - back)/2 ahead along the heading, the semi-axis (head + back)/2 along "
        "it "
        "and flank across. Where the fire was lit at the rear focus of the ellipse, "
        "the "
        "head rate and the ratio of length to breadth tell the rest: --from focus.\n\n"
        "Rates and W are lengths per time, h and G are (time per length)^2, b is time "
        "per length, with the length of --spacing.\n\n" CONVENTIONS,
    .example =
        "  zermelo convert --from ellipse --head 2 --flank 0.6 --back 0.2 --heading 45 "
        "\\\n"
        "      --shape 200,300 --out-metric G.npy --out-drift b.npy\n"
        "  zermelo solve --metric G.npy --drift b.npy --source 150,50 --out times.npy\n"
        "  zermelo convert --from randers --metric G.npy --drift b.npy --to zermelo "
        "\\\n"
        "      --out-metric h.npy --out-drift W.npy\n",
    .tables = { &convert_form_options, &convert_given_options,
                &convert_wanted_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
};
