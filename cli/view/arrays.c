/* SPDX-License-Identifier: Apache-2.0
 * Arrays on a page: arrival times, metric and drift, gradients, maps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "core/file.h"
#include "view/view.h"

static zm_view_type view_type(zm_npy_type type)
{
    return type == ZM_NPY_F32 ? ZM_VIEW_F32 : type == ZM_NPY_U8 ? ZM_VIEW_U8 : ZM_VIEW_F64;
}

static size_t bytes_of(zm_npy_type type)
{
    return type == ZM_NPY_F32 ? sizeof(float) : type == ZM_NPY_U8 ? 1 : sizeof(double);
}

/* Rows and columns of an array of one plane or several. */
static int sides_of(const char *path, const zm_npy *a, size_t sides[2])
{
    if ((a->ndim != 2 && a->ndim != 3) || a->count == 0)
        return failure("%s has shape %s, must be (rows, cols), or (planes, rows, cols)", path,
                       shape_of(a->ndim, a->shape).text);
    memcpy(sides, a->shape + a->ndim - 2, 2 * sizeof *sides);
    if (sides[0] > ZM_MOST_CELLS || sides[1] > ZM_MOST_CELLS / sides[0])
        return failure("%s has %zu x %zu cells, must have at most %d", path, sides[0], sides[1],
                       ZM_MOST_CELLS);
    return DONE;
}

static const void *plane_at(const zm_npy *a, size_t k)
{
    const size_t cells = a->count / (a->ndim == 3 ? a->shape[0] : 1);

    return (const char *)a->data + k * cells * bytes_of(a->type);
}

/* What an array is that has several planes: times if all of them are, signed if one is. */
static zm_view_role role_of(const building *b, const input *in, const zm_npy *a)
{
    const size_t planes = a->ndim == 3 ? a->shape[0] : 1;
    bool all_times = true, any_signed = false;

    for (size_t k = 0; k < planes; k++) {
        const zm_view_role role = plane_role(b, in->role, view_type(a->type), plane_at(a, k));

        all_times &= role == ZM_VIEW_TIMES;
        any_signed |= role == ZM_VIEW_SIGNED;
    }
    return all_times ? ZM_VIEW_TIMES : any_signed ? ZM_VIEW_SIGNED : ZM_VIEW_MAP;
}

static int add_plane(building *b, const input *in, const zm_npy *a, size_t k, zm_view_role role)
{
    const size_t planes = a->ndim == 3 ? a->shape[0] : 1;
    const char *name = zm_file_name(in->path);
    char label[300];
    zm_view_field f = ZM_VIEW_FIELD_INIT;

    snprintf(label, sizeof label, planes > 1 ? "%.250s [%zu]" : "%.250s", name, k);
    f.type = view_type(a->type);
    f.planes[0] = plane_at(a, k);
    f.role = role;
    f.name = name;
    f.label = label;
    if (f.role == ZM_VIEW_TIMES) {
        building_find_sources(b, f.type, f.planes[0]);
        f.unit = b->s->unit_time;
    }
    return building_add(b, &f, label, NULL);
}

static int add_array(building *b, const input *in)
{
    zm_npy head, a = { 0 };
    zm_view_role role;
    size_t sides[2];
    zm_error err;
    int code;

    if (zm_npy_peek(in->path, &head, &err) < 0 ||
        zm_npy_read(in->path, head.type, &a, &err) < 0)
        return failure("cannot read %s", err.text);
    GO(sides_of(in->path, &a, sides));
    GO(building_check_grid(b, in->path, sides[0], sides[1]));
    role = role_of(b, in, &a);
    for (size_t k = 0; k < (a.ndim == 3 ? a.shape[0] : 1); k++)
        GO(add_plane(b, in, &a, k, role));
done:
    zm_npy_free(&a);
    return code;
}

/* ---- metric and drift among the inputs -------------------------------------------------------- */

/* Whether the three planes are positive definite everywhere, which no gradient of use is. */
static int is_metric(const char *path, bool *yes)
{
    const zm_grid grid = { 1, 1, 1, 1 };
    zm_npy a;
    zm_error err;

    if (zm_npy_read(path, ZM_NPY_F64, &a, &err) < 0)
        return failure("cannot read %s", err.text);
    *yes = true;
    for (size_t i = 0, n = a.count / 3; *yes && i < n; i++) {
        const double *g = a.data;
        const zm_problem one = { .size = sizeof one,
                                 .metric = { ZM_F64, g + i, g + n + i, g + 2 * n + i, NULL, NULL } };

        *yes = zm_problem_check(grid, &one, NULL) >= 0;
    }
    zm_npy_free(&a);
    return DONE;
}

/* Takes the metric from the inputs that have no option of theirs; they are then none of `inputs`
 * any more. */
static int take_metric(building *b, problem_settings *p)
{
    for (size_t i = 0; i < b->n; i++) {
        const input *in = &b->inputs[i];
        zm_npy head;
        zm_error err;
        bool yes = false;

        if (in->kind != INPUT_ARRAY || in->role != READ_AS_IT_IS)
            continue;
        if (zm_npy_peek(in->path, &head, &err) < 0)
            return failure("cannot read %s", err.text);
        if (head.ndim == 3 && head.shape[0] == 2)
            return usage_error("%s has shape %s: a drift or a gradient with respect to one; give "
                               "it as --drift %s or --gradient %s",
                               in->path, shape_of(head.ndim, head.shape).text, in->path, in->path);
        if (head.ndim == 3 && head.shape[0] == 3 && head.count)
            TRY(is_metric(in->path, &yes));
        if (!yes)
            continue;
        if (p->metric)
            return usage_error("%s and %s are both metrics; a page has one: give the other as "
                               "--map",
                               p->metric, in->path);
        p->metric = in->path;
        b->n--;
        memmove(&b->inputs[i], &b->inputs[i + 1], (b->n - i) * sizeof *b->inputs);
        i--;
    }
    return DONE;
}

/* ---- the problem ------------------------------------------------------------------------------ */

static void describe_scheme(zm_text *t, const problem_settings *p)
{
    static const char *const closed[] = { NULL, "x", "y", "xy" };

    if (p->solver.stencils == ZM_STENCILS_FIXED)
        command_add(t, "stencils", "fixed");
    if (p->solver.order != 1)
        command_number(t, "order", p->solver.order);
    if (p->solver.factor_radius == 0)
        command_add(t, "factor", "none");
    else if (isinf(p->solver.factor_radius))
        command_add(t, "factor", "all");
    else if (p->solver.factor_radius > 0)
        command_number(t, "factor", p->solver.factor_radius);
    if (closed[p->solver.periodic])
        command_add(t, "periodic", closed[p->solver.periodic]);
    if (isfinite(p->forward.t_max))
        command_number(t, "t-max", p->forward.t_max);
    if (p->dtype != DTYPE_OF_METRIC)
        command_add(t, "dtype", p->dtype == DTYPE_FLOAT32 ? "float32" : "float64");
}

static void describe(zm_text *t, const problem_settings *p)
{
    zm_text_add(t, "zermelo solve");
    command_add(t, "metric", p->metric);
    if (p->drift)
        command_add(t, "drift", p->drift);
    if (p->walls)
        command_add(t, "walls", p->walls);
    if (p->spacing.dx != 1 || p->spacing.dy != 1) {
        command_number(t, "spacing", p->spacing.dx);
        zm_text_add(t, ",");
        zm_text_add_number(t, p->spacing.dy);
    }
    describe_scheme(t, p);
    zm_text_add_bytes(t, "", 1); /* ends the string */
}

static const char *first_array(const building *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->inputs[i].kind == INPUT_ARRAY)
            return b->inputs[i].path;
    return NULL;
}

/* Sides of the metric, or of the first array. */
static int begin(building *b, const problem_settings *p)
{
    const char *path = p->metric ? p->metric : first_array(b);
    zm_text command = { 0 };
    size_t sides[2];
    zm_npy head;
    zm_error err;
    int code;

    if (!path)
        return usage_error("%s alone has no map; name what goes with it, such as T.npy",
                           b->inputs[0].path);
    if (zm_npy_peek(path, &head, &err) < 0)
        return failure("cannot read %s", err.text);
    TRY(sides_of(path, &head, sides));
    b->first = path;
    if (p->metric)
        describe(&command, p);
    code = building_begin(b, &(page_facts){ .rows = (int32_t)sides[0],
                                            .cols = (int32_t)sides[1],
                                            .across = p->spacing.dx,
                                            .down = p->spacing.dy,
                                            .command = command.failed ? NULL : command.bytes });
    zm_text_free(&command);
    return code;
}

static int add_planes(building *b, const inputs *in, zm_view_role role, const void *data,
                      int32_t planes, const char *path)
{
    zm_view_field f = ZM_VIEW_FIELD_INIT;

    f.role = role;
    f.type = role == ZM_VIEW_OBSTACLES ? ZM_VIEW_U8 : in->dtype == ZM_F32 ? ZM_VIEW_F32 : ZM_VIEW_F64;
    f.n_planes = planes;
    for (int32_t k = 0; k < planes; k++)
        f.planes[k] = role == ZM_VIEW_OBSTACLES
                          ? data
                          : plane_of(in, (void *)(uintptr_t)data, (size_t)k);
    f.name = zm_file_name(path);
    return building_add(b, &f, path, NULL);
}

/* Metric, drift, walls, and how the page solves. */
static int add_problem(building *b, problem_settings *p)
{
    inputs in = { 0 };
    zm_error err;
    int code;

    if (!p->sources.count && !p->source_mask) {
        p->sources = b->found;
        if (b->found.count)
            note("the front starts where the times are smallest: %zu cell%s, first %g,%g; "
                 "--source tells otherwise",
                 b->found.count, b->found.count == 1 ? "" : "s", b->found.items[0].row,
                 b->found.items[0].col);
    }
    GO(inputs_read(&in, p));
    GO(checked(zm_problem_check(in.grid, &in.problem, &err), &err));
    GO(building_check_grid(b, p->metric, (size_t)in.grid.rows, (size_t)in.grid.cols));
    GO(add_planes(b, &in, ZM_VIEW_METRIC, in.metric.data, in.isotropic ? 1 : 3, p->metric));
    if (p->drift)
        GO(add_planes(b, &in, ZM_VIEW_DRIFT, in.drift.data, 2, p->drift));
    if (p->walls)
        GO(add_planes(b, &in, ZM_VIEW_OBSTACLES, in.walls.data, 1, p->walls));
    GO(checked(zm_view_set_solve(b->page, in.sources.items, in.sources.count, in.dtype, &p->solver,
                                 &p->forward, &err),
               &err));
done:
    inputs_free(&in);
    return code;
}

int add_arrays(building *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->inputs[i].kind == INPUT_ARRAY)
            TRY(add_array(b, &b->inputs[i]));
    return DONE;
}

int page_of_arrays(building *b)
{
    problem_settings p = b->s->problem;

    TRY(take_metric(b, &p));
    if (!p.metric && (p.drift || p.walls || p.source_mask))
        return usage_error("--drift, --walls and --source-mask go with a metric: add --metric");
    TRY(begin(b, &p));
    TRY(add_arrays(b));
    if (p.metric)
        TRY(add_problem(b, &p));
    return DONE;
}
