/* SPDX-License-Identifier: Apache-2.0
 * All that can be asked of a problem. */
#include "support/outcome.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BEST     ZM_ISA_BEST
#define SCALAR   ZM_ISA_SCALAR
#define FIXED    ZM_STENCILS_FIXED
#define ADAPTIVE ZM_STENCILS_ADAPTIVE
#define OWN      ZM_COST_OWN
#define MEAN     ZM_COST_MEAN

const variant variants[] = {
    { "fixed", ZM_F64, BEST, FIXED, 1, false, false, OWN, 0, 1 },
    { "fixed float32", ZM_F32, BEST, FIXED, 1, false, false, OWN, 0, 1 },
    { "fixed scalar", ZM_F64, SCALAR, FIXED, 1, false, false, OWN, 0, 1 },
    { "fixed two threads", ZM_F64, BEST, FIXED, 1, false, false, OWN, 0, 2 },
    { "adaptive", ZM_F64, BEST, ADAPTIVE, 1, false, false, OWN, 0, 1 },
    { "adaptive float32", ZM_F32, BEST, ADAPTIVE, 1, false, false, OWN, 0, 1 },
    { "marching", ZM_F64, SCALAR, ADAPTIVE, 1, false, false, OWN, 0, 1 },
    { "marching closed", ZM_F64, BEST, ADAPTIVE, 1, false, false, OWN,
      ZM_PERIODIC_X | ZM_PERIODIC_Y, 1 },
    { "factored", ZM_F64, BEST, ADAPTIVE, 1, true, false, OWN, 0, 1 },
    { "second", ZM_F64, BEST, ADAPTIVE, 2, false, false, OWN, 0, 1 },
    { "second factored", ZM_F64, BEST, ADAPTIVE, 2, true, false, OWN, 0, 1 },
    { "second factored float32", ZM_F32, BEST, ADAPTIVE, 2, true, false, OWN, 0, 1 },
    { "third", ZM_F64, BEST, ADAPTIVE, 3, true, false, OWN, 0, 1 },
    { "third float32", ZM_F32, BEST, ADAPTIVE, 3, true, false, OWN, 0, 1 },
    { "second factored scalar", ZM_F64, SCALAR, ADAPTIVE, 2, true, false, OWN, 0, 1 },
    { "second factored two threads", ZM_F64, BEST, ADAPTIVE, 2, true, false, OWN, 0,
      2 },
    { "timed own", ZM_F64, BEST, ADAPTIVE, 1, false, true, OWN, 0, 1 },
    { "timed mean", ZM_F64, BEST, ADAPTIVE, 1, false, true, MEAN, 0, 1 },
    { "timed float32", ZM_F32, BEST, ADAPTIVE, 1, false, true, MEAN, 0, 1 },
};
const size_t n_variants = sizeof variants / sizeof *variants;

const variant *variant_named(const char *name)
{
    for (size_t i = 0; i < n_variants; i++)
        if (!strcmp(variants[i].name, name))
            return &variants[i];
    fprintf(stderr, "no variant %s\n", name);
    exit(2);
}

static zm_solver_opts opts_of(const variant *v)
{
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;

    o.threads = v->threads;
    o.isa = v->isa;
    o.stencils = v->stencils;
    o.order = v->order;
    o.factor_radius = v->factored ? HUGE_VAL : 0;
    o.periodic = v->periodic;
    o.cost = v->cost;
    o.reach = 1;
    return o;
}

/* The share of every value that a direction moves it by, where none is given. */
static double usual_direction(const test_case *c, int plane, size_t cell)
{
    static const double share[N_PLANES] = { 0.3, 0.2, 0.1, 0.15, 0.12 };

    return share[plane] * case_plane(c, plane)[cell];
}

/* Planes of either type, one after the other. */
typedef struct planes {
    zm_dtype dtype;
    size_t n;
    char *at;
} planes;

static planes planes_create(zm_dtype dtype, size_t n, size_t count)
{
    const planes p = { dtype, n, calloc(n * count, zm_dtype_size(dtype)) };

    if (!p.at)
        abort();
    return p;
}

static void *plane_at(const planes *p, size_t i)
{
    return p->at + i * p->n * zm_dtype_size(p->dtype);
}

static double value_at(const planes *p, size_t plane, size_t cell)
{
    return p->dtype == ZM_F32 ? (double)((const float *)plane_at(p, plane))[cell]
                              : ((const double *)plane_at(p, plane))[cell];
}

static void value_set(const planes *p, size_t plane, size_t cell, double value)
{
    if (p->dtype == ZM_F32)
        ((float *)plane_at(p, plane))[cell] = (float)value;
    else
        ((double *)plane_at(p, plane))[cell] = value;
}

static double *to_doubles(const planes *p, size_t plane)
{
    double *to = nan_doubles(p->n);

    for (size_t i = 0; i < p->n; i++)
        to[i] = value_at(p, plane, i);
    return to;
}

static zm_metric metric_over(const planes *p, size_t first)
{
    return (zm_metric){ p->dtype,
                        plane_at(p, first),
                        plane_at(p, first + 1),
                        plane_at(p, first + 2),
                        plane_at(p, first + 3),
                        plane_at(p, first + 4) };
}

/* A problem in the type of the variant; the second interval is twice as slow. */
enum {
    INTERVALS = 3,
    IN = 0,
    IN_SLOW = N_PLANES,
    DIRECTION = 2 * N_PLANES,
    DIRECTION_SLOW = 3 * N_PLANES,
    IN_ALL = 4 * N_PLANES
};

typedef struct whole {
    planes in;
    zm_interval interval[INTERVALS];
    double starts[INTERVALS];
    zm_problem problem;
    zm_direction direction, directions[INTERVALS];
    double *moves; /* of sources */
} whole;

static zm_direction direction_over(const planes *p, size_t first)
{
    zm_direction d = ZM_DIRECTION_INIT;

    d.g11 = plane_at(p, first);
    d.g12 = plane_at(p, first + 1);
    d.g22 = plane_at(p, first + 2);
    d.b1 = plane_at(p, first + 3);
    d.b2 = plane_at(p, first + 4);
    return d;
}

static void whole_fill(whole *w, const variant *v, const test_case *c, double scale,
                       const double *direction)
{
    static const double begins[INTERVALS] = { -8, 0.75, 2.5 };

    w->in = planes_create(v->dtype, c->n, IN_ALL);
    for (int p = 0; p < N_PLANES; p++)
        for (size_t i = 0; i < c->n; i++) {
            const double value = case_plane(c, p)[i], slow = p < 3 ? 4 : 2;
            const double along =
                direction ? direction[(size_t)p * c->n + i] : usual_direction(c, p, i);

            value_set(&w->in, (size_t)(IN + p), i, value);
            value_set(&w->in, (size_t)(IN_SLOW + p), i, value * slow);
            value_set(&w->in, (size_t)(DIRECTION + p), i, along);
            value_set(&w->in, (size_t)(DIRECTION_SLOW + p), i, along * slow);
        }
    w->problem = case_problem(c);
    w->problem.metric = metric_over(&w->in, IN);
    w->direction = direction_over(&w->in, DIRECTION);
    if (!v->timed)
        return;
    for (int k = 0; k < INTERVALS; k++) {
        w->interval[k].metric = metric_over(&w->in, k == 1 ? IN_SLOW : IN);
        w->interval[k].stopped = NULL;
        w->starts[k] = begins[k] * scale;
        w->directions[k] =
            k == 1 ? direction_over(&w->in, DIRECTION_SLOW) : w->direction;
    }
    w->problem.metric = (zm_metric){ .dtype = v->dtype };
    w->problem.n_intervals = INTERVALS;
    w->problem.starts = w->starts;
    w->problem.intervals = w->interval;
    w->direction = (zm_direction)ZM_DIRECTION_INIT;
    w->direction.intervals = w->directions;
}

static zm_gradient gradient_over(const planes *p, size_t first)
{
    zm_gradient g = ZM_GRADIENT_INIT;

    g.g11 = plane_at(p, first);
    g.g12 = plane_at(p, first + 1);
    g.g22 = plane_at(p, first + 2);
    g.b1 = plane_at(p, first + 3);
    g.b2 = plane_at(p, first + 4);
    return g;
}

static bool keep(outcome *o, zm_status st)
{
    if (o->status == ZM_OK && st != ZM_OK)
        o->status = st;
    return st >= 0;
}

/* Adjoint with dL/dT = 1, of intervals the sum of all; tangent. */
static void derivatives_ask(outcome *o, const variant *v, const whole *w,
                            zm_solver *solver, const void *T)
{
    enum { ONE = INTERVALS * N_PLANES, DT, ALL };
    const planes out = planes_create(v->dtype, o->n, ALL);
    zm_gradient g = ZM_GRADIENT_INIT, each[INTERVALS];
    const bool between = v->stencils == ZM_STENCILS_ADAPTIVE && !v->timed;
    bool off = false;

    for (size_t i = 0; i < w->problem.n_sources; i++)
        off |= w->problem.sources[i].row != floor(w->problem.sources[i].row);
    for (size_t i = 0; i < o->n; i++)
        value_set(&out, ONE, i, 1);
    if (v->timed) {
        for (size_t k = 0; k < INTERVALS; k++)
            each[k] = gradient_over(&out, k * N_PLANES);
        g.intervals = each;
    } else {
        g = gradient_over(&out, 0);
    }
    g.source_times = o->source_time;
    if (between && off) {
        g.source_rows = o->source_row;
        g.source_cols = o->source_col;
    }
    keep(o, zm_adjoint(solver, &w->problem, T, plane_at(&out, ONE), &g, &o->err));
    keep(o, zm_tangent(solver, &w->problem, T, &w->direction, plane_at(&out, DT),
                       &o->err));
    for (size_t p = 0; p < N_PLANES; p++) {
        o->gradient[p] = to_doubles(&out, p);
        for (size_t k = 1; v->timed && k < INTERVALS; k++)
            for (size_t i = 0; i < o->n; i++)
                o->gradient[p][i] += value_at(&out, k * N_PLANES + p, i);
    }
    o->dT = to_doubles(&out, DT);
    free(out.at);
}

/* The cell that is reached last. */
static size_t last_cell(const outcome *o)
{
    size_t last = 0;

    for (size_t i = 1; i < o->n; i++)
        if (isfinite(o->T[i]) && !(o->T[i] <= o->T[last]))
            last = i;
    return last;
}

static void paths_ask(outcome *o, const variant *v, const test_case *c, const whole *w,
                      zm_solver *solver, const void *T)
{
    const planes flow = planes_create(v->dtype, o->n, 2);
    const size_t last = last_cell(o), cols = (size_t)c->grid.cols;

    o->labels = calloc(o->n, sizeof *o->labels);
    o->points = calloc(OUTCOME_POINTS, sizeof *o->points);
    o->path_source = -1;
    keep(o, zm_flow(solver, 0, &w->problem, T, plane_at(&flow, 0), plane_at(&flow, 1),
                    &o->err));
    keep(o, zm_labels(solver, 0, &w->problem, T, o->labels, &o->err));
    keep(o, zm_path(solver, 0, &w->problem, T, (double)(last / cols),
                    (double)(last % cols), o->points, OUTCOME_POINTS, &o->n_points,
                    &o->path_source, NULL, &o->err));
    if (o->n_points > 0 && o->n_points <= OUTCOME_POINTS)
        keep(o, zm_path_cost(c->grid, &w->problem, v->periodic, o->points, o->n_points,
                             &o->path_cost, &o->err));
    o->vx = to_doubles(&flow, 0);
    o->vy = to_doubles(&flow, 1);
    free(flow.at);
}

outcome outcome_of(const variant *v, const test_case *c, double scale, bool all)
{
    return outcome_along(v, c, scale, all, NULL);
}

outcome outcome_along(const variant *v, const test_case *c, double scale, bool all,
                      const double *direction)
{
    const zm_solver_opts opts = opts_of(v);
    const planes times = planes_create(v->dtype, c->n, 1);
    zm_solver *solver = case_solver(c, v->dtype, &opts);
    outcome o = { .report = ZM_REPORT_INIT, .n = c->n };
    void *T = plane_at(&times, 0);
    whole w = { .moves = NULL };

    whole_fill(&w, v, c, scale, direction);
    o.seconds = (double)clock();
    o.status = zm_forward(solver, &w.problem, T, NULL, &o.report, &o.err);
    o.seconds = ((double)clock() - o.seconds) / CLOCKS_PER_SEC;
    o.T = to_doubles(&times, 0);
    if (o.status >= 0 && all) {
        derivatives_ask(&o, v, &w, solver, T);
        paths_ask(&o, v, c, &w, solver, T);
        for (int k = 0; k < 2; k++) {
            o.residual[k] = nan_doubles(c->n);
            if (!v->periodic && (k == ZM_RESIDUAL_EIKONAL || !v->timed))
                keep(&o, zm_residual(c->grid, &w.problem, T, (zm_residual_kind)k,
                                     o.residual[k], &o.err));
        }
    }
    zm_solver_destroy(solver);
    free(w.in.at);
    free(times.at);
    return o;
}

void outcome_free(outcome *o)
{
    for (int i = 0; i < N_PLANES; i++)
        free(o->gradient[i]);
    for (int i = 0; i < 2; i++)
        free(o->residual[i]);
    free(o->points);
    free(o->labels);
    free(o->vy);
    free(o->vx);
    free(o->dT);
    free(o->T);
}

test_case case_in_units(const test_case *c, int metric, int spacing)
{
    test_case s = case_copy(c);

    s.grid.dx = ldexp(c->grid.dx, spacing);
    s.grid.dy = ldexp(c->grid.dy, spacing);
    for (int p = 0; p < N_PLANES; p++)
        for (size_t i = 0; i < c->n; i++)
            case_plane(&s, p)[i] =
                ldexp(case_plane(c, p)[i], p < 3 ? 2 * metric : metric);
    for (size_t i = 0; i < c->n_sources; i++)
        s.sources[i].time = ldexp(c->sources[i].time, metric + spacing);
    return s;
}

/* Whether b is a 2^by; of numbers below the normal ones, as near as they are to each other. */
static bool is_shifted(zm_dtype dtype, double a, double b, int by)
{
    const double wanted = ldexp(a, by);

    return wanted == b || (isnan(a) && isnan(b)) ||
           (dtype == ZM_F32 && fabs(wanted) < (double)FLT_MIN &&
            fabs(b - wanted) <= (double)FLT_TRUE_MIN);
}

/* Whether b[i] is a[i] 2^by everywhere; *at is the first where not. */
static bool shifted(zm_dtype dtype, const double *a, const double *b, size_t n, int by,
                    size_t *at)
{
    for (size_t i = 0; a && b && i < n; i++)
        if (!is_shifted(dtype, a[i], b[i], by)) {
            *at = i;
            return false;
        }
    return true;
}

void outcome_compare_units(const outcome *a, const outcome *b, int metric, int spacing,
                           const variant *v, char *text, size_t size)
{
    const int time = metric + spacing;
    const struct {
        const char *name;
        const double *a, *b;
        size_t n;
        int by;
    } fields[] = {
        { "T", a->T, b->T, a->n, time },
        { "dL/dg11", a->gradient[0], b->gradient[0], a->n, time - 2 * metric },
        { "dL/dg12", a->gradient[1], b->gradient[1], a->n, time - 2 * metric },
        { "dL/dg22", a->gradient[2], b->gradient[2], a->n, time - 2 * metric },
        { "dL/db1", a->gradient[3], b->gradient[3], a->n, spacing },
        { "dL/db2", a->gradient[4], b->gradient[4], a->n, spacing },
        { "dL/dtime", a->source_time, b->source_time, 8, 0 },
        { "dL/drow", a->source_row, b->source_row, 8, time },
        { "dL/dcol", a->source_col, b->source_col, 8, time },
        { "dT", a->dT, b->dT, a->n, time },
        { "vx", a->vx, b->vx, a->n, -metric },
        { "vy", a->vy, b->vy, a->n, -metric },
        { "discrete residual", a->residual[0], b->residual[0], a->n, 0 },
        { "eikonal residual", a->residual[1], b->residual[1], a->n, 0 },
        { "path cost", &a->path_cost, &b->path_cost, 1, time },
    };
    size_t at = 0;

    text[0] = 0;
    if (a->status != b->status || a->n_points != b->n_points ||
        a->path_source != b->path_source) {
        snprintf(text, size, "status %d, %d (%.120s), path of %zu, %zu points",
                 (int)a->status, (int)b->status, b->status ? b->err.text : "",
                 a->n_points, b->n_points);
        return;
    }
    if (a->status < 0)
        return;
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        if (!shifted(v->dtype, fields[k].a, fields[k].b, fields[k].n, fields[k].by,
                     &at)) {
            snprintf(text, size, "%s %.17g became %.17g at %zu, not times 2^%d",
                     fields[k].name, fields[k].a[at], fields[k].b[at], at,
                     fields[k].by);
            return;
        }
    if (a->labels && memcmp(a->labels, b->labels, a->n * sizeof *a->labels) != 0)
        snprintf(text, size, "labels differ");
    for (size_t i = 0; a->points && i < a->n_points; i++)
        if (a->points[i].row != b->points[i].row ||
            a->points[i].col != b->points[i].col ||
            ldexp(a->points[i].time, time) != b->points[i].time) {
            snprintf(text, size,
                     "point %zu of the path: %.17g, %.17g, %.17g became %.17g, "
                     "%.17g, %.17g",
                     i, a->points[i].row, a->points[i].col, a->points[i].time,
                     b->points[i].row, b->points[i].col, b->points[i].time);
            return;
        }
}
