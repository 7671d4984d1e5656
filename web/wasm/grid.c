/* SPDX-License-Identifier: Apache-2.0
 * A metric, solved as often as the page likes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "zermelo/adjoint.h"
#include "zermelo/outline.h"
#include "zermelo/path.h"

zm_error page_error;

void *EXPORT(page_alloc)(size_t bytes)
{
    return malloc(bytes);
}

void EXPORT(page_free)(void *block)
{
    free(block);
}

const char *EXPORT(page_message)(void)
{
    return page_error.text;
}

/* ---- solve, derive, follow ---------------------------------------------------------- */

typedef struct grid_page {
    zm_solver *solver;
    zm_problem problem;
    const void *T; /* of the last solve */
} grid_page;

/** NULL after a failure. */
grid_page *EXPORT(grid_open)(int32_t rows, int32_t cols, double dx, double dy, int32_t dtype,
                             int32_t order, int32_t adaptive, double factor_radius,
                             int32_t periodic)
{
    const zm_grid grid = { rows, cols, dx, dy };
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    grid_page *page = calloc(1, sizeof *page);

    opts.order = order;
    opts.stencils = adaptive ? ZM_STENCILS_ADAPTIVE : ZM_STENCILS_FIXED;
    opts.factor_radius = factor_radius;
    opts.periodic = periodic;
    if (!page ||
        zm_solver_create(&page->solver, grid, (zm_dtype)dtype, &opts, &page_error) < 0) {
        free(page);
        return NULL;
    }
    page->problem = (zm_problem)ZM_PROBLEM_INIT;
    page->problem.metric.dtype = (zm_dtype)dtype;
    return page;
}

void EXPORT(grid_close)(grid_page *page)
{
    if (page)
        zm_solver_destroy(page->solver);
    free(page);
}

/** Planes, walls, sources and T stay where they are for the calls below. */
int32_t EXPORT(grid_solve)(grid_page *page, const void *g11, const void *g12, const void *g22,
                           const void *b1, const void *b2, const uint8_t *walls,
                           const zm_source *sources, size_t n_sources, double t_max, void *T)
{
    zm_forward_opts opts = ZM_FORWARD_OPTS_INIT;
    zm_metric *metric = &page->problem.metric;

    metric->g11 = g11;
    metric->g12 = g12;
    metric->g22 = g22;
    metric->b1 = b1;
    metric->b2 = b2;
    page->problem.walls = walls;
    page->problem.sources = sources;
    page->problem.n_sources = n_sources;
    page->T = T;
    opts.t_max = t_max;
    return (int32_t)zm_forward(page->solver, &page->problem, T, &opts, NULL, &page_error);
}

/** Derivatives of sum(weights T); planes that are not wanted are NULL. */
int32_t EXPORT(grid_adjoint)(grid_page *page, const void *weights, void *g11, void *g12,
                             void *g22, void *b1, void *b2)
{
    zm_gradient out = ZM_GRADIENT_INIT;

    out.g11 = g11;
    out.g12 = g12;
    out.g22 = g22;
    out.b1 = b1;
    out.b2 = b2;
    return (int32_t)zm_adjoint(page->solver, &page->problem, page->T, weights, &out,
                               &page_error);
}

/** Points of the path to a place, (row, col, time) each; -1 after a failure. */
int32_t EXPORT(grid_path)(grid_page *page, double row, double col, zm_path_point *points,
                          size_t capacity)
{
    size_t n = 0;
    const zm_status st = zm_path(page->solver, 0, &page->problem, page->T, row, col, points,
                                 capacity, &n, NULL, NULL, &page_error);

    return st < 0 ? -1 : (int32_t)n;
}

/* ---- outlines ------------------------------------------------------------------------ */

static zm_outline *outline; /* of the last level */

/** Number of rings of {T <= level}; -1 after a failure. */
int32_t EXPORT(outline_find)(int32_t rows, int32_t cols, int32_t dtype, const void *T,
                             double level)
{
    const zm_grid grid = { rows, cols, 1, 1 };
    size_t n;

    if ((!outline && zm_outline_create(&outline, NULL, &page_error) < 0) ||
        zm_outline_find(outline, grid, (zm_dtype)dtype, T, level, &page_error) < 0)
        return -1;
    zm_outline_rings(outline, &n);
    return (int32_t)n;
}

/** Ring k of the last level: out has its first point, its number of points, its area in cells
 *  and the ring that it is a hole of, or its own number. */
void EXPORT(outline_ring)(int32_t k, double out[4])
{
    size_t n;
    const zm_outline_ring *ring = zm_outline_rings(outline, &n) + k;

    out[0] = (double)ring->begin;
    out[1] = (double)ring->n;
    out[2] = ring->area;
    out[3] = (double)ring->shell;
}

/** The points of the last level: (row, col) each. */
const zm_outline_point *EXPORT(outline_points)(void)
{
    size_t n;

    return zm_outline_points(outline, &n);
}
