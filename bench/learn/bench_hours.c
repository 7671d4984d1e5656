/* SPDX-License-Identifier: Apache-2.0
 * Fires of a learned model through hours of weather, two ways: hour by hour on active blocks
 * (src/fire/learn/burn.h), and with the engine of metrics that change with time
 * (zermelo/interval.h).
 *
 *     bench_hours MODEL SCENE
 *
 * Both are compared with times on a grid FINER times as fine that has the same metric in all parts
 * of a cell.  Times are of the solve, of the adjoint, and of the metric in the cells that the
 * solve asks for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fire/learn/field.h"
#include "fire/learn/sample.h"

enum { FINER = 5, MOST_HOURS = 128 };

/** One fire: the metric of every hour, known beforehand or asked of the model. */
typedef struct fire_case {
    zm_terrain *ground;
    zm_hour *hours;
    size_t n_hours;
    zm_region *region;
    zm_mlp *head;
    zm_field *field;
    int32_t rows, cols,
        finer; /* of the grid that is solved on, against the landscape */
    size_t n;
    zm_burn_planes *known; /* of each hour; NULL: ask the model */
    zm_burn_planes scratch;
    int32_t *cells;
    size_t asked; /* metrics of a cell in an hour */
    double fill_seconds;
} fire_case;

static double seconds(void)
{
    struct timespec t;

    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *room(size_t n, size_t size)
{
    void *p = calloc(n, size);

    if (!p)
        exit(2);
    return p;
}

static zm_burn_planes planes_of(size_t n)
{
    return (zm_burn_planes){ room(n, sizeof(double)), NULL, NULL,
                             room(n, sizeof(double)), room(n, sizeof(double)) };
}

static void need(zm_status st, const zm_error *err)
{
    if (st < 0) {
        fprintf(stderr, "%s\n", err->text);
        exit(1);
    }
}

/* zm_burn_fill. */
static zm_status fill_cells(void *ctx, size_t hour, const int32_t *cells, size_t n,
                            const zm_burn_planes *planes, zm_error *err)
{
    fire_case *c = ctx;
    const double start = seconds();
    zm_status st = ZM_OK;

    c->asked += n;
    if (c->known)
        for (size_t i = 0; i < n; i++) {
            planes->g11[cells[i]] = c->known[hour].g11[cells[i]];
            planes->b1[cells[i]] = c->known[hour].b1[cells[i]];
            planes->b2[cells[i]] = c->known[hour].b2[cells[i]];
        }
    else
        st = zm_field_fill(c->field, hour, cells, n, planes, err);
    c->fill_seconds += seconds() - start;
    return st;
}

/* zm_interval_fill. */
static zm_status fill_window(void *ctx, size_t hour, zm_window w, zm_window_values *v,
                             zm_error *err)
{
    fire_case *c = ctx;
    const int32_t cols = c->cols / c->finer;
    const size_t n = (size_t)w.rows * (size_t)w.cols;
    zm_status st;

    for (size_t i = 0; i < n; i++)
        c->cells[i] = (w.row + (int32_t)i / w.cols) / c->finer * cols +
                      (w.col + (int32_t)i % w.cols) / c->finer;
    if ((st = fill_cells(c, hour, c->cells, n, &c->scratch, err)) < 0)
        return st;
    for (size_t i = 0; i < n; i++) {
        v->g11[i] = v->g22[i] = c->scratch.g11[c->cells[i]];
        v->b1[i] = c->scratch.b1[c->cells[i]];
        v->b2[i] = c->scratch.b2[c->cells[i]];
    }
    return ZM_OK;
}

static zm_status take_window(void *ctx, size_t hour, zm_window w,
                             const zm_window_values *v, zm_error *err)
{
    (void)ctx, (void)hour, (void)w, (void)v, (void)err;
    return ZM_OK;
}

static void case_open(fire_case *c, const zm_model *m, const zm_landscape *land,
                      const zm_fire *fire)
{
    const zm_area whole = { 0, 0, land->rows, land->cols };
    zm_error err;

    *c = (fire_case){ .rows = land->rows, .cols = land->cols, .finer = 1 };
    c->n = zm_area_cells(whole);
    need(zm_learn_terrain_create(&c->ground, land, &err), &err);
    need(zm_learn_hours_create(&c->hours, &c->n_hours, c->ground, fire, 0, &err), &err);
    need(zm_region_create(&c->region, m, c->ground, whole, ZM_NET_FAST, &err), &err);
    need(zm_region_forward(c->region, m->parameters, &err), &err);
    need(zm_field_head_create(&c->head, m, ZM_NET_FAST, &err), &err);
    zm_mlp_load(c->head, m->parameters + zm_model_head_at(m));
    need(zm_field_create(&c->field, c->region, whole, c->hours, m->parameters, c->head,
                         &err),
         &err);
    c->scratch = planes_of(c->n);
    c->cells = room(c->n * FINER * FINER, sizeof *c->cells);
}

/* The metric of all hours. */
static void know(fire_case *c)
{
    zm_burn_planes *known = room(c->n_hours, sizeof *known);
    zm_error err;

    for (size_t i = 0; i < c->n; i++)
        c->cells[i] = (int32_t)i;
    for (size_t h = 0; h < c->n_hours; h++) {
        known[h] = planes_of(c->n);
        need(zm_field_fill(c->field, h, c->cells, c->n, &known[h], &err), &err);
    }
    c->known = known;
}

static void planes_free(zm_burn_planes *p)
{
    free(p->g11);
    free(p->b1);
    free(p->b2);
}

static void forget(fire_case *c)
{
    for (size_t h = 0; c->known && h < c->n_hours; h++)
        planes_free(&c->known[h]);
    free(c->known);
    c->known = NULL;
}

static void case_close(fire_case *c)
{
    planes_free(&c->scratch);
    free(c->cells);
    zm_field_destroy(c->field);
    zm_mlp_destroy(c->head);
    zm_region_destroy(c->region);
    zm_learn_hours_destroy(c->hours);
    zm_learn_terrain_destroy(c->ground);
}

/** What a way of solving took and gave. */
typedef struct outcome {
    double *T;
    double forward, adjoint, fill; /* s; forward without fill */
    size_t asked;
} outcome;

static void begin(fire_case *c)
{
    c->asked = 0;
    c->fill_seconds = 0;
}

static outcome by_hours(fire_case *c, const zm_model *m, double cell,
                        const zm_source *sources, double t_max)
{
    const zm_grid grid = { c->rows, c->cols, cell, cell };
    const zm_burn_task task = { .sources = sources,
                                .n_sources = 9,
                                .hours = c->n_hours,
                                .t_max = t_max,
                                .fill = fill_cells,
                                .ctx = c,
                                .tol = ZM_BURN_TOL };
    outcome o = { .T = room(c->n, sizeof *o.T) };
    double *ones = room(c->n, sizeof *ones), start;
    zm_burn *front;
    zm_error err;

    begin(c);
    need(zm_burn_create(&front, grid, true, m->stencils, &err), &err);
    start = seconds();
    need(zm_burn_solve(front, &task, &err), &err);
    o.forward = seconds() - start - c->fill_seconds;
    o.fill = c->fill_seconds;
    o.asked = c->asked;
    for (size_t i = 0; i < c->n; i++) {
        o.T[i] = front->T[i];
        ones[i] = 1;
    }
    start = seconds();
    need(zm_burn_adjoint(front, ones, &err), &err);
    o.adjoint = seconds() - start;
    zm_burn_destroy(front);
    free(ones);
    return o;
}

static outcome by_intervals(fire_case *c, double cell, const zm_source *sources,
                            size_t n_sources, double t_max, int32_t reach,
                            zm_step_cost cost)
{
    const zm_grid grid = { c->rows, c->cols, cell, cell };
    const size_t n = (size_t)c->rows * (size_t)c->cols;
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    zm_forward_opts until = ZM_FORWARD_OPTS_INIT;
    zm_gradient d = ZM_GRADIENT_INIT;
    double starts[MOST_HOURS], *ones = room(n, sizeof *ones), start;
    zm_problem problem = ZM_PROBLEM_INIT;
    outcome o = { .T = room(n, sizeof *o.T) };
    zm_solver *solver;
    zm_error err;

    for (size_t h = 0; h < c->n_hours && h < MOST_HOURS; h++)
        starts[h] = (double)h;
    begin(c);
    opts.reach = reach;
    opts.cost = cost;
    until.t_max = t_max;
    need(zm_solver_create(&solver, grid, ZM_F64, &opts, &err), &err);
    problem.sources = sources;
    problem.n_sources = n_sources;
    problem.n_intervals = c->n_hours < MOST_HOURS ? c->n_hours : MOST_HOURS;
    problem.starts = starts;
    problem.fill = fill_window;
    problem.fill_ctx = c;
    start = seconds();
    need(zm_forward(solver, &problem, o.T, &until, NULL, &err), &err);
    o.forward = seconds() - start - c->fill_seconds;
    o.fill = c->fill_seconds;
    o.asked = c->asked;
    for (size_t i = 0; i < n; i++)
        ones[i] = 1;
    d.take = take_window;
    start = seconds();
    need(zm_adjoint(solver, &problem, o.T, ones, &d, &err), &err);
    o.adjoint = seconds() - start;
    zm_solver_destroy(solver);
    free(ones);
    return o;
}

/* Times on the finer grid, in the middles of the cells: the sources are the square between the
 * middles of the block. */
static double *reference(fire_case *c, double cell, const zm_fire *fire, double t_max)
{
    const int32_t rows = c->rows, cols = c->cols, side = 2 * FINER + 1;
    zm_source *lit = room((size_t)side * (size_t)side, sizeof *lit);
    double *T = room(c->n, sizeof *T);
    outcome fine;

    for (int32_t i = 0; i < side * side; i++)
        lit[i] = (zm_source){ fire->row * FINER + FINER / 2 - FINER + i / side,
                              fire->col * FINER + FINER / 2 - FINER + i % side, 0 };
    c->rows *= FINER;
    c->cols *= FINER;
    c->finer = FINER;
    fine = by_intervals(c, cell / FINER, lit, (size_t)side * (size_t)side, t_max, 4,
                        ZM_COST_MEAN);
    c->rows = rows;
    c->cols = cols;
    c->finer = 1;
    for (int32_t i = 0; i < rows * cols; i++)
        T[i] = fine.T[(size_t)(i / cols * FINER + FINER / 2) * (size_t)(cols * FINER) +
                      (size_t)(i % cols * FINER + FINER / 2)];
    free(lit);
    free(fine.T);
    return T;
}

/** Of all fires. */
typedef struct sums {
    double squares, bias, forward, adjoint, fill;
    size_t n, both, either, asked;
} sums;

static void print(const char *name, const sums *s)
{
    printf("  %-20s error %.4f h rms, %+.4f mean, IoU %.4f; forward %.1f ms, adjoint "
           "%.1f ms, metric %.1f ms for %zu\n",
           name, sqrt(s->squares / (double)s->n), s->bias / (double)s->n,
           (double)s->both / (double)s->either, 1e3 * s->forward, 1e3 * s->adjoint,
           1e3 * s->fill, s->asked);
}

static void tell(const char *name, const fire_case *c, const outcome *o,
                 const double *exact, double t_max, sums *total)
{
    sums s = {
        .forward = o->forward, .adjoint = o->adjoint, .fill = o->fill, .asked = o->asked
    };

    for (size_t i = 0; i < c->n; i++) {
        const bool burns = exact[i] <= t_max, burned = o->T[i] <= t_max;
        const double error = o->T[i] - exact[i];

        s.both += burns && burned;
        s.either += burns || burned;
        if (exact[i] > 0 && burns && burned) {
            s.bias += error;
            s.squares += error * error;
            s.n++;
        }
    }
    print(name, &s);
    *total = (sums){ total->squares + s.squares, total->bias + s.bias,
                     total->forward + s.forward, total->adjoint + s.adjoint,
                     total->fill + s.fill,       total->n + s.n,
                     total->both + s.both,       total->either + s.either,
                     total->asked + s.asked };
    free(o->T);
}

static void compare(const zm_model *m, const zm_landscape *land, const zm_fire *fire,
                    sums total[3])
{
    const zm_area whole = { 0, 0, land->rows, land->cols };
    const double end = zm_fire_end(fire);
    zm_source lit[9];
    fire_case c;
    outcome o;
    double *exact;

    case_open(&c, m, land, fire);
    zm_sample_ignition_block(whole, fire->row, fire->col, 0, lit);
    printf("%s: %.0f h\n", fire->name, end);
    know(&c);
    exact = reference(&c, land->cell, fire, end);
    forget(&c);
    o = by_hours(&c, m, land->cell, lit, end);
    tell("hour by hour", &c, &o, exact, end, &total[0]);
    o = by_intervals(&c, land->cell, lit, 9, end, 1, ZM_COST_OWN);
    tell("intervals, 8 steps", &c, &o, exact, end, &total[1]);
    o = by_intervals(&c, land->cell, lit, 9, end, 2, ZM_COST_MEAN);
    tell("intervals, 16 steps", &c, &o, exact, end, &total[2]);
    free(exact);
    case_close(&c);
}

int main(int argc, char **argv)
{
    sums total[3] = { { 0 } };
    zm_model *model;
    zm_scene *scene;
    zm_error err;

    if (argc != 3) {
        fprintf(stderr, "usage: bench_hours MODEL SCENE\n");
        return 2;
    }
    need(zm_model_load(argv[1], &model, &err), &err);
    need(zm_scene_open(argv[2], &scene, NULL, &err), &err);
    for (size_t i = 0; i < zm_scene_count(scene); i++)
        compare(model, zm_scene_landscape(scene), zm_scene_fire(scene, i), total);
    printf("all\n");
    print("hour by hour", &total[0]);
    print("intervals, 8 steps", &total[1]);
    print("intervals, 16 steps", &total[2]);
    zm_scene_close(scene);
    zm_model_destroy(model);
    return 0;
}
