/* SPDX-License-Identifier: Apache-2.0
 * The triangle each cell was updated from: map, shares, and where it changes. */
#include <math.h>
#include <stdlib.h>

#include "measure.h"
#include "panels.h"
#include "table.h"
#include "zermelo/diagnose.h"

enum { SIDE = 101, TRIANGLES = 8, ONE_POINT = TRIANGLES, CLASSES };

typedef struct solution {
    medium m;
    double *T;
    uint8_t *codes;
    zm_stencil_share share;
    double shares[CLASSES]; /* of the updated cells, % */
} solution;

static void count_classes(solution *s)
{
    const double updated = (double)(s->share.one_point + s->share.two_point);

    for (size_t cell = 0; cell < s->m.cells; cell++)
        if (s->codes[cell] < TRIANGLES)
            s->shares[s->codes[cell]] += 100 / updated;
    s->shares[ONE_POINT] = 100 * (double)s->share.one_point / updated;
}

static void solve(experiment_run *run, solution *s)
{
    const zm_problem problem = medium_problem(&s->m);
    zm_solver *solver = medium_solver(run, &s->m, 1);
    zm_error err;

    s->T = field_new(run, s->m.cells);
    s->codes = run_memory(run, s->m.cells, 1);
    if (run_goes_on(run))
        run_check(run, zm_forward(solver, &problem, s->T, NULL, NULL, &err), &err);
    if (run_goes_on(run))
        run_check(run, zm_stencils(solver, 0, &problem, s->T, s->codes, NULL, &err),
                  &err);
    zm_solver_destroy(solver);
    if (!run_goes_on(run))
        return;
    s->share = zm_stencil_count(s->codes, s->m.cells);
    count_classes(s);
}

static solution isotropic(experiment_run *run, int32_t side)
{
    solution s = { .m = medium_new(run, side, side, 1) };

    medium_source(run, &s.m, side / 2, side / 2, 0);
    solve(run, &s);
    return s;
}

static solution varying(experiment_run *run)
{
    solution s = { .m = medium_new(run, SIDE, SIDE, 1) };

    medium_fill_smooth(run, &s.m, run_seed(run, 0), /* correlation length */ 12);
    medium_source(run, &s.m, SIDE / 2, SIDE / 2, 0);
    solve(run, &s);
    return s;
}

/* Cells whose update differs in kind from that of the cell to the right or below, in %. */
static double boundary_share(const solution *s)
{
    const size_t cols = (size_t)s->m.grid.cols, rows = (size_t)s->m.grid.rows;
    size_t n = 0;

    for (size_t row = 0; row + 1 < rows; row++)
        for (size_t col = 0; col + 1 < cols; col++) {
            const uint8_t *c = &s->codes[row * cols + col];

            n += c[0] != c[1] || c[0] != c[cols];
        }
    return 100 * (double)n / (double)((rows - 1) * (cols - 1));
}

/* Triangles as classes 0..7; one-point updates dark. */
static void draw_codes(experiment_run *run, zm_plot *plot, const solution *s,
                       const char *title)
{
    static const char *const names[TRIANGLES] = { "NW–W", "W–SW", "SW–S", "S–SE",
                                                  "SE–E", "E–NE", "NE–N", "N–NW" };
    double *class = field_new(run, s->m.cells);
    uint8_t *one_point = run_memory(run, s->m.cells, 1);

    for (size_t cell = 0; cell < s->m.cells; cell++) {
        class[cell] = s->codes[cell] < TRIANGLES ? s->codes[cell] : NAN;
        one_point[cell] = s->codes[cell] >= ONE_POINT;
    }
    zm_plot_set_grid(plot, s->m.grid, 0, 0);
    ZM_PLOT_AXES(plot, .title = title, .x.label = "<i>x</i>", .y.label = "<i>y</i>");
    ZM_PLOT_IMAGE(plot, .values = class,
                  .colors = { .map = ZM_MAP_CYCLIC,
                              .n_classes = TRIANGLES,
                              .class_names = names,
                              .label = "updated from" });
    ZM_PLOT_WALLS(plot, .mask = one_point, .color = 0x303438FFu,
                  .label = "updated from one cell");
    panel_sources(plot, &s->m, "source");
}

static void save_codes(experiment_run *run, const solution *s, const char *name)
{
    double *codes = field_new(run, s->m.cells);

    for (size_t cell = 0; cell < s->m.cells; cell++)
        codes[cell] = s->codes[cell];
    run_save(run, name, codes, (size_t)s->m.grid.rows, (size_t)s->m.grid.cols);
}

static void draw_map(experiment_run *run, const solution *s)
{
    zm_figure *figure = figure_new(run, 1, 2, NULL);

    PANEL_ARRIVAL(zm_figure_plot(figure, 0, 0), &s->m, s->T, .title = "Arrival time");
    draw_codes(run, zm_figure_plot(figure, 0, 1), s, "Active stencil");
    figure_save(run, figure, "stencils", "Figure 3",
                "Arrival times and the two cells each cell was updated from. The "
                "stencils meet in rays from the source, along which the update comes "
                "from one cell.");
}

static void draw_shares(experiment_run *run, const solution *iso, const solution *var)
{
    static const char *const names[CLASSES] = { "0", "1", "2", "3",       "4",
                                                "5", "6", "7", "one cell" };
    zm_figure *figure = figure_new(run, 1, 2, NULL);
    zm_plot *bars = zm_figure_plot(figure, 0, 1);

    draw_codes(run, zm_figure_plot(figure, 0, 0), var, "Smoothly varying medium");
    ZM_PLOT_AXES(bars, .title = "Update types", .x.label = "stencil",
                 .y.label = "share of the cells [%]", .aspect = 0.9);
    ZM_PLOT_BARS(bars, .heights = iso->shares, .names = names, .n = CLASSES,
                 .label = "isotropic");
    ZM_PLOT_BARS(bars, .heights = var->shares, .n = CLASSES, .label = "varying");
    figure_save(
        run, figure, "update-types", "Figure S15",
        "Left: active stencils where metric and drift vary smoothly; their "
        "boundaries still run along paths from the source. Right: how many cells "
        "each stencil has, numbered 0 (NW–W) to 7 (N–NW) as in the paper.");
}

static double largest_of(const double *values, double sign)
{
    double most = -INFINITY;

    for (int k = 0; k < TRIANGLES; k++)
        most = fmax(most, sign * values[k]);
    return sign * most;
}

/* The share of boundary cells on finer and finer grids. */
static void report_boundaries(experiment_run *run)
{
    static const int32_t sides[] = { 51, 101, 201, 401 };
    enum { SIDES = sizeof sides / sizeof *sides };
    double side[SIDES], share[SIDES];

    for (int i = 0; i < SIDES && run_goes_on(run); i++) {
        const solution s = isotropic(run, sides[i]);

        side[i] = sides[i];
        share[i] = run_goes_on(run) ? boundary_share(&s) : NAN;
    }
    if (!run_goes_on(run))
        return;
    RESULT(run, .reference = "Figure 3", .unit = "%", .ours = share[1],
           .quantity = "cells at a boundary between stencils, isotropic, N = 101");
    RESULT(run, .reference = "Figure 3", .ours = fitted_exponent(SIDES, side, share),
           .quantity = "exponent of that share over N = 51 … 401 (curves: −1)");
}

static void stencil_map(experiment_run *run)
{
    const solution iso = isotropic(run, SIDE), var = varying(run);

    if (!run_goes_on(run))
        return;
    RESULT(run, .reference = "Figure S15", .unit = "%", .paper = "96",
           .ours = 100 - iso.shares[ONE_POINT], .better = BETTER_EQUAL,
           .quantity = "two-point (planar) updates, isotropic");
    RESULT(run, .reference = "Figure S15", .unit = "%",
           .ours = 100 - var.shares[ONE_POINT],
           .quantity = "two-point (planar) updates, smoothly varying");
    RESULT(run, .reference = "Figure S15", .unit = "%",
           .ours = largest_of(iso.shares, -1),
           .quantity = "rarest of the eight stencils, isotropic");
    RESULT(run, .reference = "Figure S15", .unit = "%",
           .ours = largest_of(iso.shares, 1),
           .quantity = "most frequent of the eight stencils, isotropic");
    report_boundaries(run);
    save_codes(run, &iso, "stencils-isotropic");
    save_codes(run, &var, "stencils-varying");
    draw_map(run, &iso);
    draw_shares(run, &iso, &var);
}

const experiment experiment_stencil_map = {
    .name = "stencil-map",
    .group = "Gradients",
    .title = "Active stencils",
    .paper = "section Gradient Verification, Figures 3 and S15",
    .about =
        "Each cell takes the smallest of eight updates, each from two neighbours "
        "that are neighbours themselves; where the smallest is at the end of its "
        "edge, it comes from one cell. T is not differentiable where two different "
        "updates tie: on curves, which are thin where the grid is fine.\n\n"
        "The paper leaves the medium open. A share of 96 % is that of one source in "
        "the centre of about 100 × 100 isotropic cells, where the 4N cells of both "
        "axes and both diagonals have one-point updates; so this is what is used. "
        "Beside it stands a medium in which metric, axes and drift vary smoothly.",
    .run = stencil_map,
};
